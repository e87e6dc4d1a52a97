// Lists of pages in shapes that the client does not know: it reads them by their structure, or says that it cannot.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atLeast } from "../../../.ci/properties.ts";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const { title, slug } = somePage;
const whole = { id: "p1", ...somePage, domains: [] };
const pages = ["p1", "p2"].map((id) => ({ id, title, slug }));
/** Objects that look like pages but are not. */
const others = [{ id: "o1", title: "Plain", slug: "plain", url: "https://other.example/" }];

/** The ids of the pages in the response to a list, or the error. */
async function readIds(body: unknown, status = 200): Promise<unknown> {
  const list = scripted([json(body, status)]).client.pages.list();
  return list.then(
    ({ data }) => data.map(({ id }) => id),
    (error: unknown) => error,
  );
}

const range = { limit: 5, offset: 10 };
const noRange = { limit: 20, offset: 0 };

test.each<[string, unknown, object]>([
  ["an array", [whole], noRange],
  ["under data", { data: [whole], total: 11, ...range }, { total: 11, ...range }],
  ["under content", { content: [whole], total: 11, ...range }, { total: 11, ...range }],
  ["with totalCount", { data: [whole], totalCount: 11, ...range }, { total: 11, ...range }],
  ["with meta.total", { data: [whole], meta: { total: 11, ...range } }, { total: 11, ...range }],
  ["with pagination.total", { items: [whole], pagination: { total: 11, ...range } }, { total: 11, ...range }],
  ["with a total that is no number", { data: [whole], total: "many" }, noRange],
])("a list is read with its total, limit and offset: %s", async (_title, body, expected) => {
  const { client } = scripted([json(body)]);

  expect(await client.pages.list()).toEqual({ data: [whole], ...expected });
});

test("limit and offset are those of the request if the response has none", async () => {
  const { client } = scripted([json([])]);

  expect(await client.pages.list({ limit: 7, offset: 3 })).toEqual({ data: [], limit: 7, offset: 3 });
});

test("a 404 with an empty list is an empty list, and one that reports a failure beside it is a NotFoundError", async () => {
  const failed = await readIds({ data: [], error: "Unknown account" }, 404);

  expect(await readIds({ data: [] }, 404)).toEqual([]);
  expect(failed).toMatchObject({
    name: "NotFoundError",
    message: "List pages failed: 404 Not Found (Unknown account)",
  });
});

test.each<[string, object]>([
  ["pages under an unknown name", { projects: [whole], next: null }],
  ["summaries under an unknown name", { campaigns: [{ id: "p1", title }], has_more: false }],
  ["pages beside empty arrays", { projects: [{ id: "p1", ...somePage }], links: [], facets: [] }],
  ["JSON:API", { data: [{ type: "page", id: "p1", attributes: somePage }], meta: { total: 1 } }],
  ["Contentful", { total: 1, items: [{ sys: { id: "p1" }, fields: { title: { "en-US": title } } }] }],
  ["edges and nodes", { data: { pages: { edges: [{ cursor: "c", node: { id: "p1", title } }], pageInfo: {} } } }],
  ["HAL", { _embedded: { pages: [{ id: "p1", title, _links: { self: { href: "/x" } } }] }, page: { size: 1 } }],
  ["hits of a search", { hits: { total: { value: 1 }, hits: [{ _id: "p1", _source: { title } }] } }],
  ["typed values", { Items: [{ id: { S: "p1" }, title: { S: title } }], Count: 1 }],
  ["links to themselves", { results: [{ self: "https://service.example/api/content/p1", title }] }],
  ["a global id", { data: [{ gid: "p1", title, slug }] }],
  ["pages beside actions", { actions: [{ name: "add", title: "Add", href: "/" }], entities: [whole] }],
  ["summaries beside links", { links: [{ rel: ["self"], href: "/" }], entities: [{ id: "p1", title }] }],
  ["summaries beside strings", { schemas: ["urn:list"], Resources: [{ id: "p1", title }] }],
  ["pages beside templates", { templates: others, seiten: [whole] }],
  ["rows with fields further in", { result: [{ rows: [{ id: "p1", attributes: { title, slug } }], affected: 0 }] }],
  ["an envelope in an array of one", [{ result: [whole], result_info: { page: 1, count: 2 }, success: true }]],
  ["an envelope with names in capitals", [{ Id: "1d86", Status: "OK", Pages: [{ Id: "p1", Title: title }] }]],
])("a list is read by its structure: %s", async (_title, body) => {
  expect(await readIds(body)).toEqual(["p1"]);
});

test("an envelope with an id and a title of its own is not a page, however many pages it contains", async () => {
  for (const count of [1, 2]) {
    const folder = { "@type": "Folder", id: "content", title: "Content", result: pages.slice(0, count) };
    const ids = ["p1", "p2"].slice(0, count);

    expect(await readIds([folder])).toEqual(ids);
    expect(await readIds({ data: [folder] })).toEqual(ids);
  }
});

test.each<[string, object]>([
  ["an envelope in an array", [{ status: "OK", result: [] }]],
  ["counts beside it", { ArrayOfPage: { Page: [] }, meta: { total: 0, limit: 20, offset: 0 } }],
  ["an empty string, as XML writes an empty list", { total: 0, pages: "" }],
])("a list is empty in %s", async (_title, body) => {
  expect(await readIds(body)).toEqual([]);
});

test.each<[string, object]>([
  ["facets", { facets: [{ field: "status", buckets: [{ key: "live", count: 3 }] }], total: 1 }],
  ["filters", { filters: [{ name: "author", options: [{ value: "u1", label: "Ann" }] }], total: 1 }],
  ["links of a paginator", { meta: { links: [{ url: null, label: "Previous", active: false }], total: 1 } }],
  ["links and actions of Siren", { links: [{ rel: ["self"], href: "/" }], class: ["collection"] }],
  ["the names of schemas", { schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"] }],
  ["an order", { sort: [{ field: "created_at", direction: "desc" }], total: 1 }],
  ["years", { values: [2025, 2026], total: 1 }],
])("the list after the last page is empty, beside %s", async (_title, beside) => {
  const { client } = scripted([json({ items: [{ id: "p1", title }], ...beside }), json({ items: [], ...beside })]);

  expect(await client.pages.list()).toMatchObject({ data: [{ id: "p1", title }] });
  expect(await client.pages.list({ offset: 1 })).toMatchObject({ data: [] });
});

const asset = { sys: { id: "a1" }, title: "A picture" };
const actions = [{ name: "add", title: "Add", method: "POST", href: "/", fields: [{ name: "title", type: "text" }] }];
const facets = [{ field: "status", buckets: [{ key: "live", count: 3 }] }];

test.each<[string, object, number]>([
  ["under an unknown name, with a total of 0", { seiten: [], total: 0, facets }, 0],
  ["with a total like the offset", { seiten: [], total: 40, menu: [{ title: "Home", slug: "home" }] }, 40],
  ["and there are other objects", { items: [], includes: { Asset: [asset, asset] }, total: 40 }, 40],
  ["under an unknown name, with a count of 0", { seiten: [], count: 0, facets }, 40],
  ["under an unknown name, beside links", { seiten: [], links: [{ rel: ["next"], href: "/" }] }, 0],
  ["beside an account", { account: { id: 7 }, result: { items: [] } }, 0],
  ["in an object of objects", { data: { account: { id: 7 }, pages: {} } }, 0],
  ["under an unknown name, beside actions", { entities: [], actions }, 0],
  ["under an unknown name, in an object with an id", { cursor: { firstBatch: [], id: 0 }, ok: 1 }, 0],
  ["under an unknown name, beside strings", { seiten: [], schemas: ["urn:list"] }, 0],
  ["left out, with a total of 0", { totalResults: 0, schemas: ["urn:list"] }, 0],
  ["left out, with links and counts", { _links: { self: { href: "/" } }, page: { size: 20, totalElements: 0 } }, 0],
])("a list is empty %s", async (_title, body, offset) => {
  expect(await scripted([json(body)]).client.pages.list({ offset })).toMatchObject({ data: [] });
});

test("an empty list that is not certain is an error that says what stands beside it", async () => {
  const messages = [
    { items: [], filters: [{ id: "status", label: "Status" }] },
    { entities: [], facets: [{ field: "status", buckets: [] }] },
    { data: [], page: { title, slug } },
  ].map(async (body) => String(await readIds(body)));

  expect(await Promise.all(messages)).toEqual([
    expect.stringContaining(
      "an empty list at #/items, which is not certain because the elements at #/filters may be pages",
    ),
    expect.stringContaining(
      "an empty list at #/entities, which is not certain because the elements at #/facets may be pa",
    ),
    expect.stringContaining("an empty list at #/data, which is not certain because the object at #/page may be a page"),
  ]);
});

test.each<[string, object]>([
  ["templates, beside an empty array of another name", { templates: others, donnees: [] }],
  ["actions, beside an empty array further in", { actions: others, feed: { entry: [] } }],
  ["breadcrumbs and a menu", { breadcrumbs: others, menu: others, items: [] }],
  ["notifications, beside an empty map", { notifications: others, data: { pages: {} } }],
  ["the fields of a schema", { schema: { id: "s", title: "Page", fields: others }, data: [] }],
  ["a user who has a slug", { me: others[0], ArrayOfPage: { Page: [] } }],
  ["a notice in place of the list", { permissions: ["read"], notices: others }],
  ["groups of pages, of which one is not all", { groups: ["A", "B"].map((name) => ({ name, pages })) }],
  ["a menu, beside pages that are wrapped", { items: pages.map((promo) => ({ promo })), menu: others }],
  ["a menu, beside pages without identifiers", { history: pages.map(() => ({ title, slug })), menu: others }],
  ["plans, beside a page without an identifier", { data: [{ title }], plans: [{ id: 4, name: "Free" }] }],
  ["elements that have an id, and inside them a page with another", { items: [{ id: 7, promo: whole }] }],
  ["a handle in place of an id", { result: [{ _id: "pages/p1", _key: "p1", title, slug }] }],
  ["a map of pages", { pages: { p1: { title, slug } }, errors: [] }],
  ["a map of pages with numbers as keys, in an array", [{ pages: { 1: pages[0], 2: pages[1] }, total: 2 }]],
  ["a map of pages that show one field", { pages: { p1: { title }, p2: { title } }, total: 0 }],
  ["a map of objects with ids, beside an empty list", { results: { a: { id: 1, name: title } }, items: [] }],
  ["a map of pages, beside a menu", { pages: { p1: { title, slug }, p2: { title, slug } }, menu: others }],
  ["items that look less like pages than another array", { items: [{ id: 1, title }], history: pages }],
  ["pages under the name of something else, beside a menu", { jobs: pages, menu: others }],
  ["a single page that is not in an array, beside a menu", { page: { title, slug, gid: "pages/p1" }, menu: others }],
  ["an empty array of another name, beside a menu", { menu: others, history: [] }],
  ["an empty array with the name of something else, beside a menu", { menu: others, users: [] }],
  ["pages in arrays of one, beside a menu", { jobs: pages.map((page) => ({ data: [page] })), menu: others }],
  ["an identifier under the name of the list", { campaigns: [{ campaignId: "p1", title }] }],
  ["identifiers in different fields", { data: ["id", "uuid"].map((name) => ({ [name]: name, title, slug })) }],
  ["others, beside pages in an object", { items: { id: "p1", name: title }, actions: others }],
  ["others, beside a page under the name of something else", { jobs: { id: "p1", name: title }, actions: others }],
  ["others, beside pages in a map", { users: { p1: { id: "p1", name: title } }, nav: { actions: others } }],
  ["others, beside pages as JSON", { jobs: JSON.stringify([{ id: "p1", name: title }]), actions: others }],
  ["others, beside no page in an object", { users: {}, nav: { actions: others } }],
  ["others, beside a total of 0", { users: null, actions: others, total: 0 }],
  ["others, beside pages that show less", { jobs: [{ id: "p1", name: title }], actions: others }],
  ["a map of pages, beside an empty array of something else", { projects: { p1: { id: 1, name: title } }, errors: [] }],
  ["objects with unknown fields, beside an empty array", { cards: [{ card: 7, headline: title }], facets: [] }],
  ["pages with unknown identifiers, beside an empty list", { projects: [{ nr: 7, title }], items: [] }],
  ["identifiers alone, beside an empty array", { items: ["p1"], facets: [] }],
  ["links, beside an empty list", { items: [{ rel: "item", href: "/p/1" }], value: [] }],
  ["objects beside an empty list of something else", { items: [{ ref: 1 }], trash: { items: [], total: 0 } }],
  ["objects beside an empty list", { publications: [{ ref: 1, name: title }], items: [] }],
  ["facets beside an empty list, without a total", { items: [], facets }],
  ["objects beside a null list", { publications: [{ ref: 1, name: title }], data: null }],
  ["a map of objects beside the count of something else", { items: { p1: { ref: 1 } }, notifications: { count: 0 } }],
  ["objects with unknown fields, beside another list", { items: [{ nr: 7, headline: title }], data: [] }],
  ["objects with ids, beside a total of 0", { projects: [{ project_id: 7, headline: title }], items: [], total: 0 }],
  ["pages without ids, beside a total of 0", { info: [{ ...whole, id: null }], links: [], total: 0 }],
  ["one id for all pages", { data: pages.map((page) => Object.assign({}, page, { id: "shard_7" })) }],
])("an array of objects is never an empty list, and never a wrong one: %s", async (_title, body) => {
  expect(await readIds(body)).toBeInstanceOf(ResponseValidationError);
});

test.each([
  { data: null, message: "Your session has expired" },
  { pages: null, reason: "maintenance" },
  { items: "", error: null, msg: "try later" },
])("null for a list, beside nothing but a message, is no empty list: %j", async (body) => {
  expect(String(await readIds(body))).toContain("a list of pages");
  expect(await readIds({ ...body, total: 0 })).toEqual([]);
});

/** Ways to write an identifier; a client cannot be certain about some. */
const idForms = fc.constantFrom<[name: string, write: (id: string) => unknown]>(
  ["id", (id) => id],
  ["page_id", (id) => id],
  ["_id", (id) => ({ $oid: id })],
  ["gid", (id) => `pages/${id}`],
  ["uuid", (id) => `req_${id}`],
  ["self", (id) => `https://service.example/pages/${id}`],
  ["self", (id) => `/api/content/${id}.json`],
  ["url", (id) => `https://shop.example/${id}`],
  ["nr", (id) => id],
  ["id", () => null],
);
const pageForms = fc.constantFrom<(number: number) => object>(
  (number) => ({ ...somePage, slug: `${slug}-${number}` }),
  (number) => ({ title: `Page ${number}`, slug: `page-${number}` }),
  (number) => ({ title: { en: `Page ${number}`, de: `Seite ${number}` }, content: "Words", slug: `page-${number}` }),
);
const menu = [
  { id: 1, title: "Home", slug: "home" },
  { id: 2, title: "Shop", slug: "shop" },
];
/** What a page may have beside its fields. */
const extras = fc.constantFrom(
  {},
  { tags: [{ id: 1, title: "Sale" }] },
  { items: [{ id: 1, title: "Sale", slug: "sale" }] },
  { sections: menu },
  { author: { id: "u1", title: "Dr", slug: "ann" }, meta: { version: 3 } },
);
const wrappers = fc.constantFrom<(page: object, number: number) => object>(
  (page) => page,
  (page) => ({ page }),
  (page) => ({ attributes: page }),
  (page) => ({ promo: page }),
  (page) => ({ type: "page", job: page }),
  (page) => ({ promo: page, items: [{ id: 1, title: "Sale" }] }),
  (page) => ({ data: [page] }),
  (page, number) => ({ id: `w${number}`, promo: page }),
);
const besides = fc.constantFrom<object>(
  { next: null, ok: true },
  { pagination: { page: 1, pages: 1 }, errors: [] },
  { meta: { version: 3 }, links: [] },
  { menu },
  { menu: menu.slice(1) },
  { menu: [{ id: 1, title: "Home" }] },
  { menu: { entries_of_menu: menu } },
  { plans: [{ id: 4, name: "Free" }] },
  { breadcrumbs: menu, plans: [{ id: 4, name: "Free" }] },
  { users: [{ id: "u1", title: "Dr", slug: "ann" }] },
  { tree: [{ id: 1, title: "Home", children: menu }] },
  { menu: JSON.stringify(menu) },
);

test("a list has the ids of its pages or is an error, whatever other objects with ids stand beside it", async () => {
  const shape = fc.record({
    name: fc.oneof(
      fc.stringMatching(/^[a-z]{3,10}(_[a-z]{3,8})?$/),
      fc.constantFrom("data", "pages", "items", "result", "projects", "history", "campaigns", "list", "jobs"),
      fc.constantFrom("info", "links", "next", "paging", "page_info", "authors", "children", "errors_by_page"),
    ),
    ids: fc.array(idForms, { minLength: 1, maxLength: 2 }),
    page: pageForms,
    extra: extras,
    wrap: wrappers,
    beside: besides,
    count: fc.integer({ min: 0, max: 4 }),
    around: fc.constantFrom<(list: object, beside: object) => unknown>(
      (list, beside) => ({ ...list, ...beside }),
      (list, beside) => ({ ...beside, ...list }),
      (list, beside) => ({ data: list, ...beside }),
      (list, beside) => ({ result: list, navigation: beside }),
      (list, beside) => [{ status: "OK", ...beside, ...list }],
      (list, beside) => ({ response: [{ ...list, ...beside }], total: 4 }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ name, ids, page, extra, wrap, beside, count, around }) => {
      fc.pre(!(name in beside));
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      const list = numbers.map((number) => {
        const [idName, write] = ids[number % ids.length] ?? ["id", String];
        return wrap({ [idName]: write(`p${number}`), ...page(number), ...extra }, number);
      });

      const result = await readIds(around({ [name]: list }, beside));

      const expected = numbers.map((number) => `p${number}`);
      expect(result instanceof ResponseValidationError ? expected : result).toEqual(expected);
    }),
    atLeast(150),
  );
});

test("an element that differs from the first, or lacks a value, is read by itself", async () => {
  const elements = [
    { id: 1, title, pagetitle: title, meta_description: null, domains: [] },
    { id: 2, title: { rendered: "Two" }, meta_description: "Second", domains: ["b.example"], live: true },
    { id: 3, title: null, pagetitle: "Three", created_at: 1_791_187_201 },
  ];
  const { client } = scripted([json({ pages: elements, total: 3 })]);

  expect((await client.pages.list()).data).toMatchObject([
    { id: "1", title, meta_description: null, domains: [] },
    { id: "2", title: "Two", meta_description: "Second", domains: [{ name: "b.example" }], live: true },
    { id: "3", title: "Three", created_at: "2026-10-05T08:00:01.000Z" },
  ]);
});

test("elements of one shape are each read from their own values", async () => {
  const dates = [
    { id: 0, title, created: "0000-00-00 00:00:00", domain: "-" },
    { id: 1, title, created: "2026-10-05 08:00:01", domain: "b.example" },
  ];
  const wrapped = [1, 2].map((id) => ({ id, data: { id: id === 2 ? 9 : 1, title } }));
  const linked = ["p1", "red"].map((end) => ({ title, slug: "red", self: `https://service.example/pages/${end}` }));
  const jobs = ["p1", "job_2"].map((id) => ({ id, title }));

  const { data } = await scripted([json({ pages: dates })]).client.pages.list();

  expect(data).toMatchObject([
    { id: "0", domains: [] },
    { id: "1", created_at: "2026-10-05T08:00:01.000Z", domains: [{ name: "b.example" }] },
  ]);
  expect(data[0]).not.toHaveProperty("created_at");
  for (const list of [wrapped, linked, jobs])
    expect(await readIds({ data: list })).toBeInstanceOf(ResponseValidationError);
});

test("an ambiguous list is an error that shows the response and says what to do", async () => {
  const error = await readIds({ live: [{ id: 1, title }], drafts: [{ id: 2, title }] });

  expect(error).toMatchObject({ name: "ResponseValidationError" });
  expect(String(error)).toMatch(
    /1 element at #\/live and 1 element at #\/drafts.*landing-pages-mock check --write-dialect/,
  );
});

describe("the id of a listed page", () => {
  test.each<[string, object]>([
    ["is the one in a link to the page", { id: 41, uuid: "p1", title, slug, links: { self: "/api/content/p1" } }],
    ["is within a link to its content", { title, slug, contentLink: { id: "p1", workId: 0 }, parentLink: { id: 5 } }],
    ["is a plain one before a prefixed one", { id: "p1", lp_id: 7, lp_title: title, lp_slug: slug }],
    ["is that of the page and not of another object", { page_id: "p1", xy_id: 7, xy_title: "Acme", xy_slug: "acme" }],
  ])("%s", async (_title, record) => {
    expect(await readIds([record])).toEqual(["p1"]);
  });

  test.each<[string, object]>([
    ["its slug", { ...somePage }],
    ["a number", { ...somePage, nr: 7 }],
    ["one of two", { ...somePage, id: 7, page_id: "p7" }],
    ["the end of its public URL", { title, slug, self: `https://shop.example/pages/${slug}` }],
    ["that in a link to another host", { title, slug, self: "https://shop.example/pages/7" }],
    ["a reference", { ...somePage, handle_of: { id: "7" } }],
    ["that of an author", { author_id: 7, lp_title: title, lp_slug: slug }],
    ["that of a parent, with the prefix of the page's fields", { lp_parent_id: 7, lp_title: title, lp_slug: slug }],
    ["that of a tenant, in camel case", { lngTenantId: 7, strTitle: title, strSlug: slug }],
    ["that of its original", { copy_of: 7, lp_title: title, lp_slug: slug }],
    ["that of an object with a title of its own", { title, xy_id: 7, xy_title: "Acme", xy_slug: "acme" }],
    ["that of a job", { job_id: 7, job_title: title, job_slug: slug }],
    ["a prefix before the id of another object", { title, slug, author_contentid: "a1", parent_pageid: "p2" }],
  ])("is never %s", async (_title, record) => {
    expect(await readIds({ data: [record] })).toBeInstanceOf(ResponseValidationError);
  });
});

test("the log names fields at another place, and missing ones", async () => {
  const lines: string[] = [];
  const logger = { debug: () => {}, info: (line: string) => lines.push(line), warn: () => {} };
  const { client } = scripted([json({ items: [{ ...whole, created_at: "2026-01-02T03:04:05Z" }] })], { logger });

  await client.pages.list();

  expect(lines).toEqual([
    "landing-pages: listPages: list at #/items rather than at #/data",
    "landing-pages: listPages: no total at #/total",
    "landing-pages: listPages: no updated_at at #/items/0/updated_at",
  ]);
});

test("pages that stand beside a list of others end an iteration where the list is left out", async () => {
  const users = [{ id: "u1", title: "Dr", slug: "ann" }];
  const { client } = scripted([
    json({ documents: [{ id: "p1", title, slug }], users }),
    json({ permissions: [], users }),
  ]);

  expect(await client.pages.list()).toMatchObject({ data: [{ id: "p1" }] });
  expect(await failureOf(client.pages.list({ offset: 1 }))).toBeInstanceOf(ResponseValidationError);
});
