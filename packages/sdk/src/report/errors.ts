// All error classes of this package, and which of their fields Node prints. Every export is public.
import type { FieldProblem, RateLimit } from "@landing-page-service/contract";
import { byField, describeFields } from "./messages.ts";

/** The mark of a class, the same in every copy of the package, so that `is` works across copies and versions. */
const markOf = (name: string) => Symbol.for(`landing-page-service.${name}`);

/**
 * Base class of all errors of this package. Printed, an error shows its message, its stack and its short fields. Its lists and
 * objects are in `toJSON`.
 */
export class LandingPagesError extends Error {
  /**
   * Whether a value is an error of this class. Unlike `instanceof`, it also recognises errors of another copy of the package.
   */
  static is<Type extends LandingPagesError>(this: { readonly prototype: Type }, value: unknown): value is Type {
    if (Object.prototype.isPrototypeOf.call(this.prototype, Object(value))) return true;
    // A subclass of the caller has no mark of its own.
    return value instanceof Error && Object.hasOwn(this.prototype, "name") && markOf(this.prototype.name) in value;
  }

  /** Returns the error as plain data for a log: name, message and every field, but no API key, no cookie and no large body. */
  toJSON(): Record<string, unknown> {
    const long = details.flatMap((name): [string, unknown][] => {
      const value: unknown = Reflect.get(this, name);
      return value === undefined ? [] : [[name, value instanceof Headers ? Object.fromEntries(value) : value]];
    });
    const fields = Object.fromEntries([...Object.entries(this), ...long]);
    return { name: this.name, message: this.message, ...fields, ...causeOf(this) };
  }
}

/** A problem with a request or a response: one message, and one for each field. */
export interface Problem {
  /** What went wrong, at most 500 characters; empty if unknown. */
  readonly detail: string;
  /** Each wrong field, as a JSON pointer (`#/cta/url`) or the name of a parameter, and what is wrong with it; empty if unknown. */
  readonly errors: readonly FieldProblem[];
}

/**
 * An option of the client or of a call is wrong, such as a missing key, an unsafe base URL, or a number out of range. Nothing was sent,
 * unless the `fetch` option sent the request and returned something else than a `Response`.
 */
export class ConfigurationError extends LandingPagesError {
  declare readonly name: "ConfigurationError";

  /** Whether the service may have carried out a write. Only set if the `fetch` option returned no usable `Response`. */
  declare readonly mayHaveBeenApplied?: boolean;
}

/** An argument of a call is wrong, such as a missing title. Nothing was sent. */
export class InvalidInputError extends LandingPagesError {
  declare readonly name: "InvalidInputError";

  /** Each wrong field of the input, and the rule it breaks. */
  declare readonly problem: Problem;

  /** Takes the name of the operation, such as `Create page`, and every wrong field. */
  constructor(summary: string, errors: readonly FieldProblem[], options?: ErrorOptions) {
    const detail = describeFields(errors);
    super(`${summary} was not sent: ${detail}`, options);
    assignFacts(this, { problem: { detail, errors } });
  }

  /** One message for each wrong field, by its name, for a form: `{ "cta.url": "is required" }`. */
  get fieldErrors(): Readonly<Record<string, string>> {
    return byField(this.problem.errors);
  }
}

/** An iteration over the list of pages cannot go on, although each request got a response. */
export class IterationError extends LandingPagesError {
  declare readonly name: "IterationError";

  /**
   * `stuck`: the service returns the same pages at several offsets, or nothing new in 1 000 responses. `maxRequests`: the iteration
   * needs more requests than `maxRequests` allows, and the iterator's `resumeToken` continues here. `lost`: the iteration started
   * with `offset` or `resumeFrom`, and none of the pages that it remembers is listed any more. `noSlug`: `find` found
   * no page with the slug, but the list has pages without their slugs.
   */
  readonly reason: "stuck" | "maxRequests" | "lost" | "noSlug";

  /** Takes the problem as a sentence and as a code. */
  constructor(problem: string, reason: IterationError["reason"]) {
    super(`Iteration stopped: ${problem}`);
    this.reason = reason;
  }
}

/** One attempt of a call: a request that was sent, or that could not be sent. */
export interface Attempt {
  /** Number of the attempt, from 1. */
  readonly number: number;
  /** When it began, milliseconds since 1970 UTC on the client's clock. */
  readonly startedAtMs: number;
  /** How long it took, body included, in milliseconds. */
  readonly durationMs: number;
  /** Whether the request may have reached the service; false if it provably was not sent. */
  readonly isSent: boolean;
  /** Status of the response; absent if there was none. */
  readonly status?: number | undefined;
  /** Why there was no usable response: a code such as `ECONNRESET`, or `timeout`. */
  readonly failure?: string | undefined;
  /** How long the call waited before the next attempt, in milliseconds; absent on the last one. */
  readonly waitMs?: number;
}

/** Facts about a call that failed. */
export type CallFailure = Pick<
  CallError,
  "method" | "path" | "attempts" | "mayHaveBeenApplied" | "idempotencyKey" | "retryAfterMs"
>;

/** A call failed: there was no response, an error status, or a response that cannot be used. */
export class CallError<Facts extends CallFailure = CallFailure> extends LandingPagesError {
  /** HTTP method of the call. */
  declare readonly method: string;
  /** Path and query of the call, below the base URL. */
  declare readonly path: string;
  /** Every attempt, in order; empty if nothing was sent. */
  declare readonly attempts: readonly Attempt[];
  /** Whether the service may have carried out the call in spite of the error; always false for reads. */
  declare readonly mayHaveBeenApplied: boolean;
  /** The `Idempotency-Key` of all attempts. Pass it as an option to repeat the same call. */
  declare readonly idempotencyKey?: string | undefined;
  /** How long to wait before a new call has a chance, in milliseconds; absent if unknown. */
  declare readonly retryAfterMs?: number | undefined;

  /** Takes the whole message, and facts that become fields of the error. */
  constructor(message: string, facts: Facts, options?: ErrorOptions) {
    super(message, options);
    assignFacts(this, facts);
  }
}

/** A network error: no connection, a broken connection, or a response that was cut off. `cause` is the error of the platform. */
export class ConnectionError extends CallError<CallFailure & { readonly code: string }> {
  declare readonly name: "ConnectionError";

  /** Code of the network error, such as `ECONNREFUSED`; `HOOK_FAILED` if a hook threw; `UNKNOWN` if there is none. */
  declare readonly code: string;
}

/** The time limit of an attempt (`timeoutMs`) or of the whole call (`totalTimeoutMs`) was reached. */
export class TimeoutError extends CallError<CallFailure & { readonly limit: "timeoutMs" | "totalTimeoutMs" }> {
  declare readonly name: "TimeoutError";

  /** Option whose limit was reached. */
  declare readonly limit: "timeoutMs" | "totalTimeoutMs";
}

/** The caller's signal aborted the call. `cause` is the signal's reason; `attempts` and `mayHaveBeenApplied` say what happened to the request. */
export class AbortedError extends CallError {
  declare readonly name: "AbortError";
}

/** A success status with a response that the call cannot use. */
export type UnusableAnswer = Pick<ResponseValidationError, "status" | "problem" | "body">;

/** The status is a success, but the response is not what the call needs: not JSON, without a page, or too large. */
export class ResponseValidationError extends CallError<CallFailure & UnusableAnswer> {
  declare readonly name: "ResponseValidationError";

  /** HTTP status of the response. */
  declare readonly status: number;
  /** What the client expected, and what it received. */
  declare readonly problem: Problem;
  /** The parsed body, without the API key and cut to a size that fits in a log; absent if there was none. */
  declare readonly body?: unknown;
}

/** Error message and wrong fields of an error response, whatever its shape. Gap: see docs/spec-gaps.md#error-body */
export interface ApiProblem extends Problem {
  /** The service's name for the kind of error, such as a problem type or an error code; absent if it gives none. */
  readonly type?: string | undefined;
}

/** A response with an error status. */
export type ErrorAnswer = Pick<ApiError, "status" | "problem" | "body" | "headers" | "requestId" | "rateLimit">;

/**
 * The response has a status other than success. The status alone decides the class, never the body.
 * Source: spec, "Errors".
 */
export class ApiError extends CallError<CallFailure & ErrorAnswer> {
  /** Name of the class for this status; `ApiError` for a status without a class of its own. */
  declare readonly name:
    "ApiError" | "BadRequestError" | "AuthenticationError" | "NotFoundError" | "RateLimitError" | "ServerError";

  /** HTTP status. */
  declare readonly status: number;
  /** Error message and wrong fields from the body. */
  declare readonly problem: ApiProblem;
  /** The parsed body, without the API key and cut to a size that fits in a log; absent if there was none. */
  declare readonly body?: unknown;
  /** Headers of the response, without cookies. */
  declare readonly headers: Headers;
  /** Id that the service gave the request, to quote to its support; absent if there is none. */
  declare readonly requestId?: string | undefined;
  /** The rate limit in the headers of this response; absent if they have none. */
  declare readonly rateLimit?: RateLimit | undefined;
}

/** Status 400: the service refuses a parameter or a field. `problem.errors` says which one if the service does. */
export class BadRequestError extends ApiError {
  declare readonly name: "BadRequestError";

  /** One message for each wrong field, by its name, for a form: `{ "cta.url": "is required" }`; empty if the service names none. */
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
 * Status 429: the rate limit is used up. `retryAfterMs` says for how long. If `attempts` is empty, the client did not send the
 * call: an earlier response said that the limit is used up, and the wait would be longer than the call may take.
 */
export class RateLimitError extends ApiError {
  declare readonly name: "RateLimitError";
}

/** Status 500 to 599: the service failed. Source: spec, "Errors": the caller should retry later. */
export class ServerError extends ApiError {
  declare readonly name: "ServerError";
}

/** The name of every class, so that it stays the same if a bundler renames the class, and `is` works across copies of the package. */
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
  Object.defineProperties(ErrorClass.prototype, { name: hidden, [markOf(name)]: hidden });
}

/** The long fields of errors. The message repeats their important parts. */
const details = ["attempts", "problem", "headers", "body", "rateLimit"];

/**
 * Copies facts to fields of an error. The long ones are not enumerable, because Node prints all enumerable fields of an uncaught error, and
 * they would bury the message.
 */
function assignFacts(error: Error, facts: object): void {
  for (const [name, value] of Object.entries(facts)) {
    const enumerable = !details.includes(name);
    if (value !== undefined)
      Object.defineProperty(error, name, { value, enumerable, configurable: true, writable: true });
  }
}

function causeOf(error: Error): { cause?: unknown } {
  if (error.cause === undefined) return {};
  if (!(error.cause instanceof Error)) return { cause: error.cause };
  const { name, message, code } = error.cause as NodeJS.ErrnoException; // why: a code is there or undefined
  return { cause: { name, message, ...(code === undefined ? {} : { code }), ...causeOf(error.cause) } };
}
