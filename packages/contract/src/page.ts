import * as z from "zod/mini";
import { type FieldProblem, findFieldProblems } from "./problem.ts";

/** The call to action of a page. Source: spec, "Page (landing page)". */
export interface Cta {
  /** Kind of call to action. The spec names only `button`; other values are kept. */
  type: "button" | (string & {});
  /** Text shown on the call to action. */
  label: string;
  /** Absolute URL the call to action points to. */
  url: string;
}

/** The body of a request to create a page. Source: spec, "Create page". */
export interface CreatePage {
  /** Title of the page. */
  title: string;
  /** Body content of the page. */
  content: string;
  /** Short name for URLs: lower-case words joined by hyphens, such as `summer-shoes`. */
  slug: string;
  /** Short description of the page or offer. May be left out. */
  meta_description?: string | undefined;
  /** Call to action of the page. */
  cta: Cta;
}

/**
 * The fields of a page to change. Fields that are left out keep their values.
 * Send `cta` whole: the spec leaves open whether a partial `cta` is merged or replaces the old one.
 * Source: spec, "Update page".
 */
export interface UpdatePage {
  /** New title of the page. */
  title?: string | undefined;
  /** New body content of the page. */
  content?: string | undefined;
  /** New short name for URLs: lower-case words joined by hyphens. */
  slug?: string | undefined;
  /** New short description of the page or offer; the empty string removes the old one. */
  meta_description?: string | undefined;
  /** New call to action, best sent whole. */
  cta?: { [Field in keyof Cta]?: Cta[Field] | undefined } | undefined;
}

/** A domain of the service's network that serves a page. Gap: see docs/spec-gaps.md#page-record */
export interface PageDomain {
  /** Host name of the domain. */
  name: string;
  /** Absolute URL at which this domain serves the page; absent when the service names the domain only. */
  url?: string | undefined;
}

/** The fields of a stored page whose types are known. Source: spec, "Page (landing page)". Fields that the spec does not document are a gap, see docs/spec-gaps.md#page-record */
export interface PageFields extends Pick<CreatePage, "title" | "content" | "cta"> {
  /** Identifier of the page within the account, as used in the update and delete paths. */
  id: string;
  /** Short name of the page in URLs. */
  slug: string;
  /** Short description of the page or offer; `null` when it has none. */
  meta_description: string | null;
  /** Domains to which the service assigned the page, best first; empty when the response has none. */
  domains: PageDomain[];
  /** Time of creation, ISO 8601 in UTC; absent when the response has none. */
  created_at?: string | undefined;
  /** Time of the last change, ISO 8601 in UTC; absent when the response has none. */
  updated_at?: string | undefined;
}

/** A stored landing page with all its fields. Fields that the service adds are kept. */
export interface Page extends PageFields {
  /** Fields that the service adds to the page. */
  [field: string]: unknown;
}

/**
 * The part of a page that a response shows. A service may list summaries, and return only the changes after an update, or nothing.
 * Only `id` and `domains` are certain. Any other field is absent or has its documented type.
 * Source: spec, "Gaps common to the endpoints"
 */
export interface PartialPage extends Pick<PageFields, "id" | "domains">, Partial<Omit<PageFields, "id" | "domains">> {
  /** Fields that the service adds to the page. */
  [field: string]: unknown;
}

const isAbsolute = z.refine<string>((value) => URL.canParse(value), { error: "expected an absolute URL" });
const ctaFields = { type: z.string(), label: z.string(), url: z.string() };
const texts = { title: z.string(), content: z.string(), slug: z.string() };
const sent = z.looseObject({
  ...texts,
  meta_description: z.optional(z.string()),
  cta: z.looseObject({ ...ctaFields, url: z.string().check(isAbsolute) }),
});

/** Checks only the documented parts of a create body: the types of its fields, and that `cta.url` is an absolute URL. */
export const createPageSchema: z.ZodMiniType<CreatePage> = sent;

/** Checks only the documented parts of an update body: the types of the fields that are sent. */
export const updatePageSchema: z.ZodMiniType<UpdatePage> = z.extend(z.partial(sent), {
  cta: z.optional(z.partial(sent.shape.cta)),
});

const stored = { ...texts, meta_description: z.nullable(z.string()), cta: z.looseObject(ctaFields) };

/** Checks a page as the toolkit presents it: `id` a string, `meta_description` and `domains` always there, unknown fields kept. */
export const pageSchema: z.ZodMiniType<Page> = z.looseObject({
  id: z.string(),
  ...stored,
  domains: z.array(z.looseObject({ name: z.string(), url: z.optional(z.string()) })),
  created_at: z.optional(z.string()),
  updated_at: z.optional(z.string()),
});

const utc = z.optional(z.string().check(z.regex(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)));

/** A host name, also an international one, with a port or without. */
const host = z.string().check(z.regex(/^(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]+(?::\d+)?$/u));

/** Checks a page as the mock server writes it: every documented field, domains that are hosts with a URL each, timestamps in UTC. */
export const referencePageSchema: z.ZodMiniType<Page> = z.looseObject({
  id: z.string().check(z.minLength(1)),
  ...stored,
  domains: z.array(z.looseObject({ name: host, url: z.string() })),
  created_at: utc,
  updated_at: utc,
});

const count = z.int().check(z.minimum(0));
const limit = z.int().check(z.minimum(1));

/** Checks a list with pages as the mock server writes it. */
export const referenceListSchema = z.looseObject({
  data: z.array(referencePageSchema).check(z.minLength(1)),
  total: count,
  limit: z.optional(limit),
  offset: z.optional(count),
});

/** Checks a record against the page as it is documented, and returns every wrong field, in the order of the fields; empty when the record is valid. */
export function findPageProblems(record: unknown): FieldProblem[] {
  return findFieldProblems(pageSchema, record);
}

/** Filters of a list request. Which of them the service knows is a gap, see docs/spec-gaps.md#list-filters */
export interface ListFilters {
  /** Only the page with exactly this slug. */
  slug?: string | undefined;
  /** Only pages that are assigned to exactly this domain. */
  domain?: string | undefined;
  /** Only pages with these words in title or content. */
  q?: string | undefined;
  /** Any other filter the service knows, passed on unchanged: a string, a number or a boolean. */
  [filter: string]: unknown;
}

/** Query of a list request. Source: spec, "List pages". */
export interface ListQuery extends ListFilters {
  /** How many pages to return, 1 or more. The service's largest value is a gap; the mock server takes up to 100. @defaultValue 20, set by the service */
  limit?: number | undefined;
  /** How many pages to skip, 0 or more. @defaultValue 0, set by the service */
  offset?: number | undefined;
}

/** One response to a list request. The shape around the pages is a gap, see docs/spec-gaps.md#list-envelope */
export interface PageList<Item = PartialPage> {
  /** Pages in the service's order. */
  data: Item[];
  /** How many pages match in all; absent when the response does not say. */
  total?: number | undefined;
  /** The `limit` of the request, or the one that the service says it applied. */
  limit: number;
  /** How many pages were skipped. */
  offset: number;
}

/** Number of pages in a list when the request has no `limit`. Source: spec, "List pages". */
export const defaultListLimit = 20;

/** Checks the documented parts of a list query: whole numbers, a `limit` of 1 or more, an `offset` of 0 or more. Filters pass through. */
export const listQuerySchema: z.ZodMiniType<ListQuery> = z.looseObject({
  limit: z.optional(limit),
  offset: z.optional(count),
  slug: z.optional(z.string()),
  domain: z.optional(z.string()),
  q: z.optional(z.string()),
});
