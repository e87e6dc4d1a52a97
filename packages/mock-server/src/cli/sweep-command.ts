// One run of a command: a service of its own on a port, and the process group that calls it.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type DialectChoice, resolveDialect } from "@landing-page-service/contract/dialect";
import { listen } from "../node.ts";
import type { MockService } from "../service/mock-service.ts";
import { createMockService } from "../service/mock-service.ts";
import { logExchanges } from "../sweep/exchanges.ts";
import { createRandom, type Disturbance, type Observation } from "../sweep/run.ts";
import { readStored } from "../sweep/stored.ts";

/** What all runs of a command share. */
export interface CommandParts {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly dialect: DialectChoice | undefined;
  readonly seed: number;
  /** Real milliseconds after which the command hangs. */
  readonly timeoutMs: number;
  readonly processes: Processes;
}

/** A client that sends a request has read what was written this many milliseconds before, also on a busy machine. */
const readWithinMs = 100;
/** Characters that are kept of a command's output. */
const keptOutput = 4_000;

/** Runs the command once. */
export async function runCommand(
  parts: CommandParts,
  { rules, dialect = parts.dialect }: Disturbance,
): Promise<Observation> {
  const service = createMockService({ dialect: resolveDialect(dialect), random: createRandom(parts.seed) });
  const apiKey = `test_${randomUUID()}`;
  const account = service.account(apiKey);
  for (const rule of rules) account.faults.add(rule);
  const log = logExchanges((request) => service.handle(request), { readWithinMs });
  const logged = Object.create(service, { handle: { value: log.handle } }) as MockService; // why: Object.create is untyped
  const server = await listen(logged, { timeouts: { closeGraceMs: 1 } });
  const env = { ...process.env, LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: apiKey };
  const running = parts.processes.run(parts, env);
  await Promise.allSettled([running]);
  await server.close();
  const { code, output, isHanging } = await running;
  const isTold = !isHanging && code !== 0;
  return {
    exchanges: log.exchanges,
    stored: readStored(account),
    isTold,
    rejection: isTold ? { reason: new Error(`it ended with ${code ?? "a signal"}\n${output}`) } : undefined,
    isHanging,
    // A process that leaves a rejection unhandled ends with a code other than 0.
    unhandled: [],
  };
}

interface Ended {
  readonly code: number | null;
  /** The end of its output. */
  readonly output: string;
  readonly isHanging: boolean;
}

/** The processes of commands that are running. */
export class Processes {
  readonly #running = new Set<ChildProcess>();
  #isStopping = false;

  /** Runs a command to its end, and ends whatever it left running in its process group. */
  async run({ command, timeoutMs }: CommandParts, env: NodeJS.ProcessEnv): Promise<Ended> {
    if (this.#isStopping) return new Promise(() => {});
    const [program = "", ...words] = command;
    // Windows knows no process groups, and needs a shell to find npm.
    const isWindows = process.platform === "win32";
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn(program, words, { env, stdio: [...stdio], detached: !isWindows, shell: isWindows });
    this.#running.add(child);
    let output = "";
    let isHanging = false;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (output = (output + String(chunk)).slice(-keptOutput)));
    const timer = setTimeout(() => {
      isHanging = true;
      signalGroup(child, "SIGKILL");
    }, timeoutMs);
    try {
      const [code] = (await once(child, "exit")) as [number | null]; // why: `once` is untyped
      return { code, output, isHanging };
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      throw isMissing ? new Error(`sweep: there is no command ${program}`, { cause: error }) : error;
    } finally {
      clearTimeout(timer);
      this.#running.delete(child);
      signalGroup(child, "SIGKILL");
      // A process that has left the group may hold them open.
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
  }

  /** Sends a signal to all commands, starts no further ones, and resolves when none is left. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#isStopping = true;
    const ends = [...this.#running].map((child) => once(child, "exit"));
    for (const child of this.#running) signalGroup(child, signal);
    await Promise.all(ends);
  }
}

/** Sends a signal to a process and all of its group. One that has ended is left alone. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
