// Values that a program passes by mistake, and timestamps in every spelling.
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { InvalidInputError, type LandingPages } from "../src/index.ts";
import { detached, failureOf, json, scripted, setUp, somePage, status, wrong } from "./setup.ts";

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

const pages =
  (method: keyof LandingPages["pages"], ...values: unknown[]) =>
  (client: LandingPages) =>
    detached(client.pages, method)(...values);
const track =
  (event: unknown) =>
  ({ analytics }: LandingPages) =>
    detached(analytics, "track")(event);
const { title, ...untitled } = somePage;
const { cta } = somePage;
const { label: _label, ...unlabelled } = cta;
const isId = 'expected the id of a page: a string, not empty, not "." or "..", without control characters';
const isTimestamp =
  "timestamp: expected a Date, or an ISO 8601 string with a time and an offset, such as 2026-05-06T07:08:09Z or 2026-05-06T09:08:09.123+02:00, of a time that exists";

test.each<[string, (client: LandingPages) => unknown]>([
  ["List pages was not sent: expected object, got 20", pages("list", 20)],
  ["List pages was not sent: expected object, got null", pages("list", null)],
  ['limit: expected a whole number from 1 to 2147483647, got "20"', pages("list", { limit: "20" })],
  ["limit: expected a whole number from 1 to 2147483647, got 0", pages("list", { limit: 0 })],
  ["offset: expected a whole number from 0 to 2147483647, got -1", pages("list", { offset: -1 })],
  ["offset: expected a whole number from 0 to 2147483647, got 1.5", pages("list", { offset: 1.5 })],
  ["filters.q: expected string, got null", pages("list", { filters: { q: null } })],
  ["filters.slug: expected string, got 7", pages("list", { filters: { slug: 7 } })],
  ["filters.domain: expected string, got 7", pages("list", { filters: { domain: 7 } })],
  ["filters.tag: expected a string, a number or a boolean, got an object", pages("list", { filters: { tag: {} } })],
  ["limit is not a filter; pass it next to `filters`, not inside", pages("list", { filters: { limit: 5 } })],
  ["expected object, got an array; `createMany` takes several", pages("create", [somePage])],
  ["expected a plain object, got a promise: await it", pages("create", Promise.resolve(somePage))],
  ["title: expected string, got 5", pages("create", { ...untitled, title: 5, titel: "" })],
  ["title: is required; did you pass it as `Titel`?", pages("create", { ...untitled, Titel: "" })],
  ["cta.label: is required", pages("create", { ...somePage, cta: unlabelled })],
  ['cta.url: expected an absolute URL, got "/buy"', pages("create", { ...somePage, cta: { ...cta, url: "/buy" } })],
  ["expected object, got undefined", pages("create")],
  ["expected object, got null", pages("update", "pg_1", null)],
  ["cannot be written as JSON", pages("create", { ...somePage, extra: 1n })],
  ["expected a plain object, got a FormData", pages("update", "pg_1", new FormData())],
  ["expected a plain object, got a Map", pages("update", "pg_1", new Map([["title", "x"]]))],
  [`id: ${isId}, got an object`, pages("update", { id: "pg_1", title })],
  [`id: is required; ${isId}`, pages("delete")],
  [`id: ${isId}, got a promise: await it`, pages("delete", Promise.resolve("pg_1"))],
  ["inputs: expected an array or another iterable, got a promise: await it", pages("createMany", Promise.resolve([]))],
  ["concurrency: expected a whole number from 1 to 2147483647, got 0", pages("createMany", [], { concurrency: 0 })],
  ["is required; expected a whole number from 1 to 2147483647", ({ pages }) => pages.iterate().toArray(wrong({}))],
  ["onProgress: expected a function, got an object", pages("createMany", [], { onProgress: {} })],
  ["expected { slug } or { id }", pages("find", { slug: "a", id: "" })],
  ["expected object, got null", track(null)],
  ["expected a plain object, got a promise: await it", track(Promise.resolve({ pageId: "pg_1" }))],
  ["pageId: is required; did you pass it as `page_id`?", track({ page_id: "pg_1" })],
  [`${isTimestamp}, got "2026-01-01T10:00"`, track({ pageId: "pg_1", timestamp: "2026-01-01T10:00" })],
])("a wrong input is an InvalidInputError, and nothing is sent: %s", async (message, call) => {
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
  );
});

test.each<[unknown]>([
  ["yesterday"],
  ["2026-05-06"],
  ["2026-02-30T00:00:00Z"],
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
