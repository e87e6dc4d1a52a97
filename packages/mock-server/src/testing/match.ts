// One way to match requests: for faults, journal, waits and assertions.
import { type EndpointName, endpoints, isPlain } from "@landing-page-service/contract";
import { suggest } from "@landing-page-service/contract/internal";
import * as z from "zod";
import { integer, isAsymmetric, isPattern, optional, parseArgument } from "../argument.ts";

/**
 * Which requests match. A missing field matches anything. A string must be equal, and a pattern must be found. In `query`, `headers`
 * and `body`, asymmetric matchers, such as `expect.any(String)`, are supported. A match that no request can fit is refused.
 */
export interface RequestMatch {
  /** Endpoint that the request reached. */
  endpoint?: EndpointName | undefined;
  /** HTTP method, in any case. */
  method?: string | undefined;
  /** Path without the query, percent-encoded: the whole path, or a pattern to find in it. */
  path?: string | RegExp | undefined;
  /** Identifier of the page that it creates, updates or deletes, or that its event names. */
  pageId?: string | RegExp | undefined;
  /** Parameters in its query, decoded. Others may be there too. A number is compared as text. A repeated parameter is an array. */
  query?: Readonly<Record<string, unknown>> | undefined;
  /** Headers, with names in any case. Others may be there too. A number is compared as text. */
  headers?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of its JSON body. Others may be there too, at every level. An array is compared item by item. A body that is not JSON is a string. */
  body?: unknown;
  /** Status of the response, 100-599. */
  status?: number | undefined;
  /** How often a fault fires, the most requests that a list returns, or the exact number that a wait or an assertion expects. */
  times?: number | undefined;
}

/** The parts of a request that a match can compare. */
export interface MatchableRequest {
  readonly endpoint: EndpointName | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly pageId: string | undefined;
  /** `undefined` while there is no response. */
  readonly status: number | undefined;
  readonly body: string;
  readonly header: (name: string) => string | null;
}

/** Returns whether a request matches. */
export type Matches = (request: MatchableRequest) => boolean;

/** Turns a match that has been checked into a predicate. */
export function compileMatch(match: RequestMatch): Matches {
  const kept = keepCopy(match);
  return (request) => findDifferences(request, kept).next().done === true;
}

/** A difference between a request and a match. */
export interface Difference {
  /** The field of the match, and the path inside it. */
  readonly at: readonly string[];
  /** The value in the match. */
  readonly expected: unknown;
  /** The actual value; `undefined` if there is none. */
  readonly actual: unknown;
}

/** Finds the differences between a request and a match, and compares the cheapest fields first. */
export function* findDifferences(request: MatchableRequest, match: RequestMatch): Generator<Difference, void> {
  const { endpoint, method, path, pageId, query, headers = {}, body, status } = match;
  const fields: [name: string, expected: unknown, read: () => unknown][] = [
    ["endpoint", endpoint, () => request.endpoint],
    ["method", method?.toUpperCase(), () => request.method],
    ["path", path, () => request.path],
    ["status", status, () => request.status],
    ["query", query, () => readParameters(request.query)],
    ["headers", headers, () => readHeaders(request, Object.keys(headers))],
    ["pageId", pageId, () => request.pageId],
    ["body", body, () => readContent(request.body)],
  ];
  for (const [name, expected, read] of fields) if (expected !== undefined) yield* compare(read(), expected, [name]);
}

/** Compares a value with an expected one. An object may have more fields than expected, at every level. */
function* compare(actual: unknown, expected: unknown, at: readonly string[]): Generator<Difference, void> {
  const isWhole = !isObject(expected) || isAsymmetric(expected) || isPattern(expected);
  if (isWhole ? fits(actual, expected) : isAlike(actual, expected)) {
    if (isWhole || !isObject(actual)) return;
    for (const [name, value] of Object.entries(expected))
      yield* compare(Object.hasOwn(actual, name) ? actual[name] : undefined, value, [...at, name]);
  } else {
    yield { at, expected, actual };
  }
}

function fits(actual: unknown, expected: unknown): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual);
  // `search` ignores `lastIndex` and the flags that move it.
  if (isPattern(expected)) return typeof actual === "string" && actual.search(expected) >= 0;
  return actual === expected || Object.is(actual, expected);
}

/** Whether both are arrays of one length, or objects. */
function isAlike(actual: unknown, expected: object): boolean {
  if (Array.isArray(expected)) return Array.isArray(actual) && actual.length === expected.length;
  return isObject(actual) && !Array.isArray(actual);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function readParameters(query: string): Record<string, unknown> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries(
    Array.from(parameters.keys(), (name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function readHeaders(request: MatchableRequest, names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, request.header(name) ?? undefined]));
}

/** The JSON of a body, else its text; `undefined` for no body. */
function readContent(body: string): unknown {
  try {
    return body === "" ? undefined : JSON.parse(body);
  } catch {
    return body;
  }
}

/**
 * Copies and freezes arrays and plain objects from a test, so that the test cannot change them later. Other values, such as
 * asymmetric matchers, are not copied.
 */
export function keepCopy<Value>(given: Value): Value {
  if (!isPlain(given) || isAsymmetric(given)) return given;
  const copy = Array.isArray(given)
    ? given.map((item: unknown) => keepCopy(item))
    : Object.fromEntries(Object.entries(given).map(([name, value]) => [name, keepCopy<unknown>(value)]));
  return Object.freeze(copy) as Value; // why: it has the same fields
}

const endpointNames = Object.keys(endpoints) as [EndpointName, ...EndpointName[]]; // why: the keys of the table are the names

/** Types of values that a query and a header have as text. */
const textType = /^(?:string|number|boolean)$/;

/** Checks a value of a query or a header. `undefined` means that it is not there. */
const textSchema = z
  .custom<unknown>(
    (value) => value === undefined || textType.test(typeof value) || isPattern(value) || isAsymmetric(value),
    { error: "expected a string, a number, a pattern or an asymmetric matcher" },
  )
  .transform((value) => (textType.test(typeof value) ? String(value) : value));

/** Checks a match. */
export const requestMatchSchema = z
  .strictObject({
    endpoint: optional(
      z.enum(endpointNames, {
        error: ({ input }) => suggestEndpoint(input) ?? `expected one of ${endpointNames.join(", ")}`,
      }),
    ),
    method: optional(z.string({ error: "expected a method such as GET" }).regex(/^[a-z]+$/i)),
    path: optional(
      stringOrPattern('a pattern, or a whole path such as "/api/content" without query', /^\/[^?#]*$/),
    ).meta({
      description: "The whole path, percent-encoded, without the query.",
    }),
    pageId: optional(stringOrPattern("a string or a pattern", /^/)).meta({ description: "Identifier of its page." }),
    query: optional(
      z.record(z.string(), z.array(textSchema).or(textSchema), { error: "expected a plain object of parameters" }),
    ),
    headers: optional(z.record(z.string(), textSchema, { error: "expected a plain object of headers" })),
    body: optional(z.unknown().superRefine(checkContent)).meta({
      description: "Fields that the JSON body must contain. It may contain others.",
    }),
    status: optional(integer(100, 599)),
    times: optional(integer(0)),
  })
  .superRefine(checkEndpoint) satisfies z.ZodType<RequestMatch>;

/** Refuses what no JSON body contains. */
function checkContent(value: unknown, context: z.RefinementCtx, path: (string | number)[] = []): void {
  const isLeaf = value === null || Number.isFinite(value) || /^(?:string|boolean|undefined)$/.test(typeof value);
  if (isLeaf || isPattern(value) || isAsymmetric(value)) return;
  // No service nests deeper, but an object may contain itself.
  if (isPlain(value) && path.length < 100) {
    const members = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [name, member] of members) checkContent(member, context, [...path, name]);
  } else {
    const message = "expected a JSON value, a pattern or an asymmetric matcher";
    context.addIssue({ code: "custom", path, input: value, message });
  }
}

/** Refuses a method and a path that are not those of the endpoint, and the page of a list. */
export function checkEndpoint({ endpoint, method, path, pageId }: RequestMatch, context: z.RefinementCtx): void {
  if (endpoint === undefined) return;
  const { method: ownMethod, path: ownPath } = endpoints[endpoint];
  const message = `no request fits this, because ${endpoint} is ${ownMethod} ${ownPath}`;
  const isMethod = method === undefined || method.toUpperCase().replace("HEAD", "GET") === ownMethod;
  const isPath = typeof path !== "string" || new RegExp(`^${ownPath.replace(":id", "[^/]+")}$`).test(path);
  if (endpoint === "listPages" && pageId !== undefined) context.addIssue({ code: "custom", path: ["pageId"], message });
  if (!isMethod) context.addIssue({ code: "custom", path: ["method"], message });
  if (!isPath) context.addIssue({ code: "custom", path: ["path"], message });
}

/**
 * Checks a match, which would otherwise silently match nothing or everything. `where` begins the message.
 *
 * @throws {TypeError} that names each wrong field.
 */
export function readMatch(where: string, match: RequestMatch): RequestMatch {
  return parseArgument(where, requestMatchSchema, match);
}

/** Checks a string or a pattern. A client of the control API can only send a string. */
function stringOrPattern(expected: string, shape: RegExp): z.ZodType<string | RegExp> {
  return z
    .custom<string | RegExp>((value) => isPattern(value) || (typeof value === "string" && shape.test(value)), {
      error: `expected ${expected}`,
    })
    .meta({ type: "string" });
}

/** The message for an endpoint that was named by its method and path, or by the name in the client, such as `pages.create`. */
function suggestEndpoint(wrong: unknown): string | undefined {
  const written = typeof wrong === "string" ? wrong.toLowerCase() : "";
  const meant = Object.values(endpoints).find(
    ({ name, method, path }) =>
      written === `${method} ${path}`.toLowerCase() || written.split(/\W+/).includes(name.replace(/[A-Z].*/, "")),
  );
  return meant && `no endpoint is called ${JSON.stringify(wrong)}${suggest(meant.name, endpointNames)}`;
}
