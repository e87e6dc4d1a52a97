// The schemas of what the spec documents, ready for whoever imports them. The SDK makes those it needs when it needs them.
import type * as z from "zod/mini";
import { type AnalyticsEvent, makeEventSchema, makeEventTimestampSchema } from "./event.ts";
import { type ListQuery, makeListQuerySchema } from "./list.ts";
import {
  type CreatePage,
  makeCreatePageSchema,
  makePageSchema,
  makeUpdatePageSchema,
  type Page,
  type UpdatePage,
} from "./page.ts";

/** Checks what the spec documents of a create body, and nothing more: types, and that `cta.url` is an absolute URL. */
export const createPageSchema: z.ZodMiniType<CreatePage> = makeCreatePageSchema();

/** Checks what the spec documents of an update body, and nothing more: the types of the fields that are sent. */
export const updatePageSchema: z.ZodMiniType<UpdatePage> = makeUpdatePageSchema();

/** Checks a page as the toolkit presents it: `id` a string, `meta_description` and `domains` always there, unknown fields kept. */
export const pageSchema: z.ZodMiniType<Page> = makePageSchema();

/** Checks what the spec documents of a list query: whole numbers, a `limit` of 1 or more, an `offset` of 0 or more. Filters pass through. */
export const listQuerySchema: z.ZodMiniType<ListQuery> = makeListQuerySchema();

/** Checks what the spec documents of an event: the two fields, and a real moment in the documented shape. Further fields pass through. */
export const eventSchema: z.ZodMiniType<AnalyticsEvent> = makeEventSchema();

/** Checks a moment in the documented shape. Source: spec, "Analytics event". */
export const eventTimestampSchema: z.ZodMiniType<string> = makeEventTimestampSchema();
