import type { DomainNetwork, AssignmentRule } from "../domains/network.ts";

/**
 * A decision about where a page goes, kept as all that it follows from: deciding once more tells its reasons, which are
 * a multiple of the page and hardly ever asked for.
 */
export interface DecidedBy {
  /** The network that decided; it never changes. */
  readonly network: DomainNetwork;
  readonly rules: readonly AssignmentRule[];
  /** Pages on each domain that was asked how full it is; `undefined` when none was. */
  readonly loads: Readonly<Record<string, number>> | undefined;
  /** The record as it was, as JSON. Shared with the page until an update. */
  readonly text: string;
}

/** A page as it is kept: its JSON text, written once per change and sent as it stands ever after. */
export interface StoredPage {
  readonly id: string;
  /** Rank of creation: pages are listed by it. */
  readonly sequence: number;
  slug: string;
  /** Names of the domains that serve it, best first. */
  domains: readonly string[];
  /** The record as JSON. */
  text: string;
  /** Length of the text in bytes of UTF-8. */
  bytes: number;
  /** Why it is on its domains, as it was decided, or as JSON what somebody else told of it; `undefined` where nobody said. */
  assignment: DecidedBy | string | undefined;
}
