// The way into domain assignment for the other rooms.
import { DomainNetwork } from "./assigner.ts";
import { defaultCatalogue, type Domain, parseCatalogue } from "./catalogue.ts";

export type { DomainNetwork } from "./assigner.ts";
export type * from "./assignment.ts";
export { catalogueSchema, defaultCatalogue, type Domain, parseAssignmentRule, parseCatalogue } from "./catalogue.ts";
export { explain } from "./explanation.ts";

/** Makes a catalogue ready to assign pages; the index is built when the first page comes. @throws {TypeError} as {@link parseCatalogue}. */
export function createDomainNetwork(catalogue: readonly Domain[]): DomainNetwork {
  // Tests create a service each, nearly always with this catalogue. A network holds no state, so they share one.
  if (catalogue === defaultCatalogue) return (defaultNetwork ??= new DomainNetwork(catalogue));
  return new DomainNetwork(parseCatalogue(catalogue));
}

let defaultNetwork: DomainNetwork | undefined;
