// The behaviour of the mock server where the spec is silent. The SDK uses nothing from this file.
import * as z from "zod";
import { type AnalyticsEvent, eventTimestampSchema, type RecordedEvent } from "./event.ts";
import { referenceSwitches, type Switches } from "./gaps.ts";
import { defaultListLimit, type ListQuery } from "./page.ts";
import type { CreatePage, PageDomain, PageFields, UpdatePage } from "./page.ts";

/** Largest `limit` of a list on the mock server. Gap: see docs/spec-gaps.md#list-max */
export const maxListLimit = 100;

/** Largest body the mock server takes, in bytes. Gap: see docs/spec-gaps.md#body-limits */
export const maxBodyBytes = 1024 * 1024;

/** A page as the mock server returns it: always with both timestamps, and with a URL for each domain. Gap: see docs/spec-gaps.md#page-record */
export interface PageRecord extends PageFields {
  /** Domains to which the service assigned the page, best first. */
  domains: (PageDomain & { url: string })[];
  /** Time of creation, ISO 8601 in UTC with milliseconds. */
  created_at: string;
  /** Time of the last change, ISO 8601 in UTC with milliseconds. */
  updated_at: string;
}

/** A list response of the mock server, always with the total. Gap: see docs/spec-gaps.md#list-envelope */
export interface PageRecordList {
  /** Pages, oldest first. */
  data: PageRecord[];
  /** How many pages match in all. */
  total: number;
  /** Largest number of pages that this response could have. */
  limit: number;
  /** How many pages were skipped. */
  offset: number;
}

/** The schemas by which the mock server checks requests. */
export interface ReferenceSchemas {
  /** Body of a create. */
  createPage: z.ZodType<CreatePage>;
  /** Body of an update. */
  updatePage: z.ZodType<UpdatePage>;
  /** Query of a list. It parses `limit` and `offset` as numbers and fills in their defaults. */
  listQuery: z.ZodType<ListQuery & { limit: number; offset: number }>;
  /** Body of an event. */
  event: z.ZodType<AnalyticsEvent>;
}

/**
 * Builds the checks of the mock server: bounds, formats and unknown fields, by the switches of one dialect.
 * Gap: see docs/spec-gaps.md#bounds, #slug-format, #unknown-fields, #cta-type, #list-max, #empty-update and #cta-update
 */
export function referenceSchemas(switches: Switches = referenceSwitches): ReferenceSchemas {
  const object: typeof z.strictObject = switches["unknown-fields"] === "refused" ? z.strictObject : z.object;
  const button = z.literal("button", { error: 'expected "button"' }).meta({ "x-gap": "cta-type" });
  const cta = object({
    type: switches["cta-type"] === "button" ? button : z.string().min(1),
    label: bounded(1, 100, "Text shown on the call to action."),
    url: z
      .string()
      .max(2048)
      .refine(isWebUrl, { error: "expected an absolute http or https URL" })
      .meta({ format: "uri", "x-gap": "bounds", description: "Absolute URL the call to action points to." }),
  });
  const fields = {
    title: bounded(1, 300, "Title of the page."),
    content: bounded(1, 500_000, "Body content of the page."),
    slug: bounded(1, 200, "Short name of the page in URLs.")
      .regex(slugShape, { error: "expected lower-case letters and digits in words joined by single hyphens" })
      .meta({ "x-gap": "slug-format" }),
    meta_description: bounded(0, 500, "Short description of the page or offer.").optional(),
    cta,
  };
  const changedCta = switches["cta-update"] === "merge" ? cta.partial() : cta;
  const update = object({ ...fields, cta: changedCta }).partial();
  const someUpdate = update.refine((body) => Object.keys(body).length > 0, { error: "needs at least one field" });
  const mostListed = switches["list-max"] === "refused" ? maxListLimit : Number.MAX_SAFE_INTEGER;
  return {
    createPage: object(fields),
    updatePage: switches["empty-update"] === "unchanged" ? update : someUpdate,
    listQuery: object({
      limit: wholeNumber(1, mostListed).default(defaultListLimit),
      offset: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0),
      slug: z.string().optional().meta({ "x-gap": "list-filters" }),
      domain: z.string().optional().meta({ "x-gap": "list-filters" }),
      q: z.string().optional().meta({ "x-gap": "list-filters" }),
    }),
    event: eventSchema(object),
  };
}

const slugShape = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const detail = z.union([z.string().max(1000), z.number(), z.boolean(), z.null()], {
  error: "expected a string of at most 1000 characters, a number, a boolean or null",
});

function eventSchema(object: typeof z.strictObject) {
  return object({
    pageId: z.string().min(1).meta({ description: "Identifier of the page the event refers to." }),
    timestamp: eventTimestampSchema,
    type: z.enum(["view", "interaction"]).optional().meta({ "x-gap": "event-fields" }),
    properties: z.record(z.string().max(100), detail).optional().meta({ "x-gap": "event-fields" }),
  });
}

/** Describes a page as the mock server returns it. Gap: see docs/spec-gaps.md#page-record */
export const pageRecordSchema: z.ZodType<PageRecord> = z
  .object({
    id: z.string().meta({ "x-gap": "page-id" }),
    title: z.string(),
    content: z.string(),
    slug: z.string(),
    meta_description: z.string().nullable(),
    cta: z.object({ type: z.string(), label: z.string(), url: z.string() }),
    domains: z.array(z.object({ name: z.string(), url: z.string() })),
    created_at: z.string().meta({ format: "date-time" }),
    updated_at: z.string().meta({ format: "date-time" }),
  })
  .meta({ "x-gap": "page-record" });

/** Checks a list response of the mock server. Gap: see docs/spec-gaps.md#list-envelope */
export const pageRecordListSchema: z.ZodType<PageRecordList> = z
  .object({
    data: z.array(pageRecordSchema),
    total: z.int().min(0),
    limit: z.int().min(1),
    offset: z.int().min(0),
  })
  .meta({ "x-gap": "list-envelope" });

/** Checks the response of the mock server to an event. Gap: see docs/spec-gaps.md#event-status */
export const recordedEventSchema: z.ZodType<Pick<RecordedEvent, "id" | "pageId" | "timestamp">> = z
  .object({ id: z.string(), pageId: z.string(), timestamp: z.string().meta({ format: "date-time" }) })
  .meta({ "x-gap": "event-status" });

function bounded(min: number, max: number, description: string) {
  return z.string().min(min).max(max).meta({ description, "x-gap": "bounds" });
}

/** Accepts digits only, because `Number` alone would also accept `0x10`, `1e3`, ` 7 ` and an empty string. */
function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, { error: "expected a whole number" })
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:");
}
