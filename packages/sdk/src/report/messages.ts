// What a message may repeat of a text that somebody else wrote.
import type { FieldProblem } from "@landing-page-service/contract";

/** Joins problems in one line of at most 500 characters, `#/cta/url` written as `cta.url`, the way people name a field. */
export function describeFields(errors: readonly FieldProblem[]): string {
  const sentences = errors.map(({ pointer, detail }) => {
    const field = nameField(pointer);
    return field === "" ? detail : `${field}: ${detail}`;
  });
  return quote(sentences.join(", "));
}

/** The first problem of each field, by its name: `{ "cta.url": "must be an absolute URL" }`. */
export function byField(errors: readonly FieldProblem[]): Record<string, string> {
  const named = errors.map(({ pointer, detail }) => [nameField(pointer), detail] as const);
  return Object.fromEntries(named.filter(([field]) => field !== "").toReversed());
}

function nameField(pointer: string): string {
  return pointer
    .replace(/^#?\/|^#$/, "")
    .replaceAll("/", ".")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
}

/** Says what a value is where a text was expected. */
export function nameKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof Object(value).then === "function") return "a promise";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Cuts a text that somebody else wrote to what a message may quote: one line of 500 characters, control characters escaped. */
export function quote(text: string): string {
  // eslint-disable-next-line no-control-regex -- a terminal would carry them out
  const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const line = text
    .replace(/\s+/g, " ")
    .trim()
    .replace(controls, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return line.length <= 500 ? line : `${line.slice(0, 499)}…`;
}

/** Writes how long something takes the way people say it, such as `250 ms`, `57 s` or `2 h`, to two digits. */
export function describeSpan(ms: number): string {
  const [unit = "d", unitMs = 86_400_000] = spanUnits.find(([, size, most]) => ms < (most - 0.5) * size) ?? [];
  return `${Number((ms / unitMs).toPrecision(2))} ${unit}`;
}

/** Units of time: the name, its milliseconds, and of how many on the next is the better one. */
const spanUnits = [
  ["ms", 1, 995],
  ["s", 1000, 100],
  ["min", 60_000, 100],
  ["h", 3_600_000, 48],
] as const;
