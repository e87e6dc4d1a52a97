// One naming for all members of a record: `lp_id` beside `lp_title` and `lp_slug` is the identifier of the page.
import { isObject, type JsonObject } from "../json.ts";
import { judge, keyOf, keys, readName, sensesOf, texts, wordsOf } from "./names.ts";

/** Gives the name of a member without what all names of its record share. */
export type Naming = (name: string) => string;

const named = [...texts, "cta", "created_at", "updated_at", "domains", "id"] as const;
const fieldOf: ReadonlyMap<string, string> = new Map(
  named.flatMap((field) => keys[field].map((key) => [key, field] as const)),
);
const plainKeys = ["title", "slug", "metadescription"];

/** The naming that has a prefix for each type: `strTitle` beside `objCta`. */
const byType = "type";

/** The documented names in a name, with words of no known meaning around them: `lp_title` is a title in the naming `lp *`. */
const readingsOf = judge((name): readonly (readonly [naming: string, field: string])[] => {
  const all = wordsOf(name);
  if (all.length < 2 || all.length > 8) return [];
  return all.flatMap((_, start) =>
    all.slice(start).flatMap((__, length) => {
      const field = fieldOf.get(all.slice(start, start + length + 1).join(""));
      const around = [...all.slice(0, start), ...all.slice(start + length + 1)];
      // Words that say what a title or an identifier is of, or what of it is meant, are no naming.
      const isMeant = readName(around.join(" ")).says("embedded", "foreign", "notPublic", "relative", "url", "version");
      if (field === undefined || around.length === 0 || isMeant) return [];
      const affix = [...all.slice(0, start), "*", ...all.slice(start + length + 1)].join(" ");
      const isType = around.length === 1 && start === 1 && sensesOf(around[0] ?? "").has("type");
      // A single letter may be one prefix for all as well.
      if (!isType) return [[affix, field] as const];
      return (around[0]?.length === 1 ? [affix, byType] : [byType]).map((naming) => [naming, field] as const);
    }),
  );
});

/** The naming of an affix: the words before and after the `*`. */
const namingFor = judge((affix): Naming => {
  const [before = "", after = ""] = affix.split("*");
  return (name) => {
    const all = wordsOf(name);
    if (affix === byType) return all.length > 1 && sensesOf(all[0] ?? "").has("type") ? all.slice(1).join(" ") : name;
    const text = all.join(" ");
    const isAffixed = text.length >= affix.length && text.startsWith(before) && text.endsWith(after);
    return isAffixed ? text.slice(before.length, text.length - after.length) : name;
  };
});

/**
 * Finds what the names of a record share: an affix of two documented names or more, or a prefix for the type of each. A
 * field under its plain name says that there is no such naming, and a plain identifier that what shares one is another's.
 */
export function namingOf(value: JsonObject, members: ReadonlyMap<string, string>): Naming | undefined {
  if (members.size < 2 || plainKeys.some((key) => members.has(key))) return undefined;
  const found = new Map<string, Set<string>>();
  for (const name of members.values())
    for (const [affix, field] of readingsOf(name))
      if (isFit(field, value[name])) found.set(affix, (found.get(affix) ?? new Set()).add(field));
  if (found.size === 0) return undefined;
  const usable = [...found].flatMap(([affix, shown]) => {
    const naming = namingFor(affix);
    const size = shown.size - (shown.has("id") && hasOtherId(members, naming) ? 1 : 0);
    const isRecord = texts.some((field) => shown.has(field)) && (!members.has("content") || affix === "content *");
    return size >= 2 && isRecord ? [{ naming, rank: size - affix.split(" ").length / 10 }] : [];
  });
  const [best, next] = usable.toSorted((one, other) => other.rank - one.rank);
  return best?.rank === next?.rank ? undefined : best?.naming;
}

/** Whether a value can be that of a field: a flag or a length is not. */
function isFit(field: string, value: unknown): boolean {
  if (typeof value === "string" || isObject(value) || Array.isArray(value)) return true;
  return typeof value === "number" && !texts.some((text) => text === field);
}

/** Whether a record has an identifier, or what stands for one, under a name without the naming. */
function hasOtherId(members: ReadonlyMap<string, string>, naming: Naming): boolean {
  return [...members].some(
    ([key, name]) =>
      naming(name) === name && (keys.id.includes(key) || readName(name).isPageId || keys.weakId.includes(key)),
  );
}

/** Members by what they are called without the naming. A plain name keeps its key, and a plain identifier is the only one. */
export function renamed(members: ReadonlyMap<string, string>, naming: Naming): ReadonlyMap<string, string> {
  const hasOther = hasOtherId(members, naming);
  const plain = new Map<string, string>();
  for (const [key, name] of members) {
    const meant = naming(name);
    const meantKey = hasOther && readName(meant).isPageId ? key : keyOf(meant);
    plain.set(members.has(meantKey) || plain.has(meantKey) ? key : meantKey, name);
  }
  return plain;
}
