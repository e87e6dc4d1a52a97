// Finds the list of pages in an answer nobody has described.
import { isObject, type JsonObject } from "../json.ts";
import type { Answer, Asked, FoundList, NoList } from "./answer.ts";
import { type Holder, holderOf, member, pointerOf } from "./holder.ts";
import { holdersIn } from "./walk.ts";
import {
  type Candidate,
  choose,
  isListed,
  type Place,
  placesIn,
  rankOf,
  readSingle,
  speaksOfTrouble,
  toCandidate,
} from "./list-candidates.ts";
import { noHeaders, readCounts, readTotal } from "./list-counts.ts";
import { isForeign } from "./identifier.ts";
import { keyOf, listKeys, pagingKeys, totalKeys } from "./names.ts";
import { countFields } from "./presentation.ts";
import { findListedPage } from "./record.ts";

/** Finds the pages in the answer to a list. */
export function findPages(answer: Answer, asked: Asked = {}, text?: string): FoundList | NoList {
  if (answer.status === 204 || answer.status === 205) return emptyList(answer, []);
  const near = placesIn(answer.body);
  const places = near.some(({ value, path }) => isListed(value, path)) ? near : placesIn(answer.body, true);
  const candidates = places.flatMap((place) => toCandidate(place) ?? []);
  const best = choose(candidates) ?? readSingle(places);
  if (best === "ambiguous")
    return {
      kind: "none",
      found: `several lists (${candidates
        .slice(0, 5)
        .map(({ path }) => pointerOf(path))
        .join(", ")})`,
    };
  if (best === undefined) {
    const empty = findEmpty(places, answer.body, asked);
    return empty === undefined ? { kind: "none", found: describe(answer.body) } : emptyList(answer, empty);
  }
  // Nothing under the name of a list is the answer, and what else looks like pages is around it.
  const nothing = best.nameRank < listKeys.length ? undefined : places.find(isEmptyList);
  if (nothing !== undefined) return emptyList(answer, nothing.path);
  if (best.elements.length > mostPages)
    return { kind: "none", found: `a list of ${best.elements.length} pages, more than are read of one answer` };
  const elements = inWrittenOrder(best, text);
  const pages = elements.map(([key, element, index]) => findListedPage(element, [...best.path, index], asked, key));
  const beside = [...(best.beside?.members.values() ?? [])].filter((name) => name !== best.path.at(-1));
  return { kind: "list", pages, place: pointerOf(best.path), beside, ...readCounts(answer, best.path, pages.length) };
}

function isEmptyList({ value, path }: Place): boolean {
  return Array.isArray(value) && value.length === 0 && surestNames.has(keyOf(path.at(-1) ?? ""));
}
const surestNames: ReadonlySet<string> = new Set(listKeys.slice(0, listKeys.indexOf("value")));

/** No page is so small that more of them than this are an answer of the usual size. */
const mostPages = 1_000_000;

/** Whether an answer says in words that there is nothing to list. */
export function saysEmpty(body: unknown): boolean {
  if (!isObject(body)) return false;
  const said = holdersIn(holderOf(body), () => true)
    .slice(0, 20)
    .flatMap(({ value, members }) => [...members.values()].slice(0, 50).map((name) => value[name]));
  return (
    placesIn(body).some(({ value, path }) => isListed(value, path) && Array.isArray(value) && value.length === 0) ||
    said.some((text) => typeof text === "string" && text.length < 300 && nothingThere.test(text))
  );
}

const things =
  "(?:landing )?(?:pages|contents?|records|results|entries|items|documents|posts|rows|data|matches|objects)";
const nothingThere = new RegExp(
  `\\bno (?:more |matching |such )?${things}\\b|\\b${things} (?:(?:were|was|could) )?(?:not|n't) (?:be )?(?:found|exist)|\\bnothing (?:found|here|to (?:show|list)|stored)|\\b(?:is|are) empty\\b|\\bnone (?:found|exists?)\\b|\\bdid not match any\\b`,
  "i",
);

function emptyList(answer: Answer, path: readonly string[]): FoundList {
  return { kind: "list", pages: [], place: pointerOf(path), beside: [], ...readCounts(answer, path, 0) };
}

/** A parsed object has its integer keys in ascending order; the list has them as the service wrote them. */
function inWrittenOrder({ elements }: Candidate, text: string | undefined): Candidate["elements"] {
  if (text === undefined || elements.filter(([key]) => key !== undefined && /^\d+$/.test(key)).length < 2)
    return elements;
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
  if (value === null) return "null";
  if (Array.isArray(value))
    return value.length === 0
      ? "an empty array"
      : `an array of ${value.slice(0, 20).every((each) => typeof each === typeof value[0]) && !Array.isArray(value[0]) ? `${typeof value[0]}s` : "other things"}`;
  if (!isObject(value)) return `a ${typeof value}`;
  const names = [...holderOf(value).members.values()].slice(0, 10);
  return names.length === 0 ? "an empty object" : `an object with ${names.join(", ").slice(0, 300)}`;
}

/** Where an answer says that nothing is stored: an empty array, `null` or an empty map, or an envelope without its list. */
function findEmpty(
  places: readonly Place[],
  body: unknown,
  { offset = 0, last }: Asked,
): readonly string[] | undefined {
  const known = places.filter(({ path }) => path.length === 0 || rankOf(path) < listKeys.length);
  if (
    known.some(
      ({ value }) =>
        Array.isArray(value) &&
        value.some(
          (each) =>
            each !== null &&
            !isPaging(each) &&
            !isEmptyEnvelope(each) &&
            !(isNothingOrCount(each) && value.length <= 3 && value.some(Array.isArray)),
        ),
    )
  )
    return undefined;
  if (isObject(body) && hasTrouble(body)) return undefined;
  const empty =
    known.find(({ value }) => Array.isArray(value)) ??
    places.find(({ value, path }) => Array.isArray(value) && value.length === 0 && !path.some(speaksOfTrouble)) ??
    known.find(({ value, path }) => value === null && (path.length > 0 || body === null)) ??
    known.find(({ value, path }) => isNothing(value) && !isPagingName(keyOf(path.at(-1) ?? ""))) ??
    onlyNothing(places);
  if (empty !== undefined) return empty.path;
  const left = places.find(({ value }) => {
    const total = isObject(value) ? readTotal({ status: 200, headers: noHeaders, body: value }, []) : undefined;
    return total !== undefined && total.count <= offset;
  });
  if (left !== undefined) return left.path;
  const isLeftOut = places.some(({ value, path }) => isObject(value) && isSameWithout(holderOf(value, path), last));
  return isLeftOut || (isObject(body) && !holdsThings(body) && isOnlyPaging(holderOf(body), offset)) ? [] : undefined;
}

/** Whether there is an array of objects anywhere: then it is not for want of pages that none was found. */
function holdsThings(body: JsonObject): boolean {
  return holdersIn(holderOf(body), () => true).some(({ value, members }) =>
    [...members.values()].some((name) => {
      const each = value[name];
      return Array.isArray(each) && each.some(isObject);
    }),
  );
}

/** Whether an object is what was around the last list, and the list is left out. */
function isSameWithout({ path, members }: Holder, last: Asked["last"]): boolean {
  if (last === undefined || members.size === 0) return false;
  const isThere = last.place.slice(0, last.place.lastIndexOf("/")) === pointerOf(path).replace(/\/$/, "");
  return isThere && [...members.values()].every((name) => last.beside.includes(name));
}

/** Whether a value is an array or an object of nothing. */
function isNothing(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && holderOf(value).members.size === 0;
}

/** Whether a key is of what is around a list, and none of a list itself. */
function isPagingName(key: string): boolean {
  return pagingKeys.has(key) && !listKeys.includes(key);
}

/** Nothing, under a name of its own, where no other member can be the list. */
function onlyNothing(places: readonly Place[]): Place | undefined {
  const nothing = places.filter(({ value, path }) => {
    const key = keyOf(path.at(-1) ?? "");
    return (
      (value === null || isNothing(value)) &&
      path.length > 0 &&
      !pagingKeys.has(key) &&
      !isForeign(key) &&
      !notLists.test(key)
    );
  });
  return nothing.length === 1 ? nothing[0] : undefined;
}
const notLists = /next|prev|cursor|message|link|query|filter|status|code|version|error|warning|reason|detail|hint/;

/** Whether an object has nothing but what is around a list: links, counts, numbers of pages. At the start it must say that it is a list, and promise no more. */
function isOnlyPaging(holder: Holder, offset: number): boolean {
  const entries = [...holder.members].map(([key, name]) => ({ key, name, each: holder.value[name] }));
  const isAround = entries.every(
    ({ key, name }) => pagingKeys.has(key) || /link|self|href/.test(key) || paging.test(name) || about.test(key),
  );
  if (!isAround || offset > 0) return isAround;
  const isList = entries.some(({ key, name, each }) =>
    about.test(key)
      ? typeof each === "string" && /(?:list|collection)$/i.test(each)
      : paging.test(name) && !isObject(each),
  );
  const isCounted = totalKeys.some((key) => Number(member(holder, [key])?.value) > 0);
  return isList && !isCounted && !entries.some(({ key, each }) => /next|more|cursor|token/.test(key) && Boolean(each));
}
const paging = /next|prev|limit|offset|size|page|more|cursor|token/i;
const about = /^(?:kind|object|type|class|etag|version|context|took|ms)$/;

/** Whether an element of an array is what is around a list, and the list in it is empty. */
function isEmptyEnvelope(value: unknown): boolean {
  if (!isObject(value) || countFields(holderOf(value)) > 0) return false;
  return Object.entries(value).some(
    ([name, each]) => Array.isArray(each) && each.length === 0 && rankOf([name]) < listKeys.length,
  );
}

/** Half of a pair of a list and its length, when nothing is stored. */
function isNothingOrCount(value: unknown): boolean {
  return typeof value === "number" || (Array.isArray(value) && value.length === 0);
}

function isPaging(value: unknown): boolean {
  return (
    isObject(value) &&
    countFields(holderOf(value)) === 0 &&
    readTotal({ status: 200, headers: noHeaders, body: value }, []) !== undefined
  );
}

/** An answer that tells of errors is not an empty list. */
function hasTrouble(body: JsonObject): boolean {
  const holder = holderOf(body);
  const trouble = member(holder, ["errors", "error", "fault", "exception"])?.value;
  return (Boolean(trouble) && !isNothing(trouble)) || member(holder, ["success", "ok"])?.value === false;
}
