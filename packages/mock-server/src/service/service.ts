import { createDomainNetwork, defaultCatalogue } from "../domains/network.ts";
import { aFunction, parseArgument } from "../argument.ts";
import { type Account, Accounts } from "../state/accounts.ts";
import { writeRateLimit } from "@landing-page-service/contract";
import { listRequests, splitFilter } from "../testing/journal.ts";
import { compileMatch, keepCopy } from "../testing/match.ts";
import { createWaitForRequest } from "../testing/waits.ts";
import { createAccountHandle, createFaults } from "./account-handle.ts";
import { Context, createConfig, type RequestListener, withDialect } from "./context.ts";
import { createFetch } from "./fetch.ts";
import { handle } from "./handle.ts";
import {
  type AccountSummary,
  assignablePageSchema,
  type MockService,
  type MockServiceOptions,
  pageIdSchema,
  serviceOptionsSchema,
} from "./mock-service.ts";
import { StateTransfer } from "./state-transfer.ts";

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
  const { context, transfer } = assemble(options);
  return {
    service: present(context, transfer),
    end() {
      context.hasEnded = true;
      context.waits.end(undefined, "The test ended");
    },
  };
}

/** Puts a service together. @throws {TypeError} when an option is not what it should be. */
function assemble(options: MockServiceOptions): { context: Context; transfer: StateTransfer } {
  parseArgument("createMockService", serviceOptionsSchema, options);
  const { random = Math.random, latencyMs = 0, sleep = sleepByTimer, maxSandboxes = 5_000, onSandboxEvicted } = options;
  // `Date.now` is looked up at each call, because a test may fake it later.
  const { now = () => Date.now() } = options;
  // Accounts are made later, when the caller may have changed its object.
  const plan = keepCopy(options.plan ?? "unlimited");
  const config = createConfig(options.dialect, options.domains ?? defaultCatalogue);
  const seed = Array.from({ length: 4 }, random).join();
  const accounts: Accounts = new Accounts(options.accounts ?? [], {
    plan,
    seed,
    pageIdType: config.switches["page-id-type"],
    maxSandboxes,
    isKept: (account) => transfer.isNamed(account),
    isInUse: (account) => account.inFlight.size > 0 || context.waits.has(account),
    onEvicted: (account) => onSandboxEvicted?.(summarize(account, context.now(account))),
  });
  const context: Context = new Context({ config, now, random, latencyMs, sleep, seed, accounts });
  const transfer: StateTransfer = new StateTransfer(context);
  transfer.begin(options.seed ?? []);
  return { context, transfer };
}

/** What a service shows of its parts. */
function present(context: Context, transfer: StateTransfer): MockService {
  const { accounts, config: firstConfig } = context;
  const fetch = createFetch((request) => handle(context, request));
  const baseUrl = "https://landing-pages.test";
  return {
    baseUrl,
    fetch,
    clock: context.clock(),
    get domains() {
      return context.config.network;
    },
    setDomains(domains) {
      context.config = { ...context.config, network: createDomainNetwork(domains) };
    },
    get dialect() {
      return context.config.dialect;
    },
    setDialect(choice) {
      context.config = withDialect(context.config, choice);
    },
    faults: createFaults(context),
    handle: (request) => handle(context, request),
    refuse: (status, detail) => refuse(context, status, detail),
    account: (key) => createAccountHandle(key, { context, transfer, baseUrl, fetch }),
    listAccounts: () => accounts.all().map((account) => summarize(account, context.now(account))),
    ...assigning(context),
    ...listening(context),
    get unhandledRequests() {
      return context.journals().flatMap(({ unhandled }) => unhandled);
    },
    get forgottenRequests() {
      return context.journals().reduce((sum, { forgotten }) => sum + forgotten, 0);
    },
    reset() {
      context.config = firstConfig;
      transfer.resetAll();
      accounts.resetAnonymous();
      context.clearTools();
    },
    snapshot: () => transfer.snapshot(),
    restore: (records) => transfer.restore(records),
    exportLines: () => transfer.exportLines(),
    importLines: (source) => transfer.importLines(source),
  };
}

function refuse(context: Context, status: number, detail: string): ReturnType<MockService["refuse"]> {
  const nowMs = context.now();
  const { limiter, requestIds } = context.accounts.anonymous();
  return context.config.render(
    { refused: status, detail },
    {
      endpoint: undefined,
      path: "",
      origin: undefined,
      rateHeaders: writeRateLimit(limiter.state(nowMs)),
      requestId: requestIds.next(nowMs),
      nowMs,
    },
  );
}

function assigning(context: Context): Pick<MockService, "assignment" | "evaluate"> {
  const { accounts } = context;
  return {
    assignment(pageId, key) {
      parseArgument("assignment", pageIdSchema, pageId);
      const searched = key === undefined ? accounts.all() : [accounts.open(key)];
      const found = searched.map(({ state }) => context.config.findPage(state.pages, pageId));
      return found.find((page) => page !== undefined)?.explain();
    },
    evaluate(page, key) {
      parseArgument("evaluate", assignablePageSchema, page);
      const account = key === undefined ? undefined : accounts.open(key);
      const countOn = (name: string): number => account?.state.pages.countOn(name) ?? 0;
      return context.config.network.assign(page, countOn, account?.assignmentRules);
    },
  };
}

const listenerSchema = aFunction();

function listening(context: Context): Pick<MockService, "requests" | "onRequest" | "onReset" | "waitForRequest"> {
  const { accounts } = context;
  const find = (key: string | undefined): Account | undefined => (key === undefined ? undefined : accounts.open(key));
  return {
    requests(filter = {}) {
      const { key, match } = splitFilter("requests", filter);
      return listRequests(context.journals(find(key)), match);
    },
    onRequest(hear, filter = {}) {
      parseArgument("onRequest", listenerSchema, hear);
      const { key, match } = splitFilter("onRequest", filter);
      const wanted = find(key);
      const matches = compileMatch(match);
      const listener: RequestListener = (request, raw, owner) => {
        if ((wanted === undefined || wanted === owner) && matches(raw)) hear(request);
      };
      context.listeners.add(listener);
      return () => context.listeners.delete(listener);
    },
    onReset(hear) {
      parseArgument("onReset", listenerSchema, hear);
      context.resetListeners.add(hear);
      return () => context.resetListeners.delete(hear);
    },
    waitForRequest: createWaitForRequest(context.waits, (filter) => {
      const { key, match } = splitFilter("waitForRequest", filter);
      const owner = find(key);
      return { match, scope: { owner, journals: () => context.journals(owner) } };
    }),
  };
}

function summarize({ id, state, limiter }: Account, nowMs: number): AccountSummary {
  return { account: id, pages: state.pages.size, events: state.events.length, rateLimit: limiter.state(nowMs) };
}

/** Waits by the timers that are in place when it is called: a test may have put its own there. */
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
