import { expect, test } from "vitest";
import * as z from "zod";
import { dialectPresets, dialectSchema, resolveDialect } from "../src/dialect.ts";

const schema = z.fromJSONSchema(dialectSchema());

test("the schema for editors accepts every preset, also as a complete dialect", () => {
  for (const [name, preset] of Object.entries(dialectPresets)) {
    expect(schema.safeParse(preset).error).toBeUndefined();
    expect(schema.safeParse(JSON.parse(JSON.stringify(resolveDialect(name)))).error).toBeUndefined();
  }
});

test.for([200, 202, 400, 599])("the schema for editors accepts the status %i for errors", (status) => {
  const answers = { error: { status }, errors: { 404: { status }, malformed: { status } } };

  expect(schema.safeParse({ answers }).error).toBeUndefined();
});

test.for([
  { answers: { error: { status: 302 } } },
  { answers: { errors: { 404: { status: 199 } } } },
  { switches: { "list-order": "random" } },
  { switches: { "list-ordr": "newest-first" } },
  { answers: { createPages: {} } },
  { answers: { createPage: { status: "200" } } },
  { answers: { errors: { "200": {} } } },
  { "list-order": "newest-first" },
])("the schema for editors marks %j", (dialect) => {
  expect(schema.safeParse(dialect).success).toBe(false);
});
