// Answers in words of no table: other scripts and languages, names of trades, lists of one that lost their brackets.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const record = { id: "pg_1", ...somePage };
const { title, slug } = somePage;

/** Names in one script, as many as a service needs for an envelope. */
const scripts = [
  ["الحالة", "الصفحة", "النتيجة"],
  ["статус", "страница", "ответ"],
  ["状态", "页面", "结果"],
  ["สถานะ", "หน้า", "ผลลัพธ์"],
  ["stav", "stránka", "výsledek"],
] as const;

test.each(scripts)("a page and a list under names such as %s are found", async (state, page, result) => {
  const { client } = scripted([
    json({ [state]: "ok", [page]: record }),
    json({ [state]: "ok", [result]: [record] }),
    json({ [state]: "ok", [result]: [] }),
    json({ [state]: "ok", [page]: record }),
  ]);

  expect(await client.pages.create(somePage)).toMatchObject({ id: "pg_1", title });
  expect((await client.pages.list()).data).toMatchObject([{ id: "pg_1" }]);
  expect((await client.pages.list()).data).toEqual([]);
  expect(await client.pages.update("pg_1", { title })).toMatchObject({ slug });
});

test.each(scripts)("the sentence of an error under names such as %s is told", async (state, _page, message) => {
  const { client } = scripted([json({ [state]: "x", [message]: "There is no page of that name." }, 404)]);

  expect(String(await failureOf(client.pages.delete("pg_1")))).toContain("There is no page of that name.");
});

test.each<[string, unknown]>([
  ["in a list", { items: { item: record }, totalCount: 1 }],
  ["in data", { data: record }],
  ["in an envelope", { response: { header: { code: 0 }, body: { items: { item: record }, total: 1 } } }],
  ["under its own name", { ok: 1, pages: { page: record } }],
])("a single page %s is a list of one, also where a list was before", async (_title, body) => {
  const { client } = scripted([json({ ok: 1, pages: { page: [record, { ...record, id: "pg_0" }] } }), json(body)]);

  expect((await client.pages.list()).data).toHaveLength(2);
  expect((await client.pages.list({ offset: 2 })).data).toMatchObject([{ id: "pg_1" }]);
});

test.each<[string, unknown]>([
  ["a page with lists of pages in it", { data: { ...record, children: [record, { ...record, id: "pg_2" }] } }],
  ["two pages under names of their own", { page: record, entry: { ...record, id: "pg_2" } }],
  ["a thing that is no page", { author: { id: "m1", title, slug } }],
  ["a refusal with a code", { code: 50013, msg: "busy", data: null }],
  ["a refusal with a code in letters", { resultCode: "E500", resultMessage: "busy", data: null }],
])("%s is no list, and ends no walk", async (_title, body) => {
  const { client } = scripted([json({ data: [record] }), json(body)]);
  await client.pages.list();

  expect(await failureOf(client.pages.list({ offset: 1 }))).toBeInstanceOf(ResponseValidationError);
});

test("the only identifier in answer to a create is that of the page, whatever it is in", async () => {
  const word = fc.stringMatching(/^[xyzqw]{2,8}$/);
  await fc.assert(
    fc.asyncProperty(word, word, word, async (outer, inner, other) => {
      fc.pre(new Set([outer, inner, other]).size === 3);
      const { client } = scripted([
        json({ [outer]: { [inner]: { id: 4097 }, [other]: "done" } }, 201),
        json({ [outer]: { id: 1 }, [inner]: { id: 2 } }, 201),
        json({ task: { id: "t1" }, [inner]: { id: 2 } }, 201),
        json({ [outer]: { [inner]: { id: 4097 } } }, 202),
      ]);

      expect((await client.pages.create(somePage)).id).toBe("4097");
      for (let at = 0; at < 3; at += 1)
        expect(await failureOf(client.pages.create(somePage))).toBeInstanceOf(ResponseValidationError);
    }),
    { numRuns: 30 },
  );
});

test.each<[string, Record<string, unknown>]>([
  ["beside a path of the API", { domain: "a.example", uri: "/api/content/pg_1" }],
  ["as one of many names", { hostNames: ["a.example"] }],
  ["as the one by default", { defaultHostName: "a.example" }],
  ["where it was placed", { placed_on: [{ host: "a.example" }] }],
  ["where it is hosted", { hosted_at: "a.example" }],
  ["of a server", { servername: "a.example" }],
  ["of a listing", { ListingWebsite: "a.example" }],
  ["in a URL that ends with its slug", { online_store_url: `https://a.example/pages/${slug}` }],
  ["in a list of such URLs", { live_at: [`https://a.example/${slug}`] }],
])("a domain is found %s, also in a page with a name", async (_title, members) => {
  const { client } = scripted([json({ ...record, ...members }), json({ page: { ...record, ...members } })]);

  for (let at = 0; at < 2; at += 1)
    expect((await client.pages.create(somePage)).domains).toMatchObject([{ name: "a.example" }]);
});

test("an update of the call to action alone shows the whole page, also without an identifier", async () => {
  const { cta } = somePage;
  const { client } = scripted([json({ ok: "1", page: { ...somePage, hostname: "a.example" } })]);

  expect(await client.pages.update("pg_1", { cta })).toMatchObject({ title, slug, domains: [{ name: "a.example" }] });
});

test("the type of a call to action may be an object with a name", async () => {
  const type = { enumType: "ctaKind", name: "button" };
  const { client } = scripted([json({ data: { ...record, cta: { ...somePage.cta, type } } })]);

  expect((await client.pages.create(somePage)).cta).toMatchObject(somePage.cta);
});

test.each(["createdBy", "modified_by", "who", "folder", "brand", "usr", "autor", "kurator"])(
  "what a create says of its %s has no identifier of the page",
  async (name) => {
    const other = { id: 5, title: "Dr" };
    const whole = { ...other, slug: "dr", content: "About me" };
    const { client } = scripted([
      json({ done: true, output: { entity: { id: 100101 }, [name]: other } }, 201),
      json({ done: true, thing: { id: 7 }, [name]: other }, 201),
      json({ done: true, [name]: other }, 201),
      json({ ok: 1, [name]: whole }, 201),
    ]);

    expect((await client.pages.create(somePage)).id).toBe("100101");
    for (let at = 0; at < 3; at += 1)
      expect(await failureOf(client.pages.create(somePage))).toBeInstanceOf(ResponseValidationError);
  },
);

test.each<[string, unknown]>([
  ["domain_stats", { "a.example": 4 }],
  ["host_hits", { "a.example": 4 }],
  ["domain_errors", { "a.example": "taken" }],
  ["domains_checked", { "a.example": "no" }],
  ["domains", { "a.example": false, "b.example": 3, "c.example": "blocked" }],
  ["competitor_domains", ["a.example"]],
])("hosts under %s that are counted or denied are no domains of the page", async (name, value) => {
  const { client } = scripted([json({ ...record, [name]: value })]);

  expect((await client.pages.create(somePage)).domains).toEqual([]);
});

test("several domains are read where one is, also with what is known of each", async () => {
  const shown = ["a.example", "b.example"].map((domain) => ({ domain, since: "2025-03-09T12:11:13.000Z" }));
  const { client } = scripted([
    json({ ...record, shown_on: shown }),
    json({ ...record, domains: { "a.example": "live" } }),
  ]);

  expect((await client.pages.create(somePage)).domains).toMatchObject([{ name: "a.example" }, { name: "b.example" }]);
  expect((await client.pages.create(somePage)).domains).toMatchObject([{ name: "a.example" }]);
});
