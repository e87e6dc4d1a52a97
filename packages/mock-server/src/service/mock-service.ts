import type { Dialect, DialectChoice } from "@landing-page-service/contract/dialect";
import type { AssignablePage, Assignment, Domain, DomainNetwork } from "../domains/network.ts";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";
import type { LineSource } from "./state-transfer.ts";
import type { LoadCounts, StateRecord } from "../state/snapshot.ts";
import type { Clock } from "../testing/clock.ts";
import type { Faults } from "../testing/faults.ts";
import type { RequestFilter } from "../testing/journal.ts";
import type { RecordedRequest } from "../testing/recorded.ts";
import type { WaitForRequest } from "../testing/waits.ts";
import type { AccountHandle } from "./account-handle.ts";
import type { Fetch } from "./fetch.ts";
import type { AccountSummary } from "./options.ts";

/** The whole service in memory. */
export interface MockService {
  /** Where the service seems to live; for clients that want a base URL. `fetch` serves every origin alike. */
  readonly baseUrl: string;
  /** The service as a web-standard `fetch`; planned `wire` faults look as the platform's `fetch` shows them. */
  readonly fetch: Fetch;
  /** The clock that those of all accounts follow. */
  readonly clock: Clock;
  /** The domains that pages are placed on. */
  readonly domains: DomainNetwork;
  /**
   * Puts another catalogue in force, until the service is reset. Pages that are there stay where they are, until an update
   * finds that they may not.
   *
   * @throws {TypeError} when it is none; the one before stays in force.
   */
  setDomains(domains: readonly Domain[]): void;
  /** How the service speaks. */
  readonly dialect: Dialect;
  /**
   * Makes the service speak in another way from the next answer on, until it is reset.
   *
   * @throws {TypeError} when the dialect is none, or has identifiers of another type; the one before stays in force.
   */
  setDialect(choice: DialectChoice): void;
  /** Planned faults: those added here strike requests of every account, those of accounts are listed too. */
  readonly faults: Faults;
  /**
   * Answers a request in plain values. Without a delay, its work is done when the function returns. The promise rejects with the
   * signal's reason when the caller goes away.
   */
  handle(request: PlainRequest): Promise<PlainAnswer>;
  /** What an adapter answers where there is no request to handle, such as headers that are too large; nothing is counted. */
  refuse(status: number, detail: string): PlainAnswer;
  /** The account that a key opens, or that has it for its id. @throws {TypeError} when there is none. */
  account(key: string): AccountHandle;
  /** The accounts that exist now, in the order they were opened. */
  listAccounts(): AccountSummary[];
  /**
   * Why a page was placed where it is, as it was decided then, whatever changed since; `undefined` for an unknown page, and
   * for one that came with its domains but without the reasons.
   *
   * @param key - looks only in the account that this key opens.
   */
  assignment(pageId: string, key?: string): Assignment | undefined;
  /**
   * Where a page would be placed, without storing it.
   *
   * @param key - the account whose pages fill the domains that have a capacity, and whose `domains.assign` counts. @defaultValue an empty account
   */
  evaluate(page: AssignablePage, key?: string): Assignment;
  /** Requests that match, oldest first: of the last 1 000 of each account, and of callers without one. */
  requests(filter?: RequestFilter): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /** Requests that no endpoint or no account matches: the first 20 of each account, and of callers without one. */
  readonly unhandledRequests: readonly RecordedRequest[];
  /**
   * Calls a function with every request to come that matches, when it has been answered and before the answer leaves; waits are given them all the
   * same. What the function throws fails the request.
   *
   * @returns a function that ends it.
   * @throws {TypeError} when the filter is none.
   */
  onRequest(hear: (request: RecordedRequest) => void, filter?: RequestFilter): () => void;
  /** Calls a function whenever an account is reset or restored. @returns a function that ends it. */
  onReset(hear: () => void): () => void;
  /** Waits for a request, of whatever account or of the one whose `key` is given. */
  readonly waitForRequest: WaitForRequest<RequestFilter>;
  /**
   * Makes all accounts as they were at the start, after the last import or with the seed, ids included, and in fresh rate
   * windows, with the clocks as they began, and the first dialect and domains; faults and journal are emptied. Requests under way are answered with 503 and
   * write nothing; waits end with an error.
   */
  reset(): void;
  /** What all accounts hold, the plans they were put on and how clocks were moved, as plain data. For very many pages use {@link exportLines}. */
  snapshot(): StateRecord[];
  /**
   * Puts back what a snapshot holds, clocks included, each account in a fresh rate window; accounts it does not name are empty then.
   * Requests under way are answered with 503.
   *
   * @throws {TypeError} when a record is none, or names an account that does not exist; everything is then as it was.
   */
  restore(records: readonly StateRecord[]): LoadCounts;
  /** The records of {@link snapshot} as newline-delimited JSON, all of this moment, in pieces of whole lines that can be written one by one. */
  exportLines(): Iterable<string>;
  /**
   * Puts back what an export holds, as {@link restore} does, reading it piece by piece. This is then what a reset goes back to.
   *
   * @throws {TypeError} that names the wrong line; everything is then as it was.
   */
  importLines(source: LineSource): Promise<LoadCounts>;
}
