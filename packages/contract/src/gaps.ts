import { freezeDeep } from "./json.ts";
import { endpointGaps } from "./gaps/endpoint-gaps.ts";
import type { Gap } from "./gaps/gap.ts";
import { recordGaps } from "./gaps/records.ts";
import { serviceGaps } from "./gaps/service.ts";

export type { Gap };

/**
 * Every gap of the spec, by id, in the order of the spec. The page `docs/spec-gaps.md`, the served list of assumptions
 * and the type of a dialect are all made from this table.
 */
export const gaps = freezeDeep({ ...recordGaps, ...endpointGaps, ...serviceGaps } as const satisfies Record<
  string,
  Gap
>);

/** Id of a gap, such as `list-envelope`; also its anchor in `docs/spec-gaps.md`. */
export type GapId = keyof typeof gaps;

/** Names of the readings of one gap. */
export type Reading<Id extends GapId> = keyof (typeof gaps)[Id]["readings"] & string;

/** Ids of the gaps that have more than one reading, and so can be switched. */
export type SwitchId = {
  [Id in GapId]: IsUnion<Reading<Id>> extends true ? Id : never;
}[GapId];

/** One reading for every gap that can be switched. */
export type Switches = { [Id in SwitchId]: Reading<Id> };

type IsUnion<Name, Copy = Name> = Name extends unknown ? ([Copy] extends [Name] ? false : true) : never;

/** Ids of the gaps that can be switched, in the order of the spec. */
export const switchIds: readonly SwitchId[] = freezeDeep(
  Object.entries<Gap>(gaps)
    .filter(([, gap]) => Object.keys(gap.readings).length > 1)
    .map(([id]) => id as SwitchId), // why: the table itself is what the type is derived from
);

const firstReadings = switchIds.map((id) => [id, Object.keys(gaps[id].readings)[0]]);

/** What our reference service does unless told otherwise: the first reading of every gap that can be switched. */
export const referenceSwitches: Readonly<Switches> = freezeDeep(Object.fromEntries(firstReadings) as Switches); // why: the table itself is what the type is derived from
