import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const projects = ["packages/contract", "packages/sdk", "packages/mock-server", "examples"];

/** A hang is seen in 20 s. CI waits longer, as its machines may be busy, and so does a run that asks for many cases of each property. */
const { CI, PROPERTY_RUNS } = process.env;
const boundMs = PROPERTY_RUNS === undefined ? (CI === undefined ? 20_000 : 120_000) : 3_600_000;
const boundedBy = (ms: number) => ({ testTimeout: ms, hookTimeout: ms, expect: { poll: { timeout: ms } } });
export const bounds = boundedBy(boundMs);

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: projects.map((root) => ({
      test: {
        name: root.replace("packages/", ""),
        root,
        include: ["test/**/*.test.ts"],
        // Programs wait for real rate limits.
        ...(root === "examples" ? boundedBy(3 * boundMs) : bounds),
        // A thread starts sooner than a process. Tests of commands and programs use what belongs to a whole process.
        pool: root === "packages/contract" || root === "packages/sdk" ? "threads" : "forks",
        // Test files of a package share its modules, which keep no state between tests. That saves loading them for each file.
        isolate: root === "examples",
        // Node loads the files itself, as it loads them for users, and they run faster than what Vite makes of them.
        experimental: { viteModuleRunner: false, nodeLoader: false },
        // Programs that tests start need not be compiled each time anew.
        env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/compiled` },
        setupFiles: [`${import.meta.dirname}/.ci/properties.ts`],
      },
    })),
  },
});
