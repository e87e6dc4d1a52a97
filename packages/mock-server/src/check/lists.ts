// Lists the pages of the account, and finds the array or object that has the pages of a list by trial.
import { isDeepStrictEqual } from "node:util";
import { defaultListLimit } from "@landing-page-service/contract";
import { type CheckClient, type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { entriesOf, listLeaves, mentions, type Path, valueAt } from "./json.ts";

/** An element of a list, and its name if the list is an object. */
export interface Element {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** The listed pages of the account. */
export interface Listing {
  /** The pages, in the order of the service. */
  readonly elements: readonly Element[];
  /** The requests that returned them. */
  readonly exchanges: readonly Exchange[];
  /** Whether the check read all pages. */
  readonly isWhole: boolean;
}

const maxRequests = 10;

/** Lists pages, 20 at a time as the spec documents. Stops after ten requests. */
export async function readListing(
  client: CheckClient,
  findPath: (json: unknown) => Path | undefined,
): Promise<Listing> {
  const exchanges: Exchange[] = [];
  let elements: readonly Element[] = [];
  const end = (isWhole: boolean): Listing => ({ elements, exchanges, isWhole });
  while (exchanges.length < maxRequests) {
    const path = `/api/content?limit=${defaultListLimit}&offset=${elements.length}`;
    const exchange = await client.send({ method: "GET", path });
    exchanges.push(exchange);
    // A 404 after some pages ends the list.
    if (!hasSucceeded(exchange)) return end(elements.length > 0 && exchange.answer?.status === 404);
    const json = jsonOf(exchange);
    const listPath = findPath(json);
    const { length } = elements;
    elements = listAll(exchanges, listPath);
    if (listAt(json, listPath).length < defaultListLimit) return end(json !== undefined);
    // The response has no new page, so the service ignores `offset`.
    if (elements.length === length) return end(false);
  }
  return end(false);
}

/** The elements at a place in several responses, each once. */
export function listAll(exchanges: readonly Exchange[], path: Path | undefined): Element[] {
  const elements = exchanges.flatMap((exchange) => listAt(jsonOf(exchange), path));
  return [...new Map(elements.map((element) => [JSON.stringify(element.value), element])).values()];
}

/** The elements of an array or object at a known place. */
export function listAt(json: unknown, path: Path | undefined): Element[] {
  const value = path && valueAt(json, path);
  return entriesOf(value).map(([name, inner]) => ({ name: Array.isArray(value) ? undefined : name, value: inner }));
}

/** An array or object that may be the list. */
interface Candidate {
  readonly path: Path;
  /** The pages of the check in it, whether its elements are objects, and how many of `limit` and `offset` it follows. */
  readonly evidence: readonly [pages: number, isRecords: number, follows: number];
  /** What makes it likely if the evidence is the same: whether it is an array, the matching strings, and how near it is to the top. */
  readonly likeness: readonly [isArray: number, texts: number, nearness: number];
  readonly length: number;
}

/** What the check knows about the pages of a list. */
export interface ListEvidence {
  /** The strings that identify each page of the check. */
  readonly known: readonly (readonly string[])[];
  /** The responses to `limit=1` and to `limit=1&offset=1`. The list, unlike other arrays, has one page in each, and another one in each. */
  readonly trials: readonly unknown[];
}

/**
 * Finds the path of the array or object with the most pages of the check, which has one page if one is asked for. Returns several paths if
 * the evidence is the same for all of them, and `undefined` if nothing has a page of the check.
 */
export function findLists(responses: readonly unknown[], given: ListEvidence): readonly Path[] | undefined {
  const candidates = listCandidates(responses, given);
  const [best, ...others] = candidates.toSorted((one, other) =>
    compare([...other.evidence, ...other.likeness], [...one.evidence, ...one.likeness]),
  );
  if (best === undefined || best.evidence[0] === 0) return undefined;
  const equal = others.filter(({ evidence }) => compare(evidence, best.evidence) === 0);
  return [best, ...equal].map(({ path }) => path);
}

/** Guesses the path of the list in one response, which may have only pages of others. */
export function guessList(json: unknown, given: ListEvidence): Path | undefined {
  const ranked = listCandidates([json], given).map(({ path, length, evidence: [pages, isRecords, follows] }) => {
    return { path, rank: [follows, pages, isRecords, length] };
  });
  return ranked.toSorted((one, other) => compare(other.rank, one.rank))[0]?.path;
}

function listCandidates(responses: readonly unknown[], { known, trials }: ListEvidence): Candidate[] {
  const paths = new Map(
    responses.flatMap((json) => listPlaces(json, known.flat())).map((path) => [path.join("/"), path]),
  );
  return [...paths.values()].flatMap((path): Candidate[] => {
    const values = responses.map((json) => valueAt(json, path));
    const entries = values.flatMap(entriesOf);
    const isArray = values.some(Array.isArray);
    const isAbout = ([name, inner]: [string, unknown], text: string): boolean =>
      (!isArray && name.includes(text)) || mentions(inner, text);
    const places = known.map((texts) => entries.findIndex((entry) => texts.some((text) => isAbout(entry, text))));
    const count = new Set(places.filter((index) => index >= 0)).size;
    // An object with a single page may be a wrapper of the page, unless the name of its field identifies the page.
    const isNamed = entries.every(([name]) => known.flat().some((text) => name.includes(text)));
    const isMap = entries.length === count && count > 0 && (count > 1 || isNamed);
    const isRecords = entries.length > 0 && entries.every(([, inner]) => typeof inner === "object" && inner !== null);
    if (!(isArray && (count > 0 || isRecords)) && !isMap) return [];
    const texts = known.flat().filter((text) => entries.some((entry) => isAbout(entry, text))).length;
    const evidence = [count, Number(isRecords), countFollowed(path, trials)] as const;
    return [{ path, evidence, likeness: [Number(isArray), texts, -path.length], length: entries.length }];
  });
}

/** The paths of all arrays and objects, except those in elements that mention no page of the check. */
function listPlaces(value: unknown, texts: readonly string[], path: Path = []): Path[] {
  const inner = entriesOf(value).filter(
    ([, part]) => !Array.isArray(value) || texts.some((text) => mentions(part, text)),
  );
  const isContainer = typeof value === "object" && value !== null;
  return isContainer ? [path, ...inner.flatMap(([name, part]) => listPlaces(part, texts, [...path, name]))] : [];
}

/** How many of `limit` and `offset` an array follows. */
function countFollowed(path: Path, trials: readonly unknown[]): number {
  const [one, next] = trials.map((json) => listAt(json, path));
  return Number(one?.length === 1) + Number(next?.length === 1 && !isDeepStrictEqual(one, next));
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Keeps the paths of the arrays or objects that have the most elements. */
export function keepLargest(paths: readonly Path[], exchanges: readonly Exchange[]): Path[] {
  const sizes = paths.map((path) => Math.max(...exchanges.map((exchange) => listAt(jsonOf(exchange), path).length)));
  return paths.filter((_, index) => sizes[index] === Math.max(...sizes));
}

/**
 * Whether the array at a path is only one of several that share the pages of a list, such as one for each month or group. Pages of a longer
 * list would be lost if it was taken for the list.
 */
export function isPartOfList(path: Path, responses: readonly unknown[], { known }: ListEvidence): boolean {
  return (
    path.some((step, index) => {
      const around = responses.map((json) => valueAt(json, path.slice(0, index))).filter(Array.isArray);
      // A name that begins with a digit, such as a month, is data.
      if (around.length === 0) return /^\d/.test(step);
      const isAlike = (item: unknown) => Array.isArray(valueAt(item, path.slice(index + 1)));
      return around.some((all) => all.length !== around[0]?.length || all.filter(isAlike).length > 1);
    }) ||
    responses.some((json) => listAt(json, path).some(({ value }) => known.some((texts) => isInArray(value, texts))))
  );
}

/** Whether everything that identifies a page is in one element of an array inside a value. */
function isInArray(value: unknown, texts: readonly string[]): boolean {
  const leaves = listLeaves(value).filter(({ text }) => texts.some((own) => mentions(text, own)));
  const [first, ...others] = leaves.map(({ path }) => path);
  if (first === undefined || texts.filter((own) => mentions(value, own)).length < 2) return false;
  const length = first.findIndex((step, index) => others.some((path) => path[index] !== step));
  return first.slice(0, length).some((_, index) => Array.isArray(valueAt(value, first.slice(0, index))));
}
