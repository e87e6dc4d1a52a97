import { writeRateLimit } from "@landing-page-service/contract";
import type { Dialect, DialectChoice } from "@landing-page-service/contract/dialect";
import {
  type AssignablePage,
  type Assignment,
  defaultCatalogue,
  type Domain,
  type DomainNetwork,
} from "../domains/network.ts";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";
import { type Account, Accounts } from "../state/accounts.ts";
import { AnonymousCallers } from "../state/anonymous.ts";
import type { RateState } from "../state/limiter.ts";
import type { LineSource } from "../state/lines.ts";
import type { LoadCounts, StateRecord } from "../state/snapshot.ts";
import { readAssignment } from "../state/store.ts";
import type { Clock } from "../testing/clock.ts";
import type { Faults } from "../testing/faults.ts";
import { type Journal, listRequests, type RequestFilter, splitFilter } from "../testing/journal.ts";
import { compileMatch } from "../testing/match.ts";
import type { RecordedRequest } from "../testing/recorded.ts";
import { type RequestListener, Toolbox } from "../testing/tools.ts";
import { createWaitForRequest, type WaitForRequest } from "../testing/waits.ts";
import { type AccountHandle, createAccountHandle } from "./account-handle.ts";
import { createArchive } from "./archive.ts";
import { createFetch, type Fetch } from "./fetch.ts";
import { Handler } from "./handler.ts";
import { CurrentManner } from "./manner.ts";
import { checkOptions, type MockServiceOptions, sleepByTimer } from "./options.ts";
import { createRecordMakers } from "./seed.ts";
import { writeAnswer } from "./write-answer.ts";

/** What an account holds, in numbers. */
export interface AccountSummary {
  /** Its id; a sandbox's is its key. */
  readonly account: string;
  /** Pages it holds. */
  readonly pages: number;
  /** Events that are kept of it. */
  readonly events: number;
  /** Where it stands in its rate window. */
  readonly rateLimit: RateState;
}

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
  /** Counts resets and restores, of whatever account: for adapters, see `PlainRequest.generation`. */
  readonly generation: number;
  /** Planned faults: those added here strike requests of every account, those of accounts are listed too. */
  readonly faults: Faults;
  /**
   * Answers a request in plain values: at once, or with a promise where something delays the answer. The promise rejects
   * with the signal's reason when the caller goes away.
   */
  handle(request: PlainRequest): PlainAnswer | Promise<PlainAnswer>;
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
   * @param key - the account whose pages fill the domains that have a capacity, and whose `domains.place` counts. @defaultValue an empty account
   */
  evaluate(page: AssignablePage, key?: string): Assignment;
  /** Requests that match, oldest first: of the last 1 000 of each account, and of callers without one. */
  requests(filter?: RequestFilter): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /**
   * Calls a function with every request to come that matches, when it has been answered and before the answer leaves; waits are given them all the
   * same. What the function throws fails the request.
   *
   * @returns a function that ends it.
   * @throws {TypeError} when the filter is none.
   */
  onRequest(hear: (request: RecordedRequest) => void, filter?: RequestFilter): () => void;
  /** Waits for a request, of whatever account or of the one whose `key` is given. */
  readonly waitForRequest: WaitForRequest<RequestFilter>;
  /**
   * Makes all accounts as they were at the start, after the last import or with the seed, ids included, and in fresh rate
   * windows, with the clocks as they began, and the first dialect and domains; faults and journal are emptied. Requests under way are answered with 503 and
   * write nothing; waits end with an error.
   */
  reset(): void;
  /** What all accounts hold, the plans they were put on and how clocks were moved, as plain data. For very many pages rather {@link exportLines}. */
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

/**
 * Makes a landing page service in memory.
 *
 * @throws {TypeError} when an option is not what it should be.
 * @example
 * const service = createMockService();
 * const response = await service.fetch(`${service.baseUrl}/api/content`, { headers: { Authorization: "Bearer test_demo" } });
 */
export function createMockService(options: MockServiceOptions = {}): MockService {
  checkOptions(options);
  const { plan = "unlimited", random = Math.random, latencyMs = 0, sleep = sleepByTimer } = options;
  // Looked up at each call: a test may put another clock in place later.
  const { now = () => Date.now() } = options;
  const manner = new CurrentManner(options.dialect, options.domains ?? defaultCatalogue);
  const seed = Array.from({ length: 4 }, random).join();
  const toolbox = new Toolbox({ now, random, seed });
  const isArranged: Toolbox["isArranged"] = (account) => toolbox.isArranged(account);
  const accounts = new Accounts(options.accounts ?? [], {
    plan,
    seed,
    pageIdType: manner.switches["page-id-type"],
    isArranged,
  });
  const anonymous = new AnonymousCallers(plan, seed);
  const makers = createRecordMakers(
    (id) => accounts.newState(id),
    () => ({
      switches: manner.switches,
      inputs: manner.inputs,
      network: manner.network,
      placeRules: [],
      nowMs: toolbox.now(),
    }),
  );
  const archive = createArchive(options.seed ?? [], { accounts, clock: toolbox, makers });
  const handler = new Handler({ accounts, anonymous, toolbox, manner, latencyMs, sleep });
  const handle: MockService["handle"] = (request) => handler.handle(request);
  const fetchFor = (via?: string): Fetch => createFetch(handle, () => accounts.generation, via);
  const network = (): DomainNetwork => manner.network;
  const baseUrl = "https://landing-pages.test";
  const journals = (): Journal[] => [
    toolbox.shared.journal,
    ...accounts.all().map((account) => toolbox.of(account).journal),
  ];
  const journalOf = (key: string): Journal => toolbox.of(accounts.open(key)).journal;

  return {
    baseUrl,
    fetch: fetchFor(),
    clock: toolbox.clock(accounts),
    get domains() {
      return manner.network;
    },
    setDomains: (domains) => manner.setDomains(domains),
    get dialect() {
      return manner.dialect;
    },
    setDialect: (choice) => manner.setDialect(choice),
    get generation() {
      return accounts.generation;
    },
    faults: toolbox.allFaults(accounts),
    handle,
    refuse(status, detail) {
      const nowMs = toolbox.now();
      const { limiter, requestIds } = anonymous.find();
      const rateHeaders = writeRateLimit(limiter.state(nowMs));
      const answer = writeAnswer({ refused: status, detail }, { id: requestIds.next(nowMs), rateHeaders, nowMs });
      return manner.speak({ endpoint: undefined, request: { path: "" }, answer, nowMs });
    },
    account(key) {
      const account = accounts.open(key);
      return createAccountHandle(accounts.find(key) === undefined ? account.key : key, {
        account,
        archive,
        anonymous,
        toolbox,
        baseUrl,
        fetch: fetchFor(account.id),
        network,
      });
    },
    listAccounts: () => accounts.all().map((account) => summarize(account, toolbox.now(account))),
    assignment(pageId, key) {
      const searched = key === undefined ? accounts.all() : [accounts.open(key)];
      const page = searched.map(({ state }) => state.pages.get(pageId)).find((found) => found !== undefined);
      return page && readAssignment(page);
    },
    evaluate(page, key) {
      const account = key === undefined ? undefined : accounts.open(key);
      return manner.network.assign(page, (name) => account?.state.pages.urls.count(name) ?? 0, account?.placeRules);
    },
    requests(filter = {}) {
      const { key, match } = splitFilter("requests", filter);
      return listRequests(key === undefined ? journals() : [journalOf(key)], match);
    },
    get forgottenRequests() {
      return journals().reduce((sum, { forgotten }) => sum + forgotten, 0);
    },
    onRequest(hear, filter = {}) {
      const { key, match } = splitFilter("onRequest", filter);
      const wanted = key === undefined ? undefined : accounts.open(key);
      const matches = compileMatch(match);
      const listener: RequestListener = (request, live, owner) => {
        if ((wanted === undefined || wanted === owner) && matches(live)) hear(request);
      };
      toolbox.listeners.add(listener);
      return () => toolbox.listeners.delete(listener);
    },
    waitForRequest: createWaitForRequest(toolbox.waits, (filter) => {
      const { key, match } = splitFilter("waitForRequest", filter);
      if (key === undefined) return { match, scope: { owner: undefined, journals } };
      const owner = accounts.open(key);
      return { match, scope: { owner, journals: () => [toolbox.of(owner).journal] } };
    }),
    reset() {
      manner.reset();
      archive.beginAll();
      anonymous.reset();
      toolbox.resetAll(accounts);
    },
    snapshot: () => archive.snapshot(),
    restore: (records) => archive.restore(records),
    exportLines: () => archive.exportLines(),
    importLines: (source) => archive.importLines(source),
  };
}

function summarize({ id, state, limiter }: Account, nowMs: number): AccountSummary {
  return { account: id, pages: state.pages.all.size, events: state.events.size, rateLimit: limiter.state(nowMs) };
}
