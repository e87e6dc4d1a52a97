// Learns a template from values of which the facts are known: every known value becomes a placeholder, recursively.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import {
  escapeTemplate,
  type Facts,
  type FormatName,
  type PlaceholderName,
  placeholders,
  placeholdersAbout,
  type Json,
  listSubjects,
  renderPlaceholder,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { entriesOf, valueAt } from "./json.ts";
import { findTimestamp, learnText } from "./learn-text.ts";

/** A value, the known facts about it and, for a list, about its pages. */
export interface Sample {
  readonly value: unknown;
  readonly facts: Facts;
  readonly pages?: readonly (Facts["page"] | undefined)[] | undefined;
}

/** The place of the samples, and what a template there may be about. */
export interface Place {
  /** The way to the place in the dialect, such as `listPages/body/total`. */
  readonly path: string;
  /** The name of the field. */
  readonly name: string;
  readonly subjects: readonly Subject[];
  /** Hears of a value that differs between samples and that nothing explains. */
  readonly note: (path: string, value: unknown) => void;
  /** What stands at a path that has been learned already. */
  readonly known?: ReadonlyMap<string, Json>;
  /** Texts that errors of several statuses have in them: no detail of any. */
  readonly shared?: ReadonlySet<string>;
  /** The field is there only where pages come after, or before, those of the list. */
  readonly lead?: "next" | "previous" | undefined;
}

/** Most fields or elements that are looked into: what has more stays as it is. */
const mostParts = 500;

/** The template that all samples can be written by: a placeholder, a text with some, or a constant; and the same of the parts. */
export function learn(samples: readonly Sample[], place: Place): Json {
  const known = place.known?.get(place.path) ?? findPlaceholder(samples, place);
  if (known !== undefined) return known;
  const filled = samples.filter(isFilled);
  const first = filled[0]?.value;
  const isEach = (is: (value: unknown) => boolean) => filled.length > 0 && filled.every(({ value }) => is(value));
  const isSmall = filled.every(({ value }) => entriesOf(value).length <= mostParts);
  if (isSmall && (isEach(isObject) || isEach(Array.isArray))) {
    const part = learnRepeated(filled, place) ?? (isObject(first) ? learnObject : learnArray)(filled, place);
    // An object may be null for some pages.
    return filled.length < samples.length ? { [`...${optionalMark(part, findLead(samples, place))}`]: part } : part;
  }
  if (isEach((value) => typeof value === "string")) return learnText(samples, place);
  if (isVaried(samples)) place.note(place.path, first);
  return (samples[0]?.value ?? null) as Json; // why: it was parsed from JSON
}

/** A template for a string. */
export function learnString(samples: readonly Sample[], place: Place): string {
  const template = learn(samples, place);
  return typeof template === "string" ? template : JSON.stringify(template);
}

function isFilled({ value }: Sample): boolean {
  return value !== undefined && value !== null;
}

function isVaried(samples: readonly Sample[]): boolean {
  return new Set(samples.map(({ value }) => JSON.stringify(value))).size > 1;
}

function inside(place: Place, name: string): Place {
  return { ...place, name, path: `${place.path}/${name}` };
}

function learnObject(samples: readonly Sample[], place: Place): Json {
  const names = new Set(samples.flatMap(({ value }) => entriesOf(value).map(([name]) => name)));
  return Object.fromEntries(
    [...names].map((name) => {
      const fields = samples.map((sample) => ({ ...sample, value: valueAt(sample.value, [name]) }));
      const there = fields.filter(({ value }) => value !== undefined);
      // A mark behind a name would mean that the field is optional.
      const escaped = escapeTemplate(name).replace(/\?{1,2}(?=[\w.]*$)/, "??");
      if (there.length === fields.length) return [escaped, learn(there, inside(place, name))];
      const lead = findLead(fields, place);
      const template = learn(there, { ...inside(place, name), lead });
      return [escaped + optionalMark(template, lead), template];
    }),
  );
}

/** What marks a field as optional: one that leads to other pages is there where there are some. */
function optionalMark(template: Json, lead: Place["lead"]): string {
  return lead === undefined || JSON.stringify(template).includes(`{${lead}_`) ? "?" : `?${lead}_offset`;
}

function learnArray(samples: readonly Sample[], place: Place): Json {
  const longest = samples.toSorted((one, other) => entriesOf(other.value).length - entriesOf(one.value).length)[0];
  const all = entriesOf(longest?.value);
  if (samples.some(({ value }) => entriesOf(value).length < all.length)) place.note(place.path, longest?.value);
  return all.map(([index]) => {
    const items = samples.map((sample) => ({ ...sample, value: valueAt(sample.value, [index]) }));
    return learn(
      items.filter(({ value }) => value !== undefined),
      inside(place, index),
    );
  });
}

/** What an array may repeat for, and the placeholders that show it. */
const repeats = [
  ["domain", /\{domain\./],
  ["alias", /\{alias\./],
  ["page", /\{(?:id|slug|title)\b/],
  ["field", /\{error\./],
] as const;

/** An array or object with one element for each domain, each page of a list, or each wrong field. */
function learnRepeated(samples: readonly Sample[], place: Place): Json | undefined {
  const isArray = Array.isArray(samples[0]?.value);
  for (const [of, speaks] of repeats) {
    if (!place.subjects.includes(of === "page" ? "list" : of)) continue;
    const items = samples.flatMap((sample) => listItems(of, sample));
    if (items.length === 0 || !items.every((item) => item !== undefined)) continue;
    const subjects = of === "page" ? ([...place.subjects, "page", "domain", "alias"] as const) : place.subjects;
    const notes: [string, unknown][] = [];
    const inner: Place = { ...inside(place, "0"), subjects, note: (...one) => void notes.push(one) };
    const template = learn(items, inner);
    const names = items.map(({ name, facts }) => ({ value: name, facts }));
    const key = isArray ? "" : learnString(names, { ...inner, name: "" });
    if (!speaks.test(JSON.stringify([template, key])) || (!isArray && !key.includes("{"))) continue;
    for (const note of notes) place.note(...note);
    return isArray ? [template] : { [key]: template };
  }
  return undefined;
}

/** The elements of an array or object with what each is about; `undefined` where there are more or fewer. */
function listItems(
  of: (typeof repeats)[number][0],
  { value, facts, pages = [] }: Sample,
): ((Sample & { name: string }) | undefined)[] {
  const known = pages.filter((page) => page !== undefined);
  if (of === "page" && known.length < pages.length) return [];
  const entries = entriesOf(value);
  const subjects = listSubjects(of, facts, known);
  if (subjects.length !== entries.length) return [undefined];
  return subjects.map((facts, index) => ({ name: entries[index]?.[0] ?? "", value: entries[index]?.[1], facts }));
}

const nameFormats: readonly (readonly FormatName[])[] = [["camel"], ["pascal"], ["kebab"], ["snake"], ["upper"]];
const valueFormats: readonly (readonly FormatName[])[] = [[], ["text"], ["json"], ["url"], ["html"], ["number"]];
const timestamps: ReadonlySet<PlaceholderName> = new Set(["created_at", "updated_at", "now"]);
/** Words so short and common that they may appear anywhere by chance. */
const commonPlaceholders: ReadonlySet<PlaceholderName> = new Set(["cta.type", "status", "code"]);

/** The placeholder that gives the value of every sample. */
function findPlaceholder(samples: readonly Sample[], place: Place): string | undefined {
  const { name, subjects } = place;
  const values = samples.map(({ value }) => value);
  if (values.every((value) => value === null || value === undefined || value === "")) return undefined;
  const isTelling = isVaried(samples);
  const isLong = values.some((value) => (typeof value === "string" && value.length > 3) || typeof value === "object");
  const found = placeholdersAbout(subjects).flatMap((placeholder) => {
    const near = nearness(placeholder, name);
    const isChance = near === 0 && !isTelling && (!isLong || commonPlaceholders.has(placeholder));
    if (timestamps.has(placeholder) || isChance) return [];
    const all = placeholders[placeholder].about === "field" ? [...valueFormats, ...nameFormats] : valueFormats;
    const formats = all.find((some) => samples.every((sample) => isWritten(sample, placeholder, some)));
    if (formats === undefined) return [];
    return [
      {
        text: `{${[placeholder, ...formats].join(":")}}`,
        near: near + (placeholders[placeholder].about === "event" ? 1 : 0),
      },
    ];
  });
  const [best] = found.toSorted((one, other) => other.near - one.near);
  return best?.text ?? findTimestamp(samples, place) ?? findLeading(samples, place) ?? findOpaque(samples, place);
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

/** How much of a placeholder's name a field has. If two placeholders fit, this decides. */
function nearness(placeholder: PlaceholderName, name: string): number {
  const [key, word] = [lettersOf(name), lettersOf(placeholder.slice(placeholder.lastIndexOf(".") + 1))];
  if (key === "" || word === "") return 0;
  return key === word ? 2 : key.includes(word) ? 1 : 0;
}

/** The letters of a name, however it is spelt. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** Whether a value exists exactly if pages come after those of the list, or before them. */
function findLead(samples: readonly Sample[], { subjects, lead }: Place): Place["lead"] {
  const isThere = (sample: Sample) => isFilled(sample) && sample.value !== "";
  if (!subjects.includes("list") || lead !== undefined || samples.every(isThere) || !samples.some(isThere)) return lead;
  const isDue = {
    next: ({ facts: { list } }: Sample) => list !== undefined && list.offset + list.count < list.total,
    previous: ({ facts: { list } }: Sample) => list !== undefined && list.offset > 0,
  };
  return (["next", "previous"] as const).find((way) =>
    samples.every((sample) => isThere(sample) === isDue[way](sample)),
  );
}

/** An opaque cursor: it exists if pages follow. */
function findLeading(samples: readonly Sample[], place: Place): string | undefined {
  const lead = findLead(samples, place);
  const there = samples.filter((sample) => isFilled(sample) && sample.value !== "").map(({ value }) => value);
  if (lead === undefined || there.length === 0) return undefined;
  if (there.every((value) => typeof value === "number")) return `{${lead}_offset}`;
  if (!there.every((value) => typeof value === "string")) return undefined;
  const isLink = there.every((value) => /[/?]/.test(value));
  if (isLink && learnText(samples, { ...place, note: () => undefined }).includes(`{${lead}_`)) return undefined;
  return `{${lead}_cursor${samples.some(({ value }) => value === "") ? ":text" : ""}}`;
}

/** What nobody can know: identifiers of requests and events, and what went wrong in words. */
function findOpaque(samples: readonly Sample[], { name, subjects, path, shared }: Place): string | undefined {
  const texts = samples.map(({ value }) => value);
  if (!texts.every((text) => typeof text === "string")) return undefined;
  if (/(?:request|correlation|trace)[_-]?id$/i.test(name)) return "{request_id}";
  if (subjects.includes("event") && isVaried(samples)) return "{event.id}";
  const isSentence = texts.every((text) => /\p{L}\S*\s+\S/u.test(text.slice(0, 200)) && !text.startsWith("<"));
  if (!subjects.includes("error") || !isSentence || texts.every((text) => shared?.has(text))) return undefined;
  return /\/(?:0|\{error\.[^/]*)(?:\/|$)/.test(path) ? "{error.detail}" : "{detail}";
}
