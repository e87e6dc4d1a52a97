// Finds the list of pages in a response whose shape is not documented, under any name. An array of objects with identifiers never counts
// as paging information, because a list that is wrongly read as empty would be lost without an error.
import { isObject } from "../json.ts";
import { toPointer } from "../problem.ts";
import { decode, type Found, type NamedField, type Path, readField } from "./fields.ts";
import { type InferredPage, type ParsedResponse, readElement } from "./find-page.ts";
import { areNamed, isNamed } from "./names.ts";
import { type InferRequest, type JsonNode, listNodes, nameAt } from "./nodes.ts";
import { isOnlyMessage } from "./refusal.ts";

/** The pages in the response to a list. */
export interface InferredList {
  readonly kind: "list";
  readonly pages: readonly InferredPage[];
  /** Path of the list; empty if the response does not show one. */
  readonly path: Path;
  /** The total number of pages. */
  readonly total?: Found<number> | undefined;
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
type Candidate = NonNullable<ReturnType<typeof readCandidate>>;

/** The parts of a response to a list: the arrays that may be the list, and the objects outside of them. */
type Parts = ReturnType<typeof findParts>;

/** Finds the pages in the response to a list that starts at `offset`. */
export function inferList(
  { status, body }: ParsedResponse,
  request: InferRequest = {},
  offset = 0,
): InferredList | MissingList {
  if (status === 204 || status === 205) return { kind: "list", pages: [], path: [] };
  const parts = findParts(body, request);
  // A total that is less than the length belongs to another array.
  const isCounted = (each: Candidate) => (readTotal(parts, each)?.value ?? Infinity) >= each.elements.length;
  const found = parts.candidates.find((each) => isOnlyList(each, parts) && (each.isNamed || isCounted(each)));
  const list = found ?? findEmptyList(parts);
  const doubt = found ? undefined : findDoubt(parts, list, readTotal(parts, list)?.value, offset);
  if (doubt !== undefined) return { kind: "none", found: describe(parts, list, doubt) };
  const { pages = [], path = [] } = list ?? {};
  const total = readTotal(parts, list, pages.length);
  // The documented parameters, if the response repeats them.
  const fields = parts.objects.flatMap((node) => node.fields);
  const limit = readField(fields, "limit", readCount)?.value;
  return { kind: "list", pages, path, total, limit, offset: readField(fields, "offset", readCount)?.value };
}

function describe({ candidates }: Parts, empty: Candidate | undefined, doubt: string): string {
  if (empty !== undefined) return `an empty list at ${toPointer(empty.path)}, which is not certain because ${doubt}`;
  const arrays = candidates.map(({ path, elements: { length }, wrongAt }) => {
    const elements = `${length} element${length === 1 ? "" : "s"} at ${toPointer(path)}`;
    return wrongAt < 0 ? elements : `${elements}, of which element ${wrongAt} has no certain identifier`;
  });
  return arrays.join(" and ") || `no list, because ${doubt}`;
}

/** How many documented fields show that an object is a page, whatever its name is. */
const whole = 3;

/** Whether an array is the list, because its elements are pages, and nothing else in the response may be meant. */
function isOnlyList(list: Candidate, { candidates, objects }: Parts): boolean {
  const { pages, least } = list;
  if (pages.length === 0 || (list.isForeign && least < whole)) return false;
  const others = candidates.filter((each) => each !== list);
  const isRival = (other: Candidate) => {
    const isShowing = other.most >= (other.isForeign ? whole : 1);
    const isInside = other.path.length > list.path.length;
    if (list.isNamed)
      return (isShowing && other.most > least) || (other.isNamed && !isInside && (isShowing || least === 0));
    // Under an unknown name, only the fields of a page show that the list is meant.
    return other.isNamed || isShowing || (least < whole && !isAside(other));
  };
  const mayBePage = ({ path, count, id }: JsonNode) =>
    count > 1 || (id !== undefined && least < whole && !isAround(path, list) && !areNamed(path, "paging"));
  return !others.some(isRival) && (list.isNamed || !objects.some(mayBePage));
}

/** Whether a path leads to an object around an array. */
const isAround = (path: Path, array: Candidate | undefined): boolean =>
  array !== undefined && path.every((step, index) => step === array.path[index]);

/** Finds the empty list that may be the list of pages. It has the name of a list if any array has one. */
function findEmptyList({ candidates }: Parts): Candidate | undefined {
  const named = candidates.filter((each) => each.isNamed);
  const empties = (named.length > 0 ? named : candidates).filter(({ elements }) => elements.length === 0);
  return empties.find((each) => !each.isForeign && isPlain(each)) ?? empties[0];
}

/** Whether only objects with usual names are around an array. Inside another one, such as `sidebar`, it may be a list of something else. */
const isPlain = ({ path }: Candidate): boolean => path.slice(0, -1).every(isUsual);
const isUsual = (name: string): boolean => isNamed(name, "neutral", "list", "paging", "position");

/** Says why a response may not be an empty list; `undefined` if it certainly is one. A total that is not more than the offset is a proof. */
function findDoubt(parts: Parts, empty: Candidate | undefined, total = Infinity, offset = 0): string | undefined {
  // The total inside an object of another name is that of something else.
  const isOurs = empty === undefined || isPlain(empty);
  const isProven = isOurs && total <= offset;
  // An object with an identifier that is the only element of an array may be a page.
  const isOther = ({ path }: JsonNode) =>
    (path.length > 1 && isNamed(path.at(-1) ?? "", "position")) || (empty?.isForeign && !isAround(path, empty));
  const page = parts.objects.find(
    (node) => node.count > 1 || isEntry(node, empty) || (node.id !== undefined && (node.count > 0 || isOther(node))),
  );
  if (page && isEntry(page, empty)) return `the pages at ${toPointer(page.path.slice(0, -1))} are keyed by identifier`;
  if (page !== undefined) return `the object at ${toPointer(page.path)} may be a page`;
  if (empty === undefined && (!isProven || parts.candidates.some((each) => each.isNamed))) return "it has no array";
  if (
    empty?.isMissing &&
    !isProven &&
    parts.objects.some((node) => isAround(node.path, empty) && isOnlyMessage(node.value))
  )
    return "only a message is beside it";
  const mayBePages = (each: Candidate) => {
    if (!isProven) return !(isOurs && !empty?.isForeign && !empty?.isMissing && isAside(each));
    // With a total of zero, an array of objects with identifiers, or of whole pages, is a contradiction.
    const arePages = hasIds(each) || each.most >= whole;
    return arePages && !(empty?.isNamed && total > 0 && each.elements.length !== total);
  };
  const rival = parts.candidates.find((each) => each.elements.length > 0 && mayBePages(each));
  return rival && `the elements at ${toPointer(rival.path)} may be pages`;
}

/** Whether an object is an entry in a map of pages. An object around the empty list is no map. */
function isEntry({ parent, name, count, id }: JsonNode, empty?: Candidate): boolean {
  if (parent === undefined || parent.path.length === 0 || isAround(parent.path, empty)) return false;
  const isMap = isNamed(parent.name, "list") && Object.values(parent.value).every((each) => isObject(decode(each)));
  return isMap && (count > 0 || id !== undefined || !(isUsual(name) || isNamed(name, "foreign")));
}

/** Whether an object in an array has an identifier, under any name that ends so. */
function hasIds({ elements }: Candidate): boolean {
  const nodes = elements.flatMap((element) => listNodes(element, {}, () => true));
  return nodes.some(({ fields }) => fields.some(({ is, value }) => /(?:id|pk)$/.test(is.key) && value !== null));
}

/** Whether an array is something else beside a list, such as links: it has the name of something else, and no identifiers. */
const isAside = (each: Candidate): boolean => each.isForeign && each.elements.length > 0 && !hasIds(each);

/** Whether a response has objects that may be pages in an array or a map. If it has, it is not an empty list. */
export function holdsObjects(body: unknown): boolean {
  const { candidates, objects } = findParts(body, {});
  return objects.some((node) => isEntry(node)) || candidates.some(({ elements }) => elements.length > 0);
}

/** Finds every array that may be the list, and every object outside of them. */
function findParts(body: unknown, request: InferRequest) {
  const candidates: Candidate[] = [];
  const objects = listNodes(body, request, ({ path }, value, parent) => {
    // A list inside a page is not the list of pages.
    if (parent !== undefined && parent.count > 1 && parent.id !== undefined) return false;
    const candidate = readCandidate(value, path, request);
    if (candidate === undefined) return true;
    // An array of strings is no list of pages, unless its name says so.
    const { elements, isNamed } = candidate;
    if (isNamed || elements.length === 0 || elements.some((each) => typeof each === "object"))
      candidates.push(candidate);
    return isObject(value);
  });
  return { candidates, objects };
}

/**
 * Reads an array and all elements as pages; `undefined` if it is none, or an array of one object around a list. A missing value under the
 * name of a list is an empty list.
 */
function readCandidate(value: unknown, path: Path, request: InferRequest) {
  const name = nameAt(path);
  const isList = isNamed(name, "list");
  const isMissing = value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
  if (!Array.isArray(value) && !(isMissing && isList)) return undefined;
  const elements: readonly unknown[] = Array.isArray(value) ? value.map(decode) : [];
  const read = elements.map((element) => readElement(element, request));
  if (read.length === 1 && read[0]?.isEnvelope) return undefined;
  const pages = read.flatMap(({ found }) => found ?? []);
  // All have the identifier in one field, because another may be that of something else. A value that they share is no identifier.
  const wrongAt = read.findIndex(({ found }) => !found || idFieldOf(found) !== idFieldOf(pages[0] ?? found));
  const areDistinct = new Set(pages.map(({ page }) => page.id)).size === pages.length;
  const counts = read.map(({ shown }) => shown).toSorted((one, other) => one - other);
  return {
    path,
    elements,
    /** Empty if one of the elements is not a page. */
    pages: wrongAt < 0 && areDistinct ? pages : [],
    /** Index of the first element that is not a page; -1 if there is none. */
    wrongAt,
    /** Whether it has the name of a list. */
    isNamed: isList,
    /** Whether it has the name of something else. */
    isForeign: isNamed(name, "foreign"),
    /** Whether `null` or an empty value stands for it. */
    isMissing: !Array.isArray(value),
    /** The least and the most documented fields that an element shows. */
    least: counts[0] ?? 0,
    most: counts.at(-1) ?? 0,
  };
}

const idFieldOf = ({ layout }: InferredPage): string | undefined => layout["id"]?.join("/");

/** Reads the total number of pages from the fields around the list. A `count` that is the `length` of the list is not the total. */
function readTotal({ objects }: Parts, list: Candidate | undefined, length?: number): Found<number> | undefined {
  const around = objects.filter(({ path }) =>
    path.every((step, index) => step === list?.path[index] || isNamed(step, "paging")),
  );
  const fields = around.toReversed().flatMap((node) => node.fields);
  const isTotal = ({ is, value }: NamedField) => is.key !== "count" || readCount(value) !== length;
  return readField(fields.filter(isTotal), "total", readCount);
}

/** Reads a count, also in a string or an object. */
function readCount(value: unknown): number | undefined {
  if (isObject(value)) return readCount(value["value"]);
  const count = typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
