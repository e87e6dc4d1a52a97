import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { somePage } from "./client.ts";

/** Tells whether a service that got a body finds it by what is expected of bodies. */
async function finds(sent: unknown, expected: unknown): Promise<boolean> {
  const service = createMockService();
  await service.fetch(`${service.baseUrl}/api/content`, {
    method: "POST",
    headers: { Authorization: "Bearer test_demo", "Content-Type": "application/json" },
    body: JSON.stringify(sent),
  });
  return service.requests({ body: expected }).length === 1;
}

/** The same value with some members of its objects left out, at every level. */
function partOf(value: unknown, keep: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => partOf(item, keep));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (keep() ? [[name, partOf(member, keep)]] : [])),
  );
}

test("any body is found by itself, by any part of it, and by patterns in place of its values", async () => {
  const bodies = fc.record({ value: fc.jsonValue({ maxDepth: 4 }) });
  await fc.assert(
    fc.asyncProperty(bodies, fc.infiniteStream(fc.boolean()), async (sent, choices) => {
      const part = partOf(sent, () => choices.next().value);

      expect(await finds(sent, sent)).toBe(true);
      expect(await finds(sent, part)).toBe(true);
      expect(await finds(sent, { value: expect.anything() })).toBe(sent.value !== null);
      expect(await finds(sent, { value: sent.value, another: 1 })).toBe(false);
    }),
    { numRuns: 60 },
  );
});

test.each([
  [{ cta: { label: "Buy" } }, true],
  [{ cta: { label: /^B/ } }, true],
  [{ title: expect.stringContaining("shoes") }, true],
  [{ cta: expect.objectContaining({ type: expect.any(String) }) }, true],
  [{ meta_description: undefined }, false],
  [{ nothing: undefined }, true],
  [{ cta: [] }, false],
  [{ cta: null }, false],
  ["Red", false],
])("a page's body against %j: %s", async (expected, found) => {
  expect(await finds(somePage, expected)).toBe(found);
});

test("a parameter that comes several times is a list", async () => {
  const service = createMockService();
  await service.fetch(`${service.baseUrl}/api/content?a=1&a=2&b=%20`);

  expect(service.requests({ query: { a: ["1", "2"], b: " " } })).toHaveLength(1);
  expect(service.requests({ query: { a: "1" } })).toHaveLength(0);
});
