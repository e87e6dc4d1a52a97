import * as z from "zod";

/** One thing wrong with a request. */
export interface FieldProblem {
  /** Where: a JSON pointer into the body such as `#/cta/url`, or the name of a query parameter. */
  pointer: string;
  /** The rule that was broken, in words. */
  detail: string;
}

/**
 * An error body as our reference service writes it (RFC 9457).
 * Gap: the spec shows no error body, see docs/spec-gaps.md#error-body
 */
export interface Problem {
  /** Identifies the kind of problem: `about:blank` or a URI. */
  type: string;
  /** The error type of the spec's table, such as `Not Found`. */
  title: string;
  /** HTTP status, repeated. */
  status: number;
  /** What went wrong this time, in a sentence. */
  detail: string;
  /** Each wrong field, in the order of the body; absent when no field is to blame. */
  errors?: FieldProblem[] | undefined;
  /** Identifier of the request, the same as in the `X-Request-Id` header. */
  request_id?: string | undefined;
}

/** Media type of a problem body. Source: RFC 9457, section 3. */
export const problemMediaType = "application/problem+json";

/** Checks a problem body; members beyond the known ones are kept. */
export const problemSchema: z.ZodType<Problem> = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
  request_id: z.string().optional(),
});

/**
 * Checks a value against a schema and gives every wrong field, in the order of the schema; empty when all is well.
 * Each schema is compiled the first time it is used, so that a right value costs next to nothing.
 */
export function findFieldProblems(schema: z.ZodType, value: unknown): FieldProblem[] {
  let compiled = compiledSchemas.get(schema);
  if (compiled === undefined) compiledSchemas.set(schema, (compiled = z.compile(schema)));
  if (z.validate(compiled, value)) return [];
  const issues = schema.safeParse(value).error?.issues ?? [];
  return issues.map(({ path, message }) => ({
    pointer: `#${path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`,
    detail: message.replace(/^(?:Invalid input|Too small|Too big): /, ""),
  }));
}

const compiledSchemas = new WeakMap<z.ZodType, z.ZodType>();
