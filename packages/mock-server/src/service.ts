import { setTimeout as sleepFor } from "node:timers/promises";
import { type Dialect, type PageRecord, referenceDialect } from "@landing-page-service/contract";
import { type Account, type AccountOptions, Accounts, AccountState } from "./accounts.ts";
import type { StoredEvent } from "./analytics.ts";
import type { PlainAnswer, PlainRequest } from "./answers.ts";
import { type Clock, createClock } from "./clock.ts";
import {
  type AssignablePage,
  type Assignment,
  createDomainNetwork,
  defaultCatalogue,
  type Domain,
  type DomainNetwork,
} from "./domains.ts";
import { FaultPlan, type Faults } from "./faults.ts";
import { createFetch, type Fetch } from "./fetch.ts";
import { createHandler } from "./handler.ts";
import { createIdSource } from "./ids.ts";
import { createInputReaders } from "./input.ts";
import { createMatcher, Journal, type RecordedRequest, type RequestFilter, type WaitOptions } from "./journal.ts";
import { type Plan, RateLimiter, type RateState } from "./limiter.ts";
import { explainPlacement } from "./pages.ts";
import { readRecord } from "./store.ts";

/** How a mock service is set up. */
export interface MockServiceOptions {
  /** Accounts with keys of their own. Any key that begins with `test_` opens an empty sandbox beside them. @defaultValue none */
  accounts?: readonly AccountOptions[];
  /** Plan of every account that names none, and of all callers without an account together. @defaultValue `"unlimited"` */
  plan?: Plan;
  /** The domains that pages are placed on. @defaultValue the catalogue that ships */
  domains?: readonly Domain[];
  /** Readings of the spec's gaps, where they are not those of the reference service. @defaultValue the reference service */
  dialect?: Partial<Dialect>;
  /** How long every answer is held back, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  latencyMs?: number;
  /** The present moment, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  now?: () => number;
  /** Randomness for identifiers and faults: numbers from 0 to below 1. @defaultValue `Math.random` */
  random?: () => number;
  /** Waits for delays; may return early once the signal fires. @defaultValue a timer */
  sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** One account of a mock service, seen from the side of the test. */
export interface AccountHandle {
  /** Its pages, oldest first, read anew each time. */
  readonly pages: PageRecord[];
  /** Its events, oldest first: the last 10 000. */
  readonly events: StoredEvent[];
  /** Events pushed out by later ones. */
  readonly droppedEvents: number;
  /** Faults planned for it alone. */
  readonly faults: Faults;
  /** Where it stands in its rate window. */
  readonly rateLimit: RateState;
  /** Its requests in the journal that match, oldest first. */
  requests(filter?: Omit<RequestFilter, "key">): RecordedRequest[];
  /** Makes it as it was at the start: pages, events, rate window, idempotency keys, faults and requests are gone. A request under way is answered with 503. */
  reset(): void;
}

/** The whole service in memory. */
export interface MockService {
  /** Where the service seems to live; for clients that want a base URL. `fetch` serves every origin alike. */
  readonly baseUrl: string;
  /** The service as a web-standard `fetch`. Rejects when a planned `wire` fault strikes, which only a socket can show. */
  readonly fetch: Fetch;
  /** The service's clock. */
  readonly clock: Clock;
  /** The domains that pages are placed on. */
  readonly domains: DomainNetwork;
  /** How the service speaks. */
  readonly dialect: Dialect;
  /** Planned faults. */
  readonly faults: Faults;
  /** Answers a request in plain values; a promise only where something delays the answer. The promise rejects with the signal's reason when the caller goes away. */
  handle(request: PlainRequest): PlainAnswer | Promise<PlainAnswer>;
  /** The account that a key opens. @throws {TypeError} when the key opens none. */
  account(key: string): AccountHandle;
  /** Why a page was placed where it is, as it was when it was placed; `undefined` for an unknown page. @param key - looks only in this key's account. */
  assignment(pageId: string, key?: string): Assignment | undefined;
  /** Where a page would be placed, without storing it. */
  evaluate(page: AssignablePage): Assignment;
  /** Requests in the journal that match, oldest first: of the last 1 000. */
  requests(filter?: RequestFilter): RecordedRequest[];
  /** The first request in the journal that matches, or else the next to come. @throws when none comes in time. */
  waitForRequest(filter?: RequestFilter, options?: WaitOptions): Promise<RecordedRequest>;
  /** Makes all accounts as they were at the start; faults and journal are emptied. The clock stays where it is. */
  reset(): void;
}

/**
 * Makes a landing page service in memory.
 *
 * @throws {TypeError} when an option is not what it should be.
 * @example
 * const service = createMockService();
 * const response = await service.fetch(`${service.baseUrl}/api/content`, { headers: { Authorization: "Bearer test_demo" } });
 */
export function createMockService(options: MockServiceOptions = {}): MockService {
  const { plan = "unlimited", random = Math.random, latencyMs = 0, sleep = sleepByTimer } = options;
  if (!(latencyMs >= 0 && latencyMs < 2 ** 31))
    throw new TypeError(`latencyMs: expected 0 or more milliseconds, got ${latencyMs}`);
  const clock = createClock(options.now ?? Date.now);
  const dialect: Dialect = { ...referenceDialect, ...options.dialect };
  const accounts = new Accounts(options.accounts ?? [], plan);
  const strangers = new RateLimiter(plan);
  const network = createDomainNetwork(options.domains ?? defaultCatalogue);
  const faults = new FaultPlan(random, (key) => accountOf(key).id);
  const journal = new Journal();
  const ids = createIdSource(clock, random);
  const requestPrefix = ids.next("req_").slice(0, -6);
  let requestCount = 0;
  let pageCount = 0;

  const handle = createHandler({
    accounts,
    strangers,
    clock,
    dialect,
    faults,
    inputs: createInputReaders(dialect),
    journal,
    latencyMs,
    network,
    // Gap: see docs/spec-gaps.md#page-id-type
    newPageId: dialect["page-id-type"] === "integer" ? () => String((pageCount += 1)) : () => ids.next("pg_"),
    newEventId: () => ids.next("ev_"),
    newRequestId: () => `${requestPrefix}${String((requestCount += 1)).padStart(6, "0")}`,
    sleep,
  });

  function accountOf(key: string): Account {
    const account = accounts.find(key);
    if (account === undefined)
      throw new TypeError("The key opens no account: it neither begins with test_ nor is it among the accounts' keys");
    return account;
  }

  function find(filter: RequestFilter = {}): RecordedRequest[] {
    return journal.find(createMatcher(filter, (key) => accountOf(key).id));
  }

  return {
    baseUrl: "https://landing-pages.test",
    fetch: createFetch(handle),
    clock,
    domains: network,
    dialect,
    faults: faults.view(),
    handle,
    account(key) {
      accountOf(key);
      return {
        get pages() {
          return Array.from(accountOf(key).state.pages.all, readRecord);
        },
        get events() {
          return Array.from(accountOf(key).state.events);
        },
        get droppedEvents() {
          return accountOf(key).state.events.dropped;
        },
        faults: faults.view(key),
        get rateLimit() {
          return accountOf(key).limiter.state(clock.now());
        },
        requests: (filter) => find({ ...filter, key }),
        reset() {
          const account = accountOf(key);
          resetAccount(account);
          faults.clearAccount(account.id);
          journal.clearAccount(account.id);
        },
      };
    },
    assignment(pageId, key) {
      const searched = key === undefined ? accounts.all() : [accountOf(key)];
      const page = searched.map(({ state }) => state.pages.get(pageId)).find((found) => found !== undefined);
      return page === undefined ? undefined : explainPlacement(page, network);
    },
    evaluate: (page) => network.assign(page, () => 0),
    requests: find,
    waitForRequest: (filter = {}, options) =>
      journal.wait(
        createMatcher(filter, (key) => accountOf(key).id),
        options,
      ),
    reset() {
      for (const account of accounts.all()) resetAccount(account);
      strangers.reset();
      faults.view().clear();
      journal.clear();
    },
  };
}

async function sleepByTimer(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleepFor(delayMs, undefined, { signal });
}

function resetAccount(account: Account): void {
  account.replaceState(new AccountState());
  account.limiter.reset();
}
