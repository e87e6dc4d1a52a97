// Finds the page in a response whose shape is not documented. Structure decides, and names break ties. What is not certain is left out:
// a missing identifier becomes an error that the caller sees, a wrong one would not. Pure: the result depends on the response and its request alone.
import { isObject, type JsonObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { findDomains } from "./domains.ts";
import { findOwnId, type FoundId, readDocumentedLink, readLocation } from "./identifier.ts";
import { type NameMeaning, names, readName, type TextField, textFields } from "./names.ts";
import { findField, hasField, type JsonNode, listNodes, makeNode, type Path, pick, untag } from "./nodes.ts";
import { readCta, readCtaParts, readId, readText, readTime } from "./values.ts";

/** A response whose body was parsed. */
export interface ParsedResponse {
  readonly status: number;
  readonly headers: HeaderLookup;
  /** The JSON value of the body; its text when it is not JSON; `undefined` when there is none. */
  readonly body: unknown;
}

/** What is known of the request. */
export interface InferRequest {
  /** Host of the API, with its port: it is never a domain of a page. */
  readonly apiHost?: string | undefined;
  /** Body of the create or the update. */
  readonly sent?: JsonObject | undefined;
  /** Identifier in the path of the update. */
  readonly id?: string | undefined;
}

/** Where the facts of a page are. Each path starts at the top of the JSON value. */
export interface Layout {
  /** The object that shows most of the page; `undefined` where none shows anything. */
  readonly record: Path | undefined;
  readonly id: { readonly path: Path } | undefined;
  readonly fields: { readonly [Field in TextField | (typeof timeFields)[number]]?: Path };
  /** The call to action; the record itself where its parts are fields of the page, such as `cta_label`. */
  readonly cta: { readonly path: Path } | undefined;
  /** The field that names domains most surely. */
  readonly domains: readonly { readonly path: Path }[];
}

const timeFields = ["created_at", "updated_at"] as const;

/** A page as far as a response shows it: documented fields under their names and of their types, all others as they came. */
export interface FoundPage {
  [field: string]: unknown;
  id?: string;
  domains: PageDomain[];
}

/** A page, and where it was found. */
export interface InferredPage {
  readonly page: FoundPage;
  /** The fields of the page as they came. */
  readonly record: JsonObject;
  readonly layout: Layout;
}

/** The object that has the identifier of a page. */
interface Owner extends FoundId {
  readonly node: JsonNode;
}

/** Finds the page in the response to a create or an update. Its `id` is missing where it is not certain. */
export function inferPage(response: ParsedResponse, request: InferRequest = {}): InferredPage {
  const { status, headers, body } = response;
  const { apiHost, sent, id } = request;
  const nodes = listNodes(body);
  // An update may have sent nothing that can be repeated.
  const record = findRecord(nodes, request) ?? (id === undefined ? undefined : findRecord(nodes, {}));
  const owner = record ? findOwner(record, request) : id === undefined ? findLoneOwner(nodes, request) : undefined;
  const present = (certain: string | undefined) => presentPage(record ?? owner?.node, owner, certain, request);
  if (id !== undefined) return present(id);
  if (hasErrorCode(body)) return present(undefined);
  const location = headers.get("Location");
  const located = status === 201 ? readLocation(location, { apiHost, slug: sent?.["slug"] }) : undefined;
  // A 202 describes the work and not the page, unless the object that repeats the page has an identifier itself.
  const isDone = status !== 202 || (record !== undefined && (owner?.node === record || record.name.isPart));
  const own = owner?.id ?? (record === undefined ? readLoneValue(response) : undefined);
  return present(isDone ? (readDocumentedLink(location) ?? own ?? located) : undefined);
}

/** Finds the page in one element of a list; `undefined` if it has no certain identifier. The elements of a map have keys. */
export function inferElement(
  element: JsonObject,
  list: { readonly name: NameMeaning; readonly key?: string | undefined },
  { apiHost }: InferRequest,
): InferredPage | undefined {
  const [root, ...inner] = listNodes(element, [], undefined, list.name);
  if (root === undefined) return undefined;
  // An element is a page, or wraps one: under the name of a page, or under any name where it shows nothing itself.
  const isWrapper = countFields(root) === 0 && list.key === undefined && findOwnId(root, apiHost) === undefined;
  const inside = inner.filter(({ path }) =>
    path.slice(isWrapper ? 1 : 0).every((step) => readName(step).isStep && !readName(step).isPosition),
  );
  const record = findRecord([root, ...inside], {}) ?? root;
  const owner = findOwner(record, { apiHost });
  const id = owner?.id ?? (list.key !== undefined && /\d/.test(list.key) ? list.key : undefined);
  return id === undefined ? undefined : presentPage(record, owner, id, { apiHost });
}

/** Gathers the facts of a page from its record, and from what is around that up to the object with the identifier. */
function presentPage(
  record: JsonNode | undefined,
  owner: Owner | undefined,
  id: string | undefined,
  { apiHost, sent }: InferRequest,
): InferredPage {
  const nodes: JsonNode[] = [];
  const least = owner?.node.path.length ?? record?.path.length ?? 0;
  for (let node = record; node !== undefined && node.path.length >= least; node = node.parent) nodes.push(node);
  const merged = record === undefined ? {} : mergeRecord(nodes);
  const page: FoundPage = { ...merged, domains: [] };
  const paths: { [field: string]: Path } = {};
  const put = (field: string, wanted: readonly string[], read: (value: unknown) => unknown): void => {
    for (const { fields } of nodes) {
      const found = findField(fields, wanted, read);
      if (found === undefined) continue;
      page[field] = found.value;
      paths[field] = found.path;
      return;
    }
    if (!(field === "meta_description" && page[field] === null)) delete page[field];
  };
  for (const field of textFields) put(field, names[field], (value) => readText(value, sent?.[field]));
  for (const field of timeFields) put(field, names[field], readTime);
  put("cta", names.cta, readCta);
  const flat = page["cta"] === undefined ? nodes.find(({ fields }) => readCtaParts(fields, "cta")) : undefined;
  const cta = flat ? readCtaParts(flat.fields, "cta") : page["cta"];
  if (flat) page["cta"] = cta;
  const slugs = [page["slug"], sent?.["slug"]];
  const found = findDomains(nodes, { apiHost, slugs, ctaUrl: isObject(cta) ? cta["url"] : undefined });
  page.domains = found.domains;
  delete page.id;
  if (id !== undefined) page.id = id;
  const { cta: ctaPath = flat?.path, ...fields } = paths;
  const layout: Layout = {
    record: record?.path,
    id: owner,
    fields,
    cta: ctaPath && { path: ctaPath },
    domains: found.path === undefined ? [] : [{ path: found.path }],
  };
  return { page, record: merged, layout };
}

/** The fields of a record and of what is around it, each without the object that holds the next. */
function mergeRecord(nodes: readonly JsonNode[]): JsonObject {
  const merged: Record<string, unknown> = {};
  let outer: JsonNode | undefined;
  for (const node of nodes.toReversed()) {
    const step = outer && node.path[outer.path.length];
    if (step !== undefined) delete merged[step];
    Object.assign(merged, node.value);
    outer = node;
  }
  return merged;
}

/** Documented fields that an object shows. */
export function countFields({ fields }: JsonNode): number {
  const texts = textFields.filter((field) => findField(fields, names[field], (value) => readText(value)) !== undefined);
  const cta = findField(fields, names.cta, readCta) ?? readCtaParts(fields, "cta");
  return texts.length + (cta === undefined ? 0 : 1);
}

/** How much of the page an object shows: the texts that were sent, under whatever names, else the documented fields. */
function countShown(node: JsonNode, { sent }: InferRequest): number {
  if (sent === undefined) return countFields(node);
  // An object that shows several fields is a record of its own and no text.
  const values = Object.values(node.value).map(untag);
  const texts = values.filter((value) => !isObject(value) || countFields(makeNode(value, [])) < 2);
  const isEcho = (text: unknown) =>
    typeof text === "string" && texts.some((value) => value === text || readText(value, text) === text);
  return textFields.filter((field) => isEcho(sent[field])).length;
}

/** The object that shows most of the page. One that shows a single text must say in no way that it is something else. */
function findRecord(nodes: readonly JsonNode[], request: InferRequest): JsonNode | undefined {
  const ranked = nodes.flatMap((node) => {
    const shown = countShown(node, request);
    const isPage = shown > 1 || (node.path.every((step) => readName(step).isStep) && !isOther(node));
    if (shown === 0 || !isPage) return [];
    return [{ node, rank: [shown, countFields(node), findOwnId(node, request.apiHost) === undefined ? 0 : 1] }];
  });
  return ranked.toSorted((one, other) => compareRanks(other.rank, one.rank))[0]?.node;
}

/** Compares by the first number that differs. */
export function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((each, at) => each !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

const kindNames = ["type", "kind", "object", "resourcetype", "operation"];
const unfinished = /^(?:false|pending|queued|enqueued|accepted|running|in[-_ ]?progress|processing|scheduled)$/i;

/** Whether an object says that it is something other than a page, or not done. */
function isOther(node: JsonNode): boolean {
  return (
    hasField(node, kindNames, (value) => typeof value === "string" && readName(value).isForeign) ||
    hasField(node, ["status", "state", "done"], (value) => unfinished.test(String(value)))
  );
}

/**
 * The object with the identifier of a record: the outermost around it that shows fields of the page too, else the innermost. An object
 * around a record must have the name of a page, and so must the record where both have identifiers.
 */
function findOwner(record: JsonNode, request: InferRequest): Owner | undefined {
  const owners: Owner[] = [];
  for (let node: JsonNode | undefined = record; node !== undefined; node = node.parent) {
    const isState = node.path.some((step) => readName(step).isVersion);
    const isAround = (record.name.isPart || node.name.isPart || node.name.isNeutral) && !isOther(node);
    const found = !isState && (node === record || isAround) ? findOwnId(node, request.apiHost) : undefined;
    if (found !== undefined) owners.push({ ...found, node });
  }
  if (owners.length > 1 && owners[0]?.node.name.isPart === true) owners.shift();
  const owner = owners.findLast(({ node }) => node === record || countShown(node, request) > 0) ?? owners[0];
  if (owner === undefined) return undefined;
  const others = owners.slice(owners.indexOf(owner) + 1).filter(({ id }) => id !== owner.id);
  return others.length === 0 || owner.node.name.isNeutral ? owner : undefined;
}

/** The identifier in a response that shows nothing of the page: the only one below neutral names. */
function findLoneOwner(nodes: readonly JsonNode[], { apiHost }: InferRequest): Owner | undefined {
  const owners = nodes.flatMap((node): Owner[] => {
    const isNear = node.path.every((step) => readName(step).isOuter || readName(step).isIdentity);
    // An object that shows fields, and repeats nothing of what was sent, is another page.
    const found = isNear && countFields(node) < 2 && !isOther(node) ? findOwnId(node, apiHost) : undefined;
    return found === undefined ? [] : [{ ...found, node }];
  });
  const [owner] = owners;
  const isOnly = owner !== undefined && owners.every(({ id }) => id === owner.id);
  return isOnly && owner.node.path.every((step) => readName(step).isOuter) ? owner : undefined;
}

/** Whether a body has the code of an error, so that an identifier in it may be that of the error. */
function hasErrorCode(body: unknown): boolean {
  return isObject(body) && pick(body, ["code", "errcode", "resultcode", "returncode"], isErrorCode) === true;
}

function isErrorCode(value: unknown): true | undefined {
  return /^(?:e|err)?[-_]?[3-9]\d{2,}$/i.test(String(value)) || undefined;
}

/** An identifier that is all that a response holds. */
function readLoneValue({ status, body }: ParsedResponse): string | undefined {
  const [[name, value] = [], ...others] = isObject(body)
    ? Object.entries(body)
    : [["name", status === 201 ? body : ""]];
  const isAlone = others.length === 0 && /^(?:name|key)$/.test(String(name));
  return isAlone && /^(?!\d{4}-\d\d-)[\w-]*\d[\w-]*$/.test(String(value)) ? readId(value) : undefined;
}
