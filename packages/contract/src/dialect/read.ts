// Reads a response by its template: the inverse of rendering. Extra fields of the response are ignored.
import { isObject, type JsonObject, parseExactJson } from "../json.ts";
import type { Cta, PageDomain, PageFields } from "../page.ts";
import { escapePointer, type FieldProblem } from "../problem.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { type FormatName, formats } from "./formats.ts";
import { type PlaceholderName, placeholders } from "./placeholders.ts";
import type { AnswerShape } from "./resolve.ts";
import type { Repeated, TemplateMember, TemplateNode } from "./template.ts";

/** What a response says, by the placeholders of its template. */
export interface ReadFacts {
  /** The value of each placeholder outside of repeated elements. Where several placeholders have one name, the first in the template counts. */
  readonly values: { [Name in PlaceholderName]?: unknown };
  /** The facts of each repeated element, in the order of the response: `repeated.page` are the pages of a list. */
  readonly repeated: { [Of in Repeated]?: ReadFacts[] };
  /** The object with the fields of the page, as it came. */
  record?: JsonObject;
  /** Placeholders and repeated elements that the template has and the response does not, optional ones left out. */
  readonly missing: MissingFact[];
}

/** A part of the template for which the response has no value. */
export interface MissingFact {
  /** Name of the placeholder; of what repeats, such as `page`, where a whole list is missing. */
  readonly name: PlaceholderName | Repeated;
  /** Where it should be: a JSON pointer such as `#/data/id`, or the name of a header. */
  readonly pointer: string;
}

/** A response as it came. */
export interface ReceivedResponse {
  readonly headers: HeaderLookup;
  /** The body as text. */
  readonly text: string;
}

/**
 * Reads everything from a response for which its template has a placeholder. Dates come back in ISO 8601, counts as numbers and
 * identifiers as text, whatever the formats of the placeholders; integers beyond 2^53 keep their digits.
 */
export function readResponse({ body, headers }: AnswerShape, response: ReceivedResponse): ReadFacts {
  const facts = noFacts();
  const { text } = response;
  if (body?.kind === "json") take(body.node, parseExactJson(text), { facts, pointer: "#" });
  else if (body !== undefined) take(body.node, text, { facts, pointer: "#", isHtml: body.kind === "html" });
  for (const [name, node] of headers) take(node, response.headers.get(name), { facts, pointer: name });
  return facts;
}

/** Reads a JSON value by its template. */
export function readTemplateValue(node: TemplateNode, value: unknown, pointer = "#"): ReadFacts {
  const facts = noFacts();
  take(node, value, { facts, pointer });
  return facts;
}

interface Reading {
  readonly facts: ReadFacts;
  readonly pointer: string;
  /** Whether values in texts are escaped as HTML. @defaultValue false */
  readonly isHtml?: boolean;
  /** Whether the response may leave this part out. @defaultValue false */
  readonly isOptional?: boolean;
}

function noFacts(): ReadFacts {
  return { values: {}, repeated: {}, missing: [] };
}

function take(node: TemplateNode, value: unknown, reading: Reading): void {
  switch (node.kind) {
    case "constant":
      return;
    case "placeholder":
      return takeValue(node.name, reading.isHtml === true ? [...node.formats, "html"] : node.formats, value, reading);
    case "text":
      return takeText(node.parts, value, reading);
    case "optional":
      return take(node.item, value, { ...reading, isOptional: true });
    case "array":
      return takeItems(node.items, value, reading);
    case "object":
      if (isObject(value) && holdsPage(node.members)) reading.facts.record ??= value;
      return takeMembers(node.members, isObject(value) ? value : {}, reading);
    case "each":
      return takeRepeated(node, value, reading);
  }
}

function takeValue(
  name: PlaceholderName,
  formatNames: readonly FormatName[],
  written: unknown,
  reading: Reading,
): void {
  const { facts, isOptional, pointer } = reading;
  const value = asTyped(name, undo(formatNames, written));
  if (value !== undefined) facts.values[name] ??= value;
  else if (isOptional !== true) facts.missing.push({ name, pointer });
}

function undo(formatNames: readonly FormatName[], written: unknown): unknown {
  let value = written;
  for (const name of formatNames.toReversed())
    if (typeof value === "string" || typeof value === "number") value = formats[name].read(value);
  return value;
}

/** A value in the type of its placeholder; `undefined` when it is of another type. */
function asTyped(name: PlaceholderName, value: unknown): unknown {
  const { type } = placeholders[name].schema;
  if (type === undefined || value === undefined) return value;
  const types = typeof type === "string" ? [type] : type;
  if (value === null) return types.includes("null") ? null : undefined;
  if (typeof value === "number" && types.includes("string")) return String(value);
  if (typeof value === "string" && !types.includes("string")) {
    const parsed = value === "" ? undefined : parseExactJson(value);
    return typeof parsed === "string" ? undefined : asTyped(name, parsed);
  }
  const own = Array.isArray(value) ? "array" : typeof value;
  return types.includes(own) || (own === "number" && types.includes("integer")) ? value : undefined;
}

/** Reads the placeholders of a text such as `/pages/{id}`. */
function takeText(parts: readonly TemplateNode[], value: unknown, reading: Reading): void {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  const found = text === undefined ? null : textPattern(parts).exec(text);
  const placeholders = parts.filter((part) => part.kind !== "constant");
  for (const [index, part] of placeholders.entries()) take(part, found?.[index + 1], reading);
}

function textPattern(parts: readonly TemplateNode[]): RegExp {
  const source = parts.map((part) =>
    part.kind === "constant" ? escapePattern(String(part.value)) : partPattern(part),
  );
  return new RegExp(`^${source.join("")}$`, "s");
}

/** What a placeholder in a string may match: narrow enough to separate two that follow each other. */
function partPattern(part: TemplateNode): string {
  if (part.kind !== "placeholder") return "(.*?)";
  const format = part.formats.at(-1);
  if (format === "url") return "([^/?#&\\s]*?)";
  if (format !== undefined && format !== "text") return formats[format].type === "string" ? "(.*?)" : "(-?\\d+)";
  if (part.name === "domain.name" || part.name === "alias.name" || part.name === "host") return "([^/\\s]*?)";
  if (part.name === "domain.path" || part.name === "path") return "(/\\S*?)";
  if (part.name === "origin") return "([a-z]+://[^/\\s]*?)";
  return placeholders[part.name].schema["type"] === "integer" ? "(\\d+)" : "(.*?)";
}

// `RegExp.escape` is not in Node 22.
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Reads an array item by item. An item that may be left out is passed over where its constants are not there. */
function takeItems(items: readonly TemplateNode[], value: unknown, reading: Reading): void {
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  let index = 0;
  for (const item of items) {
    if (item.kind === "optional" && !fitsTemplate(item.item, values[index])) continue;
    take(item, values[index], { ...reading, pointer: `${reading.pointer}/${index}` });
    index += 1;
  }
}

/** Whether the constants of a template match a value. */
export function fitsTemplate(node: TemplateNode, value: unknown): boolean {
  if (value === undefined) return false;
  if (node.kind === "constant") return node.value === value;
  if (node.kind !== "object") return true;
  return node.members.every(({ name, isOptional, value: inner }) => {
    if (name?.kind !== "constant") return true;
    const own = isObject(value) ? value[String(name.value)] : undefined;
    return (isOptional && own === undefined) || fitsTemplate(inner, own);
  });
}

/** Whether an object itself has fields of a page, and not only an object inside it. */
function holdsPage(members: readonly TemplateMember[]): boolean {
  return members.some(({ value }) => value.kind === "placeholder" && placeholders[value.name].about === "page");
}

function takeMembers(
  members: readonly TemplateMember[],
  value: Readonly<Record<string, unknown>>,
  reading: Reading,
): void {
  const constant = new Set(members.flatMap(({ name }) => (name?.kind === "constant" ? [String(name.value)] : [])));
  const others = Object.keys(value).filter((key) => !constant.has(key));
  for (const { name, isOptional, value: inner } of members) {
    const below = isOptional ? { ...reading, isOptional } : reading;
    if (name === undefined) {
      take(inner, value, below);
      continue;
    }
    // A name with placeholders matches a field that no other part of the template names.
    const pattern = name.kind === "constant" ? undefined : textPattern(name.kind === "text" ? name.parts : [name]);
    const key = name.kind === "constant" ? String(name.value) : others.find((other) => pattern?.test(other));
    const pointer = `${reading.pointer}/${escapePointer(key ?? "")}`;
    take(name, key, { ...below, pointer });
    take(inner, key === undefined || !Object.hasOwn(value, key) ? undefined : value[key], { ...below, pointer });
  }
}

function takeRepeated(node: TemplateNode & { kind: "each" }, value: unknown, reading: Reading): void {
  const { facts, pointer } = reading;
  const entries =
    node.key === undefined ? Array.isArray(value) && value.entries() : isObject(value) && Object.entries(value);
  if (entries === false) {
    if (reading.isOptional !== true) facts.missing.push({ name: node.of, pointer });
    return;
  }
  const found = Array.from(entries, ([key, element]: readonly [string | number, unknown]) => {
    const one: Reading = { facts: noFacts(), pointer: `${pointer}/${escapePointer(String(key))}` };
    if (node.key !== undefined) take(node.key, key, one);
    take(node.item, element, one);
    return one.facts;
  });
  const known = facts.repeated[node.of];
  if (known === undefined) facts.repeated[node.of] = found;
  else for (const [index, one] of found.entries()) addFacts(findSame(known, one, index), one);
}

/** The element in another list of the same response that is about the same page: by its identifier, else by its position. */
function findSame(known: ReadFacts[], { values: { id } }: ReadFacts, index: number): ReadFacts {
  const same = id === undefined ? undefined : known.find(({ values }) => values.id === id);
  const atIndex = known[index];
  const one = same ?? (atIndex?.values.id === undefined || id === undefined ? atIndex : undefined) ?? noFacts();
  if (!known.includes(one)) known.push(one);
  return one;
}

function addFacts(into: ReadFacts, { values, repeated }: ReadFacts): void {
  Object.assign(into.values, { ...values, ...into.values });
  Object.assign(into.repeated, { ...repeated, ...into.repeated });
}

/** A page as far as a response shows it. */
export interface PageFacts extends Partial<Omit<PageFields, "domains">> {
  /** Domains in the order of the response, empty when it shows none. */
  domains: PageDomain[];
}

/** The page that a response, or one element of a list, shows. Fields that an update was sent count as fields of the page. */
export function readPageFacts(facts: ReadFacts): PageFacts {
  const { values, repeated } = facts;
  const changes = isObject(values.changes) ? values.changes : {};
  const changed = (repeated.change ?? []).map(({ values: one }) => [one["change.field"], one["change.value"]] as const);
  const all: JsonObject = { ...Object.fromEntries(changed), ...changes, ...values };
  const readText = (name: string) => [all[name], all[`changes.${name}`]].find((value) => typeof value === "string");
  const page: PageFacts = { domains: readDomains(facts) };
  for (const name of ["id", "title", "content", "slug", "created_at", "updated_at"] as const) {
    const text = readText(name);
    if (text !== undefined) page[name] = text;
  }
  const description = readText("meta_description") ?? values.meta_description;
  if (description === null || typeof description === "string") page.meta_description = description;
  const parts = { type: all["cta.type"], label: all["cta.label"], url: all["cta.url"] };
  const cta = [all["cta"], all["changes.cta"], parts].find(isCta);
  if (cta !== undefined) page.cta = cta;
  return page;
}

function isCta(value: unknown): value is Cta {
  return isObject(value) && [value["type"], value["label"], value["url"]].every((part) => typeof part === "string");
}

function readDomains({ values, repeated }: ReadFacts): PageDomain[] {
  const whole: unknown[] = Array.isArray(values.domains) ? values.domains : [];
  const named = whole.flatMap((one) => (isObject(one) ? readDomain(one["name"], one["url"]) : []));
  if (named.length > 0) return named;
  // If domains do not repeat, the first one is outside.
  const either = (of: "domain" | "alias") => {
    const read = ({ values: one }: Pick<ReadFacts, "values">) =>
      readDomain(one[`${of}.name`], one[`${of}.url`], of === "domain" ? one["domain.path"] : undefined);
    const listed = (repeated[of] ?? []).flatMap(read);
    return listed.length > 0 ? listed : read({ values });
  };
  const byName = new Map<string, PageDomain>();
  for (const domain of [...either("domain"), ...either("alias")])
    byName.set(domain.name, { ...domain, ...byName.get(domain.name) });
  return [...byName.values()];
}

/** A domain by its name, its URL, or its name and a path. */
function readDomain(name: unknown, url: unknown, path?: unknown): PageDomain[] {
  if (typeof url === "string") return [{ name: typeof name === "string" ? name : (URL.parse(url)?.host ?? url), url }];
  if (typeof name !== "string") return [];
  return [typeof path === "string" ? { name, url: `https://${name}${path}` } : { name }];
}

/** What an error response says: its sentence, empty when it has none, and the fields that it blames. */
export function readProblemFacts({ values: outer, repeated }: ReadFacts): { detail: string; errors: FieldProblem[] } {
  const blamed = repeated.field ?? [{ values: outer }];
  const errors = blamed.flatMap(({ values }): FieldProblem[] => {
    const { "error.field": field, "error.pointer": pointer, "error.detail": detail } = values;
    const place =
      typeof pointer === "string" ? pointer : typeof field === "string" ? `#/${field.replaceAll(".", "/")}` : undefined;
    if (place === undefined) return [];
    return [{ pointer: place, detail: firstText(detail, values.detail, outer.detail, "is wrong") }];
  });
  const details = blamed.map(({ values }) => values["error.detail"]);
  return { detail: firstText(outer.detail, ...details, outer.reason, outer.code), errors };
}

/** The first value that is a text and not empty. */
function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}
