// One run of a command: a service of its own on a port, and the process group that calls it.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { type DialectChoice, resolveDialect } from "@landing-page-service/contract/dialect";
import { listen } from "../node.ts";
import type { MockService } from "../service/mock-service.ts";
import { createMockService } from "../service/service.ts";
import { logExchanges } from "../sweep/exchanges.ts";
import { readStored } from "../sweep/stored.ts";
import { createRandom, type Disturbance, type Observation } from "../sweep/run.ts";

/** What all runs of a command have in common. */
export interface CommandParts {
  /** The program and what it is called with. */
  readonly command: readonly string[];
  readonly dialect: DialectChoice | undefined;
  readonly seed: number;
  /** Real milliseconds after which the command hangs. */
  readonly timeoutMs: number;
  /** Told of each process that is started, for signals to be passed on to. */
  readonly onStart: (child: ChildProcess) => void;
}

/** Over sockets, what is sent before an answer is read arrives after it was written: this much later it was read, milliseconds, also on a busy machine. */
const readWithinMs = 100;
/** What is kept of what a command prints, in characters. */
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
  const environment = { ...process.env, LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: apiKey };
  const ended = await runProcess(parts, environment).catch((error: unknown) => ({ error }));
  await server.close();
  if ("error" in ended) throw ended.error;
  const { code, output, isHanging } = ended;
  const isTold = !isHanging && code !== 0;
  return {
    exchanges: log.exchanges,
    stored: readStored(account),
    isTold,
    rejection: isTold ? { reason: new Error(`it ended with ${code ?? "a signal"}\n${output}`) } : undefined,
    isHanging,
    // A process that leaves a rejection to nobody ends with another code than 0.
    unhandled: [],
  };
}

interface Ended {
  readonly code: number | null;
  /** The end of what it printed. */
  readonly output: string;
  readonly isHanging: boolean;
}

function runProcess({ command, timeoutMs, onStart }: CommandParts, env: NodeJS.ProcessEnv): Promise<Ended> {
  const [program = "", ...words] = command;
  // A group of its own, so that what it starts ends with it; Windows knows none, and needs a shell to find npm.
  const isWindows = process.platform === "win32";
  const child = spawn(program, words, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: !isWindows,
    shell: isWindows,
  });
  onStart(child);
  return new Promise((resolve, reject) => {
    let output = "";
    let isHanging = false;
    const keep = (chunk: Buffer): void => void (output = (output + String(chunk)).slice(-keptOutput));
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const timer = setTimeout(() => {
      isHanging = true;
      signalGroup(child, "SIGKILL");
    }, timeoutMs);
    child.on("error", (error) => {
      clearTimeout(timer);
      const isMissing = "code" in error && error.code === "ENOENT";
      reject(isMissing ? new Error(`sweep: there is no command ${program}`, { cause: error }) : error);
    });
    child.on("exit", (code) => {
      clearTimeout(timer);
      // What it left running would write into the account of a run that is over.
      signalGroup(child, "SIGKILL");
      resolve({ code, output, isHanging });
    });
  });
}

/** Sends a signal to a process and all it has started; what has ended already is left alone. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
