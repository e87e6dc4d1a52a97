// Runs programs one after the other in this one process, which loads the packages once: `fork("run-programs.ts", [path, apiKey, …])`.
// Sends the parent a `ProgramResult` for each. A program ends when it waits for nothing any more.
import { inspect } from "node:util";

/** How a program ended. */
export interface ProgramResult {
  /** File of the program, absolute. */
  path: string;
  /** Exit code that it would have had in a process of its own. */
  code: number | string;
  /** Its output, from stdout and stderr. */
  output: string;
}

const left = process.argv.slice(2);
let current: { path: string; isLoaded: boolean; output: string } | undefined;

for (const stream of [process.stdout, process.stderr]) {
  stream.write = (text) => {
    if (current !== undefined) current.output += String(text);
    return true;
  };
}
process.on("beforeExit", () => {
  if (current !== undefined) report(current);
  void runNext();
});
process.on("uncaughtException", (error) => {
  console.error(inspect(error));
  process.exitCode = 1;
});

function report({ path, isLoaded, output }: NonNullable<typeof current>): void {
  const code = process.exitCode ?? (isLoaded ? 0 : 13); // Node's code for a program that awaits a promise that never settles
  process.send?.({ path, code, output } satisfies ProgramResult);
  process.exitCode = undefined;
  process.removeAllListeners("SIGTERM");
}

async function runNext(): Promise<void> {
  const [path, apiKey] = left.splice(0, 2);
  current = undefined;
  if (path === undefined) return;
  const program = { path, isLoaded: false, output: "" };
  current = program;
  setImmediate(() => undefined); // so that `beforeExit` comes again, even if the program waits for nothing
  process.env["LANDING_PAGES_API_KEY"] = apiKey;
  try {
    await import(path);
  } finally {
    program.isLoaded = true;
  }
}
