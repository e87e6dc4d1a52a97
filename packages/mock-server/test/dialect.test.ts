import { gaps, referenceSwitches, switchIds, type Switches } from "@landing-page-service/contract";
import { dialectPresets, referenceDialect } from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { createRenderer, type Render, type RenderContext } from "../src/dialect/renderer.ts";
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
const frameHeaders = { Date: "Sun, 01 Mar 2026 12:00:00 GMT", "X-Request-Id": "req_1", ...rateLimit };
const jsonHeaders = { ...frameHeaders, "Content-Type": "application/json" };
const created = { status: 201, page };
const updated = { status: 200, page, previous: page, changes: { title: "Shoes" } };
const listed = { status: 200, pages: [page], list: { total: 7, limit: 1, offset: 0 } };
const deleted = { status: 204, page };
const receipt = { id: "ev_1", pageId: "41", timestamp: "2026-03-01T12:00:00Z" };
const tracked = { status: 202, event: receipt, page };
const refused = {
  refused: 400,
  detail: "#/cta/url: expected <an absolute URL>",
  errors: [{ pointer: "#/cta/url", detail: "expected <an absolute URL>" }],
};

type Result = Parameters<Render>[0];

function contextOf(endpoint: RenderContext["endpoint"]): RenderContext {
  const path = endpoint === "deletePage" || endpoint === "updatePage" ? "/api/content/41" : "/api/content";
  return { endpoint, path, origin: undefined, rateHeaders: rateLimit, requestId: "req_1", nowMs };
}

function translate(endpoint: RenderContext["endpoint"], result: Result, switches: Partial<Switches>) {
  const render = createRenderer(resolveDialect({ switches }));
  const { status, headers, body } = render(result, contextOf(endpoint));
  return { status, headers, body: body === undefined || !/^[[{]/.test(body) ? body : (JSON.parse(body) as unknown) };
}

test("the reference dialect writes records, lists, receipts and problems as they are documented", () => {
  expect(translate("createPage", created, {})).toEqual({
    status: 201,
    headers: { ...jsonHeaders, Location: "/api/content/41" },
    body: page,
  });
  expect(translate("listPages", listed, {}).body).toEqual({ data: [page], total: 7, limit: 1, offset: 0 });
  expect(translate("deletePage", deleted, {})).toEqual({ status: 204, headers: frameHeaders, body: undefined });
  expect(translate("trackEvent", tracked, {})).toMatchObject({ status: 202, body: receipt });
  expect(translate("createPage", refused, {})).toEqual({
    status: 400,
    headers: { ...frameHeaders, "Content-Type": "application/problem+json" },
    body: {
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      detail: refused.detail,
      errors: refused.errors,
      request_id: "req_1",
    },
  });
});

test.each<[Partial<Switches>, unknown]>([
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
  const described = { ...updated, page: { ...page, meta_description: "Red shoes" } };

  const { body } = translate("updatePage", described, { "page-record": "minimal" });

  expect(body).toEqual({ id: "41", ...documented, meta_description: "Red shoes" });
});

test("a created page responds with 200 without a Location where the dialect says so", () => {
  expect(translate("createPage", created, { "create-status": "200-page" })).toEqual({
    status: 200,
    headers: jsonHeaders,
    body: page,
  });
});

test.each<[Partial<Switches>, unknown]>([
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

test.each<[Partial<Switches>, number, unknown]>([
  [{ "delete-status": "200-empty" }, 200, undefined],
  [{ "delete-status": "200-body" }, 200, { id: "41", deleted: true }],
  [{ "delete-status": "200-body", "page-id": "_id", "page-id-type": "integer" }, 200, { _id: 41, deleted: true }],
])("a delete answers as its dialect says: %j", (readings, status, body) => {
  expect(translate("deletePage", deleted, readings)).toMatchObject({ status, body });
});

test.each<[Partial<Switches>, number, unknown, string | undefined]>([
  [{ "event-status": "200-receipt" }, 200, receipt, "application/json"],
  [{ "event-status": "201-receipt" }, 201, receipt, "application/json"],
  [{ "event-status": "204-empty" }, 204, undefined, undefined],
  [{ "event-status": "200-text" }, 200, "ok", "text/plain; charset=utf-8"],
])("an event answers as its dialect says: %j", (readings, status, body, contentType) => {
  const answer = translate("trackEvent", tracked, readings);

  expect(answer).toMatchObject({ status, body });
  expect(answer.headers["Content-Type"]).toBe(contentType);
});

test.each<[Switches["error-body"], unknown]>([
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

test.each<[Switches["reset-unit"], string]>([
  ["epoch-seconds", String(nowMs / 1000 + 30)],
  ["seconds", "30"],
  ["epoch-milliseconds", String(nowMs + 30_000)],
])("the rate-limit reset is written in its unit on every response: %s", (reading, reset) => {
  for (const answer of [updated, deleted, refused])
    expect(translate("updatePage", answer, { "reset-unit": reading }).headers["X-RateLimit-Reset"]).toBe(reset);
});

test("what a fault puts into a response passes through as it is", () => {
  const odd = { status: 500, headers: { "X-RateLimit-Reset": "soon", "Content-Type": "text/html" }, text: "<h1>Oops" };

  const answer = createRenderer(resolveDialect("rails-like"))(odd, contextOf("createPage"));

  expect(answer).toMatchObject({ status: 500, headers: odd.headers, body: "<h1>Oops" });
});

test("a dialect is chosen by what differs, by the name of a preset, or not at all", () => {
  expect(resolveDialect()).toBe(referenceDialect);
  expect(resolveDialect("reference")).toBe(referenceDialect);
  expect(resolveDialect({ switches: { "page-id": "id" } })).toBe(referenceDialect);
  expect(resolveDialect({ answers: { listedPage: "{page}" } })).toBe(referenceDialect);
  expect(resolveDialect({ switches: { "page-id": "_id" } }).switches).toEqual({
    ...referenceSwitches,
    "page-id": "_id",
  });
  expect(resolveDialect("mongo-like").switches).toMatchObject(dialectPresets["mongo-like"].switches ?? {});
});

test("a whole dialect is a dialect file", () => {
  for (const name of Object.keys(dialectPresets))
    expect(resolveDialect(resolveDialect(name))).toEqual(resolveDialect(name));
});

test("a bare array leaves no room for a total", () => {
  const { switches } = resolveDialect({ switches: { "list-envelope": "array", "list-total": "meta.total" } });

  expect(switches["list-total"]).toBe("none");
});

test.each<[unknown, string]>([
  ["mongo", 'unknown dialect preset "mongo"; known are reference, minimal,'],
  ["mongolike", 'unknown dialect preset "mongolike"; did you mean "mongo-like"?'],
  ["toString", 'unknown dialect preset "toString"'],
  [{ "page-id": "_id" }, "page-id: is a switch, which belongs under `switches`"],
  [{ answer: {} }, 'answer: unknown field; did you mean "answers"?'],
  [["page-id"], "A dialect is the name of a preset, or an object with `switches` and `answers`."],
  [null, "A dialect is the name of a preset, or an object with `switches` and `answers`."],
  [{ switches: [] }, 'switches: expected an object such as { "page-id": "_id" }, got an array'],
  [{ answers: "none" }, 'answers: expected an object such as { "page": { "id": "{id}" } }, got "none"'],
])("a wrong choice is refused and the right one named: %j", (choice, message) => {
  expect(() => resolveDialect(choice)).toThrow(TypeError);
  expect(() => resolveDialect(choice)).toThrow(message);
});

test.each<[unknown, string]>([
  [{ "page-ids": "_id" }, 'switches/page-ids: unknown field; did you mean "page-id"?'],
  [{ bounds: "bounded" }, "switches/bounds: unknown field; known are slug-unique,"],
  [JSON.parse('{ "__proto__": "x" }'), "switches/__proto__: unknown field"],
  [{ "page-id": "uuid" }, 'switches/page-id: expected one of "id"|"_id"|"page_id", got "uuid"'],
  [{ "page-id": "pageid" }, '"page_id", got "pageid"; did you mean "page_id"?'],
  [{ "page-id": 7 }, 'switches/page-id: expected one of "id"|"_id"|"page_id", got 7'],
])("a wrong switch is refused and the right one named: %j", (switches, message) => {
  expect(() => resolveDialect({ switches })).toThrow(TypeError);
  expect(() => resolveDialect({ switches })).toThrow(message);
});

test.each<[unknown, string]>([
  [{ createPages: {} }, 'answers/createPages: unknown field; did you mean "createPage"?'],
  [{ page: { name: "{titel}" } }, 'answers/page/name: unknown placeholder {titel}; did you mean "title"?'],
  [{ page: ["{domain name}"] }, 'answers/page/0: unknown placeholder {domain name}; did you mean "domain.name"?'],
  [{ page: "{listedPage}" }, "answers/page: unknown placeholder {listedPage}"],
  [{ page: "{total}" }, "answers/page: {total} is about a list, and this response is not."],
  [{ page: { at: "{created_at:second}" } }, 'unknown format "second" in {created_at:second}; did you mean "seconds"?'],
  [{ listPages: { body: { first: "{id}" } } }, "answers/listPages/body/first: {id} must be in an array of one element"],
  [{ listPages: { body: "{listedPage}" } }, "answers/listPages/body: {listedPage} must be in an array of one element"],
  [{ emptyList: { body: ["{id}"] } }, "answers/emptyList/body/0: {id} is about a page"],
  [{ createPage: { status: 404 } }, "answers/createPage/status: expected a status from 200 to 299, got 404"],
  [{ createPage: { status: 204, body: {} } }, "answers/createPage: a response with 204 has no body"],
  [{ deletePage: { body: {} } }, "answers/deletePage: a response with 204 has no body"],
  [{ createPage: { text: "a", html: "b" } }, "answers/createPage: a response has one of text, html"],
  [{ createPage: { text: {} } }, "answers/createPage/text: expected string, got an object"],
  [{ createPage: "{page}" }, "answers/createPage: expected an object such as"],
  [{ createPage: { header: {} } }, 'answers/createPage/header: unknown field; did you mean "headers"?'],
  [
    { createPage: { headers: { "a b": "" } } },
    'answers/createPage/headers/a b: expected a name that HTTP can carry, got "a b"',
  ],
  [
    { createPage: { headers: { "X-A": "a\nb" } } },
    "answers/createPage/headers/X-A: expected a value that HTTP can carry",
  ],
  [{ errors: { "4O4": {} } }, 'answers/errors/4O4: expected a status from 400 to 599, or malformed, got "4O4"'],
  [{ errors: { "404": { status: 200 } } }, "answers/errors/404/status: expected a status from 400 to 599, got 200"],
  [{ error: { body: "{title}" } }, "answers/error/body: {title} is about a page, and this response is not."],
])("a wrong template is refused, with its place and what was meant: %j", (answers, message) => {
  expect(() => resolveDialect({ answers })).toThrow(TypeError);
  expect(() => resolveDialect({ answers })).toThrow(message);
});

test("a template that is nested without end is refused", () => {
  const page: unknown = JSON.parse("[".repeat(5000) + "]".repeat(5000));

  expect(() => resolveDialect({ answers: { page } })).toThrow("a template is at most 64 levels deep.");
});

test("every reading of every switch is accepted", () => {
  for (const id of switchIds)
    for (const reading of Object.keys(gaps[id].readings))
      expect(resolveDialect({ switches: { [id]: reading } }).switches[id]).toBe(reading);
});

test("a service set to a dialect responds by it", async () => {
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

test("a fault has its status in every dialect, and the error body of the dialect", async () => {
  const service = createMockService({ dialect: "rails-like" });
  service.faults.add({ times: 1, status: 200, body: { data: [] } });
  service.faults.add({ times: 1, status: 503 });

  const planned = await send(service, "GET", "/api/content");
  const failed = await send(service, "GET", "/api/content");

  expect(planned.text).toBe('{"data":[]}');
  expect(failed.status).toBe(503);
  expect(failed.body).toEqual({ errors: [{ message: "A planned fault." }] });
});
