// Learns a text in which known texts stand among others, and the form of a timestamp.
import {
  escapeTemplate,
  type FormatName,
  type PlaceholderName,
  placeholders,
  renderPlaceholder,
  readTemplate,
  renderTemplate,
} from "@landing-page-service/contract/dialect";
import { readTemplateValue } from "@landing-page-service/contract/internal";
import type { Place, Sample } from "./learn.ts";

/** What may stand in a text, the longest first. */
const inTexts: readonly PlaceholderName[] = [
  "origin",
  "domain.url",
  "alias.url",
  "cta.url",
  "content",
  "meta_description",
  "title",
  "cta.label",
  "domain.path",
  "domain.name",
  "alias.name",
  "slug",
  "event.pageId",
  "id",
  "path",
  "host",
  "error.pointer",
  "error.field",
];
/** Numbers that may stand in the query of a link. */
const inQueries: readonly PlaceholderName[] = [
  "next_offset",
  "previous_offset",
  "limit",
  "offset",
  "total",
  "page_number",
  "page_count",
];

/** The text of the first sample with every known text in it as a placeholder. */
export function learnText(samples: readonly Sample[], place: Place): string {
  const filled = samples.filter(({ value }) => typeof value === "string" && value !== "");
  const [first, ...others] = filled;
  if (first === undefined) return "";
  const isSame = others.every(({ value }) => value === first.value);
  const parts = split(first.value);
  if (place.subjects.includes("error") && !(parts.length === 1 && isSame)) return learnProse(filled, parts);
  let template = putIn(escapeTemplate(String(first.value)), filled, place);
  if (place.subjects.includes("list")) template = putInQuery(template, filled);
  if (!isSame && !template.includes("{")) place.note(place.path, first.value);
  return template;
}

function putIn(text: string, samples: readonly Sample[], { subjects }: Place): string {
  let template = text;
  for (const placeholder of inTexts) {
    if (!subjects.includes(placeholders[placeholder].about) || (placeholder === "path" && !subjects.includes("list")))
      continue;
    for (const formats of placeholder === "id" ? [["url"] as const] : ([[], ["url"], ["html"]] as const)) {
      const parts = samples.map((sample) => textOf(placeholder, formats, sample));
      const isIn = parts.every(
        (part, index) =>
          part.length > (placeholder === "id" ? 0 : 2) && patternOf(part).test(String(samples[index]?.value)),
      );
      const pattern = patternOf(escapeTemplate(parts[0] ?? ""));
      // Only outside of the placeholders that stand there already.
      if (isIn)
        template = template
          .split(/((?<!\{)\{[A-Za-z][\w.:]*\})/)
          .map((piece, index) =>
            index % 2 === 1 ? piece : piece.replaceAll(pattern, () => `{${[placeholder, ...formats].join(":")}}`),
          )
          .join("");
    }
  }
  return template;
}

/** What a placeholder would write; "" for what cannot be written. */
function textOf(placeholder: PlaceholderName, formats: readonly FormatName[], { facts }: Sample): string {
  try {
    const value = renderPlaceholder(placeholder, formats, facts);
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  } catch {
    return "";
  }
}

function patternOf(part: string): RegExp {
  const escaped = part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  // A slug goes on behind a hyphen; a number in front of one may well be an identifier.
  const edge = /^\w/.test(part) ? "(?<!\\w)" : "";
  return new RegExp(`${edge}${escaped}(?!\\w${/^\d+$/.test(part) ? "" : "|-\\w"})`, "g");
}

/** The numbers in the query of a link, each as the placeholder that gives it in all samples. */
function putInQuery(template: string, samples: readonly Sample[]): string {
  const numbers = samples.map(({ value }) =>
    [...String(value).matchAll(/=(\d+)/g)].map(([, digits]) => Number(digits)),
  );
  let next = 0;
  return template.replaceAll(/=(\d+)/g, (written) => {
    const at = next++;
    const isIn = (placeholder: PlaceholderName) =>
      samples.every(({ facts }, index) => renderPlaceholder(placeholder, [], facts) === numbers[index]?.[at]);
    const placeholder = inQueries.find(isIn);
    return placeholder === undefined ? written : `={${placeholder}}`;
  });
}

function split(text: unknown): string[] {
  return escapeTemplate(String(text)).split(/(?<=>)|(?=<)/);
}

/** An error message is between tags or alone. */
function learnProse([first, ...others]: readonly Sample[], parts: readonly string[]): string {
  const { status, error } = first?.facts ?? {};
  const isFixed = (part: string, at: number) => others.every(({ value }) => split(value)[at] === part);
  const learned = parts.map((part, at) => {
    if (part === `${status} ${error?.reason}`) return "{status} {reason}";
    return part.startsWith("<") || (isFixed(part, at) && (others.length > 0 || !part.includes(" ")))
      ? part
      : "{detail}";
  });
  return learned.join("");
}

const forms = [
  "",
  ":iso-seconds",
  ":iso-offset",
  ":iso-micros",
  ":iso-ticks",
  ":iso-nanos",
  ":seconds",
  ":milliseconds",
]
  .concat([":microseconds", ":seconds:text", ":milliseconds:text", ":sql", ":http", ":with-offset", ":without-zone"])
  .concat([":iso-seconds:without-zone", ":iso-micros:with-offset", ":iso-micros:without-zone"])
  .map((formats) => ({
    formats,
    node: readTemplate(`{now${formats}}`, { path: "", subjects: ["answer"], parts: {}, repeats: [] }),
  }));

/** A placeholder for timestamps near the time of the responses, in the form in which they are written. */
export function findTimestamp(samples: readonly Sample[], { name, subjects }: Place): string | undefined {
  const isOf = (words: RegExp) => subjects.includes("page") && words.test(name);
  const placeholder = isOf(/updat|modif|chang/i) ? "updated_at" : isOf(/creat|publ/i) ? "created_at" : "now";
  const there = samples.filter(({ value }) => value !== null && value !== undefined);
  const form = forms.find(({ node }) =>
    there.every(({ value, facts }) => {
      const atMs = Date.parse(String(readTemplateValue(node, value).values.now));
      if (!(Math.abs(atMs - Date.parse(facts.now)) < 2 * 86_400_000)) return false;
      const now = new Date(atMs).toISOString();
      return shapeOf(renderTemplate(node, { ...facts, now })) === shapeOf(value);
    }),
  );
  return there.length > 0 && form ? `{${placeholder}${form.formats}}` : undefined;
}

/** Precision beyond milliseconds is not kept. */
function shapeOf(value: unknown): string {
  return `${typeof value} ${String(value).replaceAll(/\d/g, "9")}`;
}
