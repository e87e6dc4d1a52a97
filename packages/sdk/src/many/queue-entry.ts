// An event in the queue, and the classification of its failures.
import type { AnalyticsEvent } from "@landing-page-service/contract";
import { leavesOpen } from "../call/outcome.ts";
import { addJitter, isTransient } from "../call/retry.ts";
import { writeEvent } from "../input.ts";
import { checkOptions, type RetryPolicy, writeSchema } from "../options.ts";
import { ApiError, type Attempt, AuthenticationError, CallError, ConfigurationError } from "../report/errors.ts";
import type { CallName } from "../report/events.ts";
import { asError } from "../report/report.ts";
import type { PushedEvent, QueuedEvent } from "./queued-events.ts";

/** Most attempts that count in `repeats`. After these, the queue gives up on the event. */
const mostRepeats = 10;

/** An event in the queue. */
export class QueueEntry {
  /** The event as JSON. */
  readonly body: string;
  readonly pageId: string;
  /** Length of the event as JSON in UTF-8. */
  readonly bytes: number;
  /** The same on every send. */
  readonly idempotencyKey: string;
  /** Name of the latest call that sent it. */
  call: CallName | undefined;
  /** The error of its latest failure. */
  error: Error | undefined;
  /** Attempts that the service may have carried out, or that failed although others were delivered. */
  repeats = 0;
  /** Whether the service may already have the event. */
  mayHaveBeenApplied: boolean;

  constructor(pushed: PushedEvent, nowMs: number) {
    const { idempotencyKey, ...event } = Object(pushed) as PushedEvent; // why: plain JavaScript may pass anything; checked in the next line
    this.body = writeEvent(idempotencyKey === undefined ? pushed : event, nowMs);
    checkOptions(writeSchema, { idempotencyKey });
    this.pageId = event.pageId;
    this.bytes = new TextEncoder().encode(this.body).length;
    this.idempotencyKey = idempotencyKey ?? crypto.randomUUID();
    this.mayHaveBeenApplied = idempotencyKey !== undefined;
  }

  /** Records a failure; returns whether the event may be sent again. */
  mayRepeat({ error, isRepeatable, ambiguousAttempts }: Failure, isAlone: boolean): boolean {
    // An error about the key says nothing about the event.
    if (!ConfigurationError.is(error)) this.error = error;
    if (CallError.is(error)) this.mayHaveBeenApplied ||= error.mayHaveBeenApplied;
    this.repeats += isAlone && CallError.is(error) ? error.attempts.length : ambiguousAttempts;
    return isRepeatable && this.repeats < mostRepeats;
  }

  toEvent(): QueuedEvent {
    const event = JSON.parse(this.body) as AnalyticsEvent; // why: it was checked before it was written
    return this.mayHaveBeenApplied ? { ...event, idempotencyKey: this.idempotencyKey } : event;
  }
}

/** Statuses about the account, or about a page of another account. */
const accountStatuses = new Set([401, 402, 403]);
/** Statuses after which the service has handled nothing. A 407 comes from a proxy. */
const unhandledStatuses = new Set([...accountStatuses, 407, 425, 429]);

/** The classification of a failed event. */
export type Failure = ReturnType<typeof classify>;

/** Classifies the error of an event. `writes` decides which ambiguous attempts may be repeated. */
export function classify(thrown: unknown, writes: RetryPolicy["writes"]) {
  const error = asError(thrown);
  const { attempts = [], retryAfterMs } = CallError.is(error) ? error : {};
  const status = ApiError.is(error) ? error.status : 0;
  const isRefused = status >= 400 && status < 500 && !leavesOpen(status) && !unhandledStatuses.has(status);
  // Whether the next event would probably fail as well. A ConfigurationError means that the function that provides the key failed, or
  // that the `fetch` option returns no response. After such a `fetch`, the service may have the event, so the queue does not repeat it.
  const isOutage = CallError.is(error) ? !isRefused : ConfigurationError.is(error) && !error.mayHaveBeenApplied;
  // Attempts that the service may have carried out.
  const ambiguous = attempts.filter(({ status, isSent }) => (status === undefined ? isSent : leavesOpen(status)));
  return {
    error,
    isOutage,
    // Otherwise the event is a poison message, or it may have been delivered.
    isRepeatable: isOutage && ambiguous.every((attempt) => mayRepeat(attempt, writes)),
    // Whether the cause may be this event or its page, and not the service.
    isSuspect: retryAfterMs === undefined && (ambiguous.length > 0 || accountStatuses.has(status)),
    // A service that is down (503) has handled nothing. Source: RFC 9110, section 15.6.4.
    ambiguousAttempts: ambiguous.filter(({ status }) => status !== 503).length,
  };
}

/** Whether an ambiguous attempt may be repeated. The spec says to retry after a 500, and a 503 is an outage. */
function mayRepeat({ status }: Attempt, writes: RetryPolicy["writes"]): boolean {
  if (writes === "documented") return status === 500 || status === 503;
  return writes === "always" && isTransient(status);
}

/** Longest wait that the service may ask for, in milliseconds. A longer one is shortened, because the header may be wrong. */
const longestAskedMs = 600_000;

/**
 * Chooses how long to wait after a failure before an event is sent again, in milliseconds. It is the wait that the service asks for or
 * the backoff, whichever is longer. The backoff is up to 0.5 s after the first failure and doubles up to 30 s. After a refused key the
 * backoff is 30 s to 60 s, because such a key rarely becomes valid within seconds.
 */
export function chooseDelay(error: Error, failuresBefore: number, random: number): number {
  const capMs = AuthenticationError.is(error) ? 60_000 : Math.min(30_000, 500 * 2 ** Math.min(failuresBefore, 10));
  const { retryAfterMs = 0 } = CallError.is(error) ? error : {};
  const askedMs = retryAfterMs > 0 ? Math.min(addJitter(retryAfterMs, random), longestAskedMs) : 0;
  return Math.max(Math.ceil((capMs / 2) * (1 + random)), askedMs);
}
