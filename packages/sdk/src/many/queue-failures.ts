// Decides what a failed event says about the service, and how long the queue waits before it sends again.
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

/** What the failure of an event means. */
export interface Failure {
  readonly error: Error;
  /** Whether the event may be sent again. Otherwise the service refused the event itself, or it may have arrived. */
  readonly isRepeatable: boolean;
  /** Whether the next event would probably fail as well. */
  readonly isOutage: boolean;
  /** Whether the cause may be this event or its page, and not the service. */
  readonly isSuspect: boolean;
  /** Attempts that the service may have carried out. */
  readonly ambiguousAttempts: number;
}

/** These are about the account, or about one page of another account. */
const accountStatuses = new Set([401, 402, 403]);
/** A 407 is about the proxy itself. A 425 and a 429 say that nothing was handled. */
const unhandledStatuses = new Set([...accountStatuses, 407, 425, 429]);

/** Says what the error of an event means. `writes` says which ambiguous attempts may be repeated. */
export function classify(thrown: unknown, writes: RetryPolicy["writes"]): Failure {
  const error = asError(thrown);
  const { attempts = [], retryAfterMs } = CallError.is(error) ? error : {};
  const status = ApiError.is(error) ? error.status : 0;
  const isRefused = status >= 400 && status < 500 && !leavesOpen(status) && !unhandledStatuses.has(status);
  // After a ConfigurationError nothing was sent and nothing can be: the function that provides the key failed.
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

/** Whether an ambiguous attempt may be repeated. The spec tells callers to repeat after a 500, and a 503 is an outage. */
function mayRepeat({ status }: Attempt, writes: RetryPolicy["writes"]): boolean {
  if (writes === "documented") return status === 500 || status === 503;
  return writes === "always" && (status === undefined || [408, 500, 502, 503, 504].includes(status));
}

/** A longer wait that the service asks for is cut, because the header may be wrong. */
const longestAskedMs = 600_000;

/**
 * Chooses how long to wait after a failure before an event is sent again, in milliseconds: as long as the service asked for,
 * else up to 0.5 s at first, doubling with each failure before, up to 30 s. After a refused key it is 30 s to 60 s, because the
 * key hardly becomes good within seconds.
 */
export function chooseDelay(error: Error, failuresBefore: number, random: number): number {
  const capMs = AuthenticationError.is(error) ? 60_000 : Math.min(30_000, 500 * 2 ** Math.min(failuresBefore, 10));
  const { retryAfterMs = 0 } = CallError.is(error) ? error : {};
  const askedMs = retryAfterMs > 0 ? Math.min(addJitter(retryAfterMs, random), longestAskedMs) : 0;
  return Math.max(Math.ceil((capMs / 2) * (1 + random)), askedMs);
}
