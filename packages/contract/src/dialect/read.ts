// Reads a response by its template, which is the inverse of rendering. Extra fields of the response are ignored.
import { isObject, type JsonObject, parseExactJson } from "../json.ts";
import type { Cta, PageDomain, PageFields } from "../page.ts";
import { type FieldProblem, findDocumentedField, isHeadline, toPointer } from "../problem.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { type FormatName, formats } from "./formats.ts";
import { type PlaceholderName, placeholders, placeholdersAbout } from "./placeholders.ts";
import type { AnswerShape, AnswerShapes } from "./resolve.ts";
import { leads, type Repeated, type TemplateNode } from "./template.ts";

/** The facts in a response, by the placeholders of its template. */
export interface ReadFacts {
  /** The value of each placeholder outside of repeated elements. If several placeholders have one name, the first in the template counts. */
  readonly values: { [Name in PlaceholderName]?: unknown };
  /** The facts of each repeated element, in the order of the response: `repeated.page` are the pages of a list. */
  readonly repeated: { [Of in Repeated]?: ReadFacts[] };
  /** The object with the fields of the page, unchanged. */
  record?: JsonObject;
  /** Parts of the template that the response has. A part that is null is not listed. */
  readonly found: TemplatePart[];
  /** Parts of the template that the response does not have, except optional ones. If there are none, it fits the template. */
  readonly missing: TemplatePart[];
}

/** A part of a template: a placeholder, a constant, or a list. */
export interface TemplatePart {
  /** Name of the placeholder or of the repeated element, such as `page`; `constant` for a fixed value. */
  readonly name: PlaceholderName | Repeated | "constant";
  /** The expected place: a JSON pointer such as `#/data/id`, or the name of a header. */
  readonly pointer: string;
}

/** A response before it is read. */
export interface ReceivedResponse {
  readonly headers: HeaderLookup;
  /** The body as text. */
  readonly text: string;
  /** The body as `parseExactJson` returns it, if it is already parsed. */
  readonly json?: unknown;
}

/**
 * Reads everything from a response for which its template has a placeholder. Whatever the formats of the placeholders, dates are
 * returned in ISO 8601, counts as numbers and identifiers as strings. Integers beyond 2^53 keep their digits.
 */
export function readResponse({ body, headers }: AnswerShape, response: ReceivedResponse): ReadFacts {
  const { text, json = parseExactJson(text) } = response;
  const facts =
    body === undefined
      ? readTemplateValue({ kind: "constant", value: "" }, text.trim())
      : readTemplateValue(body.node, body.kind === "json" ? json : text);
  // A constant header, such as the media type, may have another form.
  for (const [name, header] of headers)
    if (header.kind !== "constant") take(header, response.headers.get(name), { facts, pointer: name });
  return facts;
}

/** Reads a JSON value by its template. */
export function readTemplateValue(node: TemplateNode, value: unknown): ReadFacts {
  const facts = noFacts();
  take(node, value, { facts, pointer: "#" });
  return facts;
}

/**
 * Whether a response fits the template of an error better than that of its call. If the templates have other constants at the same
 * places, the response shows which it is. Otherwise it is an error only if it has nothing that the call is about. It must also have all
 * of the error, or a part of the error and no part of the call's template.
 */
export function fitsBetter(error: ReadFacts, own: ReadFacts): boolean {
  const count = ({ found }: ReadFacts, { missing }: ReadFacts) =>
    found.filter(
      ({ name, pointer }) => name === "constant" && missing.some((other) => isWithin(pointer, other.pointer)),
    ).length;
  if (count(error, own) > count(own, error)) return true;
  const isOwn = ({ name, pointer }: TemplatePart) =>
    !ofAnyResponse.has(name) && !error.found.some((other) => other.pointer === pointer);
  const hasAll = error.missing.length === 0;
  const hasOnlyError = own.found.length === 0 && error.found.length > 0;
  return (hasAll || hasOnlyError) && own.missing.length > 0 && !own.found.some(isOwn);
}

/** Lists the templates of errors that a status may have. */
export function listErrors({ errors, malformed, error }: AnswerShapes, status: number): AnswerShape[] {
  const all = [...errors, [400, malformed], [undefined, error]] as const;
  return all.flatMap(([reference, shape]) => ((shape.status ?? reference) === status ? shape : []));
}

const ofAnyResponse: ReadonlySet<string> = new Set(["constant", ...placeholdersAbout(["answer"])]);

/** Whether a JSON pointer is another one, or leads to a part of its value. */
export function isWithin(pointer: string, other: string): boolean {
  return `${pointer}/`.startsWith(`${other}/`);
}

/** Target for the facts of a part of a response. */
interface Place {
  readonly facts: ReadFacts;
  readonly pointer: string;
  /** Whether the response may leave this part out. @defaultValue false */
  readonly isOptional?: boolean | undefined;
}

function noFacts(): ReadFacts {
  return { values: {}, repeated: {}, found: [], missing: [] };
}

function take(node: TemplateNode, value: unknown, place: Place): void {
  if (node.kind === "placeholder") takeValue(node, value, place);
  else if (node.kind === "text") takeText(node, value, place);
  else if (node.kind === "optional") take(node.item, value, { ...place, isOptional: true });
  else if (node.kind === "array") takeItems(node.items, Array.isArray(value) ? value : [], place);
  else if (node.kind === "object") takeMembers(node, value, place);
  else if (node.kind === "each") takeRepeated(node, value, place);
  else if (node.value !== value)
    // A constant that may be left out has no other value.
    miss("constant", { ...place, isOptional: place.isOptional && (value ?? null) === null });
  else find("constant", value, place);
}

function find(name: TemplatePart["name"], value: unknown, { facts, pointer }: Place): void {
  if (value !== null) facts.found.push({ name, pointer });
}

function miss(name: TemplatePart["name"], { facts, isOptional, pointer }: Place): void {
  if (isOptional !== true) facts.missing.push({ name, pointer });
}

function takeValue(node: TemplateNode & { kind: "placeholder" }, written: unknown, place: Place): void {
  const { values } = place.facts;
  let value = written;
  for (const format of node.formats.toReversed())
    if (typeof value === "string" || typeof value === "number") value = formats[format].read(value);
  const typed = asTyped(node.name, value);
  const known = values[node.name];
  // Of two messages, the shorter one may be a title.
  const isLonger = node.name.endsWith("detail") && String(typed).length > String(known).length;
  if (typed === undefined) return miss(node.name, place);
  find(node.name, typed, place);
  if (known === undefined || isLonger) values[node.name] = typed;
}

/** Converts a value to the type of its placeholder; `undefined` when that is not possible. */
function asTyped(name: PlaceholderName, value: unknown): unknown {
  const { type } = placeholders[name].schema;
  if (type === undefined || value === undefined) return value;
  const types = new Set([type].flat());
  if (value === null) return types.has("null") ? null : undefined;
  if (typeof value === "number" && types.has("string")) return String(value);
  if (typeof value === "string" && !types.has("string")) {
    const parsed = parseExactJson(value);
    return typeof parsed === "string" ? undefined : asTyped(name, parsed);
  }
  const own = Array.isArray(value) ? "array" : typeof value;
  return types.has(own) || (own === "number" && types.has("integer")) ? value : undefined;
}

/** Reads the placeholders of a string such as `/pages/{id}`. */
function takeText({ parts, isHtml }: TextNode, value: unknown, place: Place): void {
  if (value === null && parts.some(leads)) return;
  const isText = typeof value === "string" || typeof value === "number";
  const found = isText ? textPattern(parts).exec(String(value)) : null;
  for (const [index, part] of parts.filter(({ kind }) => kind !== "constant").entries()) {
    const written = found?.[index + 1];
    take(part, isHtml === true && written !== undefined ? formats.html.read(written) : written, place);
  }
}

type TextNode = TemplateNode & { kind: "text" };

function textPattern(parts: readonly TemplateNode[]): RegExp {
  return new RegExp(`^${parts.map(partPattern).join("")}$`, "s");
}

/** Makes the pattern that a part of a string matches. Placeholders match narrowly enough to separate two that follow each other. */
function partPattern(part: TemplateNode): string {
  // Node 22 has no `RegExp.escape`.
  if (part.kind === "constant") return String(part.value).replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  if (part.kind !== "placeholder") return "(.*?)";
  const format: FormatName | undefined = part.formats.at(-1);
  if (format === "url") return "([^/?#&\\s]*?)";
  if (format !== undefined && format !== "text") return formats[format].type === "string" ? "(.*?)" : "(-?\\d+)";
  if (part.name === "domain.name" || part.name === "alias.name" || part.name === "host") return "([^/\\s]*?)";
  if (part.name === "domain.path" || part.name === "path") return "(/\\S*?)";
  if (part.name === "origin") return "([a-z]+://[^/\\s]*?)";
  return placeholders[part.name].schema.type === "integer" ? "(\\d+)" : "(.*?)";
}

/** Reads an array item by item. An optional item is skipped if its constants do not match. */
function takeItems(items: readonly TemplateNode[], values: readonly unknown[], place: Place): void {
  let index = 0;
  for (const item of items) {
    const value = values[index];
    if (item.kind === "optional" && readTemplateValue(item.item, value).missing.some(({ name }) => name === "constant"))
      continue;
    // The strings and numbers of an array may be other ones, such as the numbers of pages around this one.
    if (item.kind !== "constant") take(item, value, { ...place, pointer: toPointer([index], place.pointer) });
    index += 1;
  }
}

function takeMembers({ members }: TemplateNode & { kind: "object" }, given: unknown, place: Place): void {
  const { facts } = place;
  const value = isObject(given) ? given : {};
  if (value !== given && members.every(({ isOptional }) => isOptional)) miss("constant", place);
  // An object is the record if it has fields of a page itself, and not only in an object inside it.
  const isRecord = members.some(({ value: inner }) => {
    const part = inner.kind === "optional" ? inner.item : inner;
    return part.kind === "placeholder" && placeholders[part.name].about === "page";
  });
  if (isRecord && Object.keys(value).length > 0) facts.record ??= value;
  const named = new Set(members.map(({ name }) => (name?.kind === "constant" ? String(name.value) : undefined)));
  const others = Object.keys(value).filter((key) => !named.has(key));
  for (const { name, isOptional, value: inner } of members) {
    if (name === undefined) {
      take(inner, value, place);
      continue;
    }
    // A name with placeholders matches a field that no other part of the template names.
    const pattern = textPattern(name.kind === "text" ? name.parts : [name]);
    const key = name.kind === "constant" ? String(name.value) : others.find((other) => pattern.test(other));
    const inside = { ...place, pointer: toPointer([key ?? ""], place.pointer) };
    if (name.kind !== "constant") take(name, key, isOptional ? { ...inside, isOptional } : inside);
    take(inner, key !== undefined && Object.hasOwn(value, key) ? value[key] : undefined, inside);
  }
}

function takeRepeated({ of, key, item }: TemplateNode & { kind: "each" }, value: unknown, place: Place): void {
  const { facts, pointer } = place;
  if (key === undefined ? !Array.isArray(value) : !isObject(value)) return miss(of, place);
  find(of, value, place);
  const found = Object.entries(Object(value)).map(([name, element]) => {
    const one: Place = { facts: noFacts(), pointer: toPointer([name], pointer) };
    if (key !== undefined) take(key, name, one);
    take(item, element, one);
    return one.facts;
  });
  const known = (facts.repeated[of] ??= []);
  // Another list of the same response may have more fields of the same pages. They are matched by identifier, else by position.
  const before = known.slice();
  for (const [index, one] of found.entries()) {
    const { id } = one.values;
    const atIndex = before[index];
    const isApart = id !== undefined && atIndex?.values.id !== undefined;
    const same = before.find(({ values }) => id !== undefined && values.id === id) ?? (isApart ? undefined : atIndex);
    if (same === undefined) known.push(one);
    else {
      Object.assign(same.values, { ...one.values, ...same.values });
      Object.assign(same.repeated, { ...one.repeated, ...same.repeated });
    }
  }
}

/** A page as far as a response shows it. */
export interface PageFacts extends Partial<Omit<PageFields, "domains">> {
  /** Domains in the order of the response, empty when it shows none. */
  domains: PageDomain[];
}

/** Makes the page of a response, or of one element of a list. Fields that were sent in an update count as fields of the page. */
export function readPageFacts(facts: ReadFacts): PageFacts {
  const { values, repeated } = facts;
  const changed = (repeated.change ?? []).map(({ values: one }) => [one["change.field"], one["change.value"]] as const);
  const changes = isObject(values.changes) ? values.changes : {};
  const all: JsonObject = { ...Object.fromEntries(changed), ...changes, ...values };
  const page: PageFacts = { domains: readDomains(facts) };
  for (const name of ["id", "title", "content", "slug", "meta_description", "created_at", "updated_at"] as const) {
    const text = [all[name], all[`changes.${name}`]].find((value) => typeof value === "string");
    if (text !== undefined) page[name] = text;
  }
  if (values.meta_description === null) page.meta_description ??= null;
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
  // If no repeated element contains domains, the values outside of repeated elements are those of one domain.
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

/** Makes a domain from its name, its URL, or its name and a path. */
function readDomain(name: unknown, url: unknown, path?: unknown): PageDomain[] {
  if (typeof url === "string") return [{ name: typeof name === "string" ? name : (URL.parse(url)?.host ?? url), url }];
  if (typeof name !== "string") return [];
  return [typeof path === "string" ? { name, url: `https://${name}${path}` } : { name }];
}

/** Makes the problem of an error response: its message, empty if there is none, and the wrong fields. */
export function readProblemFacts({ values: outer, repeated }: ReadFacts): { detail: string; errors: FieldProblem[] } {
  const fields = repeated.field ?? [{ values: outer }];
  const errors = fields.flatMap(({ values }): FieldProblem[] => {
    const { "error.field": field, "error.pointer": pointer, "error.detail": detail } = values;
    const place =
      typeof pointer === "string" ? pointer : typeof field === "string" ? `#/${field.replaceAll(".", "/")}` : undefined;
    if (place === undefined) return [];
    const documented = findDocumentedField(place) || place;
    return [{ pointer: documented, detail: firstText(detail, values.detail, outer.detail, "is wrong") }];
  });
  const details = [outer.detail, ...fields.map(({ values }) => values["error.detail"])];
  const sentences = details.filter((text) => typeof text === "string" && !isHeadline(text));
  return { detail: firstText(...sentences, ...details, outer.reason, outer.code), errors };
}

/** Returns the first value that is a string and not empty. */
function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}
