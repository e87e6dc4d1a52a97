// Programs in processes of their own, for tests of what belongs to a whole process.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Node 22 before 22.18 runs TypeScript only with these flags. */
export const typeScriptFlags = process.features.typescript ? [] : ["--experimental-strip-types", "--no-warnings"];

/** Creates a folder that is deleted when the test has finished. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "landing-pages-mock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** What each suite for node:test imports. */
const imports = `
import assert from "node:assert/strict";
import test from "node:test";
import { useMockService } from ${JSON.stringify(import.meta.resolve("../src/assert.ts"))};
`;

/** Runs suites for node:test, each in a file of its own, and returns what node prints. */
export function runNodeSuites(flags: readonly string[], suites: readonly string[]) {
  const folder = createFolder();
  const files = suites.map((suite, index) => {
    const file = join(folder, `${index}.test.mjs`);
    writeFileSync(file, imports + suite);
    return file;
  });
  return runNode(...flags, ...files);
}

/** Runs node in a process of its own to its end. */
export function runNode(...words: readonly string[]) {
  return spawnSync(process.execPath, [...typeScriptFlags, ...words], { encoding: "utf8" });
}
