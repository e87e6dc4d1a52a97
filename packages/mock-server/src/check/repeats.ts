// What an answer has something for each of: the domains of a page, the fields that were changed, the pages of a list.
import { isObject } from "@landing-page-service/contract";
import { type Facts, listChanges, type Subject } from "@landing-page-service/contract/dialect";
import { explain } from "./explain.ts";
import type { Sample, Spot } from "./explain-text.ts";
import type { KnownPages } from "./samples.ts";
import { repeatsKnown } from "./telling.ts";

/** What an array or a map may have something for each of, and how a map would name it. */
const repeats: readonly {
  readonly about: Subject;
  readonly list: (facts: Facts, pages: KnownPages | undefined) => readonly (Facts | undefined)[];
  readonly name: (facts: Facts) => string | undefined;
}[] = [
  {
    about: "domain",
    list: (facts) => (facts.page?.domains ?? []).map((domain) => about(facts, { domain })),
    name: ({ domain }) => domain?.name,
  },
  {
    about: "change",
    list: (facts) => listChanges(facts).map((change) => about(facts, { change })),
    name: ({ change }) => change?.field,
  },
  {
    about: "page",
    list: (facts, pages) => pages?.get(facts) ?? [],
    name: ({ page }) => page && String(page.id),
  },
];

function about(facts: Facts, one: Partial<Facts>): Facts {
  return { ...facts, ...one };
}

/** Samples of what arrays or maps have for each, where they have as many members as there are to speak of. */
interface Repetition {
  readonly about: Subject;
  readonly isArray: boolean;
  readonly items: readonly (Sample & { readonly key: string })[];
}

/** Each way in which samples that are all arrays, or all objects, may repeat something. */
export function listRepeated(all: readonly Sample[], pages: KnownPages | undefined): Repetition[] {
  return repeats.flatMap(({ about: subject, list, name }) => {
    // Of some lists nobody knows the pages.
    const samples = subject === "page" ? all.filter(({ facts }) => pages?.has(facts)) : all;
    const isArray = samples.every(({ value }) => Array.isArray(value));
    const found = samples.map(({ value, facts }) => ({
      entries: Object.entries(value ?? {}),
      each: list(facts, pages),
    }));
    if (!found.every(({ entries, each }) => entries.length === each.length)) return [];
    const items = found.flatMap(({ entries, each }) =>
      each.flatMap((facts, at) => {
        if (facts === undefined) return [];
        const own = isArray ? undefined : entries.find(([key]) => key === name(facts));
        const [key, value]: [string, unknown] = own ?? entries[at] ?? ["", undefined];
        return [{ key, value, facts }];
      }),
    );
    // One page alone may have its number by chance.
    const ids = new Set(items.map(({ facts }) => facts.page?.id));
    return items.length === 0 || (subject === "page" && ids.size < 2) ? [] : [{ about: subject, isArray, items }];
  });
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
