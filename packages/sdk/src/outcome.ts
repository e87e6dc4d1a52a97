// How an attempt ended, told once for all who ask: the retry rules, the gate, and the error a call ends with.
import { errorTitles, type FieldProblem, type RateLimit } from "@landing-page-service/contract";
import { readRequestId } from "./answers.ts";
import { boundBody, readProblem } from "./body.ts";
import {
  AbortedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  type CallError,
  type CallFailure,
  ConnectionError,
  type ErrorAnswer,
  NotFoundError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
} from "./call-errors.ts";
import type { ConfigurationError } from "./errors.ts";
import { describeFields, quote } from "./messages.ts";
import { hideKey } from "./redact.ts";

/** How an attempt ended. */
export type Outcome = Answer | Unanswered | HookFailed | TimedOut | Unexpected | Aborted | Misconfigured | HeldBack;

/** An answer came, with any status. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: Headers;
  readonly response: Response;
  /** The body: all of it where the call needs it, otherwise as far as it went. */
  readonly text: string;
  readonly rateLimit: RateLimit | undefined;
  /** Moment the headers came, milliseconds since 1970 UTC. */
  readonly receivedAtMs: number;
}

/** No connection came about, so that provably nothing was sent; or it broke. */
export interface Unanswered {
  readonly kind: "unsent" | "broken";
  /** A code such as `ECONNREFUSED`. */
  readonly code: string;
  readonly message: string;
  readonly cause: Error | undefined;
}

/** A hook of the caller threw. */
interface HookFailed {
  readonly kind: "hook";
  readonly isSent: boolean;
  readonly message: string;
  readonly cause: Error | undefined;
}

/** Time ran out: for the attempt, or for the whole call. */
interface TimedOut {
  readonly kind: "timeout";
  readonly isSent: boolean;
  readonly limit: TimeLimit;
}

/** A limit of time, and the option that sets it. */
export interface TimeLimit {
  readonly name: TimeoutError["limit"];
  readonly ms: number;
}

/** A success came, with something else than what was asked for. */
interface Unexpected {
  readonly kind: "unexpected";
  readonly status: number;
  readonly errors: readonly FieldProblem[];
  /** The body; absent when it could not be read. */
  readonly text?: string;
  readonly rateLimit: RateLimit | undefined;
}

/** The caller's signal aborted. */
interface Aborted {
  readonly kind: "aborted";
  readonly isSent: boolean;
  readonly reason: unknown;
}

/** What the caller provides for every attempt cannot be used: no key, or a dispatcher that does not fit. Nothing was sent. */
export interface Misconfigured {
  readonly kind: "misconfigured";
  readonly code: "apiKey" | "dispatcher";
  readonly error: ConfigurationError;
}

/** The gate stays closed for longer than the call may wait. */
interface HeldBack {
  readonly kind: "held";
  readonly waitMs: number;
  readonly rateLimit: RateLimit | undefined;
}

/** Whether the request may have left. */
export function isSent(outcome: Outcome): boolean {
  if ("isSent" in outcome) return outcome.isSent;
  return !["unsent", "misconfigured", "held"].includes(outcome.kind);
}

/** Whether a write may have been carried out by an attempt that ended this way, although no success was heard. */
export function mayHaveBeenApplied(method: string, outcome: Outcome): boolean {
  if (method === "GET") return false;
  if (outcome.kind !== "answer") return isSent(outcome);
  return outcome.status >= 500 || outcome.status === 408 || outcome.status < 400;
}

/** The code that stands for an outcome in lists of attempts and in events; `undefined` where a status says it all. */
export function codeOf(outcome: Outcome): string | undefined {
  if (outcome.kind === "answer" || outcome.kind === "unexpected") return undefined;
  return "code" in outcome ? outcome.code : outcome.kind;
}

/** What an error needs to know beside the outcome. */
export interface AboutCall extends CallFailure {
  /** What was being done, such as `Create page`. */
  readonly summary: string;
  /** Taken out of all that others wrote. */
  readonly key: string;
}

/** Makes the error that a call ends with, once all is known of it. */
export function toError(
  outcome: Exclude<Outcome, Misconfigured>,
  about: AboutCall,
  options?: { cause: unknown },
): CallError {
  const { summary } = about;
  const tail = describeCall(about);
  switch (outcome.kind) {
    case "answer":
      return toApiError(outcome, about, options);
    case "unsent":
    case "broken": {
      const { kind, code, message, cause } = outcome;
      const what = kind === "unsent" ? "no connection" : "the connection broke";
      return new ConnectionError(`${summary} failed: ${what} (${message})${tail}`, code, about, { cause, ...options });
    }
    case "hook": {
      const { message, cause } = outcome;
      return new ConnectionError(`${summary} failed: a hook threw (${message})${tail}`, "HOOK_FAILED", about, {
        cause,
        ...options,
      });
    }
    case "timeout": {
      const { name, ms } = outcome.limit;
      const what =
        name === "timeoutMs" ? `no complete answer within ${ms} ms` : `not done within totalTimeoutMs, ${ms} ms`;
      return new TimeoutError(`${summary} failed: ${what}${tail}`, name, about, options);
    }
    case "unexpected": {
      const hide = (text: string) => hideKey(text, about.key);
      const errors = outcome.errors.map(({ pointer, detail }) => ({ pointer: hide(pointer), detail: hide(detail) }));
      const message = `${summary} answered ${outcome.status}, but not with what was asked for (${describeFields(errors)})${tail}`;
      return new ResponseValidationError(
        message,
        { status: outcome.status, errors, body: boundBody(outcome.text, about.key) },
        about,
        options,
      );
    }
    case "aborted": {
      const { reason } = outcome;
      const when = about.attempts.length === 0 ? " before it was sent" : "";
      return new AbortedError(`${summary} was aborted${when}${describeReason(reason)}${tail}`, about, {
        cause: reason,
      });
    }
    case "held": {
      const seconds = Math.ceil(outcome.waitMs / 1000);
      const detail = `the rate limit is used up for another ${seconds} s, longer than this call may wait`;
      const { rateLimit } = outcome;
      const answer = { status: 429, problem: { detail, errors: [] }, headers: new Headers(), rateLimit };
      return new RateLimitError(`${summary} was not sent: ${detail}`, answer, about, options);
    }
    default:
      return outcome satisfies never;
  }
}

/** Makes the error of a call that its signal ended before anything of it was sent. */
export function abortedBefore(
  { summary, method, path }: { summary: string; method: string; path: string },
  signal: AbortSignal | undefined,
): CallError {
  const about = { summary, method, path, key: "", attempts: [], mayHaveBeenApplied: false };
  return toError({ kind: "aborted", isSent: false, reason: signal?.reason as unknown }, about);
}

/** Makes the error of the class that the status calls for, with a message such as `Create page failed: 400 Bad Request (title: expected string)`. */
function toApiError(
  { status, headers: received, text, rateLimit }: Answer,
  about: AboutCall,
  options?: { cause: unknown },
): ApiError {
  const headers = new Headers([...received].map(([name, value]) => [name, hideKey(value, about.key)]));
  const problem = readProblem(hideKey(text, about.key));
  const body = boundBody(text, about.key);
  const answer: ErrorAnswer = { status, problem, body, headers, requestId: readRequestId(headers), rateLimit };
  const title = (errorTitles as Record<number, string>)[status] ?? statusTitle(status); // why: looked up by any number
  const detail = describeFields(problem.errors) || problem.detail;
  const said = detail === "" || detail === title ? "" : ` (${detail})`;
  const message = `${about.summary} failed: ${status}${title && ` ${title}`}${said}${describeCall(about)}`;
  const ErrorClass = statusClasses[status] ?? (status >= 500 && status < 600 ? ServerError : ApiError);
  return new ErrorClass(message, answer, about, options);
}

const statusClasses: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

function statusTitle(status: number): string {
  if (status >= 300 && status < 400) return "redirect, which is never followed";
  const titles: Record<number, string> = {
    403: "Forbidden",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
  };
  return titles[status] ?? "";
}

/** Repeats why a signal aborted, unless it only says that it did. */
function describeReason(reason: unknown): string {
  const said = reason instanceof Error && reason.name !== "AbortError" ? reason.message : reason;
  return typeof said === "string" && said !== "" ? ` (${quote(said)})` : "";
}

/** Ends a message: how often it was tried, and whether it may have worked all the same. */
function describeCall({ attempts, mayHaveBeenApplied }: CallFailure): string {
  const tried = attempts.length > 1 ? `, after ${attempts.length} attempts` : "";
  return mayHaveBeenApplied ? `${tried}; the service may have carried it out` : tried;
}
