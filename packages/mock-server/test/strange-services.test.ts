import type { AnswerTemplates, DialectFile } from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { checkService, type CheckReport } from "../src/check.ts";
import { createMockService, type DialectChoice, type MockService } from "../src/index.ts";
import { somePage } from "./client.ts";
import { type Fetch, type Named, renamePages } from "./renamed-pages.ts";

function check(fetch: Fetch, compare?: DialectFile): Promise<CheckReport> {
  const options = { baseUrl: "https://service.example", apiKey: "test_check", runId: "abcdef12" };
  return checkService({ ...options, ...(compare !== undefined && { compare }), fetch, sleep: () => Promise.resolve() });
}

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

test.for([
  { message: "No pages found" },
  { error: { text: "This account is as good as new." } },
  { oh: "Gone fishing" },
])(
  "a service that responds to an empty list with 404 and %o is checked, and the check learns that response",
  async (body) => {
    const report = await check(emptyIsNotFound(JSON.stringify(body)));

    expect(report).toMatchObject({ ok: true, leftovers: [], unexplained: [] });
    expect(report.dialect.answers).toEqual({ emptyList: { status: 404, body } });
    const learned = await send(createMockService({ dialect: report.dialect }), "GET", "/api/content");
    expect([learned.status, await learned.json()]).toEqual([404, body]);
  },
);

const lost: Fetch = () => Promise.resolve(Response.json({ message: "No pages found" }, { status: 404 }));

test("a service that responds with 404 to everything has nothing to check", async () => {
  await expect(check(lost)).rejects.toThrow("Is the base URL right?");
});

const renamed: [string, DialectChoice, (page: Named) => string][] = [
  ["the slug and slashes", {}, ({ slug, id }) => `site/${slug}/${id}`],
  ["the slug alone", { switches: { "slug-unique": "refused-409" } }, ({ slug }) => slug],
  ["zero-padded digits", { switches: { "page-id-type": "integer" } }, ({ id }) => id.padStart(6, "0")],
  [
    "more digits than a JavaScript number can hold",
    { switches: { "page-id-type": "integer" } },
    ({ id }) => `14458805484723281${id}`,
  ],
  ["a URN", { switches: { "page-id-type": "integer" } }, ({ id }) => `urn:lp:page:${id}`],
];

test.for(renamed)("a check learns identifiers made of %s, and the mock accepts them", async ([, dialect, nameOf]) => {
  const eventful: DialectChoice = {
    ...(dialect as object),
    answers: { trackEvent: { status: 200, body: { ok: true } } },
  }; // why: none is a name
  const report = await check(renamePages(createMockService({ dialect: eventful }), nameOf));

  expect(report).toMatchObject({ ok: true, leftovers: [], unexplained: [] });
  expect(report.dialect.answers).toMatchObject({ trackEvent: { status: 200, body: { ok: true } } });
  const service = createMockService({ dialect: report.dialect });
  const created = await send(service, "POST", "/api/content", somePage);
  const { id } = (await created.json()) as { id: string }; // why: the next line checks it
  expect(typeof id).toBe("string");
  const path = `/api/content/${encodeURIComponent(id)}`;
  const event = { pageId: id, timestamp: "2026-03-01T12:00:00Z" };
  expect((await send(service, "PUT", path, { title: "New" })).status).toBe(200);
  expect((await send(service, "POST", "/api/analytics/view", event)).status).toBe(200);
  expect((await send(service, "DELETE", path)).status).toBe(204);
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
  const report = await check(
    rewrite(
      (request) => service.fetch(request),
      (text) => text.replaceAll(/"id":"pg_\w+",/g, "").replaceAll('"slug":', `"${name}":`),
    ),
  );

  expect(service.account("test_check").pages).toHaveLength(2);
  expect(report.leftovers).toEqual(["landing-page-check-abcdef12", "landing-page-check-abcdef12-short"]);
  const identifier = report.statements.find(({ id }) => id === "page-identifier");
  expect(identifier?.note).toContain("so no other page was created");
});

test("two checks of an unchanged service write the same file, even if the base URL differs", async () => {
  const linked = (origin: string): Fetch =>
    rewrite(
      (request) => createdBy.fetch(request),
      (text) => text.replaceAll(/"id":"(pg_\w+)"/g, `"id":"$1","self":"${origin}/api/content/$1?rev=${text.length}"`),
    );
  const createdBy = createMockService();
  const options = { apiKey: "test_check", sleep: () => Promise.resolve() };

  const one = await checkService({ ...options, baseUrl: "https://one.example", fetch: linked("https://one.example") });
  const other = await checkService({
    ...options,
    baseUrl: "http://127.0.0.1:8080",
    fetch: linked("http://127.0.0.1:8080"),
    compare: one.dialect,
  });

  expect(other.drift).toEqual([]);
  expect(JSON.stringify(one.dialect)).toContain("{origin}/api/content/{id:url}?rev=");
  expect(JSON.stringify(one.dialect)).not.toContain("one.example");
});

test("if a malformed body gets another error than a wrong field, the check learns both", async () => {
  const error = { body: { errors: { "{error.field:pascal}": ["{error.detail}"] } } };
  const malformed = { status: 422, body: { fault: "MALFORMED" } };
  const service = createMockService({ dialect: { answers: { error, errors: { malformed } } } });
  const report = await check((request) => service.fetch(request));

  const learned = createMockService({ dialect: report.dialect });
  const wrong = await send(learned, "POST", "/api/content", { ...somePage, slug: "Not A Slug" });
  expect([wrong.status, Object.keys(((await wrong.json()) as { errors: object }).errors)]).toEqual([400, ["Slug"]]); // why: it is as the dialect says
  const none = await send(learned, "POST", "/api/content", "{nope");
  expect([none.status, await none.json()]).toEqual([422, { fault: "MALFORMED" }]);
});

test("if only the error for malformed JSON has a message, the check learns it separately", async () => {
  const malformed = { body: { fault: "{detail}" }, headers: { "Content-Type": "" } };
  const service = createMockService({ dialect: { answers: { errors: { "400": {}, malformed } } } });

  const report = await check((request) => service.fetch(request));

  const learned = createMockService({ dialect: report.dialect });
  const wrong = await send(learned, "POST", "/api/content", { ...somePage, slug: "Not A Slug" });
  expect([wrong.status, await wrong.text()]).toEqual([400, ""]);
  const none = await send(learned, "POST", "/api/content", "{nope");
  expect([none.status, JSON.parse(await none.text())]).toEqual([400, { fault: expect.any(String) }]);
});

function send(service: MockService, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { Authorization: "Bearer test_demo", "Content-Type": "application/json" };
  return service.fetch(service.baseUrl + path, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

test.for<[string, AnswerTemplates["listedPage"], AnswerTemplates["updatePage"]]>([
  ["no other response", { id: "{id}", slug: "{slug}" }, { status: 204 }],
  ["only an update", { id: "{id}", slug: "{slug}" }, { body: "{page}" }],
  ["only a list of names", { id: "{id}", slug: "{slug}", domains: ["{domain.name}"] }, { status: 204 }],
])(
  "a check learns the domains of the page in the response to an event if %s shows them",
  async ([, listedPage, updatePage]) => {
    const forms = [{ "{domain.name}": "{domain.url}" }, ["{domain.url}"], [{ host: "{domain.name}" }]];
    for (const [domains, isDeep] of forms.flatMap((form) => [[form, false] as const, [form, true] as const])) {
      const fields = { slug: "{slug}", title: "{title}", domains };
      const page = { id: "{id}", ...(isDeep ? { attributes: fields } : fields) };
      const createPage = { status: 201, body: { id: "{id}" } };
      const trackEvent = { status: 200, body: { event: { at: "{event.timestamp}" }, page } };
      const service = createMockService({
        dialect: { answers: { page, listedPage, createPage, updatePage, trackEvent } },
      });

      const { dialect, unexplained } = await check((request) => service.fetch(request));

      expect(unexplained).toEqual([]);
      expect(JSON.stringify(dialect)).not.toContain(".example");
    }
  },
);
