// What an answer has something for each of: the domains of a page, the fields that were changed, the pages of a list.
import { isObject } from "@landing-page-service/contract";
import { type Facts, listSubjects, readHole, type Repeated } from "@landing-page-service/contract/dialect";
import { explain } from "./explain.ts";
import type { Sample, Spot } from "./explain-text.ts";
import { repeatsKnown } from "./telling.ts";

/** What an array or a map may have something for each of, and how a map would name it. */
const repeats: readonly (readonly [Repeated, name: (facts: Facts) => string | undefined])[] = [
  ["domain", ({ domain }) => domain?.name],
  ["alias", ({ alias }) => alias?.name],
  ["change", ({ change }) => change?.field],
  ["page", ({ page }) => page && String(page.id)],
  ["field", () => undefined],
];

/** Samples of what arrays or maps have for each, where they have as many members as there are to speak of. */
interface Repetition {
  readonly about: Repeated;
  readonly isArray: boolean;
  readonly items: readonly (Sample & { readonly key: string })[];
  /** The arrays or maps that have another number of members. */
  readonly others: readonly Sample[];
}

/** Each way in which samples that are all arrays, or all objects, may repeat something. */
export function listRepeated(all: readonly Sample[], { subjects, pages }: Spot): Repetition[] {
  const isArray = all.every(({ value }) => Array.isArray(value));
  return repeats.flatMap(([about, name]): Repetition[] => {
    if (about === "field" && !subjects.includes(about)) return [];
    // Of some lists nobody knows the pages.
    const samples = about === "page" ? all.filter(({ facts }) => pages?.has(facts)) : all;
    const counted = samples.map(({ value, facts }) => ({
      sample: { value, facts },
      entries: Object.entries(value ?? {}),
      each: listKnown(about, facts, isArray, pages),
    }));
    const fitting = counted.filter(({ entries, each }) => entries.length === each.length);
    const others = counted.filter((one) => !fitting.includes(one)).map(({ sample }) => sample);
    // Nobody knows how many fields a service finds wrong.
    if (others.length > 0 && about !== "field") return [];
    const items = fitting.flatMap(({ entries, each }) =>
      each.flatMap((facts, at) => {
        if (facts === undefined) return [];
        const own = isArray ? undefined : entries.find(([key]) => key === name(facts));
        const [key, value]: [string, unknown] = own ?? entries[at] ?? ["", undefined];
        return [{ key, value, facts }];
      }),
    );
    // One page alone may have its number by chance.
    const isProven = about === "page" ? new Set(items.map(({ facts }) => facts.page?.id)).size > 1 : items.length > 0;
    return isProven ? [{ about, isArray, items, others }] : [];
  });
}

/** What there is to speak of; a map has nothing for an error that blames no field, an array has one entry. */
function listKnown(
  about: Repeated,
  facts: Facts,
  isArray: boolean,
  pages: Spot["pages"],
): readonly (Facts | undefined)[] {
  if (about === "page") return pages?.get(facts) ?? [];
  const each = listSubjects(about, facts);
  return about === "field" && !isArray ? each.filter((one) => readHole("error.field", [], one) !== null) : each;
}

/** The one member of each object that is named by the identifier of its page, alone or in a text. */
export function findOwnName(
  samples: readonly Sample[],
  place: Spot,
): { key: string; names: readonly string[]; inside: Sample[] } | undefined {
  if (!place.subjects.includes("page")) return undefined;
  const spot = { ...place, name: "id" };
  const found = samples.flatMap(({ value, facts }) => {
    const id = String(facts.page?.id ?? "");
    const members = Object.entries(isObject(value) && id !== "" ? value : {}).filter(([name]) => name.includes(id));
    const own = members.filter(([name]) => explain([{ value: name, facts }], spot)?.includes("{id"));
    return own.length === 1 ? own.map(([name, one]) => ({ name, value: one, facts })) : [];
  });
  if (found.length < samples.length) return undefined;
  const names = found.map(({ name }) => name);
  const key = explain(
    found.map(({ name, facts }) => ({ value: name, facts })),
    spot,
  );
  // A name of a digit or two may be a number like any other.
  const isProven = new Set(names).size > 1 || (names[0]?.length ?? 0) > 2 || found.some(repeatsKnown);
  return key === undefined || !isProven ? undefined : { key, names, inside: found };
}

/** What tells the items of an array apart, such as `name` or `rel`, and everything that is so called, in order. */
interface Label {
  readonly name: string;
  readonly labels: readonly string[];
}

/** The member by which items of arrays are told apart; `undefined` when nothing does, or arrays have items of their own. */
export function findLabel(samples: readonly Sample[]): Label | undefined {
  const arrays = samples.map(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [])); // why: `isArray` makes it any[]
  const [longest = []] = arrays.toSorted((one, other) => other.length - one.length);
  for (const name of Object.keys(longest[0] ?? {})) {
    const [labels = [], ...others] = [longest, ...arrays].map((items) =>
      items.flatMap((item) => {
        const label = isObject(item) && Object.hasOwn(item, name) ? item[name] : undefined;
        return typeof label === "string" ? [label] : [];
      }),
    );
    const isApart = labels.length === longest.length && new Set(labels).size === labels.length;
    const isShared = others.every((own, index) => {
      return own.length === arrays[index]?.length && own.every((label) => labels.includes(label));
    });
    if (isApart && isShared) return { name, labels };
  }
  return undefined;
}
