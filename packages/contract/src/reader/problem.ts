// Finds what an error body says: the sentence a person would read, and which fields are to blame. Pure.
import { readText } from "./fields.ts";
import { type Holder, holderOf, member } from "./holder.ts";
import { unwrap } from "./walk.ts";
import { isObject, type JsonObject, parseJson } from "../json.ts";
import { fieldKeys, fieldNameKeys, keyOf, notFields, problemKeys, sentenceKeys, typeKeys } from "./names.ts";
import type { FieldProblem } from "../problem.ts";

/** What an error body says. */
export interface FoundProblem {
  /** What went wrong, in the service's words; empty when it says nothing. */
  readonly detail: string;
  /** Each wrong field that it names, a hundred at most. */
  readonly errors: readonly FieldProblem[];
  /** The service's own name for the kind of error; absent when it gives none. */
  readonly type?: string;
}

const mostProblems = 100;
const deepest = 6;

/** Finds what an error body says, whatever its shape. */
export function findProblem(text: string): FoundProblem {
  const trimmed = text.trim();
  const body = withoutEnvelope(parseJson(trimmed));
  if (typeof body === "string") return { detail: body, errors: [] };
  if (typeof body !== "object" || body === null)
    return { detail: /^(?:<!--|<\?|<!|<[a-z])/i.test(trimmed) ? readMarkup(trimmed) : trimmed, errors: [] };
  const errors: FieldProblem[] = [];
  collect(body, "", 0, errors);
  const said = sentenceIn(body, 0);
  const specific = errors.find(({ detail }) => detail !== "")?.detail ?? "";
  const type = typeIn(body, 0);
  const detail =
    said !== undefined && (isSentence(said) || !isSentence(specific)) ? said : specific || (said ?? type ?? "");
  return {
    detail,
    errors: errors.filter(
      (error) => error.pointer !== "" || error.detail !== detail || errors.length > 1 || Array.isArray(body),
    ),
    ...(type === undefined || type === detail ? {} : { type }),
  };
}

/** An object whose only member is one that holds an error is around it, whatever its name. */
function withoutEnvelope(body: unknown): unknown {
  const [name, ...others] = isObject(body) ? holderOf(body).members.values() : [];
  const only = !isObject(body) || name === undefined || others.length > 0 ? undefined : body[name];
  return isObject(only) && "error" in only ? only : body;
}

/** A sentence, and not a code: `taken`, `Not found.` and `slug is taken`, but not `SLUG_TAKEN`, `E1002` or `validation_error`. */
function isSentence(text: string): boolean {
  return (
    /\s/.test(text.trim()) ||
    (/^[\p{L}'’-]+[.!?]?$/u.test(text) &&
      !/^[A-Z]{2,}$/.test(text) &&
      !/^[a-z]+[A-Z]/.test(text) &&
      !/^[A-Z][a-z]+[A-Z]/.test(text) &&
      !text.includes("_"))
  );
}

/** The best sentence of an object: under the surest name here, else further in; a code only where nothing says more. */
function sentenceIn(value: unknown, level: number): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (level > deepest || typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return best(value.slice(0, 10).map((each: unknown) => sentenceIn(each, level + 1)));
  const holder = holderOf(value as Readonly<Record<string, unknown>>); // why: neither an array nor null
  const here = sentenceKeys.map((key) => {
    const found = member(holder, [key])?.value;
    return typeof found === "string" && found !== "" ? found : undefined;
  });
  const found = best(here);
  if (found !== undefined && isSentence(found) && !isHeadline(holder, found)) return found;
  const inner = [...holder.members]
    .filter(([key]) => sentenceKeys.includes(key) || problemKeys.has(key))
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map(([, name]) =>
      typeof holder.value[name] === "object"
        ? (sentenceIn(holder.value[name], level + 1) ?? readLanguageText(holder.value[name]))
        : undefined,
    );
  return best([...inner.filter((text) => text !== undefined && isSentence(text)), found, ...inner, ...here]);
}

/** Whether a text only repeats the status or the title, so that what is further in says more. */
function isHeadline(holder: Holder, text: string): boolean {
  const isFromTitle = ["title", "error", "statustext", "summary"].some((key) => member(holder, [key])?.value === text);
  const isFromSpecific = ["detail", "message", "msg", "description", "reason", "errordescription", "errmsg"].some(
    (key) => member(holder, [key])?.value === text,
  );
  return isFromTitle && !isFromSpecific;
}

function readLanguageText(value: unknown): string | undefined {
  return isObject(value) && holderOf(value).members.size <= 3 ? readText(value) : undefined;
}

function rank(key: string): number {
  const index = sentenceKeys.indexOf(key);
  return index < 0 ? sentenceKeys.length : index;
}

function best(texts: readonly (string | undefined)[]): string | undefined {
  const said = texts.filter((text) => text !== undefined);
  return said.find((text) => /\S\s+\S/.test(text)) ?? said.find(isSentence) ?? said[0];
}

/** Collects what is said of single fields: in lists, in maps from a field to its messages, and in what is inside of them. */
function collect(value: unknown, field: string, level: number, errors: FieldProblem[]): void {
  if (errors.length >= mostProblems || level > deepest) return;
  if (typeof value === "string") {
    // The name of a field is no sentence about one.
    if (value !== "" && (field !== "" || level > 0) && !Object.hasOwn(fieldKeys, value))
      errors.push({ pointer: field, detail: value });
  } else if (Array.isArray(value)) {
    collectList(value, field, level, errors);
  } else if (isObject(value)) {
    collectObject(holderOf(value), field, level, errors);
  }
}

/** Of several messages for one field the first says enough. */
function collectList(list: readonly unknown[], field: string, level: number, errors: FieldProblem[]): void {
  const said =
    field !== "" && list.every((each) => typeof each === "string") ? list.slice(0, 1) : list.slice(0, mostProblems);
  for (const each of said) collect(each, field, level + 1, errors);
}

/** Whether a member may hold problems: errors of any name, their chains and causes. */
function mayTellMore(key: string): boolean {
  return (
    problemKeys.has(key) || /error|chain|cause|reason|detail|problem|violation|issue|nested|inner|children/.test(key)
  );
}

function collectObject(holder: Holder, field: string, level: number, errors: FieldProblem[]): void {
  const named = level > 0 ? fieldIn(holder) : "";
  const own = named === "" ? field : named;
  const before = errors.length;
  for (const [key, name] of holder.members) {
    const inner = unwrap(holder.value[name], []).value;
    if (!mayTellMore(key) || typeof inner !== "object" || inner === null) continue;
    if (isMessageMap(inner)) collectMap(inner, own, level, errors);
    else collect(holder.value[name], own, level + 1, errors);
  }
  if (errors.length > before) return;
  if (level === 0) {
    if (isMessageMap(holder.value) && isListed(holder)) collectMap(holder.value, "", level, errors);
    return;
  }
  const said = sentenceIn(holder.value, deepest - 1) ?? "";
  const code = member(holder, ["code", "type", "keyword", "rule"])?.value;
  const detail = said === "" && typeof code === "string" ? code : said;
  if (detail !== "" && (own !== "" || said !== "")) errors.push({ pointer: own, detail });
}

/** A map from fields to messages at the top of a body has nothing else in it. */
function isListed({ value, members }: Holder): boolean {
  return [...members.values()].every((name) => {
    const each = value[name];
    return Array.isArray(each) && each.length > 0 && each.every((text) => sentenceIn(text, deepest - 1) !== undefined);
  });
}

/** Whether an object is a map from field to messages, and not itself a problem. */
function isMessageMap(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const entries = firstOf(value);
  if (
    entries.length === 0 ||
    entries.some(
      ([name]) =>
        /^(?:code|status|statusCode|message|detail|reason|title|type|field)$/i.test(name) &&
        typeof value[name] !== "object",
    )
  )
    return false;
  if (entries.some(([name, each]) => typeof each === "string" && notFields.has(keyOf(name)))) return false;
  return (
    entries.every(
      ([name, each]) =>
        (typeof each === "string" && !problemKeys.has(keyOf(name))) ||
        (Array.isArray(each) && each.every((text) => typeof text === "string" || isObject(text))) ||
        isObject(each),
    ) &&
    !entries.some(
      ([name]) => problemKeys.has(keyOf(name)) && !/^(?:data|message|error|detail|fields|params)$/.test(keyOf(name)),
    )
  );
}

/** The first members of an object. */
function firstOf(value: JsonObject): [name: string, value: unknown][] {
  return [...holderOf(value).members.values()].slice(0, mostProblems).map((name) => [name, value[name]]);
}

function collectMap(map: JsonObject, field: string, level: number, errors: FieldProblem[]): void {
  if (level > deepest) return;
  for (const [name, each] of firstOf(map)) {
    const isOwn = /^(?:_errors|non_field_errors|__all__|base|json|body|\$|message|messages)$/.test(name);
    const inner = isOwn ? field : field === "" ? name : `${field}/${name}`;
    if (isMessageMap(each)) collectMap(each, inner, level + 1, errors);
    else collect(each, inner, level + 1, errors);
  }
}

/** The field that an object blames, as a path. */
function fieldIn(holder: Holder): string {
  for (const key of fieldNameKeys) {
    const value = member(holder, [key])?.value;
    const found = isObject(value) ? member(holderOf(value), ["pointer", "parameter", "field", "path"])?.value : value;
    // A place in the request is told before the field at times.
    if (Array.isArray(found) && found.length > 0 && found.every((step) => ["string", "number"].includes(typeof step)))
      return found
        .filter((step, index) => index > 0 || found.length === 1 || !["body", "query", "path"].includes(String(step)))
        .join("/");
    if (typeof found === "string" && found !== "" && !/\s/.test(found)) return found;
  }
  return "";
}

function typeIn(value: unknown, level: number): string | undefined {
  if (!isObject(value) || level > 2) return undefined;
  const holder = holderOf(value);
  const inner = ["error", "errors", "fault"]
    .map((key) => typeIn(unwrap(member(holder, [key])?.value, []).value, level + 1))
    .find((found) => found !== undefined);
  const own = typeKeys
    .map((key) => member(holder, [key])?.value)
    .find((found) => typeof found === "string" && found !== "about:blank" && !/\s|^\d{3}$/.test(found));
  return (
    inner ??
    (typeof own === "string" &&
    (level > 0 || member(holder, ["type", "code", "errorcode"])?.value === own || !isSentence(own))
      ? own
      : undefined)
  );
}

/** An HTML page says what it is in its title or its first heading, XML in its message. */
function readMarkup(markup: string): string {
  const found =
    /<((?:[\w-]+:)?(?:title|h1|message|detail|description|faultstring|error))\b[^>]*>\s*([^<]{1,500})</i.exec(
      markup.slice(0, 20_000),
    );
  const said = found?.[2]?.trim() ?? "";
  return said === "" ? (/^<\?xml/i.test(markup) ? "an XML document" : "an HTML page") : said;
}
