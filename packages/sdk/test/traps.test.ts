// What stands around the pages of an answer and looks like pages: it is none, however it is called.
import { expect, test } from "vitest";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const { title, slug, content } = somePage;
const records = [1, 2].map((number) => ({ id: number, title: `Page ${number}`, slug: `page-${number}` }));
const others = [{ id: "o1", title: "Plain", slug: "plain", url: "https://other.example/" }];

test("an empty list beside counts is empty", async () => {
  const { client } = scripted([json({ ArrayOfPage: { Page: [] }, meta: { total: 0, limit: 20, offset: 0 } })]);

  expect((await client.pages.list()).data).toEqual([]);
});

test.each<[string, object]>([
  ["templates, beside an array of another name", { templates: others, donnees: [] }],
  ["actions, beside an array of nodes", { actions: others, nodes: [] }],
  ["actions, beside an array further in", { actions: others, feed: { entry: [] } }],
  ["breadcrumbs and a menu", { breadcrumbs: others, menu: others, items: [] }],
  ["breadcrumbs, beside values", { breadcrumbs: others, value: [] }],
  ["notifications, beside an empty map", { notifications: others, data: { pages: {} } }],
  ["columns, beside an empty map", { columns: others, pages: {} }],
  ["announcements, beside a result", { announcements: others, result: [], entities: { pages: {} } }],
  ["the fields of a schema", { schema: { id: "s", title: "Page", fields: others }, data: [] }],
  ["a user who has a slug", { me: others[0], ArrayOfPage: { Page: [] } }],
])("an array of objects is never no pages: %s", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test.each<[string, object]>([["templates", { templates: others, seiten: records }]])(
  "pages of a name nobody knows are listed beside %s",
  async (_title, body) => {
    const { client } = scripted([json(body)]);

    expect((await client.pages.list()).data.map(({ id }) => id)).toEqual(["1", "2"]);
  },
);

test("pages in groups are an error, as one group is not all of them", async () => {
  const groups = ["A", "B"].map((name) => ({ name, pages: records }));
  const { client } = scripted([json({ groups })]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test("rows whose fields are further in are all listed", async () => {
  const rows = records.map(({ id, ...attributes }) => ({ type: "pages", id, attributes }));
  const { client } = scripted([json({ result: [{ rows, affected: 0 }] })]);

  expect((await client.pages.list()).data.map(({ id }) => id)).toEqual(["1", "2"]);
});

test.each<[string, object]>([
  ["a failure", { success: false, error: { message: "The database is down." }, id: "err_1" }],
  ["an error by its status", { status: "error", message: "No.", id: "x1" }],
  ["another page", { id: "pg_3", title: "Other", slug: "other", content: "Another text." }],
])("%s in response to a create has no identifier of the page", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect(await failureOf(client.pages.create(somePage))).toMatchObject({
    name: "ResponseValidationError",
    mayHaveBeenApplied: true,
  });
});

test("what all pages of a list have is not the identifier of one", async () => {
  const { client } = scripted([json({ data: records.map((record) => ({ ...record, id: "shard_7" })) })]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test.each<[string, object]>([
  [
    "a breadcrumb that differs from all that was sent",
    {
      breadcrumbs: [{ id: 1, title: "Home", slug: "home", url: "https://home.example/" }],
      landing_page: { id: 101, status: "live" },
    },
  ],
  [
    "numbers of a shard and a node, beside a link to itself",
    { links: { self: "https://service.example/api/content/101" }, title, slug, shard_id: 3, node_id: "n7" },
  ],
  [
    "the page it is a copy of, its own fields called otherwise",
    { id: 101, strTitle: title, strSlug: slug, copy_of: { id: 12, title: "Oak", slug: "oak", domains: ["o.example"] } },
  ],
  [
    "a block of its text, its own fields called otherwise",
    { id: 101, lp_title: title, lp_slug: slug, lp_blocks: [{ id: "b1", type: "text", title: "Intro", content }] },
  ],
  ["a user who has a slug", { me: { id: 31, slug: "kim", title: "Editor" }, page: { id: 101 } }],
  [
    "other links",
    { links: { related: "https://o.example" }, _links: { self: { href: "/api/content/101" } }, title, slug },
  ],
])("a created page has its own identifier, beside %s", async (_title, body) => {
  const { client } = scripted([json(body, 201)]);

  expect(await client.pages.create(somePage)).toMatchObject({ id: "101", domains: [], title });
});

test.each<[string, object]>([
  ["its picture", { hero: { src: "https://img.example/h.jpg", host: "img.example" } }],
  ["where it is edited", { admin: { host: "admin.example", url: "https://admin.example/" } }],
  ["its publisher", { publisher: { name: "Acme", url: "https://acme.example", domain: "acme.example" } }],
  ["its form", { form: { id: "f1", host: "forms.example" } }],
  ["its calls to action", { ctas: [{ type: "button", label: "Buy", url: "https://buy.example/" }] }],
  ["its documentation", { link_list: [{ rel: "docs", href: "https://docs.example" }] }],
])("the host of %s is no domain of a page", async (_title, extra) => {
  const { client } = scripted([json({ data: [{ ...records[0], ...extra }] })]);

  expect((await client.pages.list()).data[0]?.domains).toEqual([]);
});

test.each<[string, object]>([
  ["where its files are", { cdn: { host: "cdn.example", url: "https://cdn.example/x" } }],
  ["a collection it is in", { collection: { id: 3, title: "Spring", slug: "spring", url: "https://c.example/" } }],
])("the host of %s, beside the object that holds its fields, is no domain of a page", async (_title, extra) => {
  const { client } = scripted([json({ id: 101, ...extra, data: somePage }, 201)]);

  expect((await client.pages.create(somePage)).domains).toEqual([]);
});

test.each<[object, string]>([
  [{ host: "here.example:443" }, "here.example"],
  [{ domains: '["here.example"]' }, "here.example"],
])("%j is where a page is", async (extra, name) => {
  const { client } = scripted([json({ ...somePage, id: 1, ...extra }, 201)]);

  expect((await client.pages.create(somePage)).domains).toEqual([{ name }]);
});

test.each<[string, object]>([
  ["a plain identifier", { id: 101, lp_id: 7, lp_title: title, lp_slug: slug }],
  ["the identifier of a page", { page_id: 101, xy_id: 7, xy_title: "Acme", xy_slug: "acme" }],
])("a listed page has the identifier in %s", async (_title, record) => {
  const { client } = scripted([json({ data: [record] })]);

  expect((await client.pages.list()).data).toMatchObject([{ id: "101" }]);
});

test.each<[string, object]>([
  ["an author", { author_id: 7, lp_title: title, lp_slug: slug }],
  ["a parent, in the naming of all", { lp_parent_id: 7, lp_title: title, lp_slug: slug }],
  ["a tenant, in the naming of all", { lngTenantId: 7, strTitle: title, strSlug: slug }],
  ["what it is a copy of", { copy_of: 7, lp_title: title, lp_slug: slug }],
  ["a thing that has a title, beside that of the page", { title, xy_id: 7, xy_title: "Acme", xy_slug: "acme" }],
  ["the work", { job_id: 7, job_title: title, job_slug: slug }],
  ["a section", { section_id: 7, section_title: title, section_slug: slug }],
])("%s lends a page no identifier", async (_title, record) => {
  const { client } = scripted([json({ data: [record] })]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});
