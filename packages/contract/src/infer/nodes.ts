// Lists the objects in a response, each with the documented fields that it shows and its identifier.
import { isObject, type JsonObject } from "../json.ts";
import {
  decode,
  type Found,
  isNamed,
  listFields,
  type NamedField,
  names,
  type Path,
  pick,
  readCta,
  readFields,
  readText,
  readTime,
  textFields,
} from "./fields.ts";

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

function makeNode(value: JsonObject, path: Path, { apiHost, sent }: InferRequest, parent?: JsonNode): JsonNode {
  const fields = listFields(value, path);
  const shown: { [Name in PageFieldName]?: Found } = {};
  for (const name of pageFieldNames) {
    const isTime = name === "created_at" || name === "updated_at";
    // Of several texts, the one that was sent counts.
    const read = isTime ? readTime : name === "cta" ? readCta : (text: unknown) => readText(text, sent?.[name]);
    const [found] = readFields<unknown>(fields, names[name], read);
    if (found !== undefined) shown[name] = found;
  }
  const count = shownFields.filter((name) => shown[name] !== undefined).length;
  return { value, path, parent, name: nameAt(path), fields, shown, count, id: findId(fields, apiHost) };
}

/** Returns the name of the value at a path. */
export function nameAt(path: Path): string {
  return path.findLast((step) => !isNamed(step, "position")) ?? "data";
}

/** The documented fields that show that an object is a page. */
const shownFields = [...textFields, "cta"] as const;

/** The documented fields of a page that more than one name may have, in their order. */
export const pageFieldNames = [...shownFields, "created_at", "updated_at"] as const;

/** A documented field that more than one name may have. */
export type PageFieldName = (typeof pageFieldNames)[number];

/** Whether to go into a value. It has the last step of its path as its name, and is in the object `parent`. */
type Enters = (name: string, value: unknown, path: Path, parent: JsonNode | undefined) => boolean;

const mostElements = 10;

/** Whether a value is not named after something other than a page, such as `author`. */
const isOwn: Enters = (name) => !isNamed(name, "foreign");

/** Lists the objects in a JSON value, each before the objects inside it. Of an array it lists the first few. */
export function listNodes(root: unknown, request: InferRequest, enters: Enters = isOwn): JsonNode[] {
  const nodes: JsonNode[] = [];
  const visit = (given: unknown, path: Path, parent?: JsonNode): void => {
    const value = decode(given);
    if (!enters(path.at(-1) ?? "", value, path, parent) || typeof value !== "object" || value === null) return;
    const node = isObject(value) ? makeNode(value, path, request, parent) : undefined;
    if (node !== undefined) nodes.push(node);
    const inner = node === undefined ? Object.entries(value).slice(0, mostElements) : Object.entries(value);
    for (const [step, each] of inner) visit(each, [...path, step], node ?? parent);
  };
  visit(root, []);
  return nodes;
}

/**
 * Finds the identifier of a record; empty if it is not certain. A link to the documented path outranks a name, and the `id` of JSON-RPC is
 * that of the request.
 */
function findId(fields: readonly NamedField[], apiHost: string | undefined): Found<string> | undefined {
  if (fields.some(({ key }) => key === "jsonrpc")) return undefined;
  const slug = readFields(fields, names.slug, readText)[0]?.value;
  const follow = (link: unknown) => readDocumentedLink(link, apiHost) ?? readLink(link, apiHost, slug);
  const links = readFields(fields, ["self", "selflink", "id"], (link) => readDocumentedLink(link, apiHost));
  const [surest] = [...links, ...readFields(fields, ["documentid"], readId)];
  // One of these may be the identifier of a version.
  const ids = readFields(fields, names.id, readId);
  const [uid] = readFields(fields, names.uid, readId);
  const first =
    surest ??
    ids[0] ??
    readFields(fields, names.otherId, readId)[0] ??
    // A `name` that is a path is the name of the resource (AIP-122).
    readFields(fields, ["name"], follow)[0] ??
    uid ??
    readFields(fields, names.self, follow)[0];
  // A `name` such as `page-7` may be the identifier, and not the `uid`.
  const handles = readFields(fields, ["name"], (name) =>
    /^(?=.*[-.\d])[a-z\d.-]+$/.test(String(name)) ? "" : undefined,
  );
  const rivals = first === ids[0] ? ids : first === uid ? handles : [];
  const differs = rivals.some(({ path, value }) => path.length === first?.path.length && value !== first.value);
  return first && differs ? { ...first, value: "" } : first;
}

/**
 * Reads an identifier as a string; `undefined` when the value cannot be one, or belongs to something else. Empty if it is not certain,
 * because a handle such as `pages/7` may be more than the identifier.
 */
export function readId(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  if (Array.isArray(value)) return value.length === 1 ? readId(value[0]) : undefined;
  if (isObject(value)) return pick(value, ["value"], readId);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (/^(?:https?:)?\/|^(?:txn|task|req|job|usr|acc|evt|trace)[_-]/i.test(value)) return undefined;
  return /^\w+\/[^/]*$/.test(value) ? "" : value;
}

/** Reads the identifier in a link to the documented path of a page, on any host. */
export function readDocumentedLink(link: unknown, apiHost: string | undefined): string | undefined {
  // Most values are identifiers, and none of these is a link.
  if (typeof link === "string" && !link.includes("/")) return undefined;
  const [, step] = /\/api\/content\/([^/]+)\/?$/.exec(parseLink(link, apiHost).path) ?? [];
  return step && readStep(step);
}

/** Reads the identifier in a link to the API, behind the name of a collection of pages. A path that ends with the slug may be the public one. */
function readLink(link: unknown, apiHost: string | undefined, slug: unknown): string | undefined {
  const { host, collection, last } = parseLink(link, apiHost);
  return host === apiHost && isNamed(collection, "neutral") && last !== slug ? readStep(last) : undefined;
}

/**
 * Reads the identifier in the `Location` of a 201, which names the created resource on any host (RFC 9110, 15.3.2). A path that ends with
 * the slug may be the public one. Outside of the documented path, neither the URL of a job nor a word without a digit counts.
 */
export function readLocation(location: unknown, apiHost: string | undefined, slug: unknown): string | undefined {
  const { path, collection, last } = parseLink(location, apiHost);
  if (last.replace(/\.html?$/, "") === slug) return undefined;
  if (/\/api\/content(?:\/|$)/.test(path)) return readDocumentedLink(location, apiHost);
  return isNamed(collection, "foreign") || !/\d/.test(last) ? undefined : readStep(last);
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
function readStep(step: string): string | undefined {
  try {
    return readId(decodeURIComponent(step).replace(/\.json$/, ""));
  } catch {
    return undefined;
  }
}
