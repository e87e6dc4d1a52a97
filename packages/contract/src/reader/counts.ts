// What an answer says of its list by names, by counts and in words: which it is, how long, and that there is no more. Advice at best.
import { isObject } from "../json.ts";
import type { Answer, Asked, FoundList } from "./answer.ts";
import {
  fact,
  type Holder,
  holderOf,
  innerHolders,
  isHolder,
  isNothing,
  member,
  type Place,
  pointerOf,
} from "./facts.ts";
import { countFields } from "./fields.ts";
import { keyOf, keys, readName } from "./names.ts";
import { walk } from "./walk.ts";
import { list } from "./words.ts";

/** The last name on a way that is no index. */
export function nameOfList(path: readonly string[]): string {
  return path.findLast((step) => !/^\d+$/.test(step)) ?? "data";
}

/** How far the name at the end of a way is from one of a list: 0 for such a name, 0.5 for one that says nothing, 1 for any other; 2 more under the name of another thing. */
export function doubtOf(path: readonly string[]): number {
  const name = nameOfList(path);
  return (isAside(path) ? 2 : 0) + (keys.list.includes(keyOf(name)) ? 0 : readName(name).isNeutral ? 0.5 : 1);
}

/** Whether a way leads through another thing: a list in it may be that of an account. */
export function isAside(path: readonly string[]): boolean {
  return path.some((name) => readName(name).isForeign && !keys.list.includes(keyOf(name)));
}

/** Whether the name at the end of a way may be one of a list, wherever it is. */
export function isListName(path: readonly string[]): boolean {
  return doubtOf(path) % 2 < 1;
}

const totalHeaders = list(
  "X-Total-Count X-Total Total-Count Total X-WP-Total X-Total-Results X-Pagination-Total-Count X-Pagination-Total Content-Range",
);

/** What an answer says of the length of the list at a way. */
export function readCounts(
  { headers, body }: Answer,
  { offset = 0 }: Asked,
  places: readonly Place[],
  path: readonly string[],
  length: number,
) {
  const around = holdersAround(places, path);
  const number = (key: string, least: number) =>
    around
      .map((holder) => readCount(member(holder, [key])?.value))
      .find((count) => count !== undefined && count >= least);
  const told = [
    // A pair of a list and its length.
    ...(Array.isArray(body) && path.length > 0 ? body.map((each, at) => ({ value: each, place: `#/${at}` })) : []),
    ...totalHeaders.map((place) => ({ value: headers.get(place)?.split("/").at(-1)?.trim(), place })),
  ].map(({ value, place }) => ({ count: readCount(value), place }));
  const aside = told.find((each): each is { count: number; place: string } => each.count !== undefined);
  return {
    limit: number("limit", 1),
    offset: number("offset", 0),
    total: totalIn(around, offset + length > 0 ? length : undefined) ?? aside,
  };
}

/** How many pages there are in all, by what these objects say, and where that is said. A `count` is often that of the answer itself. */
function totalIn(holders: readonly Holder[], length?: number): FoundList["total"] {
  for (const key of [...keys.total, ...keys.count]) {
    for (const holder of holders) {
      const found = member(holder, [key]);
      const count = readCount(found?.value);
      const isOwn = keys.count.includes(key) && count === length;
      if (found !== undefined && count !== undefined && !isOwn)
        return { count, place: pointerOf([...holder.path, found.name]) };
    }
  }
  return undefined;
}

/** Objects around a list, innermost first, each before what it says about paging; in an array they are beside the list. */
function holdersAround(places: readonly Place[], path: readonly string[]): Holder[] {
  const around = places.filter(isHolder).flatMap((holder) => {
    const differs = holder.path.findIndex((name, index) => name !== path[index]);
    const shared = differs < 0 ? holder.path.length : differs;
    const aside = holder.path.slice(shared);
    const isIndex = (name: string) => shared < path.length && /^\d+$/.test(name);
    const isPaging = aside.every((name) => keys.paging.includes(keyOf(name)) || isIndex(name));
    return isPaging && aside.length <= 2 ? [{ holder, shared }] : [];
  });
  return around.toSorted((one, other) => other.shared - one.shared).map(({ holder }) => holder);
}

function readCount(value: unknown, level = 0): number | undefined {
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  if (!isObject(value) || level > 1) return undefined;
  return readCount(member(holderOf(value), ["value", "numberlong", "t"])?.value, level + 1);
}

/** The object that says, by what is around a list, that there is none: all are behind, it is what was around the last list, or it is of paging alone. */
export function countsNone(places: readonly Place[], { offset = 0, last }: Asked): Place | undefined {
  const holders = places.filter(isHolder);
  const isLast = ({ path, members }: Holder) =>
    last !== undefined &&
    members.size > 0 &&
    last.place.slice(0, last.place.lastIndexOf("/")) === pointerOf(path) &&
    [...members.values()].every((name) => last.beside.includes(name));
  return (
    holders.find((holder) => (totalIn([holder])?.count ?? Infinity) <= offset) ??
    holders.find(isLast) ??
    holders.find((holder) => holder.path.length === 0 && isOnlyPaging(holder, offset))
  );
}

/** Whether an object has nothing but what is around a list: counts, numbers of pages. At the start it must say that it is a list, and promise no more. */
function isOnlyPaging(holder: Holder, offset: number): boolean {
  if ((totalIn([holder])?.count ?? 0) > offset) return false;
  const holders = [holder, ...innerHolders(holder, keys.paging)];
  const said = holders.flatMap(({ value, members }) =>
    [...members.values()].map((name) => ({ name, value: value[name] })),
  );
  const isList = said.some(
    ({ name, value }) =>
      (paging.test(name) && !isObject(value)) ||
      (typeof value === "string" && /(?:list|collection|pages|contents?|results|items)$/i.test(value)),
  );
  const isAround = [...holder.members].every(
    ([key, name]) =>
      keys.paging.includes(key) || paging.test(name) || about.test(key) || (isList && readName(name).isForeign),
  );
  const isMore = said.some(({ name, value }) => /next|more|cursor|token/i.test(name) && Boolean(value));
  const isPage = holders.some((each) => countFields(each) > 1);
  return isAround && !isPage && (offset > 0 || (isList && !isMore));
}
const paging = /next|prev|limit|offset|size|page|more|cursor|token/i;
const about = /^(?:kind|object|type|class|etag|version|context|took|ms|success|ok|status|timestamp)$/;

/** Whether an answer says in words that there is nothing to list. A 404 says so by an empty list too; beside the trouble that another status tells, that is none. */
export function saysEmpty(body: unknown, status: number): boolean {
  const places = isObject(body) ? walk(body) : [];
  return places.some((place) =>
    isHolder(place)
      ? [...place.members.values()].some((name) => isSaid(place.value[name]))
      : status === 404 && isNothing(place.value) && place.value !== null && isListName(place.path),
  );
}

function isSaid(value: unknown): boolean {
  const text: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof text === "string" && text.length < 300 && nothingThere.test(text);
}

const nouns =
  "(?:landing )?(?:pages|assets|contents?|records|results|entries|items|documents|posts|rows|data|matches|objects)";
const nothingThere = new RegExp(
  `\\bno (?:more |matching |such )?${nouns}\\b|\\b${nouns} (?:(?:were|was|could) )?(?:not|n't) (?:be )?(?:found|exist)|\\bnothing (?:found|here|to (?:show|list)|stored)|\\b(?:is|are) empty\\b|\\bnone (?:found|exists?)\\b|\\bdid not match any\\b`,
  "i",
);

/** Whether an answer says of itself that it failed. */
export const hasTrouble = fact((holder) => {
  const trouble = member(holder, ["errors", "error", "fault", "exception"])?.value;
  const state = member(holder, ["status", "result"])?.value;
  const isFailed = typeof state === "string" && /^(?:error|fail|failed|failure)$/i.test(state);
  const code = member(holder, ["code", "errcode", "resultcode", "returncode", "statuscode"])?.value;
  const isCode = /^(?:number|string)$/.test(typeof code) && /^(?:e|err)?[-_]?[3-9]\d{2,}$/i.test(String(code));
  return isFailed || isCode || !isBlank(trouble) || member(holder, ["success", "ok"])?.value === false;
});

/** Whether an error is none: nothing, or an object of nothing. */
function isBlank(trouble: unknown, level = 0): boolean {
  const isEmpty = (each: unknown) => level < 2 && isBlank(each, level + 1);
  return !trouble || isNothing(trouble) || (isObject(trouble) && Object.values(trouble).every(isEmpty));
}
