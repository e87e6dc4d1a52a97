// The one walk through what a service sent: every object and array of it once. Records that are not written as objects are made ones.
import { isObject, type JsonObject } from "../json.ts";
import { parseWhole } from "./body.ts";
import { countFields } from "./fields.ts";
import { type Holder, holderOf, isHolder, type Place } from "./holder.ts";
import { fieldKeys } from "./names.ts";
import { judge, wordsOf } from "./words.ts";

const mostPlaces = 2000;
const deepest = 6;

/**
 * Gives every array and object of an answer, and every place where one is missing, breadth first: a page, a list or an
 * identifier may be there. Bounded, whatever the answer.
 */
export function placesIn(body: unknown, path: readonly string[] = []): Place[] {
  const places = [placeOf(body, path)];
  for (let index = 0; index < places.length && places.length < mostPlaces; index += 1) {
    const place = places[index];
    if (place === undefined || place.path.length - path.length >= deepest) continue;
    const { value, above } = place;
    if (isHolder(place)) {
      for (const [key, name] of place.members) {
        const inner = place.value[name];
        if ((typeof inner === "object" || isJson(inner)) && !notEntered.has(key) && !leads(name))
          places.push(placeOf(inner, [...place.path, name], place));
      }
    } else if (Array.isArray(value) && value.length <= 10)
      for (const [at, each] of value.entries())
        if (typeof each === "object" && each !== null)
          places.push(placeOf(each, [...place.path, String(at)], above, value.length > 1 || undefined));
  }
  return places;
}

function placeOf(
  inner: unknown,
  path: readonly string[],
  above?: Holder,
  isOneOfSeveral = above?.isOneOfSeveral ?? false,
): Place {
  const parsed = isJson(inner) ? (parseWhole(inner) ?? inner) : inner;
  const value = Array.isArray(parsed) ? (readTable(parsed, above) ?? readFieldList(parsed) ?? parsed) : parsed;
  return isObject(value) ? holderOf(value, path, above, isOneOfSeveral) : { value, path, above, isOneOfSeveral };
}

function isJson(value: unknown): value is string {
  return typeof value === "string" && /^\s*[[{]/.test(value.slice(0, 100));
}

/** Fields of a page that are objects at times, and hold no page then. */
const notEntered: ReadonlySet<string> = new Set(
  [fieldKeys.title, fieldKeys.slug, fieldKeys.meta_description, fieldKeys.cta].flat(),
);

/** Whether a member is a call to action, whatever else its name says. */
const leads = judge((name) => wordsOf(name).some((word) => word === "cta" || word === "button"));

/** Gives an object for an array that is one field after the other, as pairs or as objects with a name and a value; `undefined` for any other. */
export function readFieldList(list: readonly unknown[]): JsonObject | undefined {
  if (list.length < 2 || list.length > 200) return undefined;
  const pairs = list.map((each) => (isObject(each) ? readNamedValue(each) : each));
  if (!pairs.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string")) return undefined;
  return recordOf(pairs as [string, unknown][]); // why: the line before says so
}

function readNamedValue(each: JsonObject): unknown {
  const name = each["name"] ?? each["key"] ?? each["field"] ?? each["Name"] ?? each["Key"] ?? each["k"];
  const value = ["value", "Value", "v", "stringValue"].find((member) => member in each);
  return value === undefined ? undefined : [name, each[value]];
}

/** An object of these members, when any of them is a documented field. */
function recordOf(members: readonly (readonly [string, unknown])[]): JsonObject | undefined {
  const record: JsonObject = Object.fromEntries(members);
  return countFields(holderOf(record)) > 0 ? record : undefined;
}

/**
 * Gives the records of a table: an array of rows with a row of names, which is beside it or its first row. Cells may be wrapped,
 * `{ "f": [{ "v": 1 }] }`. `undefined` when it is none, or holds no documented field.
 */
function readTable(table: readonly unknown[], beside: Holder | undefined): JsonObject[] | undefined {
  const rows: (readonly unknown[])[] = [];
  for (const each of table) {
    const row = onlyArray(each);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  const [first] = rows;
  if (first === undefined) return undefined;
  const near = beside === undefined ? [] : valuesOf(beside);
  const around = near.concat(near.filter(isObject).flatMap((each) => valuesOf(holderOf(each))));
  const headers = around.flatMap((each): (readonly unknown[])[] =>
    Array.isArray(each) && each !== table && each.length === first.length ? [each.map(columnName)] : [],
  );
  const names = [...headers, first].find(
    (row) => row.every((name) => typeof name === "string") && recordOf(row.map((name) => [name, name])) !== undefined,
  );
  if (names === undefined) return undefined;
  const records = names === first ? rows.slice(1) : rows;
  return records.map((row) => Object.fromEntries(row.map((cell, index) => [String(names[index]), readCell(cell)])));
}

/** The first members of an object; a row of names is not among hundreds. */
function valuesOf({ value, members }: Holder): unknown[] {
  return [...members.values()].slice(0, 50).map((name) => value[name]);
}

function columnName(column: unknown): unknown {
  return isObject(column) ? (column["name"] ?? column["label"] ?? column["key"]) : column;
}

function onlyArray(row: unknown): readonly unknown[] | undefined {
  const [only, ...others] = Array.isArray(row) ? [row] : isObject(row) ? Object.values(row) : [];
  return Array.isArray(only) && others.length === 0 ? only : undefined;
}

function readCell(cell: unknown): unknown {
  return isObject(cell) && Object.keys(cell).join() === "v" ? cell["v"] : cell;
}
