import { DomainNetwork } from "./assigner.ts";
import { defaultCatalogue } from "./catalogue.ts";
import { type Domain, parseCatalogue } from "./catalogue-schema.ts";

export type { DomainNetwork } from "./assigner.ts";
export { defaultCatalogue } from "./catalogue.ts";
export type * from "./assignment.ts";
export { type Domain, parseCatalogue, parsePlaceRule } from "./catalogue-schema.ts";
export { tellDecision } from "./sentence.ts";

/** Makes a catalogue ready to place pages; the index is built when the first comes. @throws {TypeError} as {@link parseCatalogue}. */
export function createDomainNetwork(catalogue: readonly Domain[]): DomainNetwork {
  // Tests create a service each, nearly always with this catalogue, whose validity is a test; a network holds no state.
  if (catalogue === defaultCatalogue) return (defaultNetwork ??= new DomainNetwork(catalogue));
  return new DomainNetwork(parseCatalogue(catalogue));
}

let defaultNetwork: DomainNetwork | undefined;
