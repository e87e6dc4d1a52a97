// The tests that need a browser. `pnpm test` does not run them.
import { defineConfig } from "vitest/config";
import { bounds } from "../vitest.config.ts";

export default defineConfig({
  test: {
    root: import.meta.dirname + "/..",
    include: ["docs/test/*.browser.ts", "packages/mock-server/test/**/*.browser.ts"],
    ...bounds,
  },
});
