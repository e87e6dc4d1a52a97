import { type Dialect, dialectPresets, referenceDialect, switchIds, gaps } from "@landing-page-service/contract";
import { expect, test } from "vitest";
import { translateAnswer } from "../src/dialect/dialect.ts";
import { createMockService, resolveDialect } from "../src/index.ts";
import { send, somePage } from "./client.ts";

type JsonPage = Record<string, unknown>;

const nowMs = Date.parse("2026-03-01T12:00:00Z");

const page = {
  id: "41",
  title: "Shoes",
  content: "Red.",
  slug: "shoes",
  meta_description: null,
  cta: { type: "button", label: "Buy", url: "https://shop.example" },
  domains: [{ name: "shoes.example", url: "https://shoes.example/shoes" }],
  created_at: "2026-03-01T11:00:00.000Z",
  updated_at: "2026-03-01T11:00:00.000Z",
};
const { id: _id, ...fields } = page;
const documented = { title: page.title, content: page.content, slug: page.slug, cta: page.cta };

const rateLimit = {
  "X-RateLimit-Limit": "60",
  "X-RateLimit-Remaining": "59",
  "X-RateLimit-Reset": String(nowMs / 1000 + 30),
};
const jsonHeaders = { ...rateLimit, "Content-Type": "application/json" };
const created = { status: 201, headers: { ...jsonHeaders, Location: "/api/content/41" }, body: JSON.stringify(page) };
const updated = { status: 200, headers: jsonHeaders, body: JSON.stringify(page) };
const listed = {
  status: 200,
  headers: jsonHeaders,
  body: JSON.stringify({ data: [page], total: 7, limit: 1, offset: 0 }),
};
const deleted = { status: 204, headers: rateLimit, body: undefined };
const receipt = { id: "ev_1", pageId: "41", timestamp: "2026-03-01T12:00:00Z" };
const tracked = { status: 202, headers: jsonHeaders, body: JSON.stringify(receipt) };
const refused = {
  status: 400,
  headers: { ...rateLimit, "Content-Type": "application/problem+json" },
  body: JSON.stringify({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "#/cta/url: expected <an absolute URL>",
    errors: [{ pointer: "#/cta/url", detail: "expected <an absolute URL>" }],
    request_id: "req_1",
  }),
};

function dialect(readings: Partial<Dialect>): Dialect {
  return resolveDialect(readings);
}

function translate(
  endpoint: Parameters<typeof translateAnswer>[0],
  answer: Parameters<typeof translateAnswer>[2],
  readings: Partial<Dialect>,
) {
  const path = endpoint === "deletePage" || endpoint === "updatePage" ? "/api/content/41" : "/api/content";
  const { status, headers, body } = translateAnswer(endpoint, { path }, answer, dialect(readings), nowMs);
  return { status, headers, body: body === undefined || !/^[[{]/.test(body) ? body : (JSON.parse(body) as unknown) };
}

test("the reference dialect leaves every answer as it is", () => {
  for (const answer of [created, listed, deleted, refused])
    expect(translateAnswer("createPage", { path: "/api/content" }, answer, referenceDialect, nowMs)).toBe(answer);
});

test.each<[Partial<Dialect>, unknown]>([
  [{ "page-record": "minimal" }, { id: "41", ...documented }],
  [{ "page-record": "extended" }, { ...page, version: 1, author: { name: "API" }, tags: [] }],
  [{ "page-states": "status" }, { ...page, status: "published" }],
  [{ "page-id": "_id" }, { _id: "41", ...fields }],
  [
    { "page-id": "page_id", "page-id-type": "integer" },
    { page_id: 41, ...fields },
  ],
  [{ "record-wrapper": "data" }, { data: page }],
  [{ "record-wrapper": "page", "page-id-type": "integer" }, { page: { id: 41, ...fields } }],
])("an updated page reads as its dialect says: %j", (readings, body) => {
  expect(translate("updatePage", updated, readings)).toEqual({ status: 200, headers: jsonHeaders, body });
});

test("a minimal record keeps a description that was given", () => {
  const described = { ...updated, body: JSON.stringify({ ...page, meta_description: "Red shoes" }) };

  const { body } = translate("updatePage", described, { "page-record": "minimal" });

  expect(body).toEqual({ id: "41", ...documented, meta_description: "Red shoes" });
});

test("a created page answers 200 without a Location where the dialect says so", () => {
  expect(translate("createPage", created, { "create-status": "200-page" })).toEqual({
    status: 200,
    headers: jsonHeaders,
    body: page,
  });
});

test.each<[Partial<Dialect>, unknown]>([
  [{ "list-envelope": "items" }, { items: [page], total: 7, limit: 1, offset: 0 }],
  [
    { "list-envelope": "content", "list-total": "none" },
    { content: [page], limit: 1, offset: 0 },
  ],
  [{ "list-total": "total_count" }, { data: [page], total_count: 7, limit: 1, offset: 0 }],
  [{ "list-total": "meta.total" }, { data: [page], meta: { total: 7 }, limit: 1, offset: 0 }],
  [{ "list-envelope": "array" }, [page]],
  [{ "list-envelope": "array", "page-id": "_id", "page-id-type": "integer" }, [{ _id: 41, ...fields }]],
  [{ "record-wrapper": "page" }, { data: [page], total: 7, limit: 1, offset: 0 }],
])("a list reads as its dialect says: %j", (readings, body) => {
  expect(translate("listPages", listed, readings)).toEqual({ status: 200, headers: jsonHeaders, body });
});

test.each<[Partial<Dialect>, number, unknown]>([
  [{ "delete-status": "200-empty" }, 200, undefined],
  [{ "delete-status": "200-body" }, 200, { id: "41", deleted: true }],
  [{ "delete-status": "200-body", "page-id": "_id", "page-id-type": "integer" }, 200, { _id: 41, deleted: true }],
])("a delete answers as its dialect says: %j", (readings, status, body) => {
  expect(translate("deletePage", deleted, readings)).toMatchObject({ status, body });
});

test.each<[Partial<Dialect>, number, unknown, string | undefined]>([
  [{ "event-status": "200-receipt" }, 200, receipt, "application/json"],
  [{ "event-status": "201-receipt" }, 201, receipt, "application/json"],
  [{ "event-status": "204-empty" }, 204, undefined, undefined],
  [{ "event-status": "200-text" }, 200, "ok", "text/plain; charset=utf-8"],
])("an event answers as its dialect says: %j", (readings, status, body, contentType) => {
  const answer = translate("trackEvent", tracked, readings);

  expect(answer).toMatchObject({ status, body });
  expect(answer.headers["Content-Type"]).toBe(contentType);
});

test.each<[Dialect["error-body"], unknown]>([
  ["error-object", { error: { type: "bad_request", message: "#/cta/url: expected <an absolute URL>" } }],
  ["error-string", { error: "#/cta/url: expected <an absolute URL>" }],
  ["message", { message: "#/cta/url: expected <an absolute URL>" }],
  ["errors", { errors: [{ field: "cta.url", message: "expected <an absolute URL>" }] }],
  ["text", "#/cta/url: expected <an absolute URL>"],
  ["html", expect.stringContaining("<p>#/cta/url: expected &lt;an absolute URL&gt;</p>")],
  ["empty", undefined],
])("an error body reads as its dialect says: %s", (reading, body) => {
  const answer = translate("createPage", refused, { "error-body": reading });

  expect(answer.status).toBe(400);
  expect(answer.body).toEqual(body);
});

test("an error of no endpoint, such as an unknown path, is translated too", () => {
  expect(translate(undefined, refused, { "error-body": "empty" }).body).toBeUndefined();
});

test.each<[Dialect["reset-unit"], string]>([
  ["epoch-seconds", String(nowMs / 1000 + 30)],
  ["seconds", "30"],
  ["epoch-milliseconds", String(nowMs + 30_000)],
])("the rate-limit reset is written in its unit on every answer: %s", (reading, reset) => {
  for (const answer of [updated, deleted, refused])
    expect(translate("updatePage", answer, { "reset-unit": reading }).headers["X-RateLimit-Reset"]).toBe(reset);
});

test("what a planned fault puts into an answer passes through as it is", () => {
  const odd = { status: 500, headers: { "X-RateLimit-Reset": "soon", "Content-Type": "text/html" }, body: "<h1>Oops" };

  const answer = translateAnswer("createPage", { path: "/api/content" }, odd, resolveDialect("rails-like"), nowMs);

  expect(answer).toEqual(odd);
});

test("a dialect is chosen by the readings that differ, by the name of a preset, or not at all", () => {
  expect(resolveDialect()).toBe(referenceDialect);
  expect(resolveDialect("reference")).toBe(referenceDialect);
  expect(resolveDialect({ "page-id": "id" })).toBe(referenceDialect);
  expect(resolveDialect({ "page-id": "_id" })).toEqual({ ...referenceDialect, "page-id": "_id" });
  expect(resolveDialect("mongo-like")).toMatchObject(dialectPresets["mongo-like"].dialect);
});

test("every preset is a dialect that can exist as it is written", () => {
  for (const [name, { dialect }] of Object.entries(dialectPresets)) expect(resolveDialect(name)).toMatchObject(dialect);
});

test("a bare array leaves no room for a total", () => {
  const chosen = resolveDialect({ "list-envelope": "array", "list-total": "meta.total" });

  expect(chosen["list-total"]).toBe("none");
});

test.each<[unknown, string]>([
  ["mongo", 'Unknown dialect preset "mongo": expected "reference", "minimal",'],
  ["mongolike", 'Unknown dialect preset "mongolike" (did you mean "mongo-like"?)'],
  ["toString", 'Unknown dialect preset "toString"'],
  [{ "page-ids": "_id" }, 'Unknown dialect switch "page-ids": it is no gap of the spec (did you mean "page-id"?)'],
  [{ bounds: "bounded" }, 'Unknown dialect switch "bounds": it has a single reading, so there is nothing to switch.'],
  [JSON.parse('{ "__proto__": "x" }'), 'Unknown dialect switch "__proto__"'],
  [{ "page-id": "uuid" }, 'Unknown reading "uuid" of "page-id": expected "id", "_id", "page_id".'],
  [{ "page-id": "pageid" }, 'Unknown reading "pageid" of "page-id" (did you mean "page_id"?): expected'],
  [{ "page-id": 7 }, 'Unknown reading 7 of "page-id"'],
  [{ "page-id": undefined }, 'Unknown reading undefined of "page-id"'],
  [["page-id"], "A dialect is the name of a preset, or an object of readings."],
  [null, "A dialect is the name of a preset, or an object of readings."],
])("a wrong choice is refused and the right one named: %j", (choice, message) => {
  expect(() => resolveDialect(choice)).toThrow(TypeError);
  expect(() => resolveDialect(choice)).toThrow(message);
});

test("every reading of every switch is accepted", () => {
  for (const id of switchIds)
    for (const reading of Object.keys(gaps[id].readings)) expect(resolveDialect({ [id]: reading })[id]).toBe(reading);
});

test("a service set to a dialect speaks it", async () => {
  const service = createMockService({ dialect: "rails-like" });

  const page = await send<Record<"page", JsonPage>>(service, "POST", "/api/content", { body: somePage });
  const list = await send<{ pages: JsonPage[] }>(service, "GET", "/api/content");
  const head = await send(service, "HEAD", "/api/content");
  const gone = await send<{ errors: unknown[] }>(service, "DELETE", "/api/content/2");

  expect(page.body.page).toMatchObject({ ...somePage, id: 1, status: "published" });
  expect(list.body).toMatchObject({ pages: [page.body.page], pagination: { total: 1 } });
  expect(head.headers.get("Content-Length")).toBe(String(Buffer.byteLength(list.text)));
  expect(gone.body).toEqual({ errors: [{ message: 'The account has no page "2".' }] });
});

test("a planned fault is answered as planned in every dialect, its error body in that of the dialect", async () => {
  const service = createMockService({ dialect: "rails-like" });
  service.faults.add({ times: 1, status: 200, body: { data: [] } });
  service.faults.add({ times: 1, status: 503 });

  const planned = await send(service, "GET", "/api/content");
  const failed = await send(service, "GET", "/api/content");

  expect(planned.text).toBe('{"data":[]}');
  expect(failed.status).toBe(503);
  expect(failed.body).toEqual({ errors: [{ message: "A planned fault." }] });
});
