// Answers of services that call things by names of their own: structure and what was sent decide, names only between candidates.
import { expect, test } from "vitest";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const { title, content, slug } = somePage;
const record = { id: "pg_1", ...somePage };
const named = { id: 1, name: "Acme", url: "https://acme.example", domain: "acme.example" };

test.each(["app", "site", "project", "issue", "message", "campaign"])(
  "what repeats the page that was sent, with an identifier, is the page, though it is called %s",
  async (name) => {
    const whole = { [name]: { id: "pg_1", title, slug }, request_id: "r1" };
    const split = { [name]: { ID: 7, fields: { title, slug } } };
    const { client } = scripted([json(whole), json(split)]);

    expect((await client.pages.create(somePage)).id).toBe("pg_1");
    expect((await client.pages.create(somePage)).id).toBe("7");
  },
);

test.each(["app", "site", "task", "request"])(
  "a %s that is only named after the page is not the page",
  async (name) => {
    const { client } = scripted([
      json({ [name]: { id: "5", title, state: "done" } }),
      json({ [name]: { ...somePage } }),
    ]);

    expect(await failureOf(client.pages.create(somePage))).toBeInstanceOf(ResponseValidationError);
    expect(await failureOf(client.pages.create(somePage))).toBeInstanceOf(ResponseValidationError);
  },
);

test.each(["issues", "apps", "campaigns", "things"])(
  "records under the name of other things, %s, are the list",
  async (name) => {
    const { client } = scripted([
      json({ startAt: 0, total: 1, [name]: [{ id: "1", key: "E-1", fields: { title, slug } }] }),
    ]);

    expect(await client.pages.list()).toMatchObject({ data: [{ id: "1", title, slug }], total: 1 });
  },
);

test.each<[string, object]>([
  ["a kind that is a list", { kind: "blogger#pageList", etag: "x" }],
  ["a token for no further pages", { kind: "pageList", nextPageToken: "" }],
  ["no more of a list", { object: "list", has_more: false }],
  ["a collection", { "@type": "Collection" }],
  ["a cursor that is null", { cursor: null }],
  ["a total beside columns", { columns: [{ id: "title", title: "Title" }], issues: [], total: 0 }],
  ["a quantity", { PageList: { Marker: "", MaxItems: 20, IsTruncated: false, Quantity: 0 } }],
  ["an empty list beside tabs", { tabs: [{ id: "live", title: "Live", slug: "live" }], pages: [] }],
  ["no list beside what leads elsewhere", { pages: null, navigation: { main: { items: [record] } } }],
  ["a count of none beside what leads elsewhere", { total: 0, footer: { items: [record] } }],
  ["an empty list beside crumbs", { breadcrumbs: [{ id: 1, title: "Home", slug: "home" }], items: [] }],
])("nothing stored may be told by %s", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect((await client.pages.list()).data).toEqual([]);
  expect(await client.pages.iterate().toArray({ limit: 5 })).toEqual([]);
});

test.each<[string, object]>([
  ["a cursor to more", { next_cursor: "abc" }],
  ["more of a list", { object: "list", has_more: true }],
  ["a total of what is not there", { object: "list", total: 5 }],
  ["a refusal beside an empty list", { success: false, message: "Try again later.", data: [] }],
  ["numbers", [1, 2, 3] as object],
])("%s without a list is an error, and no empty list", async (_title, body) => {
  const { client } = scripted([json(body)]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test("a walk ends where the service has no range so far on, and not at a web server's own page for it", async () => {
  const past = json({ code: "PGRST103", message: "Requested range not satisfiable" }, 416);
  const page = new Response("<html><h1>416</h1></html>", { status: 416, headers: { "Content-Type": "text/html" } });
  const { client } = scripted([json([record]), past]);
  const { client: other } = scripted([json([record]), page]);

  expect(await client.pages.iterate({ batchSize: 1 }).toArray({ limit: 5 })).toMatchObject([{ id: "pg_1" }]);
  expect(await failureOf(other.pages.iterate({ batchSize: 1 }).toArray({ limit: 5 }))).toMatchObject({ status: 416 });
});

test.each([400, 404])(
  "a walk ends where the service refuses with %i to look behind its last page, and nowhere else",
  async (code) => {
    const refusal = () => json({ detail: "Invalid page." }, code);
    const { client } = scripted([json([record]), refusal()]);
    const { client: elsewhere } = scripted([json([record, { ...record, id: "pg_2" }]), refusal()]);
    const { client: atOnce } = scripted([refusal()]);

    expect(await client.pages.iterate().toArray({ limit: 5 })).toMatchObject([{ id: "pg_1" }]);
    expect(await failureOf(elsewhere.pages.iterate().toArray({ limit: 5 }))).toMatchObject({ status: code });
    expect(await failureOf(atOnce.pages.iterate().toArray({ limit: 5 }))).toMatchObject({ status: code });
  },
);

test("a walk ends where the answer is the same as before without its list, and not where it is another", async () => {
  const first = { version: "2", took: 5, things: [record] };
  const { client } = scripted([json(first), json({ version: "2", took: 3 })]);
  const { client: other } = scripted([json(first), json({ ok: true, message: "Hello" })]);

  expect(await client.pages.iterate().toArray({ limit: 5 })).toMatchObject([{ id: "pg_1" }]);
  expect(await failureOf(other.pages.iterate().toArray({ limit: 5 }))).toBeInstanceOf(ResponseValidationError);
});

test.each<[string, object]>([
  [
    "a call to action of another name",
    { field_cta: { uri: "https://buyer.example/x" }, buttonUrl: "https://buyer.example/y" },
  ],
  ["what leads where the call to action does", { link: somePage.cta.url }],
  [
    "a site elsewhere",
    { external_url: "https://partner.example/m", partner_domain: "p.example", sender_domain: "m.example" },
  ],
  ["a milestone of its own name", { milestone: { id: 1, title: "v1.0", html_url: "https://code.example/m" } }],
  ["a brand of its own name", { brand: named }],
  ["the domain of a funnel", { funnel: { ...named, domain: { id: 8, name: "old.example" } } }],
])("%s is no domain of the page, and hides none", async (_title, fields) => {
  const hosted = { ...record, ...fields, permalink: "https://good.example/red" };
  const { client } = scripted([
    json({ ...record, ...fields }, 201),
    json(hosted, 201),
    json([{ ...record, ...fields }]),
  ]);

  expect((await client.pages.create(somePage)).domains).toEqual([]);
  expect((await client.pages.create(somePage)).domains).toMatchObject([{ name: "good.example" }]);
  expect((await client.pages.list()).data[0]?.domains).toEqual([]);
});

test("of two links the one that is called public is the page's", async () => {
  const links = { permalink: "https://team.example/files/1", permalink_public: "https://good.example/red" };
  const { client } = scripted([json({ ...record, ...links })]);

  expect((await client.pages.create(somePage)).domains).toMatchObject([{ name: "good.example" }]);
});

test("a block of the page is not the page, one or several", async () => {
  const block = { id: "b1", type: "heading", title, content: "A heading" };
  const { client } = scripted([
    json({ id: 5, title, slug, blocks: [block] }),
    json({ id: 5, title, slug, blocks: [block, { ...block, id: "b2" }] }),
  ]);

  expect(await client.pages.create(somePage)).toMatchObject({ id: "5", content });
  expect(await client.pages.create(somePage)).toMatchObject({ id: "5", content });
});

test("the number of pages in an answer is not told as that of all", async () => {
  const { client } = scripted([json({ data: [record], meta: { result_count: 1, next_token: "x" } })]);

  expect(await client.pages.list()).not.toHaveProperty("total");
});

test("a text beside its type is the text, and an identifier may be a path where there is no other", async () => {
  const { client, requests } = scripted([
    json([{ _id: "pg_1", title, slug: { _type: "slug", current: slug } }]),
    json({ id: "/accounts/7/pages/9", properties: { title, slug } }, 201),
    json({ documents: [{ name: "projects/p/pages/a1", fields: { title: { stringValue: title } } }] }),
    json({}),
  ]);

  expect((await client.pages.list()).data).toMatchObject([{ id: "pg_1", slug }]);
  expect((await client.pages.create(somePage)).id).toBe("/accounts/7/pages/9");
  expect((await client.pages.list()).data).toMatchObject([{ id: "projects/p/pages/a1", title }]);
  await client.pages.update("/accounts/7/pages/9", { title });
  expect(requests.at(-1)?.path).toBe("/api/content/%2Faccounts%2F7%2Fpages%2F9");
});

test("JSON in a text is read as what it holds", async () => {
  const { client } = scripted([json(JSON.stringify({ items: [record] }))]);

  expect((await client.pages.list()).data).toMatchObject([{ id: "pg_1" }]);
});

test("a page may call its kind as it likes, and what else was documented is never its identifier", async () => {
  const task = { gid: "i1", resource_type: "task", title, slug, content: "ci1" };
  const { client } = scripted([
    json({ data: [task, { ...task, gid: "i2", slug: "b" }] }),
    json({ data: task }, 201),
    json([
      { title, slug: "a", content: "ci1" },
      { title, slug: "b", content: "ci2" },
    ]),
    json({ id: "5", type: "task", title }),
  ]);

  expect((await client.pages.list()).data.map(({ id }) => id)).toEqual(["i1", "i2"]);
  expect((await client.pages.create(somePage)).id).toBe("i1");
  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
  expect(await failureOf(client.pages.create(somePage))).toBeInstanceOf(ResponseValidationError);
});

test("an answer that holds objects is not the end of a list", async () => {
  const nodes = [record, { ...record, id: "pg_2" }];
  const { client } = scripted([
    json({ data: { issues: { nodes, pageInfo: {} } } }),
    json({ data: { x: { y: [{ a: 1 }, { b: 2 }], pageInfo: {} } } }),
  ]);

  expect((await client.pages.list({ offset: 2 })).data.map(({ id }) => id)).toEqual(["pg_1", "pg_2"]);
  expect(await failureOf(client.pages.list({ offset: 2 }))).toBeInstanceOf(ResponseValidationError);
});

test("the domains of a page may be several objects, and hosts of other kinds are none", async () => {
  const hosts = { alias: [{ domain: "a.example" }, { domain: "b.example" }], ftp_host: "ftp.example" };
  const deployed = { ...record, ...hosts, latest: [{ id: "dpl_1", url: "x9.deploys.example" }] };
  const { client } = scripted([
    json(deployed, 201),
    json([deployed]),
    json({ ...record, ftp_host: "ftp.example" }, 201),
  ]);

  const pages = [await client.pages.create(somePage), ...(await client.pages.list()).data];

  for (const { domains } of pages) expect(domains).toEqual([{ name: "a.example" }, { name: "b.example" }]);
  expect((await client.pages.create(somePage)).domains).toEqual([]);
});

const page = { id: "p1", title, slug };
const domain = { id: 5, name: "a.example" };
const reference = { type: "domains", id: "5" };
const apiPage = { id: "p1", attributes: { title, slug }, relationships: { domains: { data: [reference] } } };

test.each<[string, object, string[]]>([
  ["suggested", { ...page, domains: ["a.example"], suggested_domains: ["b.example"] }, ["a.example"]],
  ["rejected", { ...page, rejected_domains: ["b.example"] }, []],
  ["beside its URL", { ...page, url: "https://a.example/x", candidate_domains: ["b.example"] }, ["a.example"]],
  ["deep in the record", { ...page, rollout: { domains: ["a.example"] } }, ["a.example"]],
  ["told by its slug", { ...page, live_on: `https://a.example/x/${slug}`, docs: "https://b.example/x" }, ["a.example"]],
  ["told by its slug among links", { ...page, Links: [`https://a.example/${slug}/`] }, ["a.example"]],
  ["told by its slug elsewhere", { ...page, repository: `https://b.example/${slug}` }, []],
  ["of a place of its own", { ...page, location: { id: 3, name: "Berlin", url: "https://b.example/berlin" } }, []],
  ["of its publisher", { ...page, publisher: { name: "Acme", domain: "b.example" } }, []],
  ["with states", { ...page, domains: { "a.example": "live" } }, ["a.example"]],
  ["where one is off", { ...page, domains: [domain, { name: "b.example", is_active: 0 }] }, ["a.example"]],
  ["where one is gone", { ...page, hosts: [domain, { host: "b.example", status: "REMOVED" }] }, ["a.example"]],
  ["where one ended", { ...page, hosts: [domain, { host: "b.example", deleted_at: 1_769_860_800 }] }, ["a.example"]],
  ["in a map", { ...page, domains: { "a.example": { live: true }, "b.example": { live: false } } }, ["a.example"]],
  ["of a publication", { ...page, publish: { host: "a.example", by: "ann.example" } }, ["a.example"]],
  ["told by where it is", { ...page, published: { on: ["a.example"], at: "2026-01-31T12:00:00Z" } }, ["a.example"]],
  ["of where it runs", { ...page, zone: "eu.west" }, []],
  ["as names of names", { ...page, hosts: ["urn:lp:domain:a.example"], urn: "urn:page:b.example" }, ["a.example"]],
  ["in parts of any name", { ...page, rollout: { host: "a.example", path: `/${slug}` } }, ["a.example"]],
  ["as what it was cloned from", { ...page, cloned_from: { host: "b.example", path: `/${slug}` } }, []],
  ["of those it is given to", { ...page, assigned: ["ann.example"], assigned_to: ["ann.example"] }, []],
  ["beside it", { data: { post: { id: "p1" }, hosting: { hostname: "a.example" } } }, ["a.example"]],
  ["beside it, of another", { data: { post: page, smtp: { host: "b.example" }, meta: { host: "c.example" } } }, []],
  [
    "named by identifier",
    { page: { ...page, domain_ids: [5] }, domains: [domain, { id: 6, name: "b.example" }] },
    ["a.example"],
  ],
  ["included", { data: apiPage, included: [{ ...reference, attributes: { name: "a.example" } }] }, ["a.example"]],
])("the domains of a page are its own: %s", async (_title, body, names) => {
  const { client } = scripted([json(body, 201)]);

  const { domains } = await client.pages.create(somePage);

  expect(domains).toEqual(names.map((name) => expect.objectContaining({ name }) as unknown));
  expect(domains.filter(({ url }) => url?.endsWith("/live"))).toEqual([]);
});

test.each<[string, Response]>([
  ["by identifier", json({ data: [{ ...page, domain_ids: [5] }], domains: [domain] })],
  ["by relationship", json({ data: [apiPage], included: [{ ...reference, attributes: { name: "a.example" } }] })],
  [
    "in columns",
    json({ data: { id: ["p1"], title: [title], slug: [slug], created_by: [{ id: "u1" }], host: ["a.example"] } }),
  ],
  [
    "in two parts",
    json({ docs: [{ page: { key: "p1", title }, tenant: { id: "t" }, body: { slug }, host: "a.example" }] }),
  ],
  ["under their identifiers", json({ data: { p1: { id: "p1", ttl: "A", domains: ["a.example"] } } })],
  [
    "one a line",
    new Response(JSON.stringify({ ...page, host: "a.example" }), {
      headers: { "content-type": "application/x-ndjson" },
    }),
  ],
])("pages are listed with their domains, %s", async (_title, answer) => {
  const { client } = scripted([answer]);

  const { data } = await client.pages.list();

  expect(data).toMatchObject([{ id: "p1", domains: [{ name: "a.example" }] }]);
});

test("a page whose parts stand side by side is one page", async () => {
  const { client } = scripted([
    json({ page: { id: "p1", title }, body: { content, slug }, publication: { url: "https://a.example/x" } }, 201),
  ]);

  expect(await client.pages.create(somePage)).toMatchObject({ id: "p1", slug, domains: [{ name: "a.example" }] });
});

test("what stands for an identifier in the record beats one in the metadata of the answer", async () => {
  const { client } = scripted([json({ data: { key: 26, title, slug }, meta: { id: "m1" } }, 201)]);

  expect((await client.pages.create(somePage)).id).toBe("26");
});

test.each<[string, object, string[]]>([
  ["in a box with a title", { channel: { title: "Your pages", item: [page] } }, ["p1"]],
  ["in an empty box with a title", { channel: { title: "Your pages", item: [] } }, []],
  [
    "in a map of one in two parts",
    {
      data: { lp_live_WsdDrJxtpgSR: { page: { Id: "lp_live_WsdDrJxtpgSR" }, body: { slug }, publication: {} } },
      total: 3,
    },
    ["lp_live_WsdDrJxtpgSR"],
  ],
  ["in an account", { account: { id: "acc", slug: "acme", title: "Acme", pages: [page] } }, ["p1"]],
])("pages %s are listed", async (_title, body, ids) => {
  const { client } = scripted([json(body)]);

  expect((await client.pages.list()).data.map(({ id }) => id)).toEqual(ids);
});

test.each<[string, object, string[]]>([
  ["counted", { 0: record, 1: { ...record, id: "pg_2" }, total: 7, errors: [] }, ["pg_1", "pg_2"]],
  ["under their numbers", { 12: { title }, 7: { title }, meta: { total: 7 } }, ["12", "7"]],
])("pages %s beside a total are listed in the order of the answer", async (_title, body, ids) => {
  const written = JSON.stringify(body).replace(/("7":\{.*?\}),("12":\{.*?\})/, "$2,$1");
  const { client } = scripted([new Response(written)]);

  const { data, total } = await client.pages.list();

  expect([data.map(({ id }) => id), total]).toEqual([ids, 7]);
});

test("a page is joined to no path that says where its record is stored", async () => {
  const { client } = scripted([json([{ "@id": "p1", "@path": `/landing/${slug}`, slug, domain: "a.example" }])]);

  expect((await client.pages.list()).data[0]?.domains).toEqual([{ name: "a.example" }]);
});

test("a page in a list has the identifier in a link to itself, of several relations", async () => {
  const entity = { class: ["page"], rel: ["item"], properties: { title, slug } };
  const href = "https://service.example/api/content/p1";
  const { client } = scripted([
    json({ entities: [{ ...entity, links: [{ rel: ["self"], href }] }] }),
    json({ entities: [{ ...entity, links: [{ rel: ["author"], href }] }] }),
  ]);

  expect((await client.pages.list()).data).toMatchObject([{ id: "p1", title }]);
  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test.each<[string, object, Record<string, string>?]>([
  ["a size", { records: [page], totalSize: 7 }],
  ["a size of results", { results: [page], total_results_size: 7, results_size: 1 }],
  ["a header", { data: [page] }, { Total: "7" }],
  ["paging in two words", { pages: [page], pagingMetadata: { count: 1, total: 7 } }],
  ["a length", { result: { length: 7, records: [page] } }],
  [
    "what was SOAP",
    { Envelope: { Body: { ListPagesResponse: { ListPagesResult: { Total: "7", Pages: { Page: page } } } } } },
  ],
])("the number of all pages is told as %s", async (_title, body, headers) => {
  const { client } = scripted([json(body, 200, headers)]);

  expect(await client.pages.list()).toMatchObject({ data: [{ id: "p1" }], total: 7 });
});

test("a place in a list is no identifier", async () => {
  const { client } = scripted([json({ 0: { title }, 1: { title } })]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test.for<unknown>([
  { "en-US": title, "de-DE": "Rote", default: "en-US" },
  { "de-DE": "Rote", "fr-FR": title, default: "fr-FR" },
  { "x-default": title, de: "Rote" },
  { _type: "localeString", en: title, de: "Rote" },
  [
    { locale: "de-DE", value: "Rote" },
    { locale: "en-US", value: title },
  ],
  [
    { _key: "en", value: title },
    { _key: "de", value: "Rote" },
  ],
])("of a text in several languages, written as %j, one is presented", async (written) => {
  const { client } = scripted([json([{ id: "pg_1", title: written }])]);

  expect((await client.pages.list()).data).toMatchObject([{ title }]);
});

test("of pages in groups no group is taken for all", async () => {
  const groups = { published: [{ ...page, content }], drafts: [{ ...page, id: "p2" }] };
  const { client } = scripted([json({ data: groups, total: 2 })]);

  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test("an update is read by the identifier that stands around its fields", async () => {
  const { client } = scripted([
    json({ id: 7, attributes: { titre: { "de-DE": "New" }, slug, host: "a.example" } }),
    json({ content: { ttl: "New" } }),
  ]);

  expect(await client.pages.update("7", { title: "New" })).toMatchObject({
    id: "7",
    slug,
    domains: [{ name: "a.example" }],
  });
  expect(await client.pages.update("7", { title: "New" })).not.toHaveProperty("content");
});

test.each<[string, Response]>([
  ["paging alone", json({ page_info: { limit: 20, offset: 0, nextCursor: null }, transaction_id: "tx_1" })],
  ["no line", new Response("", { headers: { "content-type": "application/x-ndjson" } })],
])("an answer of %s is an empty list", async (_title, answer) => {
  const { client } = scripted([answer]);

  expect((await client.pages.list()).data).toEqual([]);
});
