// A progress bar with an estimate of the time left. It is drawn on a terminal only, and on stderr, so that you can pipe the output.
import { stderr } from "node:process";

/** Draws the progress of a job. Call it as often as you like. */
export function createProgress(total: number, startedAtMs = Date.now()): (done: number) => void {
  return (done) => {
    if (!stderr.isTTY) return;
    const share = total === 0 ? 1 : done / total;
    const leftMs = done === 0 ? Number.NaN : ((Date.now() - startedAtMs) / done) * (total - done);
    const bar = "█".repeat(Math.round(share * 30)).padEnd(30, "░");
    stderr.write(`\r${bar} ${done} of ${total}, ${describeTime(leftMs)} left \x1b[K${done === total ? "\n" : ""}`);
  };
}

/** Formats a time for people: `40 s`, `3 min`, `2 h 5 min`. */
export function describeTime(ms: number): string {
  if (Number.isNaN(ms)) return "some time";
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
