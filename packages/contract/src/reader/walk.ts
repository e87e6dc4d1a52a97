// The one walk through what a service sent: every object and array of it once, with its members by what they are called.
import { isObject } from "../json.ts";
import { parseWhole } from "./body.ts";
import { type Holder, holderOf } from "./holder.ts";
import { fieldKeys } from "./names.ts";
import { judge, wordsOf } from "./words.ts";
import { readFieldList, readTable } from "./tables.ts";

/** An array or an object of an answer, also one in a text that is JSON, or nothing in its place. */
export interface Place {
  readonly value: unknown;
  readonly path: readonly string[];
  /** The object that it is, or that an array of fields makes. */
  readonly holder: Holder | undefined;
  /** The object around it. */
  readonly above: Holder | undefined;
}

const mostPlaces = 2000;
const deepest = 6;

/**
 * Gives every array and object of an answer, and every place where one is missing, breadth first: a page, a list or an
 * identifier may be there. Bounded, whatever the answer.
 */
export function placesIn(body: unknown, path: readonly string[] = []): Place[] {
  const places = [placeOf(body, path, undefined)];
  for (let index = 0; index < places.length && places.length < mostPlaces; index += 1) {
    const place = places[index];
    if (place === undefined || place.path.length - path.length >= deepest) continue;
    if (place.holder !== undefined) {
      for (const [key, name] of place.holder.members) {
        const value = place.holder.value[name];
        if (mayHold(value) && !notEntered.has(key) && !leads(name))
          places.push(placeOf(value, [...place.path, name], place.holder));
      }
    } else if (Array.isArray(place.value) && place.value.length <= 10)
      for (const [at, each] of place.value.entries())
        if (isObject(each) || Array.isArray(each))
          places.push(placeOf(each, [...place.path, String(at)], place.above, place.value.length > 1 || undefined));
  }
  return places;
}

function mayHold(value: unknown): boolean {
  return typeof value === "object" || (typeof value === "string" && isJson(value));
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text.slice(0, 100));
}

function placeOf(
  inner: unknown,
  path: readonly string[],
  above: Holder | undefined,
  isInSeveral = above?.isOneOfSeveral,
): Place {
  const parsed = typeof inner === "string" && isJson(inner) ? (parseWhole(inner) ?? inner) : inner;
  const value = Array.isArray(parsed) ? (readTable(parsed, above) ?? parsed) : parsed;
  const record = Array.isArray(value) ? readFieldList(value) : isObject(value) ? value : undefined;
  return { value, path, holder: record && holderOf(record, path, above, isInSeveral), above };
}

/** Fields of a page that are objects at times, and hold no page then. */
const notEntered: ReadonlySet<string> = new Set([
  ...fieldKeys.title,
  ...fieldKeys.slug,
  ...fieldKeys.meta_description,
  ...fieldKeys.cta,
]);

/** Whether a member is a call to action, whatever else its name says. */
const leads = judge((name) => wordsOf(name).some((word) => word === "cta" || word === "button"));
