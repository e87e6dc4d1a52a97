import { expect, test } from "vitest";
import { ApiError } from "../src/index.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const bare = { id: "pg_1", ...somePage, domains: [{ name: "shoes.example", url: "https://shoes.example/red-shoes" }] };
const { id: _id, ...unnamed } = bare;

test.each<[string, unknown, object]>([
  ["bare", bare, bare],
  ["under data", { data: bare }, bare],
  ["under page", { page: bare }, bare],
  ["with the id called _id", { _id: "pg_1", ...unnamed }, bare],
  ["with the id called page_id, under data", { data: { page_id: "pg_1", ...unnamed } }, bare],
  ["with an integer for id", { ...bare, id: 7 }, { id: "7" }],
  ["with 0 for id", { ...bare, id: 0 }, { id: "0" }],
  ["without domains", { ...bare, domains: undefined }, { domains: [] }],
  ["without meta_description", { ...bare, meta_description: undefined }, bare],
  ["with moments that are null", { ...bare, created_at: null, updated_at: null }, bare],
  ["with another kind of cta", { ...bare, cta: { ...bare.cta, type: "link" } }, { cta: { ...bare.cta, type: "link" } }],
  ["with fields nobody announced", { ...bare, data: { x: 1 }, status: "published" }, { ...bare, status: "published" }],
])("a page is read %s", async (_title, body, expected) => {
  const { client } = scripted([json(body)]);

  expect(await client.pages.create(somePage)).toMatchObject(expected);
});

test("an integer id too large for a number keeps its digits", async () => {
  const text = JSON.stringify({
    data: [
      { ...bare, id: 1 },
      { ...bare, id: 2 },
    ],
  })
    .replace('"id":1', '"id":12345678901234567891')
    .replace('"id":2', '"id": 98765432109876543211');
  const { client } = scripted([new Response(text)]);

  const { data } = await client.pages.list();

  expect(data.map(({ id }) => id)).toEqual(["12345678901234567891", "98765432109876543211"]);
});

test("ids that cannot be told apart as numbers keep their digits", async () => {
  const text = JSON.stringify({
    data: [
      { ...bare, id: 1 },
      { ...bare, id: 2 },
    ],
  })
    .replace('"id":1', '"id":12345678901234567891')
    .replace('"id":2', '"id":12345678901234567892');
  const { client } = scripted([new Response(text)]);

  const { data } = await client.pages.list();

  expect(data.map(({ id }) => id)).toEqual(["12345678901234567891", "12345678901234567892"]);
});

const large = (value: unknown) => JSON.stringify(value).replace('"version":1', '"version":12345678901234567891');

test.each<[string, object]>([
  ["the page", { ...bare, version: 1 }],
  ["its cta", { ...bare, cta: { ...bare.cta, version: 1 } }],
  ["one of its domains", { ...bare, domains: [...bare.domains, { ...bare.domains[0], version: 1 }] }],
  ["what nobody announced", { ...bare, extra: [{ version: 1 }] }],
])("a large integer beside what is documented keeps its digits in %s", async (_title, page) => {
  const exact = JSON.parse(large(page).replace(/\d{20}/, '"$&"')) as object;
  const { client } = scripted([
    new Response(large({ data: [bare, page], total: 2 })),
    new Response(large(page), { status: 201 }),
    new Response(large(page)),
  ]);

  const { data } = await client.pages.list();

  expect(data).toEqual([bare, exact]);
  expect(await client.pages.create(somePage)).toEqual(exact);
  expect(await client.pages.update("pg_1", { title: somePage.title })).toEqual(exact);
});

const around = { limit: 5, offset: 10 };

test.each<[string, unknown, { total?: number; limit: number; offset: number }]>([
  ["an array", [bare], { limit: 20, offset: 0 }],
  ...["data", "items", "results", "pages", "content"].map(
    (name): [string, unknown, { total?: number; limit: number; offset: number }] => [
      `under ${name}`,
      { [name]: [bare], total: 11, ...around },
      { total: 11, ...around },
    ],
  ),
  ["with total_count", { data: [bare], total_count: 11, ...around }, { total: 11, ...around }],
  ["with totalCount", { data: [bare], totalCount: 11, ...around }, { total: 11, ...around }],
  ["with meta.total", { data: [bare], meta: { total: 11, ...around } }, { total: 11, ...around }],
  ["with pagination.total", { data: [bare], pagination: { total: 11, ...around } }, { total: 11, ...around }],
  ["with a total that is no count", { data: [bare], total: "many" }, { limit: 20, offset: 0 }],
])("a list is read as %s", async (_title, body, expected) => {
  const { client } = scripted([json(body)]);

  expect(await client.pages.list()).toEqual({ data: [bare], ...expected });
});

test("a list says what was asked for when the service does not", async () => {
  const { client } = scripted([json([])]);

  expect(await client.pages.list({ limit: 7, offset: 3 })).toEqual({ data: [], limit: 7, offset: 3 });
});

test.each<[string, string, string, { pointer: string; detail: string }[]]>([
  [
    "a problem",
    '{"type":"about:blank","title":"Bad Request","detail":"two fields","errors":[{"pointer":"#/title","detail":"too long"}]}',
    "two fields",
    [{ pointer: "#/title", detail: "too long" }],
  ],
  ["an error object", '{"error":{"type":"invalid","message":"no good"}}', "no good", []],
  ["an error text", '{"error":"no good"}', "no good", []],
  ["a message", '{"message":"no good"}', "no good", []],
  [
    "a list of errors",
    '{"errors":[{"field":"slug","message":"taken"}]}',
    "taken",
    [{ pointer: "slug", detail: "taken" }],
  ],
  ["a list of texts", '["no good"]', "no good", [{ pointer: "", detail: "no good" }]],
  ["a map of errors", '{"errors":{"slug":["taken","ugly"]}}', "taken", [{ pointer: "slug", detail: "taken" }]],
  [
    "a path of steps",
    '{"errors":[{"path":["cta","url"],"message":"bad"}]}',
    "bad",
    [{ pointer: "cta/url", detail: "bad" }],
  ],
  ["a JSON text", '"no good"', "no good", []],
  ["a plain text", "  no\n  good ", "no good", []],
  ["HTML", "<!doctype html><html><head><title>400 No good</title></head></html>", "400 No good", []],
  ["HTML that says nothing", "<html></html>", "an HTML page", []],
  ["nothing", "", "", []],
  ["null", "null", "null", []],
  ["half of JSON", '{"message":"no g', '{"message":"no g', []],
])("the message of an error is found in %s", async (_title, body, detail, errors) => {
  const { client } = scripted([new Response(body, { status: 400 })]);

  const error = await failureOf(client.pages.list());

  expect(error).toMatchObject({ name: "BadRequestError", problem: { detail, errors } });
});

test("a message quotes at most 500 characters of a body", async () => {
  const { client } = scripted([new Response("z".repeat(60_000), { status: 400 })]);

  const error = await failureOf(client.pages.list());

  expect(error).toBeInstanceOf(ApiError);
  expect(
    JSON.stringify(error)
      .match(/z+/g)
      ?.map((run) => run.length),
  ).toEqual([499, 499, 499]);
});

test("__proto__ in a response pollutes nothing", async () => {
  const text = JSON.stringify(bare).replace(
    "{",
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
  );
  const { client } = scripted([new Response(text), new Response(`{"__proto__":{"polluted":true},"data":[${text}]}`)]);

  const page = await client.pages.create(somePage);
  const list = await client.pages.list();

  for (const value of [page, list, list.data[0], {}]) expect(value).not.toHaveProperty("polluted");
  expect(Object.getPrototypeOf(page)).toBe(Object.prototype);
});

test("a large integer id that appears twice is one id", async () => {
  const text = JSON.stringify({ ...bare, id: 1, parent: { id: 1 } }).replaceAll('"id":1', '"id":12345678901234567891');
  const { client } = scripted([new Response(text)]);

  await expect(client.pages.create(somePage)).resolves.toMatchObject({ id: "12345678901234567891" });
});

test.each<[string, unknown, unknown]>([
  ["in a global id", { data: [{ gid: "g1", ...somePage }] }, ["g1"]],
  ["in the key of a handle", { result: [{ _id: "pages/7", _key: "7", ...somePage }] }, ["7"]],
])("a listed page has its identifier %s", async (_title, body, expected) => {
  const { client } = scripted([json(body)]);

  const { data } = await client.pages.list();

  expect(data.map(({ id }) => id)).toEqual(expected);
});

test.each<[string, object]>([
  ["nothing else", {}],
  ["a number", { nr: 7 }],
  ["a name that counts", { name: "PAGE-7" }],
  ["a reference", { handle_of: { id: "7" } }],
])("a slug is no identifier, with %s beside it that tells pages apart", async (_title, other) => {
  const { client } = scripted([json({ data: [{ ...somePage, ...other }] })]);

  expect(await failureOf(client.pages.list())).toMatchObject({ name: "ResponseValidationError" });
});

test.each(["licenseUrl", "browser_link", "shortUrl", "feedbackUri", "mail_host"])(
  "what %s names is no domain of a page",
  async (name) => {
    const { client } = scripted([json({ ...bare, domains: undefined, [name]: "https://elsewhere.example/x" })]);

    expect((await client.pages.create(somePage)).domains).toEqual([]);
  },
);

test.each(["url", "publicLink", "page_url", "permalink"])("what %s names is where a page is", async (name) => {
  const { client } = scripted([json({ ...bare, domains: undefined, [name]: "https://here.example/x" })]);

  expect((await client.pages.create(somePage)).domains).toEqual([
    { name: "here.example", url: "https://here.example/x" },
  ]);
});

test("an empty list in an envelope that is in an array is empty", async () => {
  const { client } = scripted([json([{ status: "OK", result: [] }])]);

  expect((await client.pages.list()).data).toEqual([]);
});

test("an error in an envelope of any name is quoted, and the name of a field is no sentence", async () => {
  const { client } = scripted([
    json({ reply: { version: "1.0", error: { code: "X1", message: "The title is blank." } } }, 400),
    json({ data: [{ code: "X2", details: { api_name: "title" }, message: "The title is blank." }] }, 400),
  ]);

  for (let call = 0; call < 2; call += 1)
    expect(await failureOf(client.pages.create(somePage))).toMatchObject({
      message: "Create page failed: 400 Bad Request (The title is blank.)",
    });
});

test("the log says where a field is in a response, and what is missing", async () => {
  const lines: string[] = [];
  const logger = { debug: () => {}, info: (line: string) => lines.push(line), warn: () => {} };
  const { client } = scripted([json({ items: [{ ...bare, created_at: "2026-01-02T03:04:05Z" }] })], { logger });

  await client.pages.list();

  expect(lines).toEqual([
    "landing-pages: listPages: list at #/items rather than at #/data",
    "landing-pages: listPages: no total at #/total",
    "landing-pages: listPages: no updated_at at #/items/0/updated_at",
  ]);
});
