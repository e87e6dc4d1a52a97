import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const projects = ["packages/contract", "packages/sdk", "packages/mock-server", "examples"];

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: projects.map((root) => ({
      test: {
        name: root.replace("packages/", ""),
        root,
        include: ["test/**/*.test.ts"],
        setupFiles: [`${import.meta.dirname}/.ci/properties.ts`],
      },
    })),
  },
});
