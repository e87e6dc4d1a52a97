// Runs commands in the process of the test.
import { vi } from "vitest";
import { run } from "../src/cli/run.ts";

/** Runs a command to its end. Returns its exit code and what it printed. */
export async function runCommand(words: readonly string[], environment: Record<string, string> = {}) {
  let [output, errors] = ["", ""];
  const print = (text: unknown): boolean => {
    output += String(text);
    return true;
  };
  const complain = (text: unknown): boolean => {
    errors += String(text);
    return true;
  };
  const stdout = vi.spyOn(process.stdout, "write").mockImplementation(print);
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation(complain);
  const packageFile = new URL("../package.json", import.meta.url);
  const code = await run({ words, environment, packageFile, print, complain });
  const ended = { code: code ?? process.exitCode, output, errors };
  process.exitCode = undefined;
  stdout.mockRestore();
  stderr.mockRestore();
  return ended;
}
