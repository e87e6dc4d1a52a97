import type { AssignedDomain, PageField, TermContribution } from "./assignment.ts";
import type { Domain } from "./catalogue.ts";
import commonWords from "./common-words.json" with { type: "json" };
import { isTelling, isUnspaced, type ReadPage, splitWords, stemEnglish } from "./words.ts";

/** What a word counts in each field of a page. */
const fieldWeights: Record<PageField, number> = { title: 3, slug: 2, meta_description: 2, content: 1, "cta.label": 1 };

/** A topic is what a domain is called for; a keyword is what it also mentions. */
const strengths = { topics: 2, keywords: 1 } as const;

/** A phrase ranks higher than a word, because far more of the phrases that a page shares with a domain belong to its subject. */
const phraseRarity = 1.5;

/** Different telling words up to which a content counts in full. A long text mentions much that it is not about. */
const usualContentWords = 60;

/** A content with fewer different telling words hardly says anything, so a title may speak for it. */
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

/** The domains that list a term, by its words joined by spaces. A phrase's beginnings stand here too, with no domains. */
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
      const terms = isEnglish ? this.#stems : this.#texts;
      for (const kind of ["topics", "keywords"] as const)
        for (const term of domain[kind]) {
          const words = splitWords(term);
          if (!words.some(isTelling)) continue;
          const strength = strengths[kind];
          if (!words.every(isUnspaced))
            addPosting(terms, isEnglish ? words.map(stemEnglish) : words, { domain, term, strength });
          else addPairs(terms, Array.from(new Set(words)), { domain, term, strength });
        }
    }
  }

  /** Finds the terms that a page shares with each domain, unordered. */
  match(page: ReadPage): Map<Domain, TermContribution[]> {
    const contributions = new Map<Domain, TermContribution[]>();
    for (const mentions of [findTerms(this.#stems, page, stemEnglish), findTerms(this.#texts, page)])
      for (const [key, mention] of mentions) addTerm(contributions, key, mention, page);
    return contributions;
  }
}

function addPosting(terms: Terms, words: readonly string[], posting: Posting): void {
  let key = "";
  for (const word of words) {
    key = key === "" ? word : `${key} ${word}`;
    if (!terms.has(key)) terms.set(key, new Map());
  }
  const postings = terms.get(key);
  const known = postings?.get(posting.domain);
  if (known === undefined || known.strength < posting.strength) postings?.set(posting.domain, posting);
}

/** Without spaces nothing shows where words begin, so each pair of characters counts for its share of the term. */
function addPairs(terms: Terms, pairs: readonly string[], { domain, term, strength }: Posting): void {
  for (const pair of pairs)
    addPosting(terms, [pair], { domain, term: pairs.length === 1 ? term : pair, strength: strength / pairs.length });
}

/** Finds the terms that a page has, by their keys. */
function findTerms(terms: Terms, page: ReadPage, stem = (word: string) => word): Map<string, Mention> {
  const mentions = new Map<string, Mention>();
  for (const [field, words] of page.words) {
    const stems = words.map(stem);
    for (const [start, first] of stems.entries()) {
      let key = first;
      for (let end = start + 1; ; end += 1) {
        const postings = terms.get(key);
        if (postings === undefined) break;
        const form = words.slice(start, end);
        if (postings.size > 0 && form.some(isTelling)) {
          const mention = mentions.get(key) ?? { postings, counts: new Map(), forms: new Set() };
          mentions.set(key, mention);
          mention.counts.set(field, (mention.counts.get(field) ?? 0) + 1);
          if (mention.forms.size < mostForms) mention.forms.add(form.join(" "));
        }
        if (end === stems.length) break;
        key += ` ${stems[end]}`;
      }
    }
  }
  return mentions;
}

/** Scores a term for each domain that lists it. */
function addTerm(
  contributions: Map<Domain, TermContribution[]>,
  key: string,
  { postings, counts, forms }: Mention,
  page: ReadPage,
): void {
  const fields = Array.from(counts, ([field, count]) => ({ field, count, weight: weighField(field, counts, page) }));
  // A call to action alone says nothing, nor does the slug of a foreign page, which is often English.
  if (fields.every(({ field }) => field === "cta.label" || (field === "slug" && !page.isEnglish))) return;
  const weight = fields.reduce((sum, field) => sum + field.weight, 0);
  const emphasis = (4 * weight) / (weight + 3);
  const rarity = ((key.includes(" ") ? phraseRarity : 1) * Math.log(1 + 20 / postings.size)) / Math.log(21);
  const specificity = specificityOf(key, page);
  const words = Array.from(forms);
  for (const { domain, term, strength } of postings.values()) {
    const score = roundAddend(emphasis * strength * specificity * rarity);
    const known = contributions.get(domain) ?? [];
    contributions.set(domain, known);
    known.push({ term, words, fields, emphasis, strength, rarity, specificity, score });
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

/** Adds up what a domain's terms say, and sorts them, most first. */
export function scoreTerms(terms: readonly TermContribution[]): DomainMatch {
  return {
    score: terms.reduce((sum, { score }) => sum + score, 0),
    evidence: terms.reduce((sum, term) => sum + evidenceOf(term), 0),
    terms: terms.toSorted((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1)),
  };
}

/** What a term adds to the evidence for a domain: its score without rarity. */
function evidenceOf({ emphasis, strength, specificity }: TermContribution): number {
  return roundAddend(emphasis * strength * specificity);
}

/**
 * The nearest multiple of 2^-36. Sums of such numbers are exact up to 2^17, so the order of the catalogue decides nothing and the
 * contributions add up to the score to the last bit.
 */
function roundAddend(value: number): number {
  return Math.round(value * 2 ** 36) / 2 ** 36;
}

/** Evidence that a domain needs more of: 1.9 on a bare page; else 3.6 and 0.05 for each telling word up to 40, because a long text mentions more. */
export function thresholdFor({ tellingWords }: ReadPage): number {
  return tellingWords < wordyFrom ? 1.9 : 3.6 + 0.05 * Math.min(tellingWords, 40);
}

/**
 * Whether a domain has enough evidence that a page belongs to it. Its terms must weigh more than the threshold, and be a phrase, three
 * everyday words, or two words of which one is no everyday word. On a bare page one such word suffices, or a topic.
 */
export function hasEnough({ evidence, terms }: DomainMatch, page: ReadPage): boolean {
  if (evidence <= thresholdFor(page)) return false;
  const isBare = page.tellingWords < wordyFrom;
  const independent = findIndependent(terms);
  const hasPhrase = independent.some(({ words: [form = ""] }) => form.includes(" "));
  const isStrong = independent.some(({ strength, specificity }) => specificity === 1 || (isBare && strength === 2));
  return hasPhrase || independent.length > 2 || (isStrong && (isBare || independent.length > 1));
}

/** The terms that share no word with a stronger one: `car hire` beside `car` is one sign, not two. */
function findIndependent(terms: readonly TermContribution[]): TermContribution[] {
  const seen = new Set<string>();
  const strongestFirst = terms.toSorted((one, other) => evidenceOf(other) - evidenceOf(one));
  return strongestFirst.filter(({ words: [form = ""] }) => {
    const stems = form.split(" ").map(stemEnglish);
    const isNew = !stems.some((stem) => seen.has(stem));
    for (const stem of stems) seen.add(stem);
    return isNew;
  });
}
