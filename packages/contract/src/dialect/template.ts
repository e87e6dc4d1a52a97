// Reads templates, which are JSON with placeholders, into trees. Other files render trees, read responses by them or describe them.
import { describeReceived, suggest } from "../issues.ts";
import { type FormatName, formats, isFormat } from "./formats.ts";
import { isPlaceholder, type PlaceholderName, placeholders, placeholdersAbout, type Subject } from "./placeholders.ts";

/** The subjects that an array of one item can repeat for: each page of a list, each domain of a page (`alias`: after the first), each change, each wrong field. */
export type Repeated = "change" | "page" | "domain" | "alias" | "field";

/** An element about several subjects repeats for the first of them in this order. */
const repeatable = ["change", "page", "domain", "alias", "field"] as const satisfies Repeated[];

/** A part of a template. */
export type TemplateNode =
  | { readonly kind: "constant"; readonly value: string | number | boolean | null }
  | { readonly kind: "placeholder"; readonly name: PlaceholderName; readonly formats: readonly FormatName[] }
  | {
      readonly kind: "text";
      readonly parts: readonly TemplateNode[];
      /** Whether values are escaped as HTML. @defaultValue false */
      readonly isHtml?: boolean;
    }
  | { readonly kind: "object"; readonly members: readonly TemplateMember[] }
  | { readonly kind: "array"; readonly items: readonly TemplateNode[] }
  | {
      /** An item that is left out of an array when its placeholders have no value. Elsewhere it becomes null. */
      readonly kind: "optional";
      readonly item: TemplateNode;
      /** The item is rendered only if this placeholder has a value. If absent, any placeholder in the item counts. */
      readonly needs: TemplateNode | undefined;
    }
  | {
      /** An array or object whose single element repeats. */
      readonly kind: "each";
      readonly of: Repeated;
      /** The names of the fields, if it is an object. */
      readonly key: TemplateNode | undefined;
      readonly item: TemplateNode;
    };

/** A field of an object in a template. */
export interface TemplateMember {
  /** Its name; `undefined` puts the fields of its value in its place. */
  readonly name: TemplateNode | undefined;
  /** Whether the field is left out if its value is. The value is then an optional node. */
  readonly isOptional: boolean;
  readonly value: TemplateNode;
}

/** The place of a template, and its subjects. */
export interface TemplatePlace {
  /** Its path, such as `answers/createPage/body`. */
  readonly path: string;
  /** Subjects of the response. */
  readonly subjects: readonly Subject[];
  /** Templates that may be inserted as a whole, such as `page`. */
  readonly parts: Readonly<Record<string, TemplateNode>>;
  /** Subjects that an array of one item may repeat for here. @defaultValue those of the response; pages only in a list */
  readonly repeats?: readonly Repeated[];
  readonly depth?: number;
}

const mostDepth = 64;
const placeholder = /(\{\{|\{[A-Za-z_][\w .:?-]*\})/;

/**
 * Reads a template. An array with one element repeats it for each page, domain, changed field or wrong field that it is about. An
 * object with one field repeats in the same way if the name of the field has a placeholder. A field whose name ends in `?` is left
 * out if its placeholders have no value. A field named `...` is replaced by the fields of its value. An object whose only field is
 * named `...?` becomes that field's value, or null; in an array it is left out. If a placeholder follows
 * the `?`, as in `seo?meta_description`, only that placeholder must have a value. `{{` is a brace.
 *
 * @throws {TypeError} that names the place and the nearest known placeholder.
 */
export function readTemplate(template: unknown, { depth = 1, ...place }: TemplatePlace): TemplateNode {
  const { path } = place;
  if (depth > mostDepth) throw new TypeError(`${path.slice(0, 200)}: a template is at most ${mostDepth} levels deep.`);
  if (typeof template === "string") return readText(template, place);
  if (template === null || typeof template === "boolean") return { kind: "constant", value: template };
  if (typeof template === "number" && Number.isFinite(template)) return { kind: "constant", value: template };
  if (typeof template !== "object")
    throw new TypeError(`${path}: a template is JSON, got ${describeReceived(template)}.`);
  const of = findRepeated(template, place);
  // A repeated element does not repeat again for the same subject, so an array of one item in it stays an array of one item.
  const repeats = repeatsOf(place).filter((subject) => subject !== of);
  const parts = Object.entries(template).map(([name, part]) => {
    const inside = { ...place, repeats, path: `${path}/${name}` };
    return { name, inside, node: readTemplate(part, { ...inside, depth: depth + 1 }) };
  });
  const [only] = parts;
  const isArray = Array.isArray(template);
  if (of !== undefined && only !== undefined)
    return { kind: "each", of, key: isArray ? undefined : readText(only.name, only.inside), item: only.node };
  if (isArray) return { kind: "array", items: parts.map(({ node }) => node) };
  const members = parts.map(({ name, node, inside }) => readMember(name, node, inside));
  const [member] = members;
  const isWhole = members.length === 1 && member?.isOptional === true && member.name === undefined;
  return isWhole ? member.value : { kind: "object", members };
}

/** Reads the name of a field. At its end, or before the name of a placeholder, `??` stands for one question mark. */
function readMember(name: string, value: TemplateNode, place: TemplatePlace): TemplateMember {
  const [, text = "", marks = "", needed = ""] = /^(.*?)(\?{1,2})([\w.]*)$/s.exec(name) ?? [];
  const isMarked = marks !== "" && (needed === "" || isPlaceholder(needed));
  const isOptional = isMarked && marks === "?";
  const plain = isOptional ? text : isMarked ? `${text}?${needed}` : name;
  const needs = isOptional && needed !== "" ? readPlaceholder(needed, place) : undefined;
  return {
    name: plain === "..." ? undefined : readText(plain, place),
    isOptional,
    value: isOptional ? { kind: "optional", item: value, needs } : value,
  };
}

function readText(template: string, place: TemplatePlace): TemplateNode {
  const parts = template.split(placeholder).flatMap((piece, index): TemplateNode[] => {
    if (index % 2 === 1 && piece !== "{{") return [readPlaceholder(piece.slice(1, -1), place)];
    const [stray] = /\{(?:[A-Za-z][\w.:]*|\s+[A-Za-z][\w.:]*\s*\})/.exec(piece) ?? [];
    if (stray !== undefined)
      throw new TypeError(
        `${place.path}: ${JSON.stringify(stray)} is no placeholder; double the brace to write one: "{{".`,
      );
    return piece === "" ? [] : [{ kind: "constant", value: piece === "{{" ? "{" : piece }];
  });
  const [first = { kind: "constant", value: "" }, ...others] = parts;
  if (others.length === 0) return first;
  const constants = parts.flatMap((part) => (part.kind === "constant" ? [part.value] : []));
  return constants.length === parts.length ? { kind: "constant", value: constants.join("") } : { kind: "text", parts };
}

function readPlaceholder(inside: string, place: TemplatePlace): TemplateNode {
  const { path, subjects, parts } = place;
  const [name = "", ...formatNames] = inside.split(":");
  const refuse = (why: string) => new TypeError(`${path}: ${why}`);
  const about = subjectOf(name, parts);
  const part = isPlaceholder(name) ? undefined : parts[name];
  if (about === undefined || (part !== undefined && formatNames.length > 0)) {
    const hint = suggest(name, [...placeholdersAbout(subjects), ...Object.keys(parts)]);
    throw refuse(`unknown placeholder {${inside}}${hint}`);
  }
  if (!subjects.includes(about)) throw refuse(`{${name}} is about ${subjectWords[about]}, and this response is not.`);
  if (repeatsOf(place).includes("page") && isAboutPage(new Set([about])))
    throw refuse(`{${name}} must be inside a repeated element: an array whose only item is rendered once per page.`);
  if (part !== undefined) return part;
  const unknown = formatNames.find((format) => !isFormat(format));
  if (unknown !== undefined) {
    const known = Object.keys(formats);
    const hint = suggest(unknown, known) || `; known are ${known.join(", ")}`;
    throw refuse(`unknown format ${JSON.stringify(unknown)} in {${inside}}${hint}`);
  }
  return { kind: "placeholder", name: name as PlaceholderName, formats: formatNames.filter(isFormat) }; // why: other names are those of parts
}

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

/** Lists the subjects that an array of one item may repeat for. */
function repeatsOf({ subjects, repeats }: TemplatePlace): readonly Repeated[] {
  return repeats ?? repeatable.filter((of) => subjects.includes(of === "page" ? "list" : of));
}

/** Finds the subject that the element of an array or object repeats for. In an object, the name of the field decides. */
function findRepeated(template: object, place: TemplatePlace): Repeated | undefined {
  if (!isRepeatable(template)) return undefined;
  const found = listSubjects(Array.isArray(template) ? template : Object.keys(template), place);
  return repeatsOf(place).find((of) => (of === "page" ? isAboutPage(found) : found.has(of)));
}

function isRepeatable(template: object): boolean {
  const names = Object.keys(template);
  return names.length === 1 && (Array.isArray(template) || namesIn(names[0] ?? "").length > 0);
}

/** Whether subjects concern a page. In a list, a domain belongs to a page. */
function isAboutPage(found: ReadonlySet<Subject>): boolean {
  return found.has("page") || found.has("domain") || found.has("alias");
}

/** Lists the subjects of a template. Repeated elements inside it do not count, except for the domains of the pages of a list. */
function listSubjects(template: unknown, place: TemplatePlace, depth = 0): ReadonlySet<Subject> {
  if (typeof template === "string")
    return new Set(namesIn(template).flatMap((name) => subjectOf(name, place.parts) ?? []));
  if (typeof template !== "object" || template === null || depth > mostDepth) return new Set();
  const inside = Object.entries(template).flat();
  const found = new Set(inside.flatMap((part) => Array.from(listSubjects(part, place, depth + 1))));
  if (depth === 0 || !isRepeatable(template)) return found;
  return repeatsOf(place).includes("page") && !found.has("page") ? found : new Set();
}

/** Lists the names of the placeholders in a string. */
function namesIn(text: string): string[] {
  const marks = text.split(placeholder).filter((piece, index) => index % 2 === 1 && piece !== "{{");
  return marks.flatMap((mark) => mark.slice(1, -1).split(":", 1));
}

function subjectOf(name: string, parts: TemplatePlace["parts"]): Subject | undefined {
  if (isPlaceholder(name)) return placeholders[name].about;
  return Object.hasOwn(parts, name) ? "page" : undefined;
}

/** Escapes a string, so that it is a template without placeholders. */
export function escapeTemplate(text: string): string {
  return text.replaceAll("{", "{{");
}

/** Whether a part of a string is about the next or previous page of results. Without such a page, the whole string is null. */
export function leads(part: TemplateNode): boolean {
  return part.kind === "placeholder" && "leads" in placeholders[part.name];
}
