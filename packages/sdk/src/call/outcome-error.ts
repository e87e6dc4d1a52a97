// The error that a call ends with, made of how its last attempt ended. Keys are taken out of finished texts only.
import { redact, statusTitles } from "@landing-page-service/contract";
import { isLoopback } from "../credentials.ts";
import { boundBody, isHtmlDocument, readProblem } from "../read/body.ts";
import type { ResponseReader } from "../read/responses.ts";
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
} from "../report/errors.ts";
import { describeFields, describeSpan, quote } from "../report/messages.ts";
import { type Answer, type Misconfigured, type Outcome, readRequestId } from "./outcome.ts";

/** What an error needs to know beside the outcome. */
export interface AboutCall extends CallFailure {
  /** What was being done, such as `Create page`. */
  readonly summary: string;
  /** Every key of the call. They are taken out of the finished texts. */
  readonly keys: readonly string[];
  /** What the path stands below. */
  readonly baseUrl: string;
  /** Reads by a dialect, where the client has one. */
  readonly reader?: ResponseReader | undefined;
}

/** Makes the error that a call ends with. */
export function toError(
  outcome: Exclude<Outcome, Misconfigured>,
  about: AboutCall,
  options?: { cause: unknown },
): CallError {
  const say = (what: string) => redact(`${about.summary} ${what}${describeCall(about)}`, about.keys);
  switch (outcome.kind) {
    case "answer":
      return toApiError(outcome, about, options);
    case "unsent":
    case "broken":
    case "hook": {
      const { kind, message, cause } = outcome;
      const advice = kind === "hook" ? "" : adviseOnProxy(about);
      const code = kind === "hook" ? "HOOK_FAILED" : outcome.code;
      const text = say(`failed: ${networkFailures[kind]} (${quote(message)})${advice}`);
      return new ConnectionError(text, code, about, { cause, ...options });
    }
    case "timeout": {
      const { name, ms } = outcome.limit;
      const limit =
        name === "timeoutMs" ? `no complete answer within ${ms} ms` : `not done within totalTimeoutMs, ${ms} ms`;
      return new TimeoutError(say(`failed: ${limit}${waits[outcome.waitedFor]}`), name, about, options);
    }
    case "unexpected": {
      const { status, wanted = "what was asked for" } = outcome;
      const found = describeFields(outcome.errors);
      const [detail, errors] = [redact(found, about.keys), hideIn(outcome.errors, about.keys)];
      const body = hideIn(boundBody(outcome.text, ""), about.keys);
      const text = say(`answered ${status}, but not with ${wanted} (${found})`);
      return new ResponseValidationError(text, { status, problem: { detail, errors }, body }, about, options);
    }
    case "aborted": {
      const { reason } = outcome;
      const when = about.attempts.length === 0 ? " before it was sent" : "";
      return new AbortedError(say(`was aborted${when}${describeReason(reason)}`), about, { cause: reason });
    }
    case "held": {
      const { waitMs, rateLimit } = outcome;
      const detail = `the rate limit is used up for another ${describeSpan(waitMs)}, longer than this call may wait`;
      const response = { status: 429, problem: { detail, errors: [] }, headers: new Headers(), rateLimit };
      return new RateLimitError(`${about.summary} was not sent: ${detail}`, response, about, options);
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
  const about = { summary, method, path, keys: [], baseUrl: "", attempts: [], mayHaveBeenApplied };
  const reason = signal?.reason as unknown; // why: the platform says `any`
  return toError({ kind: "aborted", isSent: false, reason }, about);
}

/** Makes the error of the class that the status calls for, with a message such as `Create page failed: 400 Bad Request (title: expected string)`. */
function toApiError(
  { status, headers: received, text, rateLimit }: Answer,
  about: AboutCall,
  options?: { cause: unknown },
): ApiError {
  const said = readProblem(text, about.reader?.readProblem(status, text));
  const title = titles[status] ?? (status >= 300 && status < 400 ? describeRedirect(received, about) : "");
  const detail = describeFields(said.errors) || said.detail;
  const quoted = detail === "" || detail === title ? "" : ` (${detail})`;
  const doubt = isFromElsewhere({ status, headers: received, text })
    ? `; a web page came: is ${about.baseUrl} the service?${adviseOnProxy(about)}`
    : "";
  const when = about.retryAfterMs === undefined ? "" : `; come back in ${describeSpan(about.retryAfterMs)}`;
  const message = `${about.summary} failed: ${status}${title && ` ${title}`}${quoted}${doubt}${describeCall(about)}${when}`;
  const hide = (part: string) => redact(part, about.keys);
  const headers = new Headers([...received].map(([name, value]) => [name, hide(value)]));
  const { detail: sentence, errors, type } = said;
  const problem = hideIn({ detail: sentence, errors, ...(type === undefined ? {} : { type }) }, about.keys);
  const body = hideIn(boundBody(text, ""), about.keys);
  const answer: ErrorAnswer = { status, problem, body, headers, requestId: readRequestId(headers), rateLimit };
  const ErrorClass = statusClasses[status] ?? (status >= 500 && status < 600 ? ServerError : ApiError);
  return new ErrorClass(hide(message), answer, about, options);
}

/** Takes the keys out of all strings and names in a value, such as a body that is bounded already. */
function hideIn<Value>(value: Value, keys: readonly string[]): Value {
  const hidden = (each: unknown): unknown => {
    if (typeof each === "string") return redact(each, keys);
    if (Array.isArray(each)) return each.map(hidden);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [redact(name, keys), hidden(inner)]));
  };
  return hidden(value) as Value; // why: strings stay strings, and objects and arrays keep their shape
}

/** A request to this machine that goes through a proxy shows it the key, and the proxy may not reach this machine at all. */
function adviseOnProxy({ baseUrl }: AboutCall): string {
  const environment = typeof process === "undefined" ? {} : process.env;
  const proxy = ["HTTP_PROXY", "http_proxy"].find((name) => (environment[name] ?? "") !== "");
  const hostname = URL.parse(baseUrl)?.hostname ?? "";
  if (proxy === undefined || !baseUrl.startsWith("http:") || !isLoopback(hostname)) return "";
  const exceptions = environment["NO_PROXY"] ?? environment["no_proxy"] ?? "";
  return exceptions.includes(hostname) || exceptions.trim() === "*"
    ? ""
    : `; the environment sets ${proxy}: add ${hostname} to NO_PROXY, or the request goes through the proxy, API key included`;
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
  return isAsked && isHtmlDocument({ headers, text });
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
