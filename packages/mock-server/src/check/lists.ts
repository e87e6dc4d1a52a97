// Finds the array or object that has the pages of a list: it is the one in whose elements the known identifiers stand.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import { type Exchange, jsonOf } from "./client.ts";
import { findIdPlace } from "./id-places.ts";
import { entriesOf, mentions, type Path, valueAt } from "./json.ts";
import type { Session } from "./probes.ts";

/** An element of a list, and its name if the list is an object. */
export interface Element {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** The listed pages of the account. */
export interface Listing {
  /** The pages, in the order of the service. Empty while the check does not know the place of the list. */
  readonly elements: readonly Element[];
  /** The requests that returned them. */
  readonly exchanges: readonly Exchange[];
  /** Whether the check read all pages. */
  readonly isWhole: boolean;
}

/** The elements of an array or object at a known place. */
export function listAt(json: unknown, path: Path | undefined): Element[] {
  const value = path && valueAt(json, path);
  return entriesOf(value).map(([name, inner]) => ({ name: Array.isArray(value) ? undefined : name, value: inner }));
}

/** The length of the longest array or object in a response, which is the list if the list is long. */
export function longestLength(value: unknown): number {
  const parts = entriesOf(value).map(([, part]) => part);
  return Math.max(parts.length, ...parts.map(longestLength));
}

/** The most arrays and objects to look at. */
const maxContainers = 200;

/** The paths of the arrays and objects that mention one of several strings, in any of the responses. */
export function findContainers(responses: readonly unknown[], texts: readonly string[]): Path[] {
  const find = (value: unknown, path: Path): Path[] => {
    if (typeof value !== "object" || !texts.some((text) => mentions(value, text))) return [];
    return [path, ...entriesOf(value).flatMap(([name, inner]) => find(inner, [...path, name]))];
  };
  const paths = responses.flatMap((json) => find(json, []));
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()].slice(0, maxContainers);
}

/**
 * Finds the list, and the place of the identifiers in its elements. The list has every known identifier there, and, unlike other arrays of
 * pages, follows `limit` and `offset`. Returns `undefined` if several arrays share the pages, or several may be the list.
 */
export function findList({ probes, ids, listings }: Session) {
  const known = [ids.full, ids.shortest].filter((id) => id !== undefined);
  const listed = (listings.made?.exchanges ?? []).map(jsonOf);
  const trials = [probes.listOne, probes.listNext].map(jsonOf);
  const all = [jsonOf(probes.list), ...trials, ...listed];
  const found = findContainers(listed, known).flatMap((path) => {
    const elements = listed.flatMap((json) => listAt(json, path));
    const idPlace = findIdPlace(elements, known);
    // An object with a single page may be a wrapper of the page.
    const isList = known.length > 1 || elements.every(({ name }) => name === undefined);
    if (idPlace === undefined || !isList || isPart(path, all)) return [];
    const isRecords = elements.every(({ value }) => isObject(value));
    return [{ path, idPlace, rank: countFollowed(path, trials) * 2 + Number(isRecords) }];
  });
  const most = Math.max(...found.map(({ rank }) => rank));
  const [best, ...others] = found.filter(({ rank }) => rank === most);
  return others.length === 0 ? best : undefined;
}

/** Whether a path leads to one of several arrays, such as that of one month or group. */
function isPart(path: Path, responses: readonly unknown[]): boolean {
  return path.some((step, index) => {
    const around = responses.map((json) => valueAt(json, path.slice(0, index))).filter(Array.isArray);
    // A name that begins with a digit, such as a month, is data. An array of one element may be an envelope.
    return around.length === 0 ? /^\d/.test(step) : around.some(({ length }) => length !== 1);
  });
}

/** How many of `limit` and `offset` an array follows. */
function countFollowed(path: Path, trials: readonly unknown[]): number {
  const [one, next] = trials.map((json) => listAt(json, path));
  return Number(one?.length === 1) + Number(next?.length === 1 && !isDeepStrictEqual(one, next));
}
