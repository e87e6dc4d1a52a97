import type { AssignedDomain, PageField, TermContribution } from "./assignment.ts";
import type { Domain } from "./catalogue.ts";
import commonWords from "./common-words.json" with { type: "json" };
import { isTelling, type ReadPage, splitWords, stemEnglish } from "./words.ts";

/** What a word counts in each field of a page. */
const fieldWeights: Record<PageField, number> = { title: 3, slug: 2, meta_description: 2, content: 1, "cta.label": 1 };

/** A topic is what a domain is about; a keyword is what its pages also mention. */
const strengths = { topics: 2, keywords: 1 } as const;

/** A phrase ranks higher than a word, because far more of the phrases that a page shares with a domain belong to its subject. */
const phraseRarity = 1.5;

/** Different telling words up to which a content counts in full. A long text mentions much that it is not about. */
const usualContentWords = 60;

/** Content with fewer different meaningful words says little, so the title alone may decide. */
const wordyFrom = 6;

/** Forms of a word listed in an explanation; accents alone can make thousands that mean the same. */
const mostForms = 8;

/** A topic or keyword of a domain. */
interface Posting {
  domain: Domain;
  /** As the catalogue writes it. */
  term: string;
  strength: number;
}

/** The domains that list a term, by its words joined by spaces. The beginnings of phrases are keys too, without domains. */
type Terms = Map<string, Map<Domain, Posting>>;

/** A term that a page has: how often in each field, and in which forms. */
interface Mention {
  postings: ReadonlyMap<Domain, Posting>;
  counts: Map<PageField, number>;
  forms: Set<string>;
}

/** How well a domain matches a page, as {@link AssignedDomain}. */
export type DomainMatch = Omit<AssignedDomain, "name">;

/**
 * Inverted index of a catalogue: the domains that list each topic or keyword.
 *
 * A score is a sum over shared terms. No part of it depends on how many domains there are or what else they list, so a domain
 * that shares no word with a page changes nothing.
 */
export class TermIndex {
  readonly #stems: Terms = new Map();
  readonly #texts: Terms = new Map();

  /** Words are compared without English endings where page and domain may both be English, elsewhere as they are written. */
  constructor(domains: readonly Domain[], isEnglishPage: boolean) {
    for (const domain of domains) {
      const isEnglish = isEnglishPage && new Intl.Locale(domain.locale ?? "en").language === "en";
      for (const kind of ["topics", "keywords"] as const)
        for (const term of domain[kind]) {
          const words = splitWords(term);
          if (!words.some(isTelling)) continue;
          const posting = { domain, term, strength: strengths[kind] };
          if (isEnglish) addPosting(this.#stems, words.map(stemEnglish), posting);
          else addPosting(this.#texts, words, posting);
        }
    }
  }

  /** Scores each domain that shares a term with a page. */
  match(page: ReadPage): Map<Domain, DomainMatch> {
    const matches = new Map<Domain, DomainMatch>();
    for (const [terms, stem] of [[this.#stems, stemEnglish] as const, [this.#texts, String] as const])
      for (const [key, mention] of findTerms(terms, page, stem)) addTerm(matches, key, mention, page);
    for (const match of matches.values()) {
      // Added in one order, so that the order of the catalogue decides nothing to the last bit.
      match.terms.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
      for (const term of match.terms) {
        match.score += term.score;
        match.evidence += evidenceOf(term);
      }
    }
    return matches;
  }
}

function addPosting(terms: Terms, words: readonly string[], posting: Posting): void {
  let key = "";
  for (const word of words) {
    key = key === "" ? word : `${key} ${word}`;
    if (!terms.has(key)) terms.set(key, new Map());
  }
  const known = terms.get(key)?.get(posting.domain);
  if (known === undefined || known.strength < posting.strength) terms.get(key)?.set(posting.domain, posting);
}

/** Finds the terms that a page has, by their keys. */
function findTerms(terms: Terms, page: ReadPage, stem: (word: string) => string): Map<string, Mention> {
  const mentions = new Map<string, Mention>();
  for (const [field, words] of page.words) {
    const stems = words.map((word) => stem(word));
    for (const start of stems.keys()) {
      let key = stems[start] ?? "";
      for (let end = start + 1; terms.has(key); key += ` ${stems[end]}`, end += 1) {
        const postings = terms.get(key);
        const form = words.slice(start, end);
        if (postings !== undefined && postings.size > 0 && form.some(isTelling)) {
          const mention = mentions.get(key) ?? { postings, counts: new Map(), forms: new Set() };
          mentions.set(key, mention);
          mention.counts.set(field, (mention.counts.get(field) ?? 0) + 1);
          if (mention.forms.size < mostForms) mention.forms.add(form.join(" "));
        }
        if (end === stems.length) break;
      }
    }
  }
  return mentions;
}

/** Adds what a term says for each domain that lists it. */
function addTerm(matches: Map<Domain, DomainMatch>, key: string, mention: Mention, page: ReadPage): void {
  const { postings, counts } = mention;
  const fields: TermContribution["fields"] = [];
  let weight = 0;
  let isElsewhere = false;
  for (const [field, count] of counts) {
    const own = weighField(field, counts, page);
    fields.push({ field, count, weight: own });
    weight += own;
    // A call to action alone says nothing, nor does the slug of a foreign page, which is often English.
    isElsewhere ||= field !== "cta.label" && (field !== "slug" || page.isEnglish);
  }
  if (!isElsewhere) return;
  const emphasis = (4 * weight) / (weight + 3);
  const rarity = ((key.includes(" ") ? phraseRarity : 1) * Math.log(1 + 20 / postings.size)) / Math.log(21);
  const specificity = specificityOf(key, page);
  const words = Array.from(mention.forms);
  for (const { domain, term, strength } of postings.values()) {
    const match = matches.get(domain) ?? { score: 0, evidence: 0, terms: [] };
    matches.set(domain, match);
    const score = emphasis * strength * specificity * rarity;
    match.terms.push({ term, words, fields, emphasis, strength, rarity, specificity, score });
  }
}

/** A slug is mostly made from the title and is no second sign of what the title says. */
function weighField(field: PageField, counts: ReadonlyMap<PageField, number>, { tellingWords }: ReadPage): number {
  if (field === "slug" && counts.has("title")) return 0;
  return fieldWeights[field] * (field === "content" ? Math.min(1, usualContentWords / tellingWords) : 1);
}

/** Ranks of everyday words by their stems, 1 for the commonest. */
const ranks = new Map(
  Array.from(new Set(commonWords.words.split(" ").map(stemEnglish)), (stem, index) => [stem, index + 1]),
);

/**
 * How much a word says about a page, from 0.5 for the hundred commonest of English to 1 for words that are not everyday words.
 * A phrase of everyday words is no everyday phrase. Only English words are known to be common.
 */
function specificityOf(term: string, { isEnglish }: ReadPage): number {
  const rank = isEnglish ? (ranks.get(term) ?? ranks.size) : ranks.size;
  return 0.5 + 0.5 * Math.max(0, Math.log(rank / 100) / Math.log(ranks.size / 100));
}

/** What a term adds to the evidence for a domain: its score without rarity. */
function evidenceOf({ emphasis, strength, specificity }: TermContribution): number {
  return emphasis * strength * specificity;
}

/** Evidence that a domain needs more of: 1.9 on a bare page; else 3.6 and 0.05 for each telling word up to 40, because a long text mentions more. */
export function thresholdFor({ tellingWords }: ReadPage): number {
  return tellingWords < wordyFrom ? 1.9 : 3.6 + 0.05 * Math.min(tellingWords, 40);
}

/**
 * Whether a domain has enough evidence that a page belongs to it. Its terms must weigh more than the threshold, and be a phrase, three
 * everyday words, or two words of which one is no everyday word. On a bare page one such word suffices, or a topic. A term that
 * shares a word with a stronger one counts no second time: `car hire` beside `car` is one sign.
 */
export function hasEnough({ evidence, terms }: DomainMatch, page: ReadPage): boolean {
  if (evidence <= thresholdFor(page)) return false;
  const isBare = page.tellingWords < wordyFrom;
  const seen = new Set<string>();
  let signs = 0;
  let isStrong = false;
  for (const term of terms.toSorted((one, other) => evidenceOf(other) - evidenceOf(one))) {
    const stems = (term.words[0] ?? "").split(" ").map(stemEnglish);
    if (stems.some((stem) => seen.has(stem))) continue;
    for (const stem of stems) seen.add(stem);
    if (stems.length > 1) return true;
    signs += 1;
    isStrong ||= term.specificity === 1 || (isBare && term.strength === 2);
  }
  return signs > 2 || (isStrong && (isBare || signs > 1));
}
