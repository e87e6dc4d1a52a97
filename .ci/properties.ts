// Property tests try the same few cases in each run, so that a red run can be repeated. PROPERTY_RUNS=1000 tries more cases
// of each property, PROPERTY_SEED=random tries fresh ones.
import { configureGlobal, readConfigureGlobal } from "fast-check";

const { PROPERTY_SEED: seed = "1", PROPERTY_RUNS: runs = "30" } = process.env;

configureGlobal({
  ...readConfigureGlobal(),
  numRuns: Number(runs),
  ...(seed === "random" ? {} : { seed: Number(seed) }),
});

/** Options of a property that needs a number of runs of its own, `least`. PROPERTY_RUNS can raise the number, but not lower it. */
export function atLeast(least: number): { numRuns: number } {
  return { numRuns: Math.max(least, Number(process.env["PROPERTY_RUNS"] ?? 0)) };
}
