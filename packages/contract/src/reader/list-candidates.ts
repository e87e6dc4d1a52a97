// What in an answer may be the list of pages, and which of it is.
import { isObject, type JsonObject } from "../json.ts";
import type { FoundPage } from "./answer.ts";
import { ancestorsOf, holderOf, pointerOf } from "./holder.ts";
import { readId, readOwnId } from "./identifier.ts";
import { listKeys } from "./names.ts";
import { isForeign, isNeutral, keyOf } from "./words.ts";
import { countFields } from "./presentation.ts";
import { findListedPage } from "./record.ts";
import { readFieldList } from "./tables.ts";
import type { Place } from "./walk.ts";

/** Something that may be the list. */
export interface Candidate {
  /** Elements with their keys, where the list is a map. */
  readonly elements: readonly (readonly [key: string | undefined, element: JsonObject, index: string])[];
  readonly place: Place;
  /** Whether its name, or those around it, are known to be those of a list. */
  readonly isKnown: boolean;
  /** Documented fields per element. */
  readonly score: number;
}

/** Whether a place is under no name of another thing. */
export function isNear({ path }: Place): boolean {
  return path.every((name) => !isForeign(name) || listKeys.includes(keyOf(name)));
}

/** Whether a place is under no name of what is wrong, related or gone: a list may be that of an account. */
export function isFar({ path }: Place): boolean {
  return !path.some((name) => neverListed.test(name));
}

/** Finds the list of pages among the places of an answer; `ambiguous` when there are several as good. */
export function chooseList(places: readonly Place[]): Candidate | "ambiguous" | undefined {
  const candidates = places.flatMap((place) => toCandidate(place) ?? []);
  return choose(candidates.filter(({ place }) => !candidates.some((other) => isInside(place, other.place))));
}

const neverListed =
  /relat|recommend|popular|featured|suggest|includ|delet|trash|link|author|user$|users$|categor|tags?$|media|image|facet|translation|revision|version|history/i;

/** Whether the name at the end of a way is one of a list. */
export function isListName(path: readonly string[]): boolean {
  return rankOf(path) < listKeys.length;
}

/** How likely the name at the end of a way is one of a list; `listKeys.length` for one that is not. */
export function rankOf(path: readonly string[]): number {
  const name = path.findLast((step) => !/^\d+$/.test(step));
  const rank = name === undefined ? 0 : listKeys.indexOf(keyOf(name));
  return rank >= 0 ? rank : listKeys.length - (isNeutral(name ?? "") ? 1 : 0);
}

/** Whether names are those of troubles, or of records: those show more than the title of a trouble. */
export function speaksOfTrouble(path: readonly string[]): boolean {
  return path.some((name) => /error|warning|problem|violation|issue/i.test(name));
}

function isInside(place: Place, other: Place): boolean {
  return place.path.length > other.path.length && other.path.every((name, index) => place.path[index] === name);
}

/** The list that a value is, or holds as a map; `undefined` when it is none. */
function toCandidate(place: Place): Candidate | undefined {
  const { value, path, above } = place;
  const around = above === undefined ? [] : [above, ...ancestorsOf(above)];
  if (around.some((holder) => countFields(holder) >= 2 && readOwnId(holder) !== undefined)) return undefined;
  const elements = Array.isArray(value) ? readArray(value) : isObject(value) ? readMap(value) : undefined;
  if (elements === undefined || elements.length === 0) return undefined;
  const sample = elements
    .slice(0, 10)
    .map(([key, element, index]) => likeness(findListedPage(element, [index], {}, key)));
  const isKnown = isListName(path);
  const isArray = Array.isArray(value);
  const isPage = ({ fields, hasId }: ReturnType<typeof likeness>) =>
    speaksOfTrouble(path) ? fields > 1 && hasId : fields > 0 || (isKnown && isArray && hasId);
  if (!sample.every(isPage)) return undefined;
  return { elements, place, isKnown, score: sample.reduce((sum, { fields }) => sum + fields, 0) / sample.length };
}

function likeness({ page, places }: FoundPage): { fields: number; hasId: boolean } {
  const fields = ["title", "content", "slug", "meta_description", "cta"].filter((name) => name in places);
  return { fields: fields.length, hasId: page.id !== undefined };
}

function readArray(array: readonly unknown[]): Candidate["elements"] | undefined {
  const entries: [undefined, JsonObject, string][] = [];
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
  if (pair.length === 2 && isObject(record) && readId(key) !== undefined) return { id: key, ...record };
  return readFieldList(pair);
}

/** Whether a name is that of a member rather than a key. */
function isWord(name: string): boolean {
  return !/\d/.test(name) && (isNeutral(name) || isForeign(name));
}

/** A map from identifiers to records: every value is one, and no name is one that wraps a single record. */
function readMap(map: JsonObject): Candidate["elements"] | undefined {
  // The first members tell of nearly all that are no maps, without a list of all names.
  const isElement = (name: string) => isObject(map[name]) || /^[_$@]/.test(name);
  if (![...holderOf(map).members.values()].every(isElement)) return undefined;
  const all = Object.keys(map);
  const names = all.filter((name) => isObject(map[name]));
  const [first = ""] = names;
  if (names.length === 0 || !all.every(isElement) || (names.length < 20 && names.some(isWord))) return undefined;
  const single = names.length === 1 ? map[first] : undefined;
  // A word that leads to more is a member that holds the map.
  if (isObject(single) && !/\d/.test(first) && countFields(holderOf(single)) === 0) return undefined;
  return names.map((name) => [name, map[name] as JsonObject, name]); // why: `names` are those of objects
}

/** The surest name, then most documented fields, then the shallowest. */
function choose(candidates: readonly Candidate[]): Candidate | "ambiguous" | undefined {
  const depth = ({ place }: Candidate) => place.path.length;
  const [best, next] = candidates.toSorted(
    (one, other) =>
      Number(other.isKnown) - Number(one.isKnown) ||
      (one.isKnown ? depth(one) - depth(other) : 0) ||
      other.score - one.score ||
      depth(one) - depth(other) ||
      rankOf(one.place.path) - rankOf(other.place.path),
  );
  if (best === undefined || next === undefined) return best;
  // Lists side by side in an array are one list in pieces, or nothing we know.
  const isPiece = namesOf(best) === namesOf(next);
  if ((best.isKnown || next.isKnown) && !isPiece) return best;
  return (isPiece || best.score === next.score) && depth(best) === depth(next) ? "ambiguous" : best;
}

/** The way to a list, wherever it is in arrays on that way. */
function namesOf({ place }: Candidate): string {
  return pointerOf(place.path.map((name) => (/^\d+$/.test(name) ? "0" : name)));
}
