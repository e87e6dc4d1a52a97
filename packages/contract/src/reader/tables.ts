// Records that are not written as objects: rows under a row of names, pairs of name and value, an object for each field.
import { isObject, type JsonObject } from "../json.ts";
import { fieldKeys, keyOf } from "./names.ts";

const documentedKeys: ReadonlySet<string> = new Set(Object.values(fieldKeys).flat());
const isField = (name: unknown): name is string => typeof name === "string" && documentedKeys.has(keyOf(name));

/** Gives an object for an array that is one field after the other, as pairs or as objects with a name and a value; `undefined` for any other. */
export function readFieldList(list: readonly unknown[]): JsonObject | undefined {
  if (list.length < 2 || list.length > 200) return undefined;
  const pairs = list.map((each) => (isObject(each) ? readNamedValue(each) : each));
  const isRecord = pairs.every(isPair) && pairs.some(([name]) => isField(name));
  return isRecord ? (Object.fromEntries(pairs) as JsonObject) : undefined; // why: every name is a text
}

function isPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string";
}

function readNamedValue(each: JsonObject): unknown {
  const name = each["name"] ?? each["key"] ?? each["field"] ?? each["Name"] ?? each["Key"] ?? each["k"];
  const value = ["value", "Value", "v", "stringValue"].find((member) => member in each);
  return value === undefined ? undefined : [name, each[value]];
}

/**
 * Gives the records of a table: an array of rows with a row of names, which is beside it or its first row, or an object of columns.
 * `undefined` when it is none, or holds no documented field.
 */
export function readTable(rows: readonly unknown[], beside: JsonObject | undefined): JsonObject[] | undefined {
  const [first] = rows;
  if (!Array.isArray(first) || !rows.every((row): row is unknown[] => Array.isArray(row))) return undefined;
  const headers = Object.values(beside ?? {}).flatMap((each): (readonly unknown[])[] => {
    if (!Array.isArray(each) || each === rows || each.length !== first.length) return [];
    return [
      each.map((column: unknown) => (isObject(column) ? (column["name"] ?? column["label"] ?? column["key"]) : column)),
    ];
  });
  const names = [...headers, first].find((row) => row.some(isField) && row.every((name) => typeof name === "string"));
  if (names === undefined) return undefined;
  const records = names === first ? rows.slice(1) : rows;
  return records.map((row) => Object.fromEntries(row.map((value: unknown, index) => [String(names[index]), value])));
}
