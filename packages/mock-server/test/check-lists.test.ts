// Checks of services whose lists show pages in several arrays. The learned dialect reads the list, or the report says why it cannot.
import type { Switches } from "@landing-page-service/contract";
import { readAnswers, resolveDialect } from "@landing-page-service/contract/dialect";
import { readPageFacts, readResponse } from "@landing-page-service/contract/internal";
import { expect, test } from "vitest";
import { type CheckOptions, checkService, renderReport } from "../src/check.ts";
import { createMockService, type MockService } from "../src/index.ts";
import { create } from "./client.ts";

interface Row {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
}

/** Writes the response to a list from the rows of the list and all rows of the account, which are oldest first. */
type Write = (rows: readonly Row[], all: readonly Row[]) => unknown;

interface Served {
  readonly service: MockService;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The mock with other responses to lists. */
function serve(write: Write, order: Switches["list-order"] = "oldest-first"): Served {
  const switches: Partial<Switches> = { "slug-unique": "refused-409", "list-order": order };
  const service = createMockService({ dialect: { switches } });
  const fetch = async (request: Request): Promise<Response> => {
    const response = await service.fetch(request.clone());
    if (request.method !== "GET" || response.status !== 200) return response;
    const { data } = (await response.json()) as { data: Row[] }; // why: our own list
    const key = request.headers.get("Authorization")?.replace("Bearer ", "") ?? "";
    const all = service.account(key).pages.map(({ id, slug, title }) => ({ id, slug, title }));
    return Response.json(write(data, all), { headers: response.headers });
  };
  return { service, fetch };
}

function check({ service, fetch }: Served, others: Partial<CheckOptions> = {}) {
  const options = { apiKey: "test_check", runId: "abcdef12", sleep: () => Promise.resolve(), yes: true, ...others };
  return checkService({ ...options, baseUrl: service.baseUrl, fetch });
}

/** Reads the first 20 of 30 pages by a dialect. Returns their slugs, and what is missing. */
async function readTwenty({ service, fetch }: Served, dialect: object) {
  await createMany(service, 30, "test_many");
  const headers = { Authorization: "Bearer test_many" };
  const response = await fetch(new Request(`${service.baseUrl}/api/content?limit=20`, { headers }));
  const { listPages } = readAnswers(resolveDialect(dialect).answers).endpoints;
  const { repeated, missing } = readResponse(listPages, { headers: response.headers, text: await response.text() });
  const lost = missing.map(({ name }) => name).filter((name) => name === "page");
  return { slugs: repeated.page?.map((facts) => readPageFacts(facts).slug), missing: lost };
}

async function createMany(service: MockService, count: number, key: string): Promise<void> {
  for (let index = 0; index < count; index += 1) await create(service, { slug: `page-${index}` }, key);
}

const twenty = Array.from({ length: 20 }, (_, index) => `page-${index}`);
const lastTwenty = Array.from({ length: 20 }, (_, index) => `page-${29 - index}`);

const brief = ({ id, title }: Row) => ({ id, title });

/** Other arrays in the response to a list. A check sees that they are not the list. */
const others: Record<string, Write> = {
  "the last three pages of the account": (_, all) => all.slice(-3),
  "the first two pages of the account": (_, all) => all.slice(0, 2),
  "the latest page": (_, all) => all.slice(-1),
  "all pages, in brief": (_, all) => all.map(brief),
  "all identifiers": (_, all) => all.map(({ id }) => id),
  "the identifiers in the response": (rows) => rows.map(({ id }) => id),
  "the slugs in the response": (rows) => rows.map(({ slug }) => slug),
  "all pages, by slug": (_, all) => Object.fromEntries(all.map((row) => [row.slug, row])),
  "what happened": (_, all) => all.flatMap(({ slug }) => [{ text: `created ${slug}` }, { text: `saw ${slug}` }]),
};

test.for(Object.entries(others).map(([name, write], index) => [name, write, index] as const))(
  "a check tells the list from an array of %s, also in an account with pages",
  async ([, write, index]) => {
    const isNewest = index % 2 === 1;
    const list: Write = (rows, all) =>
      isNewest ? { result: { one: rows, other: write(rows, all) } } : { one: write(rows, all), other: rows };
    const served = serve(list, isNewest ? "newest-first" : "oldest-first");
    const count = [0, 3, 30][index % 3] ?? 0;
    await createMany(served.service, count, "test_check");

    const { dialect, leftovers, statements } = await check(served);

    expect(await readTwenty(served, dialect)).toEqual({ slugs: isNewest ? lastTwenty : twenty, missing: [] });
    expect(leftovers).toEqual([]);
    expect(served.service.account("test_check").pages).toHaveLength(count);
    expect(statements.find(({ id }) => id === "list-own")?.verdict).toBe("holds");
  },
);

/** Groups rows by a name. */
const group = (rows: readonly Row[], nameOf: (row: Row, index: number) => string) =>
  Object.groupBy(rows, (row) => nameOf(row, rows.indexOf(row)));
const inGroups = (rows: readonly Row[], nameOf: (row: Row, index: number) => string) =>
  Object.entries(group(rows, nameOf)).map(([name, pages]) => ({ name, pages }));

test.for<[string, Write]>([
  [
    "two groups that are always there",
    (rows) => ({ groups: [0, 1].map((rest) => ({ pages: rows.filter((_, index) => index % 2 === rest) })) }),
  ],
  ["two groups of which one is empty", (rows) => ({ groups: [{ live: rows }, { live: [] }] })],
  ["groups by month, in an array", (rows) => inGroups(rows, (_, index) => `month ${index >> 3}`)],
  ["months", (rows) => ({ months: group(rows, (_, index) => `2026-0${1 + (index >> 3)}`) })],
  ["objects by name", (rows) => ({ byDomain: group(rows, (_, index) => `domain ${index % 5}`) })],
  ["an array of the first five pages and another one", (rows) => ({ featured: rows.slice(0, 5), items: rows })],
  ["rows of three", (rows) => ({ grid: Object.values(group(rows, (_, index) => `row ${Math.floor(index / 3)}`)) })],
])(
  "if %s share the pages of a list, the report says so, and the dialect does not read some of them as a list",
  async ([, write]) => {
    const served = serve(write);

    const report = await check(served);

    expect(await readTwenty(served, report.dialect)).toEqual({ slugs: undefined, missing: ["page"] });
    const text = renderReport(report);
    expect(text).toContain("several arrays share the pages of a list");
    expect(text).toContain("  ? listPages/body: ");
    expect(report.leftovers).toEqual([]);
  },
);

test("a long array beside the pages does not hide how many pages there are", async () => {
  const columns = Array.from({ length: 25 }, (_, index) => `column ${index}`);
  const write: Write = (rows, all) => ({ columns, rows, total: all.length });
  const served = [serve(write), serve((_, all) => write(all, all))];

  const reports = await Promise.all(served.map((one) => check(one)));

  const bodies = reports.map(({ dialect }) => dialect.answers?.listPages?.body);
  const body = { columns, rows: ["{listedPage}"], total: "{total}" };
  expect(bodies).toEqual([body, body]);
  expect(reports.map(({ unexplained }) => unexplained)).toEqual([[], []]);
});

test("an envelope of one element is not one of several arrays", async () => {
  const served = serve((rows) => [{ status: "ok", rows }]);

  const { dialect } = await check(served);

  expect(await readTwenty(served, dialect)).toEqual({ slugs: twenty, missing: [] });
});

test("more pages in the account are no drift, although another array shows them, and a list without pages is left out", async () => {
  const served = serve((rows, all) => ({
    ...(rows.length > 0 && { items: rows }),
    recent: all.slice(0, 3).map(brief),
  }));
  const { dialect } = await check(served);
  await createMany(served.service, 4, "test_check");

  const { drift } = await check(served, { compare: dialect, runId: "12fedcba" });

  expect(drift).toEqual([]);
});
