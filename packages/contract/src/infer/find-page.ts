// Finds the page in a response whose shape is not documented. Structure decides, and names break ties. An uncertain
// value is left out, because a missing identifier becomes an error that the caller sees, and a wrong one would not. The result depends on
// the response and its request alone.
import { isObject, type JsonObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { findDomains } from "./domains.ts";
import { type Found, listOwnFields, type Path } from "./fields.ts";
import { readDocumentedLink, readLocation } from "./identifier.ts";
import { areNamed, isNamed } from "./names.ts";
import {
  countShown,
  type InferRequest,
  type JsonNode,
  listInside,
  listNodes,
  makeNode,
  type PageFieldName,
  pageFieldNames,
} from "./nodes.ts";
import { readId, readText } from "./values.ts";

/** A response whose body was parsed. */
export interface ParsedResponse {
  readonly status: number;
  readonly headers: HeaderLookup;
  /** The JSON value of the body; a string when it is not JSON; `undefined` when there is none. */
  readonly body: unknown;
}

/** The paths to the parts of a page. Each path starts at the top of the JSON value. */
export interface Layout {
  /** The object that shows most of the page; `undefined` if none shows anything. */
  readonly record: Path | undefined;
  /**
   * The documented fields, including fields that it does not show. If the parts of the call to action are fields of the page, such as
   * `cta_label`, its path is that of the record. The path of `domains` is the field that names them most surely.
   */
  readonly fields: { readonly [Field in PageFieldName | "id" | "domains"]?: Path | undefined };
}

/** A page as far as a response shows it: documented fields under their names and of their types, and all others unchanged. */
export interface FoundPage {
  [field: string]: unknown;
  id?: string;
  domains: PageDomain[];
}

/** A page, and where it was found. */
export interface InferredPage {
  readonly page: FoundPage;
  /** The fields of the page, unchanged. */
  readonly record: JsonObject;
  readonly layout: Layout;
}

/** Finds the page in the response to a create or an update. Its `id` is missing if it is not certain. */
export function inferPage(response: ParsedResponse, request: InferRequest = {}): InferredPage {
  const { status, headers, body } = response;
  const { apiHost, sent, id } = request;
  const nodes = listNodes(body, request);
  // An update may have sent no field that a response can repeat.
  const record = findRecord(nodes, request) ?? (id === undefined ? undefined : findRecord(nodes, {}));
  const owner = record ? findOwner(record, request) : id === undefined ? findLoneOwner(nodes) : undefined;
  const present = (certain: string | undefined) => presentPage(record ?? owner, owner, certain, request);
  if (id !== undefined) return present(id);
  if (hasErrorCode(body)) return present(undefined);
  const location = headers.get("Location");
  const located = status === 201 ? readLocation(location, { apiHost, slug: sent?.["slug"] }) : undefined;
  // A 202 describes the job and not the page, unless the object that repeats the page has an identifier itself.
  const isDone = status !== 202 || (record !== undefined && (owner === record || isNamed(record.name, "part")));
  const own = owner?.id?.value ?? (record === undefined ? readLoneValue(response) : undefined);
  return present(isDone ? (readDocumentedLink(location) ?? own ?? located) : undefined);
}

/** Finds the page in one element of a list; `undefined` if it has no certain identifier. The elements of a map have keys. */
export function inferElement(
  element: JsonObject,
  list: { readonly name: string; readonly key?: string | undefined },
  { apiHost }: InferRequest,
): InferredPage | undefined {
  const root = makeNode(element, [], { apiHost }, undefined, list.name);
  // An element is a page or wraps one. The wrapped page has the name of a page, or any name if the element shows no field itself.
  const isWrapper = root.count === 0 && list.key === undefined && root.id === undefined;
  const enters = ([first = "", ...more]: Path) =>
    (isWrapper ? !isNamed(first, "foreign") : isNamed(first, ...steps)) &&
    more.every((step) => isNamed(step, ...steps));
  const record = findRecord([root, ...listInside(root, { apiHost }, enters)], {}) ?? root;
  const owner = findOwner(record, {});
  const id = owner?.id?.value ?? (list.key !== undefined && /\d/.test(list.key) ? list.key : undefined);
  return id === undefined ? undefined : presentPage(record, owner, id, { apiHost });
}

/** Kinds of names that lead from a page, or from a wrapper of one, to its fields. */
const steps = ["neutral", "part", "version"] as const;

/** Makes a page from its record and from the objects around it, up to the one with the identifier. */
function presentPage(
  record: JsonNode | undefined,
  owner: JsonNode | undefined,
  id: string | undefined,
  { apiHost, sent }: InferRequest,
): InferredPage {
  const nodes: JsonNode[] = [];
  const least = owner?.path.length ?? record?.path.length ?? 0;
  for (let node = record; node !== undefined && node.path.length >= least; node = node.parent) nodes.push(node);
  const merged = mergeRecord(nodes);
  const page: FoundPage = { ...merged, domains: [] };
  const paths: { [Name in PageFieldName]?: Path | undefined } = {};
  for (const field of pageFieldNames) {
    let found: Found | undefined;
    for (const { shown } of nodes) found ??= shown[field];
    paths[field] = found?.path;
    if (found !== undefined) page[field] = found.value;
    else if (field !== "meta_description" || page[field] !== null) delete page[field];
  }
  const { cta, slug } = page;
  const context = { apiHost, slugs: [slug, sent?.["slug"]], ctaUrl: isObject(cta) ? cta["url"] : undefined };
  const { domains, path } = findDomains(nodes, context);
  page.domains = domains;
  delete page.id;
  if (id !== undefined) page.id = id;
  const fields = { ...paths, id: owner?.id?.path, domains: path };
  return { page, record: merged, layout: { record: record?.path, fields } };
}

/** Merges the fields of a record and of the objects around it, without the fields that contain the next object. */
function mergeRecord(nodes: readonly JsonNode[]): JsonObject {
  const merged: Record<string, unknown> = {};
  for (const { value, path, parent } of nodes.toReversed()) {
    const step = parent && path[parent.path.length];
    if (step !== undefined) delete merged[step];
    Object.assign(merged, value);
  }
  return merged;
}

/** Finds the object with the most fields of the page. An object with only one of them does not count if it may be something else. */
function findRecord(nodes: readonly JsonNode[], { sent }: InferRequest): JsonNode | undefined {
  let best: { readonly node: JsonNode; readonly rank: readonly number[] } | undefined;
  for (const node of nodes) {
    const shown = countShown(node, sent);
    const isPage = shown > 1 || (areNamed(node.path, "position", ...steps) && !isOther(node));
    const rank = [shown, node.count, node.id === undefined ? 0 : 1];
    if (shown > 0 && isPage && (best === undefined || compareRanks(rank, best.rank) > 0)) best = { node, rank };
  }
  return best?.node;
}

/** Compares by the first number that differs. */
export function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((each, at) => each !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

const unfinished = /^(?:false|pending|queued|enqueued|accepted|running|in[-_ ]?progress|processing|scheduled)$/i;

/** Whether the fields of an object show that it is not a page, or that it is a task that has not finished. */
function isOther({ fields }: JsonNode): boolean {
  for (const { key, value } of fields) {
    if (/^(?:type|kind|object|resourcetype|operation)$/.test(key) && isNamed(readText(value) ?? "", "foreign"))
      return true;
    if (/^(?:status|state|done)$/.test(key) && unfinished.test(String(value))) return true;
  }
  return false;
}

/**
 * Finds the object with the identifier of a record. It is the outermost object around the record that has fields of the page, too. If
 * there is none, it is the innermost. If two of them have different identifiers, none is certain.
 */
function findOwner(record: JsonNode, { sent }: InferRequest): JsonNode | undefined {
  const owners: JsonNode[] = [];
  const isPart = isNamed(record.name, "part");
  for (let node: JsonNode | undefined = record; node !== undefined; node = node.parent) {
    const isAround = node === record || ((isPart || isNamed(node.name, "part", "neutral")) && !isOther(node));
    const isVersion = node.path.some((step) => isNamed(step, "version"));
    if (node.id !== undefined && isAround && !isVersion) owners.push(node);
  }
  if (owners.length > 1 && owners[0] && isNamed(owners[0].name, "part")) owners.shift();
  const owner = owners.findLast((node) => node === record || countShown(node, sent) > 0) ?? owners[0];
  if (owner === undefined) return undefined;
  return owners.every(({ id }) => id?.value === owner.id?.value) ? owner : undefined;
}

/** Finds the object with the identifier in a response that shows nothing of the page. It must be the only one below neutral names. */
function findLoneOwner(nodes: readonly JsonNode[]): JsonNode | undefined {
  const [owner, ...others] = nodes.filter((node) => {
    const isNear = areNamed(node.path, "position", "neutral", "identity");
    // An object that shows fields, but repeats none that were sent, is another page.
    return isNear && node.id !== undefined && node.count < 2 && !isOther(node);
  });
  const isOnly = others.every(({ id }) => id?.value === owner?.id?.value);
  return isOnly && owner && areNamed(owner.path, "position", "neutral") ? owner : undefined;
}

/** Whether a body has the code of an error, so that an identifier in it may be that of the error. */
function hasErrorCode(body: unknown): boolean {
  return listOwnFields(body).some(({ key, value }) => {
    return /^(?:err|result|return)?code$/.test(key) && /^(?:e|err)?[-_]?[3-9]\d{2,}$/i.test(String(value));
  });
}

/** Reads an identifier that is the only value in a response. */
function readLoneValue({ status, body }: ParsedResponse): string | undefined {
  const [[name, value] = [], ...others] = isObject(body)
    ? Object.entries(body)
    : [["name", status === 201 ? body : ""]];
  const isAlone = others.length === 0 && /^(?:name|key)$/.test(String(name));
  return isAlone && /^(?!\d{4}-\d\d-)[\w-]*\d[\w-]*$/.test(String(value)) ? readId(value) : undefined;
}
