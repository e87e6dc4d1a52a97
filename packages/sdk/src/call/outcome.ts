// How an attempt ended. Each outcome carries its code for events, and makes the error of the call.
import { type Endpoint, type RateLimit, statusTitles } from "@landing-page-service/contract";
import { boundBody, isCutShort, isHtmlDocument, quoteProblem } from "../read/body.ts";
import { type HttpResponse, type ResponseReader, UnexpectedResponse } from "../read/responses.ts";
import {
  AbortedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  type CallError,
  type CallFailure,
  type ConfigurationError,
  type LandingPagesError,
  NotFoundError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
} from "../report/errors.ts";
import type { ResponseEvent } from "../report/events.ts";
import { describeFields, describeSpan, quote } from "../report/messages.ts";

/** How an attempt ended: with a response of any status, or without one that the call can use. */
export type Outcome = ReceivedResponse | Failure;

/** Facts about a call that its error needs. */
export interface FailedCall {
  /** Name of the operation, such as `Create page`. */
  readonly summary: string;
  readonly facts: CallFailure;
  /** Redacts every key of the call from a finished string. */
  readonly hide: (text: string) => string;
  readonly baseUrl: string;
  readonly reader?: ResponseReader | undefined;
}

/** What every outcome says of its attempt. */
export interface Ending extends Pick<ResponseEvent, "status" | "failure" | "rateLimit"> {
  /** Whether the request may have been sent. */
  readonly isSent: boolean;
}

/** A response with any status. */
export interface ReceivedResponse extends Ending, HttpResponse {
  readonly kind: "answer";
  readonly status: number;
  readonly response: Response;
  /** Timestamp of the headers, milliseconds since 1970 UTC. */
  readonly receivedAtMs: number;
}

/** An outcome without a response that the call can use. */
export interface Failure extends Ending {
  /**
   * `unsent`: no connection was made. `broken`: the connection broke. `hook`: a hook threw. `unexpected`: the status is a success, but the
   * response does not hold what the call needs. `held`: the rate limiter stays closed for longer than the call may wait.
   * `misconfigured`: there is no key, or the `fetch` option returns no response.
   */
  readonly kind: "unsent" | "broken" | "hook" | "timeout" | "unexpected" | "aborted" | "held" | "misconfigured";
  /** How long the rate limiter stays closed, in milliseconds; absent for other outcomes. */
  readonly waitMs?: number;
  /** Makes the error that the call ends with, unless another attempt follows. */
  readonly toError: (call: FailedCall) => LandingPagesError;
}

type Stage = { readonly isSent: boolean; readonly waitedFor: string };

/**
 * Makes the outcome of an attempt or a call that ran out of time. `limit` is the option that set the time. `waitedFor` ends the message,
 * such as `, waiting for a hook`. It is empty if the service did not respond in time.
 */
export function timedOut(limit: TimeoutError["limit"], ms: number, { isSent, waitedFor }: Stage): Failure {
  const missed =
    limit === "timeoutMs" ? `no complete response within ${ms} ms` : `not done within totalTimeoutMs, ${ms} ms`;
  const toError = (call: FailedCall) =>
    new TimeoutError(say(call, `failed: ${missed}${waitedFor}`), { ...call.facts, limit });
  return { kind: "timeout", failure: "timeout", isSent, toError };
}

/** Makes the failure of a call that the caller's signal aborted. */
export function aborted(signal: AbortSignal | undefined, isSent: boolean): Failure {
  const reason = signal?.reason as unknown; // why: the platform says `any`
  const toError = (call: FailedCall) => {
    const when = call.facts.attempts.length === 0 ? " before it was sent" : "";
    return new AbortedError(say(call, `was aborted${when}${describeReason(reason)}`), call.facts, { cause: reason });
  };
  return { kind: "aborted", failure: "aborted", isSent, toError };
}

/** Makes the failure of a call that may not wait for as long as the rate limiter stays closed. */
export function held(waitMs: number, rateLimit: RateLimit | undefined): Failure {
  const detail = `the rate limit is used up for another ${describeSpan(waitMs)}, longer than this call may wait`;
  const response = { status: 429, problem: { detail, errors: [] }, headers: new Headers(), rateLimit };
  const toError = (call: FailedCall) =>
    new RateLimitError(say(call, `was not sent: ${detail}`), { ...call.facts, ...response });
  return { kind: "held", isSent: false, waitMs, toError };
}

/** Makes the failure of a call that cannot succeed, because there is no key or the `fetch` option returns no response. */
export function misconfigured(failure: "apiKey" | "fetch", error: ConfigurationError): Failure {
  const isSent = failure === "fetch";
  const toError = ({ facts: { mayHaveBeenApplied } }: FailedCall) =>
    isSent ? Object.assign(error, { mayHaveBeenApplied }) : error;
  return { kind: "misconfigured", failure, isSent, toError };
}

type Unusable = Pick<ReceivedResponse, "status" | "rateLimit"> & { readonly text?: string };

/** Makes the outcome for a 2xx response that the call cannot use. `error` says why. */
export function unexpected({ status, rateLimit, text }: Unusable, error: unknown): Failure {
  const { problems: errors, wanted } = toUnexpectedResponse(error);
  const detail = describeFields(errors);
  // A body that made the engine throw would make it throw again.
  const shown = error instanceof UnexpectedResponse ? text : undefined;
  const toError = (call: FailedCall) => {
    const problem = quoteProblem({ detail, errors }, call.hide);
    const body = boundBody(shown, call.hide);
    const message = say(call, `got ${status}, but not ${wanted} (${detail})`);
    return new ResponseValidationError(message, { ...call.facts, status, problem, body });
  };
  const failure = shown !== undefined && isCutShort(shown) ? "CUT_SHORT" : undefined;
  return { kind: "unexpected", isSent: true, failure, status, rateLimit, toError };
}

/** The engine may throw on a number or a string of the response, for example a RangeError. */
function toUnexpectedResponse(error: unknown): UnexpectedResponse {
  if (error instanceof UnexpectedResponse) return error;
  const detail = `got a body that cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  return new UnexpectedResponse([{ pointer: "#", detail }]);
}

/**
 * Whether the service may have carried out a write although the response has this status. A 307 or 308 asks the client to send it
 * elsewhere. A 303 points to the result of a write that was carried out. A 511 comes from a network on the way. Gateways send 408 and
 * 499 when they stop waiting for the service.
 * Source: RFC 9110, section 15.4; RFC 6585, section 6.
 */
export function leavesOpen(status: number): boolean {
  if (status === 307 || status === 308 || status === 511) return false;
  return status >= 500 || status < 400 || status === 408 || status === 499;
}

/** Reads the id that the service gave a request, of at most 200 characters. */
export function readRequestId(headers: Headers): string | undefined {
  const id = headers.get("X-Request-Id") ?? headers.get("Request-Id");
  return id === null || id.length > 200 ? undefined : id;
}

/**
 * Returns what the retry rules need: whether the service may have carried out a write, and the failure, which is `undefined` if no retry
 * can help. JSON that is cut short although the response ended cleanly counts as a broken connection, but not for a create, which succeeded.
 */
export function assess(method: string, outcome: Outcome) {
  const isWrite = method !== "GET";
  if (outcome.kind === "answer") return { isAmbiguous: isWrite && leavesOpen(outcome.status), failure: outcome };
  const { kind, failure, isSent } = outcome;
  const isAmbiguous = isWrite && isSent;
  if (kind === "unsent" || kind === "broken" || kind === "timeout") return { isAmbiguous, failure: { kind, isSent } };
  const isBroken = kind === "unexpected" && method !== "POST" && failure !== undefined;
  return { isAmbiguous, failure: isBroken ? ({ kind: "broken" } as const) : undefined };
}

/** Makes the error that a call ends with. */
export function toError(outcome: Outcome, call: FailedCall): LandingPagesError {
  return outcome.kind === "answer" ? toApiError(outcome, call) : outcome.toError(call);
}

/** Makes the error of a call whose signal aborted before it was sent. An earlier call with the same input may have been sent. */
export function abortedBefore(endpoint: Endpoint, signal?: AbortSignal, mayHaveBeenApplied = false): LandingPagesError {
  const { summary, method, path } = endpoint;
  const facts = { method, path, attempts: [], mayHaveBeenApplied };
  return aborted(signal, false).toError({ summary, facts, hide: String, baseUrl: "" });
}

/** Makes the error of the class for the status, with a message such as `Create page failed: 400 Bad Request (title: expected string)`. */
function toApiError(received: ReceivedResponse, call: FailedCall): CallError {
  const { status, text, rateLimit } = received;
  const { facts, hide, baseUrl, reader } = call;
  const problem = quoteProblem(reader?.readProblem(received) ?? { detail: "", errors: [] }, hide);
  const title = titles[status] ?? (status >= 300 && status < 400 ? describeRedirect(received.headers, call) : "");
  const detail = describeFields(problem.errors) || problem.detail;
  const message = [
    `failed: ${status}${title && ` ${title}`}`,
    detail === "" || detail === title ? "" : ` (${detail})`,
    isFromElsewhere(received) ? `; the response is a web page: is ${baseUrl} the service?` : "",
  ];
  const tryAgain = facts.retryAfterMs === undefined ? "" : `; try again in ${describeSpan(facts.retryAfterMs)}`;
  const shown = [...received.headers].filter(([name]) => name !== "set-cookie");
  const headers = new Headers(shown.map(([name, value]) => [name, hide(value)]));
  const ErrorClass = statusClasses[status] ?? (status >= 500 && status < 600 ? ServerError : ApiError);
  return new ErrorClass(say(call, message.join("")) + tryAgain, {
    ...facts,
    status,
    problem,
    body: boundBody(text, hide),
    headers,
    requestId: readRequestId(headers),
    rateLimit,
  });
}

/** Classes of errors with a status of their own. */
const statusClasses: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

/** Writes the message of an error. It has the operation, the failure, the number of attempts, and whether the service may have carried out the call. */
export function say({ summary, facts, hide }: FailedCall, what: string): string {
  const { attempts, mayHaveBeenApplied } = facts;
  const count = attempts.length > 1 ? `, after ${attempts.length} attempts` : "";
  const done = attempts.length > 0 ? "carried it out" : "carried out an earlier call";
  return hide(`${summary} ${what}${count}${mayHaveBeenApplied ? `; the service may have ${done}` : ""}`);
}

const titles: Readonly<Record<number, string>> = {
  ...statusTitles,
  304: "Not Modified",
  407: "Proxy Authentication Required",
  502: "Bad Gateway",
  504: "Gateway Timeout",
  511: "Network Authentication Required",
};

/** Describes where a redirect points, without parts that may be secret. This shows, for example, that the base URL lacks `www`. */
function describeRedirect(headers: Headers, { baseUrl, facts }: FailedCall): string {
  const location = headers.get("Location");
  const url = location === null ? null : URL.parse(location, baseUrl + facts.path);
  const place = url !== null && /^https?:$/.test(url.protocol) ? ` to ${quote(url.origin + url.pathname)}` : "";
  return `redirect${place}, which is never followed`;
}

/** Statuses for which a web server in front of the service may send an HTML document of its own. */
const ofGateways = new Set([400, 408, 413, 414, 429, 431]);

/** Whether the response seems to come from another server: a web server, a login page, a firewall or a network on the way. */
function isFromElsewhere(received: ReceivedResponse): boolean {
  const { status } = received;
  const isClientError = status >= 400 && status < 500 && !ofGateways.has(status);
  return (isClientError || status === 511) && isHtmlDocument(received);
}

/** Describes the reason of an abort; empty if the reason is only the default `AbortError`. */
function describeReason(reason: unknown): string {
  const text = reason instanceof Error && reason.name !== "AbortError" ? reason.message : reason;
  return typeof text === "string" && text !== "" ? ` (${quote(text)})` : "";
}
