// What producer, workers and summary share: the queues, what a job holds, and the options of the command line.
import { parseArgs } from "node:util";
import type { CreatePage } from "@landing-page-service/sdk";
import { type Job, Queue } from "bullmq";
import { Redis } from "ioredis";

export const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    queue: { type: "string", default: "pages" },
    /** Requests that the plan allows, and in how many seconds. */
    limit: { type: "string", default: "600/60" },
    /** For how many hours the service honours an Idempotency-Key; 0 when it ignores them, or nobody knows. */
    "keys-last": { type: "string", default: "0" },
    /** BullMQ's own: jobs at a time in one worker, and two times in milliseconds, after whose sum a lost worker is noticed. */
    concurrency: { type: "string", default: "4" },
    lockDuration: { type: "string", default: "10000" },
    stalledInterval: { type: "string", default: "10000" },
    /** For the summary: go on until nothing waits. */
    watch: { type: "boolean", default: false },
  },
});

const url = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";
export const connection = new Redis(url, { maxRetriesPerRequest: null }); // as BullMQ asks of a worker
connection.on("error", (error: Error) => console.error(`Redis: ${error.message}`));

/** The pages: what completed is published, what failed is a dead letter or in review. */
export const pages = new Queue<CreatePage, { pageId: string }>(options.queue, { connection });
/** The pages that may be there, for a person or a worker of yours that looks. */
export const review = new Queue<{ page: CreatePage; idempotencyKey: string; reason: string }>(`${pages.name}-review`, {
  connection,
});

export type PageJob = Job<CreatePage, { pageId: string }>;

/** The same for the same page, whichever worker sends it, and however often. */
export function keyOf(job: PageJob): string {
  return `${pages.name}-${job.id}`;
}

/** Moment from which on the page of a job may be there, milliseconds since 1970 UTC; `undefined` while it cannot be. */
export function sentAt({ progress }: PageJob): number | undefined {
  return (progress as { sentAtMs?: number }).sentAtMs; // why: it is what the workers write, or 0
}
