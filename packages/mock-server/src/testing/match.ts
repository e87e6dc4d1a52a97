// One way to match requests: for faults, journal, waits and assertions.
import { type EndpointName, endpoints, isPlain } from "@landing-page-service/contract";
import { suggest } from "@landing-page-service/contract/internal";
import * as z from "zod";
import { anyObject, integer, isAsymmetric, isPattern, optional, parseArgument } from "../argument.ts";

/**
 * Which requests match; a field that is left out matches anything. A text is compared whole, a pattern is looked for; in `query`,
 * `headers` and `body`, whatever has an `asymmetricMatch` function, such as `expect.any(String)`, decides for itself.
 */
export interface RequestMatch {
  /** Endpoint that the request reached. */
  endpoint?: EndpointName;
  /** HTTP method, in any case. */
  method?: string;
  /** Path without the query, percent-encoded: the whole of it, or a pattern found in it. */
  path?: string | RegExp;
  /** Identifier of the page it is about: updated, deleted, created, or named by an event. */
  pageId?: string | RegExp;
  /** Parameters that its query has, decoded, among others; one that comes several times is an array. */
  query?: Readonly<Record<string, unknown>>;
  /** Headers that it has, among others; each name in any case. */
  headers?: Readonly<Record<string, unknown>>;
  /** What its JSON body has, among other members, at every level; an array is compared item by item. A body that is no JSON is a text. */
  body?: unknown;
  /** Status of the response, 100-599. */
  status?: number;
  /** How many: for which a fault fires, that are listed (the first), that are waited for, that are expected (exactly). */
  times?: number;
}

/** A request, as far as it can be matched. */
export interface MatchableRequest {
  /** Which of the five it called; `undefined` when none. */
  readonly endpoint: EndpointName | undefined;
  /** In capitals. */
  readonly method: string;
  /** From the root, without the query. */
  readonly path: string;
  /** As it came, without the question mark; empty when there is none. */
  readonly query: string;
  /** Identifier of the page that it is about; `undefined` when it is about none. */
  readonly pageId: string | undefined;
  /** Status of the response; `undefined` while there is none. */
  readonly status: number | undefined;
  /** A header by its name, in any case; `null` when there is none. */
  header(name: string): string | null;
  /** What the body holds: its JSON, or else its text; `undefined` when there is none. */
  readonly content: unknown;
}

/** Tells whether a request matches. */
export type Matches = (request: MatchableRequest) => boolean;

/** Turns a match, which {@link checkMatch} has checked, into a predicate. */
export function compileMatch(match: RequestMatch): Matches {
  const expected = listExpected(keepCopy(match));
  return (request) => contains(readFields(request, match), expected);
}

/** A part of a request that is not as a match has it. */
export interface Difference {
  /** Where it is: the member of the match, and the way inside it. */
  readonly at: readonly string[];
  /** What the match has there. */
  readonly expected: unknown;
  /** What is there; `undefined` when nothing is. */
  readonly actual: unknown;
}

/** Why a request does not match; empty when it does. */
export function findDifferences(request: MatchableRequest, match: RequestMatch): Difference[] {
  return Array.from(listDifferences(readFields(request, match), listExpected(match), []));
}

/** The fields that a match names; the cheapest are compared first. */
function listExpected({ endpoint, method, path, pageId, query, headers, body, status }: RequestMatch): object {
  const fields = { endpoint, method: method?.toUpperCase(), path, status, query, headers, pageId, body };
  return Object.fromEntries(Object.entries(fields).filter(([, expected]) => expected !== undefined));
}

/** A request in the shape of a match. The body is parsed only when it is compared. */
function readFields(request: MatchableRequest, { headers = {} }: RequestMatch): object {
  const { endpoint, method, path, query, status } = request;
  return {
    endpoint,
    method,
    path,
    status,
    get query() {
      return readParameters(query);
    },
    get headers() {
      return Object.fromEntries(Object.keys(headers).map((name) => [name, request.header(name) ?? undefined]));
    },
    get pageId() {
      return request.pageId;
    },
    get body() {
      return request.content;
    },
  };
}

const endpointNames = Object.keys(endpoints) as [EndpointName, ...EndpointName[]]; // why: the keys of the table are the names

/** A text, or a pattern that is looked for in one. A caller over HTTP can send the text only. */
function textOrPattern(expected: string, isText: (text: string) => boolean): z.ZodType<string | RegExp> {
  return z
    .custom<string | RegExp>((value) => isPattern(value) || (typeof value === "string" && isText(value)), {
      error: `expected ${expected}`,
    })
    .meta({ type: "string" });
}

/** The fields by which faults, the journal and waits match requests; `headers`, `body`, `status` and `times` of a fault are about its response. */
export const matchFields = {
  endpoint: optional(
    z.enum(endpointNames, {
      error: ({ input }) => `expected one of ${endpointNames.join(", ")}${suggestEndpoint(input)}`,
    }),
  ),
  method: optional(z.string({ error: "expected a method such as GET" }).regex(/^[a-z]+$/i)),
  path: optional(
    textOrPattern('a pattern, or a whole path such as "/api/content"', (path) => path.startsWith("/")),
  ).meta({ description: "The whole path, percent-encoded, without the query." }),
  pageId: optional(textOrPattern("a string or a pattern", () => true)).meta({ description: "The page it is about." }),
  query: optional(anyObject("an object of parameters")),
};

/** What a request has: its headers and its body. */
export const requestContentFields = {
  headers: optional(anyObject("an object of headers")),
  body: optional(z.unknown()).meta({ description: "What the JSON body has, among other fields." }),
};

/** Checks a match. */
export const requestMatchSchema = z.strictObject({
  ...matchFields,
  ...requestContentFields,
  status: optional(integer(100, 599)),
  times: optional(integer(0)),
}) satisfies z.ZodType<RequestMatch>;

/**
 * Refuses a match that could not mean anything, before it silently matches nothing or everything. `where` begins the message.
 *
 * @throws {TypeError} that names each wrong field.
 */
export function checkMatch(where: string, match: RequestMatch): void {
  parseArgument(where, requestMatchSchema, match);
}

/** The endpoint that a wrong name is nearest to, also by method and path, or by the client's name for it: `pages.create`. */
function suggestEndpoint(wrong: unknown): string {
  const written = typeof wrong === "string" ? wrong.toLowerCase() : "";
  const meant = Object.values(endpoints).find(
    ({ name, method, path }) =>
      written === `${method} ${path}`.toLowerCase() || written.split(/\W+/).includes(name.replace(/[A-Z].*/, "")),
  );
  return suggest(meant?.name ?? wrong, endpointNames);
}

/** Whether a value holds what is expected of it: of objects a part, at every level; of anything else all. */
function contains(actual: unknown, expected: unknown): boolean {
  return listDifferences(actual, expected, []).next().done === true;
}

/** What of a value is not as expected, found one by one. */
function* listDifferences(actual: unknown, expected: unknown, at: readonly string[]): Generator<Difference, void> {
  const whole: Difference = { at, expected, actual };
  if (!isRecord(expected) || isAsymmetric(expected) || isPattern(expected)) {
    if (!fits(actual, expected)) yield whole;
    return;
  }
  const isLike = Array.isArray(expected)
    ? Array.isArray(actual) && actual.length === expected.length
    : isRecord(actual) && !Array.isArray(actual);
  if (!isLike || !isRecord(actual)) {
    yield whole;
    return;
  }
  for (const [name, value] of Object.entries(expected))
    yield* listDifferences(Object.hasOwn(actual, name) ? actual[name] : undefined, value, [...at, name]);
}

/** The same for what has no members to compare. */
function fits(actual: unknown, expected: unknown): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual);
  // `search` heeds neither `lastIndex` nor the flags that move it.
  if (isPattern(expected)) return typeof actual === "string" && actual.search(expected) >= 0;
  return actual === expected || Object.is(actual, expected);
}

/** Whether a value has members. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function readParameters(query: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries(
    Array.from(new Set(parameters.keys()), (name) => {
      const [first = "", ...more] = parameters.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

/**
 * A frozen copy of what a test gave, as far as it is arrays and plain objects: what the test changes later changes nothing
 * here. A matcher that decides for itself stays what it is.
 */
export function keepCopy<Value>(given: Value): Value {
  if (!isPlain(given) || isAsymmetric(given)) return given;
  const copy = Array.isArray(given)
    ? given.map((item: unknown) => keepCopy(item))
    : Object.fromEntries(Object.entries(given).map(([name, member]) => [name, keepCopy<unknown>(member)]));
  return Object.freeze(copy) as Value; // why: it has the same members
}
