// Publishes what is queued; run as many as you like, on as many machines: `node fleet/worker.ts --limit 600/60`.
// All of them share the one allowance of the API key, and none sends a page that may be there already.
import { ApiError, CallError, LandingPages, type RateLimit } from "@landing-page-service/sdk";
import { UnrecoverableError, Worker } from "bullmq";
import { connection, keyOf, options, type PageJob, pages, review, sentAt } from "./fleet.ts";

const [max = 600, seconds = 60] = options.limit.split("/").map(Number);
const duration = seconds * 1000;
const lockDuration = Number(options.lockDuration);
const concurrency = Number(options.concurrency);
/** How long all stay away where nobody says for how long, in milliseconds. */
const holdMs = 2000;

const client = new LandingPages({ retry: false }); // trying again is the queue's business
/** Calls in a row of which nobody knows what they did. */
let failures = 0;

const worker = new Worker<PageJob["data"], PageJob["returnvalue"]>(pages.name, publish, {
  connection,
  limiter: { max, duration },
  concurrency,
  lockDuration,
  stalledInterval: Number(options.stalledInterval),
  maxStalledCount: 1_000_000, // that a worker dies is not the fault of its jobs
});
worker.on("error", (error) => console.error(error.message));
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void worker.close().then(() => connection.disconnect()));

async function publish(job: PageJob, token = ""): Promise<PageJob["returnvalue"]> {
  if (sentAt(job) !== undefined && !isHonoured(job)) throw await toReview(job, "the worker that sent it was lost");
  // First the note that it is sent, then the look whether the job is still ours, then the sending: whoever takes over from
  // a worker that was killed finds the note, and a worker that only slept finds that it was taken over.
  if (sentAt(job) === undefined) await job.updateProgress({ sentAtMs: Date.now() });
  if ((await job.extendLock(token, lockDuration)) === 0) throw new Error(`${job.id}: another worker has taken it over`);
  const call = client.pages.create(job.data, { idempotencyKey: keyOf(job) });
  const answer = await call.withResponse().catch(async (error: unknown) => Promise.reject(await settle(job, error)));
  failures = 0;
  await keepStep(answer.rateLimit);
  return { pageId: answer.data.id };
}

/** What an error of the SDK means for a job, and for the queue. */
function judge(error: unknown): "review" | "hold" | "pause" | "dead" {
  if (!CallError.is(error)) return "dead"; // such as an input that cannot be right
  const status = ApiError.is(error) ? error.status : undefined;
  if (status === 401 || status === 403) return "pause";
  if (status === 429 || (status === 503 && error.retryAfterMs !== undefined)) return "hold";
  if (error.mayHaveBeenApplied) return "review";
  return status === undefined ? "hold" : "dead";
}

/** What becomes of a job whose call failed: gives the error that tells BullMQ. */
async function settle(job: PageJob, error: unknown): Promise<Error> {
  const verdict = judge(error);
  const message = error instanceof Error ? error.message : String(error);
  if (verdict === "review") {
    failures += 1;
    // A service that is down shall not have one page after the other reviewed.
    if (failures >= 3 * concurrency) await pauseAll(`${failures} failures in a row, the last: ${message}`);
    else if (failures >= concurrency) await pages.rateLimit(holdMs);
    const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
    return isHonoured(job) && !isLast ? new Error(message) : toReview(job, message);
  }
  await job.updateProgress({}); // it is not there
  if (verdict === "dead") return new UnrecoverableError(message);
  if (verdict === "pause") await pauseAll(message);
  else await pages.rateLimit(Math.ceil((CallError.is(error) ? error.retryAfterMs : undefined) ?? holdMs));
  return Worker.RateLimitError(); // back to where it was, and no attempt is counted
}

/** Whether sending it again under the same key does no harm. */
function isHonoured(job: PageJob): boolean {
  return Date.now() < (sentAt(job) ?? 0) + Number(options["keys-last"]) * 3_600_000;
}

async function toReview(job: PageJob, reason: string): Promise<Error> {
  const data = { page: job.data, idempotencyKey: keyOf(job), reason };
  await review.add(job.name, data, job.id === undefined ? {} : { jobId: job.id });
  return new UnrecoverableError(reason);
}

/** Keeps BullMQ's window, which begins as a job starts, in step with the service's, which begins as a request arrives. */
async function keepStep({ limit = 0, remaining, resetAtMs = 0 }: Partial<RateLimit> = {}): Promise<void> {
  // The header may be rounded up to a whole second.
  const leftMs = Math.ceil(Math.min(resetAtMs - Date.now(), duration));
  if (leftMs <= 0) return;
  if (remaining === limit - 1) await connection.pexpire(pages.keys["limiter"] ?? "", leftMs);
  // Others have used the key too: rather than have somebody refused, all stay away.
  if (remaining === 0 && (await pages.getRateLimitTtl(max)) <= 0) await pages.rateLimit(leftMs);
}

async function pauseAll(reason: string): Promise<void> {
  await pages.pause();
  console.error(`Paused: ${reason}. Run the producer again to go on.`);
}
