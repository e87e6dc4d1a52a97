import type { DialectChoice } from "@landing-page-service/contract/dialect";
import * as z from "zod";
import { aFunction, integer, optional, parseArgument } from "../argument.ts";
import type { MockServiceOptions } from "../service/mock-service.ts";
import { type FailureName, failureNames as allFailures } from "./failures.ts";
import { judge, type Verdict } from "./judge.ts";
import { listCalls, type PlannedRun, planRuns } from "./plan.ts";
import { SweepReport } from "./report.ts";
import { type Flow, type Observation, runFlow, type Runner } from "./run.ts";
import { compareStored } from "./stored.ts";

/** How an app is swept. */
export interface SweepOptions {
  /** How the service of each run is set up. @defaultValue `{}` */
  mockOptions?: Omit<MockServiceOptions, "now" | "random" | "sleep">;
  /** Dialects in which the flow is run undisturbed, each once. @defaultValue every preset but the reference */
  dialects?: readonly DialectChoice[];
  /** Runs in which two things happen, drawn at random, 0 or more. @defaultValue 0 */
  pairs?: number;
  /** Seed of everything random, also in clients. The same seed gives the same report. @defaultValue 1 */
  seed?: number;
  /** Most disturbed runs; of more, a sample is made that the seed decides. @defaultValue 2 000 */
  maxRuns?: number;
  /** Virtual time after which a flow hangs, milliseconds. @defaultValue 3 600 000, an hour */
  maxVirtualMs?: number;
  /** Called after each disturbed run. @defaultValue a line on standard error, where that is a terminal */
  onProgress?: (done: number, total: number) => void;
}

const optionsSchema = z.strictObject({
  mockOptions: z.custom<NonNullable<SweepOptions["mockOptions"]>>().default({}),
  dialects: optional(z.custom<readonly DialectChoice[]>(Array.isArray, "expected an array")),
  pairs: integer(0).default(0),
  seed: integer(Number.MIN_SAFE_INTEGER).default(1),
  maxRuns: integer(1).default(2_000),
  maxVirtualMs: z.number().positive().default(3_600_000),
  onProgress: optional(aFunction<NonNullable<SweepOptions["onProgress"]>>()),
} satisfies Record<keyof SweepOptions, z.ZodType>);
const usualDialects = ["minimal", "wrapped", "mongo-like", "rails-like", "spring-like", "lenient", "strict"] as const;

/**
 * Runs a flow once undisturbed, then once for each of its calls and everything that can happen to one, each in an empty
 * account and in virtual time, and reports what was stored twice, lost silently, or hung. Timers, `AbortSignal.timeout`, `Date` and
 * `performance` are virtual in the whole process until the sweep is over. Sweeps run one after the other.
 *
 * @param flow - gets the account of its run, builds its own client from `mock.clientOptions`, and is over when its promise settles.
 * @throws {Error} when the flow fails, hangs or makes no call undisturbed, or fake timers are installed. @throws {TypeError} when an option is wrong.
 * @example
 * const report = await sweep((mock) => publish(new LandingPages(mock.clientOptions)));
 * console.log(String(report));
 */
export async function sweep(flow: Flow, options: SweepOptions = {}): Promise<SweepReport> {
  const { mockOptions, seed, maxVirtualMs, ...others } = parseArgument("sweep", optionsSchema, options);
  const parts = { flow: parseArgument("sweep", aFunction<Flow>(), flow), mockOptions, seed, maxVirtualMs };
  const previous = lastSweep;
  const { promise, resolve } = Promise.withResolvers<void>();
  lastSweep = promise;
  await previous;
  try {
    if ("isFake" in Date)
      throw new Error("sweep: fake timers are installed; take them back first, as with vi.useRealTimers().");
    const first = await runFlow({ ...parts, patience: patient, maxRequests: 100_000 }, { rules: [] });
    checkUndisturbed(first);
    // Modules are loaded by now, so that the second run shows how long the flow usually works where nobody sees it.
    const earlier = await runFlow({ ...parts, patience: patient, maxRequests: 100_000 }, { rules: [] });
    const { longestSilence, exchanges } = earlier;
    const patience = {
      pauses: Math.min(1 + longestSilence * 4, 200),
      pausesBeforeHang: Math.min(100 + longestSilence * 20, 4_000),
    };
    const maxRequests = 1_000 + exchanges.length * 20;
    const runner: Runner = (disturbance) => runFlow({ ...parts, patience, maxRequests }, disturbance);
    return await sweepRuns(runner, { ...others, seed, earlier });
  } finally {
    resolve();
  }
}

const patient = { pauses: 50, pausesBeforeHang: 400 };
/** The clock is the whole process's. */
let lastSweep = Promise.resolve();

/** How runs of any kind are swept. */
interface RunsOptions extends Omit<SweepOptions, "mockOptions" | "maxVirtualMs"> {
  readonly failureNames?: readonly FailureName[];
  /** An undisturbed run that was made already. */
  readonly earlier?: Observation;
  /** Runs at the same time. @defaultValue 1 */
  readonly concurrency?: number;
}

/** Sweeps whatever a runner runs. */
export async function sweepRuns(runner: Runner, options: RunsOptions): Promise<SweepReport> {
  const { dialects = usualDialects, pairs = 0, seed = 1, maxRuns = 2_000, concurrency = 1 } = options;
  const { failureNames = allFailures, onProgress = showProgress } = options;
  const { earlier = await runner({ rules: [] }) } = options;
  checkUndisturbed(earlier);
  const undisturbed = await runner({ rules: [] });
  checkUndisturbed(undisturbed);
  checkAlike(earlier, undisturbed);
  const requests = listCalls(undisturbed);
  const { runs, skipped } = planRuns(requests, { dialects, pairs, seed, maxRuns, failureNames });
  const verdicts: Verdict[] = [];
  // Runs in which a client waits begin first, and end while the others run.
  const queue = [...runs.entries()].sort(([, one], [, other]) => Number(isSlow(other)) - Number(isSlow(one))).values();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const [index, { disturbance, setting }] of queue) {
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

function isSlow({ disturbance: { rules } }: PlannedRun): boolean {
  return rules.some(({ wire, delayMs = 0 }) => wire === "stall" || delayMs > 0);
}

function checkUndisturbed({ isHanging, rejection, unhandled, exchanges }: Observation): void {
  const when = "before anything is done to it";
  if (rejection !== undefined) {
    const { reason: cause } = rejection;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`sweep: the flow fails ${when}: ${message}`, { cause });
  }
  if (isHanging)
    throw new Error(
      `sweep: the flow never ends, ${when}; it may wait for a timer that was taken before the sweep began, or for another process.`,
    );
  if (unhandled.length > 0) throw new Error(`sweep: the flow leaves a rejection unhandled (${unhandled[0]}), ${when}.`);
  if (exchanges.length === 0)
    throw new Error(
      "sweep: the flow sends nothing to the service; build its client from mock.clientOptions, or in a command of its own from LANDING_PAGES_BASE_URL and LANDING_PAGES_API_KEY.",
    );
}

/** What differs from run to run would be found in each of them. */
function checkAlike(earlier: Observation, undisturbed: Observation): void {
  const differences = compareStored(earlier.stored, undisturbed.stored);
  // What is missing comes first, whatever names were drawn.
  const difference = differences.find(({ kind }) => kind === "missing") ?? differences[0];
  if (difference === undefined) return;
  const { kind, what } = difference;
  throw new Error(
    `sweep: the flow stores something else each time, before anything is done to it (${kind}: ${what}); take what it draws at random from mock.clientOptions.random.`,
  );
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done === total ? "\r\u001B[K" : `\r\u001B[K${done} of ${total} runs …`);
}
