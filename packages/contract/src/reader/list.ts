// Finds the list of pages in an answer nobody has described.
import { isObject, type JsonObject } from "../json.ts";
import type { Answer, Asked, FoundList, FoundPage, NoList } from "./answer.ts";
import { holderOf, member, pointerOf } from "./holder.ts";
import { holdersIn } from "./walk.ts";
import {
  type Candidate,
  choose,
  isListed,
  type Place,
  placesIn,
  rankOf,
  readSingle,
  toCandidate,
} from "./list-candidates.ts";
import { readTime } from "./fields.ts";
import { noHeaders, readCounts, readTotal } from "./list-counts.ts";
import { isForeign, readId } from "./identifier.ts";
import { fieldKeys, keyOf, listKeys, pagingKeys, timeKeys } from "./names.ts";
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
    const empty = findEmpty(places, answer.body, asked.offset);
    return empty === undefined ? { kind: "none", found: describe(answer.body) } : emptyList(answer, empty);
  }
  const elements = inWrittenOrder(best, text);
  const pages = slugsAsIds(
    elements.map(([key, element, index]) => findListedPage(element, [...best.path, index], asked, key)),
  );
  return { kind: "list", pages, place: pointerOf(best.path), ...readCounts(answer, best.path, pages.length) };
}

/** Where no page of a list has an identifier of any name, its slug must be the one, unless another member tells them apart. */
function slugsAsIds(pages: readonly FoundPage[]): readonly FoundPage[] {
  const slugs = new Set(pages.map(({ page }) => page.slug));
  if (pages.some(({ page }) => page.id !== undefined) || slugs.has(undefined) || slugs.size < pages.length)
    return pages;
  for (const name in pages[0]?.record)
    if (!told.has(keyOf(name)) && !isForeign(name) && tellsApart(name, pages)) return pages;
  return pages.map((found) => ({
    ...found,
    page: { ...found.page, ...(found.page.slug === undefined ? {} : { id: found.page.slug }) },
    places: { ...found.places, id: found.places["slug"] ?? "nothing" },
  }));
}

/** Members that say what a page holds, and when it was made; another that differs from page to page may be its identifier. */
const told: ReadonlySet<string> = new Set([...Object.values(fieldKeys).flat(), ...Object.values(timeKeys).flat()]);

function tellsApart(name: string, pages: readonly FoundPage[]): boolean {
  const values = new Set<unknown>();
  return pages.every(({ record }) => isOpaque(record?.[name]) && values.size < values.add(record?.[name]).size);
}

function isOpaque(value: unknown): boolean {
  return (
    typeof value === "number" ||
    (isObject(value) && readId(value) !== undefined) ||
    (typeof value === "string" && /^(?!https?:)\S*\d\S*$/.test(value) && readTime(value) === undefined)
  );
}

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
  return { kind: "list", pages: [], place: pointerOf(path), ...readCounts(answer, path, 0) };
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
  const names = Object.keys(value).slice(0, 10);
  return names.length === 0 ? "an empty object" : `an object with ${names.join(", ").slice(0, 300)}`;
}

/** Where an answer says that nothing is stored: an empty array, `null` or an empty map, or an envelope without its list. */
function findEmpty(places: readonly Place[], body: unknown, offset = 0): readonly string[] | undefined {
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
    places.find(({ value }) => Array.isArray(value) && value.length === 0) ??
    known.find(({ value, path }) => value === null && (path.length > 0 || body === null)) ??
    known.find(({ value }) => isObject(value) && Object.keys(value).length === 0) ??
    onlyNothing(places);
  if (empty !== undefined) return empty.path;
  const left = places.find(({ value }) => {
    const total = isObject(value) ? readTotal({ status: 200, headers: noHeaders, body: value }, []) : undefined;
    return total !== undefined && total.count <= offset;
  });
  return (left ?? (offset > 0 && isObject(body) && isOnlyPaging(body) ? places[0] : undefined))?.path;
}

/** Nothing, under a name of its own, where no other member can be the list. */
function onlyNothing(places: readonly Place[]): Place | undefined {
  const nothing = places.filter(({ value, path }) => {
    const key = keyOf(path.at(-1) ?? "");
    const isEmpty = value === null || (typeof value === "object" && Object.keys(value).length === 0);
    return isEmpty && path.length > 0 && !pagingKeys.has(key) && !isForeign(key) && !notLists.test(key);
  });
  return nothing.length === 1 ? nothing[0] : undefined;
}
const notLists = /next|prev|cursor|message|link|query|filter|status|code|version|error|warning|reason|detail|hint/;

/** Whether an object has nothing but what is around a list: links, counts, numbers of pages. */
function isOnlyPaging(body: JsonObject): boolean {
  return Object.keys(body).every(
    (name) => pagingKeys.has(keyOf(name)) || /link|next|prev|limit|offset|size|page|more/i.test(name),
  );
}

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
  const isSomething = Array.isArray(trouble)
    ? trouble.length > 0
    : isObject(trouble)
      ? Object.keys(trouble).length > 0
      : Boolean(trouble);
  return isSomething || member(holder, ["success", "ok"])?.value === false;
}
