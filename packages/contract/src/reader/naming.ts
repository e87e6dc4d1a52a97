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
} from "./names.ts";
import { isIn, isPageIdName, judge, keyOf, wordsOf } from "./words.ts";

/** Gives the name of a member without what all names of its record share. */
export type Naming = (name: string) => string;

/** What is around a documented name in the name of a member: words before and after it. */
interface Reading {
  readonly field: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const fieldOf: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ...fieldKeys, ...timeKeys, domains: ["domains"] }).flatMap(([field, keys]) =>
    keys.map((key) => [key, field] as const),
  ),
  ...idKeys.map((key) => [key, "id"] as const),
]);

const texts: ReadonlySet<string> = new Set(["title", "content", "slug", "meta_description"]);

/** Words that say what a title or an identifier is of, or what of it is meant: they are no naming. */
const meaningful = [embeddedWords, foreignWords, notPublicWords, relativeWords, urlWords, versionWords];

/** The documented names in a name, with words of no known meaning around them. */
const readingsOf: (name: string) => readonly Reading[] = judge((name) => {
  const words = wordsOf(name);
  if (words.length < 2 || words.length > 8) return [];
  return words.flatMap((_, start) =>
    words.slice(start).flatMap((__, length): Reading[] => {
      const end = start + length + 1;
      const [before, after] = [words.slice(0, start), words.slice(end)];
      const field = fieldOf.get(words.slice(start, end).join(""));
      const around = [...before, ...after];
      const isPlain = around.length === 0 || around.some((word) => meaningful.some((table) => isIn(table, word)));
      return field === undefined || isPlain ? [] : [{ field, before, after }];
    }),
  );
});

/**
 * Finds what the names of a record share: an affix of two documented names or more, or a prefix for the type of each. A
 * field under its plain name says that there is no such naming, and a plain identifier that what shares one is another's.
 */
export function namingOf(value: JsonObject, members: ReadonlyMap<string, string>): Naming | undefined {
  if (members.has("title") || members.has("slug") || members.has("metadescription")) return undefined;
  const found = new Map<string, Reading & { fields: Set<string> }>();
  for (const name of members.values())
    for (const reading of readingsOf(name)) {
      if (!isFit(reading.field, value[name])) continue;
      for (const affix of affixesOf(reading)) {
        const known = found.get(affix) ?? { ...reading, fields: new Set() };
        found.set(affix, { ...known, fields: known.fields.add(reading.field) });
      }
    }
  if (found.size === 0) return undefined;
  const usable = [...found].flatMap(([affix, each]) => {
    const naming = affix === byType ? withoutType : without(each);
    const size = each.fields.size - (each.fields.has("id") && hasOtherId(members, naming) ? 1 : 0);
    const isRecord = [...each.fields].some((field) => texts.has(field)) && mayBe(affix, members.has("content"));
    return size >= 2 && isRecord ? [{ affix, naming, size, length: each.before.length + each.after.length }] : [];
  });
  const [best, next] = usable.toSorted((one, other) => other.size - one.size || one.length - other.length);
  const isTie = best?.size === next?.size && best?.length === next?.length;
  return isTie && best?.affix !== byType && next?.affix !== byType ? undefined : best?.naming;
}

/** Whether a naming is possible beside a member that is called `content`: only that of what is a part of its name. */
function mayBe(affix: string, hasContent: boolean): boolean {
  return !hasContent || affix === "content|";
}

/** The affix of the naming that has a prefix for each type: `strTitle` beside `objCta`. */
const byType = "*";

function affixesOf({ before, after }: Reading): string[] {
  const affix = `${before.join(" ")}|${after.join(" ")}`;
  const [type = ""] = before;
  if (after.length > 0 || before.length > 1 || !typePrefixes.has(type)) return [affix];
  // A single letter may be one prefix for all as well.
  return type.length > 1 ? [byType] : [affix, byType];
}

/** Whether a value can be that of a field: a flag or a length is not. */
function isFit(field: string, value: unknown): boolean {
  if (typeof value === "string" || isObject(value)) return true;
  return texts.has(field) ? Array.isArray(value) : typeof value === "number" || Array.isArray(value);
}

/** Whether a record has an identifier, or what stands for one, under a name without the naming. */
function hasOtherId(members: ReadonlyMap<string, string>, naming: Naming): boolean {
  return [...members].some(
    ([key, name]) =>
      naming(name) === name &&
      (idKeys.includes(key) || isPageIdName(name) || /^(?:key|ref|reference|handle)$/.test(key)),
  );
}

function withoutType(name: string): string {
  const words = wordsOf(name);
  return words.length > 1 && typePrefixes.has(words[0] ?? "") ? words.slice(1).join("_") : name;
}

function without({ before, after }: Reading): Naming {
  return (name) => {
    const words = wordsOf(name);
    const end = words.length - after.length;
    const isAffixed =
      end > before.length &&
      before.every((word, index) => word === words[index]) &&
      after.every((word, index) => word === words[end + index]);
    return isAffixed ? words.slice(before.length, end).join("_") : name;
  };
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
