import type { FieldProblem } from "@landing-page-service/contract";

/** What an endpoint did. */
export interface Success {
  readonly status: number;
  /** Headers beside those that every answer has, or in place of them where the spelling is the same. */
  readonly headers?: Record<string, string>;
  /** The body as JSON text. */
  readonly body?: string;
  /** Length of the body in bytes of UTF-8, where it is known without counting. */
  readonly bodyBytes?: number;
  /** A body without an end, in place of `body`. */
  readonly pieces?: AsyncIterable<string>;
  /** Writes the body once more out of what is kept anyway: holding on to this costs less than holding on to the body. */
  readonly rewrite?: () => string;
  /** JSON text of the page that the request was about, as it was before: some dialects answer with it. */
  readonly before?: string;
}

/** Why a request was not carried out. */
export interface Refusal {
  readonly refused: number;
  /** What went wrong, in a sentence. */
  readonly detail: string;
  /** Every wrong field. */
  readonly errors?: readonly FieldProblem[];
  /** Headers beside those that every answer has, or in place of them where the spelling is the same. */
  readonly headers?: Record<string, string>;
}

/** What came of a request. */
export type Outcome = Success | Refusal;

/** Tells a refusal from a success. */
export function isRefusal(outcome: object): outcome is Refusal {
  return "refused" in outcome;
}

/** Wrong fields that an answer names; a body can hold very many. */
export const mostErrors = 100;

/** A 400 that names the wrong fields: the first 100 of `total`. */
export function wrongFields(errors: readonly FieldProblem[], total: number = errors.length): Refusal {
  const [first] = errors;
  const more = total > 1 ? ` (and ${total - 1} more)` : "";
  return {
    refused: 400,
    detail: first === undefined ? "The request is not valid." : `${first.pointer}: ${first.detail}${more}`,
    errors: errors.slice(0, mostErrors),
  };
}
