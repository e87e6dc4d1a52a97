import { gaps, switchIds } from "@landing-page-service/contract";
import { type AnswerTemplate, type DialectFile, dialectPresets } from "@landing-page-service/contract/dialect";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Change, expectLearned, isThorough, learn, runs, serve } from "./learning.ts";

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

const done = { outcome: "DONE" };
const page = { page: "{page}" };

/** Successes and failures that differ only by their templates. */
const reported: [string, NonNullable<DialectFile["answers"]>, AnswerTemplate, AnswerTemplate?][] = [
  [
    "in a word",
    {
      createPage: { status: 200, body: { ...done, ...page } },
      listPages: { status: 200, body: { ...done, pages: ["{listedPage}"], total: "{total}" } },
      updatePage: { status: 200, body: { ...done, ...page } },
      deletePage: { status: 200, body: done },
      trackEvent: { status: 200, body: done },
    },
    { body: { outcome: "REFUSED", explanation: "{detail}", about: "{error.field}" } },
    { body: { outcome: "REFUSED", explanation: "{detail}" } },
  ],
  [
    "in a flag, with the status as the code",
    {
      createPage: { status: 200, body: { saved: true, code: 200, ...page } },
      listPages: { status: 200, body: { saved: true, code: 200, rows: ["{listedPage}"] } },
      updatePage: { status: 200, body: { saved: true, code: 200 } },
      deletePage: { status: 200, body: { saved: true, code: 200 } },
      trackEvent: { status: 200, body: { saved: true, code: 200 } },
    },
    { body: { saved: false, code: "{status}", why: "{detail}" } },
  ],
  [
    "in a text",
    {
      updatePage: { status: 200, text: "OK" },
      deletePage: { status: 200, text: "OK" },
      trackEvent: { status: 200, text: "OK" },
    },
    { text: "{detail}" },
  ],
];

test.for(reported)(
  "a check learns how a service reports failures in a 200: %s",
  async ([, answers, wrong, other = wrong]) => {
    const errors: Record<string, AnswerTemplate> = { 400: { ...wrong, status: 200 }, 404: { ...other, status: 200 } };
    // A malformed body is a 400 otherwise.
    if (other !== wrong) errors["malformed"] = { ...other, status: 200 };
    const served: DialectFile = { answers: { ...answers, error: other, errors } };
    const report = await learn(served);
    const again = await learn(report.dialect, { runId: "0a1b2c3d", compare: report.dialect });
    const drifted = await learn(
      { answers: { ...answers, error: other } },
      { runId: "0a1b2c3d", compare: report.dialect },
    );

    expectLearned(report, serve(served).dialect);
    const verdicts = Object.fromEntries(report.statements.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts).toMatchObject({
      "delete-permanent": "holds",
      "error-not-found": "broken",
      "error-invalid": "broken",
    });
    expect(report).toMatchObject({ leftovers: [], unexplained: [] });
    expect(again).toMatchObject({ dialect: report.dialect, drift: [] });
    expect(drifted.drift?.map(({ place }) => place)).toContain("errors/404/status");
  },
);

test("a request that a service accepts although it should refuse it is no error", async () => {
  let count = 0;
  const accept: Change = async (request, response) => {
    if (response.status < 400 || response.status === 429 || response.status === 500) return response;
    const sent = await request.json().catch(() => ({}));
    const isPage = request.url.includes("/api/content") && request.method !== "DELETE";
    const body = { ...(isPage && { id: `pg_${(count += 1)}`, state: "draft", ...Object(sent) }), took: count };
    return new Response(JSON.stringify(body), { status: 200, headers: response.headers });
  };
  const { dialect } = await learn({}, {}, accept);

  expect(JSON.stringify(dialect.answers?.error ?? {})).not.toContain("draft");
  expect(Object.keys(dialect.answers?.errors ?? {})).toEqual([]);
});

async function expectFound(dialect: DialectFile): Promise<void> {
  const report = await learn(dialect);
  const again = await learn(report.dialect, { runId: "0a1b2c3d", compare: report.dialect });

  expectLearned(report, serve(dialect).dialect);
  expect(report).toMatchObject({ ok: true, leftovers: [], unexplained: [] });
  expect(JSON.stringify(report.dialect)).not.toMatch(/abcdef12|landing-pages\.test/);
  expect(again).toMatchObject({ dialect: report.dialect, drift: [] });
}
