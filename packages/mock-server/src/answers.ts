import {
  errorTitles,
  type FieldProblem,
  type HeaderLookup,
  type Problem,
  problemMediaType,
  rateLimitHeaderNames,
} from "@landing-page-service/contract";

/** A way in which an answer can break on its way; only adapters that own a socket can do it. */
export type WireFault = "reset" | "truncate" | "stall" | "garbage";

/** A request as plain values. */
export interface PlainRequest {
  /** HTTP method, upper case. */
  readonly method: string;
  /** Path as it came: percent-encoded, without the query. */
  readonly path: string;
  /** Query as it came, without `?`; empty when there is none. */
  readonly query: string;
  /** Headers of the request. */
  readonly headers: HeaderLookup;
  /** The body, or `undefined` when there is none. An adapter stops reading after `maxBodyBytes` + 1 bytes: what is longer is refused anyway. */
  readonly body: Uint8Array | undefined;
  /**
   * The service's `generation` when the request began, where its body took time to arrive: what was reset since is not
   * written to. @defaultValue the present one
   */
  readonly generation?: number;
  /** Fires when the caller has gone away: a delay ends at once, and what was not begun is not done. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer as plain values. */
export interface PlainAnswer {
  /** HTTP status, 200-599. */
  readonly status: number;
  /** Headers in their usual spelling; `Content-Length` is left to the adapter. */
  readonly headers: Record<string, string>;
  /** The body as text, or `undefined` when there is none. */
  readonly body: string | undefined;
  /** Length of the body in bytes of UTF-8, where it is known without counting. */
  readonly bodyBytes?: number | undefined;
  /** How the answer is to break on its way. */
  readonly wire?: WireFault | undefined;
}

/** What an endpoint did. */
export interface Success {
  readonly status: number;
  /** Headers beside those that every answer has, or in place of them where the spelling is the same. */
  readonly headers?: Record<string, string>;
  /** The body as JSON text. */
  readonly body?: string;
  /** Length of the body in bytes of UTF-8, where it is known without counting. */
  readonly bodyBytes?: number;
}

/** Why a request was not carried out. */
export interface Refusal {
  readonly refused: number;
  /** What went wrong, in a sentence. */
  readonly detail: string;
  /** Every wrong field. */
  readonly errors?: readonly FieldProblem[];
  /** Headers beside those that every answer has, or in place of them where the spelling is the same. */
  readonly headers?: Record<string, string>;
}

/** What came of a request. */
export type Outcome = Success | Refusal;

const titles: Readonly<Record<number, string>> = {
  ...errorTitles,
  403: "Forbidden",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  421: "Misdirected Request",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};

/** Tells a refusal from a success. */
export function isRefusal(outcome: object): outcome is Refusal {
  return "refused" in outcome;
}

/** Wrong fields that an answer names; a body can hold very many. */
export const mostErrors = 100;

/** A 400 that names the wrong fields: the first 100 of `total`. */
export function wrongFields(errors: readonly FieldProblem[], total: number = errors.length): Refusal {
  const [first] = errors;
  const more = total > 1 ? ` (and ${total - 1} more)` : "";
  return {
    refused: 400,
    detail: first === undefined ? "The request is not valid." : `${first.pointer}: ${first.detail}${more}`,
    errors: errors.slice(0, mostErrors),
  };
}

/**
 * Writes what came of a request: with the moment, the request's identifier and the rate limit on every answer.
 * `rateHeaders` are the three headers of the caller's window.
 */
export function writeAnswer(outcome: Outcome, { id, rateHeaders, nowMs }: AnswerFrame): PlainAnswer {
  const headers = { Date: formatDate(nowMs), "X-Request-Id": id, ...rateHeaders };
  return isRefusal(outcome) ? writeProblem(outcome, headers) : writeSuccess(outcome, headers);
}

/** Leaves the body out of an answer to HEAD; its length stays. */
export function fitToMethod(answer: PlainAnswer, method: string): PlainAnswer {
  if (method !== "HEAD" || answer.body === undefined) return answer;
  const length = String(answer.bodyBytes ?? Buffer.byteLength(answer.body));
  return { ...answer, headers: { ...answer.headers, "Content-Length": length }, body: undefined, bodyBytes: undefined };
}

/** What every answer says, whatever came of the request. */
export interface AnswerFrame {
  readonly id: string;
  readonly rateHeaders: Record<string, string>;
  readonly nowMs: number;
}

function writeSuccess({ status, headers, body, bodyBytes }: Success, base: Record<string, string>): PlainAnswer {
  if (body !== undefined) base["Content-Type"] = "application/json";
  return { status, headers: headers === undefined ? base : { ...base, ...headers }, body, bodyBytes };
}

/** Gap: see docs/spec-gaps.md#error-body */
function writeProblem({ refused, detail, errors, headers }: Refusal, base: Record<string, string>): PlainAnswer {
  const problem: Problem = {
    type: "about:blank",
    title: titles[refused] ?? (refused >= 500 ? "Server Error" : "Error"),
    status: refused,
    detail,
    ...(errors && { errors: [...errors] }),
    request_id: base["X-Request-Id"],
  };
  const all = { ...base, "Content-Type": problemMediaType, ...headers };
  return { status: refused, headers: all, body: JSON.stringify(problem) };
}

/** Whether HTTP can carry a header. Source: RFC 9110, section 5. */
export function isHeader(name: string, value: unknown): boolean {
  const isValue = typeof value === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return isValue && /^[!#$%&'*+\-.^_`|~\w]+$/.test(name);
}

/** The headers with those that the service writes itself in its spelling, so that one replaces the other. */
export function spellHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [ownSpelling.get(name.toLowerCase()) ?? name, value]),
  );
}

const ownSpelling = new Map(
  ["Date", "X-Request-Id", "Content-Type", "Retry-After", "Location", ...Object.values(rateLimitHeaderNames)].map(
    (name) => [name.toLowerCase(), name],
  ),
);

let dateSecond = Number.NaN;
let dateText = "";

/** The moment as a `Date` header has it, written anew only when the second changes. */
function formatDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(nowMs).toUTCString();
  }
  return dateText;
}
