// What an answer says of the length of its list, and of there being no more. Advice at best.
import { isObject } from "../json.ts";
import type { Answer, Asked, FoundList } from "./answer.ts";
import { hasTrouble, type Holder, holderOf, isHolder, member, type Place, pointerOf } from "./holder.ts";
import { countKeys, pagingKeys, totalKeys } from "./names.ts";
import { isForeign, keyOf } from "./words.ts";

type Counts = Pick<FoundList, "total" | "limit" | "offset">;

const totalHeaders = [
  "X-Total-Count",
  "X-Total",
  "Total-Count",
  "X-WP-Total",
  "X-Total-Results",
  "X-Pagination-Total-Count",
  "X-Pagination-Total",
  "Content-Range",
];

/** What an answer says of the length of the list at a way. */
export function readCounts(
  { headers, body }: Answer,
  places: readonly Place[],
  path: readonly string[],
  length: number,
): Counts {
  const around = holdersAround(places, path);
  const number = (key: string, least: number) =>
    around
      .map((holder) => readCount(member(holder, [key])?.value))
      .find((count) => count !== undefined && count >= least);
  // A pair of a list and its length.
  const pair = Array.isArray(body) && path.length > 0 ? body.findIndex((each) => readCount(each) !== undefined) : -1;
  const told = [
    ...(pair >= 0 ? [{ count: readCount((body as unknown[])[pair]), place: `#/${pair}` }] : []), // why: it is an array, or there is no pair
    ...totalHeaders.map((place) => ({ count: readCount(headers.get(place)?.split("/").at(-1)?.trim()), place })),
  ];
  const header = told.find((each): each is { count: number; place: string } => each.count !== undefined);
  return { limit: number("limit", 1), offset: number("offset", 0), total: totalIn(around, length) ?? header };
}

/** How many pages there are in all, by what these objects say, and where that is said. A `count` is often that of the answer itself. */
function totalIn(holders: readonly Holder[], length = 0): FoundList["total"] {
  for (const key of [...totalKeys, ...countKeys]) {
    for (const holder of holders) {
      const found = member(holder, [key]);
      const count = readCount(found?.value);
      const isOwn = countKeys.includes(key) && count === length && length > 0;
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
    const isPaging = aside.every((name) => pagingKeys.has(keyOf(name)) || isIndex(name));
    return isPaging && aside.length <= 2 ? [{ holder, shared }] : [];
  });
  return around.toSorted((one, other) => other.shared - one.shared).map(({ holder }) => holder);
}

function readCount(value: unknown, level = 0): number | undefined {
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  if (!isObject(value) || level > 1) return undefined;
  return readCount(member(holderOf(value), ["value", "total", "count", "numberlong"])?.value, level + 1);
}

/** The object that says, by what is around a list, that there is none: all are behind, it is what was around the last list, or it is of paging alone. */
export function saysNoMore(places: readonly Place[], { offset = 0, last }: Asked): Place | undefined {
  const [top] = places;
  const holders = places.filter(isHolder);
  if (top === undefined || (isHolder(top) && hasTrouble(top))) return undefined;
  if (places.some(holdsThings)) return undefined;
  const isLast = ({ path, members }: Holder) =>
    last !== undefined &&
    members.size > 0 &&
    last.place.slice(0, last.place.lastIndexOf("/")) === pointerOf(path) &&
    [...members.values()].every((name) => last.beside.includes(name));
  return (
    holders.find((holder) => (totalIn([holder])?.count ?? Infinity) <= offset) ??
    holders.find(isLast) ??
    (isHolder(top) && isOnlyPaging(top, offset) ? top : undefined)
  );
}

/** Whether a place is a list, of whatever, that may be the account's own. */
export function holdsThings({ value, path }: Place): boolean {
  return Array.isArray(value) && value.some(isObject) && !path.some(isForeign);
}

/** Whether an object has nothing but what is around a list: counts, numbers of pages. At the start it must say that it is a list, and promise no more. */
function isOnlyPaging(holder: Holder, offset: number): boolean {
  const { members, value } = holder;
  if ((totalIn([holder])?.count ?? 0) > offset) return false;
  const names = [...members.values()];
  const isAround = [...members].every(([key, name]) => pagingKeys.has(key) || paging.test(name) || about.test(key));
  const isList = names.some((name) => {
    const said = value[name];
    const isWindow = paging.test(name) && !isObject(said);
    return isWindow || (typeof said === "string" && /(?:list|collection)$/i.test(said));
  });
  const isMore = names.some((name) => /next|more|cursor|token/i.test(name) && Boolean(value[name]));
  return isAround && (offset > 0 || (isList && !isMore));
}
const paging = /next|prev|limit|offset|size|page|more|cursor|token/i;
const about = /^(?:kind|object|type|class|etag|version|context|took|ms)$/;
