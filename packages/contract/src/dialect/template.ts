// A template is JSON with placeholders: read once into a tree, with every mistake named, and then rendered or described.
import { type FormatName, formats } from "./formats.ts";
import type { Subject } from "./facts.ts";
import { type PlaceholderName, placeholders } from "./placeholders.ts";
import { oneOf, quote, suggest } from "./words.ts";

/** What an array of one item can repeat for: every page of a list, every domain of a page, every one after the first, every change, every wrong field. */
export type Repeated = "page" | "domain" | "alias" | "change" | "field";

/** A part of a template, understood. */
export type TemplateNode =
  | { readonly kind: "constant"; readonly value: string | number | boolean | null }
  | { readonly kind: "placeholder"; readonly name: PlaceholderName; readonly formats: readonly FormatName[] }
  | { readonly kind: "text"; readonly parts: readonly TemplateNode[] }
  | { readonly kind: "object"; readonly members: readonly TemplateMember[] }
  | { readonly kind: "array"; readonly items: readonly TemplateNode[] }
  | {
      /** An item of an array that is left out when there is nothing to put in; elsewhere it is null then. */
      readonly kind: "optional";
      readonly item: TemplateNode;
      /** What has to have something to put in; the item itself where none is named. */
      readonly needs?: TemplateNode | undefined;
    }
  | {
      /** An array of one item that stands for many, or a map of one member that does. */
      readonly kind: "each";
      readonly of: Repeated;
      /** The names of the members, where it is a map. */
      readonly key: TemplateNode | undefined;
      readonly item: TemplateNode;
    };

/** A member of an object in a template. */
export interface TemplateMember {
  /** Its name; `undefined` puts the members of its value in its place. */
  readonly name: TemplateNode | undefined;
  /** Whether it is left out when there is nothing to put in. */
  readonly isOptional: boolean;
  /** What has to have something to put in; the value itself where none is named. */
  readonly needs?: TemplateNode | undefined;
  readonly value: TemplateNode;
}

/** Where a template stands, and what it may speak of. */
export interface TemplatePlace {
  /** The way to it, such as `answers/createPage/body`. */
  readonly path: string;
  /** What the answer is about. */
  readonly subjects: readonly Subject[];
  /** Templates that may be named as a whole, such as `page`. */
  readonly parts: Readonly<Record<string, TemplateNode>>;
  /** What an array of one item may repeat for here. */
  readonly repeats: readonly Repeated[];
  readonly depth?: number;
}

const mostDepth = 64;
const marked = /\{\{|\{([A-Za-z_][\w .:?-]*)\}/g;

/**
 * Reads a template. An array of one item repeats for every page of a list, every domain of a page, every
 * changed field or every wrong field when its item speaks of one; so does an object of one member whose name does. A member whose name ends in `?` is
 * left out when there is nothing to put in: when it has placeholders, and none of them anything; a member named `...` is replaced by
 * the members of its value. An object of one member named `...?` is that member's value, or null; in an array it is left
 * out likewise. A placeholder behind the `?`, as in `seo?meta_description`, decides alone. `{{` is a brace.
 *
 * @throws {TypeError} that names the place and the nearest known placeholder.
 */
export function readTemplate(template: unknown, place: TemplatePlace): TemplateNode {
  const depth = (place.depth ?? 0) + 1;
  if (depth > mostDepth)
    throw new TypeError(`${place.path.slice(0, 200)}: a template is at most ${mostDepth} levels deep.`);
  if (typeof template === "string") return readText(template, place);
  if (template === null || typeof template === "boolean") return { kind: "constant", value: template };
  if (typeof template === "number" && Number.isFinite(template)) return { kind: "constant", value: template };
  if (typeof template !== "object") throw new TypeError(`${place.path}: a template is JSON, got ${quote(template)}.`);
  const inner = { ...place, depth };
  if (Array.isArray(template)) return readArray(template, inner);
  const [[name, only] = [""], ...others] = Object.entries(template);
  const { text, isOptional, needs } = readName(name, place);
  if (text === "..." && isOptional && others.length === 0)
    return { kind: "optional", item: readTemplate(only, { ...inner, path: `${place.path}/${name}` }), needs };
  return readObject(Object.entries(template), inner);
}

function readArray(items: readonly unknown[], place: TemplatePlace): TemplateNode {
  const of = items.length === 1 ? repeatedIn(items, place) : undefined;
  const inner = of === undefined ? place : within(place, of);
  const nodes = items.map((item, index) => readTemplate(item, { ...inner, path: `${place.path}/${index}` }));
  const [item] = nodes;
  return of === undefined || item === undefined
    ? { kind: "array", items: nodes }
    : { kind: "each", of, key: undefined, item };
}

function readObject(entries: readonly (readonly [string, unknown])[], place: TemplatePlace): TemplateNode {
  const [only] = entries;
  const of =
    only !== undefined && entries.length === 1 && hasPlaceholder(only[0]) ? repeatedIn([only[0]], place) : undefined;
  if (only !== undefined && of !== undefined) {
    const inner = { ...within(place, of), path: `${place.path}/${only[0]}` };
    return { kind: "each", of, key: readText(only[0], inner), item: readTemplate(only[1], inner) };
  }
  return {
    kind: "object",
    members: entries.map(([name, value]) => readMember(name, value, { ...place, path: `${place.path}/${name}` })),
  };
}

function readMember(name: string, template: unknown, place: TemplatePlace): TemplateMember {
  const value = readTemplate(template, place);
  const { text, isOptional, needs } = readName(name, place);
  return { name: text === "..." ? undefined : readText(text, place), isOptional, needs, value };
}

/** A name that really ends in a question mark, or in one and the name of a placeholder, is written with two. */
function readName(name: string, place: TemplatePlace): Omit<TemplateMember, "name" | "value"> & { text: string } {
  const [, text = "", marks = "", placeholder = ""] = /^(.*?)(\?{1,2})([\w.]*)$/s.exec(name) ?? [];
  if (marks === "" || (placeholder !== "" && !isPlaceholder(placeholder))) return { text: name, isOptional: false };
  if (marks === "??") return { text: `${text}?${placeholder}`, isOptional: false };
  return { text, isOptional: true, needs: placeholder === "" ? undefined : readPlaceholder(placeholder, place) };
}

function readText(template: string, place: TemplatePlace): TemplateNode {
  const parts: TemplateNode[] = [];
  let literal = "";
  let end = 0;
  for (const { 0: mark, 1: inside, index } of template.matchAll(marked)) {
    literal += template.slice(end, index);
    end = index + mark.length;
    if (inside === undefined) {
      literal += "{";
      continue;
    }
    if (literal !== "") parts.push({ kind: "constant", value: literal });
    literal = "";
    parts.push(readPlaceholder(inside, place));
  }
  literal += template.slice(end);
  const [first] = parts;
  if (first === undefined) return { kind: "constant", value: literal };
  if (literal === "" && parts.length === 1) return first;
  return { kind: "text", parts: literal === "" ? parts : [...parts, { kind: "constant", value: literal }] };
}

function readPlaceholder(inside: string, { path, subjects, parts, repeats }: TemplatePlace): TemplateNode {
  const [name = "", ...formatNames] = inside.split(":");
  const isList = repeats.includes("page");
  const part = Object.hasOwn(parts, name) && !isList ? parts[name] : undefined;
  if (part !== undefined && formatNames.length === 0) return part;
  const known = placeholdersAbout(subjects);
  if (Object.hasOwn(parts, name) && formatNames.length === 0) throw new TypeError(`${path}: {${name}} ${mustRepeat}`);
  if (!isPlaceholder(name)) {
    const candidates = [...known, ...Object.keys(parts)];
    throw new TypeError(`${path}: unknown placeholder {${inside}}${suggest(name, candidates, "{", "}")}.`);
  }
  const { about } = placeholders[name];
  if (!subjects.includes(about))
    throw new TypeError(`${path}: {${name}} is about ${subjectWords[about]}, and this response is not.`);
  if (isList && (about === "page" || about === "domain" || about === "alias"))
    throw new TypeError(`${path}: {${name}} ${mustRepeat}`);
  for (const format of formatNames) {
    if (isFormat(format)) continue;
    const all = Object.keys(formats);
    throw new TypeError(
      `${path}: unknown format ${quote(format)} in {${inside}}${suggest(format, all)}: expected ${oneOf(all)}.`,
    );
  }
  return { kind: "placeholder", name, formats: formatNames.filter(isFormat) };
}

const mustRepeat = "must be in an array of one element, which repeats for every page.";

const subjectWords: Record<Subject, string> = {
  answer: "the response",
  page: "a page",
  domain: "a domain",
  alias: "a domain",
  changes: "the fields of an update",
  change: "a change",
  list: "a list",
  event: "an event",
  error: "an error",
  field: "a wrong field",
};

/** Names of the placeholders that a template about these may have. */
export function placeholdersAbout(subjects: readonly Subject[]): PlaceholderName[] {
  return Object.keys(placeholders).filter(
    (name): name is PlaceholderName => isPlaceholder(name) && subjects.includes(placeholders[name].about),
  );
}

/** What is repeated for once is not repeated for again: an array of one item within is an array of one item. */
function within(place: TemplatePlace, of: Repeated): TemplatePlace {
  return { ...place, repeats: place.repeats.filter((subject) => subject !== of) };
}

/** What an array or map repeats for, when its one item speaks of it directly: not merely in such an array within. */
function repeatedIn(one: readonly unknown[], { repeats, parts }: TemplatePlace): Repeated | undefined {
  return repeats.find((subject) => one.some((item) => speaksOf(item, subject, { parts, isStrict: false, depth: 0 })));
}

interface Search {
  readonly parts: TemplatePlace["parts"];
  /** Whether a domain counts for itself alone, and not for the page that it is one of. */
  readonly isStrict: boolean;
  readonly depth: number;
}

function speaksOf(template: unknown, subject: Repeated, search: Search): boolean {
  if (search.depth > mostDepth) return false;
  if (typeof template === "string")
    return subjectsOf(template, search.parts).some(
      (about) =>
        about === subject || (!search.isStrict && subject === "page" && (about === "domain" || about === "alias")),
    );
  if (typeof template !== "object" || template === null) return false;
  const names = Array.isArray(template) ? [] : Object.keys(template);
  const values: unknown[] = Object.values(template);
  const inner = { ...search, depth: search.depth + 1 };
  const speaks = (isStrict: boolean) =>
    [...names, ...values].some((one) => speaksOf(one, subject, { ...inner, isStrict }));
  if (values.length !== 1 || !(Array.isArray(template) || hasPlaceholder(names[0] ?? "")))
    return speaks(search.isStrict);
  // What repeats by itself says nothing of what is around it; but the domains within a page's list speak of that page.
  return subject === "page" && !search.isStrict && !speaks(true) && speaks(false);
}

function subjectsOf(text: string, parts: TemplatePlace["parts"]): Subject[] {
  return [...text.matchAll(marked)].flatMap(([, inside = ""]) => {
    const [name = ""] = inside.split(":");
    if (isPlaceholder(name)) return [placeholders[name].about];
    return Object.hasOwn(parts, name) ? ["page" as const] : [];
  });
}

function hasPlaceholder(text: string): boolean {
  return [...text.matchAll(marked)].some(([, inside]) => inside !== undefined);
}

function isPlaceholder(name: string): name is PlaceholderName {
  return Object.hasOwn(placeholders, name);
}

function isFormat(name: string): name is FormatName {
  return Object.hasOwn(formats, name);
}

/** A text as a template that stands for nothing but itself. */
export function escapeTemplate(text: string): string {
  return text.replaceAll("{", "{{");
}
