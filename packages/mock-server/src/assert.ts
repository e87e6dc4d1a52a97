import { AssertionError } from "node:assert";
import { type FixtureOptions, giveAccounts, type KnownHooks, type TestHooks } from "./service/fixture.ts";
import type { TestAccount } from "./service/test-account.ts";
import type { RequestMatch } from "./testing/match.ts";
import { compareReceived, type Received } from "./testing/received.ts";
import type { SweepReport } from "./sweep/report.ts";
import { compareSurvival, type Survival } from "./sweep/survive.ts";

export type { FixtureOptions, SafetyNet, Skip, TestHooks } from "./service/fixture.ts";
export type { TestAccount } from "./service/test-account.ts";
export type { RequestMatch } from "./testing/match.ts";
export type { Received } from "./testing/received.ts";
export type { SweepReport } from "./sweep/report.ts";
export type { Survival } from "./sweep/survive.ts";

/**
 * Makes a service for the file or `describe` in which it is called, and an empty account before each test. For node:test,
 * jest, mocha and whatever else has `beforeEach` and `afterEach`. Subtests of node:test share the account of their test; tests
 * that run at the same time need a service and keys of their own.
 *
 * @param hooks - of a runner that does not make them global. @defaultValue the global ones, else those of node:test
 * @returns the account of the test that runs, read anew at each access. @throws {Error} outside of a test.
 * @example
 * const mock = useMockService({ plan: "free" });
 * test("publishes", async () => {
 *   await publish(new LandingPages(mock().clientOptions));
 *   assertReceived(mock(), { endpoint: "createPage", times: 1 });
 * });
 */
export function useMockService(options: FixtureOptions = {}, hooks?: TestHooks): () => TestAccount {
  return giveAccounts(options, hooks === undefined ? findHooks() : knowHooks(hooks, () => ({})), {
    atOnce: "give each a key of its own on one createMockService()",
    outside:
      ", and an afterEach that uses it above it, where hooks run as they are written; where beforeEach and afterEach are not global, pass them: useMockService({}, { beforeEach, afterEach })",
  });
}

/**
 * Passes when the mock service or account got a request that fits: at least one, or exactly `times`, which may be 0.
 * Whatever has an `asymmetricMatch` function, such as jest's `expect.any(String)`, decides for itself in `body`, `query` and `headers`.
 *
 * @throws {AssertionError} that lists what came instead. @throws {TypeError} when the match is none.
 */
export function assertReceived(received: Received, expected: RequestMatch = {}): void {
  const { isMet, message } = compareReceived(received, expected, { where: "assertReceived", isNot: false });
  if (!isMet) throw new AssertionError({ message: message(), operator, stackStartFn: assertReceived });
}

/**
 * Passes when a sweep found no more than is allowed, such as `{ twice: 0, silent: 0, hangs: 0 }`; what is left out is not looked at.
 *
 * @param allowed - most findings of each sort. @defaultValue none of any
 * @throws {AssertionError} that holds the report. @throws {TypeError} when a member of `allowed` is none.
 */
export function assertSurvives(report: SweepReport, allowed?: Survival): void {
  const { isMet, message } = compareSurvival(report, allowed, "assertSurvives");
  if (!isMet) throw new AssertionError({ message: message(), operator, stackStartFn: assertSurvives });
}

/** As of `assert.fail`: jest prints two values that are compared beside any other. */
const operator = "fail";

/** Runners other than node:test make their hooks global. */
function findHooks(): KnownHooks {
  // Mocha says `after`.
  const runner = globalThis as Partial<TestHooks> & { after?: TestHooks["afterAll"] }; // why: which runner this is, is known only now
  const { beforeEach, afterEach, afterAll = runner.after } = runner;
  if (beforeEach === undefined || afterEach === undefined) return nodeHooks();
  return knowHooks({ beforeEach, afterEach, ...(afterAll && { afterAll }) }, () => oneAtATime);
}

/** Hooks without parameters: a runner would wait for a callback, or give what is asked for by name. */
function knowHooks({ beforeEach, afterEach, afterAll }: TestHooks, whichTest: () => unknown): KnownHooks {
  return {
    beforeEach: (hook) =>
      beforeEach(function (this: unknown) {
        return hook({
          skip: failInstead,
          test: whichTest(),
          name: isMochaHook(this) ? this.currentTest.fullTitle?.() : nameInJest(),
        });
      }),
    afterEach: (hook) =>
      afterEach(async function (this: unknown) {
        if (!isMochaHook(this)) return hook(false);
        const { currentTest, test } = this;
        try {
          await hook(currentTest.state === "failed" || currentTest.pending);
        } catch (error) {
          // Thrown, it would end the whole block; so it fails the one test.
          test.error(error);
        }
      }),
    afterAll,
  };
}

/** Stands for the test that runs, in runners that have one. */
const oneAtATime = {};

/** For runners in which a test cannot be skipped once it runs. */
function failInstead(reason: string): never {
  throw new Error(`This test ${reason}: leave it out where LANDING_PAGES_TEST_TARGET is real.`);
}

/** What `this` is in a hook of mocha. */
interface MochaHook {
  readonly currentTest: { readonly state?: string; readonly pending: boolean; readonly fullTitle?: () => string };
  readonly test: { readonly error: (error: unknown) => void };
}

function isMochaHook(given: unknown): given is MochaHook {
  return typeof given === "object" && given !== null && "currentTest" in given && "test" in given;
}

/** The name of the test that runs, as jest's global `expect` tells it. */
function nameInJest(): string | undefined {
  // why: which runner this is, is known only now
  const { expect } = globalThis as { expect?: { getState?: () => { currentTestName?: string } } };
  return expect?.getState?.().currentTestName;
}

/** node:test runs hooks around subtests too, which are part of the test that has the account. */
function nodeHooks(): KnownHooks {
  // Not imported: other runners need none of it.
  const { after, beforeEach, afterEach } = process.getBuiltinModule("node:test");
  let owner: string | undefined;
  let watched: WatchedTest | undefined;
  return {
    beforeEach: (hook) =>
      beforeEach((context) => {
        const name = nameOf(context);
        if (owner !== undefined && name.startsWith(`${owner} > `)) return;
        owner = name;
        const { skip } = (watched = watchSkip(context));
        return hook({
          test: name,
          name,
          skip: (reason) => {
            skip(reason);
            throw new Error(reason);
          },
        });
      }),
    afterEach: (hook) =>
      afterEach((context) => {
        if (nameOf(context) !== owner) return;
        owner = undefined;
        return hook(("error" in context && context.error !== null) || watched?.wasCalled() === true);
      }),
    afterAll: (hook) => after(hook),
  };
}

interface WatchedTest {
  readonly skip: (reason: string) => void;
  /** Whether it was called. */
  readonly wasCalled: () => boolean;
}

/** Nothing tells afterwards whether a test has skipped itself, or is one to do. */
function watchSkip(context: object): WatchedTest {
  let isCalled = false;
  const watched = ["skip", "todo"].map((name) => {
    const given: unknown = Reflect.get(context, name);
    const call = (reason?: string): void => {
      isCalled = true;
      if (typeof given === "function") Reflect.apply(given, context, [reason]);
    };
    Object.defineProperty(context, name, { value: call, configurable: true, writable: true });
    return call;
  });
  return { skip: (reason) => watched[0]?.(reason), wasCalled: () => isCalled };
}

function nameOf(context: object): string {
  return "fullName" in context ? String(context.fullName) : "";
}
