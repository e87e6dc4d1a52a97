import table from "./gaps.json" with { type: "json" };
import { freezeDeep } from "./json.ts";

/** One question that the spec leaves open, and the interpretations that the toolkit supports. */
export interface Gap {
  /** Heading of the spec under which the question is left open. */
  readonly heading: string;
  /** The question. */
  readonly question: string;
  /** Interpretations by name. The mock uses the first one by default. No name is a bare number, because JavaScript would sort it first. */
  readonly interpretations: Readonly<Record<string, string>>;
  /** What the SDK does, if a user should know. It works with every interpretation. */
  readonly sdk?: string;
}

/**
 * Every gap of the spec, by id, in the order of the spec. The page `docs/spec-gaps.md`, the served list of assumptions
 * and the type of a dialect are all made from this table.
 */
export const gaps = freezeDeep(table satisfies Record<string, Gap>);

/** Id of a gap, such as `list-envelope`; also its anchor in `docs/spec-gaps.md`. */
export type GapId = keyof typeof gaps;

/** Names of the interpretations of one gap. */
export type Interpretation<Id extends GapId> = keyof (typeof gaps)[Id]["interpretations"] & string;

/** Ids of the gaps with more than one interpretation, which can be switched. */
export type SwitchId = {
  [Id in GapId]: IsUnion<Interpretation<Id>> extends true ? Id : never;
}[GapId];

/** One interpretation for every gap that can be switched. */
export type Switches = { [Id in SwitchId]: Interpretation<Id> };

type IsUnion<Name, Copy = Name> = Name extends unknown ? ([Copy] extends [Name] ? false : true) : never;

/** Ids of the gaps that can be switched, in the order of the spec. */
export const switchIds: readonly SwitchId[] = freezeDeep(
  Object.entries<Gap>(gaps)
    .filter(([, gap]) => Object.keys(gap.interpretations).length > 1)
    .map(([id]) => id as SwitchId), // why: the table itself is what the type is derived from
);

const defaults = switchIds.map((id) => [id, Object.keys(gaps[id].interpretations)[0]]);

/** What the mock server does by default: the first interpretation of every gap that can be switched. */
export const referenceSwitches: Readonly<Switches> = freezeDeep(Object.fromEntries(defaults) as Switches); // why: the table itself is what the type is derived from
