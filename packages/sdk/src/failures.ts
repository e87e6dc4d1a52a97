// What went wrong with an attempt: how the retry rules see it, and the error it becomes when it was the last.
import type { FieldProblem, RateLimit } from "@landing-page-service/contract";
import { readProblem, readRequestId } from "./answers.ts";
import {
  type CallError,
  type CallFailure,
  ConnectionError,
  createApiError,
  describeCall,
  describeFields,
  type ErrorAnswer,
  RateLimitError,
  ResponseValidationError,
  TimeoutError,
} from "./errors.ts";
import { type AttemptError, hideKey, type HttpAnswer } from "./http.ts";
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
