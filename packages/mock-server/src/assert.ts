import { AssertionError } from "node:assert";
import {
  type FixtureOptions,
  giveAccounts,
  type RunnerHooks,
  type TestAccount,
  type TestHooks,
} from "./service/fixture.ts";
import type { RequestMatch } from "./testing/match.ts";
import { compareReceived, type Received } from "./testing/received.ts";
import { compareSurvival, type Survival, type SweepReport } from "./sweep/report.ts";

export type { FixtureOptions, SafetyNet, TestAccount, TestHooks } from "./service/fixture.ts";
export type { RequestMatch } from "./testing/match.ts";
export type { Received } from "./testing/received.ts";
export type { Survival, SweepReport } from "./sweep/report.ts";

/**
 * Makes a mock service before each test of the file or `describe` in which it is called: for node:test, jest, mocha and other
 * runners with `beforeEach` and `afterEach`. Subtests of node:test share the mock of their test. Tests that run at the same
 * time make a service each, with `createMockService()`. Where several calls apply to one test, as with several files in one
 * process, each has a mock of its own, and a client that takes its key from the environment gets a 421.
 *
 * @param hooks - of a runner that does not make them global. @defaultValue the global ones, else those of node:test
 * @returns a function that gives the account of the test that runs. @throws {Error} outside of a test.
 * @example
 * const mock = useMockService({ plan: "free" });
 * test("publishes", async () => {
 *   await publish(new LandingPages(mock().clientOptions));
 *   assertReceived(mock(), { endpoint: "createPage", times: 1 });
 * });
 */
export function useMockService(options: FixtureOptions = {}, hooks?: TestHooks): () => TestAccount {
  const hint =
    ", and an afterEach that uses it above it, where hooks run as they are written; where beforeEach and afterEach are not global, pass them: useMockService({}, { beforeEach, afterEach })";
  return giveAccounts(options, hooks === undefined ? findHooks() : adaptHooks(hooks), hint);
}

/**
 * Passes when the mock service or account got a request that fits: at least one, or exactly `times`, which may be 0.
 * Whatever has an `asymmetricMatch` function, such as jest's `expect.any(String)`, decides for itself in `body`, `query` and `headers`.
 *
 * @throws {AssertionError} that lists the received requests. @throws {TypeError} when the match is not valid.
 */
export function assertReceived(received: Received, expected: RequestMatch = {}): void {
  const { isMet, message } = compareReceived(received, expected, { where: "assertReceived", isNot: false });
  if (!isMet) throw new AssertionError({ message: message(), operator, stackStartFn: assertReceived });
}

/**
 * Passes when a sweep found no more than is allowed, such as `{ twice: 0, silent: 0, hangs: 0 }`; kinds that are left out do not count.
 *
 * @param allowed - most findings of each sort. @defaultValue none of any
 * @throws {AssertionError} that contains the report. @throws {TypeError} when `allowed` has an unknown field.
 */
export function assertSurvives(report: SweepReport, allowed?: Survival): void {
  const { isMet, message } = compareSurvival(report, allowed, "assertSurvives");
  if (!isMet) throw new AssertionError({ message: message(), operator, stackStartFn: assertSurvives });
}

/** As of `assert.fail`: jest prints two values that are compared beside any other. */
const operator = "fail";

/** Runners other than node:test make their hooks global. Mocha calls the last one `after`. */
function findHooks(): RunnerHooks {
  const runner = globalThis as Partial<TestHooks> & { after?: TestHooks["afterAll"] }; // why: the runner is known at run time only
  const { beforeEach, afterEach, afterAll = runner.after } = runner;
  if (beforeEach === undefined || afterEach === undefined) return nodeHooks();
  return adaptHooks({ beforeEach, afterEach, ...(afterAll && { afterAll }) });
}

/** `this` in a hook of mocha. */
interface MochaHook {
  readonly currentTest: { readonly state?: string; readonly pending: boolean };
  readonly test: { readonly error: (error: unknown) => void };
}

/** Passes hooks without parameters: a runner takes a parameter for a callback or for the name of a fixture. */
function adaptHooks({ beforeEach, afterEach, afterAll }: TestHooks): RunnerHooks {
  return {
    beforeEach: (hook) => beforeEach(() => hook({})),
    afterEach: (hook) =>
      afterEach(function (this: MochaHook | undefined) {
        const { currentTest, test } = this ?? {};
        try {
          hook(currentTest?.state === "failed" || currentTest?.pending === true);
        } catch (error) {
          if (test === undefined) throw error;
          // Mocha skips the rest of the block after an error in a hook, so this fails the one test.
          test.error(error);
        }
      }),
    afterAll,
  };
}

/** Node:test runs hooks around subtests too. A subtest shares the mock of its test. */
function nodeHooks(): RunnerHooks {
  // Not imported, because other runners do not need it.
  const { after, beforeEach, afterEach } = process.getBuiltinModule("node:test");
  let owner: string | undefined;
  let isSkipped = false;
  return {
    beforeEach: (hook) =>
      beforeEach((context) => {
        const name = nameOf(context);
        if (owner !== undefined && name.startsWith(`${owner} > `)) return;
        owner = name;
        isSkipped = false;
        // The context does not say whether its test called `skip`.
        if ("skip" in context) {
          const skip = context.skip.bind(context);
          context.skip = (message) => {
            isSkipped = true;
            skip(message);
          };
        }
        hook({});
      }),
    afterEach: (hook) =>
      afterEach((context) => {
        if (nameOf(context) !== owner) return;
        owner = undefined;
        hook(isSkipped || ("error" in context && context.error !== null));
      }),
    afterAll: after,
  };
}

function nameOf(context: object): string {
  return "fullName" in context ? String(context.fullName) : "";
}
