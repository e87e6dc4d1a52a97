// Finds the page in a response whose shape is not documented. Structure decides, and names break ties. What is not certain is left out:
// a missing identifier becomes an error that the caller sees, a wrong one would not. Pure: the result depends on the response and its request alone.
import { isObject, type JsonObject } from "../json.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { findOwnId, type IdSource, readDocumentedLink, readLocation } from "./identifier.ts";
import { type InferredPage, type Layout, makeLayout, readByLayout } from "./layout.ts";
import { isOuterStep, isPosition, isStep, names, readName, type TextField, textFields } from "./names.ts";
import { findField, hasField, type JsonNode, listNodes, makeNode, nameOf, pick, untag } from "./nodes.ts";
import { readCta, readCtaParts, readId, readText } from "./values.ts";

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

/** The object that has the identifier of a page. */
interface Owner extends IdSource {
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
  const layout = makeLayout(record ?? owner?.node, owner);
  const found = readByLayout(layout, body, request);
  if (id !== undefined) return withId(found, layout, id);
  if (hasErrorCode(body)) return withId(found, layout, undefined);
  const location = headers.get("Location");
  const context = { apiHost, slug: sent?.["slug"] };
  const located = status === 201 ? readLocation(location, context) : undefined;
  // A 202 describes the work and not the page, unless the object that repeats the page has an identifier itself.
  const isDone = status !== 202 || (record !== undefined && (owner?.node === record || nameOf(record).isPart));
  const own = owner?.id ?? (record === undefined ? readLoneValue(response) : undefined);
  return withId(found, layout, isDone ? (readDocumentedLink(location) ?? own ?? located) : undefined);
}

function withId({ page, record }: Omit<InferredPage, "layout">, layout: Layout, id: string | undefined): InferredPage {
  if (id === undefined) delete page["id"];
  else page["id"] = id;
  return { page, record, layout };
}

/** Finds the page in one element of a list; `undefined` where it has no certain identifier. The elements of a map stand under keys. */
export function inferElement(
  element: JsonObject,
  list: { readonly name: string; readonly key?: string | undefined },
  request: InferRequest,
): Layout | undefined {
  const [root, ...inner] = listNodes(element, [], undefined, list.name);
  if (root === undefined) return undefined;
  // An element is a page, or wraps one: under the name of a page, or under any name where it shows nothing itself.
  const isWrapper = countFields(root) === 0 && list.key === undefined && findOwnId(root, request.apiHost) === undefined;
  const inside = inner.filter(({ path }) =>
    path.slice(isWrapper ? 1 : 0).every((step) => isStep(step) && !isPosition(step)),
  );
  const record = findRecord([root, ...inside], {}) ?? root;
  const owner = findOwner(record, { apiHost: request.apiHost });
  const hasKey = list.key !== undefined && /\d/.test(list.key);
  return owner === undefined && !hasKey ? undefined : makeLayout(record, owner);
}

/** Documented fields that an object shows. */
export function countFields(node: JsonNode): number {
  const texts = textFields.filter((field) => findText(node, field) !== undefined);
  const hasCta = findField(node, names.cta, readCta) !== undefined || readCtaParts(node.value, "cta") !== undefined;
  return texts.length + (hasCta ? 1 : 0);
}

function findText(node: JsonNode, field: TextField): string | undefined {
  return findField(node, names[field], (value) => readText(value))?.value;
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
  let best: { readonly node: JsonNode; readonly rank: readonly number[] } | undefined;
  for (const node of nodes) {
    const shown = countShown(node, request);
    const isPage = shown > 1 || (node.path.every(isStep) && !isOther(node));
    if (shown === 0 || !isPage) continue;
    const rank = [shown, countFields(node), findOwnId(node, request.apiHost) === undefined ? 0 : 1];
    if (best === undefined || compareRanks(rank, best.rank) > 0) best = { node, rank };
  }
  return best?.node;
}

/** Compares by the first number that differs. */
export function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((each, at) => each !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

const kindNames = ["type", "kind", "object", "resourcetype", "operation"];
const unfinished = /^(?:pending|queued|enqueued|accepted|running|in[-_ ]?progress|processing|scheduled)$/i;

/** Whether an object says that it is something other than a page, or not done. */
function isOther(node: JsonNode): boolean {
  return hasField(node, kindNames, isForeignKind) || hasField(node, ["status", "state", "done"], isUnfinished);
}

function isForeignKind(value: unknown): boolean {
  return typeof value === "string" && readName(value).isForeign;
}

function isUnfinished(value: unknown): boolean {
  return value === false || unfinished.test(String(value));
}

/**
 * The object with the identifier of a record: the outermost around it that shows fields of the page too, else the innermost. An object
 * around a record must have the name of a page, and so must the record where both have identifiers.
 */
function findOwner(record: JsonNode, request: InferRequest): Owner | undefined {
  const owners: Owner[] = [];
  for (let node: JsonNode | undefined = record; node !== undefined; node = node.parent) {
    const isState = node.path.some((step) => readName(step).isVersion);
    const isAround = (nameOf(record).isPart || nameOf(node).isPart || nameOf(node).isNeutral) && !isOther(node);
    const source = !isState && (node === record || isAround) ? findOwnId(node, request.apiHost) : undefined;
    if (source !== undefined) owners.push({ ...source, node });
  }
  const [first, second] = owners;
  if (first !== undefined && second !== undefined && nameOf(first.node).isPart) owners.shift();
  const owner = owners.findLast(({ node }) => node === record || countShown(node, request) > 0) ?? owners[0];
  if (owner === undefined) return undefined;
  const others = owners.slice(owners.indexOf(owner) + 1).filter(({ id }) => id !== owner.id);
  return others.length === 0 || nameOf(owner.node).isNeutral ? owner : undefined;
}

/** The identifier in a response that shows nothing of the page: the only one below neutral names. */
function findLoneOwner(nodes: readonly JsonNode[], { apiHost }: InferRequest): Owner | undefined {
  const owners = nodes.flatMap((node): Owner[] => {
    const isNear = node.path.every((step) => isOuterStep(step) || readName(step).isIdentity);
    // An object that shows fields, and repeats nothing of what was sent, is another page.
    const source = isNear && countFields(node) < 2 && !isOther(node) ? findOwnId(node, apiHost) : undefined;
    return source === undefined ? [] : [{ ...source, node }];
  });
  const [owner] = owners;
  const isOnly = owner !== undefined && owners.every(({ id }) => id === owner.id);
  return isOnly && owner.node.path.every(isOuterStep) ? owner : undefined;
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
