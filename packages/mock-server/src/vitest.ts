import { afterAll, afterEach, beforeEach, expect, type RunnerTask, type TestAPI, test as plainTest } from "vitest";
import { createFixture, type Fixture, type FixtureOptions, giveAccounts, enterTest } from "./service/fixture.ts";
import type { TestAccount } from "./service/test-account.ts";
import type { MockService } from "./service/mock-service.ts";
import type { RequestMatch } from "./testing/match.ts";
import { compareReceived, type Received } from "./testing/received.ts";
import type { SweepReport } from "./sweep/report.ts";
import { compareSurvival, type Survival } from "./sweep/survive.ts";

export type { FixtureOptions, SafetyNet } from "./service/fixture.ts";
export type { TestAccount } from "./service/test-account.ts";
export type { RequestMatch } from "./testing/match.ts";
export type { Received } from "./testing/received.ts";
export type { SweepReport } from "./sweep/report.ts";
export type { Survival } from "./sweep/survive.ts";

/** What a test can ask for by name. */
export interface MockFixtures {
  /** How the service is set up; a file or a `describe` changes it with `test.override({ mockOptions: { … } })`. @defaultValue `{}` */
  mockOptions: FixtureOptions;
  /** The service of the file, or of the `describe` that changes `mockOptions`. */
  mockService: MockService;
  /** An empty account that no other test has. */
  mock: TestAccount;
}

/** What the tests of one file share. */
interface FileFixtures {
  /** The service that is set up with these options, and its safety net, made when it is first asked for. */
  fixtureOf: (options: FixtureOptions) => Fixture;
}

/**
 * Vitest's `test`, with an empty account of one shared service for each test that asks for `mock`; such tests may run at
 * the same time and never meet.
 *
 * @example
 * test("publishes", async ({ mock }) => {
 *   await publish(new LandingPages(mock.clientOptions));
 *   expect(mock).toHaveReceived({ endpoint: "createPage", times: 1 });
 * });
 */
export const test: TestAPI<MockFixtures> = plainTest.extend<MockFixtures & FileFixtures>({
  // why: vitest reads from the pattern which other fixtures are asked for.
  // oxlint-disable-next-line no-empty-pattern
  fixtureOf: [({}, use) => use(rememberFixtures()), { scope: "file" }],
  mockOptions: {},
  mockService: ({ fixtureOf, mockOptions, skip, task, onTestFinished }, use) => {
    const { service, real, share } = fixtureOf(mockOptions);
    if (real !== undefined) return skip("needs the mock");
    const unshare = share(task);
    onTestFinished(() => void unshare(), 0);
    return use(service);
  },
  mock: ({ fixtureOf, mockOptions, skip, task, onTestFinished }, use) => {
    const { account, close } = enterTest(fixtureOf(mockOptions), { skip, test: task, name: task.fullTestName });
    // What is thrown after `use` vitest 4 throws again at each retry; 0 is no time limit.
    onTestFinished(() => close(hasFailed(task)), 0);
    return use(account);
  },
});

/**
 * The same for tests that use vitest's own `test` one after the other: makes a service for the file or `describe` in which
 * it is called, and an empty account before each test. Tests that run at the same time need {@link test}.
 *
 * @returns the account of the test that runs, read anew at each access. @throws {Error} outside of a test.
 * @example
 * const mock = useMockService({ plan: "free" });
 * test("publishes", async () => publish(new LandingPages(mock().clientOptions)));
 */
export function useMockService(options: FixtureOptions = {}): () => TestAccount {
  return giveAccounts(
    options,
    {
      beforeEach: (hook) => beforeEach(({ skip, task }) => hook({ skip, test: task, name: task.fullTestName })),
      afterEach: (hook) => afterEach(({ task }) => hook(hasFailed(task))),
      afterAll,
    },
    { atOnce: 'use `test` from "@landing-page-service/mock-server/vitest"', outside: "" },
  );
}

function hasFailed({ result }: RunnerTask): boolean {
  return result?.state === "fail";
}

/** Makes one service for each set of options, told apart by identity, as a describe's are. */
function rememberFixtures(): FileFixtures["fixtureOf"] {
  const fixtures = new Map<FixtureOptions, Fixture>();
  return (options) => {
    const known = fixtures.get(options);
    if (known !== undefined) return known;
    const fixture = createFixture(options);
    fixtures.set(options, fixture);
    return fixture;
  };
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

// Vitest 4 and 5 have different parameters on their own interfaces of matchers; both take what chai's has.
declare global {
  namespace Chai {
    interface Assertion {
      /**
       * Passes when the mock service or account got a request that fits: at least one, or exactly `times`.
       * Takes asymmetric matchers such as `expect.any(String)` anywhere in `body`, `query` and `headers`.
       */
      toHaveReceived(expected?: RequestMatch): void;
      /**
       * Passes when a sweep found no more than is allowed: `expect(await sweep(flow)).toSurvive({ twice: 0, silent: 0, hangs: 0 })`.
       * What is left out is not looked at; without an argument nothing at all is allowed.
       */
      toSurvive(allowed?: Survival): void;
    }
  }
}
