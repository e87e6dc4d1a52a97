// Finds fields of objects in a JSON value by their names.
import { isObject, parseExactJson } from "../json.ts";
import { isNamed, readName } from "./names.ts";

/** The keys from the top of a JSON value to a value inside it. */
export type Path = readonly string[];

/** A value that was found, with its path. */
export interface Found<Value = unknown> {
  readonly path: Path;
  readonly value: Value;
}

/** A field of an object. */
export interface NamedField extends Found {
  /** Its name in lower case, without separators between words. */
  readonly key: string;
  readonly name: string;
}

/** Lists the fields of an object itself. */
export function listOwnFields(value: unknown, path: Path = []): NamedField[] {
  if (!isObject(value)) return [];
  return Object.keys(value).map((name) => {
    return { key: readName(name).key, name, path: [...path, name], value: untag(value[name]) };
  });
}

/** Lists the fields of an object, the `self` of its `links`, and the fields of objects in it that identify the record. */
export function listFields(own: readonly NamedField[]): NamedField[] {
  const fields = [...own];
  const isRecord = own.some(({ name }) => isNamed(name, "field", "part", "version"));
  for (const { key, name, path, value } of own) {
    if (!isObject(value)) continue;
    if (isRecord && isNamed(name, "identity")) fields.push(...listFields(listOwnFields(value, path)));
    if (key === "links" && "self" in value)
      fields.push({ key: "linksself", name: "self", path: [...path, "self"], value: value["self"] });
  }
  return fields;
}

/** Reads a value, or returns `undefined`; `sent` is the string that the request had for it. */
type Read<Value> = (value: unknown, sent?: unknown) => Value | undefined;

/** Finds the first field under one of these keys, in their order, that `read` can read. */
export function findField<Value>(
  fields: readonly NamedField[],
  wanted: readonly string[],
  read: Read<Value>,
  sent?: unknown,
): Found<Value> | undefined {
  for (const key of wanted)
    for (const field of fields) {
      const value = field.key === key && field.value !== null ? read(field.value, sent) : undefined;
      if (value !== undefined) return { path: field.path, value };
    }
  return undefined;
}

/** Finds a value in an object, as `findField` does in a list of fields. */
export function pick<Value>(object: unknown, wanted: readonly string[], read: Read<Value>, sent?: unknown) {
  return findField(listOwnFields(object), wanted, read, sent)?.value;
}

/** Removes the type tag of a value, and parses a string that is a JSON object or array. */
export function decode(value: unknown): unknown {
  const plain = untag(value);
  return typeof plain === "string" && /^\s*[[{]/.test(plain) ? (parseExactJson(plain) ?? plain) : plain;
}

const typeTag =
  /^(?:[SNML]|SS|NS|BOOL|\$(?:oid|date|numberLong)|(?:string|integer|double|boolean|timestamp|reference|map|array)Value)$/;

/** Returns the value in an object that only names its type, as DynamoDB, Firestore and MongoDB write it: `{ "S": "text" }`. */
export function untag(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [tag, ...others] = Object.keys(value);
  if (tag === undefined || others.length > 0 || !typeTag.test(tag)) return value;
  const inner = value[tag];
  return /^(?:map|array)Value$/.test(tag) && isObject(inner) ? (inner["fields"] ?? inner["values"]) : inner;
}
