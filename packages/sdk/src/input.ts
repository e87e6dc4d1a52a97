// What a caller passes, checked against what the spec documents and written as it travels.
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
import { ConfigurationError, InvalidInputError } from "./report/errors.ts";
import { nameKind } from "./report/messages.ts";
import { callOptions, checkOptions, namesOnly } from "./options.ts";

/** Which pages to list, and from where. Source: spec, "List pages". */
export interface PageListQuery {
  /** How many pages to return, 1 or more. The service's largest value is a gap. @defaultValue 20, set by the service */
  limit?: number | undefined;
  /** How many pages to skip, 0 or more. @defaultValue 0, set by the service */
  offset?: number | undefined;
  /** Which pages to list: `slug`, `domain`, `q`, and any other filter the service knows, each a text, a number or a boolean. Gap: see docs/spec-gaps.md#list-filters @defaultValue all */
  filters?: ListFilters | object | undefined;
}

/** A view of a page, or something done on it. Source: spec, "Analytics event". */
export interface TrackEvent extends Omit<AnalyticsEvent, "timestamp" | "properties"> {
  /**
   * Time of the event: a `Date`, or an ISO 8601 text with a time and an offset, such as `2026-05-06T07:08:09.123+02:00`. It is sent in
   * UTC, shaped `YYYY-MM-DDTHH:MM:SSZ`; fractions of a second are cut off.
   *
   * @defaultValue the time of the call
   */
  timestamp?: string | Date | undefined;
  /** Flat details of the event: texts, numbers, booleans or `null` by name. Gap: see docs/spec-gaps.md#event-fields */
  properties?: object | undefined;
}

/** What a caller sends to create a page, or a page that was read. Source: spec, "Create page". */
export interface NewPage extends Omit<CreatePage, "meta_description"> {
  /** Short description of the page or offer. May be left out; `null` is as good. */
  meta_description?: string | null | undefined;
}

/** What a caller sends to change a page: any subset of its fields, or a page that was read and changed. Source: spec, "Update page". */
export interface PageChanges extends Omit<UpdatePage, "meta_description"> {
  /** New short description of the page or offer; `null` is sent as the empty text. */
  meta_description?: string | null | undefined;
}

/** Writes a new page as it travels: what is `null` is left out. */
export function writeNewPage(input: NewPage): unknown {
  return writeFields(input, undefined);
}

/** Writes changes as they travel: a description that is `null` is emptied. */
export function writeChanges(changes: PageChanges): unknown {
  return writeFields(changes, "");
}

const documentedFields = new Set(["title", "content", "slug", "meta_description", "cta"]);

function writeFields(input: object, noDescription: "" | undefined): unknown {
  // Plain JavaScript may pass anything: then that is what is checked and refused.
  if (typeof input !== "object" || input === null || Array.isArray(input) || isOpaque(input)) return input;
  // Only the service says where a page is and what its id is, so this is a page that was read, with whatever else was in the answer.
  const isRead = "id" in input || "domains" in input;
  const fields: { meta_description?: unknown } = isRead
    ? Object.fromEntries(Object.entries(input).filter(([name]) => documentedFields.has(name)))
    : { ...input };
  if (fields.meta_description === null) fields.meta_description = noDescription;
  return fields;
}

/** Whether what an object holds is not in its own members: a promise, a `FormData`, a `Map`. Written as JSON it would be nothing. */
function isOpaque(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return Object.keys(value).length === 0 && proto !== null && !Object.hasOwn(Object(proto), "isPrototypeOf");
}

type Row = Pick<Endpoint, "summary" | "path" | "input">;

/**
 * Writes a body as JSON text, once, so that every attempt sends the same bytes.
 *
 * @throws {InvalidInputError} when it is not what the endpoint documents.
 */
export function writeBody(row: Row, body: unknown): string {
  checkInput(row, body);
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new InvalidInputError(row.summary, [{ pointer: "#", detail: "cannot be written as JSON" }], { cause: error });
  }
}

/**
 * Writes path and query; filters the spec does not name are passed through.
 *
 * @throws {InvalidInputError} when a parameter is not what the endpoint documents.
 * @throws {ConfigurationError} when there is another name beside `limit`, `offset` and `filters`.
 */
export function writeQuery(query: PageListQuery): string {
  const row = endpoints.listPages;
  const misplaced = Object.keys(Object(query)).find((name) => Object.hasOwn(callOptions, name));
  if (misplaced !== undefined)
    throw new ConfigurationError(`\`${misplaced}\` is an option of the call: options come second, after the query.`);
  if (isObject(query)) checkOptions(queryNames, query);
  const { filters = {}, ...range } = query;
  if (!isObject(filters))
    refuse(row, [{ pointer: "#/filters", detail: `expected an object, got ${nameKind(filters)}` }]);
  refuse(row, findMisplaced(filters));
  const parameters = Object.entries({ ...range, ...filters, ...range }).filter(([, value]) => value !== undefined);
  const problems = parameters.flatMap(([name, value]) =>
    ["string", "number", "boolean"].includes(typeof value)
      ? []
      : [{ pointer: `#/${name}`, detail: "expected a text, a number or a boolean" }],
  );
  const found = problems.length > 0 ? problems : findFieldProblems(row.input.schema, { ...filters, ...range });
  const place = ({ pointer, detail }: FieldProblem) => {
    return { pointer: Object.hasOwn(range, pointer.slice(2)) ? pointer : pointer.replace("#", "#/filters"), detail };
  };
  refuse(row, found.map(place));
  const text = parameters.map(([name, value]) => `${encode(name)}=${encode(String(value))}`).join("&");
  return row.path + (text === "" ? "" : `?${text}`);
}

/** The range of a list stands beside its filters. Within them it would be sent as well, and win or lose silently. */
export function findMisplaced(filters: object): FieldProblem[] {
  return ["limit", "offset"]
    .filter((name) => Object.hasOwn(filters, name))
    .map((name) => ({ pointer: `#/filters/${name}`, detail: `${name} is no filter: it stands beside filters` }));
}

const queryNames = namesOnly({ limit: true, offset: true, filters: true } satisfies Record<keyof PageListQuery, true>);

/** Encodes a part of a query; of a letter that is cut in half, what the platform writes of it. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Puts an id into the path, as one encoded segment.
 *
 * @throws {InvalidInputError} when it could lead to another path.
 */
export function writePath(row: Row, id: string): string {
  if (typeof id !== "string")
    refuse(row, [{ pointer: "id", detail: `expected the id of a page as a text, got ${nameKind(id)}` }]);
  const isPlain = id !== "" && id !== "." && id !== ".." && id.isWellFormed();
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  if (!isPlain || /[\u0000-\u001f\u007f-\u009f]/.test(id)) {
    refuse(row, [
      { pointer: "id", detail: 'expected the id of a page: not empty, not "." or "..", no control characters' },
    ]);
  }
  return row.path.replace(":id", () => encodeURIComponent(id));
}

/** Finds the options that are there and are not whole numbers of at least so much. */
export function findRangeProblems(options: object, least: Readonly<Record<string, number>>): FieldProblem[] {
  return Object.entries(least).flatMap(([name, lowest]) => {
    const value: unknown = Reflect.get(options, name);
    const isRight = value === undefined || (Number.isSafeInteger(value) && Number(value) >= lowest);
    return isRight ? [] : [{ pointer: `#/${name}`, detail: `expected a whole number of ${lowest} or more` }];
  });
}

/** Finds the callback that is there and is no function. */
export function findCallbackProblems(options: object, name: string): FieldProblem[] {
  const callback: unknown = Reflect.get(options, name);
  return callback === undefined || typeof callback === "function"
    ? []
    : [{ pointer: `#/${name}`, detail: `expected a function, got ${nameKind(callback)}` }];
}

/** Adds to what is wrong with an input what may have been meant: of a field that is missing, the member that nobody knows and that is called alike. */
function addHints(problems: readonly FieldProblem[], input: unknown): FieldProblem[] {
  return problems.map(({ pointer, detail }) => {
    const meant = findMeant(pointer.split("/").slice(1), input);
    return { pointer, detail: meant === undefined ? detail : `${detail}; is it what is passed as \`${meant}\`?` };
  });
}

function findMeant([name = "", ...below]: readonly string[], input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const value: unknown = Reflect.get(input, name);
  if (below.length > 0) return findMeant(below, value);
  if (value !== undefined) return undefined;
  const unknown = Object.keys(input).filter((given) => !knownNames.has(given));
  return nearest(name, unknown);
}

const knownNames = new Set([...documentedFields, "type", "label", "url", "pageId", "timestamp", "properties"]);

function checkInput(row: Row, value: unknown): void {
  if (row.input === undefined) return;
  if (isObject(value) && isOpaque(value)) {
    const isPromise = nameKind(value) === "a promise";
    const kind = isPromise ? "a promise: await it" : `a ${value.constructor?.name ?? "foreign object"}`;
    refuse(row, [{ pointer: "#", detail: `expected a plain object, got ${kind}` }]);
  }
  const found = findFieldProblems(row.input.schema, value);
  if (found.length === 0) return;
  // A list of pages given to what takes one.
  const isMany = Array.isArray(value) && row === endpoints.createPage;
  refuse(
    row,
    isMany
      ? found.map((each) => ({ ...each, detail: `${each.detail}; \`createMany\` takes several` }))
      : addHints(found, value),
  );
}

function refuse(row: Row, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new InvalidInputError(row.summary, problems);
}

/**
 * Writes an event as it travels, with its time fixed; a copy, as the caller may go on using the object.
 *
 * @throws {InvalidInputError} when a field is wrong.
 */
export function writeEvent(event: TrackEvent, nowMs: number): AnalyticsEvent {
  const isEvent = typeof event === "object" && event !== null;
  // Plain JavaScript may pass what is no event at all: then that is what is checked and refused.
  const { timestamp = new Date(nowMs), properties, ...rest } = Object(event) as TrackEvent; // why: checked below
  const written = writeTimestamp(timestamp);
  const copy = properties && typeof properties === "object" ? { ...properties } : properties;
  const fields = { ...rest, timestamp: written ?? "", ...(properties === undefined ? {} : { properties: copy }) };
  const errors = findFieldProblems(endpoints.trackEvent.input.schema, isEvent ? fields : event).map((problem) =>
    written === undefined && problem.pointer === "#/timestamp"
      ? { pointer: problem.pointer, detail: `${expectedTimestamp}, got ${showTimestamp(timestamp)}` }
      : problem,
  );
  refuse(endpoints.trackEvent, addHints(errors, event));
  return fields;
}

const expectedTimestamp =
  "expected a Date, or an ISO 8601 text with a time and an offset, such as 2026-05-06T07:08:09Z or 2026-05-06T09:08:09.123+02:00";

/** A `Date` of another realm, as in tests, is no `instanceof Date`. */
function isDate(value: unknown): value is Date {
  return typeof Object(value).getTime === "function";
}

/** Writes a time in the one shape that the service documents; `undefined` when there is no such time in the years 0 to 9999. */
function writeTimestamp(timestamp: unknown): string | undefined {
  try {
    return formatTimestamp(new Date(isDate(timestamp) ? timestamp.getTime() : readIso(timestamp)));
  } catch {
    return undefined;
  }
}

function readIso(text: unknown): number {
  const [, date] = isoTime.exec(typeof text === "string" ? text.trim() : "") ?? [];
  // `Date` rolls 30 February over into March.
  if (date === undefined || !new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)) return Number.NaN;
  return Date.parse(String(text).trim().replace(" ", "T").toUpperCase());
}

const isoTime = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)$/;

function showTimestamp(timestamp: unknown): string {
  if (typeof timestamp === "string") return JSON.stringify(timestamp.slice(0, 100));
  return isDate(timestamp) ? "a Date of no time" : nameKind(timestamp);
}
