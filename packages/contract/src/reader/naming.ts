// One naming for all members of a record: `lp_id` beside `lp_title` and `lp_slug` is the identifier of the page.
import { isObject, type JsonObject } from "../json.ts";
import {
  embeddedWords,
  fieldKeys,
  foreignWords,
  idKeys,
  notPublicWords,
  relativeWords,
  timeKeys,
  typePrefixes,
  urlWords,
  versionWords,
  weakIdKeys,
} from "./names.ts";
import { isIn, isPageIdName, judge, keyOf, wordsOf } from "./words.ts";

/** Gives the name of a member without what all names of its record share. */
export type Naming = (name: string) => string;

const fieldOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...fieldKeys, ...timeKeys, domains: ["domains"], id: idKeys }).flatMap(([field, keys]) =>
    keys.map((key) => [key, field] as const),
  ),
);

/** Words that say what a title or an identifier is of, or what of it is meant: they are no naming. */
const meaningful = [embeddedWords, foreignWords, notPublicWords, relativeWords, urlWords, versionWords];

/** The affix of the naming that has a prefix for each type: `strTitle` beside `objCta`. */
const byType = "*";

/** The documented names in a name, with words of no known meaning around them: `lp_title` is a title with the affix `lp |`. */
const readingsOf: (name: string) => readonly { field: string; affix: string }[] = judge((name) => {
  const words = wordsOf(name);
  if (words.length < 2 || words.length > 8) return [];
  const spans = words.flatMap((_, start) =>
    words.slice(start).map((__, length) => [start, start + length + 1] as const),
  );
  return spans.flatMap(([start, end]) => {
    const field = fieldOf.get(words.slice(start, end).join(""));
    const [first = "", ...others] = [...words.slice(0, start), ...words.slice(end)];
    const isMeant = [first, ...others].some((word) => meaningful.some((table) => isIn(table, word)));
    if (field === undefined || first === "" || isMeant) return [];
    const before = words.slice(0, start).map((word) => `${word} `);
    const after = words.slice(end).map((word) => ` ${word}`);
    const affix = `${before.join("")}|${after.join("")}`;
    // A single letter may be one prefix for all as well.
    const isType = start === 1 && others.length === 0 && typePrefixes.has(first);
    const affixes = isType ? (first.length === 1 ? [affix, byType] : [byType]) : [affix];
    return affixes.map((each) => ({ field, affix: each }));
  });
});

const namingFor: (affix: string) => Naming = judge((affix) => {
  const [before = "", after = ""] = affix.split("|");
  return (name) => {
    const words = wordsOf(name);
    if (affix === byType) return words.length > 1 && typePrefixes.has(words[0] ?? "") ? words.slice(1).join(" ") : name;
    const text = words.join(" ");
    const isAffixed = text.length > affix.length - 1 && text.startsWith(before) && text.endsWith(after);
    return isAffixed ? text.slice(before.length, text.length - after.length) : name;
  };
});

/**
 * Finds what the names of a record share: an affix of two documented names or more, or a prefix for the type of each. A
 * field under its plain name says that there is no such naming, and a plain identifier that what shares one is another's.
 */
export function namingOf(value: JsonObject, members: ReadonlyMap<string, string>): Naming | undefined {
  if (members.has("title") || members.has("slug") || members.has("metadescription")) return undefined;
  const found = new Map<string, Set<string>>();
  for (const name of members.values())
    for (const { field, affix } of readingsOf(name))
      if (isFit(field, value[name])) found.set(affix, (found.get(affix) ?? new Set()).add(field));
  const usable = [...found].flatMap(([affix, fields]) => {
    const naming = namingFor(affix);
    const size = fields.size - (fields.has("id") && hasOtherId(members, naming) ? 1 : 0);
    const isRecord = texts.some((field) => fields.has(field)) && (!members.has("content") || affix === "content |");
    return size >= 2 && isRecord ? [{ naming, size, length: affix.split(" ").length }] : [];
  });
  const [best, next] = usable.toSorted((one, other) => other.size - one.size || one.length - other.length);
  return best?.size === next?.size && best?.length === next?.length ? undefined : best?.naming;
}

const texts = ["title", "content", "slug", "meta_description"];

/** Whether a value can be that of a field: a flag or a length is not. */
function isFit(field: string, value: unknown): boolean {
  if (typeof value === "string" || isObject(value) || Array.isArray(value)) return true;
  return typeof value === "number" && !texts.includes(field);
}

/** Whether a record has an identifier, or what stands for one, under a name without the naming. */
function hasOtherId(members: ReadonlyMap<string, string>, naming: Naming): boolean {
  return [...members].some(
    ([key, name]) => naming(name) === name && (idKeys.includes(key) || isPageIdName(name) || weakIdKeys.has(key)),
  );
}

/** Members by what they are called without the naming. A plain name keeps its key, and a plain identifier is the only one. */
export function renamed(members: ReadonlyMap<string, string>, naming: Naming): ReadonlyMap<string, string> {
  const hasOther = hasOtherId(members, naming);
  const keys = new Map<string, string>();
  for (const [key, name] of members) {
    const plain = naming(name);
    const plainKey = hasOther && isPageIdName(plain) ? key : keyOf(plain);
    keys.set(members.has(plainKey) || keys.has(plainKey) ? key : plainKey, name);
  }
  return keys;
}
