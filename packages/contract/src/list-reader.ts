// Finds the list of pages in an answer nobody has described, and what is said of its length.
import { isEntered, isForeign, isNeutral, readId, readLinkedId, readNamedId, readOwnId } from "./identifier.ts";
import { type Holder, holderOf, holdersIn, member, parseWhole, pointerOf } from "./holder.ts";
import { isObject, type JsonObject } from "./json.ts";
import { readFieldList, readTable } from "./tables.ts";
import { keyOf, listKeys, pagingKeys, totalKeys } from "./names.ts";
import { type Answer, type Asked, countFields, findListedPage, type FoundPage } from "./reader.ts";

/** The pages of an answer, and where they were found. */
export interface FoundList {
  /** What was found: a list, or why there is none. */
  readonly kind: "list";
  /** Each page, in the order of the answer. */
  readonly pages: readonly FoundPage[];
  /** JSON pointer of the list. */
  readonly place: string;
  /** How many pages there are in all, as far as the answer tells; advice at best. */
  readonly total: { readonly count: number; readonly place: string } | undefined;
  /** The `limit` that the answer mentions. */
  readonly limit: number | undefined;
  /** The `offset` that the answer mentions. */
  readonly offset: number | undefined;
}

/** Why there is no list. */
export interface NoList {
  readonly kind: "none";
  /** What came instead, in words. */
  readonly found: string;
}

interface Candidate {
  /** Elements with their keys, where the list is a map. */
  readonly elements: readonly (readonly [key: string | undefined, element: JsonObject, index: string])[];
  readonly path: readonly string[];
  readonly depth: number;
  /** How likely the name is one of a list: below `listKeys.length` for a known one. */
  readonly nameRank: number;
  /** Documented fields per element. */
  readonly score: number;
}

interface Place {
  readonly value: unknown;
  /** The object around it. */
  readonly beside?: JsonObject;
  readonly path: readonly string[];
  readonly depth: number;
}

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

/** Where no page of a list has an identifier of any name, its slug must be the one. */
function slugsAsIds(pages: readonly FoundPage[]): readonly FoundPage[] {
  const slugs = new Set(pages.map(({ page }) => page.slug));
  if (pages.some(({ page }) => page.id !== undefined) || slugs.has(undefined) || slugs.size < pages.length)
    return pages;
  return pages.map((found) => ({
    ...found,
    page: { ...found.page, ...(found.page.slug === undefined ? {} : { id: found.page.slug }) },
    places: { ...found.places, id: found.places["slug"] ?? "nothing" },
  }));
}

/** Whether an answer says in words that there is nothing to list. */
export function saysEmpty(body: unknown): boolean {
  if (!isObject(body)) return false;
  const said = holdersIn(holderOf(body), () => true)
    .slice(0, 20)
    .flatMap(({ value }) => Object.values(value).slice(0, 50));
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

const mostPlaces = 2000;

/** Arrays, and objects that may be maps, breadth first. What is inside a list or a record is not looked at. */
function placesIn(body: unknown, isFar = false): Place[] {
  const places: Place[] = [{ value: body, path: [], depth: 0 }];
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
          places.push({ value: readNested(inner), path: [...path, name], depth: depth + 1, beside: value });
      }
    }
  }
  return places;
}

const neverListed =
  /error|warning|problem|violation|issue|relat|recommend|popular|featured|suggest|includ|delet|trash|link|author|user$|users$|categor|tags?$|media|image|facet|translation|revision|version|history/i;

/** Whether a value is an array, or nothing under the name of a list, so that there is no need to look further. */
function isListed(value: unknown, path: readonly string[]): boolean {
  return Array.isArray(value) && rankOf(path) < listKeys.length;
}

function isInPlural(path: readonly string[]): boolean {
  const name = path.at(-2) ?? "";
  return /s$/i.test(name) && listKeys.includes(keyOf(name));
}

/** One record where a list belongs, under the name of a list: what is written as XML has no lists of one. */
function readSingle(places: readonly Place[]): Candidate | undefined {
  const single = places.find(
    ({ value, path }) =>
      isObject(value) && isInPlural(path) && countFields(holderOf(value)) > 0 && likeness(value).hasId,
  );
  if (single === undefined || !isObject(single.value)) return undefined;
  const { value, path, depth } = single;
  return { elements: [[undefined, value, path.at(-1) ?? ""]], path: path.slice(0, -1), depth, nameRank: 0, score: 1 };
}

function readNested(value: unknown): unknown {
  return typeof value === "string" && /^\s*[[{]/.test(value.slice(0, 100)) ? (parseWhole(value) ?? value) : value;
}

function toCandidate({ value, path, depth, beside }: Place): Candidate | undefined {
  const entries = Array.isArray(value)
    ? readArray(readTable(value, beside) ?? readRecords(value))
    : isObject(value)
      ? readMap(value)
      : undefined;
  if (entries === undefined || entries.length === 0) return undefined;
  const nameRank = rankOf(path);
  const sample = entries.slice(0, 20).map(([key, element]) => likeness(element, key));
  const isKnown = nameRank < listKeys.length;
  if (!sample.every((each) => each.fields > 0 || (isKnown && each.hasId && !Number.isNaN(each.fields))))
    return undefined;
  return {
    elements: entries,
    path,
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
  const names = Object.keys(map).filter((name) => !/^[_$@]/.test(name) || isObject(map[name]));
  if (names.length === 0 || names.length > 1e6) return undefined;
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
function choose(candidates: readonly Candidate[]): Candidate | "ambiguous" | undefined {
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

function rankOf(path: readonly string[]): number {
  const name = path.findLast((step) => !/^\d+$/.test(step));
  if (name === undefined) return 0;
  const key = keyOf(name);
  const rank = listKeys.indexOf(key);
  if (rank >= 0) return rank;
  return isNeutral(name) ? listKeys.length - 1 : listKeys.length;
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
            each !== null && !isPaging(each) && !(Array.isArray(each) && each.length === 0 && value.length <= 3),
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

function isPaging(value: unknown): boolean {
  return (
    typeof value === "number" ||
    (isObject(value) &&
      countFields(holderOf(value)) === 0 &&
      readTotal({ status: 200, headers: noHeaders, body: value }, []) !== undefined)
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

function emptyList(answer: Answer, path: readonly string[]): FoundList {
  return { kind: "list", pages: [], place: pointerOf(path), ...readCounts(answer, path, 0) };
}

function readCounts(
  answer: Answer,
  path: readonly string[],
  length: number,
): Pick<FoundList, "total" | "limit" | "offset"> {
  const holders = envelopes(answer.body, path);
  const number = (keys: readonly string[], least: number) => {
    for (const holder of holders) {
      const count = readCount(member(holder, keys)?.value);
      if (count !== undefined && count >= least) return count;
    }
    return undefined;
  };
  return { total: readTotal(answer, path, length), limit: number(["limit"], 1), offset: number(["offset"], 0) };
}

const noHeaders = { get: () => null };
const totalHeaders = [
  "X-Total-Count",
  "X-Total",
  "Total-Count",
  "X-WP-Total",
  "X-Total-Results",
  "X-Pagination-Total-Count",
  "X-Pagination-Total",
];

function readTotal(answer: Answer, path: readonly string[], length = 0): FoundList["total"] {
  const holders = envelopes(answer.body, path);
  for (const keys of [...totalKeys.map((key) => [key]), ["count"]]) {
    for (const holder of holders) {
      const found = member(holder, keys);
      const count = readCount(found?.value);
      // A `count` is often that of the answer itself.
      if (found === undefined || count === undefined || (keys[0] === "count" && count === length && length > 0))
        continue;
      return { count, place: pointerOf([...holder.path, found.name]) };
    }
  }
  const pair: unknown =
    Array.isArray(answer.body) && path.length > 0 ? answer.body.find((each) => typeof each === "number") : undefined;
  if (readCount(pair) !== undefined) return { count: Number(pair), place: "#/1" };
  for (const place of totalHeaders) {
    const count = readCount(answer.headers.get(place)?.trim());
    if (count !== undefined) return { count, place };
  }
  const range = /\/(\d{1,15})$/.exec(answer.headers.get("Content-Range") ?? "")?.[1];
  return range === undefined ? undefined : { count: Number(range), place: "Content-Range" };
}

/** Objects around a list, innermost first, and what they say about paging. */
function envelopes(body: unknown, path: readonly string[]): Holder[] {
  const around: Holder[] = [];
  let value: unknown = body;
  for (const [index, name] of [...path, ""].entries()) {
    if (isObject(value)) around.unshift(holderOf(value, path.slice(0, index)));
    value = isObject(value)
      ? readNested(value[name])
      : Array.isArray(value)
        ? (value as unknown[])[Number(name)]
        : undefined;
  }
  if (Array.isArray(body))
    around.push(
      ...body
        .slice(0, 3)
        .filter((each: unknown) => isObject(each))
        .filter((each) => countFields(holderOf(each)) === 0)
        .map((each) => holderOf(each)),
    );
  return around.flatMap((holder) => [holder].concat(pagingIn(holder, path, 0)));
}

function pagingIn(holder: Holder, path: readonly string[], level: number): Holder[] {
  if (level > 1) return [];
  return [...holder.members].flatMap(([key, name]) => {
    const value = holder.value[name];
    if (!pagingKeys.has(key) || !isObject(value) || path[holder.path.length] === name) return [];
    const inner = holderOf(value, [...holder.path, name], holder);
    return [inner].concat(pagingIn(inner, path, level + 1));
  });
}

function readCount(value: unknown, level = 0): number | undefined {
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  if (!isObject(value) || level > 1) return undefined;
  return readCount(member(holderOf(value), ["value", "total", "count", "numberlong"])?.value, level + 1);
}

/** A parsed object has its integer keys in ascending order; the list has them as the service wrote them. */
function inWrittenOrder({ elements }: Candidate, text: string | undefined): Candidate["elements"] {
  if (text === undefined || elements.filter(([key]) => key !== undefined && /^\d+$/.test(key)).length < 2)
    return elements;
  const wanted = new Set(elements.map(([key]) => key));
  const written = new Map<string, number>();
  for (const match of text.matchAll(/"(\d+)"\s*:\s*\{/g)) {
    const key = match[1] ?? "";
    if (wanted.has(key) && !written.has(key)) written.set(key, match.index);
  }
  const at = (key: string | undefined) => written.get(key ?? "") ?? text.indexOf(JSON.stringify(key));
  return elements
    .map((element) => ({ element, at: at(element[0]) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ element }) => element);
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
