/** A field whose words count in an assignment. */
export type PageField = "title" | "slug" | "meta_description" | "cta.label" | "content";

/** The fields of a page that an assignment reads. */
export interface AssignablePage {
  /** Title of the page; a word in it counts 3. */
  title: string;
  /** Body of the page, text or HTML; a word in it counts 1, less in long texts. */
  content: string;
  /** Slug of the page; a word in it counts 2, or 0 if the title, description or content has it too. Also breaks ties. */
  slug: string;
  /** Short description; a word in it counts 2. */
  meta_description?: string | null | undefined;
  /** Call to action. A word of `label` counts 1 if the page has it elsewhere too. The host of `url` is compared with `blockedCtaHosts`. */
  cta: { type: string; label: string; url: string };
  /** BCP 47 tag of the page's language. Not part of the documented page. @defaultValue detected from the page's words and letters */
  locale?: string | undefined;
}

/** Selects pages by slug, by words, or by both. At least one is required. */
export interface PageMatch {
  /** The page's slug, exactly. */
  slug?: string;
  /** Words or phrases. The page must have all of them in its title, description, content or slug, in any grammatical form. */
  words?: readonly string[];
}

/** A test's rule that assigns pages to domains of its choice. */
export interface AssignmentRule {
  /** Selects the pages. */
  match: PageMatch;
  /** Names of the domains, best first; 1 to 3. */
  domains: readonly string[];
}

/** The domains of a page, with the explanation. Plain data that survives JSON. */
export interface Assignment {
  /** Domains that serve the page, best first, at most 3. Empty only when no domain can take it. */
  domains: AssignedDomain[];
  /**
   * The deciding rule: one of the test (`rule`), one of the catalogue (`pin`), or shared words (`match`). With too little evidence, a
   * catch-all domain (`catch-all`), else a hash of the slug over all domains that can take the page (`rendezvous`). `none` when no
   * domain can.
   */
  how: "rule" | "pin" | "match" | "catch-all" | "rendezvous" | "none";
  /** The match that decided. Only with `rule` and `pin`. */
  rule?: PageMatch;
  /**
   * Why words did not decide: no domain lists a word of the page (`nothing-matched`), no domain has enough evidence (`thin-evidence`),
   * or the domains with enough evidence cannot take the page (`rejected`). Absent if `how` is `rule`, `pin` or `match`.
   */
  unmatched?: "nothing-matched" | "thin-evidence" | "rejected";
  /** Domains that cannot take the page, although the deciding rule or an earlier one in `how` would choose them. Highest score first. */
  rejected: RejectedDomain[];
  /**
   * Other domains that share words with the page; with `match`, only those with at least 0.3 of the best score. Best first, at most 5.
   * Empty with `rule` and `pin`.
   */
  nearMisses: NearMiss[];
  /**
   * Threshold that a domain's evidence must exceed: 1.9 on a bare page, else 4.2. One or two everyday words are not enough, except for a
   * topic on a bare page.
   */
  threshold: number;
  /** Score that a domain needed: 0.6 of the best. 0 if words did not decide. */
  cut: number;
  /**
   * The domain that was added because the dialect has a place for a second one (`alias`) and only one was found, and how it was found:
   * the next best by words, or else a catch-all, or else by a hash of the slug. Absent if there is none.
   */
  added?: { name: string; how: "match" | "catch-all" | "rendezvous" };
  /** Domains that a later update removed, because they may no longer serve the page. Absent if there are none. */
  left?: RejectedDomain[];
  /** The explanation in English. */
  explanation: string;
}

/** A domain that serves the page. */
export interface AssignedDomain {
  /** Host name. */
  name: string;
  /** Sum of the terms' scores; 0 when it shares no word with the page. */
  score: number;
  /** The same sum without rarity, so that it does not depend on other domains. It must exceed the threshold. */
  evidence: number;
  /** The contribution of each shared term, largest first. */
  terms: TermContribution[];
}

/** The contribution of one topic or keyword to a domain's score: `emphasis x strength x specificity x rarity`. */
export interface TermContribution {
  /** The topic or keyword as the catalogue writes it, such as `running shoes`. */
  term: string;
  /** Forms of the term in the page, in lower case and without accents, such as `running shoe`. */
  words: string[];
  /** Fields that contain the term, and how many times. In the order title, meta_description, content, slug, cta.label. Repetition in a field adds no weight. */
  fields: { field: PageField; count: number; /** Weight of the field for this term. */ weight: number }[];
  /** `4 w / (w + 3)`, where `w` is the sum of the fields' weights. Always below 4. */
  emphasis: number;
  /** 2 for a topic, 1 for a keyword. */
  strength: number;
  /** How specific a word is: 0.5 for the most common English words, 1 for a phrase and for words that are not among the 3 000 most common. */
  specificity: number;
  /** How few domains list the term: `ln(1 + 20 / n) / ln 21` for `n` domains, times 1.5 for a phrase. */
  rarity: number;
  /** Part of the domain's score; above 0. */
  score: number;
}

/** A domain that cannot take the page. */
export interface RejectedDomain {
  /** Host name. */
  name: string;
  /** The rule that excludes the domain. */
  reason: "inactive" | "locale" | "blocked-cta-host" | "capacity";
  /** The reason in words, with the values compared. */
  detail: string;
  /** Score that it would have had; 0 when it shares no word with the page. Always 0 in `left`. */
  score: number;
}

/** A domain that shares words with the page, but was not kept. */
export interface NearMiss extends Omit<AssignedDomain, "terms"> {
  /** Too little evidence or too few words; a score below the cut; or three better domains. */
  reason: "thin-evidence" | "below-cut" | "beyond-limit";
}

/** Most terms and domains that an explanation names. It only counts the others. */
const mostTermsListed = 5;
const mostDomainsListed = 3;

/** Adds the explanation to a decision. It replaces an earlier explanation. */
export function explain(decision: Omit<Assignment, "explanation">): Assignment {
  const { domains, how, cut, rejected, nearMisses, added, left = [] } = decision;
  const [best, ...others] = domains.filter(({ name }) => name !== added?.name);
  const parts = best === undefined ? [] : [describeBest(best, decision)];
  if (domains.length === 0) parts.push("No domain can take this page.");
  if (others.length > 0) {
    const why = how === "match" ? `, at or above the required ${cut.toFixed(2)}` : "";
    parts.push(`Also on ${listFew(others.map(describeScore))}${why}.`);
  }
  const second = domains.find(({ name }) => name === added?.name);
  if (second && added)
    parts.push(`The dialect has a place for a second domain: ${describeScore(second)}, ${addedBy[added.how]}.`);
  const nearest = nearMisses.map(({ name, score, evidence }) =>
    describeScore({ name, score: how === "match" ? score : evidence }),
  );
  if (nearMisses.length > 0) parts.push(`Near misses: ${listFew(nearest)}.`);
  if (rejected.length > 0) parts.push(`Not on ${listFew(rejected.map(describeRejected))}.`);
  if (left.length > 0) parts.push(`An update took it off ${listFew(left.map(describeRejected))}.`);
  return { ...decision, explanation: parts.join(" ") };
}

const addedBy = { match: "the next best", "catch-all": "the catch-all", rendezvous: "by the hash of the slug" };

function describeBest(best: AssignedDomain, decision: Omit<Assignment, "explanation">): string {
  const { how, rule, unmatched = "rejected", threshold } = decision;
  if (rule !== undefined) {
    const slug = rule.slug === undefined ? [] : [`the slug "${rule.slug}"`];
    const words = rule.words === undefined ? [] : [joinWords(rule.words.map((word) => `"${word}"`))];
    const who = how === "rule" ? "The test assigns" : "The catalogue pins";
    return `${who} pages with ${joinWords([...slug, ...words])} to ${best.name}.`;
  }
  if (how === "match") {
    const described = best.terms.slice(0, mostTermsListed).map(describeTerm);
    const rest = best.terms.slice(mostTermsListed);
    const more = rest.reduce((total, { score }) => total + score, 0);
    if (rest.length > 0) described.push(`${rest.length} more (${more.toFixed(2)})`);
    const verb = best.terms.length === 1 ? "assigns" : "assign";
    return `${joinWords(described)} ${verb} this page to ${best.name} with ${best.score.toFixed(2)}.`;
  }
  const why = {
    "nothing-matched": "No domain lists a word of this page",
    "thin-evidence": `No domain has evidence above ${threshold.toFixed(2)} in enough words`,
    rejected: "The domains that match cannot take this page",
  }[unmatched];
  const where =
    how === "catch-all" ? "so it goes to the catch-all" : "and no catch-all can take it, so the hash of its slug picks";
  return `${why}, ${where} ${best.name}.`;
}

function describeTerm({ term, fields, score }: TermContribution): string {
  const places = fields.map(({ field, count }) => (count === 1 ? field : `${field}, ${count} times`));
  return `"${term}" (${places.join(", ")}: ${score.toFixed(2)})`;
}

function describeScore({ name, score }: { name: string; score: number }): string {
  return score > 0 ? `${name} (${score.toFixed(2)})` : name;
}

function describeRejected({ name, detail }: RejectedDomain): string {
  return `${name}, which ${detail}`;
}

function listFew(described: readonly string[]): string {
  const more = described.length - mostDomainsListed;
  return joinWords(more > 0 ? [...described.slice(0, mostDomainsListed), `${more} more`] : described);
}

function joinWords(words: readonly string[]): string {
  return new Intl.ListFormat("en-GB").format(words);
}
