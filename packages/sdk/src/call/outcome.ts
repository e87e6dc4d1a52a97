// The outcome of an attempt, for the retry rules, the rate limiter, and the error of the call.
import { type FieldProblem, type RateLimit, redact, statusTitles } from "@landing-page-service/contract";
import { boundBody, isCutShort, isHtmlDocument, quoteProblem } from "../read/body.ts";
import { type HttpResponse, type ResponseReader, UnexpectedResponse } from "../read/responses.ts";
import {
  AbortedError,
  ApiError,
  type ApiProblem,
  AuthenticationError,
  BadRequestError,
  type CallError,
  type CallFailure,
  type ConfigurationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
} from "../report/errors.ts";
import { describeFields, describeSpan, quote } from "../report/messages.ts";
import type { AttemptFailure } from "./retry.ts";

/** How an attempt ended. */
export type Outcome =
  | ReceivedResponse
  | NetworkFailure
  | Unexpected
  /** Time ran out, for the attempt or for the whole call. `waitedFor` had not come by then. */
  | (Ending & { readonly kind: "timeout"; readonly limit: TimeLimit; readonly waitedFor: keyof typeof waits })
  /** The caller's signal aborted. */
  | (Ending & { readonly kind: "aborted"; readonly reason: unknown })
  /** The rate limiter stays closed for longer than the call may wait. */
  | (Ending & { readonly kind: "held"; readonly waitMs: number })
  | Misconfigured;

/** Fields of every outcome. */
interface Ending {
  /** Whether the request may have left. */
  readonly isSent: boolean;
  /** Code of the outcome in lists of attempts and in events; absent if there is a status. */
  readonly failure?: string | undefined;
  readonly status?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
}

/** A response came, with any status. */
export interface ReceivedResponse extends Ending, HttpResponse {
  readonly kind: "answer";
  readonly status: number;
  readonly response: Response;
  /** Timestamp of the headers, milliseconds since 1970 UTC. */
  readonly receivedAtMs: number;
}

/** No connection came about, so that provably nothing was sent; or it broke; or a hook of the caller threw. */
export interface NetworkFailure extends Ending {
  readonly kind: "unsent" | "broken" | "hook";
  /** A code such as `ECONNREFUSED`. */
  readonly failure: string;
  readonly message: string;
  readonly cause: Error | undefined;
}

/** A success came, with something else than what was expected. */
export interface Unexpected extends Ending {
  readonly kind: "unexpected";
  readonly status: number;
  readonly errors: readonly FieldProblem[];
  /** What was expected. */
  readonly wanted?: string;
  /** The body; absent when it could not be read. */
  readonly text?: string;
}

/** No attempt can succeed: there is no key, or the `fetch` option gives no response. */
export interface Misconfigured extends Ending {
  readonly kind: "misconfigured";
  readonly error: ConfigurationError;
}

/** A limit of time, and the option that sets it. */
export interface TimeLimit {
  readonly name: TimeoutError["limit"];
  readonly ms: number;
}

/** What a call waited for when its time ran out, other than the response. */
const waits = {
  network: "",
  key: ", waiting for the function passed as `apiKey`",
  hook: ", waiting for a hook",
  place: ", waiting for a place: as many requests as maxInFlight allows are under way",
  turn: ", waiting for its turn at the rate limit",
};

/** Makes the outcome of a success that could not be read. */
export function toUnexpected({ status, text, rateLimit }: ReceivedResponse, error: unknown): Unexpected {
  const about = { kind: "unexpected", isSent: true, status, rateLimit } as const;
  const failure = isCutShort(text) ? "CUT_SHORT" : undefined;
  if (error instanceof UnexpectedResponse)
    return { ...about, errors: error.problems, wanted: error.wanted, text, failure };
  // What the engine says of a number or a string of others, such as a RangeError, is about the response.
  const detail = `got a body that cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  return { ...about, errors: [{ pointer: "#", detail }] };
}

/** Whether a write may have been carried out by an attempt that ended this way, although no success was received. */
export function mayHaveBeenApplied(method: string, outcome: Outcome): boolean {
  return method !== "GET" && (outcome.kind === "answer" ? leavesOpen(outcome.status) : outcome.isSent);
}

/**
 * Whether a write may have been carried out although the response has this status. A 307 or 308 asks to send it elsewhere, and a 303
 * leads to its result; a 511 comes from a network on the way. Gateways send 408 and 499 when they stop waiting for the service.
 * Source: RFC 9110, section 15.4; RFC 6585, section 6.
 */
export function leavesOpen(status: number): boolean {
  if (status === 307 || status === 308 || status === 511) return false;
  return status >= 500 || status < 400 || status === 408 || status === 499;
}

/** Finds the service's id of a request, of at most 200 characters. */
export function readRequestId(headers: Headers): string | undefined {
  const id = headers.get("X-Request-Id") ?? headers.get("Request-Id");
  return id === null || id.length > 200 ? undefined : id;
}

/**
 * The failure that the retry rules decide about; `undefined` if there is nothing to decide. A read whose response is cut short has
 * received nothing, although the response ended cleanly; a write has received that it succeeded.
 */
export function toFailure(method: string, outcome: Outcome): AttemptFailure | undefined {
  const { kind, failure } = outcome;
  if (kind === "unexpected") return method === "GET" && failure !== undefined ? { kind: "broken" } : undefined;
  if (kind === "unsent" || kind === "broken") return { kind };
  return kind === "answer" || kind === "timeout" ? outcome : undefined;
}

/** What an error needs to know beside the outcome. */
export interface AboutCall {
  /** What was being done, such as `Create page`. */
  readonly summary: string;
  readonly failure: CallFailure;
  /** Every key of the call. They are taken out of the finished strings. */
  readonly keys: readonly string[];
  /** The base URL of the path. */
  readonly baseUrl: string;
  readonly reader?: ResponseReader | undefined;
}

/** Makes the error that a call ends with. */
export function toError(
  outcome: Exclude<Outcome, Misconfigured>,
  about: AboutCall,
  options?: { cause: unknown },
): CallError {
  const { summary, failure, keys } = about;
  const hide = (text: string) => redact(text, keys);
  const say = (what: string) => hide(`${summary} ${what}${describeAttempts(failure)}`);
  switch (outcome.kind) {
    case "answer":
      return toApiError(outcome, about, options);
    case "unsent":
    case "broken":
    case "hook": {
      const { kind, message, failure: code, cause } = outcome;
      const advice = kind === "hook" ? "" : adviseOnProxy(about);
      const text = say(`failed: ${networkFailures[kind]} (${quote(message)})${advice}`);
      return new ConnectionError(text, { ...failure, code }, { cause, ...options });
    }
    case "timeout": {
      const { limit, waitedFor } = outcome;
      const isOfAttempt = limit.name === "timeoutMs";
      const missed = isOfAttempt
        ? `no complete response within ${limit.ms} ms`
        : `not done within totalTimeoutMs, ${limit.ms} ms`;
      return new TimeoutError(say(`failed: ${missed}${waits[waitedFor]}`), { ...failure, limit: limit.name }, options);
    }
    case "unexpected": {
      const { status, wanted = "what was asked for", errors, text } = outcome;
      const found = describeFields(errors);
      const problem = hideProblem({ detail: found, errors }, hide);
      const message = say(`answered ${status}, but not with ${wanted} (${found})`);
      return new ResponseValidationError(
        message,
        { ...failure, status, problem, body: boundBody(text, hide) },
        options,
      );
    }
    case "aborted": {
      const { reason } = outcome;
      const when = failure.attempts.length === 0 ? " before it was sent" : "";
      return new AbortedError(say(`was aborted${when}${describeReason(reason)}`), failure, { cause: reason });
    }
    case "held": {
      const { waitMs, rateLimit } = outcome;
      const detail = `the rate limit is used up for another ${describeSpan(waitMs)}, longer than this call may wait`;
      const response = { status: 429, problem: { detail, errors: [] }, headers: new Headers(), rateLimit };
      return new RateLimitError(`${summary} was not sent: ${detail}`, { ...failure, ...response }, options);
    }
    default:
      return outcome satisfies never;
  }
}

const networkFailures = { unsent: "no connection", broken: "the connection broke", hook: "a hook threw" };

/** Makes the error of a call that its signal ended before anything of it was sent, unless by an earlier call for the same. */
export function abortedBefore(
  { summary, method, path }: { summary: string; method: string; path: string },
  signal: AbortSignal | undefined,
  mayHaveBeenApplied = false,
): CallError {
  const failure = { method, path, attempts: [], mayHaveBeenApplied };
  const reason = signal?.reason as unknown; // why: the platform says `any`
  return toError(
    { kind: "aborted", failure: "aborted", isSent: false, reason },
    { summary, failure, keys: [], baseUrl: "" },
  );
}

/** Makes the error of the class that the status calls for, with a message such as `Create page failed: 400 Bad Request (title: expected string)`. */
function toApiError(received: ReceivedResponse, about: AboutCall, options?: { cause: unknown }): ApiError {
  const { status, text, rateLimit } = received;
  const { summary, failure, keys, baseUrl, reader } = about;
  const hide = (part: string) => redact(part, keys);
  const said = quoteProblem(reader?.readProblem(status, text) ?? { detail: "", errors: [] });
  const title = titles[status] ?? (status >= 300 && status < 400 ? describeRedirect(received.headers, about) : "");
  const detail = describeFields(said.errors) || said.detail;
  const message = [
    `${summary} failed: ${status}${title && ` ${title}`}`,
    detail === "" || detail === title ? "" : ` (${detail})`,
    isFromElsewhere(received) ? `; a web page came: is ${baseUrl} the service?${adviseOnProxy(about)}` : "",
    describeAttempts(failure),
    failure.retryAfterMs === undefined ? "" : `; come back in ${describeSpan(failure.retryAfterMs)}`,
  ];
  const shown = [...received.headers].filter(([name]) => name !== "set-cookie");
  const headers = new Headers(shown.map(([name, value]) => [name, hide(value)]));
  const facts = {
    ...failure,
    status,
    problem: hideProblem(said, hide),
    body: boundBody(text, hide),
    headers,
    requestId: readRequestId(headers),
    rateLimit,
  };
  const ErrorClass = statusClasses[status] ?? (status >= 500 && status < 600 ? ServerError : ApiError);
  return new ErrorClass(hide(message.join("")), facts, options);
}

const statusClasses: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

const titles: Readonly<Record<number, string>> = {
  ...statusTitles,
  304: "Not Modified, although the request has no condition; is there a cache on the way?",
  407: "Proxy Authentication Required",
  422: "Unprocessable Content",
  502: "Bad Gateway",
  504: "Gateway Timeout",
  511: "Network Authentication Required",
};

function hideProblem({ detail, errors, type }: ApiProblem, hide: (text: string) => string): ApiProblem {
  const shown = errors.map((error) => ({ pointer: hide(error.pointer), detail: hide(error.detail) }));
  return { detail: hide(detail), errors: shown, ...(type === undefined ? {} : { type: hide(type) }) };
}

/** A request to this machine that goes through a proxy shows it the key, and the proxy may not reach this machine at all. */
function adviseOnProxy({ baseUrl }: AboutCall): string {
  const environment = typeof process === "undefined" ? {} : process.env;
  const proxy = ["HTTP_PROXY", "http_proxy"].find((name) => (environment[name] ?? "") !== "");
  const { protocol, hostname = "" } = URL.parse(baseUrl) ?? {};
  const exceptions = environment["NO_PROXY"] ?? environment["no_proxy"] ?? "";
  const isExcepted = exceptions.includes(hostname) || exceptions.trim() === "*";
  if (proxy === undefined || protocol !== "http:" || !isLoopback(hostname) || isExcepted) return "";
  return `; the environment sets ${proxy}: add ${hostname} to NO_PROXY, or the request goes through the proxy, API key included`;
}

/** Whether a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** Says where a redirect leads, without parts that may be secret. This shows, for example, that the base URL lacks `www`. */
function describeRedirect(headers: Headers, { baseUrl, failure }: AboutCall): string {
  const location = headers.get("Location");
  const url = location === null ? null : URL.parse(location, baseUrl + failure.path);
  const place = url !== null && /^https?:$/.test(url.protocol) ? ` to ${quote(url.origin + url.pathname)}` : "";
  return `redirect${place}, which is never followed`;
}

/** What a web server before the service says of a request itself, in pages of its own. */
const ofGateways = new Set([400, 408, 413, 414, 429, 431]);

/** Whether the response seems to come from something else than the service: a web server, a login page, a firewall or a network on the way. */
function isFromElsewhere(received: ReceivedResponse): boolean {
  const { status } = received;
  const isClientError = status >= 400 && status < 500 && !ofGateways.has(status);
  return (isClientError || status === 511) && isHtmlDocument(received);
}

/** Repeats why a signal aborted, unless it only says that it did. */
function describeReason(reason: unknown): string {
  const said = reason instanceof Error && reason.name !== "AbortError" ? reason.message : reason;
  return typeof said === "string" && said !== "" ? ` (${quote(said)})` : "";
}

/** Ends a message: how many attempts were made, and whether one may have worked all the same. */
function describeAttempts({ attempts, mayHaveBeenApplied }: CallFailure): string {
  const count = attempts.length > 1 ? `, after ${attempts.length} attempts` : "";
  return mayHaveBeenApplied ? `${count}; the service may have carried it out` : count;
}
