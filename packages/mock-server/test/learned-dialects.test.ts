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

async function expectFound(dialect: DialectFile): Promise<void> {
  const report = await learn(dialect);
  const again = await learn(report.dialect, { runId: "0a1b2c3d", compare: report.dialect });

  expectLearned(report, serve(dialect).dialect);
  expect(report).toMatchObject({ ok: true, leftovers: [], unexplained: [] });
  expect(JSON.stringify(report.dialect)).not.toMatch(/abcdef12|landing-pages\.test/);
  expect(again).toMatchObject({ dialect: report.dialect, drift: [] });
}
