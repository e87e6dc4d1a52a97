// Finds the list of pages in a response whose shape is not documented, whatever it is called. An array of objects is never paging
// information: a list that is read as empty although it is not would be lost without a word.
import { isObject, type JsonObject } from "../json.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { findOwnId } from "./identifier.ts";
import { type InferredPage, type Layout, readByLayout } from "./layout.ts";
import { isPosition, names, readName, textFields } from "./names.ts";
import { decode, findField, type JsonNode, makeNode, type Path } from "./nodes.ts";
import { compareRanks, countFields, inferElement, type InferRequest, type ParsedResponse } from "./find-page.ts";
import { readCount } from "./values.ts";

/** The pages in the response to a list. */
export interface InferredList {
  readonly kind: "list";
  readonly pages: readonly InferredPage[];
  /** Where the list is; the top of the body where nothing else says. */
  readonly path: Path;
  /** How many pages there are in all, and where that is told: a path, or the name of a header. */
  readonly total?: { readonly count: number; readonly path: Path | string };
  /** The `limit` and the `offset` that the response tells. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Says that a response has no list that is certain, and what it has. */
export interface MissingList {
  readonly kind: "none";
  readonly found: string;
}

/** An array, or an object that may be a map, which may be the list. */
interface Candidate {
  readonly path: Path;
  readonly name: string;
  readonly isArray: boolean;
  /** Whether it has the name of a list. */
  readonly isNamed: boolean;
  readonly isForeign: boolean;
  readonly length: number;
  /** Absent where one of its elements is no page. */
  readonly pages: readonly InferredPage[] | undefined;
  /** Position or key of the first element that is no page. */
  readonly wrongAt: string | undefined;
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
  const lists = candidates.filter(({ length, pages }) => length > 0 && pages !== undefined).toSorted(compareCandidates);
  const [list] = lists;
  const total = readTotal(objects, list ?? candidates.find(({ length }) => length === 0), headers);
  const window = readWindow(objects);
  if (list !== undefined) {
    const doubt = findDoubt(list, lists, candidates);
    if (doubt !== undefined) return { kind: "none", found: doubt };
    return { kind: "list", pages: list.pages ?? [], path: list.path, ...(total && { total }), ...window };
  }
  const reason = findReason(body, candidates, objects, total?.count);
  if (reason !== undefined) return { kind: "none", found: reason };
  const path = candidates.toSorted(compareCandidates)[0]?.path ?? [];
  return { kind: "list", pages: [], path, ...(total && { total }), ...window };
}

/** The likeliest first: one that shows fields, has no foreign name, has the name of a list, is an array, and is further out. */
function compareCandidates(one: Candidate, other: Candidate): number {
  const rank = ({ isShowing, isForeign, isNamed, isArray, path }: Candidate) => [
    ...[isShowing, !isForeign, isNamed, isArray].map(Number),
    -path.length,
  ];
  return compareRanks(rank(other), rank(one));
}

/** What speaks against the likeliest list, if anything does. */
function findDoubt(list: Candidate, lists: readonly Candidate[], candidates: readonly Candidate[]): string | undefined {
  const { isNamed, isShowing, isForeign, isCounted } = list;
  const idsOf = ({ pages = [] }: Candidate) => pages.map(({ page }) => page.id).join("\n");
  const isAlike = (other: Candidate) =>
    other.isShowing === isShowing &&
    other.isForeign === isForeign &&
    other.isNamed === isNamed &&
    other.isArray === list.isArray;
  const isNearer = (other: Candidate) => isNamed && other.path.length > list.path.length;
  const rival = lists.find(
    (other) => other !== list && isAlike(other) && !isNearer(other) && !(isNamed && idsOf(other) === idsOf(list)),
  );
  if (rival !== undefined)
    return `two lists that may be meant, ${describePath(list.path)} and ${describePath(rival.path)}`;
  const empty = candidates.find((other) => other.length === 0 && other.isNamed && !(isNamed && isShowing));
  if (empty !== undefined) return `an empty list at ${describePath(empty.path)} and ${describeElements(list)}`;
  const isOnly = !isForeign && candidates.every((other) => other === list || !other.isArray || other.length === 0);
  if (isShowing || (isNamed && !isForeign) || (isCounted && !isForeign) || (isOnly && list.isArray)) return undefined;
  return `${describeElements(list)} which show no field of a page`;
}

/** Why a response without pages may not be read as an empty list; `undefined` when it says that there are none. */
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
    const count = `${held.length} ${held.length === 1 ? "object" : "objects"} at ${place}`;
    return wrongAt === undefined
      ? `${count}, whose identifiers are not certain`
      : `${count}, of which ${wrongAt} has no identifier that is certain`;
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

/** Everything that may be the list, and every object that is in none of them. */
function findCandidates(
  body: unknown,
  request: InferRequest,
): { readonly candidates: Candidate[]; readonly objects: JsonNode[] } {
  const candidates: Candidate[] = [];
  const objects: JsonNode[] = [];
  const visit = (given: unknown, path: Path, count: number, parent?: JsonNode): void => {
    const value = decode(given);
    const name = path.findLast((step) => !isPosition(step)) ?? "data";
    const candidate = readCandidate(value, { path, name, count }, request);
    const isEnvelope = Array.isArray(value) && value.length === 1 && candidate?.pages === undefined;
    if (candidate !== undefined && !isEnvelope) candidates.push(candidate);
    const inner = isEnvelope ? decode(value[0]) : value;
    const { isForeign, isListOwner } = readName(name);
    if (!isObject(inner) || path.length > deepestList || (isForeign && !isListOwner)) return;
    const node = makeNode(inner, path, parent);
    objects.push(node);
    // A list in a page is none of pages.
    if (countFields(node) > 1 && findOwnId(node, undefined) !== undefined) return;
    const told = findField(node, names.total, readCount)?.value ?? -1;
    for (const [step, field] of Object.entries(inner)) visit(field, [...path, step], told, node);
  };
  visit(body, [], -1);
  return { candidates, objects };
}

function readCandidate(
  value: unknown,
  { path, name, count }: { path: Path; name: string; count: number },
  request: InferRequest,
): Candidate | undefined {
  const { isForeign, isNeutral, isList, isListOwner } = readName(name);
  const elements = listElements(value, isList);
  if (elements === undefined) return undefined;
  const { pages, wrongAt } = readElements(elements, name, request);
  // An object is a map of pages, or none at all.
  if (!Array.isArray(value) && pages === undefined) return undefined;
  const { length } = elements;
  const fewest = Math.min(...(pages ?? []).map(countShown));
  const isShowing = length > 0 && pages !== undefined && fewest > (isForeign && !isListOwner ? 2 : 0);
  const isNamed = isList || (length === 0 && isNeutral);
  return {
    path,
    name,
    isArray: Array.isArray(value),
    isNamed,
    isForeign: isForeign && !isShowing,
    length,
    pages,
    wrongAt,
    isShowing,
    isCounted: count >= length,
  };
}

function countShown({ layout }: InferredPage): number {
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

/** An element, and where it has the facts of a page; no layout where it is no page. */
interface Model {
  readonly element: JsonObject;
  readonly layout: Layout | undefined;
}

/** Reads every element as a page, until one is none. An element like an earlier one is read by the layout of that. */
function readElements(
  elements: readonly Element[],
  name: string,
  request: InferRequest,
): { readonly pages?: InferredPage[]; readonly wrongAt?: string } {
  const models: Model[] = [];
  const pages: InferredPage[] = [];
  for (const [index, [key, element]] of elements.entries()) {
    if (!isObject(element)) return { wrongAt: key ?? String(index) };
    let model = models.find((earlier) => isAlike(earlier.element, element));
    if (model === undefined) {
      model = { element, layout: inferPageLayout(element, { name, key }, request) };
      models.push(model);
    }
    const page = model.layout && readElement(element, key, model.layout, request);
    if (page === undefined) return { wrongAt: key ?? String(index) };
    pages.push(page);
  }
  // What all elements have in common is the identifier of none.
  return new Set(pages.map(({ page }) => page.id)).size === pages.length ? { pages } : {};
}

function readElement(
  element: JsonObject,
  key: string | undefined,
  layout: Layout,
  request: InferRequest,
): InferredPage | undefined {
  const found = readByLayout(layout, element, request);
  const id = found.page.id ?? (layout.id === undefined && key !== undefined && /\d/.test(key) ? key : undefined);
  if (id === undefined) return undefined;
  found.page.id = id;
  return { ...found, layout };
}

function inferPageLayout(
  element: JsonObject,
  list: { readonly name: string; readonly key: string | undefined },
  request: InferRequest,
): Layout | undefined {
  const layout = inferElement(element, list, request);
  // What holds a list itself, and shows hardly anything, is a group of pages.
  const isGroup = layout?.record?.length === 0 && Object.keys(layout.fields).length < 2 && holdsList(element);
  return isGroup ? undefined : layout;
}

/** Whether an object has the list of something itself, in it or one object further in: an empty one, or one of objects with identifiers. */
function holdsList(element: JsonObject, depth = 0): boolean {
  return Object.entries(element).some(([name, value]) => {
    if (isObject(value)) return depth < 1 && holdsList(value, depth + 1);
    if (!Array.isArray(value) || !readName(name).isList) return false;
    return value.every((each) => isObject(each) && findOwnId(makeNode(each, []), undefined) !== undefined);
  });
}

/** Whether a value has the names of a model, and values of the same types under them. */
function isAlike(model: unknown, value: unknown): boolean {
  if (isObject(model)) {
    const names = Object.keys(model);
    const isSame = isObject(value) && names.length === Object.keys(value).length;
    return isSame && names.every((name) => Object.hasOwn(value, name) && isAlike(model[name], value[name]));
  }
  if (Array.isArray(model))
    // An array of one wraps.
    return (
      Array.isArray(value) && Math.min(model.length, 2) === Math.min(value.length, 2) && isAlike(model[0], value[0])
    );
  if (model === null || value === null) return model === value;
  return typeof model === typeof value && holdsMore(model) === holdsMore(value);
}

/** Whether a text is a URL, or JSON with more in it. */
function holdsMore(value: unknown): boolean {
  return typeof value === "string" && /^(?:[[{]|https?:)/.test(value);
}

/** How many pages there are in all, by what stands around the list. A `count` may be that of the list. */
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
    for (const node of around.toReversed()) {
      const found = findField(node, [name], readCount);
      if (found !== undefined && !(name === "count" && found.value === list?.length))
        return { count: found.value, path: found.path };
    }
  for (const name of ["X-Total-Count", "X-Total", "Total", "X-WP-Total", "Content-Range"]) {
    const count = readCount(headers.get(name)?.split("/").at(-1));
    if (count !== undefined) return { count, path: name };
  }
  return undefined;
}

/** The documented parameters, where the response repeats them. */
function readWindow(objects: readonly JsonNode[]): Pick<InferredList, "limit" | "offset"> {
  const find = (name: string) =>
    objects.map((node) => findField(node, [name], readCount)?.value).find((count) => count !== undefined);
  return { limit: find("limit"), offset: find("offset") };
}
