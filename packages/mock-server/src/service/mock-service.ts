import * as z from "zod";
import { writeRateLimit } from "@landing-page-service/contract";
import type { Dialect, DialectChoice } from "@landing-page-service/contract/dialect";
import { aFunction, ArgumentError, gotInstead, optional, parseArgument } from "../argument.ts";
import {
  type AssignablePage,
  type Assignment,
  createDomainNetwork,
  type Domain,
  type DomainNetwork,
  localeSchema,
} from "../domains/network.ts";
import type { PlainAnswer, PlainRequest } from "../http-types.ts";
import type { Account } from "../state/accounts.ts";
import type { LoadCounts, StateRecord } from "../state/records.ts";
import { type Clock, createClock } from "../testing/clock.ts";
import type { Faults } from "../testing/faults.ts";
import {
  type RecordedRequest,
  type RequestFilter,
  requestFilterSchema,
  type RequestListener,
  showRequest,
} from "../testing/journal.ts";
import { compileMatch } from "../testing/match.ts";
import { createWaitForRequest, type WaitForRequest } from "../testing/waits.ts";
import { type AccountHandle, createAccountHandle, createFaults } from "./account-handle.ts";
import { type AccountSummary, Context, type MockServiceOptions, serviceOptionsSchema } from "./context.ts";
import { createFetch, type Fetch } from "./fetch.ts";
import { handle } from "./handle.ts";
import { withDialect } from "./runtime-config.ts";
import { type LineSource, loadLines } from "./state-transfer.ts";

/** The whole service in memory. Make one with `createMockService`. */
export class MockService {
  /** A base URL for clients. `fetch` also responds to any other origin. */
  readonly baseUrl: string = "https://landing-pages.test";
  /** The service as a web-standard `fetch`. Planned `wire` faults are the errors of the platform's `fetch`. */
  readonly fetch: Fetch;
  /**
   * Handles a request given as plain values. Without a delay, the work is done when the function returns. If the caller
   * disconnects, the promise rejects with the reason of the signal.
   */
  readonly handle: (request: PlainRequest) => Promise<PlainAnswer>;
  /** The clock of the service, which the clocks of all accounts follow. Setting it sets all of them. */
  readonly clock: Clock;
  /** All planned faults. A fault that is added here fires for requests of every account. */
  readonly faults: Faults;
  /** Waits for a request of any account, or of the account with `key`. */
  readonly waitForRequest: WaitForRequest<RequestFilter>;
  readonly #context: Context;

  /** @internal */
  constructor(context: Context) {
    const { accounts, waits } = context;
    this.#context = context;
    this.handle = handle.bind(undefined, context);
    this.fetch = createFetch(this.handle);
    this.faults = createFaults(context);
    const clock = createClock(() => accounts);
    this.clock = {
      ...clock,
      set(at) {
        clock.set(at);
        for (const account of accounts.all()) account.aheadMs = 0;
      },
    };
    this.waitForRequest = createWaitForRequest(waits, (filter) => this.#readFilter("waitForRequest", filter));
  }

  /** The domains that pages are assigned to. */
  get domains(): DomainNetwork {
    return this.#context.config.network;
  }

  /**
   * Uses another catalogue until the service is reset. Existing pages keep their domains until an update
   * shows that a domain may not serve the page.
   *
   * @throws {TypeError} when it is not valid. Then the old one stays in use.
   */
  setDomains(domains: readonly Domain[]): void {
    this.#context.config = { ...this.#context.config, network: createDomainNetwork(domains) };
  }

  /** The dialect of the responses. */
  get dialect(): Dialect {
    return this.#context.config.dialect;
  }

  /**
   * Uses another dialect from the next response on, until the service is reset.
   *
   * @throws {TypeError} when the dialect is not valid, or has identifiers of another type. Then the old one stays in use.
   */
  setDialect(choice: DialectChoice): void {
    this.#context.config = withDialect(this.#context.config, choice);
  }

  /** Makes the response to an unreadable request, such as one with too large headers. It does not count in a rate limit. */
  refuse(status: number, detail: string): PlainAnswer {
    const { anonymous } = this.#context.accounts;
    const nowMs = anonymous.now();
    const rateHeaders = writeRateLimit(anonymous.rateLimit(nowMs));
    const frame = { rateHeaders, requestId: anonymous.ids.next("req_", nowMs), nowMs };
    return this.#context.config.render({ refused: status, detail }, frame);
  }

  /** Opens an account by a key or its id. @throws {TypeError} when there is none. */
  account(key: string): AccountHandle {
    return createAccountHandle(key, this.#context, this);
  }

  /** The accounts that exist now, in the order they were opened. */
  listAccounts(): AccountSummary[] {
    return this.#context.accounts.all().map((account) => this.#context.summarize(account));
  }

  /**
   * The assignment of a page with its explanation, as it was decided. Later changes of the catalogue do not change it. `undefined` if
   * the page is unknown, or was loaded with its domains but without an explanation.
   *
   * @param key - searches only the account with this key.
   */
  assignment(pageId: string, key?: string): Assignment | undefined {
    const { accounts, config } = this.#context;
    parseArgument("assignment", pageIdSchema, pageId);
    const searched = key === undefined ? accounts.all() : [accounts.open(key)];
    const found = searched.map(({ state }) => config.findPage(state.pages, pageId));
    return found.find((page) => page !== undefined)?.explain();
  }

  /**
   * Assigns a page without storing it.
   *
   * @param key - the account whose pages count for the capacity of domains, and whose `domains.assign` rules apply. @defaultValue an empty account
   */
  evaluate(page: AssignablePage, key?: string): Assignment {
    parseArgument("evaluate", assignablePageSchema, page);
    const account = this.#find(key);
    const load = (name: string) => account?.state.pages.countOn(name) ?? 0;
    return this.domains.assign(page, load, account?.assignmentRules, this.#context.config.needsAlias);
  }

  /** Requests that match, oldest first: of the last 1 000 of each account and of the anonymous clients. */
  requests(filter: RequestFilter = {}): RecordedRequest[] {
    const { account, match } = this.#readFilter("requests", filter);
    return this.#context.journal.list(match, account);
  }

  /** Requests that later ones pushed out of the journal. */
  get forgottenRequests(): number {
    return this.#context.journal.countForgotten();
  }

  /** Requests that no endpoint or no account matches: the first 20 of each account and of the anonymous clients. */
  get unhandledRequests(): readonly RecordedRequest[] {
    return this.#context.journal.listUnhandled();
  }

  /**
   * Calls a function with every future request that matches, just before its response is sent. Waits receive the
   * request too. An error of the function fails the request.
   *
   * @returns a function that removes the listener.
   * @throws {TypeError} when the filter is not valid.
   */
  onRequest(listener: (request: RecordedRequest) => void, filter: RequestFilter = {}): () => void {
    const { listeners } = this.#context.journal;
    parseArgument("onRequest", listenerSchema, listener);
    const { account, match } = this.#readFilter("onRequest", filter);
    const matches = compileMatch(match);
    const forward: RequestListener = (entry, raw) => {
      if ((account ?? entry.account) === entry.account && matches(raw)) listener(showRequest(entry));
    };
    listeners.add(forward);
    return () => listeners.delete(forward);
  }

  /** Calls a function whenever an account is reset or restored. @returns a function that removes the listener. */
  onReset(listener: () => void): () => void {
    const { resetListeners } = this.#context;
    parseArgument("onReset", listenerSchema, listener);
    resetListeners.add(listener);
    return () => resetListeners.delete(listener);
  }

  /**
   * Restores the state of the last import, or else of the seed, for all accounts: the same ids, new rate windows, and the first
   * clocks, dialect and domains. Faults and recorded requests are removed. Requests in flight get a 503 and write nothing; waits end
   * with an error.
   */
  reset(): void {
    this.#context.reset();
  }

  /** The content of all accounts, their changed plans and their clocks, as plain data. */
  snapshot(): StateRecord[] {
    return this.#context.snapshot();
  }

  /**
   * Replaces the state of all accounts and clocks by a snapshot, and opens new rate windows. Accounts that it does not name become
   * empty. Requests in flight get a 503.
   *
   * @throws {TypeError} when a record is not valid, or names an account that does not exist. Then nothing has changed.
   */
  restore(records: readonly StateRecord[]): LoadCounts {
    return this.#context.put(this.#context.createLoader().loadAll(records, "records"));
  }

  /** Writes a {@link snapshot} as newline-delimited JSON, one line at a time. */
  exportLines(): Iterable<string> {
    return writeLines(this.snapshot());
  }

  /**
   * Restores an export as {@link restore} does, and reads it in pieces. Later resets restore this state.
   *
   * @throws {TypeError} that names the wrong line. Then nothing has changed.
   */
  async importLines(source: LineSource): Promise<LoadCounts> {
    const loader = this.#context.createLoader();
    await loadLines(source, loader);
    return this.#context.begin(loader);
  }

  #find(key: string | undefined): Account | undefined {
    return key === undefined ? undefined : this.#context.accounts.open(key);
  }

  #readFilter(where: string, filter: RequestFilter) {
    const { key, ...match } = parseArgument(where, requestFilterSchema, filter);
    return { account: this.#find(key), match };
  }
}

function* writeLines(records: readonly StateRecord[]): Generator<string> {
  for (const record of records) yield `${JSON.stringify(record)}\n`;
}

const listenerSchema = aFunction();

/**
 * Makes a landing page service in memory.
 *
 * @throws {TypeError} when an option is not valid.
 * @example
 * const service = createMockService();
 * const response = await service.fetch(`${service.baseUrl}/api/content`, { headers: { Authorization: "Bearer test_demo" } });
 */
export function createMockService(options: MockServiceOptions = {}): MockService {
  parseArgument("createMockService", serviceOptionsSchema, options);
  return new MockService(new Context(options));
}

/** Checks the fields of a page that an assignment reads. */
export const assignablePageSchema = z.object({
  title: z.string(),
  content: z.string(),
  slug: z.string(),
  meta_description: optional(z.string().nullable()),
  cta: z.object({ type: z.string(), label: z.string(), url: z.string() }),
  locale: optional(localeSchema),
});

/** Checks the id of a page. */
const pageIdSchema = z.string({ error: "expected a page's id" });

/** Checks that an argument is a mock service. @throws {TypeError} when it is not. */
export function checkService(where: string, service: { readonly handle: unknown }): void {
  if (typeof Object(service).handle !== "function")
    throw new ArgumentError(`${where}: expected a service, as createMockService() makes it${gotInstead(service)}`);
}
