// Checks the input of calls by the rules of the spec, and writes it as path, query or JSON.
import {
  type AnalyticsEvent,
  type CreatePage,
  type Endpoint,
  endpoints,
  type FieldProblem,
  findFieldProblems,
  formatTimestamp,
  isObject,
  type ListFilters,
  nearest,
  type UpdatePage,
} from "@landing-page-service/contract";
import * as z from "zod/mini";
import { callSchema, checkOptions, optionsOf, tryTo, wholeFrom } from "./options.ts";
import { ConfigurationError, InvalidInputError } from "./report/errors.ts";

/** Which pages to list, and from where. Source: spec, "List pages". */
export interface PageListQuery {
  /** How many pages to return, 1 or more. The service's largest value is a gap. @defaultValue 20, set by the service */
  limit?: number | undefined;
  /** How many pages to skip, 0 or more. @defaultValue 0, set by the service */
  offset?: number | undefined;
  /** Which pages to list: `slug`, `domain`, `q`, and any other filter that the service knows, each a string, a number or a boolean. Gap: see docs/spec-gaps.md#list-filters @defaultValue all */
  filters?: ListFilters | object | undefined;
}

/** A view of a page, or an interaction with it. Source: spec, "Analytics event". */
export interface TrackEvent extends Omit<AnalyticsEvent, "timestamp" | "properties"> {
  /**
   * Time of the event: a `Date`, or an ISO 8601 string with a time and an offset, such as `2026-05-06T07:08:09.123+02:00`. It is sent in
   * UTC, shaped `YYYY-MM-DDTHH:MM:SSZ`; fractions of a second are cut off.
   *
   * @defaultValue the time of the call
   */
  timestamp?: string | Date | undefined;
  /** Flat details of the event: strings, numbers, booleans or `null` by name; `undefined` leaves one out. Gap: see docs/spec-gaps.md#event-fields */
  properties?: object | undefined;
}

/** Input of `create`: the fields of a page, or a page that was read. Source: spec, "Create page". */
export interface NewPage extends Omit<CreatePage, "meta_description"> {
  /** Short description of the page or offer. May be left out; `null` means the same. */
  meta_description?: string | null | undefined;
}

/** Input of `update`: any subset of the fields of a page, or a page that was read and changed. Source: spec, "Update page". */
export interface PageChanges extends Omit<UpdatePage, "meta_description"> {
  /** New short description of the page or offer; `null` is sent as the empty string. */
  meta_description?: string | null | undefined;
}

/**
 * Checks input by a schema.
 *
 * @throws {InvalidInputError} that names every problem.
 */
export function checkInput(summary: string, schema: z.ZodMiniType, given: unknown): void {
  refuse(summary, findFieldProblems(schema, given));
}

function refuse(summary: string, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new InvalidInputError(summary, problems);
}

const documentedFields = new Set(["title", "content", "slug", "meta_description", "cta"]);

/**
 * Writes the body of a create or an update. A description that is `null` is left out of a create, and is an empty string in an update.
 *
 * @throws {InvalidInputError} when a field is wrong.
 */
export function writePage(row: Row, input: NewPage | PageChanges): string {
  const given = Object(input) as object; // why: plain JavaScript may pass anything; checked below
  if (row === endpoints.createPage && Array.isArray(input))
    refuse(row.summary, [{ pointer: "#", detail: "expected object, got an array; `createMany` takes several" }]);
  // Only the service assigns an id and domains, so an input that has them is a page from a response. It may have more fields that must not be sent.
  const isRead = "id" in given || "domains" in given;
  const sent = Object.entries(given).filter(([name]) => !isRead || documentedFields.has(name));
  const fields: { meta_description?: unknown } = Object.fromEntries(sent);
  if (fields.meta_description === null) fields.meta_description = row === endpoints.createPage ? undefined : "";
  return writeJson(row.summary, fields, findProblems(row, input, fields));
}

/**
 * Writes the body of an event, with its timestamp.
 *
 * @throws {InvalidInputError} when a field is wrong.
 */
export function writeEvent(event: TrackEvent, nowMs: number): string {
  const row = endpoints.trackEvent;
  const now = new Date(nowMs);
  const { timestamp = now, properties, ...rest } = Object(event) as TrackEvent; // why: checked below
  const copy = isObject(properties)
    ? Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined))
    : properties;
  const fields = { ...rest, timestamp: writeTimestamp(timestamp) ?? formatTimestamp(now), properties: copy };
  const problems = findProblems(row, event, fields);
  return writeJson(row.summary, fields, [...problems, ...findFieldProblems(timestampSchema, { timestamp })]);
}

type Row = Pick<Endpoint, "summary"> & { readonly input: { readonly schema: z.ZodMiniType } };

/** Finds what is wrong with the fields of a body, which were picked from `given`. */
function findProblems({ input }: Row, given: unknown, fields: object): FieldProblem[] {
  const kind = Object.prototype.toString.call(given).slice("[object ".length, -1);
  // A Promise, Map or FormData has no fields of its own, so it would be written as an empty object.
  if (kind === "Promise" || (isObject(given) && kind !== "Object" && Object.keys(given).length === 0)) {
    const received = kind === "Promise" ? "a promise: await it" : `a ${kind}`;
    return [{ pointer: "#", detail: `expected a plain object, got ${received}` }];
  }
  const body = isObject(given) ? fields : given;
  return findFieldProblems(input.schema, body).map(({ pointer, detail }) => {
    return { pointer, detail: detail + findMisspelt(pointer, body) };
  });
}

/** Writes a body as JSON, once, so that every attempt sends the same bytes. */
function writeJson(summary: string, body: object, problems: readonly FieldProblem[]): string {
  refuse(summary, problems);
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new InvalidInputError(summary, [{ pointer: "#", detail: "cannot be written as JSON" }], { cause: error });
  }
}

const knownNames = new Set([...documentedFields, "type", "label", "url", "pageId", "timestamp", "properties"]);

/** If a field is missing, asks about an unknown field with a similar name. */
function findMisspelt(pointer: string, body: unknown): string {
  const path = pointer.split("/").slice(1);
  const name = path.pop() ?? "";
  const object = path.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), body);
  if (!isObject(object) || object[name] !== undefined) return "";
  const unknown = Object.keys(object).filter((given) => !knownNames.has(given));
  const meant = nearest(name, unknown);
  return meant === undefined ? "" : `; did you pass it as \`${meant}\`?`;
}

const isScalar = (value: unknown) => ["string", "number", "boolean", "undefined"].includes(typeof value);
const notAFilter = (name: string) => z.never(`${name} is not a filter; pass it next to \`filters\`, not inside`);

/** Parts of a list query. Filters that the spec does not name are allowed. */
export const queryShape = {
  limit: wholeFrom(1),
  offset: wholeFrom(0),
  filters: z.catchall(
    optionsOf({
      slug: z.string(),
      domain: z.string(),
      q: z.string(),
      // As filters they would be sent in addition to the real ones, and the service would pick one silently.
      limit: notAFilter("limit"),
      offset: notAFilter("offset"),
    }),
    z.custom(isScalar, "expected a string, a number or a boolean"),
  ),
};

const querySchema = optionsOf(queryShape);
const anyQuery = z.object({});

/**
 * Writes path and query of a list.
 *
 * @throws {InvalidInputError} when a parameter breaks a rule of the endpoint.
 * @throws {ConfigurationError} when there is a name other than `limit`, `offset` and `filters`.
 */
export function writeQuery(query: PageListQuery): string {
  const { summary, path } = endpoints.listPages;
  const misplaced = Object.keys(Object(query)).find((name) => Object.hasOwn(callSchema.shape, name));
  if (misplaced !== undefined)
    throw new ConfigurationError(`\`${misplaced}\` is an option of the call: options come second, after the query.`);
  checkInput(summary, anyQuery, query);
  checkOptions(querySchema, query, summary, queryShape);
  const { filters, ...range } = query;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...range, ...filters }))
    if (value !== undefined) search.append(name, String(value));
  // Some services do not decode a plus as a space.
  const text = search.toString().replaceAll("+", "%20");
  return text === "" ? path : `${path}?${text}`;
}

const isId = (id: unknown) =>
  typeof id === "string" && !["", ".", ".."].includes(id) && id.isWellFormed() && !/\p{Cc}/u.test(id);
const idSchema = z.object({
  id: z.custom(isId, 'expected the id of a page: a string, not empty, not "." or "..", without control characters'),
});

/**
 * Puts an id into the path, as one encoded segment.
 *
 * @throws {InvalidInputError} when it could lead to another path.
 */
export function writePath({ summary, path }: Pick<Endpoint, "summary" | "path">, id: string): string {
  checkInput(summary, idSchema, { id });
  return path.replace(":id", () => encodeURIComponent(id));
}

const timestampSchema = z.object({
  timestamp: z.custom(
    (value) => writeTimestamp(value) !== undefined,
    "expected a Date, or an ISO 8601 string with a time and an offset, such as 2026-05-06T07:08:09Z or 2026-05-06T09:08:09.123+02:00, of a time that exists",
  ),
});

/** Writes a timestamp in the documented shape; `undefined` if it does not exist or is outside the years 0 to 9999. */
function writeTimestamp(timestamp: unknown): string | undefined {
  const date = Object(timestamp) as Partial<Date>; // why: a `Date` of another realm is no `instanceof Date`
  return tryTo(() => formatTimestamp(new Date(date.getTime?.() ?? readIso(timestamp))));
}

function readIso(text: unknown): number {
  const [iso = "", date] = isoTime.exec(typeof text === "string" ? text.trim() : "") ?? [];
  // `Date` rolls 30 February over into March.
  if (date === undefined || !new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)) return Number.NaN;
  return Date.parse(iso.replace(" ", "T").toUpperCase());
}

const isoTime = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)$/;
