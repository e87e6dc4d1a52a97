import type { WireFault } from "../exchange/plain.ts";
import { isHeader } from "../exchange/headers.ts";
import { gotInstead } from "../exchange/literal.ts";
import { checkNames } from "../exchange/names.ts";
import { checkMatch, isRecord, isWhole, isWithin, matchNames, type RequestMatch } from "./match.ts";

/** A planned failure: which requests it strikes, and what happens to them. Callers without an account are never struck. */
export interface FaultRule extends Pick<RequestMatch, "endpoint" | "method" | "path" | "pageId" | "query"> {
  /** What the request has, where `headers` and `body` are the answer's. @defaultValue anything */
  request?: Pick<RequestMatch, "headers" | "body">;
  /** API key of the account it strikes. @defaultValue every account; the account itself in its own faults */
  key?: string;
  /** How many requests it strikes before it is used up, 1 or more. @defaultValue no end */
  times?: number;
  /** How many matching requests are spared first, 0 or more. @defaultValue 0 */
  skip?: number;
  /** Share of the matching requests it strikes, above 0 and at most 1; drawn from the service's `random`. @defaultValue 1 */
  probability?: number;
  /** Whether the test may end without it having struck: the fixtures of `/vitest` and `/assert` fail a test of which a fault struck nothing. @defaultValue false */
  optional?: boolean;
  /** Status of the answer, 200-599. Without one the request takes its course. */
  status?: number;
  /** Headers of the answer, in place of those the service would send; none that frame the body, as `Content-Length`. Needs `status`. */
  headers?: Readonly<Record<string, string>>;
  /** Body of the answer: a text as it is, anything else as JSON. Needs `status`. @defaultValue a problem body from status 400, else none */
  body?: unknown;
  /** How long the answer is held back, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  delayMs?: number;
  /**
   * How the connection fails instead: `refuse` (there is none: `ECONNREFUSED`; over a socket, which is there already, as `reset`), `reset`, `stall` (nothing is ever sent: the client gives up after
   * its own `timeoutMs`, which keeps a process such as node:test's for as long)
   * or `garbage` (bytes that are no HTTP); `truncate`
   * cuts the real answer in half. Without a socket, `fetch` shows it as the platform's `fetch` does.
   */
  wire?: WireFault;
  /** Whether it strikes before anything is done, or once the work is done. @defaultValue `"before"`; `"after"` for `wire: "truncate"` */
  when?: "before" | "after";
}

const where = "faults.add";
const ruleNames = [...matchNames, "request", "key", "skip", "probability", "optional", "delayMs", "wire", "when"];
const wireFaults = ["refuse", "reset", "truncate", "stall", "garbage"];
const longestDelayMs = 2 ** 31 - 1;

/** @throws {TypeError} when a rule contradicts itself or would do nothing. */
export function checkRule(rule: FaultRule): void {
  checkNames(where, rule, ruleNames);
  const { headers: _, body: __, status: ___, times, ...match } = rule;
  checkMatch(where, match, ruleNames);
  if (rule.request !== undefined) checkMatch(`${where}: request`, rule.request, ["headers", "body"]);
  const { skip, probability, optional, status, delayMs, wire, when } = rule;
  if (times !== undefined && !isWhole(times, 1, Number.MAX_SAFE_INTEGER))
    throw wrong(`times: expected 1 or more${gotInstead(times)}`);
  if (skip !== undefined && !isWhole(skip, 0, Number.MAX_SAFE_INTEGER))
    throw wrong(`skip: expected 0 or more${gotInstead(skip)}`);
  if (probability !== undefined && !(isWithin(probability, 1) && probability > 0))
    throw wrong(`probability: expected above 0 and at most 1${gotInstead(probability)}`);
  if (optional !== undefined && typeof optional !== "boolean")
    throw wrong(`optional: expected true or false${gotInstead(optional)}`);
  if (status !== undefined && !isWhole(status, 200, 599))
    throw wrong(`status: expected 200 to 599${gotInstead(status)}`);
  if (delayMs !== undefined && !isWithin(delayMs, longestDelayMs))
    throw wrong(`delayMs: expected 0 to ${longestDelayMs}${gotInstead(delayMs)}`);
  if (wire !== undefined && !wireFaults.includes(wire))
    throw wrong(`wire: expected one of ${wireFaults.join(", ")}${gotInstead(wire)}`);
  if (when !== undefined && when !== "before" && when !== "after")
    throw wrong(`when: expected "before" or "after"${gotInstead(when)}`);
  checkCombination(rule);
  checkContent(rule);
}

/** What tells where a body ends is not for a rule to say: a connection would be out of step. */
const framingHeader = /^(?:content-length|transfer-encoding|trailer|upgrade)$/i;

/** What cannot be sent must fail where it was planned, not in the request it befalls. */
function checkContent({ headers, body }: FaultRule): void {
  if (headers !== undefined && !isRecord(headers)) throw wrong(`headers: expected an object${gotInstead(headers)}`);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!isHeader(name, value))
      throw wrong(`headers: ${name}: expected a name and a text that HTTP can carry${gotInstead(value)}`);
    if (framingHeader.test(name)) throw wrong(`headers: ${name} is written by whatever sends the answer`);
  }
  if (body !== undefined && !isWritable(body)) throw wrong("body: expected a text or what JSON can hold");
}

function isWritable(body: unknown): boolean {
  try {
    return JSON.stringify(body) !== undefined;
  } catch {
    return false;
  }
}

function checkCombination({ status, headers, body, delayMs, wire, when }: FaultRule): void {
  if (status === undefined && (headers !== undefined || body !== undefined))
    throw wrong(
      "headers and body, which are answered, need a status; what a request must have is request: { headers, body }",
    );
  if (status !== undefined && wire !== undefined) throw wrong("status and wire exclude each other");
  if (status === undefined && wire === undefined && delayMs === undefined)
    throw wrong("needs a status, a delayMs or a wire");
  if (wire === "truncate" && when === "before")
    throw wrong('wire: "truncate" cuts the real answer, so it cannot strike before');
  if (wire === "refuse" && when === "after")
    throw wrong('wire: "refuse" is no connection at all, so it cannot strike after');
  if ((status === 204 || status === 205 || status === 304) && body !== undefined)
    throw wrong(`status ${status} has no body`);
}

function wrong(rule: string): TypeError {
  return new TypeError(`${where}: ${rule}`);
}
