// Finds what an error body says: the sentence that a person would read, and the fields that it blames.
import { isObject, type JsonObject, parseExactJson } from "../json.ts";
import type { FieldProblem } from "../problem.ts";
import { decode } from "./fields.ts";

/** What an error body says. */
export interface FoundProblem {
  /** What went wrong, in the service's words; empty when it says nothing. */
  readonly detail: string;
  /** Each wrong field that it names, a hundred at most. */
  readonly errors: readonly FieldProblem[];
  /** The service's own name for the kind of error; absent when it gives none. */
  readonly type?: string;
}

/** A message in a body. */
interface Said {
  /** A sentence under names of problems, a sentence under any name, or a code. Codes count only without sentences. */
  readonly kind: "known" | "any" | "code";
  readonly field: string;
  readonly text: string;
  readonly isListed: boolean;
  /** The lowest of a kind counts. */
  readonly rank: number;
}

/** Names of sentences. */
const sentence =
  /^(?:detail|(?:error|user|long|default|translated|friendly)?(?:message|msg)|(?:error|human)?description|error(?:detail|msg)|explanation|reason|faultstring|title)$/;
/** Names of what holds a problem. */
const holder =
  /^(?:errors?|fault|problems?|issues?|violations|details|causes|data|result|response|reply|body|collection|meta|responsemetadata|invalidparams|(?:field|form|validation|user)errors|modelstate|error(?:list|response)|constraintfailures|failedrecords|tppmessages|elements|hydradescription)$/;
/** Names of the field that is to blame. */
const fieldName =
  /^(?:field|fieldname|property|propertypath|param|parameter|attribute|pointer|path|datapath|loc|target|fields|paths)$/;
/** Names of an object whose own names may be fields. */
const fieldMap = /^(?:errors|(?:field|form|validation)errors|modelstate|violations|invalidparams|details|data)$/;
const notField = new RegExp(`${sentence.source}|^(?:error|code|type|status|id|name|errors)$|${fieldName.source}`);
/** Steps of a path that lead to the request and not into it. */
const notStep = /^(?:body|query|path|input)$|^(?:create|update)[A-Z]/;
const codeName = /^(?:code|type|error|errorcode|errortype|reason|name)$/;
/** A text that is a code and no sentence: `NOT_FOUND`, `not_found`, `4f1c…`. */
const code = /^(?:[A-Z][A-Z\d_]*|[a-z\d]+(?:[_.-][a-z\d]+)+|\d+|[\da-f-]{16,})$/;
/** What only repeats the status. */
const headline =
  /^(?:bad request|validation (?:failed|error)|the given data was invalid\.?|an error occurred|unprocessable.*|not found|internal server error)$/i;
const rankOfHeadline = 50;
const deepest = 8;
const most = 100;

const keyOf = (name: string) => name.replaceAll(/^.*:|[^\p{L}\p{N}]/gu, "").toLowerCase();

/** Finds the message of an error body of any shape: under names that suggest a problem, else under any name, else in codes. */
export function findProblem(text: string): FoundProblem {
  const trimmed = text.trim();
  const parsed = trimmed.startsWith('"') ? parseExactJson(trimmed) : undefined;
  const body = parsed ?? decode(trimmed);
  if (typeof body === "string") return { detail: body.startsWith("<") ? readMarkup(body) : body, errors: [] };
  const all = listSaid(body, { name: "", field: "", depth: 0, isListed: false, isKnown: true });
  const sorted = all.toSorted((one, other) => one.rank - other.rank);
  const kind = (["known", "any", "code"] as const).find((each) => all.some((said) => said.kind === each));
  const said = sorted.filter((each) => each.kind === kind);
  const general = said.find(({ field, isListed, rank }) => field === "" && !isListed && rank < rankOfHeadline);
  const { text: detail = "" } = general ?? said[0] ?? {};
  const listed = all.filter((each) => each.kind === kind && kind !== "code" && (each.field !== "" || each.isListed));
  const errors = listed.slice(0, most).map((each) => ({ pointer: each.field, detail: each.text }));
  const isRepeated = errors.length === 1 && !Array.isArray(body) && errors[0]?.pointer === "";
  const type = sorted.find((each) => each.kind === "code")?.text;
  return { detail, errors: isRepeated ? [] : errors, ...(type !== undefined && type !== detail && { type }) };
}

/** Whether a success reports a failure: `success: false`, `ok: false`, the status of an error, or errors that are not empty. */
export function isRefusal(body: unknown): boolean {
  if (!isObject(body)) return false;
  return Object.entries(body).some(([name, value]) => {
    const key = keyOf(name);
    if (key === "success" || key === "ok") return value === false;
    if (key === "status" || key === "statuscode")
      return /^(?:[45]\d\d|error|fail|failed|failure)$/i.test(String(value));
    return /^(?:error|fault|(?:user|field)?errors)$/.test(key) && saysSomething(value);
  });
}

function saysSomething(value: unknown, depth = 0): boolean {
  if (typeof value === "object" && value !== null)
    return depth > deepest || Object.values(value).some((each) => saysSomething(each, depth + 1));
  return typeof value === "string" ? value.trim() !== "" : value !== undefined && value !== null && value !== false;
}

/** Where in a body something is said. */
interface Place {
  readonly name: string;
  readonly field: string;
  readonly depth: number;
  readonly isListed: boolean;
  /** Whether all names in the path are those of problems. */
  readonly isKnown: boolean;
}

function listSaid(given: unknown, place: Place): Said[] {
  const value = decode(given);
  const { name, field, depth } = place;
  if (depth > deepest) return [];
  const below = { ...place, depth: depth + 1 };
  if (typeof value === "string") return readSaid(value, place);
  if (Array.isArray(value)) {
    // Of what is wrong with one field, the first counts.
    const some: unknown[] = value.slice(0, field !== "" && typeof value[0] === "string" ? 1 : most);
    return some.flatMap((each) => listSaid(each, { ...below, isListed: true }));
  }
  if (!isObject(value)) return [];
  const entries = Object.entries(value);
  if (isFieldMap(value, name, depth))
    return entries.flatMap(([member, inner]) => {
      const problem = isObject(inner) ? (inner["_errors"] ?? inner) : inner;
      const path = field === "" ? member : `${field}/${member}`;
      return listSaid(problem, { ...below, name: "errors", field: path, isListed: true });
    });
  const blamed = readBlamed(value) ?? field;
  const sentences = entries.filter(([member, inner]) => sentence.test(keyOf(member)) && inner !== "" && inner !== null);
  return entries.flatMap(([member, inner]) => {
    const key = keyOf(member);
    // A title is only a sentence where nothing says more.
    if (key === "title" && sentences.some(([other]) => keyOf(other) !== "title")) return [];
    if (sentence.test(key)) return listSaid(readLanguage(inner), { ...place, name: key, field: blamed });
    return listSaid(inner, { ...below, name: key, field: blamed, isKnown: place.isKnown && holder.test(key) });
  });
}

function readSaid(value: string, { name, field, depth, isListed, isKnown }: Place): Said[] {
  const isNamed = sentence.test(name);
  const mayBeOneWord = (isNamed || name === "errors") && !code.test(value) && value !== "";
  const doubt = (headline.test(value.trim()) ? 100 : 0) + (isListed ? 0 : 10) + (isNamed ? 0 : 5);
  const one = { field, text: readPlain(value), isListed };
  const said: Said[] = [];
  if (mayBeOneWord || /\s|[^ -~]/.test(value.trim()))
    said.push({ ...one, kind: isKnown ? "known" : "any", rank: doubt - depth });
  if (codeName.test(name) && /^[A-Z]\w+$/i.test(value))
    said.push({ ...one, kind: "code", rank: (name.includes("code") ? 0 : 10) + depth });
  return said;
}

/** Whether an object has problems by field: `{ "title": ["must not be blank"] }`. */
function isFieldMap(value: JsonObject, name: string, depth: number): boolean {
  const entries = Object.entries(value);
  const mayBe = fieldMap.test(name);
  const isAll = entries.every(([member, inner]) => {
    const isField = keyOf(member) === "title" || !notField.test(keyOf(member));
    const isTexts = Array.isArray(inner) && inner.every((each) => typeof each === "string");
    const isSentence = typeof inner === "string" && (/\s/.test(inner) || !/^(?:details|data)$/.test(name));
    return isField && (mayBe ? isSentence || typeof inner === "object" : isTexts);
  });
  return isAll && entries.length > 0 && (mayBe || depth === 0);
}

/** A sentence that comes with its language. */
function readLanguage(value: unknown): unknown {
  return isObject(value) ? (value["value"] ?? value["en"] ?? Object.values(value)[0]) : value;
}

/** The field that a problem blames. */
function readBlamed(value: JsonObject, depth = 0): string | undefined {
  for (const [name, given] of Object.entries(value)) {
    const key = keyOf(name);
    const isInside = (key === "source" || key === "meta") && isObject(given) && depth < 2;
    const blamed = isInside ? readBlamed(given, depth + 1) : fieldName.test(key) ? given : undefined;
    const steps = Array.isArray(blamed)
      ? blamed.flat().filter((step) => typeof step === "string" && !notStep.test(step))
      : [];
    const path = Array.isArray(blamed) ? steps.join("/") : blamed;
    if (typeof path === "string" && path !== "" && !/\s|^https?:/.test(path)) return path;
  }
  return undefined;
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

/** A text without markup and stack trace. */
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
