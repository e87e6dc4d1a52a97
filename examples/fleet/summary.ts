// Counts the pages by outcome and lists those to look at: `node fleet/summary.ts`. With `--watch` it repeats until no job waits.
import { setTimeout as sleep } from "node:timers/promises";
import { createProgress } from "../progress.ts";
import { connection, keyOf, options, pages, sentAt } from "./fleet.ts";

const waitingStates = ["wait", "active", "delayed", "prioritized"] as const;

let counts = await count();
const progress = createProgress(counts.queued);
while (options.watch && counts.waiting > 0 && !(await pages.isPaused())) {
  progress(counts.queued - counts.waiting);
  await sleep(500);
  counts = await count();
}
const inReview: string[] = [];
const dead: string[] = [];
for (let start = 0; start < counts.failed; start += 1000) {
  for (const job of await pages.getFailed(start, start + 999)) {
    if (sentAt(job) === undefined) dead.push(`  ${job.name}: ${job.failedReason}`);
    else inReview.push(`  ${job.name} (Idempotency-Key ${keyOf(job)}): ${job.failedReason}`);
  }
}
const { queued, published, waiting } = counts;
console.log(
  `${queued} queued = ${published} published + ${inReview.length} in review + ${dead.length} dead + ${waiting} waiting`,
);
if (await pages.isPaused()) console.log("Paused: a worker printed why. Run the producer again to continue.");
if (inReview.length > 0) console.log(`\nMay be there, look before you send them again:\n${inReview.join("\n")}`);
if (dead.length > 0) console.log(`\nRefused:\n${dead.join("\n")}`);
connection.disconnect();

async function count() {
  const states = await pages.getJobCounts("completed", "failed", ...waitingStates);
  const { completed: published = 0, failed = 0 } = states;
  const waiting = waitingStates.reduce((sum, state) => sum + (states[state] ?? 0), 0);
  return { queued: published + failed + waiting, published, failed, waiting };
}
