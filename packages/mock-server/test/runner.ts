import type { TestHooks } from "../src/assert.ts";

type Hook = () => void | Promise<void>;

/** A minimal test runner. */
export interface Runner {
  readonly hooks: TestHooks;
  /** What runs before a test. */
  readonly before: () => Promise<void>;
  /** What runs after it. */
  readonly after: () => Promise<void>;
  /** Runs one test. */
  readonly runTest: <Value>(body: () => Value | Promise<Value>) => Promise<Value>;
  /** What runs after the last test. */
  readonly end: () => void;
}

/** Makes a runner whose hooks have a `this`, as mocha's have. */
export function createRunner(context?: object): Runner {
  const hooks = { before: [] as Hook[], after: [] as Hook[], end: [] as (() => void)[] };
  const runAll = async (list: readonly Hook[]): Promise<void> => {
    for (const hook of list) await hook.call(context);
  };
  return {
    hooks: {
      beforeEach: (hook) => hooks.before.push(hook),
      afterEach: (hook) => hooks.after.push(hook),
      afterAll: (hook) => hooks.end.push(hook),
    },
    before: () => runAll(hooks.before),
    after: () => runAll(hooks.after),
    async runTest(body) {
      await runAll(hooks.before);
      try {
        return await body();
      } finally {
        await runAll(hooks.after);
      }
    },
    end() {
      for (const hook of hooks.end) hook();
    },
  };
}
