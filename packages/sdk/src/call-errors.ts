// What a call rejects with once it was under way.
import type { FieldProblem, RateLimit } from "@landing-page-service/contract";
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

/** What an error answer says, whatever its shape. Gap: see docs/spec-gaps.md#error-body */
export interface ApiProblem extends Problem {
  /** The service's own name for the kind of error, such as a problem type or an error code; absent when it gives none. */
  readonly type?: string | undefined;
}

/** What an answer with an error status carried. */
export interface ErrorAnswer {
  /** HTTP status. */
  readonly status: number;
  /** What the body says. */
  readonly problem: ApiProblem;
  /** The parsed body, without the API key and cut to a size that a log can take; absent when there was none. */
  readonly body?: unknown;
  /** Headers of the answer; an error keeps them without cookies. */
  readonly headers: Headers;
  /** The service's name for the request, for a support question; absent when it gives none. */
  readonly requestId?: string | undefined;
  /** The rate limit as of this answer; absent when the answer does not tell. */
  readonly rateLimit?: RateLimit | undefined;
}

/**
 * The service answered with a status other than success. The status alone decides the class, never the body.
 * Source: spec, "Errors".
 */
export class ApiError extends CallError implements ErrorAnswer {
  static {
    nameErrorClass(this, "ApiError");
  }

  /** That of the class the status calls for; `ApiError` for a status without a class of its own. */
  declare readonly name:
    "ApiError" | "BadRequestError" | "AuthenticationError" | "NotFoundError" | "RateLimitError" | "ServerError";

  readonly status: number;
  readonly problem: ApiProblem;
  declare readonly body?: unknown;
  readonly headers: Headers;
  declare readonly requestId?: string | undefined;
  declare readonly rateLimit?: RateLimit | undefined;

  /** Takes the whole message, the answer, and what is known of the call. */
  constructor(message: string, answer: ErrorAnswer, failure: CallFailure, options?: ErrorOptions) {
    super(message, failure, options);
    this.status = answer.status;
    this.problem = answer.problem;
    if (answer.body !== undefined) this.body = answer.body;
    this.headers = new Headers(answer.headers);
    this.headers.delete("Set-Cookie");
    if (answer.requestId !== undefined) this.requestId = answer.requestId;
    if (answer.rateLimit !== undefined) this.rateLimit = answer.rateLimit;
    leaveUnprinted(this);
  }
}

/** Status 400: the service refuses a parameter or the body; `problem.errors` says which field where the service does. */
export class BadRequestError extends ApiError {
  static {
    nameErrorClass(this, "BadRequestError");
  }

  declare readonly name: "BadRequestError";
}

/** Status 401: the API key is missing or not valid. */
export class AuthenticationError extends ApiError {
  static {
    nameErrorClass(this, "AuthenticationError");
  }

  declare readonly name: "AuthenticationError";
}

/** Status 404: the page does not exist, or belongs to another account. */
export class NotFoundError extends ApiError {
  static {
    nameErrorClass(this, "NotFoundError");
  }

  declare readonly name: "NotFoundError";
}

/**
 * Status 429: the rate limit is used up; `retryAfterMs` says for how long. With empty `attempts` the call was held back
 * because an earlier answer already said so, and waiting would have taken longer than the call may.
 */
export class RateLimitError extends ApiError {
  static {
    nameErrorClass(this, "RateLimitError");
  }

  declare readonly name: "RateLimitError";
}

/** Status 500 to 599: the service failed. Source: spec, "Errors": the caller should retry later. */
export class ServerError extends ApiError {
  static {
    nameErrorClass(this, "ServerError");
  }

  declare readonly name: "ServerError";
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
