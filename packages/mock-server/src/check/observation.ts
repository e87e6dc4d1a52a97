import { type GapId, gaps, type Reading } from "@landing-page-service/contract";
import type { Exchange } from "./exchange.ts";

/** The reading of one gap, as far as it was seen. */
export interface Observation<Id extends GapId = GapId> {
  /** Name of the reading; `undefined` when it was none of the known ones, or nothing showed it. */
  readonly reading: Reading<Id> | undefined;
  readonly note: string;
  readonly evidence: readonly Exchange[];
}

/** The reading that is called what was seen. */
export function byName<Id extends GapId>(id: Id, seen: string, exchange: Exchange | undefined): Observation<Id> {
  const reading = Object.keys(gaps[id].readings).find((name) => name === seen) as Reading<Id> | undefined; // why: one of its own keys
  return { reading, note: seen, evidence: exchange === undefined ? [] : [exchange] };
}

/** A reading that was seen. */
export function reads<Name extends string>(reading: Name, note: string, ...evidence: (Exchange | undefined)[]) {
  return { reading, note, evidence: evidence.filter((exchange) => exchange !== undefined) };
}

/** No reading was seen, and why. */
export function unseen(note: string, ...evidence: (Exchange | undefined)[]) {
  return { reading: undefined, note, evidence: evidence.filter((exchange) => exchange !== undefined) };
}
