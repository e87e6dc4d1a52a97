// Publishes queued pages. Run as many workers as you like, on as many machines: `node fleet/worker.ts --limit 600/60`.
// All of them share the rate limit of one API key, and none sends a page that may exist already.
import { ApiError, CallError, LandingPages, type RateLimit } from "@landing-page-service/sdk";
import { UnrecoverableError, Worker } from "bullmq";
import { connection, keyOf, options, type PageJob, pages, review, sentAt } from "./fleet.ts";

const [max = 600, seconds = 60] = options.limit.split("/").map(Number);
const duration = seconds * 1000;
const lockDuration = Number(options.lockDuration);
const concurrency = Number(options.concurrency);
/** How long all workers wait if the service does not say how long, in milliseconds. */
const holdMs = 2000;

const client = new LandingPages({ retry: false }); // the queue retries
/** Calls in a row whose outcome is unknown. */
let failures = 0;

const worker = new Worker<PageJob["data"], PageJob["returnvalue"]>(pages.name, publish, {
  connection,
  limiter: { max, duration },
  concurrency,
  lockDuration,
  stalledInterval: Number(options.stalledInterval),
  maxStalledCount: 1_000_000, // a job does not fail because its worker died
});
worker.on("error", (error) => console.error(error.message));
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void worker.close().then(() => connection.disconnect()));

async function publish(job: PageJob, token = ""): Promise<PageJob["returnvalue"]> {
  if (sentAt(job) !== undefined && !isHonoured(job)) throw await toReview(job, "the worker that sent it was lost");
  // First note that the page is sent, then check that the job is still ours, then send it. A worker that takes over from a
  // killed one finds the note, and a worker that was only suspended finds that another one has its job.
  if (sentAt(job) === undefined) await job.updateProgress({ sentAtMs: Date.now() });
  if ((await job.extendLock(token, lockDuration)) === 0) throw new Error(`${job.id}: another worker has taken it over`);
  const call = client.pages.create(job.data, { idempotencyKey: keyOf(job) });
  const result = await call.withResponse().catch(async (error: unknown) => Promise.reject(await settle(job, error)));
  failures = 0;
  await keepStep(result.rateLimit);
  return { pageId: result.data.id };
}

/** What an error of the SDK means for a job, and for the queue. */
function judge(error: unknown): "review" | "hold" | "pause" | "dead" {
  if (!CallError.is(error)) return "dead"; // such as invalid input
  const status = ApiError.is(error) ? error.status : undefined;
  if (status === 401 || status === 403) return "pause";
  if (status === 429 || (status === 503 && error.retryAfterMs !== undefined)) return "hold";
  if (error.mayHaveBeenApplied) return "review";
  return status === undefined ? "hold" : "dead";
}

/** Decides what happens to a job whose call failed. Returns the error that says so to BullMQ. */
async function settle(job: PageJob, error: unknown): Promise<Error> {
  const verdict = judge(error);
  const message = error instanceof Error ? error.message : String(error);
  if (verdict === "review") {
    failures += 1;
    // If the service is down, do not send one page after the other to review.
    if (failures >= 3 * concurrency) await pauseAll(`${failures} failures in a row, the last: ${message}`);
    else if (failures >= concurrency) await pages.rateLimit(holdMs);
    const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
    return isHonoured(job) && !isLast ? new Error(message) : toReview(job, message);
  }
  await job.updateProgress({}); // it was not created
  if (verdict === "dead") return new UnrecoverableError(message);
  if (verdict === "pause") await pauseAll(message);
  else await pages.rateLimit(Math.ceil((CallError.is(error) ? error.retryAfterMs : undefined) ?? holdMs));
  return Worker.RateLimitError(); // back to its place in the queue, without counting an attempt
}

/** Whether it is safe to send the page again with the same idempotency key. */
function isHonoured(job: PageJob): boolean {
  return Date.now() < (sentAt(job) ?? 0) + Number(options["keys-last"]) * 3_600_000;
}

async function toReview(job: PageJob, reason: string): Promise<Error> {
  const data = { page: job.data, idempotencyKey: keyOf(job), reason };
  await review.add(job.name, data, job.id === undefined ? {} : { jobId: job.id });
  return new UnrecoverableError(reason);
}

/** Aligns BullMQ's window, which begins when a job starts, with that of the service, which begins when a request arrives. */
async function keepStep({ limit = 0, remaining, resetAtMs = 0 }: Partial<RateLimit> = {}): Promise<void> {
  // The header may be rounded up to a whole second.
  const leftMs = Math.ceil(Math.min(resetAtMs - Date.now(), duration));
  if (leftMs <= 0) return;
  if (remaining === limit - 1) await connection.pexpire(pages.keys["limiter"] ?? "", leftMs);
  // Others used the key too: all workers wait, so that nobody gets a 429.
  if (remaining === 0 && (await pages.getRateLimitTtl(max)) <= 0) await pages.rateLimit(leftMs);
}

async function pauseAll(reason: string): Promise<void> {
  await pages.pause();
  console.error(`Paused: ${reason}. Run the producer again to go on.`);
}
