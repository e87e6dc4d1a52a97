// What an answer is about.
import type { FieldProblem } from "../problem.ts";
import type { PageRecord } from "../reference.ts";

/** A value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** What an answer is about: the values that fill the placeholders of a template. */
export interface Facts {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Moment of the answer, ISO 8601 in UTC. */
  readonly now: string;
  /** Identifier of the request, as in `X-Request-Id`. */
  readonly requestId: string | null;
  /** Path of the request. */
  readonly path: string;
  /** Scheme and host that were called, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** The page the answer is about; within a list each in turn. `id` is a number where the dialect's are. */
  readonly page?: (Omit<PageRecord, "id"> & { readonly id: string | number }) | undefined;
  /** One domain of the page; outside of a list of domains the first. */
  readonly domain?: { readonly name: string; readonly url: string } | undefined;
  /** One domain after the first; outside of a list of these the second. */
  readonly alias?: Facts["domain"];
  /** The fields that an update was sent. */
  readonly changes?: { readonly [field: string]: unknown } | undefined;
  /** One of these; outside of a list of them the first. */
  readonly change?: { readonly field: string; readonly value: unknown; readonly previous: unknown } | undefined;
  /** The page as it was before the update. */
  readonly previous?: Facts["page"];
  /** What a list says beside its pages. */
  readonly list?: List | undefined;
  /** The event that was taken. */
  readonly event?: { readonly id: string; readonly pageId: string; readonly timestamp: string } | undefined;
  /** What went wrong. */
  readonly error?:
    { readonly reason: string; readonly detail: string; readonly errors: readonly FieldProblem[] } | undefined;
  /** One wrong field; outside of a list of them the first. */
  readonly field?: FieldProblem | undefined;
}

/** What a list says beside its pages. */
export interface List {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** How many pages it holds. */
  readonly count: number;
}

/** What a placeholder is about; a template has only the placeholders of what its answer is about. */
export type Subject =
  "answer" | "page" | "domain" | "alias" | "changes" | "change" | "list" | "event" | "error" | "field";

/** Every field that an update was sent, each to be spoken of by itself. */
export function listChanges({ changes = {}, previous }: Facts): NonNullable<Facts["change"]>[] {
  const before = new Map(Object.entries(previous ?? {}));
  return Object.entries(changes).map(([field, value]) => ({ field, value, previous: before.get(field) }));
}

/** Where the pages after those of a list begin, and where those before. */
export const offsets = {
  next: ({ offset, count, total }: List): number | null => (offset + count < total ? offset + count : null),
  previous: ({ offset, limit }: List): number | null => (offset > 0 ? Math.max(0, offset - limit) : null),
};
