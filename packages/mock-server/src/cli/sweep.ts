import { availableParallelism, constants } from "node:os";
import { failureNames } from "../sweep/failures.ts";
import { sweepRuns } from "../sweep/sweep.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { readDialect } from "./files.ts";
import { Processes, runCommand } from "./sweep-command.ts";

/** Runs at the same time: most of a run is start-up and waiting. */
const usualConcurrency = Math.min(4 * availableParallelism(), 16);

/** Sweeps a command and prints the report. The process ends with 1 when there are findings. */
export async function sweep(options: OptionValues<"sweep">, command: readonly string[]): Promise<void> {
  if (command.length === 0) throw new UsageError("sweep needs a command: landing-pages-mock sweep -- npm run publish.");
  const { timeout = 60, pairs = 0, json = false, concurrency = usualConcurrency } = options;
  const seed = options["random-seed"] ?? 1;
  const processes = new Processes();
  const dialect = options.dialect === undefined ? undefined : readDialect(options.dialect);
  const parts = { command, dialect, seed, timeoutMs: timeout * 1000, processes };
  const stopPassing = passSignals(processes);
  const report = await sweepRuns((disturbance) => runCommand(parts, disturbance), {
    seed,
    pairs,
    concurrency,
    maxRuns: options["max-runs"] ?? 2_000,
    // In real time, a response that never comes shows the same, and more.
    failureNames: failureNames.filter((name) => name !== "slow: 60 s"),
  }).finally(stopPassing);
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : String(report));
  process.exitCode = report.findings.length === 0 ? 0 : 1;
}

/** Ends the commands with this process. The first signal is passed on to them, and waits for their end; a second one kills them. */
function passSignals(processes: Processes): () => void {
  let wanted: NodeJS.Signals | undefined;
  const pass = (signal: NodeJS.Signals): void => {
    const isSecond = wanted !== undefined;
    wanted ??= signal;
    const code = 128 + constants.signals[wanted];
    void processes.stop(isSecond ? "SIGKILL" : signal).then(() => process.exit(code));
  };
  const kill = (): void => void processes.stop("SIGKILL");
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, pass);
  process.on("exit", kill);
  return () => {
    for (const signal of signals) process.off(signal, pass);
    process.off("exit", kill);
  };
}
