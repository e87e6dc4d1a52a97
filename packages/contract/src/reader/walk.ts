// The one walk through what a service sent: every object and array of it once. Records that are not written as objects are made ones.
import { isObject, type JsonObject } from "../json.ts";
import { parseInner } from "./body.ts";
import { type Holder, holderOf, isHolder, member, type Place } from "./facts.ts";
import { fields, keys } from "./names.ts";

const mostPlaces = 2000;
const deepest = 6;

/** Fields of a page that are objects at times, and hold no page then. */
const notEntered: ReadonlySet<string> = new Set(
  fields.filter((field) => field !== "content").flatMap((field) => keys[field]),
);

/** Gives every array and object of a value, and every place where one is missing, breadth first. Bounded, whatever the value. */
export function walk(body: unknown, path: readonly string[] = []): Place[] {
  const places = [placeOf(parseInner(body), path)];
  for (let index = 0; index < places.length && places.length < mostPlaces; index += 1) {
    const place = places[index];
    if (place === undefined || place.path.length - path.length >= deepest) continue;
    const { value, above } = place;
    if (isHolder(place)) {
      for (const [key, name] of place.members) {
        const inner = parseInner(place.value[name]);
        if ((typeof inner === "object" || inner === "") && !notEntered.has(key) && !/cta|button/i.test(name))
          places.push(placeOf(inner, [...place.path, name], place));
      }
    } else if (Array.isArray(value) && value.length <= 10)
      for (const [at, each] of value.entries())
        if (typeof each === "object" && each !== null)
          places.push(placeOf(each, [...place.path, String(at)], above, value.length > 1 || undefined));
  }
  return places;
}

function placeOf(inner: unknown, path: readonly string[], above?: Holder, isOneOfSeveral?: boolean): Place {
  const value = Array.isArray(inner) ? (readTable(inner, above) ?? readFieldList(inner) ?? inner) : inner;
  return isObject(value)
    ? holderOf(value, path, above, isOneOfSeveral)
    : { value, path, above, isOneOfSeveral: isOneOfSeveral ?? above?.isOneOfSeveral ?? false };
}

/** Gives an object for an array that is one field after the other, as pairs or as objects with a name and a value; `undefined` for any other. */
export function readFieldList(array: readonly unknown[]): JsonObject | undefined {
  if (array.length < 2 || array.length > 200) return undefined;
  const pairs = array.map((each) => (isObject(each) ? readNamedValue(each) : each));
  if (!pairs.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string")) return undefined;
  return recordOf(pairs as [string, unknown][]); // why: the line before says so
}

function readNamedValue(each: JsonObject): unknown {
  const holder = holderOf(each);
  const value = ["value", "v", "stringvalue"].find((key) => holder.members.has(key));
  const name = member(holder, ["name", "key", "field", "k"])?.value;
  return value === undefined ? undefined : [name, each[holder.members.get(value) ?? value]];
}

/** An object of these members, when any of them is one of these fields. */
function recordOf(
  members: readonly (readonly [string, unknown])[],
  known: readonly (keyof typeof keys)[] = fields,
): JsonObject | undefined {
  const record: JsonObject = Object.fromEntries(members);
  const holder = holderOf(record);
  return known.some((field) => member(holder, keys[field]) !== undefined) ? record : undefined;
}

/**
 * Gives the records of a table: an array of rows with a row of names, which is beside it or its first row. Cells may be wrapped,
 * `{ "f": [{ "v": 1 }] }`. `undefined` when it is none, or holds no documented field.
 */
function readTable(rows: readonly unknown[], beside: Holder | undefined): JsonObject[] | undefined {
  if (rows.length === 0 || !rows.every((row) => onlyArray(row) !== undefined)) return undefined;
  const [first = [], ...others] = rows.map((row) => onlyArray(row) ?? []);
  const near = beside === undefined ? [] : firstValues(beside);
  const around = [...near, ...near.filter(isObject).flatMap((each) => firstValues(holderOf(each)))].filter(
    (each) => each !== rows,
  );
  const names = [
    ...around.flatMap((each) => (Array.isArray(each) && each.length === first.length ? [each.map(columnName)] : [])),
    first,
  ].find(
    (row) =>
      row.every((name) => typeof name === "string") &&
      recordOf(
        row.map((name) => [name, name]),
        row === first ? fields : [...fields, "id"],
      ) !== undefined,
  );
  if (names === undefined) return undefined;
  const records = names === first ? others : [first, ...others];
  return records.map((row) => Object.fromEntries(row.map((cell, index) => [String(names[index]), readCell(cell)])));
}

/** The first members of an object; a row of names is not among hundreds. */
function firstValues({ value, members }: Holder): unknown[] {
  return [...members.values()].slice(0, 50).map((name) => value[name]);
}

function columnName(column: unknown): unknown {
  return isObject(column) ? member(holderOf(column), ["name", "label", "key"])?.value : column;
}

function onlyArray(row: unknown): readonly unknown[] | undefined {
  const [only, ...others] = Array.isArray(row) ? [row] : isObject(row) ? Object.values(row) : [];
  return Array.isArray(only) && others.length === 0 ? only : undefined;
}

function readCell(cell: unknown): unknown {
  return isObject(cell) && Object.keys(cell).join() === "v" ? cell["v"] : cell;
}

/** Gives the records of an object that has an array of values for each field, titles, slugs or identifiers among them; `undefined` for any other. */
export function readColumns(holder: Holder): JsonObject[] | undefined {
  const { value } = holder;
  const inner = firstValues(holder).filter(isObject);
  const texts = [holder, ...inner.map((each) => holderOf(each))].map((each) =>
    member(each, [...keys.title, ...keys.slug]),
  );
  const isKnown = [...texts, member(holder, [...keys.id, ...keys.weakId])].some(
    (column) => Array.isArray(column?.value) && /^(?:string|number)$/.test(typeof column.value[0]),
  );
  const count = isKnown ? (columnLength(value) ?? 0) : 0;
  return count === 0
    ? undefined
    : Array.from({ length: count }, (_, index) => cellOf(value, index)).filter((each) => isObject(each));
}

/** How many values each column has, also one of columns; `undefined` when they differ. */
function columnLength(column: unknown, level = 0): number | undefined {
  if (Array.isArray(column)) return column.length;
  if (!isObject(column) || level > 2) return undefined;
  const lengths = new Set(Object.values(column).map((each) => columnLength(each, level + 1)));
  return lengths.size === 1 ? [...lengths][0] : undefined;
}

function cellOf(column: unknown, index: number): unknown {
  if (!isObject(column)) return Array.isArray(column) ? column[index] : undefined;
  return Object.fromEntries(Object.entries(column).map(([name, each]) => [name, cellOf(each, index)]));
}
