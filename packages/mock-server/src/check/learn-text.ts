// Learns the template of a string that contains known values, and the format of a timestamp.
import {
  escapeTemplate,
  type Facts,
  type FormatName,
  type Json,
  type PlaceholderName,
  placeholders,
  placeholdersAbout,
  readTemplate,
  renderPlaceholder,
  renderTemplate,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { readTemplateValue } from "@landing-page-service/contract/internal";

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
  /** Sentences in errors that do not say what is wrong, because they are the same for different mistakes. */
  readonly headlines?: ReadonlySet<string>;
  /** Set if the field exists only when there is a next, or a previous, page of the list. */
  readonly lead?: "next" | "previous" | undefined;
}

/** Placeholders whose values are so short and common that they may appear anywhere by chance. */
export const commonPlaceholders: ReadonlySet<PlaceholderName> = new Set(["cta.type", "status", "code"]);
/** Placeholders whose values a check does not know: timestamps and error messages. */
export const unknownPlaceholders: ReadonlySet<PlaceholderName> = new Set<PlaceholderName>([
  "created_at",
  "updated_at",
  "now",
  "detail",
  "error.detail",
]);

/** Learns a template from strings: the first one, with a placeholder for every known value. */
export function learnText(samples: readonly Sample[], place: Place): string {
  const filled = samples.filter(({ value }) => typeof value === "string" && value !== "");
  const [first] = filled;
  if (first === undefined) return "";
  const isSame = filled.every(({ value }) => value === first.value);
  const isMessage = isSame ? split(first.value).length > 1 : filled.some(({ value }) => /\s/.test(String(value)));
  if (place.subjects.includes("error") && isMessage) return learnMessage(filled);
  const withValues = replaceValues(escapeTemplate(String(first.value)), filled, place);
  const template = place.subjects.includes("list") ? replaceNumbers(withValues, filled) : withValues;
  if (!isSame && !template.includes("{")) place.note(place.path, first.value);
  return template;
}

/** Replaces the values that all samples contain by placeholders, the longest value first. */
function replaceValues(template: string, samples: readonly Sample[], { subjects }: Place): string {
  const isKnown = (name: PlaceholderName): boolean =>
    !unknownPlaceholders.has(name) && !commonPlaceholders.has(name) && (name !== "path" || subjects.includes("list"));
  const found = placeholdersAbout(subjects)
    .filter(isKnown)
    .flatMap((name) =>
      (name === "id" ? [["url"] as const] : ([[], ["url"], ["html"]] as const)).map((formats) => ({
        text: writePlaceholder(name, formats),
        parts: samples.map((sample) => valueOf(name, formats, sample)),
        least: name === "id" ? 1 : 3,
      })),
    )
    .filter(({ parts, least }) =>
      parts.every((part, index) => part.length >= least && patternOf(part).test(String(samples[index]?.value))),
    );
  const sorted = found.toSorted(({ parts: [one = ""] }, { parts: [other = ""] }) => other.length - one.length);
  return sorted.reduce((text, { text: placeholder, parts: [part = ""] }) => {
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
function learnMessage([first, ...others]: readonly Sample[]): string {
  const { status, error } = first?.facts ?? {};
  const isFixed = (part: string, at: number) => others.every(({ value }) => split(value)[at] === part);
  const learned = split(first?.value).map((part, at) => {
    if (part === `${status} ${error?.reason}`) return "{status} {reason}";
    const isMarkup = part.startsWith("<") || (isFixed(part, at) && (others.length > 0 || !part.includes(" ")));
    return isMarkup ? part : "{detail}";
  });
  return learned.join("");
}

/** Whether a string may be the message of an error: it has several words, and is not markup. */
export function isSentence(text: string): boolean {
  return /\p{L}\S*\s+\S/u.test(text.slice(0, 200)) && !text.startsWith("<");
}

const timestampForms = ["", ":iso-seconds", ":iso-offset", ":iso-micros", ":iso-ticks", ":iso-nanos", ":seconds"]
  .concat([":milliseconds", ":microseconds", ":seconds:text", ":milliseconds:text", ":sql", ":http", ":with-offset"])
  .concat([":without-zone", ":iso-seconds:without-zone", ":iso-micros:with-offset", ":iso-micros:without-zone"])
  .map((formats) => {
    const place = { path: "", subjects: ["answer"], parts: {}, repeats: [] } as const;
    return { formats, node: readTemplate(`{now${formats}}`, place) };
  });

/** Finds the placeholder and the format for timestamps near the time of the responses. */
export function findTimestamp(samples: readonly Sample[], { name, subjects }: Place): string | undefined {
  const isOf = (words: RegExp) => subjects.includes("page") && words.test(name);
  const placeholder = isOf(/updat|modif|chang/i) ? "updated_at" : isOf(/creat|publ/i) ? "created_at" : "now";
  const there = samples.filter(({ value }) => value !== null && value !== undefined);
  const form = timestampForms.find(({ node }) =>
    there.every(({ value, facts }) => {
      const atMs = Date.parse(String(readTemplateValue(node, value).values.now));
      if (!(Math.abs(atMs - Date.parse(facts.now)) < 2 * 86_400_000)) return false;
      return shapeOf(renderTemplate(node, { ...facts, now: new Date(atMs).toISOString() })) === shapeOf(value);
    }),
  );
  return there.length > 0 && form ? `{${placeholder}${form.formats}}` : undefined;
}

/** Replaces the digits of a value by 9, because precision beyond milliseconds is lost. */
function shapeOf(value: unknown): string {
  return `${typeof value} ${String(value).replaceAll(/\d/g, "9")}`;
}

/** Writes a placeholder, such as `{title:html}`. */
export function writePlaceholder(name: PlaceholderName, formats: readonly FormatName[]): string {
  return `{${[name, ...formats].join(":")}}`;
}

/** Similarity of a field's name to a placeholder's: 0, 1 or 2. It decides which placeholder to use if several fit. */
export function similarity(placeholder: PlaceholderName, name: string): number {
  const [key, word] = [lettersOf(name), lettersOf(placeholder.slice(placeholder.lastIndexOf(".") + 1))];
  if (key === "" || word === "") return 0;
  return key === word ? 2 : key.includes(word) ? 1 : 0;
}

/** The letters of a name in lower case, so that `meta_description` equals `metaDescription`. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}
