// Parses, checks and freezes JSON values, and decodes text.
/** Parses a string as JSON; `undefined` when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Decodes percent-encoded UTF-8; `undefined` when it is invalid. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A value that JSON can represent. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A read-only JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON. An integer that a double cannot hold becomes a string with all its digits. Returns `undefined` when the text is not JSON. */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""), hasLongNumber.test(text) ? keepDigits : undefined);
  } catch {
    return undefined;
  }
}

/** Matches a number of 16 digits or more outside of strings. Only these need the reviver, which makes parsing many times slower. */
const hasLongNumber = /(?:^|[\s[:,])-?\d{16}/;

function keepDigits(_name: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

/** Whether a text begins like an HTML document. */
export function isHtml(text: string): boolean {
  const start = text.slice(0, 1000).replace(/^(?:<\?xml[^>]*>|<!--[\s\S]*?-->|\s)+/, "");
  return /^<(?:!doctype\s+html|html|head|body|title|meta|script|h1|div|p|center)\b/i.test(start);
}

/**
 * Freezes a value and all arrays and plain objects in it, because callers share it, and returns it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function freezeDeep<Value>(value: Value): Value {
  if (isPlain(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freezeDeep(member);
  }
  return value;
}

/** Whether a value is an array or an object without a class. It may be of another realm, because jest gives each test file its own. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Deepest nesting to accept. No service nests deeper, and many JSON parsers refuse more. */
const mostDepth = 100;

/**
 * Describes how a JSON text exceeds the limits, before it is parsed: nesting deeper than 100, or more objects, arrays and elements
 * than `mostValues`; `undefined` when it does not. A small compressed body can hold very many of them, each of which costs memory.
 */
export function findExcess(text: string, mostValues: number): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '"') at = endOfString(text, at);
    else if (letter === "]" || letter === "}") depth -= 1;
    else if (letter === "," || letter === "[" || letter === "{") {
      values += 1;
      if (letter !== ",") depth += 1;
      if (depth > mostDepth) return `a body nested deeper than ${mostDepth}`;
      if (values > mostValues) return `a body of more than ${Math.floor(mostValues)} values`;
    } else if (values === 0 && !/\s/.test(letter)) return undefined; // not JSON
  }
  return undefined;
}

/** Finds the end of the string that begins at `start`; the end of the text if the string does not end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charAt(end - 1 - slashes) === "\\") slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
