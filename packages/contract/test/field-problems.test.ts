import { expect, test } from "vitest";
import { createPageSchema, findFieldProblems, listQuerySchema, pageSchema } from "../src/index.ts";

const cta = { type: "button", label: "Buy", url: "https://shop.example/" };

test("a value that is right has no field problems, unknown fields included", () => {
  const page = { id: "1", title: "T", content: "", slug: "t", meta_description: null, cta, domains: [], status: "new" };

  expect(findFieldProblems(pageSchema, page)).toEqual([]);
  expect(findFieldProblems(createPageSchema, { title: "T", content: "", slug: "t", cta, extra: 1 })).toEqual([]);
});

test("each wrong field is named by a JSON pointer and the rule it breaks", () => {
  expect(findFieldProblems(createPageSchema, { content: 1, slug: "s", cta: { ...cta, url: "nowhere" } })).toEqual([
    { pointer: "#/title", detail: "is required" },
    { pointer: "#/content", detail: "expected string, got 1" },
    { pointer: "#/cta/url", detail: 'expected an absolute URL, got "nowhere"' },
  ]);
  expect(findFieldProblems(listQuerySchema, { limit: 0 })).toEqual([
    { pointer: "#/limit", detail: "expected a number of at least 1, got 0" },
  ]);
  expect(findFieldProblems(createPageSchema, null)).toEqual([{ pointer: "#", detail: "expected object, got null" }]);
});
