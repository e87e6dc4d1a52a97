// What a page of the visit looked like, and when.
import { isDeepStrictEqual } from "node:util";
import { type Exchange, readListIn, readPageIn } from "./exchange.ts";
import { findById, type View } from "./listing.ts";
import type { SentPage, Visit } from "./visit.ts";

/** A page as one answer shows it. */
export interface Sighting {
  readonly fields: SeenFields;
  readonly exchange: Exchange;
}

/** The full page as the answer to a write and the list after it show it. */
export function sightings({ fullId }: Visit, write: Exchange | undefined, view: View | undefined): Sighting[] {
  const answer = readPageIn(write)?.page;
  const listed = findById(view?.pages ?? [], fullId)?.page;
  const shown = view?.exchanges.find((exchange) => findById(readListIn(exchange)?.pages ?? [], fullId) !== undefined);
  return [
    ...(answer && write ? [{ fields: answer, exchange: write }] : []),
    ...(listed && shown ? [{ fields: listed, exchange: shown }] : []),
  ];
}

/** The fields of a page, as an answer shows them. */
export type SeenFields = Readonly<Record<string, unknown>>;

/** Names of the expected fields that a page has otherwise; a field that is not shown says nothing. */
export function differing(fields: SeenFields, expected: Partial<SentPage>): string[] {
  return Object.entries(expected)
    .filter(([name, value]) => fields[name] !== undefined && !isSame(fields[name], value))
    .map(([name]) => name);
}

/** Whether a page shows any of these fields. */
export function shows(fields: SeenFields, expected: Partial<SentPage>): boolean {
  return Object.keys(expected).some((name) => fields[name] !== undefined);
}

function isSame(seen: unknown, sent: string | SentPage["cta"]): boolean {
  if (typeof sent === "string") return seen === sent;
  return Object.entries(sent).every(([name, value]) =>
    Object.entries(seen ?? {}).some(([key, got]) => key === name && got === value),
  );
}

/** Whether any sight of the page shows a field as this one does. */
export function isShown(fields: SeenFields, name: string, sights: readonly Sighting[]): boolean {
  return sights.some((sight) => isDeepStrictEqual(sight.fields[name], fields[name]));
}
