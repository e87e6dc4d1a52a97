import type { AnswerTemplates, DialectFile } from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { create, list, post, remove, somePage, track, update } from "./client.ts";
import { checkFetch, type Fetch, type Named, renamePages } from "./renamed-pages.ts";

/** A service that responds to a list without pages with a 404 and this body. */
function emptyIsNotFound(body: string): Fetch {
  const service = createMockService();
  return async (request) => {
    const response = await service.fetch(request);
    const isList = request.method === "GET" && response.status === 200;
    if (!isList || !(await response.clone().text()).includes('"data":[]')) return response;
    const headers = new Headers(response.headers);
    headers.set("Content-Type", "application/json");
    return new Response(body, { status: 404, headers });
  };
}

test.for([{ message: "No pages found" }, { error: { text: "It is as good as new." } }, { oh: "Gone fishing" }])(
  "a check learns a 404 with %o for an empty list",
  async (body) => {
    const report = await checkFetch(emptyIsNotFound(JSON.stringify(body)));

    expect(report).toMatchObject({ ok: true, leftovers: [], unexplained: [] });
    expect(report.dialect.answers).toEqual({ emptyList: { status: 404, body } });
    const learned = await list(createMockService({ dialect: report.dialect }));
    expect([learned.status, learned.body]).toEqual([404, body]);
  },
);

const lost: Fetch = async () => Response.json({ message: "No pages found" }, { status: 404 });

test("a service that responds with 404 to everything has nothing to check", async () => {
  await expect(checkFetch(lost)).rejects.toThrow("Is the base URL right?");
});

const uniqueSlugs = { "slug-unique": "refused-409" } as const;
const integers = { "page-id-type": "integer" } as const;

test.for<[string, NonNullable<DialectFile["switches"]>, (page: Named) => string]>([
  ["the slug and slashes", {}, ({ slug, id }) => `site/${slug}/${id}`],
  ["the slug alone", uniqueSlugs, ({ slug }) => slug],
  ["zero-padded digits", integers, ({ id }) => id.padStart(6, "0")],
  ["more digits than a JavaScript number can hold", integers, ({ id }) => `14458805484723281${id}`],
  ["a URN", integers, ({ id }) => `urn:lp:page:${id}`],
])("a check learns identifiers made of %s, and the mock accepts them", async ([, switches, nameOf]) => {
  const trackEvent = { status: 200, body: { ok: true } };
  const served = createMockService({ dialect: { switches, answers: { trackEvent } } });

  const report = await checkFetch(renamePages(served, nameOf));

  expect(report).toMatchObject({ ok: true, leftovers: [], unexplained: [], dialect: { answers: { trackEvent } } });
  const service = createMockService({ dialect: report.dialect });
  const { id } = await create(service);
  expect(typeof id).toBe("string");
  const path = encodeURIComponent(id);
  const responses = [
    await update(service, path, { title: "New" }),
    await track(service, id),
    await remove(service, path),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 204]);
});

/** Rewrites the response bodies of a service. */
function rewrite(fetch: Fetch, write: (text: string) => string): Fetch {
  return async (request) => {
    const response = await fetch(request);
    const text = await response.text();
    const headers = new Headers(response.headers);
    headers.delete("Location");
    return new Response(text === "" ? null : write(text), { status: response.status, headers });
  };
}

test.for([
  ["no response has an identifier", "code"],
  ["no value in a response addresses a page", "slug"],
])("a check creates no third page if %s", async ([, name]) => {
  const service = createMockService();
  const unnamed = (text: string) => text.replaceAll(/"id":"pg_\w+",/g, "").replaceAll('"slug":', `"${name}":`);

  const report = await checkFetch(rewrite(service.fetch, unnamed), { runId: "abcdef12" });

  expect(service.account("test_check").pages).toHaveLength(2);
  expect(report.leftovers).toEqual(["landing-page-check-abcdef12", "landing-page-check-abcdef12-short"]);
  const identifier = report.statements.find(({ id }) => id === "page-identifier");
  expect(identifier?.note).toContain("so no other page was created");
});

test("two checks of an unchanged service write the same file, even if the base URL differs", async () => {
  const service = createMockService();
  const check = (baseUrl: string, compare?: DialectFile) => {
    const link = `"id":"$1","self":"${baseUrl}/api/content/$1?rev=`;
    const fetch = rewrite(service.fetch, (text) => text.replaceAll(/"id":"(pg_\w+)"/g, `${link}${text.length}"`));
    return checkFetch(fetch, { baseUrl, compare });
  };

  const one = await check("https://one.example");
  const other = await check("http://127.0.0.1:8080", one.dialect);

  expect(other.drift).toEqual([]);
  expect(JSON.stringify(one.dialect)).toContain("{origin}/api/content/{id:url}?rev=");
  expect(JSON.stringify(one.dialect)).not.toContain("one.example");
});

const codes = { body: { errors: { "{error.field:pascal}": ["{error.detail}"] } } };
const told = { body: { fault: "{detail}" }, headers: { "Content-Type": "" } };

test.for<[string, Partial<AnswerTemplates>, wrong: [number, string], malformed: [number, string]]>([
  [
    "another error than a wrong field",
    { error: codes, errors: { malformed: { status: 422, body: { fault: "MALFORMED" } } } },
    [400, '{"errors":{"Slug":'],
    [422, '{"fault":"MALFORMED"}'],
  ],
  ["the only message", { errors: { "400": {}, malformed: told } }, [400, ""], [400, '{"fault":"']],
])("if malformed JSON gets %s, the check learns both", async ([, answers, ...expected]) => {
  const served = createMockService({ dialect: { answers } });

  const { dialect } = await checkFetch(served.fetch);

  const learned = createMockService({ dialect });
  const responses = [
    await post(learned, { body: { ...somePage, slug: "A B" } }),
    await post(learned, { body: "{nope" }),
  ];
  const starts = responses.map(({ status, text }, index) => [status, text.slice(0, expected[index]?.[1].length)]);
  expect(starts).toEqual(expected);
});

test.for<[string, isDeep: boolean, AnswerTemplates["listedPage"], AnswerTemplates["updatePage"]]>([
  ["no other response", false, { id: "{id}", slug: "{slug}" }, { status: 204 }],
  ["only an update", true, { id: "{id}", slug: "{slug}" }, { body: "{page}" }],
  ["only a list of names", true, { id: "{id}", slug: "{slug}", domains: ["{domain.name}"] }, { status: 204 }],
])("a check learns the domains of an event's page if %s shows them", async ([, isDeep, listedPage, updatePage]) => {
  for (const domains of [{ "{domain.name}": "{domain.url}" }, ["{domain.url}"], [{ host: "{domain.name}" }]]) {
    const fields = { slug: "{slug}", title: "{title}", domains };
    const page = { id: "{id}", ...(isDeep ? { attributes: fields } : fields) };
    const createPage = { status: 201, body: { id: "{id}" } };
    const trackEvent = { status: 200, body: { event: { at: "{event.timestamp}" }, page } };
    const answers = { page, listedPage, createPage, updatePage, trackEvent };

    const { dialect, unexplained } = await checkFetch(createMockService({ dialect: { answers } }).fetch);

    expect(unexplained).toEqual([]);
    expect(JSON.stringify(dialect)).not.toContain(".example");
  }
});
