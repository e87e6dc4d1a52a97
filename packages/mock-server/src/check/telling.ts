// What a value, or a template that was learned, tells.
import {
  type Facts,
  holes,
  type HoleName,
  type Json,
  readHole,
  type Repeated,
  type Subject,
  type TemplateNode,
} from "@landing-page-service/contract/dialect";
import { type Sample, writeHole } from "./explain-text.ts";

/** Whether a value has in it what was sent, the identifier of the page, or the service itself. */
export function repeatsKnown({ value, facts: { page, origin } }: Sample): boolean {
  if (value === undefined) return false;
  const text = JSON.stringify(value);
  const known = page && [page.title, page.content, page.slug, page.meta_description, page.cta.label, page.cta.url];
  return [origin, String(page?.id ?? ""), ...(known ?? [])].some(
    (one) => one !== null && one.length > 3 && text.includes(one),
  );
}

/** Whether there are pages after or before those of a list. */
export function hasPages(facts: Facts, hole: "next_offset" | "previous_offset"): boolean {
  return facts.list !== undefined && readHole(hole, [], facts) !== null;
}

/** Whether a template names the wrong field. */
export function speaksOfField(template: unknown): boolean {
  return /\{error\.(?:field|pointer)/.test(JSON.stringify(template));
}

/** What an array or a map may have something for each of. */
export const repeated: readonly Repeated[] = ["domain", "alias", "change", "field"];

/** Whether a template has a hole that speaks of one of these. */
export function speaksOf(template: unknown, ...subjects: Subject[]): boolean {
  const names = Array.from(JSON.stringify(template).matchAll(/\{([A-Za-z_.]+)/g), ([, name = ""]) => name);
  return names.some((name) => Object.hasOwn(holes, name) && subjects.includes(holes[name as HoleName].about)); // why: the table has it
}

/** A template with some of its parts replaced. */
export function mapTemplate(template: Json, replace: (part: Json) => Json | undefined): Json {
  const replaced = replace(template);
  if (replaced !== undefined || typeof template !== "object" || template === null) return replaced ?? template;
  if (Array.isArray(template)) return template.map((item) => mapTemplate(item, replace));
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, mapTemplate(inner, replace)]));
}

/** A text as a template has it. */
export function write(node: TemplateNode): string {
  if (node.kind === "text") return node.parts.map(write).join("");
  if (node.kind === "hole") return writeHole(node.hole, node.formats);
  return node.kind === "constant" ? String(node.value) : "";
}
