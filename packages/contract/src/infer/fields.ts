// Fields of objects in a JSON value, by what their names say.
import { isObject, parseExactJson } from "../json.ts";
import { isNamed, readName } from "./names.ts";

/** The steps from the top of a JSON value to one in it. */
export type Path = readonly string[];

/** A value that was found, and where. */
export interface Found<Value = unknown> {
  readonly path: Path;
  readonly value: Value;
}

/** A field of an object. */
export interface NamedField extends Found {
  /** Its name in lower case, without signs between words. */
  readonly key: string;
  readonly name: string;
}

/** The fields of an object itself. */
export function listOwnFields(value: unknown, path: Path = []): NamedField[] {
  if (!isObject(value)) return [];
  return Object.keys(value).map((name) => {
    return { key: readName(name).key, name, path: [...path, name], value: untag(value[name]) };
  });
}

/** The fields of an object, the `self` of its `links`, and the fields of objects in it that say which record it is. */
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

/** Makes something of a value, or nothing; `sent` is the text of the request that may be meant. */
type Read<Value> = (value: unknown, sent?: unknown) => Value | undefined;

/** The first field under one of these keys, in their order, of which `read` makes something. */
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

/** The same in an object that is a value. */
export function pick<Value>(object: unknown, wanted: readonly string[], read: Read<Value>, sent?: unknown) {
  return findField(listOwnFields(object), wanted, read, sent)?.value;
}

/** A value without its type tag, and a text that is a JSON object or array as that. */
export function decode(value: unknown): unknown {
  const plain = untag(value);
  return typeof plain === "string" && /^\s*[[{]/.test(plain) ? (parseExactJson(plain) ?? plain) : plain;
}

const typeTag =
  /^(?:[SNML]|SS|NS|BOOL|\$(?:oid|date|numberLong)|(?:string|integer|double|boolean|timestamp|reference|map|array)Value)$/;

/** The value in an object that only names its type, as DynamoDB, Firestore and MongoDB write it: `{ "S": "text" }`. */
export function untag(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [tag, ...others] = Object.keys(value);
  if (tag === undefined || others.length > 0 || !typeTag.test(tag)) return value;
  const inner = value[tag];
  return /^(?:map|array)Value$/.test(tag) && isObject(inner) ? (inner["fields"] ?? inner["values"]) : inner;
}
