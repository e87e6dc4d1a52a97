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
    const text = asText(renderTemplate(node, facts));
    if (text !== "") headers[name] = text;
  }
  const value = body && renderTemplate(body.node, facts);
  return { headers, text: body?.kind === "json" ? JSON.stringify(value) : body && asText(value) };
}

/** Fills the placeholders of a template. */
export function renderTemplate(node: TemplateNode, facts: Facts): unknown {
  return fill(node, facts).value ?? null;
}

/** A part of a template with its placeholders filled. */
interface Filled {
  /** The value; `undefined` for an optional part that is left out. */
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
    const { value, isFilled } = fill(node.item, facts);
    const needed = node.needs === undefined ? isFilled : fill(node.needs, facts).isFilled;
    return { value: (needed ?? !isNothing(value)) ? value : undefined, isFilled: needed };
  }
  const items = node.items.map((item) => fill(item, facts));
  return { value: listValues(items), isFilled: isAnyFilled(items) };
}

function listValues(items: readonly Filled[]): unknown[] {
  return items.map(({ value }) => value).filter((value) => value !== undefined);
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
  for (const { name, isOptional, value } of members) {
    const inner = fill(value, facts);
    const key = name && fill(name, facts);
    filled.push(inner, ...(key ? [key] : []));
    if (isOptional && inner.value === undefined) continue;
    const text = asText(key?.value);
    if (key === undefined) entries.push(...(isPlain(inner.value) ? Object.entries(inner.value) : []));
    // A field whose name has placeholders without a value is left out.
    else if (text !== "" || name?.kind === "constant") entries.push([text, inner.value ?? null]);
  }
  // Not by assignment, because a field may be called `__proto__`.
  return { value: Object.fromEntries(entries), isFilled: isAnyFilled(filled) };
}

function fillRepeated({ of, key, item }: TemplateNode & { kind: "each" }, facts: Facts): Filled {
  const all = listSubjects(of, facts).map((one) => ({ name: key && fill(key, one), part: fill(item, one) }));
  const hasOne = all.some(({ name, part }) => name?.isFilled !== false && part.isFilled !== false);
  // A list of wrong fields is left out if there are none, although `error.detail` would have a value.
  const isFilled = hasOne && !(of === "field" && (facts.error?.errors ?? []).length === 0);
  if (key === undefined) return { value: listValues(all.map(({ part }) => part)), isFilled };
  // An error about no field has no entry in a map of wrong fields.
  const entries = all.map(({ name, part }): [string, unknown] => [asText(name?.value), part.value ?? null]);
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
