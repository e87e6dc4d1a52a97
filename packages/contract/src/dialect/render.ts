// Fills templates.
import { asText, formats } from "./formats.ts";
import { type Facts, listChanges, placeholders, renderPlaceholder } from "./placeholders.ts";
import type { AnswerShape } from "./resolve.ts";
import type { Repeated, TemplateMember, TemplateNode } from "./template.ts";

type Page = NonNullable<Facts["page"]>;

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
  const filled = Object.fromEntries(written.filter(([, value]) => value !== ""));
  if (body === undefined) return { headers: filled, text: undefined };
  if (body.kind === "json") return { headers: filled, text: JSON.stringify(renderTemplate(body.node, facts, pages)) };
  return { headers: filled, text: renderText(body.node, facts, body.kind === "html" ? formats.html.write : undefined) };
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

/** Fills the placeholders of a template for a string, such as a header; `spell` writes the value of each placeholder. */
export function renderText(
  node: TemplateNode,
  facts: Facts,
  spell: (value: string) => string | number = (value) => value,
): string {
  if (leadsNowhere(node, facts)) return "";
  if (node.kind === "text") return node.parts.map((part) => renderText(part, facts, spell)).join("");
  const text = asText(renderTemplate(node, facts));
  return node.kind === "constant" ? text : String(spell(text));
}

function renderObject(members: readonly TemplateMember[], facts: Facts, pages: readonly Page[]): unknown {
  const entries: [string, unknown][] = [];
  for (const { name, isOptional, needs, value } of members) {
    if (isOptional && !hasFilling(needs ?? value, facts, pages)) continue;
    const rendered = renderTemplate(value, facts, pages);
    const key = name && renderText(name, facts);
    // A field without a name is left out.
    if (key === "" && name?.kind !== "constant") continue;
    if (key !== undefined) entries.push([key, rendered]);
    else if (typeof rendered === "object" && rendered !== null) entries.push(...Object.entries(rendered));
  }
  // Not by assignment, because a field may be called `__proto__`.
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

/** What each item is about where an array or a map repeats; `pages` are those of a list. */
export function listSubjects(of: Repeated, facts: Facts, pages: readonly Page[] = []): Facts[] {
  const domains = facts.page?.domains ?? [];
  const errors = facts.error?.errors ?? [];
  const each: Record<Repeated, readonly Partial<Facts>[]> = {
    page: pages.map((page) => ({ page })),
    domain: domains.map((domain) => ({ domain })),
    alias: domains.slice(1).map((alias) => ({ alias })),
    change: listChanges(facts).map((change) => ({ change })),
    // When no field is to blame, one entry has the sentence.
    field: errors.length === 0 ? [{}] : errors.map((field) => ({ field })),
  };
  return each[of].map((one) => Object.assign({}, facts, one));
}

/** Whether there is anything to put into a template; one without placeholders has something where it is more than null. */
export function hasFilling(node: TemplateNode, facts: Facts, pages: readonly Page[] = []): boolean {
  return isFilled(node, facts, pages) ?? isSomething(node);
}

/** Whether any placeholder has a value; `undefined` if there are no placeholders. */
function isFilled(node: TemplateNode, facts: Facts, pages: readonly Page[]): boolean | undefined {
  if (node.kind === "constant") return undefined;
  if (node.kind === "optional" && node.needs !== undefined) return isFilled(node.needs, facts, pages);
  if (node.kind === "placeholder") return !isNothing(renderPlaceholder(node.name, node.formats, facts));
  if (node.kind === "text" && leadsNowhere(node, facts)) return false;
  if (node.kind === "each") {
    // A list of wrong fields is left out if there are none, although `error.detail` would have a value.
    if (node.of === "field" && (facts.error?.errors ?? []).length === 0) return false;
    const parts = partsOf(node);
    return listSubjects(node.of, facts, pages).some((one) => parts.every((part) => isFilled(part, one, pages) ?? true));
  }
  const known = new Set(partsOf(node).map((part) => isFilled(part, facts, pages)));
  return known.has(true) || (known.has(false) ? false : undefined);
}

function partsOf(node: TemplateNode): readonly TemplateNode[] {
  if (node.kind === "text") return node.parts;
  if (node.kind === "array") return node.items;
  if (node.kind === "optional") return [node.item];
  if (node.kind === "each") return node.key === undefined ? [node.item] : [node.key, node.item];
  if (node.kind !== "object") return [];
  return node.members.flatMap(({ name, value }) => (name === undefined ? [value] : [name, value]));
}

function isSomething(node: TemplateNode): boolean {
  if (node.kind === "object") return node.members.some(({ value }) => isSomething(value));
  return node.kind === "constant" ? node.value !== null : partsOf(node).some(isSomething);
}

/** Nothing, or something with nothing in it. */
function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isNothing);
  return value === null || value === undefined;
}

/** Whether a text would lead to pages that there are not. */
function leadsNowhere(node: TemplateNode, facts: Facts): boolean {
  if (node.kind === "text") return node.parts.some((part) => leadsNowhere(part, facts));
  if (node.kind !== "placeholder" || !("leads" in placeholders[node.name])) return false;
  return renderPlaceholder(node.name, [], facts) === null;
}
