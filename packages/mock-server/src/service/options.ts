import type { DialectChoice } from "@landing-page-service/contract/dialect";
import type { Domain } from "../domains/network.ts";
import * as z from "zod";
import { aFunction, ArgumentError, integer, optional, timerMs } from "../exchange/argument.ts";
import { type AccountOptions, accountOptionsSchema } from "../state/accounts.ts";
import { type Plan, planSchema, type RateState } from "../state/limiter.ts";
import type { StateRecord } from "../state/snapshot.ts";
import { gotInstead } from "../exchange/literal.ts";

/** What an account holds, in numbers. */
export interface AccountSummary {
  /** Its id; a sandbox's is its key. */
  readonly account: string;
  /** Pages it holds. */
  readonly pages: number;
  /** Events that are kept of it. */
  readonly events: number;
  /** Where it stands in its rate window. */
  readonly rateLimit: RateState;
}

/** How a mock service is set up. */
export interface MockServiceOptions {
  /** Accounts with keys of their own. Any key that begins with `test_` opens an empty sandbox beside them. @defaultValue none */
  accounts?: readonly AccountOptions[];
  /** Plan of every account that names none, and of callers without an account. @defaultValue `"unlimited"` */
  plan?: Plan;
  /** The domains that pages are placed on. @defaultValue the catalogue that ships */
  domains?: readonly Domain[];
  /**
   * Sandboxes that are kept at a time, an integer of 1 or more. One more evicts the one that was not used for longest, with all
   * it holds: its key then opens an empty account. Never evicted, and not counted, are those that a seed, an import or a
   * restore of the service names; nor is one evicted whose request waits for its answer, or whose request somebody waits for.
   * An `AccountHandle` of an evicted sandbox then shows the new one.
   *
   * @defaultValue 5 000
   */
  maxSandboxes?: number;
  /** Told of each sandbox that is evicted, as it was then. What it throws fails the request that made room. @defaultValue nobody */
  onSandboxEvicted?: (summary: AccountSummary) => void;
  /** What accounts begin with, and are again after a reset. @defaultValue nothing */
  seed?: readonly StateRecord[];
  /** How to speak where the spec is silent: the name of a preset, or what differs: switches and templates. Gap: see docs/spec-gaps.md @defaultValue `"reference"` */
  dialect?: DialectChoice;
  /** How long every answer is held back, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  latencyMs?: number;
  /** The present moment, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  now?: () => number;
  /**
   * Randomness for identifiers and faults: numbers from 0 to below 1. Identifiers follow from the account's key besides; where this is
   * given, the key of a test's account from the name of the test, so that they are the same in any order of tests. @defaultValue `Math.random`
   */
  random?: () => number;
  /** Waits for delays; once the signal fires it is not waited for. @defaultValue a timer */
  sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Checks the options of a service. */
export const serviceOptionsSchema = z.strictObject({
  accounts: optional(z.array(accountOptionsSchema)),
  plan: optional(planSchema),
  // What a catalogue, a dialect and the records of a seed hold is checked where they are read.
  domains: optional(z.custom<readonly Domain[]>()),
  maxSandboxes: optional(integer(1)),
  onSandboxEvicted: optional(aFunction<(summary: AccountSummary) => void>()),
  seed: optional(
    z.custom<readonly StateRecord[]>((seed) => Array.isArray(seed), { error: "expected an array of records" }),
  ),
  dialect: optional(z.custom<DialectChoice>()),
  latencyMs: optional(timerMs()),
  now: optional(aFunction<() => number>()),
  random: optional(aFunction<() => number>()),
  sleep: optional(aFunction<(delayMs: number, signal: AbortSignal) => Promise<void>>()),
}) satisfies z.ZodType<MockServiceOptions>;

/** Checks what is read of a page to place it. */
export const assignablePageSchema = z.object({
  title: z.string(),
  content: z.string(),
  slug: z.string(),
  meta_description: optional(z.string().nullable()),
  cta: z.object({ type: z.string(), label: z.string(), url: z.string() }),
  locale: optional(z.string()),
});

/** Checks the id of a page. */
export const pageIdSchema = z.string({ error: "expected a page's id" });

/** Checks that an adapter is given a service. @throws {TypeError} when it is none. */
export function checkService(where: string, service: { readonly handle: unknown }): void {
  if (typeof Object(service).handle !== "function")
    throw new ArgumentError(`${where}: expected a service, as createMockService() makes it${gotInstead(service)}`);
}

/** Waits by the timers that are in place when it is called: a test may have put its own there. */
export function sleepByTimer(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, delayMs);
    signal.addEventListener("abort", wake);
  });
}
