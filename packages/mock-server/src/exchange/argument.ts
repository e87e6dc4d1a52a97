// What a program passes, parsed by schemas.
import { checkValue, formatIssues } from "@landing-page-service/contract/internal";
import * as z from "zod";

/**
 * An argument that a function cannot take. Callers see a `TypeError`. The control API answers it with 400; any other error is a mistake
 * of the mock itself, a 500.
 */
export class ArgumentError extends TypeError {
  override name = "TypeError" as const;
}

/**
 * Parses an argument with its schema. `where` begins the message.
 *
 * @throws {ArgumentError} that names each wrong option, what was received, and the name that was most likely meant.
 */
export function parseArgument<Value>(where: string, schema: z.ZodType<Value>, given: unknown): Value {
  const result = checkValue(schema, given, "option");
  if (result.success) return result.data;
  throw new ArgumentError(formatIssues(where, result.issues));
}

/** An option that may be left out, or `undefined`. */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<Schema> {
  return schema.optional() as unknown as z.ZodExactOptional<Schema>; // why: what is `undefined` counts as left out
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

/** A function; what it takes is its caller's business. */
export function aFunction<Function extends (...given: never) => unknown>(): z.ZodType<Function> {
  return z.custom<Function>((value) => typeof value === "function", { error: "expected a function" });
}

/** An object whose values may be anything, such as what a test expects of headers. */
export function anyObject(what: string): z.ZodType<Readonly<Record<string, unknown>>> {
  return z.custom<Readonly<Record<string, unknown>>>(isObject, { error: `expected ${what}` }).meta({ type: "object" });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
