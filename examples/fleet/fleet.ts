// What the producer, the workers and the summary share: queues, jobs, and command-line options.
import { parseArgs } from "node:util";
import type { CreatePage } from "@landing-page-service/sdk";
import { type Job, Queue } from "bullmq";
import { Redis } from "ioredis";

export const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    queue: { type: "string", default: "pages" },
    /** The rate limit of the plan: requests and seconds. */
    limit: { type: "string", default: "600/60" },
    /** For how many hours the service honours an Idempotency-Key; 0 if it ignores them or you do not know. */
    "keys-last": { type: "string", default: "0" },
    /** BullMQ's own options: jobs at a time in one worker, and two times in milliseconds. BullMQ notices a lost worker after their sum. */
    concurrency: { type: "string", default: "4" },
    lockDuration: { type: "string", default: "10000" },
    stalledInterval: { type: "string", default: "10000" },
    /** For the summary: repeat it until no job waits. */
    watch: { type: "boolean", default: false },
  },
});

const url = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";
export const connection = new Redis(url, { maxRetriesPerRequest: null }); // BullMQ requires this of a worker
connection.on("error", (error: Error) => console.error(`Redis: ${error.message}`));

/** The pages. A completed job is published; a failed job is a dead letter or in review. */
export const pages = new Queue<CreatePage, { pageId: string }>(options.queue, { connection });
/** Pages that may exist, for a person or a program of yours to look at. */
export const review = new Queue<{ page: CreatePage; idempotencyKey: string; reason: string }>(`${pages.name}-review`, {
  connection,
});

export type PageJob = Job<CreatePage, { pageId: string }>;

/** The idempotency key of a page, the same for every worker and every attempt. */
export function keyOf(job: PageJob): string {
  return `${pages.name}-${job.id}`;
}

/** When the page of a job was sent first, in milliseconds since 1970 UTC; `undefined` if it was not sent, so it cannot exist. */
export function sentAt({ progress }: PageJob): number | undefined {
  return (progress as { sentAtMs?: number }).sentAtMs; // why: the workers write this; BullMQ starts with 0
}
