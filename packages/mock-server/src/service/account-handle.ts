import { freezeDeep, type PageRecord } from "@landing-page-service/contract";
import type { Account } from "../state/accounts.ts";
import type { AnonymousCallers } from "../state/anonymous.ts";
import { copyEvent, type StoredEvent } from "../state/event.ts";
import type { Plan, RateState } from "../state/limiter.ts";
import type { LoadCounts, StateRecord } from "../state/snapshot.ts";
import { readRecord } from "../state/store.ts";
import type { Clock } from "../testing/clock.ts";
import type { Faults } from "../testing/faults.ts";
import { listRequests } from "../testing/journal.ts";
import type { RequestMatch } from "../testing/match.ts";
import type { RecordedRequest } from "../testing/recorded.ts";
import type { Toolbox } from "../testing/tools.ts";
import { createWaitForRequest, type WaitForRequest } from "../testing/waits.ts";
import type { Archive } from "./archive.ts";
import type { Fetch } from "./fetch.ts";

/** What a client needs to work in one account, without a socket: pass it to `new LandingPages(…)`. */
export interface ClientOptions {
  /** A key of the account. */
  readonly apiKey: string;
  /** Where the service seems to live. */
  readonly baseUrl: string;
  /** The service. What is sent with a key that opens no account stands in this account's journal. */
  readonly fetch: Fetch;
  /** The account's clock: when it is moved, the client knows. */
  readonly now: () => number;
  /** Lets the SDK run where a test emulates a browser: no key leaves the process. */
  readonly allowBrowser: true;
}
import { type DomainNetwork, parseAssignmentRule, type PageMatch } from "../domains/network.ts";

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
  /** Where it stands in its rate window. */
  readonly rateLimit: RateState;
  /** Puts it on another plan, in a fresh window, until it is reset. @throws {TypeError} when the plan is none. */
  setPlan(plan: Plan): void;
  /** Where its pages go, other than their words say. */
  readonly domains: AccountDomains;
  /** Its requests that match, oldest first: of its last 1 000. */
  requests(match?: RequestMatch): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /**
   * Requests that nobody handled, oldest first: the first 20 that found no endpoint, or whose key opens no account and that
   * came by the `fetch` of its `clientOptions`.
   */
  readonly unhandledRequests: readonly RecordedRequest[];
  /** Waits for a request of its own. */
  readonly waitForRequest: WaitForRequest;
  /**
   * Makes it as it was at the start, ids included: with its seed, in a fresh rate window, its clock with the service's,
   * without faults and requests. A request under way is answered with 503 and writes nothing; waits end with an error.
   */
  reset(): void;
  /** Its pages, events and idempotency keys, and the plan it was put on, as plain data. */
  snapshot(): StateRecord[];
  /**
   * Puts back what a snapshot of an account holds, of this one or another, in a fresh rate window. A request under way is
   * answered with 503.
   *
   * @throws {TypeError} when a record is none, or they are of several accounts; the account is then as it was.
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

/** What a handle reaches into. */
export interface AccountHandleParts {
  readonly account: Account;
  readonly archive: Archive;
  readonly anonymous: AnonymousCallers;
  readonly toolbox: Toolbox;
  readonly baseUrl: string;
  /** The service, for requests on behalf of the account. */
  readonly fetch: Fetch;
  /** The domains there are now. */
  readonly network: () => DomainNetwork;
}

/** Makes the handle of an account, of which a key opens it. */
export function createAccountHandle(key: string, parts: AccountHandleParts): AccountHandle {
  const { account, archive, toolbox, baseUrl, fetch, network } = parts;
  const journals = [toolbox.of(account).journal];
  const clock = toolbox.clockOf(account);
  return {
    get pages() {
      return Array.from(account.state.pages.all, readRecord);
    },
    get events() {
      return Array.from(account.state.events, copyEvent);
    },
    get droppedEvents() {
      return account.state.events.dropped;
    },
    faults: toolbox.faultsOf(account, key),
    clock,
    clientOptions: { apiKey: key, baseUrl, fetch, now: () => clock.now(), allowBrowser: true },
    get rateLimit() {
      return account.limiter.state(clock.now());
    },
    domains: {
      assign(match, domains) {
        account.placeRules = [
          ...account.placeRules,
          freezeDeep(parseAssignmentRule(match, domains, network().domains)),
        ];
      },
    },
    setPlan: (plan) => account.limiter.setPlan(plan),
    get forgottenRequests() {
      return toolbox.of(account).journal.forgotten;
    },
    get unhandledRequests() {
      return [...toolbox.of(account).journal.unhandled];
    },
    requests: (match = {}) => listRequests(journals, match),
    waitForRequest: createWaitForRequest(toolbox.waits, (match) => ({
      scope: { owner: account, journals: () => journals },
      match,
    })),
    reset: () => resetAccount(parts, account),
    snapshot: () => archive.snapshotAccount(account),
    restore: (records) => archive.restoreAccount(records, account),
  };
}

/** Makes an account as it was at the start. */
function resetAccount(
  { archive, anonymous, toolbox }: Pick<AccountHandleParts, "archive" | "anonymous" | "toolbox">,
  account: Account,
): void {
  archive.begin(account);
  anonymous.resetAccount(account);
  toolbox.reset(account);
}
