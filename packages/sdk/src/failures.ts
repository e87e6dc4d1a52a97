// What went wrong with an attempt: how the retry rules see it, and the error it becomes when it was the last.
import { errorTitles, type FieldProblem, type RateLimit } from "@landing-page-service/contract";
import { readProblem, readRequestId } from "./answers.ts";
import {
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
} from "./errors.ts";
import { type AttemptError, hideKey, type HttpAnswer } from "./http.ts";
import { describeFields } from "./messages.ts";
import type { AttemptFailure } from "./retry.ts";

/** An attempt that brought no value. */
export interface Failed {
  /** How it failed; absent when the answer is one that no further attempt would make better. */
  readonly failure: AttemptFailure | undefined;
  /** Makes the error, once all is known of the call. */
  readonly toError: (failure: CallFailure, options?: ErrorOptions) => CallError;
}

/** An answer came, with a status other than success. */
export function refused(
  summary: string,
  { response, text }: HttpAnswer,
  rateLimit: RateLimit | undefined,
  key: string,
): Failed {
  const { status } = response;
  const headers = new Headers([...response.headers].map(([name, value]) => [name, hideKey(value, key)]));
  const problem = readProblem(hideKey(text, key));
  const answer: ErrorAnswer = { status, problem, headers, requestId: readRequestId(headers), rateLimit };
  return {
    failure: { kind: "answer", status, headers: response.headers },
    toError: (failure, options) => createApiError(summary, answer, failure, options),
  };
}

/** No connection came about, or it broke. */
export function unanswered(summary: string, { code, message, cause }: AttemptError, kind: "unsent" | "broken"): Failed {
  const what = kind === "unsent" ? "no connection" : "the connection broke";
  return {
    failure: { kind },
    toError: (failure, options) =>
      new ConnectionError(`${summary} failed: ${what} (${message})${describeCall(failure)}`, code, failure, {
        cause,
        ...options,
      }),
  };
}

/** Time ran out: for the attempt, or for the whole call. */
export function timedOut(
  summary: string,
  limit: { readonly name: "timeoutMs" | "deadlineMs"; readonly ms: number },
  kind: "timeout" | "unsent",
): Failed {
  const what =
    limit.name === "deadlineMs"
      ? `not done within its deadline, ${limit.ms} ms`
      : `no complete answer within ${limit.ms} ms`;
  return {
    failure: { kind },
    toError: (failure, options) =>
      new TimeoutError(`${summary} failed: ${what}${describeCall(failure)}`, limit.name, failure, options),
  };
}

/** A success came, with something else than what was asked for. */
export function unexpected(summary: string, status: number, problems: readonly FieldProblem[], key: string): Failed {
  const errors = problems.map(({ pointer, detail }) => ({ pointer, detail: hideKey(detail, key) }));
  const what = `not with what was asked for (${describeFields(errors)})`;
  return {
    failure: undefined,
    toError: (failure, options) =>
      new ResponseValidationError(
        `${summary} answered ${status}, but ${what}${describeCall(failure)}`,
        { status, errors },
        failure,
        options,
      ),
  };
}

/** Nothing was sent, because the gate stays closed for longer than the call may wait. */
export function heldBack(summary: string, waitMs: number, rateLimit: RateLimit | undefined): Failed {
  const seconds = Math.ceil(waitMs / 1000);
  const detail = `the rate limit is used up for another ${seconds} s, longer than this call may wait`;
  const answer: ErrorAnswer = { status: 429, problem: { detail, errors: [] }, headers: new Headers(), rateLimit };
  return {
    failure: undefined,
    toError: (failure, options) => new RateLimitError(`${summary} was not sent: ${detail}`, answer, failure, options),
  };
}

/** Makes the error of the class that the status calls for, with a message such as `Create page failed: 400 Bad Request (title: expected string)`. */
function createApiError(summary: string, answer: ErrorAnswer, failure: CallFailure, options?: ErrorOptions): ApiError {
  const { status, problem } = answer;
  const title = (errorTitles as Record<number, string>)[status] ?? statusTitle(status); // why: looked up by any number
  const detail = describeFields(problem.errors) || problem.detail;
  const said = detail === "" || detail === title ? "" : ` (${detail})`;
  const message = `${summary} failed: ${status}${title && ` ${title}`}${said}${describeCall(failure)}`;
  const ErrorClass = statusClasses[status] ?? (status >= 500 && status < 600 ? ServerError : ApiError);
  return new ErrorClass(message, answer, failure, options);
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

/** Ends a message: how often it was tried, and whether it may have worked all the same. */
function describeCall({ attempts, mayHaveBeenApplied }: CallFailure): string {
  const tried = attempts.length > 1 ? `, after ${attempts.length} attempts` : "";
  return mayHaveBeenApplied ? `${tried}; the service may have carried it out` : tried;
}
