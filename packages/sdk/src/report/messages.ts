// Writes error messages, and quotes strings from the service in them.
import type { FieldProblem } from "@landing-page-service/contract";

/** Joins problems in one line of at most 500 characters, with `cta.url` in place of `#/cta/url`. */
export function describeFields(errors: readonly FieldProblem[]): string {
  const sentences = errors.map(({ pointer, detail }) => [nameField(pointer), detail].filter(Boolean).join(": "));
  return quote(sentences.join(", "));
}

/** The first problem of each field, by the field's name: `{ "cta.url": "is required" }`. */
export function byField(errors: readonly FieldProblem[]): Record<string, string> {
  const messages = new Map<string, string>();
  for (const { pointer, detail } of errors) {
    const field = nameField(pointer);
    if (field !== "" && !messages.has(field)) messages.set(field, detail);
  }
  return Object.fromEntries(messages);
}

function nameField(pointer: string): string {
  return pointer
    .replace(/^#?\/|^#$/, "")
    .replaceAll("/", ".")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
}

/** Names the kind of a value that is not a string. */
export function nameKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof Object(value).then === "function") return "a promise";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Makes a string from the service safe to quote in a message: one line of at most 500 characters, control characters escaped. */
export function quote(text: string): string {
  // eslint-disable-next-line no-control-regex -- a terminal would act on them
  const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const line = text
    .replace(/\s+/g, " ")
    .trim()
    .replace(controls, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return line.length <= 500 ? line : `${line.slice(0, 499)}…`;
}

/** Writes a duration for people, such as `250 ms`, `57 s` or `2 h`, to two digits. */
export function describeSpan(ms: number): string {
  const [unit = "d", unitMs = 86_400_000] = spanUnits.find(([, size, most]) => ms < (most - 0.5) * size) ?? [];
  return `${Number((ms / unitMs).toPrecision(2))} ${unit}`;
}

/** Units of time: name, milliseconds, and the count from which the next unit is better. */
const spanUnits = [
  ["ms", 1, 995],
  ["s", 1000, 100],
  ["min", 60_000, 100],
  ["h", 3_600_000, 48],
] as const;
