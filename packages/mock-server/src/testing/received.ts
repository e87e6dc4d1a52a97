import { gotInstead, shorten, showLiteral } from "../argument.ts";
import { RecordedRequest } from "./journal.ts";
import { type Difference, findDifferences, readMatch, type RequestMatch } from "./match.ts";

/** A mock service, one of its accounts, or the `mock` of a test. */
export interface Received {
  /** Requests in the journal that match, oldest first. */
  requests(match?: RequestMatch): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
}

/** Whether the received requests are as expected, and the message if they are not. */
export interface Verdict {
  readonly isMet: boolean;
  readonly message: () => string;
}

/**
 * Compares the received requests with the expected ones: at least one, or exactly `times`. With `isNot`, it must be the opposite.
 * If requests are missing from the journal and could change the result, neither the expectation nor its opposite is met.
 * `where` is the name of the assertion, for errors.
 *
 * @throws {TypeError} when the match is not valid.
 */
export function compareReceived(
  received: Received,
  expected: RequestMatch,
  { where, isNot }: { where: string; isNot: boolean },
): Verdict {
  if (typeof received?.requests !== "function")
    throw new TypeError(
      `${where}: expected a mock service, or the account of a test${gotInstead(received)}${typeof received === "function" ? ": call it, as in mock()" : ""}`,
    );
  const { times, ...match } = readMatch(where, expected);
  const count = received.requests(match).length;
  const isThere = times === undefined ? count > 0 : count === times;
  const seemsMet = isNot ? !isThere : isThere;
  const doubt = seemsMet && times === undefined && !isNot ? undefined : describeDoubt(received, match);
  return {
    isMet: seemsMet && doubt === undefined,
    message: () =>
      [
        `expected ${describeCount(times, isNot)} like ${describeMatch(match)}, ${seemsMet ? "but the journal cannot tell" : `got ${count}`}`,
        ...(doubt === undefined ? [] : [doubt]),
        "",
        ...(isNot || count > 0 || times === 0 ? [] : describeNearest(received.requests(), match)),
        describeRequests(received.requests()),
      ].join("\n"),
  };
}

/** Says what is missing in the journal. */
function describeDoubt(received: Received, { body, ...match }: RequestMatch): string | undefined {
  const { forgottenRequests: forgotten } = received;
  if (forgotten > 0)
    return `${countOf(forgotten)} came before and ${forgotten === 1 ? "is" : "are"} forgotten, because the journal keeps the last 1 000`;
  const cut = body === undefined ? 0 : received.requests(match).filter(({ isBodyCut }) => isBodyCut).length;
  return cut === 0
    ? undefined
    : `${countOf(cut)} cannot be compared: the journal keeps 64 KiB of a body, and 4 MiB of all`;
}

/** How many differences and requests a message shows. */
const mostShown = { differences: 5, requests: 20 };

/** Shows the request nearest to the expected one with its differences; the last one of several. */
function describeNearest(requests: readonly RecordedRequest[], match: RequestMatch): string[] {
  const misses = requests
    .map((request) => ({ request, differences: listDifferences(request, match) }))
    .filter(({ differences }) => differences.length > 0);
  const [nearest] = misses.toReversed().toSorted((one, other) => measure(one.differences) - measure(other.differences));
  if (nearest === undefined) return [];
  const { request, differences } = nearest;
  const shown = differences.slice(0, mostShown.differences).map(({ at, expected, actual }) => {
    const [wanted = "", got = ""] = fromDifference([expected, actual]).map((value) => shorten(showLiteral(value)));
    return `  ${at.join(".")}: expected ${wanted}, got ${got}`;
  });
  const more = differences.length - shown.length;
  const rest = more > 0 ? [`  and ${more} more`] : [];
  return [`Nearest: ${request.method} ${request.path} -> ${describeStatus(request)}`, ...shown, ...rest, ""];
}

/** Leaves out the beginning that two long strings share. */
function fromDifference([one, other]: readonly [unknown, unknown]): unknown[] {
  if (typeof one !== "string" || typeof other !== "string") return [one, other];
  let start = 0;
  while (start < one.length && one.charAt(start) === other.charAt(start)) start += 1;
  return [one, other].map((text) => (start > 100 ? `…${text.slice(start - 50)}` : text));
}

/** Lists the differences of a request, with keys redacted. A value that differs only because it is redacted is left out. */
function listDifferences(request: RecordedRequest, match: RequestMatch): Difference[] {
  const places = new Set(Array.from(findDifferences(RecordedRequest.rawOf(request), match), placeOf));
  return Array.from(findDifferences(request, match)).filter((difference) => places.has(placeOf(difference)));
}

function placeOf({ at }: Difference): string {
  return JSON.stringify(at);
}

/** How far a request is from the expected one. Another endpoint is farther than any difference in a body. */
function measure(differences: readonly Difference[]): number {
  return differences.reduce((sum, { at: [field = ""] }) => sum + (/^(endpoint|method|path)$/.test(field) ? 1e6 : 1), 0);
}

/** Writes a match as in a program. Its end is missing if it is very long. */
export function describeMatch(match: RequestMatch): string {
  return shorten(showLiteral(match), 500);
}

/** Lists the last requests. */
export function describeRequests(requests: readonly RecordedRequest[]): string {
  if (requests.length === 0) return "No requests were received.";
  const shown = requests.slice(-mostShown.requests).map((request) => {
    const { method, path, query, body } = request;
    return `  ${method} ${path}${query && `?${query}`} -> ${describeStatus(request)}${body && ` ${shorten(body)}`}`;
  });
  const earlier = requests.length > shown.length ? `, the last ${shown.length} of them` : "";
  return `Received requests (${countOf(requests.length)}${earlier}):\n${shown.join("\n")}`;
}

function describeStatus({ status, answer }: RecordedRequest): string {
  return String(status ?? `no response: ${answer.wire ?? "the caller disconnected"}`);
}

function describeCount(times: number | undefined, isNot: boolean): string {
  if (times === undefined) return isNot ? "no request" : "at least one request";
  return `${isNot ? "any number but " : ""}${countOf(times)}`;
}

function countOf(times: number): string {
  return times === 1 ? "1 request" : `${times} requests`;
}
