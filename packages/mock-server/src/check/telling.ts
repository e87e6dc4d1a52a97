// What a value, or a template that was learned, tells.
import { isObject } from "@landing-page-service/contract";
import type { Facts, Json } from "@landing-page-service/contract/dialect";
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
export function isDescribed({ facts: { page } }: Sample): boolean {
  return (page?.meta_description ?? null) !== null;
}

/** Whether a template has nothing in it but the description: without one it is nothing. */
export function isDescription(template: Json): boolean {
  if (typeof template === "string") return template === "{meta_description}";
  if (typeof template !== "object" || template === null) return false;
  const inside = Object.values(template);
  return inside.length > 0 && inside.every(isDescription);
}

/** Whether an error blames a field, or the body as a whole. */
export function hasWrongField({ error }: Facts): boolean {
  return (error?.errors.length ?? 0) > 0;
}

/** Whether a template stands for wrong fields alone: without any it is nothing. */
export function isEachField(template: Json): boolean {
  if (Array.isArray(template)) return template.length === 1 && speaksOfField(template);
  return isObject(template) && Object.keys(template).length === 1 && speaksOfField(Object.keys(template));
}

/** Whether a template names the wrong field. */
export function speaksOfField(template: unknown): boolean {
  return /\{error\.(?:field|pointer)/.test(JSON.stringify(template));
}
