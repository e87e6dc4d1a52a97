// What a template repeats for, and whether it has anything to put in.
import { type Facts, listChanges } from "./facts.ts";
import { placeholders, renderPlaceholder } from "./placeholders.ts";
import type { Repeated, TemplateNode } from "./template.ts";

type Page = NonNullable<Facts["page"]>;

/** What each item is about where an array or a map repeats; `pages` are those of a list. */
export function listSubjects(of: Repeated, facts: Facts, pages: readonly Page[] = []): Facts[] {
  return subjectsOf[of](facts, pages).map((one) => Object.assign({}, facts, one));
}

const subjectsOf: Record<Repeated, (facts: Facts, pages: readonly Page[]) => readonly Partial<Facts>[]> = {
  page: (_facts, pages) => pages.map((page) => ({ page })),
  domain: ({ page }) => (page?.domains ?? []).map((domain) => ({ domain })),
  alias: ({ page }) => (page?.domains ?? []).slice(1).map((alias) => ({ alias })),
  change: (facts) => listChanges(facts).map((change) => ({ change })),
  // When no field is to blame, one entry has the sentence.
  field: (facts) => (hasWrongFields(facts) ? (facts.error?.errors ?? []).map((field) => ({ field })) : [{}]),
};

/** Whether an error blames a field, or the body as a whole. */
function hasWrongFields({ error }: Facts): boolean {
  return (error?.errors.length ?? 0) > 0;
}

/** Whether there is anything to put into a template; one without placeholders has something where it is more than null. */
export function hasFilling(node: TemplateNode, facts: Facts, pages: readonly Page[] = []): boolean {
  return isFilled(node, facts, pages) ?? isSomething(node);
}

/** Whether any placeholder has something to put in; `undefined` when there are none. */
function isFilled(node: TemplateNode, facts: Facts, pages: readonly Page[]): boolean | undefined {
  if (node.kind === "constant") return undefined;
  if (node.kind === "optional" && node.needs !== undefined) return isFilled(node.needs, facts, pages);
  if (node.kind === "placeholder") return !isNothing(renderPlaceholder(node.name, node.formats, facts));
  if (node.kind === "text" && leadsNowhere(node, facts)) return false;
  if (node.kind === "each") {
    // A list of wrong fields is left out when there is none, although one entry would have the sentence.
    if (node.of === "field" && !hasWrongFields(facts)) return false;
    const parts = node.key === undefined ? [node.item] : [node.key, node.item];
    return listSubjects(node.of, facts, pages).some((one) => parts.every((part) => isFilled(part, one, pages) ?? true));
  }
  const known = new Set(partsOf(node).map((part) => isFilled(part, facts, pages)));
  return known.has(true) || (known.has(false) ? false : undefined);
}

function partsOf(node: TemplateNode): readonly TemplateNode[] {
  if (node.kind === "text") return node.parts;
  if (node.kind === "array") return node.items;
  if (node.kind === "optional") return [node.item];
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
export function leadsNowhere(node: TemplateNode, facts: Facts): boolean {
  if (node.kind === "text") return node.parts.some((part) => leadsNowhere(part, facts));
  return (
    node.kind === "placeholder" &&
    "leads" in placeholders[node.name] &&
    renderPlaceholder(node.name, [], facts) === null
  );
}
