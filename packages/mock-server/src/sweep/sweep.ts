import type { DialectChoice } from "@landing-page-service/contract/dialect";
import * as z from "zod";
import { aFunction, integer, optional, parseArgument } from "../argument.ts";
import type { MockServiceOptions } from "../service/context.ts";
import { compareStored, isLoss, judge } from "./judge.ts";
import { failureNames, type PlannedRun, type PlanOptions, planRuns, usualDialects } from "./plan.ts";
import { type Finding, SweepReport } from "./report.ts";
import { type Flow, type Observation, runFlow, type Runner } from "./run.ts";

/** Options of a sweep. */
export interface SweepOptions {
  /** Options of the service that each run gets. @defaultValue `{}` */
  mockOptions?: Omit<MockServiceOptions, "now" | "random" | "sleep">;
  /** Dialects in which the flow runs once each without a fault. @defaultValue every preset but the reference */
  dialects?: readonly DialectChoice[];
  /** Number of runs with two random faults, 0 or more. @defaultValue 0 */
  pairs?: number;
  /** Seed of all random numbers, also in clients. The same seed gives the same report. @defaultValue 1 */
  seed?: number;
  /** Most runs with faults. If there are more, the sweep makes a sample that depends on the seed. @defaultValue 2 000 */
  maxRuns?: number;
  /** Virtual milliseconds after which a flow counts as hanging. @defaultValue 3 600 000, an hour */
  maxVirtualMs?: number;
  /** Called after each run with faults. @defaultValue prints a line on standard error if that is a terminal */
  onProgress?: (done: number, total: number) => void;
}

const optionsSchema = z.strictObject({
  mockOptions: z.custom<NonNullable<SweepOptions["mockOptions"]>>().default({}),
  dialects: z.custom<readonly DialectChoice[]>(Array.isArray, "expected an array").default(usualDialects),
  pairs: integer(0).default(0),
  seed: integer(Number.MIN_SAFE_INTEGER).default(1),
  maxRuns: integer(1).default(2_000),
  maxVirtualMs: z.number().positive().default(3_600_000),
  onProgress: optional(aFunction<NonNullable<SweepOptions["onProgress"]>>()),
} satisfies Record<keyof SweepOptions, z.ZodType>);

/**
 * Runs a flow without faults, then once for each of its calls and each kind of fault. Reports records that were stored twice or lost
 * silently, and runs that never end. Each run has an empty account and virtual time. Timers, `AbortSignal.timeout`, `Date` and
 * `performance` are virtual in the whole process until the sweep is over. Sweeps run one after the other.
 *
 * @param flow - gets the account of its run, builds its own client from `mock.clientOptions`, and ends when its promise settles.
 * @throws {Error} when the flow fails, hangs or makes no call without a fault, or when fake timers are installed. @throws {TypeError} when an option is wrong.
 * @example
 * const report = await sweep((mock) => publish(new LandingPages(mock.clientOptions)));
 * console.log(String(report));
 */
export async function sweep(flow: Flow, options: SweepOptions = {}): Promise<SweepReport> {
  const { onProgress, mockOptions, maxVirtualMs, ...plan } = parseArgument("sweep", optionsSchema, options);
  parseArgument("sweep", aFunction<Flow>(), flow);
  const flowOptions = { mockOptions, maxVirtualMs, seed: plan.seed };
  const previous = lastSweep;
  const { promise, resolve } = Promise.withResolvers<void>();
  lastSweep = promise;
  await previous;
  try {
    if ("isFake" in Date)
      throw new Error(
        "sweep: fake timers are installed; restore the real ones first, for example with vi.useRealTimers().",
      );
    const careful = { usualSilence: 20, maxRequests: 100_000 };
    checkBaseline(await runFlow(flow, flowOptions, careful, { rules: [] }));
    // The first run loads modules. So the second shows how long the flow usually works without visible activity.
    const { longestSilence, exchanges } = await runFlow(flow, flowOptions, careful, { rules: [] });
    const bounds = { usualSilence: longestSilence, maxRequests: 1_000 + exchanges.length * 20 };
    const runner: Runner = (setup) => runFlow(flow, flowOptions, bounds, setup);
    return await sweepRuns(runner, { ...plan, failureNames }, 1, onProgress);
  } finally {
    resolve();
  }
}

/** Settles when the last sweep is over. The whole process shares one clock, so sweeps must wait for each other. */
let lastSweep = Promise.resolve();

/** Sweeps with any runner, which may run several flows at the same time. */
export async function sweepRuns(
  runner: Runner,
  plan: PlanOptions,
  concurrency: number,
  onProgress: SweepOptions["onProgress"] = showProgress,
): Promise<SweepReport> {
  const earlier = await runner({ rules: [] });
  checkBaseline(earlier);
  const baseline = await runner({ rules: [] });
  checkBaseline(baseline);
  checkAlike(earlier, baseline);
  const { calls, runs, skipped } = planRuns(baseline, plan);
  const found: Finding[][] = [];
  // Runs in which a client waits start first, so that they end while the others run.
  const queue = [...runs.entries()].sort(([, one], [, other]) => Number(isSlow(other)) - Number(isSlow(one))).values();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const [index, run] of queue) {
      found[index] = judge(baseline, await runner(run), run);
      done += 1;
      onProgress(done, runs.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const findings = found.flat().filter((finding) => !isLoss(finding));
  const losses = found.flat().filter(isLoss);
  return new SweepReport({ seed: plan.seed, requests: calls, runs: runs.length, skipped, findings, losses });
}

function isSlow({ rules }: PlannedRun): boolean {
  return rules.some(({ wire, delayMs = 0 }) => wire === "stall" || delayMs > 0);
}

function checkBaseline({ settled, unhandled, exchanges }: Observation): void {
  const when = "even without a fault";
  if (settled?.isRejected === true) {
    const { value: cause } = settled;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`sweep: the flow fails ${when}: ${message}`, { cause });
  }
  if (settled === undefined)
    throw new Error(
      `sweep: the flow never ends, ${when}; it may wait for another process, or use a timer function that it stored before the sweep.`,
    );
  if (unhandled.length > 0) throw new Error(`sweep: the flow leaves a rejection unhandled (${unhandled[0]}), ${when}.`);
  if (exchanges.length === 0)
    throw new Error(
      "sweep: the flow sends no request to the service; build its client from mock.clientOptions, or for the command from LANDING_PAGES_BASE_URL and LANDING_PAGES_API_KEY.",
    );
}

/** Refuses a flow that stores something else in each run. Every run would report that difference. */
function checkAlike(earlier: Observation, baseline: Observation): void {
  const differences = compareStored(earlier.stored, baseline.stored);
  // A missing record comes first, so that the message does not depend on random names.
  const difference = differences.find(({ kind }) => kind === "missing") ?? differences[0];
  if (difference === undefined) return;
  throw new Error(
    `sweep: the flow stores other records in each run, even without a fault (${difference.kind}: ${difference.what}); use mock.clientOptions.random for its random values.`,
  );
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done === total ? "\r\u001B[K" : `\r\u001B[K${done} of ${total} runs …`);
}
