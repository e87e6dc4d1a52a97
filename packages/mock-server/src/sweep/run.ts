import type { DialectChoice } from "@landing-page-service/contract/dialect";
import type { AccountHandle, ClientOptions } from "../service/account-handle.ts";
import { createFetch } from "../service/fetch.ts";
import { openTestAccount } from "../service/fixture.ts";
import type { TestAccount } from "../service/test-account.ts";
import type { MockServiceOptions } from "../service/options.ts";
import { createMockService } from "../service/service.ts";
import type { FaultRule } from "../testing/fault-rule.ts";
import { drive, type Patience } from "./drive.ts";
import { type Exchange, logExchanges } from "./exchanges.ts";
import { type Holdings, readHoldings } from "./holdings.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { type RunContext, runIn } from "./virtual-time.ts";

/** What a client needs to work in a swept account: on the run's clock, with its randomness. */
export interface SweptClientOptions extends ClientOptions {
  /** Waits in virtual time; rejects with the signal's reason when it fires. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /** Numbers from 0 to below 1, the same in every run. */
  readonly random: () => number;
}

/** The empty account of one run. */
export interface SweptAccount extends TestAccount {
  /** What a client needs to work in it, on the clock of the run. */
  readonly clientOptions: SweptClientOptions;
  /** Tells of a loss, where the flow goes on: what is missing is then not missing silently. */
  readonly report: (problem: unknown) => void;
}

/** What is swept: an app, or the part of one, that is over when its promise settles. */
export type Flow = (mock: SweptAccount) => unknown;

/** What is done to one run. */
export interface Disturbance {
  /** Planned in the account before the flow begins. */
  readonly rules: readonly FaultRule[];
  /** How the service speaks, when other than the options say. */
  readonly dialect?: DialectChoice | undefined;
}

/** What one run was like. */
export interface Observation {
  readonly exchanges: readonly Exchange[];
  readonly holdings: Holdings;
  /** Whether the flow said that something went wrong. */
  readonly isTold: boolean;
  /** What it rejected with, if it did. */
  readonly rejection: { readonly reason: unknown } | undefined;
  readonly isHanging: boolean;
  /** Longest time, in pauses, that it worked where nobody sees it; 0 of a process. */
  readonly longestSilence: number;
  /** What was rejected or thrown where nobody caught it. */
  readonly unhandled: readonly string[];
}

/** Carries out one run. */
export type Runner = (disturbance: Disturbance) => Promise<Observation>;

/** What all runs have in common. */
export interface RunParts {
  readonly flow: Flow;
  readonly mockOptions: Omit<MockServiceOptions, "now" | "random" | "sleep">;
  readonly seed: number;
  readonly patience: Patience;
  /** Told when a run begins, and when it is over. */
  readonly onContext: (context: RunContext, isBegun: boolean) => void;
}

// Any moment will do, and the same in each sweep: what a flow writes into its pages is then the same too.
const startMs = Date.UTC(2026, 0, 1);
/** Virtual milliseconds that the service takes for an answer, so that calls at the same time meet. */
const latencyMs = 20;

/** Runs the flow once, in a service of its own and on a clock of its own. */
export async function runFlow(parts: RunParts, { rules, dialect }: Disturbance): Promise<Observation> {
  const { flow, mockOptions, seed, patience, onContext } = parts;
  const clock = new VirtualClock(startMs);
  const context: RunContext = { clock, unhandled: [] };
  const service = createMockService({
    latencyMs,
    ...mockOptions,
    ...(dialect !== undefined && { dialect }),
    now: () => clock.nowMs,
    random: createRandom(seed),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal, true),
  });
  const account = openTestAccount(service);
  for (const rule of rules) account.faults.add(rule);
  const onActivity = (): void => void (clock.activity += 1);
  const log = logExchanges({
    handle: (request) => service.handle(request),
    now: account.clientOptions.now,
    onActivity,
    most: patience.maxRequests,
  });
  const reports: unknown[] = [];
  const inherited = Object.create(account) as AccountHandle; // why: what is not given anew is the account's own
  const mock: SweptAccount = Object.assign(inherited, {
    apiKey: account.apiKey,
    service,
    clientOptions: {
      ...account.clientOptions,
      fetch: createFetch(log.handle, () => service.generation),
      sleep: (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs, signal),
      random: createRandom(seed),
    },
    report: (problem: unknown) => void reports.push(problem),
  }); // why: Object.create is untyped
  onContext(context, true);
  let result: Settled | undefined;
  const begun = settle(context, () => flow(mock));
  void begun.then((settled) => void ((clock.activity += 1), (result = settled)));
  const { isHanging, longestSilence } = await drive({
    context,
    isSettled: () => result !== undefined,
    countRequests: () => log.exchanges.length,
    patience,
  });
  onContext(context, false);
  clock.end();
  return {
    exchanges: log.exchanges,
    holdings: readHoldings(account),
    isTold: reports.length > 0 || (result !== undefined && (result.isRejected || holdsError(result.value))),
    rejection: result?.isRejected === true ? { reason: result.value } : undefined,
    isHanging,
    longestSilence,
    unhandled: context.unhandled.map(nameError),
  };
}

interface Settled {
  readonly isRejected: boolean;
  readonly value: unknown;
}

async function settle(context: RunContext, call: () => unknown): Promise<Settled> {
  try {
    return { isRejected: false, value: await runIn(context, async () => call()) };
  } catch (error) {
    return { isRejected: true, value: error };
  }
}

/** Whether an error is anywhere in what a flow gave, such as among the results of `createMany`. */
function holdsError(value: unknown, seen: Set<object> = new Set()): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value)) return false;
  seen.add(value);
  // By its tag too: an error of another realm is none by `instanceof`.
  if (value instanceof Error || Object.prototype.toString.call(value) === "[object Error]") return true;
  const parts = value instanceof Map ? [...value.entries()].flat() : value instanceof Set ? [...value] : [];
  return [...parts, ...Object.values(value)].some((part) => holdsError(part, seen));
}

function nameError(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Numbers from 0 to below 1 that a seed decides (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
