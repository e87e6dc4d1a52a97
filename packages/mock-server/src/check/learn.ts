// Learns a template from values and the facts about them. Every known value becomes a placeholder.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import {
  escapeTemplate,
  type Facts,
  type FormatName,
  type Json,
  listSubjects,
  type PlaceholderName,
  placeholders,
  placeholdersAbout,
  readTemplate,
  renderPlaceholder,
  renderTemplate,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { readTemplateValue } from "@landing-page-service/contract/internal";
import { entriesOf, mapStrings, valueAt } from "./json.ts";

/** A value in a response, and the known facts about it. */
export interface Sample {
  readonly value: unknown;
  readonly facts: Facts;
}

/** The place of the samples, and the subjects of its placeholders. */
export interface Place {
  /** The path in the dialect, such as `listPages/body/total`. */
  readonly path: string;
  /** The name of the field. */
  readonly name: string;
  readonly subjects: readonly Subject[];
  /** Called for a value that differs between samples and that no fact explains. */
  readonly note: (path: string, value: unknown) => void;
  /** Templates that are already learned, by path. */
  readonly known?: ReadonlyMap<string, Json>;
  /** Set if the field exists only when there is a next, or a previous, page of the list. */
  readonly lead?: "next" | "previous" | undefined;
}

/** Largest number of fields or elements, and longest string, to learn from. A larger value stays a constant. */
const maxParts = 500;
const longest = 100_000;

/** Learns a template that renders all samples. Objects and arrays are learned part by part. */
export function learn(samples: readonly Sample[], place: Place): Json {
  const filled = samples.filter(({ value }) => value !== undefined && value !== null);
  const values = filled.map(({ value }) => value);
  const isLarge = values.some((value) =>
    typeof value === "string" ? value.length > longest : entriesOf(value).length > maxParts,
  );
  const known = place.known?.get(place.path) ?? (isLarge ? undefined : findPlaceholder(samples, place));
  if (known !== undefined) return known;
  if (values.length > 0 && !isLarge && values.every((value) => typeof value === "string"))
    return learnText(filled, place);
  const learnParts = values.every(isObject) ? learnObject : values.every(Array.isArray) ? learnArray : undefined;
  if (values.length === 0 || !learnParts || isLarge) {
    if (isVaried(samples)) place.note(place.path, values[0]);
    return mapStrings(samples[0]?.value ?? null, escapeTemplate) as Json; // why: it was parsed from JSON
  }
  const parts = learnRepeated(filled, place) ?? learnParts(filled, place);
  // An object may be null for some pages.
  return values.length < samples.length ? { [`...${optionalMark(parts, findLead(samples, place))}`]: parts } : parts;
}

/** Learns a template for a string. */
export function learnString(samples: readonly Sample[], place: Place): string {
  const template = learn(samples, place);
  return typeof template === "string" ? template : JSON.stringify(template);
}

function isVaried(samples: readonly Sample[]): boolean {
  return new Set(samples.map(({ value }) => JSON.stringify(value))).size > 1;
}

function inside(place: Place, name: string): Place {
  return { ...place, name, path: `${place.path}/${name}` };
}

/** The values of one field or element; `undefined` in samples that do not have it. */
function partOf(samples: readonly Sample[], name: string): Sample[] {
  return samples.map(({ value, facts }) => ({ value: valueAt(value, [name]), facts }));
}

function learnObject(samples: readonly Sample[], place: Place): Json {
  const names = new Set(samples.flatMap(({ value }) => entriesOf(value).map(([name]) => name)));
  const fields = [...names].map((name): [string, Json] => {
    // A question mark after a name marks an optional field.
    const escaped = escapeTemplate(name).replace(/\?{1,2}(?=[\w.]*$)/, "??");
    const parts = partOf(samples, name);
    const there = parts.filter(({ value }) => value !== undefined);
    if (there.length === parts.length) return [escaped, learn(there, inside(place, name))];
    const lead = findLead(parts, place);
    const template = learn(there, { ...inside(place, name), lead });
    return [escaped + optionalMark(template, lead), template];
  });
  return Object.fromEntries(fields);
}

/** The suffix of an optional field's name. `?next_offset` makes the field depend on a next page. */
function optionalMark(template: Json, lead: Place["lead"]): string {
  return lead === undefined || JSON.stringify(template).includes(`{${lead}_`) ? "?" : `?${lead}_offset`;
}

function learnArray(samples: readonly Sample[], place: Place): Json {
  const length = Math.max(...samples.map(({ value }) => entriesOf(value).length));
  return Array.from({ length }, (_, index) => {
    const there = partOf(samples, String(index)).filter(({ value }) => value !== undefined);
    if (there.length < samples.length) place.note(place.path, samples[0]?.value);
    return learn(there, inside(place, String(index)));
  });
}

/** Subjects of repeated elements, and the placeholders that reveal them. */
const repeats = [
  ["domain", /\{domain\./],
  ["alias", /\{alias\./],
  ["field", /\{error\./],
] as const;

/** Learns an array or object with one element for each domain, alias or wrong field. */
function learnRepeated(samples: readonly Sample[], place: Place): Json | undefined {
  const isArray = Array.isArray(samples[0]?.value);
  for (const [of, isShown] of repeats) {
    if (!place.subjects.includes(of)) continue;
    const pairs = samples.map(({ value, facts }) => ({ entries: entriesOf(value), each: listSubjects(of, facts) }));
    if (pairs.some(({ entries, each }) => entries.length !== each.length)) continue;
    const parts = ([0, 1] as const).map((at) =>
      pairs.flatMap(({ entries, each }) => each.map((facts, index) => ({ value: entries[index]?.[at], facts }))),
    );
    const [names = [], values = []] = parts;
    if (values.length === 0) continue;
    const notes: Parameters<Place["note"]>[] = [];
    const inner: Place = { ...inside(place, "0"), note: (...one) => void notes.push(one) };
    const template = learn(values, inner);
    const key = isArray ? "" : learnString(names, { ...inner, name: "" });
    if (!isShown.test(JSON.stringify([template, key])) || (!isArray && !key.includes("{"))) continue;
    for (const note of notes) place.note(...note);
    return isArray ? [template] : { [key]: template };
  }
  return undefined;
}

/** Placeholders whose values are so short and common that they may appear anywhere by chance. */
const common: ReadonlySet<PlaceholderName> = new Set(["cta.type", "status", "code"]);
/** Placeholders whose values a check does not know: timestamps and error messages. */
const unknown: ReadonlySet<string> = new Set(["created_at", "updated_at", "now", "detail", "error.detail"]);
const valueFormats: readonly FormatName[][] = [[], ["text"], ["json"], ["url"], ["html"], ["number"]];
const nameFormats: readonly FormatName[][] = [["camel"], ["pascal"], ["kebab"], ["snake"], ["upper"]];

/** Finds the placeholder that renders every sample. */
function findPlaceholder(samples: readonly Sample[], place: Place): string | undefined {
  const values = samples.map(({ value }) => value);
  if (values.every((value) => value === null || value === undefined || value === "")) return undefined;
  const isVariable = isVaried(samples);
  // An empty array may be any list, so it means domains only under their name.
  const isLong = values.some((value) => (typeof value === "string" ? value.length > 3 : entriesOf(value).length > 0));
  const found = placeholdersAbout(place.subjects).flatMap((name) => {
    const similar = similarity(name, place.name);
    const isChance = similar === 0 && !isVariable && (!isLong || common.has(name));
    if (unknown.has(name) || isChance) return [];
    const { about } = placeholders[name];
    const formats = [...valueFormats, ...(about === "field" ? nameFormats : [])].find((some) =>
      samples.every((sample) => isWritten(sample, name, some)),
    );
    return formats ? [{ text: write(name, formats), similar: similar + (about === "event" ? 1 : 0) }] : [];
  });
  const [best] = found.toSorted((one, other) => other.similar - one.similar);
  return best?.text ?? findTimestamp(samples, place) ?? findCursor(samples, place) ?? findOpaque(samples, place);
}

function isWritten({ value, facts }: Sample, name: PlaceholderName, formats: readonly FormatName[]): boolean {
  // A format may turn an unknown value into something else, such as 0.
  if (formats.length > 0 && renderPlaceholder(name, [], facts) === "") return value === "";
  try {
    return isDeepStrictEqual(value ?? null, renderPlaceholder(name, formats, facts));
  } catch {
    return false;
  }
}

/** Writes a placeholder, such as `{title:html}`. */
function write(name: PlaceholderName, formats: readonly FormatName[]): string {
  return `{${[name, ...formats].join(":")}}`;
}

/** Finds out whether a value exists exactly when there is a next page of the list, or a previous one. */
function findLead(samples: readonly Sample[], { subjects, lead }: Place): Place["lead"] {
  const isThere = ({ value }: Sample) => value !== undefined && value !== null && value !== "";
  if (!subjects.includes("list") || lead !== undefined || samples.every(isThere) || !samples.some(isThere)) return lead;
  return (["next", "previous"] as const).find((way) =>
    samples.every((sample) => isThere(sample) === (renderPlaceholder(`${way}_offset`, [], sample.facts) !== null)),
  );
}

/** Finds the placeholder of a cursor, which exists only when there is another page. */
function findCursor(samples: readonly Sample[], place: Place): string | undefined {
  const lead = findLead(samples, place);
  const there = samples.map(({ value }) => value).filter((value) => (value ?? "") !== "");
  if (lead === undefined || there.length === 0) return undefined;
  if (there.every((value) => typeof value === "number")) return `{${lead}_offset}`;
  if (!there.every((value) => typeof value === "string")) return undefined;
  const isLink = there.every((value) => /[/?]/.test(value));
  if (isLink && learnText(samples, { ...place, note: () => undefined }).includes(`{${lead}_`)) return undefined;
  return `{${lead}_cursor${samples.some(({ value }) => value === "") ? ":text" : ""}}`;
}

/** Finds the placeholder of a value that a check cannot know: an identifier of a request or an event, or an error message. */
function findOpaque(samples: readonly Sample[], { name, subjects, path }: Place): string | undefined {
  if (!samples.every(({ value }) => typeof value === "string")) return undefined;
  if (/(?:request|correlation|trace)[_-]?id$/i.test(name)) return "{request_id}";
  if (subjects.includes("event") && isVaried(samples)) return "{event.id}";
  const isWrong = samples.every(({ value, facts }) => facts.error?.errors.some(({ detail }) => detail === value));
  const isDetail = samples.every(({ value, facts }) => facts.error?.detail === value);
  // A sentence that is the same in all errors, while another one tells what is wrong, is a headline.
  const isHeadline = !isVaried(samples) && samples.some(({ facts }) => facts.error?.errors.length);
  if (!isWrong && (!isDetail || isHeadline)) return undefined;
  return messageAt(path);
}

/** The placeholder of a message, which depends on whether it is in an element about one field. */
function messageAt(path: string): string {
  return /\/(?:0|\{error\.[^/]*)(?:\/|$)/.test(path) ? "{error.detail}" : "{detail}";
}

const timestampForms = ["", ":iso-seconds", ":iso-offset", ":iso-micros", ":iso-ticks", ":iso-nanos", ":seconds"]
  .concat([":milliseconds", ":microseconds", ":seconds:text", ":milliseconds:text", ":sql", ":http", ":with-offset"])
  .concat([":without-zone", ":iso-seconds:without-zone", ":iso-micros:with-offset", ":iso-micros:without-zone"])
  .map((formats) => ({
    formats,
    node: readTemplate(`{now${formats}}`, { path: "", subjects: ["answer"], parts: {} }),
  }));

/** Finds the placeholder and the format for timestamps near the time of the responses. */
function findTimestamp(samples: readonly Sample[], { name, subjects }: Place): string | undefined {
  const isOf = (words: RegExp) => subjects.includes("page") && words.test(name);
  const placeholder = isOf(/updat|modif|chang/i) ? "updated_at" : isOf(/creat|publ/i) ? "created_at" : "now";
  const form = timestampForms.find(({ node }) =>
    samples.every(({ value, facts }) => {
      if (value === null || value === undefined) return true;
      const atMs = Date.parse(String(readTemplateValue(node, value).values.now));
      if (!(Math.abs(atMs - Date.parse(facts.now)) < 2 * 86_400_000)) return false;
      return formOf(renderTemplate(node, { ...facts, now: new Date(atMs).toISOString() })) === formOf(value);
    }),
  );
  return form && `{${placeholder}${form.formats}}`;
}

/** The form of a timestamp without its digits, because precision beyond milliseconds is lost. */
function formOf(value: unknown): string {
  return `${typeof value} ${String(value).replaceAll(/\d/g, "9")}`;
}

/** Learns a template from strings: the first one, with a placeholder for every known value. */
function learnText(samples: readonly Sample[], place: Place): string {
  const filled = samples.filter(({ value }) => typeof value === "string" && value !== "");
  const [first] = filled;
  if (first === undefined) return "";
  const isSame = filled.every(({ value }) => value === first.value);
  const isMessage = isSame ? split(first.value).length > 1 : filled.some(({ value }) => /\s/.test(String(value)));
  if (place.subjects.includes("error") && isMessage) return learnMessage(filled, place);
  const withValues = replaceValues(escapeTemplate(String(first.value)), filled, place);
  const template = place.subjects.includes("list") ? replaceNumbers(withValues, filled) : withValues;
  if (!isSame && !template.includes("{")) place.note(place.path, first.value);
  return template;
}

/** Replaces the values that all samples contain by placeholders, the longest value first. */
function replaceValues(template: string, samples: readonly Sample[], { subjects }: Place): string {
  const names = placeholdersAbout(subjects).filter(
    (name) => !unknown.has(name) && !common.has(name) && (name !== "path" || subjects.includes("list")),
  );
  const found = names.flatMap((name) => {
    const least = name === "id" ? 1 : 3;
    return (name === "id" ? [["url"] as const] : ([[], ["url"], ["html"]] as const)).flatMap((formats) => {
      const parts = samples.map((sample) => valueOf(name, formats, sample));
      const isInAll = parts.every(
        (part, index) => part.length >= least && patternOf(part).test(String(samples[index]?.value)),
      );
      return isInAll ? [{ text: write(name, formats), part: parts[0] ?? "" }] : [];
    });
  });
  const sorted = found.toSorted((one, other) => other.part.length - one.part.length);
  return sorted.reduce((text, { text: placeholder, part }) => {
    // Text inside earlier placeholders stays as it is.
    const pieces = text.split(/((?<!\{)\{[A-Za-z][\w.:]*\})/);
    const pattern = patternOf(escapeTemplate(part));
    return pieces.map((piece, at) => (at % 2 === 1 ? piece : piece.replaceAll(pattern, () => placeholder))).join("");
  }, template);
}

/** The rendered value of a placeholder; empty if it has none. */
function valueOf(name: PlaceholderName, formats: readonly FormatName[], { facts }: Sample): string {
  try {
    const value = renderPlaceholder(name, formats, facts);
    return typeof value === "string" || (typeof value === "number" && name === "id") ? String(value) : "";
  } catch {
    return "";
  }
}

function patternOf(part: string): RegExp {
  const escaped = part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  // A hyphen continues a slug, but it can end a numeric identifier.
  const edge = /^\w/.test(part) ? "(?<!\\w)" : "";
  return new RegExp(`${edge}${escaped}(?!\\w${/^\d+$/.test(part) ? "" : "|-\\w"})`, "g");
}

/** Replaces the numbers in the query of a link by placeholders. */
function replaceNumbers(template: string, samples: readonly Sample[]): string {
  const pattern = /([\w[\]]+)=(\d+)/g;
  const numbers = samples.map(({ value }) =>
    [...String(value).matchAll(pattern)].map(([, , digits]) => Number(digits)),
  );
  let next = 0;
  return template.replaceAll(pattern, (written, parameter: string) => {
    const at = next++;
    const fitting = placeholdersAbout(["list"]).filter((name) =>
      samples.every(({ facts }, index) => renderPlaceholder(name, [], facts) === numbers[index]?.[at]),
    );
    const rank = (name: PlaceholderName) => similarity(name, parameter) * 2 + ("leads" in placeholders[name] ? 1 : 0);
    const [best] = fitting.toSorted((one, other) => rank(other) - rank(one));
    return best === undefined ? written : `${parameter}={${best}}`;
  });
}

function split(text: unknown): string[] {
  return escapeTemplate(String(text)).split(/(?<=>)|(?=<)/);
}

/** Learns the template of an error page or message. The message is the text between tags, or the whole string. */
function learnMessage([first, ...others]: readonly Sample[], { path }: Place): string {
  const { status, error } = first?.facts ?? {};
  const isFixed = (part: string, at: number) => others.every(({ value }) => split(value)[at] === part);
  const learned = split(first?.value).map((part, at) => {
    if (part === `${status} ${error?.reason}`) return "{status} {reason}";
    const isMarkup = part.startsWith("<") || (isFixed(part, at) && (others.length > 0 || !part.includes(" ")));
    return isMarkup ? part : messageAt(path);
  });
  return learned.join("");
}

/** Similarity of a field's name to a placeholder's: 0, 1 or 2. It decides which placeholder to use if several fit. */
function similarity(placeholder: PlaceholderName, name: string): number {
  const [key, word] = [lettersOf(name), lettersOf(placeholder.slice(placeholder.lastIndexOf(".") + 1))];
  if (key === "" || word === "") return 0;
  return key === word ? 2 : key.includes(word) ? 1 : 0;
}

/** The letters of a name in lower case, so that `meta_description` equals `metaDescription`. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}
