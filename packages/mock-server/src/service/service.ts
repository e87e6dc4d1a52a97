import { writeRateLimit } from "@landing-page-service/contract";
import { type Dialect, type DialectChoice, resolveDialect } from "@landing-page-service/contract/dialect";
import { createInputReaders } from "../api/input.ts";
import { createSpeaker } from "../dialect/speaker.ts";
import {
  type AssignablePage,
  type Assignment,
  createDomainNetwork,
  defaultCatalogue,
  type Domain,
  type DomainNetwork,
} from "../domains/network.ts";
import { checkNames } from "../exchange/names.ts";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";
import { type AccountOptions, Accounts } from "../state/accounts.ts";
import { AnonymousCallers } from "../state/anonymous.ts";
import type { Plan } from "../state/limiter.ts";
import type { LineSource } from "../state/lines.ts";
import type { LoadCounts, StateRecord } from "../state/snapshot.ts";
import { readAssignment } from "../state/store.ts";
import type { Clock } from "../testing/clock.ts";
import type { Faults } from "../testing/faults.ts";
import { type Journal, listRequests, type RequestFilter, splitFilter } from "../testing/journal.ts";
import type { RecordedRequest } from "../testing/recorded.ts";
import { Toolbox } from "../testing/tools.ts";
import { createWaitForRequest, type WaitForRequest } from "../testing/waits.ts";
import { type AccountHandle, createAccountHandle } from "./account-handle.ts";
import { createArchive } from "./archive.ts";
import { createFetch, type Fetch } from "./fetch.ts";
import { createHandler } from "./handler.ts";
import { createRecordMakers } from "./seed.ts";
import { writeAnswer } from "./write-answer.ts";

/** How a mock service is set up. */
export interface MockServiceOptions {
  /** Accounts with keys of their own. Any key that begins with `test_` opens an empty sandbox beside them. @defaultValue none */
  accounts?: readonly AccountOptions[];
  /** Plan of every account that names none, and of callers without an account. @defaultValue `"unlimited"` */
  plan?: Plan;
  /** The domains that pages are placed on. @defaultValue the catalogue that ships */
  domains?: readonly Domain[];
  /** What accounts begin with, and are again after a reset. @defaultValue nothing */
  seed?: readonly StateRecord[];
  /** How to speak where the spec is silent: the name of a preset, or what differs: switches and templates. Gap: see docs/spec-gaps.md @defaultValue `"reference"` */
  dialect?: DialectChoice;
  /** How long every answer is held back, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  latencyMs?: number;
  /** The present moment, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  now?: () => number;
  /** Randomness for identifiers and faults: numbers from 0 to below 1. @defaultValue `Math.random` */
  random?: () => number;
  /** Waits for delays; once the signal fires it is not waited for. @defaultValue a timer */
  sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
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
  /** How the service speaks. */
  readonly dialect: Dialect;
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
  /** The account that a key opens. @throws {TypeError} when the key opens none. */
  account(key: string): AccountHandle;
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
   * @param key - the account whose pages fill the domains that have a capacity. @defaultValue an empty account
   */
  evaluate(page: AssignablePage, key?: string): Assignment;
  /** Requests that match, oldest first: of the last 1 000 of each account, and of callers without one. */
  requests(filter?: RequestFilter): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /** Waits for a request, of whatever account or of the one whose `key` is given. */
  readonly waitForRequest: WaitForRequest<RequestFilter>;
  /**
   * Makes all accounts as they were at the start, after the last import or with the seed, ids included, and in fresh rate
   * windows, with clocks that nobody has moved; faults and journal are emptied. Requests under way are answered with 503 and
   * write nothing; waits end with an error.
   */
  reset(): void;
  /** What all accounts hold and the plans they were put on, as plain data. For very many pages rather {@link exportLines}. */
  snapshot(): StateRecord[];
  /**
   * Puts back what a snapshot holds, each account in a fresh rate window; accounts it does not name are empty then.
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
  const dialect = resolveDialect(options.dialect);
  const { switches } = dialect;
  const speak = createSpeaker(dialect);
  const seed = Array.from({ length: 4 }, random).join();
  const toolbox = new Toolbox({ now, random, seed });
  const isArranged: Toolbox["isArranged"] = (account) => toolbox.isArranged(account);
  const accounts = new Accounts(options.accounts ?? [], {
    plan,
    seed,
    pageIdType: switches["page-id-type"],
    isArranged,
  });
  const anonymous = new AnonymousCallers(plan, seed);
  const network = createDomainNetwork(options.domains ?? defaultCatalogue);
  const inputs = createInputReaders(switches);
  const makers = createRecordMakers(
    (id) => accounts.newState(id),
    () => ({ switches, inputs, network, nowMs: toolbox.now() }),
  );
  const archive = createArchive(accounts, options.seed ?? [], makers);
  const handle = createHandler({ accounts, anonymous, toolbox, switches, speak, inputs, latencyMs, network, sleep });
  const fetchFor = (via?: string): Fetch => createFetch(handle, () => accounts.generation, via);
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
    domains: network,
    dialect,
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
      return speak({ endpoint: undefined, request: { path: "" }, answer, nowMs });
    },
    account(key) {
      const account = accounts.open(key);
      return createAccountHandle(key, { account, archive, anonymous, toolbox, baseUrl, fetch: fetchFor(account.id) });
    },
    assignment(pageId, key) {
      const searched = key === undefined ? accounts.all() : [accounts.open(key)];
      const page = searched.map(({ state }) => state.pages.get(pageId)).find((found) => found !== undefined);
      return page && readAssignment(page);
    },
    evaluate(page, key) {
      const pages = key === undefined ? undefined : accounts.open(key).state.pages;
      return network.assign(page, (name) => pages?.urls.count(name) ?? 0);
    },
    requests(filter = {}) {
      const { key, match } = splitFilter("requests", filter);
      return listRequests(key === undefined ? journals() : [journalOf(key)], match);
    },
    get forgottenRequests() {
      return journals().reduce((sum, { forgotten }) => sum + forgotten, 0);
    },
    waitForRequest: createWaitForRequest(toolbox.waits, (filter) => {
      const { key, match } = splitFilter("waitForRequest", filter);
      if (key === undefined) return { match, scope: { owner: undefined, journals } };
      const owner = accounts.open(key);
      return { match, scope: { owner, journals: () => [toolbox.of(owner).journal] } };
    }),
    reset() {
      archive.beginAll();
      anonymous.reset();
      toolbox.resetAll(accounts);
    },
    snapshot: () => archive.snapshot(accounts.all()),
    restore: (records) => archive.restore(records),
    exportLines: () => archive.exportLines(),
    importLines: (source) => archive.importLines(source),
  };
}

const optionNames = ["accounts", "plan", "domains", "seed", "dialect", "latencyMs", "now", "random", "sleep"];

/** What is checked nowhere else. @throws {TypeError} that names the wrong option. */
function checkOptions(options: MockServiceOptions): void {
  checkNames("createMockService", options, optionNames);
  const { accounts = [], plan, latencyMs = 0 } = options;
  for (const [index, account] of accounts.entries()) {
    checkNames(`accounts[${index}]`, account, ["id", "keys", "plan"]);
    if (typeof account.plan === "object") checkNames(`accounts[${index}].plan`, account.plan, ["limit", "windowMs"]);
  }
  if (typeof plan === "object") checkNames("plan", plan, ["limit", "windowMs"]);
  for (const name of ["now", "random", "sleep"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw new TypeError(`${name}: expected a function, got ${JSON.stringify(options[name])}`);
  }
  if (!(latencyMs >= 0 && latencyMs < 2 ** 31))
    throw new TypeError(`latencyMs: expected 0 to ${2 ** 31 - 1}, got ${latencyMs}`);
}

/** By the timers that are in place when it is called: a test may have put its own there. */
function sleepByTimer(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, delayMs);
    signal.addEventListener("abort", wake);
  });
}
