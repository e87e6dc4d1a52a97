import { type Problem, problemMediaType, statusTitles } from "@landing-page-service/contract";
import { isRefusal, type Outcome, type Refusal, type Success } from "../exchange/outcome.ts";
import type { PlainAnswer } from "../exchange/plain.ts";

/**
 * Writes what came of a request: with the moment, the request's identifier and the rate limit on every answer.
 * `rateHeaders` are the three headers of the caller's window.
 */
export function writeAnswer(outcome: Outcome, { id, rateHeaders, nowMs }: AnswerFrame): PlainAnswer {
  const headers = { Date: formatDate(nowMs), "X-Request-Id": id, ...rateHeaders };
  return isRefusal(outcome) ? writeProblem(outcome, headers) : writeSuccess(outcome, headers);
}

/** What every answer says, whatever came of the request. */
export interface AnswerFrame {
  readonly id: string;
  readonly rateHeaders: Record<string, string>;
  readonly nowMs: number;
}

function writeSuccess(
  { status, headers, body, bodyBytes, pieces }: Success,
  base: Record<string, string>,
): PlainAnswer {
  if (body !== undefined) base["Content-Type"] = "application/json";
  const all = headers === undefined ? base : { ...base, ...headers };
  return pieces === undefined ? { status, headers: all, body, bodyBytes } : { status, headers: all, body, pieces };
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

const titles: Readonly<Record<number, string>> = {
  ...statusTitles,
  417: "Expectation Failed",
  421: "Misdirected Request",
  431: "Request Header Fields Too Large",
};

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
