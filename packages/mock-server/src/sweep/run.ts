import type { DialectChoice } from "@landing-page-service/contract/dialect";
import type { AccountHandle, ClientOptions } from "../service/account-handle.ts";
import { createFetch } from "../service/fetch.ts";
import { openTestAccount, type TestAccount } from "../service/fixture.ts";
import type { MockServiceOptions } from "../service/mock-service.ts";
import { createMockService } from "../service/mock-service.ts";
import type { FaultRule } from "../testing/faults.ts";
import { type Exchange, logExchanges } from "./exchanges.ts";
import { readStored, type Stored } from "./stored.ts";
import { type Patience, runOnVirtualTime } from "./virtual-time.ts";

const promises = process.getBuiltinModule("node:timers/promises");

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
  /** Reports a loss while the flow goes on, so that it is not a silent one. */
  readonly report: (problem: unknown) => void;
}

/** What is swept: an app, or a part of one, that is over when its promise settles. */
export type Flow = (mock: SweptAccount) => unknown;

/** What is done to one run. */
export interface Disturbance {
  /** Faults that are planned before the flow begins. */
  readonly rules: readonly FaultRule[];
  /** The service's dialect, where it is not that of the options. */
  readonly dialect?: DialectChoice | undefined;
}

/** What one run was like. */
export interface Observation {
  readonly exchanges: readonly Exchange[];
  readonly stored: Stored;
  /** Whether the flow said that something went wrong. */
  readonly isTold: boolean;
  /** What it rejected with, if it did. */
  readonly rejection: { readonly reason: unknown } | undefined;
  readonly isHanging: boolean;
  /** Names of the errors that nobody caught. */
  readonly unhandled: readonly string[];
}

/** Carries out one run. */
export type Runner = (disturbance: Disturbance) => Promise<Observation>;

/** What all runs of a flow share. */
export interface RunParts {
  readonly flow: Flow;
  readonly mockOptions: Omit<MockServiceOptions, "now" | "random" | "sleep">;
  readonly seed: number;
  readonly patience: Patience;
  readonly maxVirtualMs: number;
  /** Most requests of a run. After that there are no responses, because a loop of requests without a wait would never end. */
  readonly maxRequests: number;
}

/** Where the clock of each run starts: always the same, so that a flow that stores the time stores the same in each run. */
const startMs = Date.UTC(2026, 0, 1);
/** Virtual milliseconds that a response takes, so that calls overlap. */
const latencyMs = 20;

/** Runs the flow once, in a service and on a clock of its own. */
export async function runFlow(
  { flow, mockOptions, seed, patience, maxVirtualMs, maxRequests }: RunParts,
  { rules, dialect }: Disturbance,
): Promise<Observation & { readonly longestSilence: number }> {
  const random = createRandom(seed);
  const service = createMockService({ latencyMs, ...mockOptions, ...(dialect !== undefined && { dialect }), random });
  const account = openTestAccount(service);
  for (const rule of rules) account.faults.add(rule);
  const log = logExchanges((request) => service.handle(request), { maxRequests });
  const reports: unknown[] = [];
  const inherited = Object.create(account) as AccountHandle; // why: Object.create is untyped
  const mock: SweptAccount = Object.assign(inherited, {
    apiKey: account.apiKey,
    service,
    clientOptions: {
      ...account.clientOptions,
      fetch: createFetch(log.handle),
      sleep: (delayMs: number, signal?: AbortSignal) => promises.setTimeout(delayMs, undefined, { signal }),
      random: createRandom(seed),
    },
    report: (problem: unknown) => void reports.push(problem),
  });
  const run = { startMs, maxMs: maxVirtualMs, patience, ...log };
  const { settled, unhandled, longestSilence } = await runOnVirtualTime(() => flow(mock), run);
  return {
    exchanges: log.exchanges,
    stored: readStored(account),
    isTold: reports.length > 0 || (settled !== undefined && (settled.isRejected || holdsError(settled.value))),
    rejection: settled?.isRejected === true ? { reason: settled.value } : undefined,
    isHanging: settled === undefined,
    longestSilence,
    unhandled: unhandled.map((error) => (error instanceof Error ? error.name : typeof error)),
  };
}

/** Whether an error is anywhere in a flow's result, such as among those of `createMany`. */
function holdsError(value: unknown, seen: Set<object> = new Set()): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value)) return false;
  seen.add(value);
  // An error of another realm is no `Error` here.
  if (value instanceof Error || Object.prototype.toString.call(value) === "[object Error]") return true;
  const elements = value instanceof Map || value instanceof Set ? [...value].flat() : [];
  return [...elements, ...Object.values(value)].some((part) => holdsError(part, seen));
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
