// Finds the problem in an error body of any shape: the message that a person would read, and the wrong fields.
import { isObject, parseExactJson } from "../json.ts";
import { lettersOf } from "../nearest.ts";
import { type FieldProblem, findDocumentedField, isHeadline } from "../problem.ts";
import { decode } from "./fields.ts";

/** The problem in an error body. */
export interface FoundProblem {
  /** What went wrong, in the service's words; empty when there is no message. */
  readonly detail: string;
  /** Each wrong field that it names, a hundred at most. */
  readonly errors: readonly FieldProblem[];
  /** The service's own name for the kind of error; absent when it gives none. */
  readonly type?: string;
}

/** A string in a body, with its place. */
interface Place {
  readonly name: string;
  /** The wrong field that it is about; empty if it is not about one. */
  readonly field: string;
  readonly isListed: boolean;
  readonly depth: number;
  /** Whether the keys around it are names of wrong fields. */
  readonly isMap: boolean;
}

/** A message or an error code in a body. */
type Message = Place & { readonly text: string; readonly isCode: boolean };

/** Names of fields that contain a message. */
const messageName = /(?:message|msg|(?<!meta)description|detail|reason|explanation|faultstring)$/;
/** Names of objects whose keys are names of wrong fields. */
const mapName = /errors$|state$|violations|constraints|messages|^(?:details|data|fields|params)$/;
/** Names of fields whose value is the name of the wrong field. */
const fieldName = /^(?:field|propert|param|pointer|path|attribute|target)|^loc$/;
const codeName = /^(?:\w*code|\w*type|error|reason|name)$/;
const deepest = 8;

const keyOf = (name: string) => lettersOf(name.replace(/^.*:/, ""));

/** Finds the message of an error body of any shape: the one nearest to the top that is about the whole request, else a code. */
export function findProblem(text: string): FoundProblem {
  const body = parseExactJson(text) ?? text.trim();
  if (typeof body === "string") return { detail: body.startsWith("<") ? readMarkup(body) : body, errors: [] };
  const found = listMessages(body, { name: "", field: "", isListed: false, depth: 0, isMap: false });
  const codes = found.filter(({ isCode }) => isCode);
  const code = codes.find(({ name }) => name.includes("code")) ?? codes[0];
  const messages = found.filter(({ isCode }) => !isCode);
  // The best message is about the whole request, near the top, and more than a title.
  const [best = code] = messages.toSorted(
    (one, other) =>
      Number(isHeadline(one.text)) - Number(isHeadline(other.text)) ||
      Number(one.isListed) - Number(other.isListed) ||
      one.depth - other.depth,
  );
  const detail = best?.text ?? "";
  const listed = messages.filter(({ isListed }) => isListed).slice(0, 100);
  const errors = listed.map((message) => ({ pointer: message.field, detail: message.text }));
  const isRepeated = errors.length === 1 && !Array.isArray(body) && errors[0]?.pointer === "";
  return { detail, errors: isRepeated ? [] : errors, ...(code && code.text !== detail && { type: code.text }) };
}

function listMessages(given: unknown, place: Place): Message[] {
  const value = decode(given);
  const below = { ...place, depth: place.depth + 1 };
  if (typeof value === "string") return readMessages(value, place);
  if (place.depth > deepest || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((each) => listMessages(each, { ...below, isMap: false, isListed: true }));
  const entries = Object.entries(value).map(([name, inner]) => ({ name, key: keyOf(name), inner: decode(inner) }));
  const isField = ({ key, inner }: (typeof entries)[number]) =>
    ![messageName, codeName, fieldName].some((each) => each.test(key)) &&
    (typeof inner !== "string" || /\s/.test(inner));
  const isMap = place.isMap && entries.every(isField);
  const wrong = findWrongField(value, place.isListed);
  const hasMessage = entries.some(({ key, inner }) => messageName.test(key) && Boolean(inner));
  return entries.flatMap(({ name, key, inner }) => {
    // Text under the name of a field is its message in a map only. Elsewhere it is the value of the field.
    if (isMap || (typeof inner === "object" && Boolean(findDocumentedField(name)))) {
      const field =
        place.field === "" ? nameField(name) : (findDocumentedField(`${place.field}/${name}`) ?? place.field);
      return listMessages(inner, { ...below, name: "errors", field, isMap: true, isListed: true });
    }
    const field = wrong ?? place.field;
    const own = { ...below, name: key, field, isListed: place.isListed || field !== "", isMap: mapName.test(key) };
    // Another text counts only if there is no message.
    return listMessages(inner, own).filter(
      ({ isCode }) => isCode || !hasMessage || messageName.test(key) || typeof inner === "object",
    );
  });
}

function readMessages(value: string, place: Place): Message[] {
  const one = { ...place, text: readPlain(value) };
  const isMessage = messageName.test(place.name) || place.name === "errors";
  const messages: Message[] = [];
  // A word is a message, and `NOT_FOUND` is a code.
  if (/\s|[^ -~]/.test(one.text) || (isMessage && /^[A-Z]?[a-z]+\W?$/.test(value)))
    messages.push({ ...one, isCode: false });
  if (codeName.test(place.name) && /^[A-Z]\w+$/i.test(value)) messages.push({ ...one, isCode: true });
  return messages;
}

/** Finds the field that a problem is about: under the name of a field, else anywhere if it is documented. */
function findWrongField(value: object, isListed: boolean): string | undefined {
  for (const [name, given] of Object.entries(value)) {
    const key = keyOf(name);
    if (key === "source" && isObject(given)) return findWrongField(given, isListed);
    const steps = [given].flat(2).filter((step) => typeof step === "string");
    const path = steps.join("/");
    // The `path` of a whole error body is that of the request.
    const isNamed = fieldName.test(key) && (isListed || key !== "path");
    const found = isNamed || (isListed && findDocumentedField(path)) ? nameField(path) : "";
    if (found !== "") return found;
  }
  return undefined;
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
  return texts.find((each) => !/^\d{3}\b/.test(each)) ?? texts[0] ?? "an HTML page";
}
