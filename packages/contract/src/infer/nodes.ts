// The objects in a JSON value, and their fields by what the names say.
import { isObject, type JsonObject, parseExactJson } from "../json.ts";
import { type NameMeaning, readName } from "./names.ts";

/** The steps from the top of a JSON value to one in it. */
export type Path = readonly string[];

/** An object in a response. */
export interface JsonNode {
  readonly value: JsonObject;
  readonly path: Path;
  readonly parent: JsonNode | undefined;
  /** What it is called. */
  readonly name: NameMeaning;
  /** The name of the list that it is an element of, else its own. */
  readonly holder: NameMeaning;
  /** Its fields, and those of objects in it that say which record it is. */
  readonly fields: readonly NamedField[];
}

/** A field of an object. */
export interface NamedField {
  readonly name: NameMeaning;
  /** Its steps from the top of the JSON value. */
  readonly path: Path;
  readonly value: unknown;
}

const deepest = 7;
const mostElements = 10;

/** Pairs an object with its place in the response. */
export function makeNode(value: JsonObject, path: Path, parent?: JsonNode, holder?: NameMeaning): JsonNode {
  const name = nameAt(path);
  return { value, path, parent, name, holder: holder ?? name, fields: listFields(value, path) };
}

/** The name under which the value at a path stands. */
export function nameAt(path: Path): NameMeaning {
  return readName(path.findLast((step) => !readName(step).isPosition) ?? "data");
}

function listFields(value: JsonObject, path: Path): NamedField[] {
  const own = listOwnFields(value, path);
  if (!own.some(({ name }) => name.isField || name.isPart || name.isVersion)) return own;
  const inner = own.flatMap((field) =>
    field.name.isIdentity && isObject(field.value) ? listFields(field.value, field.path) : [],
  );
  return [...own, ...inner];
}

/** The fields of an object itself. */
export function listOwnFields(value: JsonObject, path: Path = []): NamedField[] {
  return Object.entries(value).map(([name, inner]) => ({
    name: readName(name),
    path: [...path, name],
    value: untag(inner),
  }));
}

/** Every object in a JSON value that is not under a foreign name, each before those in it. */
export function listNodes(given: unknown, path: Path = [], parent?: JsonNode, holder?: NameMeaning): JsonNode[] {
  const value = decode(given);
  if (Array.isArray(value)) {
    if (value.length > mostElements) return [];
    // An array of one wraps; more of them are positions.
    const isWrapper = value.length === 1;
    return value.flatMap((each, index) => listNodes(each, isWrapper ? path : [...path, String(index)], parent));
  }
  if (!isObject(value) || path.length > deepest) return [];
  const node = makeNode(value, path, parent, holder);
  const own = node.fields.filter(({ name, path: { length } }) => length === path.length + 1 && !name.isForeign);
  return [node, ...own.flatMap((field) => listNodes(field.value, field.path, node))];
}

/** The first field under one of these names, in their order, of which `read` makes something. */
export function findField<Value>(
  fields: readonly NamedField[],
  wanted: readonly string[],
  read: (value: unknown) => Value | undefined,
): { readonly path: Path; readonly value: Value } | undefined {
  const named = fields.filter(({ name, value }) => value !== null && wanted.includes(name.key));
  for (const key of wanted)
    for (const { name, path, value } of named) {
      const found = name.key === key ? read(value) : undefined;
      if (found !== undefined) return { path, value: found };
    }
  return undefined;
}

/** The same in an object that is a value. */
export function pick<Value>(
  object: JsonObject,
  wanted: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  return findField(listOwnFields(object), wanted, read)?.value;
}

/** Whether a field under one of these names passes a test. */
export function hasField({ fields }: JsonNode, wanted: readonly string[], test: (value: unknown) => boolean): boolean {
  return fields.some(({ name, value }) => value !== null && wanted.includes(name.key) && test(value));
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
