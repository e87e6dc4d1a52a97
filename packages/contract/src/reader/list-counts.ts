// What an answer says of the length of its list. Advice at best.
import { isObject } from "../json.ts";
import type { Answer, FoundList } from "./answer.ts";
import { type Holder, holderOf, member, pointerOf } from "./holder.ts";
import { countKeys, pagingKeys, totalKeys } from "./names.ts";
import { keyOf } from "./words.ts";
import type { Place } from "./walk.ts";

type Counts = Pick<FoundList, "total" | "limit" | "offset">;

const totalHeaders = [
  "X-Total-Count",
  "X-Total",
  "Total-Count",
  "X-WP-Total",
  "X-Total-Results",
  "X-Pagination-Total-Count",
  "X-Pagination-Total",
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
  const counts = { limit: number("limit", 1), offset: number("offset", 0) };
  const total = totalIn(around, length);
  if (total !== undefined) return { ...counts, total };
  // A pair of a list and its length.
  const pair = Array.isArray(body) && path.length > 0 ? body.findIndex((each) => readCount(each) !== undefined) : -1;
  if (pair >= 0) return { ...counts, total: { count: Number((body as unknown[])[pair]), place: `#/${pair}` } }; // why: the line before says so
  const told = totalHeaders.map((place) => ({ place, count: readCount(headers.get(place)?.trim()) }));
  const range = { place: "Content-Range", count: readCount(headers.get("Content-Range")?.split("/")[1]) };
  for (const { place, count } of [...told, range])
    if (count !== undefined) return { ...counts, total: { count, place } };
  return { ...counts, total: undefined };
}

/** How many pages there are in all, by what these objects say, and where that is said. A `count` is often that of the answer itself. */
export function totalIn(holders: readonly Holder[], length = 0): FoundList["total"] {
  for (const key of [...totalKeys, ...countKeys]) {
    for (const holder of holders) {
      const found = member(holder, [key]);
      const count = readCount(found?.value);
      if (found === undefined || count === undefined || (countKeys.includes(key) && count === length && length > 0))
        continue;
      return { count, place: pointerOf([...holder.path, found.name]) };
    }
  }
  return undefined;
}

/** Objects around a list, innermost first, each before what it says about paging; in an array they are beside the list. */
function holdersAround(places: readonly Place[], path: readonly string[]): Holder[] {
  const around = places.flatMap(({ holder }) => {
    if (holder === undefined) return [];
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
