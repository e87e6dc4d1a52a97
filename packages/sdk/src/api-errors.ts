// What a call rejects with when the service answered, with a status other than success.
import type { RateLimit } from "@landing-page-service/contract";
import { CallError, type CallFailure } from "./call-errors.ts";
import { leaveUnprinted, nameErrorClass, type Problem } from "./errors.ts";

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
