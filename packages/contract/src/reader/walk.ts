// The one walk through what a service sent: every object and array of it once, with its members by what they are called.
import { isObject } from "../json.ts";
import { parseWhole } from "./body.ts";
import { type Holder, holderOf } from "./holder.ts";
import { fieldKeys } from "./names.ts";
import { judge, wordsOf } from "./words.ts";
import { readFieldList, readTable } from "./tables.ts";

/** A value of an answer: what a text that is JSON holds, the records of a table. */
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

/** Gives every value of an answer in which a page, a list or an identifier may be, breadth first. Bounded, whatever the answer. */
export function placesIn(body: unknown, path: readonly string[] = []): Place[] {
  const places = [placeOf(body, path, undefined)];
  for (let index = 0; index < places.length && places.length < mostPlaces; index += 1) {
    const { value, holder, above, ...place } = places[index] ?? { ...places[0], path: [] };
    if (place.path.length - path.length >= deepest) continue;
    if (holder !== undefined) {
      for (const [key, name] of holder.members)
        if (!notEntered.has(key) && !leads(name))
          places.push(placeOf(holder.value[name], [...place.path, name], holder));
    } else if (Array.isArray(value) && value.length <= 10)
      for (const [at, each] of value.entries())
        if (isObject(each) || Array.isArray(each))
          places.push(placeOf(each, [...place.path, String(at)], above, value.length > 1));
  }
  return places;
}

function placeOf(inner: unknown, path: readonly string[], above: Holder | undefined, isOneOfSeveral = false): Place {
  const parsed =
    typeof inner === "string" && /^\s*[[{]/.test(inner.slice(0, 100)) ? (parseWhole(inner) ?? inner) : inner;
  const value = Array.isArray(parsed) ? (readTable(parsed, above) ?? parsed) : parsed;
  const record = Array.isArray(value) ? readFieldList(value) : isObject(value) ? value : undefined;
  const holder = record && {
    ...holderOf(record, path, above),
    isOneOfSeveral: isOneOfSeveral || above?.isOneOfSeveral,
  };
  return { value, path, holder, above };
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
