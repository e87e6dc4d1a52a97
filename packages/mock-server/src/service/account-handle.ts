import { freezeDeep, type PageRecord } from "@landing-page-service/contract";
import { parseAssignmentRule, type PageMatch } from "../domains/network.ts";
import { ArgumentError } from "../argument.ts";
import type { Account } from "../state/accounts.ts";
import type { StoredEvent } from "../state/account-state.ts";
import { parsePlan, type Plan, type RateState } from "../state/plan.ts";
import { copyJson, type LoadCounts, type StateRecord, takeSnapshot } from "../state/records.ts";
import { type Clock, createClock } from "../testing/clock.ts";
import type { FaultRule, Faults } from "../testing/faults.ts";
import type { RecordedRequest } from "../testing/journal.ts";
import type { RequestMatch } from "../testing/match.ts";
import { createWaitForRequest, type WaitForRequest } from "../testing/waits.ts";
import type { Context } from "./context.ts";
import type { Fetch } from "./fetch.ts";

/** Options for a client of one account, without a socket. Pass them to `new LandingPages(…)`. */
export interface ClientOptions {
  /** A key of the account. */
  readonly apiKey: string;
  /** Base URL of the service. */
  readonly baseUrl: string;
  /** The service's `fetch`. */
  readonly fetch: Fetch;
  /** The time on the account's clock, so that the client uses the clock that a test moves. */
  readonly now: () => number;
  /** Lets the SDK run where a test emulates a browser. This is safe because no key leaves the process. */
  readonly allowBrowser: true;
}

/** One account of a mock service, as a test uses it. */
export interface AccountHandle {
  /** Its pages, oldest first. Each access reads them again. */
  readonly pages: PageRecord[];
  /** Its events, oldest first: the last 10 000. */
  readonly events: StoredEvent[];
  /** Events pushed out by later ones. */
  readonly droppedEvents: number;
  /** Faults that fire only for it. */
  readonly faults: Faults;
  /** Its clock. It follows the clock of the service, and a test can move it separately. */
  readonly clock: Clock;
  /** Options for a client of this account. */
  readonly clientOptions: ClientOptions;
  /** Its rate-limit window. */
  readonly rateLimit: RateState;
  /** Changes its plan until it is reset, and opens a new window. @throws {TypeError} when the plan is not valid. */
  setPlan(plan: Plan): void;
  /** Rules that decide the domains of its pages, in place of their words. */
  readonly domains: AccountDomains;
  /** Its requests that match, oldest first. The journal has its last 1 000. */
  requests(match?: RequestMatch): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /** Its first 20 requests that no endpoint matched, oldest first. `service.unhandledRequests` also has those with a wrong key. */
  readonly unhandledRequests: readonly RecordedRequest[];
  /** Waits for a request of this account. */
  readonly waitForRequest: WaitForRequest;
  /**
   * Restores its state at the start: its seed, the same ids, a new rate window and the service's clock. Faults and recorded
   * requests are removed. A request in flight gets a 503 and writes nothing; waits end with an error.
   */
  reset(): void;
  /** Its pages, events and idempotency keys, the plan that a test gave it, and how far its clock was moved, as plain data. */
  snapshot(): StateRecord[];
  /**
   * Replaces its state, its plan and its clock by the snapshot of an account, its own or another one, and opens a new rate window. A
   * request in flight gets a 503.
   *
   * @throws {TypeError} when a record is not valid, or they belong to several accounts; the account has not changed then.
   */
  restore(records: readonly StateRecord[]): LoadCounts;
}

/** Which domains serve the pages of one account. */
export interface AccountDomains {
  /**
   * Assigns pages that are created from now on to these domains, best first, until the account is reset. A domain that may not
   * serve a page is left out. If two rules match a page, the later one counts.
   *
   * @param match - a slug, words the page must have, or both.
   * @param domains - 1 to 3 names of the catalogue.
   * @throws {TypeError} when a domain is not in the catalogue, or `match` names nothing.
   * @example
   * mock.domains.assign({ slug: "summer-sale" }, ["shoes.example"]);
   */
  assign(match: PageMatch, domains: readonly string[]): void;
}

/** Makes the handle of an account, found by a key or its id. @throws {TypeError} when there is none. */
export function createAccountHandle(
  key: string,
  context: Context,
  { baseUrl, fetch }: Pick<ClientOptions, "baseUrl" | "fetch">,
): AccountHandle {
  // Looked up at each access, because a sandbox that was evicted in the meantime is a new account.
  const find = (): Account => context.accounts.open(key);
  const account = find();
  const apiKey = context.accounts.find(key) === undefined ? account.key : key;
  const clock = createClock(find);
  return {
    get pages() {
      return copyJson(Array.from(find().state.pages.values(), ({ record }) => record));
    },
    get events() {
      return copyJson(find().state.events);
    },
    get droppedEvents() {
      return find().state.droppedEvents;
    },
    faults: createFaults(context, { find, apiKey }),
    clock,
    clientOptions: { apiKey, baseUrl, fetch, now: () => clock.now(), allowBrowser: true },
    get rateLimit() {
      return find().rateLimit();
    },
    domains: {
      assign(match, domains) {
        const rule = freezeDeep(parseAssignmentRule(match, domains, context.config.network.domains));
        const target = find();
        target.assignmentRules = [...target.assignmentRules, rule];
      },
    },
    setPlan: (plan) => find().setPlan(parsePlan(plan)),
    get forgottenRequests() {
      return context.journal.countForgotten(find());
    },
    get unhandledRequests() {
      return context.journal.listUnhandled(find());
    },
    requests: (match = {}) => context.journal.list(match, find()),
    waitForRequest: createWaitForRequest(context.waits, (match) => ({ account: find(), match })),
    reset: () => context.reset(find()),
    snapshot: () => takeSnapshot([find()]),
    restore(records) {
      const { accounts, counts } = context.createLoader().loadAll(records, "records");
      if (accounts.size > 1)
        throw new ArgumentError(`expected the records of one account, got those of ${accounts.size}`);
      context.replaceState(find(), ...accounts.values());
      return counts;
    },
  };
}

/** The faults of one account, or of all. The faults of an account do not accept the key of another one. */
export function createFaults(
  context: Context,
  own?: { readonly find: () => Account; readonly apiKey: string },
): Faults {
  const { faults, accounts } = context;
  return {
    add(rule) {
      const { key } = Object(rule) as FaultRule; // why: it has not been checked yet
      if (own !== undefined && key !== undefined && key !== own.apiKey)
        throw new ArgumentError("faults.add: the faults of an account match only its own requests, so leave out `key`");
      const account = own !== undefined ? own.find() : key === undefined ? undefined : accounts.open(key);
      const { ids } = account ?? context;
      return faults.add(rule, ids.next("flt_", (account ?? accounts).now()), account);
    },
    clear: () => faults.clear(own?.find()),
    list: () => faults.list(own?.find()),
    get: (id) => faults.get(id, own?.find()),
  };
}
