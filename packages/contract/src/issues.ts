import en from "zod/v4/locales/en.js";
import * as z from "zod/mini";
import { nearest } from "./nearest.ts";

/** One thing wrong with a value. */
export interface Issue {
  /** The path to the field, from the outside in; empty for the value itself. */
  readonly path: readonly PropertyKey[];
  /** The rule that the field breaks, what was received, and the name that was most likely meant. */
  readonly message: string;
}

/** A value that fits its schema, or its issues. */
export type CheckedValue<Value> =
  | { readonly success: true; readonly data: Value }
  /** At most 100 issues, and how many there are in all. */
  | { readonly success: false; readonly issues: readonly Issue[]; readonly total: number };

/** Most issues to report. A body can contain very many unknown names, and the search for the name that was meant takes a while for each. */
const mostIssues = 100;

/**
 * Parses a value with a schema. It adds the received value to a message that begins with `expected`: a string or a number
 * unchanged, an object by its kind only, because it may contain secrets. Any other message is used unchanged.
 *
 * @param noun - the word for a name in an object, such as `option`.
 */
export function checkValue<Value>(schema: z.core.$ZodType<Value>, value: unknown, noun = "field"): CheckedValue<Value> {
  const known = new Map<readonly string[], Shape>();
  const result = z.safeParse(schema, value, {
    reportInput: true,
    error(issue) {
      // The finished issue no longer says which schema found it.
      const object = issue.inst?._zod.def;
      if (issue.code === "unrecognized_keys" && object !== undefined && "shape" in object)
        known.set(issue.keys, Object(object.shape));
      return localeError(issue);
    },
  });
  if (result.success) return result;
  const issues = result.error.issues.flatMap((issue) => describe(issue, known, noun));
  return { success: false, issues: issues.slice(0, mostIssues), total: countIssues(result.error.issues) };
}

const { localeError } = en();

/** Formats issues as one sentence, or as a list with one sentence per line. The result begins with `where`. */
export function formatIssues(where: string, issues: readonly Issue[]): string {
  const sentences = issues.slice(0, mostSentences).map(({ path, message }) => {
    return path.length === 0 ? message : `${formatPath(path)}: ${message}`;
  });
  const more = issues.length - sentences.length;
  if (more > 0) sentences.push(`and ${more} more`);
  return sentences.length === 1 ? `${where}: ${sentences[0]}` : [`${where}:`, ...sentences].join("\n  ");
}

/** Most sentences in a message. A value with more issues is probably a different kind of value. */
const mostSentences = 20;

/** Formats the path to a field as code does: `accounts[0].keys`. */
export function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key).slice(0, 100)}`)).join("");
  return text.replace(/^\./, "");
}

/** Writes the end of a message about a wrong name. It names the known one that was most likely meant; empty when none is near. */
export function suggest(wrong: unknown, known: Iterable<string>): string {
  const meant = typeof wrong === "string" ? nearest(wrong, known) : undefined;
  return meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;
type KnownShapes = ReadonlyMap<readonly string[], Shape>;

function describe(issue: z.core.$ZodIssue, known: KnownShapes, noun: string): Issue[] {
  if (issue.code === "unrecognized_keys") {
    const shape = known.get(issue.keys);
    if (shape === undefined) return [{ path: issue.path, message: issue.message }];
    const names = Object.keys(shape);
    return issue.keys.slice(0, mostIssues).map((key) => {
      const outer = names.find((name) => namesInside(shape[name]).includes(key));
      const meant = suggest(outer ? `${outer}.${key}` : key, outer ? [`${outer}.${key}`] : names);
      return { path: [...issue.path, key], message: `unknown ${noun}${meant || `; known are ${names.join(", ")}`}` };
    });
  }
  const branch = issue.code === "invalid_union" ? findBranch(issue.errors) : undefined;
  if (branch === undefined) return [{ path: issue.path, message: completeMessage(issue) }];
  const inside = branch.flatMap((inner) => describe(inner, known, noun));
  return inside.map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
}

/** The names of an object schema, also inside an optional one or a union. */
function namesInside(schema: z.core.$ZodType | undefined): string[] {
  const { shape, innerType, options = [] } = Object(schema?._zod.def) as Partial<Parts>; // why: each kind of schema has other parts
  return [
    ...Object.keys(shape ?? {}),
    ...[innerType, ...options].flatMap((inner) => (inner ? namesInside(inner) : [])),
  ];
}

interface Parts {
  readonly shape: Shape;
  readonly innerType: z.core.$ZodType;
  readonly options: readonly z.core.$ZodType[];
}

/** Finds the branch of a union that the value was meant for. Its kind fits, and only something inside is wrong. */
function findBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  return branches
    .filter((issues) => issues.length > 0 && !issues.some(isOtherKind))
    .toSorted((one, other) => one.length - other.length)[0];
}

function isOtherKind({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value");
}

function completeMessage(issue: z.core.$ZodIssue): string {
  const rule = issue.message
    .replace(/^(?:Invalid (?:input|option)|Too (?:small|big)): /, "")
    .replace(/, received .*$/s, "")
    .replace(/^expected int$/, "expected integer")
    .replace(/^expected (?:\w+ to have|(number) to be) ([<>]=?)(.+)$/, describeBound);
  if (issue.input === undefined && issue.path.length > 0)
    return rule === "expected string" ? "is required" : `is required; ${rule}`;
  if (!rule.startsWith("expected")) return rule;
  const hint = issue.code === "invalid_value" ? suggest(issue.input, issue.values.map(String)) : "";
  return `${rule}, got ${describeReceived(issue.input)}${hint}`;
}

const bounds: Readonly<Record<string, string>> = {
  ">=": "at least",
  "<=": "at most",
  ">": "more than",
  "<": "less than",
};

/** Writes a limit of zod in words: `expected at least 1 character`, `expected a number of at least 1`. */
function describeBound(_rule: string, number: string | undefined, sign: string, limit: string): string {
  const noun = number === undefined ? "" : "a number of ";
  return `expected ${noun}${bounds[sign]} ${limit.replace(/^1 (\w+)s$/, "1 $1")}`;
}

function countIssues(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);
}

const longestQuote = 100;

/** Describes a value: a string or a number in full, an object by its kind only. */
export function describeReceived(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return String(value);
  return "then" in value && typeof value.then === "function" ? "a promise: await it" : "an object";
}
