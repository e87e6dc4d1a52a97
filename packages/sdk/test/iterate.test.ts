import type { Page, PageList } from "@landing-page-service/contract";
import { expect, test, vi } from "vitest";
import { InvalidInputError, IterationError } from "../src/report/errors.ts";
import { type ListPages, type IterateOptions, paginate, type PageIterator } from "../src/many/paginate.ts";
import { makePage, type ListOptions, MovingList } from "./moving-list.ts";
import { collect } from "./setup.ts";

test.each<[string, number, Partial<ListOptions>, number[]]>([
  ["a short response that reaches the total is checked with one request behind it", 7, { hasTotal: true }, [0, 7]],
  ["a full response that reaches the total is not believed at once", 10, { hasTotal: true }, [0, 9, 10]],
  ["without a total the iteration ends on an empty response behind the last page", 7, {}, [0, 6, 7]],
  ["an empty list takes one request", 0, {}, [0]],
  ["a limit that the service cuts is no reason to end", 12, { cap: 5 }, [0, 4, 8, 11, 12]],
  ["each request repeats the last page of the one before", 28, { hasTotal: true }, [0, 9, 18, 27, 28]],
  ["a service that returns one page at a time is paged through to the end", 3, { cap: 1 }, [0, 1, 2, 3]],
])("%s", async (_, count, listOptions, offsets) => {
  const list = new MovingList(count, listOptions);

  const ids = await collectIds(paginate(list.fetch, { batchSize: 10 }));

  expect(ids).toEqual(list.ids);
  expect(list.queries.map(({ offset }) => offset)).toEqual(offsets);
});

test.each([
  ["a total that counts only the response", (list: PageList) => list.data.length],
  ["a total that is too small", () => 3],
  ["a total that is too large", () => 1_000],
  ["a total of 0", () => 0],
])("%s does not cut the iteration short", async (_, total) => {
  const list = new MovingList(25);
  const fetch: ListPages = async (query) => {
    const response = await list.fetch(query);
    return { ...response, total: total(response) };
  };

  const ids = await collectIds(paginate(fetch, { batchSize: 10 }));

  expect(ids).toEqual(list.ids);
});

test("an iteration may take more than a thousand requests", async () => {
  const list = new MovingList(1_100);

  expect(await collectIds(paginate(list.fetch, { batchSize: 2 }))).toEqual(list.ids);
});

test.each<[string, number, (first: string[], given: string[]) => string[], number]>([
  ["deleting every page in the loop", 1_000, (_first, given) => given.slice(-1), 14],
  ["deleting 1500 pages at once", 4_000, (first, { length }) => (length === 2_000 ? first.slice(0, 1_500) : []), 63],
])("%s takes hardly more requests than reading", async (_title, count, chooseGone, mostRequests) => {
  const list = new MovingList(count);
  const first = list.ids;
  const given: string[] = [];

  for await (const { id } of paginate(list.fetch, { batchSize: 100 })) {
    given.push(id);
    for (const gone of chooseGone(first, given)) list.delete(gone);
  }

  expect(given).toEqual(first);
  expect(list.queries.length).toBeLessThanOrEqual(mostRequests);
});

test("a service whose order changes ends the iteration with an error", async () => {
  const pages = paginate(async (query) => ({
    ...query,
    data: ["odd", "even"].map((name) => makePage(query.offset === 0 ? name : crypto.randomUUID())),
  }));

  await expect(collectIds(pages)).rejects.toMatchObject({ reason: "stuck", message: /nothing new in 1000 responses/ });
});

const hundred = Array.from({ length: 100 }, (_, index) => makePage(`pg_${index}`));
const twenty = hundred.slice(0, 20);

test.each<[string, (query: Parameters<ListPages>[0]) => { data: Page[]; total?: number }]>([
  ["ignores offset", ({ limit }) => ({ data: twenty.slice(0, limit) })],
  ["ignores offset and counts more than it shows", ({ limit }) => ({ data: twenty.slice(0, limit), total: 50 })],
  ["ignores offset and counts what it shows", ({ limit }) => ({ data: twenty.slice(0, limit), total: limit })],
  ["ignores offset and holds one page", () => ({ data: twenty.slice(0, 1) })],
  ["knows no offset and gives all, with a total", () => ({ data: twenty, total: 20 })],
  ["rounds offset to a multiple of 5", ({ offset }) => ({ data: hundred.slice(offset - (offset % 5)).slice(0, 5) })],
  ["repeats its last page for ever", ({ offset }) => ({ data: twenty.slice(Math.min(offset, 15)).slice(0, 5) })],
])("a service that %s ends the iteration with an error after a few requests", async (_, respond) => {
  const fetch = vi.fn<ListPages>(async (query) => ({ ...query, ...respond(query) }));

  await expect(collectIds(paginate(fetch, { batchSize: 5 }))).rejects.toThrow(
    /^Iteration stopped: the service returned the same pages at 11 .* ignore or round offset$/,
  );
  expect(fetch.mock.calls.length).toBeLessThan(25);
});

test("an iteration that needs more than maxRequests ends with an error, and can be resumed", async () => {
  const list = new MovingList(50);
  const pages = paginate(list.fetch, { batchSize: 10, maxRequests: 3 });

  const error = new IterationError("it needs more than 3 requests (maxRequests)", "maxRequests");
  await expect(collectIds(pages)).rejects.toThrow(error);

  expect(list.queries).toHaveLength(3);
  const rest = await collectIds(paginate(list.fetch, { batchSize: 10, resumeFrom: pages.resumeToken }));
  expect(rest).toEqual(list.ids.slice(28));
});

test("an iteration without end ends with an error after 10 000 requests", async () => {
  const pages = paginate(async (query) => ({
    ...query,
    data: [0, 1].map((at) => makePage(`pg_${query.offset + at}`)),
  }));

  await expect(pages.toArray({ limit: 20_000 })).rejects.toMatchObject({ reason: "maxRequests" });
});

test("a request is sent only when the loop needs it, and break sends nothing more", async () => {
  const list = new MovingList(50);
  const pages = paginate(list.fetch, { batchSize: 10 });
  const beforeTheLoop = list.queries.length;

  for await (const page of pages) if (page.id === "pg_10") break;

  expect([beforeTheLoop, list.queries.length]).toEqual([0, 1]);
});

test.each<[IterateOptions, number, number | undefined, number]>([
  [{ limit: 25, batchSize: 10 }, 0, 25, 3],
  [{ limit: 5 }, 0, 5, 1],
  [{ offset: 1, batchSize: 10 }, 1, undefined, 8],
  [{ offset: 49, batchSize: 10 }, 49, undefined, 8],
  [{ offset: 51, batchSize: 10 }, 51, undefined, 8],
])("%j is kept exactly, without a needless request", async (options, from, to, mostRequests) => {
  const list = new MovingList(50);

  const ids = await collectIds(paginate(list.fetch, options));

  expect(ids).toEqual(list.ids.slice(from, to));
  expect(list.queries.length).toBeLessThanOrEqual(mostRequests);
  expect(Math.max(...list.queries.map(({ limit }) => limit))).toBeLessThanOrEqual(options.limit ?? 10);
});

test("byBatch yields the new pages of each response", async () => {
  const list = new MovingList(8, { hasTotal: true });

  const batches = await collect(paginate(list.fetch, { batchSize: 4 }).byBatch());

  expect(batches.flat().map(({ id }) => id)).toEqual(list.ids);
  expect(batches.map(({ length }) => length)).toEqual([4, 3, 1]);
});

test("toArray collects at most its limit and the iteration's limit", async () => {
  const list = new MovingList(50);

  await expect(paginate(list.fetch).toArray({ limit: 30 })).resolves.toHaveLength(30);
  await expect(paginate(list.fetch).toArray({ limit: 300 })).resolves.toHaveLength(50);
  await expect(paginate(list.fetch, { limit: 20 }).toArray({ limit: 30 })).resolves.toHaveLength(20);
});

test("each loop over the same iterator starts again", async () => {
  const list = new MovingList(5);
  const pages = paginate(list.fetch);

  const first = await collectIds(pages);
  list.delete("pg_2");

  expect(first).toHaveLength(5);
  expect(await collectIds(pages)).toEqual(list.ids);
});

test("an abort ends the iteration, also between two pages of one response", async () => {
  const list = new MovingList(5);
  const controller = new AbortController();
  const ids: string[] = [];
  const loop = async () => {
    for await (const { id } of paginate(list.fetch, { signal: controller.signal }))
      if (ids.push(id) === 2) controller.abort(new Error("enough"));
  };

  await expect(loop()).rejects.toMatchObject({ name: "AbortError", cause: new Error("enough") });
  expect(ids).toEqual(["pg_1", "pg_2"]);
});

test("a token taken at any page continues after that page, and is a short string that fits in a URL", async () => {
  const list = new MovingList(300);
  const tokens = new Map<string, string | undefined>();
  const pages = paginate(list.fetch, { batchSize: 70 });

  for await (const { id } of pages) tokens.set(id, pages.resumeToken);

  for (const number of [1, 69, 70, 71, 139, 299, 300]) {
    const resumeFrom = tokens.get(`pg_${number}`);
    expect(resumeFrom).toMatch(/^[\w.%-]{1,500}$/);
    expect(await collectIds(paginate(list.fetch, { batchSize: 70, resumeFrom }))).toEqual(list.ids.slice(number));
  }
});

test("a token of batches continues after the batch, and there is none before the first", async () => {
  const list = new MovingList(30);
  const pages = paginate(list.fetch, { batchSize: 10 });
  const before = pages.resumeToken;

  await pages.byBatch()[Symbol.asyncIterator]().next();

  expect(before).toBeUndefined();
  const rest = await collectIds(paginate(list.fetch, { resumeFrom: pages.resumeToken }));
  expect(rest).toEqual(list.ids.slice(10));
});

test("an iteration resumes after one of its last sixteen pages, and fails if all are gone, instead of yielding pages twice", async () => {
  const list = new MovingList(100);
  const pages = paginate(list.fetch, { limit: 50 });
  const ids = await collectIds(pages);
  const resume = (from: PageIterator) => collectIds(paginate(list.fetch, { resumeFrom: from.resumeToken }));

  const again = paginate(list.fetch, { limit: 1, resumeFrom: pages.resumeToken });
  for (const id of await collectIds(again)) list.delete(id);
  await expect(resume(again)).resolves.toEqual(list.ids.slice(50));

  for (const id of ids.slice(-15)) list.delete(id);
  await expect(resume(pages)).resolves.toEqual(list.ids.slice(35));

  list.delete(ids.at(-16) ?? "");
  await expect(resume(pages)).rejects.toThrow("none of the pages that it remembers is listed any more");
});

const noToken = "resumeFrom: expected a resumeToken of an earlier iteration";

test.each<[string, IterateOptions, string]>([
  ["a page size of 0", { batchSize: 0 }, "batchSize: "],
  ["a limit that is no number", { limit: Number.NaN }, "limit: "],
  ["an offset of -1", { offset: -1 }, "offset: "],
  ["no request at all", { maxRequests: 0 }, "maxRequests: "],
  ["a made-up token", { resumeFrom: "page 7" }, noToken],
  ["an empty token", { resumeFrom: "" }, noToken],
  ["a token of an older version", { resumeFrom: "1.e30" }, noToken],
  ["a token that was cut off", { resumeFrom: "%7B%22offset%22" }, noToken],
  ["a token beside an offset", { resumeFrom: "%7B%7D", offset: 3 }, "resumeFrom: cannot be combined with `offset`"],
])("%s is refused before anything is sent", (_, options, message) => {
  const list = new MovingList(1);

  const iterate = () => paginate(list.fetch, options);

  expect(iterate).toThrow(InvalidInputError);
  expect(iterate).toThrow(message);
  expect(list.queries).toEqual([]);
});

test("filters are sent with each request, and a token is refused with other filters; their order does not matter", async () => {
  const list = new MovingList(5);
  const pages = paginate(list.fetch, { filters: { slug: "shoes", q: "red" }, limit: 2 });
  await collectIds(pages);
  const resume = (filters: object) => paginate(list.fetch, { filters, resumeFrom: pages.resumeToken });

  expect(() => resume({ slug: "hats", q: "red" })).toThrow(
    'resumeFrom: expected the filters of the earlier iteration, {"slug":"shoes","q":"red"}',
  );
  expect(await collectIds(resume({ q: "red", slug: "shoes" }))).toHaveLength(3);
  for (const { filters } of list.queries) expect(filters).toEqual({ slug: "shoes", q: "red" });
});

const collectIds = async (pages: PageIterator) => (await collect(pages)).map(({ id }) => id);
