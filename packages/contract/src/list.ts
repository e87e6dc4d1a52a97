import * as z from "zod/mini";
import type { PartialPage } from "./page.ts";

/** Filters of a list request, and which of them the service knows is a gap, see docs/spec-gaps.md#list-filters */
export interface ListFilters {
  /** Only the page with exactly this slug. */
  slug?: string | undefined;
  /** Only pages placed on exactly this domain. */
  domain?: string | undefined;
  /** Only pages with these words in title or content. */
  q?: string | undefined;
  /** Any other filter the service knows, passed on as it is: a text, a number or a boolean. */
  [filter: string]: unknown;
}

/** Query of a list request. Source: spec, "List pages". */
export interface ListQuery extends ListFilters {
  /** How many pages to return, 1 or more. The service's largest value is a gap; our reference service takes up to 100. @defaultValue 20, set by the service */
  limit?: number | undefined;
  /** How many pages to skip, 0 or more. @defaultValue 0, set by the service */
  offset?: number | undefined;
}

/** One answer to a list request. The shape around the pages is a gap, see docs/spec-gaps.md#list-envelope */
export interface PageList<Item = PartialPage> {
  /** Pages in the service's order. */
  data: Item[];
  /** How many pages match in all; absent when the service does not say. */
  total?: number | undefined;
  /** How many pages were asked for, or as many as the service says it allowed. */
  limit: number;
  /** How many pages were skipped. */
  offset: number;
}

/** Number of pages a list answers with when `limit` is left out. Source: spec, "List pages". */
export const defaultListLimit = 20;

/** Checks what the spec documents of a list query: whole numbers, a `limit` of 1 or more, an `offset` of 0 or more. Filters pass through. */
export const listQuerySchema: z.ZodMiniType<ListQuery> = z.looseObject({
  limit: z.optional(z.int().check(z.minimum(1))),
  offset: z.optional(z.int().check(z.minimum(0))),
  slug: z.optional(z.string()),
  domain: z.optional(z.string()),
  q: z.optional(z.string()),
});
