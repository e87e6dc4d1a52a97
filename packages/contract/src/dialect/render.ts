// Writes what a template stands for.
import type { Facts } from "./facts.ts";
import { hasFilling, leadsNowhere, listSubjects } from "./filling.ts";
import { asText, formats } from "./formats.ts";
import { renderPlaceholder } from "./placeholders.ts";
import type { AnswerShape } from "./shapes.ts";
import type { TemplateNode } from "./template.ts";

/** A response as a template writes it. */
export interface RenderedResponse {
  /** Headers beside those that every response has. One with nothing in it is left out. */
  readonly headers: Record<string, string>;
  /** The body as text; `undefined` when there is none. */
  readonly text: string | undefined;
}

/** Writes a response from the facts it is about; `pages` are those of a list. */
export function renderResponse(
  { body, headers }: AnswerShape,
  facts: Facts,
  pages?: readonly Page[],
): RenderedResponse {
  const written = headers.map(([name, node]): [string, string] => [name, renderText(node, facts)]);
  const text = body && renderBody(body, facts, pages);
  return { headers: Object.fromEntries(written.filter(([, value]) => value !== "")), text };
}

function renderBody({ kind, node }: NonNullable<AnswerShape["body"]>, facts: Facts, pages?: readonly Page[]): string {
  if (kind === "json") return JSON.stringify(renderTemplate(node, facts, pages));
  return renderText(node, facts, kind === "html" ? formats.html.write : undefined);
}

/** Fills the placeholders of a template; `pages` are what a list repeats for. */
export function renderTemplate(node: TemplateNode, facts: Facts, pages: readonly Page[] = []): unknown {
  if (node.kind === "constant") return node.value;
  if (node.kind === "placeholder") return renderPlaceholder(node.name, node.formats, facts);
  if (node.kind === "text") return leadsNowhere(node, facts) ? null : renderText(node, facts);
  if (node.kind === "array") return node.items.flatMap((item) => renderItem(item, facts, pages));
  if (node.kind === "optional") return hasFilling(node, facts, pages) ? renderTemplate(node.item, facts, pages) : null;
  return node.kind === "object" ? renderObject(node.members, facts, pages) : renderEach(node, facts, pages);
}

/** Fills the placeholders of a template that stands for a text, such as a header; `spell` writes the value of each placeholder. */
export function renderText(node: TemplateNode, facts: Facts, spell = (value: string): string => value): string {
  if (leadsNowhere(node, facts)) return "";
  if (node.kind === "text") return node.parts.map((part) => renderText(part, facts, spell)).join("");
  const text = asText(renderTemplate(node, facts));
  return node.kind === "constant" ? text : spell(text);
}

type Page = NonNullable<Facts["page"]>;
type Members = (TemplateNode & { kind: "object" })["members"];

function renderObject(members: Members, facts: Facts, pages: readonly Page[]): unknown {
  const entries: [string, unknown][] = [];
  for (const { name, isOptional, needs, value } of members) {
    if (isOptional && !hasFilling(needs ?? value, facts, pages)) continue;
    const rendered = renderTemplate(value, facts, pages);
    const key = name && renderText(name, facts);
    // What has no name is no member.
    if (key === "" && name?.kind !== "constant") continue;
    if (key !== undefined) entries.push([key, rendered]);
    else if (typeof rendered === "object" && rendered !== null) entries.push(...Object.entries(rendered));
  }
  // Not by assignment: a member may be called `__proto__`.
  return Object.fromEntries(entries);
}

function renderItem(item: TemplateNode, facts: Facts, pages: readonly Page[]): unknown[] {
  return item.kind === "optional" && !hasFilling(item, facts, pages) ? [] : [renderTemplate(item, facts, pages)];
}

function renderEach({ of, key, item }: TemplateNode & { kind: "each" }, facts: Facts, pages: readonly Page[]): unknown {
  const each = listSubjects(of, facts, pages);
  if (key === undefined) return each.flatMap((one) => renderItem(item, one, pages));
  // A refusal that blames no field has no entry in a map of wrong fields.
  const named = each.map((one) => [renderText(key, one), one] as const).filter(([name]) => name !== "");
  return Object.fromEntries(named.map(([name, one]) => [name, renderTemplate(item, one, pages)]));
}
