// Finds the list of pages in an answer nobody has described, or where it says that there are none.
import { isObject, type JsonObject } from "../json.ts";
import type { Answer, Asked, FoundList, NoList } from "./answer.ts";
import { countFields } from "./fields.ts";
import { ancestorsOf, hasTrouble, holderOf, isHolder, isNothing, type Place, pointerOf } from "./holder.ts";
import { readId, readOwnId } from "./identifier.ts";
import { holdsThings, readCounts, saysNoMore } from "./list-counts.ts";
import { listKeys, pagingKeys } from "./names.ts";
import { findListedPage } from "./record.ts";
import { placesIn, readFieldList } from "./walk.ts";
import { isForeign, isNeutral, keyOf } from "./words.ts";

/** Records with their keys, where the list is a map. */
type Elements = readonly (readonly [key: string | undefined, element: JsonObject, index: string])[];

/** Something that may be the list. */
interface Candidate {
  readonly place: Place;
  readonly elements: Elements;
  /** Documented fields per element. */
  readonly score: number;
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
  const pages = inWrittenOrder(elements, text).map(([key, element, index]) =>
    findListedPage(element, [...place.path, index], asked, key),
  );
  // What all pages have is not the identifier of one.
  const isSame = pages.length > 1 && new Set(pages.map(({ page }) => page.id)).size === 1;
  if (isSame) for (const { page } of pages) delete page.id;
  const beside = [...(place.above?.members.values() ?? [])].filter((name) => name !== place.path.at(-1));
  const counts = readCounts(answer, places, place.path, pages.length);
  return { kind: "list", pages, place: pointerOf(place.path), beside, ...counts };
}

/** The list among the places of an answer, or the place that says that there is none; `ambiguous` when there are several as good. */
function findList(all: readonly Place[], asked: Asked): Candidate | Place | "ambiguous" | undefined {
  const places = all.filter(({ path }) => !path.some((name) => neverListed.test(name)));
  const candidates = places.flatMap((place) => toCandidate(place) ?? []);
  const outer = candidates.filter(({ place }) => !candidates.some((other) => isInside(place, other.place)));
  const [best, next] = outer.toSorted(compare);
  const nothing = places.filter(mayBeNothing);
  if (best === undefined) return chooseNothing(places, nothing) ?? saysNoMore(places, asked);
  const { path: way } = best.place;
  // Nothing is the list where the last one was, or under a surer name that is no further in.
  const isSurer = ({ path }: Place) =>
    pointerOf(path) === asked.last?.place ||
    (path.length > 0 &&
      doubtOf(path) < doubtOf(way) - (isAside(way) ? 1.5 : 0) &&
      (isAside(way) || path.length <= way.length));
  return nothing.find(isSurer) ?? (next !== undefined && isAlike(best, next) ? "ambiguous" : best);
}

/** Names of lists of what is related to pages, or gone. */
const neverListed =
  /relat|recommend|popular|featured|suggest|includ|delet|trash|link|author|user$|users$|categor|tags?$|media|image|facet|translation|revision|version|history|column|tabs?$|filter|sorts?$/i;

/** How far the name at the end of a way is from one of a list: 0 for such a name, 0.5 for one that says nothing, 1 for any other; 2 more under the name of another thing. */
function doubtOf(path: readonly string[]): number {
  const name = path.findLast((step) => !/^\d+$/.test(step)) ?? "data";
  return (isAside(path) ? 2 : 0) + (listKeys.includes(keyOf(name)) ? 0 : isNeutral(name) ? 0.5 : 1);
}

/** Whether a way leads through another thing: a list in it may be that of an account. */
function isAside(path: readonly string[]): boolean {
  return path.some((name) => isForeign(name) && !listKeys.includes(keyOf(name)));
}

/** Whether the name at the end of a way may be one of a list, wherever it is. */
function isListName(path: readonly string[]): boolean {
  return doubtOf(path) % 2 < 1;
}

function isInside(place: Place, other: Place): boolean {
  return place.path.length > other.path.length && other.path.every((name, index) => place.path[index] === name);
}

/** The surest name, of lists the shallowest; then most documented fields. */
function compare(one: Candidate, other: Candidate): number {
  const [doubt, next] = [doubtOf(one.place.path), doubtOf(other.place.path)];
  const depth = one.place.path.length - other.place.path.length;
  const isKnown = Math.floor(doubt) % 2 === 0;
  return (
    Math.floor(doubt) - Math.floor(next) || (isKnown ? depth : 0) || other.score - one.score || depth || doubt - next
  );
}

/** Whether nothing tells which of two is the list: lists side by side in an array are one in pieces, or nothing we know. */
function isAlike(best: Candidate, next: Candidate): boolean {
  const [name, other] = [best, next].map(({ place }) => place.path.map((step) => (/^\d+$/.test(step) ? "0" : step)));
  const isAsSure = Math.floor(doubtOf(best.place.path)) === Math.floor(doubtOf(next.place.path));
  const isTie = isAsSure && best.score === next.score && !isListName(best.place.path);
  return best.place.path.length === next.place.path.length && (name?.join("/") === other?.join("/") || isTie);
}

/** The list that a value is, or holds as a map; `undefined` when it is none. */
function toCandidate(place: Place): Candidate | undefined {
  const { value, path, above } = place;
  const around = above === undefined ? [] : [above, ...ancestorsOf(above)];
  if (around.some((holder) => countFields(holder) >= 2 && readOwnId(holder) !== undefined)) return undefined;
  const elements = Array.isArray(value) ? readArray(value) : isObject(value) ? readMap(value) : undefined;
  if (elements === undefined || elements.length === 0) return undefined;
  const isKnown = isListName(path) && Array.isArray(value);
  let score = 0;
  const sample = elements.slice(0, 10);
  for (const [key, element, index] of sample) {
    const { page, places } = findListedPage(element, [index], {}, key);
    const fields = ["title", "content", "slug", "meta_description", "cta"].filter((name) => name in places).length;
    const hasId = page.id !== undefined;
    if (speaksOfTrouble(path) ? fields < 2 || !hasId : fields === 0 && !(isKnown && hasId)) return undefined;
    score += fields / sample.length;
  }
  return { elements, place, score };
}

/** Whether names are those of troubles, or of records: those show more than the title of a trouble. */
function speaksOfTrouble(path: readonly string[]): boolean {
  return path.some((name) => /error|warning|problem|violation|issue/i.test(name));
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
  // A word that leads to more is a member that holds the map.
  if (isObject(single) && !/\d/.test(first) && countFields(holderOf(single)) === 0) return undefined;
  return names.map((name) => [name, map[name] as JsonObject, name]); // why: `names` are those of objects
}

/** Whether a name is that of a member rather than a key. */
function isWord(name: string): boolean {
  return !/\d/.test(name) && (isNeutral(name) || isForeign(name));
}

/** Whether a value is nothing, under a name that may be that of the list. */
function mayBeNothing({ value, path }: Place): boolean {
  const name = path.at(-1) ?? "";
  if (!isNothing(value) || isListName(path)) return isNothing(value);
  return !pagingKeys.has(keyOf(name)) && !isForeign(name) && !notLists.test(name) && !speaksOfTrouble(path);
}
const notLists = /next|prev|cursor|message|link|query|filter|status|code|version|error|warning|reason|detail|hint/i;

/** Of what is nothing an array under the name of a list, any array, a name of a list, or what is alone; where other things are listed, only the first is believed. */
function chooseNothing(places: readonly Place[], nothing: readonly Place[]): Place | undefined {
  const [top] = places;
  if ((top !== undefined && isHolder(top) && hasTrouble(top)) || places.some(isListOfTexts)) return undefined;
  const [best, next] = nothing.toSorted((one, other) => rankNothing(one) - rankNothing(other));
  if (best === undefined || rankNothing(best) === 0) return best;
  return places.some(holdsThings) || (rankNothing(best) === 3 && next !== undefined) ? undefined : best;
}

function rankNothing({ value, path }: Place): number {
  return (Array.isArray(value) ? 0 : 2) + (isListName(path) ? 0 : 1);
}

function isListOfTexts({ value, path }: Place): boolean {
  return Array.isArray(value) && isListName(path) && value.some((each) => typeof each === "string");
}

/** Whether an answer says in words that there is nothing to list. */
export function saysEmpty(body: unknown): boolean {
  if (!isObject(body)) return false;
  return placesIn(body).some((place) =>
    isHolder(place)
      ? [...place.members.values()].some((name) => saysNothing(place.value[name]))
      : isNothing(place.value) && place.value !== null && isListName(place.path),
  );
}

function saysNothing(text: unknown): boolean {
  return typeof text === "string" && text.length < 300 && nothingThere.test(text);
}

const things =
  "(?:landing )?(?:pages|contents?|records|results|entries|items|documents|posts|rows|data|matches|objects)";
const nothingThere = new RegExp(
  `\\bno (?:more |matching |such )?${things}\\b|\\b${things} (?:(?:were|was|could) )?(?:not|n't) (?:be )?(?:found|exist)|\\bnothing (?:found|here|to (?:show|list)|stored)|\\b(?:is|are) empty\\b|\\bnone (?:found|exists?)\\b|\\bdid not match any\\b`,
  "i",
);

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
