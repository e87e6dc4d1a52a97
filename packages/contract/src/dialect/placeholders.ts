// The facts that a response is about, and the placeholders for them.
import { freezeDeep, type Json } from "../json.ts";
import type { FieldProblem } from "../problem.ts";
import type { PageRecord } from "../reference.ts";
import { type FormatName, formats } from "./formats.ts";

/** The facts that a response is about. They fill the placeholders of a template. */
export interface Facts {
  /** HTTP status of the response. */
  readonly status: number;
  /** Time of the response, ISO 8601 in UTC. */
  readonly now: string;
  /** Identifier of the request, as in `X-Request-Id`. */
  readonly requestId: string | null;
  /** Path of the request. */
  readonly path: string;
  /** Scheme and host that were called, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** The page that the response is about; in a list, each in turn. `id` is a number if the ids of the dialect are. */
  readonly page?: (Omit<PageRecord, "id"> & { readonly id: string | number }) | undefined;
  /** A domain of the page. In a repeated element, the current domain; elsewhere, the page's first domain. */
  readonly domain?: { readonly name: string; readonly url: string } | undefined;
  /** A domain after the first. In a repeated element, the current domain; elsewhere, the page's second domain. */
  readonly alias?: Facts["domain"];
  /** The fields that were sent in an update. */
  readonly changes?: { readonly [field: string]: unknown } | undefined;
  /** One of these changes. In a repeated element, the current change; elsewhere, the first change. */
  readonly change?: { readonly field: string; readonly value: unknown; readonly previous: unknown } | undefined;
  /** The page as it was before the update. */
  readonly previous?: Facts["page"];
  /** The facts of a list other than its pages. */
  readonly list?: List | undefined;
  /** The pages of a list. */
  readonly pages?: readonly NonNullable<Facts["page"]>[] | undefined;
  /** The event that was accepted. */
  readonly event?: { readonly id: string; readonly pageId: string; readonly timestamp: string } | undefined;
  /** What went wrong. */
  readonly error?:
    { readonly reason: string; readonly detail: string; readonly errors: readonly FieldProblem[] } | undefined;
  /** A wrong field. In a repeated element, the current field; elsewhere, the first wrong field. */
  readonly field?: FieldProblem | undefined;
}

/** The facts of a list other than its pages. */
export interface List {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** How many pages it contains. */
  readonly count: number;
}

/** The subject of a placeholder. A template may only have placeholders about the subjects of its response. */
export type Subject =
  "answer" | "page" | "domain" | "alias" | "changes" | "change" | "list" | "event" | "error" | "field";

/** JSON Schema of the value of a placeholder. */
export interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: Json | undefined | readonly string[];
}

/** One placeholder. */
export interface Placeholder {
  readonly about: Subject;
  readonly schema: ValueSchema;
  /** Whether it belongs to the next or previous page of results. If there is none, the whole string that contains the placeholder is null. */
  readonly leads?: true;
  /** Its value; `null` or `undefined` when the facts have none. */
  readonly value: (facts: Facts) => unknown;
}

/** Makes placeholders about one part of the facts: a field of it, or a value derived from it. They have no value if there is no such part. */
function placeholdersOf<Part extends object>(about: Subject, find: (facts: Facts) => Part | undefined) {
  return (schema: ValueSchema, read: keyof Part | ((part: Part) => unknown)): Placeholder => ({
    about,
    schema,
    value(facts) {
      const part = find(facts);
      return part && (typeof read === "function" ? read(part) : part[read]);
    },
  });
}

const response = placeholdersOf("answer", (facts) => facts);
const page = placeholdersOf("page", (facts) => facts.page);
const domain = placeholdersOf("domain", (facts) => facts.domain ?? facts.page?.domains[0]);
const alias = placeholdersOf("alias", (facts) => facts.alias ?? facts.page?.domains[1]);
const changes = placeholdersOf("changes", (facts) => facts.changes);
const change = placeholdersOf("change", (facts) => facts.change ?? listChanges(facts)[0]);
const previous = placeholdersOf("changes", (facts) => facts.previous);
const list = placeholdersOf("list", (facts) => facts.list);
const event = placeholdersOf("event", (facts) => facts.event);
const error = placeholdersOf("error", (facts) => facts.error);
// If no field is wrong, the message of the error itself is used.
const field = placeholdersOf(
  "field",
  ({ field, error }): { detail: string; pointer?: string } | undefined => field ?? error?.errors[0] ?? error,
);
const leading: typeof list = (schema, read) => ({ ...list(schema, read), leads: true });

/** Lists the changes of an update, one for each field. */
export function listChanges({ changes = {}, previous }: Facts): NonNullable<Facts["change"]>[] {
  const before = new Map(Object.entries(previous ?? {}));
  return Object.entries(changes).map(([field, value]) => ({ field, value, previous: before.get(field) }));
}

const text: ValueSchema = { type: "string" };
const nullable: ValueSchema = { type: ["string", "null"] };
const link: ValueSchema = { ...nullable, format: "uri" };
const timestamp: ValueSchema = { type: "string", format: "date-time" };
const count: ValueSchema = { type: "integer", minimum: 0 };
const position: ValueSchema = { type: ["integer", "null"], minimum: 0 };
const flag: ValueSchema = { type: "boolean" };
const texts = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const ctaSchema = texts("type", "label", "url");

/** Returns the offset of the next part of a list; `null` at the end. */
function nextOffset({ offset, count: held, total }: List): number | null {
  return offset + held < total ? offset + held : null;
}

/** Returns the offset of the previous part of a list; `null` at the start. */
function previousOffset({ offset, limit }: List): number | null {
  return offset > 0 ? Math.max(0, offset - limit) : null;
}

function toCursor(offset: number | null): string | null {
  return offset === null ? null : btoa(`offset:${offset}`);
}

/** Every placeholder, by name. */
export const placeholders = freezeDeep({
  // A number if the dialect has integers.
  id: page(text, "id"),
  title: page(text, "title"),
  content: page(text, "content"),
  slug: page(text, "slug"),
  meta_description: page(nullable, "meta_description"),
  cta: page(ctaSchema, "cta"),
  "cta.type": page(text, ({ cta }) => cta.type),
  "cta.label": page(text, ({ cta }) => cta.label),
  "cta.url": page(text, ({ cta }) => cta.url),
  domains: page({ type: "array", items: texts("name", "url") }, "domains"),
  created_at: page(timestamp, "created_at"),
  updated_at: page(timestamp, "updated_at"),
  // Outside of repeated elements, these are about the first domain, or the second.
  "domain.name": domain(nullable, "name"),
  "domain.url": domain(link, "url"),
  "domain.path": domain(nullable, ({ url }) => URL.parse(url)?.pathname),
  "alias.name": alias(nullable, "name"),
  "alias.url": alias(link, "url"),

  // The fields that were sent in an update; the others have no value.
  changes: changes({ type: "object" }, (sent) => sent),
  "changes.title": changes(nullable, "title"),
  "changes.content": changes(nullable, "content"),
  "changes.slug": changes(nullable, "slug"),
  "changes.meta_description": changes(nullable, "meta_description"),
  "changes.cta": changes({ ...ctaSchema, type: ["object", "null"] }, "cta"),
  "change.field": change(text, "field"),
  "change.value": change({}, "value"),
  "change.previous": change({}, "previous"),
  "previous.title": previous(text, "title"),
  "previous.content": previous(text, "content"),
  "previous.slug": previous(text, "slug"),
  "previous.meta_description": previous(nullable, "meta_description"),
  "previous.cta": previous(ctaSchema, "cta"),
  "previous.cta.type": previous(text, ({ cta }) => cta.type),
  "previous.cta.label": previous(text, ({ cta }) => cta.label),
  "previous.cta.url": previous(text, ({ cta }) => cta.url),

  total: list(count, "total"),
  limit: list(count, "limit"),
  offset: list(count, "offset"),
  count: list(count, "count"),
  has_more: list(flag, (one) => nextOffset(one) !== null),
  has_previous: list(flag, ({ offset }) => offset > 0),
  is_first: list(flag, ({ offset }) => offset === 0),
  is_last: list(flag, (one) => nextOffset(one) === null),
  next_offset: leading(position, nextOffset),
  previous_offset: leading(position, previousOffset),
  next_cursor: leading(nullable, (one) => toCursor(nextOffset(one))),
  previous_cursor: leading(nullable, (one) => toCursor(previousOffset(one))),
  // Pages of the list are counted from 1, and their index from 0.
  page_number: list(count, ({ offset, limit }) => Math.floor(offset / limit) + 1),
  page_index: list(count, ({ offset, limit }) => Math.floor(offset / limit)),
  next_page: leading(position, (one) => (nextOffset(one) === null ? null : Math.floor(one.offset / one.limit) + 2)),
  previous_page: leading(position, ({ offset, limit }) => (offset < limit ? null : Math.floor(offset / limit))),
  page_count: list(count, ({ total, limit }) => Math.ceil(total / limit)),

  "event.id": event(text, "id"),
  "event.pageId": event(text, "pageId"),
  "event.timestamp": event(timestamp, "timestamp"),

  detail: error(text, "detail"),
  // The name of the status, such as `Not Found`, and the same as an identifier: `not_found`.
  reason: error(text, "reason"),
  code: error(text, ({ reason }) => reason.toLowerCase().replaceAll(/[^a-z]+/g, "_")),
  // For example `cta.url` and `#/cta/url`.
  "error.field": field(nullable, ({ pointer = "#" }) =>
    pointer === "#" ? undefined : pointer.replace(/^#\//, "").replaceAll("/", "."),
  ),
  "error.pointer": field(nullable, "pointer"),
  "error.detail": field(text, "detail"),

  status: response({ type: "integer" }, "status"),
  now: response(timestamp, "now"),
  request_id: response(text, "requestId"),
  path: response(text, "path"),
  // `http://127.0.0.1:4010`, for links to the service, and `127.0.0.1:4010`.
  origin: response({ type: "string", format: "uri" }, "origin"),
  host: response(text, ({ origin }) => origin.slice(origin.indexOf("://") + 3)),
} as const satisfies Record<string, Placeholder>);

/** Name of a placeholder, such as `cta.url`. */
export type PlaceholderName = keyof typeof placeholders;

/** Whether a string is the name of a placeholder. */
export function isPlaceholder(name: string): name is PlaceholderName {
  return Object.hasOwn(placeholders, name);
}

/** Lists the placeholders that a template about these subjects may have. */
export function placeholdersAbout(subjects: readonly Subject[]): PlaceholderName[] {
  return Object.keys(placeholders).filter(
    (name): name is PlaceholderName => isPlaceholder(name) && subjects.includes(placeholders[name].about),
  );
}

/** Returns the value of a placeholder as its formats write it; `null` when the facts have none. */
export function renderPlaceholder(name: PlaceholderName, formatNames: readonly FormatName[], facts: Facts): unknown {
  let value: unknown = placeholders[name].value(facts) ?? null;
  for (const format of formatNames) value = value === null && format !== "text" ? null : formats[format].write(value);
  return value;
}
