// The objects in a JSON value, and their fields by what the names say.
import { isObject, type JsonObject, parseExactJson } from "../json.ts";
import { isPosition, keyOf, type NameMeaning, readName } from "./names.ts";

/** The steps from the top of a JSON value to one in it. */
export type Path = readonly string[];

/** An object in a response. */
export interface JsonNode {
  readonly value: JsonObject;
  readonly path: Path;
  readonly parent: JsonNode | undefined;
  /** Its fields, and those of objects in it that say which record it is. */
  readonly fields: readonly NamedField[];
  /** Name of the list that it is an element of. */
  readonly listName?: string | undefined;
}

/** A field of an object. */
export interface NamedField extends NameMeaning {
  /** Its steps from the top of the JSON value. */
  readonly path: Path;
  readonly value: unknown;
}

const deepest = 7;
const mostElements = 10;

/** Pairs an object with its place in the response. */
export function makeNode(value: JsonObject, path: Path, parent?: JsonNode, listName?: string): JsonNode {
  return { value, path, parent, fields: listFields(value, path), listName };
}

function listFields(value: JsonObject, path: Path): NamedField[] {
  const own = Object.entries(value).map(([name, inner]) => nameField(name, untag(inner), path));
  if (!own.some(({ isField, isPart, isVersion }) => isField || isPart || isVersion)) return own;
  const inner = own.flatMap((field) =>
    field.isIdentity && isObject(field.value) ? listFields(field.value, field.path) : [],
  );
  return [...own, ...inner];
}

/** A field of the object at a path. */
export function nameField(name: string, value: unknown, path: Path): NamedField {
  return { ...readName(name), path: [...path, name], value };
}

/** Every object in a JSON value that is not under a foreign name, each before those in it. */
export function listNodes(given: unknown, path: Path = [], parent?: JsonNode, listName?: string): JsonNode[] {
  const value = decode(given);
  if (Array.isArray(value)) {
    if (value.length > mostElements) return [];
    // An array of one wraps; more of them are positions.
    return value.flatMap((each, index) =>
      listNodes(each, value.length === 1 ? path : [...path, String(index)], parent),
    );
  }
  if (!isObject(value) || path.length > deepest) return [];
  const node = makeNode(value, path, parent, listName);
  const inner = node.fields.filter((field) => field.path.length === path.length + 1 && !field.isForeign);
  return [node, ...inner.flatMap((field) => listNodes(field.value, field.path, node))];
}

/** The name under which a node stands. */
export function nameOf({ path }: JsonNode): NameMeaning {
  return readName(path.findLast((step) => !isPosition(step)) ?? "data");
}

/** The first field under one of these names, in their order, of which `read` makes something. */
export function findField<Value>(
  { fields }: { readonly fields: readonly Pick<NamedField, "key" | "path" | "value">[] },
  wanted: readonly string[],
  read: (value: unknown) => Value | undefined,
) {
  for (const name of wanted)
    for (const { key, path, value } of fields) {
      const found = key === name && value !== null ? read(value) : undefined;
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
  return findField({ fields: listPlainFields(object) }, wanted, read)?.value;
}

/** The fields of an object that is a value: what their names say does not matter. */
export function listPlainFields(object: JsonObject): Pick<NamedField, "key" | "path" | "value">[] {
  return Object.entries(object).map(([name, value]) => ({ key: keyOf(name), path: [name], value: untag(value) }));
}

/** Whether a field under one of these names passes a test. */
export function hasField(node: JsonNode, wanted: readonly string[], test: (value: unknown) => boolean): boolean {
  return findField(node, wanted, (value) => test(value) || undefined) !== undefined;
}

/** The value at a path, through arrays of one and through JSON in texts. */
export function resolve(given: unknown, path: Path): unknown {
  let value = given;
  for (const step of path) {
    value = decode(value);
    while (Array.isArray(value) && value.length === 1 && !isPosition(step)) value = decode(value[0]);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as JsonObject)[step]; // why: an array has its elements by position
  }
  return untag(value);
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
