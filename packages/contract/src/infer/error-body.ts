// Finds the problem in an error body of any shape: the message that a person would read, and the wrong fields.
import { isObject, type JsonObject, parseExactJson } from "../json.ts";
import { type FieldProblem, findDocumentedField, isHeadline, lettersOf } from "../problem.ts";
import { decode, isNamed } from "./fields.ts";

/** The problem in an error body. */
export interface FoundProblem {
  /** What went wrong, in the service's words; empty when there is no message. */
  readonly detail: string;
  /** Each wrong field that it names, a hundred at most. */
  readonly errors: readonly FieldProblem[];
  /** The service's own name for the kind of error; absent when it gives none. */
  readonly type?: string;
}

/** The place of a value in a body. */
interface Place {
  readonly name: string;
  /** The wrong field that the value is about; empty if it is not about one. */
  readonly field: string;
  readonly depth: number;
  readonly isListed: boolean;
  /** Whether all names in the path are those of problems, or of wrappers such as `data`. */
  readonly isKnown: boolean;
}

/** A message in a body. */
interface Message extends Pick<Place, "field" | "isListed" | "depth"> {
  /** `known`: it is in a field for problems. `any`: it is in another field. `code`: it is an error code. */
  readonly kind: "known" | "any" | "code";
  readonly text: string;
  /** 0 for a message or a code, 1 for another string or the name of a type, 2 for a title. */
  readonly rank: number;
}

/** Names of fields that contain a message. */
const messageName = /(?:message|msg|(?<!meta)description|detail|reason|explanation|faultstring)$/;
/** Names of objects and arrays that contain problems. */
const problemName =
  /err|fault|fail|problem|issue|violation|detail|cause|invalid|exception|valid|constraint|message|state|embedded/;
/** Names of objects whose keys may be names of wrong fields, such as `errors`. */
const fieldMap = /errors$|state$|violations|constraints|messages|^(?:details|data|fields|params)$/;
/** Names of fields whose value is the name of the wrong field. */
const fieldName = /^(?:field|propert|param|pointer|path|attribute|target|members)|^loc$/;
const codeName = /^(?:\w*code|\w*type|error|reason|name)$/;
const notField = [messageName, codeName, fieldName, /^(?:status|id|errors|messages|violations)$/];
const deepest = 8;
const most = 100;

const keyOf = (name: string) => lettersOf(name.replace(/^.*:/, ""));

/** Finds the message of an error body of any shape: under names that suggest a problem, else under any name, else in codes. */
export function findProblem(text: string): FoundProblem {
  const trimmed = text.trim();
  const body = (trimmed.startsWith('"') ? parseExactJson(trimmed) : undefined) ?? decode(trimmed);
  if (typeof body === "string") return { detail: body.startsWith("<") ? readMarkup(body) : body, errors: [] };
  const all = listMessages(body, { name: "", field: "", depth: 0, isListed: false, isKnown: true });
  const [code] = all.filter((message) => message.kind === "code").toSorted((one, other) => one.rank - other.rank);
  const kind = all.some((message) => message.kind === "known") ? "known" : "any";
  const messages = all.filter((message) => message.kind === kind);
  const detail = (messages.toSorted(compare)[0] ?? code)?.text ?? "";
  const listed = messages.filter(({ field, isListed }) => field !== "" || isListed);
  const errors = listed.slice(0, most).map(({ field, text }) => ({ pointer: field, detail: text }));
  const isRepeated = errors.length === 1 && !Array.isArray(body) && errors[0]?.pointer === "";
  return { detail, errors: isRepeated ? [] : errors, ...(code && code.text !== detail && { type: code.text }) };
}

/** Compares two messages of a kind. The best one is about the whole request, near the top, and more than a title. */
function compare(one: Message, other: Message): number {
  return (
    Number(isHeadline(one.text)) - Number(isHeadline(other.text)) ||
    Number(one.isListed || one.field !== "") - Number(other.isListed || other.field !== "") ||
    one.depth - other.depth ||
    one.rank - other.rank
  );
}

function listMessages(given: unknown, place: Place): Message[] {
  const value = decode(given);
  const { name, field, depth } = place;
  if (depth > deepest) return [];
  const below = { ...place, depth: depth + 1 };
  if (typeof value === "string") return readMessages(value, place);
  if (Array.isArray(value)) {
    // Only the first message about a field counts.
    const some: unknown[] = value.slice(0, field !== "" && typeof value[0] === "string" ? 1 : most);
    return some.flatMap((each) =>
      listMessages(each, { ...below, name: isObject(each) ? "element" : name, isListed: true }),
    );
  }
  if (!isObject(value)) return [];
  const entries = Object.entries(value);
  if (isFieldMap(value, name))
    return entries.flatMap(([property, inner]) => {
      const path = field === "" ? nameField(property) : (findDocumentedField(`${field}/${property}`) ?? field);
      return listMessages(inner, { ...below, name: "errors", field: path, isListed: true });
    });
  const wrong = findWrongField(value, place.isListed) ?? field;
  const hasMessage = entries.some(([property, inner]) => messageName.test(keyOf(property)) && Boolean(inner));
  const isAbout = place.isKnown && (depth === 0 || place.isListed || problemName.test(name));
  return entries.flatMap(([property, inner]) => {
    const key = keyOf(property);
    const own = { ...place, name: key, field: wrong };
    if (messageName.test(key)) return listMessages(readLanguage(inner), own);
    // A title counts only if there is no other message.
    if (key === "title") return hasMessage || !isAbout ? [] : listMessages(inner, own);
    const isWrapper = typeof inner === "object" && isNamed(key, "neutral", "part", "paging");
    const isKnown = place.isKnown && (isWrapper || problemName.test(key) || fieldMap.test(key));
    return listMessages(inner, { ...own, depth: depth + 1, isKnown });
  });
}

function readMessages(value: string, { name, field, isListed, isKnown, depth }: Place): Message[] {
  const isMessage = messageName.test(name) || name === "errors" || (name === "error" && field !== "");
  const rank = name === "title" ? 2 : isMessage ? 0 : 1;
  const one = { field, isListed, depth, rank, text: readPlain(value) };
  const messages: Message[] = [];
  // A word is a message, and `NOT_FOUND` is a code.
  if (/\s|[^ -~]/.test(value.trim()) || (isMessage && /^[A-Z]?[a-z]+\W?$/.test(value)))
    messages.push({ ...one, kind: isKnown ? "known" : "any" });
  if (codeName.test(name) && /^[A-Z]\w+$/i.test(value))
    messages.push({ ...one, kind: "code", rank: name.includes("code") ? 0 : 1 });
  return messages;
}

/** Whether an object has problems by field: `{ "title": ["must not be blank"] }`. Under most names, only arrays show that. */
function isFieldMap(value: JsonObject, name: string): boolean {
  const isStrict = !fieldMap.test(name);
  const mayBe = !isStrict || name === "" || name === "element" || problemName.test(name);
  const entries = Object.entries(value);
  const isAll = entries.every(([property, inner]) => {
    const key = keyOf(property);
    if (key !== "title" && notField.some((pattern) => pattern.test(key))) return false;
    if (Array.isArray(inner)) return !isStrict || inner.every((each) => typeof each === "string");
    if (isObject(inner)) return !isStrict || isFieldMap(inner, name);
    return typeof inner === "string" && !isStrict && (name.endsWith("errors") || /\s/.test(inner));
  });
  return mayBe && isAll && entries.length > 0;
}

/** Picks a message from an object that has a message for each language. */
function readLanguage(value: unknown): unknown {
  if (!isObject(value) || isFieldMap(value, "message")) return value;
  return value["value"] ?? value["en"] ?? Object.values(value)[0];
}

/** Finds the field that a problem is about: under the name of a field, else anywhere if it is documented. */
function findWrongField(value: JsonObject, isListed: boolean): string | undefined {
  const found = Object.entries(value).flatMap(([name, given]) => {
    const key = keyOf(name);
    if (/^(?:source|meta|extensions|context)$/.test(key) && isObject(given))
      return findWrongField(given, isListed) ?? [];
    const steps: readonly unknown[] = [given].flat(2);
    const path = steps.filter((step) => typeof step === "string").join("/");
    if (path === "" || /\s|^https?:/.test(path) || messageName.test(key)) return [];
    // The `path` of a whole error body is that of the request.
    const isNamed = fieldName.test(key) && (isListed || key !== "path");
    return isNamed || (isListed && Boolean(findDocumentedField(path))) ? [nameField(path)] : [];
  });
  return found.find((path) => path !== "");
}

/** Names a field as the spec does if it is certain, else as the service does; empty if the name is that of the whole body. */
function nameField(name: string): string {
  return findDocumentedField(name) ?? (/error|^base$|^__all__$/.test(name) ? "" : name);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

/** Removes markup and stack trace from a string. */
function readPlain(text: string): string {
  const [first = ""] = text.split(/\n\s+at /);
  const plain = first.replaceAll(/<\/?[a-z][a-z\d]*(?:\s[^<>]*)?>/g, "");
  return plain.replaceAll(/&(lt|gt|quot|#39|amp);/g, (entity, name: string) => entities[name] ?? entity).trim();
}

function readMarkup(text: string): string {
  const found = text.slice(0, 20_000).matchAll(/<(title|h1|p|(?:\w+:)?[Mm]essage)\b[^>]*>([^]{1,2000}?)<\/\1>/g);
  const texts = [...found].map((match) => readPlain(match[2] ?? ""));
  return texts.find((each) => !/^\d{3}\b/.test(each) && !isHeadline(each)) ?? texts[0] ?? "an HTML page";
}
