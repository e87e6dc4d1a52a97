// What the reader is given, and what it gives.
import type { JsonObject } from "../json.ts";
import type { PageFields } from "../page.ts";
import type { HeaderLookup } from "../rate-limit.ts";

/** An answer as it came. */
export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: HeaderLookup;
  /** The parsed body, as `readBody` gives it; its text, or `undefined`, when it holds no JSON. */
  readonly body: unknown;
}

/** What was asked, as far as it helps to understand the answer. */
export interface Asked {
  /** Host, and port where there is one, of the service itself: never a domain of a page. */
  readonly apiHost?: string | undefined;
  /** What was sent with a create or an update: the object that repeats it is the page. */
  readonly sent?: JsonObject | undefined;
  /** How many pages a list was to skip: an answer without a list may say that there are no more. */
  readonly offset?: number | undefined;
  /** Where the last list was, and what was beside it: an answer that is the same without its list holds no more. */
  readonly last?: Pick<FoundList, "place" | "beside"> | undefined;
  /** Identifier that an update named. */
  readonly id?: string | undefined;
}

/** A page, and where in the answer each part of it was found. */
export interface FoundPage {
  /** The page as it is presented: documented fields are of their documented type or absent, all others as they came. `id` is absent when it cannot be told for certain. */
  readonly page: Partial<PageFields> & Pick<PageFields, "domains"> & { [field: string]: unknown };
  /** The record as it came, with all that belongs to it; `undefined` when the answer shows none. */
  readonly record: JsonObject | undefined;
  /** JSON pointer, or name of a header, by what was found there: `record`, `id`, `domains`, and each documented field. */
  readonly places: Readonly<Record<string, string>>;
}

/** The pages of an answer, and where they were found. */
export interface FoundList {
  /** What was found: a list, or why there is none. */
  readonly kind: "list";
  /** Each page, in the order of the answer. */
  readonly pages: readonly FoundPage[];
  /** JSON pointer of the list. */
  readonly place: string;
  /** Names of the members around the list, two hundred at most; empty where nothing is. */
  readonly beside: readonly string[];
  /** How many pages there are in all, as far as the answer tells; advice at best. */
  readonly total: { readonly count: number; readonly place: string } | undefined;
  /** The `limit` that the answer mentions. */
  readonly limit: number | undefined;
  /** The `offset` that the answer mentions. */
  readonly offset: number | undefined;
}

/** Why there is no list. */
export interface NoList {
  /** Says that there is none. */
  readonly kind: "none";
  /** What came instead, in words. */
  readonly found: string;
}
