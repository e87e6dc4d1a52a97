// Sweeps a program: each run has a service of its own on a port, and the process group that calls it.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { availableParallelism, constants, tmpdir } from "node:os";
import { join } from "node:path";
import { resolveDialect } from "@landing-page-service/contract/dialect";
import { listen } from "../node.ts";
import { createMockService, type MockService } from "../service/mock-service.ts";
import { failureNames, usualDialects } from "../sweep/plan.ts";
import { createRandom, type Disturbance, logExchanges, type Observation, readStored } from "../sweep/run.ts";
import { sweepRuns } from "../sweep/sweep.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { readDialect } from "./files.ts";

/** Runs at the same time: most of a run is start-up and waiting. */
const usualConcurrency = Math.min(4 * availableParallelism(), 16);

/** Sweeps a command and prints the report. The process ends with 1 when there are findings. */
export async function sweep(options: OptionValues<"sweep">, command: readonly string[]): Promise<void> {
  if (command.length === 0) throw new UsageError("sweep needs a command: landing-pages-mock sweep -- npm run publish.");
  const { timeout = 60, pairs = 0, json = false, concurrency = usualConcurrency } = options;
  const seed = options["random-seed"] ?? 1;
  const dialect = options.dialect === undefined ? undefined : readDialect(options.dialect);
  passSignals();
  // In real time, a response that never comes shows the same as this one, and more.
  const names = failureNames.filter((name) => name !== "slow: 60 s");
  const plan = { seed, pairs, maxRuns: options["max-runs"] ?? 2_000, dialects: usualDialects, failureNames: names };
  const runOnce = (disturbance: Disturbance) => observe(command, timeout * 1000, seed, { dialect, ...disturbance });
  const report = await sweepRuns(runOnce, plan, concurrency);
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : String(report));
  process.exitCode = report.findings.length === 0 ? 0 : 1;
}

/** Ends the commands with this process. The first signal is passed on to them, and waits for their end; a second one kills them. */
function passSignals(): void {
  let first: NodeJS.Signals | undefined;
  const pass = (signal: NodeJS.Signals): void => {
    const ended = stopAll(first === undefined ? signal : "SIGKILL");
    const code = 128 + constants.signals[(first ??= signal)];
    void ended.then(() => process.exit(code));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, pass);
  process.on("exit", () => void stopAll("SIGKILL"));
}

/** A client that sends a request has read what was written this many milliseconds before, also on a busy machine. */
const readWithinMs = 100;

/** Runs the command once, in a service of its own. After `timeoutMs` real milliseconds it hangs. */
async function observe(
  command: readonly string[],
  timeoutMs: number,
  seed: number,
  { rules, dialect }: Disturbance,
): Promise<Observation> {
  const service = createMockService({ dialect: resolveDialect(dialect), random: createRandom(seed) });
  const apiKey = `test_${randomUUID()}`;
  const account = service.account(apiKey);
  for (const rule of rules) account.faults.add(rule);
  const { exchanges, handle } = logExchanges(service, { readWithinMs });
  const logged = Object.create(service, { handle: { value: handle } }) as MockService; // why: Object.create is untyped
  const { code, output, isHanging } = await runAgainst(logged, apiKey, command, timeoutMs);
  const reason = new Error(`it ended with ${code ?? "a signal"}\n${output}`);
  return {
    exchanges,
    stored: readStored(account),
    isTold: !isHanging && code !== 0,
    settled: isHanging ? undefined : { isRejected: code !== 0, value: reason },
    // A process that leaves a rejection unhandled ends with a code other than 0.
    unhandled: [],
  };
}

/** The processes of the command that are running, and whether no more are started. */
const children = new Set<ChildProcess>();
let isStopping = false;
/** Characters that are kept of a command's output. */
const keptOutput = 4_000;

/** Runs the command to its end, and ends whatever it left running in its process group. */
async function runAgainst(service: MockService, apiKey: string, command: readonly string[], timeoutMs: number) {
  await using server = await listen(service, { timeouts: { closeGraceMs: 1 } });
  if (isStopping) return new Promise<never>(() => {});
  // Programs for Node compile once instead of in every run.
  const cache = { NODE_COMPILE_CACHE: join(tmpdir(), "landing-pages-mock") };
  const env = { ...cache, ...process.env, LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: apiKey };
  const [program = "", ...words] = command;
  // Windows knows no process groups, and needs a shell to find npm.
  const isWindows = process.platform === "win32";
  const group = { detached: !isWindows, shell: isWindows };
  const child = spawn(program, words, { env, ...group, stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  children.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output = (output + String(chunk)).slice(-keptOutput)));
  try {
    const [code] = (await once(child, "exit")) as [number | null]; // why: `once` is untyped
    return { code, output, isHanging: child.killed };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw isMissing ? new Error(`sweep: there is no command ${program}`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    children.delete(child);
    signalGroup(child, "SIGKILL");
    // A process that has left the group may hold them open.
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Sends a signal to all commands, starts no further ones, and resolves when none is left. */
async function stopAll(signal: NodeJS.Signals): Promise<void> {
  isStopping = true;
  const ends = [...children].map((child) => once(child, "exit"));
  for (const child of children) signalGroup(child, signal);
  await Promise.all(ends);
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
