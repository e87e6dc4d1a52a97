import { expect } from "vitest";
import { createMockService } from "../src/index.ts";
import { test } from "../src/vitest.ts";

test("types", ({ mock }) => {
  expect(mock).toHaveReceived();
  expect(createMockService()).toHaveReceived({ endpoint: "createPage", times: 2, body: { slug: expect.any(String) } });
  mock.apiKey satisfies string;

  // @ts-expect-error there is no such endpoint
  expect(mock).toHaveReceived({ endpoint: "createPages" });
  // @ts-expect-error a number of times is a number
  expect(mock).toHaveReceived({ times: "2" });
  // @ts-expect-error the account belongs to the test
  mock.apiKey = "test_other";
});
