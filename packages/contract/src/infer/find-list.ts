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
  readName,
  select,
} from "./fields.ts";
import {
  countIn,
  countWithin,
  type InferredPage,
  isEnvelope,
  makeElementReader,
  type ParsedResponse,
} from "./find-page.ts";
import { type InferRequest, type JsonNode, listNodes, makeNode, nameAt, shownFields } from "./nodes.ts";

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
  /** The fewest and the most documented fields that one of its elements shows. */
  readonly least: number;
  readonly most: number;
  /** Whether it has the name of a list. */
  readonly isNamed: boolean;
  /** Whether it has the name of something else. */
  readonly isForeign: boolean;
}

/** Finds the pages in the response to a list that starts at `offset`. */
export function inferList(
  { status, headers, body }: ParsedResponse,
  request: InferRequest = {},
  offset = 0,
): InferredList | MissingList {
  if (status === 204 || status === 205) return { kind: "list", pages: [], path: [] };
  const { candidates, objects } = findCandidates(body, request);
  const list = candidates.find((each) => isOnlyList(each, candidates, objects));
  const empty = list ?? findEmptyList(candidates);
  if (list === undefined) {
    // A total that is not more than the offset says that no page follows.
    const proof = readTotal(objects, empty, headers)?.count;
    const doubt = findDoubt(body, { candidates, objects, empty, total: proof, offset });
    if (doubt !== undefined) return { kind: "none", found: describe(candidates, empty, doubt) };
  }
  const { pages = [], path = [] } = empty ?? {};
  const total = readTotal(objects, empty, headers, pages.length);
  // The documented parameters, if the response repeats them.
  const fields = objects.flatMap((node) => node.fields);
  const [limit, start] = ["limit", "offset"].map((name) => readFirst(select(fields, [name], readCount))?.value);
  return { kind: "list", pages, path, total, limit, offset: start };
}

function describe(candidates: readonly Candidate[], empty: Candidate | undefined, doubt: string): string {
  if (empty !== undefined) return `an empty list at ${toPointer(empty.path)}, which is not certain because ${doubt}`;
  const arrays = candidates.map(({ path, length, wrongAt }) => {
    const elements = `${length} element${length === 1 ? "" : "s"} at ${toPointer(path)}`;
    return wrongAt === undefined ? elements : `${elements}, of which element ${wrongAt} has no certain identifier`;
  });
  return arrays.join(" and ") || `no list, where ${doubt}`;
}

/** How many documented fields show that an object is a page, whatever its name is. */
const whole = 3;

/** Whether an array is the list, because its elements are pages, and nothing else in the response may be meant. */
function isOnlyList(list: Candidate, candidates: readonly Candidate[], objects: readonly JsonNode[]): boolean {
  if (!list.pages?.length || (list.isForeign && list.least < whole)) return false;
  const isRival = (other: Candidate) => {
    if (other === list) return false;
    const isShowing = other.most >= (other.isForeign ? whole : 1);
    const isInside = other.path.length > list.path.length;
    if (list.isNamed)
      return (isShowing && other.most > list.least) || (other.isNamed && !isInside && (isShowing || list.least === 0));
    // Under an unknown name, only the fields of a page show that the list is meant.
    const isUnread = !other.pages?.length && list.least < whole;
    return other.isNamed || isUnread || isShowing || other.most >= list.least;
  };
  const isPage = ({ count }: JsonNode) => !list.isNamed && count > 1 && count >= list.least;
  return !candidates.some(isRival) && !objects.some(isPage);
}

/** Finds the empty list that may be the list of pages. It has the name of a list if any array has one. */
function findEmptyList(candidates: readonly Candidate[]): Candidate | undefined {
  const named = candidates.filter((each) => each.isNamed);
  const empties = (named.length > 0 ? named : candidates).filter(({ length }) => length === 0);
  return empties.find((each) => !each.isForeign) ?? empties[0];
}

/** The parts of a response without pages. */
interface EmptyResponse {
  readonly candidates: readonly Candidate[];
  readonly objects: readonly JsonNode[];
  readonly empty: Candidate | undefined;
  readonly total: number | undefined;
  readonly offset: number;
}

/** Says why a response may not be an empty list; `undefined` if it certainly is one. */
function findDoubt(body: unknown, { candidates, objects, empty, total = Infinity, offset }: EmptyResponse) {
  const page = objects.find(({ count, id }) => count > 1 || (count > 0 && id !== undefined));
  const siblings = objects.filter(({ parent, count }) => parent !== undefined && parent === page?.parent && count > 1);
  if (siblings.length > 1) return `the pages at ${toPointer(page?.path.slice(0, -1) ?? [])} are keyed by identifier`;
  if (page !== undefined) return `the object at ${toPointer(page.path)} may be a page`;
  const isLeftOut = total <= offset && !candidates.some((each) => each.isNamed);
  if (empty === undefined && !isLeftOut) return "nothing is empty";
  const { path, likeness, length } = findLikest(body);
  const isProven = empty?.isNamed && total > 0 && total !== length ? "identified" : "shown";
  const most = total <= offset ? isProven : empty?.isNamed ? "object" : "none";
  if (likenesses.indexOf(likeness) <= likenesses.indexOf(most)) return undefined;
  return `the objects at ${toPointer(path)} ${likeness === "identified" ? "have identifiers" : "may be pages"}`;
}

/** How much a value looks like a list of pages: whether it has objects that are no links, fields of a page, identifiers, or is a map of these. */
const likenesses = ["none", "object", "shown", "identified", "map"] as const;

type Likeness = (typeof likenesses)[number];

/** A value, and how much it looks like a list of pages. */
interface Likest {
  readonly path: Path;
  readonly likeness: Likeness;
  readonly length: number;
}

/** Finds the value that looks most like a list of pages, anywhere in a body. */
function findLikest(given: unknown, path: Path = []): Likest {
  const value = decode(given);
  if (!isTree(value)) return { path, likeness: "none", length: 0 };
  const elements: readonly unknown[] = Object.values(value);
  const found = Object.entries(value).map(([step, inner]) => findLikest(inner, [...path, step]));
  // A list inside the element of an array is not the list of pages.
  const isList = isNamed(nameAt(path), "list") && !path.some((step) => isNamed(step, "position"));
  // At the top, an array of one element may wrap the whole body.
  const isArray = Array.isArray(value) && (path.length > 0 || elements.length !== 1);
  const isMap = isList && isObject(value) && elements.every((each) => isObject(decode(each)));
  const seen = isArray || isMap ? elements.map((element) => measureLikeness(element, isList && isArray)) : [];
  const most = likenesses.findLast((likeness) => seen.includes(likeness)) ?? "none";
  const isKnown = most === "shown" || most === "identified";
  found.push({ path, likeness: isMap ? (isKnown ? "map" : "none") : most, length: elements.length });
  const best = likenesses.findLast((likeness) => found.some((each) => each.likeness === likeness));
  return found.find(({ likeness }) => likeness === best) ?? { path, likeness: "none", length: 0 };
}

function measureLikeness(element: unknown, isList: boolean): Likeness {
  const nodes = listNodes(element, {}, () => true);
  if (nodes.some(({ value }) => Object.keys(value).some((name) => isIdName(name) && value[name] !== null)))
    return "identified";
  if (nodes.every(({ value }) => isLink(value))) return "none";
  return isList || nodes.some(({ count }) => count > 0) ? "shown" : "object";
}

const isIdName = (name: string): boolean => /(?:id|pk|identifier)$/.test(readName(name).key);

/** Whether a response has objects that may be pages in an array. If it has, it is not an empty list. */
export function holdsObjects(body: unknown): boolean {
  return likenesses.indexOf(findLikest(body).likeness) > likenesses.indexOf("object");
}

/** Whether an object is a link, such as `{ rel, href }`. */
function isLink(value: JsonObject): boolean {
  const isFlat = Object.values(value).every((inner) => !isTree(inner) || (Array.isArray(inner) && !inner.some(isTree)));
  return !("id" in value) && isFlat && ("href" in value || "rel" in value);
}

const deepestList = 7;

/** Finds every candidate for the list, and every object outside of them. */
function findCandidates(body: unknown, request: InferRequest) {
  const candidates: Candidate[] = [];
  const objects: JsonNode[] = [];
  const visit = (given: unknown, path: Path, parent?: JsonNode): void => {
    const value = decode(given);
    const name = nameAt(path);
    const elements = listElements(value, name);
    const candidate = elements && readCandidate(elements, path, request);
    if (elements?.length === 1 && !candidate?.pages && isEnvelope(elements[0], request)) {
      visit(elements[0], [...path, "0"], parent);
      return;
    }
    // An array of strings is no list of pages, unless its name says so.
    const hasObjects = elements?.some((each) => isTree(decode(each)));
    if (candidate && (hasObjects || candidate.isNamed || candidate.length === 0)) candidates.push(candidate);
    if (!isObject(value) || path.length > deepestList) return;
    const node = makeNode(value, path, request, parent);
    objects.push(node);
    // A list inside a page is not the list of pages.
    const isPage = node.count > 1 && node.idFields.length > 0;
    for (const [step, field] of isPage ? [] : Object.entries(value)) visit(field, [...path, step], node);
  };
  visit(body, []);
  return { candidates, objects };
}

/** The elements of an array. A missing value under the name of a list is an empty list. */
function listElements(value: unknown, name: string): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const isMissing = value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
  return isMissing && isNamed(name, "list") ? [] : undefined;
}

/** Reads elements as pages. */
function readCandidate(elements: readonly unknown[], path: Path, request: InferRequest): Candidate {
  const name = nameAt(path);
  const { pages, wrongAt } = readElements(elements.map(decode), name, request);
  const counts = pages?.map((page) => countIn(page, shownFields)) ?? elements.map(countWithin);
  const least = Math.min(...counts);
  const most = Math.max(0, ...counts);
  return {
    path,
    length: elements.length,
    pages,
    wrongAt,
    least,
    most,
    isNamed: isNamed(name, "list"),
    isForeign: isNamed(name, "foreign"),
  };
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

/** Reads the total number of pages from the fields around the list. A `count` that is the `length` of the list is not the total. */
function readTotal(
  objects: readonly JsonNode[],
  list: Candidate | undefined,
  headers: HeaderLookup,
  length?: number,
): InferredList["total"] {
  const around = objects.filter(({ path }) => {
    const differs = list === undefined ? -1 : path.findIndex((step, index) => step !== list.path[index]);
    return differs < 0 || areNamed(path.slice(differs), "paging");
  });
  const fields = around.toReversed().flatMap((node) => node.fields);
  const isTotal = ({ key, value }: NamedField) => key !== "count" || readCount(value) !== length;
  const found = readFirst(select(fields.filter(isTotal), names.total, readCount));
  if (found !== undefined) return { count: found.value, path: found.path };
  for (const path of ["X-Total-Count", "X-Total", "Total", "X-WP-Total", "Content-Range"]) {
    const count = readCount(headers.get(path)?.split("/").at(-1));
    if (count !== undefined) return { count, path };
  }
  return undefined;
}
