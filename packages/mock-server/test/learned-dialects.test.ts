import { gaps, switchIds } from "@landing-page-service/contract";
import { type DialectFile, dialectPresets, readAnswers } from "@landing-page-service/contract/dialect";
import { readPageFacts, readResponse } from "@landing-page-service/contract/internal";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { resolveDialect } from "../src/index.ts";
import { somePage } from "./client.ts";
import { isThorough, learn, runs, serve } from "./learning.ts";

const combinations = fc
  .record(Object.fromEntries(switchIds.map((id) => [id, fc.constantFrom(...Object.keys(gaps[id].readings))])))
  .map((switches): DialectFile => resolveDialect({ switches }));

const singles = switchIds.flatMap((id) =>
  Object.keys(gaps[id].readings).map((reading): [string, DialectFile] => [
    `${id}: ${reading}`,
    { switches: { [id]: reading } },
  ]),
);
const presets = Object.entries<DialectFile>(dialectPresets);
const some = isThorough ? singles : singles.filter((_, index) => index % 16 === 0);

test.for([...presets, ...some])(
  "a mock in the learned dialect responds like the service, and a reader with that dialect reads every page: %s",
  async ([, dialect]) => {
    await expectReplayed(dialect);
  },
);

// The seed is fixed by default. PROPERTY_RUNS=50 PROPERTY_SEED=random tries 50 cases from a new seed.
test(`the same holds for ${runs(3)} combinations of interpretations`, async () => {
  await fc.assert(fc.asyncProperty(combinations, expectReplayed), { numRuns: runs(3) });
});

/** Cursors and other signs of the end of a list, as real services have them. */
const endings: [string, NonNullable<NonNullable<DialectFile["answers"]>["listPages"]>["body"]][] = [
  ["a flag", { data: ["{listedPage}"], has_more: "{has_more}" }],
  ["the next offset, or null", { data: ["{listedPage}"], next: "{next_offset}" }],
  ["a cursor, or null", { data: ["{listedPage}"], paging: { next: "{next_cursor}", prev: "{previous_cursor}" } }],
  ["a link, or none", { data: ["{listedPage}"], "next?": "{origin}{path}?limit={limit}&offset={next_offset}" }],
  ["pages by number", { data: ["{listedPage}"], page: "{page_number}", pages: "{page_count}" }],
  ["flags for the first and the last page", { data: ["{listedPage}"], last: "{is_last}", first: "{is_first}" }],
  ["the number of the next page", { data: ["{listedPage}"], nextPage: "{next_page}", prevPage: "{previous_page}" }],
];

test.for(endings)("a check learns how a list shows its end: %s", async ([, body = null]) => {
  const { dialect } = await learn({ answers: { listPages: { body } } });

  expect(dialect.answers?.listPages?.body).toEqual(body);
});

async function expectReplayed(dialect: DialectFile): Promise<void> {
  const report = await learn(dialect);
  const again = await learn(report.dialect, { runId: "0a1b2c3d", compare: report.dialect });

  expect(await describeResponses(report.dialect)).toEqual(await describeResponses(dialect));
  expect(JSON.stringify(report.dialect)).not.toMatch(/abcdef12|landing-pages\.test/);
  expect(again).toMatchObject({ dialect: report.dialect, drift: [] });
  await expectRead(dialect, report.dialect);
}

function seconds(text: string | undefined): string | undefined {
  return text?.slice(0, 19);
}

/** Reads the pages of a service in one dialect by the dialect that a check learned from it. */
async function expectRead(served: DialectFile, learned: DialectFile): Promise<void> {
  const service = serve(served);
  const { endpoints } = readAnswers(resolveDialect(learned).answers);
  const headers = { Authorization: "Bearer test_demo", "Content-Type": "application/json" };
  const send = async (method: string, path: string, body?: unknown) => {
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await service.fetch(service.baseUrl + path, request);
    return { headers: response.headers, text: await response.text() };
  };
  const created = readResponse(endpoints.createPage, await send("POST", "/api/content", somePage));
  await send("POST", "/api/content", { ...somePage, slug: "other", title: "Other" });
  const listed = readResponse(endpoints.listPages, await send("GET", "/api/content"));
  const { pages } = service.account("test_demo");

  expect(created.missing).toEqual([]);
  expect(readPageFacts(created).id).toBe(pages.find(({ slug }) => slug === somePage.slug)?.id);
  const read = (listed.repeated.page ?? []).map(readPageFacts);
  const inOrder = read.map(({ id }) => pages.find((page) => page.id === id));
  expect(inOrder).toHaveLength(2);
  for (const [index, { domains, cta, ...page }] of read.entries()) {
    const stored = inOrder[index];
    expect({ ...page, created_at: seconds(page.created_at), updated_at: seconds(page.updated_at) }).toEqual(
      Object.fromEntries(
        Object.entries({
          ...stored,
          created_at: page.created_at && seconds(stored?.created_at),
          updated_at: page.updated_at && seconds(stored?.updated_at),
        }).filter(([name]) => name in page || name.endsWith("_at")),
      ),
    );
    expect(cta ?? stored?.cta).toEqual(stored?.cta);
    const names = domains.map(({ name }) => name);
    expect(stored?.domains.map(({ name }) => name).slice(0, names.length)).toEqual(names);
  }
}

/**
 * Describes every response of a service: its status, its media type, and each place in its body with the type of the value there,
 * or with the field of the page that the value repeats.
 */
async function describeResponses(dialect: DialectFile): Promise<Record<string, unknown>> {
  const service = serve(dialect);
  const described: Record<string, unknown> = {};
  const record = async (name: string, method: string, path: string, body?: unknown, key = "test_demo") => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const response = await service.fetch(service.baseUrl + path, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const type = response.headers.get("Content-Type")?.split(";")[0];
    described[name] = [response.status, type, [...new Set(placesOf(await response.text(), type ?? ""))].toSorted()];
  };
  const { meta_description: _, ...short } = somePage;
  await record("empty", "GET", "/api/content");
  await record("create", "POST", "/api/content", somePage);
  await record("create short", "POST", "/api/content", { ...short, slug: "short" });
  await record("list", "GET", "/api/content");
  await record("list one", "GET", "/api/content?limit=1");
  await record("list past the end", "GET", "/api/content?offset=50");
  const [id = "", other = ""] = service.account("test_demo").pages.map((page) => page.id);
  await record("update", "PUT", `/api/content/${id}`, { title: "New" });
  await record("update more", "PUT", `/api/content/${id}`, { content: "New", meta_description: "New" });
  await record("event", "POST", "/api/analytics/view", { pageId: id, timestamp: "2026-03-01T12:00:00Z" });
  await record("delete", "DELETE", `/api/content/${id}`);
  await record("400", "POST", "/api/content", { ...somePage, title: 5 });
  await record("400 to a description", "PUT", `/api/content/${other}`, { meta_description: 5 });
  await record("400 to a list", "GET", "/api/content?limit=abc");
  await record("malformed", "POST", "/api/content", "{nope");
  await record("401", "GET", "/api/content", undefined, "wrong");
  await record("404", "PUT", `/api/content/${id}`, { title: "New" });
  for (const status of [429, 500]) {
    service.faults.add({ status, times: 1 });
    await record(String(status), "GET", "/api/content");
  }
  return described;
}

/** The strings that the test sends, with the name of each. */
const sent = new Map<string, string>([
  [somePage.title, "the title"],
  [somePage.content, "the content"],
  [somePage.slug, "the slug"],
  [somePage.meta_description, "the description"],
  [somePage.cta.label, "the label"],
  [somePage.cta.url, "the target"],
]);

function placesOf(text: string, type: string): string[] {
  if (!type.includes("json")) return [text === "" ? "nothing" : "text"];
  const places = (value: unknown, path: string): string[] => {
    if (Array.isArray(value)) return [`${path}: array`, ...value.flatMap((item) => places(item, `${path}[]`))];
    if (typeof value === "string" && sent.has(value)) return [`${path}: ${sent.get(value)}`];
    if (typeof value !== "object" || value === null) return [`${path}: ${value === null ? "null" : typeof value}`];
    return [`${path}: object`, ...Object.entries(value).flatMap(([name, inner]) => places(inner, `${path}.${name}`))];
  };
  return places(JSON.parse(text), "");
}
