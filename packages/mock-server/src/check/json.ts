// Finds values in JSON whose field names are unknown.
import { toPointer } from "@landing-page-service/contract/internal";

/** The path to a part of a JSON value: names and indexes. */
export type Path = readonly string[];

/** Writes a path as a place of a dialect, such as `listPages/body/total`. A slash in a name is `~1`, as in a JSON pointer. */
export function placeOf(path: Path): string {
  return toPointer(path, "").slice(1);
}

/** Reads the path to a place of a dialect. */
export function stepsOf(place: string): Path {
  return place.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A string or number in a JSON value, as a string, and the path to it. */
export interface Leaf {
  readonly path: Path;
  readonly text: string;
}

/** Every string and number in a JSON value, in order. */
export function listLeaves(value: unknown, path: Path = []): Leaf[] {
  if (typeof value === "string" || typeof value === "number") return [{ path, text: String(value) }];
  return entriesOf(value).flatMap(([name, inner]) => listLeaves(inner, [...path, name]));
}

/** The fields of an object, or the elements of an array. Other values have none. */
export function entriesOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** The value at a path; `undefined` if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, name) => entriesOf(part).find(([own]) => own === name)?.[1], value);
}

/** Whether a JSON value contains a string: as a value, as a name, or as a whole word or slug inside another string. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === "number") return String(value) === text;
  if (typeof value !== "string")
    return entriesOf(value).some(([name, inner]) => name === text || mentions(inner, text));
  if (text === "") return false;
  for (let at = value.indexOf(text); at >= 0; at = value.indexOf(text, at + 1))
    if (!/^[\w-]/.test(value.slice(at + text.length)) && !/[\w-]$/.test(value.slice(0, at))) return true;
  return false;
}

/** Copies a value and changes every string and field name. Parts that share an object still share its copy. */
export function mapStrings<Value>(value: Value, change: (text: string) => string): Value {
  const known = new Map<unknown, unknown>();
  const map = (part: unknown): unknown => {
    if (typeof part !== "string" && (typeof part !== "object" || part === null)) return part;
    if (!known.has(part) && typeof part === "string") known.set(part, change(part));
    else if (!known.has(part)) {
      const entries = Object.entries(part).map(([name, inner]) => [map(name), map(inner)] as const);
      known.set(part, Array.isArray(part) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries));
    }
    return known.get(part);
  };
  return map(value) as Value; // why: only strings change
}
