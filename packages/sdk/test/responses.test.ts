// What the client makes of responses that nobody has described: it reads them by their structure, or says that it cannot.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const { title, content, slug } = somePage;
const record = (number: number) => ({ ...somePage, slug: `${slug}-${number}` });

/** Names that nobody has listed, and some that somebody has for other things. */
const listName = fc.oneof(
  fc.stringMatching(/^[a-z]{3,10}(_[a-z]{3,8})?$/),
  fc.constantFrom(
    "meta",
    "links",
    "next",
    "paging",
    "pagination",
    "page_info",
    "info",
    "errors_by_page",
    "projects",
    "sites",
  ),
  fc.constantFrom("pages", "data", "items", "result", "campaigns", "jobs", "tasks", "authors", "history", "children"),
);
const idName = fc.constantFrom("id", "_id", "uuid", "page_id", "gid");
const element = fc.constantFrom<(number: number) => object>(
  record,
  (number) => ({ title: `Page ${number}`, slug: `page-${number}` }),
  (number) => ({ name: `Page ${number}` }),
  () => ({}),
);
const siblings = fc.subarray([
  ["next", null],
  ["has_more", false],
  ["pagination", { page: 1, pages: 1 }],
  ["meta", { total: 0 }],
  ["meta", { took: 3 }],
  ["links", []],
  ["items", []],
  ["total", 0],
  ["ok", true],
  ["cursor", ""],
] as [string, unknown][]);

test("an array of objects with identifiers is never no pages, whatever its name and whatever stands beside it", async () => {
  await fc.assert(
    fc.asyncProperty(
      listName,
      idName,
      element,
      siblings,
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom([], ["data"], ["result", "response"]),
      async (name, id, make, beside, count, around) => {
        const pages = Array.from({ length: count }, (_, index) => ({ [id]: `p${index + 1}`, ...make(index + 1) }));
        const envelope = { ...Object.fromEntries(beside.filter(([other]) => other !== name)), [name]: pages };
        const body = around.reduceRight<unknown>((inner, step) => ({ [step]: inner }), envelope);
        const { client } = scripted([json(body)]);

        const result = await client.pages.list().then(
          ({ data }) => data.map((page) => page.id),
          (error: unknown) => error,
        );

        const ids = pages.map((page) => page[id]);
        expect(result instanceof ResponseValidationError ? ids : result).toEqual(ids);
      },
    ),
    { numRuns: 500 },
  );
});

test.each<[string, object, number?]>([
  ["whole pages under a name that nobody knows", { projects: [{ id: "p1", ...record(1) }], next: null }],
  ["summaries under a name that nobody knows", { campaigns: [{ campaignId: "p1", title }], has_more: false }],
  ["resources of JSON:API", { data: [{ type: "page", id: "p1", attributes: record(1) }], meta: { total: 1 } }],
  [
    "entries in the manner of Contentful",
    { total: 1, items: [{ sys: { id: "p1" }, fields: { title: { "en-US": title } } }] },
  ],
  ["edges and nodes", { data: { pages: { edges: [{ cursor: "c", node: { id: "p1", title } }], pageInfo: {} } } }],
  [
    "a HAL document",
    { _embedded: { pages: [{ id: "p1", title, _links: { self: { href: "/x" } } }] }, page: { totalElements: 1 } },
  ],
  ["hits", { hits: { total: { value: 1 }, hits: [{ _id: "p1", _source: { title } }] } }],
  ["a map", { pages: { p1: { title, slug } } }],
  ["typed values", { Items: [{ id: { S: "p1" }, title: { S: title } }], Count: 1 }],
  ["links to themselves", { results: [{ self: "https://service.example/api/content/p1", title }] }],
])("a list is read as %s", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect((await client.pages.list()).data.map(({ id }) => id)).toEqual(["p1"]);
});

test("an element that differs from the first is looked at by itself", async () => {
  const elements = [
    { id: 1, title, meta_description: null, domains: [] },
    { id: 2, title: { rendered: "Two" }, meta_description: "Second", domains: ["b.example"], live: true },
    { id: 3, slug, created_at: 1_791_187_201 },
  ];
  const { client } = scripted([json({ pages: elements, total: 3 })]);

  expect((await client.pages.list()).data).toMatchObject([
    { id: "1", title, meta_description: null, domains: [] },
    { id: "2", title: "Two", meta_description: "Second", domains: [{ name: "b.example" }], live: true },
    { id: "3", slug, created_at: "2026-10-05T08:00:01.000Z" },
  ]);
});

test.each<[string, object, Record<string, string>, number, string | undefined]>([
  ["in a 201's Location, wherever it points", {}, { Location: "https://cms.example/v2/projects/41?x=1" }, 201, "41"],
  ["not in the Location of a 200", {}, { Location: "https://cms.example/v2/projects/41" }, 200, undefined],
  ["not at 202", {}, { Location: "/api/content/41" }, 202, undefined],
  ["not in the public address of the page", {}, { Location: `https://shop.example/${slug}` }, 201, undefined],
  ["not in the address of a job", {}, { Location: "/api/jobs/41" }, 201, undefined],
  ["not in the name of an operation", { name: "operations/41", done: false }, {}, 200, undefined],
  ["not in a revision", { revision: { id: 41, title, content, slug } }, {}, 200, undefined],
  ["in what wraps the page", { id: 41, attributes: { title, slug } }, {}, 201, "41"],
])("the identifier of a created page is found %s", async (_title, body, headers, status, id) => {
  const { client } = scripted([json(body, status, headers)]);

  const result = await client.pages.create(somePage).then(
    (page) => page.id,
    (error: unknown) => (error instanceof ResponseValidationError ? undefined : error),
  );

  expect(result).toBe(id);
});

const calls = {
  list: (client: Client) => client.pages.list(),
  create: (client: Client) => client.pages.create(somePage),
  update: (client: Client) => client.pages.update("pg_1", { title }),
  delete: (client: Client) => client.pages.delete("pg_1"),
  track: (client: Client) => client.analytics.track({ pageId: "pg_1" }),
};
type Client = ReturnType<typeof scripted>["client"];

test.for(Object.keys(calls) as (keyof typeof calls)[])(
  "an explicit no in a success is an error of %s, with its sentence",
  async (name) => {
    for (const no of [
      { success: false },
      { ok: false },
      { errors: [{ code: 7 }] },
      { status: 422 },
      { status: "error" },
    ]) {
      const { client } = scripted([json({ id: "pg_1", ...no, message: "The plan has no more pages." })]);

      const error = await failureOf(calls[name](client));

      expect(error).toBeInstanceOf(ResponseValidationError);
      expect(String(error)).toContain("The plan has no more pages.");
    }
  },
);

test("what cannot be told for certain is an error that says what came, and the way out", async () => {
  const { client } = scripted([json({ live: [{ id: 1, title }], drafts: [{ id: 2, title }] })]);

  const error = await failureOf(client.pages.list());

  expect(error).toMatchObject({ name: "ResponseValidationError" });
  expect(String(error)).toMatch(/#\/live and #\/drafts.*landing-pages-mock check --write-dialect/);
});

test("an element that lacks a value is read by itself, and not by the layout of the first", async () => {
  const elements = [
    { id: 1, title: "A", pagetitle: "A" },
    { id: 2, title: null, pagetitle: "B" },
  ];
  const { client } = scripted([json({ data: elements })]);

  const { data } = await client.pages.list();

  expect(data).toMatchObject([
    { id: "1", title: "A" },
    { id: "2", title: "B" },
  ]);
});
