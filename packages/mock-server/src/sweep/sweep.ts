import type { DialectChoice } from "@landing-page-service/contract/dialect";
import * as z from "zod";
import { aFunction, integer, optional, parseArgument } from "../argument.ts";
import type { MockServiceOptions } from "../service/context.ts";
import { compareStored, isLoss, judge } from "./judge.ts";
import { failureNames, type PlannedRun, type PlanOptions, planRuns, usualDialects } from "./plan.ts";
import { type Finding, SweepReport } from "./report.ts";
import { type Flow, type Observation, runFlow, type Runner } from "./run.ts";

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
  dialects: z.custom<readonly DialectChoice[]>(Array.isArray, "expected an array").default(usualDialects),
  pairs: integer(0).default(0),
  seed: integer(Number.MIN_SAFE_INTEGER).default(1),
  maxRuns: integer(1).default(2_000),
  maxVirtualMs: z.number().positive().default(3_600_000),
  onProgress: optional(aFunction<NonNullable<SweepOptions["onProgress"]>>()),
} satisfies Record<keyof SweepOptions, z.ZodType>);

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
  const { onProgress, mockOptions, maxVirtualMs, ...plan } = parseArgument("sweep", optionsSchema, options);
  parseArgument("sweep", aFunction<Flow>(), flow);
  const flowOptions = { mockOptions, maxVirtualMs, seed: plan.seed };
  const previous = lastSweep;
  const { promise, resolve } = Promise.withResolvers<void>();
  lastSweep = promise;
  await previous;
  try {
    if ("isFake" in Date)
      throw new Error("sweep: fake timers are installed; take them back first, as with vi.useRealTimers().");
    const careful = { usualSilence: 20, maxRequests: 100_000 };
    checkUndisturbed(await runFlow(flow, flowOptions, careful, { rules: [] }));
    // Modules are loaded by now, so that the second run shows how long the flow usually works where nobody sees it.
    const { longestSilence, exchanges } = await runFlow(flow, flowOptions, careful, { rules: [] });
    const bounds = { usualSilence: longestSilence, maxRequests: 1_000 + exchanges.length * 20 };
    const runner: Runner = (disturbance) => runFlow(flow, flowOptions, bounds, disturbance);
    return await sweepRuns(runner, { ...plan, failureNames }, 1, onProgress);
  } finally {
    resolve();
  }
}

/** The clock is the whole process's. */
let lastSweep = Promise.resolve();

/** Sweeps whatever a runner runs, with several runs at the same time. */
export async function sweepRuns(
  runner: Runner,
  plan: PlanOptions,
  concurrency: number,
  onProgress: SweepOptions["onProgress"] = showProgress,
): Promise<SweepReport> {
  const earlier = await runner({ rules: [] });
  checkUndisturbed(earlier);
  const undisturbed = await runner({ rules: [] });
  checkUndisturbed(undisturbed);
  checkAlike(earlier, undisturbed);
  const { calls, runs, skipped } = planRuns(undisturbed, plan);
  const found: Finding[][] = [];
  // Runs in which a client waits begin first, and end while the others run.
  const queue = [...runs.entries()].sort(([, one], [, other]) => Number(isSlow(other)) - Number(isSlow(one))).values();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const [index, run] of queue) {
      found[index] = judge(undisturbed, await runner(run), run);
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

function checkUndisturbed({ settled, unhandled, exchanges }: Observation): void {
  const when = "before anything is done to it";
  if (settled?.isRejected === true) {
    const { value: cause } = settled;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`sweep: the flow fails ${when}: ${message}`, { cause });
  }
  if (settled === undefined)
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
  throw new Error(
    `sweep: the flow stores something else each time, before anything is done to it (${difference.kind}: ${difference.what}); take what it draws at random from mock.clientOptions.random.`,
  );
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done === total ? "\r\u001B[K" : `\r\u001B[K${done} of ${total} runs …`);
}
