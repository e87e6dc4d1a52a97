// Finds the list of pages in a response whose shape is not documented, whatever it is called. An array of objects is never paging
// information: a list that is read as empty although it is not would be lost without a word.
import { isObject, type JsonObject } from "../json.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import {
  compareRanks,
  countFields,
  inferElement,
  type InferredPage,
  type InferRequest,
  type ParsedResponse,
} from "./find-page.ts";
import { findOwnId } from "./identifier.ts";
import { type NameMeaning, names, readName, textFields } from "./names.ts";
import { decode, findField, type JsonNode, makeNode, nameAt, type Path } from "./nodes.ts";
import { readCount } from "./values.ts";

/** The pages in the response to a list. */
export interface InferredList {
  readonly kind: "list";
  readonly pages: readonly InferredPage[];
  /** Where the list is; the top of the body where nothing else says. */
  readonly path: Path;
  /** The total number of pages, and where it was found: a path, or the name of a header. */
  readonly total?: { readonly count: number; readonly path: Path | string } | undefined;
  /** The `limit` and the `offset` of the response. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Says that a response has no certain list, and what it has instead. */
export interface MissingList {
  readonly kind: "none";
  readonly found: string;
}

/** An array, or an object that may be a map, which may be the list. */
interface Candidate {
  readonly path: Path;
  readonly isArray: boolean;
  /** Whether it has the name of a list. */
  readonly isNamed: boolean;
  readonly isForeign: boolean;
  readonly length: number;
  /** Absent where one of its elements is no page. */
  readonly pages: readonly InferredPage[] | undefined;
  /** Position or key of the first element that is no page. */
  readonly wrongAt?: string | undefined;
  /** Whether its elements show documented fields. */
  readonly isShowing: boolean;
  /** Whether a count beside it is as large as it is. */
  readonly isCounted: boolean;
}

/** Finds the pages in the response to a list. */
export function inferList(
  { status, headers, body }: ParsedResponse,
  request: InferRequest = {},
): InferredList | MissingList {
  if (status === 204 || status === 205) return { kind: "list", pages: [], path: [] };
  const { candidates, objects } = findCandidates(body, request);
  const [list, ...others] = candidates.filter(({ length, pages }) => length > 0 && pages !== undefined);
  const total = readTotal(objects, list ?? candidates.find(({ length }) => length === 0), headers);
  const doubt = list ? findDoubt(list, others, candidates) : findReason(body, candidates, objects, total?.count);
  if (doubt !== undefined) return { kind: "none", found: doubt };
  // The documented parameters, where the response repeats them.
  const read = (name: string) => objects.flatMap(({ fields }) => findField(fields, [name], readCount)?.value ?? [])[0];
  const { pages = [], path = [] } = list ?? candidates[0] ?? {};
  return { kind: "list", pages, path, total, limit: read("limit"), offset: read("offset") };
}

/** The likeliest first: one that shows fields, has no foreign name, has the name of a list, is an array, and is further out. */
function rankOf({ isShowing, isForeign, isNamed, isArray, path }: Candidate): number[] {
  return [...kindOf({ isShowing, isForeign, isNamed, isArray }), -path.length];
}

function kindOf({
  isShowing,
  isForeign,
  isNamed,
  isArray,
}: Pick<Candidate, "isShowing" | "isForeign" | "isNamed" | "isArray">): number[] {
  return [isShowing, !isForeign, isNamed, isArray].map(Number);
}

/** Why the likeliest list cannot be the list, if there is a reason. */
function findDoubt(
  list: Candidate,
  others: readonly Candidate[],
  candidates: readonly Candidate[],
): string | undefined {
  const { isNamed, isShowing, isForeign, isCounted, isArray, path } = list;
  const idsOf = ({ pages = [] }: Candidate) => pages.map(({ page }) => page.id).join("\n");
  const rival = others.find((other) => {
    const isBehind = isNamed && (other.path.length > path.length || idsOf(other) === idsOf(list));
    return compareRanks(kindOf(other), kindOf(list)) === 0 && !isBehind;
  });
  if (rival !== undefined) return `two lists that may be meant, ${describePath(path)} and ${describePath(rival.path)}`;
  const empty = candidates.find((other) => other.length === 0 && other.isNamed && !(isNamed && isShowing));
  if (empty !== undefined) return `an empty list at ${describePath(empty.path)} and ${describeElements(list)}`;
  const isOnly = isArray && candidates.every((other) => other === list || !other.isArray || other.length === 0);
  if (isShowing || (!isForeign && (isNamed || isCounted || isOnly))) return undefined;
  return `${describeElements(list)} which show no field of a page`;
}

/** Why a response without pages is not an empty list; `undefined` when it is one. */
function findReason(
  body: unknown,
  candidates: readonly Candidate[],
  objects: readonly JsonNode[],
  total: number | undefined,
): string | undefined {
  const held = findObjects(body);
  if (held !== undefined) {
    const place = describePath(held.path);
    const wrongAt = candidates.find(({ path }) => describePath(path) === place)?.wrongAt;
    const why =
      wrongAt === undefined
        ? "whose identifiers are not certain"
        : `of which ${wrongAt} has no identifier that is certain`;
    return `${held.length} ${held.length === 1 ? "object" : "objects"} at ${place}, ${why}`;
  }
  const record = objects.find((node) => countFields(node) > 0 && findOwnId(node, undefined) !== undefined);
  if (record !== undefined) return `a single page at ${describePath(record.path)}`;
  const named = candidates.filter(({ isNamed }) => isNamed);
  const lists = named.length > 0 ? named : candidates;
  const full = lists.find(({ length }) => length > 0);
  if (full !== undefined) return describeElements(full);
  return lists.length > 0 || total === 0 ? undefined : "no list";
}

function describePath(path: Path): string {
  return `#${path.map((step) => `/${step}`).join("")}`;
}

function describeElements({ path, length }: Candidate): string {
  return `${length} ${length === 1 ? "element" : "elements"} at ${describePath(path)}`;
}

/** Whether there is an array of objects anywhere in a body: then it does not say that there are no pages. */
export function holdsObjects(body: unknown): boolean {
  return findObjects(body) !== undefined;
}

/** An array that holds objects, wherever it is; links in the manner of `{ rel, href }` do not count. */
function findObjects(given: unknown, path: Path = []): { readonly path: Path; readonly length: number } | undefined {
  const value = decode(given);
  if (typeof value !== "object" || value === null || path.length > deepest) return undefined;
  // An array of one may be around everything.
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

/** Everything that may be the list, the likeliest first, and every object that is in none of them. */
function findCandidates(
  body: unknown,
  request: InferRequest,
): { readonly candidates: readonly Candidate[]; readonly objects: readonly JsonNode[] } {
  const candidates: Candidate[] = [];
  const objects: JsonNode[] = [];
  const visit = (given: unknown, path: Path, parent?: JsonNode): void => {
    const value = decode(given);
    const candidate = readCandidate(value, path, parent, request);
    const isEnvelope = Array.isArray(value) && value.length === 1 && candidate?.pages === undefined;
    if (candidate !== undefined && !isEnvelope) candidates.push(candidate);
    const inner = isEnvelope ? decode(value[0]) : value;
    const { isForeign, isListOwner } = nameAt(path);
    if (!isObject(inner) || path.length > deepestList || (isForeign && !isListOwner)) return;
    const node = makeNode(inner, path, parent);
    objects.push(node);
    // A list inside a page is not the list of pages.
    if (countFields(node) > 1 && findOwnId(node, undefined) !== undefined) return;
    for (const [step, field] of Object.entries(inner)) visit(field, [...path, step], node);
  };
  visit(body, []);
  return { candidates: candidates.toSorted((one, other) => compareRanks(rankOf(other), rankOf(one))), objects };
}

function readCandidate(
  value: unknown,
  path: Path,
  parent: JsonNode | undefined,
  request: InferRequest,
): Candidate | undefined {
  const isArray = Array.isArray(value);
  const name = nameAt(path);
  const { isForeign, isNeutral, isList, isListOwner } = name;
  const elements = listElements(value, isList);
  if (elements === undefined) return undefined;
  const { pages, wrongAt } = readElements(elements, name, request);
  // An object is a map of pages, or none at all.
  if (!isArray && pages === undefined) return undefined;
  const { length } = elements;
  const fewest = Math.min(...(pages ?? []).map(countInPage));
  const isShowing = length > 0 && pages !== undefined && fewest > (isForeign && !isListOwner ? 2 : 0);
  const count = parent && findField(parent.fields, names.total, readCount)?.value;
  return {
    path,
    isArray,
    isNamed: isList || (length === 0 && isNeutral),
    isForeign: isForeign && !isShowing,
    length,
    pages,
    wrongAt,
    isShowing,
    isCounted: count !== undefined && count >= length,
  };
}

function countInPage({ layout }: InferredPage): number {
  return textFields.filter((field) => layout.fields[field] !== undefined).length + (layout.cta === undefined ? 0 : 1);
}

type Element = readonly [key: string | undefined, value: unknown];

/** The elements of what may be a list; those of a map with their keys. Nothing, under the name of a list, is an empty one. */
function listElements(value: unknown, isNamed: boolean): Element[] | undefined {
  if (Array.isArray(value)) return value.map((element: unknown) => [undefined, decode(element)]);
  if (typeof value !== "object") return undefined;
  const entries = Object.entries(value ?? {}).map(([key, inner]): Element => [key, decode(inner)]);
  if (entries.length === 0) return isNamed ? [] : undefined;
  return entries.every(([key = "", inner], index) => isObject(inner) && isKey(key, index)) ? entries : undefined;
}

/** A name that we know is no key of a map, and neither is the position of an element in an array that PHP wrote as an object. */
function isKey(key: string, index: number): boolean {
  const { isNeutral, isForeign, isList } = readName(key);
  return key !== String(index) && !isNeutral && !isForeign && !isList;
}

/** Reads every element as a page, until one is not a page. */
function readElements(
  elements: readonly Element[],
  name: NameMeaning,
  request: InferRequest,
): { readonly pages?: InferredPage[]; readonly wrongAt?: string } {
  const pages: InferredPage[] = [];
  for (const [index, [key, element]] of elements.entries()) {
    const wrong = { wrongAt: key ?? String(index) };
    if (!isObject(element)) return wrong;
    const page = inferElement(element, { name, key }, request);
    if (page === undefined || isGroup(element, page)) return wrong;
    pages.push(page);
  }
  // What all elements have in common is the identifier of none.
  return new Set(pages.map(({ page }) => page.id)).size === pages.length ? { pages } : {};
}

/** What holds a list itself, and shows hardly anything, is a group of pages. */
function isGroup(element: JsonObject, { layout }: InferredPage): boolean {
  return layout.record?.length === 0 && Object.keys(layout.fields).length < 2 && holdsList(element);
}

/** Whether an object has the list of something itself, in it or one object further in: an empty one, or one of objects with identifiers. */
function holdsList(element: JsonObject, depth = 0): boolean {
  return Object.entries(element).some(([name, value]) => {
    if (isObject(value)) return depth < 1 && holdsList(value, depth + 1);
    if (!Array.isArray(value) || !readName(name).isList) return false;
    return value.every((each) => isObject(each) && findOwnId(makeNode(each, []), undefined) !== undefined);
  });
}

/** The total number of pages, from the fields around the list. A `count` may be the length of the list. */
function readTotal(
  objects: readonly JsonNode[],
  list: Candidate | undefined,
  headers: HeaderLookup,
): InferredList["total"] {
  const around = objects.filter(({ path }) => {
    const differs = list === undefined ? -1 : path.findIndex((step, index) => step !== list.path[index]);
    return differs < 0 || path.slice(differs).every((step) => readName(step).isPaging);
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
