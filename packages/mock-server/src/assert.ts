/**
 * A mock service for each test, and assertions, for node:test, jest and mocha.
 *
 * @module
 */
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
 * time must make their own services with `createMockService()`. If several files run in one process, the call in a test file applies
 * to its own tests. If several calls apply to one test, each has its own mock. Then a client that takes its key from the environment gets
 * a 421, unless exactly one of the calls is in the file of the test.
 *
 * @param hooks - the hooks of the runner, if they are not global. @defaultValue the global ones, or else those of node:test
 * @returns a function that gives the account of the running test. @throws {Error} outside of a test.
 * @example
 * const mock = useMockService({ plan: "free" });
 * test("publishes", async () => {
 *   await publish(new LandingPages(mock().clientOptions));
 *   assertReceived(mock(), { endpoint: "createPage", times: 1 });
 * });
 */
export function useMockService(options: FixtureOptions = {}, hooks?: TestHooks): () => TestAccount {
  const hint =
    ". If the runner calls hooks in order of definition, put an afterEach that uses the account above it. If beforeEach and afterEach are not global, pass them: useMockService({}, { beforeEach, afterEach })";
  return giveAccounts(options, hooks === undefined ? findHooks() : adaptHooks(hooks), hint);
}

/**
 * Passes when the mock service or account received a request that matches: at least one, or exactly `times`, which may be 0.
 * In `body`, `query` and `headers`, asymmetric matchers, such as jest's `expect.any(String)`, are supported.
 *
 * @throws {AssertionError} that lists the received requests. @throws {TypeError} when the match is not valid.
 */
export function assertReceived(received: Received, expected: RequestMatch = {}): void {
  const { isMet, message } = compareReceived(received, expected, { where: "assertReceived", isNot: false });
  if (!isMet) throw new AssertionError({ message: message(), operator, stackStartFn: assertReceived });
}

/**
 * Passes when a sweep has no more findings than allowed, such as `{ twice: 0, silent: 0, hangs: 0 }`. Kinds that are left out are not checked.
 *
 * @param allowed - how many findings of each kind are allowed. @defaultValue none of any kind
 * @throws {AssertionError} that contains the report. @throws {TypeError} when `allowed` has an unknown field.
 */
export function assertSurvives(report: SweepReport, allowed?: Survival): void {
  const { isMet, message } = compareSurvival(report, allowed, "assertSurvives");
  if (!isMet) throw new AssertionError({ message: message(), operator, stackStartFn: assertSurvives });
}

/** The operator of `assert.fail`, because jest compares two values for any other operator. */
const operator = "fail";

/** Finds the hooks of the runner. They are global except for node:test. Mocha calls the last one `after`. */
function findHooks(): RunnerHooks {
  const runner = globalThis as Partial<TestHooks> & { after?: TestHooks["afterAll"] }; // why: the runner is known at run time only
  const { beforeEach, afterEach, afterAll = runner.after } = runner;
  if (beforeEach === undefined || afterEach === undefined) return nodeHooks();
  return adaptHooks({ beforeEach, afterEach, afterAll });
}

/** `this` in a hook of mocha. */
interface MochaHook {
  readonly currentTest: { readonly state?: string; readonly pending: boolean; readonly file?: string };
  readonly test: { readonly error: (error: unknown) => void };
}

/** Adapts the hooks of a runner. The functions it registers have no parameters, because a runner would pass a callback or a fixture as a parameter. */
function adaptHooks({ beforeEach, afterEach, afterAll }: TestHooks): RunnerHooks {
  return {
    beforeEach: (hook) =>
      beforeEach(function (this: MochaHook | undefined) {
        hook({}, this?.currentTest?.file);
      }),
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

/** Adapts the hooks of node:test. They also run around subtests, which share the mock of their test. */
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
        hook({}, "filePath" in context ? context.filePath : undefined);
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
