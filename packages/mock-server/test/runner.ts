import { onTestFinished } from "vitest";
import { type FixtureOptions, type TestHooks, useMockService } from "../src/assert.ts";

type Hook = () => void | Promise<void>;

/** Makes a minimal test runner and a mock for its tests. With a `context`, its hooks have a `this`, as mocha's have. */
export function createRunner(options: FixtureOptions = {}, context?: object) {
  const beforeHooks: Hook[] = [];
  const afterHooks: Hook[] = [];
  const endHooks: (() => void)[] = [];
  const hooks: TestHooks = {
    beforeEach: (hook) => beforeHooks.push(hook),
    afterEach: (hook) => afterHooks.push(hook),
    afterAll: (hook) => endHooks.push(hook),
  };
  const runAll = async (some: readonly Hook[]): Promise<void> => {
    for (const hook of some) await hook.call(context);
  };
  /** What runs before and after a test. */
  const [before, after] = [() => runAll(beforeHooks), () => runAll(afterHooks)];
  const end = (): void => {
    for (const hook of endHooks) hook();
  };
  // Other test files of the process must not reach this mock.
  onTestFinished(end);
  return {
    hooks,
    mock: useMockService(options, hooks),
    before,
    after,
    /** Runs one test. */
    runTest: async <Value>(body: () => Value | Promise<Value>): Promise<Value> => {
      await before();
      try {
        return await body();
      } finally {
        await after();
      }
    },
    /** What runs after the last test. */
    end,
  };
}
