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
