import type { PageRecord } from "@landing-page-service/contract";
import type { Account } from "../state/accounts.ts";
import type { StoredEvent } from "../state/event.ts";
import type { Archive } from "./archive.ts";
import type { Clock } from "../testing/clock.ts";
import type { FaultPlan, Faults } from "../testing/faults.ts";
import { createMatcher, type Journal, type RecordedRequest } from "../testing/journal.ts";
import type { RequestMatch } from "../testing/match.ts";
import type { Plan, RateState } from "../state/limiter.ts";
import type { LoadCounts, StateRecord } from "../state/snapshot.ts";
import { readRecord } from "../state/store.ts";

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
  /** Puts it on another plan, in a fresh window, until it is reset. @throws {TypeError} when the plan is none. */
  setPlan(plan: Plan): void;
  /** Its requests in the journal that match, oldest first. */
  requests(match?: RequestMatch): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /**
   * Makes it as it was at the start, ids included: with its seed, in a fresh rate window, without faults and requests.
   * A request under way is answered with 503 and writes nothing.
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

/** What a handle reaches into. */
export interface AccountHandleParts {
  /** The account of the handle's key, opened anew where it was dropped. */
  readonly account: () => Account;
  readonly archive: Archive;
  readonly clock: Clock;
  readonly faults: FaultPlan;
  readonly journal: Journal;
}

/** Makes the handle of the account that a key opens. */
export function createAccountHandle(key: string, parts: AccountHandleParts): AccountHandle {
  const { account, archive, clock, faults, journal } = parts;
  return {
    get pages() {
      return Array.from(account().state.pages.all, readRecord);
    },
    get events() {
      return Array.from(account().state.events);
    },
    get droppedEvents() {
      return account().state.events.dropped;
    },
    faults: faults.view(key),
    get rateLimit() {
      return account().limiter.state(clock.now());
    },
    setPlan: (plan) => account().limiter.setPlan(plan),
    get forgottenRequests() {
      return journal.forgotten;
    },
    requests(match = {}) {
      const { id } = account();
      const matches = createMatcher("requests", match, () => id);
      return journal.find((request) => request.isFrom(id) && matches(request));
    },
    reset() {
      const { id } = account();
      archive.begin(account());
      faults.clearAccount(id);
      journal.clearAccount(id);
    },
    snapshot: () => archive.snapshot([account()]),
    restore: (records) => archive.restoreAccount(records, account()),
  };
}
