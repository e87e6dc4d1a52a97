import { type DialectFile, dialectPresets } from "@landing-page-service/contract/dialect";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { createMockService, type DialectChoice } from "../src/index.ts";
import { send, somePage } from "./client.ts";
import { dialects } from "./fixtures/dialects.ts";

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, z.core.JSONSchema.JSONSchema> };
}

const presets = Object.keys(dialectPresets) as (keyof typeof dialectPresets)[]; // why: its own keys

test.for(presets)("/openapi.json describes the responses in the dialect %s", async (name) => {
  await expectDescribed(name);
});

test("/openapi.json describes the responses in generated dialects", async () => {
  await fc.assert(fc.asyncProperty(dialects, async (dialect: DialectFile) => expectDescribed(dialect)));
});

test.each([
  ["honoured", 2],
  ["ignored", 0],
] as const)("with an Idempotency-Key that is %s, /openapi.json names it %i times", async (idempotency, times) => {
  const service = createMockService({ dialect: { switches: { idempotency } } });

  const { text } = await send(service, "GET", "/openapi.json");

  expect(text.split('"Idempotency-Key"')).toHaveLength(times + 1);
});

/** Expects that the served document describes the status, media type and body of every response. */
async function expectDescribed(dialect: DialectChoice): Promise<void> {
  const service = createMockService({ dialect });
  const errors = typeof dialect === "string" ? {} : (dialect.answers?.errors ?? {});
  const reported = new Set(Object.values(errors).map(({ status }) => status));
  const { body: document } = await send<Document>(service, "GET", "/openapi.json");
  const expectCall = async (method: string, path: string, template: string, body?: unknown, key = "test_demo") => {
    const response = await send<unknown>(service, method, path, { body, key });
    const described = document.paths[template]?.[method.toLowerCase()]?.responses[response.status];
    const type = response.headers.get("Content-Type")?.split(";")[0];
    const types = response.text === "" ? [] : [type ?? "*/*"];
    // A malformed body may get a response of another type than a wrong field, and an error of another type than a success.
    const isShared = response.status === 400 || reported.has(response.status);
    const known = Object.keys(described?.content ?? {}).filter((name) => !isShared || types.includes(name));
    expect([method, path, response.status, known]).toEqual([method, path, response.status, types]);
    if (type?.includes("json") !== true || response.text === "") return;
    const schema = { ...described?.content?.[type]?.schema, components: document.components };
    expect(z.fromJSONSchema(inline(schema, document)).safeParse(response.body).error).toBeUndefined();
  };
  await expectCall("GET", "/api/content", "/api/content");
  await expectCall("POST", "/api/content", "/api/content", somePage);
  await expectCall("GET", "/api/content", "/api/content");
  const { id = "" } = service.account("test_demo").pages[0] ?? {};
  await expectCall("PUT", `/api/content/${id}`, "/api/content/{id}", { title: "New" });
  const event = { pageId: id, timestamp: "2026-03-01T12:00:00Z" };
  await expectCall("POST", "/api/analytics/view", "/api/analytics/view", event);
  await expectCall("DELETE", `/api/content/${id}`, "/api/content/{id}");
  await expectCall("DELETE", `/api/content/${id}`, "/api/content/{id}");
  await expectCall("POST", "/api/content", "/api/content", { title: 5 });
  await expectCall("GET", "/api/content", "/api/content", undefined, "wrong");
}

/** The schema without references into the document. */
function inline(schema: object, { components }: Document): Parameters<typeof z.fromJSONSchema>[0] {
  const { components: _, $ref, ...rest } = schema as { components?: object; $ref?: string }; // why: a reference is a member like any other
  return $ref === undefined ? rest : (components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
}
