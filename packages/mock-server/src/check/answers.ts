// Reads answers of a service about which nothing is known but the spec: wherever the pages and their fields may be.
type JsonObject = Record<string, unknown>;

/** A single page and what was around it. */
export interface SeenRecord {
  /** Fields of the page, as they came. */
  readonly fields: Readonly<JsonObject>;
  /** Name of the member that held the page; `bare` when there was none. */
  readonly wrapper: string;
}

/** A list of pages and what was around it. */
export interface SeenList {
  /** Fields of every page, as they came. */
  readonly pages: readonly Readonly<JsonObject>[];
  /** Name of the member that held the pages; `array` when the answer was a bare array. */
  readonly envelope: string;
  /** Where the number of all pages was, such as `meta.total`, and the number; `undefined` when there was none. */
  readonly total: { readonly place: string; readonly count: number } | undefined;
  /** The `limit` that the answer itself mentions. */
  readonly limit: number | undefined;
}

/** The identifier of a page. */
export interface SeenId {
  /** Name of the field. */
  readonly name: string;
  /** The identifier as text, as it goes into a path. */
  readonly id: string;
  /** Whether it came as an integer. */
  readonly isInteger: boolean;
}

/** Finds the page in an answer to a create or an update: a page is what has a `title`. */
export function readRecord(json: unknown): SeenRecord | undefined {
  if (!isObject(json)) return undefined;
  if (isPage(json)) return { fields: json, wrapper: "bare" };
  for (const [wrapper, fields] of Object.entries(json)) if (isPage(fields)) return { fields, wrapper };
  return undefined;
}

/** Finds the pages in an answer to a list: the first array of objects, at the top or one level down. */
export function readList(json: unknown): SeenList | undefined {
  if (isObjectArray(json)) return { pages: json, envelope: "array", total: undefined, limit: undefined };
  if (!isObject(json)) return undefined;
  for (const [envelope, pages] of Object.entries(json)) {
    if (!isObjectArray(pages)) continue;
    return { pages, envelope, total: readTotal(json), limit: wholeNumber(json["limit"]) };
  }
  return undefined;
}

/** Finds the identifier among the fields of a page. */
export function readId(fields: Readonly<JsonObject>): SeenId | undefined {
  const names = ["id", "_id", "page_id", ...Object.keys(fields).filter((name) => /^uuid$|_id$|Id$/.test(name))];
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && isPathSegment(value)) return { name, id: value, isInteger: false };
    if (Number.isSafeInteger(value)) return { name, id: String(value), isInteger: true };
  }
  return undefined;
}

/** Whether a text can be put into a path and stay one segment of it: `..` would lead elsewhere, half a character nowhere. */
export function isPathSegment(text: string): boolean {
  return !["", ".", ".."].includes(text) && text.isWellFormed();
}

/** Tells a JSON object from every other value. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readTotal(list: JsonObject): SeenList["total"] {
  for (const place of ["total", "total_count", "totalCount", "meta.total", "pagination.total"]) {
    const [outer = "", inner] = place.split(".");
    const around = list[outer];
    const count = wholeNumber(inner === undefined ? around : isObject(around) ? around[inner] : undefined);
    if (count !== undefined) return { place, count };
  }
  return undefined;
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function isPage(value: unknown): value is JsonObject {
  return isObject(value) && typeof value["title"] === "string";
}

function isObjectArray(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}
