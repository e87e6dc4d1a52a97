// Learns a template from values and the facts about them. Every known value becomes a placeholder.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import {
  escapeTemplate,
  type Facts,
  type FormatName,
  formats,
  type Json,
  listSubjects,
  type PlaceholderName,
  placeholders,
  placeholdersAbout,
  renderPlaceholder,
  type Repeated,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { lettersOf, readTemplateValue } from "@landing-page-service/contract/internal";
import { entriesOf, mapStrings, valueAt } from "./json.ts";

/** A value in a response, and the known facts about it. */
export interface Sample {
  readonly value: unknown;
  readonly facts: Facts;
}

/** The place of the samples. */
export interface Place {
  /** The path in the dialect, such as `listPages/body/total`. */
  readonly path: string;
  /** The name of the field. */
  readonly name: string;
  /** Templates that are already learned, by path. */
  readonly known?: ReadonlyMap<string, Json>;
  /** The subject of the repeated element around the place. */
  readonly of?: Repeated;
  /** Set if the value exists only when there is a next, or a previous, page of the list. */
  readonly lead?: "next" | "previous" | undefined;
}

/** The subjects of the placeholders that the template of a response may have. In a list, they are about the list or about a page. */
function subjectsOf([first]: readonly Sample[]): readonly Subject[] {
  const { page, list, event, changes, error } = first?.facts ?? {};
  if (error) return ["answer", "error", "field"];
  if (list && !page) return ["answer", "list"];
  const own: Subject[] = event ? ["event"] : changes ? ["changes"] : [];
  return ["answer", "page", "domain", "alias", ...own];
}

/** Whether a value is too large to learn from, so that it stays a constant. */
function isLarge(value: unknown): boolean {
  return typeof value === "string" ? value.length > 100_000 : entriesOf(value).length > 500;
}

/**
 * Learns a template from samples. Objects and arrays are learned part by part. What no fact explains is a constant, so that the template
 * does not render every sample.
 */
export function learn(samples: readonly Sample[], given: Place): Json {
  const place: Place = { ...given, lead: findLead(samples, given) };
  const known = place.known?.get(place.path);
  if (known !== undefined) return known;
  const filled = samples.filter((sample) => isFilled(sample) || (sample.value === "" && place.lead === undefined));
  if (filled.length === 0 || filled.some(({ value }) => isLarge(value))) return learnConstant(samples);
  const placeholder = findPlaceholder(samples, place);
  if (placeholder !== undefined) return placeholder;
  const template = learnValue(filled, place);
  // A list without a next page has null in place of a link or cursor, and an object may be null for some pages.
  const isOptional = filled.length < samples.length && (place.lead !== undefined || isObject(filled[0]?.value));
  return isOptional ? { [`...${optionalMark(template, place.lead)}`]: template } : template;
}

function learnValue(samples: readonly Sample[], place: Place): Json {
  const isAll = (test: (value: unknown) => boolean) => samples.every(({ value }) => test(value));
  if (isAll((value) => typeof value === "string")) return learnText(samples, place);
  if (!isAll(isObject) && !isAll(Array.isArray)) return learnConstant(samples);
  return learnRepeated(samples, place) ?? learnParts(samples, place);
}

function learnConstant([first]: readonly Sample[]): Json {
  return mapStrings(first?.value ?? null, escapeTemplate) as Json; // why: it was parsed from JSON
}

function isVaried(samples: readonly Sample[]): boolean {
  return new Set(samples.map(({ value }) => JSON.stringify(value))).size > 1;
}

/** Whether a sample has a value. */
function isFilled({ value }: Sample): boolean {
  return value !== undefined && value !== null && value !== "";
}

function inside(place: Place, name: string): Place {
  return { ...place, name, path: `${place.path}/${name}` };
}

/** Learns an object field by field, or an array element by element. */
function learnParts(samples: readonly Sample[], place: Place): Json {
  const names = new Set(samples.flatMap(({ value }) => entriesOf(value).map(([name]) => name)));
  const fields = [...names].map((name): [string, Json] => {
    // A question mark after a name marks an optional field.
    const escaped = escapeTemplate(name).replace(/\?{1,2}(?=[\w.]*$)/, "??");
    const parts = samples.map(({ value, facts }) => ({ value: valueAt(value, [name]), facts }));
    const there = parts.filter(({ value }) => value !== undefined);
    const lead = findLead(parts, place);
    const template = learn(there, { ...inside(place, name), lead });
    return [there.length === parts.length ? escaped : escaped + optionalMark(template, lead), template];
  });
  return Array.isArray(samples[0]?.value) ? fields.map(([, template]) => template) : Object.fromEntries(fields);
}

/** The suffix of an optional field's name. `?next_offset` makes the field depend on a next page. */
function optionalMark(template: Json, lead: Place["lead"]): string {
  return lead === undefined || JSON.stringify(template).includes(`{${lead}_`) ? "?" : `?${lead}_offset`;
}

/** Finds out whether a value exists exactly when there is a next page of the list, or a previous one. */
function findLead(samples: readonly Sample[], { lead }: Place): Place["lead"] {
  const isSometimes = samples.some(isFilled) && !samples.every(isFilled);
  if (!subjectsOf(samples).includes("list") || lead !== undefined || !isSometimes) return lead;
  return (["next", "previous"] as const).find((way) =>
    samples.every((sample) => isFilled(sample) === (renderPlaceholder(`${way}_offset`, [], sample.facts) !== null)),
  );
}

/** Learns an array or object with one element for each domain, alias or wrong field. */
function learnRepeated(samples: readonly Sample[], place: Place): Json | undefined {
  const isArray = Array.isArray(samples[0]?.value);
  const elements = samples.map(({ value }) => entriesOf(value));
  const all = elements.flat();
  if (all.length === 0) return undefined;
  for (const subject of ["domain", "alias", "field"] as const) {
    if (!subjectsOf(samples).includes(subject)) continue;
    const each = samples.map(({ facts }) => listSubjects(subject, facts));
    if (!elements.every(({ length }, index) => length === each[index]?.length)) continue;
    const values = each.flat().map((facts, index) => ({ value: all[index]?.[1], facts }));
    const keys = each.flat().map((facts, index) => ({ value: all[index]?.[0], facts }));
    const inner: Place = { ...inside(place, "0"), of: subject };
    const template = learn(values, inner);
    const key = isArray ? "" : (learn(keys, { ...inner, name: "" }) as string); // why: names are strings
    const isAbout = JSON.stringify([template, key]).includes(subject === "field" ? "{error." : `{${subject}.`);
    if (isAbout && isArray) return [template];
    if (isAbout && key.includes("{")) return { [key]: template };
  }
  return undefined;
}

/** Placeholders whose values are so short and common that they may appear anywhere by chance. */
const common: ReadonlySet<PlaceholderName> = new Set(["cta.type", "status", "code"]);
/** Times, which a check knows only roughly. */
const times: ReadonlySet<PlaceholderName> = new Set(["created_at", "updated_at", "now"]);
const kept = ["text", "json", "url", "camel", "pascal", "kebab", "snake", "upper"] as const;
const valueFormats: readonly FormatName[][] = [[], ...kept.map((name) => [name])];

/** Finds the placeholder that renders every sample, and by which every sample is read. */
function findPlaceholder(samples: readonly Sample[], place: Place): string | undefined {
  if (!samples.some(isFilled)) return undefined;
  const found = placeholdersAbout(subjectsOf(samples)).flatMap((name) => {
    const written = valueFormats.find((some) => samples.every((sample) => isWritten(sample, name, some)));
    if (written === undefined || !isEvidence(name, samples, place)) return [];
    // An event has values of its page.
    const isOwn = placeholders[name].about === (place.of ?? "event");
    const isLead = place.lead !== undefined && name.startsWith(place.lead);
    const rank = similarity(name, place.name) + Number(isOwn) + Number(isLead);
    return [{ text: write(name, written), rank }];
  });
  const [best] = found.toSorted((one, other) => other.rank - one.rank);
  return best?.text ?? findTime(samples, place) ?? findOpaque(samples, place);
}

/** Whether a value that equals that of a placeholder is more than chance: its name is similar, it varies, or it is long. */
function isEvidence(name: PlaceholderName, samples: readonly Sample[], place: Place): boolean {
  const isVariable = isVaried(samples);
  // A sentence that is the same whether the error names a field or not is a headline.
  const namesField = samples.map(({ facts }) => facts.error?.errors.length !== 0);
  if (name.endsWith("detail") && !isVariable && new Set(namesField).size > 1) return false;
  // An empty array may be any list, so it means domains only under their name.
  const isLong = ({ value }: Sample) => {
    return typeof value === "string" ? value.length > 3 : entriesOf(value).length > 0;
  };
  // A number in an error that is its status is no chance.
  const isStatus = name === "status" && subjectsOf(samples).includes("error");
  return similarity(name, place.name) > 0 || isVariable || isStatus || (samples.some(isLong) && !common.has(name));
}

/** Whether a placeholder renders the value, and the value is read by it. A format may lose a part of what it writes. */
function isWritten({ value, facts }: Sample, name: PlaceholderName, written: readonly FormatName[]): boolean {
  if (times.has(name) || !isDeepStrictEqual(value ?? null, renderPlaceholder(name, written, facts))) return false;
  return isDeepStrictEqual(read(name, written, value), read(name, [], renderPlaceholder(name, [], facts)));
}

function read(name: PlaceholderName, written: readonly FormatName[], value: unknown): unknown {
  return readTemplateValue({ kind: "placeholder", name, formats: written }, value).values[name] ?? "";
}

/** Writes a placeholder, such as `{title:html}`. */
function write(name: PlaceholderName, written: readonly FormatName[]): string {
  return `{${[name, ...written].join(":")}}`;
}

const formatNames = Object.keys(formats) as FormatName[]; // why: its own keys
const lastFormats: readonly FormatName[][] = [[], ["text"], ["with-offset"], ["without-zone"]];
const timeFormats = [[], ...formatNames.flatMap((name) => lastFormats.map((last) => [name].concat(last)))];

/** Finds the placeholder and the format for times near that of the responses. */
function findTime(samples: readonly Sample[], { name }: Place): string | undefined {
  const found = timeFormats.find((written) => samples.every((sample) => isNow(sample, written)));
  if (found === undefined) return undefined;
  const isOfPage = subjectsOf(samples).includes("page");
  if (isOfPage && /updat|modif|chang/i.test(name)) return write("updated_at", found);
  if (isOfPage && /creat|publ/i.test(name)) return write("created_at", found);
  return write("now", found);
}

/** Whether a value is a time within two days of that of its response. */
function isNow({ value, facts }: Sample, written: readonly FormatName[]): boolean {
  if (value === null) return true;
  const time = Date.parse(String(read("now", written, value)));
  if (!(Math.abs(time - Date.parse(facts.now)) < 2 * 86_400_000)) return false;
  // Precision beyond milliseconds is lost, so digits are not compared.
  const rendered = renderPlaceholder("now", written, { ...facts, now: new Date(time).toISOString() });
  return typeof rendered === typeof value && hideDigits(rendered) === hideDigits(value);
}

function hideDigits(value: unknown): string {
  return String(value).replaceAll(/\d/g, "9");
}

/** Finds the placeholder of a string that a check cannot know: a cursor, a message, or an identifier of a request or an event. */
function findOpaque(samples: readonly Sample[], { name, lead, of }: Place): string | undefined {
  if (!samples.every(({ value }) => value === null || typeof value === "string")) return undefined;
  const texts = samples.flatMap(({ value }) => (typeof value === "string" ? value : []));
  const isSome = (pattern: RegExp) => texts.some((text) => pattern.test(text));
  if (/(?:request|correlation|trace)[_-]?id$/i.test(name)) return "{request_id}";
  if (subjectsOf(samples).includes("event") && isVaried(samples)) return "{event.id}";
  if (of === "field" && isVaried(samples) && isSome(/\s/)) return "{error.detail}";
  // A link is no cursor, but it may contain one that is known.
  if (lead === undefined || isSome(/[/?]/)) return undefined;
  return write(`${lead}_cursor`, isSome(/^$/) ? ["text"] : []);
}

/** Learns a template from strings: the first one, with a placeholder for every known value. */
function learnText(samples: readonly Sample[], place: Place): string {
  const filled = samples.filter(isFilled);
  const [first] = filled;
  if (first === undefined) return "";
  const known = findKnown(filled, place);
  // Of two values at the same position, the longer one counts.
  const texts = [...known.keys()].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(texts.map(wordPattern).join("|") || "(?!)", "g");
  const template = escapeTemplate(String(first.value)).replaceAll(pattern, (text) => known.get(text) ?? text);
  return subjectsOf(samples).includes("list") ? replaceNumbers(template, filled, place) : template;
}

/** Finds the known values that all samples contain. Returns the placeholder of each value in the first one. */
function findKnown(samples: readonly Sample[], place: Place): Map<string, string> {
  const known = new Map<string, string>();
  const values = samples.map(({ value }) => String(value));
  const subjects = subjectsOf(samples);
  // Templates of HTML escape all values. A field of JSON may have the same name.
  const isHtml = /^(?:errors\/)?\w+\/html$/.test(place.path);
  for (const name of placeholdersAbout(subjects).filter((one) => isInTexts(one, subjects, isHtml))) {
    const least = name === "id" ? 1 : 3;
    const tried: readonly FormatName[][] = isHtml ? [["html"]] : name === "id" ? [["url"]] : [[], ["url"]];
    for (const written of tried) {
      const texts = samples.map(({ facts }) => textOf(renderPlaceholder(name, written, facts)));
      const first = escapeTemplate(texts[0] ?? "");
      const isInAll = texts.every((text, index) => text.length >= least && hasWord(values[index] ?? "", text));
      if (known.has(first) || !isInAll) continue;
      // Whole values that are known by chance stay constants.
      if (!isDeepStrictEqual(texts, values)) known.set(first, write(name, isHtml ? [] : written));
    }
  }
  return known;
}

/** Whether a placeholder may be a part of a text. */
function isInTexts(name: PlaceholderName, subjects: readonly Subject[], isHtml: boolean): boolean {
  if (name === "status") return subjects.includes("error");
  // The name of a field may be the name of a tag.
  if (name === "error.field") return !isHtml;
  return !times.has(name) && !common.has(name) && (name !== "path" || subjects.includes("list"));
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Whether a text contains another one as a whole word. */
function hasWord(text: string, word: string): boolean {
  return text.includes(word) && new RegExp(wordPattern(word)).test(text);
}

/** The pattern of a whole word. A hyphen continues a slug, but it can end a numeric identifier. */
function wordPattern(text: string): string {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return `${/^\w/.test(text) ? "(?<!\\w)" : ""}${escaped}(?!\\w${/^\d+$/.test(text) ? "" : "|-\\w"})`;
}

/** Replaces the numbers in the query of a link to a list by placeholders. */
function replaceNumbers(template: string, samples: readonly Sample[], place: Place): string {
  const number = /([\w[\]]+=)(\d+)/;
  const pieces = samples.map(({ value }) => String(value).split(number));
  const learned = template.split(number).map((piece, at, all) => {
    if (at % 3 !== 2) return piece;
    const numbers = samples.map(({ facts }, index) => ({ value: Number(pieces[index]?.[at]), facts }));
    return findPlaceholder(numbers, { ...place, name: all[at - 1] ?? "" }) ?? piece;
  });
  return learned.join("");
}

/** Similarity of a field's name to a placeholder's: 0, 1 or 2. It decides which placeholder to use if several fit. */
function similarity(placeholder: PlaceholderName, name: string): number {
  const [key, word] = [lettersOf(name), lettersOf(placeholder.replace(/^.*\.|^(?:next|previous)_/, ""))];
  return key === word ? 2 : key.includes(word) ? 1 : 0;
}
