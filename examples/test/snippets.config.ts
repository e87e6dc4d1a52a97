import { defineConfig } from "vitest/config";

// The guides' own vitest files, in one worker that loads the packages once.
export default defineConfig({ test: { dir: ".docs", include: ["*.test.ts"], isolate: false, maxWorkers: 1 } });
