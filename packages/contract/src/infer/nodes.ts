// Lists the objects in a response, each with the documented fields that it shows and its identifier.
import { decodePercent, isObject, type JsonObject } from "../json.ts";
import { decode, type Found, listFields, type NamedField, type Path, readField, readText } from "./fields.ts";
import { isNamed, type PageFieldName, pageFieldNames, readName } from "./names.ts";

/** Facts about the request. */
export interface InferRequest {
  /** Host of the API, with its port: it is never a domain of a page. */
  readonly apiHost?: string | undefined;
  /** Body of the create or the update. */
  readonly sent?: JsonObject | undefined;
  /** Identifier in the path of the update. */
  readonly id?: string | undefined;
}

/** An object in a response. */
export interface JsonNode {
  readonly value: JsonObject;
  readonly path: Path;
  readonly parent: JsonNode | undefined;
  /** Its name. */
  readonly name: string;
  /** Its fields, and those of objects in it that identify the record. */
  readonly fields: readonly NamedField[];
  /** The documented fields of a page that it shows. */
  readonly shown: { readonly [Name in PageFieldName]?: Found };
  /** How many of these it shows; timestamps do not count. */
  readonly count: number;
  /** Its identifier; empty if it has one that is not certain. */
  readonly id: Found<string> | undefined;
}

/** Returns the name of the value at a path. */
export const nameAt = (path: Path): string => path.findLast((step) => !isNamed(step, "position")) ?? "data";

/** Whether to go into the value of a field, which is in the object `parent`. */
type Enters = (field: NamedField, value: unknown, parent: JsonNode | undefined) => boolean;

const mostElements = 10;

/** Whether a value is not named after something other than a page, such as `author`. */
const isOwn: Enters = ({ is }) => !is.kinds.has("foreign");

/** Lists the objects in a JSON value, each before the objects inside it. Of an array it lists the first few. */
export function listNodes(root: unknown, request: InferRequest, enters: Enters = isOwn): JsonNode[] {
  const nodes: JsonNode[] = [];
  const visit = (field: NamedField, parent?: JsonNode): void => {
    const { path } = field;
    const value = decode(field.value);
    if (!enters(field, value, parent) || typeof value !== "object" || value === null) return;
    const own = listFields(Array.isArray(value) ? value.slice(0, mostElements) : value, path);
    if (isObject(value)) nodes.push({ value, path, parent, name: nameAt(path), ...readRecord(own, request) });
    const node = isObject(value) ? nodes.at(-1) : parent;
    for (const each of own) visit(each, node);
  };
  visit({ is: readName(""), path: [], value: root });
  return nodes;
}

/** Lists fields of a record that are in other objects: the `self` of its `links`, and all of an object that identifies it. */
function listIdentity(own: readonly NamedField[]): NamedField[] {
  const isRecord = own.some(({ is: { kinds } }) => kinds.has("field") || kinds.has("part") || kinds.has("version"));
  return own.flatMap(({ is, path, value }) => {
    if (!isObject(value)) return [];
    if (is.key === "links") return listFields(value, path).filter((field) => field.is.key === "self");
    return isRecord && is.kinds.has("identity") ? listFields(value, path) : [];
  });
}

/** Reads the object with these fields of its own. */
function readRecord(own: readonly NamedField[], { apiHost, sent }: InferRequest) {
  const fields = [...own, ...listIdentity(own)];
  const shown: { [Name in PageFieldName]?: Found } = {};
  let count = 0;
  for (const name of pageFieldNames) {
    const read = name === "cta" ? readCta : name.endsWith("_at") ? readTime : readText;
    const found = readField<unknown>(fields, name, read, sent?.[name]);
    if (found === undefined) continue;
    shown[name] = found;
    if (read !== readTime) count += 1;
  }
  return { fields, shown, count, id: findId(fields, apiHost, shown.slug?.value) };
}

/** Reads a call to action that has all three fields, in any spelling. */
function readCta(given: unknown): JsonObject | undefined {
  const value = decode(given);
  if (!isObject(value)) return undefined;
  const fields = listFields(value);
  const type = readField(fields, "type", readText)?.value;
  const label = readField(fields, "label", readText)?.value;
  const url = readField(fields, "link", readText)?.value;
  return [type, label, url].includes(undefined) ? undefined : { ...value, type, label, url };
}

/** Reads a timestamp and returns it as ISO 8601. A number is seconds or milliseconds since 1970; a time without a zone is in UTC. */
function readTime(value: unknown): string | undefined {
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d))?$/.test(text))
    return Number.isNaN(Date.parse(text)) ? undefined : text;
  if (/^\d{9,13}$/.test(text)) return new Date(Number(text) * (text.length < 12 ? 1000 : 1)).toISOString();
  const isLocal = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(text);
  if (!isLocal && !/^[A-Z][a-z]{2},? /.test(text)) return undefined;
  const atMs = Date.parse(isLocal ? `${text.replace(" ", "T")}Z` : text);
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}

/**
 * Finds the identifier of a record; empty if it is not certain. A link to the documented path outranks a name, and the `id` of JSON-RPC is
 * that of the request.
 */
function findId(fields: readonly NamedField[], apiHost: string | undefined, slug: unknown): Found<string> | undefined {
  if (readField(fields, "jsonrpc", readText)) return undefined;
  const follow = (link: unknown) => readLink(link, apiHost, slug);
  const first =
    readField(fields, "self", readDocumentedLink) ??
    readField(fields, "documentid", readId) ??
    readField(fields, "id", readId) ??
    readField(fields, "otherId", readId) ??
    // A `name` that is a path is the name of the resource (AIP-122).
    readField(fields, "name", follow) ??
    readField(fields, "uid", readId) ??
    readField(fields, "link", follow);
  if (first === undefined) return undefined;
  const { role } = readName(first.path.at(-1) ?? "");
  // A version may have an `id` too, and a `name` such as `page-7` may be the identifier, and not the `uid`.
  const isRival = ({ is, path, value }: NamedField) =>
    path.length === first.path.length &&
    (role === "uid"
      ? is.role === "name" && /^(?=.*[-.\d])[a-z\d.-]+$/.test(String(value))
      : role === "id" && is.role === "id" && (readId(value) ?? first.value) !== first.value);
  return fields.some(isRival) ? { ...first, value: "" } : first;
}

/**
 * Reads an identifier as a string; `undefined` when the value cannot be one, or belongs to something else. Empty if it is not certain,
 * because a handle such as `pages/7` may be more than the identifier.
 */
export function readId(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  if (Array.isArray(value)) return value.length === 1 ? readId(value[0]) : undefined;
  if (isObject(value)) return readId(value["value"]);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (/^(?:https?:)?\//i.test(value)) return readDocumentedLink(value);
  if (/^(?:txn|task|req|job|usr|acc|evt|trace)[_-]/i.test(value)) return undefined;
  return /^\w+\/[^/]*$/.test(value) ? "" : value;
}

/** Reads the identifier in a link to the documented path of a page, on any host. */
export function readDocumentedLink(link: unknown): string | undefined {
  const [, step] = /\/api\/content\/([^/]+)\/?$/.exec(parseLink(link).path) ?? [];
  return step && readStep(step);
}

/** Reads the identifier in a link to the API, behind the name of a collection of pages. A path that ends with the slug may be the public one. */
function readLink(link: unknown, apiHost: string | undefined, slug: unknown): string | undefined {
  const { host, collection, last } = parseLink(link, apiHost);
  const isOurs = host === apiHost && isNamed(collection, "neutral") && last !== slug;
  return readDocumentedLink(link) ?? (isOurs ? readStep(last) : undefined);
}

/**
 * Reads the identifier in a `Location`. That of a 201 names the created resource on any host (RFC 9110, 15.3.2). A path that ends with the
 * slug may be the public one. Outside of the documented path, neither the URL of a job nor a word without a digit counts.
 */
export function readLocation(location: unknown, status: number, slug: unknown): string | undefined {
  const { path, collection, last } = parseLink(location);
  if (last.replace(/\.html?$/, "") === slug) return undefined;
  if (/\/api\/content(?:\/|$)/.test(path)) return readDocumentedLink(location);
  return status !== 201 || isNamed(collection, "foreign") || !/\d/.test(last) ? undefined : readStep(last);
}

/** Resolves a link as the response to a create or a list does. */
function parseLink(link: unknown, apiHost = "unknown.invalid") {
  const text = isObject(link) ? link["href"] : link;
  const url = typeof text === "string" ? URL.parse(text, `http://${apiHost}/api/content`) : null;
  const path = url?.pathname ?? "";
  const [collection = "", last = ""] = path.split("/").filter(Boolean).slice(-2);
  return { host: url?.host, path, collection, last };
}

/** Reads a path segment as an identifier: `12.json` is 12. */
const readStep = (step: string): string | undefined => readId(decodePercent(step)?.replace(/\.json$/, ""));
