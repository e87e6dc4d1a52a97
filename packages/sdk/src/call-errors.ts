// What a call rejects with once it was under way.
import type { FieldProblem } from "@landing-page-service/contract";
import { LandingPagesError, leaveUnprinted, nameErrorClass, type Problem } from "./errors.ts";
import { describeFields } from "./messages.ts";

/** One try of a call: a request that was sent, or that could not be. */
export interface Attempt {
  /** Which try it was, from 1. */
  readonly number: number;
  /** Moment it began, milliseconds since 1970 UTC on the client's clock. */
  readonly startedAtMs: number;
  /** How long it took, body included, in milliseconds. */
  readonly durationMs: number;
  /** Whether it may have reached the service; false when provably nothing was sent. */
  readonly isSent: boolean;
  /** Status of the answer; absent when none came. */
  readonly status?: number;
  /** What went wrong when no usable answer came: a code such as `ECONNRESET`, or `timeout`. */
  readonly failure?: string;
  /** How long the call waited after it before the next, in milliseconds; absent on the last. */
  readonly waitMs?: number;
}

/** What is known of a call that failed. */
export interface CallFailure {
  /** HTTP method of the call. */
  readonly method: string;
  /** Path and query of the call, below the base URL. */
  readonly path: string;
  /** Every try, in order; empty when the call never left. */
  readonly attempts: readonly Attempt[];
  /** Whether the service may have carried out the call although it failed; always false for reads. */
  readonly mayHaveBeenApplied: boolean;
  /** The `Idempotency-Key` that all tries carried: pass it again as an option to repeat the same call. */
  readonly idempotencyKey?: string | undefined;
  /** How long to wait before another call has a chance, in milliseconds; absent when nobody knows. */
  readonly retryAfterMs?: number | undefined;
}

/** A call that failed on its way, or was refused, or answered with nonsense. */
export class CallError extends LandingPagesError implements CallFailure {
  static {
    nameErrorClass(this, "CallError");
  }

  readonly method: string;
  readonly path: string;
  readonly attempts: readonly Attempt[];
  readonly mayHaveBeenApplied: boolean;
  declare readonly idempotencyKey?: string | undefined;
  declare readonly retryAfterMs?: number | undefined;

  /** Takes the whole message and what is known of the call. */
  constructor(message: string, failure: CallFailure, options?: ErrorOptions) {
    super(message, options);
    this.method = failure.method;
    this.path = failure.path;
    this.attempts = failure.attempts;
    this.mayHaveBeenApplied = failure.mayHaveBeenApplied;
    if (failure.idempotencyKey !== undefined) this.idempotencyKey = failure.idempotencyKey;
    if (failure.retryAfterMs !== undefined) this.retryAfterMs = failure.retryAfterMs;
    leaveUnprinted(this);
  }
}

/** No usable answer came: no connection, a connection that broke, an answer cut off. `cause` tells what the network said. */
export class ConnectionError extends CallError {
  static {
    nameErrorClass(this, "ConnectionError");
  }

  declare readonly name: "ConnectionError";

  /** What the network said, such as `ECONNREFUSED`; `UNKNOWN` when it did not say. */
  readonly code: string;

  /** Takes the whole message, the code, and what is known of the call. */
  constructor(message: string, code: string, failure: CallFailure, options?: ErrorOptions) {
    super(message, failure, options);
    this.code = code;
  }
}

/** Time ran out, for one attempt (`timeoutMs`) or for the whole call (`totalTimeoutMs`). */
export class TimeoutError extends CallError {
  static {
    nameErrorClass(this, "TimeoutError");
  }

  declare readonly name: "TimeoutError";

  /** Which limit was hit. */
  readonly limit: "timeoutMs" | "totalTimeoutMs";

  /** Takes the whole message, the limit that was hit, and what is known of the call. */
  constructor(message: string, limit: "timeoutMs" | "totalTimeoutMs", failure: CallFailure, options?: ErrorOptions) {
    super(message, failure, options);
    this.limit = limit;
  }
}

/** The caller's own signal ended the call; `cause` is the signal's reason. `attempts` and `mayHaveBeenApplied` tell what became of the request. */
export class AbortedError extends CallError {
  static {
    nameErrorClass(this, "AbortError");
  }

  declare readonly name: "AbortError";
}

/** The service answered success with something that cannot be what was asked for: not JSON, not a page, far too large. */
export class ResponseValidationError extends CallError {
  static {
    nameErrorClass(this, "ResponseValidationError");
  }

  declare readonly name: "ResponseValidationError";

  /** HTTP status of the answer. */
  readonly status: number;
  /** What was expected and what came instead. */
  readonly problem: Problem;
  /** The parsed body, without the API key and cut to a size that a log can take; absent when there was none. */
  declare readonly body?: unknown;

  /** Takes the whole message, the status, what is wrong, and what is known of the call. */
  constructor(
    message: string,
    answer: { readonly status: number; readonly errors: readonly FieldProblem[]; readonly body?: unknown },
    failure: CallFailure,
    options?: ErrorOptions,
  ) {
    super(message, failure, options);
    this.status = answer.status;
    this.problem = { detail: describeFields(answer.errors), errors: answer.errors };
    if (answer.body !== undefined) this.body = answer.body;
    leaveUnprinted(this);
  }
}
