import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { failureNames } from "../sweep/failures.ts";
import { sweepRuns } from "../sweep/sweep.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { readDialect } from "./files.ts";
import { runCommand, signalGroup } from "./sweep-command.ts";

/** Sweeps a command and prints what was found; the process ends with 1 when that is something. */
export async function sweep(options: OptionValues<"sweep">, command: readonly string[]): Promise<void> {
  if (command.length === 0) throw new UsageError("sweep needs a command: landing-pages-mock sweep -- npm run publish.");
  const { timeout = 60, pairs = 0, json = false } = options;
  const seed = options["random-seed"] ?? 1;
  const passing = passSignals();
  const parts = {
    command,
    dialect: options.dialect === undefined ? undefined : readDialect(options.dialect),
    seed,
    timeoutMs: timeout * 1000,
    onStart: passing.follow,
  };
  const report = await sweepRuns((disturbance) => runCommand(parts, disturbance), {
    seed,
    pairs,
    maxRuns: options["max-runs"] ?? 2_000,
    // In real time, an answer that never comes shows the same, and more.
    failureNames: failureNames.filter((name) => name !== "slow: 60 s"),
  }).finally(passing.stop);
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : String(report));
  process.exitCode = report.findings.length === 0 ? 0 : 1;
}

/** The first signal is passed on to the command and ends the sweep with it; the second does not wait. */
function passSignals(): { follow: (child: ChildProcess) => void; stop: () => void } {
  let current: ChildProcess | undefined;
  let isStopping = false;
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const listener = (): void => {
      const end = (): never => process.exit(128 + constants.signals[signal]);
      if (current === undefined || current.exitCode !== null) return end();
      current.once("exit", end);
      signalGroup(current, isStopping ? "SIGKILL" : signal);
      isStopping = true;
      return undefined;
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    follow: (child) => void (current = child),
    stop() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
