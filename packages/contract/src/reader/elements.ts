// The records of what may be a list: of an array, of a map from identifiers to them, of columns.
import { isObject, type JsonObject } from "../json.ts";
import { type Holder, holderOf } from "./facts.ts";
import { countFields } from "./fields.ts";
import { isOpaque, readId } from "./identifier.ts";
import { keyOf, keys, readName } from "./names.ts";
import { readColumns, readFieldList } from "./walk.ts";

/** A record of a list: its key, where the list is a map, and where it is in it, empty where it stands for the list. */
export type Element = readonly [key: string | undefined, element: JsonObject, index: string];

/** The records of a map from identifiers to them, or of columns. */
export function readObject(holder: Holder): Element[] | undefined {
  return readMap(holder) ?? readColumns(holder)?.map((record, index) => [undefined, record, String(index)] as const);
}

/** The records of an array, each an object or written for one; `undefined` when it holds anything else. */
export function readArray(array: readonly unknown[]): Element[] | undefined {
  const entries: Element[] = [];
  for (const [index, each] of array.entries()) {
    const element = Array.isArray(each) ? readPair(each) : each;
    if (isObject(element)) entries.push([undefined, element, String(index)]);
    else if (element !== null) return undefined;
  }
  return entries;
}

/** A record that is no object: a pair of identifier and record, or pairs of name and value. */
function readPair(pair: readonly unknown[]): unknown {
  const [key, record] = pair;
  if (pair.length === 2 && isObject(record) && !isObject(key) && readId(key) !== undefined)
    return { id: key, ...record };
  return readFieldList(pair);
}

/** A map from identifiers to records: every value is one, and no name is one that wraps a single record. */
function readMap({ value: map, members }: Holder): Element[] | undefined {
  const [first = ""] = members.values();
  // Beside numbers, as PHP writes an array, stands what would be around it.
  const isNumbered = /^\d+$/.test(first);
  const isBeside = (name: string) =>
    isNumbered && (typeof map[name] !== "object" || keys.paging.includes(keyOf(name)) || readName(name).isForeign);
  // The first members tell of nearly all that are no maps, without a list of all names.
  const isElement = (name: string) => isObject(map[name]) || /^[_$@]/.test(name) || isBeside(name);
  if (![...members.values()].every(isElement)) return undefined;
  const all = Object.keys(map);
  const names = all.filter((name) => isObject(map[name]) && !isBeside(name));
  if (names.length === 0 || !all.every(isElement) || (names.length < 20 && names.some(isWord))) return undefined;
  const single = names.length === 1 ? map[first] : undefined;
  // A word that leads to more is a member that holds the map, or the list.
  if (
    isObject(single) &&
    !isOpaque(first) &&
    (countFields(holderOf(single)) === 0 ||
      Object.keys(single).some((name) => Array.isArray(single[name]) && isKnownList(name)))
  )
    return undefined;
  // What is numbered from 0 on is counted, not named.
  const isCounted = names.every((name, index) => name === String(index));
  return names.map((name) => [isCounted ? undefined : name, map[name] as JsonObject, name]); // why: `names` are those of objects
}

/** Whether a name is that of a member rather than a key. */
function isWord(name: string): boolean {
  return !/\d/.test(name) && (readName(name).isNeutral || readName(name).isForeign);
}

/** Whether a name is one of a list, also of one of XML that is a single `item`. */
export function isKnownList(name: string): boolean {
  return keys.list.includes(keyOf(name).replace(/^item$/, "items"));
}

/** Whether a single element of an array shows next to nothing of a page, and holds a list: of pages, or under the name of one. */
export function isEnvelope([first, ...others]: readonly Element[]): boolean {
  const only = first?.[1] ?? {};
  const holder = holderOf(only);
  const own = countFields(holder);
  const isList = ([key, name]: readonly [string, string]) => {
    const inner = only[name];
    if (key === "content" || !Array.isArray(inner) || readName(name).isForeign) return false;
    if (isObject(inner[0]) && countFields(holderOf(inner[0])) > Math.max(own, 1)) return true;
    return own === 0 && (keys.list.includes(key) || readName(name).says("page"));
  };
  return others.length === 0 && own < 2 && [...holder.members].some(isList);
}

/** A parsed object has its integer keys in ascending order; the list has them as the service wrote them. */
export function inWrittenOrder(elements: readonly Element[], text: string | undefined): readonly Element[] {
  const isNumbered = elements.some(([, , key]) => /^\d+$/.test(key));
  if (text === undefined || !isNumbered) return elements;
  const byKey = new Map(elements.map((element) => [JSON.stringify(element[2]), element]));
  const written: Element[] = [];
  for (const [, key = ""] of text.matchAll(/("[^"\\]*")\s*:\s*\{/g)) {
    const element = byKey.get(key);
    if (element !== undefined && byKey.delete(key)) written.push(element);
  }
  return [...written, ...byKey.values()];
}
