// Runs programs one after the other in this one process, which loads the packages once. The parent sends a `ProgramRun` for each,
// and gets its `ProgramResult`. A program ends when it waits for nothing any more.
import { inspect } from "node:util";

/** A program to run. */
export interface ProgramRun {
  /** File of the program, absolute. */
  path: string;
  /** Arguments on its command line. */
  args: readonly string[];
  /** Environment variables that differ from those of the process. */
  env: Readonly<Record<string, string>>;
}

/** How a program ended. */
export interface ProgramResult {
  /** File of the program, absolute. */
  path: string;
  /** Exit code that it would have had in a process of its own. */
  code: number | string;
  /** Its output, from stdout and stderr. */
  output: string;
}

let runs = 0;
let current: { path: string; isLoaded: boolean; output: string } | undefined;

for (const stream of [process.stdout, process.stderr]) {
  stream.write = (text) => {
    if (current !== undefined) current.output += String(text);
    return true;
  };
}
process.on("message", (next: ProgramRun) => void run(next));
process.on("beforeExit", () => {
  if (current !== undefined) report(current);
});
process.on("uncaughtException", (error) => {
  console.error(inspect(error));
  process.exitCode = 1;
});

function report({ path, isLoaded, output }: NonNullable<typeof current>): void {
  const code = process.exitCode ?? (isLoaded ? 0 : 13); // Node's code for a program that awaits a promise that never settles
  current = undefined;
  process.exitCode = undefined;
  process.removeAllListeners("SIGTERM");
  process.channel?.ref(); // so that the process waits for the next program
  process.send?.({ path, code, output } satisfies ProgramResult);
}

async function run({ path, args, env }: ProgramRun): Promise<void> {
  const program = { path, isLoaded: false, output: "" };
  current = program;
  process.channel?.unref();
  setImmediate(() => undefined); // so that `beforeExit` comes, even if the program waits for nothing
  process.argv = [process.execPath, path, ...args];
  Object.assign(process.env, env);
  try {
    await import(`${path}?run=${(runs += 1)}`);
  } finally {
    program.isLoaded = true;
  }
}
