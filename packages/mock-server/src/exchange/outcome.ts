import type { FieldProblem, PageRecord, UpdatePage } from "@landing-page-service/contract";

/** What an operation did, in values. The dialect decides what the response looks like. */
export interface Success {
  /** Status of the reference service. */
  readonly status: number;
  /** The page that was created, updated or deleted, or that an event is about. */
  readonly page?: Readonly<PageRecord> | undefined;
  /** The page before an update. */
  readonly previous?: Readonly<PageRecord>;
  /** The fields that an update was sent. */
  readonly changes?: UpdatePage;
  /** The pages of a list. */
  readonly pages?: readonly Readonly<PageRecord>[];
  /** The part of all pages that a list is. */
  readonly list?: { readonly total: number; readonly limit: number; readonly offset: number };
  /** The receipt of an event. */
  readonly event?: { readonly id: string; readonly pageId: string; readonly timestamp: string };
}

/** A response whose body is text already: a document, or what a fault or the control API says. */
export interface TextOutcome {
  readonly status: number;
  /** Headers beside those of every response, or in place of them where the spelling is the same. */
  readonly headers?: Record<string, string>;
  /** The body; `undefined` when there is none. */
  readonly text: string | undefined;
  /** A body without an end, in place of `text`. */
  readonly pieces?: AsyncIterable<string>;
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

/** What came of an operation. */
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
