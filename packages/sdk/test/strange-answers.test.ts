// Answers that are traps: where a wrong identifier, a list of something else or an invented domain would be worse than an error.
import { expect, test } from "vitest";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

const record = { id: "pg_1", ...somePage };
const { title, content, slug } = somePage;

test.each<[string, Response]>([
  ["a task at 202", json({ task: { id: "5", status: "queued" } }, 202, { Location: "/api/content/tasks/5" })],
  [
    "work at 202 that calls its own number id",
    json({ id: "5", status: "queued" }, 202, { Location: "/api/content/5" }),
  ],
  ["a transaction", json({ transaction_id: "t1", transactionId: "t1" })],
  ["an identifier that says itself that it is a transaction's", json({ id: "txn_1", ok: true })],
  ["a request", json({ request: { id: "r1" }, requestId: "r1", meta: { request_id: "r1" } })],
  ["an author and an account", json({ author: { id: 3 }, account_id: 4, user: { id: 5 } })],
  ["an author inside the page", json({ data: { ...somePage, author: { id: 3, slug: "ann" } } })],
  ["another page", json({ parent_page_id: 3, related: [{ ...somePage, id: 4 }], next: { id: 5, slug: "next" } })],
  ["an entry of a log", json({ audit: { id: "aud_1", target: { type: "page" } }, ok: true })],
  ["a thing of a name nobody knows, around the page", json({ webhookish: { id: 9, payload: somePage } })],
  ["a link elsewhere", json({ ...somePage, links: { self: "https://cdn.example/files/12" } })],
  ["a link to all pages", json({ ok: true, _links: { self: { href: "https://service.example/api/content" } } })],
  ["an empty identifier", json({ ...record, id: "" })],
  ["an identifier that is null", json({ id: null, success: true })],
  [
    "two pages, neither the one that was sent",
    json([
      { id: 1, title: "x" },
      { id: 2, title: "y" },
    ]),
  ],
  ["a call of JSON-RPC", json({ jsonrpc: "2.0", id: 7, result: "ok" })],
  ["a count at 200", json(1)],
  ["errors in place of the page", json({ data: null, errors: [{ id: "e1", message: "no" }] })],
  ["a text", new Response("Created.")],
  ["a text that is the identifier of a transaction", new Response("txn_881")],
  ["a moment", new Response("2026-01-31T12:00:00Z")],
  ["a task, under the name of the service", json({ api: { task: { id: "p9" }, version: "2" } })],
  ["a block, under its name", json({ hero: { content: { id: 7 } } })],
  ["an author, under the name of an answer", json({ author: { data: { id: 7 } } })],
  ["a Location of nothing", status(201, { Location: "done" })],
  ["a Location of its slug", status(201, { Location: slug })],
  ["codes of other things", json({ ...somePage, code: "E409", currency_code: "EUR1", page_number: 4 })],
  ["a code of what came of it", json({ code: 20000, data: somePage })],
  ["nothing", status(204)],
  [
    "HTML with a Location",
    new Response("<!doctype html><title>Log in</title>", { status: 201, headers: { Location: "/api/content/9" } }),
  ],
])("a create answered with %s is an error that says so, and keeps what came", async (_title, answer) => {
  const whole = await answer.clone().text();
  const { client } = scripted([answer]);

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(error).toMatchObject({ mayHaveBeenApplied: true });
  expect(String(error)).toMatch(/expected (?:the identifier of the page|a page), got /);
  expect((error as ResponseValidationError).body === undefined).toBe(whole === "");
});

test.each<[string, Response, string]>([
  ["an error", json({ success: false, error: "slug taken" }), "an object with success, error, which says: slug taken"],
  [
    "errors of GraphQL",
    json({ errors: [{ message: "quota used up" }], data: null }),
    "an object with errors, data, which says: quota used up",
  ],
  [
    "a body that ends within its JSON",
    new Response('{"id":"pg_1","title":"Re'),
    'something that is not JSON: {"id":"pg_1","title":"Re',
  ],
  ["nothing", status(204), "an empty body"],
])("a create answered with %s repeats what came", async (_title, answer, said) => {
  const { client } = scripted([answer]);

  expect(String(await failureOf(client.pages.create(somePage)))).toContain(
    `expected the identifier of the page, got ${said};`,
  );
});

test("a list answered with an error repeats what it says", async () => {
  const { client } = scripted([json({ success: false, error: "plan expired" })]);

  expect(String(await failureOf(client.pages.list()))).toContain(", which says: plan expired)");
});

test.each<[string, Response | string, string]>([
  ["0", json({ ...record, id: 0 }), "0"],
  [
    "2^60, among others",
    `{"data":{"id":1152921504606846977,"version":1152921504606846978,"slug":"${slug}"}}`,
    "1152921504606846977",
  ],
  ["with a slash", json({ ...record, id: "a/b" }), "a/b"],
  ["beside a counter", json({ data: { id: 12, documentId: "k3j2", ...somePage } }), "k3j2"],
  [
    "beside those of others",
    json({ request_id: "r", author: { id: 1 }, account_id: 2, data: { ...record, revision_id: 7 } }),
    "pg_1",
  ],
  ["outside of the present version", json({ id: "pg_4", current_revision: { ...record, id: "rev_1" } }), "pg_4"],
  ["in a row of a table", json({ columns: ["id", "slug"], rows: [[41, slug]] }), "41"],
  ["in a Location", status(201, { Location: "https://service.example/api/content/pg%2F9" }), "pg/9"],
  ["in a key of OData", status(201, { Location: "https://service.example/api/content(9)" }), "9"],
  ["in a query", status(201, { Location: "/content?id=eq.9" }), "9"],
  ["as the only key of a map", json({ pg_7: somePage }), "pg_7"],
  ["as a key without digits", json({ pages: { UGFnZToxMDQy: { slug } } }), "UGFnZToxMDQy"],
  ["beside the content, which has its own", json({ id: 3, slug, content: { _uid: "b1", title, content } }), "3"],
  ["beside the attributes, which have their own", json({ id: 3, attributes: { uuid: "b1", ...somePage } }), "3"],
  ["that is a path, beside a number of something", json({ id: "/a/1", resourceGuid: "g1", ...somePage }), "/a/1"],
  ["that the system gives", json({ sys_id: "s1", ...somePage }), "s1"],
  ["that is a name without digits", json({ name: "-NTpeYwavCdDFkazBwde" }), "-NTpeYwavCdDFkazBwde"],
  ["in letters of any language", json({ page: "seite-0-ö" }), "seite-0-ö"],
  ["under the name of the thing", json({ ...somePage, page: 7 }), "7"],
  ["under the name of the service", json({ api: { version: "1.2", payload: { id: "p9" } } }), "p9"],
  ["under a name of nobody's", json({ acme: { page: { id: 7 } } }), "7"],
  ["beside an error of nothing", json({ error: { code: 0, details: [] }, value: 41 }, 201), "41"],
  ["that is all there is", new Response("pg_8Fk2\n", { status: 201 }), "pg_8Fk2"],
  ["in a Location without a way", status(201, { Location: "./p41" }), "p41"],
  ["as a number of a record", json({ ...somePage, controlNumber: 4711 }), "4711"],
  [
    "in what was SOAP",
    json({ Envelope: { Header: null, Body: { CreatePageResponse: { CreatePageResult: { PageId: "66001" } } } } }),
    "66001",
  ],
  ["as a code", json({ ...somePage, code: "LP-4711" }), "LP-4711"],
])("an identifier is found %s", async (_title, answer, id) => {
  const { client } = scripted([typeof answer === "string" ? new Response(answer) : answer]);

  expect(await client.pages.create(somePage)).toMatchObject({ ...somePage, id });
});

test.each<[string, unknown]>([
  ["a list of texts", { data: ["pg_1", "pg_2"] }],
  ["an array of arrays of pages", [[record], [{ ...record, id: "pg_2" }]]],
  ["two lists of equal right", { live: [record], archive: [record] }],
  ["errors beside no list", { errors: [{ id: "1", title: "Bad", detail: "x" }], data: null }],
  ["a list of categories", { categories: [{ id: 1, title: "Shoes", slug: "shoes" }] }],
  ["a single page that holds a list of pages", { data: { ...record, children: [record, record] } }],
  ["a message", { ok: true, message: "Hello" }],
  ["news that count nothing", { notices: [{ id: "n1", title: "Maintenance", content: "At night." }] }],
  ["a text", "pages"],
  ["a number", 7],
])("a list answered with %s is an error that says what came", async (_title, body) => {
  const { client } = scripted([json(body)]);

  const error = await failureOf(client.pages.list());

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(error).toMatchObject({ mayHaveBeenApplied: false, body });
  expect(String(error)).toContain("expected a list of pages, got ");
});

test.each<[string, unknown]>([
  ["errors beside the pages", { errors: [{ id: "1", title: "Slow", detail: "x" }], pages: [record] }],
  ["what is included", { included: [{ id: "9", title: "Dr", slug: "ann" }], data: [record] }],
  [
    "lists inside of the pages",
    {
      items: [
        {
          ...record,
          children: [
            { id: "9", title: "x" },
            { id: "8", title: "y" },
          ],
        },
      ],
    },
  ],
])("%s are not taken for the pages", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect((await client.pages.list()).data.map(({ id }) => id)).toEqual(["pg_1"]);
});

test("two pages in an array within an array are two, and no pair of an identifier and a page", async () => {
  const other = { ...record, id: "pg_2" };
  const { client } = scripted([json([[record, other]]), json({ result: [["pg_3", { title, slug }]] })]);

  expect((await client.pages.list()).data.map(({ id }) => id)).toEqual(["pg_1", "pg_2"]);
  expect((await client.pages.list()).data.map(({ id }) => id)).toEqual(["pg_3"]);
});

test.each<[string, object]>([
  [
    "a link to itself",
    { url: "https://service.example/api/content/pg_1", links: { self: "https://x.example/api/content/1" } },
  ],
  ["pictures", { image_url: "https://cdn.example/x.png", thumbnail: { url: "https://cdn.example/t.png" } }],
  ["an author", { author: { url: "https://ann.example" }, author_url: "https://ann.example" }],
  ["a number and an opaque identifier", { domain: 12, domain_id: "dom_12", host: "web12" }],
  ["a file and a path", { url: "/red-shoes.html", link: "red-shoes.html", permalink: "/red" }],
  ["the host of the service", { domain: "service.example", public_url: "https://service.example/red" }],
  [
    "a link of the service's own, wherever it is",
    { sys_domain: { link: "https://g.example/api/now/7" }, href: "https://cdn.example/api/v2" },
  ],
])("%s is no domain", async (_title, fields) => {
  const { client } = scripted([json({ ...record, ...fields })]);

  expect((await client.pages.create(somePage)).domains).toEqual([]);
});

test.each<[string, object, string[]]>([
  ["a name that ends so", { hostName: "good.example" }, ["good.example"]],
  ["a canonical address", { canonical: "https://good.example/red" }, ["good.example"]],
  ["relations", { links: [{ rel: ["canonical"], href: "https://good.example/red" }] }, ["good.example"]],
  ["aliases behind it", { aliases: ["also.example"], domain: "good.example" }, ["also.example", "good.example"]],
])("a domain is told by %s", async (_title, fields, names) => {
  const { client } = scripted([json({ ...record, ...fields })]);

  expect((await client.pages.create(somePage)).domains.map(({ name }) => name)).toEqual(names);
});

test("of a text in several forms one that is a text is taken", async () => {
  const forms = { raw: { children: [{ type: "paragraph" }] }, text: content, html: `<p>${content}</p>` };
  const { client } = scripted([json({ items: [{ ...record, content: forms }] })]);

  expect((await client.pages.list()).data[0]?.content).toBe(content);
});

test("an element of its content with an identifier is not the page", async () => {
  const main = [{ id: 100, header: title, text: content }];
  const { client } = scripted([json({ id: 7, slug: `/${slug}`, content: { main } })]);

  expect(await client.pages.create(somePage)).toMatchObject({ id: "7", title });
});

test("a number under a name that says nothing is no identifier of a page in a list", async () => {
  const { client } = scripted([json([{ title, content, slug, views: 5 }])]);

  expect(String(await failureOf(client.pages.list()))).toContain("expected the identifier of a page");
});

test("an answer nested 200 000 deep, and one of a million lists, is told to be none", async () => {
  const deep = `{"a":`.repeat(200_000) + `"1234567890123456789"` + "}".repeat(200_000);
  const numbers = `${"[".repeat(200_000)}1234567890123456789${"]".repeat(200_000)}`;
  const wide = `[${"[],".repeat(1_000_000)}[]]`;
  for (const text of [deep, numbers, wide]) {
    const { client } = scripted([new Response(text)]);

    const errors = [await failureOf(client.pages.list()), await failureOf(client.pages.create(somePage))];

    for (const error of errors) expect(error).toBeInstanceOf(ResponseValidationError);
    expect(JSON.stringify(errors).length).toBeLessThan(50_000);
    const { id, title } = await client.pages.update("pg_1", { title: "x" });
    expect([id, title]).toEqual(["pg_1", "x"]);
  }
});

test("a text of megabytes comes whole, and what is beside it does not hide the page", async () => {
  const content = 'red \\ "shoes" {[ '.repeat(200_000);
  const large = { ...record, content, domains: [] };
  const around = { data: [{ _id: "pg_2", attributes: { title: "x", slug: "y", content } }] };
  const { client } = scripted([json({ ...large, extra: [[[content]]] }, 201), json(around), json({ content })]);

  expect((await client.pages.create(somePage)).content).toBe(content);
  expect((await client.pages.list()).data).toMatchObject([{ id: "pg_2", title: "x", content }]);
  expect((await client.pages.update("pg_1", { title: "x" })).content).toBe(content);
});

test("__proto__ in a page of another shape pollutes nothing", async () => {
  const text = `{"__proto__":{"polluted":1},"data":[{"__proto__":{"polluted":1},"_id":"pg_1","attributes":{"__proto__":{"polluted":1},"title":"x"}}]}`;
  const { client } = scripted([new Response(text)]);

  const [listed] = (await client.pages.list()).data;
  const updated = await client.pages.update("pg_1", { title: "x" });

  for (const page of [listed, updated, {}]) {
    expect(page).not.toHaveProperty("polluted");
    expect(Object.getPrototypeOf(page)).toBe(Object.prototype);
  }
});

test.each([
  ["204", status(204)],
  ["a flag", json({ success: true })],
  ["a count", json({ modifiedCount: 1 })],
  ["another identifier", json({ id: "txn_9", data: { id: 77 } })],
  ["text", new Response("OK")],
])("an update answered with %s keeps the identifier, and what was changed", async (_title, answer) => {
  const { client } = scripted([answer]);

  expect(await client.pages.update("pg_1", { title: "New", cta: { label: "Go" } })).toMatchObject({
    id: "pg_1",
    title: "New",
    domains: [],
  });
});

test("an HTML page in answer to an update is a proxy's, and may have been applied all the same", async () => {
  const { client } = scripted([new Response("<html><title>Sign in</title></html>")]);

  expect(await failureOf(client.pages.update("pg_1", { title: "x" }))).toMatchObject({
    name: "ResponseValidationError",
    mayHaveBeenApplied: true,
  });
});

test("the parsed body is given as it came, beside what was made of it", async () => {
  const body = { data: { _id: 7, title: { raw: "Red" } } };
  const { client } = scripted([json(body)]);

  const result = await client.pages.update("7", { slug: "red" }).withResponse();

  expect(result.body).toEqual(body);
  expect(result.data).toMatchObject({ id: "7", title: "Red", slug: "red" });
});

test("what a strict client gets is whole, or an error that names what is missing", async () => {
  const { client } = scripted(
    [json(record), json({ id: "pg_1" }), json({ items: [record, { id: "pg_2", title: "x" }] })],
    { strict: true },
  );

  expect(await client.pages.create(somePage)).toMatchObject(record);
  expect(String(await failureOf(client.pages.create(somePage)))).toContain("title: expected string");
  expect(await failureOf(client.pages.list())).toMatchObject({
    problem: { errors: expect.arrayContaining([expect.objectContaining({ pointer: "#/items/1/content" })]) as unknown },
  });
});

test("a difference is told once for each place, with where it was expected and found", async () => {
  const { client, events } = scripted([json({ items: [{ ...record, domains: [] }], total: 1 })]);

  await client.pages.list();
  await client.pages.list();

  expect(events.filter(({ type }) => type === "mismatch")).toMatchObject([
    { operation: "listPages", where: "list", expected: "#/data", found: "#/items" },
    { where: "domains", found: "nothing" },
    { where: "created_at", found: "nothing" },
    { where: "updated_at", found: "nothing" },
  ]);
});
