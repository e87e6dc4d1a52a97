// Learns a template from several answers of which is known what they are about.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import { escapeTemplate, type Facts, type Json, readHole } from "@landing-page-service/contract/dialect";
import { explain } from "./explain.ts";
import type { Sample, Spot } from "./explain-text.ts";
import { hasWrongField, isDescribed, isDescription, isEachField, repeatsKnown, speaksOfField } from "./telling.ts";

/** What is being learned, and where what cannot be explained is written down. */
export interface Lesson extends Spot {
  /** Where the pages of a list stand, as a way through the answer. */
  readonly listPath?: string | undefined;
  /** Template of one page of the list, and of its name where the list is a map. */
  readonly listedPage?: Json | undefined;
  readonly pageKey?: string | undefined;
  /** Notes a value that nothing explains. */
  readonly note: (path: string, value: unknown) => void;
}

/** Learns a template from samples, at least one of which is there: what all of them can explain is a hole, the rest stays as it first came. */
export function learnTemplate(samples: readonly Sample[], lesson: Lesson): Json {
  if (lesson.path === lesson.listPath) return learnPages(samples, lesson);
  const hole = explain(samples, lesson);
  if (hole !== undefined) return hole;
  const present = samples.filter(({ value }) => value !== undefined && value !== null);
  const areObjects = present.every(({ value }) => isObject(value));
  if (present.length === 0 || !(areObjects || present.every(({ value }) => Array.isArray(value))))
    return learnConstant(samples, lesson);
  if (present.length < samples.length) lesson.note(lesson.path, null);
  return areObjects ? learnObject(present, lesson) : learnArray(present, lesson);
}

function learnConstant(samples: readonly Sample[], lesson: Lesson): Json {
  const known = samples.find(({ value }) => value !== undefined);
  if (samples.every(({ value }) => value === undefined || isDeepStrictEqual(value, known?.value)))
    return keep(known?.value);
  lesson.note(lesson.path, known?.value);
  // What repeats what is known is no constant, even where others tell nothing, or no two tell the same.
  const telling = samples.filter(repeatsKnown);
  if (telling.length > 0 && telling.length < samples.length) return learnTemplate(telling, lesson);
  const [first] = telling;
  return (first && explain([first], lesson)) ?? keep(known?.value);
}

/** A value as a template that stands for nothing but itself. */
function keep(value: unknown): Json {
  if (typeof value === "string") return escapeTemplate(value);
  if (Array.isArray(value)) return value.map(keep);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [keepName(name), keep(inner)]));
  return value as Json; // why: it came out of JSON, and what is left is a number, a flag or null
}

function keepName(name: string): string {
  return escapeTemplate(name).replace(/\?$/, "??");
}

function learnPages(samples: readonly Sample[], { listedPage, pageKey = "{id}" }: Lesson): Json {
  if (listedPage === undefined) return [];
  return samples.some(({ value }) => isObject(value)) ? { [pageKey]: listedPage } : [listedPage];
}

function learnObject(samples: readonly Sample[], lesson: Lesson): Json {
  const map = learnMap(samples, lesson);
  if (map !== undefined) return map;
  const own = listOwn(samples);
  const ids = new Set(own === undefined ? [] : samples.map(idOf));
  const members: [string, Json][] = own === undefined ? [] : [["{id}", learnTemplate(own, inner(lesson, "{id}"))]];
  for (const name of new Set(samples.flatMap(({ value }) => namesOf(value)))) {
    if (ids.has(name)) continue;
    const values = samples.map(({ value, facts }) => ({ value: memberOf(value, name), facts }));
    const member = learnMember(name, values, lesson);
    if (member !== undefined) members.push(member);
  }
  return Object.fromEntries(members);
}

/** What each object holds under the identifier of its own page; `undefined` unless all of them do. */
function listOwn(samples: readonly Sample[]): Sample[] | undefined {
  const own = samples.map(({ value, facts }) => ({ value: memberOf(value, idOf({ facts })), facts }));
  return own.every(({ value }) => value !== undefined) ? own : undefined;
}

function idOf({ facts }: Pick<Sample, "facts">): string {
  return String(facts.page?.id ?? "");
}

function learnMember(name: string, samples: readonly Sample[], lesson: Lesson): [string, Json] | undefined {
  const path = `${lesson.path}/${name}`;
  const spot: Lesson = { ...lesson, path, name, isInPage: lesson.isInPage };
  const present = samples.filter(({ value }) => value !== undefined);
  const shown = keepName(name);
  if (present.length === samples.length) return [shown, learnTemplate(samples, spot)];
  const hole = explain(samples, spot);
  if (hole !== undefined) return [`${shown}?`, hole];
  if (samples.every(({ value, facts }) => (value !== undefined) === hasWrongField(facts))) {
    const errors = learnTemplate(present, spot);
    if (isEachField(errors)) return [`${shown}?`, errors];
  }
  if (present.every(isDescribed) && samples.every((one) => isDescribed(one) === (one.value !== undefined))) {
    const described = learnTemplate(present, spot);
    if (isDescription(described)) return [`${shown}?`, described];
  }
  // What only comes at times is as the first answer has it.
  lesson.note(path, present[0]?.value);
  return samples[0]?.value === undefined ? undefined : [shown, learnTemplate(present, spot)];
}

/** A map from the names of domains, or from wrong fields. */
function learnMap(samples: readonly Sample[], lesson: Lesson): Json | undefined {
  const byDomain = samples.flatMap(({ value, facts }) =>
    domainsOf(facts).map((domain) => ({ value: memberOf(value, domain.name), facts: { ...facts, domain } })),
  );
  const areDomains = samples.every(({ value, facts }) =>
    isSameSet(
      namesOf(value),
      domainsOf(facts).map(({ name }) => name),
    ),
  );
  if (areDomains && byDomain.length > 0)
    return { "{domain.name}": learnTemplate(byDomain, inner(lesson, "{domain.name}")) };
  return lesson.subjects.includes("field") ? learnFieldMap(samples, lesson) : undefined;
}

/** A map from wrong fields, in any spelling, to what is wrong with them. */
function learnFieldMap(samples: readonly Sample[], lesson: Lesson): Json | undefined {
  const blaming = samples.filter(({ facts }) => readHole("error.field", [], facts) !== null);
  const named = blaming.flatMap(({ value, facts }) => {
    const [name, ...others] = namesOf(value);
    const [field] = facts.error?.errors ?? [];
    return name === undefined || others.length > 0
      ? []
      : [{ name, value: memberOf(value, name), facts: { ...facts, field } }];
  });
  if (named.length * 2 <= blaming.length) return undefined;
  const names = named.map(({ name, facts }) => ({ value: name, facts }));
  const key = explain(names, { ...lesson, name: "" });
  if (key === undefined || !speaksOfField(key)) return undefined;
  // Where no field is to blame, such a map is empty.
  const other = samples.find(
    ({ value, facts }) => readHole("error.field", [], facts) === null && namesOf(value).length > 0,
  );
  if (other !== undefined) lesson.note(lesson.path, other.value);
  return { [key]: learnTemplate(named, inner(lesson, key)) };
}

/** The names in an object. */
function namesOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

/** What is in an array. */
function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function inner(lesson: Lesson, name: string): Lesson {
  return { ...lesson, name, path: `${lesson.path}/${name}` };
}

function learnArray(samples: readonly Sample[], lesson: Lesson): Json {
  const each = learnDomains(samples, lesson) ?? learnFields(samples, lesson);
  if (each !== undefined) return [each];
  const [first] = samples;
  const items = itemsOf(first?.value);
  const same = samples.filter(({ value }) => itemsOf(value).length === items.length);
  if (same.length < samples.length) lesson.note(lesson.path, items);
  return items.map((_, index) =>
    learnTemplate(
      same.map(({ value, facts }) => ({ value: itemsOf(value)[index], facts })),
      inner(lesson, String(index)),
    ),
  );
}

/** An array with an item for every domain of the page. */
function learnDomains(samples: readonly Sample[], lesson: Lesson): Json | undefined {
  const isEach = samples.every(({ value, facts }) => itemsOf(value).length === domainsOf(facts).length);
  const items = samples.flatMap(({ value, facts }) =>
    domainsOf(facts).map((domain, index) => ({ value: itemsOf(value)[index], facts: { ...facts, domain } })),
  );
  if (!isEach || items.length === 0) return undefined;
  const notes: [string, unknown][] = [];
  const note = (path: string, value: unknown) => void notes.push([path, value]);
  const learned = learnTemplate(items, { ...inner(lesson, lesson.name), path: `${lesson.path}/0`, note });
  if (!JSON.stringify(learned).includes("{domain.")) return undefined;
  for (const [path, value] of notes) lesson.note(path, value);
  return learned;
}

/** An array with an item for every wrong field. */
function learnFields(samples: readonly Sample[], lesson: Lesson): Json | undefined {
  if (!lesson.subjects.includes("field")) return undefined;
  const items = samples.flatMap(({ value, facts }) => {
    const [item] = itemsOf(value);
    const [field] = facts.error?.errors ?? [];
    return itemsOf(value).length === 1 ? [{ value: item, facts: { ...facts, field } }] : [];
  });
  const known = items.filter(({ facts }) => hasWrongField(facts));
  if (known.length === 0) return undefined;
  const learned = learnTemplate(items, { ...inner(lesson, lesson.name), path: `${lesson.path}/0` });
  // A sentence in an array of its own says nothing of how many there would be.
  if (!speaksOfField(learned) && samples.every(({ value }) => itemsOf(value).length <= 1)) return undefined;
  // Where no field is to blame, one entry has the sentence.
  const other = samples.find(
    ({ value, facts }) => itemsOf(value).length !== 1 && !(itemsOf(value).length > 1 && hasWrongField(facts)),
  );
  if (other !== undefined) lesson.note(lesson.path, other.value);
  return learned;
}

function domainsOf({ page }: Facts): readonly { name: string; url: string }[] {
  return page?.domains ?? [];
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
