import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";

/** A program that runs, or has run. */
export interface Program {
  /** The process. */
  child: ChildProcess;
  /** What it has printed so far, errors included. */
  output(): string;
  /** Resolves to its exit code once it is over. */
  ended: Promise<number | null>;
  /** Resolves once it has printed a text; rejects when it ends before. */
  printed(text: string): Promise<void>;
}

/** Starts a command in the folder of examples, the way a reader would. */
export function start(command: string, args: readonly string[], env: Record<string, string | undefined> = {}): Program {
  const examples = join(import.meta.dirname, "..");
  // Node itself before the package manager's wrapper of it, which keeps signals to itself.
  const path = [join(examples, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const child = spawn(command, args, {
    cwd: examples,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", NODE_OPTIONS: undefined, PATH: path, ...env },
  });
  let text = "";
  const collect = (chunk: Buffer): void => {
    text += chunk.toString();
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const printed = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (text.includes(wanted)) resolve();
      };
      child.stdout.on("data", look);
      child.stderr.on("data", look);
      child.on("close", () => reject(new Error(`ended without printing ${JSON.stringify(wanted)}:\n${text}`)));
      look();
    });
  return { child, output: () => text, ended, printed };
}

/** Runs one of the examples to its end. */
export async function runExample(
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<{ code: number | null; output: string }> {
  const program = start(process.execPath, args, env);
  return { code: await program.ended, output: program.output() };
}
