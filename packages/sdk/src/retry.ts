import type { HeaderLookup } from "@landing-page-service/contract";
import { readAskedWait, readRetryAfter } from "./asked-wait.ts";
import { type Names, refuseUnknown } from "./known-options.ts";

/** How often, how soon and how long a call is tried again. */
export interface RetryPolicy {
  /** Tries in all, the first one included; 1 or more. One after which the service asked for a wait does not count, unless 1 is all. @defaultValue 3 */
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

/** Names of the parts of a retry policy. */
export const policyNames: Names<RetryPolicy> = {
  maxAttempts: true,
  baseDelayMs: true,
  maxDelayMs: true,
  maxWaitMs: true,
  writes: true,
};

/** How one try went wrong. */
export type AttemptFailure =
  /** An answer came, with a status other than success. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: HeaderLookup;
      /** Moment its headers came, milliseconds since 1970 UTC. @defaultValue the present */
      readonly receivedAtMs?: number | undefined;
    }
  /** No connection came about, so provably nothing was sent. */
  | { readonly kind: "unsent" }
  /** The connection broke, or the answer was cut off. */
  | { readonly kind: "broken" }
  /** The answer took longer than one try may. */
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

const questionNames: Names<RetryQuestion> = {
  method: true,
  failure: true,
  attempt: true,
  policy: true,
  nowMs: true,
  leftMs: true,
  tokens: true,
  random: true,
};

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

/**
 * Decides whether to try a call again, and after which wait. Pure: the same question gets the same plan.
 *
 * The wait the service asks for comes first: `Retry-After`, else `X-RateLimit-Reset` on a 429, or on a 5xx when
 * `X-RateLimit-Remaining` is 0; a reset of now, on a 429, is one rounded down, and asks for a second. Jitter is only ever
 * added. Otherwise the wait is a random part of a delay that doubles with every try.
 *
 * @throws {ConfigurationError} when the question or its policy has a member under another name.
 */
export function planRetry(question: RetryQuestion): RetryPlan {
  refuseUnknown(questionNames, question);
  refuseUnknown(policyNames, question.policy, { below: "policy" });
  const { failure, attempt, policy, leftMs } = question;
  const asked = failure.kind === "answer" ? readAskedWait(failure, question.nowMs, policy.maxWaitMs) : undefined;
  const stop = (reason: "final" | "attempts" | "budget" | "wait"): RetryPlan =>
    asked === undefined ? { retry: false, reason } : { retry: false, reason, retryAfterMs: asked };

  if (!isRetryable(question.method, failure, policy.writes)) return stop("final");
  // What the service asks for is no failure to be counted: the time that a call may take bounds it.
  if (policy.maxAttempts === 1 || (asked === undefined && attempt >= policy.maxAttempts)) return stop("attempts");
  const cost = isRateLimited(failure) ? (asked === undefined ? 5 : 0) : 14;
  if (question.tokens < cost) return stop("budget");
  if (asked === undefined) {
    const delayMs = backoff(policy, attempt, isRateLimited(failure), question.random);
    return delayMs >= leftMs ? stop("wait") : { retry: true, delayMs, asked: false, cost };
  }
  const delayMs = Math.min(Math.max(addJitter(asked, question.random), 50), policy.maxWaitMs);
  if (asked > policy.maxWaitMs || delayMs >= leftMs) return stop("wait");
  return { retry: true, delayMs, asked: true, retryAfterMs: asked, cost };
}

/** The plan where this machine has no place for another connection, until one under way gives its own back: no attempt, no cost. */
export const waitForPlace: RetryPlan = { retry: true, delayMs: 0, asked: true, cost: 0 };

/** Whether an attempt ended in a way about which there is something to decide. */
export function isFailure<Outcome extends { readonly kind: string }>(
  outcome: Outcome,
): outcome is Outcome & AttemptFailure {
  return ["answer", "unsent", "broken", "timeout"].includes(outcome.kind);
}

/** Adds to a wait, so that clients told the same moment do not return together: up to 250 ms and a tenth, at most 1 s, never nothing. */
export function addJitter(waitMs: number, random: number): number {
  return Math.ceil(waitMs + (1 - unit(random)) * Math.min(250 + waitMs / 10, 1000));
}

function isRetryable(method: RetryQuestion["method"], failure: AttemptFailure, writes: RetryPolicy["writes"]): boolean {
  if (isUnsent(failure) || isRateLimited(failure)) return true;
  const status = failure.kind === "answer" ? failure.status : undefined;
  if (method !== "POST" || writes === "always")
    return status === undefined || [408, 500, 502, 503, 504].includes(status);
  if (writes === "safe" || failure.kind !== "answer") return false;
  // Who says when to come back has turned the request away, and not lost it half done.
  return status === 500 || (status === 503 && readRetryAfter(failure.headers, 0) !== undefined);
}

function isUnsent(failure: AttemptFailure): boolean {
  return failure.kind === "unsent" || (failure.kind === "timeout" && failure.isSent === false);
}

function isRateLimited(failure: AttemptFailure): boolean {
  return failure.kind === "answer" && failure.status === 429;
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
