// Parses the arguments of functions with schemas, and quotes values in messages.
import * as z from "zod";
import { checkValue, formatIssues } from "@landing-page-service/contract/internal";

/**
 * Thrown for a wrong argument. Callers see a `TypeError`. The control API responds with 400; any other error is a bug of the mock,
 * for which it responds with 500.
 */
export class ArgumentError extends TypeError {
  override name = "TypeError" as const;
}

/**
 * Parses an argument with its schema. `where` begins the message. `noun` is the word for the fields of the argument.
 *
 * @throws {ArgumentError} that names each wrong option, its value, and the most similar valid name.
 */
export function parseArgument<Value>(where: string, schema: z.ZodType<Value>, given: unknown, noun = "option"): Value {
  const result = checkValue(schema, given, noun);
  if (result.success) return result.data;
  throw new ArgumentError(formatIssues(where, result.issues));
}

/** An option that may be left out, or `undefined`. */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<Schema> {
  return schema.optional() as unknown as z.ZodExactOptional<Schema>; // why: `undefined` counts as left out
}

/** An integer within bounds. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): z.ZodInt {
  const range = max === Number.MAX_SAFE_INTEGER ? `an integer of ${min} or more` : `an integer from ${min} to ${max}`;
  return z
    .int({ error: `expected ${range}` })
    .min(min)
    .max(max);
}

/** Milliseconds that a timer can wait, fractions included. */
export function timerMs(): z.ZodNumber {
  const longestMs = 2 ** 31 - 1;
  return z
    .number({ error: `expected 0 to ${longestMs}` })
    .min(0)
    .max(longestMs);
}

/** Checks that a value is a function. */
export function aFunction<Function extends (...given: never) => unknown>(): z.ZodType<Function> {
  return z.custom<Function>((value) => typeof value === "function", { error: "expected a function" });
}

/** Writes a value as in a program. Asymmetric matchers are written with their expected value. */
export function showLiteral(value: unknown, around: readonly unknown[] = []): string {
  if (isPattern(value)) return String(value);
  if (isAsymmetric(value)) return showAsymmetric(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (value instanceof Promise) return "a promise: await it";
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? String(value);
  if (around.includes(value)) return "…";
  const inside = [...around, value];
  if (Array.isArray(value)) return `[${value.map((item: unknown) => showLiteral(item, inside)).join(", ")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  return `{ ${members.map(([name, member]) => `${showName(name)}: ${showLiteral(member, inside)}`).join(", ")} }`;
}

/** The end of a message about a wrong value. */
export function gotInstead(value: unknown): string {
  return `, got ${shorten(showLiteral(value), 100)}`;
}

/** Cuts a text that is longer than a message should show. */
export function shorten(text: string, longest = 200): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function showName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Some asymmetric matchers have a method that prints them, others the value that they were made with. */
function showAsymmetric(value: object): string {
  if ("toAsymmetricMatcher" in value && typeof value.toAsymmetricMatcher === "function")
    return String(value.toAsymmetricMatcher());
  const { name } = value.constructor ?? Object;
  return "sample" in value ? `${name} ${showLiteral(value.sample)}` : name;
}

/** Whether a value is an asymmetric matcher, such as `expect.any(String)` of vitest and jest. */
export function isAsymmetric(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return (
    typeof value === "object" &&
    value !== null &&
    "asymmetricMatch" in value &&
    typeof value.asymmetricMatch === "function"
  );
}

/** Whether a value is a pattern. It may be of another realm, because jest gives each test file its own `RegExp`. */
export function isPattern(value: unknown): value is RegExp {
  // `node:util` has a check for this, but takes about 4 ms to import.
  return Object.prototype.toString.call(value) === "[object RegExp]";
}
