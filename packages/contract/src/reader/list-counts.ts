// What an answer says of the length of its list. Advice at best.
import { isObject } from "../json.ts";
import type { Answer, FoundList } from "./answer.ts";
import { type Holder, holderOf, member, pointerOf } from "./holder.ts";
import { readNested } from "./list-candidates.ts";
import { countKeys, pagingKeys, totalKeys } from "./names.ts";
import { countFields } from "./presentation.ts";

/** What an answer says of the length of a list. */
export function readCounts(
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

/** For a part of an answer. */
export const noHeaders = { get: () => null };
const totalHeaders = [
  "X-Total-Count",
  "X-Total",
  "Total-Count",
  "X-WP-Total",
  "X-Total-Results",
  "X-Pagination-Total-Count",
  "X-Pagination-Total",
];

/** How many pages there are in all, and where that is said. */
export function readTotal(answer: Answer, path: readonly string[], length = 0): FoundList["total"] {
  const holders = envelopes(answer.body, path);
  for (const key of [...totalKeys, ...countKeys]) {
    for (const holder of holders) {
      const found = member(holder, [key]);
      const count = readCount(found?.value);
      // A `count` is often that of the answer itself.
      if (found === undefined || count === undefined || (countKeys.includes(key) && count === length && length > 0))
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
        ? (value as unknown[])[Number(name)] // why: of any elements
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
