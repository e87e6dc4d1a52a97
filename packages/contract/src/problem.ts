import * as z from "zod/mini";
import { checkValue } from "./issues.ts";
import { lettersOf } from "./nearest.ts";

/** One thing wrong with a request. */
export interface FieldProblem {
  /** Where: a JSON pointer into the body such as `#/cta/url`, or the name of a query parameter. */
  pointer: string;
  /** The rule that was broken, in words. */
  detail: string;
}

/**
 * An error body as the mock server writes it (RFC 9457).
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
  /** Each wrong field, in the order of the body; absent when no field is wrong. */
  errors?: FieldProblem[] | undefined;
  /** Identifier of the request, the same as in the `X-Request-Id` header. */
  request_id?: string | undefined;
}

/** Media type of a problem body. Source: RFC 9457, section 3. */
export const problemMediaType = "application/problem+json";

/** Checks a problem body. Unknown fields are kept. */
export const problemSchema: z.ZodMiniType<Problem> = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z.optional(z.array(z.looseObject({ pointer: z.string(), detail: z.string() }))),
  request_id: z.optional(z.string()),
});

/** Checks a value against a schema and returns the wrong fields, at most 100, in the order of the schema; empty if there are none. */
export function findFieldProblems(schema: z.ZodMiniType, value: unknown): FieldProblem[] {
  const checked = checkValue(schema, value);
  if (checked.success) return [];
  return checked.issues.map(({ path, message }) => ({ pointer: toPointer(path), detail: message }));
}

/** Writes the steps to a part of a JSON value as a JSON pointer, such as `#/cta/url`; `base` leads to that value. Source: RFC 6901, section 3. */
export function toPointer(path: readonly PropertyKey[], base = "#"): string {
  return base + path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The fields of a page and of an event, and the parameters of a list, by the letters of their names. */
const documented = new Map(
  "#/title #/content #/slug #/meta_description #/cta #/cta/type #/cta/label #/cta/url #/pageId #/timestamp limit offset"
    .split(" ")
    .map((pointer) => [lettersOf(pointer), pointer]),
);
/** Names that a service writes before the name of a field, such as `data` in `/data/cta/url`. */
const wrapper =
  /^(?:body|data|attributes|fields|properties|spec|query|path|params?|payload|root|(?:landing)?page|arg\d|(?:create|update)\w*|\w*(?:dto|request|input))$/;

/**
 * Finds the documented field that a service means by a name, whatever its spelling: `Cta.Url` and `/data/attributes/cta/url` are
 * `#/cta/url`. Empty if the name is that of the whole body; `undefined` if no field is certain.
 */
export function findDocumentedField(name: string): string | undefined {
  const steps = name
    .split(/[^\p{L}\p{N}_-]+/u)
    .map(lettersOf)
    .filter(Boolean);
  for (const [index, step] of steps.entries()) {
    const found = documented.get(steps.slice(index).join(""));
    if (found !== undefined) return found;
    if (!wrapper.test(step)) return undefined;
  }
  return "";
}

/** Whether a message only repeats the status. */
export function isHeadline(text: string): boolean {
  return /^(?:bad request|.*validation (?:failed|error)|the given data was invalid\.?|an error occurred|unprocessable.*|not found|(?:internal )?server error)$/i.test(
    text,
  );
}
