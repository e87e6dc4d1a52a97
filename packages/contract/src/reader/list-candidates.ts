// What in an answer may be the list of pages, and which of it is.
import { isObject, type JsonObject } from "../json.ts";
import { parseWhole } from "./body.ts";
import { type Holder, holderOf } from "./holder.ts";
import { holdersIn } from "./walk.ts";
import { isEntered, isForeign, isNeutral, readId, readLinkedId, readNamedId, readOwnId } from "./identifier.ts";
import { keyOf, listKeys } from "./names.ts";
import { countFields } from "./presentation.ts";
import { readFieldList, readTable } from "./tables.ts";

/** Something that may be the list. */
export interface Candidate {
  /** Elements with their keys, where the list is a map. */
  readonly elements: readonly (readonly [key: string | undefined, element: JsonObject, index: string])[];
  readonly path: readonly string[];
  /** The object around it. */
  readonly beside?: Holder | undefined;
  readonly depth: number;
  /** How likely the name is one of a list: below `listKeys.length` for a known one. */
  readonly nameRank: number;
  /** Documented fields per element. */
  readonly score: number;
}

/** A value of an answer that may be the list, or hold it. */
export interface Place {
  readonly value: unknown;
  /** The object around it. */
  readonly beside?: Holder;
  readonly path: readonly string[];
  readonly depth: number;
}

const mostPlaces = 2000;

/** Arrays, and objects that may be maps, breadth first. What is inside a list or a record is not looked at. */
export function placesIn(body: unknown, isFar = false): Place[] {
  const places: Place[] = [{ value: readNested(body), path: [], depth: 0 }];
  for (let index = 0; index < places.length && places.length < mostPlaces; index += 1) {
    const { value, path, depth } = places[index] ?? { value: undefined, path: [], depth: 0 };
    if (depth > 4) continue;
    if (Array.isArray(value)) {
      // A pair of list and count, or a list around the envelope.
      if (value.length > 0 && value.length <= 3)
        for (const [at, inner] of value.entries())
          if (typeof inner === "object" && inner !== null)
            places.push({ value: inner, path: [...path, String(at)], depth: depth + 1 });
    } else if (isObject(value)) {
      const holder = holderOf(value, path);
      if (countFields(holder) >= 2 && readOwnId(holder) !== undefined) continue;
      for (const name of holder.members.values()) {
        const inner = value[name];
        // A list may be that of an account; what is wrong or related is never it.
        if (!isForeign(name) || listKeys.includes(keyOf(name)) || (isFar && !neverListed.test(name)))
          places.push({ value: readNested(inner), path: [...path, name], depth: depth + 1, beside: holder });
      }
    }
  }
  return places;
}

const neverListed =
  /relat|recommend|popular|featured|suggest|includ|delet|trash|link|author|user$|users$|categor|tags?$|media|image|facet|translation|revision|version|history/i;

/** Whether a name is that of troubles, or of records: those show more than the title of a trouble. */
export function speaksOfTrouble(name: string): boolean {
  return /error|warning|problem|violation|issue/i.test(name);
}

/** Whether a value is an array, or nothing under the name of a list, so that there is no need to look further. */
export function isListed(value: unknown, path: readonly string[]): boolean {
  return Array.isArray(value) && rankOf(path) < listKeys.length;
}

function isInPlural(path: readonly string[]): boolean {
  const name = path.at(-2) ?? "";
  return /s$/i.test(name) && listKeys.includes(keyOf(name));
}

/** One record where a list belongs, under the name of a list: what is written as XML has no lists of one. */
export function readSingle(places: readonly Place[]): Candidate | undefined {
  const single = places.find(
    ({ value, path }) =>
      isObject(value) && isInPlural(path) && countFields(holderOf(value)) > 0 && likeness(value).hasId,
  );
  if (single === undefined || !isObject(single.value)) return undefined;
  const { value, path, depth } = single;
  return { elements: [[undefined, value, path.at(-1) ?? ""]], path: path.slice(0, -1), depth, nameRank: 0, score: 1 };
}

/** A value, or what a text that is JSON holds. */
export function readNested(value: unknown): unknown {
  return typeof value === "string" && /^\s*[[{]/.test(value.slice(0, 100)) ? (parseWhole(value) ?? value) : value;
}

/** The list that a value is, or holds as a table or a map; `undefined` when it is none. */
export function toCandidate({ value, path, depth, beside }: Place): Candidate | undefined {
  const entries = Array.isArray(value)
    ? readArray(readTable(value, beside) ?? readRecords(value))
    : isObject(value)
      ? readMap(value)
      : undefined;
  if (entries === undefined || entries.length === 0) return undefined;
  const nameRank = rankOf(path);
  const sample = entries.slice(0, 20).map(([key, element]) => likeness(element, key));
  const isKnown = nameRank < listKeys.length;
  const isTrouble = path.some(speaksOfTrouble);
  const isPage = ({ fields, hasId }: { fields: number; hasId: boolean }) =>
    isTrouble ? fields > 1 && hasId : fields > 0 || (isKnown && hasId);
  if (!sample.every(isPage)) return undefined;
  return {
    elements: entries,
    path,
    beside,
    depth,
    nameRank,
    score: sample.reduce((sum, { fields }) => sum + fields, 0) / sample.length,
  };
}

/** Records that are not objects: pairs of identifier and record, or of name and value. */
function readRecords(array: readonly unknown[]): readonly unknown[] {
  const [first] = array;
  if (!Array.isArray(first) || !isObject(readRecord(first))) return array;
  return array.map((each) => (Array.isArray(each) ? readRecord(each) : each));
}

function readRecord(pair: readonly unknown[]): unknown {
  const [key, record] = pair;
  if (pair.length === 2 && isObject(record) && readId(key) !== undefined) return { id: key, ...record };
  return readFieldList(pair) ?? pair;
}

function readArray(array: readonly unknown[]): Candidate["elements"] | undefined {
  if (!array.slice(0, 20).every((each) => isObject(each) || each === null)) return undefined;
  const entries: [undefined, JsonObject, string][] = [];
  for (const [index, element] of array.entries()) {
    if (isObject(element)) entries.push([undefined, element, String(index)]);
    else if (element !== null) return undefined;
  }
  return entries;
}

/** A map from identifiers to records: every value is one, and no name is one that wraps a single record. */
function readMap(map: JsonObject): Candidate["elements"] | undefined {
  const names: string[] = [];
  // The first members tell of nearly all that are no maps, without a list of all names.
  const isMap = (name: string) => isObject(map[name]) || /^[_$@]/.test(name);
  if (![...holderOf(map).members.values()].every(isMap)) return undefined;
  for (const name of Object.keys(map)) {
    if (isObject(map[name])) names.push(name);
    else if (!/^[_$@]/.test(name)) return undefined;
  }
  if (names.length === 0) return undefined;
  if (names.length < 20 && names.some((name) => isNeutral(name) && !/^\d+$/.test(name))) return undefined;
  const [first = ""] = names;
  const single = names.length === 1 ? map[first] : undefined;
  // A word that leads to more is a member that holds the map.
  if (isObject(single) && !/\d/.test(first) && countFields(holderOf(single)) === 0) return undefined;
  const elements: [string, JsonObject, string][] = [];
  for (const name of names) {
    const element = map[name];
    if (!isObject(element) || (names.length < 20 && isForeign(name) && !/\d/.test(name))) return undefined;
    elements.push([name, element, name]);
  }
  return elements.every(([key, element], index) => index >= 20 || likeness(element, key).fields > 0)
    ? elements
    : undefined;
}

function likeness(element: JsonObject, key?: string): { fields: number; hasId: boolean } {
  const top = holderOf(element);
  const holders = holdersIn(top, isEntered).slice(0, 30);
  const fields = Math.max(...holders.map(countFields));
  const hasId =
    key !== undefined ||
    holders.some(
      (holder) => (readOwnId(holder) ?? readNamedId(holder) ?? readLinkedId(holder, undefined)) !== undefined,
    );
  return { fields, hasId };
}

/** The surest name, then most documented fields, then the shallowest. */
export function choose(candidates: readonly Candidate[]): Candidate | "ambiguous" | undefined {
  const isKnown = ({ nameRank }: Candidate) => nameRank < listKeys.length;
  const [best, next] = candidates.toSorted(
    (one, other) =>
      Number(isKnown(other)) - Number(isKnown(one)) ||
      (isKnown(one) ? one.depth - other.depth : 0) ||
      other.score - one.score ||
      one.depth - other.depth ||
      one.nameRank - other.nameRank,
  );
  if (best === undefined || next === undefined) return best;
  // Lists side by side in an array are one list in pieces, or nothing we know.
  const isPiece = /^\d+$/.test(best.path.at(-1) ?? "") && /^\d+$/.test(next.path.at(-1) ?? "");
  if ((isKnown(best) || isKnown(next)) && !isPiece) return best;
  return best.score === next.score && best.depth === next.depth ? "ambiguous" : best;
}

/** How likely the name at the end of a way is one of a list; `listKeys.length` for one that is not. */
export function rankOf(path: readonly string[]): number {
  const name = path.findLast((step) => !/^\d+$/.test(step));
  if (name === undefined) return 0;
  const key = keyOf(name);
  const rank = listKeys.indexOf(key);
  if (rank >= 0) return rank;
  return isNeutral(name) ? listKeys.length - 1 : listKeys.length;
}
