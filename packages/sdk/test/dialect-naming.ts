// Services that write all names of a record with one affix, or each with a prefix for its type.
import * as fc from "fast-check";

type Json = Record<string, unknown>;

/** What a service adds to the names of a record, and how: words that say nothing of a page, and nothing of another thing. */
export type Affix = typeof affix extends fc.Arbitrary<infer Value> ? Value : never;

export const affix = fc.record({
  word: fc.oneof(
    fc.constantFrom("lp", "fld", "f", "c", "my", "dm_lp", "u2"),
    fc.stringMatching(/^[xqwk][xqwkz]{1,3}$/),
  ),
  form: fc.oneof(
    { weight: 6, arbitrary: fc.constant("none" as const) },
    fc.constantFrom("snake", "camel", "pascal", "colon", "dots", "after", "type"),
  ),
});

/** The names that the service's documentation tells. */
const documented = /^(?:(?:page)?[_$@]?(?:id|title|content|slug|meta_?description|cta|created_?at))$/i;
const text = /^(?:page_)?(?:title|content|slug|meta_?description)$/i;

/** Writes the names of a record with the affix, where two or more of them are documented: of one alone nobody could tell. */
export function named({ word, form }: Affix, record: Json): Json {
  const names = Object.keys(record).filter((name) => record[name] !== undefined);
  const isTold = names.filter((name) => documented.test(name)).length >= 2 && names.some((name) => text.test(name));
  if (form === "none" || !isTold) return record;
  const write: Record<typeof form, (name: string) => string> = {
    snake: (name) => `${word}_${name}`,
    camel: (name) => `${word}${startOf(name)}`,
    pascal: (name) => `${startOf(word)}${startOf(name)}`,
    colon: (name) => `${word}:${name}`,
    dots: (name) => `${word}.${name}`,
    after: (name) => `${name}_${word}`,
    type: (name) => `${typeOf(record[name])}${startOf(name)}`,
  };
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [write[form](name), value]));
}

function startOf(name: string): string {
  return name.replace(/^([_$@]?)([a-z])/, (_, sign: string, letter: string) => `${sign}${letter.toUpperCase()}`);
}

function typeOf(value: unknown): string {
  if (typeof value === "string") return "str";
  if (typeof value === "number") return "lng";
  return Array.isArray(value) ? "arr" : "obj";
}
