// Fills templates. Each part has a value, and shows whether any placeholder in it has one.
import { isPlain } from "../json.ts";
import { asText, formats } from "./formats.ts";
import { type Facts, listChanges, placeholders, renderPlaceholder } from "./placeholders.ts";
import type { AnswerShape } from "./resolve.ts";
import type { Repeated, TemplateNode } from "./template.ts";

/** A response that a template wrote. */
export interface RenderedResponse {
  /** Headers in addition to those of every response. An empty one is left out. */
  readonly headers: Record<string, string>;
  /** The body as text; `undefined` when there is none. */
  readonly text: string | undefined;
}

/** Writes a response from its facts. */
export function renderResponse({ body, headers: named }: AnswerShape, facts: Facts): RenderedResponse {
  const headers: Record<string, string> = {};
  for (const [name, node] of named) {
    const value = renderText(node, facts);
    if (value !== "") headers[name] = value;
  }
  const value = body && renderTemplate(body.node, facts);
  return { headers, text: body?.kind === "json" ? JSON.stringify(value) : body && asText(value) };
}

/** Fills the placeholders of a template. */
export function renderTemplate(node: TemplateNode, facts: Facts): unknown {
  return fill(node, facts).value;
}

/** Fills the placeholders of a template for a string, such as a header. */
export function renderText(node: TemplateNode, facts: Facts): string {
  return asText(fill(node, facts).value);
}

/** Whether any placeholder of a template has a value; for a template without placeholders, whether it is more than null. */
export function hasFilling(node: TemplateNode, facts: Facts): boolean {
  return isThere(fill(node, facts));
}

/** A part of a template with its placeholders filled. */
interface Filled {
  readonly value: unknown;
  /** Whether any placeholder has a value; `undefined` if there are no placeholders. */
  readonly isFilled: boolean | undefined;
}

function fill(node: TemplateNode, facts: Facts): Filled {
  if (node.kind === "constant") return { value: node.value, isFilled: undefined };
  if (node.kind === "text") return fillText(node, facts);
  if (node.kind === "object") return fillObject(node, facts);
  if (node.kind === "each") return fillRepeated(node, facts);
  if (node.kind === "placeholder") {
    const value = renderPlaceholder(node.name, node.formats, facts);
    return { value, isFilled: !isNothing(value) };
  }
  if (node.kind === "optional") {
    const item = fill(node.item, facts);
    const needed = node.needs === undefined ? item : fill(node.needs, facts);
    return { value: isThere(needed) ? item.value : null, isFilled: needed.isFilled };
  }
  const items = node.items.map((item) => fill(item, facts));
  const kept = items.filter((item, index) => node.items[index]?.kind !== "optional" || isThere(item));
  return { value: kept.map(({ value }) => value), isFilled: isAnyFilled(items) };
}

function isThere({ value, isFilled }: Filled): boolean {
  return isFilled ?? !isNothing(value);
}

function isAnyFilled(parts: readonly Filled[]): boolean | undefined {
  const known = new Set(parts.map(({ isFilled }) => isFilled));
  return known.has(true) || (known.has(false) ? false : undefined);
}

/** Fills a string; `null` if it would point to pages that do not exist. */
function fillText({ parts, isHtml }: TemplateNode & { kind: "text" }, facts: Facts): Filled {
  let value = "";
  const filled: Filled[] = [];
  for (const part of parts) {
    const one = fill(part, facts);
    const known = part.kind === "placeholder" ? placeholders[part.name] : undefined;
    if (known?.leads === true && known.value(facts) === null) return { value: null, isFilled: false };
    filled.push(one);
    const text = asText(one.value);
    value += isHtml === true && part.kind !== "constant" ? formats.html.write(text) : text;
  }
  return { value, isFilled: isAnyFilled(filled) };
}

function fillObject({ members }: TemplateNode & { kind: "object" }, facts: Facts): Filled {
  const entries: [string, unknown][] = [];
  const filled: Filled[] = [];
  for (const { name, isOptional, needs, value } of members) {
    const inner = fill(value, facts);
    const key = name && fill(name, facts);
    filled.push(inner, ...(key ? [key] : []));
    if (isOptional && !(needs === undefined ? isThere(inner) : hasFilling(needs, facts))) continue;
    const text = asText(key?.value);
    if (key === undefined) entries.push(...(isPlain(inner.value) ? Object.entries(inner.value) : []));
    // A field whose name has placeholders without a value is left out.
    else if (text !== "" || name?.kind === "constant") entries.push([text, inner.value]);
  }
  // Not by assignment, because a field may be called `__proto__`.
  return { value: Object.fromEntries(entries), isFilled: isAnyFilled(filled) };
}

function fillRepeated({ of, key, item }: TemplateNode & { kind: "each" }, facts: Facts): Filled {
  const all = listSubjects(of, facts).map((one) => [key && fill(key, one), fill(item, one)] as const);
  const hasOne = all.some(([name, one]) => name?.isFilled !== false && one.isFilled !== false);
  // A list of wrong fields is left out if there are none, although `error.detail` would have a value.
  const isFilled = hasOne && !(of === "field" && (facts.error?.errors ?? []).length === 0);
  if (key === undefined) {
    const kept = all.filter(([, one]) => item.kind !== "optional" || isThere(one));
    return { value: kept.map(([, { value }]) => value), isFilled };
  }
  // An error about no field has no entry in a map of wrong fields.
  const entries = all.map(([name, { value }]) => [asText(name?.value), value] as const);
  return { value: Object.fromEntries(entries.filter(([name]) => name !== "")), isFilled };
}

/** Lists the facts of each repeated element. */
export function listSubjects(of: Repeated, facts: Facts, pages = facts.pages ?? []): Facts[] {
  const domains = facts.page?.domains ?? [];
  const errors = facts.error?.errors ?? [];
  const each: Record<Repeated, readonly unknown[]> = {
    page: pages,
    domain: domains,
    alias: domains.slice(1),
    change: listChanges(facts),
    // If no field is wrong, one entry has the message.
    field: errors.length === 0 ? [undefined] : errors,
  };
  return each[of].map((one) => Object.assign({}, facts, { [of]: one }));
}

/** Whether a value is nothing, or contains nothing. */
function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isNothing);
  return value === null || value === undefined;
}
