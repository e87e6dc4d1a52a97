// Sweeps a program. Each run has its own service on a port, and its own process group.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { availableParallelism, constants, tmpdir } from "node:os";
import { join } from "node:path";
import { resolveDialect } from "@landing-page-service/contract/dialect";
import { listen } from "../node.ts";
import { createMockService, type MockService } from "../service/mock-service.ts";
import { failureNames, usualDialects } from "../sweep/plan.ts";
import { createRandom, type RunSetup, logExchanges, readStored } from "../sweep/run.ts";
import { sweepRuns } from "../sweep/sweep.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { readDialect } from "./files.ts";

/** Default number of runs at the same time. It exceeds the number of processors, because a run mostly waits. */
const usualConcurrency = Math.min(4 * availableParallelism(), 16);

/** Sweeps a command and prints the report. The exit code is 1 if there are findings. */
export async function sweep(options: OptionValues<"sweep">, command: readonly string[]): Promise<void> {
  if (command.length === 0) throw new UsageError("sweep needs a command: landing-pages-mock sweep -- npm run publish.");
  const { timeout = 60, pairs = 0, json = false, concurrency = usualConcurrency } = options;
  const seed = options["random-seed"] ?? 1;
  const dialect = options.dialect === undefined ? undefined : readDialect(options.dialect);
  passSignals();
  // In real time, a response that never comes reveals the same and more.
  const names = failureNames.filter((name) => name !== "slow: 60 s");
  const plan = { seed, pairs, maxRuns: options["max-runs"] ?? 2_000, dialects: usualDialects, failureNames: names };
  const runOnce = (setup: RunSetup) => observe(command, timeout * 1000, seed, { dialect, ...setup });
  const report = await sweepRuns(runOnce, plan, concurrency);
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : String(report));
  process.exitCode = report.findings.length === 0 ? 0 : 1;
}

/** Stops the commands when this process gets a signal. It passes the first signal on and waits for their end. A second one kills them. */
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

/** Milliseconds within which a client reads a response, also on a busy machine. */
const readWithinMs = 100;

/** Runs the command once, with its own service. After `timeoutMs` real milliseconds it counts as hanging. */
async function observe(command: readonly string[], timeoutMs: number, seed: number, { rules, dialect }: RunSetup) {
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
    isReported: !isHanging && code !== 0,
    settled: isHanging ? undefined : { isRejected: code !== 0, value: reason },
    // A process with an unhandled rejection ends with another code than 0.
    unhandled: [],
  };
}

/** The running processes of the command. */
const children = new Set<ChildProcess>();
/** Whether a signal has stopped the sweep, so that no process may start any more. */
let isStopping = false;
/** Number of characters kept from the end of a command's output. */
const keptOutput = 4_000;

/** Runs the command to its end, then kills the other processes in its process group. */
async function runAgainst(service: MockService, apiKey: string, command: readonly string[], timeoutMs: number) {
  await using server = await listen(service, { timeouts: { closeGraceMs: 1 } });
  if (isStopping) return new Promise<never>(() => {});
  // Node programs compile once instead of in every run.
  const cache = { NODE_COMPILE_CACHE: join(tmpdir(), "landing-pages-mock") };
  const env = { ...cache, ...process.env, LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: apiKey };
  const [program = "", ...words] = command;
  // Windows has no process groups, and needs a shell to find npm.
  const isWindows = process.platform === "win32";
  const options = { env, detached: !isWindows, shell: isWindows };
  const child = spawn(program, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
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
    // A process that has left the group may keep them open.
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Sends a signal to all commands and prevents new ones. Resolves when all have ended. */
async function stopAll(signal: NodeJS.Signals): Promise<void> {
  isStopping = true;
  const ends = [...children].map((child) => once(child, "exit"));
  for (const child of children) signalGroup(child, signal);
  await Promise.all(ends);
}

/** Sends a signal to a process and its group, if it still runs. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
