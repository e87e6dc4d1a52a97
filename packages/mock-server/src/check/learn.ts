// Learns a template from values and the facts about them. Every known value becomes a placeholder.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import {
  escapeTemplate,
  type FormatName,
  type PlaceholderName,
  placeholders,
  placeholdersAbout,
  type Json,
  listSubjects,
  renderPlaceholder,
} from "@landing-page-service/contract/dialect";
import { entriesOf, valueAt } from "./json.ts";
import {
  commonPlaceholders,
  findTimestamp,
  learnText,
  type Place,
  type Sample,
  isSentence,
  similarity,
  unknownPlaceholders,
  writePlaceholder,
} from "./learn-text.ts";

/** Largest number of fields or elements, and longest string, to learn from. A larger value stays a constant. */
const maxParts = 500;
const longest = 100_000;

/** Learns a template that renders all samples. Objects and arrays are learned part by part. */
export function learn(samples: readonly Sample[], place: Place): Json {
  const filled = samples.filter(isFilled);
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
    return (samples[0]?.value ?? null) as Json; // why: it was parsed from JSON
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

function isFilled({ value }: Sample): boolean {
  return value !== undefined && value !== null;
}

function isVaried(samples: readonly Sample[]): boolean {
  return new Set(samples.map(({ value }) => JSON.stringify(value))).size > 1;
}

function inside(place: Place, name: string): Place {
  return { ...place, name, path: `${place.path}/${name}` };
}

/** The values of one field or element in all samples that have it. */
function partsOf(samples: readonly Sample[], name: string): Sample[] {
  const parts = samples.map(({ value, facts }) => ({ value: valueAt(value, [name]), facts }));
  return parts.filter(({ value }) => value !== undefined);
}

function learnObject(samples: readonly Sample[], place: Place): Json {
  const names = new Set(samples.flatMap(({ value }) => entriesOf(value).map(([name]) => name)));
  return Object.fromEntries(
    [...names].map((name) => {
      const there = partsOf(samples, name);
      // A question mark after a name marks an optional field.
      const escaped = escapeTemplate(name).replace(/\?{1,2}(?=[\w.]*$)/, "??");
      if (there.length === samples.length) return [escaped, learn(there, inside(place, name))];
      const lead = findLead(
        samples.map(({ value, facts }) => ({ value: valueAt(value, [name]), facts })),
        place,
      );
      const template = learn(there, { ...inside(place, name), lead });
      return [escaped + optionalMark(template, lead), template];
    }),
  );
}

/** The suffix of an optional field's name. `?next_offset` makes the field depend on a next page. */
function optionalMark(template: Json, lead: Place["lead"]): string {
  return lead === undefined || JSON.stringify(template).includes(`{${lead}_`) ? "?" : `?${lead}_offset`;
}

function learnArray(samples: readonly Sample[], place: Place): Json {
  const [longest] = samples.map(({ value }) => entriesOf(value)).toSorted((one, other) => other.length - one.length);
  return (longest ?? []).map(([index]) => {
    const there = partsOf(samples, index);
    if (there.length < samples.length) place.note(place.path, samples[0]?.value);
    return learn(there, inside(place, index));
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
    const items = samples.flatMap(({ value, facts }) => {
      const [entries, subjects] = [entriesOf(value), listSubjects(of, facts)];
      if (subjects.length !== entries.length) return [undefined];
      return subjects.map((one, index) => ({ entry: entries[index], facts: one }));
    });
    if (items.length === 0 || !items.every((item) => item !== undefined)) continue;
    const part = (at: 0 | 1) => items.map(({ entry, facts }) => ({ value: entry?.[at], facts }));
    const notes: [string, unknown][] = [];
    const inner: Place = { ...inside(place, "0"), note: (...one) => void notes.push(one) };
    const template = learn(part(1), inner);
    const key = isArray ? "" : learnString(part(0), { ...inner, name: "" });
    if (!isShown.test(JSON.stringify([template, key])) || (!isArray && !key.includes("{"))) continue;
    for (const note of notes) place.note(...note);
    return isArray ? [template] : { [key]: template };
  }
  return undefined;
}

const valueFormats: readonly FormatName[][] = [[], ["text"], ["json"], ["url"], ["html"], ["number"]];
const nameFormats: readonly FormatName[][] = [["camel"], ["pascal"], ["kebab"], ["snake"], ["upper"]];
/** Finds the placeholder that renders every sample. */
function findPlaceholder(samples: readonly Sample[], place: Place): string | undefined {
  const values = samples.map(({ value }) => value);
  if (values.every((value) => value === null || value === undefined || value === "")) return undefined;
  // An empty array may be any list, so it means domains only under their name.
  const isWhole = values.some((value) => entriesOf(value).length > 0);
  const isVariable = isVaried(samples);
  const isLong = isWhole || values.some((value) => typeof value === "string" && value.length > 3);
  const found = placeholdersAbout(place.subjects).flatMap((name) => {
    const similar = similarity(name, place.name);
    const isChance = similar === 0 && !isVariable && (!isLong || commonPlaceholders.has(name));
    if (unknownPlaceholders.has(name) || isChance) return [];
    const { about } = placeholders[name];
    const formats = [...valueFormats, ...(about === "field" ? nameFormats : [])].find((some) =>
      samples.every((sample) => isWritten(sample, name, some)),
    );
    return formats ? [{ text: writePlaceholder(name, formats), similar: similar + (about === "event" ? 1 : 0) }] : [];
  });
  const [best] = found.toSorted((one, other) => other.similar - one.similar);
  return best?.text ?? findTimestamp(samples, place) ?? findLeading(samples, place) ?? findOpaque(samples, place);
}

function isWritten({ value, facts }: Sample, name: PlaceholderName, formats: readonly FormatName[]): boolean {
  const known = renderPlaceholder(name, [], facts);
  if ((known === null || known === "") && formats.length > 0 && value !== "")
    return (value ?? null) === null && !formats.includes("text");
  try {
    return isDeepStrictEqual(value ?? null, renderPlaceholder(name, formats, facts));
  } catch {
    return false;
  }
}

/** Finds out whether a value exists exactly when there is a next page of the list, or a previous one. */
function findLead(samples: readonly Sample[], { subjects, lead }: Place): Place["lead"] {
  if (!subjects.includes("list") || lead !== undefined || samples.every(isThere) || !samples.some(isThere)) return lead;
  return (["next", "previous"] as const).find((way) =>
    samples.every((sample) => isThere(sample) === isDue(way, sample)),
  );
}

function isThere(sample: Sample): boolean {
  return isFilled(sample) && sample.value !== "";
}

function isDue(way: "next" | "previous", { facts }: Sample): boolean {
  return renderPlaceholder(`${way}_offset`, [], facts) !== null;
}

/** Finds the placeholder of a cursor, which exists only when there is another page. */
function findLeading(samples: readonly Sample[], place: Place): string | undefined {
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
function findOpaque(samples: readonly Sample[], { name, subjects, path, headlines }: Place): string | undefined {
  const texts = samples.map(({ value }) => value);
  if (!texts.every((text) => typeof text === "string")) return undefined;
  if (/(?:request|correlation|trace)[_-]?id$/i.test(name)) return "{request_id}";
  if (subjects.includes("event") && isVaried(samples)) return "{event.id}";
  const areSentences = texts.every(isSentence);
  if (!subjects.includes("error") || !areSentences || texts.some((text) => headlines?.has(text))) return undefined;
  return /\/(?:0|\{error\.[^/]*)(?:\/|$)/.test(path) ? "{error.detail}" : "{detail}";
}
