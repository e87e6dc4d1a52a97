// Reads templates, which are JSON with placeholders, into trees. Other files render trees, read responses by them or describe them.
import { describeReceived, suggest } from "../issues.ts";
import { type FormatName, formats, isFormat } from "./formats.ts";
import { isPlaceholder, type PlaceholderName, placeholders, placeholdersAbout, type Subject } from "./placeholders.ts";

/** The subjects that an array of one item can repeat for: each page of a list, each domain of a page (`alias`: after the first), each change, each wrong field. */
export type Repeated = "page" | "domain" | "alias" | "change" | "field";

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
      readonly needs?: TemplateNode | undefined;
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
  /** Whether it is left out when its placeholders have no value. */
  readonly isOptional: boolean;
  /** The field is rendered only if this placeholder has a value. If absent, any placeholder in the value counts. */
  readonly needs?: TemplateNode | undefined;
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
  /** Subjects that an array of one item may repeat for here. */
  readonly repeats: readonly Repeated[];
  readonly depth?: number;
}

const mostDepth = 64;
const marked = /\{\{|\{([A-Za-z_][\w .:?-]*)\}/g;

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
  const { path, repeats } = place;
  if (depth > mostDepth) throw new TypeError(`${path.slice(0, 200)}: a template is at most ${mostDepth} levels deep.`);
  if (typeof template === "string") return readText(template, place);
  if (template === null || typeof template === "boolean") return { kind: "constant", value: template };
  if (typeof template === "number" && Number.isFinite(template)) return { kind: "constant", value: template };
  if (typeof template !== "object")
    throw new TypeError(`${path}: a template is JSON, got ${describeReceived(template)}.`);
  const of = findRepeated(template, place);
  // A repeated element does not repeat again for the same subject, so an array of one item in it stays an array of one item.
  const within = { ...place, repeats: repeats.filter((subject) => subject !== of) };
  const parts = Object.entries(template).map(([name, part]): readonly [string, TemplateNode] => {
    return [name, readTemplate(part, { ...within, path: `${path}/${name}`, depth: depth + 1 })];
  });
  const [[name, item] = ["", undefined]] = parts;
  const isArray = Array.isArray(template);
  if (of !== undefined && item !== undefined)
    return {
      kind: "each",
      of,
      key: isArray ? undefined : readText(name, { ...within, path: `${path}/${name}` }),
      item,
    };
  if (isArray) return { kind: "array", items: parts.map(([, part]) => part) };
  const members = parts.map(([key, value]) => readMember(key, value, { ...place, path: `${path}/${key}` }));
  const [member] = members;
  return members.length === 1 && member?.isOptional === true && member.name === undefined
    ? { kind: "optional", item: member.value, needs: member.needs }
    : { kind: "object", members };
}

/** Reads the name of a field. At its end, or before the name of a placeholder, `??` stands for one question mark. */
function readMember(name: string, value: TemplateNode, place: TemplatePlace): TemplateMember {
  const [, text = "", marks = "", needed = ""] = /^(.*?)(\?{1,2})([\w.]*)$/s.exec(name) ?? [];
  const isMarked = marks !== "" && (needed === "" || isPlaceholder(needed));
  const isOptional = isMarked && marks === "?";
  const plain = isOptional ? text : isMarked ? `${text}?${needed}` : name;
  return {
    name: plain === "..." ? undefined : readText(plain, place),
    isOptional,
    needs: isOptional && needed !== "" ? readPlaceholder(needed, place) : undefined,
    value,
  };
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
  const part = formatNames.length === 0 && Object.hasOwn(parts, name) ? parts[name] : undefined;
  const about = part ? "page" : isPlaceholder(name) ? placeholders[name].about : undefined;
  const refuse = (why: string) => new TypeError(`${path}: ${why}`);
  if (about === undefined) {
    const hint = suggest(name, [...placeholdersAbout(subjects), ...Object.keys(parts)]);
    throw refuse(`unknown placeholder {${inside}}${hint}`);
  }
  if (!subjects.includes(about)) throw refuse(`{${name}} is about ${subjectWords[about]}, and this response is not.`);
  if (repeats.includes("page") && (about === "page" || about === "domain" || about === "alias"))
    throw refuse(`{${name}} must be inside a repeated element: an array whose only item is rendered once per page.`);
  if (part !== undefined) return part;
  const unknown = formatNames.find((format) => !isFormat(format));
  if (unknown !== undefined) {
    const known = Object.keys(formats);
    const hint = suggest(unknown, known) || `; known are ${known.join(", ")}`;
    throw refuse(`unknown format ${JSON.stringify(unknown)} in {${inside}}${hint}`);
  }
  return { kind: "placeholder", name: name as PlaceholderName, formats: formatNames.filter(isFormat) }; // why: `about` is set only for known names
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

/** Finds the subject that an element repeats for. Repeated elements inside it do not count. */
function findRepeated(template: object, { repeats, parts }: TemplatePlace): Repeated | undefined {
  if (!isRepeatable(template)) return undefined;
  // The name of the field decides for a map.
  const found = listSubjects(Array.isArray(template) ? template : Object.keys(template), parts);
  return repeats.find((subject) => found.has(subject) || (subject === "page" && found.has("page's domain")));
}

function isRepeatable(template: object): boolean {
  const names = Object.keys(template);
  return names.length === 1 && (Array.isArray(template) || hasPlaceholder(names[0] ?? ""));
}

/** Lists the subjects of a template. A domain is also about its page, even if it repeats inside the list of pages. */
function listSubjects(template: unknown, parts: TemplatePlace["parts"], depth = 0): ReadonlySet<FoundSubject> {
  if (typeof template === "string")
    return new Set([...template.matchAll(marked)].flatMap((mark) => subjectsOf(mark, parts)));
  if (typeof template !== "object" || template === null || depth > mostDepth) return new Set();
  const inside = Object.entries(template).flat();
  const found = new Set(inside.flatMap((part) => Array.from(listSubjects(part, parts, depth + 1))));
  // A repeated element does not count for the objects around it.
  if (depth === 0 || !isRepeatable(template)) return found;
  return new Set(!found.has("page") && found.has("page's domain") ? ["page's domain"] : []);
}

type FoundSubject = Subject | "page's domain";

function subjectsOf([, inside = ""]: RegExpExecArray, parts: TemplatePlace["parts"]): FoundSubject[] {
  const [name = ""] = inside.split(":");
  if (!isPlaceholder(name)) return Object.hasOwn(parts, name) ? ["page"] : [];
  const { about } = placeholders[name];
  return about === "domain" || about === "alias" ? [about, "page's domain"] : [about];
}

function hasPlaceholder(text: string): boolean {
  return [...text.matchAll(marked)].some(([, inside]) => inside !== undefined);
}

/** Escapes a string, so that it is a template without placeholders. */
export function escapeTemplate(text: string): string {
  return text.replaceAll("{", "{{");
}
