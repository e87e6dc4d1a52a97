// What a value, or a template that was learned, tells.
import { isObject } from "@landing-page-service/contract";
import {
  type Facts,
  holes,
  type HoleName,
  type Json,
  readHole,
  type Subject,
} from "@landing-page-service/contract/dialect";
import type { Sample } from "./explain-text.ts";

/** Whether a value has in it what was sent, the identifier of the page, or the service itself. */
export function repeatsKnown({ value, facts: { page, origin } }: Sample): boolean {
  if (value === undefined) return false;
  const text = JSON.stringify(value);
  const known = page && [page.title, page.content, page.slug, page.meta_description, page.cta.label, page.cta.url];
  return [origin, String(page?.id ?? ""), ...(known ?? [])].some(
    (one) => one !== null && one.length > 3 && text.includes(one),
  );
}

/** Whether a description was sent with the page. */
function isDescribed({ facts: { page } }: Sample): boolean {
  return (page?.meta_description ?? null) !== null;
}

/** Whether an error blames a field, or the body as a whole. */
export function hasWrongField({ error }: Facts): boolean {
  return (error?.errors.length ?? 0) > 0;
}

/** When a member is there, and which template of it is nothing where it is not. */
export const conditions: readonly (readonly [
  holds: (sample: Sample) => boolean,
  isNothing: (template: Json) => boolean,
])[] = [
  [({ facts }) => hasWrongField(facts), isEachField],
  [isDescribed, (template) => hasOnly(template, /^\{meta_description\}$/)],
  [({ facts }) => hasPages(facts, "next_offset"), (template) => hasOnly(template, /\{next_/)],
  [({ facts }) => hasPages(facts, "previous_offset"), (template) => hasOnly(template, /\{previous_/)],
];

/** Whether there are pages after or before those of a list. */
export function hasPages(facts: Facts, hole: "next_offset" | "previous_offset"): boolean {
  return facts.list !== undefined && readHole(hole, [], facts) !== null;
}

/** Whether nothing else stands in a template than texts that look so. */
function hasOnly(template: Json, text: RegExp): boolean {
  if (typeof template === "string") return text.test(template);
  if (typeof template !== "object" || template === null) return false;
  const inside = Object.values(template);
  return inside.length > 0 && inside.every((one) => hasOnly(one, text));
}

/** Whether a template stands for wrong fields alone: without any it is nothing. */
function isEachField(template: Json): boolean {
  if (Array.isArray(template)) return template.length === 1 && speaksOfField(template);
  return isObject(template) && Object.keys(template).length === 1 && speaksOfField(Object.keys(template));
}

/** Whether a template names the wrong field. */
export function speaksOfField(template: unknown): boolean {
  return /\{error\.(?:field|pointer)/.test(JSON.stringify(template));
}

/** Whether a template has a hole that speaks of one of these. */
export function speaksOf(template: unknown, ...subjects: Subject[]): boolean {
  const names = Array.from(JSON.stringify(template).matchAll(/\{([A-Za-z_.]+)/g), ([, name = ""]) => name);
  return names.some((name) => Object.hasOwn(holes, name) && subjects.includes(holes[name as HoleName].about)); // why: the table has it
}
