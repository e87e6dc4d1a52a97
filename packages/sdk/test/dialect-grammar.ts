// Services nobody has described: a grammar of how they word their answers, and a small service that speaks one of them.
import * as fc from "fast-check";
import { affix, named } from "./dialect-naming.ts";

type Json = Record<string, unknown>;

/** Everything in which one generated service differs from another. */
export type Wording = typeof wording extends fc.Arbitrary<infer Value> ? Value : never;

const neutral = fc.constantFrom(
  "data",
  "result",
  "response",
  "payload",
  "page",
  "item",
  "record",
  "landingPage",
  "content",
  "entry",
  "document",
  "createdPage",
);
const decoyNames = [
  "audit",
  "request",
  "ids",
  "author",
  "task",
  "links",
  "pictures",
  "errors",
  "included",
  "meta",
  "timing",
] as const;

/** All that is generated of a service; each part is independent of the others. */
export const wording = fc.record({
  spelling: fc.constantFrom("snake", "camel", "pascal", "prefixed"),
  affix,
  text: fc.constantFrom(
    "plain",
    "raw",
    "value",
    "language",
    "languages",
    "default",
    "locales",
    "typed",
    "stringValue",
    "array",
  ),
  cta: fc.constantFrom("object", "text", "flat", "value", "array"),
  split: fc.constantFrom(
    "none",
    "attributes",
    "fields",
    "properties",
    "_source",
    "node",
    "doc",
    "slugOutside",
    "current_revision",
  ),
  idName: fc.constantFrom(
    "id",
    "_id",
    "ID",
    "$id",
    "uuid",
    "uid",
    "sid",
    "pk",
    "page_id",
    "pageId",
    "PageId",
    "contentId",
    "documentId",
    "guid",
    "landing_page_id",
    "objectID",
    "@id",
    "entryId",
    "controlNumber",
  ),
  idPlace: fc.constantFrom("record", "sys", "meta", "metadata"),
  idType: fc.constantFrom("counter", "text", "uuid", "huge", "slash", "oid", "digits", "spaces"),
  envelope: fc.array(neutral, { maxLength: 3 }),
  arrayOfOne: fc.boolean(),
  create: fc.constantFrom(
    "whole",
    "id",
    "location",
    "insertedId",
    "echo",
    "self",
    "summary",
    "jsonText",
    "several",
    "list201",
    "text",
    "name",
    "service",
  ),
  update: fc.constantFrom("whole", "empty", "flag", "changes", "count", "id", "text", "old-id", "null"),
  listEnvelope: fc.array(fc.constantFrom("data", "result", "response", "payload", "_embedded", "account"), {
    maxLength: 2,
  }),
  listName: fc.constantFrom(
    "",
    "data",
    "items",
    "results",
    "pages",
    "content",
    "records",
    "rows",
    "entries",
    "docs",
    "hits",
    "value",
    "nodes",
    "edges",
    "landing_pages",
    "Items",
    "artikel",
  ),
  listForm: fc.constantFrom("array", "array", "array", "map", "pairs", "jsonText", "counted"),
  elementWrap: fc.constantFrom("", "", "page", "node", "_source", "doc", "resource"),
  listed: fc.constantFrom("whole", "summary", "idTitle", "idSlug"),
  empty: fc.constantFrom("same", "null", "204", "404", "left out"),
  total: fc.constantFrom(
    "none",
    "total",
    "totalCount",
    "meta.total",
    "text",
    "hits.total.value",
    "header",
    "range",
    "lying",
  ),
  domains: fc.constantFrom(
    "objects",
    "names",
    "urls",
    "one",
    "schemeless",
    "map",
    "parts",
    "html_url",
    "publicUrl",
    "nested",
    "split",
    "none",
    "comma",
    "states",
    "publish",
    "publishedOn",
    "urns",
  ),
  time: fc.constantFrom("iso", "seconds", "milliseconds", "dateObject", "text", "none"),
  clamp: fc.constantFrom(100, 7),
  newestFirst: fc.boolean(),
  decoys: fc.uniqueArray(fc.constantFrom(...decoyNames), { maxLength: 5 }),
  error: fc.constantFrom(
    "problem",
    "message",
    "errors",
    "map",
    "nested",
    "fastapi",
    "context",
    "text",
    "jsonapi",
    "graphql",
    "chain",
    "lists",
  ),
});

/** A page as the small service stores it. */
export interface Stored {
  readonly number: number;
  fields: Json;
  readonly domains: { readonly name: string; readonly url: string }[];
}

/** A service that speaks as worded. */
export function speak(words: Wording) {
  const pages: Stored[] = [];
  let made = 0;
  const store = (fields: Json): Stored => {
    const number = (made += 1) - 1;
    const host = `d${number % 3}.shoes.example`;
    const domains = [
      { name: host, url: `https://${host}/${String(fields["slug"])}` },
      { name: "all.example", url: `https://all.example/p${number}` },
    ];
    const stored = { number, fields, domains };
    pages.push(stored);
    return stored;
  };
  const fetch = async (url: string, { method, body }: { method: string; body?: string }): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    const sent = body === undefined ? {} : (JSON.parse(body) as Json);
    const id = decodeURIComponent(pathname.slice("/api/content/".length));
    const page = pages.find((each) => idOf(words, each) === id);
    if (pathname.startsWith("/api/analytics")) return answer(202, { taskId: "t_1" });
    if (method === "POST") return createAnswer(words, store(sent));
    if (method === "GET")
      return listAnswer(words, pages, Number(searchParams.get("limit") ?? 20), Number(searchParams.get("offset") ?? 0));
    if (page === undefined) return errorAnswer(words);
    if (method === "DELETE") {
      pages.splice(pages.indexOf(page), 1);
      return answer(200, { deleted: 1 });
    }
    page.fields = { ...page.fields, ...sent };
    return updateAnswer(words, page, sent);
  };
  return { fetch, pages, store };
}

/** The identifier of a page as it goes into a path. */
export function idOf({ idType }: Wording, { number }: Stored): string {
  const forms: Record<Wording["idType"], string> = {
    counter: String(number),
    text: `pg_${number}x`,
    uuid: `0f8fad5b-d9cb-469f-a165-${String(number).padStart(12, "0")}`,
    huge: String(2n ** 60n + BigInt(number)),
    slash: `shop/pages/${number}`,
    oid: String(number).padStart(24, "a"),
    digits: String(1000 + number),
    spaces: `page no. ${number}`,
  };
  return forms[idType];
}

function writtenId(words: Wording, page: Stored): unknown {
  const id = idOf(words, page);
  if (words.idType === "counter") return Number(id);
  if (words.idType === "huge") return `HUGE${id}EGUH`;
  return words.idType === "oid" ? { $oid: id } : id;
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  // A number that JSON.stringify could not write.
  const text = JSON.stringify(body)
    ?.replaceAll('"KEY', '"')
    .replaceAll(/"HUGE(\d+)EGUH"/g, "$1")
    .replaceAll(/\\"HUGE(\d+)EGUH\\"/g, "$1");
  return new Response(status === 204 ? null : text, {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

const spell: Record<Wording["spelling"], (name: string) => string> = {
  snake: (name) => name,
  camel: (name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  pascal: (name) => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  prefixed: (name) => (name.endsWith("_at") ? name : `page_${name}`),
};

const inForm: Record<Wording["text"], (text: string) => unknown> = {
  plain: (text) => text,
  raw: (raw) => ({ raw, rendered: `<p>${raw}</p>` }),
  value: (value) => ({ value }),
  language: (text) => ({ "de-CH": text }),
  languages: (en) => ({ de: "Etwas anderes", en }),
  default: (text) => ({ "de-DE": "Etwas anderes", "en-GB": text, default: "en-GB", _type: "localeText" }),
  locales: (value) => [
    { locale: "de-DE", value: "Etwas anderes" },
    { locale: "en-US", value },
  ],
  typed: (text) => ({
    id: "f1",
    type: "rich_text",
    rich_text: [{ plain_text: text.slice(0, 3) }, { plain_text: text.slice(3) }],
  }),
  stringValue: (stringValue) => ({ stringValue }),
  array: (text) => [text],
};

function ctaMembers({ cta, spelling }: Wording, value: unknown): Json {
  const name = spell[spelling]("cta");
  const { type, label, url } = value as Json; // why: what was sent was checked
  if (cta === "text") return { [name]: JSON.stringify(value) };
  if (cta === "flat") return { cta_type: type, cta_label: label, cta_url: url };
  if (cta === "value") return { [name]: { value } };
  return { [name]: cta === "array" ? [value] : value };
}

function timeMembers({ time, spelling }: Wording): Json {
  const atMs = Date.UTC(2026, 0, 31, 12);
  const forms: Record<Wording["time"], unknown> = {
    iso: "2026-01-31T12:00:00Z",
    seconds: atMs / 1000,
    milliseconds: atMs,
    dateObject: { $date: "2026-01-31T12:00:00Z" },
    text: "Sat, 31 Jan 2026 12:00:00 GMT",
    none: undefined,
  };
  return { [spell[spelling]("created_at")]: forms[time] };
}

function domainMembers({ domains: form }: Wording, { domains }: Stored): Json {
  const [first] = domains;
  const { name = "", url = "" } = first ?? {};
  const forms: Record<Wording["domains"], Json> = {
    objects: { domains },
    names: { hosts: domains.map((domain) => domain.name) },
    urls: { urls: domains.map((domain) => domain.url) },
    one: { domain: name },
    schemeless: { public_link: url.replace("https://", "") },
    map: { domains: Object.fromEntries(domains.map((domain) => [domain.name, domain.url])) },
    parts: { site: { scheme: "https", host: name, path: new URL(url).pathname } },
    html_url: { url: "https://service.example/api/content/1", html_url: url },
    publicUrl: { publicUrl: url },
    nested: { placements: domains.map((domain) => ({ domain: { host: domain.name }, primary: true })) },
    split: { domain: name, permalink: url },
    none: {},
    comma: { domains: domains.map((domain) => domain.name).join(", ") },
    states: {
      domains: [
        ...domains.map((domain) => ({ host: domain.name, status: "active" })),
        { host: "old.example", status: "inactive" },
        { host: "gone.example", deleted_at: "2026-01-31T12:00:00Z" },
      ],
    },
    publish: { publish: { host: name, by: "ann.example" } },
    publishedOn: { published: { on: domains.map((domain) => domain.name), at: "2026-01-31T12:00:00Z" } },
    urns: { hosts: domains.map((domain) => `urn:lp:domain:${domain.name}`) },
  };
  return forms[form];
}

/** Names of the domains that an answer tells, best first. */
export function toldDomains({ domains: form }: Wording, { domains }: Stored): string[] {
  const names = domains.map(({ name }) => name);
  if (form === "none") return [];
  return ["objects", "names", "urls", "map", "nested", "comma", "states", "publishedOn", "urns"].includes(form)
    ? names
    : names.slice(0, 1);
}

function decoyMembers({ decoys }: Wording, level: "record" | "envelope"): Json {
  const all: Record<(typeof decoyNames)[number], Json> = {
    audit: { audit: { id: "aud_1", actor_id: "u1" }, deployment: { id: "dep_1" }, notifications: [{ id: 8 }] },
    request: { request_id: "req_1", trace: { id: "trace_1" } },
    ids: { account_id: "acc_1", transactionId: "txn_9", revision_id: 3 },
    author: { author: { id: "usr_1", name: "Ann", slug: "ann", url: "https://ann.example", title: "Editor" } },
    task: { task: { id: "task_1", status: "queued" } },
    links: { links: { self: "https://other.example/elsewhere/12", first: "https://x.example/?page=1" } },
    pictures: {
      image: "https://cdn.example/x.png",
      thumbnail_url: "https://cdn.example/t.png",
      avatar: { id: 4, url: "https://cdn.example/a.png" },
    },
    errors: level === "envelope" ? { warnings: [{ id: 1, title: "Slow", detail: "x" }], errors: [] } : {},
    included:
      level === "envelope"
        ? {
            included: [{ id: "u1", type: "users", title: "Dr" }],
            categories: [{ id: 3, title: "Shoes", slug: "shoes" }],
          }
        : {},
    meta: level === "envelope" ? { status: "ok", code: 200, meta: { request_id: "r", version: "2" } } : {},
    timing: { took: 12, durationMs: 3, version: 4 },
  };
  return Object.assign({}, ...decoys.map((name) => all[name])) as Json; // why: each is an object
}

function idMembers(words: Wording, page: Stored): Json {
  const id = { [words.idName]: writtenId(words, page) };
  return words.idPlace === "record" ? id : { [words.idPlace]: id };
}

function record(
  words: Wording,
  page: Stored,
  names: readonly string[] = ["title", "content", "slug", "meta_description"],
): Json {
  const texts = names.flatMap((name) => {
    const value = page.fields[name];
    return typeof value === "string" ? [[spell[words.spelling](name), inForm[words.text](value)]] : [];
  });
  const isWhole = names.length === 4;
  const fields: Json = { ...Object.fromEntries(texts), ...(isWhole ? ctaMembers(words, page.fields["cta"]) : {}) };
  const around = {
    ...decoyMembers(words, "record"),
    ...idMembers(words, page),
    ...timeMembers(words),
    ...domainMembers(words, page),
  };
  if (words.split === "none") return named(words.affix, { ...around, ...fields });
  if (words.split === "current_revision")
    return { ...around, [words.split]: { id: "rev_1", number: 4, ...named(words.affix, fields) } };
  if (words.split !== "slugOutside") return { ...around, [words.split]: named(words.affix, fields) };
  const slug = spell[words.spelling]("slug");
  const { [slug]: outside, ...inside } = fields;
  return { ...around, ...(outside === undefined ? {} : { [slug]: outside }), content: inside };
}

function wrap(words: Wording, value: unknown): unknown {
  const inner = words.arrayOfOne && words.envelope.length > 0 ? [value] : value;
  return words.envelope.reduceRight<unknown>(
    (wrapped, name) => ({ ...decoyMembers(words, "envelope"), [name]: wrapped }),
    inner,
  );
}

function createAnswer(words: Wording, page: Stored): Response {
  const id = writtenId(words, page);
  const Location = `/api/content/${encodeURIComponent(idOf(words, page))}`;
  const thin = { ...decoyMembers(words, "record"), ...idMembers(words, page) };
  switch (words.create) {
    case "whole":
      return answer(201, wrap(words, record(words, page)));
    case "id":
      return answer(200, wrap(words, { success: true, ...thin }));
    case "location":
      return answer(201, page.number % 2 === 0 ? undefined : { ok: true }, { Location });
    case "insertedId":
      return answer(200, { acknowledged: true, insertedId: id });
    case "echo":
      return answer(201, { request: page.fields, ...(wrap(words, thin) as Json) });
    case "self":
      return answer(
        201,
        wrap(words, {
          ...page.fields,
          _links: {
            self: { href: `https://service.example${Location}` },
            author: { href: "https://service.example/api/authors/3" },
          },
        }),
      );
    case "summary":
      return answer(201, wrap(words, record(words, page, ["title"])));
    case "jsonText":
      return answer(200, { statusCode: 201, body: JSON.stringify(record(words, page)) });
    case "several":
      return answer(201, [{ ok: true }, { ...page.fields, ...idMembers(words, page) }]);
    case "text":
      return isOpaque(words) ? new Response(idOf(words, page), { status: 201 }) : answer(201, { id });
    case "name":
      return answer(201, undefined, { Location: isOpaque(words) ? `./${idOf(words, page)}` : Location });
    case "service":
      return answer(200, { api: { version: "1.2", payload: { id } } });
    case "list201":
    default:
      return answer(201, { created: [record(words, page)], errors: [] });
  }
}

function updateAnswer(words: Wording, page: Stored, sent: Json): Response {
  switch (words.update) {
    case "whole":
      return answer(200, wrap(words, record(words, page)));
    case "empty":
      return answer(204, undefined);
    case "flag":
      return answer(200, { success: true, transaction: { id: "txn_1" } });
    case "changes":
      return answer(200, { updated: sent });
    case "count":
      return answer(200, { matchedCount: 1, modifiedCount: 1, upsertedId: null });
    case "id":
      return answer(200, wrap(words, idMembers(words, page)));
    case "old-id":
      return answer(200, { id: "txn_77", status: "done", data: { title: sent["title"] } });
    case "null":
      return answer(200, null);
    case "text":
    default:
      return new Response("Updated.");
  }
}

const listedNames: Record<Wording["listed"], string[]> = {
  whole: ["title", "content", "slug", "meta_description"],
  summary: ["title", "slug"],
  idTitle: ["title"],
  idSlug: ["slug"],
};

/** The documented fields that a list shows. */
export function listedFields({ listed }: Wording): readonly string[] {
  return listedNames[listed];
}

function listAnswer(words: Wording, pages: readonly Stored[], limit: number, offset: number): Response {
  const ordered = words.newestFirst ? pages.toReversed() : pages;
  const shown = ordered.slice(offset, offset + Math.min(limit, words.clamp));
  if (pages.length === 0 && words.empty === "204") return answer(204, undefined);
  if (pages.length === 0 && words.empty === "404") return answer(404, { message: "No pages found" });
  const elements = shown.map((page) => {
    const written = record(words, page, listedNames[words.listed]);
    return words.elementWrap === "" ? written : { cursor: "c", [words.elementWrap]: written };
  });
  const list = writeList(words, shown, elements);
  const name = words.listName === "" && words.listEnvelope.length > 0 ? "data" : words.listName;
  const isLeftOut = shown.length === 0 && words.empty === "left out" && words.total === "total";
  const isNull = pages.length === 0 && words.empty === "null";
  const headers: Record<string, string> = {};
  if (words.total === "header") headers["X-Total-Count"] = String(pages.length);
  if (words.total === "range") headers["Content-Range"] = `items ${offset}-${offset + shown.length}/${pages.length}`;
  if (name === "") return answer(200, isNull ? null : list, headers);
  const around = { ...decoyMembers(words, "envelope"), ...totalMembers(words, pages.length, shown.length) };
  const inner: Json = { ...around, ...(isLeftOut ? {} : { [name]: isNull ? null : list }) };
  return answer(
    200,
    words.listEnvelope.reduceRight<unknown>(
      (value, outer) => ({ ...decoyMembers(words, "envelope"), [outer]: value }),
      inner,
    ),
    headers,
  );
}

/** Whether identifiers look like no word, and like no way. */
function isOpaque({ idType }: Wording): boolean {
  return idType === "uuid" || idType === "oid" || idType === "text";
}

function writeList(words: Wording, shown: readonly Stored[], elements: readonly unknown[]): unknown {
  const keyed = shown.map((page, index) => [idOf(words, page), elements[index]] as const);
  // An object would sort keys that are numbers.
  if (words.listForm === "map") return Object.fromEntries(keyed.map(([key, element]) => [`KEY${key}`, element]));
  if (words.listForm === "counted" && shown.length > 0) return Object.assign({ total: shown.length }, elements);
  if (words.listForm === "pairs" && shown.length > 0) return keyed;
  return words.listForm === "jsonText" && words.listName !== "" ? JSON.stringify(elements) : elements;
}

function totalMembers({ total }: Wording, count: number, length: number): Json {
  const forms: Partial<Record<Wording["total"], Json>> = {
    total: { total: count },
    totalCount: { totalCount: count },
    "meta.total": { meta: { total: count } },
    text: { total: String(count) },
    "hits.total.value": { total: { value: count, relation: "eq" } },
    lying: { total: length },
  };
  return forms[total] ?? {};
}

/** The sentence that every error of the small service says somewhere. */
export const errorSentence = "There is no such page here.";

function errorAnswer({ error }: Wording): Response {
  const forms: Record<Wording["error"], unknown> = {
    problem: { type: "about:blank", title: "Not Found", status: 404, detail: errorSentence },
    message: { statusCode: 404, error: "Not Found", message: errorSentence },
    errors: { errors: [{ code: "NOT_FOUND", field: "id", message: errorSentence }] },
    map: { errors: { id: [errorSentence, "x"] } },
    nested: { error: { code: 404, status: "NOT_FOUND", details: [{ reason: errorSentence }] } },
    fastapi: { detail: [{ loc: ["path", "id"], msg: errorSentence, type: "missing" }] },
    context: { errors: [{ message: "Resource not found error", context: errorSentence, type: "NotFoundError" }] },
    text: undefined,
    jsonapi: { errors: [{ status: "404", title: "Not Found", detail: errorSentence, source: { parameter: "id" } }] },
    chain: { errors: [{ code: 1, message: "Resource Error", error_chain: [{ code: 2, message: errorSentence }] }] },
    lists: { "page.id": [{ msg: [errorSentence], args: [] }] },
    graphql: {
      data: null,
      errors: [{ message: errorSentence, path: ["updatePage"], extensions: { code: "NOT_FOUND" } }],
    },
  };
  return error === "text" ? new Response(errorSentence, { status: 404 }) : answer(404, forms[error]);
}
