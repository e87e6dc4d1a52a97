// Which options there are, at every level, so that a misspelt one is refused rather than silently without effect.
import { nearest } from "@landing-page-service/contract";
import type { CreateManyOptions } from "./create-many.ts";
import { ConfigurationError } from "./errors.ts";
import type { IterateOptions } from "./iterate.ts";
import type { CallOptions, ClientOptions, RequestHooks, RetryOptions, WriteOptions } from "./options.ts";
import type { EndOptions, EventQueueOptions } from "./queued-event.ts";

/** Names as the type has them, all of them: the compiler says when one is missing or too many. */
type Names<Options> = { readonly [Name in keyof Required<Options>]: true };

const retry: Names<RetryOptions> = {
  maxAttempts: true,
  baseDelayMs: true,
  maxDelayMs: true,
  maxWaitMs: true,
  writes: true,
};
const call: Names<CallOptions> = { signal: true, timeoutMs: true, totalTimeoutMs: true, retry: true, headers: true };
const write: Names<WriteOptions> = { ...call, idempotencyKey: true };
const queue: Names<EventQueueOptions> = { ...call, capacity: true, concurrency: true, onLost: true };
const createMany: Names<CreateManyOptions> = { ...call, concurrency: true, onProgress: true };
const iterate: Names<
  Pick<IterateOptions, keyof CallOptions | "batchSize" | "limit" | "offset" | "maxRequests" | "resumeFrom">
> = {
  ...call,
  batchSize: true,
  limit: true,
  offset: true,
  maxRequests: true,
  resumeFrom: true,
};
const hooks: Names<RequestHooks> = { init: true, beforeRequest: true, afterResponse: true, beforeError: true };
const client: Names<ClientOptions> = {
  apiKey: true,
  baseUrl: true,
  fetch: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  retry: true,
  headers: true,
  hooks: true,
  maxInFlight: true,
  maxAnswerBytes: true,
  strict: true,
  logger: true,
  logLevel: true,
  onEvent: true,
  now: true,
  random: true,
  sleep: true,
  allowInsecure: true,
  allowBrowser: true,
};
const close: Names<EndOptions> = { timeoutMs: true };
const levels = { client, hooks, retry, call, write, queue, close, createMany, iterate };

/**
 * Refuses options that nobody reads. Of an iteration only those that look like one of its own: others are filters.
 *
 * @throws {ConfigurationError} that names the nearest known option.
 */
export function refuseUnknown(level: keyof typeof levels, options: object): void {
  const known = Object.keys(levels[level]);
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    if (level === "iterate" && meant === undefined) continue;
    const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean \`${meant}\`?`;
    throw new ConfigurationError(
      `There is no option \`${level === "retry" || level === "hooks" ? `${level}.` : ""}${name}\`: ${hint}`,
    );
  }
}
