// The one walk through what a service sent: every object and array of it once, and the members of an object by what they are called.
import { isObject, type JsonObject } from "../json.ts";
import { parseWhole } from "./body.ts";
import { fields, keyOf, keys, plainNames } from "./names.ts";
import { type Naming, namingOf, renamed } from "./naming.ts";

/** An array or an object of an answer, also one in a text that is JSON, or nothing in its place. */
export interface Place {
  readonly value: unknown;
  /** Names on the way to it from the top; an index for an element of an array. */
  readonly path: readonly string[];
  /** The object around it. */
  readonly above: Holder | undefined;
  /** Whether it is in an element of an array beside others: then it is only the page when it says so. */
  readonly isOneOfSeveral: boolean;
}

/** A place that is an object, or an array that is written for one. */
export interface Holder extends Place {
  readonly value: JsonObject;
  /** Names of its members by key, the way they are compared; of a very large object the first two hundred, and the plainest. */
  readonly members: ReadonlyMap<string, string>;
  /** What its names share, or those around it. */
  readonly naming: Naming | undefined;
}

const mostPlaces = 2000;
const mostMembers = 200;
const deepest = 6;

/** Fields of a page that are objects at times, and hold no page then. */
const notEntered: ReadonlySet<string> = new Set(
  fields.filter((field) => field !== "content").flatMap((field) => keys[field]),
);

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
        if ((typeof inner === "object" || isJson(inner)) && !notEntered.has(key) && !/cta|button/i.test(name))
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
  const parsed = isJson(inner) ? (parseWhole(inner) ?? inner) : inner;
  const value = Array.isArray(parsed) ? (readTable(parsed, above) ?? readFieldList(parsed) ?? parsed) : parsed;
  return isObject(value)
    ? holderOf(value, path, above, isOneOfSeveral)
    : { value, path, above, isOneOfSeveral: isOneOfSeveral ?? above?.isOneOfSeveral ?? false };
}

function isJson(value: unknown): value is string {
  return typeof value === "string" && /^\s*[[{]/.test(value.slice(0, 100));
}

/** Whether a place is an object. */
export function isHolder(place: Place): place is Holder {
  return "members" in place;
}

/** Makes a holder of an object. */
export function holderOf(
  value: JsonObject,
  path: readonly string[] = [],
  above?: Holder,
  isOneOfSeveral = above?.isOneOfSeveral ?? false,
): Holder {
  const own = wideOnes.get(value) ?? readMembers(value);
  const naming = namingOf(value, own) ?? above?.naming;
  return { value, path, above, members: naming ? renamed(own, naming) : own, isOneOfSeveral, naming };
}

function readMembers(value: JsonObject): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let count = 0;
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if ((count += 1) > mostMembers) {
      for (const plain of plainNames) if (Object.hasOwn(value, plain)) members.set(keyOf(plain), plain);
      wideOnes.set(value, members);
      break;
    }
    const key = keyOf(name);
    // The plainest spelling wins: `id` over `_id`.
    if (!members.has(key) || name === key) members.set(key, name);
  }
  return members;
}

/** What a very large object is known by: no platform gives its first names without listing all, which is done once. */
const wideOnes = new WeakMap<JsonObject, ReadonlyMap<string, string>>();

/** The names of the members of a holder as its record means them, each with the name as it is written. */
export function meantNames({ members, naming }: Holder): (readonly [meant: string, name: string])[] {
  return [...members].map(([key, name]) => {
    const meant = naming?.(name) ?? name;
    return [keyOf(meant) === key ? meant : name, name] as const;
  });
}

/** The value of the first of these keys that an object has; `undefined` when it has none of them or only `null`. */
export function member(holder: Holder, asked: readonly string[]): { name: string; value: unknown } | undefined {
  for (const key of asked) {
    const name = holder.members.get(key);
    const value = name === undefined ? undefined : holder.value[name];
    if (name !== undefined && value !== undefined && value !== null) return { name, value };
  }
  return undefined;
}

/** Whether a value is nothing, or holds nothing. */
export function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || (isObject(value) && holderOf(value).members.size === 0);
}

/** Whether an answer says of itself that it failed. */
export function hasTrouble(holder: Holder): boolean {
  const trouble = member(holder, ["errors", "error", "fault", "exception"])?.value;
  const state = member(holder, ["status", "result"])?.value;
  const isFailed = typeof state === "string" && /^(?:error|fail|failed|failure)$/i.test(state);
  return isFailed || (Boolean(trouble) && !isNothing(trouble)) || member(holder, ["success", "ok"])?.value === false;
}

/** Objects right inside a holder under these keys: they hold its identifier and its moments. */
export function innerHolders(holder: Holder, asked: readonly string[]): Holder[] {
  return [...holder.members].flatMap(([key, name]) => {
    const value = asked.includes(key) || name === "$" ? holder.value[name] : undefined;
    return isObject(value) ? [holderOf(value, [...holder.path, name], holder)] : [];
  });
}

/** The objects around an object, the innermost first. */
export function ancestorsOf({ above }: Holder): Holder[] {
  return above === undefined ? [] : [above, ...ancestorsOf(above)];
}

/** The way to an object from the top of the answer, or of the element of a list. */
export function belowTop(holder: Holder): readonly string[] {
  return holder.path.slice((ancestorsOf(holder).at(-1) ?? holder).path.length);
}

/** Writes a place as a JSON pointer. Source: RFC 6901, section 6. */
export function pointerOf(path: readonly string[]): string {
  let pointer = "#";
  for (const name of path)
    pointer += `/${/[~/]/.test(name) || name.length > 100 ? name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1") : name}`;
  return pointer;
}

/** Gives an object for an array that is one field after the other, as pairs or as objects with a name and a value; `undefined` for any other. */
export function readFieldList(array: readonly unknown[]): JsonObject | undefined {
  if (array.length < 2 || array.length > 200) return undefined;
  const pairs = array.map((each) => (isObject(each) ? readNamedValue(each) : each));
  if (!pairs.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string")) return undefined;
  return recordOf(pairs as [string, unknown][]); // why: the line before says so
}

function readNamedValue(each: JsonObject): unknown {
  const name = each["name"] ?? each["key"] ?? each["field"] ?? each["Name"] ?? each["Key"] ?? each["k"];
  const value = ["value", "Value", "v", "stringValue"].find((key) => key in each);
  return value === undefined ? undefined : [name, each[value]];
}

/** An object of these members, when any of them is a documented field. */
function recordOf(members: readonly (readonly [string, unknown])[]): JsonObject | undefined {
  const record: JsonObject = Object.fromEntries(members);
  const holder = holderOf(record);
  return fields.some((field) => member(holder, keys[field]) !== undefined) ? record : undefined;
}

/**
 * Gives the records of a table: an array of rows with a row of names, which is beside it or its first row. Cells may be wrapped,
 * `{ "f": [{ "v": 1 }] }`. `undefined` when it is none, or holds no documented field.
 */
function readTable(rows: readonly unknown[], beside: Holder | undefined): JsonObject[] | undefined {
  if (rows.length === 0 || !rows.every((row) => onlyArray(row) !== undefined)) return undefined;
  const [first = [], ...others] = rows.map((row) => onlyArray(row) ?? []);
  const near = beside === undefined ? [] : firstValues(beside.value);
  const around = [...near, ...near.filter(isObject).flatMap(firstValues)].filter((each) => each !== rows);
  const names = [
    ...around.flatMap((each) => (Array.isArray(each) && each.length === first.length ? [each.map(columnName)] : [])),
    first,
  ].find(
    (row) => row.every((name) => typeof name === "string") && recordOf(row.map((name) => [name, name])) !== undefined,
  );
  if (names === undefined) return undefined;
  const records = names === first ? others : [first, ...others];
  return records.map((row) => Object.fromEntries(row.map((cell, index) => [String(names[index]), readCell(cell)])));
}

/** The first members of an object; a row of names is not among hundreds. */
function firstValues(value: JsonObject): unknown[] {
  return [...holderOf(value).members.values()].slice(0, 50).map((name) => value[name]);
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
