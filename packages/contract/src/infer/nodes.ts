// Lists the objects in a response, each with the fields of a page that it shows.
import { isObject, type JsonObject } from "../json.ts";
import { decode, findField, type Found, listFields, listOwnFields, type NamedField, type Path } from "./fields.ts";
import { findOwnId } from "./identifier.ts";
import { isNamed, names, textFields } from "./names.ts";
import { readCta, readCtaParts, readText, readTime } from "./values.ts";

/** Facts about the request. */
export interface InferRequest {
  /** Host of the API, with its port: it is never a domain of a page. */
  readonly apiHost?: string | undefined;
  /** Body of the create or the update. */
  readonly sent?: JsonObject | undefined;
  /** Identifier in the path of the update. */
  readonly id?: string | undefined;
}

/** A documented field that more than one name may have. */
export type PageFieldName = (typeof textFields)[number] | "cta" | "created_at" | "updated_at";

const readers: Record<PageFieldName, (value: unknown, sent: unknown) => unknown> = {
  title: readText,
  content: readText,
  slug: readText,
  meta_description: readText,
  cta: readCta,
  created_at: readTime,
  updated_at: readTime,
};

/** The documented fields of a page, in their order. */
export const pageFieldNames: readonly PageFieldName[] = [...textFields, "cta", "created_at", "updated_at"];

/** An object in a response. */
export interface JsonNode {
  readonly value: JsonObject;
  readonly path: Path;
  readonly parent: JsonNode | undefined;
  /** Its name. */
  readonly name: string;
  readonly own: readonly NamedField[];
  /** Its own fields, and those of objects in it that identify the record. */
  readonly fields: readonly NamedField[];
  /** The documented fields that it shows. */
  readonly shown: { readonly [Name in PageFieldName]?: Found };
  /** How many documented fields it shows; timestamps do not count. */
  readonly count: number;
  /** The identifier in its own fields. */
  readonly id: Found<string> | undefined;
}

/** Makes the node of an object; `listName` is the name of the list that it is an element of. */
export function makeNode(
  value: JsonObject,
  path: Path,
  { apiHost, sent }: InferRequest,
  parent?: JsonNode,
  listName?: string,
): JsonNode {
  const name = nameAt(path);
  const own = listOwnFields(value, path);
  const fields = listFields(own);
  const shown: { [Name in PageFieldName]?: Found } = {};
  let count = 0;
  for (const field of pageFieldNames) {
    const whole = findField(fields, names[field], readers[field], sent?.[field]);
    const parts = field === "cta" && whole === undefined ? readCtaParts(fields, "cta") : undefined;
    const found = parts ? { path, value: parts } : whole;
    if (found === undefined) continue;
    shown[field] = found;
    if (readers[field] !== readTime) count += 1;
  }
  return { value, path, parent, name, own, fields, shown, count, id: findOwnId(fields, listName ?? name, apiHost) };
}

/** Returns the name of the value at a path. */
export function nameAt(path: Path): string {
  const last = path.at(-1) ?? "data";
  return isNamed(last, "position") ? nameAt(path.slice(0, -1)) : last;
}

const deepest = 7;
const mostElements = 10;

/** Whether to search inside an object. Objects named after something other than a page, such as `author`, are skipped. */
const isOwn = (path: Path): boolean => !isNamed(path.at(-1) ?? "", "foreign");

/** Lists the objects in a JSON value, each before the objects inside it. Skips an object, and all inside it, if `enters` returns false. */
export function listNodes(
  given: unknown,
  request: InferRequest,
  enters = isOwn,
  path: Path = [],
  parent?: JsonNode,
): JsonNode[] {
  const value = decode(given);
  if (isObject(value) && path.length <= deepest) {
    const node = makeNode(value, path, request, parent);
    return [node, ...listInside(node, request, enters)];
  }
  if (!Array.isArray(value) || value.length > mostElements) return [];
  // An array of one element is a wrapper, so its index is not part of the path.
  if (value.length === 1) return listNodes(value[0], request, enters, path, parent);
  return value.flatMap((each, index) => {
    const place = [...path, String(index)];
    return enters(place) ? listNodes(each, request, enters, place, parent) : [];
  });
}

/** Lists every object in an object. */
export function listInside(node: JsonNode, request: InferRequest, enters = isOwn): JsonNode[] {
  const nodes: JsonNode[] = [];
  for (const { path, value } of node.own)
    if (enters(path)) nodes.push(...listNodes(value, request, enters, path, node));
  return nodes;
}

/** Counts the fields of the page that an object shows: the strings that were sent, under any names, else the documented fields. */
export function countShown({ own, count }: JsonNode, sent: JsonObject | undefined): number {
  if (sent === undefined) return count;
  let shown = 0;
  for (const field of textFields) if (typeof sent[field] === "string" && hasEcho(own, sent[field])) shown += 1;
  return shown;
}

function hasEcho(own: readonly NamedField[], text: string): boolean {
  for (const { value } of own) if (value === text || (!isRecord(value) && readText(value, text) === text)) return true;
  return false;
}

/** Whether a value shows several fields, so that it is a record and not a string of the page. */
function isRecord(value: unknown): boolean {
  let shown = 0;
  for (const field of listOwnFields(value)) if (field.value !== null && isNamed(field.name, "field")) shown += 1;
  return shown > 1;
}
