// Records that are not written as objects: rows under a row of names, pairs of name and value, an object for each field.
import { isObject, type JsonObject } from "../json.ts";
import { type Holder, holderOf } from "./holder.ts";
import { isDocumented } from "./words.ts";

/** Gives an object for an array that is one field after the other, as pairs or as objects with a name and a value; `undefined` for any other. */
export function readFieldList(list: readonly unknown[]): JsonObject | undefined {
  if (list.length < 2 || list.length > 200) return undefined;
  const pairs = list.map((each) => (isObject(each) ? readNamedValue(each) : each));
  const isRecord = pairs.every(isPair) && pairs.some(([name]) => isDocumented(name));
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
 * Gives the records of a table: an array of rows with a row of names, which is beside it or its first row. Cells may be wrapped,
 * `{ "f": [{ "v": 1 }] }`. `undefined` when it is none, or holds no documented field.
 */
export function readTable(table: readonly unknown[], beside: Holder | undefined): JsonObject[] | undefined {
  const rows: (readonly unknown[])[] = [];
  for (const each of table) {
    const row = onlyArray(each);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  const [first] = rows;
  if (first === undefined) return undefined;
  const near = beside === undefined ? [] : valuesOf(beside);
  const around = near.concat(near.filter(isObject).flatMap((each) => valuesOf(holderOf(each))));
  const headers = around.flatMap((each): (readonly unknown[])[] =>
    Array.isArray(each) && each !== table && each.length === first.length ? [each.map(columnName)] : [],
  );
  const names = [...headers, first].find(
    (row) => row.every((name) => typeof name === "string") && row.some(isDocumented),
  );
  if (names === undefined) return undefined;
  const records = names === first ? rows.slice(1) : rows;
  return records.map((row) => Object.fromEntries(row.map((cell, index) => [String(names[index]), readCell(cell)])));
}

/** The first members of an object; a row of names is not among hundreds. */
function valuesOf({ value, members }: Holder): unknown[] {
  return [...members.values()].slice(0, 50).map((name) => value[name]);
}

function columnName(column: unknown): unknown {
  return isObject(column) ? (column["name"] ?? column["label"] ?? column["key"]) : column;
}

function onlyArray(row: unknown): readonly unknown[] | undefined {
  const [only, ...others] = Array.isArray(row) ? [row] : isObject(row) ? Object.values(row) : [];
  return Array.isArray(only) && others.length === 0 ? only : undefined;
}

function readCell(cell: unknown): unknown {
  return isObject(cell) && Object.keys(cell).join() === "v" ? cell["v"] : cell;
}
