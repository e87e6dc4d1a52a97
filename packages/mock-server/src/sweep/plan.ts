// Plans the runs of a sweep before the first run with faults.
import type { EndpointName } from "@landing-page-service/contract";
import { type DialectChoice, dialectPresets, type PresetName } from "@landing-page-service/contract/dialect";
import { showLiteral } from "../argument.ts";
import type { FaultRule } from "../testing/faults.ts";
import type { Finding } from "./report.ts";
import { createRandom, type RunSetup, type Observation } from "./run.ts";
import type { SweepOptions } from "./sweep.ts";

const proxyPage = "<!doctype html><title>Sign in</title><h1>Sign in to continue</h1>";

/** The kinds of fault, each as part of a fault rule. */
const failures = {
  "refused: 429": { status: 429, headers: { "Retry-After": "2" }, times: 1 },
  "refused: 500": { status: 500, times: 1 },
  "refused: 503": { status: 503, times: 1 },
  "refused: 400": { status: 400, times: 1 },
  "refused: 401 from here on": { status: 401 },
  "lost: 500 after the work": { status: 500, when: "after", times: 1 },
  "lost: reset after the work": { wire: "reset", when: "after", times: 1 },
  "lost: response cut in half": { wire: "truncate", times: 1 },
  "lost: response that never comes": { wire: "stall", when: "after", times: 1 },
  "unsent: connection refused": { wire: "refuse", times: 1 },
  "unsent: reset before the work": { wire: "reset", times: 1 },
  "wrong: page of a proxy": { status: 200, headers: { "Content-Type": "text/html" }, body: proxyPage, times: 1 },
  "wrong: empty 200 after the work": { status: 200, body: "", when: "after", times: 1 },
  "slow: 5 s": { delayMs: 5_000, when: "after", times: 1 },
  "slow: 60 s": { delayMs: 60_000, when: "after", times: 1 },
} as const satisfies Record<string, FaultRule>;

/** Name of a kind of fault. */
export type FailureName = keyof typeof failures;

/** Names of all kinds of fault. */
export const failureNames = Object.keys(failures) as FailureName[]; // why: keys of an object literal are its own

/** Every preset but the reference. */
export const usualDialects = (Object.keys(dialectPresets) as PresetName[]).filter((name) => name !== "reference"); // why: as above

/** A call that the flow made in the run without faults. */
export interface SweptCall {
  /** Index among all calls, from 0. */
  readonly index: number;
  /** Endpoint that it reached. */
  readonly endpoint: EndpointName;
  /** Number of earlier calls of the same endpoint. */
  readonly skip: number;
}

/** A planned run, and the fields that its findings share. */
export type PlannedRun = RunSetup & Pick<Finding, "call" | "fault" | "rules" | "reproduce">;

/** Options that select the runs. */
export interface PlanOptions extends Pick<Required<SweepOptions>, "dialects" | "pairs" | "seed" | "maxRuns"> {
  /** Kinds of fault that a call can get. */
  readonly failureNames: readonly FailureName[];
}

/** Plans the runs from the calls that reached an endpoint in the run without faults. With more than `maxRuns`, takes an even sample that depends on the seed. */
export function planRuns({ exchanges }: Observation, options: PlanOptions) {
  const counts = new Map<EndpointName, number>();
  const calls = exchanges.flatMap(({ endpoint }, index): SweptCall[] => {
    if (endpoint === undefined) return [];
    const skip = counts.get(endpoint) ?? 0;
    counts.set(endpoint, skip + 1);
    return [{ index, endpoint, skip }];
  });
  const { dialects, failureNames, maxRuns } = options;
  const random = createRandom(options.seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item; // why: the list is not empty
  const singles = calls.flatMap((call) => failureNames.map((name) => planFailures([[call, name]])));
  // Two faults in one run. The second is at the same call or a later one.
  const pairs = Array.from({ length: calls.length === 0 ? 0 : options.pairs }, () => {
    const two = [0, 1].map((): Failing => [pick(calls), pick(failureNames)]);
    return planFailures(two.toSorted(([one], [other]) => one.index - other.index));
  });
  const all = [...dialects.map(planDialect), ...singles, ...pairs];
  let wanted = maxRuns;
  const runs = all.filter((_, index) => {
    const isTaken = all.length <= maxRuns || random() < wanted / (all.length - index);
    if (isTaken) wanted -= 1;
    return isTaken;
  });
  return { calls, runs, skipped: all.length - runs.length };
}

type Failing = readonly [call: SweptCall, name: FailureName];

function planFailures(failing: readonly Failing[]): PlannedRun {
  const rules = failing.map(([{ index, endpoint, skip }, name]): FaultRule => {
    // A revoked key is invalid at every endpoint.
    const match = name === "refused: 401 from here on" ? { skip: index } : { endpoint, skip };
    return { ...match, ...failures[name] };
  });
  const [, ...later] = failing.map(([{ endpoint, skip }, name]) => `then ${endpoint} #${skip + 1} ${name}`);
  return {
    call: failing[0]?.[0],
    fault: [failing[0]?.[1], ...later].join(", "),
    rules,
    reproduce: rules.map((rule) => `mock.faults.add(${showLiteral(rule)});`).join(" "),
  };
}

function planDialect(dialect: DialectChoice): PlannedRun {
  const written = showLiteral(dialect);
  const fault = `dialect ${typeof dialect === "string" ? dialect : written}`;
  return { call: undefined, fault, rules: [], reproduce: `createMockService({ dialect: ${written} });`, dialect };
}
