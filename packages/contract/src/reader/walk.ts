// The one walk through what a service sent: every object and array of it once.
import { isObject } from "../json.ts";
import { parseWhole } from "./body.ts";
import { type Holder, holderOf, isHolder, type Place } from "./facts.ts";
import { fields, keys } from "./names.ts";
import { readFieldList, readTable } from "./tables.ts";

const mostPlaces = 2000;
const deepest = 6;

/** Fields of a page that are objects at times, and hold no page then. */
const notEntered: ReadonlySet<string> = new Set(
  fields.filter((field) => field !== "content").flatMap((field) => keys[field]),
);

/** Gives every array and object of a value, and every place where one is missing, breadth first. Bounded, whatever the value. */
export function walk(body: unknown, path: readonly string[] = []): Place[] {
  const places = [placeOf(body, path)];
  for (let index = 0; index < places.length && places.length < mostPlaces; index += 1) {
    const place = places[index];
    if (place === undefined || place.path.length - path.length >= deepest) continue;
    const { value, above } = place;
    if (isHolder(place)) {
      for (const [key, name] of place.members) {
        const inner = place.value[name];
        if ((typeof inner === "object" || isJson(inner)) && !notEntered.has(key) && !/cta|button/i.test(name))
          places.push(placeOf(inner, [...place.path, name], place));
      }
    } else if (Array.isArray(value) && value.length <= 10)
      for (const [at, each] of value.entries())
        if (typeof each === "object" && each !== null)
          places.push(placeOf(each, [...place.path, String(at)], above, value.length > 1 || undefined));
  }
  return places;
}

function placeOf(inner: unknown, path: readonly string[], above?: Holder, isOneOfSeveral?: boolean): Place {
  const parsed = isJson(inner) ? (parseWhole(inner) ?? inner) : inner;
  const value = Array.isArray(parsed) ? (readTable(parsed, above) ?? readFieldList(parsed) ?? parsed) : parsed;
  return isObject(value)
    ? holderOf(value, path, above, isOneOfSeveral)
    : { value, path, above, isOneOfSeveral: isOneOfSeveral ?? above?.isOneOfSeveral ?? false };
}

function isJson(value: unknown): value is string {
  return typeof value === "string" && /^\s*[[{]/.test(value.slice(0, 100));
}
