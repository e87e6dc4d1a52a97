// Learns a template from several answers of which is known what they are about.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import {
  escapeTemplate,
  type Facts,
  hasFilling,
  holesAbout,
  type Json,
  readHole,
  readTemplate,
} from "@landing-page-service/contract/dialect";
import { explain } from "./explain.ts";
import type { Sample, Spot } from "./explain-text.ts";
import { findLabel, findOwnName, listRepeated } from "./repeats.ts";
import { repeated, repeatsKnown, speaksOf, speaksOfField } from "./telling.ts";

/** What is being learned, and where what cannot be explained is written down. */
export interface Lesson extends Spot {
  /** Templates that are known already, by the way to them. */
  readonly known?: ReadonlyMap<string, Json>;
  /** Notes a value that nothing explains. */
  readonly note: (path: string, value: unknown) => void;
}

/** Learns a template from samples, at least one of which is there: what all of them can explain is a hole, the rest stays as it first came. */
export function learnTemplate(samples: readonly Sample[], lesson: Lesson): Json {
  const found = lesson.known?.get(lesson.path) ?? explain(samples, lesson);
  if (found !== undefined) return found;
  const present = samples.filter(({ value }) => value !== undefined && value !== null);
  const areObjects = present.every(({ value }) => isObject(value));
  if (present.length === 0 || !(areObjects || present.every(({ value }) => Array.isArray(value))))
    return learnConstant(samples, lesson);
  const missing = samples.filter((sample) => !present.includes(sample));
  const within = without(lesson, missing);
  const learned = areObjects ? learnObject(present, within) : learnArray(present, within);
  if (missing.length === 0) return learned;
  const mark = markOptional(
    learned,
    [...present, ...missing.map(({ facts }) => ({ value: undefined, facts }))],
    lesson,
  );
  if (mark !== undefined) return { [`...${mark}`]: learned };
  lesson.note(lesson.path, null);
  return learned;
}

/** What is within something that some answers do not have. */
function without(lesson: Lesson, missing: readonly Sample[]): Lesson {
  return missing.length === 0
    ? lesson
    : { ...lesson, absent: [...(lesson.absent ?? []), ...missing.map(({ facts }) => facts)] };
}

function learnConstant(samples: readonly Sample[], lesson: Lesson): Json {
  const known = samples.find(({ value }) => value !== undefined);
  if (samples.every(({ value }) => value === undefined || isDeepStrictEqual(value, known?.value)))
    return keep(known?.value);
  lesson.note(lesson.path, known?.value);
  // What repeats what is known is no constant, even where others tell nothing, or no two tell the same.
  const telling = samples.filter(repeatsKnown);
  if (telling.length > 0 && telling.length < samples.length) return learnTemplate(telling, lesson);
  return explainMost(telling.length > 0 ? telling : samples, lesson) ?? keep(known?.value);
}

/** What differs is no constant: the hole that explains most texts, or what an error is called, although not all of them. */
function explainMost(samples: readonly Sample[], lesson: Lesson): Json | undefined {
  const holes = samples.map((one) => {
    const hole = explain([one], lesson);
    return typeof one.value === "string" || hole?.startsWith("{status") === true ? hole : undefined;
  });
  const groups = [...Map.groupBy(holes, (hole) => hole)].filter(([hole]) => hole !== undefined);
  return groups.toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0];
}

/** A value as a template that stands for nothing but itself. */
export function keep(value: unknown): Json {
  if (typeof value === "string") return escapeTemplate(value);
  if (Array.isArray(value)) return value.map(keep);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [keepName(name), keep(inner)]));
  return value as Json; // why: it came out of JSON, and what is left is a number, a flag or null
}

function keepName(name: string): string {
  return escapeTemplate(name).replace(/\?(?=[\w.]*$)/, "??");
}

function learnObject(samples: readonly Sample[], around: Lesson): Json {
  // What has the slug of the page is the page, also in the answer to an event.
  const isPage = samples.every(({ value, facts }) => Object.values(value ?? {}).includes(facts.page?.slug ?? {}));
  const lesson = isPage ? { ...around, isInPage: true } : around;
  const map = learnEach(samples, lesson);
  if (map !== undefined) return map;
  const own = findOwnName(samples, lesson);
  const parts = samples.map(({ value }, index) => {
    return new Map<string, unknown>(Object.entries(value ?? {}).filter(([name]) => name !== own?.names[index]));
  });
  const members = learnMembers(parts, samples, lesson).map(({ name, template, mark }): [string, Json] => {
    return [keepName(name) + mark, template];
  });
  return Object.fromEntries(
    own === undefined ? members : [[own.key, learnTemplate(own.inside, inner(lesson, own.key))], ...members],
  );
}

/** Learns by themselves the members that samples have by name; one that not all have may be left out. */
function learnMembers(parts: readonly ReadonlyMap<string, unknown>[], samples: readonly Sample[], lesson: Lesson) {
  const names = new Set(parts.flatMap((members) => [...members.keys()]));
  return [...names].flatMap((name) => {
    const each = samples.map(({ facts }, index) => ({ value: parts[index]?.get(name), facts }));
    const { template, mark } = learnSometimes(each, inner(lesson, name));
    return template === undefined ? [] : [{ name, template, mark }];
  });
}

/** What may not be there: it is left out where there is nothing to put in, and else is as the first answer has it. */
function learnSometimes(
  samples: readonly Sample[],
  lesson: Lesson,
): { readonly template: Json | undefined; readonly mark: string } {
  const present = samples.filter(({ value }) => value !== undefined);
  const isOptional = present.length < samples.length;
  const missing = samples.filter(({ value }) => value === undefined);
  const template =
    (isOptional ? explain(samples, lesson) : undefined) ?? learnTemplate(present, without(lesson, missing));
  const mark = isOptional ? markOptional(template, samples, lesson) : "";
  if (mark !== undefined) return { template, mark };
  lesson.note(lesson.path, present[0]?.value);
  return { template: samples[0]?.value === undefined ? undefined : template, mark: "" };
}

/** What marks a template that has nothing to put in exactly where nothing was, or the hole that has not; `undefined` when there is none. */
function markOptional(template: Json, samples: readonly Sample[], { path, subjects }: Lesson): string | undefined {
  const listedPage = { kind: "constant", value: "" } as const;
  const repeats = repeated.filter((one) => subjects.includes(one));
  const node = readTemplate(template, { path, subjects, parts: { listedPage }, repeats });
  const isLeftOut = (isThere: (facts: Facts) => boolean) =>
    samples.every(({ value, facts }) => isThere(facts) === (value !== undefined));
  if (isLeftOut((facts) => hasFilling(node, facts))) return "?";
  const holes = holesAbout(subjects).filter((hole) => JSON.stringify(template).includes(`{${hole}`));
  const needs = holes.find((hole) => isLeftOut((facts) => readHole(hole, [], facts) !== null));
  return needs && `?${needs}`;
}

/** An array or a map that has something for every domain of the page, every changed or wrong field, or every page of a list. */
function learnEach(all: readonly Sample[], lesson: Lesson): Json | undefined {
  for (const { about, items, isArray, others } of listRepeated(all, lesson)) {
    const notes: [string, unknown][] = [];
    const spot: Lesson = {
      ...inner(lesson, lesson.name),
      path: `${lesson.path}/0`,
      note: (path, value) => void notes.push([path, value]),
      ...(about === "page" && { subjects: [...lesson.subjects, "page", "domain", "alias"], isInPage: true }),
    };
    // A sentence in an array of its own says nothing of how many there would be.
    const isMeant = (template: unknown) => (about === "field" ? speaksOfField(template) : speaksOf(template, about));
    const keys = items.map(({ key, facts }) => ({ value: key, facts }));
    const key = isArray ? undefined : explain(keys, { ...spot, name: "id" });
    if (!isArray && !isMeant(key ?? "")) continue;
    const item = learnTemplate(items, spot);
    const isMany = others.some(({ value }) => Object.keys(value ?? {}).length > 1);
    if (isArray && !isMeant(item) && !isMany) continue;
    // Domains are all alike; fields may have a form each.
    if (about === "change" && notes.length > 0) continue;
    for (const [path, value] of notes) lesson.note(path, value);
    const other = others.find(
      ({ value, facts }) => Object.keys(value ?? {}).length < 2 || readHole("error.field", [], facts) === null,
    );
    if (other !== undefined) lesson.note(lesson.path, other.value);
    return key === undefined ? [item] : { [key.replaceAll(":text}", "}")]: item };
  }
  return undefined;
}

/** What is in an array. */
function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function inner(lesson: Lesson, name: string): Lesson {
  return { ...lesson, name, path: `${lesson.path}/${name}` };
}

function learnArray(samples: readonly Sample[], lesson: Lesson): Json {
  const each = learnEach(samples, lesson);
  if (each !== undefined) return each;
  const { name, labels = [] } = findLabel(samples) ?? {};
  // Without labels, nobody knows which items are left out of a shorter array.
  const { length } = itemsOf(samples[0]?.value);
  const same = name === undefined ? samples.filter(({ value }) => itemsOf(value).length === length) : samples;
  if (same.length < samples.length) lesson.note(lesson.path, samples[0]?.value);
  const parts = same.map(({ value }) => {
    const places = itemsOf(value).map((item, at) =>
      name === undefined ? at : labels.indexOf(String(memberOf(item, name))),
    );
    return new Map(itemsOf(value).map((item, at) => [String(places[at]), item]));
  });
  return learnMembers(parts, same, lesson)
    .toSorted((one, other) => Number(one.name) - Number(other.name))
    .map(({ template, mark }) => (mark === "" ? template : { [`...${mark}`]: template }));
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
