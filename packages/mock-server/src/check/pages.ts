// Finds the identifiers of pages by trying them, and the pages of a list by their identifiers.
import { defaultListLimit } from "@landing-page-service/contract";
import { type CheckClient, type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { entriesOf, listLeaves, mentions, type Path, textParts, valueAt } from "./json.ts";

/** Where the identifier of a page stands: in the body of a create, in its `Location`, in the element of a list, or as its name. */
export interface IdPlace {
  readonly from: "create" | "location" | "list" | "name";
  readonly path: Path;
  readonly part: keyof typeof textParts;
}

/** A value that may be the identifier of the first page, and the value at the same place for the second, where there is one. */
export interface Candidate {
  readonly place: IdPlace;
  readonly id: string;
  readonly otherId: string | undefined;
}

/** The path of a page. */
export function pathOf(id: string): string {
  return `/api/content/${encodeURIComponent(id.toWellFormed())}`;
}

/**
 * Every value in which what is told of two pages differs: whole values before parts of them, but of links the last segment
 * first. `sent` texts are no identifiers, and `excluded` values are those of other pages.
 */
export function listCandidates(
  from: IdPlace["from"],
  one: unknown,
  other: unknown,
  { sent, excluded }: { sent: readonly string[]; excluded: readonly string[] },
): Candidate[] {
  const [ours, others] = [new Set(sent), new Set(excluded)];
  const candidates = listLeaves(one)
    .slice(0, 1000)
    .flatMap(({ path, value }) => {
      const otherValue = other === undefined ? undefined : valueAt(other, path);
      if (other !== undefined && typeof otherValue !== typeof value) return [];
      return (["whole", "segment", "last"] as const).flatMap((part): Candidate[] => {
        const place: IdPlace = { from, path, part };
        const [id, otherId] = [readPart(value, place), readPart(otherValue, place)];
        if (id === undefined || id === otherId || (other !== undefined && otherId === undefined)) return [];
        return ours.has(id) || others.has(id) ? [] : [{ place, id, otherId }];
      });
    });
  const rank = ({ id, place: { part } }: Candidate) =>
    part === "segment" ? 1 : part === "whole" && !/^(?:\/|https?:)/.test(id) ? 0 : 2;
  return candidates.toSorted((some, others) => rank(some) - rank(others));
}

/** The identifier that the answer to a create tells. */
export function readCreatedId(exchange: Exchange | undefined, place: IdPlace | undefined): string | undefined {
  if (place === undefined || !hasSucceeded(exchange)) return undefined;
  if (place.from === "list" || place.from === "name") return undefined;
  const value =
    place.from === "location" ? exchange.answer?.headers["location"] : valueAt(jsonOf(exchange), place.path);
  return readPart(value, place);
}

function readPart(value: unknown, { part }: IdPlace): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  const id = text.length > 1000 ? "" : textParts[part](text);
  const isUsable = id.length < 200 && id.isWellFormed() && !["", ".", ".."].includes(id);
  return isUsable ? id : undefined;
}

/** An element of a list, and its name where the list is an object. */
export interface Element {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** Where the elements of a list have the identifiers of their pages: the first place at which all known ones are found. */
export function findIdPlace(elements: readonly Element[], ids: readonly string[]): IdPlace | undefined {
  const isAll = (place: IdPlace): boolean =>
    ids.length > 0 && ids.every((id) => elements.some((element) => readElementId(element, place) === id));
  const paths = elements.slice(0, 20).flatMap(({ value }) => listLeaves(value).map(({ path }) => path));
  const places = (["whole", "segment", "last"] as const).flatMap((part) =>
    [{ from: "name", path: [], part } as IdPlace].concat(paths.map((path) => ({ from: "list", path, part }))),
  );
  return places.find(isAll);
}

/** The identifier of the page in an element of a list. */
export function readElementId({ name, value }: Element, place: IdPlace | undefined): string | undefined {
  if (place === undefined) return undefined;
  return readPart(place.from === "name" ? name : valueAt(value, place.path), place);
}

/**
 * The way to the array, else the object, whose elements speak of the most known pages, one each; of equal ones to that with
 * the richest elements. `known` has for each page the texts by which it is told.
 */
function findList(json: unknown, known: readonly (readonly string[])[]): Path | undefined {
  let best: { path: Path; score: readonly number[] } | undefined;
  const visit = (value: unknown, path: Path): void => {
    const entries = entriesOf(value);
    const isArray = Array.isArray(value);
    const speaksOf = ([name, inner]: [string, unknown], text: string): boolean =>
      (!isArray && name.includes(text)) || mentions(inner, text);
    const told = known.map((texts) => entries.findIndex((entry) => texts.some((text) => speaksOf(entry, text))));
    const count = new Set(told.filter((index) => index >= 0)).size;
    if (count === 0) return;
    // An object with one page in it may be anything around that page, unless its only name is the page's.
    const isNamed = entries.every(([name]) => known.flat().some((text) => name.includes(text)));
    const isList = isArray || (entries.length === count && (count > 1 || isNamed));
    const texts = known.flat().filter((text) => entries.some((entry) => speaksOf(entry, text)));
    const score = [count, isArray ? 1 : 0, texts.length, -path.length];
    if (isList && (best === undefined || isMore(score, best.score))) best = { path, score };
    for (const [name, inner] of entries) visit(inner, path.concat(name));
  };
  visit(json, []);
  return best?.path;
}

function isMore(one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index >= 0 && (one[index] ?? 0) > (other[index] ?? 0);
}

/** The part of the listing in which the pages of the check are. */
export interface Listing {
  /** Pages in the order of the service. */
  readonly elements: readonly Element[];
  /** The requests that showed them. */
  readonly exchanges: readonly Exchange[];
  /** Whether the whole listing was read. */
  readonly isWhole: boolean;
  /** The way to what holds the pages; `undefined` when none is known. */
  readonly path: Path | undefined;
}

/** The element of a page: by its identifier, else by its slug or title. */
export function findElement(
  { listIdPlace }: { readonly listIdPlace: IdPlace | undefined },
  { elements }: Listing,
  id: string | undefined,
  texts: readonly string[],
): Element | undefined {
  const byId = elements.find((element) => id !== undefined && readElementId(element, listIdPlace) === id);
  return (
    byId ??
    (listIdPlace === undefined ? elements.find(({ value }) => texts.some((text) => mentions(value, text))) : undefined)
  );
}

const mostRequests = 10;

/**
 * Reads the listing 20 pages at a time, which the spec documents, until all known pages are seen or it ends. New pages are
 * at one of its ends, so a long one is read there when its length is known, and given up after ten requests when not.
 */
export async function readListing(
  client: CheckClient,
  known: readonly (readonly string[])[],
  readTotal: (json: unknown) => number | undefined,
): Promise<Listing> {
  const exchanges: Exchange[] = [];
  const elements: Element[] = [];
  const seen = new Set<string>();
  let path: Path | undefined;
  const end = (isWhole: boolean): Listing => ({ elements, exchanges, isWhole, path });
  for (let offset = 0; exchanges.length < mostRequests;) {
    const query = `limit=${defaultListLimit}&offset=${offset}`;
    const exchange = await client.send({ method: "GET", path: `/api/content?${query}` });
    exchanges.push(exchange);
    // After pages, a 404 says that there are no more.
    if (!hasSucceeded(exchange)) return end(elements.length > 0 && exchange.answer?.status === 404);
    const json = jsonOf(exchange);
    path ??= findList(json, known);
    const found = listAt(json, path ?? findArray(json));
    const fresh = found.filter(({ value }) => !seen.has(JSON.stringify(value)));
    const isContiguous = offset === elements.length;
    for (const element of fresh) seen.add(JSON.stringify(element.value));
    elements.push(...fresh);
    const isLast = found.length < defaultListLimit;
    if (isLast) return end(isContiguous && json !== undefined);
    const isAll =
      known.length > 0 && known.every((texts) => texts.some((text) => mentions(elements.map(valueOf), text)));
    // The same pages again: the service does not heed the offset.
    if (isAll || fresh.length === 0) return end(false);
    offset += found.length;
    const total = readTotal(json);
    if (exchanges.length === 1 && total !== undefined) offset = Math.max(offset, total - defaultListLimit);
  }
  return end(false);
}

const valueOf = ({ value }: Element): unknown => value;

/** The elements of an array or object at a known place. */
export function listAt(json: unknown, path: Path | undefined): Element[] {
  const value = path && valueAt(json, path);
  return entriesOf(value).map(([name, inner]) => ({ name: Array.isArray(value) ? undefined : name, value: inner }));
}

/** The longest array of objects: what a list is where no known page is in it. */
export function findArray(json: unknown): Path | undefined {
  let best: { path: Path; length: number } | undefined;
  const visit = (value: unknown, path: Path): void => {
    const isList = Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null);
    if (isList && value.length > (best?.length ?? 0)) best = { path, length: value.length };
    if (!isList) for (const [name, inner] of entriesOf(value)) visit(inner, [...path, name]);
  };
  visit(json, []);
  return best?.path;
}
