import type { DialectChoice } from "@landing-page-service/contract/dialect";
import { checkNames } from "../exchange/names.ts";
import type { MockServiceOptions } from "../service/options.ts";
import { listOpen } from "./drive.ts";
import { type FailureName, failureNames as allFailures } from "./failures.ts";
import { compareHoldings } from "./holdings.ts";
import { judge, type Verdict } from "./judge.ts";
import { listCalls, planRuns } from "./plan.ts";
import { SweepReport } from "./report.ts";
import { type Flow, type Observation, runFlow, type Runner, type RunParts } from "./run.ts";
import { canAttribute, catchUnhandled, type RunContext, virtualizeTime } from "./virtual-time.ts";

/** How an app is swept. */
export interface SweepOptions {
  /** How the service of each run is set up. @defaultValue `{}` */
  mockOptions?: Omit<MockServiceOptions, "now" | "random" | "sleep">;
  /** Dialects in which the flow is run undisturbed, each once. @defaultValue every preset but the reference */
  dialects?: readonly DialectChoice[];
  /** Runs in which two things happen, drawn at random, 0 or more. @defaultValue 0 */
  pairs?: number;
  /** Decides what is drawn at random, and the `random` of clients: the same one gives the same report. @defaultValue 1 */
  seed?: number;
  /** Most disturbed runs; of more, a sample is made that the seed decides. @defaultValue 2 000 */
  maxRuns?: number;
  /** Runs at the same time, each in a service of its own: no verdict depends on it. @defaultValue 4 */
  concurrency?: number;
  /** Virtual time after which a flow hangs, milliseconds. @defaultValue 3 600 000, an hour */
  maxVirtualMs?: number;
  /** Called after each disturbed run. @defaultValue a line on standard error, where that is a terminal */
  onProgress?: (done: number, total: number) => void;
}

const optionNames = [
  "mockOptions",
  "dialects",
  "pairs",
  "seed",
  "maxRuns",
  "concurrency",
  "maxVirtualMs",
  "onProgress",
];
const usualDialects = ["minimal", "wrapped", "mongo-like", "rails-like", "spring-like", "lenient", "strict"] as const;
const hourMs = 3_600_000;
/** How patient the first runs are: what is imported late comes in them. */
const patiently = { silentPauses: 100, pausesBeforeHang: 500, maxRequests: 100_000 };
/** The others are as patient as those have shown to be needed: a multiple of their longest silence, or of their requests, within bounds. */
const needed = {
  silentPauses: { least: 2, most: 200, times: 4 },
  pausesBeforeHang: { least: 200, most: 4_000, times: 20 },
  maxRequests: { least: 5_000, most: Infinity, times: 20 },
};

/**
 * Runs a flow once undisturbed, then once for each of its calls and everything that can happen to one, each in an empty
 * account and in virtual time, and tells what was stored twice, lost silently, or hung. Timers, `AbortSignal.timeout` and
 * `Date` are virtual inside the flow until the sweep is over.
 *
 * @param flow - gets the account of its run, builds its own client from `mock.clientOptions`, and is over when its promise settles.
 * @throws {Error} when the flow fails, hangs or makes no call undisturbed. @throws {TypeError} when an option is wrong.
 * @example
 * const report = await sweep((mock) => publish(new LandingPages(mock.clientOptions)));
 * console.log(String(report));
 */
export async function sweep(flow: Flow, options: SweepOptions = {}): Promise<SweepReport> {
  checkOptions(flow, options);
  const { mockOptions = {}, seed = 1, concurrency = 4, maxVirtualMs = hourMs } = options;
  const active = new Set<RunContext>();
  const onContext: RunParts["onContext"] = (context, isBegun) =>
    isBegun ? void active.add(context) : void active.delete(context);
  const attributes = await canAttribute();
  const restoreTime = virtualizeTime();
  // Where rejections do not tell whose they are, one run at a time does.
  const restoreUnhandled = catchUnhandled(() => (attributes ? undefined : active.values().next().value));
  const patience = { ...patiently, maxVirtualMs, openBefore: listOpen() };
  const parts = { flow, mockOptions, seed, patience, onContext };
  try {
    checkUndisturbed(await runFlow(parts, { rules: [] }));
    // In the second one nothing is loaded any more, so that its silences are those of the others.
    const earlier = await runFlow(parts, { rules: [] });
    const { longestSilence, exchanges } = earlier;
    const fit = (seen: number, { least, most, times }: typeof needed.silentPauses): number =>
      Math.min(Math.max(seen * times, least), most);
    const fitting = {
      ...patience,
      silentPauses: fit(longestSilence, needed.silentPauses),
      pausesBeforeHang: fit(longestSilence, needed.pausesBeforeHang),
      maxRequests: fit(exchanges.length, needed.maxRequests),
    };
    const runner: Runner = (disturbance) => runFlow({ ...parts, patience: fitting }, disturbance);
    return await sweepRuns(runner, { ...options, earlier, concurrency: attributes ? concurrency : 1 });
  } finally {
    restoreUnhandled();
    restoreTime();
  }
}

/** Sweeps whatever a runner runs. */
export async function sweepRuns(
  runner: Runner,
  options: SweepOptions & { readonly failureNames?: readonly FailureName[]; readonly earlier?: Observation },
): Promise<SweepReport> {
  const { dialects = usualDialects, pairs = 0, seed = 1, maxRuns = 2_000, concurrency = 1 } = options;
  const { failureNames = allFailures } = options;
  const { onProgress = showProgress } = options;
  const { earlier = await runner({ rules: [] }) } = options;
  checkUndisturbed(earlier);
  const undisturbed = await runner({ rules: [] });
  checkUndisturbed(undisturbed);
  checkAlike(earlier, undisturbed);
  const requests = listCalls(undisturbed);
  const { runs, skipped } = planRuns(requests, { dialects, pairs, seed, maxRuns, failureNames });
  const verdicts: Verdict[] = [];
  const queue = runs.entries();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const [index, { disturbance, setting }] of queue) {
      // What a run held is let go of as soon as it is compared.
      verdicts[index] = judge(undisturbed, await runner(disturbance), setting);
      done += 1;
      onProgress(done, runs.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const findings = verdicts.flatMap((verdict) => verdict.findings);
  const losses = verdicts.flatMap((verdict) => verdict.losses);
  return new SweepReport({ seed, requests, runs: runs.length, skipped, findings, losses });
}

function checkUndisturbed({ isHanging, rejection, unhandled, exchanges }: Observation): void {
  if (rejection !== undefined) {
    const { reason: cause } = rejection;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`sweep: the flow fails before anything is done to it: ${message}`, { cause });
  }
  if (isHanging)
    throw new Error(
      "sweep: the flow never ends, before anything is done to it; sockets, and timers that were taken before the sweep began, are not waited for.",
    );
  if (unhandled.length > 0)
    throw new Error(`sweep: the flow leaves a rejection unhandled (${unhandled[0]}), before anything is done to it.`);
  if (exchanges.length === 0)
    throw new Error(
      "sweep: the flow sends nothing to the service; its client is to be built from mock.clientOptions, or in a command of its own from LANDING_PAGES_BASE_URL and LANDING_PAGES_API_KEY.",
    );
}

/** What differs from run to run would be found in each of them. */
function checkAlike(earlier: Observation, undisturbed: Observation): void {
  const differences = compareHoldings(earlier.holdings, undisturbed.holdings);
  // What is missing comes first, whatever names were drawn.
  const difference = differences.find(({ kind }) => kind === "missing") ?? differences[0];
  if (difference === undefined) return;
  const { kind, what } = difference;
  throw new Error(
    `sweep: the flow stores something else each time, before anything is done to it (${kind}: ${what}); what it draws at random is to come from mock.clientOptions.random.`,
  );
}

function checkOptions(flow: unknown, options: SweepOptions): void {
  if (typeof flow !== "function") throw new TypeError(`sweep: expected a function, got ${typeof flow}`);
  checkNames("sweep", options, optionNames);
  const { pairs = 0, maxRuns = 1, concurrency = 1, seed = 1, maxVirtualMs = 1 } = options;
  const least = { pairs: [pairs, 0], maxRuns: [maxRuns, 1], concurrency: [concurrency, 1] } as const;
  for (const [name, [value, from]] of Object.entries(least))
    if (!(Number.isSafeInteger(value) && value >= from))
      throw new TypeError(`sweep: ${name}: expected a whole number of ${from} or more, got ${value}`);
  if (!Number.isSafeInteger(seed)) throw new TypeError(`sweep: seed: expected a whole number, got ${seed}`);
  if (!(maxVirtualMs > 0)) throw new TypeError(`sweep: maxVirtualMs: expected more than 0, got ${maxVirtualMs}`);
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done === total ? "\r\u001B[K" : `\r\u001B[K${done} of ${total} runs …`);
}
