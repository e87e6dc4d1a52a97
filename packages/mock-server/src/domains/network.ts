import { Assigner } from "./assigner.ts";
import type { AssignablePage, Assignment, PlaceRule, RejectedDomain } from "./assignment.ts";
import { defaultCatalogue } from "./catalogue.ts";
import { type Domain, parseCatalogue } from "./catalogue-schema.ts";

export { defaultCatalogue } from "./catalogue.ts";
export type * from "./assignment.ts";
export { type Domain, parseCatalogue, parsePlaceRule } from "./catalogue-schema.ts";
export { tellDecision } from "./sentence.ts";

/** A catalogue made ready to place pages. Holds no state about pages: same page, same load, same answer. */
export interface DomainNetwork {
  /** The domains, in the order given; frozen, also within. */
  readonly domains: readonly Readonly<Domain>[];
  /**
   * Decides where a page goes. `load` tells how many pages a domain serves already; it is asked only for domains with a
   * `capacity`. `rules` overrule the words, the last that is for the page.
   * @throws {RangeError} when `page.locale` is not a BCP 47 tag.
   */
  assign(page: AssignablePage, load: (domainName: string) => number, rules?: readonly PlaceRule[]): Assignment;
  /**
   * Names of the domains that {@link assign} gives, best first, for whoever needs no reasons.
   * @throws {RangeError} as {@link assign}.
   */
  place(page: AssignablePage, load: (domainName: string) => number, rules?: readonly PlaceRule[]): string[];
  /** Those of some domains that may not serve a page, however much room they have, with the reason. What is not in the catalogue may. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[];
}

/**
 * Makes a catalogue ready to place pages. The index is built when the first page comes.
 * @throws {TypeError} as {@link parseCatalogue}.
 */
export function createDomainNetwork(catalogue: readonly Domain[]): DomainNetwork {
  // Tests create a service each, nearly always with this catalogue, whose validity is a test; a network holds no state.
  if (catalogue === defaultCatalogue) return (defaultNetwork ??= new Assigner(catalogue));
  return new Assigner(parseCatalogue(catalogue));
}

let defaultNetwork: DomainNetwork | undefined;
