// The holes that a template may have: what each stands for.
import { freezeDeep } from "../freeze.ts";
import type { FieldProblem } from "../problem.ts";
import { type Facts, type Json, type List, listChanges, offsets, type Subject } from "./facts.ts";
import { type FormatName, formats } from "./formats.ts";

/** One hole. */
export interface Hole {
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

function pageHole(summary: string, schema: Hole["schema"], read: (page: Page) => unknown): Hole {
  return { about: "page", summary, schema, read: ({ page }) => page && read(page) };
}

/** The first domain of the page, and the first after that, where there is no list of them to stand in. */
const places = { domain: 0, alias: 1 } as const;

function domainHole(about: keyof typeof places, member: "name" | "url" | "path", summary: string): Hole {
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

function listHole(summary: string, schema: Hole["schema"], read: (list: List) => unknown): Hole {
  return { about: "list", summary, schema, read: ({ list }) => list && read(list) };
}

function leadingHole(summary: string, schema: Hole["schema"], read: (list: List) => unknown): Hole {
  return { ...listHole(summary, schema, read), leads: true };
}

function cursor(offset: number | null): string | null {
  return offset === null ? null : btoa(`offset:${offset}`);
}

function changeHole(field: string, schema: Hole["schema"]): Hole {
  return {
    about: "changes",
    summary: `\`${field}\` as the update was sent it; nothing when it was not.`,
    schema,
    read: ({ changes }) => changes?.[field],
  };
}

function previousHole(field: string, schema: Hole["schema"], read: (page: Page) => unknown): Hole {
  const summary = `\`${field}\` as it was before the update.`;
  return { about: "changes", summary, schema, read: ({ previous }) => previous && read(previous) };
}

function eachChangeHole(summary: string, schema: Hole["schema"], member: "field" | "value" | "previous"): Hole {
  return { about: "change", summary, schema, read: (facts) => (facts.change ?? listChanges(facts)[0])?.[member] };
}

/** Every hole, by name. */
export const holes = freezeDeep({
  id: pageHole("Identifier of the page: a number where the dialect's are.", text, ({ id }) => id),
  title: pageHole("Title of the page.", text, ({ title }) => title),
  content: pageHole("Body content of the page.", text, ({ content }) => content),
  slug: pageHole("Short name of the page.", text, ({ slug }) => slug),
  meta_description: pageHole("Description of the page, or null.", nullable, (page) => page.meta_description),
  cta: pageHole("Call to action: an object.", ctaSchema, ({ cta }) => cta),
  "cta.type": pageHole("Kind of call to action.", text, ({ cta }) => cta.type),
  "cta.label": pageHole("Text on the call to action.", text, ({ cta }) => cta.label),
  "cta.url": pageHole("Where the call to action leads.", text, ({ cta }) => cta.url),
  domains: pageHole(
    "All domains of the page: a list of objects with `name` and `url`.",
    { type: "array", items: domainSchema },
    ({ domains }) => domains,
  ),
  created_at: pageHole("Moment the page was made.", moment, (page) => page.created_at),
  updated_at: pageHole("Moment of the page's last change.", moment, (page) => page.updated_at),
  "domain.name": domainHole("domain", "name", "Host name of a domain; outside of a list of domains of the first."),
  "domain.url": domainHole("domain", "url", "URL of the page on a domain."),
  "domain.path": domainHole("domain", "path", "Path of that URL, such as `/summer-shoes`."),
  "alias.name": domainHole(
    "alias",
    "name",
    "Host name of a domain after the first; outside of a list of these of the second.",
  ),
  "alias.url": domainHole("alias", "url", "URL of the page on that."),
  changes: {
    about: "changes",
    summary: "The fields that an update was sent: an object.",
    schema: { type: "object" },
    read: ({ changes }) => changes,
  },
  "changes.title": changeHole("title", nullable),
  "changes.content": changeHole("content", nullable),
  "changes.slug": changeHole("slug", nullable),
  "changes.meta_description": changeHole("meta_description", nullable),
  "changes.cta": changeHole("cta", { ...ctaSchema, type: ["object", "null"] }),
  "change.field": eachChangeHole("Name of a field that the update was sent.", text, "field"),
  "change.value": eachChangeHole("What it was sent.", {}, "value"),
  "change.previous": eachChangeHole("What the field was before.", {}, "previous"),
  "previous.title": previousHole("title", text, ({ title }) => title),
  "previous.content": previousHole("content", text, ({ content }) => content),
  "previous.slug": previousHole("slug", text, ({ slug }) => slug),
  "previous.meta_description": previousHole("meta_description", nullable, (page) => page.meta_description),
  "previous.cta": previousHole("cta", ctaSchema, ({ cta }) => cta),
  "previous.cta.type": previousHole("cta.type", text, ({ cta }) => cta.type),
  "previous.cta.label": previousHole("cta.label", text, ({ cta }) => cta.label),
  "previous.cta.url": previousHole("cta.url", text, ({ cta }) => cta.url),
  total: listHole("How many pages match in all.", count, ({ total }) => total),
  limit: listHole("How many pages the answer could hold.", count, ({ limit }) => limit),
  offset: listHole("How many pages were skipped.", count, ({ offset }) => offset),
  count: listHole("How many pages the answer holds.", count, ({ count: held }) => held),
  has_more: listHole(
    "Whether pages come after these.",
    { type: "boolean" },
    ({ offset, count: held, total }) => offset + held < total,
  ),
  has_previous: listHole("Whether pages come before these.", { type: "boolean" }, ({ offset }) => offset > 0),
  is_first: listHole("Whether no pages come before these.", { type: "boolean" }, ({ offset }) => offset === 0),
  is_last: listHole(
    "Whether no pages come after these.",
    { type: "boolean" },
    ({ offset, count: held, total }) => offset + held >= total,
  ),
  next_offset: leadingHole("Where the pages after these begin; null at the end.", position, offsets.next),
  previous_offset: leadingHole("Where the pages before these begin; null at the start.", position, offsets.previous),
  next_cursor: leadingHole("A text that stands for that place.", nullable, (list) => cursor(offsets.next(list))),
  previous_cursor: leadingHole("A text that stands for that place.", nullable, (list) =>
    cursor(offsets.previous(list)),
  ),
  page_number: listHole(
    "Which page of the list this is, from 1.",
    count,
    ({ offset, limit }) => Math.floor(offset / limit) + 1,
  ),
  page_index: listHole("The same from 0.", count, ({ offset, limit }) => Math.floor(offset / limit)),
  next_page: leadingHole("Which page comes next, from 1; null at the end.", position, (list) =>
    offsets.next(list) === null ? null : Math.floor(list.offset / list.limit) + 2,
  ),
  previous_page: leadingHole("Which page comes before, from 1; null at the start.", position, ({ offset, limit }) =>
    offset < limit ? null : Math.floor(offset / limit),
  ),
  page_count: listHole("How many pages the list has.", count, ({ total, limit }) => Math.ceil(total / limit)),
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
} as const satisfies Record<string, Hole>);

/** Name of a hole, such as `cta.url`. */
export type HoleName = keyof typeof holes;

function wrongField({ field, error }: Facts): FieldProblem | undefined {
  return field ?? error?.errors[0];
}

/** The value of a hole as its formats write it; `null` when there is nothing to put in. */
export function readHole(name: HoleName, formatNames: readonly FormatName[], facts: Facts): unknown {
  let value: unknown = holes[name].read(facts) ?? null;
  for (const format of formatNames) value = value === null && format !== "text" ? null : formats[format].write(value);
  return value;
}
