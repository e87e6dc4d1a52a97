import { RequestBody } from "../http-types.ts";
import { mostRequests, RecordedRequest } from "./journal.ts";
import { showLiteral } from "../argument.ts";
import { types } from "node:util";
import { checkMatch, type Difference, findDifferences, type RequestMatch } from "./match.ts";

/** Something with a journal: a mock service, one of its accounts, or the `mock` of a test. */
export interface Received {
  /** Requests in the journal that match, oldest first. */
  requests(match?: RequestMatch): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
}

/** Whether the requests that came are as expected, and what to say when they are not. */
export interface Verdict {
  readonly isMet: boolean;
  readonly message: () => string;
}

/** An assertion that compares what came: its name, and whether it means the opposite. */
interface Assertion {
  readonly where: string;
  readonly isNot: boolean;
}

/**
 * Compares the requests that came with those expected: at least one, or exactly `times`; with `isNot`, the opposite. What the
 * journal no longer holds proves nothing: where it matters, the expectation is not met, whichever it is.
 *
 * @throws {TypeError} when the match is none.
 */
export function compareReceived(received: Received, expected: RequestMatch, { where, isNot }: Assertion): Verdict {
  if (typeof received?.requests !== "function")
    throw new TypeError(
      `${where}: expected a mock service, or the account of a test, got ${describeKind(received)}${typeof received === "function" ? ": call it, as in mock()" : ""}`,
    );
  checkMatch(where, expected);
  const { times, ...match } = expected;
  const count = received.requests(match).length;
  const isThere = times === undefined ? count > 0 : count === times;
  const seemsMet = isNot ? !isThere : isThere;
  const doubt = seemsMet && times === undefined && !isNot ? undefined : describeDoubt(received, match);
  return {
    isMet: seemsMet && doubt === undefined,
    message: () => {
      const asked = `expected ${describeCount(times, isNot)} like ${showLiteral(match)}, got ${count}`;
      const misses = isNot || count >= (times ?? 1) ? [] : describeNearest(received.requests(), match);
      return [
        asked,
        ...(doubt === undefined ? [] : [doubt]),
        "",
        ...misses,
        describeRequests(received.requests()),
      ].join("\n");
    },
  };
}

/** What was given instead, without its contents. */
function describeKind(value: unknown): string {
  if (types.isPromise(value)) return "a promise: await it";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return "an object of another kind";
  return JSON.stringify(value) ?? String(value);
}

/** Why what is in the journal is not the whole truth. */
function describeDoubt(received: Received, { body, ...match }: RequestMatch): string | undefined {
  const { forgottenRequests } = received;
  if (forgottenRequests > 0)
    return `${countOf(forgottenRequests)} came before and ${forgottenRequests === 1 ? "is" : "are"} forgotten: the journal keeps the last ${mostRequests}`;
  const cut = body === undefined ? [] : received.requests(match).filter(({ isBodyCut }) => isBodyCut);
  return cut.length === 0
    ? undefined
    : `${countOf(cut.length)} cannot be compared: the journal keeps 64 KiB of a body, and 4 MiB of all`;
}

/** Most differences that a message names. */
const mostDifferences = 5;

/** The request that comes nearest to what is expected, and what of it differs; nothing where none came. */
function describeNearest(requests: readonly RecordedRequest[], match: RequestMatch): string[] {
  const misses = requests.flatMap((request) => {
    const differences = listDifferences(request, match);
    return differences.length === 0 ? [] : [{ request, differences, distance: measure(differences) }];
  });
  // Of several that are as near, the last.
  const [nearest] = misses.toReversed().toSorted((one, other) => one.distance - other.distance);
  if (nearest === undefined) return [];
  const { request, differences } = nearest;
  const named = differences
    .slice(0, mostDifferences)
    .map(
      ({ at, expected, actual }) =>
        `  ${at.join(".")}: expected ${showLiteral(expected)}, got ${shorten(showLiteral(actual))}`,
    );
  const more = differences.length - named.length;
  const rest = more > 0 ? [`  and ${more} more`] : [];
  return [`Nearest: ${request.method} ${request.path} -> ${tellStatus(request)}`, ...named, ...rest, ""];
}

/** What keeps a request from matching, with keys redacted. A value that is only redacted is no difference. */
function listDifferences(request: RecordedRequest, match: RequestMatch): Difference[] {
  const places = new Set(findDifferences(RecordedRequest.rawOf(request), match).map(placeOf));
  const { endpoint, method, path, query, pageId, status } = request;
  const { content } = new RequestBody(new TextEncoder().encode(request.body));
  const header = (name: string): string | null => request.header(name);
  const shown = { endpoint, method, path, query, pageId, status, content, header };
  return findDifferences(shown, match).filter((difference) => places.has(placeOf(difference)));
}

function placeOf({ at }: Difference): string {
  return JSON.stringify(at);
}

/** How far a request is from what was expected: another endpoint is farther than anything inside a body. */
function measure(differences: readonly Difference[]): number {
  const members = new Set(differences.map(({ at: [member = ""] }) => member));
  const isElsewhere = ["endpoint", "method", "path"].some((name) => members.has(name));
  return (isElsewhere ? 1e9 : 0) + members.size * 1e6 + Math.min(differences.length, 1e6 - 1);
}

/** Most requests that a message shows: the last ones. */
const mostShown = 20;

function describeRequests(requests: readonly RecordedRequest[]): string {
  if (requests.length === 0) return "No request came.";
  const shown = requests.slice(-mostShown).map((request) => {
    const { method, path, query, body } = request;
    const sent = body === "" ? "" : ` ${shorten(body)}`;
    return `  ${method} ${path}${query === "" ? "" : `?${query}`} -> ${tellStatus(request)}${sent}`;
  });
  const earlier = requests.length > mostShown ? `, the last ${mostShown} of them` : "";
  return `What came (${countOf(requests.length)}${earlier}):\n${shown.join("\n")}`;
}

function tellStatus({ status }: RecordedRequest): string {
  return status === undefined ? "no answer: the caller went away" : String(status);
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function describeCount(times: number | undefined, isNot: boolean): string {
  if (times === undefined) return isNot ? "no request" : "at least one request";
  return `${isNot ? "any number but " : ""}${countOf(times)}`;
}

function countOf(times: number): string {
  return times === 1 ? "1 request" : `${times} requests`;
}
