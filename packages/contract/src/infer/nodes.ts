// The objects in a response, each with what it shows of a page.
import { isObject, type JsonObject } from "../json.ts";
import { decode, findField, type Found, listFields, listOwnFields, type NamedField, type Path } from "./fields.ts";
import { findOwnId } from "./identifier.ts";
import { isNamed, names, textFields } from "./names.ts";
import { readCta, readCtaParts, readText, readTime } from "./values.ts";

/** What is known of the request. */
export interface InferRequest {
  /** Host of the API, with its port: it is never a domain of a page. */
  readonly apiHost?: string | undefined;
  /** Body of the create or the update. */
  readonly sent?: JsonObject | undefined;
  /** Identifier in the path of the update. */
  readonly id?: string | undefined;
}

const readers = {
  title: readText,
  content: readText,
  slug: readText,
  meta_description: readText,
  cta: readCta,
  created_at: readTime,
  updated_at: readTime,
} as const satisfies Record<string, (value: unknown, sent: unknown) => unknown>;

/** A documented field that more than one name may have. */
export type PageFieldName = keyof typeof readers;
/** The documented fields of a page, in their order. */
export const pageFieldNames: readonly PageFieldName[] = [...textFields, "cta", "created_at", "updated_at"];

/** An object in a response. */
export interface JsonNode {
  readonly value: JsonObject;
  readonly path: Path;
  readonly parent: JsonNode | undefined;
  /** What it is called. */
  readonly name: string;
  readonly own: readonly NamedField[];
  /** Its own fields, and those of objects in it that say which record it is. */
  readonly fields: readonly NamedField[];
  /** The documented fields that it shows. */
  readonly shown: { readonly [Name in PageFieldName]?: Found };
  /** How many documented fields it shows; timestamps do not count. */
  readonly count: number;
  /** The identifier that it has itself. */
  readonly id: Found<string> | undefined;
}

/** Reads what an object shows; `holder` is the name of the list that it is an element of. */
export function makeNode(
  value: JsonObject,
  path: Path,
  { apiHost, sent }: InferRequest,
  parent?: JsonNode,
  holder?: string,
): JsonNode {
  const name = nameAt(path);
  const own = listOwnFields(value, path);
  const fields = listFields(own);
  const shown: { [Name in PageFieldName]?: Found } = {};
  let count = 0;
  for (const field of pageFieldNames) {
    const whole = findField(fields, names[field], (each) => readers[field](each, sent?.[field]));
    const parts = field === "cta" && whole === undefined ? readCtaParts(fields, "cta") : undefined;
    const found = parts ? { path, value: parts } : whole;
    if (found === undefined) continue;
    shown[field] = found;
    if (readers[field] !== readTime) count += 1;
  }
  return { value, path, parent, name, own, fields, shown, count, id: findOwnId(fields, holder ?? name, apiHost) };
}

/** The name under which the value at a path stands. */
export function nameAt(path: Path): string {
  return path.findLast((step) => !isNamed(step, "position")) ?? "data";
}

const deepest = 7;
const mostElements = 10;

/** Whether an object may be entered, by its path: not under a foreign name. */
const isOwn = (path: Path): boolean => !isNamed(path.at(-1) ?? "", "foreign");

/** Every object in a JSON value that may be entered, each before those in it. */
export function listNodes(
  given: unknown,
  request: InferRequest,
  enters = isOwn,
  path: Path = [],
  parent?: JsonNode,
): JsonNode[] {
  const value = decode(given);
  if (Array.isArray(value)) {
    if (value.length > mostElements) return [];
    // An array of one wraps; more of them are positions.
    if (value.length === 1) return listNodes(value[0], request, enters, path, parent);
    return value.flatMap((each, index) => {
      const place = [...path, String(index)];
      return enters(place) ? listNodes(each, request, enters, place, parent) : [];
    });
  }
  if (!isObject(value) || path.length > deepest) return [];
  const node = makeNode(value, path, request, parent);
  return [node, ...listInside(node, request, enters)];
}

/** Every object in an object. */
export function listInside(node: JsonNode, request: InferRequest, enters = isOwn): JsonNode[] {
  return node.own.flatMap(({ path, value }) => (enters(path) ? listNodes(value, request, enters, path, node) : []));
}

/** How much of the page an object shows: the texts that were sent, under whatever names, else the documented fields. */
export function countShown({ own, count }: JsonNode, sent: JsonObject | undefined): number {
  if (sent === undefined) return count;
  const texts = own.filter(({ value }) => !isRecord(value));
  const isEcho = (text: unknown) =>
    typeof text === "string" && texts.some(({ value }) => value === text || readText(value, text) === text);
  return textFields.filter((field) => isEcho(sent[field])).length;
}

/** Whether a value shows several fields, and is a record of its own and no text. */
function isRecord(value: unknown): boolean {
  return listOwnFields(value).filter((field) => field.value !== null && isNamed(field.name, "field")).length > 1;
}
