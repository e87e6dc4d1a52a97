import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, type TestAPI, test as plainTest } from "vitest";
import type { AccountHandle } from "./service/account-handle.ts";
import type { Fetch } from "./service/fetch.ts";
import { createMockService, type MockService, type MockServiceOptions } from "./service/service.ts";
import type { RequestMatch } from "./testing/match.ts";
import { compareReceived, type Received } from "./testing/received.ts";

export type { RequestMatch } from "./testing/match.ts";
export type { Received } from "./testing/received.ts";

/** An account that one test has for itself. */
export interface TestAccount extends AccountHandle {
  /** Its API key, new for every test. */
  readonly apiKey: string;
  /** What a client needs to work in this account, without a socket: pass it to `new LandingPages(…)`. */
  readonly clientOptions: {
    /** Its API key. */
    readonly apiKey: string;
    /** Where the service seems to live. */
    readonly baseUrl: string;
    /** The service. */
    readonly fetch: Fetch;
  };
  /** The service that the account lives in, shared with the other tests of the file. */
  readonly service: MockService;
}

/** What a test can ask for by name. */
export interface MockFixtures {
  /** How the file's service is set up; change it with `test.override({ mockOptions: { … } })`. @defaultValue `{}` */
  mockOptions: MockServiceOptions;
  /** The service of the file. */
  mockService: MockService;
  /** An empty account that no other test has. */
  mock: TestAccount;
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
export const test: TestAPI<MockFixtures> = plainTest.extend<MockFixtures>({
  mockOptions: [{}, { scope: "file" }],
  mockService: [({ mockOptions }, use) => use(createMockService(mockOptions)), { scope: "file" }],
  mock: async ({ mockService }, use) => {
    const account = openTestAccount(mockService);
    await use(account);
    account.reset();
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
export function useMockService(options: MockServiceOptions = {}): () => TestAccount {
  const service = createMockService(options);
  let account: TestAccount | undefined;
  beforeEach(() => {
    if (account !== undefined) {
      throw new Error(
        'Tests that run at the same time cannot share useMockService(): use `test` from "@landing-page-service/mock-server/vitest".',
      );
    }
    account = openTestAccount(service);
  });
  afterEach(() => {
    account?.reset();
    account = undefined;
  });
  return () => {
    if (account === undefined) throw new Error("useMockService() has an account only while a test runs.");
    return account;
  };
}

function openTestAccount(service: MockService): TestAccount {
  const apiKey = `test_${randomUUID()}`;
  const clientOptions = { apiKey, baseUrl: service.baseUrl, fetch: service.fetch };
  // A handle reads anew at each access, which copying its members would end.
  return Object.assign(Object.create(service.account(apiKey)) as AccountHandle, { apiKey, clientOptions, service }); // why: Object.create is untyped
}

expect.extend({
  toHaveReceived(received: Received, expected: RequestMatch = {}) {
    const { isMet, message } = compareReceived(received, expected, this.isNot);
    return { pass: this.isNot ? !isMet : isMet, message };
  },
});

declare module "vitest" {
  // why: an augmentation has to repeat the parameters of the interface it adds to.
  // oxlint-disable-next-line no-unused-vars
  interface Matchers<R, T> {
    /**
     * Passes when the mock service or account got a request that fits: at least one, or exactly `times`.
     * Accepts asymmetric matchers such as `expect.any(String)` anywhere in `body` and `query`.
     */
    toHaveReceived(expected?: RequestMatch): R;
  }
}
