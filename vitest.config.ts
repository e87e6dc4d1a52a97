import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const projects = ["packages/contract", "packages/sdk", "packages/mock-server", "examples"];

/** For what hangs, not for what is slow: a busy machine is no reason for a red test. */
export const bounds = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
};

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: projects.map((root) => ({
      test: {
        name: root.replace("packages/", ""),
        root,
        include: ["test/**/*.test.ts"],
        ...bounds,
        // Programs that tests start need not be compiled each time anew.
        env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/compiled` },
        setupFiles: [`${import.meta.dirname}/.ci/properties.ts`],
      },
    })),
  },
});
