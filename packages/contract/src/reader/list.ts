// Finds the list of pages in an answer nobody has described.
import { isObject } from "../json.ts";
import type { Answer, Asked, FoundList, NoList } from "./answer.ts";
import { holderOf, pointerOf } from "./holder.ts";
import { type Candidate, chooseList, isListName, placesOfLists, rankOf } from "./list-candidates.ts";
import { readCounts } from "./list-counts.ts";
import { findEmpty } from "./list-empty.ts";
import { listKeys } from "./names.ts";
import { findListedPage } from "./record.ts";
import { placesIn } from "./walk.ts";

/** No page is so small that more of them than this are an answer of the usual size. */
const mostPages = 1_000_000;

/** Finds the pages in the answer to a list. */
export function findPages(answer: Answer, asked: Asked = {}, text?: string): FoundList | NoList {
  const all = placesIn(answer.body);
  const places = placesOfLists(all);
  const empty = (path: readonly string[]): FoundList => ({
    kind: "list",
    pages: [],
    place: pointerOf(path),
    beside: [],
    ...readCounts(answer, all, path, 0),
  });
  if (answer.status === 204 || answer.status === 205) return empty([]);
  const best = chooseList(places);
  if (best === "ambiguous") return { kind: "none", found: "several lists, none of them surer than the others" };
  const nothing =
    best === undefined
      ? findEmpty(places, asked)
      : // Nothing under the name of a list is the answer, and what else looks like pages is around it.
        best.isKnown
        ? undefined
        : places.find(({ value, path }) => isEmptyArray(value) && rankOf(path) < surest && path.length > 0)?.path;
  if (nothing !== undefined) return empty(nothing);
  if (best === undefined) return { kind: "none", found: describe(answer.body) };
  const { place, elements } = best;
  if (elements.length > mostPages)
    return { kind: "none", found: `a list of ${elements.length} pages, more than are read of one answer` };
  const pages = inWrittenOrder(elements, text).map(([key, element, index]) =>
    findListedPage(element, [...place.path, index], asked, key),
  );
  const beside = [...(place.above?.members.values() ?? [])].filter((name) => name !== place.path.at(-1));
  const counts = readCounts(answer, all, place.path, pages.length);
  return { kind: "list", pages, place: pointerOf(place.path), beside, ...counts };
}

const surest = listKeys.indexOf("value");

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Whether an answer says in words that there is nothing to list. */
export function saysEmpty(body: unknown): boolean {
  if (!isObject(body)) return false;
  return placesIn(body).some(({ value, path }) =>
    typeof value === "string"
      ? value.length < 300 && nothingThere.test(value)
      : isEmptyArray(value) && isListName(path),
  );
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
