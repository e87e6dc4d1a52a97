// Which runs a sweep makes, decided before the first of them.
import type { DialectChoice } from "@landing-page-service/contract/dialect";
import { showLiteral } from "../argument.ts";
import { type FailureName, type SweptCall, writeRule } from "./failures.ts";
import type { Setting } from "./judge.ts";
import { createRandom, type Disturbance, type Observation } from "./run.ts";

/** A run to be made. */
export interface PlannedRun {
  readonly disturbance: Disturbance;
  readonly setting: Setting;
}

/** What runs are chosen by. */
export interface PlanOptions {
  readonly dialects: readonly DialectChoice[];
  readonly pairs: number;
  readonly seed: number;
  readonly maxRuns: number;
  /** What can happen to a call. */
  readonly failureNames: readonly FailureName[];
}

/** Lists the calls of a run that reached an endpoint. */
export function listCalls({ exchanges }: Observation): SweptCall[] {
  const counts = new Map<string, number>();
  return exchanges.flatMap(({ endpoint }, index) => {
    if (endpoint === undefined) return [];
    const skip = counts.get(endpoint) ?? 0;
    counts.set(endpoint, skip + 1);
    return [{ index, endpoint, skip }];
  });
}

/** Plans the runs; of more than the budget allows, an even sample that the seed decides. */
export function planRuns(calls: readonly SweptCall[], options: PlanOptions): { runs: PlannedRun[]; skipped: number } {
  const random = createRandom(options.seed);
  const singles = calls.flatMap((call) => options.failureNames.map((name) => planRun([[call, name]])));
  const all = [...options.dialects.map(planDialect), ...singles, ...planPairs(calls, options, random)];
  const runs = sample(all, options.maxRuns, random);
  return { runs, skipped: all.length - runs.length };
}

type Disturbed = readonly [call: SweptCall, name: FailureName];

function planRun(disturbed: readonly Disturbed[]): PlannedRun {
  const rules = disturbed.map(([call, name]) => writeRule(call, name));
  return {
    disturbance: { rules },
    setting: {
      call: disturbed[0]?.[0],
      fault: disturbed
        .map(([{ endpoint, skip }, name], place) => (place === 0 ? name : `then ${endpoint} #${skip + 1} ${name}`))
        .join(", "),
      rules,
      reproduce: rules.map((rule) => `mock.faults.add(${showLiteral(rule)});`).join(" "),
    },
  };
}

function planDialect(dialect: DialectChoice): PlannedRun {
  const written = showLiteral(dialect);
  const fault = `dialect ${typeof dialect === "string" ? dialect : written}`;
  const reproduce = `createMockService({ dialect: ${written} });`;
  return { disturbance: { rules: [], dialect }, setting: { call: undefined, fault, rules: [], reproduce } };
}

/** Two failures in one run, the second at the same call or a later one. */
function planPairs(
  calls: readonly SweptCall[],
  { pairs, failureNames }: PlanOptions,
  random: () => number,
): PlannedRun[] {
  if (calls.length === 0) return [];
  return Array.from({ length: pairs }, () => {
    const two: Disturbed[] = [0, 1].map(() => [pick(calls, random), pick(failureNames, random)]);
    return planRun(two.toSorted(([one], [other]) => one.index - other.index));
  });
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item; // why: it is one of a list that is not empty
}

/** So many of the items, in their order. */
function sample<Item>(items: readonly Item[], size: number, random: () => number): Item[] {
  if (items.length <= size) return [...items];
  let wanted = size;
  return items.filter((_, index) => {
    const isTaken = random() < wanted / (items.length - index);
    if (isTaken) wanted -= 1;
    return isTaken;
  });
}
