import type { MatcherState } from "vitest";
import type { RecordedRequest, RequestFilter } from "./journal.ts";

/** Something with a journal: a mock service, one of its accounts, or the `mock` of a test. */
export interface Received {
  /** Requests in the journal that match, oldest first. */
  requests(filter?: Omit<RequestFilter, "key">): RecordedRequest[];
}

/** Which request is expected; what is left out may be anything. */
export interface ExpectedRequest extends Omit<RequestFilter, "key"> {
  /** Parameters that its query has, decoded, among others. */
  query?: Readonly<Record<string, unknown>>;
  /** Headers that it has, among others; each name in any case. */
  headers?: Readonly<Record<string, unknown>>;
  /** What its JSON body has, among other members. */
  body?: unknown;
  /** How many such requests are expected, 0 or more. @defaultValue at least one */
  times?: number;
}

/** Compares the requests that came with those expected; the message lists what came instead. */
export function matchReceived(
  received: Received,
  { query, headers, body, times, ...filter }: ExpectedRequest,
  { equals, utils, isNot }: Pick<MatcherState, "equals" | "utils" | "isNot">,
): { pass: boolean; message: () => string } {
  const contains = (actual: unknown, expected: unknown): boolean =>
    equals(actual, expected, [utils.subsetEquality, utils.iterableEquality]);
  const fitting = received
    .requests(filter)
    .filter(
      (request) =>
        (query === undefined || contains(readQuery(request), query)) &&
        (headers === undefined || contains(readHeaders(request, headers), headers)) &&
        (body === undefined || contains(readBody(request), body)),
    );
  const pass = times === undefined ? fitting.length > 0 : fitting.length === times;
  return {
    pass,
    message: () => {
      const wanted = {
        ...filter,
        ...(query && { query }),
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
      };
      const asked = `expected ${describeCount(times, isNot)} like ${utils.stringify(wanted, 6, { min: true })}`;
      return `${asked}, got ${fitting.length}\n\n${describeRequests(received.requests())}`;
    },
  };
}

/** Most requests that a message shows: the last ones. */
const mostShown = 20;

function describeRequests(requests: readonly RecordedRequest[]): string {
  if (requests.length === 0) return "No request came.";
  const shown = requests.slice(-mostShown).map(({ method, path, query, body, status }) => {
    const sent = body === "" ? "" : ` ${body.slice(0, 200)}${body.length > 200 ? "…" : ""}`;
    return `  ${method} ${path}${query === "" ? "" : `?${query}`} -> ${status}${sent}`;
  });
  const earlier = requests.length > mostShown ? `, the last ${mostShown} of them` : "";
  return `What came (${countOf(requests.length)}${earlier}):\n${shown.join("\n")}`;
}

function describeCount(times: number | undefined, isNot: boolean): string {
  if (times === undefined) return isNot ? "no request" : "at least one request";
  return `${isNot ? "any number but " : ""}${countOf(times)}`;
}

function countOf(times: number): string {
  return times === 1 ? "1 request" : `${times} requests`;
}

function readQuery({ query }: RecordedRequest): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

function readHeaders(request: RecordedRequest, expected: object): Record<string, string | null> {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, request.header(name)]));
}

function readBody(request: RecordedRequest): unknown {
  try {
    return request.json();
  } catch {
    return request.body;
  }
}
