// The tests that drive a real browser; `pnpm test` does without.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname + "/..",
    include: ["docs/test/*.browser.ts", "packages/mock-server/test/**/*.browser.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
