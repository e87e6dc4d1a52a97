import type { Account, Accounts, AccountState, Caller } from "../state/accounts.ts";
import { CountedIds } from "../state/ids.ts";
import type { Plan } from "../state/limiter.ts";
import { type Clock, createClock } from "../testing/clock.ts";
import { FaultPlan } from "../testing/faults.ts";
import { Journal } from "../testing/journal.ts";
import type { MatchableRequest } from "../testing/match.ts";
import type { RecordedRequest } from "../testing/recorded.ts";
import { Waits } from "../testing/waits.ts";
import type { RuntimeConfig } from "./runtime-config.ts";

/** Hears of a request that was recorded. `raw` has its whole body, `owner` is its account, if any. */
export type RequestListener = (request: RecordedRequest, raw: MatchableRequest, owner: Account | undefined) => void;

/** What a context is made with. */
export interface ContextOptions {
  readonly config: RuntimeConfig;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  readonly latencyMs: number;
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  readonly seed: string;
  readonly accounts: Accounts;
}

/** All that a service consists of. */
export class Context {
  readonly accounts: Accounts;
  readonly faults: FaultPlan;
  /** The journal of callers without an account. */
  readonly anonymousJournal = new Journal();
  readonly waits = new Waits();
  readonly listeners = new Set<RequestListener>();
  readonly resetListeners = new Set<() => void>();
  /** Identifiers of faults for all accounts. */
  readonly faultIds: CountedIds;
  readonly latencyMs: number;
  readonly sleep: ContextOptions["sleep"];
  /** The clock that nobody moves. */
  readonly realNow: () => number;
  config: RuntimeConfig;
  /** How far the service's clock is ahead of the real one, in milliseconds. */
  aheadMs = 0;
  /** Whether the test is over that the service was made for. */
  hasEnded = false;
  readonly #journals = new WeakMap<Account, Journal>();

  constructor({ config, now, random, latencyMs, sleep, seed, accounts }: ContextOptions) {
    this.config = config;
    this.realNow = now;
    this.latencyMs = latencyMs;
    this.sleep = sleep;
    this.faults = new FaultPlan(random);
    this.faultIds = new CountedIds("flt_", seed);
    this.accounts = accounts;
  }

  /** The time on a caller's clock, or on the service's. */
  now(caller?: Caller): number {
    return this.realNow() + this.aheadMs + (caller?.aheadMs ?? 0);
  }

  journalOf(account: Account | undefined): Journal {
    if (account === undefined) return this.anonymousJournal;
    const journal = this.#journals.get(account) ?? new Journal();
    this.#journals.set(account, journal);
    return journal;
  }

  /** The journals of one account, or all. */
  journals(account?: Account): Journal[] {
    if (account !== undefined) return [this.journalOf(account)];
    return [this.anonymousJournal, ...this.accounts.all().map((each) => this.journalOf(each))];
  }

  /** The clock of one account. */
  clockOf(account: Account): Clock {
    return createClock(
      () => this.now(account),
      (ms) => void (account.aheadMs += ms),
    );
  }

  /** The clock of all accounts. To set it sets all of them. */
  clock(): Clock {
    const clock = createClock(
      () => this.now(),
      (ms) => void (this.aheadMs += ms),
    );
    return {
      ...clock,
      set: (at) => {
        clock.set(at);
        for (const account of this.accounts.all()) account.aheadMs = 0;
      },
    };
  }

  /** Puts another state into an account, in a fresh rate window. */
  replaceState(account: Account, { state, plan, aheadMs = 0 }: AccountContent): void {
    account.replaceState(state);
    account.limiter.reset(plan);
    account.aheadMs = aheadMs;
    for (const hear of this.resetListeners) hear();
  }

  /** Takes back the faults of an account, forgets its requests and ends its waits. */
  clearTools(account: Account): void {
    this.journalOf(account).clear();
    this.faults.clear(account);
    this.waits.end(account, "The account was reset");
  }

  /** The same for the whole service. */
  clearAllTools(): void {
    for (const journal of this.journals()) journal.clear();
    this.faults.clear();
    this.waits.end(undefined, "The service was reset");
  }
}

/** What is put into an account. */
export interface AccountContent {
  readonly state: AccountState;
  /** Plan in force; `undefined` for the account's own. */
  readonly plan?: Plan | undefined;
  /** How far its clock is ahead of the service's, in milliseconds. @defaultValue 0 */
  readonly aheadMs?: number | undefined;
}
