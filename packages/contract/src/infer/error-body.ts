// Finds the problem in an error body of any shape: the message that a person would read, and the wrong fields.
import { isObject, type JsonObject, parseExactJson } from "../json.ts";
import type { FieldProblem } from "../problem.ts";
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

/** The place of a value in a body. */
interface Place {
  readonly name: string;
  /** The wrong field that the value is about; empty if it is not about one. */
  readonly field: string;
  readonly depth: number;
  readonly isListed: boolean;
  /** Whether all names in the path are those of problems. */
  readonly isKnown: boolean;
}

/** Kinds of messages, the likeliest first: one in a field such as `detail`, one in another field, an error code, and the name of a type. */
const kinds = ["known", "any", "code", "type"] as const;

/** A message in a body. */
interface Message extends Pick<Place, "field" | "isListed"> {
  readonly kind: (typeof kinds)[number];
  readonly text: string;
}

/** Names of fields that contain a message. */
const messageName =
  /^(?:detail|(?:error|user|long|default|translated|friendly)?(?:message|msg)|(?:error|human)?description|error(?:detail|msg)|explanation|reason|faultstring|title)$/;
/** Names of objects and arrays that contain a problem. */
const container =
  /^(?:errors?|fault|problems?|issues?|violations|details|causes|data|result|response|reply|body|collection|meta|responsemetadata|invalidparams|(?:field|form|validation|user)errors|modelstate|error(?:list|response)|constraintfailures|failedrecords|tppmessages|elements|hydradescription)$/;
/** Names of fields whose value is the name of the wrong field. */
const fieldName =
  /^(?:field|fieldname|property|propertypath|param|parameter|attribute|pointer|path|datapath|loc|target|fields|paths)$/;
/** Names of objects whose keys may be names of wrong fields, such as `errors`. */
const fieldMap = /^(?:errors|(?:field|form|validation)errors|modelstate|violations|invalidparams|details|data)$/;
const notField = new RegExp(`${messageName.source}|^(?:error|code|type|status|id|name|errors)$|${fieldName.source}`);
/** Steps of a path that name a part of the request, such as `body`, and not a field. */
const notStep = /^(?:body|query|path|input)$|^(?:create|update)[A-Z]/;
const codeName = /^(?:code|type|error|errorcode|errortype|reason|name)$/;
/** Matches an error code, which is not a message: `NOT_FOUND`, `not_found`, `4f1c…`. */
const code = /^(?:[A-Z][A-Z\d_]*|[a-z\d]+(?:[_.-][a-z\d]+)+|\d+|[\da-f-]{16,})$/;
/** Matches a message that only repeats the status. */
const headline =
  /^(?:bad request|validation (?:failed|error)|the given data was invalid\.?|an error occurred|unprocessable.*|not found|(?:internal )?server error)$/i;
const deepest = 8;
const most = 100;

const keyOf = (name: string) => name.replaceAll(/^.*:|[^\p{L}\p{N}]/gu, "").toLowerCase();

/** Finds the message of an error body of any shape: under names that suggest a problem, else under any name, else in codes. */
export function findProblem(text: string): FoundProblem {
  const trimmed = text.trim();
  const body = (trimmed.startsWith('"') ? parseExactJson(trimmed) : undefined) ?? decode(trimmed);
  if (typeof body === "string") return { detail: body.startsWith("<") ? readMarkup(body) : body, errors: [] };
  const all = listMessages(body, { name: "", field: "", depth: 0, isListed: false, isKnown: true });
  const kind = kinds.find((each) => all.some((message) => message.kind === each));
  const messages = all.filter((message) => message.kind === kind);
  const sentences = messages.filter((message) => !headline.test(message.text));
  const general = sentences.find(({ field, isListed }) => field === "" && !isListed);
  const listedOne = sentences.find(({ isListed }) => isListed);
  const { text: detail = "" } = general ?? listedOne ?? sentences[0] ?? messages[0] ?? {};
  const isSentence = kind === "known" || kind === "any";
  const listed = isSentence ? messages.filter(({ field, isListed }) => field !== "" || isListed) : [];
  const errors = listed.slice(0, most).map((message) => ({ pointer: message.field, detail: message.text }));
  const isRepeated = errors.length === 1 && !Array.isArray(body) && errors[0]?.pointer === "";
  const type = (all.find((message) => message.kind === "code") ?? all.find((message) => message.kind === "type"))?.text;
  return { detail, errors: isRepeated ? [] : errors, ...(type !== undefined && type !== detail && { type }) };
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
    return some.flatMap((each) => listMessages(each, { ...below, isListed: true }));
  }
  if (!isObject(value)) return [];
  const entries = Object.entries(value);
  if (isFieldMap(value, name, depth))
    return entries.flatMap(([property, inner]) => {
      const path = field === "" ? property : `${field}/${property}`;
      return listMessages(inner, { ...below, name: "errors", field: path, isListed: true });
    });
  const wrong = findWrongField(value) ?? field;
  const named = entries.filter(
    ([property, inner]) => messageName.test(keyOf(property)) && inner !== "" && inner !== null,
  );
  return entries.flatMap(([property, inner]) => {
    const key = keyOf(property);
    // A title counts only if there is no other message.
    if (key === "title" && named.some(([other]) => keyOf(other) !== "title")) return [];
    if (messageName.test(key)) return listMessages(readLanguage(inner), { ...place, name: key, field: wrong });
    return listMessages(inner, { ...below, name: key, field: wrong, isKnown: place.isKnown && container.test(key) });
  });
}

function readMessages(value: string, { name, field, isListed, isKnown }: Place): Message[] {
  const mayBeOneWord = (messageName.test(name) || name === "errors") && !code.test(value) && value !== "";
  const one = { field, text: readPlain(value), isListed };
  const messages: Message[] = [];
  if (mayBeOneWord || /\s|[^ -~]/.test(value.trim())) messages.push({ ...one, kind: isKnown ? "known" : "any" });
  if (codeName.test(name) && /^[A-Z]\w+$/i.test(value))
    messages.push({ ...one, kind: name.includes("code") ? "code" : "type" });
  return messages;
}

/** Whether an object has problems by field: `{ "title": ["must not be blank"] }`. */
function isFieldMap(value: JsonObject, name: string, depth: number): boolean {
  const entries = Object.entries(value);
  const mayBe = fieldMap.test(name);
  const isAll = entries.every(([property, inner]) => {
    const isField = keyOf(property) === "title" || !notField.test(keyOf(property));
    const isStrings = Array.isArray(inner) && inner.every((each) => typeof each === "string");
    const isMessage = typeof inner === "string" && (/\s/.test(inner) || !/^(?:details|data)$/.test(name));
    return isField && (mayBe ? isMessage || typeof inner === "object" : isStrings);
  });
  return isAll && entries.length > 0 && (mayBe || depth === 0);
}

/** Picks a message from an object that has a message for each language. */
function readLanguage(value: unknown): unknown {
  return isObject(value) ? (value["value"] ?? value["en"] ?? Object.values(value)[0]) : value;
}

/** Finds the field that a problem is about. */
function findWrongField(value: JsonObject): string | undefined {
  for (const [name, given] of Object.entries(value)) {
    const key = keyOf(name);
    const inside = /^(?:source|meta)$/.test(key) && isObject(given) ? findWrongField(given) : undefined;
    const found = fieldName.test(key) ? given : inside;
    const steps = Array.isArray(found) ? found.flat() : [found];
    const path = steps.filter((step) => typeof step === "string" && !notStep.test(step)).join("/");
    if (path !== "" && !/\s|^https?:/.test(path)) return path;
  }
  return undefined;
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
  return texts.find((each) => !/^\d{3}\b/.test(each) && !headline.test(each)) ?? texts[0] ?? "an HTML page";
}
