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
  ["metadata", { id: "call-9", payload: { sys: { id: "p41" } } }],
])("of an envelope's identifier and one in %s neither is certain", async (_title, body) => {
  const { client } = scripted([json(body, 201)]);

  expect(await failureOf(client.pages.create(somePage))).toMatchObject({ name: "ResponseValidationError" });
});

test.each<[string, object]>([
  ["a link to the content", { contentLink: { id: "p41", workId: 0 }, parentLink: { id: 5 } }],
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
])("%s names the domain", async (_title, fields) => {
  const { client } = scripted([json([{ id: "p41", title, slug, ...fields }])]);

  expect((await client.pages.list()).data[0]?.domains).toMatchObject(hosted);
});

test("what a page says of its own address is surer than the site it belongs to", async () => {
  const site = { id: 1, name: "Acme", url: "https://acme.example", domain: "acme.example" };
  const { client } = scripted([json([{ id: "p41", title, slug, site, permalink: "https://good.example/red" }])]);

  expect((await client.pages.list()).data[0]?.domains).toMatchObject(hosted);
});

test.each<[string, unknown]>([
  ["an empty text, as XML writes a list of none", { total: 0, pages: "" }],
  ["an envelope in an array", [{ docs: [], totalDocs: 0, page: 1 }]],
])("%s is an empty list", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect((await client.pages.list()).data).toEqual([]);
});

test("a notice where the list was left out is not a page, before an iteration or at its end", async () => {
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

test.each<[unknown, string | undefined]>([
  ["0000-00-00 00:00:00", undefined],
  [{ date: "2026-10-05 10:00:01.000000", timezone_type: 3, timezone: "Europe/Berlin" }, undefined],
  [1_791_187_201, "2026-10-05T08:00:01.000Z"],
  ["2026-10-05", "2026-10-05"],
])("a timestamp written as %j is read for what it is, or not at all", async (created_at, moment) => {
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

test.each([
  { notices: [{ id: "n1", title: "Maintenance on Sunday" }], error: "The slug is taken by another page." },
  { message: "The slug is taken by another page.", field: "slug", api: { id: "lps", title: "Landing Page Service" } },
])("what stands beside an error is not what is wrong", async (body) => {
  const { client } = scripted([json(body, 400)]);

  expect(String(await failureOf(client.pages.create(somePage)))).toMatch(/The slug is taken by another page/);
});

test("if an error body has no sentence, the name of the error is reported", async () => {
  const error = { code: 400, message: "Odoo Server Error" };
  const data = { name: "odoo.exceptions.ValidationError", message: "The slug holds a space." };
  const { client } = scripted([json({ error: { ...error, data } }, 400), json({ error }, 400)]);

  expect(String(await failureOf(client.pages.create(somePage)))).toContain("The slug holds a space.");
  expect(String(await failureOf(client.pages.create(somePage)))).toContain("Odoo Server Error");
});
