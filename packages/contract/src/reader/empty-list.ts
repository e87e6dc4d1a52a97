// Where an answer says that there is nothing to list.
import { isObject, type JsonObject } from "../json.ts";
import { holderOf, member } from "./holder.ts";
import { isForeign } from "./identifier.ts";
import { type Place, rankOf } from "./list-candidates.ts";
import { noHeaders, readTotal } from "./list-counts.ts";
import { keyOf, listKeys, pagingKeys } from "./names.ts";
import { countFields } from "./presentation.ts";

/** Where an answer says that nothing is stored: an empty array, `null` or an empty map, or an envelope without its list. */
export function findEmpty(places: readonly Place[], body: unknown, offset = 0): readonly string[] | undefined {
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
            !(Array.isArray(each) && each.length === 0 && value.length <= 3),
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
