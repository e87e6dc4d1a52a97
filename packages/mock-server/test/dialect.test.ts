// How a dialect's switches and templates write each response, and how a wrong dialect is refused.
import { referenceSwitches, type Switches } from "@landing-page-service/contract";
import {
  type AnswerTemplates,
  dialectPresets,
  type Json,
  referenceDialect,
} from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { createMockService, resolveDialect } from "../src/index.ts";
import { type HttpResult, list, post, remove, somePage, track, update } from "./client.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const domains = [{ name: "shoes.example", topics: ["shoes"], keywords: [] }];
const timestamp = "2026-03-01T12:00:00Z";

/** One response of each kind from a service in a dialect. */
async function respond(answers: Partial<AnswerTemplates>, switches: Partial<Switches> = {}, startMs = nowMs) {
  const service = createMockService({
    now: () => startMs,
    domains,
    plan: { limit: 60, windowMs: 30_000 },
    dialect: { switches: { "page-id-type": "integer", ...switches }, answers },
  });
  return {
    emptyAccount: await list(service),
    created: await post(service),
    listed: await list(service, "?limit=5"),
    emptyList: await list(service, "?offset=5"),
    updated: await update(service, 1, { title: "Blue {shoes}" }),
    tracked: await track(service, "1", { timestamp }),
    refused: await update(service, 1, { title: "<b>".repeat(101) }),
    refusedTwice: await update(service, 1, { title: 5, slug: "A B" }),
    malformed: await update(service, 1, "{"),
    missing: await update(service, 7, {}),
    deleted: await remove(service, 1),
  };
}

type ResponseName = keyof Awaited<ReturnType<typeof respond>>;

const json = "application/json";
const text = "text/plain; charset=utf-8";
const html = "text/html; charset=utf-8";

/** Status, media type and body. */
function summarise(response: HttpResult<unknown>): unknown[] {
  const { status, headers, body } = response;
  return [status, headers.get("Content-Type"), response.text === "" ? undefined : (body ?? response.text)];
}

const fields = {
  ...somePage,
  domains: [{ name: "shoes.example", url: "https://shoes.example/red-shoes" }],
  created_at: "2026-03-01T12:00:00.000Z",
  updated_at: "2026-03-01T12:00:00.000Z",
};
const page = { id: 1, ...fields };
const paging = { limit: 5, offset: 0 };
const receipt = { id: expect.stringMatching(/^ev_/), pageId: "1", timestamp };
const detail = expect.stringMatching(/^#\/title: expected at most 300 characters/);
const shortDetail = expect.stringMatching(/^expected at most 300 characters/);

test.each<[Partial<Switches>, ResponseName, number, string | null, unknown]>([
  [{}, "created", 201, json, page],
  [{}, "listed", 200, json, { data: [page], total: 1, ...paging }],
  [{}, "deleted", 204, null, undefined],
  [{}, "tracked", 202, json, receipt],
  [{ "page-record": "minimal" }, "created", 201, json, { id: 1, ...somePage }],
  [{ "page-record": "extended" }, "created", 201, json, { ...page, version: 1, author: { name: "API" }, tags: [] }],
  [{ "page-states": "status" }, "created", 201, json, { ...page, status: "published" }],
  [{ "page-id": "_id" }, "created", 201, json, { _id: 1, ...fields }],
  [{ "record-wrapper": "data" }, "created", 201, json, { data: page }],
  [{ "create-status": "200-page" }, "created", 200, json, page],
  [{ "list-envelope": "items" }, "listed", 200, json, { items: [page], total: 1, ...paging }],
  [{ "list-envelope": "content", "list-total": "none" }, "listed", 200, json, { content: [page], ...paging }],
  [{ "list-total": "meta.total" }, "listed", 200, json, { data: [page], meta: { total: 1 }, ...paging }],
  [{ "list-envelope": "array" }, "listed", 200, json, [page]],
  [{ "record-wrapper": "page" }, "listed", 200, json, { data: [page], total: 1, ...paging }],
  [{ "delete-status": "200-empty" }, "deleted", 200, null, undefined],
  [{ "delete-status": "200-body", "page-id": "_id" }, "deleted", 200, json, { _id: 1, deleted: true }],
  [{ "event-status": "201-receipt" }, "tracked", 201, json, receipt],
  [{ "event-status": "204-empty" }, "tracked", 204, null, undefined],
  [{ "event-status": "200-text" }, "tracked", 200, text, "ok"],
  [{ "error-body": "error-object" }, "refused", 400, json, { error: { type: "bad_request", message: detail } }],
  [{ "error-body": "error-string" }, "refused", 400, json, { error: detail }],
  [{ "error-body": "message" }, "refused", 400, json, { message: detail }],
  [{ "error-body": "errors" }, "refused", 400, json, { errors: [{ field: "title", message: shortDetail }] }],
  [{ "error-body": "text" }, "refused", 400, text, detail],
  [{ "error-body": "html" }, "refused", 400, html, expect.stringMatching(/<p>.*&lt;b&gt;.*<\/p>/)],
  [{ "error-body": "empty" }, "refused", 400, null, undefined],
])("with %j the response %s is %i %s", async (switches, name, ...expected) => {
  const responses = await respond({}, switches);

  expect(summarise(responses[name])).toEqual(expected);
});

test("a problem of the reference dialect has every documented field", async () => {
  const { refused, created } = await respond({});

  expect(refused.headers.get("Content-Type")).toBe("application/problem+json");
  expect(refused.body).toEqual({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail,
    errors: [{ pointer: "#/title", detail: shortDetail }],
    request_id: refused.headers.get("X-Request-Id"),
  });
  expect(created.headers.get("Location")).toBe("/api/content/1");
});

const resetSeconds = nowMs / 1000 + 31;

test.each<[Switches["reset-unit"], number]>([
  ["epoch-seconds", resetSeconds],
  ["seconds", 31],
  ["epoch-milliseconds", resetSeconds * 1000],
])("the rate-limit reset is written in its unit on every response, never too early: %s", async (unit, reset) => {
  for (const { headers } of Object.values(await respond({}, { "reset-unit": unit }, nowMs + 250)))
    expect(headers.get("X-RateLimit-Reset")).toBe(String(reset));
});

const oddNames = (id: unknown, suffix: string, brace: string): Json =>
  JSON.parse(`{ "__proto__": ${JSON.stringify(id)}, "a${suffix}": 1, "b${brace}c": 2 }`) as Json; // why: no literal can have such a field

test.each<[string, AnswerTemplates["page"], unknown]>([
  ["a placeholder that is a whole string keeps its type", ["{id}", "{cta}"], [1, somePage.cta]],
  ["a placeholder within a string is text", "page {id}: {title}", `page 1: ${somePage.title}`],
  ["a format writes the value otherwise", ["{id:text}", "{cta:json}"], ["1", JSON.stringify(somePage.cta)]],
  ["formats follow one another", "{created_at:seconds:text}", String(nowMs / 1000)],
  [
    "a timestamp has many forms",
    ["{created_at:milliseconds}", "{created_at:sql}", "{now:date}", "{now:http}", "{now:iso-micros:with-offset}"],
    [nowMs, "2026-03-01 12:00:00", "2026-03-01", "Sun, 01 Mar 2026 12:00:00 GMT", "2026-03-01T12:00:00.000000+00:00"],
  ],
  ["two braces are one", "{{id} and {}", "{id} and {}"],
  ["an array of one element repeats for every domain", [{ host: "{domain.name}" }], [{ host: "shoes.example" }]],
  ["so does an object of one field", { "{domain.name}": "{domain.url}" }, { "shoes.example": fields.domains[0]?.url }],
  ["outside of one, a domain is the first", "{domain.name}{domain.path}", "shoes.example/red-shoes"],
  ["an array of one element without a repeated placeholder does not repeat", ["{title}"], [somePage.title]],
  ["fields can be spread", { id: "{id:text}", "...": "{cta}" }, { id: "1", ...somePage.cta }],
  ["a field can have any name", oddNames("{id}", "??", "{{"), oddNames(1, "?", "{")],
])("%s", async (_, page, expected) => {
  const { created } = await respond({ page });

  expect(created.body).toEqual(expected);
});

test("the domains after the first repeat by themselves, and what is optional is left out if it has no value", async () => {
  const pins = [{ slug: somePage.slug }];
  const page = {
    main: "{domain.name}",
    others: ["{alias.name}"],
    "map?": { "{alias.name}": "{alias.url}" },
    "seo?": { kind: "text", of: ["{meta_description}"] },
    "gone?": null,
    list: [{ name: "title" }, { "...?": { name: "summary", value: "{meta_description}" } }, { "...?": "{alias.name}" }],
  };
  const shoes = { name: "shoes.example", topics: ["shoes"], keywords: [], pins };
  const sale = { name: "sale.example", topics: ["clearance"], keywords: [], pins };
  const service = createMockService({ domains: [shoes, sale], dialect: { answers: { page } } });
  const { meta_description: summary, ...undescribed } = somePage;
  // A page that a rule assigns gets no second domain, although the dialect has a place for one.
  service.account("test_demo").domains.assign({ slug: "bare" }, ["shoes.example"]);

  const described = await post(service);
  const bare = await post(service, { body: { ...undescribed, slug: "bare" } });

  expect(described.body).toEqual({
    main: "shoes.example",
    others: ["sale.example"],
    map: { "sale.example": "https://sale.example/red-shoes" },
    seo: { kind: "text", of: [summary] },
    list: [{ name: "title" }, { name: "summary", value: summary }, "sale.example"],
  });
  expect(bare.body).toEqual({ main: "shoes.example", others: [], list: [{ name: "title" }] });
});

const row = { name: "{title}", tags: ["{slug}"], hosts: ["{domain.name}"] };
const writtenRow = { name: somePage.title, tags: [somePage.slug], hosts: ["shoes.example"] };

test.each<[string, AnswerTemplates["listPages"], unknown]>([
  ["deep", { body: { result: { ids: ["{id}"], more: "{has_more}" } } }, { result: { ids: [1], more: false } }],
  ["a map", { body: { pages: { "{id}": row }, total: "{total:text}" } }, { pages: { 1: writtenRow }, total: "1" }],
  ["rows of a table", { body: { rows: [["{id}", "{title}"]] } }, { rows: [[1, somePage.title]] }],
  ["the inner of two arrays", { body: [{ rows: [{ id: "{id}" }], n: "{count}" }] }, [{ rows: [{ id: 1 }], n: 1 }]],
])("a list can be %s", async (_, listPages, body) => {
  const { listed } = await respond({ listPages });

  expect(listed.body).toEqual(body);
});

test("an empty list and that of an empty account can differ from others, and a list can count in its headers", async () => {
  const headers = { "X-Total-Count": "{total}", "Content-Type": "application/vnd.list+json" };
  const listPages = { headers, body: ["{listedPage}"] };
  const { emptyAccount, emptyList, listed } = await respond({
    listPages,
    listedPage: "{id}",
    emptyList: { status: 204 },
    emptyAccount: { body: { none: true } },
  });

  expect(summarise(emptyAccount)).toEqual([200, json, { none: true }]);
  expect(summarise(emptyList)).toEqual([204, null, undefined]);
  expect(summarise(listed)).toEqual([200, "application/vnd.list+json", [1]]);
  expect(listed.headers.get("X-Total-Count")).toBe("1");
});

test("a create can respond with only a location, an update with its changes, a delete with the deleted page", async () => {
  const { created, updated, deleted, tracked } = await respond({
    createPage: { status: 202, headers: { Location: "https://api.example/pages/{id:url}" } },
    updatePage: { body: { id: "{id}", "name?": "{changes.title}", "path?": "{changes.slug}", changed: "{changes}" } },
    deletePage: { status: 200, text: "{title} is gone" },
    trackEvent: { status: 201, body: { receipt: "{event.id}", at: "{event.timestamp:seconds}" } },
  });

  expect(summarise(created)).toEqual([202, null, undefined]);
  expect(created.headers.get("Location")).toBe("https://api.example/pages/1");
  expect(updated.body).toEqual({ id: 1, name: "Blue {shoes}", changed: { title: "Blue {shoes}" } });
  expect(summarise(deleted)).toEqual([200, text, "Blue {shoes} is gone"]);
  expect(summarise(tracked)).toEqual([201, json, { receipt: receipt.id, at: nowMs / 1000 }]);
});

test("an error is written by its status, with an entry for each wrong field", async () => {
  const entry = { field: "{error.field}", path: "{error.pointer}", why: "{error.detail}" };
  const answers: Partial<AnswerTemplates> = {
    error: { body: { title: "{reason}", "details?": [entry], byField: { "{error.field}": ["{error.detail}"] } } },
    errors: {
      404: { status: 410, headers: { "X-Code": "{code}" }, html: "<p>{detail}</p>" },
      malformed: { text: "malformed" },
    },
  };

  const { refusedTwice, malformed, missing } = await respond(answers);

  const title = "expected string, got 5";
  expect(refusedTwice.body).toMatchObject({
    title: "Bad Request",
    details: [{ field: "title", path: "#/title", why: title }, { field: "slug" }],
    byField: { title: [title], slug: [expect.stringContaining("hyphens")] },
  });
  expect(summarise(malformed)).toEqual([400, text, "malformed"]);
  expect(summarise(missing)).toEqual([410, html, '<p>The account has no page "7".</p>']);
  expect(missing.headers.get("X-Code")).toBe("not_found");
});

test("an error can be reported in a success, with the status that it would have", async () => {
  const body = { ok: false, code: "{status}", kind: "{code}", why: "{detail}", "at?": "{error.field}" };
  const errors = { 404: { status: 202, headers: { "X-Code": "{reason}" } }, malformed: { text: "ERROR {status}" } };

  const { refused, missing, malformed } = await respond({ error: { status: 200, body }, errors });

  const wrong = { ok: false, code: 400, kind: "bad_request", why: detail, at: "title" };
  expect(summarise(refused)).toEqual([200, json, wrong]);
  expect(summarise(missing)).toEqual([202, null, undefined]);
  expect(missing.headers.get("X-Code")).toBe("Not Found");
  expect(summarise(malformed)).toEqual([400, text, "ERROR 400"]);
});

test("a planned status is sent although errors are reported in a success", async () => {
  const service = createMockService({ dialect: { answers: { error: { status: 200, body: { why: "{detail}" } } } } });
  service.faults.add({ status: 503, times: 1 });
  service.faults.add({ status: 429, when: "after", times: 1 });

  const responses = [await list(service), await list(service)];

  expect(responses.map(({ status, body }) => [status, body])).toEqual([
    [503, { why: "A planned fault." }],
    [429, { why: "A planned fault." }],
  ]);
  expect(responses[1]?.headers.get("Retry-After")).toMatch(/^\d+$/);
});

test("a dialect can be given as its differences, as the name of a preset, as a whole dialect, or not at all", () => {
  expect(resolveDialect()).toBe(referenceDialect);
  expect(resolveDialect("reference")).toBe(referenceDialect);
  const mongoIds = { switches: { ...referenceSwitches, "page-id": "_id" } };
  expect(resolveDialect({ switches: { "page-id": "_id" } })).toMatchObject(mongoIds);
  // A bare array has no place for a total.
  const array = resolveDialect({ switches: { "list-envelope": "array", "list-total": "meta.total" } });
  expect(array.switches["list-total"]).toBe("none");
  for (const name of Object.keys(dialectPresets))
    expect(resolveDialect(resolveDialect(name))).toEqual(resolveDialect(name));
});

test.each<[unknown, string]>([
  ["mongolike", 'unknown dialect preset "mongolike"; did you mean "mongo-like"?'],
  [{ varies: ["listPages/body/total", "lists/total"] }, "varies/1: expected a place such as listPages/body/total, got"],
  [{ "page-id": "_id" }, "page-id: is a switch, which belongs under `switches`"],
  [{ answer: {} }, 'answer: unknown field; did you mean "answers"?'],
  [null, "A dialect is the name of a preset, or an object with `switches` and `answers`."],
  [{ switches: [] }, 'switches: expected an object such as { "page-id": "_id" }, got an array'],
  [{ switches: { "page-ids": "_id" } }, 'switches/page-ids: unknown field; did you mean "page-id"?'],
  [{ switches: { "page-id": "pageid" } }, '"id"|"_id"|"page_id", got "pageid"; did you mean "page_id"?'],
])("a wrong choice is refused and the right one named: %j", (choice, message) => {
  expect(() => resolveDialect(choice)).toThrow(TypeError);
  expect(() => resolveDialect(choice)).toThrow(message);
});

test.each<[unknown, string]>([
  [{ createPages: {} }, 'answers/createPages: unknown field; did you mean "createPage"?'],
  [{ page: { name: "{title" } }, 'answers/page/name: "{title" is no placeholder; double the brace to write one: "{{".'],
  [{ page: { name: "{titel}" } }, 'answers/page/name: unknown placeholder {titel}; did you mean "title"?'],
  [{ page: "{total}" }, "answers/page: {total} is about a list, and this response is not."],
  [{ page: { at: "{created_at:second}" } }, 'unknown format "second" in {created_at:second}; did you mean "seconds"?'],
  [{ listPages: { body: { first: "{id}" } } }, "answers/listPages/body/first: {id} must be inside a repeated element"],
  [{ createPage: { status: 404 } }, "answers/createPage/status: expected a status from 200 to 299, got 404"],
  [{ errors: { 404: { status: 204, text: "a" } } }, "answers/errors/404: a response with 204 has no body"],
  [{ createPage: { text: "a", html: "b" } }, "answers/createPage: a response has one of text, html"],
  [{ createPage: { headers: { "a b": "" } } }, "answers/createPage/headers/a b: expected a name that HTTP can carry"],
  [{ errors: { "4O4": {} } }, 'answers/errors/4O4: expected a status from 400 to 599, or malformed, got "4O4"'],
  [{ page: JSON.parse("[".repeat(5000) + "]".repeat(5000)) }, "a template is at most 64 levels deep."],
])("a wrong template is refused, with its place and a suggestion: %.200j", (answers, message) => {
  expect(() => resolveDialect({ answers })).toThrow(message);
});
