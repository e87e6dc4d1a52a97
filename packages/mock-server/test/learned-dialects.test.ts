import { gaps, switchIds } from "@landing-page-service/contract";
import { type DialectFile, dialectPresets } from "@landing-page-service/contract/dialect";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expectLearned, isThorough, learn, runs, serve } from "./learning.ts";

const combinations = fc
  .record(Object.fromEntries(switchIds.map((id) => [id, fc.constantFrom(...Object.keys(gaps[id].interpretations))])))
  .map((switches): DialectFile => ({ switches }));

const singles = switchIds.flatMap((id) =>
  Object.keys(gaps[id].interpretations).map((interpretation): [string, DialectFile] => [
    `${id}: ${interpretation}`,
    { switches: { [id]: interpretation } },
  ]),
);
const presets = Object.entries<DialectFile>(dialectPresets);
// In all other cases, errors are not HTML.
const some = singles.filter(([name], index) => isThorough || index % 16 === 0 || name === "error-body: html");

test.for([...presets, ...some])(
  "a check finds the dialect that is served, and finds the same in a mock with that dialect: %s",
  ([, dialect]) => expectFound(dialect),
);

// The seed is fixed by default. PROPERTY_RUNS=50 PROPERTY_SEED=random tries 50 cases from a new seed.
test(`the same holds for ${runs(3)} combinations of interpretations`, async () => {
  await fc.assert(fc.asyncProperty(combinations, expectFound), { numRuns: runs(3) });
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

async function expectFound(dialect: DialectFile): Promise<void> {
  const report = await learn(dialect);
  const again = await learn(report.dialect, { runId: "0a1b2c3d", compare: report.dialect });

  expectLearned(report, serve(dialect).dialect);
  expect(report).toMatchObject({ ok: true, leftovers: [], unexplained: [] });
  expect(JSON.stringify(report.dialect)).not.toMatch(/abcdef12|landing-pages\.test/);
  expect(again).toMatchObject({ dialect: report.dialect, drift: [] });
}
