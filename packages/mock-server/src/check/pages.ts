// Finds the identifiers of pages by trying them, and the pages of a list by their identifiers.
import { defaultListLimit } from "@landing-page-service/contract";
import { type CheckClient, type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { entriesOf, listLeaves, mentions, type Path, valueAt } from "./json.ts";
import type { SentPage, Session } from "./probes.ts";

/** The parts of a text that may be an identifier. */
const textParts = {
  whole: (text: string): string => text,
  /** The last segment of a link: `7` in `/pages/7/?draft=1`. */
  segment: (text: string): string => decode(/(?:^|\/)([^/?#]*)\/?(?:[?#].*)?$/.exec(text)?.[1] ?? ""),
  /** Behind the last separator: `7` in `urn:page:7` and `pages#7`. */
  last: (text: string): string => text.split(/[/:#|]/).at(-1) ?? "",
};
const partNames = Object.keys(textParts) as (keyof typeof textParts)[]; // why: its own keys

/** The place of a page's identifier: in the body of a create, in its `Location`, in the element of a list, or as its name. */
export interface IdPlace {
  readonly from: "create" | "location" | "list" | "name";
  readonly path: Path;
  readonly part: keyof typeof textParts;
}

/** A value that may be the identifier of the first page, and the value at the same place for the second, if there is one. */
interface Candidate {
  readonly place: IdPlace;
  readonly id: string;
  readonly otherId: string | undefined;
}

/** An element of a list, and its name where the list is an object. */
export interface Element {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** The pages that the service lists. */
export interface Listing {
  /** Pages in the order of the service. */
  readonly elements: readonly Element[];
  /** The requests that showed them. */
  readonly exchanges: readonly Exchange[];
  /** Whether the whole listing was read. */
  readonly isWhole: boolean;
}

/** The path of a page. */
export function pathOf(id: string): string {
  return `/api/content/${encodeURIComponent(id.toWellFormed())}`;
}

/** The identifier in the response to a create. */
export function readCreatedId(exchange: Exchange | undefined, place: IdPlace | undefined): string | undefined {
  if (!hasSucceeded(exchange) || (place?.from !== "create" && place?.from !== "location")) return undefined;
  const source = place.from === "location" ? exchange.answer.headers["location"] : contentOf(exchange);
  return readPart(valueAt(source, place.path), place);
}

function contentOf(exchange: Exchange | undefined): unknown {
  return hasSucceeded(exchange) ? (jsonOf(exchange) ?? exchange.answer.body) : undefined;
}

/** The identifier of the page in an element of a list. */
export function readElementId({ name, value }: Element, place: IdPlace | undefined): string | undefined {
  return place && readPart(place.from === "name" ? name : valueAt(value, place.path), place);
}

function readPart(value: unknown, { part }: IdPlace): string | undefined {
  if ((typeof value !== "string" && typeof value !== "number") || String(value).length > 1000) return undefined;
  const id = textParts[part](String(value));
  return id.length < 200 && id.isWellFormed() && !["", ".", ".."].includes(id) ? id : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Every value that may be the identifier of the first page, the likeliest first: every value in which two pages differ. */
export function findCandidates(session: Session, { elements }: Listing): Candidate[] {
  const { probes, mark, isEmpty, sent } = session;
  const [one, other] = [probes.create, hasSucceeded(probes.shortest) ? probes.shortest : probes.twin];
  const elementOf = ({ slug, title }: { slug: string; title: string }) =>
    elements.find(({ value }) => mentions(value, slug) || mentions(value, title))?.value;
  const excluded = new Set([
    ...[sent.full, sent.shortest].flatMap(({ slug: _, ...page }) => listLeaves(page).map(({ text }) => text)),
    ...(isEmpty ? [] : listLeaves(jsonOf(probes.list)).map(({ text }) => text)),
  ]);
  const candidates = [
    ...listCandidates("create", contentOf(one), contentOf(other)),
    ...listCandidates("location", one?.answer?.headers["location"], other?.answer?.headers["location"]),
    ...listCandidates("list", elementOf(sent.full), elementOf(sent.shortest)),
  ].filter(({ id }) => !excluded.has(id));
  // A value that a list has too is likelier than one that only a create has. A value that was sent, such as a slug, is the least likely.
  const listed = new Set(candidates.flatMap(({ id, place }) => (place.from === "list" ? [id] : [])));
  const rank = ({ id }: Candidate) => (id.includes(mark) ? 2 : 0) + (listed.has(id) ? 0 : 1);
  const sorted = candidates.toSorted((some, others) => rank(some) - rank(others));
  return [...Map.groupBy(sorted, ({ id }) => id).values()].flatMap(([first]) => first ?? []).slice(0, 40);
}

/** Values in which two responses differ: whole values before parts of them, but of links the last segment first. */
function listCandidates(from: IdPlace["from"], one: unknown, other: unknown): Candidate[] {
  const places = listLeaves(one)
    .slice(0, 1000)
    .flatMap(({ path }) => partNames.map((part): IdPlace => ({ from, path, part })));
  const candidates = places.flatMap((place): Candidate[] => {
    const [id, otherId] = [one, other].map((source) => readPart(valueAt(source, place.path), place));
    const isDifferent = other === undefined || (otherId !== undefined && otherId !== id);
    return id !== undefined && isDifferent ? [{ place, id, otherId }] : [];
  });
  const rank = ({ id, place: { part } }: Candidate) =>
    part === "segment" ? 1 : part === "whole" && !/^(?:\/|https?:)/.test(id) ? 0 : 2;
  return candidates.toSorted((some, others) => rank(some) - rank(others));
}

/** Tries every value that may be an identifier as that of the first page, until one is, for both pages. */
export async function findIds(session: Session, listing: Listing): Promise<boolean> {
  for (const candidate of findCandidates(session, listing)) {
    if (await isIdentifier(session, candidate, listing)) return true;
    session.tried.push(candidate.id);
  }
  return false;
}

/** Whether a value addresses the first page, and that at the same place the second: by an update of each. */
async function isIdentifier(session: Session, { place, id, otherId }: Candidate, before: Listing): Promise<boolean> {
  const { probes, sent, ids, about } = session;
  const { full, shortest, title, otherTitle } = sent;
  const put = (value: string, body: unknown) => session.send({ method: "PUT", path: pathOf(value), body });
  const updated = await put(id, { title });
  if (!hasSucceeded(updated)) {
    probes.updateTitle ??= updated;
    return false;
  }
  const after = await session.list();
  const count = ({ elements }: Listing, text: string) => elements.filter(({ value }) => mentions(value, text)).length;
  const isChanged = count(after, title) > 0;
  const isOther = isChanged && count(before, full.title) > 0 && count(after, full.title) >= count(before, full.title);
  if (isOther && count(after, shortest.title) < count(before, shortest.title)) await put(id, { title: shortest.title });
  // Where the change is not seen, the success of an update of no page at all would say that this one means nothing.
  if (isOther || (!isChanged && hasSucceeded(await put(`${full.slug}-none`, { title })))) return false;
  const others = otherId === undefined ? undefined : await put(otherId, { title: otherTitle });
  if (otherId !== undefined && !hasSucceeded(others)) return false;
  const otherName = hasSucceeded(probes.shortest) ? "shortest" : "twin";
  Object.assign(probes, { updateTitle: updated, ...(others && { updateOther: others }) });
  about.set(updated, { page: "full", fields: { title } });
  if (others !== undefined) about.set(others, { page: otherName, fields: { title: otherTitle } });
  session.listings.titled = after;
  session.idPlace = place;
  Object.assign(ids, { full: id, [otherName]: otherId });
  session.listIdPlace = findIdPlace(before.elements, [id, otherId]);
  return true;
}

/** Where the elements of a list have the identifiers of their pages: the first place at which all known ones are found. */
export function findIdPlace(elements: readonly Element[], ids: readonly (string | undefined)[]): IdPlace | undefined {
  const known = ids.filter((id) => id !== undefined);
  const paths = elements.slice(0, 20).flatMap(({ value }) => listLeaves(value).map(({ path }) => path));
  const named = partNames.map((part): IdPlace => ({ from: "name", path: [], part }));
  const listed = partNames.flatMap((part) => paths.map((path): IdPlace => ({ from: "list", path, part })));
  const isAll = (place: IdPlace): boolean =>
    known.length > 0 && known.every((id) => elements.some((element) => readElementId(element, place) === id));
  return [...named, ...listed].find(isAll);
}

/** The element of a page of the check: by its identifier, else by its slug or title. */
export function findElement(
  { listIdPlace }: Session,
  listing: Listing | undefined,
  id: string | undefined,
  { slug = "", title = "" }: Partial<SentPage>,
): Element | undefined {
  const isPage = (element: Element): boolean =>
    listIdPlace === undefined
      ? mentions(element.value, slug) || mentions(element.value, title)
      : id !== undefined && readElementId(element, listIdPlace) === id;
  return listing?.elements.find(isPage);
}

const mostRequests = 10;

/** Reads the listing 20 pages at a time, which the spec documents. Gives up after ten requests. */
export async function readListing(
  client: CheckClient,
  findPath: (json: unknown) => Path | undefined,
): Promise<Listing> {
  const exchanges: Exchange[] = [];
  const elements = new Map<string, Element>();
  const end = (isWhole: boolean): Listing => ({ elements: [...elements.values()], exchanges, isWhole });
  while (exchanges.length < mostRequests) {
    const path = `/api/content?limit=${defaultListLimit}&offset=${elements.size}`;
    const exchange = await client.send({ method: "GET", path });
    exchanges.push(exchange);
    // After pages, a 404 says that there are no more.
    if (!hasSucceeded(exchange)) return end(elements.size > 0 && exchange.answer?.status === 404);
    const json = jsonOf(exchange);
    const found = listAt(json, findPath(json));
    const { size } = elements;
    for (const element of found) elements.set(JSON.stringify(element.value), element);
    if (found.length < defaultListLimit) return end(json !== undefined);
    // The same pages again: the service does not heed the offset.
    if (elements.size === size) return end(false);
  }
  return end(false);
}

/** The elements of an array or object at a known place. */
export function listAt(json: unknown, path: Path | undefined): Element[] {
  const value = path && valueAt(json, path);
  return entriesOf(value).map(([name, inner]) => ({ name: Array.isArray(value) ? undefined : name, value: inner }));
}

/**
 * The path of the array, or else the object, whose elements are about the most known pages, one each; of equal ones to the one with
 * the richest elements. `known` has the strings by which each page is recognised. Without a known page, to the longest array of objects.
 */
export function findList(
  json: unknown,
  known: readonly (readonly string[])[],
): { readonly path: Path | undefined; readonly isKnown: boolean } {
  const found: { path: Path; score: readonly number[] }[] = [];
  const visit = (value: unknown, path: Path): void => {
    const entries = entriesOf(value);
    const isArray = Array.isArray(value);
    const isAbout = ([name, inner]: [string, unknown], text: string): boolean =>
      (!isArray && name.includes(text)) || mentions(inner, text);
    const places = known.map((texts) => entries.findIndex((entry) => texts.some((text) => isAbout(entry, text))));
    const count = new Set(places.filter((index) => index >= 0)).size;
    // An object with one page in it may be anything around that page, unless its only name is the page's.
    const isNamed = entries.every(([name]) => known.flat().some((text) => name.includes(text)));
    const isMap = entries.length === count && count > 0 && (count > 1 || isNamed);
    const isRecords = isArray && entries.every(([, inner]) => typeof inner === "object" && inner !== null);
    const texts = known.flat().filter((text) => entries.some((entry) => isAbout(entry, text))).length;
    const score = [count, Number(isArray), texts, count > 0 ? -path.length : entries.length];
    if ((isArray && count > 0) || isMap || (isRecords && entries.length > 0)) found.push({ path, score });
    if (count > 0 || known.length === 0 || !isRecords)
      for (const [name, inner] of entries) visit(inner, [...path, name]);
  };
  visit(json, []);
  const best = found.toSorted((one, other) => compare(other.score, one.score))[0];
  return { path: best?.path, isKnown: (best?.score[0] ?? 0) > 0 };
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
