// Parses what a service sent, and walks through it: the one place that touches JSON nobody has described.
import { isObject, type JsonObject, parseJson } from "../json.ts";
import { readFieldList, readTable } from "./tables.ts";
import { fieldKeys, innerKeys, keyOf } from "./names.ts";

/** What the text of an answer is. */
export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "empty" }
  | { readonly kind: "html" }
  | { readonly kind: "text" };

/**
 * Parses the text of an answer; `parsed` is its value where the platform has parsed it already. Integers beyond 2^53 come as text with all their digits, so that an identifier stays the one
 * it was; an answer nested deeper than the platform can do that for keeps them as they are parsed, and no identifier is read from those.
 */
export function readBody(text: string, parsed: unknown = parseJson(text)): Body {
  const whole = withDigits(text, parsed);
  const value = whole === undefined ? parseLines(text) : whole;
  if (value !== undefined) return { kind: "json", value };
  const start = text.slice(0, 1000).trimStart();
  if (start === "" && text.trim() === "") return { kind: "empty" };
  return {
    kind: /^<(?:!doctype\s+html|html|head|body|title|meta|script|h1|div|p|center)\b/i.test(skipComments(start))
      ? "html"
      : "text",
  };
}

/** Parses JSON with all digits of its integers; `undefined` when the text is none. */
export function parseWhole(text: string): unknown {
  return withDigits(text, parseJson(text));
}

function withDigits(text: string, value: unknown): unknown {
  return value !== undefined && /(?:^|[:[,])\s*-?\d{16}/.test(text) ? parseExactly(text, value) : value;
}

/** One JSON object a line is a list of them. */
function parseLines(text: string): unknown {
  if (!/^\s*\{[^\n]*\}\s*\n\s*\{/.test(text)) return undefined;
  const values = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseWhole);
  return values.includes(undefined) ? undefined : values;
}

function parseExactly(text: string, parsed: unknown): unknown {
  try {
    return JSON.parse(text, keepDigits) as unknown; // why: what JSON holds is unknown
  } catch {
    return parsed; // nested too deep for the platform to visit
  }
}

function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}

function skipComments(start: string): string {
  return start.replace(/^(?:<\?xml[^>]*>|<!--[\s\S]*?-->|\s)+/, "");
}

/** An object of an answer, and where it is. */
export interface Holder {
  readonly value: JsonObject;
  /** Names on the way to it from the top; an index for the single element of an array. */
  readonly path: readonly string[];
  /** The object around it. */
  readonly above: Holder | undefined;
  /** Its members by key, the way names are compared; of a very large object the first thousand. */
  readonly members: ReadonlyMap<string, string>;
  /** Whether it is an element of an array beside others: then it is only the page when it says so. */
  readonly isOneOfSeveral?: boolean;
}

const mostMembers = 1000;
const mostHolders = 500;
const deepest = 5;

/** Makes a holder of an object. */
export function holderOf(value: JsonObject, path: readonly string[] = [], above?: Holder): Holder {
  const members = new Map<string, string>();
  let count = 0;
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if ((count += 1) > mostMembers) break;
    const key = keyOf(name);
    // The plainest spelling wins: `id` over `_id`.
    if (!members.has(key) || name === key) members.set(key, name);
  }
  return { value, path, above, members };
}

/** The value of the first of these keys that an object has; `undefined` when it has none of them or only `null`. */
export function member(holder: Holder, keys: readonly string[]): { name: string; value: unknown } | undefined {
  for (const key of keys) {
    const name = holder.members.get(key);
    const value = name === undefined ? undefined : holder.value[name];
    if (name !== undefined && value !== undefined && value !== null) return { name, value };
  }
  return undefined;
}

/**
 * Gives an object and those inside it, breadth first and each once; arrays of one and JSON in a text count as what they hold.
 * What `enters` refuses is left out with all that is in it; short arrays are entered on request. Bounded, whatever the answer.
 */
export function holdersIn(
  tops: Holder | readonly Holder[],
  enters: (name: string) => boolean,
  entersArrays = false,
): Holder[] {
  const holders = [tops].flat();
  const start = holders[0]?.path.length ?? 0;
  for (let index = 0; index < holders.length && holders.length < mostHolders; index += 1) {
    const holder = holders[index];
    if (holder === undefined || holder.path.length - start >= deepest) continue;
    for (const [key, name] of holder.members) {
      if (notEntered.has(key) || !enters(name)) continue;
      const value = holder.value[name];
      const table = entersArrays && Array.isArray(value) ? readTable(value, holder.value) : undefined;
      const inner = unwrap(table ?? value, [...holder.path, name]);
      if (isObject(inner.value)) holders.push(holderOf(inner.value, inner.path, holder));
      else if (entersArrays && Array.isArray(inner.value)) holders.push(...severalIn(inner.value, inner.path, holder));
    }
  }
  return holders;
}

/** Makes holders of the objects in a short array, of which one may be the page that is looked for. */
export function severalIn(array: readonly unknown[], path: readonly string[], above?: Holder): Holder[] {
  if (array.length < 2 || array.length > 10) return [];
  return array.flatMap((each, index) =>
    isObject(each) ? [{ ...holderOf(each, [...path, String(index)], above), isOneOfSeveral: true }] : [],
  );
}

/** Fields of a page that are objects at times, and hold no page then. */
const notEntered: ReadonlySet<string> = new Set([
  ...fieldKeys.title,
  ...fieldKeys.slug,
  ...fieldKeys.meta_description,
  ...fieldKeys.cta,
]);

/** Takes a value out of arrays of one, and out of a text that is JSON itself. */
export function unwrap(value: unknown, path: readonly string[]): { value: unknown; path: readonly string[] } {
  let inner = { value, path };
  for (let level = 0; level < 4; level += 1) {
    const record = Array.isArray(inner.value) ? readFieldList(inner.value) : undefined;
    if (record !== undefined) inner = { value: record, path: inner.path };
    else if (Array.isArray(inner.value) && inner.value.length === 1)
      inner = { value: inner.value[0], path: [...inner.path, "0"] };
    else if (typeof inner.value === "string" && /^\s*\{\s*"/.test(inner.value.slice(0, 100)))
      inner = { value: parseWhole(inner.value), path: inner.path };
    else break;
  }
  return inner;
}

/** Objects right inside a holder that hold its identifier and its moments. */
export function innerHolders(holder: Holder, keys = innerKeys): Holder[] {
  return [...holder.members].flatMap(([key, name]) => {
    const value = holder.value[name];
    return (keys.has(key) || name === "$") && isObject(value) ? [holderOf(value, [...holder.path, name], holder)] : [];
  });
}

/** Writes a place as a JSON pointer. Source: RFC 6901, section 6. */
export function pointerOf(path: readonly string[]): string {
  return ["#", ...path.map((name) => name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1"))].join("/");
}
