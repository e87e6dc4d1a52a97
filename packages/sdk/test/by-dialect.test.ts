// A client with a dialect reads responses exactly by it, whether a person wrote it or a check learned it.
import { type DialectFile, dialectPresets } from "@landing-page-service/contract/dialect";
import { createMockService, type DialectChoice } from "@landing-page-service/mock-server";
import { checkService } from "@landing-page-service/mock-server/check";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dialects } from "../../mock-server/test/fixtures/dialects.ts";
import { readBy } from "../src/read/by-dialect.ts";
import { LandingPages, type Page } from "../src/index.ts";
import { failureOf, json, outcomeOf, scripted, somePage } from "./setup.ts";

function clientFor(dialect: DialectChoice, read = readBy(dialect), service = createMockService({ dialect })) {
  const client = new LandingPages({ apiKey: "test_exact", baseUrl: service.baseUrl, fetch: service.fetch, read });
  return { client, stored: () => service.account("test_exact").pages };
}

const toSecond = (timestamp: string | undefined) => timestamp?.slice(0, 19);

/** Expects that a client uses a service of a dialect, and reads every page as it is stored. */
async function expectExact({ client, stored }: ReturnType<typeof clientFor>): Promise<void> {
  const before = await client.pages.list();
  const created: Page[] = [];
  for (const slug of ["one", "two", "three"]) created.push(await client.pages.create({ ...somePage, slug }));
  const storedFirst = stored();
  const listed = await client.pages.iterate({ batchSize: 2 }).toArray({ limit: 10 });
  const [first, second, third] = created.map(({ id }) => id);
  const updated = await client.pages.update(first ?? "", { title: "New" });
  await client.pages.delete(second ?? "");

  expect([before.data, created.map(({ slug }) => slug)]).toEqual([[], ["one", "two", "three"]]);
  for (const { id, domains, created_at, updated_at, slug, ...page } of created) {
    const own = storedFirst.find((one) => one.id === id);
    const { slug: _, meta_description: _description, ...sent } = somePage;
    expect(page).toMatchObject(sent);
    expect(own?.slug).toBe(slug);
    expect([undefined, toSecond(own?.created_at)]).toContain(toSecond(created_at));
    expect([undefined, toSecond(own?.updated_at)]).toContain(toSecond(updated_at));
    const hosts = domains.map(({ name }) => name);
    expect(own?.domains.map(({ name }) => name).slice(0, hosts.length)).toEqual(hosts);
  }
  expect(listed.map(({ id }) => id).toSorted()).toEqual(created.map(({ id }) => id).toSorted());
  // A list may show summaries.
  for (const { title } of listed) expect([undefined, somePage.title]).toContain(title);
  expect(updated).toMatchObject({ id: first, title: "New" });
  expect(stored().map(({ id }) => id)).toEqual([first, third]);
}

const presets = Object.entries<DialectFile>(dialectPresets);

test.each(presets)("a client reads a service with the preset %s by that preset", (_preset, dialect) =>
  expectExact(clientFor(dialect)),
);

test("a client reads a service of any dialect by that dialect", () =>
  fc.assert(fc.asyncProperty(dialects, (dialect) => expectExact(clientFor(dialect)))));

test("a client reads every page by the dialect that a check learned", async () => {
  const dialect = { switches: { "list-envelope": "pages", "page-id": "_id", "error-body": "message" } } as const;
  const service = createMockService({ dialect });
  const { baseUrl, fetch } = service;

  const report = await checkService({ baseUrl, apiKey: "test_check", fetch });

  await expectExact(clientFor(dialect, readBy(report.dialect), service));
});

const odd = {
  switches: { "page-id-type": "integer" as const },
  answers: {
    page: {
      strKey: "{id}",
      strTitle: "{title}",
      body: "{content}",
      path: "/{slug}",
      placements: [{ at: "{domain.url}" }],
      made: "{created_at:seconds}",
      live: true,
      views: 0,
      tags: ["new"],
    },
    createPage: { status: 202, body: { job: "{page}" } },
    listPages: { body: { envelope: [{ rows: ["{listedPage}"], all: "{total:text}" }] } },
    emptyAccount: { status: 404, body: { code: 7 } },
    updatePage: { body: { was: { strTitle: "{previous.title}" }, now: { strTitle: "{changes.title}" } } },
    error: { body: { strFault: "{detail}", strField: "{error.field:pascal}" } },
  },
};

test("all documented fields, domains, the total and fields of its own are where the dialect has them", async () => {
  const { client } = clientFor(odd);

  expect(await client.pages.list()).toEqual({ data: [], limit: 20, offset: 0 });
  const page = await client.pages.create(somePage);
  const { data, total } = await client.pages.list();
  const updated = await client.pages.update(page.id, { title: "New" });

  expect(page).toMatchObject({ ...somePage, id: "1", live: true, strTitle: somePage.title });
  expect(page.domains[0]?.url).toMatch(/^https:\/\/.+\/red-shoes$/);
  expect(page.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect([total, data[0]?.id, data[0]?.slug, data[0]?.["live"]]).toEqual([1, "1", somePage.slug, true]);
  expect(updated).toMatchObject({ id: "1", title: "New" });
});

test("an error has the message and the field from the place that the dialect names", async () => {
  const { client } = clientFor(odd);

  const refused = await failureOf(client.pages.create({ ...somePage, slug: "No Slug" }));
  const missing = await failureOf(client.pages.delete("999"));

  expect(refused).toMatchObject({ name: "BadRequestError", problem: { errors: [{ pointer: "#/slug" }] } });
  expect(String(missing)).toMatch(/^NotFoundError: .*no page "999"/);
});

test.each<[string, (client: LandingPages) => Promise<unknown>, unknown, string]>([
  ["a create", (client) => client.pages.create(somePage), { data: { id: 7, title: "Red" } }, "#/page/id"],
  ["a list", (client) => client.pages.list(), { pages: [{ id: "p1" }, { _id: "p2" }] }, "#/pages/1/id"],
  ["another list", (client) => client.pages.list(), { data: [{ id: "p1" }] }, "#/pages"],
])("an error names the place where the dialect expects a value: %s", async (_title, call, body, pointer) => {
  const read = readBy({ switches: { "record-wrapper": "page", "list-envelope": "pages" } });
  const { client } = scripted([json(body)], { read });

  const error = await failureOf(call(client));

  expect(error).toMatchObject({ name: "ResponseValidationError", problem: { errors: [{ pointer }] } });
  expect(String(error)).toContain(` at ${pointer}, got nothing`);
});

const rows = { listPages: { body: { rows: ["{page}"] } }, emptyList: { body: { total: "{total}" } } };
const facets = [{ field: "status", buckets: [{ id: "live", count: 3 }] }];
const sparse = { page: { id: "{id}" }, listPages: { body: { "pages?": ["{page}"], facets, all: "{total}" } } };
const noPages = { emptyAccount: { status: 404, body: { status: "{status}", detail: "No pages" } } };
const unread = "ResponseValidationError";

test.each<[string, object, Response, unknown]>([
  ["the empty list of the dialect", rows, json({ total: 0 }), []],
  ["a 404 that repeats its status", noPages, json({ status: 404, detail: "No pages" }, 404), []],
  ["no list, beside objects that the dialect has", sparse, json({ facets, all: 0 }), []],
  ["objects that the dialect does not have", sparse, json({ facets, all: 0, rows: [{ id: "p1" }] }), unread],
  ["another list beside the total", rows, json({ total: 0, projects: [{ id: 1 }] }), unread],
  ["a total of 3 without a list", rows, json({ total: 3 }), unread],
])("only what the dialect says is an empty list: %s", async (_title, answers, response, expected) => {
  const { client } = scripted([response], { read: readBy({ answers }) });

  expect(await outcomeOf(client.pages.list().then(({ data }) => data))).toEqual(expected);
});

const said = "The plan has no more pages.";

const reason = { why: "{error.detail}" };
const headline = { at: "/{error.field}", title: "{error.detail}" };
const twice = { ...headline, detail: "{error.detail}" };
const about = { at: "/slug", detail: said };
const ofSlug = { slug: said };

test.each<[string, object, object, object]>([
  [
    "a learned headline",
    { title: "{detail}", errors: [reason] },
    { title: "Bad Request", errors: [{ why: said }] },
    {},
  ],
  ["a message beside the places of the dialect", { title: "{detail}" }, { title: "Bad Request", detail: said }, {}],
  ["another spelling", { at: "{error.field}", why: "{detail}" }, { at: "Cta.Url", why: said }, { "cta.url": said }],
  ["a headline about a field", { errors: [headline] }, { errors: [{ ...about, title: "Validation failed" }] }, ofSlug],
  ["a second place", { errors: [twice] }, { errors: [{ ...about, title: "slug is wrong" }] }, ofSlug],
])("by a dialect, an error has the service's message in spite of %s", async (_title, template, body, fieldErrors) => {
  const { client } = scripted([json(body, 400)], { read: readBy({ answers: { error: { body: template } } }) });

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ problem: { detail: said }, fieldErrors });
});

test("a job in place of the page is an error that says so, and a 202 with the page is read", async () => {
  const read = readBy({ answers: { page: { id: "{id}", slug: "{slug}", title: "{title}" } } });
  const job = json({ id: "job_1", status: "queued" }, 202);
  const { client } = scripted([job, json({ id: "p1", slug: somePage.slug }, 202), job], { read });

  const error = await failureOf(client.pages.create(somePage));

  expect(String(error)).toContain("got a job; a 202 says that the service creates the page later");
  expect(await client.pages.create(somePage)).toMatchObject({ id: "p1" });
  expect(await client.pages.update("p1", { title: "New" })).toMatchObject({ id: "p1", title: "New" });
});

const calls = {
  "a create": (client) => client.pages.create(somePage),
  "a list": (client) => client.pages.list(),
  "an iteration": (client) => client.pages.iterate().toArray({ limit: 10 }),
  "a find": (client) => client.pages.find({ slug: "red-shoes" }),
  "an update": (client) => client.pages.update("7", { title: "New" }),
  "a delete": (client) => client.pages.delete("7"),
  "an event": (client) => client.analytics.track({ pageId: "7" }),
} satisfies Record<string, (client: LandingPages) => Promise<unknown>>;

const own = { page: { id: "{id}" } };
const plain = { createPage: { body: { code: 0, data: "{page}" } }, listPages: { body: { rows: ["{page}"] } } };

test.each([
  ["a create", { createPage: { body: { code: 401, data: "{page}" } } }, { code: 401, data: { id: "7" } }],
  ["an update", { updatePage: { body: { hasError: true } } }, { hasError: true }],
  ["a list", { listPages: { body: { code: 500, rows: ["{page}"] } } }, { code: 500, rows: [] }],
  ["a delete", { deletePage: { status: 200, body: { ok: true, code: 40001 } } }, { ok: true, code: 40001 }],
  ["an event", { trackEvent: { status: 200, body: { success: false } } }, { success: false }],
] as const)("%s that reports a failure fails, unless the dialect has its values", async (name, answers, body) => {
  const response = json({ ...body, message: said });
  const known = scripted([response], { read: readBy({ answers: { ...own, ...answers } }) });
  const unknown = scripted([response], { read: readBy({ answers: { ...own, ...plain } }) });

  await calls[name](known.client);
  const error = await failureOf(calls[name](unknown.client));

  expect(String(error)).toMatch(/^ResponseValidationError: .*The plan has no more pages\./);
});

const done = { outcome: "DONE" };
const outspoken = {
  answers: {
    page: { id: "{id}", title: "{title}", slug: "{slug}" },
    createPage: { status: 200, body: { ...done, page: "{page}" } },
    listPages: { body: { ...done, pages: ["{page}"], total: "{total}" } },
    updatePage: { body: { ...done, page: "{page}" } },
    deletePage: { status: 200, body: done },
    trackEvent: { status: 200, text: "OK" },
    errors: {
      400: { status: 200, body: { outcome: "REFUSED", explanation: "{detail}", "about?": "{error.field}" } },
      401: { status: 202, text: "ERROR {status}: {detail}" },
      404: { status: 200, body: { page: null, absent: "{detail}" } },
      malformed: { status: 200, text: "ERROR {detail}" },
    },
  },
};

const old = { id: "7", title: "Old", slug: "old" };
const refused = { outcome: "REFUSED", explanation: said, about: "slug" };
const failures: [string, Response, string][] = [
  ["an error", json(refused), `, which says: slug: ${said}`],
  ["an error with more fields", json({ ...refused, took: 3 }), `, which says: slug: ${said}`],
  ["an error with another result", json({ ...refused, outcome: "BUSY" }), `, which says: slug: ${said}`],
  ["an error without its message", json({ outcome: "REFUSED" }), ")"],
  ["an error with the page as it was", json({ ...refused, page: old }), `, which says: slug: ${said}`],
  ["an error of the same shape", json({ page: null, absent: said }), `, which says: ${said}`],
  ["a text", new Response(`ERROR ${said}`), `, which says: ${said}`],
];

test.each(failures)("every call fails if its 200 fits a template of errors: %s", async (_title, response, message) => {
  for (const call of Object.values(calls)) {
    const error = await failureOf(call(scripted([response], { read: readBy(outspoken) }).client));

    expect(String(error)).toContain(`got a reported failure${message}`);
  }
});

const named = { outcome: "DONE", page: { id: "7", title: "Red", slug: "red" } };

test.each<[keyof typeof calls, string, Response]>([
  ["a create", "its own template", json(named)],
  ["a create", "its own template, and has a field of the error", json({ ...named, explanation: "kept as a draft" })],
  ["a create", "neither, and has the identifier", json({ ...named, outcome: "QUEUED", explanation: "in an hour" })],
  ["a list", "its own template, and is empty", json({ outcome: "DONE", pages: [], total: 0, explanation: "none yet" })],
  ["an update", "its own template, without the page", json({ outcome: "DONE", page: null })],
  ["a delete", "its own template, and has more fields", json({ outcome: "DONE", explanation: "in 3 ms", about: "7" })],
  ["a delete", "neither", json({ outcome: "LATER" })],
  ["an event", "its own template", new Response("OK")],
  ["an event", "neither", new Response("")],
  ["an event", "an error with another status", new Response(`ERROR 401: ${said}`, { status: 201 })],
])("%s succeeds if its response fits %s", async (call, _title, response) => {
  const { client } = scripted([response], { read: readBy(outspoken) });

  await expect(calls[call](client)).resolves.not.toThrow();
});

test("a message that differs each time does not make an error of a page", async () => {
  const answers = {
    createPage: { body: { message: "Page 1 was made", data: "{page}" } },
    error: { status: 200, body: { message: "{detail}" } },
  };
  const responses = [{ message: "Page 2 was made", data: { id: "p2" } }, { message: said }].map((body) => json(body));
  const { client } = scripted(responses, { read: readBy({ answers }) });

  expect(await client.pages.create(somePage)).toMatchObject({ id: "p2" });
  expect(String(await failureOf(client.pages.create(somePage)))).toContain(`a reported failure, which says: ${said}`);
});

test("a dialect with a mistake is an error at once", () => {
  expect(() => readBy({ answers: { page: { id: "{idd}" } } })).toThrow("answers/page/id: unknown placeholder {idd}");
  expect(() => readBy("./dialect.json")).toThrow("to use a file, pass its parsed content");
  expect(() => readBy(undefined as never)).toThrow("A dialect is the name of a preset, or an object");
  expect(() => new LandingPages({ apiKey: "k", baseUrl: "https://a.example", read: odd as never })).toThrow(/readBy/);
});
