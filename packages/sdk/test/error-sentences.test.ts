// The sentence that a person would read is found in error bodies nobody has described, and nothing else is told.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../src/index.ts";
import { errorBody } from "./error-grammar.ts";
import { failureOf, scripted } from "./setup.ts";

const key = "test_sdk_Zed_0123456789";

test("what is wrong is told with its field, and no code, advice or key, in every generated error body", async () => {
  await fc.assert(
    fc.asyncProperty(errorBody, async ({ text, sentence, field }) => {
      const { client } = scripted([new Response(text, { status: 400 })], { apiKey: key });

      const error = await failureOf(client.pages.list());

      expect(error).toBeInstanceOf(ApiError);
      const { message, problem } = error as ApiError; // why: the line above has told
      const told = `${field === "" ? "" : `${field}: `}${sentence}`.replaceAll(/\s+/g, " ");
      expect(message).toContain(told.length <= 500 ? told : told.slice(0, 499));
      expect(message).not.toMatch(/zed/i);
      expect(problem.detail).not.toMatch(/zed/i);
      expect(message.length).toBeLessThan(560);
    }),
    { numRuns: 1000 },
  );
});
