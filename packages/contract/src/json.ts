/** The value that a text holds as JSON; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON object, read and never written. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells a JSON object from every other value. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON. An integer that a double cannot hold becomes text with all its digits. `undefined` when the text is not JSON. */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""), hasLongNumber.test(text) ? keepDigits : undefined);
  } catch {
    return undefined;
  }
}

/** A number of 16 digits or more, outside of a text: the reviver that keeps its digits makes parsing many times slower. */
const hasLongNumber = /(?:^|[\s[:,])-?\d{16}/;

function keepDigits(_name: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

/** What the text of a response is. */
export type Body = { readonly kind: "json"; readonly value: unknown } | { readonly kind: "empty" | "html" | "text" };

/** Parses the text of a response, with all digits of its integers. */
export function readBody(text: string): Body {
  const value = parseExactJson(text);
  if (value !== undefined) return { kind: "json", value };
  if (text.trim() === "") return { kind: "empty" };
  const start = text.slice(0, 1000).replace(/^(?:<\?xml[^>]*>|<!--[\s\S]*?-->|\s)+/, "");
  const isHtml = /^<(?:!doctype\s+html|html|head|body|title|meta|script|h1|div|p|center)\b/i.test(start);
  return { kind: isHtml ? "html" : "text" };
}
