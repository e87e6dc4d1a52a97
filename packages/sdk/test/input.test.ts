// Values that a program passes by mistake, and timestamps in every spelling.
import { runInNewContext } from "node:vm";
import { listQuerySchema } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { internal, mistake, nearlyRight } from "../../mock-server/test/fixtures/mistakes.ts";
import { InvalidInputError, LandingPages, LandingPagesError, readRateLimit } from "../src/index.ts";
import { failureOf, json, scripted, setUp, somePage, status, wrong } from "./setup.ts";

type Method = (...values: readonly unknown[]) => unknown;

/** A method by itself, as a program may pass it on. */
const detached = (of: object, name: string) => Reflect.get(of, name) as Method; // why: a method takes any value here

const names =
  "title content slug meta_description cta id pageId timestamp type properties signal timeoutMs totalTimeoutMs retry headers idempotencyKey limit offset q batchSize resumeFrom maxRequests concurrency onProgress capacity onLost apiKey baseUrl fetch hooks logger onEvent strict maxInFlight now random sleep get";
const nearly = nearlyRight(names);
const one = fc.oneof(mistake, nearly, fc.constant(somePage), fc.array(nearly, { maxLength: 2 }));

const methods: Record<string, (client: LandingPages) => Method> = {
  create: ({ pages }) => detached(pages, "create"),
  list: ({ pages }) => detached(pages, "list"),
  update: ({ pages }) => detached(pages, "update"),
  delete: ({ pages }) => detached(pages, "delete"),
  find: ({ pages }) => detached(pages, "find"),
  iterate: ({ pages }) => detached(pages, "iterate"),
  createMany: ({ pages }) => detached(pages, "createMany"),
  track: ({ analytics }) => detached(analytics, "track"),
  queue: ({ analytics }) => detached(analytics, "queue"),
  "queue.push": ({ analytics }) => detached(analytics.queue(), "push"),
  "queue.close": ({ analytics }) => detached(analytics.queue(), "close"),
  withOptions: (client) => detached(client, "withOptions"),
  "new LandingPages": () => (options) => new LandingPages(wrong(options)),
  readRateLimit: () => readRateLimit as Method, // why: a method takes any value here
};

async function settle(result: unknown): Promise<void> {
  const value = await result;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return;
  const items = (value as AsyncIterable<unknown>)[Symbol.asyncIterator](); // why: just seen to be one
  for (let count = 0; count < 6; count += 1) if ((await items.next()).done) return;
}

test.each(Object.keys(methods))("%s accepts its arguments, or says what is wrong with them", async (name) => {
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 3 }), async (values) => {
      const { client } = setUp();
      const problem = await (async () => settle(methods[name]?.(client)(...values)))().catch((error: unknown) => error);

      const message = problem instanceof Error ? problem.message : JSON.stringify(problem);
      expect(message ?? "").not.toMatch(internal);
    }),
    { numRuns: 50 },
  );
});

test("methods work when they are passed on by themselves", async () => {
  const { client } = setUp();
  const queue = client.analytics.queue();

  const page = await detached(client.pages, "create")(somePage);
  [{ pageId: "pg_1" }].forEach(detached(queue, "push"));
  await detached(queue, "flush")();

  expect(page).toMatchObject({ slug: somePage.slug });
  expect(queue.counts).toMatchObject({ accepted: 1, pending: 0 });
  await expect(Promise.all(["pg_1"].map(detached(client.pages, "delete")))).rejects.toThrow(
    "`options`: expected object, got 0",
  );
});

test("a list is sent if its query fits the documented schema and each filter is a simple value", async () => {
  const anyParameter = fc.oneof(
    fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.integer({ min: -2, max: 3 })),
    fc.constantFrom(undefined, null, [], {}, "20", 2 ** 53, -0, 1n),
  );
  const parameters = fc.constantFrom("limit", "offset", "slug", "domain", "q", "limitation of liability", "é&=+");
  await fc.assert(
    fc.asyncProperty(fc.dictionary(parameters, anyParameter), async (query) => {
      const { client, requests } = scripted([json([])]);
      const sent = Object.entries(query).filter(([, value]) => value !== undefined);
      const isSimple = sent.every(([, value]) => ["string", "number", "boolean"].includes(typeof value));
      const isRight = isSimple && listQuerySchema.safeParse(query).success;
      const { limit, offset, ...filters } = query;
      const range = Object.fromEntries(Object.entries({ limit, offset }).filter(([name]) => name in query));

      const outcome = await client.pages.list({ ...range, filters }).then(
        () => "sent",
        (error: unknown) => LandingPagesError.is(error) && error.name,
      );

      const received = requests.map(({ path }) => Array.from(new URL(path, "https://service.example").searchParams));
      const written = sent.map(([name, value]) => [name, String(value as string | number).toWellFormed()]); // why: or a boolean; others are refused
      expect(outcome).toBe(isRight ? "sent" : "InvalidInputError");
      expect(received).toEqual(isRight ? [written] : []);
    }),
  );
});

const pages =
  (method: keyof LandingPages["pages"], ...values: unknown[]) =>
  (client: LandingPages) =>
    detached(client.pages, method)(...values);
const track =
  (event: unknown) =>
  ({ analytics }: LandingPages) =>
    detached(analytics, "track")(event);
const { title, ...untitled } = somePage;
const { label, url } = somePage.cta;
const isTimestamp =
  "timestamp: expected a Date, or an ISO 8601 string with a time and an offset, such as 2026-05-06T07:08:09Z or 2026-05-06T09:08:09.123+02:00, of a time that exists";

test.each<[string, (client: LandingPages) => unknown, string]>([
  ["a limit as a string", pages("list", { limit: "20" }), 'limit: expected number, got "20"'],
  ["a limit of 0", pages("list", { limit: 0 }), "limit: expected number to be >=1, got 0"],
  ["a limit of NaN", pages("list", { limit: Number.NaN }), "limit: expected number, got NaN"],
  ["a negative offset", pages("list", { offset: -1 }), "offset: expected number to be >=0, got -1"],
  ["a filter that is null", pages("list", { filters: { q: null } }), "filters.q: expected string, got null"],
  [
    "a nested filter",
    pages("list", { filters: { tag: { a: 1 } } }),
    "filters.tag: expected a string, a number or a boolean, got an object",
  ],
  [
    "a limit among the filters",
    pages("list", { filters: { limit: 5 } }),
    "filters.limit: limit is no filter: it stands beside filters",
  ],
  ["several pages", pages("create", [somePage]), "expected object, got an array; `createMany` takes several"],
  ["a string", pages("create", "tea"), 'expected object, got "tea"'],
  [
    "a promise of a page",
    pages("create", Promise.resolve(somePage)),
    "expected a plain object, got a promise: await it",
  ],
  ["a wrong title", pages("create", { ...untitled, title: 5, titel: "" }), "title: expected string, got 5"],
  [
    "a misspelt title",
    pages("create", { ...untitled, Titel: "" }),
    "title: is required; is it what is passed as `Titel`?",
  ],
  [
    "a call to action without a label",
    pages("create", { ...somePage, cta: { type: "button", url } }),
    "cta.label: is required",
  ],
  [
    "a relative URL",
    pages("create", { ...somePage, cta: { type: "button", label, url: "/buy" } }),
    'cta.url: expected an absolute URL, got "/buy"',
  ],
  ["a value that JSON cannot write", pages("create", { ...somePage, extra: 1n }), "cannot be written as JSON"],
  ["a form for changes", pages("update", "pg_1", new FormData()), "expected a plain object, got a FormData"],
  ["changes in a Map", pages("update", "pg_1", new Map([["title", "x"]])), "expected a plain object, got a Map"],
  ["changes in an array", pages("update", "pg_1", [{ title }]), "expected object, got an array"],
  [
    "changes in place of an id",
    pages("update", { id: "pg_1", title }),
    "id: expected the id of a page as a string, got an object",
  ],
  ["no id", pages("delete"), "id: is required; expected the id of a page as a string"],
  ["a number for an id", pages("delete", 5), "id: expected the id of a page as a string, got 5"],
  [
    "a promise of an id",
    pages("delete", Promise.resolve("pg_1")),
    "id: expected the id of a page as a string, got a promise: await it",
  ],
  [
    "a promise of pages",
    pages("createMany", Promise.resolve([])),
    "inputs: expected an array or another iterable, got a promise: await it",
  ],
  [
    "an onProgress that is no function",
    pages("createMany", [], { onProgress: {} }),
    "onProgress: expected a function, got an object",
  ],
  ["nothing to find", pages("find", {}), "expected { slug } or { id }"],
  ["an empty id to find", pages("find", { slug: "a", id: "" }), "expected { slug } or { id }"],
  ["an event that is null", track(null), "expected object, got null"],
  ["an event without a page", track({ page_id: "pg_1" }), "pageId: is required; is it what is passed as `page_id`?"],
  [
    "a timestamp without offset",
    track({ pageId: "pg_1", timestamp: "2026-01-01T10:00" }),
    `${isTimestamp}, got "2026-01-01T10:00"`,
  ],
  ["milliseconds for a timestamp", track({ pageId: "pg_1", timestamp: 1 }), `${isTimestamp}, got 1`],
  [
    "a queued event without a page",
    ({ analytics }) => detached(analytics.queue(), "push")({ pageid: "pg_1" }),
    "pageId: is required; is it what is passed as `pageid`?",
  ],
])("%s is an InvalidInputError that says what it is, and nothing is sent", async (_title, call, message) => {
  const { client, requests } = scripted([json([])]);

  const error = await failureOf((async () => call(client))());

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(String(error).endsWith(message) ? message : String(error)).toBe(message);
  expect(requests).toEqual([]);
});

test.each(["", ".", "..", "pg_1\r\nX: y", "\ud800"])("%j is no id of a page", async (id) => {
  const { client, requests } = scripted([json([])]);

  for (const call of [client.pages.delete(id), client.pages.update(id, {})])
    expect(String(await failureOf(call))).toContain("was not sent: id: ");
  expect(requests).toEqual([]);
});

/** The timestamp that a call sends for an event. */
async function sentFor(timestamp?: string | Date): Promise<unknown> {
  const { client, requests, time } = scripted([status(204)]);
  time.advance(1234);
  await client.analytics.track({ pageId: "pg_1", ...(timestamp !== undefined && { timestamp }) });
  return Reflect.get(JSON.parse(requests[0]?.body ?? "") as object, "timestamp");
}

test.each([
  ["no timestamp as now", undefined, "2026-01-01T00:00:01Z"],
  ["a Date", new Date("2026-03-04T05:06:07.999Z"), "2026-03-04T05:06:07Z"],
  ["a Date of another realm", runInNewContext("new Date(Date.UTC(2026, 4, 6, 7, 8, 9))"), "2026-05-06T07:08:09Z"],
  ["24:00", "2026-12-31T24:00:00Z", "2027-01-01T00:00:00Z"],
  ["no seconds", "2026-05-06T07:08+02:00", "2026-05-06T05:08:00Z"],
  ["a leap day and -00:00", "2024-02-29T00:00:00.999999999-00:00", "2024-02-29T00:00:00Z"],
])("an event is sent with whole seconds in UTC: %s", async (_title, timestamp, expected) => {
  expect(await sentFor(timestamp as Date)).toBe(expected); // why: or a string, or of another realm
});

const pad = (value: number) => String(value).padStart(2, "0");

test("a timestamp in any spelling of RFC 3339 is sent as the same time in the documented shape", async () => {
  const spelling = fc.record({
    date: fc.date({ min: new Date("0001-01-02T00:00Z"), max: new Date("9998-12-30T00:00Z"), noInvalidDate: true }),
    offsetMinutes: fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
    separator: fc.constantFrom("T", "t", " "),
    colon: fc.constantFrom(":", ""),
    fraction: fc.constantFrom("", ".5", ".999999999"),
  });
  await fc.assert(
    fc.asyncProperty(spelling, async ({ date, offsetMinutes, separator, colon, fraction }) => {
      const local = new Date(Math.floor(date.getTime() / 1000) * 1000 + offsetMinutes * 60_000).toISOString();
      const minutes = Math.abs(offsetMinutes);
      const zone = `${offsetMinutes < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}${colon}${pad(minutes % 60)}`;

      const sent = await sentFor(local.replace("T", separator).replace(".000Z", fraction + zone));

      expect(sent).toBe(`${date.toISOString().slice(0, 19)}Z`);
    }),
    { numRuns: 100 },
  );
});

test.each<[unknown]>([
  ["yesterday"],
  [""],
  ["2026-05-06"],
  ["2026-02-30T00:00:00Z"],
  ["2025-02-29T00:00:00Z"],
  ["2026-05-06T25:00:00Z"],
  ["2026-05-06T24:00:01Z"],
  ["2026-05-06T07:08:61Z"],
  ["2026-05-06T07:08:09+24:00"],
  ["0000-01-01T00:00:00+01:00"],
  ["9999-12-31T23:59:59-01:00"],
  ["2026-0506T07:08:09Z"],
  ["1767323045"],
  [new Date(Number.NaN)],
  [{}],
])("%j is no timestamp", async (timestamp) => {
  expect(String(await failureOf(sentFor(wrong(timestamp))))).toContain(isTimestamp);
});
