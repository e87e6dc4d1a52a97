import * as z from "zod";
import { type ReferenceSchemas, referenceSchemas, type Switches } from "@landing-page-service/contract";
import { type Dialect, type DialectChoice, resolveDialect } from "@landing-page-service/contract/dialect";
import { ArgumentError, parseArgument } from "../argument.ts";
import { createFindPage, type FindPage } from "../dialect/page-ids.ts";
import { createRenderer, type Render } from "../dialect/renderer.ts";
import { createDomainNetwork, defaultCatalogue, type DomainNetwork } from "../domains/network.ts";
import { IdSequence } from "../state/account-state.ts";
import { type Account, Accounts, type Caller } from "../state/accounts.ts";
import { parsePlan } from "../state/limiter.ts";
import { type LoadCounts, type StateRecord, takeSnapshot } from "../state/records.ts";
import { FaultPlan } from "../testing/faults.ts";
import { Journal, type RecordedRequest } from "../testing/journal.ts";
import type { MatchableRequest } from "../testing/match.ts";
import { Waits } from "../testing/waits.ts";
import type { AccountSummary, MockServiceOptions } from "./mock-service.ts";
import { type AccountContent, RecordLoader } from "./state-transfer.ts";

/** Receives each recorded request. `raw` has its whole body, `owner` is its account, if any. */
export type RequestListener = (request: RecordedRequest, raw: MatchableRequest, owner: Account | undefined) => void;

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
  readonly ids: IdSequence;
  readonly latencyMs: number;
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** The clock that nobody moves. */
  readonly realNow: () => number;
  config: RuntimeConfig;
  /** How far the service's clock is ahead of the real one, in milliseconds. */
  aheadMs = 0;
  /** Whether the test is over that the service was made for. */
  hasEnded = false;
  readonly #firstConfig: RuntimeConfig;
  /** What a reset goes back to. */
  #beginning: readonly StateRecord[] = [];
  readonly #journals = new WeakMap<Account, Journal>();

  /** @throws {TypeError} when a dialect, a catalogue, a plan or a record is not valid. */
  constructor(options: MockServiceOptions) {
    const { random = Math.random, onSandboxEvicted, accounts = [], seed: records = [] } = options;
    const seed = Array.from({ length: 4 }, random).join();
    this.latencyMs = options.latencyMs ?? 0;
    this.sleep = options.sleep ?? sleepByTimer;
    // `Date.now` is looked up at each call, because a test may fake it later.
    this.realNow = options.now ?? (() => Date.now());
    this.config = {
      ...readDialect(options.dialect),
      network: createDomainNetwork(options.domains ?? defaultCatalogue),
    };
    this.#firstConfig = this.config;
    this.faults = new FaultPlan(random);
    this.ids = new IdSequence(`faults ${seed}`);
    this.accounts = new Accounts(accounts, {
      plan: parsePlan(options.plan ?? "unlimited"),
      seed,
      maxSandboxes: options.maxSandboxes ?? 5_000,
      onEvicted: (account) => onSandboxEvicted?.(this.summarize(account)),
    });
    if (records.length > 0) this.begin(this.createLoader().loadAll(records, "seed"));
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

  /** What an account holds, in numbers. */
  summarize(account: Account): AccountSummary {
    const { id, state, limiter } = account;
    const rateLimit = limiter.state(this.now(account));
    return { account: id, pages: state.pages.size, events: state.events.length, rateLimit };
  }

  createLoader(): RecordLoader {
    const newState = (id: string) => this.accounts.newState(id);
    return new RecordLoader({ config: this.config, nowMs: this.now(), newState });
  }

  /** Puts all accounts where records say, each in a fresh rate window; accounts that no record names are empty then. */
  put(loader: RecordLoader): LoadCounts {
    const loaded = Array.from(loader.accounts, ([id, content]) => {
      const account = this.accounts.byId(id);
      if (account !== undefined) {
        account.isKept = true;
        return { account, content };
      }
      throw new ArgumentError(
        `The service has no account with the id ${JSON.stringify(id)}: it neither begins with test_ nor is it the id of one of its accounts`,
      );
    });
    for (const account of this.accounts.all()) {
      account.isKept = loader.accounts.has(account.id);
      if (!account.isKept) this.replaceState(account);
    }
    for (const { account, content } of loaded) this.replaceState(account, content);
    this.aheadMs = loader.aheadMs;
    return loader.counts;
  }

  /** The same, and a reset goes back to it from now on. */
  begin(loader: RecordLoader): LoadCounts {
    const counts = this.put(loader);
    this.#beginning = takeSnapshot(this.accounts.all(), this.aheadMs);
    return counts;
  }

  /** Puts another state into an account, an empty one when none is given, in a fresh rate window. */
  replaceState(account: Account, content: AccountContent = { state: this.accounts.newState(account.id) }): void {
    account.state.replaced.abort();
    account.state = content.state;
    account.limiter.reset(content.plan);
    account.aheadMs = content.aheadMs ?? 0;
    for (const hear of this.resetListeners) hear();
  }

  /** Makes an account, or the service, as it was at the beginning, without faults, recorded requests and waits. */
  reset(account?: Account): void {
    if (account === undefined) {
      this.config = this.#firstConfig;
      this.put(this.createLoader().loadAll(this.#beginning, "seed"));
      this.accounts.anonymous.limiter.reset();
    } else {
      const own = this.#beginning.filter((record) => "account" in record && record.account === account.id);
      this.replaceState(account, this.createLoader().loadAll(own, "seed").accounts.get(account.id));
    }
    for (const each of account === undefined ? this.accounts.all() : [account]) each.assignmentRules = [];
    for (const journal of this.journals(account)) journal.clear();
    this.faults.clear(account);
    this.waits.end(account, `The ${account === undefined ? "service" : "account"} was reset`);
  }
}

/** A dialect, and the objects made from it. */
interface DialectParts {
  readonly dialect: Dialect;
  readonly switches: Switches;
  readonly render: Render;
  readonly inputs: ReferenceSchemas;
  /** Finds a page by its identifier as the dialect writes it. */
  readonly findPage: FindPage;
}

/** Runtime configuration of a service. A change replaces it. */
export interface RuntimeConfig extends DialectParts {
  readonly network: DomainNetwork;
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
    inputs: referenceSchemas(switches),
    findPage: createFindPage(dialect),
  };
  known.set(dialect, parts);
  return parts;
}

/** Waits by the timers that are in place when it is called: a test may have put its own there. */
function sleepByTimer(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
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

const timestampError = { error: "expected a time from 1970 to the year 9999, as a Date or in milliseconds" };

/** Checks a timestamp to set a clock to: milliseconds since 1970 UTC. */
export const clockMomentSchema = z.number(timestampError).min(0).max(lastTimestamp);

/** Makes a clock from a function that reads the time and one that moves it. */
export function createClock(now: () => number, move: (ms: number) => void): Clock {
  return {
    now,
    advance(ms) {
      parseArgument("clock.advance", clockStepSchema, ms);
      if (now() + ms > lastTimestamp)
        throw new ArgumentError(`clock.advance: expected a time up to the year 9999, got ${ms} ms from now`);
      move(ms);
    },
    set(at) {
      // A test's own realm has a `Date` of its own.
      const atMs = Object.prototype.toString.call(at) === "[object Date]" ? Number(at) : at;
      move(parseArgument("clock.set", clockMomentSchema, atMs) - now());
    },
  };
}
