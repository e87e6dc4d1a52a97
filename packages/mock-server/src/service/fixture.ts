// A mock service for each test, and the checks at the end of the test.
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { ArgumentError, optional, parseArgument, showLiteral } from "../argument.ts";
import type { AccountHandle } from "./account-handle.ts";
import { interceptForFile, interceptForTest } from "./fetch-interceptor.ts";
import { Context, type MockServiceOptions, serviceOptionsSchema } from "./context.ts";
import { createMockService, MockService } from "./mock-service.ts";

/** The account of one test, in a mock service of its own. */
export interface TestAccount extends AccountHandle {
  /** Its API key, a new one for each test. If `random` is set, it is `test_fixture`, so that ids repeat. */
  readonly apiKey: string;
  /** The mock service of the test. */
  readonly service: MockService;
}

/** Options of the service of each test, and of the safety net. */
export interface FixtureOptions extends MockServiceOptions {
  /** Which checks can fail a test besides its own assertions; `false` turns all off. @defaultValue all */
  safetyNet?: boolean | SafetyNet | undefined;
}

/** Checks of the safety net. Each is on by default. */
export interface SafetyNet {
  /** Whether a planned fault that did not fire fails its test, unless the fault is `optional`. @defaultValue true */
  unusedFaults?: boolean | undefined;
  /** Whether a request fails its test when no endpoint or no account matches it. @defaultValue true */
  unhandledRequests?: boolean | undefined;
  /**
   * Whether `LANDING_PAGES_BASE_URL`, `LANDING_PAGES_API_KEY` and the global `fetch` lead to the mock. SDK calls to
   * other hosts than this machine get a 421. @defaultValue true
   */
  environment?: boolean | undefined;
}

/** Hooks of a test runner. Apart from those of mocha, they do not say whether a test skipped itself midway, so mark the faults of such a test `optional`. */
export interface TestHooks {
  /** Registers a function to run before each test of the file or block. */
  readonly beforeEach: (hook: () => void | Promise<void>) => unknown;
  /** Registers a function to run after each test. */
  readonly afterEach: (hook: () => void | Promise<void>) => unknown;
  /** Registers a function to run after the last test. @defaultValue none, so the environment leads to the mock only while a test runs */
  readonly afterAll?: ((hook: () => void) => unknown) | undefined;
}

/** Hooks of a test runner. They pass the running test, its file if known, and whether the test failed or was skipped. */
export interface RunnerHooks {
  readonly beforeEach: (hook: (test: unknown, file?: string) => void) => unknown;
  readonly afterEach: (hook: (isCutShort: boolean) => void) => unknown;
  readonly afterAll?: ((hook: () => void) => unknown) | undefined;
}

const isOn = z.boolean().default(true);
const safetyNetSchema = z.strictObject({ unusedFaults: isOn, unhandledRequests: isOn, environment: isOn });
const fixtureOptionsSchema = serviceOptionsSchema.extend({
  safetyNet: optional(z.union([z.boolean(), safetyNetSchema], { error: "expected true, false or an object" })),
}) satisfies z.ZodType<FixtureOptions>;

/** Checked options of a fixture. */
interface Fixture {
  readonly options: MockServiceOptions;
  readonly net: Required<SafetyNet>;
}

/** Checks the options of a fixture. @throws {TypeError} that names the wrong option. */
export function createFixture(given: FixtureOptions): Fixture {
  const { safetyNet = true, ...options } = parseArgument("useMockService", fixtureOptionsSchema, given);
  const unnamed = (options.seed ?? []).findIndex((record) => !("account" in record || "version" in record));
  if (unnamed >= 0)
    throw new ArgumentError(
      `seed[${unnamed}]: account: the record names no account. A test's own account starts empty; to fill it, call restore([{ account: "test_demo", page: {…} }]) in the test. The key in those records is ignored.`,
    );
  createMockService(options);
  if (typeof safetyNet === "object") return { options, net: safetyNet };
  return { options, net: { unusedFaults: safetyNet, unhandledRequests: safetyNet, environment: safetyNet } };
}

/** The account of a test while it runs. */
export interface OpenAccount {
  readonly account: TestAccount;
  /**
   * Ends the test. If it failed or was skipped, unused faults are ignored.
   * @throws {Error} with the findings of the safety net.
   */
  readonly close: (isCutShort: boolean) => void;
}

/** Makes a service for a test and opens an account in it. */
export function enterTest({ options, net }: Fixture, test: unknown, isOwn = false): OpenAccount {
  const random = options.random && replay(options.random);
  const context = new Context(random === undefined ? options : { ...options, random });
  const service = new MockService(context);
  const account = openTestAccount(service, random && "test_fixture");
  const restore = net.environment ? interceptForTest({ ...account.clientOptions, test, isOwn }) : undefined;
  return {
    account,
    close(isCutShort) {
      const unused = net.unusedFaults && !isCutShort ? describeUnusedFaults(account) : [];
      const unhandled = net.unhandledRequests ? describeUnhandled(service) : [];
      restore?.();
      context.end();
      const found = [...unused, ...unhandled];
      if (found.length > 0) throw new Error(found.join("\n"));
    },
  };
}

/** Opens an account of a service for a test. */
export function openTestAccount(service: MockService, apiKey = `test_${crypto.randomUUID()}`): TestAccount {
  // Inherited, because a copy would read the getters of the handle once.
  return Object.assign(Object.create(service.account(apiKey)) as AccountHandle, { apiKey, service }); // why: Object.create is untyped
}

const draws = new WeakMap<() => number, number[]>();

/** The service of each test draws the same numbers, so that ids do not depend on the order of tests. */
function replay(random: () => number): () => number {
  const drawn = draws.get(random) ?? [];
  draws.set(random, drawn);
  let next = 0;
  return () => (drawn[next++] ??= random());
}

function describeUnusedFaults(account: TestAccount): string[] {
  const unused = account.service.faults.list().filter(({ fired, rule }) => fired === 0 && rule.optional !== true);
  return unused.map(({ rule: { key: _, ...rule } }) => {
    const { endpoint, method, path, pageId, query } = rule;
    const matching = account.requests({ endpoint, method, path, pageId, query, ...rule.request }).length;
    return `A planned fault never fired: ${showLiteral(rule)}; requests that it matches: ${matching} of ${account.requests().length}. Remove it, mark it optional: true, or turn this off with ${turnOff("unusedFaults")}.`;
  });
}

function describeUnhandled({ unhandledRequests }: MockService): string[] {
  return unhandledRequests.map(({ method, path, status, endpoint }) => {
    const why =
      endpoint === undefined && status !== 401
        ? "there is no such endpoint"
        : "its key opens no account. To test a 401, add a fault: mock.faults.add({ status: 401 })";
    return `The mock did not handle ${method} ${path} -> ${status ?? "no response"}: ${why}. If this is intended, turn the check off with ${turnOff("unhandledRequests")}.`;
  });
}

function turnOff(check: keyof SafetyNet): string {
  return `safetyNet: { ${check}: false }, in mockOptions or as an option of useMockService`;
}

const atOnce =
  "Tests that run at the same time cannot share useMockService(). Make a service in each, with createMockService(), or use `test` from @landing-page-service/mock-server/vitest.";

/** Files whose tests have begun. Empty if the runner does not pass the file of a test. */
const testFiles = new Set<string>();

/** Gives each test an account, one test after the other. `hint` completes the error outside of a test. */
export function giveAccounts(options: FixtureOptions, hooks: RunnerHooks, hint = ""): () => TestAccount {
  const fixture = createFixture(options);
  const { stack = "" } = new Error("to learn in which files the fixture is set up");
  const isSetUpIn = (file: string) => [file, pathToFileURL(file).href].some((path) => stack.includes(path));
  const lend = () => (fixture.net.environment && hooks.afterAll ? interceptForFile(fixture) : undefined);
  let restore = lend();
  hooks.afterAll?.(() => restore?.());
  let isElsewhere = false;
  let open: OpenAccount | undefined;
  // The end of another test may have closed the account. Then the error is about concurrent tests, not about hooks.
  let hasMet = false;
  hooks.beforeEach((test, file) => {
    if (file !== undefined) testFiles.add(file);
    const isOwn = file !== undefined && isSetUpIn(file);
    // If several files run in one process, the hooks of each also run for the tests of the others. A helper file has no tests, so its
    // hooks are meant for all files.
    isElsewhere = file !== undefined && !isOwn && Array.from(testFiles).some(isSetUpIn);
    if (isElsewhere) return restore?.();
    hasMet = open !== undefined;
    if (hasMet) throw new Error(atOnce);
    open = enterTest(fixture, test, isOwn);
  });
  hooks.afterEach((isCutShort) => {
    if (isElsewhere) restore = lend();
    const ended = open;
    open = undefined;
    ended?.close(isCutShort);
  });
  return () => {
    if (open !== undefined) return open.account;
    throw new Error(
      hasMet
        ? atOnce
        : `useMockService() has an account only while a test runs, and no other test at the same time. Move the code from beforeAll to a beforeEach below it${hint}.`,
    );
  };
}

/** Refuses a vitest that is too old for the fixtures. The peer dependency allows any version, because the other entry points work without vitest. */
export function checkVitestVersion(version: string): void {
  if (Number.parseInt(version, 10) >= 4) return;
  throw new Error(
    `@landing-page-service/mock-server/vitest needs vitest 4 or newer, and this is vitest ${version}; useMockService from @landing-page-service/mock-server/assert works with it.`,
  );
}
