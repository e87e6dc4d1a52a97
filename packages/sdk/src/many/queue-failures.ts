// Decides whether a failed event means an outage, and how long the queue waits before it sends again.
import { leavesOpen } from "../call/outcome.ts";
import { addJitter, type RetryPolicy } from "../call/retry.ts";
import {
  ApiError,
  type Attempt,
  asError,
  AuthenticationError,
  CallError,
  ConfigurationError,
} from "../report/errors.ts";

/** The classification of a failed event. */
export interface Failure {
  readonly error: Error;
  /** Whether the event may be sent again. Otherwise it is a poison message, or it may have been delivered. */
  readonly isRepeatable: boolean;
  /** Whether the next event would probably fail as well. */
  readonly isOutage: boolean;
  /** Whether the cause may be this event or its page, and not the service. */
  readonly isSuspect: boolean;
  /** Attempts that the service may have carried out. */
  readonly ambiguousAttempts: number;
}

/** Statuses about the account, or about a page of another account. */
const accountStatuses = new Set([401, 402, 403]);
/** Statuses after which the service has handled nothing. A 407 comes from a proxy. */
const unhandledStatuses = new Set([...accountStatuses, 407, 425, 429]);

/** Classifies the error of an event. `writes` decides which ambiguous attempts may be repeated. */
export function classify(thrown: unknown, writes: RetryPolicy["writes"]): Failure {
  const error = asError(thrown);
  const { attempts = [], retryAfterMs } = CallError.is(error) ? error : {};
  const status = ApiError.is(error) ? error.status : 0;
  const isRefused = status >= 400 && status < 500 && !leavesOpen(status) && !unhandledStatuses.has(status);
  // A ConfigurationError means that the function that provides the key failed, so no event can be sent.
  const isOutage = CallError.is(error) ? !isRefused : ConfigurationError.is(error);
  const ambiguous = attempts.filter(({ status, isSent }) => (status === undefined ? isSent : leavesOpen(status)));
  return {
    error,
    isRepeatable: isOutage && ambiguous.every((attempt) => mayRepeat(attempt, writes)),
    isOutage,
    isSuspect: retryAfterMs === undefined && (ambiguous.length > 0 || accountStatuses.has(status)),
    // A service that is down (503) has handled nothing. Source: RFC 9110, section 15.6.4.
    ambiguousAttempts: ambiguous.filter(({ status }) => status !== 503).length,
  };
}

/** Whether an ambiguous attempt may be repeated. The spec says to retry after a 500, and a 503 is an outage. */
function mayRepeat({ status }: Attempt, writes: RetryPolicy["writes"]): boolean {
  if (writes === "documented") return status === 500 || status === 503;
  return writes === "always" && (status === undefined || [408, 500, 502, 503, 504].includes(status));
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
