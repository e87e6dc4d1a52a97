// The error a call ends with, made of how its last attempt ended.
import { type RateLimit, readBody, statusTitles } from "@landing-page-service/contract";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type ErrorAnswer,
  NotFoundError,
  RateLimitError,
  ServerError,
} from "./api-errors.ts";
import { boundBody, readProblem } from "./body.ts";
import {
  AbortedError,
  type CallError,
  type CallFailure,
  ConnectionError,
  ResponseValidationError,
  TimeoutError,
} from "./call-errors.ts";
import { isHtmlDocument } from "./html-document.ts";
import { describeFields, describeSpan, quote } from "./messages.ts";
import { type Answer, type Misconfigured, type Outcome, readRequestId } from "./outcome.ts";
import { hideKey } from "./redact.ts";

/** What an error needs to know beside the outcome. */
export interface AboutCall extends CallFailure {
  /** What was being done, such as `Create page`. */
  readonly summary: string;
  /** Taken out of all that others wrote. */
  readonly key: string;
  /** What the path stands below. */
  readonly baseUrl: string;
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
      return new ConnectionError(`${summary} failed: ${what} (${quote(message)})${tail}`, code, about, {
        cause,
        ...options,
      });
    }
    case "hook": {
      const { message, cause } = outcome;
      return new ConnectionError(`${summary} failed: a hook threw (${quote(message)})${tail}`, "HOOK_FAILED", about, {
        cause,
        ...options,
      });
    }
    case "timeout": {
      const { name, ms } = outcome.limit;
      const limit =
        name === "timeoutMs" ? `no complete answer within ${ms} ms` : `not done within totalTimeoutMs, ${ms} ms`;
      const what = limit + waits[outcome.waitedFor];
      return new TimeoutError(`${summary} failed: ${what}${tail}`, name, about, options);
    }
    case "unexpected": {
      const hide = (text: string) => hideKey(text, about.key);
      const errors = outcome.errors.map(({ pointer, detail }) => ({ pointer: hide(pointer), detail: hide(detail) }));
      const { status, wanted = "what was asked for" } = outcome;
      const message = `${summary} answered ${status}, but not with ${wanted} (${describeFields(errors)})${tail}`;
      return new ResponseValidationError(
        message,
        { status, errors, body: boundBody(outcome.text, about.key) },
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
    case "key-refused":
    case "held":
      return toHeldError(outcome, about, options);
    default:
      return outcome satisfies never;
  }
}

/** Makes the error of a call that its signal ended before anything of it was sent, unless by an earlier call for the same. */
export function abortedBefore(
  { summary, method, path }: { summary: string; method: string; path: string },
  signal: AbortSignal | undefined,
  mayHaveBeenApplied = false,
): CallError {
  const about = { summary, method, path, key: "", baseUrl: "", attempts: [], mayHaveBeenApplied };
  const reason = signal?.reason as unknown; // why: the platform says `any`
  return toError({ kind: "aborted", isSent: false, reason }, about);
}

/** Makes the error of a call that was not sent because of what others were answered, of the class that the service's answer would have had. */
function toHeldError(
  outcome: Outcome & { kind: "key-refused" | "held" },
  about: AboutCall,
  options?: { cause: unknown },
): ApiError {
  const refuse = (ErrorClass: typeof ApiError, status: number, detail: string, rateLimit?: RateLimit) => {
    const answer = { status, problem: { detail, errors: [] }, headers: new Headers(), rateLimit };
    return new ErrorClass(`${about.summary} was not sent: ${detail}`, answer, about, options);
  };
  if (outcome.kind === "key-refused")
    return refuse(AuthenticationError, 401, "the service has just refused this API key");
  const detail = `the rate limit is used up for another ${describeSpan(outcome.waitMs)}, longer than this call may wait`;
  return refuse(RateLimitError, 429, detail, outcome.rateLimit);
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
  const title = titles[status] ?? (status >= 300 && status < 400 ? describeRedirect(headers, about) : "");
  const detail = describeFields(problem.errors) || problem.detail;
  const said = detail === "" || detail === title ? "" : ` (${detail})`;
  const doubt = isFromElsewhere({ status, headers, text }) ? `; a web page came: is ${about.baseUrl} the service?` : "";
  const when = about.retryAfterMs === undefined ? "" : `; come back in ${describeSpan(about.retryAfterMs)}`;
  const message = `${about.summary} failed: ${status}${title && ` ${title}`}${said}${doubt}${describeCall(about)}${when}`;
  const ErrorClass = statusClasses[status] ?? (status >= 500 && status < 600 ? ServerError : ApiError);
  return new ErrorClass(message, answer, about, options);
}

/** Says where a redirect leads, so that a base URL without `www` or with `http` is seen for what it is; without what may be secret there. */
function describeRedirect(headers: Headers, { baseUrl, path }: AboutCall): string {
  const url = URL.parse(headers.get("Location") ?? "", baseUrl + path);
  const isTold = headers.has("Location") && url !== null && /^https?:$/.test(url.protocol);
  return `redirect${isTold ? ` to ${quote(url.origin + url.pathname)}` : ""}, which is never followed`;
}

/** Whether it looks as if something else than the service had answered: a web server, a login, a firewall or a network on the way. */
function isFromElsewhere({ status, headers, text }: Pick<Answer, "status" | "headers" | "text">): boolean {
  const isAsked = status === 511 || (status >= 400 && status < 500 && !ofGateways.has(status));
  return isAsked && isHtmlDocument({ headers, text }, readBody(text));
}

/** What a web server before the service says of a request itself, in pages of its own. */
const ofGateways = new Set([400, 408, 413, 414, 429, 431]);

/** What a call waited for when its time ran out, other than the answer. */
const waits = {
  answer: "",
  key: ", waiting for the function passed as `apiKey`",
  hook: ", waiting for a hook",
  place: ", waiting for a place: as many requests as maxInFlight allows are under way",
  turn: ", waiting for its turn at the rate limit",
};

const statusClasses: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

const titles: Readonly<Record<number, string>> = {
  ...statusTitles,
  304: "Not Modified, which nobody asked for; does a cache on the way answer?",
  407: "Proxy Authentication Required",
  422: "Unprocessable Content",
  502: "Bad Gateway",
  504: "Gateway Timeout",
  511: "Network Authentication Required",
};

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
