import { isStopWord, splitWords, stemWord } from "./tokens.ts";

/** The parts of a page that are read for words, in the order explanations name them. */
export const pageFields = ["title", "slug", "meta_description", "cta.label", "content"] as const;

/** A part of a page that is read for words. */
export type PageField = (typeof pageFields)[number];

/** How much one occurrence in each field counts. */
const fieldWeights: Record<PageField, number> = {
  title: 3,
  slug: 2,
  meta_description: 2,
  "cta.label": 1,
  content: 1,
};

/** A topic says more about a domain than a keyword. */
const topicWeight = 2;
const keywordWeight = 1;

// BM25's constants. Where the textbook divides by the catalogue's average length, a fixed length stands: an average
// would let every new domain move the scores of all others.
const domainSaturation = 1.2;
const domainLengthPenalty = 0.5;
const usualDomainWeight = 30;
const pageSaturation = 4;
const contentLengthPenalty = 0.75;
const usualContentWords = 100;
const rarityScale = 20;

/** A word stem that page and catalogue share. */
export interface PageTerm {
  /** Number of the term in the index. */
  id: number;
  /** What the page does with it, saturated: about 1 for one mention in the content, 5 at most. */
  emphasis: number;
  /** Occurrences per field, in the order of {@link pageFields}. */
  counts: number[];
  /** The forms in which it occurs on the page, lower case, in order of appearance. */
  words: string[];
}

/**
 * Inverted index of a catalogue: for each term the domains that list it, and how strongly.
 *
 * `score(page, domain) = sum over shared terms of emphasis(term, page) x strength(term, domain)`: Okapi BM25 with both
 * of its saturations, the catalogue's domains being the documents and the page the query. `strength` holds the rarity
 * `ln(1 + 20 / n) / ln 21` for a term listed by `n` domains: 1 for a single one, less for more, and blind to how many
 * domains there are, so a domain that shares no word with a page cannot move what the page gets.
 */
export class DomainIndex {
  readonly #stems: string[] = [];
  readonly #termIds = new Map<string, number>();
  readonly #postings: Posting[];
  readonly #known = new Map<string, number>();
  readonly #scores: Float64Array;
  readonly #counts: Uint32Array;

  constructor(domains: readonly IndexedDomain[]) {
    const strengths: Map<number, number>[] = domains.map((domain) => this.#domainStrengths(domain));
    const domainIds: number[][] = this.#stems.map(() => []);
    strengths.forEach((terms, domainId) => terms.forEach((_, termId) => domainIds[termId]?.push(domainId)));
    this.#postings = domainIds.map((ids, termId) => ({
      domainIds: Uint32Array.from(ids),
      strengths: Float64Array.from(ids, (id) => rarity(ids.length) * (strengths[id]?.get(termId) ?? 0)),
    }));
    this.#scores = new Float64Array(domains.length);
    this.#counts = new Uint32Array(this.#stems.length * pageFields.length);
  }

  /** Stem of a term. */
  stem(termId: number): string {
    return this.#stems[termId] ?? "";
  }

  /** Finds the terms of the catalogue in a page's texts, given in the order of {@link pageFields}. */
  readPage(texts: readonly string[]): PageTerm[] {
    const words = new Map<number, string[]>();
    let contentWords = 0;
    for (let field = 0; field < texts.length; field += 1) {
      const fieldWords = splitWords(texts[field] ?? "", { singles: true });
      contentWords = fieldWords.length;
      for (const word of fieldWords) {
        const termId = this.#termId(word);
        if (termId === unknownTerm) continue;
        const slot = termId * pageFields.length + field;
        this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
        const forms = words.get(termId);
        if (forms === undefined) words.set(termId, [word]);
        else if (!forms.includes(word)) forms.push(word);
      }
    }
    const scale = 1 + contentLengthPenalty * (Math.max(1, contentWords / usualContentWords) - 1);
    return Array.from(words, ([id, forms]) => this.#takeTerm(id, forms, scale));
  }

  /** Adds up the scores of all domains that share a term with the page, in no particular order. */
  scoreDomains(terms: readonly PageTerm[]): ScoredDomain[] {
    const scored: number[] = [];
    for (const { id, emphasis } of terms) {
      const { domainIds, strengths } = this.#posting(id);
      for (let position = 0; position < domainIds.length; position += 1) {
        const domainId = domainIds[position] ?? 0;
        if (this.#scores[domainId] === 0) scored.push(domainId);
        this.#scores[domainId] = (this.#scores[domainId] ?? 0) + emphasis * (strengths[position] ?? 0);
      }
    }
    return scored.map((domainId) => {
      const score = this.#scores[domainId] ?? 0;
      this.#scores[domainId] = 0;
      return { domainId, score };
    });
  }

  /** What one term adds to the score of one domain; 0 when the domain does not list it. */
  contribution({ id, emphasis }: PageTerm, domainId: number): number {
    const { domainIds, strengths } = this.#posting(id);
    let low = 0;
    let high = domainIds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((domainIds[middle] ?? 0) < domainId) low = middle + 1;
      else high = middle;
    }
    return domainIds[low] === domainId ? emphasis * (strengths[low] ?? 0) : 0;
  }

  /** How strongly a domain stands for each of its terms: BM25's term frequency part, on topics and keywords. */
  #domainStrengths({ topics, keywords }: IndexedDomain): Map<number, number> {
    const weights = new Map<number, number>();
    let total = 0;
    for (const [phrases, weight] of [[topics, topicWeight] as const, [keywords, keywordWeight] as const]) {
      for (const phrase of phrases) {
        const stems = phraseStems(phrase);
        total += stems.length === 0 ? 0 : weight;
        // Half of "real estate" is half a match: a page about real leather must not count as one about houses.
        for (const stem of stems) {
          const termId = this.#addTerm(stem);
          weights.set(termId, (weights.get(termId) ?? 0) + weight / stems.length);
        }
      }
    }
    const length = 1 - domainLengthPenalty + domainLengthPenalty * (total / usualDomainWeight);
    for (const [termId, weight] of weights) weights.set(termId, saturate(weight, domainSaturation, length));
    return weights;
  }

  #addTerm(stem: string): number {
    const known = this.#termIds.get(stem);
    if (known !== undefined) return known;
    this.#termIds.set(stem, this.#stems.length);
    return this.#stems.push(stem) - 1;
  }

  #termId(word: string): number {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    const stem = stemWord(word);
    const termId = stem === undefined ? unknownTerm : (this.#termIds.get(stem) ?? unknownTerm);
    if (this.#known.size >= mostKnownWords) this.#known.clear();
    if (stem !== undefined) this.#known.set(word, termId);
    return termId;
  }

  #takeTerm(id: number, words: string[], contentScale: number): PageTerm {
    const start = id * pageFields.length;
    const counts = Array.from(this.#counts.subarray(start, start + pageFields.length));
    this.#counts.fill(0, start, start + pageFields.length);
    let weight = 0;
    pageFields.forEach((field, index) => {
      const count = counts[index] ?? 0;
      weight += fieldWeights[field] * (field === "content" ? count / contentScale : count);
    });
    return { id, words, counts, emphasis: saturate(weight, pageSaturation, 1) };
  }

  #posting(termId: number): Posting {
    return this.#postings[termId] ?? noPosting;
  }
}

/**
 * The stems by which a topic or keyword is found, each once; none when it holds only punctuation or words as `the`.
 */
export function phraseStems(phrase: string): string[] {
  const stems = new Set<string>();
  for (const word of splitWords(phrase)) {
    const stem = isStopWord(word) ? undefined : stemWord(word);
    if (stem !== undefined) stems.add(stem);
  }
  return [...stems];
}

/** The words of a domain that are indexed. */
interface IndexedDomain {
  topics: readonly string[];
  keywords: readonly string[];
}

/** A domain's place in the catalogue and its score for a page, above 0. */
export interface ScoredDomain {
  /** Position in the catalogue the index was built from. */
  domainId: number;
  /** Sum of the contributions of all shared terms. */
  score: number;
}

interface Posting {
  domainIds: Uint32Array;
  strengths: Float64Array;
}

const noPosting: Posting = { domainIds: new Uint32Array(), strengths: new Float64Array() };
const unknownTerm = -1;

/** Words whose term is remembered, so that a usual word is stemmed once; bounded, as pages may hold any words. */
const mostKnownWords = 20_000;

/** BM25's saturation: 1 for one mention at the usual length, never more than `1 + saturation`. */
function saturate(weight: number, saturation: number, length: number): number {
  return (weight * (saturation + 1)) / (weight + saturation * length);
}

function rarity(domainCount: number): number {
  return Math.log(1 + rarityScale / domainCount) / Math.log(1 + rarityScale);
}
