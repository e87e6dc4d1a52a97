import { expect, test } from "vitest";
import { defaultListLimit, referenceSwitches, referenceSchemas } from "../src/index.ts";

const cta = { type: "button", label: "Buy", url: "https://shop.example/buy" };
const shoes = { title: "Shoes", content: "Red.", slug: "red-shoes", meta_description: "Red shoes", cta };
const { createPage, updatePage, listQuery, event } = referenceSchemas();

test("a create may leave out the description and nothing else", () => {
  const { meta_description: _, ...shortest } = shoes;

  for (const input of [shoes, shortest]) expect(createPage.parse(input)).toEqual(input);
  for (const field of ["title", "content", "slug", "cta"])
    expect(createPage.safeParse({ ...shoes, [field]: undefined }).error?.issues[0]?.path).toEqual([field]);
});

test.each([
  ["title", 1, 300],
  ["content", 1, 500_000],
  ["meta_description", 0, 500],
])("%s has %i to %i characters", (field, min, max) => {
  const accepts = (length: number) => createPage.safeParse({ ...shoes, [field]: "x".repeat(length) }).success;

  expect([accepts(min), accepts(max), accepts(max + 1)]).toEqual([true, true, false]);
  expect(accepts(0)).toBe(min === 0);
});

test.each(["shoes", "red-shoes-2", "x".repeat(200)])("the slug %j is allowed", (slug) => {
  expect(createPage.safeParse({ ...shoes, slug }).success).toBe(true);
});

test.each(["x".repeat(201), "", "Red-Shoes", "red--shoes", "-red", "red_shoes", "rød", "red\n"])(
  "the slug %j is refused",
  (slug) => expect(createPage.safeParse({ ...shoes, slug }).success).toBe(false),
);

test.each([
  ["https://shop.example", true],
  ["http://localhost:4010/x", true],
  ["/buy", false],
  ["shop.example", false],
  ["javascript:alert(1)", false],
  [`https://shop.example/${"x".repeat(2048)}`, false],
])("the address %j of a call to action: allowed is %s", (url, allowed) => {
  expect(createPage.safeParse({ ...shoes, cta: { ...cta, url } }).success).toBe(allowed);
});

test("an update may have any subset of the fields, and part of the call to action", () => {
  expect(updatePage.parse({})).toEqual({});
  expect(updatePage.parse({ title: "New" })).toEqual({ title: "New" });
  expect(updatePage.parse({ cta: { label: "Now" } })).toEqual({ cta: { label: "Now" } });
  expect(updatePage.safeParse({ title: "" }).success).toBe(false);
});

test("a list query is parsed from strings, with the documented default", () => {
  expect(listQuery.parse({})).toEqual({ limit: defaultListLimit, offset: 0 });
  expect(listQuery.parse({ limit: "100", offset: "7", q: "shoes" })).toEqual({ limit: 100, offset: 7, q: "shoes" });
});

test.each(["0", "101", "-1", "1.5", "1e1", "0x10", " 7", "", "ten", "99999999999999999"])(
  "a limit of %j is refused",
  (limit) => {
    expect(listQuery.safeParse({ limit }).success).toBe(false);
  },
);

test("an event needs a page and a real timestamp in the documented shape", () => {
  const view = { pageId: "pg_1", timestamp: "2026-02-28T23:59:59Z" };

  expect(event.parse(view)).toEqual(view);
  for (const timestamp of ["2026-02-30T00:00:00Z", "2026-02-28T23:59:59.000Z", "2026-02-28T23:59:59+00:00", "now", 0])
    expect(event.safeParse({ ...view, timestamp }).success).toBe(false);
  expect(event.safeParse({ ...view, pageId: "" }).success).toBe(false);
  expect(event.safeParse({ ...view, type: "purchase" }).success).toBe(false);
});

test("a field that the spec does not name is refused, or dropped in the dialect that ignores it", () => {
  const lenient = referenceSchemas({ ...referenceSwitches, "unknown-fields": "ignored" });

  expect(createPage.safeParse({ ...shoes, colour: "red" }).success).toBe(false);
  expect(createPage.safeParse({ ...shoes, cta: { ...cta, colour: "red" } }).success).toBe(false);
  expect(lenient.createPage.parse({ ...shoes, colour: "red" })).toEqual(shoes);
  expect(lenient.listQuery.parse({ sort: "title" })).toEqual({ limit: defaultListLimit, offset: 0 });
});

test.each([
  ["cta-type", "any", "createPage", { ...shoes, cta: { ...cta, type: "link" } }, true],
  ["list-max", "clamped", "listQuery", { limit: "101" }, true],
  ["empty-update", "refused", "updatePage", {}, false],
  ["cta-update", "replace", "updatePage", { cta: { label: "Now" } }, false],
] as const)(
  "the dialect %s: %s decides otherwise than the reference about %s",
  (gap, choice, name, input, isAllowed) => {
    const other = referenceSchemas({ ...referenceSwitches, [gap]: choice });

    expect(referenceSchemas()[name].safeParse(input).success).toBe(!isAllowed);
    expect(other[name].safeParse(input).success).toBe(isAllowed);
  },
);
