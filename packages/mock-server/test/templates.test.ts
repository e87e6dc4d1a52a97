import type { AnswerTemplates } from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { type Answer, send, somePage } from "./client.ts";

const now = () => Date.parse("2026-03-01T12:00:00Z");
const domains = [{ name: "shoes.example", topics: ["shoes"], keywords: [] }];

/** What a service with these templates answers to a create, a list, an update of the title, an event and a delete. */
async function speak(answers: Partial<AnswerTemplates>, switches = {}) {
  const service = createMockService({
    now,
    domains,
    dialect: { switches: { "page-id-type": "integer", ...switches }, answers },
  });
  const ask = (method: string, path: string, body?: unknown) => send<unknown>(service, method, path, { body });
  return {
    empty: await ask("GET", "/api/content"),
    created: await ask("POST", "/api/content", somePage),
    listed: await ask("GET", "/api/content?limit=5"),
    updated: await ask("PUT", "/api/content/1", { title: "Blue {shoes}" }),
    tracked: await ask("POST", "/api/analytics/view", { pageId: "1", timestamp: "2026-03-01T12:00:00Z" }),
    refused: await ask("PUT", "/api/content/1", { title: 5, slug: "A B" }),
    missing: await ask("PUT", "/api/content/7", {}),
    deleted: await ask("DELETE", "/api/content/1"),
  };
}

function read({ status, headers, text, body }: Answer<unknown>) {
  return [status, headers.get("Content-Type"), text === "" ? undefined : body];
}

const json = "application/json";

test("the page of the guide is written as the guide says", async () => {
  const { created, listed, updated, missing } = await speak({
    page: { _id: "{id}", title: "{title}", slug: "{slug}", hosts: ["{domain.name}"], live: true },
    listedPage: { _id: "{id}", title: "{title}" },
    createPage: { status: 200, body: { success: true, data: "{page}" } },
    listPages: { status: 200, body: { data: { items: ["{listedPage}"], total: "{total}" } } },
    updatePage: { status: 204 },
    error: { body: { error: { code: "{status}", message: "{detail}" } } },
  });

  const page = { _id: 1, title: somePage.title, slug: somePage.slug, hosts: ["shoes.example"], live: true };
  expect(read(created)).toEqual([200, json, { success: true, data: page }]);
  expect(created.headers.get("Location")).toBeNull();
  expect(read(listed)).toEqual([200, json, { data: { items: [{ _id: 1, title: somePage.title }], total: 1 } }]);
  expect(read(updated)).toEqual([204, null, undefined]);
  expect(read(missing)).toEqual([404, json, { error: { code: 404, message: 'The account has no page "7".' } }]);
});

test.each<[string, AnswerTemplates["page"], unknown]>([
  ["a placeholder that is a whole text keeps its type", ["{id}", "{cta}"], [1, somePage.cta]],
  ["a placeholder within a text is text", "page {id}: {title}", `page 1: ${somePage.title}`],
  ["a format writes the value otherwise", ["{id:text}", "{cta:json}"], ["1", JSON.stringify(somePage.cta)]],
  ["formats follow one another", "{created_at:seconds:text}", String(now() / 1000)],
  [
    "the forms of a moment are put together",
    [
      "{created_at:iso-micros:with-offset}",
      "{created_at:iso-seconds:with-basic-offset}",
      "{created_at:without-zone:spaced}",
    ],
    ["2026-03-01T12:00:00.000000+00:00", "2026-03-01T12:00:00+0000", "2026-03-01 12:00:00.000"],
  ],
  [
    "moments have many forms",
    ["{created_at}", "{created_at:milliseconds}", "{created_at:sql}", "{now:date}", "{now:iso-offset}", "{now:http}"],
    [
      "2026-03-01T12:00:00.000Z",
      now(),
      "2026-03-01 12:00:00",
      "2026-03-01",
      "2026-03-01T12:00:00+00:00",
      "Sun, 01 Mar 2026 12:00:00 GMT",
    ],
  ],
  ["two braces are one", "{{id} and {}", "{id} and {}"],
  ["an array of one item repeats for every domain", [{ host: "{domain.name}" }], [{ host: "shoes.example" }]],
  [
    "so does a map of one member",
    { "{domain.name}": "{domain.url}" },
    { "shoes.example": "https://shoes.example/red-shoes" },
  ],
  [
    "outside of one, a domain is the first",
    { host: "{domain.name}", path: "{domain.path}" },
    { host: "shoes.example", path: "/red-shoes" },
  ],
  ["an array of one item that speaks of nothing else is one", ["{title}"], [somePage.title]],
  ["members can be spread", { id: "{id:text}", "...": "{cta}" }, { id: "1", ...somePage.cta }],
  [
    "a member can be called anything",
    JSON.parse('{ "__proto__": "{id}", "a??": 1, "b{{c": 2 }') as object as never,
    JSON.parse('{ "__proto__": 1, "a?": 1, "b{c": 2 }'),
  ],
])("%s", async (_, page, expected) => {
  const { created } = await speak({ page });

  expect(created.body).toEqual(expected);
});

test.each<[string, AnswerTemplates["page"], first: unknown, second: unknown]>([
  [
    "the domains after the first repeat by themselves",
    { main: "{domain.name}", others: ["{alias.name}"], "map?": { "{alias.name}": "{alias.url}" } },
    {
      main: "shoes.example",
      others: ["sale.example"],
      map: { "sale.example": "https://sale.example/red-shoes" },
    },
    { main: "shoes.example", others: [] },
  ],
  [
    "an object may be left out where none of its placeholders has anything, whatever else is in it",
    {
      "seo?": { kind: "text", of: { summary: "{meta_description}" } },
      "note?": "About: {meta_description}",
      "gone?": null,
    },
    { seo: { kind: "text", of: { summary: somePage.meta_description } }, note: `About: ${somePage.meta_description}` },
    {},
  ],
  [
    "an item of an array may be left out likewise",
    [
      { name: "title", value: "x" },
      { "...?": { name: "summary", value: "{meta_description}" } },
      { "...?": "{alias.name}" },
    ],
    [{ name: "title", value: "x" }, { name: "summary", value: somePage.meta_description }, "sale.example"],
    [{ name: "title", value: "x" }],
  ],
])("%s", async (_, page, first, second) => {
  const pins = [{ slug: somePage.slug }];
  const service = createMockService({
    now,
    domains: [
      { name: "shoes.example", topics: ["shoes"], keywords: [], pins },
      { name: "sale.example", topics: ["clearance"], keywords: [], pins },
    ],
    dialect: { answers: { page } },
  });
  const { meta_description: _description, ...undescribed } = somePage;

  const described = await send<unknown>(service, "POST", "/api/content", { body: somePage });
  const bare = await send<unknown>(service, "POST", "/api/content", { body: { ...undescribed, slug: "bare" } });

  expect(described.body).toEqual(first);
  expect(bare.body).toEqual(second);
});

test("a list can be deep, a map, empty in its own way, and count in headers", async () => {
  const { empty, listed } = await speak({
    listPages: {
      headers: { "X-Total-Count": "{total}", "Content-Type": "application/vnd.list+json" },
      body: {
        result: {
          pages: { "{id}": { name: "{title}", tags: ["{slug}"], hosts: ["{domain.name}"] } },
          more: "{has_more}",
          total: "{total:text}",
        },
      },
    },
    emptyList: { status: 204 },
  });

  const page = { name: somePage.title, tags: [somePage.slug], hosts: ["shoes.example"] };
  expect(read(empty)).toEqual([204, null, undefined]);
  expect(read(listed)).toEqual([
    200,
    "application/vnd.list+json",
    { result: { pages: { 1: page }, more: false, total: "1" } },
  ]);
  expect(listed.headers.get("X-Total-Count")).toBe("1");
});

test("rows of a table are pages, and so are the inner of two arrays", async () => {
  const rows = await speak({ listPages: { body: { rows: [["{id}", "{title}"]] } } });
  const nested = await speak({ listPages: { body: [["{listedPage}"]] }, listedPage: "{id}" });
  const within = await speak({
    listPages: { body: [{ rows: [{ id: "{id}", host: "{domain.name}" }], n: "{count}" }] },
  });
  const hosts = await speak({ listPages: { body: [{ hosts: ["{domain.name}"] }] } });

  expect(rows.listed.body).toEqual({ rows: [[1, somePage.title]] });
  expect(nested.listed.body).toEqual([[1]]);
  expect(within.listed.body).toEqual([{ rows: [{ id: 1, host: "shoes.example" }], n: 1 }]);
  expect(hosts.listed.body).toEqual([{ hosts: ["shoes.example"] }]);
});

test("a create can answer nothing but where the page is, an update what changed, a delete what is gone", async () => {
  const { created, updated, deleted } = await speak({
    createPage: { status: 202, headers: { Location: "https://api.example/pages/{id:url}" } },
    updatePage: {
      body: { id: "{id}", "headline?": "{changes.title}", "path?": "{changes.slug}", changed: "{changes}" },
    },
    deletePage: { status: 200, body: { deleted: "{page}", page: "{title}" } },
    page: "{title}",
  });

  expect(read(created)).toEqual([202, null, undefined]);
  expect(created.headers.get("Location")).toBe("https://api.example/pages/1");
  expect(updated.body).toEqual({ id: 1, headline: "Blue {shoes}", changed: { title: "Blue {shoes}" } });
  expect(deleted.body).toEqual({ deleted: "Blue {shoes}", page: "Blue {shoes}" });
});

test("an error looks as its status says, with one entry where no field is to blame", async () => {
  const { refused, missing } = await speak({
    error: { body: { errors: { "{error.field}": ["{error.detail}"] } } },
    errors: { 404: { status: 410, headers: { "X-Code": "{code}" }, html: "<p>{detail}</p>" } },
  });

  expect(refused.body).toEqual({
    errors: { title: ["expected string, got 5"], slug: [expect.stringContaining("hyphens")] },
  });
  expect(read(missing).slice(0, 2)).toEqual([410, "text/html; charset=utf-8"]);
  expect(missing.text).toBe("<p>The account has no page &quot;7&quot;.</p>".replaceAll("&quot;", '"'));
  expect(missing.headers.get("X-Code")).toBe("not_found");
});

test("an optional list of wrong fields is left out when no field is to blame", async () => {
  const entry = { field: "{error.field}", path: "{error.pointer}", why: "{error.detail}" };
  const { refused, missing } = await speak({
    error: { body: { title: "{reason}", "details?": [entry], id: "{request_id}" } },
  });

  expect(refused.body).toMatchObject({
    title: "Bad Request",
    details: [{ field: "title", path: "#/title" }, { field: "slug" }],
  });
  expect(missing.body).toEqual({ title: "Not Found", id: missing.headers.get("X-Request-Id") });
});

test("a receipt and plain text have placeholders too", async () => {
  const { tracked, deleted } = await speak({
    trackEvent: { status: 201, body: { receipt: "{event.id}", of: "{event.pageId}", at: "{event.timestamp:seconds}" } },
    deletePage: { status: 200, text: "{title} is gone" },
  });

  expect(read(tracked)).toEqual([201, json, { receipt: expect.stringMatching(/^ev_/), of: "1", at: now() / 1000 }]);
  expect([deleted.status, deleted.text]).toEqual([200, "Blue {shoes} is gone"]);
});
