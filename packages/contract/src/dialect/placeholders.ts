// The placeholders that a template may have: what each stands for.
import { freezeDeep } from "../freeze.ts";
import type { FieldProblem } from "../problem.ts";
import { type Facts, type Json, type List, listChanges, offsets, type Subject } from "./facts.ts";
import { type FormatName, formats } from "./formats.ts";

/** One placeholder. */
export interface Placeholder {
  /** What it is about. */
  readonly about: Subject;
  /** What stands there, in words. */
  readonly summary: string;
  /** Whether it leads to other pages of a list: a text around it is nothing where there are none. */
  readonly leads?: true;
  /** JSON Schema of its value. */
  readonly schema: { readonly [key: string]: Json };
  /** Its value; `null` or `undefined` when there is nothing to put in. */
  readonly read: (facts: Facts) => unknown;
}

const text = { type: "string" };
const nullable = { type: ["string", "null"] };
const moment = { type: "string", format: "date-time" };
const count = { type: "integer", minimum: 0 };
const position = { type: ["integer", "null"], minimum: 0 };
const ctaSchema = { type: "object", properties: { type: text, label: text, url: text } };
const domainSchema = { type: "object", properties: { name: text, url: text } };

type Page = NonNullable<Facts["page"]>;

function pagePlaceholder(summary: string, schema: Placeholder["schema"], read: (page: Page) => unknown): Placeholder {
  return { about: "page", summary, schema, read: ({ page }) => page && read(page) };
}

/** The first domain of the page, and the first after that, where there is no list of them to stand in. */
const places = { domain: 0, alias: 1 } as const;

function domainPlaceholder(about: keyof typeof places, member: "name" | "url" | "path", summary: string): Placeholder {
  return {
    about,
    summary,
    schema: member === "url" ? { ...nullable, format: "uri" } : nullable,
    read(facts) {
      const one = facts[about] ?? facts.page?.domains[places[about]];
      return one && (member === "path" ? URL.parse(one.url)?.pathname : one[member]);
    },
  };
}

function listPlaceholder(summary: string, schema: Placeholder["schema"], read: (list: List) => unknown): Placeholder {
  return { about: "list", summary, schema, read: ({ list }) => list && read(list) };
}

function leadingPlaceholder(
  summary: string,
  schema: Placeholder["schema"],
  read: (list: List) => unknown,
): Placeholder {
  return { ...listPlaceholder(summary, schema, read), leads: true };
}

function cursor(offset: number | null): string | null {
  return offset === null ? null : btoa(`offset:${offset}`);
}

function changePlaceholder(field: string, schema: Placeholder["schema"]): Placeholder {
  return {
    about: "changes",
    summary: `\`${field}\` as the update was sent it; nothing when it was not.`,
    schema,
    read: ({ changes }) => changes?.[field],
  };
}

function previousPlaceholder(field: string, schema: Placeholder["schema"], read: (page: Page) => unknown): Placeholder {
  const summary = `\`${field}\` as it was before the update.`;
  return { about: "changes", summary, schema, read: ({ previous }) => previous && read(previous) };
}

function eachChangePlaceholder(
  summary: string,
  schema: Placeholder["schema"],
  member: "field" | "value" | "previous",
): Placeholder {
  return { about: "change", summary, schema, read: (facts) => (facts.change ?? listChanges(facts)[0])?.[member] };
}

/** Every placeholder, by name. */
export const placeholders = freezeDeep({
  id: pagePlaceholder("Identifier of the page: a number where the dialect's are.", text, ({ id }) => id),
  title: pagePlaceholder("Title of the page.", text, ({ title }) => title),
  content: pagePlaceholder("Body content of the page.", text, ({ content }) => content),
  slug: pagePlaceholder("Short name of the page.", text, ({ slug }) => slug),
  meta_description: pagePlaceholder("Description of the page, or null.", nullable, (page) => page.meta_description),
  cta: pagePlaceholder("Call to action: an object.", ctaSchema, ({ cta }) => cta),
  "cta.type": pagePlaceholder("Kind of call to action.", text, ({ cta }) => cta.type),
  "cta.label": pagePlaceholder("Text on the call to action.", text, ({ cta }) => cta.label),
  "cta.url": pagePlaceholder("Where the call to action leads.", text, ({ cta }) => cta.url),
  domains: pagePlaceholder(
    "All domains of the page: a list of objects with `name` and `url`.",
    { type: "array", items: domainSchema },
    ({ domains }) => domains,
  ),
  created_at: pagePlaceholder("Moment the page was made.", moment, (page) => page.created_at),
  updated_at: pagePlaceholder("Moment of the page's last change.", moment, (page) => page.updated_at),
  "domain.name": domainPlaceholder(
    "domain",
    "name",
    "Host name of a domain; outside of a list of domains of the first.",
  ),
  "domain.url": domainPlaceholder("domain", "url", "URL of the page on a domain."),
  "domain.path": domainPlaceholder("domain", "path", "Path of that URL, such as `/summer-shoes`."),
  "alias.name": domainPlaceholder(
    "alias",
    "name",
    "Host name of a domain after the first; outside of a list of these of the second.",
  ),
  "alias.url": domainPlaceholder("alias", "url", "URL of the page on that."),
  changes: {
    about: "changes",
    summary: "The fields that an update was sent: an object.",
    schema: { type: "object" },
    read: ({ changes }) => changes,
  },
  "changes.title": changePlaceholder("title", nullable),
  "changes.content": changePlaceholder("content", nullable),
  "changes.slug": changePlaceholder("slug", nullable),
  "changes.meta_description": changePlaceholder("meta_description", nullable),
  "changes.cta": changePlaceholder("cta", { ...ctaSchema, type: ["object", "null"] }),
  "change.field": eachChangePlaceholder("Name of a field that the update was sent.", text, "field"),
  "change.value": eachChangePlaceholder("What it was sent.", {}, "value"),
  "change.previous": eachChangePlaceholder("What the field was before.", {}, "previous"),
  "previous.title": previousPlaceholder("title", text, ({ title }) => title),
  "previous.content": previousPlaceholder("content", text, ({ content }) => content),
  "previous.slug": previousPlaceholder("slug", text, ({ slug }) => slug),
  "previous.meta_description": previousPlaceholder("meta_description", nullable, (page) => page.meta_description),
  "previous.cta": previousPlaceholder("cta", ctaSchema, ({ cta }) => cta),
  "previous.cta.type": previousPlaceholder("cta.type", text, ({ cta }) => cta.type),
  "previous.cta.label": previousPlaceholder("cta.label", text, ({ cta }) => cta.label),
  "previous.cta.url": previousPlaceholder("cta.url", text, ({ cta }) => cta.url),
  total: listPlaceholder("How many pages match in all.", count, ({ total }) => total),
  limit: listPlaceholder("How many pages the answer could hold.", count, ({ limit }) => limit),
  offset: listPlaceholder("How many pages were skipped.", count, ({ offset }) => offset),
  count: listPlaceholder("How many pages the answer holds.", count, ({ count: held }) => held),
  has_more: listPlaceholder(
    "Whether pages come after these.",
    { type: "boolean" },
    ({ offset, count: held, total }) => offset + held < total,
  ),
  has_previous: listPlaceholder("Whether pages come before these.", { type: "boolean" }, ({ offset }) => offset > 0),
  is_first: listPlaceholder("Whether no pages come before these.", { type: "boolean" }, ({ offset }) => offset === 0),
  is_last: listPlaceholder(
    "Whether no pages come after these.",
    { type: "boolean" },
    ({ offset, count: held, total }) => offset + held >= total,
  ),
  next_offset: leadingPlaceholder("Where the pages after these begin; null at the end.", position, offsets.next),
  previous_offset: leadingPlaceholder(
    "Where the pages before these begin; null at the start.",
    position,
    offsets.previous,
  ),
  next_cursor: leadingPlaceholder("A text that stands for that place.", nullable, (list) => cursor(offsets.next(list))),
  previous_cursor: leadingPlaceholder("A text that stands for that place.", nullable, (list) =>
    cursor(offsets.previous(list)),
  ),
  page_number: listPlaceholder(
    "Which page of the list this is, from 1.",
    count,
    ({ offset, limit }) => Math.floor(offset / limit) + 1,
  ),
  page_index: listPlaceholder("The same from 0.", count, ({ offset, limit }) => Math.floor(offset / limit)),
  next_page: leadingPlaceholder("Which page comes next, from 1; null at the end.", position, (list) =>
    offsets.next(list) === null ? null : Math.floor(list.offset / list.limit) + 2,
  ),
  previous_page: leadingPlaceholder(
    "Which page comes before, from 1; null at the start.",
    position,
    ({ offset, limit }) => (offset < limit ? null : Math.floor(offset / limit)),
  ),
  page_count: listPlaceholder("How many pages the list has.", count, ({ total, limit }) => Math.ceil(total / limit)),
  "event.id": { about: "event", summary: "Identifier of the event.", schema: text, read: ({ event }) => event?.id },
  "event.pageId": {
    about: "event",
    summary: "The page that the event names.",
    schema: text,
    read: ({ event }) => event?.pageId,
  },
  "event.timestamp": {
    about: "event",
    summary: "Moment of the event.",
    schema: moment,
    read: ({ event }) => event?.timestamp,
  },
  detail: {
    about: "error",
    summary: "What went wrong, in a sentence.",
    schema: text,
    read: ({ error }) => error?.detail,
  },
  reason: {
    about: "error",
    summary: "Name of the status, such as `Not Found`.",
    schema: text,
    read: ({ error }) => error?.reason,
  },
  code: {
    about: "error",
    summary: "The same as an identifier: `not_found`.",
    schema: text,
    read: ({ error }) => error?.reason.toLowerCase().replaceAll(/[^a-z]+/g, "_"),
  },
  "error.field": {
    about: "field",
    summary: "Name of a wrong field, such as `cta.url`; nothing when no field is to blame, or the body as a whole.",
    schema: nullable,
    read(facts) {
      const pointer = wrongField(facts)?.pointer;
      return pointer === "#" ? undefined : pointer?.replace(/^#\//, "").replaceAll("/", ".");
    },
  },
  "error.pointer": {
    about: "field",
    summary: "The same as a JSON pointer: `#/cta/url`.",
    schema: nullable,
    read: (facts) => wrongField(facts)?.pointer,
  },
  "error.detail": {
    about: "field",
    summary: "What is wrong with the field; when no field is to blame, what went wrong.",
    schema: text,
    read: (facts) => wrongField(facts)?.detail ?? facts.error?.detail,
  },
  status: { about: "answer", summary: "HTTP status.", schema: { type: "integer" }, read: ({ status }) => status },
  now: { about: "answer", summary: "Moment of the answer.", schema: moment, read: ({ now }) => now },
  request_id: {
    about: "answer",
    summary: "Identifier of the request, as in `X-Request-Id`.",
    schema: text,
    read: ({ requestId }) => requestId,
  },
  path: { about: "answer", summary: "Path of the request.", schema: text, read: ({ path }) => path },
  origin: {
    about: "answer",
    summary: "Scheme and host that were called, such as `http://127.0.0.1:4010`: a link to the service begins with it.",
    schema: { type: "string", format: "uri" },
    read: ({ origin }) => origin,
  },
  host: {
    about: "answer",
    summary: "Host of that alone, and the port where there is one.",
    schema: text,
    read: ({ origin }) => origin.slice(origin.indexOf("://") + 3),
  },
} as const satisfies Record<string, Placeholder>);

/** Name of a placeholder, such as `cta.url`. */
export type PlaceholderName = keyof typeof placeholders;

function wrongField({ field, error }: Facts): FieldProblem | undefined {
  return field ?? error?.errors[0];
}

/** The value of a placeholder as its formats write it; `null` when there is nothing to put in. */
export function renderPlaceholder(name: PlaceholderName, formatNames: readonly FormatName[], facts: Facts): unknown {
  let value: unknown = placeholders[name].read(facts) ?? null;
  for (const format of formatNames) value = value === null && format !== "text" ? null : formats[format].write(value);
  return value;
}
