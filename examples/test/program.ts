import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type { TestContext } from "vitest";
import type { ProgramResult, ProgramRun } from "./run-programs.ts";

const examples = join(import.meta.dirname, "..");

/** A program that was started. */
export interface Program {
  /** The process. */
  child: ChildProcess;
  /** Its output so far, from stdout and stderr. */
  output(): string;
  /** Resolves to its exit code when it ends. */
  ended: Promise<number | null>;
  /** Resolves when it has printed a string. Rejects if it ends before that. */
  printed(text: string): Promise<void>;
}

/** Starts a command in the folder of examples, as a reader would. */
export function start(command: string, args: readonly string[], env: Record<string, string | undefined> = {}): Program {
  // Node itself comes before the package manager's wrapper, which does not pass signals on.
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

/** Runs one of the examples until it ends. */
export async function runExample(
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<{ code: number | null; output: string }> {
  const program = start(process.execPath, args, env);
  return { code: await program.ended, output: program.output() };
}

/** Starts a process that runs programs in TypeScript, one after the other. */
export function startRunner() {
  const env = { ...process.env, NO_COLOR: "1", NODE_OPTIONS: undefined };
  const child = fork(join(import.meta.dirname, "run-programs.ts"), { cwd: examples, env });
  const ended = once(child, "exit").then(([code]) => `the process ended with ${code}`);
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Runs a program once those before it have ended. */
    run(file: string, args: readonly string[], env: ProgramRun["env"]): Promise<ProgramResult> {
      const program: ProgramRun = { path: resolve(examples, file), args, env };
      const result = last.then(async () => {
        const response = once(child, "message").then(([result]) => result as ProgramResult); // why: run-programs.ts sends no other
        if (child.connected) child.send(program);
        return Promise.race([response, ended.then((code) => ({ path: program.path, code, output: "" }))]);
      });
      last = result;
      return result;
    },
    stop: () => child.disconnect(),
  };
}

/** Creates a folder that is deleted when the test has finished. */
export async function createFolder({ onTestFinished }: Pick<TestContext, "onTestFinished">): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "landing-pages-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Finds a port that is free. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // why: a server that listens on TCP has one
  server.close();
  await once(server, "close");
  return port;
}
