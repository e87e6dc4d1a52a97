/** A part of a page that is read for words. */
export type PageField = "title" | "slug" | "meta_description" | "cta.label" | "content";

/** The parts of a page that are read for words, in the order explanations name them. */
export const pageFields: readonly PageField[] = ["title", "slug", "meta_description", "cta.label", "content"];

/** What is read of a page to place it. */
export interface AssignablePage {
  /** Title of the page; its words count three times. */
  title: string;
  /** Body of the page; its words count once, less in long texts. */
  content: string;
  /** Slug of the page; its words count twice. Also breaks ties. */
  slug: string;
  /** Short description; its words count twice. */
  meta_description?: string | null | undefined;
  /** Call to action: the words of `label` count once, the host of `url` is held against `blockedCtaHosts`. */
  cta: { type: string; label: string; url: string };
  /**
   * BCP 47 tag of the page's language. Not part of the documented page; without it only the script is looked at.
   * @defaultValue read from the text's script
   */
  locale?: string | undefined;
}

/** Where a page goes, and why. Plain data, fit for JSON. */
export interface Assignment {
  /** Domains that serve the page, best first, at most 3. Empty only when no domain can take it. */
  domains: AssignedDomain[];
  /**
   * What decided: shared words (`match`); no shared word, so a catch-all domain, else the slug's hash over all domains
   * that can take the page (`rendezvous`); `none` when no domain can.
   */
  how: "match" | "catch-all" | "rendezvous" | "none";
  /** Domains that would have been in the running, with the reason why not; highest score first, then by name. */
  rejected: RejectedDomain[];
  /** Domains that matched but not well enough, best first, at most 5. */
  nearMisses: NearMiss[];
  /** Score a domain needed: 0.6 of the best. 0 when nothing matched. */
  cut: number;
  /** The whole decision as a person would tell it, in English. */
  sentence: string;
}

/** A domain that serves the page. */
export interface AssignedDomain {
  /** Host name. */
  name: string;
  /** Sum of the terms' scores; 0 when the domain was not chosen for its words. */
  score: number;
  /** What each shared word added, most first. */
  terms: TermContribution[];
}

/** What one word added to a domain's score. */
export interface TermContribution {
  /** Stem under which page and catalogue agree, such as `shoe`. */
  term: string;
  /** Forms in which the page has it, lower case, such as `shoes`. */
  words: string[];
  /** Fields that have it and how many times, in the order title, slug, meta_description, cta.label, content. */
  fields: { field: PageField; count: number }[];
  /** Part of the domain's score; above 0. */
  score: number;
}

/** A domain that was in the running but cannot take the page. */
export interface RejectedDomain {
  /** Host name. */
  name: string;
  /** Which filter refused. */
  reason: "inactive" | "locale" | "blocked-cta-host" | "capacity";
  /** The reason in words, with the values compared. */
  detail: string;
  /** Score it would have had; 0 when it shares no word with the page. */
  score: number;
}

/** A domain that matched, but was not kept. */
export interface NearMiss {
  /** Host name. */
  name: string;
  /** Its score, as for domains that were kept. */
  score: number;
  /** Below the cut, or above it but after three better ones. */
  reason: "below-cut" | "beyond-limit";
}
