/**
 * A mock service for each test, and matchers, for vitest.
 *
 * @module
 */
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeEach, expect, type RunnerTask, type TestAPI, test as plainTest } from "vitest";
import {
  checkVitestVersion,
  createFixture,
  enterTest,
  type FixtureOptions,
  giveAccounts,
  type TestAccount,
} from "./service/fixture.ts";
import type { MockService } from "./service/mock-service.ts";
import type { RequestMatch } from "./testing/match.ts";
import { compareReceived, type Received } from "./testing/received.ts";
import { compareSurvival, type Survival, type SweepReport } from "./sweep/report.ts";

export type { FixtureOptions, SafetyNet, TestAccount } from "./service/fixture.ts";
export type { RequestMatch } from "./testing/match.ts";
export type { Received } from "./testing/received.ts";
export type { Survival, SweepReport } from "./sweep/report.ts";

const { version } = createRequire(import.meta.url)("vitest/package.json") as { version: string }; // why: every package has one
checkVitestVersion(version);

/** Fixtures of the tests. */
export interface MockFixtures {
  /** Options of the service. Change them for a file or a `describe` with `test.override({ mockOptions: { … } })`. @defaultValue `{}` */
  mockOptions: FixtureOptions;
  /** The mock service of the test. */
  mockService: MockService;
  /** An empty account in it. */
  mock: TestAccount;
}

/**
 * Vitest's `test` with a mock service for each test that uses `mock`. Such tests may run concurrently.
 *
 * @example
 * test("publishes", async ({ mock }) => {
 *   await publish(new LandingPages(mock.clientOptions));
 *   expect(mock).toHaveReceived({ endpoint: "createPage", times: 1 });
 * });
 */
export const test: TestAPI<MockFixtures> = plainTest.extend<MockFixtures>({
  mockOptions: {},
  mockService: ({ mock }, use) => use(mock.service),
  mock: ({ mockOptions, task, onTestFinished }, use) => {
    const { account, close } = enterTest(createFixture(mockOptions), task);
    // Closes the mock here and not after `use`, because Vitest 4 reports an error after `use` again on every retry. A timeout of 0 means
    // no limit.
    onTestFinished(() => close(isCutShort(task)), 0);
    return use(account);
  },
});

/**
 * Makes a mock service before each test of the file or `describe` in which it is called, for vitest's own `test`. Tests must run one
 * after the other; concurrent tests need {@link test}.
 *
 * @returns a function that gives the account of the running test. @throws {Error} outside of a test.
 * @example
 * const mock = useMockService({ plan: "free" });
 * test("publishes", async () => publish(new LandingPages(mock().clientOptions)));
 */
export function useMockService(options: FixtureOptions = {}): () => TestAccount {
  return giveAccounts(options, {
    beforeEach: (hook) => beforeEach(({ task }) => hook(task)),
    afterEach: (hook) => afterEach(({ task }) => hook(isCutShort(task))),
    afterAll,
  });
}

/** Whether the test failed or skipped itself midway. */
function isCutShort({ result }: RunnerTask): boolean {
  return result?.state === "fail" || result?.state === "skip";
}

expect.extend({
  toHaveReceived(received: Received, expected: RequestMatch = {}) {
    const { isMet, message } = compareReceived(received, expected, {
      where: this.isNot ? "not.toHaveReceived" : "toHaveReceived",
      isNot: this.isNot,
    });
    return { pass: this.isNot ? !isMet : isMet, message };
  },
  toSurvive(report: SweepReport, allowed?: Survival) {
    const { isMet, message } = compareSurvival(report, allowed, this.isNot ? "not.toSurvive" : "toSurvive");
    return { pass: isMet, message };
  },
});

// The interfaces of matchers of vitest 4 and 5 have different type parameters, and both extend that of chai.
declare global {
  namespace Chai {
    interface Assertion {
      /**
       * Passes when the mock service or account received a request that matches: at least one, or exactly `times`.
       * Accepts asymmetric matchers such as `expect.any(String)` anywhere in `body`, `query` and `headers`.
       */
      toHaveReceived(expected?: RequestMatch): void;
      /**
       * Passes when a sweep has no more findings than allowed: `expect(await sweep(flow)).toSurvive({ twice: 0, silent: 0, hangs: 0 })`.
       * A kind that is left out is not checked. Without an argument, no finding is allowed.
       */
      toSurvive(allowed?: Survival): void;
    }
  }
}
