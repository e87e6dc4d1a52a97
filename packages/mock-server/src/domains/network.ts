import { Assigner } from "./assigner.ts";
import type { AssignablePage, Assignment } from "./assignment.ts";
import { defaultCatalogue } from "./catalogue.ts";
import { parseCatalogue, type Domain } from "./catalogue-schema.ts";

export { defaultCatalogue } from "./catalogue.ts";
export type {
  AssignablePage,
  AssignedDomain,
  Assignment,
  NearMiss,
  PageField,
  RejectedDomain,
  TermContribution,
} from "./assignment.ts";
export { parseCatalogue, type Domain } from "./catalogue-schema.ts";

/** A catalogue made ready to place pages. Holds no state about pages: same page, same load, same answer. */
export interface DomainNetwork {
  /** The domains, in the order given. */
  readonly domains: readonly Domain[];
  /**
   * Places a page. `load` tells how many pages a domain serves already; it is asked only for domains with a `capacity`.
   * @throws {RangeError} when `page.locale` is not a BCP 47 tag.
   */
  assign(page: AssignablePage, load: (domainName: string) => number): Assignment;
  /**
   * Names of the domains that {@link assign} gives, best first, for whoever needs no reasons: they cost more than the decision.
   * @throws {RangeError} when `page.locale` is not a BCP 47 tag.
   */
  place(page: AssignablePage, load: (domainName: string) => number): string[];
}

/**
 * Makes a catalogue ready to place pages. The index is built when the first page comes.
 * @throws {TypeError} as {@link parseCatalogue}.
 */
export function createDomainNetwork(catalogue: readonly Domain[]): DomainNetwork {
  // Tests create a service each, nearly always with this catalogue, whose validity is a test; a network holds no state.
  if (catalogue === defaultCatalogue) return (defaultNetwork ??= buildNetwork(catalogue));
  return buildNetwork(parseCatalogue(catalogue));
}

let defaultNetwork: DomainNetwork | undefined;

function buildNetwork(domains: readonly Domain[]): DomainNetwork {
  let assigner: Assigner | undefined;
  const ready = () => (assigner ??= new Assigner(domains));
  return {
    domains,
    assign: (page, load) => ready().assign(page, load),
    place: (page, load) => ready().place(page, load),
  };
}
