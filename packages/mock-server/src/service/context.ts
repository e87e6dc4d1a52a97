import * as z from "zod";
import type { DialectChoice } from "@landing-page-service/contract/dialect";
import { aFunction, ArgumentError, integer, optional, timerMs } from "../argument.ts";
import { createDomainNetwork, defaultCatalogue, type Domain } from "../domains/network.ts";
import { IdSequence } from "../state/account-state.ts";
import { type Account, type AccountOptions, accountOptionsSchema, Accounts } from "../state/accounts.ts";
import { parsePlan, type Plan, planSchema, type RateState } from "../state/plan.ts";
import { type LoadCounts, type StateRecord, takeSnapshot } from "../state/records.ts";
import { FaultPlan } from "../testing/faults.ts";
import { Journal } from "../testing/journal.ts";
import { Waits } from "../testing/waits.ts";
import { readDialect, type RuntimeConfig } from "./runtime-config.ts";
import { type AccountContent, RecordLoader } from "./state-transfer.ts";

/** Size and rate limit of an account. */
export interface AccountSummary {
  /** Its id, which is the key if a `test_` key opened it. */
  readonly account: string;
  /** Number of its pages. */
  readonly pages: number;
  /** Number of its stored events. */
  readonly events: number;
  /** Its rate-limit window. */
  readonly rateLimit: RateState;
}

/** Options of a mock service. */
export interface MockServiceOptions {
  /** Accounts with their own keys. In addition, any key that begins with `test_` opens an empty account, a sandbox. @defaultValue none */
  accounts?: readonly AccountOptions[] | undefined;
  /** Plan of every account that names none, and of anonymous clients. @defaultValue `"unlimited"` */
  plan?: Plan | undefined;
  /** The domains that pages are assigned to. @defaultValue the catalogue that ships */
  domains?: readonly Domain[] | undefined;
  /**
   * How many sandboxes the service keeps, an integer of 1 or more. A new one beyond this number evicts the least recently used one with
   * all its data. The key of an evicted sandbox then opens an empty account, and an `AccountHandle` of that key shows this empty account.
   * Sandboxes that a seed, an import or a restore of the service names are not counted and never evicted.
   *
   * @defaultValue 5 000
   */
  maxSandboxes?: number | undefined;
  /** Called with each sandbox when it is evicted. An error that it throws fails the request that caused the eviction. @defaultValue none */
  onSandboxEvicted?: ((summary: AccountSummary) => void) | undefined;
  /** The content of accounts at the start and after a reset. @defaultValue none */
  seed?: readonly StateRecord[] | undefined;
  /** The dialect: the interpretations and templates of responses, which the spec leaves open. The name of a preset, or the differences from the reference. Gap: see docs/spec-gaps.md @defaultValue `"reference"` */
  dialect?: DialectChoice | undefined;
  /** How long every response is delayed, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  latencyMs?: number | undefined;
  /** The current time, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  now?: (() => number) | undefined;
  /**
   * Randomness for identifiers and faults: numbers from 0 to below 1. The service of each test draws the same numbers, so identifiers
   * are the same in any order of tests. @defaultValue `Math.random`
   */
  random?: (() => number) | undefined;
  /** Waits for a delay. The service stops waiting when the signal aborts. @defaultValue a timer */
  sleep?: ((delayMs: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Checks the options of a service. */
export const serviceOptionsSchema = z.strictObject({
  accounts: optional(z.array(accountOptionsSchema)),
  plan: optional(planSchema),
  // The readers of a catalogue, a dialect and a seed check their content.
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

/** All parts of a service. */
export class Context {
  readonly accounts: Accounts;
  readonly faults: FaultPlan;
  readonly journal = new Journal();
  readonly waits = new Waits(this.journal);
  readonly resetListeners = new Set<() => void>();
  /** Identifiers of faults for all accounts. */
  readonly ids: IdSequence;
  readonly latencyMs: number;
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  config: RuntimeConfig;
  /** Whether the test of this service has ended. */
  hasEnded = false;
  readonly #firstConfig: RuntimeConfig;
  /** The state that a reset restores. */
  #beginning: readonly StateRecord[] = [];

  /** @throws {TypeError} when a dialect, a catalogue, a plan or a record is not valid. */
  constructor(options: MockServiceOptions) {
    const { random = Math.random, onSandboxEvicted, accounts = [], seed: records = [] } = options;
    const seed = Array.from({ length: 4 }, random).join();
    this.latencyMs = options.latencyMs ?? 0;
    this.sleep = options.sleep ?? sleepByTimer;
    this.config = {
      ...readDialect(options.dialect),
      network: createDomainNetwork(options.domains ?? defaultCatalogue),
    };
    this.#firstConfig = this.config;
    this.faults = new FaultPlan(random);
    this.ids = new IdSequence(`faults ${seed}`);
    this.accounts = new Accounts({
      accounts,
      plan: parsePlan(options.plan ?? "unlimited"),
      seed,
      now: options.now,
      maxSandboxes: options.maxSandboxes ?? 5_000,
      onEvicted: (account) => {
        this.journal.clear(account);
        onSandboxEvicted?.(this.summarize(account));
      },
    });
    if (records.length > 0) this.begin(this.createLoader().loadAll(records, "seed"));
  }

  /** Ends the service with its test: waits reject, and later requests are refused. */
  end(): void {
    this.hasEnded = true;
    this.waits.end(undefined, "The test ended");
  }

  /** Counts the pages and events of an account. */
  summarize(account: Account): AccountSummary {
    const { id, state } = account;
    return { account: id, pages: state.pages.size, events: state.events.length, rateLimit: account.rateLimit() };
  }

  createLoader(): RecordLoader {
    const newState = (id: string) => this.accounts.newState(id);
    return new RecordLoader({ config: this.config, nowMs: this.accounts.now(), newState });
  }

  /** Replaces the state of all accounts by records, each in a new rate window. Accounts that no record names become empty. */
  put(loader: RecordLoader): LoadCounts {
    for (const [id, { place }] of loader.accounts) {
      const account = this.accounts.byId(id);
      if (account === undefined)
        throw new ArgumentError(`${place}: there is no account ${JSON.stringify(id)}; only test_ keys open one`);
      account.isKept = true;
    }
    for (const account of this.accounts.all()) {
      const content = loader.accounts.get(account.id);
      account.isKept = content !== undefined;
      this.replaceState(account, content);
    }
    this.accounts.aheadMs = loader.aheadMs;
    return loader.counts;
  }

  /** Replaces the state like {@link replace}, and later resets restore it. */
  begin(loader: RecordLoader): LoadCounts {
    const counts = this.put(loader);
    this.#beginning = this.snapshot();
    return counts;
  }

  /** The content of all accounts, as plain data. */
  snapshot(): StateRecord[] {
    return takeSnapshot(this.accounts.all(), this.accounts.aheadMs);
  }

  /** Replaces the state of an account and opens a new rate window. @param content - an empty state if left out. */
  replaceState(account: Account, content: AccountContent = { state: this.accounts.newState(account.id) }): void {
    account.state.replaced.abort();
    account.state = content.state;
    account.setPlan(content.plan);
    account.aheadMs = content.aheadMs ?? 0;
    for (const listener of this.resetListeners) listener();
  }

  /** Restores the first state of an account, or of the service, and removes faults, recorded requests and waits. */
  reset(account?: Account): void {
    if (account === undefined) {
      this.config = this.#firstConfig;
      this.put(this.createLoader().loadAll(this.#beginning, "seed"));
      this.accounts.anonymous.setPlan();
    } else {
      const own = this.#beginning.filter((record) => "account" in record && record.account === account.id);
      this.replaceState(account, this.createLoader().loadAll(own, "seed").accounts.get(account.id));
    }
    for (const each of account === undefined ? this.accounts.all() : [account]) each.assignmentRules = [];
    this.waits.end(account, `The ${account === undefined ? "service" : "account"} was reset`);
    this.journal.clear(account);
    this.faults.clear(account);
  }
}

/** Waits with the timers in place at the call, because a test may fake them. */
function sleepByTimer(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}
