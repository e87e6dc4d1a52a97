import * as z from "zod";
import type { Switches } from "@landing-page-service/contract";
import { type Dialect, type DialectChoice, resolveDialect } from "@landing-page-service/contract/dialect";
import { createInputReaders, type InputReaders } from "../api/input.ts";
import { ArgumentError, parseArgument } from "../argument.ts";
import { createFindPage, type FindPage } from "../dialect/page-ids.ts";
import { createRenderer, type Render } from "../dialect/renderer.ts";
import { createDomainNetwork, type Domain, type DomainNetwork } from "../domains/network.ts";
import { type AccountState, CountedIds } from "../state/account-state.ts";
import type { Account, Accounts, Caller } from "../state/accounts.ts";
import type { Plan } from "../state/limiter.ts";
import { FaultPlan } from "../testing/faults.ts";
import { Journal, type RecordedRequest } from "../testing/journal.ts";
import type { MatchableRequest } from "../testing/match.ts";
import { Waits } from "../testing/waits.ts";

/** Receives each recorded request. `raw` has its whole body, `owner` is its account, if any. */
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

  /** Removes the faults, the recorded requests and the waits of an account, or of all. */
  clearTools(account?: Account): void {
    for (const journal of this.journals(account)) journal.clear();
    this.faults.clear(account);
    this.waits.end(account, `The ${account === undefined ? "service" : "account"} was reset`);
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

/** A dialect, and what is made from it. */
interface DialectParts {
  readonly dialect: Dialect;
  readonly switches: Switches;
  readonly render: Render;
  readonly inputs: InputReaders;
  /** Finds a page by its identifier as the dialect writes it. */
  readonly findPage: FindPage;
}

/** Runtime configuration of a service. A change replaces it. */
export interface RuntimeConfig extends DialectParts {
  readonly network: DomainNetwork;
}

/** @throws {TypeError} when dialect or catalogue are not valid. */
export function createConfig(choice: DialectChoice | undefined, domains: readonly Domain[]): RuntimeConfig {
  return { ...readDialect(choice), network: createDomainNetwork(domains) };
}

/** The same configuration with another dialect. @throws {TypeError} when its identifiers are of another type. */
export function withDialect(config: RuntimeConfig, choice: DialectChoice): RuntimeConfig {
  const parts = readDialect(choice);
  const [type, wanted] = [config.switches["page-id-type"], parts.switches["page-id-type"]];
  if (type !== wanted)
    throw new ArgumentError(
      `dialect: page-id-type stays ${JSON.stringify(type)} while the service runs, got ${wanted}`,
    );
  return { ...config, ...parts };
}

/** By dialect, because a suite makes a service for each test and the schemas are costly. */
const known = new WeakMap<Dialect, DialectParts>();

function readDialect(choice: DialectChoice | undefined): DialectParts {
  const dialect = resolveDialect(choice);
  const { switches } = dialect;
  const parts = known.get(dialect) ?? {
    dialect,
    switches,
    render: createRenderer(dialect),
    inputs: createInputReaders(switches),
    findPage: createFindPage(dialect),
  };
  known.set(dialect, parts);
  return parts;
}

/** A clock that can be moved: it drives rate windows, timestamps of pages, identifiers and the expiry of idempotency keys. */
export interface Clock {
  /** The current time, milliseconds since 1970 UTC. */
  now(): number;
  /**
   * Moves the clock forward. Delays of faults and `latencyMs` are real time and do not change.
   *
   * @param ms - Milliseconds, 0 or more.
   * @throws {TypeError} when `ms` is negative, or leads beyond the year 9999.
   */
  advance(ms: number): void;
  /**
   * Sets the clock, forward or back; it runs on from there.
   *
   * @param at - Milliseconds since 1970 UTC, or a `Date`.
   * @throws {TypeError} when it is no timestamp from 1970 to the year 9999.
   */
  set(at: number | Date): void;
}

/** The last timestamp that the usual shape can write. */
const lastTimestamp = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Checks by how many milliseconds a clock is to be moved. */
export const clockStepSchema = z.number({ error: "expected 0 or more milliseconds" }).min(0);

const timestampError = { error: "expected a moment from 1970 to the year 9999, as a Date or in milliseconds" };

/** Checks a timestamp to set a clock to: milliseconds since 1970 UTC. */
export const clockMomentSchema = z.number(timestampError).min(0).max(lastTimestamp);

/** Makes a clock from a function that reads the time and one that moves it. */
export function createClock(now: () => number, move: (ms: number) => void): Clock {
  return {
    now,
    advance(ms) {
      parseArgument("clock.advance", clockStepSchema, ms);
      if (now() + ms > lastTimestamp)
        throw new ArgumentError(`clock.advance: expected a moment up to the year 9999, got ${ms} ms from now`);
      move(ms);
    },
    set(at) {
      // A test's own realm has a `Date` of its own.
      const atMs = Object.prototype.toString.call(at) === "[object Date]" ? Number(at) : at;
      move(parseArgument("clock.set", clockMomentSchema, atMs) - now());
    },
  };
}
