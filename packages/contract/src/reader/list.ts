// Finds the list of pages in an answer nobody has described, or where it says that there are none.
import { isObject } from "../json.ts";
import type { Answer, Asked, FoundList, FoundPage, NoList } from "./answer.ts";
import { countsNone, doubtOf, hasTrouble, isAside, isListName, nameOfList, readCounts } from "./counts.ts";
import { findThings } from "./domains.ts";
import { type Element, inWrittenOrder, isEnvelope, isKnownList, readArray, readObject } from "./elements.ts";
import { ancestorsOf, holderOf, isHolder, isNothing, type Place, pointerOf } from "./facts.ts";
import { countFields } from "./fields.ts";
import { ownIdOf, saysOther } from "./identifier.ts";
import { fields, keyOf, keys, readName } from "./names.ts";
import { findListedPage } from "./page.ts";
import { type Feature, never, rank } from "./score.ts";
import { walk } from "./walk.ts";

/** A place that may be the list, also one of nothing. */
interface Candidate extends Place {
  readonly elements: readonly Element[];
  /** The pages of its first elements. */
  readonly sample: readonly FoundPage[];
}

/** No page is so small that more of them than this are an answer of the usual size. */
const mostPages = 1_000_000;
const sampleSize = 10;

type Read = (path: readonly string[], element: Element) => FoundPage;

/** Finds the pages in the answer to a list. */
export function findPages(answer: Answer, asked: Asked = {}, text?: string): FoundList | NoList {
  const places = walk(answer.body);
  const things = findThings(places);
  const read: Read = (path, [key, element, index]) =>
    findListedPage(element, index === "" ? path : [...path, index], asked, key, things);
  const hasNoBody = answer.status === 204 || answer.status === 205;
  const best = hasNoBody ? places.slice(0, 1).map(toEnd)[0] : findList(places, asked, read);
  if (typeof best !== "object") return { kind: "none", found: best ?? describe(answer.body) };
  const { path, above, elements } = best;
  if (elements.length > mostPages)
    return { kind: "none", found: `a list of ${elements.length} pages, more than are read of one answer` };
  const pages = (Array.isArray(best.value) ? elements : inWrittenOrder(elements, text)).map(
    (element, at) => (element === elements[at] ? best.sample[at] : undefined) ?? read(path, element),
  );
  // What all pages have is not the identifier of one.
  const isSame = pages.length > 1 && new Set(pages.map(({ page }) => page.id)).size === 1;
  if (isSame) for (const { page } of pages) delete page.id;
  const beside = [...(above?.members.values() ?? [])].filter((name) => name !== path.at(-1));
  return {
    kind: "list",
    pages,
    place: pointerOf(path),
    beside,
    ...readCounts(answer, asked, places, path, pages.length),
  };
}

/** Names of lists of what is related to pages, or gone. */
const neverListed =
  /relat|recommend|popular|featured|suggest|includ|delet|trash|link|author|user$|users$|categor|tags?$|media|image|facet|translation|revision|version|history|tabs?$|filter|sorts?$/i;

/** What speaks for a place to be the list, or to say that there is nothing on it. */
function listFeatures(places: readonly Place[], { last }: Asked): readonly Feature<Candidate>[] {
  const isThingListed = places.some(holdsThings);
  // Other things may be listed where an answer counts no pages, and beside a list that has been elsewhere.
  const countsZero = countsNone(places.slice(0, 1), {}) !== undefined;
  const isElsewhere = ({ path }: Candidate) => last !== undefined && pointerOf(path) !== last.place;
  const isEnd = ({ elements }: Candidate) => elements.length === 0;
  return [
    // Where other things are listed, only an array under the name of a list is its end.
    [never, (place) => isEnd(place) && isThingListed && !(Array.isArray(place.value) && isListName(place.path))],
    [never, (place) => !isEnd(place) && isAside(place.path) && (countsZero || isElsewhere(place))],
    // A list under the name of another thing, or of no list, is another one.
    [-1000, ({ path }) => Math.floor(doubtOf(path))],
    // What shows nothing of a page is surer to be another list than an end under the name of pages is to be none.
    [
      -400,
      ({ sample }) => sample.length > 0 && sample.every(({ places: shown }) => !fields.some((field) => field in shown)),
    ],
    [-500, isEnd],
    [200, (place) => isEnd(place) && place.path.some((name) => readName(name).says("page"))],
    [3000, (place) => isEnd(place) && pointerOf(place.path) === last?.place],
    [-1, ({ path }) => path.length + (doubtOf(path) % 1)],
  ];
}

/** The list among the places of an answer, or the place that says that there is none; a text when there are several as good. */
function findList(all: readonly Place[], asked: Asked, read: Read): Candidate | string | undefined {
  const places = all.filter(({ path }) => !path.some((name) => neverListed.test(name)));
  const lists = places.flatMap((place) => toCandidate(place, read) ?? []);
  const isOuter = (place: Place) => !lists.some((other) => isInside(place, other));
  const outer = lists.filter(isOuter);
  const [top] = all;
  const isFailed = outer.length === 0 && top !== undefined && isHolder(top) && hasTrouble(top);
  const nothing = isFailed ? [] : places.filter(mayBeNothing).filter(isOuter);
  // What has no name of a list, and is no array, must be alone.
  const ends = nothing.filter((place) => nothing.length === 1 || Array.isArray(place.value) || isListName(place.path));
  const lone = outer.length === 0 && !isFailed ? findLone(places, read) : undefined;
  const [best, next] = lone ? [lone] : rank([...outer, ...ends.map(toEnd)], listFeatures(places, asked));
  if (best === undefined) {
    const end = isFailed || places.some(holdsThings) ? undefined : countsNone(places, asked);
    return end && toEnd(end);
  }
  return outer.includes(best) && next !== undefined && isAlike(best, next)
    ? "several lists, none of them surer than the others"
    : best;
}

/** A single page where a list is, as what makes JSON of XML writes a list of one: under names of lists and pages, and nothing else is listed. */
function findLone(places: readonly Place[], read: Read): Candidate | undefined {
  const pages = places
    .filter(isHolder)
    .filter(({ path }) => path.length > 0 && path.every((name) => readName(name).isNeutral || isKnownList(name)));
  const isListed = places.some(
    ({ value }) =>
      Array.isArray(value) &&
      value.slice(0, sampleSize).some((each) => isObject(each) && countFields(holderOf(each)) > 1),
  );
  const [only, ...others] = isListed ? [] : pages.filter((place) => countFields(place) > 1);
  if (only === undefined || others.length > 0) return undefined;
  const element: Element = [undefined, only.value, ""];
  const found = read(only.path, element);
  return found.page.id === undefined ? undefined : { ...only, elements: [element], sample: [found] };
}

function toEnd(place: Place): Candidate {
  return { ...place, elements: [], sample: [] };
}

function isInside(place: Place, other: Place): boolean {
  return place.path.length > other.path.length && other.path.every((name, index) => place.path[index] === name);
}

/** Whether nothing tells which of two is the list: lists side by side in an array are one in pieces, or nothing we know. */
function isAlike(best: Candidate, next: Candidate): boolean {
  const [one, other] = [best, next].map(({ path }) => path.map((step) => (/^\d+$/.test(step) ? "0" : step)).join("/"));
  const isAsNear = doubtOf(best.path) === doubtOf(next.path) && best.path.length === next.path.length;
  return next.elements.length > 0 && (one === other || (isAsNear && !isListName(best.path)));
}

/** The list that a value is, or holds as a map; `undefined` when it is none. */
function toCandidate(place: Place, read: Read): Candidate | undefined {
  const { value, path, above } = place;
  const elements = Array.isArray(value) ? readArray(value) : isHolder(place) ? readObject(place) : undefined;
  if (elements === undefined || elements.length === 0 || (path.length === 0 && isEnvelope(elements))) return undefined;
  const isOther = isAside(path) && !path.some((name) => readName(name).says("relative"));
  const around = above === undefined || isOther ? [] : [above, ...ancestorsOf(above)];
  if (around.some((holder) => countFields(holder) >= 2 && !saysOther(holder) && ownIdOf(holder))) return undefined;
  // An identifier is enough under the name of a list, and in a map whose keys repeat it.
  const name = nameOfList(path);
  const isKnown = Array.isArray(value)
    ? isListName(path) && (keys.list.includes(keyOf(name)) || readName(name).says("page"))
    : !isOther && elements.every(([key, element]) => ownIdOf(holderOf(element))?.id === key);
  // Those have a title and a text at times, and no place among the pages.
  const isTrouble = speaksOfTrouble(path);
  const sample: FoundPage[] = [];
  for (const element of elements.slice(0, sampleSize)) {
    const found = read(path, element);
    const shown = fields.filter((field) => field in found.places).length;
    const hasId = found.page.id !== undefined;
    if (isTrouble ? !("slug" in found.places && hasId) : shown === 0 && !(isKnown && hasId)) return undefined;
    sample.push(found);
  }
  return { ...place, elements, sample };
}

/** Whether names are those of troubles and news. */
function speaksOfTrouble(path: readonly string[]): boolean {
  return path.some((name) =>
    /error|warning|problem|violation|issue|notice|notification|announcement|message|alert|banner|news/i.test(name),
  );
}

/** Whether a place is a list, of whatever, that may be the account's own. */
function holdsThings({ value, path }: Place): boolean {
  return Array.isArray(value) && value.some(isObject) && !path.some((name) => readName(name).isForeign);
}

/** Whether a value is nothing, under a name that may be that of the list. */
function mayBeNothing({ value, path }: Place): boolean {
  const name = path.at(-1) ?? "";
  // What makes JSON of XML writes nothing as an empty text.
  if (value === "") return keys.list.includes(keyOf(name));
  if (!isNothing(value) || isListName(path)) return isNothing(value);
  const isForeign = readName(name).isForeign && !/Response$|_response$/.test(name);
  return !keys.paging.includes(keyOf(name)) && !isForeign && !speaksOfTrouble(path);
}

function describe(value: unknown): string {
  if (value === undefined) return "something that is not JSON";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array of other things";
  if (!isObject(value)) return value === null ? "null" : `a ${typeof value}`;
  const names = [...holderOf(value).members.values()].slice(0, 10);
  return names.length === 0 ? "an empty object" : `an object with ${names.join(", ").slice(0, 300)}`;
}
