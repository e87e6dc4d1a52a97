// Learns a template from values of which the facts are known: every known value becomes a placeholder, recursively.
import { isDeepStrictEqual } from "node:util";
import {
  escapeTemplate,
  type Facts,
  type FormatName,
  hasFilling,
  type PlaceholderName,
  placeholders,
  placeholdersAbout,
  type Json,
  listSubjects,
  renderPlaceholder,
  readTemplate,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { isObject } from "@landing-page-service/contract";
import { entriesOf, valueAt } from "./json.ts";
import { learnText } from "./learn-text.ts";
import { findTimestamp } from "./timestamps.ts";

/** A value, what is known of it, and, of a list, what is known of its pages. */
export interface Sample {
  readonly value: unknown;
  readonly facts: Facts;
  readonly pages?: readonly (Facts["page"] | undefined)[] | undefined;
}

/** Hears of a value that differs between samples and that nothing explains. */
export type Note = (path: string, value: unknown) => void;

/** Where the samples stand, and what a template there may speak of. */
export interface Lesson {
  /** The way to the place in the dialect, such as `listPages/body/total`. */
  readonly path: string;
  /** The name of the member. */
  readonly name: string;
  readonly subjects: readonly Subject[];
  readonly note: Note;
  /** What stands at a place that has been learned already. */
  readonly known?: ReadonlyMap<string, Json>;
  /** What is there only where pages come after, or before, those of the list. */
  readonly leads?: "next" | "previous" | undefined;
  /** Texts that errors of several statuses have in them. */
  readonly shared?: ReadonlySet<string>;
}

/** Most members or elements that are looked into: what has more stays as it is. */
const mostParts = 500;

/** The template that all samples can be written by: a placeholder, a text with some, or a constant; and the same of the parts. */
export function learn(samples: readonly Sample[], lesson: Lesson): Json {
  const known = lesson.known?.get(lesson.path);
  if (known !== undefined) return known;
  const placeholder = findPlaceholder(samples, lesson);
  if (placeholder !== undefined) return placeholder;
  const filled = samples.filter(({ value }) => value !== undefined && value !== null);
  const isTooLarge = filled.some(({ value }) => entriesOf(value).length > mostParts);
  const [first] = filled;
  if (!isTooLarge && filled.length > 0 && filled.every(({ value }) => isObject(value))) {
    const object = learnEach(filled, lesson) ?? learnObject(filled, lesson);
    const lead = lesson.subjects.includes("list") ? findLead(samples) : undefined;
    return filled.length < samples.length ? { [`...${optionalMark(object, lead)}`]: object } : object;
  }
  if (!isTooLarge && filled.length > 0 && filled.every(({ value }) => Array.isArray(value)))
    return learnEach(filled, lesson) ?? learnArray(filled, lesson);
  if (typeof first?.value === "string" && filled.every(({ value }) => typeof value === "string"))
    return learnText(samples, lesson);
  if (new Set(samples.map(({ value }) => JSON.stringify(value))).size > 1) lesson.note(lesson.path, first?.value);
  return (samples[0]?.value ?? null) as Json; // why: it was parsed from JSON
}

function inside(lesson: Lesson, name: string): Lesson {
  return { ...lesson, name, path: `${lesson.path}/${name}` };
}

function learnObject(samples: readonly Sample[], lesson: Lesson): Json {
  const keyed = learnKeyed(samples, lesson);
  if (keyed !== undefined) return keyed;
  const names = new Set(samples.flatMap(({ value }) => Object.keys(value as object))); // why: all are objects
  return Object.fromEntries(
    [...names].map((name) => {
      const members = samples.map((sample) => withValue(sample, memberOf(sample.value, name)));
      const there = members.filter(({ value }) => value !== undefined);
      if (there.length === members.length) return [escapeName(name), learn(there, inside(lesson, name))];
      const lead = lesson.subjects.includes("list") ? findLead(members) : undefined;
      const template = learn(there, { ...inside(lesson, name), leads: lead });
      if (
        lesson.subjects.includes("field") &&
        members.some((one) => one.value === undefined && isFilled(template, one))
      )
        lesson.note(`${lesson.path}/${name}`, there[0]?.value);
      return [escapeName(name) + optionalMark(template, lead), template];
    }),
  );
}

/** What marks a member as optional: one that leads to other pages is there where there are some. */
function optionalMark(template: Json, lead: Lesson["leads"]): string {
  return lead === undefined || JSON.stringify(template).includes(`{${lead}_`) ? "?" : `?${lead}_offset`;
}

/** Whether a template of an error has something to put in: then what is optional must be there. */
function isFilled(template: Json, { facts }: Sample): boolean {
  const place = { path: "", subjects: ["answer", "error", "field"], parts: {}, repeats: ["field"] } as const;
  return JSON.stringify(template).includes("{error.") && hasFilling(readTemplate(template, place), facts);
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A name as a template has it: a mark behind it would mean that the member is optional. */
function escapeName(name: string): string {
  return escapeTemplate(name).replace(/\?{1,2}(?=[\w.]*$)/, "??");
}

/** An object of one member whose name is that of a page or a wrong field. */
function learnKeyed(samples: readonly Sample[], lesson: Lesson): Json | undefined {
  const entries = samples.map((sample) => entriesOf(sample.value));
  if (!entries.every(({ length }) => length === 1)) return undefined;
  const about = lesson.subjects.includes("field")
    ? (["error.field", "error.pointer"] as const)
    : lesson.subjects.includes("page")
      ? (["id"] as const)
      : [];
  const placeholder = about
    .flatMap((name) => nameFormats.map((formats) => [name, formats] as const))
    .find(([name, formats]) =>
      samples.every(({ facts }, at) => renderPlaceholder(name, ["text", ...formats], facts) === entries[at]?.[0]?.[0]),
    );
  if (placeholder === undefined) return undefined;
  const name = write(...placeholder);
  const values = samples.map((sample, at) => withValue(sample, entries[at]?.[0]?.[1]));
  return { [name]: learn(values, inside(lesson, name)) };
}

function withValue({ facts, pages }: Sample, value: unknown): Sample {
  return { value, facts, pages };
}

function learnArray(samples: readonly Sample[], lesson: Lesson): Json {
  const longest = samples.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
  const lengths = new Set(samples.map(lengthOf));
  if (lengths.size > 1) lesson.note(lesson.path, longest?.value);
  return ((longest?.value ?? []) as unknown[]).map((_, index) => {
    const items = samples.filter((sample) => index < lengthOf(sample));
    return learn(
      items.map((sample) => withValue(sample, valueAt(sample.value, [String(index)]))),
      inside(lesson, String(index)),
    );
  });
}

function lengthOf({ value }: Sample): number {
  return Array.isArray(value) ? value.length : 0;
}

/** What an array may have an element for each of, and the placeholders that tell that it has. */
const repeats = {
  domain: /\{domain\./,
  alias: /\{alias\./,
  page: /\{(?:id|slug|title)\b/,
  field: /\{error\./,
} as const;

/** An array or object with one element for each domain, each page of a list, or each wrong field. */
function learnEach(samples: readonly Sample[], lesson: Lesson): Json | undefined {
  const isArray = Array.isArray(samples[0]?.value);
  const isKnown = ({ pages = [] }: Sample) => pages.every((page) => page !== undefined);
  for (const [of, speaks] of Object.entries(repeats) as [keyof typeof repeats, RegExp][]) {
    // why: its own keys
    const isPages = of === "page";
    if (!lesson.subjects.includes(isPages ? "list" : of)) continue;
    const items = samples.filter((sample) => !isPages || isKnown(sample)).flatMap((sample) => listItems(of, sample));
    if (items.length === 0 || !items.every((item) => item !== undefined)) continue;
    const subjects = isPages ? ([...lesson.subjects, "page", "domain", "alias"] as const) : lesson.subjects;
    const inner = { ...inside(lesson, "0"), subjects, note: () => undefined };
    const template = learn(items, inner);
    const key = isArray
      ? ""
      : learnString(
          items.map(({ name, facts }) => ({ value: name, facts })),
          { ...inner, name: "" },
        );
    if (!speaks.test(JSON.stringify([template, key])) || (!isArray && !key.includes("{"))) continue;
    learn(items, { ...inner, note: lesson.note });
    return isArray ? [template] : { [key]: template };
  }
  return undefined;
}

/** The elements of an array or object with what each is about; `undefined` where there are more or fewer. */
function listItems(
  of: keyof typeof repeats,
  { value, facts, pages }: Sample,
): ((Sample & { name: string }) | undefined)[] {
  const known = pages?.filter((page) => page !== undefined) ?? [];
  const subjects = listSubjects(of, facts, known);
  const entries = entriesOf(value);
  if (subjects.length !== entries.length) return [undefined];
  return subjects.map((about, index) => ({
    name: entries[index]?.[0] ?? "",
    value: entries[index]?.[1],
    facts: about,
  }));
}

/** A template that stands for a string. */
export function learnString(samples: readonly Sample[], lesson: Lesson): string {
  const template = learn(samples, lesson);
  return typeof template === "string" ? template : JSON.stringify(template);
}

const nameFormats: readonly (readonly FormatName[])[] = [[], ["camel"], ["pascal"], ["kebab"], ["snake"], ["upper"]];
const formatsToTry: readonly (readonly FormatName[])[] = [[], ["text"], ["json"], ["url"], ["html"], ["number"]];
const timestamps: ReadonlySet<PlaceholderName> = new Set(["created_at", "updated_at", "now"]);
/** Words so short and common that they may stand anywhere by chance. */
const commonPlaceholders: ReadonlySet<PlaceholderName> = new Set(["cta.type", "status", "code"]);

/** The placeholder that gives the value of every sample. */
function findPlaceholder(samples: readonly Sample[], lesson: Lesson): string | undefined {
  const { name, subjects } = lesson;
  const values = samples.map(({ value }) => value);
  if (values.every((value) => value === null || value === undefined || value === "")) return undefined;
  const isVaried = new Set(values.map((value) => JSON.stringify(value))).size > 1;
  const isLong = values.some(
    (value) => (typeof value === "string" && value.length > 3) || isObject(value) || Array.isArray(value),
  );
  const found = placeholdersAbout(subjects).flatMap((placeholder) => {
    if (timestamps.has(placeholder)) return [];
    const near = nearness(placeholder, name);
    if (near === 0 && !isVaried && (!isLong || commonPlaceholders.has(placeholder))) return [];
    const named = placeholders[placeholder].about === "field" ? nameFormats.slice(1) : [];
    const formats = [...formatsToTry, ...named].find((some) =>
      samples.every((sample) => isWritten(sample, placeholder, some)),
    );
    return formats === undefined
      ? []
      : [{ text: write(placeholder, formats), near: near + (placeholders[placeholder].about === "event" ? 1 : 0) }];
  });
  const [best] = found.toSorted((one, other) => other.near - one.near);
  return (
    best?.text ?? findTimestamp(samples, name, subjects) ?? findLeading(samples, lesson) ?? findOpaque(samples, lesson)
  );
}

function isWritten({ value, facts }: Sample, placeholder: PlaceholderName, formats: readonly FormatName[]): boolean {
  const known = renderPlaceholder(placeholder, [], facts);
  if ((known === null || known === "") && formats.length > 0 && value !== "")
    return (value ?? null) === null && !formats.includes("text");
  try {
    return isDeepStrictEqual(value ?? null, renderPlaceholder(placeholder, formats, facts));
  } catch {
    return false;
  }
}

/** How much of a placeholder's name a member has: where two fit, this tells which is meant. */
function nearness(placeholder: PlaceholderName, name: string): number {
  const [key = "", word = ""] = [name, placeholder.slice(placeholder.lastIndexOf(".") + 1)].map((text) =>
    text.toLowerCase().replaceAll(/[^a-z]/g, ""),
  );
  if (key === "" || word === "") return 0;
  return key === word ? 2 : key.includes(word) ? 1 : 0;
}

/** Whether a value is there exactly where pages come after those of the list, or before them. */
function findLead(samples: readonly Sample[]): Lesson["leads"] {
  const isThere = ({ value }: Sample) => value !== undefined && value !== null && value !== "";
  if (samples.every(isThere) || !samples.some(isThere)) return undefined;
  const isDue = {
    next: ({ facts: { list } }: Sample) => list !== undefined && list.offset + list.count < list.total,
    previous: ({ facts: { list } }: Sample) => list !== undefined && list.offset > 0,
  };
  return (["next", "previous"] as const).find((way) =>
    samples.every((sample) => isThere(sample) === isDue[way](sample)),
  );
}

/** A cursor that nobody can read: it is there where pages follow. */
function findLeading(samples: readonly Sample[], lesson: Lesson): string | undefined {
  if (!lesson.subjects.includes("list")) return undefined;
  const there = samples
    .map(({ value }) => value)
    .filter((value) => value !== null && value !== undefined && value !== "");
  const lead = lesson.leads ?? findLead(samples);
  if (lead === undefined || there.length === 0) return undefined;
  if (there.every((value) => typeof value === "number")) return `{${lead}_offset}`;
  if (!there.every((value) => typeof value === "string")) return undefined;
  const isText = samples.some(({ value }) => value === "");
  const isLink = there.every((value) => /[/?]/.test(value));
  return isLink && learnText(samples, { ...lesson, note: () => undefined }).includes(`{${lead}_`)
    ? undefined
    : `{${lead}_cursor${isText ? ":text" : ""}}`;
}

/** What nobody can know: identifiers of requests and events, and what went wrong in words. */
function findOpaque(samples: readonly Sample[], { name, subjects, path, shared }: Lesson): string | undefined {
  const values = samples.map(({ value }) => value);
  if (!values.every((value) => typeof value === "string")) return undefined;
  if (/(?:request|correlation|trace)[_-]?id$/i.test(name)) return "{request_id}";
  if (subjects.includes("event") && new Set(values).size > 1) return "{event.id}";
  const isSentence = values.every((value) => /\p{L}\S*\s+\S/u.test(value.slice(0, 200)) && !value.startsWith("<"));
  if (!subjects.includes("error") || !isSentence) return undefined;
  if (values.every((value) => shared?.has(value))) return undefined;
  return /\/(?:0|\{error\.[^/]*)(?:\/|$)/.test(path) ? "{error.detail}" : "{detail}";
}

/** A placeholder as a template has it. */
function write(placeholder: PlaceholderName, formats: readonly FormatName[]): string {
  return `{${[placeholder, ...formats].join(":")}}`;
}
