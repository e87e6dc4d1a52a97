// Where an answer without a page says that nothing is stored.
import { isObject } from "../json.ts";
import type { Asked } from "./answer.ts";
import { hasTrouble, type Holder, holderOf, isNothing, member, pointerOf } from "./holder.ts";
import { isListName, speaksOfTrouble } from "./list-candidates.ts";
import { totalIn } from "./list-counts.ts";
import { pagingKeys, totalKeys } from "./names.ts";
import { isForeign, keyOf } from "./words.ts";
import { countFields } from "./presentation.ts";
import type { Place } from "./walk.ts";

/** Finds an empty array, `null` or an empty map where the list would be, or an envelope without its list; `undefined` when an answer may hold something. */
export function findEmpty(places: readonly Place[], { offset = 0, last }: Asked): readonly string[] | undefined {
  const named = places.filter(({ path }) => isListName(path));
  if (named.some(({ value }) => Array.isArray(value) && value.some((each) => isThing(each, value)))) return undefined;
  const [top] = places;
  if (top?.holder !== undefined && hasTrouble(top.holder)) return undefined;
  const nothing = places.filter(mayBeNothing);
  const holdsThings = places.some(
    ({ value, path }) => Array.isArray(value) && value.some(isObject) && !path.some(isForeign),
  );
  const others = holdsThings ? [] : nothing;
  const empty =
    nothing.find(({ value, path }) => Array.isArray(value) && isListName(path)) ??
    others.find(({ value }) => Array.isArray(value)) ??
    others.find(({ path }) => isListName(path)) ??
    onlyOne(others);
  if (empty !== undefined) return empty.path;
  const holders = places.flatMap(({ holder }) => holder ?? []);
  const counted = holders.find((holder) => (totalIn([holder])?.count ?? Infinity) <= offset);
  if (counted !== undefined) return counted.path;
  const isLeftOut = holders.some((holder) => isSameWithout(holder, last));
  return isLeftOut || (top?.holder !== undefined && !holdsThings && isOnlyPaging(top.holder, offset)) ? [] : undefined;
}

function onlyOne<Item>([first, ...others]: readonly Item[]): Item | undefined {
  return others.length === 0 ? first : undefined;
}

/** Whether a value is nothing, under a name that may be that of the list. */
export function mayBeNothing({ value, path }: Place): boolean {
  const name = path.at(-1) ?? "";
  const key = keyOf(name);
  const mayBeList = !pagingKeys.has(key) && !isForeign(name) && !notLists.test(key) && !speaksOfTrouble(path);
  return isNothing(value) && (isListName(path) || mayBeList);
}
const notLists = /next|prev|cursor|message|link|query|filter|status|code|version|error|warning|reason|detail|hint/;

/** Whether an element of an array may be a page, or its sign: no count beside an empty list, and no envelope of an empty list. */
function isThing(each: unknown, array: readonly unknown[]): boolean {
  if (each === null || (Array.isArray(each) && each.length === 0)) return false;
  if (typeof each === "number") return !array.some(Array.isArray);
  if (!isObject(each)) return true;
  const holder = holderOf(each);
  const isEnvelope = Object.entries(each).some(([name, value]) => isNothing(value) && isListName([name]));
  return countFields(holder) > 0 || (!isEnvelope && totalIn([holder]) === undefined);
}

/** Whether an object is what was around the last list, and the list is left out. */
function isSameWithout({ path, members }: Holder, last: Asked["last"]): boolean {
  if (last === undefined || members.size === 0) return false;
  const isThere = last.place.slice(0, last.place.lastIndexOf("/")) === pointerOf(path);
  return isThere && [...members.values()].every((name) => last.beside.includes(name));
}

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
