import type { PageField, TermContribution } from "./assignment.ts";
import type { Domain } from "./catalogue.ts";
import type { ReadPage } from "./read-page.ts";
import { specificityOf } from "./evidence.ts";
import { isTelling, isUnspaced, splitWords, stemEnglish } from "./words.ts";

/** What a word counts in each field of a page. */
const fieldWeights: Record<PageField, number> = { title: 3, slug: 2, meta_description: 2, content: 1, "cta.label": 1 };

/** A topic is what a domain is called for; a keyword is what it also mentions. */
const strengths = { topics: 2, keywords: 1 } as const;

/** A phrase ranks higher than a word, because far more of the phrases that a page shares with a domain belong to its subject. */
const phraseRarity = 1.5;

/** Different telling words up to which a content counts in full. A long text mentions much that it is not about. */
const usualContentWords = 60;

/** Forms of a word listed in an explanation; accents alone can make thousands that mean the same. */
const mostForms = 8;

/** What a domain lists, as it is compared. */
interface Posting {
  domain: Domain;
  /** As the catalogue writes it. */
  term: string;
  strength: number;
}

/** A domain compared with a page. */
export interface Candidate {
  domain: Domain;
  score: number;
  evidence: number;
  /** Unordered. */
  terms: TermContribution[];
}

/**
 * Inverted index of a catalogue: the domains that list each topic or keyword.
 *
 * A score is a sum over shared terms. No part of it depends on how many domains there are or what else they list, so a domain
 * that shares no word with a page changes nothing.
 */
export class TermIndex {
  /** By the words of a term, joined by spaces. A phrase's beginnings stand here too, with no postings. */
  readonly #stems = new Map<string, Posting[]>();
  readonly #texts = new Map<string, Posting[]>();

  /** Words are compared without English endings where page and domain may both be English, elsewhere as they are written. */
  constructor(domains: readonly Domain[], isEnglishPage: boolean) {
    for (const domain of domains) {
      const isEnglish = isEnglishPage && new Intl.Locale(domain.locale ?? "en").language === "en";
      for (const kind of ["topics", "keywords"] as const)
        for (const term of domain[kind]) this.#add({ domain, term, strength: strengths[kind] }, isEnglish);
    }
  }

  #add(posting: Posting, isEnglish: boolean): void {
    const words = splitWords(posting.term);
    if (!words.some(isTelling)) return;
    const index = isEnglish ? this.#stems : this.#texts;
    if (!words.every(isUnspaced)) {
      list(index, isEnglish ? words.map(stemEnglish) : words, posting);
      return;
    }
    // Without spaces nothing shows where words begin, so each pair of characters counts for its share of the term.
    const pairs = new Set(words);
    for (const pair of pairs)
      list(index, [pair], {
        ...posting,
        term: pairs.size === 1 ? posting.term : pair,
        strength: posting.strength / pairs.size,
      });
  }

  /** Compares a page with all domains that share a term with it. */
  match(page: ReadPage): Map<Domain, Candidate> {
    const candidates = new Map<Domain, Candidate>();
    for (const [index, stem] of [
      [this.#stems, stemEnglish],
      [this.#texts, undefined],
    ] as const)
      for (const mention of findTerms(index, page, stem))
        for (const posting of mention.postings) addTerm(candidates, posting, mention, page);
    return candidates;
  }
}

function list(index: Map<string, Posting[]>, words: readonly string[], posting: Posting): void {
  for (let end = 1; end < words.length; end += 1) {
    const beginning = words.slice(0, end).join(" ");
    if (!index.has(beginning)) index.set(beginning, []);
  }
  const key = words.join(" ");
  const others = (index.get(key) ?? []).filter(({ domain }) => domain !== posting.domain);
  const known = index.get(key)?.find(({ domain }) => domain === posting.domain);
  index.set(key, [...others, known && known.strength >= posting.strength ? known : posting]);
}

/** A term that a page has. */
interface Mention {
  key: string;
  postings: readonly Posting[];
  /** How often each field has it. */
  counts: Map<PageField, number>;
  forms: Set<string>;
}

function findTerms(index: ReadonlyMap<string, Posting[]>, page: ReadPage, stem = (word: string) => word): Mention[] {
  const mentions = new Map<string, Mention>();
  for (const [field, words] of page.words) {
    const stems = words.map(stem);
    for (const [start, first] of stems.entries()) {
      let key = first;
      for (let end = start + 1; index.has(key); end += 1) {
        const postings = index.get(key) ?? [];
        const form = words.slice(start, end);
        if (postings.length > 0 && form.some(isTelling))
          addMention(mentions, { key, postings, field, form: form.join(" ") });
        if (end === stems.length) break;
        key += ` ${stems[end]}`;
      }
    }
  }
  return Array.from(mentions.values());
}

function addMention(
  mentions: Map<string, Mention>,
  { key, postings, field, form }: Pick<Mention, "key" | "postings"> & { field: PageField; form: string },
): void {
  const mention = mentions.get(key) ?? { key, postings, counts: new Map(), forms: new Set() };
  mentions.set(key, mention);
  mention.counts.set(field, (mention.counts.get(field) ?? 0) + 1);
  if (mention.forms.size < mostForms) mention.forms.add(form);
}

function addTerm(
  candidates: Map<Domain, Candidate>,
  { domain, term, strength }: Posting,
  mention: Mention,
  page: ReadPage,
): void {
  const { key, postings, counts, forms } = mention;
  const fields = Array.from(counts, ([field, count]) => ({ field, count, weight: weigh(field, counts, page) }));
  // A call to action alone says nothing, nor does the slug of a foreign page, which is often English.
  if (fields.every(({ field }) => field === "cta.label" || (field === "slug" && !page.isEnglish))) return;
  const weight = fields.reduce((sum, { weight }) => sum + weight, 0);
  const emphasis = (4 * weight) / (weight + 3);
  const isPhrase = key.includes(" ");
  const rarity = ((isPhrase ? phraseRarity : 1) * Math.log(1 + 20 / postings.length)) / Math.log(21);
  const specificity = specificityOf(key, page);
  const candidate = candidates.get(domain) ?? { domain, score: 0, evidence: 0, terms: [] };
  candidates.set(domain, candidate);
  const evidence = addend(emphasis * strength * specificity);
  const score = addend(emphasis * strength * specificity * rarity);
  candidate.evidence += evidence;
  candidate.score += score;
  candidate.terms.push({ term, words: Array.from(forms), fields, emphasis, strength, rarity, specificity, score });
}

/** A slug is mostly made from the title and is no second sign of what the title says. */
function weigh(field: PageField, counts: ReadonlyMap<PageField, number>, { tellingWords }: ReadPage): number {
  if (field === "slug" && counts.has("title")) return 0;
  return fieldWeights[field] * (field === "content" ? Math.min(1, usualContentWords / tellingWords) : 1);
}

/**
 * The nearest multiple of 2^-36. Sums of such numbers are exact up to 2^17, so the order of the catalogue decides nothing and the
 * contributions add up to the score to the last bit.
 */
function addend(value: number): number {
  return Math.round(value * 2 ** 36) / 2 ** 36;
}
