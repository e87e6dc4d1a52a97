// Finds the list of pages in a response whose shape is not documented, under any name. An array of objects never counts as paging
// information, because a list that is wrongly read as empty would be lost without an error.
import { isObject } from "../json.ts";
import { toPointer } from "../problem.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { decode, findField, listOwnFields, type Path } from "./fields.ts";
import { compareRanks, inferElement, type InferredPage, type ParsedResponse } from "./find-page.ts";
import { findOwnId } from "./identifier.ts";
import { areNamed, isNamed, names, textFields } from "./names.ts";
import { type InferRequest, type JsonNode, makeNode, nameAt } from "./nodes.ts";
import { readCount } from "./values.ts";

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

/** An array that may be the list, or an object that may be a map of pages. */
interface Candidate {
  readonly path: Path;
  readonly length: number;
  /** Absent if one of its elements is not a page. */
  readonly pages?: readonly InferredPage[] | undefined;
  /** Position or key of the first element that is not a page. */
  readonly wrongAt?: string | undefined;
  /** Whether its elements show documented fields. */
  readonly isShowing: boolean;
  readonly isForeign: boolean;
  /** Whether it has the name of a list. */
  readonly isNamed: boolean;
  readonly isArray: boolean;
}

/** Finds the pages in the response to a list. */
export function inferList(
  { status, headers, body }: ParsedResponse,
  request: InferRequest = {},
): InferredList | MissingList {
  if (status === 204 || status === 205) return { kind: "list", pages: [], path: [] };
  const { candidates, objects } = findCandidates(body, request);
  const list = candidates.find(hasPages);
  const total = readTotal(objects, list ?? candidates.find(({ length }) => length === 0), headers);
  const doubt = list ? findDoubt(list, candidates) : findReason(body, candidates, objects, total?.count);
  if (doubt !== undefined) return { kind: "none", found: doubt };
  const { pages = [], path = [] } = list ?? candidates[0] ?? {};
  // The documented parameters, if the response repeats them.
  const fields = objects.flatMap((node) => node.fields);
  const [limit, offset] = ["limit", "offset"].map((name) => findField(fields, [name], readCount)?.value);
  return { kind: "list", pages, path, total, limit, offset };
}

function hasPages({ pages = [] }: Candidate): boolean {
  return pages.length > 0;
}

/**
 * Ranks a candidate by four criteria, the most important first: its elements have fields of a page; its name is not that of something
 * else; its name is that of a list; it is an array. A higher number is likelier.
 */
function rankOf(candidate: Candidate): number[] {
  return [candidate.isShowing, !candidate.isForeign, candidate.isNamed, candidate.isArray].map(Number);
}

/** Finds a reason why the likeliest list is not certain; `undefined` if there is none. */
function findDoubt(list: Candidate, candidates: readonly Candidate[]): string | undefined {
  const idsOf = ({ pages = [] }: Candidate) => pages.map(({ page }) => page.id).join("\n");
  const others = candidates.filter((other) => other !== list);
  const rival = others.filter(hasPages).find((other) => {
    const isBehind = list.isNamed && (other.path.length > list.path.length || idsOf(other) === idsOf(list));
    return compareRanks(rankOf(other), rankOf(list)) === 0 && !isBehind;
  });
  if (rival !== undefined) return `two lists that may be meant, ${toPointer(list.path)} and ${toPointer(rival.path)}`;
  const empty = others.find(({ length, isNamed: isList }) => length === 0 && isList);
  if (empty !== undefined && !(list.isNamed && list.isShowing))
    return `an empty list at ${toPointer(empty.path)} and ${describe(list, "element")}`;
  const isOnly = list.isArray && !others.some(({ isArray, length }) => isArray && length > 0);
  if (list.isShowing || (!list.isForeign && (list.isNamed || isOnly))) return undefined;
  return `${describe(list, "element")} without a field of a page`;
}

/** Finds the reason why a response without pages is not an empty list; `undefined` when it is one. */
function findReason(
  body: unknown,
  candidates: readonly Candidate[],
  objects: readonly JsonNode[],
  total: number | undefined,
): string | undefined {
  const held = findObjects(body);
  if (held !== undefined) {
    const wrongAt = candidates.find(({ path }) => toPointer(path) === toPointer(held.path))?.wrongAt;
    const why =
      wrongAt === undefined ? "their identifiers are not certain" : `element ${wrongAt} has no certain identifier`;
    return `${describe(held, "object")}, but ${why}`;
  }
  const record = objects.find(({ count, id }) => count > 0 && id !== undefined);
  if (record !== undefined) return `a single page at ${toPointer(record.path)}`;
  const named = candidates.filter((candidate) => candidate.isNamed);
  const lists = named.length > 0 ? named : candidates;
  const full = lists.find(({ length }) => length > 0);
  if (full !== undefined) return describe(full, "element");
  return lists.length > 0 || total === 0 ? undefined : "no list";
}

function describe({ path, length }: Pick<Candidate, "path" | "length">, noun: string): string {
  return `${length} ${noun}${length === 1 ? "" : "s"} at ${toPointer(path)}`;
}

/** Whether a body has an array of objects anywhere. If it has, it is not an empty list. */
export function holdsObjects(body: unknown): boolean {
  return findObjects(body) !== undefined;
}

/** Finds an array of objects at any place in a body. Links, such as `{ rel, href }`, do not count. */
function findObjects(given: unknown, path: Path = []): Pick<Candidate, "path" | "length"> | undefined {
  const value = decode(given);
  if (typeof value !== "object" || value === null || path.length > deepest) return undefined;
  // An array of one element may wrap the whole body.
  const isAround = path.length === 0 && Array.isArray(value) && value.length === 1;
  if (Array.isArray(value) && !isAround && value.some((each) => isObject(decode(each)) && !isLink(each)))
    return { path, length: value.length };
  for (const [step, inner] of Object.entries(value)) {
    const found = findObjects(inner, [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isLink(value: unknown): boolean {
  if (!isObject(value) || "id" in value) return false;
  const isFlat = Object.values(value).every((inner) => typeof inner !== "object" || inner === null);
  return isFlat && ("href" in value || "rel" in value);
}

const deepest = 12;
const deepestList = 7;

/** Finds every candidate for the list, the likeliest first, and every object outside of them. */
function findCandidates(body: unknown, request: InferRequest) {
  const candidates: Candidate[] = [];
  const objects: JsonNode[] = [];
  const visit = (given: unknown, path: Path, parent?: JsonNode): void => {
    const value = decode(given);
    const candidate = readCandidate(value, path, request);
    const isEnvelope = Array.isArray(value) && value.length === 1 && candidate?.pages === undefined;
    if (candidate !== undefined && !isEnvelope) candidates.push(candidate);
    const inner = isEnvelope ? decode(value[0]) : value;
    if (!isObject(inner) || path.length > deepestList || isForeignName(nameAt(path))) return;
    const node = makeNode(inner, path, request, parent);
    objects.push(node);
    // A list inside a page is not the list of pages.
    if (node.count > 1 && node.id !== undefined) return;
    for (const [step, field] of Object.entries(inner)) visit(field, [...path, step], node);
  };
  visit(body, []);
  const rank = (candidate: Candidate) => [...rankOf(candidate), -candidate.path.length];
  return { candidates: candidates.toSorted((one, other) => compareRanks(rank(other), rank(one))), objects };
}

/** Whether a name belongs to something other than a page and its owner. */
function isForeignName(name: string): boolean {
  return isNamed(name, "foreign") && !isNamed(name, "listOwner");
}

function readCandidate(value: unknown, path: Path, request: InferRequest): Candidate | undefined {
  const name = nameAt(path);
  const isList = isNamed(name, "list");
  const isArray = Array.isArray(value);
  const elements = listElements(value, isList);
  if (elements === undefined) return undefined;
  const { pages, wrongAt } = readElements(elements, name, request);
  // An object is a candidate only if it is a map of pages.
  if (!isArray && pages === undefined) return undefined;
  const { length } = elements;
  const least = isForeignName(name) ? 3 : 1;
  const isShowing = length > 0 && pages?.every((page) => countIn(page, contentFields) >= least) === true;
  const isForeign = isNamed(name, "foreign") && !isShowing;
  const hasName = isList || (length === 0 && isNamed(name, "neutral"));
  return { path, length, pages, wrongAt, isShowing, isForeign, isNamed: hasName, isArray };
}

const contentFields = [...textFields, "cta"] as const;

function countIn({ layout: { fields } }: InferredPage, wanted: readonly (keyof typeof fields)[]): number {
  return wanted.filter((field) => fields[field] !== undefined).length;
}

type Element = readonly [key: string | undefined, value: unknown];

/** Lists the elements of a value that may be a list; those of a map have keys. A missing value under the name of a list is an empty list. */
function listElements(value: unknown, hasListName: boolean): Element[] | undefined {
  if (Array.isArray(value)) return value.map((element: unknown) => [undefined, decode(element)]);
  if (typeof value !== "object") return undefined;
  const entries = Object.entries(value ?? {}).map(([key, inner]): Element => [key, decode(inner)]);
  if (entries.length === 0) return hasListName ? [] : undefined;
  // A known name is not a key of a map, and neither is an index of an array that PHP wrote as an object.
  const isMap = entries.every(([key = "", inner], index) => {
    return isObject(inner) && key !== String(index) && !isNamed(key, "neutral", "foreign", "list");
  });
  return isMap ? entries : undefined;
}

/** Reads every element as a page, until one is not a page. */
function readElements(
  elements: readonly Element[],
  name: string,
  request: InferRequest,
): Pick<Candidate, "pages" | "wrongAt"> {
  const pages: InferredPage[] = [];
  for (const [index, [key, element]] of elements.entries()) {
    const page = isObject(element) ? inferElement(element, { name, key }, request) : undefined;
    if (page === undefined || isGroup(element, page)) return { wrongAt: key ?? String(index) };
    pages.push(page);
  }
  // A value that elements share is not an identifier.
  return new Set(pages.map(({ page }) => page.id)).size === pages.length ? { pages } : {};
}

/** Whether an element is a group of pages: it contains a list itself and shows hardly any field of a page. */
function isGroup(element: unknown, page: InferredPage): boolean {
  const { record } = page.layout;
  return record?.length === 0 && countIn(page, [...textFields, "created_at", "updated_at"]) < 2 && holdsList(element);
}

/** Whether an object contains a list, directly or one object further in. The list is empty or has objects with identifiers. */
function holdsList(element: unknown, depth = 0): boolean {
  if (!isObject(element)) return false;
  return Object.entries(element).some(([name, value]) => {
    if (!Array.isArray(value)) return depth < 1 && holdsList(value, depth + 1);
    return isNamed(name, "list") && value.every((each) => findOwnId(listOwnFields(each), "data", undefined));
  });
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
  for (const name of names.total)
    for (const { fields } of around.toReversed()) {
      const found = findField(fields, [name], readCount);
      if (found !== undefined && !(name === "count" && found.value === list?.length))
        return { count: found.value, path: found.path };
    }
  for (const name of ["X-Total-Count", "X-Total", "Total", "X-WP-Total", "Content-Range"]) {
    const count = readCount(headers.get(name)?.split("/").at(-1));
    if (count !== undefined) return { count, path: name };
  }
  return undefined;
}
