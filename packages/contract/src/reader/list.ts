// Finds the list of pages in an answer nobody has described.
import { isObject } from "../json.ts";
import type { Answer, Asked, FoundList, NoList } from "./answer.ts";
import { holderOf, pointerOf } from "./holder.ts";
import { type Candidate, chooseList, isFar, isListName, isNear, rankOf } from "./list-candidates.ts";
import { readCounts } from "./list-counts.ts";
import { findEmpty, mayBeNothing } from "./list-empty.ts";
import { listKeys } from "./names.ts";
import { findListedPage } from "./record.ts";
import { type Place, placesIn } from "./walk.ts";

/** No page is so small that more of them than this are an answer of the usual size. */
const mostPages = 1_000_000;

/** Finds the pages in the answer to a list. */
export function findPages(answer: Answer, asked: Asked = {}, text?: string): FoundList | NoList {
  const places = placesIn(answer.body);
  if (answer.status === 204 || answer.status === 205) return emptyList(answer, places, []);
  const near = places.filter((place) => isNear(place) && isFar(place));
  const isKnownEmpty = near.some((place) => place.path.length > 0 && mayBeNothing(place) && isListName(place.path));
  const best = chooseList(near) ?? (isKnownEmpty ? undefined : chooseList(places.filter(isFar)));
  if (best === "ambiguous") return { kind: "none", found: "several lists, none of them surer than the others" };
  if (best === undefined) {
    const empty = findEmpty(near, asked) ?? findEmpty(places.filter(isFar), asked);
    return empty === undefined ? { kind: "none", found: describe(answer.body) } : emptyList(answer, places, empty);
  }
  const nothing = nothingBefore(best, near, asked);
  if (nothing !== undefined) return emptyList(answer, places, nothing);
  const { place, elements } = best;
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

function emptyList(answer: Answer, places: readonly Place[], path: readonly string[]): FoundList {
  return { kind: "list", pages: [], place: pointerOf(path), beside: [], ...readCounts(answer, places, path, 0) };
}

/** Where nothing is the answer, and what looks like pages is around it: where the last list was, or under a surer name that is no further in. */
function nothingBefore({ place }: Candidate, near: readonly Place[], { last }: Asked): readonly string[] | undefined {
  const isOther = !isNear(place);
  const surest = surenessOf(place.path) + (isOther ? 1 : 0);
  const isBefore = ({ path }: Place) =>
    surenessOf(path) < surest && path.length > 0 && (isOther || path.length <= place.path.length);
  return near.find((each) => mayBeNothing(each) && (pointerOf(each.path) === last?.place || isBefore(each)))?.path;
}

/** 0 for a name of a list, 1 for one that says nothing else, 2 for any other. */
function surenessOf(path: readonly string[]): number {
  const rank = rankOf(path);
  return rank < listKeys.length - 1 ? 0 : rank - listKeys.length + 2;
}

/** Whether an answer says in words that there is nothing to list. */
export function saysEmpty(body: unknown): boolean {
  if (!isObject(body)) return false;
  return placesIn(body).some(({ value, path, holder }) =>
    Array.isArray(value)
      ? value.length === 0 && isListName(path)
      : holder !== undefined && [...holder.members.values()].some((name) => saysNothing(holder.value[name])),
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
function inWrittenOrder(elements: Candidate["elements"], text: string | undefined): Candidate["elements"] {
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
