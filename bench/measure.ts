// Starts each contender in a process of its own, sends it tasks, and lets several take turns.
import { deepStrictEqual } from "node:assert/strict";
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** Runs a task once and returns the result. */
export type Task = (input?: unknown) => unknown;

/** The contenders of one file by name. Each is prepared with the argument of its process. */
export type Contenders = Record<string, (argument: string) => Tasks | Promise<Tasks>>;

/** The tasks of a contender. */
export type Tasks = Record<string, Task>;

/** A task for a contender: return the result of one call, or the processor time of many, in microseconds per call. */
export interface Order {
  task: string;
  how: "call" | "cpu";
  input?: unknown;
  inFlight?: number;
  durationMs?: number;
}

export type Reply = { value: unknown } | { error: string };

/** The core for the load and the core for the contender, so that they do not share one if there are two. */
export const cores = { load: 0, subject: 1 } as const;

/** Whether the contender and the load each have a core of their own. */
export const isPinned = process.platform === "linux" && availableParallelism() > 1;

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

/** Runs Node with arguments until it is ended or this process ends. Pins it to a core if one is given and the system can. */
export function runNode(args: readonly string[], core?: number): ChildProcessByStdio<null, Readable, null> {
  const [command = "", ...rest] = [...nodeOn(core), ...args];
  const child = spawn(command, rest, { cwd: import.meta.dirname, env, stdio: ["ignore", "pipe", "ignore"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Ends a process and waits for its exit. */
export async function end(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

const env = { ...process.env, NODE_ENV: "production" };

function nodeOn(core: number | undefined): string[] {
  return isPinned && core !== undefined ? ["taskset", "-c", String(core), process.execPath] : [process.execPath];
}

/** A contender in its own process. */
export class Subject {
  readonly name: string;
  readonly #child: ChildProcess;

  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  /** Starts a contender and waits until it is ready. */
  static async start(
    file: string,
    name: string,
    argument = "",
    core: number = cores.subject,
    flags: string[] = [],
  ): Promise<Subject> {
    const script = join(import.meta.dirname, "contender.ts");
    const [command, ...args] = [...nodeOn(core), ...flags, script, `./${file}`, name, argument];
    const child = spawn(command, args, {
      cwd: import.meta.dirname,
      env,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const subject = new Subject(name, child);
    await subject.#reply();
    return subject;
  }

  /** The result of one call. */
  call(task: string, input?: unknown): Promise<unknown> {
    return this.#ask({ task, how: "call", input });
  }

  /** Processor time per call, in microseconds, over as many calls as fit. */
  cpu(task: string, durationMs: number, inFlight = 1): Promise<number> {
    return this.#ask({ task, how: "cpu", durationMs, inFlight }) as Promise<number>; // why: contender.ts replies with a number
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    // It cleans up and ends, as it also does if this process is killed.
    this.#child.disconnect();
    await once(this.#child, "exit");
  }

  async #ask(order: Order): Promise<unknown> {
    this.#child.send(order);
    return await this.#reply();
  }

  async #reply(): Promise<unknown> {
    const gone = new AbortController();
    const died = once(this.#child, "exit", { signal: gone.signal }).then(() => {
      throw new Error(`${this.name} ended while it was measured`);
    });
    try {
      const [reply] = (await Promise.race([once(this.#child, "message"), died])) as [Reply]; // why: contender.ts sends nothing else
      if ("error" in reply) throw new Error(`${this.name}: ${reply.error}`);
      return reply.value;
    } finally {
      gone.abort();
      died.catch(() => {});
    }
  }
}

/** Starts several contenders of a file, all of them or none. */
export async function startAll(
  file: string,
  names: readonly string[],
  argument = "",
): Promise<AsyncDisposableStack & { subjects: Subject[] }> {
  const stack = new AsyncDisposableStack();
  const subjects: Subject[] = [];
  for (const name of names) subjects.push(stack.use(await Subject.start(file, name, argument)));
  return Object.assign(stack, { subjects });
}

/** The number of rounds. `warmUp` rounds come first and do not count, because the compiler still works in them. */
export interface Rounds {
  warmUp: number;
  rounds: number;
}

/** For measurements with a wide spread, and for code on which the compiler works for long. */
export const manyRounds: Rounds = { warmUp: 12, rounds: 19 };

/** Measures everything once per round, in turn, so that a slow phase of the machine affects all contenders alike. */
export async function takeTurns(
  { warmUp, rounds }: Rounds,
  measurements: Record<string, () => Promise<number>>,
): Promise<Record<string, number[]>> {
  const samples: Record<string, number[]> = {};
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, measure] of Object.entries(measurements)) {
      const value = await measure();
      if (round >= 0) (samples[name] ??= []).push(value);
    }
  }
  return samples;
}

/** Stops the run if a contender does other work than the one it is compared with. */
export function expectSame(name: string, actual: unknown, expected: unknown): void {
  deepStrictEqual(actual, expected, `${name} does not respond the same`);
}
