import {
  type Facts,
  holes,
  listChanges,
  readHole,
  type Repeated,
  type TemplateNode,
} from "@landing-page-service/contract/dialect";

/** Fills the holes of a template; `pages` are what a list repeats for. */
export function renderTemplate(node: TemplateNode, facts: Facts, pages: readonly Page[] = []): unknown {
  if (node.kind === "constant") return node.value;
  if (node.kind === "hole") return readHole(node.hole, node.formats, facts);
  if (node.kind === "text") return leadsNowhere(node, facts) ? null : renderText(node, facts);
  if (node.kind === "array") return node.items.map((item) => renderTemplate(item, facts, pages));
  return node.kind === "object" ? renderObject(node.members, facts, pages) : renderEach(node, facts, pages);
}

/** Fills the holes of a template that stands for a text, such as a header; `spell` writes the value of each hole. */
export function renderText(node: TemplateNode, facts: Facts, spell = (value: string): string => value): string {
  if (leadsNowhere(node, facts)) return "";
  if (node.kind === "text") return node.parts.map((part) => renderText(part, facts, spell)).join("");
  const text = asText(renderTemplate(node, facts));
  return node.kind === "constant" ? text : spell(text);
}

/** Whether a text would lead to pages that there are not. */
function leadsNowhere(node: TemplateNode, facts: Facts): boolean {
  if (node.kind === "text") return node.parts.some((part) => leadsNowhere(part, facts));
  return node.kind === "hole" && "leads" in holes[node.hole] && readHole(node.hole, [], facts) === null;
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

type Page = NonNullable<Facts["page"]>;
type Members = (TemplateNode & { kind: "object" })["members"];

function renderObject(members: Members, facts: Facts, pages: readonly Page[]): unknown {
  const entries: [string, unknown][] = [];
  for (const { name, isOptional, value } of members) {
    if (isOptional && isSilent(value, facts)) continue;
    const rendered = renderTemplate(value, facts, pages);
    if (isOptional && isNothing(rendered)) continue;
    if (name !== undefined) entries.push([renderText(name, facts), rendered]);
    else if (typeof rendered === "object" && rendered !== null) entries.push(...Object.entries(rendered));
  }
  // Not by assignment: a member may be called `__proto__`.
  return Object.fromEntries(entries);
}

function renderEach({ of, key, item }: TemplateNode & { kind: "each" }, facts: Facts, pages: readonly Page[]): unknown {
  const each = subjectsOf[of](facts, pages);
  if (key === undefined) return each.map((one) => renderTemplate(item, one, pages));
  // What has no name is no member: a refusal that blames no field has no entry in a map of wrong fields.
  const named = each.map((one) => [renderText(key, one), one] as const).filter(([name]) => name !== "");
  return Object.fromEntries(named.map(([name, one]) => [name, renderTemplate(item, one, pages)]));
}

const subjectsOf: Record<Repeated, (facts: Facts, pages: readonly Page[]) => Facts[]> = {
  page: (facts, pages) => pages.map((page) => about(facts, { page })),
  domain: (facts) => (facts.page?.domains ?? []).map((domain) => about(facts, { domain })),
  change: (facts) => listChanges(facts).map((change) => about(facts, { change })),
  // When no field is to blame, one entry has the sentence.
  field: (facts) =>
    hasWrongFields(facts) ? (facts.error?.errors ?? []).map((field) => about(facts, { field })) : [facts],
};

function about(facts: Facts, one: Partial<Facts>): Facts {
  return { ...facts, ...one };
}

/** A list of wrong fields that may be left out is, when there is none. */
function isSilent(value: TemplateNode, facts: Facts): boolean {
  return value.kind === "each" && value.of === "field" && !hasWrongFields(facts);
}

function hasWrongFields({ error }: Facts): boolean {
  return (error?.errors.length ?? 0) > 0;
}

/** Nothing, or something with nothing in it. */
function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isNothing);
  return value === null || value === undefined;
}
