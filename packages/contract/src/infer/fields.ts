// Lists the fields of JSON objects, and reads their values in the forms that services use.
import { isObject, parseExactJson } from "../json.ts";
import { readName, type Role } from "./names.ts";

/** The keys from the top of a JSON value to a value inside it. */
export type Path = readonly string[];

/** A value that was found, with its path. */
export interface Found<Value = unknown> {
  readonly path: Path;
  readonly value: Value;
}

/** A field of an object, with the meaning of its name. */
export type NamedField = Found & ReturnType<typeof readName>;

/** Lists the fields of an object, or the elements of an array. */
export function listFields(value: object, path: Path = []): NamedField[] {
  return Object.entries(value).map(([name, inner]) => makeField(name, inner, path));
}

/** Makes a field of the object or array at a path. */
function makeField(name: string, value: unknown, path: Path): NamedField {
  return { ...readName(name), path: [...path, name], value: untag(value) };
}

/** Reads the field with a role. Of several, it is the one with the surest name that can be read. */
export function readField<Value>(
  fields: readonly NamedField[],
  role: Role,
  read: (value: unknown) => Value | undefined,
): Found<Value> | undefined {
  let best: (Found<Value> & { readonly rank: number }) | undefined;
  for (const { path, value: given, role: own, rank } of fields) {
    if (own !== role || given === null || (best !== undefined && best.rank <= rank)) continue;
    const value = read(given);
    if (value !== undefined) best = { path, value, rank };
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
  const tags = Object.keys(value);
  const [tag = ""] = tags;
  if (tags.length !== 1 || !typeTag.test(tag)) return value;
  const inner = value[tag];
  return /^(?:map|array)Value$/.test(tag) && isObject(inner) ? (inner["fields"] ?? inner["values"]) : inner;
}

/** Reads a string, also in an object or an array of one. Of several languages it takes the string that was sent, else English, else the first. */
export function readText(value: unknown, sent?: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.length === 1 ? readText(untag(value[0]), sent) : undefined;
  if (!isObject(value)) return undefined;
  const areLanguages = Object.keys(value).every((name) => /^[a-z]{2}(?:[-_][a-z]{2})?$/i.test(name));
  const languages = areLanguages ? Object.keys(value) : [];
  const english = languages.find((name) => /^en\b/i.test(name)) ?? "";
  const texts = [english, ...languages].map((name) => value[name]);
  const text = texts.find((each) => each === sent) ?? texts.find((each) => typeof each === "string");
  const fields = listFields(value);
  const read = (each: unknown) => readText(each, sent);
  const found = readField(fields, "text", read) ?? readField(fields, "content", read);
  return found?.value ?? (typeof text === "string" ? text : undefined);
}
