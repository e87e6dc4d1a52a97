// Lists the fields of JSON objects, and reads their values in the forms that services use.
import { isObject, parseExactJson } from "../json.ts";
import { type Name, readName } from "./names.ts";

/** The keys from the top of a JSON value to a value inside it. */
export type Path = readonly string[];

/** A value that was found, with its path. */
export interface Found<Value = unknown> {
  readonly path: Path;
  readonly value: Value;
}

/** A field of an object, with the meaning of its name. */
export type NamedField = Found & { readonly is: Name };

/** Lists the fields of an object, or the elements of an array. */
export function listFields(value: object, path: Path = []): NamedField[] {
  return Object.entries(value).map(([name, inner]) => {
    return { is: readName(name), path: [...path, name], value: untag(inner) };
  });
}

/** Reads the field with a role, the one with the surest name that can be read. Of several texts in it, the one that was sent counts. */
export function readField<Value>(
  fields: readonly NamedField[],
  role: string,
  read: (value: unknown, sent?: unknown) => Value | undefined,
  sent?: unknown,
): Found<Value> | undefined {
  let best: (Found<Value> & Pick<NamedField, "is">) | undefined;
  for (const { is, path, value: given } of fields) {
    if (is.role !== role || given === null || (best !== undefined && best.is.rank <= is.rank)) continue;
    const value = read(given, sent);
    if (value !== undefined) best = { is, path, value };
  }
  return best;
}

/** Removes the type tag of a value, and parses a string that is a JSON object or array. */
export function decode(value: unknown): unknown {
  const plain = untag(value);
  return typeof plain === "string" && /^\s*[[{]/.test(plain) ? (parseExactJson(plain) ?? plain) : plain;
}

const typeTag =
  /^(?:[SNML]|SS|NS|BOOL|\$(?:oid|date|numberLong)|(?:string|integer|double|boolean|timestamp|reference|map|array)Value)$/;

/** Returns the value in an object that only names its type, as DynamoDB, Firestore and MongoDB write it: `{ "S": "text" }`. */
function untag(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [tag = "", ...others] = Object.keys(value);
  if (others.length > 0 || !typeTag.test(tag)) return value;
  const inner = value[tag];
  return isObject(inner) ? (inner["fields"] ?? inner["values"]) : inner;
}

const language = /^[a-z]{2}(?:[-_][a-z]{2})?$/i;

/** Reads a string, also in an object or an array of one. Of several languages it takes the string that was sent, else English, else the first. */
export function readText(value: unknown, sent?: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.length === 1 ? readText(untag(value[0]), sent) : undefined;
  if (!isObject(value)) return undefined;
  const fields = listFields(value);
  const found = readField(fields, "text", readText, sent) ?? readField(fields, "content", readText, sent);
  if (found !== undefined || !Object.keys(value).every((name) => language.test(name))) return found?.value;
  const english = Object.keys(value).find((name) => /^en\b/i.test(name)) ?? "";
  const texts = [value[english], ...Object.values(value)].filter((each) => typeof each === "string");
  return texts.find((each) => each === sent) ?? texts[0];
}
