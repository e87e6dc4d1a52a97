// Every error of this package, and what of it is printed.
import type { FieldProblem, RateLimit } from "@landing-page-service/contract";
import { byField, describeFields, nameKind } from "./messages.ts";

// The same key in every copy of the package, so that `is` works across copies and versions.
const brand = Symbol.for("landing-page-service.error");

/**
 * Every error this package raises. Printed, it shows its message, where it was asked for, and what fits on a line each; its lists
 * and records are there for code and in `toJSON`.
 */
export class LandingPagesError extends Error {
  /**
   * Tells whether a value is an error of this class, also when it was made by another copy of the package,
   * where `instanceof` says no.
   */
  static is<Instance extends LandingPagesError>(
    this: { readonly prototype: Instance },
    value: unknown,
  ): value is Instance {
    if (!(value instanceof Error)) return false;
    const wanted: unknown = Object.hasOwn(this.prototype, brand) ? Reflect.get(this.prototype, brand) : this.prototype;
    for (let proto: unknown = Object.getPrototypeOf(value); isObject(proto); proto = Object.getPrototypeOf(proto)) {
      if (proto === wanted || (Object.hasOwn(proto, brand) && Reflect.get(proto, brand) === wanted)) return true;
    }
    return false;
  }

  /** Gives the error as plain data for a log: name, message and every field; never the API key, a cookie or a whole body. */
  toJSON(): Record<string, unknown> {
    const names = [...Object.keys(this), ...details.filter((name) => Object.hasOwn(this, name))];
    const fields = names.map((name): [string, unknown] => [name, plain(Reflect.get(this, name))]);
    return { name: this.name, message: this.message, ...Object.fromEntries(fields), ...causeOf(this) };
  }
}

/** What was thrown, as an error: whatever is none, such as what an option of the caller's throws, is the `cause` of one. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new LandingPagesError(`${nameKind(thrown)} was thrown`, { cause: thrown });
}

/** What is wrong, in words and place by place. */
export interface Problem {
  /** What went wrong, at most 500 characters; empty when nobody said. */
  readonly detail: string;
  /** Each wrong place, as a JSON pointer (`#/cta/url`) or the name of a parameter, and what is wrong there; empty when none is named. */
  readonly errors: readonly FieldProblem[];
}

/** The client was set up wrongly: a missing or malformed key, a base URL that would leak it, an option out of range. Nothing was sent. */
export class ConfigurationError extends LandingPagesError {
  declare readonly name: "ConfigurationError";
}

/** A call was given something that cannot be right. Nothing was sent. */
export class InvalidInputError extends LandingPagesError {
  declare readonly name: "InvalidInputError";

  /** Each wrong field of the input, and the rule it breaks. */
  readonly problem: Problem;

  /** Takes what was being done, such as `Create page`, and every wrong field. */
  constructor(summary: string, errors: readonly FieldProblem[], options?: ErrorOptions) {
    const detail = describeFields(errors);
    super(`${summary} was not sent: ${detail}`, options);
    this.problem = { detail, errors };
    leaveUnprinted(this);
  }

  /** What is wrong with each field, by its name, for a form: `{ "cta.url": "must be an absolute URL" }`. */
  get fieldErrors(): Readonly<Record<string, string>> {
    return byField(this.problem.errors);
  }
}

/** An iteration over the list of pages cannot go on, although each request got a response. */
export class IterationError extends LandingPagesError {
  declare readonly name: "IterationError";

  /**
   * `stuck`: the service returns the same pages at every offset, or nothing new in 1 000 responses. `maxRequests`: the iteration
   * needs more requests than `maxRequests` allows, and the iterator's `resumeToken` continues here. `lost`: the iteration started
   * with `offset` or `resumeFrom`, and none of the pages that it remembers is listed any more.
   */
  readonly reason: "stuck" | "maxRequests" | "lost";

  /** Takes what went wrong, in words and as a code. */
  constructor(problem: string, reason: IterationError["reason"]) {
    super(`Iteration stopped: ${problem}`);
    this.reason = reason;
  }
}

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
  declare readonly name: "AbortError";
}

/** The service answered success with something that cannot be what was asked for: not JSON, not a page, far too large. */
export class ResponseValidationError extends CallError {
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
    answer: { readonly status: number; readonly problem: Problem; readonly body?: unknown },
    failure: CallFailure,
    options?: ErrorOptions,
  ) {
    super(message, failure, options);
    this.status = answer.status;
    this.problem = answer.problem;
    if (answer.body !== undefined) this.body = answer.body;
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
  declare readonly name: "BadRequestError";

  /** What the service says is wrong with each field, by its name, for a form: `{ "cta.url": "must be an absolute URL" }`; empty when it names none. */
  get fieldErrors(): Readonly<Record<string, string>> {
    return byField(this.problem.errors);
  }
}

/** Status 401: the API key is missing or not valid. */
export class AuthenticationError extends ApiError {
  declare readonly name: "AuthenticationError";
}

/** Status 404: the page does not exist, or belongs to another account. */
export class NotFoundError extends ApiError {
  declare readonly name: "NotFoundError";
}

/**
 * Status 429: the rate limit is used up; `retryAfterMs` says for how long. With empty `attempts` the call was held back
 * because an earlier answer already said so, and waiting would have taken longer than the call may.
 */
export class RateLimitError extends ApiError {
  declare readonly name: "RateLimitError";
}

/** Status 500 to 599: the service failed. Source: spec, "Errors": the caller should retry later. */
export class ServerError extends ApiError {
  declare readonly name: "ServerError";
}

/** The name of every class: also where a bundler renamed it, and for `is` in every copy of the package. */
const named = {
  LandingPagesError,
  ConfigurationError,
  InvalidInputError,
  IterationError,
  CallError,
  ConnectionError,
  TimeoutError,
  AbortError: AbortedError,
  ResponseValidationError,
  ApiError,
  BadRequestError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
  ServerError,
};
for (const [name, ErrorClass] of Object.entries(named)) {
  const hidden = { value: name, enumerable: false, configurable: true, writable: true };
  Object.defineProperties(ErrorClass.prototype, { name: hidden, [brand]: hidden });
}

/** The lists and records of errors. What of them a person needs is in the message. */
const details = ["attempts", "problem", "headers", "body", "rateLimit"] as const;

/**
 * Keeps the lists and records of an error out of what is printed of it. Without a `catch` that is all that a person sees, and
 * they would bury the message. Enumerability is what counts: what Node prints of an uncaught error asks no method of it.
 */
function leaveUnprinted(error: Error): void {
  for (const name of details) {
    if (Object.hasOwn(error, name)) Object.defineProperty(error, name, { enumerable: false });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function plain(value: unknown): unknown {
  return value instanceof Headers ? Object.fromEntries([...value].filter(([name]) => name !== "set-cookie")) : value;
}

function causeOf(error: Error): { cause?: unknown } {
  if (error.cause === undefined) return {};
  if (!(error.cause instanceof Error)) return { cause: error.cause };
  const { name, message, code } = error.cause as NodeJS.ErrnoException; // why: a code is there or undefined
  return { cause: { name, message, ...(code === undefined ? {} : { code }), ...causeOf(error.cause) } };
}
