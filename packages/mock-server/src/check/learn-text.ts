// Learns a text in which known texts stand among others.
import {
  escapeTemplate,
  type Facts,
  type FormatName,
  type PlaceholderName,
  placeholders,
  renderPlaceholder,
} from "@landing-page-service/contract/dialect";
import type { Lesson, Sample } from "./learn.ts";

/** What may stand in a text, the longest first; numbers only behind `=` and as the last segment of a link. */
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
export function learnText(samples: readonly Sample[], lesson: Lesson): string {
  const filled = samples.filter(({ value }) => typeof value === "string" && value !== "");
  const [first] = filled;
  if (first === undefined) return "";
  if (lesson.subjects.includes("error")) return learnProse(filled, lesson);
  const text = escapeTemplate(String(first.value));
  const template = lesson.subjects.includes("list")
    ? learnQuery(filled, putIn(text, filled, lesson))
    : putIn(text, filled, lesson);
  const isVaried = filled.some(({ value }) => value !== first.value);
  if (isVaried && !template.includes("{")) lesson.note(lesson.path, first.value);
  return template;
}

function putIn(text: string, samples: readonly Sample[], { subjects }: Lesson): string {
  let template = text;
  for (const placeholder of inTexts) {
    if (!subjects.includes(placeholders[placeholder].about) || (placeholder === "path" && !subjects.includes("list")))
      continue;
    for (const formats of placeholder === "id" ? [["url"] as const] : ([[], ["url"], ["html"]] as const)) {
      const known = samples.map(({ value, facts }) => ({
        text: String(value),
        part: textOf(placeholder, formats, facts),
      }));
      const isIn = known.every(
        ({ text: whole, part }) => part.length > (placeholder === "id" ? 0 : 2) && isPart(whole, part),
      );
      const [first] = known;
      if (isIn && first !== undefined)
        template = replaceOutside(template, escapeTemplate(first.part), `{${[placeholder, ...formats].join(":")}}`);
    }
  }
  return template;
}

/** What a placeholder would write; "" for what cannot be written. */
function textOf(placeholder: PlaceholderName, formats: readonly FormatName[], facts: Facts): string {
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

function isPart(whole: string, part: string): boolean {
  return patternOf(part).test(whole);
}

/** Replaces a text wherever it stands outside of placeholders. */
function replaceOutside(template: string, part: string, placeholder: string): string {
  return template
    .split(/((?<!\{)\{[A-Za-z][\w.:]*\})/)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replaceAll(patternOf(part), () => placeholder)))
    .join("");
}

/** The numbers in the query of a link, each as the placeholder that gives it in all samples. */
function learnQuery(samples: readonly Sample[], template: string): string {
  const numbers = samples.map(({ value }) =>
    [...String(value).matchAll(/=(\d+)/g)].map(([, digits]) => Number(digits)),
  );
  let index = -1;
  return template.replaceAll(/=(\d+)/g, (written) => {
    index += 1;
    const at = index;
    const placeholder = inQueries.find((name) =>
      samples.every(({ facts }, one) => renderPlaceholder(name, [], facts) === numbers[one]?.[at]),
    );
    return placeholder === undefined ? written : `={${placeholder}}`;
  });
}

function split(value: unknown): string[] {
  return escapeTemplate(String(value)).split(/(?<=>)|(?=<)/);
}

/** What went wrong stands between tags or alone. */
function learnProse(samples: readonly Sample[], lesson: Lesson): string {
  const [first, ...others] = samples;
  const parts = split(first?.value);
  const isFixed = (part: string, at: number) => others.every(({ value }) => split(value)[at] === part);
  const { status, error } = first?.facts ?? {};
  if (parts.length === 1 && others.every(({ value }) => value === first?.value)) {
    const template = putIn(parts[0] ?? "", samples, lesson);
    return template;
  }
  return parts
    .map((part, at) => {
      if (part === `${status} ${error?.reason}`) return "{status} {reason}";
      if (part.startsWith("<")) return part;
      return isFixed(part, at) && (others.length > 0 || !part.includes(" ")) ? part : "{detail}";
    })
    .join("");
}
