// Pages and errors in shapes that the client does not know: it reads them by their structure, or says that it cannot.
import { expect, test } from "vitest";
import { type BadRequestError, type LandingPages, ResponseValidationError } from "../src/index.ts";
import { failureOf, html, json, outcomeOf, scripted, somePage } from "./setup.ts";

const { title, slug, content } = somePage;
const page = { id: "p1", ...somePage, domains: [{ name: "shoes.example", url: "https://shoes.example/red-shoes" }] };
const { id: _id, ...unnamed } = page;

/** The page in the response to a create. */
const create = (body: unknown, code = 201, headers: Record<string, string> = {}) =>
  scripted([json(body, code, headers)]).client.pages.create(somePage);

/** The first page in the response to a list. */
async function readListed(record: object) {
  const { data } = await scripted([json([{ id: "p1", title, slug, ...record }])]).client.pages.list();
  return data[0];
}

test.each<[string, unknown, object]>([
  ["bare", page, page],
  ["under data", { data: page }, page],
  ["under page", { page }, page],
  ["under content", { content: page }, page],
  ["with the id as _id", { _id: "p1", ...unnamed }, page],
  ["with the id as page_id, under data", { data: { page_id: "p1", ...unnamed } }, page],
  ["with an integer for an id", { ...page, id: 0 }, { id: "0" }],
  ["without domains", { ...page, domains: undefined }, { domains: [] }],
  ["without meta_description", { ...page, meta_description: undefined }, page],
  ["with timestamps that are null", { ...page, created_at: null, updated_at: null }, page],
  ["with another type of call to action", { ...page, cta: { ...page.cta, type: "link" } }, { cta: { type: "link" } }],
  ["with unknown fields", { ...page, data: { x: 1 }, status: "published" }, { status: "published" }],
])("a created page is read %s", async (_title, body, expected) => {
  expect(await create(body)).toMatchObject(expected);
});

const uuid = "e4425b69-9c9b-4a34-8d0a-0d6ab2d1a001";

test.each<[string, object, string]>([
  ["its own, beside a breadcrumb", { breadcrumbs: [{ id: 1, title: "Home", slug: "home" }], page: { id: 101 } }, "101"],
  ["its own, beside a user", { me: { id: 31, slug: "kim", title: "Editor" }, page: { id: 101 } }, "101"],
  ["its own, beside its original", { id: 101, strTitle: title, copy_of: { id: 12, title: "Oak" } }, "101"],
  ["its own, beside a block", { id: 101, lp_title: title, lp_blocks: [{ id: "b1", title: "A", content }] }, "101"],
  ["in a link to itself", { links: { self: "https://service.example/api/content/101" }, title, shard_id: 3 }, "101"],
  ["not in other links", { links: { related: "/o" }, _links: { self: { href: "/api/content/101" } }, title }, "101"],
  ["the one that a link to itself has", { id: 41, uuid, title, slug, links: { self: `/api/content/${uuid}` } }, uuid],
  ["in what wraps the page", { id: 41, attributes: { title, slug } }, "41"],
  ["beside its content, which has its own", { id: 41, slug, content: { _uid: "b1", title, content } }, "41"],
  ["the documentId, beside the number of a version", { id: 41, documentId: "p41", title }, "p41"],
  ["in a catalogue object with the page inside", { catalog_object: { id: "p41", page_data: { title, slug } } }, "p41"],
])("the id of a created page is %s", async (_title, body, id) => {
  expect(await create(body)).toMatchObject({ id, domains: [], title });
});

test.each<[string, object, number, string, string | undefined]>([
  ["of a 201, wherever it points", {}, 201, "https://cms.example/v2/projects/41?x=1", "41"],
  ["of a 201, before another id", { page: { id: 41, uuid, title } }, 201, `/api/content/${uuid}`, uuid],
  ["not of a 200", {}, 200, "https://cms.example/v2/projects/41", undefined],
  ["not of a 202", {}, 202, "/api/content/41", undefined],
  ["of a 201, decoded and without its file type", {}, 201, "/api/content/4%201.json", "4 1"],
  ["of a 201, relative to the request", {}, 201, "41", "41"],
  ["of a 201, relative to the directory", {}, 201, "./41", "41"],
  ["of a 201, relative with the name of the collection", {}, 201, "content/abc", "abc"],
  ["not if it is the path of the request", {}, 201, "/api/content", undefined],
  ["not if it is the URL of the request", {}, 201, "https://service.example/api/content/?page=1", undefined],
  ["not if the path goes on", {}, 201, "/api/content/41/versions/3", undefined],
  ["not if it ends with a word", {}, 201, "https://cms.example/v2/projects/41/edit", undefined],
  ["not if it is the path of the slug", {}, 201, `/api/content/${slug}`, undefined],
  ["not if it is the public URL of the page", {}, 201, `https://shop.example/${slug}`, undefined],
  ["not if it is the URL of a job", {}, 201, "/api/jobs/41", undefined],
])("the id of a created page is in Location: %s", async (_title, body, code, location, id) => {
  const created = create(body, code, { Location: location });

  expect(await outcomeOf(created.then((page) => page.id))).toBe(id ?? "ResponseValidationError");
});

test.each<[string, object]>([
  ["the name of an operation", { name: "operations/41", done: false }],
  ["the id of a revision", { revision: { id: 41, title, content, slug } }],
  ["the id of an envelope, beside that of a result", { id: "call-9", result: { id: "p41" } }],
  ["the id of an envelope, beside that of metadata", { id: "call-9", payload: { sys: { id: "p41" } } }],
  ["the id of an envelope, beside a handle of the page", { id: "env1", data: { _id: "pages/p1", title, content } }],
  ["a handle", { _id: "pages/p1", title, content }],
  ["the id of an error", { success: false, error: { message: "The database is down." }, id: "err_1" }],
  ["an id beside another of a page", { id: 1, page_id: "p_9", title, content, slug }],
  ["an id beside another in camel case", { data: { pageId: "p_9", _id: 1, title, content, slug } }],
  ["the id of its content", { name: title, slug, content: { _uid: "b1", title, content } }],
  ["the id of what repeats the page, beside another", { data: { id: 7 }, approval: { id: 8, title, content, slug } }],
  ["a uid beside a name", { metadata: { uid: uuid, name: "page-a" }, spec: { title, content, slug } }],
  ["the id of another page", { id: "pg_3", title: "Other", slug: "other", content: "Another text." }],
])("%s is not the id of a created page", async (_title, body) => {
  const error = await failureOf(create(body, 200));

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(error).toMatchObject({ mayHaveBeenApplied: true });
});

test.each(["fieldData", "attributes", "fields"])("a 202 shows a page with its fields under %s", async (name) => {
  expect(await create({ id: "p41", [name]: { title, content, slug } }, 202)).toMatchObject({ id: "p41", title });
});

const old = { ...page, title: "Old", slug: "old" };
const renamed = { ...page, title: "New" };

test.each<[string, object, object]>([
  ["before and after", { before: old, after: renamed }, { title: "New", slug }],
  ["after and before", { after: renamed, before: old }, { title: "New", slug }],
  ["old and new", { old, new: renamed }, { title: "New", slug }],
  ["previous and current", { data: { previous: old, current: renamed } }, { title: "New", slug }],
  ["two objects of an array", { history: [old, renamed] }, { title: "New", slug }],
  ["before alone", { before: old }, { title: "New" }],
  ["a list of other pages, and nothing else", { ok: true, recent_pages: [old] }, { title: "New" }],
])("an update takes the object that repeats what was sent: %s", async (_title, body, expected) => {
  const { client } = scripted([json(body)]);

  const updated = await client.pages.update("p1", { title: "New" });

  expect(updated).toMatchObject({ id: "p1", ...expected });
  expect(updated.slug).not.toBe("old");
});

test("an update of the call to action takes the object that repeats it", async () => {
  const cta = { type: "button", label: "Buy now", url: "https://shop.example/now" };
  const { client } = scripted([json({ was: old, is: { ...page, cta } })]);

  expect(await client.pages.update("p1", { cta })).toMatchObject({ title, slug, cta });
});

test("an update returns a value as the service changed it", async () => {
  const { client } = scripted([json({ data: { ...page, slug: "red-shoes-2" } })]);

  expect(await client.pages.update("p1", { slug: "red-shoes" })).toMatchObject({ slug: "red-shoes-2" });
});

const digits = "12345678901234567891";
const large = (value: unknown) => JSON.stringify(value).replaceAll(/"(id|version)":1/g, `"$1":${digits}`);

test("of several languages, a listed page has English", async () => {
  const listed = await readListed({ title: { de: "Seite", en: "Page" }, slug: { de: "seite", "en-GB": "page" } });

  expect(listed).toMatchObject({ title: "Page", slug: "page" });
});

test("a page keeps all digits of large integers, in its id and in fields beside the documented ones", async () => {
  const domains = page.domains.map((domain) => Object.assign({}, domain, { version: 1 }));
  const body = { ...page, parent: { id: 1 }, cta: { ...page.cta, version: 1 }, domains };
  const exact = JSON.parse(large(body).replaceAll(/\d{20}/g, '"$&"')) as object;
  const numbered = new Response(large({ ...page, id: 1, parent: { id: 1 } }));
  const listed = new Response(large({ items: [{ id: 1, title, slug, extra: [{ version: 1 }] }] }));
  const { client } = scripted([new Response(large(body)), new Response(large(body)), numbered, listed]);

  expect(await client.pages.create(somePage)).toEqual(exact);
  expect(await client.pages.update("p1", { title })).toEqual(exact);
  expect(await client.pages.create(somePage)).toMatchObject({ id: digits });
  expect((await client.pages.list()).data).toMatchObject([{ id: digits, extra: [{ version: digits }] }]);
});

test("an updated page has the id that was passed, whatever the response says", async () => {
  const { client } = scripted([json({ ...somePage, id: "rev_7", title: "New", domains: [] })]);

  expect(await client.pages.update("pg_1", { title: "New" })).toMatchObject({ id: "pg_1", title: "New" });
});

test("__proto__ in a response pollutes nothing", async () => {
  const poison = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},';
  const text = JSON.stringify(page).replace("{", poison);
  const { client } = scripted([new Response(text), new Response(`{"__proto__":{"polluted":true},"data":[${text}]}`)]);

  const created = await client.pages.create(somePage);
  const list = await client.pages.list();

  for (const value of [created, list, list.data[0], {}]) expect(value).not.toHaveProperty("polluted");
  expect(Object.getPrototypeOf(created)).toBe(Object.prototype);
});

const here = `https://here.example/${slug}`;
const edited = "https://app.cms.example/pages/p1/edit";

test.each<[string, object, object[]]>([
  ["url", { url: here }, [{ name: "here.example", url: here }]],
  ["permalink", { permalink: here }, [{ name: "here.example", url: here }]],
  ["publicLink", { publicLink: here }, [{ name: "here.example", url: here }]],
  ["web_url", { web_url: here }, [{ name: "here.example", url: here }]],
  ["a URL without an identifier, if the page has no slug", { slug: null, url: here }, [{ name: "here.example" }]],
  ["nothing, if the URL has the identifier, and the page no slug", { slug: null, url: edited }, []],
  ["nothing, if the public URL has no slug", { public_url: edited }, []],
  ["nothing, if the URL has no slug", { url: edited, links: { html: edited }, web_url: edited }, []],
  ["the entries in use", { domains: [{ host: "no.example", rejected: true }, { host: "here.example" }] }, [{}]],
  ["an entry and its link", { hosts: [{ fqdn: "here.example", link: here }] }, [{ name: "here.example", url: here }]],
  ["a host and a port", { host: "here.example:443" }, [{ name: "here.example" }]],
  ["JSON in a string", { domains: '["here.example"]' }, [{ name: "here.example" }]],
  [
    "an object inside it",
    { publishing: { state: "live", domains: [{ domain: "here.example", url: here }] } },
    [{ name: "here.example", url: here }],
  ],
  ["rows of a junction", { domains: [{ id: 1, domains_id: { host: "here.example" } }] }, [{ name: "here.example" }]],
  ["public_url, and not the url of its editor", { url: edited, public_url: here }, [{ url: here }]],
  ["its own URL, beside its site", { site: { domain: "acme.example" }, permalink: here }, [{ name: "here.example" }]],
])("the domain of a page is read from %s", async (_title, fields, domains) => {
  expect((await readListed(fields))?.domains).toMatchObject(domains);
});

/** Two domains with further fields. */
const two = (one: object, other: object) => [
  { name: "a.example", ...one },
  { name: "b.example", ...other },
];

test.each<[string, unknown, string[]]>([
  ["a primary one and aliases", { primary: "a.example", aliases: ["b.example"] }, ["a.example", "b.example"]],
  ["assigned and available ones", { assigned: ["a.example"], available: ["b.example"] }, ["a.example"]],
  ["suggestions", { suggestions: ["a.example"], all: ["b.example"], network: { hosts: ["c.example"] } }, []],
  ["a connection", { edges: [{ node: { host: "a.example" } }] }, ["a.example"]],
  ["hosts with flags", { "a.example": true, "b.example": false }, ["a.example"]],
  ["flags", two({ assigned: true }, { is_active: false }), ["a.example"]],
  ["states", two({ state: "live" }, { state: "available" }), ["a.example"]],
  ["types", two({ type: "primary", status: null }, { type: "suggested" }), ["a.example"]],
  ["a label and a URL", [{ name: "Main site", url: "https://a.example/x" }], ["a.example"]],
  ["a sentence", "Served by a.example from now on", []],
])("a page has the domains that are certain in %s", async (_title, domains, expected) => {
  expect((await readListed({ domains }))?.domains.map(({ name }) => name)).toEqual(expected);
  expect((await create({ ...page, domains })).domains.map(({ name }) => name)).toEqual(expected);
});

test.each<[string, object]>([
  ["a licence", { licenseUrl: here }],
  ["a browser link", { browser_link: here }],
  ["a mail server", { mail_host: here }],
  ["its picture", { hero: { src: here, host: "here.example" } }],
  ["its site", { site: { id: "s1", name: "Main", host: "here.example", theme: "sand" } }],
  ["its editor", { admin: { host: "here.example", url: here } }],
  ["its publisher", { publisher: { name: "Acme", url: here, domain: "here.example" } }],
  ["the network that it belongs to", { network: { domains: ["here.example"] } }],
  ["a domain that was deleted", { domains: [{ name: "here.example", url: here, deletedAt: "2026-01-01T00:00:00Z" }] }],
  ["a domain with the flag of a deletion", { domains: [{ name: "here.example", url: here, deleted: true }] }],
  ["its calls to action", { ctas: [{ type: "button", label: "Buy", url: here }] }],
  ["its documentation", { link_list: [{ rel: "docs", href: here }] }],
  ["its files, beside the object that has its fields", { cdn: { host: "here.example", url: here }, data: somePage }],
  ["a collection, beside the same", { collection: { id: 3, title: "Spring", slug: "s", url: here }, data: somePage }],
])("the host of %s is no domain of a page", async (_title, fields) => {
  expect((await readListed(fields))?.domains).toEqual([]);
});

test.each<[unknown, string | undefined]>([
  ["0000-00-00 00:00:00", undefined],
  [{ date: "2026-10-05 10:00:01.000000", timezone: "Europe/Berlin" }, undefined],
  [1_791_187_201, "2026-10-05T08:00:01.000Z"],
  ["2026-10-05", "2026-10-05"],
])("the timestamp %j is read as %s", async (createDate, expected) => {
  expect((await readListed({ createDate }))?.created_at).toBe(expected);
});

const calls: Record<string, (client: LandingPages) => Promise<unknown>> = {
  list: ({ pages }) => pages.list(),
  create: ({ pages }) => pages.create(somePage),
  update: ({ pages }) => pages.update("p1", { title }),
  delete: ({ pages }) => pages.delete("p1"),
  track: ({ analytics }) => analytics.track({ pageId: "p1" }),
};
const msg = "The plan has no more pages.";

test.each<object>([
  { success: false, msg },
  { ok: false, id: "p1", msg },
  { isSuccess: false, data: {}, msg },
  { succeeded: "false", data: [], msg },
  { Success: 0, msg },
  { Result: false, Data: null, msg },
  { status: false, msg },
  { hasError: true, result: [], msg },
  { isError: true, msg },
  { errors: [{ code: 7 }], msg },
  { fault: { faultcode: "Client" }, msg },
  { err: "E7", msg },
  { errorCode: "X", items: [], msg },
  { errcode: 40001, msg },
  { error_code: 100, msg },
  { ret: -1, data: [], msg },
  { code: 401, result: [], msg },
  { code: 40001, data: null, msg },
  { code: "A0301", data: [], msg },
  { code: "TOKEN_EXPIRED", data: null, msg },
  { status: "OVER_QUERY_LIMIT", results: [], msg },
  { status: "B0301", result: null, msg },
  { retcode: 1001, retmsg: msg },
  { status: -1, msg },
  { isOk: false, msg },
  { __type: "ValidationException", msg },
  { violations: [{ propertyPath: "slug" }], msg },
  { results: [{ status: "error", msg }] },
  { resultCode: "FAIL", msg },
  { status: 422, msg },
  { status: "error", id: "p1", msg },
  { status: 0, data: [], msg },
  { meta: { code: 400 }, data: [], msg },
  { status: { code: 401 }, list: [], msg },
  { head: { success: false }, body: {}, msg },
  { data: { pageUpdate: { page: null, userErrors: [{ field: ["slug"] }] } }, msg },
  { "soap:Envelope": { "soap:Body": { "soap:Fault": { faultcode: "soap:Client", faultstring: msg } } } },
  { deletePageResponse: { ok: false, msg } },
  [{ success: false, msg }],
])("every call fails with the message of a success with %j", async (refusal) => {
  for (const call of Object.values(calls)) {
    const { client } = scripted([json(refusal)]);

    const error = await failureOf(call(client));

    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(String(error)).toContain(`got a reported failure, which says: ${msg})`);
  }
});

test.each([{ deleted: false }, { id: "p1", deleted: false }, false])("a delete with %j failed", async (body) => {
  const { client } = scripted([json(body)]);

  expect(String(await failureOf(client.pages.delete("p1")))).toContain("got a reported failure");
});

test.each<object>([
  { code: 0, msg: "No error", data: null },
  { code: 1, message: "done" },
  { code: "S000", message: "It is gone." },
  { code: "PAGE_DELETED", message: "It is gone." },
  { code: 200, message: "Gone for good" },
  { code: "00000", msg: "done" },
  { status: "OK", errors: [] },
  { status: "SUCCESS", error: null, errorCode: 0, errmsg: "ok" },
  { status: 0, msg: "" },
  { status: "NO_ERROR", result: "Nothing failed." },
  { ret: 0, errno: "0" },
  { error: { code: 0, message: "none" } },
  { success: true, hasErrors: false, failed: 0, userErrors: [] },
  { data: { userErrors: [], errors: { slug: [] } } },
  { job: { status: "failed" }, message: "A second job was started." },
])("a success with %j succeeds", async (body) => {
  const { client } = scripted([json(body)]);

  await expect(client.pages.delete("p1")).resolves.toBeUndefined();
  await expect(client.analytics.track({ pageId: "p1" })).resolves.toBeUndefined();
  await expect(client.pages.update("p1", { title })).resolves.toMatchObject({ id: "p1", title });
});

test.each<object>([
  { status: "failed", error: "DNS is not verified." },
  { code: 401, success: false },
  { result: false, deleted: false, errors: [{ field: "cta" }] },
  { fault: { at: 1 } },
])("a page whose own fields are %j reports no failure", async (fields) => {
  const { id, ...unnamed } = page;
  const own = { ...page, domains: [], ...fields };
  const wrapped = { id, ...fields, attributes: unnamed };
  for (const body of [own, { code: 0, data: own }, { data: wrapped }]) {
    const { client } = scripted([json(body)]);

    expect(await client.pages.create(somePage)).toMatchObject({ id, title, slug });
    expect(await client.pages.update("p1", { title })).toMatchObject({ id, title, ...fields });
    await expect(client.pages.delete("p1")).resolves.toBeUndefined();
  }
  expect((await scripted([json([own])]).client.pages.list()).data).toMatchObject([{ id, ...fields }]);
  expect((await scripted([json({ items: [own] })]).client.pages.list()).data).toMatchObject([{ id, ...fields }]);
});

const ofUrl = { pointer: "#/cta/url", detail: "bad" };
const badSlug = { pointer: "#/slug", detail: "is bad" };
const taken = { pointer: "#/slug", detail: "taken" };
const errors = [{ pointer: "#/title", detail: "too long" }];

test.each<[string, unknown, string, object[]]>([
  ["a problem", { type: "about:blank", title: "Bad Request", detail: "two fields", errors }, "two fields", errors],
  ["an error object", { error: { type: "invalid", message: "no good" } }, "no good", []],
  ["an error string", { error: "no good" }, "no good", []],
  ["a message", { message: "no good" }, "no good", []],
  ["a list of errors", { errors: [{ field: "slug", message: "taken" }] }, "taken", [taken]],
  ["a list of strings", ["no good"], "no good", [{ pointer: "", detail: "no good" }]],
  ["a map of errors", { errors: { slug: ["taken", "ugly"] } }, "taken", [taken, { ...taken, detail: "ugly" }]],
  ["a path in steps", { errors: [{ path: ["cta", "url"], message: "bad" }] }, "bad", [ofUrl]],
  ["an envelope of any name", { reply: { version: "1.0", error: { code: "X1", message: "no good" } } }, "no good", []],
  ["an error, beside notices", { notices: [{ id: "n1", title: "Maintenance" }], error: "no good" }, "no good", []],
  ["the data of an error", { error: { message: "Server Error", data: { message: "no good" } } }, "no good", []],
  ["the name of an error, without a sentence", { error: { code: 400, message: "Server Error" } }, "Server Error", []],
  ["a message, beside details", { details: "at line 7 of page.rb", message: "no good" }, "no good", []],
  ["a message, beside a state", { error: "Bad Request", message: "no good", path: "/api/content" }, "no good", []],
  ["a title, beside errors", { title: "Two are wrong.", errors: { Slug: ["taken"] } }, "Two are wrong.", [taken]],
  ["errors of the whole body", { non_field_errors: ["no good"] }, "no good", []],
  ["an error that names the page", { errors: [{ target: "page", message: "no good" }] }, "no good", []],
  [
    "messages for one field",
    { message: [{ property: "slug", constraints: { isSlug: "is bad" } }] },
    "is bad",
    [badSlug],
  ],
])("the message of an error is found in %s", async (_title, body, detail, errors) => {
  const { client } = scripted([json(body, 400)]);

  const error = await failureOf(client.pages.list());

  expect(error).toMatchObject({ name: "BadRequestError", problem: { detail, errors } });
});

const bad = "is not acceptable";

test.each<[object, string]>([
  [{ errors: [{ field: "$.slug", message: bad }] }, "slug"],
  [{ errors: [{ fieldName: "MetaDescription", errorMessage: bad }] }, "meta_description"],
  [{ errors: [{ source: { pointer: "/data/attributes/cta-url" }, title: "Invalid", detail: bad }] }, "cta.url"],
  [{ errors: { "Cta.Url": [bad] } }, "cta.url"],
  [{ errors: { cta: { url: [bad] } } }, "cta.url"],
  [{ cta: { url: [bad] } }, "cta.url"],
  [{ error: { slug: [bad] } }, "slug"],
  [{ error: "Bad Request", errors: { slug: [{ error: bad }] } }, "slug"],
  [{ detail: [{ loc: ["body", "cta", "label"], msg: bad }] }, "cta.label"],
  [{ detail: [{ loc: ["query", "limit"], msg: bad }] }, "limit"],
  [{ violations: [{ propertyPath: "createPage.request.title", message: bad }] }, "title"],
  [{ "invalid-params": [{ name: "content", reason: bad }] }, "content"],
  [{ errors: [{ name: "landing_page[cta_url]", message: bad }] }, "cta.url"],
  [{ error: { details: [{ fieldViolations: [{ field: "page.slug", description: bad }] }] } }, "slug"],
  [{ data: { pageUpdate: { userErrors: [{ field: ["page", "slug"], message: bad }] } } }, "slug"],
  [{ details: { causes: [{ reason: "FieldValueInvalid", message: bad, field: "spec.slug" }] } }, "slug"],
  [{ error: { param: "cta[url]", message: bad } }, "cta.url"],
  [{ errors: [{ context: "PageId", message: bad }] }, "pageId"],
  [{ errors: [{ field: "author.title", message: bad }] }, "author.title"],
])("the wrong field of %j is %s", async (body, field) => {
  const { client } = scripted([json(body, 400)]);

  const error = await failureOf(client.pages.update("p1", { title }));

  expect(error).toMatchObject({ fieldErrors: { [field]: bad } });
  expect(Object.keys((error as BadRequestError).fieldErrors)).toEqual([field]); // why: the line before has checked it
});

test.each<[string, string, string]>([
  ["plain text", "  no\n  good ", "no good"],
  ["the title of HTML", "<!doctype html><html><head><title>400 No good</title></head></html>", "400 No good"],
  ["HTML without text", "<html></html>", "an HTML page"],
  ["an empty body", "", ""],
  ["half of JSON", '{"message":"no g', '{"message":"no g'],
])("the message of an error that is no JSON is %s", async (_title, body, detail) => {
  const { client } = scripted([html(body, 400)]);

  expect(await failureOf(client.pages.list())).toMatchObject({ problem: { detail, errors: [] } });
});

test("the name of a field is not the message of an error", async () => {
  const body = { data: [{ code: "X2", details: { api_name: "title" }, message: "The title is blank." }] };

  const message = "Create page failed: 400 Bad Request (The title is blank.)";
  expect(await failureOf(create(body, 400))).toMatchObject({ message });
});

test("an error quotes at most 500 characters of a body", async () => {
  const { client } = scripted([new Response("z".repeat(60_000), { status: 400 })]);

  const shown = JSON.stringify(await failureOf(client.pages.list()));

  expect(shown.match(/z+/g)?.map((run) => run.length)).toEqual([499, 499, 499]);
});
