import { parseArgument } from "../exchange/argument.ts";
import { writeRateLimit } from "@landing-page-service/contract";
import { defaultCatalogue, type DomainNetwork } from "../domains/network.ts";
import { type Account, Accounts } from "../state/accounts.ts";
import { AnonymousCallers } from "../state/anonymous.ts";
import { readAssignment } from "../state/store.ts";
import { keepCopy } from "../testing/keep.ts";
import { type Journal, listRequests, splitFilter } from "../testing/journal.ts";
import { compileMatch } from "../testing/match.ts";
import { type RequestListener, Toolbox } from "../testing/tools.ts";
import { createWaitForRequest } from "../testing/waits.ts";
import { createAccountHandle } from "./account-handle.ts";
import { Archive } from "./archive.ts";
import { createFetch } from "./fetch.ts";
import { Handler } from "./handler.ts";
import { CurrentManner } from "./manner.ts";
import type { MockService } from "./mock-service.ts";
import {
  type AccountSummary,
  assignablePageSchema,
  type MockServiceOptions,
  pageIdSchema,
  serviceOptionsSchema,
  sleepByTimer,
} from "./options.ts";
import { createRecordMakers } from "./seed.ts";
import { writeAnswer } from "./write-answer.ts";

/**
 * Makes a landing page service in memory.
 *
 * @throws {TypeError} when an option is not what it should be.
 * @example
 * const service = createMockService();
 * const response = await service.fetch(`${service.baseUrl}/api/content`, { headers: { Authorization: "Bearer test_demo" } });
 */
export function createMockService(options: MockServiceOptions = {}): MockService {
  return createEndableService(options).service;
}

/** The same for a fixture, which ends the service with its test: its waits reject, and later requests are refused. */
export function createEndableService(options: MockServiceOptions): { service: MockService; end: () => void } {
  const parts = assemble(options);
  return {
    service: present(parts),
    end() {
      parts.handler.hasEnded = true;
      parts.toolbox.waits.end(undefined, "The test ended");
    },
  };
}

/** What a service shows of its parts. */
function present(parts: Parts): MockService {
  const { manner, toolbox, accounts, anonymous, archive, handler } = parts;
  const handle: MockService["handle"] = (request) => handler.handle(request);
  const fetch = createFetch(handle);
  const network = (): DomainNetwork => manner.network;
  const baseUrl = "https://landing-pages.test";

  return {
    baseUrl,
    fetch,
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
    refuse: (status, detail) => refuse(parts, status, detail),
    account(key) {
      const account = accounts.open(key);
      const own = accounts.find(key) === undefined ? account.key : key;
      return createAccountHandle(own, { account, archive, anonymous, toolbox, baseUrl, fetch, network });
    },
    listAccounts: () => accounts.all().map((account) => summarize(account, toolbox.now(account))),
    ...placing(parts),
    ...listening(parts),
    get unhandledRequests() {
      return listJournals(parts).flatMap(({ unhandled }) => unhandled);
    },
    get forgottenRequests() {
      return listJournals(parts).reduce((sum, { forgotten }) => sum + forgotten, 0);
    },
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

/** What a service is put together from. */
interface Parts {
  readonly manner: CurrentManner;
  readonly toolbox: Toolbox;
  readonly accounts: Accounts;
  readonly anonymous: AnonymousCallers;
  readonly archive: Archive;
  readonly handler: Handler;
  /** What identifiers follow from. */
  readonly seed: string;
}

/** Puts a service together. @throws {TypeError} when an option is not what it should be. */
function assemble(options: MockServiceOptions): Parts {
  parseArgument("createMockService", serviceOptionsSchema, options);
  const { random = Math.random, latencyMs = 0, sleep = sleepByTimer } = options;
  const { maxSandboxes = 5_000, onSandboxEvicted } = options;
  // Looked up at each call: a test may put another clock in place later.
  const { now = () => Date.now() } = options;
  // Accounts are made later, by when whoever gave it may have changed it.
  const plan = keepCopy(options.plan ?? "unlimited");
  const manner = new CurrentManner(options.dialect, options.domains ?? defaultCatalogue);
  const seed = Array.from({ length: 4 }, random).join();
  const toolbox = new Toolbox({ now, random, seed });
  const accounts = new Accounts(options.accounts ?? [], {
    plan,
    seed,
    pageIdType: manner.switches["page-id-type"],
    maxSandboxes,
    isWaitedFor: (account) => !toolbox.waits.isEmpty && toolbox.waits.has(account),
    onEvicted: (account) => onSandboxEvicted?.(summarize(account, toolbox.now(account))),
  });
  const anonymous = new AnonymousCallers(plan, seed);
  const makers = createRecordMakers(
    (id) => accounts.newState(id),
    () => ({
      switches: manner.switches,
      inputs: manner.inputs,
      network: manner.network,
      findPage: manner.findPage,
      placeRules: [],
      nowMs: toolbox.now(),
    }),
  );
  const archive = new Archive(options.seed ?? [], { accounts, clock: toolbox, makers });
  const handler = new Handler({ accounts, anonymous, toolbox, manner, latencyMs, sleep });
  return { manner, toolbox, accounts, anonymous, archive, handler, seed };
}

function refuse(
  { anonymous, manner, toolbox }: Parts,
  status: number,
  detail: string,
): ReturnType<MockService["refuse"]> {
  const nowMs = toolbox.now();
  const { limiter, requestIds } = anonymous.find();
  const rateHeaders = writeRateLimit(limiter.state(nowMs));
  const answer = writeAnswer({ refused: status, detail }, { id: requestIds.next(nowMs), rateHeaders, nowMs });
  return manner.speak({ endpoint: undefined, request: { path: "" }, answer, nowMs });
}

function placing({ accounts, manner }: Parts): Pick<MockService, "assignment" | "evaluate"> {
  return {
    assignment(pageId, key) {
      parseArgument("assignment", pageIdSchema, pageId);
      const searched = key === undefined ? accounts.all() : [accounts.open(key)];
      const page = searched
        .map(({ state }) => manner.findPage(state.pages, pageId))
        .find((found) => found !== undefined);
      return page && readAssignment(page);
    },
    evaluate(page, key) {
      parseArgument("evaluate", assignablePageSchema, page);
      const account = key === undefined ? undefined : accounts.open(key);
      return manner.network.assign(page, (name) => account?.state.pages.urls.count(name) ?? 0, account?.placeRules);
    },
  };
}

function listening(parts: Parts): Pick<MockService, "requests" | "onRequest" | "waitForRequest"> {
  const { accounts, toolbox } = parts;
  const journalOf = (account: Account): Journal => toolbox.of(account).journal;
  return {
    requests(filter = {}) {
      const { key, match } = splitFilter("requests", filter);
      return listRequests(key === undefined ? listJournals(parts) : [journalOf(accounts.open(key))], match);
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
      if (key === undefined) return { match, scope: { owner: undefined, journals: () => listJournals(parts) } };
      const owner = accounts.open(key);
      return { match, scope: { owner, journals: () => [journalOf(owner)] } };
    }),
  };
}

function listJournals({ accounts, toolbox }: Parts): Journal[] {
  return [toolbox.shared.journal, ...accounts.all().map((account) => toolbox.of(account).journal)];
}

function summarize({ id, state, limiter }: Account, nowMs: number): AccountSummary {
  return { account: id, pages: state.pages.all.size, events: state.events.size, rateLimit: limiter.state(nowMs) };
}
