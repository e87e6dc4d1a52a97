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

const names = fc.constantFrom(
  ..."error errors message detail details path paths field fields pointer loc source target param params key keys in data".split(
    " ",
  ),
  ..."code type status reason slug title cta value instance extensions response violations meta causes children 0".split(
    " ",
  ),
);

test("lists and objects that are nested without end, under any name, are no more than an error without a sentence", async () => {
  await fc.assert(
    fc.asyncProperty(names, names, fc.boolean(), fc.boolean(), async (name, beside, isList, isListed) => {
      const [open, close] = isList ? ["[", "]"] : [`{"${name}":`, "}"];
      const nested = `{"${name}":${open.repeat(20_000)}1${close.repeat(20_000)},"${beside}":1}`;
      const { client } = scripted([new Response(isListed ? `{"errors":[${nested}]}` : nested, { status: 400 })]);

      expect(await failureOf(client.pages.list())).toMatchObject({ name: "BadRequestError", problem: { errors: [] } });
    }),
    { numRuns: 200 },
  );
});
