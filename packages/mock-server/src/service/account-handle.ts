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

/** What a client needs to work in one account, without a socket: pass it to `new LandingPages(…)`. */
export interface ClientOptions {
  /** A key of the account. */
  readonly apiKey: string;
  /** Where the service seems to live. */
  readonly baseUrl: string;
  /** The service's `fetch`. */
  readonly fetch: Fetch;
  /** The account's clock: when it is moved, the client knows. */
  readonly now: () => number;
  /** Lets the SDK run where a test emulates a browser: no key leaves the process. */
  readonly allowBrowser: true;
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
  /** Its clock: it follows the service's, and can be moved alone. */
  readonly clock: Clock;
  /** What a client needs to work in it. */
  readonly clientOptions: ClientOptions;
  /** Its rate-limit window. */
  readonly rateLimit: RateState;
  /** Puts it on another plan, in a fresh window, until it is reset. @throws {TypeError} when the plan is not valid. */
  setPlan(plan: Plan): void;
  /** Where its pages go, other than their words say. */
  readonly domains: AccountDomains;
  /** Its requests that match, oldest first: of its last 1 000. */
  requests(match?: RequestMatch): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /** Its requests that no endpoint matched, oldest first: the first 20. Those with a wrong key are in the service's. */
  readonly unhandledRequests: readonly RecordedRequest[];
  /** Waits for a request of its own. */
  readonly waitForRequest: WaitForRequest;
  /**
   * Makes it as it was at the start, ids included: with its seed, in a fresh rate window, its clock with the service's,
   * without faults and requests. A request under way gets a 503 and writes nothing; waits end with an error.
   */
  reset(): void;
  /** Its pages, events and idempotency keys, and the plan it was put on, as plain data. */
  snapshot(): StateRecord[];
  /**
   * Puts back what a snapshot of an account holds, of this one or another, in a fresh rate window. A request under way
   * gets a 503.
   *
   * @throws {TypeError} when a record is not valid, or they belong to several accounts; the account has not changed then.
   */
  restore(records: readonly StateRecord[]): LoadCounts;
}

/** Which domains serve the pages of one account. */
export interface AccountDomains {
  /**
   * Assigns pages that are created from now on to these domains, best first, as far as they may serve them, until the
   * account is reset. Of two rules for a page the later one counts.
   *
   * @param match - a slug, words the page must have, or both.
   * @param domains - 1 to 3 names of the catalogue.
   * @throws {TypeError} when a domain is not in the catalogue, or `match` names nothing.
   * @example
   * mock.domains.assign({ slug: "summer-sale" }, ["shoes.example"]);
   */
  assign(match: PageMatch, domains: readonly string[]): void;
}

/** Makes the handle of the account that a key or an id opens. @throws {TypeError} when there is none. */
export function createAccountHandle(
  key: string,
  context: Context,
  { baseUrl, fetch }: Pick<ClientOptions, "baseUrl" | "fetch">,
): AccountHandle {
  // Looked up at each access: a sandbox that was evicted in the meantime is another one by then.
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

/** The faults of one account, which take no other account's key, or of all. */
export function createFaults(
  context: Context,
  own?: { readonly find: () => Account; readonly apiKey: string },
): Faults {
  const { faults, accounts } = context;
  return {
    add(rule) {
      const { key } = Object(rule) as FaultRule; // why: it has not been checked yet
      if (own !== undefined && key !== undefined && key !== own.apiKey)
        throw new ArgumentError("faults.add: an account's faults take no other account's key");
      const account = own !== undefined ? own.find() : key === undefined ? undefined : accounts.open(key);
      const { ids } = account ?? context;
      return faults.add(rule, ids.next("flt_", (account ?? accounts).now()), account);
    },
    clear: () => faults.clear(own?.find()),
    list: () => faults.list(own?.find()),
    get: (id) => faults.get(id, own?.find()),
  };
}
