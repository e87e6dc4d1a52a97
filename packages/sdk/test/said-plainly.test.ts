// What an answer says plainly of its page, in forms of real APIs: which identifier addresses it, where it is, that there is none.
import { expect, test } from "vitest";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const { title, slug } = somePage;
const hosted = [{ name: "good.example" }];

test("of two identifiers the one in a link to the page itself, or in Location, addresses it", async () => {
  const uuid = "e4425b69-9c9b-4a34-8d0a-0d6ab2d1a001";
  const record = { id: 41, uuid, title, slug };
  const linked = { ...record, links: { self: `/api/content/${uuid}`, edit: "/admin/pages/41/edit" } };
  const location = { Location: `/api/content/${uuid}` };
  const { client } = scripted([json({ page: record }, 201, location), json({ page: linked }, 201), json([linked])]);

  expect((await client.pages.create(somePage)).id).toBe(uuid);
  expect((await client.pages.create(somePage)).id).toBe(uuid);
  expect((await client.pages.list()).data[0]?.id).toBe(uuid);
});

test.each<[string, object]>([
  ["a result", { id: "call-9", result: { id: "p41" } }],
  ["data", { id: "call-9", status: "ok", data: { id: "p41" } }],
  ["JSON-RPC in capitals", { JSONRPC: "2.0", ID: "8f", RESULT: { PAGE_ID: "p41" } }],
  ["a payload of metadata", { id: "call-9", payload: { sys: { id: "p41" } } }],
])("an envelope's own identifier stands back behind the one in %s", async (_title, body) => {
  const { client } = scripted([json(body, 201)]);

  expect((await client.pages.create(somePage)).id).toBe("p41");
});

test.each<[string, object]>([
  ["a link to the content", { contentLink: { id: "p41", workId: 0 }, parentLink: { id: 5 } }],
  ["a publisher's prefix", { lps_contentid: "p41", _ownerid_value: "u1" }],
])("an identifier within %s is the page's", async (_title, naming) => {
  const record = { title, slug, ...naming };
  const { client } = scripted([json(record), json([record])]);

  expect((await client.pages.create(somePage)).id).toBe("p41");
  expect((await client.pages.list()).data[0]?.id).toBe("p41");
});

test("an object of a catalog that has the page inside has its identifier", async () => {
  const { client } = scripted([json({ catalog_object: { type: "PAGE", id: "p41", page_data: { title, slug } } })]);

  expect((await client.pages.create(somePage)).id).toBe("p41");
});

test("a publisher's prefix before the identifier of another thing makes it none of the page", async () => {
  const { client } = scripted([json([{ title, slug, author_contentid: "a1", parent_pageid: "p2" }])]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(Error);
});

test.each<[string, object]>([
  ["a site of its own name", { site: { id: "site_1", name: "Main", host: "good.example", theme: "sand" } }],
  ["rows of a junction", { domains: [{ id: 1, pages_id: "p41", domains_id: { id: "d1", host: "good.example" } }] }],
  ["a domain in Spanish", { dominios: ["good.example"] }],
  ["a domain in Italian and German", { dominio: "good.example", domaene: "good.example" }],
])("%s tells the domain", async (_title, fields) => {
  const { client } = scripted([json([{ id: "p41", title, slug, ...fields }])]);

  expect((await client.pages.list()).data[0]?.domains).toMatchObject(hosted);
});

test("what a page says of its own address is surer than the site it belongs to", async () => {
  const site = { id: 1, name: "Acme", url: "https://acme.example", domain: "acme.example" };
  const { client } = scripted([json([{ id: "p41", title, slug, site, permalink: "https://good.example/red" }])]);

  expect((await client.pages.list()).data[0]?.domains).toMatchObject(hosted);
});

test.each<[string, unknown]>([
  ["nothing in a response", { QueryResponse: {}, time: "2026-01-05T09:12:44Z" }],
  ["a total of none in a feed", { version: "1.0", feed: { id: { $t: "x" }, openSearch$totalResults: { $t: 0 } } }],
  ["a warning that nothing was found", { success: true, errors: [], warnings: ["No assets found for this search."] }],
  ["an empty text, as XML writes a list of none", { total: 0, pages: "" }],
  [
    "a notice beside a count of none",
    { notices: [{ id: "n1", title: "Maintenance", url: "https://s.example" }], count: 0 },
  ],
  [
    "another list beside an empty one of pages",
    { pages: { items: [], total: 0 }, redirects: { items: [{ id: "r1", from: "/a", to: "/b" }], total: 1 } },
  ],
  ["a list of members beside an empty one of pages", { pages: [], members: [{ id: 1, name: "Ana" }] }],
  [
    "a list of members in a workspace without pages",
    { workspace: { id: 3, name: "Growth", slug: "growth", pages: [], members: [{ id: 1, name: "Ana" }] }, total: 0 },
  ],
  ["an envelope in an array", [{ docs: [], totalDocs: 0, page: 1 }]],
])("%s is an empty list", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect((await client.pages.list()).data).toEqual([]);
});

test("a notice where the list was left out is not a page, before a walk or at its end", async () => {
  const notices = [{ id: "n1", title: "Maintenance on Sunday", url: "https://status-board.example/n1" }];
  const users = [{ id: "u1", title: "Dr", slug: "ann" }];
  const { client } = scripted([
    json({ permissions: ["read"], notices }),
    json({ documents: [{ id: "p41", title, slug }], users }),
    json({ permissions: ["read"], users }),
  ]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(Error);
  expect(await client.pages.list()).toMatchObject({ data: [{ id: "p41" }] });
  expect(await failureOf(client.pages.list({ offset: 1 }))).toBeInstanceOf(Error);
});

test.each<[string, object]>([
  ["an error of empty texts", { isSuccess: true, error: { code: "", message: "" }, value: 41 }],
  ["what an operation returns", { createPageResponse: { return: { pageId: "41" } } }],
])("%s hides no identifier", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect((await client.pages.create(somePage)).id).toBe("41");
});

test.each<[unknown, string | undefined]>([
  ["20261005080001", "2026-10-05T08:00:01Z"],
  ["0000-00-00 00:00:00", undefined],
  ["20261005T080001Z", "2026-10-05T08:00:01Z"],
  [{ date: "2026-10-05 10:00:01.000000", timezone_type: 3, timezone: "Europe/Berlin" }, undefined],
  [{ date: "2026-10-05 08:00:01.000000", timezone_type: 3, timezone: "UTC" }, "2026-10-05T08:00:01.000000Z"],
  [1_791_187_201, "2026-10-05T08:00:01.000Z"],
  ["2026-10-05 08:00:01.25+00", "2026-10-05T08:00:01.25+00:00"],
  ["2026-10-05T13:30:01,25+0530", "2026-10-05T13:30:01.25+05:30"],
  ["2026-10-05 08:00:01 -00:00", "2026-10-05T08:00:01-00:00"],
  ["2026-10-05", "2026-10-05"],
  [{ dateTime: "2026-10-05T10:00:01+02:00", timeZone: "Europe/Berlin" }, "2026-10-05T10:00:01+02:00"],
])("a moment written as %j is read for what it is, or not at all", async (created_at, moment) => {
  const { client } = scripted([json([{ id: "p41", title, createDate: created_at }])]);

  expect((await client.pages.list()).data[0]?.created_at).toBe(moment);
  expect(Date.parse(moment ?? "2026-10-05")).not.toBeNaN();
});

test.each<[string, object]>([
  ["a number of the page", { result_info: { page: 1, count: 2 }, success: true }],
  ["a title of its own", { "@type": "Folder", id: "content", title: "Content" }],
])("a list in an envelope with %s, in an array of one, is the list", async (_title, around) => {
  const { client } = scripted([json([{ result: ["p1", "p2"].map((id) => ({ id, title, slug })), ...around }])]);

  expect((await client.pages.list()).data).toMatchObject([{ id: "p1" }, { id: "p2" }]);
});

test("a list in an envelope in an array of one is the list", async () => {
  const pages = ["p1", "p2"].map((id) => ({ Id: id, Title: title, Slug: slug }));
  const { client } = scripted([json([{ Id: "1d86", Status: "OK", Pages: pages }])]);

  expect((await client.pages.list()).data).toMatchObject([{ id: "p1" }, { id: "p2" }]);
});

test("a table with headings of any spelling, and columns under that name, are lists", async () => {
  const fields = ["id", "title", "slug"].map((Name) => ({ Name, Type: "text" }));
  const table = { Fields: fields, Rows: [["p1", title, slug]], RowCount: 1 };
  const columns = { columns: { id: ["p1"], title: [title], slug: [slug], domain: ["good.example"] }, rows: 1 };
  const { client } = scripted([json(table)]);
  const { client: other } = scripted([json(columns)]);

  expect((await client.pages.list()).data).toMatchObject([{ id: "p1", title }]);
  expect((await other.pages.list()).data).toMatchObject([{ id: "p1", title, domains: hosted }]);
});

test("a count of what is in the answer is no total behind the end", async () => {
  const { client } = scripted([json({ items: [], count: 0 }), json({ items: [], count: 0 })]);

  expect((await client.pages.list()).total).toBe(0);
  expect((await client.pages.list({ offset: 50 })).total).toBeUndefined();
});

test("texts beside their type, and a member under its plain name before one that is marked, are read", async () => {
  const wrapped = { id: "p1", title: { type: "text", $t: title }, slug: { $t: slug } };
  const marked = { id: "p1", title, cta: { "@Type": "Cta", Type: "button", Label: "Call", Url: "https://a.example" } };
  const { client } = scripted([json([wrapped]), json([marked])]);

  expect((await client.pages.list()).data).toMatchObject([{ title, slug }]);
  expect((await client.pages.list()).data).toMatchObject([{ cta: { type: "button", label: "Call" } }]);
});

test.each([
  { notices: [{ id: "n1", title: "Maintenance on Sunday" }], error: "The slug is taken by another page." },
  { message: "The slug is taken by another page.", field: "slug", api: { id: "lps", title: "Landing Page Service" } },
])("what stands beside an error is not what is wrong", async (body) => {
  const { client } = scripted([json(body, 400)]);

  expect(String(await failureOf(client.pages.create(somePage)))).toMatch(/The slug is taken by another page/);
});

test("a field that settings name is to blame by a documented name alone", async () => {
  const params = { slug: "Invalid parameter." };
  const { client } = scripted([
    json({ code: "rest_invalid_param", message: "Invalid parameter(s): slug", data: { status: 400, params } }, 400),
    json({ message: "must be shorter", params: { limit: "No more than sixty letters." } }, 400),
    json({ message: "must be another", params: { slug: "red-shoes" } }, 400),
  ]);

  const told = [];
  for (let at = 0; at < 3; at += 1) told.push(String(await failureOf(client.pages.create(somePage))));

  expect(told[0]).toContain("slug: Invalid parameter.");
  expect(told[1]).toContain("must be shorter");
  expect(told[2]).toContain("must be another");
});

test("the name of a kind of error is told where there is no sentence", async () => {
  const error = { code: 400, message: "Odoo Server Error" };
  const data = { name: "odoo.exceptions.ValidationError", message: "The slug holds a space." };
  const { client } = scripted([json({ error: { ...error, data } }, 400), json({ error }, 400)]);

  expect(String(await failureOf(client.pages.create(somePage)))).toContain("The slug holds a space.");
  expect(String(await failureOf(client.pages.create(somePage)))).toContain("Odoo Server Error");
});
