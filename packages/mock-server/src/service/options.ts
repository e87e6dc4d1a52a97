import type { DialectChoice } from "@landing-page-service/contract/dialect";
import type { Domain } from "../domains/network.ts";
import { gotInstead } from "../exchange/literal.ts";
import { checkNames } from "../exchange/names.ts";
import type { AccountOptions } from "../state/accounts.ts";
import type { Plan, RateState } from "../state/limiter.ts";
import type { StateRecord } from "../state/snapshot.ts";
import { isWithin } from "../testing/match.ts";

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
   * A sandbox that an `AccountHandle` still reaches goes on for its key as if nothing had happened.
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

const functionNames = ["now", "random", "sleep", "onSandboxEvicted"] as const;
/** Names of the options. */
export const optionNames = [
  "accounts",
  "plan",
  "domains",
  "maxSandboxes",
  "seed",
  "dialect",
  "latencyMs",
  ...functionNames,
];

/** Checks of the options what is checked nowhere else. @throws {TypeError} that names the wrong option. */
export function checkOptions(options: MockServiceOptions): void {
  checkNames("createMockService", options, optionNames);
  const { accounts = [], latencyMs = 0, maxSandboxes = 1 } = options;
  if (!Array.isArray(accounts)) throw new TypeError(`accounts: expected an array${gotInstead(accounts)}`);
  for (const [index, account] of accounts.entries()) {
    checkNames(`accounts[${index}]`, account, ["id", "keys", "plan"]);
    if (typeof account.id !== "string" || account.id === "")
      throw new TypeError(`accounts[${index}].id: expected a text${gotInstead(account.id)}`);
    if (!Array.isArray(account.keys) || !account.keys.every((key: unknown) => typeof key === "string"))
      throw new TypeError(`accounts[${index}].keys: expected an array of keys`);
    if (typeof account.plan === "object") checkNames(`accounts[${index}].plan`, account.plan, ["limit", "windowMs"]);
  }
  for (const name of functionNames) {
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw new TypeError(`${name}: expected a function${gotInstead(options[name])}`);
  }
  if (!(Number.isSafeInteger(maxSandboxes) && maxSandboxes >= 1))
    throw new TypeError(`maxSandboxes: expected an integer of 1 or more${gotInstead(maxSandboxes)}`);
  if (!isWithin(latencyMs, 2 ** 31 - 1))
    throw new TypeError(`latencyMs: expected 0 to ${2 ** 31 - 1}${gotInstead(latencyMs)}`);
}

/** Checks that an adapter is given a service. @throws {TypeError} when it is none. */
export function checkService(where: string, service: { readonly handle: unknown }): void {
  if (typeof Object(service).handle !== "function")
    throw new TypeError(`${where}: expected a service, as createMockService() makes it${gotInstead(service)}`);
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
