// Finds the list of pages in a response whose shape is not documented, under any name. An array of objects never counts as paging
// information, because a list that is wrongly read as empty would be lost without an error.
import { isObject, type JsonObject } from "../json.ts";
import { toPointer } from "../problem.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import {
  areNamed,
  decode,
  isNamed,
  type NamedField,
  names,
  type Path,
  readCount,
  readFirst,
  select,
} from "./fields.ts";
import {
  compareRanks,
  countIn,
  holdsList,
  type InferredPage,
  makeElementReader,
  type ParsedResponse,
} from "./find-page.ts";
import { type InferRequest, type JsonNode, makeNode, nameAt, shownFields } from "./nodes.ts";

/** The pages in the response to a list. */
export interface InferredList {
  readonly kind: "list";
  readonly pages: readonly InferredPage[];
  /** Path of the list; empty if the response does not show one. */
  readonly path: Path;
  /** The total number of pages, and where it was found: a path, or the name of a header. */
  readonly total?: { readonly count: number; readonly path: Path | string } | undefined;
  /** The `limit` and the `offset` of the response. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A response without a certain list, with a description of what it contains. */
export interface MissingList {
  readonly kind: "none";
  readonly found: string;
}

/** An array that may be the list. */
interface Candidate {
  readonly path: Path;
  readonly length: number;
  /** Absent if one of its elements is not a page. */
  readonly pages?: readonly InferredPage[] | undefined;
  /** Index of the first element that is not a page. */
  readonly wrongAt?: number | undefined;
  /** Whether it may have pages that are not read: it is empty, or has objects that are not pages. */
  readonly isUnread: boolean;
  /** The most documented fields that one of its elements shows. */
  readonly shown: number;
  /** Whether each of its elements shows documented fields. */
  readonly isShowing: boolean;
  readonly isForeign: boolean;
  /** Whether it has the name of a list. */
  readonly isNamed: boolean;
}

/** Finds the pages in the response to a list. */
export function inferList(
  { status, headers, body }: ParsedResponse,
  request: InferRequest = {},
): InferredList | MissingList {
  if (status === 204 || status === 205) return { kind: "list", pages: [], path: [] };
  const { candidates, objects } = findCandidates(body, request);
  const list = candidates.find(({ pages = [] }) => pages.length > 0);
  const total = readTotal(objects, list ?? candidates.find(({ length }) => length === 0), headers);
  const isHidden = list === undefined && (holdsObjects(body) || objects.some((node) => isMap(node, candidates)));
  const isCertain = list
    ? isOnlyList(list, candidates, objects)
    : !isHidden && isEmptyList(candidates, objects, total?.count);
  if (!isCertain) return { kind: "none", found: describe(candidates, isHidden) };
  const { pages = [], path = [] } = list ?? candidates[0] ?? {};
  // The documented parameters, if the response repeats them.
  const fields = objects.flatMap((node) => node.fields);
  const [limit, offset] = ["limit", "offset"].map((name) => readFirst(select(fields, [name], readCount))?.value);
  return { kind: "list", pages, path, total, limit, offset };
}

function describe(candidates: readonly Candidate[], isHidden: boolean): string {
  const arrays = candidates.map(({ path, length, wrongAt }) => {
    const elements = `${length} element${length === 1 ? "" : "s"} at ${toPointer(path)}`;
    return wrongAt === undefined ? elements : `${elements}, of which element ${wrongAt} has no certain identifier`;
  });
  if (isHidden && candidates.every(({ length }) => length === 0)) arrays.push("objects that may be pages");
  return arrays.join(" and ") || "no list";
}

/**
 * Whether the likeliest list is certain, because nothing else may be meant and its elements are pages. An array whose elements cannot be
 * read may be meant like any other. Under an unknown name, only the fields of a page show that the list is meant.
 */
function isOnlyList(list: Candidate, candidates: readonly Candidate[], objects: readonly JsonNode[]): boolean {
  // Elements that show three documented fields are pages, whatever stands beside them under other unknown names.
  const isPlain = list.isShowing && list.shown > 2;
  const isRival = (other: Candidate) => {
    if (other === list) return false;
    if (!list.isNamed && (other.isNamed || (other.isUnread && !isPlain))) return true;
    if (other.length === 0) return other.isNamed && !list.isShowing;
    if (list.isNamed ? other.isShowing && other.shown > list.shown : other.shown >= list.shown) return true;
    const isBehind = list.isNamed && other.path.length > list.path.length;
    return compareRanks(rankOf(other), rankOf(list)) >= 0 && !isBehind;
  };
  const isPage = ({ count }: JsonNode) => !list.isNamed && count > 1 && count >= list.shown;
  return (list.isShowing || !list.isForeign) && !candidates.some(isRival) && !objects.some(isPage);
}

/** Whether a response without pages shows an empty list, and not a single page. */
function isEmptyList(
  candidates: readonly Candidate[],
  objects: readonly JsonNode[],
  total: number | undefined,
): boolean {
  if (objects.some(({ count, id }) => count > 1 || (count > 0 && id !== undefined))) return false;
  const named = candidates.filter((candidate) => candidate.isNamed);
  const lists = named.length > 0 ? named : candidates;
  return lists.every(({ length }) => length === 0) && (lists.length > 0 || total === 0);
}

/** Whether an object has the name of a list, and instead of a list inside it objects that may be pages by their identifiers. */
function isMap({ name, value, path }: JsonNode, candidates: readonly Candidate[]): boolean {
  const inner = Object.values(value);
  if (!isNamed(name, "list") || inner.length === 0 || !inner.every((each) => isObject(decode(each)))) return false;
  return !candidates.some((list) => path.every((step, index) => list.path[index] === step));
}

/** Whether a body has an array of objects anywhere. If it has, it is not an empty list. Links, such as `{ rel, href }`, do not count. */
export function holdsObjects(body: unknown, isTop = true): boolean {
  const value = decode(body);
  if (typeof value !== "object" || value === null) return false;
  // At the top, an array of one element may wrap the whole body.
  const isList = Array.isArray(value) && !(isTop && value.length === 1);
  if (isList && value.some((each) => isObject(decode(each)) && !isLink(each))) return true;
  return Object.values(value).some((inner) => holdsObjects(inner, false));
}

function isLink(value: unknown): boolean {
  if (!isObject(value) || "id" in value) return false;
  const isFlat = Object.values(value).every((inner) => typeof inner !== "object" || inner === null);
  return isFlat && ("href" in value || "rel" in value);
}

const deepestList = 7;

/** Finds every candidate for the list, the likeliest first, and every object outside of them. */
function findCandidates(body: unknown, request: InferRequest) {
  const candidates: Candidate[] = [];
  const objects: JsonNode[] = [];
  const visit = (given: unknown, path: Path, parent?: JsonNode): void => {
    const value = decode(given);
    const candidate = readCandidate(value, path, request);
    const isEnvelope = Array.isArray(value) && value.length === 1 && !candidate?.pages && isAround(value[0]);
    if (candidate !== undefined && !isEnvelope) candidates.push(candidate);
    const before = candidates.length;
    const inner = isEnvelope ? decode(value[0]) : value;
    if (isObject(inner) && path.length <= deepestList && !isForeignName(nameAt(path))) {
      const place = isEnvelope ? [...path, "0"] : path;
      const node = makeNode(inner, place, request, parent);
      objects.push(node);
      // A list inside a page is not the list of pages.
      const isPage = node.count > 1 && node.idFields.length > 0;
      for (const [step, field] of isPage ? [] : Object.entries(inner)) visit(field, [...place, step], node);
    }
    const hasList = candidates.slice(before).some(({ isNamed: isList, pages = [] }) => isList || pages.length > 0);
    if (candidate !== undefined && isEnvelope && !hasList) candidates.push(candidate);
  };
  visit(body, []);
  const rank = (candidate: Candidate) => [...rankOf(candidate), -candidate.path.length];
  return { candidates: candidates.toSorted((one, other) => compareRanks(rank(other), rank(one))), objects };
}

/** Whether the only element of an array is an object around the list, and not a page whose identifier cannot be read. */
function isAround(element: unknown): boolean {
  const value = decode(element);
  if (!isObject(value) || !holdsList(value) || countWithin(value) > 1) return false;
  const { id, idFields } = makeNode(value, [], {});
  return Boolean(id?.value) || idFields.length === 0;
}

/** Counts the documented fields that an object shows, or those of an object inside it if it shows more. */
function countWithin(given: unknown): number {
  const value = decode(given);
  if (!isObject(value)) return 0;
  return Math.max(makeNode(value, [], {}).count, ...Object.values(value).map(countWithin));
}

/**
 * Ranks a candidate by three criteria, the most important first: its elements have fields of a page; its name is not that of something
 * else; its name is that of a list. A higher number is likelier.
 */
function rankOf(candidate: Pick<Candidate, "isShowing" | "isForeign" | "isNamed">): number[] {
  return [candidate.isShowing, !candidate.isForeign, candidate.isNamed].map(Number);
}

/** Whether a name belongs to something other than a page and its owner. */
function isForeignName(name: string): boolean {
  return isNamed(name, "foreign") && !isNamed(name, "listOwner");
}

/** Reads an array as a list of pages. A missing value under the name of a list is an empty list. */
function readCandidate(value: unknown, path: Path, request: InferRequest): Candidate | undefined {
  const name = nameAt(path);
  const isList = isNamed(name, "list");
  const isMissing = isList && (value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0));
  const elements = isMissing ? [] : value;
  if (!Array.isArray(elements)) return undefined;
  const { length } = elements;
  const { pages, wrongAt } = readElements(elements.map(decode), name, request);
  const least = isForeignName(name) ? 3 : 1;
  const isUnread =
    length === 0 || (pages === undefined && elements.some((each) => isObject(decode(each)) && !isLink(each)));
  const counts = pages?.map((page) => countIn(page, shownFields)) ?? elements.map(countWithin);
  const shown = Math.max(0, ...counts);
  const isShowing = (pages ? Math.min(shown, ...counts) : shown) >= least;
  const isForeign = isNamed(name, "foreign") && !isShowing;
  const hasName = isList || (length === 0 && isNamed(name, "neutral"));
  return { path, length, pages, wrongAt, isUnread, shown, isShowing, isForeign, isNamed: hasName };
}

/**
 * Reads every element as a page. Elements are alike, so those of the shape of the first are read by its layout. All have the identifier in
 * one field, because another field may have the identifier of something else.
 */
function readElements(
  elements: readonly unknown[],
  name: string,
  request: InferRequest,
): Pick<Candidate, "pages" | "wrongAt"> {
  const readAlike = makeElementReader(elements[0], name, request);
  const pages: InferredPage[] = [];
  const ids = new Set<string>();
  let idField: string | undefined;
  for (const [wrongAt, element] of elements.entries()) {
    const alike = hasShape(element, elements[0]) ? readAlike?.(element) : undefined;
    const page = alike ?? makeElementReader(element, name, request)?.(element);
    const field = page?.layout.fields.id?.join("/");
    idField ??= field;
    if (page?.page.id === undefined || field !== idField) return { wrongAt };
    ids.add(page.page.id);
    pages.push(page);
  }
  // A value that elements share is not an identifier.
  return ids.size === pages.length ? { pages } : {};
}

/** Whether a JSON value has the same fields as another, and in them values of the same types. */
function hasShape(value: unknown, model: unknown): boolean {
  if (!isTree(value) || !isTree(model)) return typeof value === typeof model && isTree(value) === isTree(model);
  const steps = Object.keys(model);
  if (steps.length !== Object.keys(value).length) return false;
  for (const step of steps) if (!hasShape(value[step], model[step])) return false;
  return true;
}

function isTree(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null;
}

/** Reads the total number of pages from the fields around the list. A `count` may be the length of the list. */
function readTotal(
  objects: readonly JsonNode[],
  list: Candidate | undefined,
  headers: HeaderLookup,
): InferredList["total"] {
  const around = objects.filter(({ path }) => {
    const differs = list === undefined ? -1 : path.findIndex((step, index) => step !== list.path[index]);
    return differs < 0 || areNamed(path.slice(differs), "paging");
  });
  const fields = around.toReversed().flatMap((node) => node.fields);
  const isTotal = ({ key, value }: NamedField) => key !== "count" || readCount(value) !== list?.length;
  const found = readFirst(select(fields.filter(isTotal), names.total, readCount));
  if (found !== undefined) return { count: found.value, path: found.path };
  for (const path of ["X-Total-Count", "X-Total", "Total", "X-WP-Total", "Content-Range"]) {
    const count = readCount(headers.get(path)?.split("/").at(-1));
    if (count !== undefined) return { count, path };
  }
  return undefined;
}
