import type { Page, PageList } from "@landing-page-service/contract";
import { expect, test } from "vitest";
import { InvalidInputError, IterationError } from "../src/report/errors.ts";
import { type ListPages, type IterateOptions, paginate, type PageIterator } from "../src/many/paginate.ts";
import { makePage, type ListOptions, MovingList } from "./moving-list.ts";
import { wrong } from "./setup.ts";

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

  const ids = await collect(paginate(list.fetch, { batchSize: 10 }));

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

  const ids = await collect(paginate(fetch, { batchSize: 10 }));

  expect(ids).toEqual(list.ids);
});

test("an iteration may take more than a thousand requests", async () => {
  const list = new MovingList(1_100);

  expect(await collect(paginate(list.fetch, { batchSize: 2 }))).toEqual(list.ids);
});

test("deleting every page in the loop takes hardly more requests than reading", async () => {
  const list = new MovingList(1_000);
  let given = 0;

  for await (const page of paginate(list.fetch, { batchSize: 100 })) {
    list.delete(page.id);
    given += 1;
  }

  expect(given).toBe(1_000);
  expect(list.ids).toEqual([]);
  expect(list.queries.length).toBeLessThanOrEqual(14);
});

test("if half of the list is deleted at once, the iteration needs a few more requests and does not start again", async () => {
  const list = new MovingList(4_000);
  const gone = list.ids.slice(0, 1_500);
  const given: string[] = [];

  for await (const page of paginate(list.fetch, { batchSize: 100 })) {
    given.push(page.id);
    if (given.length === 2_000) for (const id of gone) list.delete(id);
  }

  expect(given).toHaveLength(4_000);
  expect(list.queries.length).toBeLessThan(43 + 20);
});

test("a service whose order changes ends the iteration with an error", async () => {
  let count = 0;
  const makePages = () => [makePage(`pg_${(count += 1)}`), makePage(`pg_${(count += 1)}`)];
  const first = makePages();
  const pages = paginate(async (query) => ({ ...query, data: query.offset === 0 ? first : makePages() }));

  await expect(collect(pages)).rejects.toMatchObject({ reason: "stuck", message: /nothing new in 1000 responses/ });
});

const hundred = Array.from({ length: 100 }, (_, index) => makePage(`pg_${index}`));
const twenty = hundred.slice(0, 20);

test.each<[string, (query: Parameters<ListPages>[0]) => { data: Page[]; total?: number }]>([
  ["ignores offset", ({ limit }) => ({ data: twenty.slice(0, limit) })],
  ["ignores offset and counts more than it shows", ({ limit }) => ({ data: twenty.slice(0, limit), total: 50 })],
  ["ignores offset and counts what it shows", ({ limit }) => ({ data: twenty.slice(0, limit), total: limit })],
  ["ignores offset and holds one page", () => ({ data: twenty.slice(0, 1) })],
  ["knows no offset and gives all, with a total", () => ({ data: twenty, total: 20 })],
  [
    "rounds offset to a multiple of limit",
    ({ offset, limit }) => ({ data: hundred.slice(offset - (offset % limit)).slice(0, limit) }),
  ],
  ["repeats its last page for ever", ({ offset }) => ({ data: twenty.slice(Math.min(offset, 15)).slice(0, 5) })],
])("a service that %s ends the iteration with an error after a few requests", async (_, respond) => {
  let requests = 0;
  const pages = paginate(
    async (query) => {
      requests += 1;
      return { ...query, ...respond(query) };
    },
    { batchSize: 5 },
  );

  await expect(collect(pages)).rejects.toThrow(
    /^Iteration stopped: the service returned the same pages at 11 .* ignore or round offset$/,
  );

  expect(requests).toBeLessThan(25);
});

test("an iteration that needs more than maxRequests ends with an error, and can be resumed", async () => {
  const list = new MovingList(50);
  const pages = paginate(list.fetch, { batchSize: 10, maxRequests: 3 });
  const ids: string[] = [];

  const loop = (async () => {
    for await (const { id } of pages) ids.push(id);
  })();

  await expect(loop).rejects.toThrow(new IterationError("it needs more than 3 requests (maxRequests)", "maxRequests"));
  expect(list.queries).toHaveLength(3);
  const rest = await collect(paginate(list.fetch, { batchSize: 10, resumeFrom: pages.resumeToken }));
  expect([...ids, ...rest]).toEqual(list.ids);
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
  ...[1, 10, 49, 50, 51, 1_000].map((offset): [IterateOptions, number, undefined, number] => {
    return [{ offset, batchSize: 10 }, offset, undefined, 8];
  }),
])("%j is kept exactly, without a needless request", async (options, from, to, mostRequests) => {
  const list = new MovingList(50);

  const ids = await collect(paginate(list.fetch, options));

  expect(ids).toEqual(list.ids.slice(from, to));
  expect(list.queries.length).toBeLessThanOrEqual(mostRequests);
  expect(Math.max(...list.queries.map(({ limit }) => limit))).toBeLessThanOrEqual(options.limit ?? 10);
});

test("byBatch yields the new pages of each response", async () => {
  const list = new MovingList(8, { hasTotal: true });

  const batches: string[][] = [];
  for await (const pages of paginate(list.fetch, { batchSize: 4 }).byBatch()) batches.push(pages.map(({ id }) => id));

  expect(batches).toEqual([["pg_1", "pg_2", "pg_3", "pg_4"], ["pg_5", "pg_6", "pg_7"], ["pg_8"]]);
});

test("toArray collects at most its limit and the iteration's limit", async () => {
  const list = new MovingList(50);

  await expect(paginate(list.fetch).toArray({ limit: 30 })).resolves.toHaveLength(30);
  await expect(paginate(list.fetch).toArray({ limit: 300 })).resolves.toHaveLength(50);
  await expect(paginate(list.fetch, { limit: 20 }).toArray({ limit: 30 })).resolves.toHaveLength(20);
});

test.each([{}, { limit: 1.5 }, { limit: "10" }, undefined])("toArray(%j) is refused", async (options) => {
  const list = new MovingList(1);

  await expect(paginate(list.fetch).toArray(wrong(options))).rejects.toThrow(InvalidInputError);
  expect(list.queries).toEqual([]);
});

test("each loop over the same iterator starts again", async () => {
  const list = new MovingList(5);
  const pages = paginate(list.fetch);

  const first = await collect(pages);
  list.delete("pg_2");
  const second = await collect(pages);

  expect(first).toEqual(["pg_1", "pg_2", "pg_3", "pg_4", "pg_5"]);
  expect(second).toEqual(["pg_1", "pg_3", "pg_4", "pg_5"]);
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

test("an error of a request ends the iteration unchanged", async () => {
  const failure = new Error("no connection");

  await expect(collect(paginate(() => Promise.reject(failure)))).rejects.toBe(failure);
});

test("a token taken at any page continues after that page, and is a short string that fits in a URL", async () => {
  const list = new MovingList(300);
  const tokens = new Map<string, string | undefined>();
  const pages = paginate(list.fetch, { batchSize: 70 });

  for await (const { id } of pages) tokens.set(id, pages.resumeToken);

  for (const number of [1, 69, 70, 71, 139, 299, 300]) {
    const resumeFrom = tokens.get(`pg_${number}`);
    expect(resumeFrom).toMatch(/^[\w.%-]{1,500}$/);
    expect(await collect(paginate(list.fetch, { batchSize: 70, resumeFrom }))).toEqual(list.ids.slice(number));
  }
});

test("a token of batches continues after the batch, and there is none before the first", async () => {
  const list = new MovingList(30);
  const pages = paginate(list.fetch, { batchSize: 10 });
  const before = pages.resumeToken;

  await pages.byBatch()[Symbol.asyncIterator]().next();

  expect(before).toBeUndefined();
  expect(await collect(paginate(list.fetch, { resumeFrom: pages.resumeToken }))).toEqual(list.ids.slice(10));
});

test("an iteration resumes after one of its last sixteen pages, and fails if all are gone, instead of yielding pages twice", async () => {
  const list = new MovingList(100);
  const pages = paginate(list.fetch, { limit: 50 });
  const ids = await collect(pages);
  const resume = () => collect(paginate(list.fetch, { resumeFrom: pages.resumeToken }));

  const again = paginate(list.fetch, { limit: 1, resumeFrom: pages.resumeToken });
  for (const id of await collect(again)) list.delete(id);
  await expect(collect(paginate(list.fetch, { resumeFrom: again.resumeToken }))).resolves.toEqual(list.ids.slice(50));

  for (const id of ids.slice(-15)) list.delete(id);
  await expect(resume()).resolves.toEqual(list.ids.slice(35));

  list.delete(ids.at(-16) ?? "");
  await expect(resume()).rejects.toThrow("none of the pages that it remembers is listed any more");
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
  ["a token beside an offset", { resumeFrom: "%7B%7D", offset: 3 }, "resumeFrom: expected without offset"],
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
  await collect(pages);
  const resumeFrom = pages.resumeToken;

  expect(() => paginate(list.fetch, { filters: { slug: "hats", q: "red" }, resumeFrom })).toThrow(
    'resumeFrom: expected the filters of the earlier iteration, {"slug":"shoes","q":"red"}',
  );
  await expect(
    collect(paginate(list.fetch, { filters: { q: "red", slug: "shoes" }, resumeFrom })),
  ).resolves.toHaveLength(3);
  expect(list.queries.length).toBeGreaterThan(2);
  for (const { filters } of list.queries) expect(filters).toEqual({ slug: "shoes", q: "red" });
});

async function collect(pages: PageIterator): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of pages) ids.push(id);
  return ids;
}
