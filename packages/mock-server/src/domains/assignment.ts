import { splitWords } from "./words.ts";

/** A part of a page that is read for words. */
export type PageField = "title" | "slug" | "meta_description" | "cta.label" | "content";

/** The fields of a page that an assignment reads. */
export interface AssignablePage {
  /** Title of the page; a word in it counts 3. */
  title: string;
  /** Body of the page, perhaps HTML, of which the text is read; a word in it counts 1, less in long texts. */
  content: string;
  /** Slug of the page; a word in it counts 2, or 0 where the title has it too. Also breaks ties. */
  slug: string;
  /** Short description; a word in it counts 2. */
  meta_description?: string | null | undefined;
  /** Call to action: a word of `label` counts 1, only where the page says it elsewhere too; the host of `url` is compared with `blockedCtaHosts`. */
  cta: { type: string; label: string; url: string };
  /** BCP 47 tag of the page's language. Not part of the documented page. @defaultValue read from the page's words and letters */
  locale?: string | undefined;
}

/** Selects pages by slug, by words, or by both; at least one is given. */
export interface PageMatch {
  /** The page's slug, exactly. */
  slug?: string;
  /** Words or phrases that the page has, all of them, in its title, description, content or slug; in any form, as `keywords`. */
  words?: readonly string[];
}

/** A test's rule that assigns pages to domains of its choice. */
export interface AssignmentRule {
  /** Which pages. */
  match: PageMatch;
  /** Names of the domains, best first; 1 to 3. */
  domains: readonly string[];
}

/** The domains of a page, and why. Plain data, fit for JSON. */
export interface Assignment {
  /** Domains that serve the page, best first, at most 3. Empty only when no domain can take it. */
  domains: AssignedDomain[];
  /**
   * What decided: a rule of the test (`rule`); a rule of the catalogue (`pin`); shared words (`match`); where there is too little
   * evidence, a catch-all domain, else the slug's hash over all domains that can take the page (`rendezvous`);
   * `none` when no domain can.
   */
  how: "rule" | "pin" | "match" | "catch-all" | "rendezvous" | "none";
  /** The match that decided; with `rule` and `pin` only. */
  rule?: PageMatch;
  /**
   * Why words decided nothing: the page and the catalogue share none (`nothing-matched`); they do, but no domain has enough
   * evidence (`thin-evidence`); the domains that do cannot take the page (`rejected`). Absent if `how` is `rule`, `pin` or `match`.
   */
  unmatched?: "nothing-matched" | "thin-evidence" | "rejected";
  /** Domains that would have been kept, with the reason why not; highest score first, then by name. */
  rejected: RejectedDomain[];
  /** Domains that share words with the page, but not enough: at least 0.3 of the best, best first, at most 5. */
  nearMisses: NearMiss[];
  /** Evidence that a domain needs more of, from more than one or two everyday words: 1.9 on a bare page, else 3.9 to 5.6, more for a longer content. */
  threshold: number;
  /** Score a domain needed: 0.6 of the best. 0 where words decided nothing. */
  cut: number;
  /** Domains the page left at a later update, because they may not serve it any more. Absent until then. */
  left?: RejectedDomain[];
  /** The whole decision in English. */
  explanation: string;
}

/** A domain that serves the page. */
export interface AssignedDomain {
  /** Host name. */
  name: string;
  /** Sum of the terms' scores; 0 when it shares no word with the page. */
  score: number;
  /** The same sum without rarity, so that it does not depend on other domains. It is compared with the threshold. */
  evidence: number;
  /** What each shared word added, most first. */
  terms: TermContribution[];
}

/** What one topic or keyword added to a domain's score: `emphasis x strength x specificity x rarity`. */
export interface TermContribution {
  /** The topic or keyword as the catalogue writes it, such as `running shoes`; of a longer one in Chinese and the like, the pair of characters. */
  term: string;
  /** Forms in which the page has it, lower case and without accents, such as `running shoe`; at most 8. */
  words: string[];
  /** Fields that have it and how many times, in the order title, slug, meta_description, content, cta.label. A field counts once, however often it has it. */
  fields: { field: PageField; count: number; /** What the field counts here. */ weight: number }[];
  /** `4 w / (w + 3)`, where `w` is the sum of the fields' weights: never more than 4. */
  emphasis: number;
  /** 2 for a topic, 1 for a keyword; shared by the pairs of characters of a longer one in Chinese and the like. */
  strength: number;
  /** How specific a word is: 0.5 for the most common English words, 1 for a phrase and for words that are not among the 3 000 most common. */
  specificity: number;
  /** 1 when no other domain lists it, less for more: `ln(1 + 20 / n) / ln 21` for `n` domains; of a phrase half as much again. */
  rarity: number;
  /** Part of the domain's score; above 0. */
  score: number;
}

/** A domain that would have been kept but cannot take the page. */
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

/** A domain that shares words with the page, but was not kept. */
export interface NearMiss extends Omit<AssignedDomain, "terms"> {
  /** Too little evidence or too few words, enough but a score below the cut, or after three better ones. */
  reason: "thin-evidence" | "below-cut" | "beyond-limit";
}

/** Words named for the best domain; the rest are summed up. */
const mostWordsListed = 5;
const mostDomainsListed = 3;

/** Adds the explanation to a decision, replacing an earlier one: the deciding words, the domains, near misses, and rejected domains. */
export function explain(decision: Omit<Assignment, "explanation">): Assignment {
  const { domains, how, cut, rejected, nearMisses, left = [] } = decision;
  const [best, ...others] = domains;
  const parts = [best === undefined ? "No domain can take this page." : describeBest(best, decision)];
  if (others.length > 0) {
    const why = how === "match" ? `, at or above the ${cut.toFixed(2)} it takes` : "";
    parts.push(`Also on ${joinFew(others.map(describeScore))}${why}.`);
  }
  if (how === "match" && nearMisses.length > 0)
    parts.push(`Near, but not enough: ${joinFew(nearMisses.map(describeScore))}.`);
  if (rejected.length > 0) parts.push(`Not on ${joinFew(rejected.map(describeRejected))}.`);
  if (left.length > 0) parts.push(`An update took it off ${joinFew(left.map(describeRejected))}.`);
  return { ...decision, explanation: parts.join(" ") };
}

function describeBest(
  best: AssignedDomain,
  { how, rule = {}, unmatched, nearMisses, threshold }: Omit<Assignment, "explanation">,
): string {
  if (how === "rule") return `The test assigns pages with ${describeRule(rule)} to ${best.name}.`;
  if (how === "pin") return `The catalogue pins pages with ${describeRule(rule)} to ${best.name}.`;
  if (how === "match") {
    const described = best.terms.slice(0, mostWordsListed).map(describeTerm);
    const rest = best.terms.slice(mostWordsListed);
    const more = rest.reduce((total, { score }) => total + score, 0);
    if (rest.length > 0) described.push(`${rest.length} more (${more.toFixed(2)})`);
    return `${joinWords(described)} assign this page to ${best.name} with ${best.score.toFixed(2)}.`;
  }
  const why = {
    "nothing-matched": "No domain lists a word of this page",
    "thin-evidence": `No domain has enough evidence${describeNearest(nearMisses, threshold)}`,
    rejected: "The domains that match cannot take this page",
  }[unmatched ?? "nothing-matched"];
  const where =
    how === "catch-all" ? "it goes to the catch-all" : "there is no catch-all, and the hash of its slug picks";
  return `${why}, so ${where} ${best.name}.`;
}

function describeNearest([nearest]: readonly NearMiss[], threshold: number): string {
  if (nearest === undefined) return "";
  const { name, evidence } = nearest;
  const lack = evidence > threshold ? "in too few words" : `and it takes more than ${threshold.toFixed(2)}`;
  return ` (${name} came nearest with ${evidence.toFixed(2)}, ${lack})`;
}

function describeRule({ slug, words = [] }: PageMatch): string {
  const described = slug === undefined ? [] : [`the slug "${slug}"`];
  if (words.length > 0) described.push(joinWords(words.map((word) => `"${word}"`)));
  return joinWords(described);
}

/** A term in the forms that the page has, the catalogue's own with its accents and capitals. */
function describeTerm({ term, words, fields, score }: TermContribution): string {
  const compared = words.includes(term) ? term : splitWords(term).join(" ");
  const described = words.map((word) => `"${word === compared ? term : word}"`);
  const places = fields.map(({ field, count }) => (count === 1 ? field : `${field}, ${count} times`));
  return `${joinWords(described)} (${places.join(", ")}: ${score.toFixed(2)})`;
}

function describeScore({ name, score }: { name: string; score: number }): string {
  return score > 0 ? `${name} (${score.toFixed(2)})` : name;
}

function describeRejected({ name, detail }: RejectedDomain): string {
  return `${name}, which ${detail}`;
}

function joinFew(described: readonly string[]): string {
  const more = described.length - mostDomainsListed;
  return joinWords(more > 0 ? [...described.slice(0, mostDomainsListed), `${more} more`] : described);
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
