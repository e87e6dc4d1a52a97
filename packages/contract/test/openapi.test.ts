import * as fc from "fast-check";
import { expect, test } from "vitest";
import { atLeast } from "../../../.ci/properties.ts";
import * as z from "zod";
import { endpoints, referenceSchemas } from "../src/index.ts";
import { openApiDocument } from "../src/openapi.ts";

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { "application/json": { schema: z.core.JSONSchema.JSONSchema } } };
  responses: Record<string, { headers: Record<string, unknown> }>;
}

const document = openApiDocument() as unknown as { paths: Record<string, Record<string, Operation>> }; // why: an OpenAPI document has these
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const operations = new Map(described.map((operation) => [operation.operationId, operation]));
const { createPage, updatePage, event } = referenceSchemas();

const somePage = {
  title: "Tea in Kyoto",
  content: "An afternoon.",
  slug: "tea-in-kyoto",
  meta_description: "Tea",
  cta: { type: "button", label: "Book", url: "https://tea.example/book" },
};
const withField = (whole: object, name: string, value: unknown) => ({ ...whole, [name]: value });
const someEvent = { pageId: "pg_1", timestamp: "2026-01-31T12:00:00Z", type: "view", properties: { depth: 1 } };

/** Values for a field: near the allowed ones, and far from them. */
const slugs = fc.constantFrom("", "button", "link", "view", "tea", "Tea", "tea--garden", "-tea", "tea garden");
const times = fc.constantFrom("12:00:00.000Z", "12:00:00+01:00", "12:00:00Z").map((time) => `2026-01-31T${time}`);
const lengths = fc.constantFrom(1, 300, 301, 500, 501, 200, 201).map((length) => "x".repeat(length));
const anything = fc.oneof(slugs, times, lengths, fc.jsonValue({ maxDepth: 1 }));

test.for([
  { name: "createPage", rules: createPage, whole: somePage },
  { name: "updatePage", rules: updatePage, whole: somePage },
  { name: "trackEvent", rules: event, whole: someEvent },
])("the document takes the bodies of $name that the rules take, and no others", ({ name, rules, whole }) => {
  const schema = z.fromJSONSchema(operations.get(name)?.requestBody?.content["application/json"].schema ?? false);
  const field = fc.constantFrom(...Object.keys(whole), "colour");
  const ctaField = fc.constantFrom("type", "label", "colour");
  const change = fc.oneof(
    fc.tuple(field, anything).map(([name, value]) => withField(whole, name, value)),
    field.map((gone) => Object.fromEntries(Object.entries(whole).filter(([name]) => name !== gone))),
    fc.tuple(ctaField, anything).map(([name, value]) => withField(whole, "cta", withField(somePage.cta, name, value))),
    fc.jsonValue({ maxDepth: 2 }),
  );

  expect(schema.safeParse(whole).success).toBe(true);
  fc.assert(
    fc.property(change, (body) => {
      expect(schema.safeParse(body).success).toBe(rules.safeParse(body).success);
    }),
    atLeast(200),
  );
});

test("every response is described with the headers that it has", () => {
  const everywhere = ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

  expect(Array.from(operations.keys())).toEqual(Object.keys(endpoints));
  for (const { responses } of operations.values()) {
    for (const { headers } of Object.values(responses))
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(everywhere));
    expect(responses["401"]?.headers).toHaveProperty("WWW-Authenticate");
    expect(responses["429"]?.headers).toHaveProperty("Retry-After");
    expect(responses).toHaveProperty("413");
  }
  const create = operations.get("createPage");
  expect(create?.responses["201"]?.headers).toHaveProperty("Location");
  expect(create?.parameters).toMatchObject([{ name: "Idempotency-Key", in: "header" }]);
  for (const name of ["createPage", "updatePage", "trackEvent"])
    expect(operations.get(name)?.responses).toHaveProperty("415");
});
