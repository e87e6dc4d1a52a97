import { randomUUID } from "node:crypto";
import type { AccountHandle } from "./account-handle.ts";
import type { MockService } from "./service.ts";

/** An account that one test has for itself. */
export interface TestAccount extends AccountHandle {
  /** Its API key, new for every test. */
  readonly apiKey: string;
  /** The service that the account lives in, shared with the other tests of the file. */
  readonly service: MockService;
}

/** What a test runner calls around each test. A hook takes no arguments it asks for, so that no runner waits for a callback. */
export interface TestHooks {
  /** Registers what is done before each test of the file or block in which it is called. */
  readonly beforeEach: (hook: () => void) => unknown;
  /** Registers what is done after each test. */
  readonly afterEach: (hook: () => void) => unknown;
}

/** Opens an empty account that nobody else has. */
export function openTestAccount(service: MockService): TestAccount {
  const apiKey = `test_${randomUUID()}`;
  // A handle reads anew at each access, which copying its members would end.
  return Object.assign(Object.create(service.account(apiKey)) as AccountHandle, { apiKey, service }); // why: Object.create is untyped
}

/** What the author of a test is told who cannot have an account. */
export interface FixtureAdvice {
  /** What there is for tests that run at the same time. */
  readonly atOnce: string;
  /** What else may be wrong where no test seems to run. */
  readonly outside: string;
}

/** Gives each test an account, one test after the other. */
export function giveAccounts(service: MockService, hooks: TestHooks, advice: FixtureAdvice): () => TestAccount {
  let account: TestAccount | undefined;
  hooks.beforeEach(() => {
    if (account !== undefined)
      throw new Error(`Tests that run at the same time cannot share useMockService(): ${advice.atOnce}.`);
    account = openTestAccount(service);
  });
  hooks.afterEach(() => {
    account?.reset();
    account = undefined;
  });
  return () => {
    if (account === undefined)
      throw new Error(`useMockService() has an account only while a test runs${advice.outside}.`);
    return account;
  };
}
