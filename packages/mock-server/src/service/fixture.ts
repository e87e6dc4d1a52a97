import { randomUUID } from "node:crypto";
import { checkNames } from "../exchange/names.ts";
import type { Fault } from "../testing/faults.ts";
import type { AccountHandle } from "./account-handle.ts";
import { catcher, type Entrance, mockEntrance } from "./caught.ts";
import { type MockServiceOptions, optionNames } from "./options.ts";
import { openRealAccount, readRealTarget } from "./real.ts";
import type { MockService } from "./mock-service.ts";
import { createSharedService, type SharedService } from "./shared-service.ts";
import type { TestAccount } from "./test-account.ts";
import { gotInstead, showLiteral } from "../exchange/literal.ts";

/** How the service of a fixture is set up, and what it watches over. */
export interface FixtureOptions extends MockServiceOptions {
  /** What fails a test beside its own assertions; `false` is nothing. @defaultValue all of it */
  safetyNet?: boolean | SafetyNet;
}

/** What a fixture watches over; what is left out is on. */
export interface SafetyNet {
  /** Whether a planned fault that struck nothing fails its test, unless the fault is `optional`. @defaultValue true */
  unusedFaults?: boolean;
  /** Whether a request for which there is no endpoint, or whose key opens no account, fails its test. @defaultValue true */
  unhandledRequests?: boolean;
  /**
   * Whether `LANDING_PAGES_BASE_URL` and `LANDING_PAGES_API_KEY` lead to the mock meanwhile, by the global `fetch`, and calls of
   * the service that would go to other hosts than this machine are answered 421. @defaultValue true
   */
  environment?: boolean;
}

/**
 * What a test runner calls around each test. Nothing tells these whether a test has skipped itself midway, as Playwright's may:
 * there, what it leaves over of planned faults is `optional`.
 */
export interface TestHooks {
  /** Registers what is done before each test of the file or block in which it is called. */
  readonly beforeEach: (hook: () => void | Promise<void>) => unknown;
  /** Registers what is done after each test. */
  readonly afterEach: (hook: () => void | Promise<void>) => unknown;
  /** Registers what is done after the last test of the file or block. @defaultValue nothing: the environment is lent only while a test runs */
  readonly afterAll?: (hook: () => void) => unknown;
}

/** The same of a runner that tells of the test around which it calls. */
export interface KnownHooks {
  readonly beforeEach: (hook: (test: RunningTest) => void) => unknown;
  readonly afterEach: (hook: (isCutShort: boolean) => void | Promise<void>) => unknown;
  readonly afterAll: ((hook: () => void) => unknown) | undefined;
}

/** A service for tests, and what is watched over. */
export interface Fixture {
  readonly service: MockService;
  /** Lets a test use what all accounts share. @returns what ends that, and gives the faults that it planned for all: none where others ran beside it, for nobody knows whose they are. */
  readonly share: (test: unknown) => () => readonly Fault[];
  readonly open: SharedService["open"];
  readonly net: Required<SafetyNet>;
  /** The real service, where tests are to run against it. */
  readonly real: Entrance | undefined;
}

/** Makes the service of a fixture. @throws {TypeError} when an option is not what it should be. */
export function createFixture(given: FixtureOptions): Fixture {
  checkNames("useMockService", given, [...optionNames, "safetyNet"]);
  const { safetyNet = true, ...options } = given;
  checkSeed(options.seed);
  const { service, keep, open } = createSharedService(options);
  return { real: readRealTarget(), service, share: shareAmongTests(keep), open, net: readSafetyNet(safetyNet) };
}

/** What tests do to what they share lasts as long as any of them runs. */
function shareAmongTests(keep: SharedService["keep"]): Fixture["share"] {
  const running: unknown[] = [];
  let isAlone = true;
  let takeBack: (() => Fault[]) | undefined;
  return (test) => {
    isAlone = running.every((other) => other === test) && (isAlone || running.length === 0);
    if (running.push(test) === 1) takeBack = keep();
    return () => {
      running.splice(running.indexOf(test), 1);
      const added = (running.length === 0 && takeBack?.()) || [];
      return isAlone ? added : [];
    };
  };
}

/** Nobody can name the account of a test before it runs, so that a record without one is most likely meant for that. */
function checkSeed(seed: FixtureOptions["seed"]): void {
  if (!Array.isArray(seed)) return;
  const index = seed.findIndex(isOfNoAccount);
  if (index < 0) return;
  throw new TypeError(
    `seed[${index}]: account: expected the key of an account, got none; a test's own begins empty and is filled in the test, with restore([{ account: "test_demo", page: {…} }]), whatever key stands there`,
  );
}

function isOfNoAccount(record: unknown): boolean {
  if (typeof record !== "object" || record === null || "account" in record) return false;
  return ["page", "event", "plan"].some((name) => name in record);
}

function readSafetyNet(given: boolean | SafetyNet): Required<SafetyNet> {
  if (typeof given === "boolean") return { unusedFaults: given, unhandledRequests: given, environment: given };
  if (typeof given !== "object" || given === null)
    throw new TypeError(`safetyNet: expected true, false or an object${gotInstead(given)}`);
  checkNames("safetyNet", given, ["unusedFaults", "unhandledRequests", "environment"]);
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && typeof value !== "boolean")
      throw new TypeError(`safetyNet: ${name}: expected true or false${gotInstead(value)}`);
  const { unusedFaults = true, unhandledRequests = true, environment = true } = given;
  return { unusedFaults, unhandledRequests, environment };
}

/** An account while its test runs. */
export interface OpenAccount {
  readonly account: TestAccount;
  /** Ends its use; a test that has failed or skipped itself need not have met its faults. @throws {Error} that names what the safety net has caught. */
  readonly close: (isCutShort: boolean) => void | Promise<void>;
}

/** Ends a test that cannot run, as its runner has it. */
export type Skip = (reason: string) => never;

/** The account that a key opens, as a test has it. */
export function openTestAccount(service: MockService, apiKey = `test_${randomUUID()}`): TestAccount {
  // A handle reads anew at each access, which copying its members would end.
  return Object.assign(Object.create(service.account(apiKey)) as AccountHandle, { apiKey, service }); // why: Object.create is untyped
}

/** The test that opens an account. */
export interface RunningTest {
  readonly skip: Skip;
  /** The same for all accounts of one test, of which the last is the one that the environment leads to. */
  readonly test: unknown;
  /** Its name with those of the blocks around it; `undefined` where the runner does not tell. */
  readonly name: string | undefined;
}

/** Opens an empty account for a test, over which the safety net watches; of the real service, where that is what tests run against. */
export function enterTest(fixture: Fixture, { skip, test, name }: RunningTest): OpenAccount {
  const { service, net, real } = fixture;
  if (real !== undefined) return enterReal(real, net, { skip, test });
  const unshare = fixture.share(test);
  const { apiKey, end } = fixture.open(name);
  const account = openTestAccount(service, apiKey);
  const { fetch } = account.clientOptions;
  const leave = net.environment ? catcher.enter({ apiKey, fetch, test }, mockEntrance) : () => {};
  return {
    account,
    close(isCutShort) {
      const planned = [...account.faults.list(), ...unshare()];
      const unused = net.unusedFaults && !isCutShort ? nameUnused(account, planned) : [];
      const unhandled = net.unhandledRequests ? nameUnhandled(account) : [];
      leave();
      end();
      failOn([...unused, ...unhandled]);
    },
  };
}

function enterReal(
  real: Entrance,
  net: Required<SafetyNet>,
  { skip, test }: Pick<RunningTest, "skip" | "test">,
): OpenAccount {
  const { account, cleanUp } = openRealAccount(real, catcher.outside, skip);
  const { apiKey, fetch } = account.clientOptions;
  // Whatever else is off: a page that is not marked would stay.
  const leave = catcher.enter({ apiKey, fetch, test }, real);
  return {
    account,
    async close() {
      leave();
      await cleanUp();
      failOn(net.unhandledRequests ? nameUnhandled(account) : []);
    },
  };
}

function failOn(caught: readonly string[]): void {
  if (caught.length > 0) throw new Error(caught.join("\n"));
}

function nameUnused(account: TestAccount, planned: readonly Fault[]): string[] {
  const unused = planned.filter(({ fired, rule }) => fired === 0 && rule.optional !== true);
  return unused.map(({ rule: { key: _, ...rule } }) => {
    const { endpoint, method, path, pageId, query, headers } = rule;
    const match = Object.entries({ endpoint, method, path, pageId, query, headers });
    const fitting = account.requests(Object.fromEntries(match.filter(([, value]) => value !== undefined)));
    const came = `${fitting.length} of ${account.requests().length}`;
    return `A planned fault struck nothing: ${showLiteral(rule)}; requests that it fits: ${came}. Take it back, mark it optional: true, or turn this off with ${without("unusedFaults")}.`;
  });
}

function nameUnhandled({ unhandledRequests }: TestAccount): string[] {
  return unhandledRequests.map(({ method, path, status, endpoint }) => {
    const why =
      endpoint === undefined && status !== 401
        ? "there is no such endpoint"
        : "its key opens no account. A 401 that a test is about is a fault: mock.faults.add({ status: 401 })";
    return `Nobody handled ${method} ${path} -> ${status ?? "no answer"}: ${why}. Where this is meant, turn it off with ${without("unhandledRequests")}.`;
  });
}

function without(watch: keyof SafetyNet): string {
  return `safetyNet: { ${watch}: false }, in mockOptions or as an option of useMockService`;
}

/** What the author of a test is told who cannot have an account. */
export interface FixtureAdvice {
  /** What there is for tests that run at the same time. */
  readonly atOnce: string;
  /** What else may be wrong where no test seems to run. */
  readonly outside: string;
}

/** Gives each test an account, one test after the other. */
export function giveAccounts(options: FixtureOptions, hooks: KnownHooks, advice: FixtureAdvice): () => TestAccount {
  const fixture = createFixture(options);
  const atOnce = `Tests that run at the same time cannot share useMockService(): ${advice.atOnce}.`;
  let open: OpenAccount | undefined;
  // The test whose account is closed by the end of another one is to hear of that, not of where hooks belong.
  let hasMet = false;
  if (fixture.net.environment && hooks.afterAll !== undefined)
    hooks.afterAll(catcher.hold(fixture.real ?? mockEntrance));
  hooks.beforeEach((test) => {
    hasMet = open !== undefined;
    if (hasMet) throw new Error(atOnce);
    open = enterTest(fixture, test);
  });
  hooks.afterEach((isCutShort) => {
    const ended = open;
    open = undefined;
    return ended?.close(isCutShort);
  });
  return () => {
    if (open !== undefined) return open.account;
    throw new Error(
      hasMet
        ? atOnce
        : `useMockService() has an account only while a test runs that no other one runs beside: what beforeAll does belongs in a beforeEach below it${advice.outside}.`,
    );
  };
}
