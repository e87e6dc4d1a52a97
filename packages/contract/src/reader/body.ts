// Parses the text of an answer: the one place that turns bytes nobody has described into a value.
import { isObject, parseJson } from "../json.ts";

/** What the text of an answer is. */
export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "empty" }
  | { readonly kind: "html" }
  | { readonly kind: "text" };

/**
 * Parses the text of an answer. Integers beyond 2^53 come as text with all their digits, so that an identifier stays the
 * one it was. JSON of one value a line is an array, of one or none too where the media type says so.
 */
export function readBody(text: string, mediaType = ""): Body {
  const isLines = /\b(?:x-)?(?:ndjson|jsonl|jsonlines)\b/i.test(mediaType);
  const whole = parseWhole(text);
  if (isLines && (isObject(whole) || text.trim() === "")) return { kind: "json", value: [whole ?? []].flat() };
  const value = whole === undefined ? parseLines(text) : whole;
  if (value !== undefined) return { kind: "json", value };
  const start = text.slice(0, 1000).trimStart();
  if (start === "" && text.trim() === "") return { kind: "empty" };
  return {
    kind: /^<(?:!doctype\s+html|html|head|body|title|meta|script|h1|div|p|center)\b/i.test(skipComments(start))
      ? "html"
      : "text",
  };
}

/** Parses JSON with all digits of its integers; `undefined` when the text is none. */
function parseWhole(text: string): unknown {
  const value = parseJson(text);
  return value !== undefined && hasLongDigits(text) && longInteger.test(text)
    ? parseJson(quoteLongIntegers(text))
    : value;
}

/** What a text holds that is JSON itself; any other value as it is. */
export function parseInner(value: unknown): unknown {
  return typeof value === "string" && /^\s*[[{"]/.test(value.slice(0, 100)) ? (parseWhole(value) ?? value) : value;
}

const longInteger = /(?<=^|[\s:[,])-?\d{16,}(?![\d.eE])/;
const longIntegers = new RegExp(longInteger, "g");

/** Puts quotes around the integers of a JSON text whose digits a number would lose. */
function quoteLongIntegers(text: string): string {
  const pieces = text.split('"');
  let isInText = false;
  for (const [index, piece] of pieces.entries()) {
    let end = piece.length;
    while (piece[end - 1] === "\\") end -= 1;
    if (!isInText)
      pieces[index] = piece.replace(longIntegers, (digits) =>
        Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`,
      );
    // An odd number of backslashes escapes the quote behind it.
    isInText = !isInText || (piece.length - end) % 2 === 1;
  }
  return pieces.join('"');
}

/** Whether a text has sixteen digits in a row, of which one stands at a sixteenth place: next to no answer has, so a glance is all that exact digits cost. */
function hasLongDigits(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    while (at - from < 16 && isDigit(text.charCodeAt(from))) from -= 1;
    let to = at;
    while (to - from <= 16 && isDigit(text.charCodeAt(to))) to += 1;
    if (to - from > 16) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** One JSON object a line is a list of them. */
function parseLines(text: string): unknown {
  if (!/^\s*\{[^\n]*\n/.test(text)) return undefined;
  const values: unknown[] = [];
  for (const [line] of text.matchAll(/[^\n]+/g)) {
    if (line.trim() === "") continue;
    const value = parseWhole(line);
    if (!isObject(value)) return undefined;
    values.push(value);
  }
  return values.length > 1 ? values : undefined;
}

function skipComments(start: string): string {
  return start.replace(/^(?:<\?xml[^>]*>|<!--[\s\S]*?-->|\s)+/, "");
}
