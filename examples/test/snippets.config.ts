import { defineConfig } from "vitest/config";

// The guides' own vitest files, as a reader would run them.
export default defineConfig({ test: { dir: ".docs", include: ["*.test.ts"] } });
