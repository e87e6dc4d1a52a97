// Finds the list of pages in an answer nobody has described, or where it says that there are none.
import { isObject, type JsonObject } from "../json.ts";
import type { Answer, Asked, FoundList, NoList } from "./answer.ts";
import { findThings } from "./domains.ts";
import { countFields } from "./fields.ts";
import { isOpaque, readId, readOwnId, saysOther } from "./identifier.ts";
import { countsNone, doubtOf, isAside, isListName, readCounts } from "./list-counts.ts";
import { fields, isForeign, isNeutral, keyOf, keys, says } from "./names.ts";
import { findListedPage } from "./record.ts";
import { ancestorsOf, hasTrouble, holderOf, isHolder, isNothing, type Place, pointerOf } from "./tree.ts";
import { placesIn, readColumns, readFieldList } from "./walk.ts";

/** Records with their keys, where the list is a map. */
type Elements = readonly (readonly [key: string | undefined, element: JsonObject, index: string])[];

/** Something that may be the list. */
interface Candidate {
  readonly place: Place;
  readonly elements: Elements;
  /** How far it is from the list, the surest number first: the name, of known names the depth, documented fields per element. */
  readonly rank: readonly number[];
}

/** No page is so small that more of them than this are an answer of the usual size. */
const mostPages = 1_000_000;

/** Finds the pages in the answer to a list. */
export function findPages(answer: Answer, asked: Asked = {}, text?: string): FoundList | NoList {
  const places = placesIn(answer.body);
  const [top] = places;
  const best = answer.status === 204 || answer.status === 205 ? top : findList(places, asked);
  if (best === "ambiguous") return { kind: "none", found: "several lists, none of them surer than the others" };
  if (best === undefined) return { kind: "none", found: describe(answer.body) };
  const { place, elements } = "place" in best ? best : { place: best, elements: [] };
  if (elements.length > mostPages)
    return { kind: "none", found: `a list of ${elements.length} pages, more than are read of one answer` };
  const things = findThings(places);
  const pages = inWrittenOrder(elements, text).map(([key, element, index]) =>
    findListedPage(element, [...place.path, index], asked, key, things),
  );
  // What all pages have is not the identifier of one.
  const isSame = pages.length > 1 && new Set(pages.map(({ page }) => page.id)).size === 1;
  if (isSame) for (const { page } of pages) delete page.id;
  const beside = [...(place.above?.members.values() ?? [])].filter((name) => name !== place.path.at(-1));
  const counts = readCounts(answer, places, place.path, pages.length);
  return { kind: "list", pages, place: pointerOf(place.path), beside, ...counts };
}

/** Names of lists of what is related to pages, or gone. */
const neverListed =
  /relat|recommend|popular|featured|suggest|includ|delet|trash|link|author|user$|users$|categor|tags?$|media|image|facet|translation|revision|version|history|column|tabs?$|filter|sorts?$/i;

/** The list among the places of an answer, or the place that says that there is none; `ambiguous` when there are several as good. */
function findList(all: readonly Place[], asked: Asked): Candidate | Place | "ambiguous" | undefined {
  const places = all.filter(({ path }) => !path.some((name) => neverListed.test(name)));
  const candidates = places.flatMap((place) => toCandidate(place) ?? []);
  const outer = candidates.filter(({ place }) => !candidates.some((other) => isInside(place, other.place)));
  const [best, next] = outer.toSorted(compare);
  if (best === undefined) return findEnd(places, asked);
  const { path: way } = best.place;
  // Nothing is the list where the last one was, or under a surer name that is no further in.
  const isSurer = ({ path }: Place) =>
    pointerOf(path) === asked.last?.place ||
    (path.length > 0 &&
      doubtOf(path) < doubtOf(way) - (isAside(way) ? 1.5 : 0) &&
      (isAside(way) || path.length <= way.length));
  const end = places.find((place) => mayBeNothing(place) && isSurer(place));
  return end ?? (next !== undefined && isAlike(best, next) ? "ambiguous" : best);
}

function isInside(place: Place, other: Place): boolean {
  return place.path.length > other.path.length && other.path.every((name, index) => place.path[index] === name);
}

function compare({ rank }: Candidate, other: Candidate): number {
  const at = rank.findIndex((each, index) => each !== other.rank[index]);
  return (rank[at] ?? 0) - (other.rank[at] ?? 0);
}

/** Whether nothing tells which of two is the list: lists side by side in an array are one in pieces, or nothing we know. */
function isAlike(best: Candidate, next: Candidate): boolean {
  const [one, other] = [best, next].map(({ place }) => place.path.map((step) => (/^\d+$/.test(step) ? "0" : step)));
  const isTie =
    !isListName(best.place.path) &&
    [0, 3].every((at) => best.rank[at] === next.rank[at]) &&
    (best.rank[2] === next.rank[2] || (next.rank[2] ?? 0) <= -2);
  return isTie || one?.join("/") === other?.join("/");
}

/** The list that a value is, or holds as a map; `undefined` when it is none. */
function toCandidate(place: Place): Candidate | undefined {
  const { value, path, above } = place;
  const around = above === undefined ? [] : [above, ...ancestorsOf(above)];
  if (
    (!isAside(path) || path.some((name) => says(name, "relative"))) &&
    around.some((holder) => countFields(holder) >= 2 && !saysOther(holder) && readOwnId(holder))
  )
    return undefined;
  const elements = Array.isArray(value) ? readArray(value) : isObject(value) ? readObject(value) : undefined;
  if (elements === undefined || elements.length === 0) return undefined;
  // An identifier is enough under the name of a list, and in a map whose keys repeat it.
  const name = path.findLast((step) => !/^\d+$/.test(step)) ?? "data";
  const isKnown = Array.isArray(value)
    ? isListName(path) && (keys.list.includes(keyOf(name)) || says(name, "page"))
    : !isAside(path) && elements.every(([key, element]) => readOwnId(holderOf(element))?.id === key);
  const sample = elements.slice(0, 10).map(([key, element, index]) => findListedPage(element, [index], {}, key));
  let score = 0;
  for (const { page, places } of sample) {
    const shown = fields.filter((name) => name in places).length;
    const hasId = page.id !== undefined;
    if (speaksOfTrouble(path) ? shown < 2 || !hasId : shown === 0 && !(isKnown && hasId)) return undefined;
    score += shown / sample.length;
  }
  const [doubt, depth] = [doubtOf(path), path.length];
  return { place, elements, rank: [Math.floor(doubt), isListName(path) ? depth : 0, -score, depth, doubt] };
}

/** Whether names are those of troubles, or of records: those show more than the title of a trouble. */
function speaksOfTrouble(path: readonly string[]): boolean {
  return path.some((name) => /error|warning|problem|violation|issue/i.test(name));
}

/** The records of a map from identifiers to them, or of columns. */
function readObject(value: JsonObject): Elements | undefined {
  return readMap(value) ?? readColumns(value)?.map((record, index) => [undefined, record, String(index)] as const);
}

function readArray(array: readonly unknown[]): Elements | undefined {
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

/** A map from identifiers to records: every value is one, and no name is one that wraps a single record. */
function readMap(map: JsonObject): Elements | undefined {
  // The first members tell of nearly all that are no maps, without a list of all names.
  const isElement = (name: string) => isObject(map[name]) || /^[_$@]/.test(name);
  if (![...holderOf(map).members.values()].every(isElement)) return undefined;
  const all = Object.keys(map);
  const names = all.filter((name) => isObject(map[name]));
  const [first = ""] = names;
  if (names.length === 0 || !all.every(isElement) || (names.length < 20 && names.some(isWord))) return undefined;
  const single = names.length === 1 ? map[first] : undefined;
  // A word that leads to more is a member that holds the map, or the list.
  if (isObject(single) && !isOpaque(first) && (countFields(holderOf(single)) === 0 || holdsList(single)))
    return undefined;
  return names.map((name) => [name, map[name] as JsonObject, name]); // why: `names` are those of objects
}

/** Whether an object has a list as one of its members. */
function holdsList(value: JsonObject): boolean {
  return Object.keys(value).some(
    (name) => Array.isArray(value[name]) && keys.list.includes(keyOf(name).replace(/^item$/, "items")),
  );
}

/** Whether a name is that of a member rather than a key. */
function isWord(name: string): boolean {
  return !/\d/.test(name) && (isNeutral(name) || isForeign(name));
}

/**
 * The place that says that there are no pages: of what is nothing an array under the name of a list, any array, a name of
 * a list, or what is alone; then counts. Where other things are listed, only the first and a total are believed.
 */
function findEnd(places: readonly Place[], asked: Asked): Place | undefined {
  const [top] = places;
  if ((top !== undefined && isHolder(top) && hasTrouble(top)) || places.some(isListOfTexts)) return undefined;
  const [best, next] = places.filter(mayBeNothing).toSorted((one, other) => rankNothing(one) - rankNothing(other));
  if (best !== undefined && rankNothing(best) === 0) return best;
  if (places.some(holdsThings)) return undefined;
  return best !== undefined && (rankNothing(best) < 3 || next === undefined) ? best : countsNone(places, asked);
}

function rankNothing({ value, path }: Place): number {
  return (Array.isArray(value) ? 0 : 2) + (isListName(path) ? 0 : 1);
}

/** Whether a place is a list, of whatever, that may be the account's own. */
function holdsThings({ value, path }: Place): boolean {
  return Array.isArray(value) && value.some(isObject) && !path.some(isForeign);
}

/** Whether a value is nothing, under a name that may be that of the list. */
function mayBeNothing({ value, path }: Place): boolean {
  const name = path.at(-1) ?? "";
  if (!isNothing(value) || isListName(path)) return isNothing(value);
  return !keys.paging.includes(keyOf(name)) && !isForeign(name) && !notLists.test(name) && !speaksOfTrouble(path);
}
const notLists = /next|prev|cursor|message|link|query|filter|status|code|version|error|warning|reason|detail|hint/i;

function isListOfTexts({ value, path }: Place): boolean {
  return Array.isArray(value) && isListName(path) && value.some((each) => typeof each === "string");
}

/** A parsed object has its integer keys in ascending order; the list has them as the service wrote them. */
function inWrittenOrder(elements: Elements, text: string | undefined): Elements {
  const isNumbered = elements.some(([key]) => key !== undefined && /^\d+$/.test(key));
  if (text === undefined || !isNumbered) return elements;
  const byKey = new Map(elements.map((element) => [JSON.stringify(element[0]), element]));
  const written: (typeof elements)[number][] = [];
  for (const [, key = ""] of text.matchAll(/("[^"\\]*")\s*:\s*\{/g)) {
    const element = byKey.get(key);
    if (element !== undefined && byKey.delete(key)) written.push(element);
  }
  return [...written, ...byKey.values()];
}

function describe(value: unknown): string {
  if (value === undefined) return "something that is not JSON";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array of other things";
  if (!isObject(value)) return value === null ? "null" : `a ${typeof value}`;
  const names = [...holderOf(value).members.values()].slice(0, 10);
  return names.length === 0 ? "an empty object" : `an object with ${names.join(", ").slice(0, 300)}`;
}
