// Walks through what a service sent.
import { isObject } from "../json.ts";
import { parseWhole } from "./body.ts";
import { type Holder, holderOf } from "./holder.ts";
import { fieldKeys, judge, wordsOf } from "./names.ts";
import { readFieldList, readTable } from "./tables.ts";

const mostHolders = 500;
const deepest = 5;

/**
 * Gives an object and those inside it, breadth first and each once; arrays of one and JSON in a text count as what they hold.
 * What `enters` refuses is left out with all that is in it; short arrays are entered on request. Bounded, whatever the answer.
 */
export function holdersIn(
  tops: Holder | readonly Holder[],
  enters: (name: string) => boolean,
  entersArrays = false,
): Holder[] {
  const holders = [tops].flat();
  const start = holders[0]?.path.length ?? 0;
  for (let index = 0; index < holders.length && holders.length < mostHolders; index += 1) {
    const holder = holders[index];
    if (holder === undefined || holder.path.length - start >= deepest) continue;
    for (const [key, name] of holder.members) {
      if (notEntered.has(key) || leads(name) || !enters(name)) continue;
      const value = holder.value[name];
      const table = entersArrays && Array.isArray(value) ? readTable(value, holder) : undefined;
      const inner = unwrap(table ?? value, [...holder.path, name]);
      if (isObject(inner.value)) holders.push(holderOf(inner.value, inner.path, holder));
      else if (entersArrays && Array.isArray(inner.value)) holders.push(...severalIn(inner.value, inner.path, holder));
    }
  }
  return holders;
}

/** Makes holders of the objects in a short array, of which one may be the page that is looked for. */
export function severalIn(array: readonly unknown[], path: readonly string[], above?: Holder): Holder[] {
  if (array.length < 2 || array.length > 10) return [];
  return array.flatMap((each, index) =>
    isObject(each) ? [{ ...holderOf(each, [...path, String(index)], above), isOneOfSeveral: true }] : [],
  );
}

/** Fields of a page that are objects at times, and hold no page then. */
const notEntered: ReadonlySet<string> = new Set([
  ...fieldKeys.title,
  ...fieldKeys.slug,
  ...fieldKeys.meta_description,
  ...fieldKeys.cta,
]);

/** Whether a member is a call to action, whatever else its name says. */
const leads: (name: string) => boolean = judge((name) =>
  wordsOf(name).some((word) => word === "cta" || word === "button"),
);

/** Takes a value out of arrays of one, and out of a text that is JSON itself. */
export function unwrap(value: unknown, path: readonly string[]): { value: unknown; path: readonly string[] } {
  let inner = { value, path };
  for (let level = 0; level < 4; level += 1) {
    const record = Array.isArray(inner.value) ? readFieldList(inner.value) : undefined;
    if (record !== undefined) inner = { value: record, path: inner.path };
    else if (Array.isArray(inner.value) && inner.value.length === 1)
      inner = { value: inner.value[0], path: [...inner.path, "0"] };
    else if (typeof inner.value === "string" && /^\s*\{\s*"/.test(inner.value.slice(0, 100)))
      inner = { value: parseWhole(inner.value), path: inner.path };
    else break;
  }
  return inner;
}
