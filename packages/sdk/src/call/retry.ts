import { type HeaderLookup, readMoment, readRateLimit } from "@landing-page-service/contract";
import type { RetryPolicy } from "../options.ts";

/** A response with a status other than success. */
export interface FailedResponse {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: HeaderLookup;
  /** Timestamp of its headers, milliseconds since 1970 UTC. @defaultValue the current time */
  readonly receivedAtMs?: number | undefined;
}

/** How an attempt failed. */
export type AttemptFailure =
  | FailedResponse
  /** No connection was made, so provably nothing was sent. */
  | { readonly kind: "unsent" }
  /** The connection broke, or the response was cut off. */
  | { readonly kind: "broken" }
  /** The response took longer than `timeoutMs`. `isSent` is whether the request had been sent by then; it is if this is left out. */
  | { readonly kind: "timeout"; readonly isSent?: boolean | undefined };

/** The facts that decide whether to make another attempt. */
export interface RetryQuestion {
  /** HTTP method of the call. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** How the last attempt failed. */
  readonly failure: AttemptFailure;
  /** Number of attempts that count so far, the last one included; 1 or more. */
  readonly attempt: number;
  /** The retry rules. */
  readonly policy: RetryPolicy;
  /** Current time, milliseconds since 1970 UTC. */
  readonly nowMs: number;
  /** Time left for the whole call, in milliseconds. */
  readonly leftMs: number;
  /** Retry tokens left for the endpoint. A retry costs 14; after a 429, it costs 5, or nothing if the 429 asks for a wait of a second or more. */
  readonly tokens: number;
  /** A random number, 0 or more and below 1. */
  readonly random: number;
}

/** Whether to make another attempt. */
export type RetryPlan =
  | {
      /** Make another attempt. */
      readonly retry: true;
      /** Wait before the attempt, in milliseconds: 50 or more (unless `maxWaitMs` is shorter), at most `maxWaitMs`. */
      readonly delayMs: number;
      /** Whether the service asked for the wait; otherwise it is the client's own backoff. */
      readonly asked: boolean;
      /** The wait that the service asks for, in milliseconds, without jitter; absent if it asks for none. */
      readonly retryAfterMs?: number;
      /** Retry tokens that the attempt costs. */
      readonly cost: number;
    }
  | {
      /** Make no other attempt. */
      readonly retry: false;
      /** `final`: another attempt would not help or not be safe. `attempts`, `budget`: all attempts or the retry budget are used up. `wait`: the wait would be too long. */
      readonly reason: "final" | "attempts" | "budget" | "wait";
      /** The wait that the service asks for, in milliseconds; absent if it asks for none. */
      readonly retryAfterMs?: number;
    };

/**
 * Decides whether to retry a call, and after which wait. It is a pure function: the same argument gives the same plan.
 *
 * If the service asks for a wait, that wait is used: `Retry-After`, else `X-RateLimit-Reset` on a 429, or on a 5xx if
 * `X-RateLimit-Remaining` is 0. On a 429, a reset that is due now may be rounded down, so the wait is a second. Jitter only makes
 * such a wait longer. Otherwise the wait is a random part of a delay that doubles with every attempt.
 */
export function planRetry(question: RetryQuestion): RetryPlan {
  const { failure, attempt, policy, leftMs } = question;
  const isRateLimit = failure.kind === "answer" && failure.status === 429;
  const asked = failure.kind === "answer" ? readAskedWait(failure, question.nowMs, policy.maxWaitMs) : undefined;
  const stop = (reason: "final" | "attempts" | "budget" | "wait"): RetryPlan =>
    asked === undefined ? { retry: false, reason } : { retry: false, reason, retryAfterMs: asked };

  if (!isRetryable(question.method, failure, policy.writes)) return stop("final");
  // `totalTimeoutMs` limits attempts after which the service asks for a wait. A very short wait would limit nothing, so it counts.
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
  if (method !== "POST" || writes === "always") return isTransient(status);
  if (writes === "safe" || failure.kind !== "answer") return false;
  // A 503 with `Retry-After` refuses the request before it is carried out.
  return status === 500 || (status === 503 && readMoment(failure.headers.get("Retry-After"), 0, null) !== undefined);
}

/** Whether a request that may be repeated is repeated after this status, or after no response. */
export function isTransient(status: number | undefined): boolean {
  return status === undefined || [408, 500, 502, 503, 504].includes(status);
}

/** Returns a random part of the longest wait (full jitter, which spreads clients best), at least 50 ms. */
function backoff(policy: RetryPolicy, attempt: number, isRateLimit: boolean, random: number): number {
  const baseDelayMs = isRateLimit ? Math.max(policy.baseDelayMs, 1000) : policy.baseDelayMs;
  const capMs = Math.min(policy.maxDelayMs, baseDelayMs * 2 ** Math.min(attempt - 1, 30));
  return Math.min(Math.max(50, Math.ceil(unit(random) * capMs)), policy.maxWaitMs);
}

/** Replaces a value of the caller's `random` that is out of range, which would make the wait NaN or 0. */
function unit(random: number): number {
  return random >= 0 && random < 1 ? random : 0.5;
}

/** Longest plausible wait. A header that asks for more is in another unit. */
const longestPlausibleMs = 366 * 86_400_000;

/** Reads the wait that a response asks for, in milliseconds from now; `undefined` if it asks for none, or for one that is over. */
function readAskedWait(response: FailedResponse, nowMs: number, maxWaitMs: number): number | undefined {
  // Waits in headers count from the time at which the headers arrived. The body may have arrived later.
  const { status, headers, receivedAtMs: atMs = nowMs } = response;
  const retryAtMs = readMoment(headers.get("Retry-After"), atMs, headers.get("Date"));
  const { resetAtMs, remaining } = readRateLimit(headers, atMs) ?? {};
  const retryAfterMs = waitUntil(retryAtMs, atMs);
  // Every response has a reset, so the reset alone is no request to wait.
  const isResetMeant = status === 429 || (status >= 500 && remaining === 0);
  const resetMs = (isResetMeant && waitUntil(resetAtMs, atMs)) || 0;
  // Reset and Date are whole seconds, so a window of exactly `maxWaitMs` can appear as much as two seconds too long.
  const isRounded = resetMs > maxWaitMs && resetMs <= maxWaitMs + Math.min(2000, maxWaitMs / 20);
  const waitMs = retryAfterMs ?? (isRounded ? maxWaitMs : resetMs);
  // Services round a reset by up to a second, so after a 429 a shorter wait may still be too early.
  const leastMs = Math.min(1000, maxWaitMs);
  if (waitMs > 0) {
    const leftMs = Math.max(0, waitMs - Math.max(0, nowMs - atMs));
    return retryAfterMs === undefined && status === 429 ? Math.max(leftMs, leastMs) : leftMs;
  }
  // A header in whole seconds that names the current time means that the service refuses requests until this second is over.
  const namedAtMs = resetAtMs ?? retryAtMs;
  const isNow = namedAtMs !== undefined && Math.abs(namedAtMs - atMs) < 2000;
  return status === 429 && isNow ? leastMs : undefined;
}

/** How long until a timestamp, in milliseconds; `undefined` if there is none, or it is over or implausible. */
function waitUntil(namedAtMs: number | undefined, atMs: number): number | undefined {
  const waitMs = namedAtMs === undefined ? Number.NaN : Math.ceil(namedAtMs - atMs);
  return waitMs >= 0 && waitMs <= longestPlausibleMs ? waitMs : undefined;
}
