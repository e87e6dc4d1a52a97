import { type HeaderLookup, readMoment, readRateLimit } from "@landing-page-service/contract";

/** How often, how soon and how long a call is tried again. */
export interface RetryPolicy {
  /** Attempts in total, including the first; 1 or more. An attempt after which the service asked for a wait of a second or more does not count, unless this is 1. @defaultValue 3 */
  readonly maxAttempts: number;
  /** Longest first wait when the service names none, in milliseconds; it doubles with every try. @defaultValue 500 */
  readonly baseDelayMs: number;
  /** Longest wait when the service names none, in milliseconds. @defaultValue 8000 */
  readonly maxDelayMs: number;
  /**
   * Longest wait the service may ask for, in milliseconds, give or take a twentieth, at most 3 s, for jitter and whole seconds
   * in headers; a longer one fails the call at once, with `retryAfterMs`.
   *
   * @defaultValue 60000
   */
  readonly maxWaitMs: number;
  /**
   * When to repeat `create` and `track`, which are not harmless to repeat. `"documented"`: after 429 and 500, as the spec
   * tells callers to, after a 503 with `Retry-After`, and when provably nothing was sent. `"safe"`: after 429 and when provably
   * nothing was sent only. `"always"`: as a read.
   *
   * @defaultValue "documented"
   */
  readonly writes: "documented" | "safe" | "always";
}

/** A response came, with a status other than success. */
export interface FailedResponse {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: HeaderLookup;
  /** Timestamp of its headers, milliseconds since 1970 UTC. @defaultValue the present */
  readonly receivedAtMs?: number | undefined;
}

/** How one try went wrong. */
export type AttemptFailure =
  | FailedResponse
  /** No connection came about, so provably nothing was sent. */
  | { readonly kind: "unsent" }
  /** The connection broke, or the response was cut off. */
  | { readonly kind: "broken" }
  /** The response took longer than `timeoutMs`. */
  | {
      readonly kind: "timeout";
      /** Whether the request had left by then. @defaultValue true */
      readonly isSent?: boolean | undefined;
    };

/** All that the decision about another try depends on. */
export interface RetryQuestion {
  /** HTTP method of the call. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** How the last try went wrong. */
  readonly failure: AttemptFailure;
  /** Tries made so far that count, this one included, 1 or more. */
  readonly attempt: number;
  /** The rules to go by. */
  readonly policy: RetryPolicy;
  /** The present, milliseconds since 1970 UTC. */
  readonly nowMs: number;
  /** Time left for the whole call, in milliseconds. */
  readonly leftMs: number;
  /** Retry tokens left for the endpoint: a try costs 14, 5 after a 429, nothing after one that asks for a wait. */
  readonly tokens: number;
  /** A random number, 0 or more and below 1. */
  readonly random: number;
}

/** Whether to try again. */
export type RetryPlan =
  | {
      /** Try again, */
      readonly retry: true;
      /** after waiting this long, in milliseconds: 50 or more (unless `maxWaitMs` is shorter), at most `maxWaitMs`. */
      readonly delayMs: number;
      /** Whether the service asked for the wait; otherwise it is our own backoff. */
      readonly asked: boolean;
      /** The wait that it asks for, in milliseconds, without jitter; absent when it asks for none. */
      readonly retryAfterMs?: number;
      /** Retry tokens this takes. */
      readonly cost: number;
    }
  | {
      /** Do not try again, */
      readonly retry: false;
      /** because it would not help or not be safe, all tries are used, the client's budget is, or the wait would be too long. */
      readonly reason: "final" | "attempts" | "budget" | "wait";
      /** The wait the service asks for, in milliseconds; absent when it asks for none. */
      readonly retryAfterMs?: number;
    };

/** Decides whether to make another attempt, and after which wait; `planRetry` without its check of the question. */
export function decideRetry(question: RetryQuestion): RetryPlan {
  const { failure, attempt, policy, leftMs } = question;
  const isRateLimit = failure.kind === "answer" && failure.status === 429;
  const asked = failure.kind === "answer" ? readAskedWait(failure, question.nowMs, policy.maxWaitMs) : undefined;
  const stop = (reason: "final" | "attempts" | "budget" | "wait"): RetryPlan =>
    asked === undefined ? { retry: false, reason } : { retry: false, reason, retryAfterMs: asked };

  if (!isRetryable(question.method, failure, policy.writes)) return stop("final");
  // A wait that the service asks for is bounded by the time that a call may take, unless it is so short that it bounds nothing.
  const isCounted = !isAskedWait(asked);
  if (policy.maxAttempts === 1 || (isCounted && attempt >= policy.maxAttempts)) return stop("attempts");
  const cost = isRateLimit ? (isCounted ? 5 : 0) : 14;
  if (question.tokens < cost) return stop("budget");
  if (asked === undefined) {
    const delayMs = backoff(policy, attempt, isRateLimit, question.random);
    return delayMs >= leftMs ? stop("wait") : { retry: true, delayMs, asked: false, cost };
  }
  const delayMs = Math.min(Math.max(addJitter(asked, question.random), 50), policy.maxWaitMs);
  if (asked > policy.maxWaitMs || delayMs >= leftMs) return stop("wait");
  return { retry: true, delayMs, asked: true, retryAfterMs: asked, cost };
}

/** Whether the service asked for a wait so long that the attempt before it does not count. */
export function isAskedWait(askedMs: number | undefined): boolean {
  return askedMs !== undefined && askedMs >= 1000;
}

/** Adds jitter to a wait, so that clients with the same reset do not return together: up to 250 ms plus a tenth of the wait, at most 1 s, never 0. */
export function addJitter(waitMs: number, random: number): number {
  return Math.ceil(waitMs + (1 - unit(random)) * Math.min(250 + waitMs / 10, 1000));
}

function isRetryable(method: RetryQuestion["method"], failure: AttemptFailure, writes: RetryPolicy["writes"]): boolean {
  const status = failure.kind === "answer" ? failure.status : undefined;
  const isUnsent = failure.kind === "unsent" || (failure.kind === "timeout" && failure.isSent === false);
  if (isUnsent || status === 429) return true;
  if (method !== "POST" || writes === "always")
    return status === undefined || [408, 500, 502, 503, 504].includes(status);
  if (writes === "safe" || failure.kind !== "answer") return false;
  // Who says when to come back has turned the request away, and not lost it half done.
  return status === 500 || (status === 503 && readMoment(failure.headers.get("Retry-After"), 0, null) !== undefined);
}

/** Full jitter: anything between nothing and the cap spreads clients best, but less than 50 ms is no wait. */
function backoff(policy: RetryPolicy, attempt: number, isRateLimit: boolean, random: number): number {
  const baseDelayMs = isRateLimit ? Math.max(policy.baseDelayMs, 1000) : policy.baseDelayMs;
  const capMs = Math.min(policy.maxDelayMs, baseDelayMs * 2 ** Math.min(attempt - 1, 30));
  return Math.min(Math.max(50, Math.ceil(unit(random) * capMs)), policy.maxWaitMs);
}

/** Keeps a caller's own `random` from making a wait of NaN, or of nothing. */
function unit(random: number): number {
  return random >= 0 && random < 1 ? random : 0.5;
}

/** Nobody means to ask for more than a year; a longer wait is a header in another unit. */
const longestPlausibleMs = 366 * 86_400_000;

/** The wait that a response asks for, in milliseconds from now; `undefined` when it asks for none, or only for one that is over. */
function readAskedWait(response: FailedResponse, nowMs: number, maxWaitMs: number): number | undefined {
  const { status, headers } = response;
  // Waits in headers count from the time they arrived; the body may have taken longer.
  const atMs = response.receivedAtMs ?? nowMs;
  const retryAfterMs = readWait(headers, "Retry-After", atMs);
  const waitMs = retryAfterMs ?? readResetWait(response, atMs, maxWaitMs) ?? 0;
  // A reset may be rounded by up to a second, so on a 429 a shorter wait says no more than that the call came too early.
  const leastMs = Math.min(1000, maxWaitMs);
  if (waitMs > 0) {
    const leftMs = Math.max(0, waitMs - Math.max(0, nowMs - atMs));
    return retryAfterMs === undefined && status === 429 ? Math.max(leftMs, leastMs) : leftMs;
  }
  if (status !== 429) return undefined;
  // A time of about now, in whole seconds: the service refuses requests until this second is over.
  const namedAtMs =
    readRateLimit(headers, atMs)?.resetAtMs ?? readMoment(headers.get("Retry-After"), atMs, headers.get("Date"));
  return namedAtMs !== undefined && Math.abs(namedAtMs - atMs) < 2000 ? leastMs : undefined;
}

/** A wait that a header names, in milliseconds; `undefined` where it names none, a time that is past, or an implausible one. */
function readWait(headers: HeaderLookup, name: string, atMs: number): number | undefined {
  const namedAtMs = readMoment(headers.get(name), atMs, headers.get("Date"));
  const waitMs = namedAtMs === undefined ? Number.NaN : Math.ceil(namedAtMs - atMs);
  return waitMs >= 0 && waitMs <= longestPlausibleMs ? waitMs : undefined;
}

function readResetWait({ status, headers }: FailedResponse, atMs: number, maxWaitMs: number): number | undefined {
  const { resetAtMs, remaining } = readRateLimit(headers, atMs) ?? {};
  // The reset is on every response, so alone it asks for nothing.
  if (resetAtMs === undefined || (status !== 429 && !(status >= 500 && remaining === 0))) return undefined;
  const waitMs = Math.ceil(resetAtMs - atMs);
  if (waitMs > longestPlausibleMs) return undefined;
  // Reset and Date are whole seconds, so a window of exactly the longest wait can look up to two seconds longer.
  const roundingMs = Math.min(2000, maxWaitMs / 20);
  return waitMs > maxWaitMs && waitMs <= maxWaitMs + roundingMs ? maxWaitMs : waitMs;
}
