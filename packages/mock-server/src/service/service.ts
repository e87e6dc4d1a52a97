import { setTimeout as sleepFor } from "node:timers/promises";
import { writeRateLimit } from "@landing-page-service/contract";
import { type Dialect, type DialectChoice, resolveDialect } from "@landing-page-service/contract/dialect";
import { type AccountHandle, createAccountHandle } from "./account-handle.ts";
import { type AccountOptions, Accounts } from "../state/accounts.ts";
import { createArchive } from "./archive.ts";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";
import { writeAnswer } from "./write-answer.ts";
import { type Clock, createClock } from "../testing/clock.ts";
import { createSpeaker } from "../dialect/speaker.ts";
import {
  type AssignablePage,
  type Assignment,
  createDomainNetwork,
  defaultCatalogue,
  type Domain,
  type DomainNetwork,
} from "../domains/network.ts";
import { FaultPlan, type Faults } from "../testing/faults.ts";
import { createFetch, type Fetch } from "./fetch.ts";
import { createHandler } from "./handler.ts";
import { createIdSource, createPageIdSource } from "../state/ids.ts";
import { createInputReaders } from "../api/input.ts";
import {
  createMatcher,
  Journal,
  type RecordedRequest,
  type RequestFilter,
  type WaitOptions,
} from "../testing/journal.ts";
import { type Plan, RateLimiter } from "../state/limiter.ts";
import { createRecordMakers } from "./seed.ts";
import type { LineSource } from "../state/lines.ts";
import type { LoadCounts, StateRecord } from "../state/snapshot.ts";
import { readAssignment } from "../state/store.ts";

/** How a mock service is set up. */
export interface MockServiceOptions {
  /** Accounts with keys of their own. Any key that begins with `test_` opens an empty sandbox beside them. @defaultValue none */
  accounts?: readonly AccountOptions[];
  /** Plan of every account that names none, and of all callers without an account together. @defaultValue `"unlimited"` */
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
  /** The service as a web-standard `fetch`. Rejects when a planned `wire` fault strikes, which only a socket can show. */
  readonly fetch: Fetch;
  /** The service's clock. */
  readonly clock: Clock;
  /** The domains that pages are placed on. */
  readonly domains: DomainNetwork;
  /** How the service speaks. */
  readonly dialect: Dialect;
  /** Counts resets and restores, of whatever account: for adapters, see `PlainRequest.generation`. */
  readonly generation: number;
  /** Planned faults. */
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
  /** Requests in the journal that match, oldest first: of the last 1 000. */
  requests(filter?: RequestFilter): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /**
   * The first request in the journal that matches, or else the next to come.
   *
   * @throws {Error} when none comes in time. @throws {RangeError} when no timer can wait that long.
   */
  waitForRequest(filter?: RequestFilter, options?: WaitOptions): Promise<RecordedRequest>;
  /**
   * Makes all accounts as they were at the start, after the last import or with the seed, ids included, and in fresh rate
   * windows; faults and journal are emptied. Requests under way are answered with 503 and write nothing. The clock stays where it is.
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
  const { plan = "unlimited", random = Math.random, latencyMs = 0, sleep = sleepByTimer } = options;
  checkDelay(latencyMs);
  const clock = createClock(options.now ?? Date.now);
  const dialect = resolveDialect(options.dialect);
  const { switches } = dialect;
  const speak = createSpeaker(dialect);
  const accounts = new Accounts(options.accounts ?? [], plan);
  const strangers = new RateLimiter(plan);
  const network = createDomainNetwork(options.domains ?? defaultCatalogue);
  const idOf = (key: string): string => accounts.open(key).id;
  const faults = new FaultPlan(random, idOf);
  const journal = new Journal();
  const inputs = createInputReaders(switches);
  const ids = createIdSource(() => clock.now(), random);
  const newEventId = (): string => ids.next("ev_");
  const { next: newPageId, note: noteId } = createPageIdSource(ids, switches["page-id-type"]);
  const newRequestId = countRequests(ids.next("req_"));
  const seedContext = () => ({ switches, inputs, network, newEventId, newId: newPageId, nowMs: clock.now() });
  const archive = createArchive(accounts, options.seed ?? [], createRecordMakers(noteId, seedContext));
  const parts = { accounts, strangers, clock, switches, speak, faults, inputs, journal, latencyMs, network, sleep };
  const handle = createHandler({ ...parts, newPageId, newEventId, newRequestId });

  return {
    baseUrl: "https://landing-pages.test",
    fetch: createFetch(handle, () => accounts.generation),
    clock,
    domains: network,
    dialect,
    get generation() {
      return accounts.generation;
    },
    faults: faults.view(),
    handle,
    refuse(status, detail) {
      const nowMs = clock.now();
      const rateHeaders = writeRateLimit(strangers.state(nowMs));
      const answer = writeAnswer({ refused: status, detail }, { id: newRequestId(), rateHeaders, nowMs });
      return speak({ endpoint: undefined, request: { path: "" }, answer, nowMs });
    },
    account(key) {
      accounts.open(key);
      return createAccountHandle(key, { account: () => accounts.open(key), archive, clock, faults, journal });
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
    requests: (filter = {}) => journal.find(createMatcher("requests", filter, idOf)),
    get forgottenRequests() {
      return journal.forgotten;
    },
    waitForRequest: (filter = {}, options) => journal.wait(createMatcher("waitForRequest", filter, idOf), options),
    reset() {
      archive.beginAll();
      strangers.reset();
      faults.view().clear();
      journal.clear();
    },
    snapshot: () => archive.snapshot(accounts.all()),
    restore: (records) => archive.restore(records),
    exportLines: () => archive.exportLines(),
    importLines: (source) => archive.importLines(source),
  };
}

function checkDelay(latencyMs: number): void {
  if (latencyMs >= 0 && latencyMs < 2 ** 31) return;
  throw new TypeError(`latencyMs: expected 0 to ${2 ** 31 - 1}, got ${latencyMs}`);
}

/** Identifiers of requests: one random part for the service, then a count. */
function countRequests(start: string): () => string {
  const prefix = start.slice(0, -8);
  let count = 0;
  return () => `${prefix}${String((count += 1)).padStart(8, "0")}`;
}

async function sleepByTimer(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleepFor(delayMs, undefined, { signal });
}
