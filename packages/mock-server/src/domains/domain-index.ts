import { pageFields, type PageField, type TermContribution } from "./assignment.ts";
import { isStopWord, type ScannedWords, scanWords, splitWords, stemWord, wordAt } from "./tokens.ts";
import { WordTable } from "./word-table.ts";

/** How much one occurrence in each field counts. */
const fieldWeights: Record<PageField, number> = { title: 3, slug: 2, meta_description: 2, "cta.label": 1, content: 1 };

/** A topic says more about a domain than a keyword. */
const topicWeight = 2;
const keywordWeight = 1;

// BM25's constants. Where the textbook divides by the average length of the catalogue's documents, a fixed length
// stands: an average would let every new domain move the scores of all others.
const domainSaturation = 1.2;
const domainLengthPenalty = 0.5;
const usualDomainWeight = 30;
const pageSaturation = 4;
const contentLengthPenalty = 0.75;
const usualContentWords = 100;
const rarityScale = 20;

/** The text of a page, field by field. */
export type PageTexts = Record<PageField, string>;

/** A page held against all domains. Valid until the index matches the next page. */
export interface PageMatch {
  /** Score of each domain, by its position in the catalogue; 0 when it shares no word with the page. */
  scores: Float64Array;
  /** The words that make up a domain's score, highest part first. */
  explain: (domainId: number) => TermContribution[];
}

/**
 * Inverted index of a catalogue: for each term the domains that list it, and how strongly.
 *
 * A score is the sum over shared terms of `emphasis(term, page) x strength(term, domain) x rarity(term)`: Okapi BM25
 * with both of its saturations, the domains being the documents and the page the query. Rarity is `ln(1 + 20 / n) / ln 21`
 * for a term that `n` domains list: 1 for a single one, less for more, and blind to how many domains there are, so that
 * a domain that shares no word with a page cannot move what the page gets.
 */
export class DomainIndex {
  readonly #stems: string[] = [];
  readonly #termIds = new Map<string, number>();
  /** Term of each word met lately, so that a usual word is stemmed once. */
  readonly #knownWords = new WordTable();
  // Strength x rarity, seen from both sides.
  readonly #termsOfDomain: readonly WeightedIds[];
  readonly #domainsOfTerm: readonly WeightedIds[];
  // Room for one page at a time: allocating it anew would cost more than matching.
  readonly #emphasis: Float64Array;
  #termsOfPage: number[] = [];
  readonly #scores: Float64Array;

  constructor(domains: readonly IndexedDomain[]) {
    const strengths = domains.map((domain) => this.#readDomain(domain));
    const domainIds: number[][] = this.#stems.map(() => []);
    strengths.forEach((terms, domainId) => terms.forEach((_, termId) => domainIds[termId]?.push(domainId)));
    const weigh = (termId: number, domainId: number) =>
      (strengths[domainId]?.get(termId) ?? 0) * rarity(domainIds[termId]?.length ?? 1);
    this.#domainsOfTerm = domainIds.map((ids, termId) => weightedIds(ids, (domainId) => weigh(termId, domainId)));
    this.#termsOfDomain = strengths.map((terms, domainId) =>
      weightedIds([...terms.keys()], (termId) => weigh(termId, domainId)),
    );
    this.#emphasis = new Float64Array(this.#stems.length);
    this.#scores = new Float64Array(domains.length);
  }

  /** Holds a page against all domains. */
  match(texts: PageTexts): PageMatch {
    const emphasis = this.#emphasis;
    for (const termId of this.#termsOfPage) emphasis[termId] = 0;
    const termIds: number[] = (this.#termsOfPage = []);
    const scores = this.#scores.fill(0);
    for (const field of pageFields) {
      const { found, words } = this.#readField(texts[field]);
      const weight = fieldWeights[field] / (field === "content" ? contentScale(words) : 1);
      for (const termId of found) {
        const before = emphasis[termId] ?? 0;
        if (before === 0) termIds.push(termId);
        emphasis[termId] = before + weight;
      }
    }
    for (const termId of termIds) {
      const saturated = saturate(emphasis[termId] ?? 0, pageSaturation, 1);
      emphasis[termId] = saturated;
      addScaled(scores, this.#domainsOfTerm[termId], saturated);
    }
    let fields: FieldWords[] | undefined;
    const readFields = () => pageFields.map((field) => ({ field, words: this.#readWords(texts[field]) }));
    return { scores, explain: (domainId) => this.#explain(domainId, (fields ??= readFields())) };
  }

  /** The words of a text that are terms, with these. */
  #readWords(text: string): FieldWords["words"] {
    const words = scanWords(text);
    const found: { word: string; termId: number }[] = [];
    for (let index = 0; index < words.count; index += 1) {
      const termId = this.#findTerm(words, index);
      if (termId !== unknownTerm) found.push({ word: wordAt(words, index), termId });
    }
    return found;
  }

  /** The terms of a text, as often as they come, and how many words it has in all. */
  #readField(text: string): { found: readonly number[]; words: number } {
    const words = scanWords(text);
    const found: number[] = [];
    for (let index = 0; index < words.count; index += 1) {
      const termId = this.#findTerm(words, index);
      if (termId !== unknownTerm) found.push(termId);
    }
    return { found, words: words.count };
  }

  #explain(domainId: number, fields: readonly FieldWords[]): TermContribution[] {
    const shared = new Map<number, TermContribution>();
    const { ids, weights } = this.#termsOfDomain[domainId] ?? noIds;
    ids.forEach((termId, position) => {
      const score = (this.#emphasis[termId] ?? 0) * (weights[position] ?? 0);
      if (score > 0) shared.set(termId, { term: this.#stems[termId] ?? "", words: [], fields: [], score });
    });
    for (const { field, words } of fields) {
      for (const { word, termId } of words) {
        const term = shared.get(termId);
        if (term !== undefined) countOccurrence(term, field, word);
      }
    }
    return [...shared.values()].sort((one, other) => other.score - one.score);
  }

  /** How strongly a domain stands for each of its terms: BM25's term frequency, over topics and keywords. */
  #readDomain({ topics, keywords }: IndexedDomain): Map<number, number> {
    const weights = new Map<number, number>();
    let total = 0;
    for (const [phrases, weight] of [[topics, topicWeight] as const, [keywords, keywordWeight] as const]) {
      total += phrases.length * weight;
      for (const stems of phrases.map(phraseStems)) {
        // Half of "real estate" is half a match: a page about real leather must not count as one about houses.
        for (const termId of stems.map((stem) => this.#addTerm(stem))) {
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

  #findTerm(words: ScannedWords, index: number): number {
    const known = this.#knownWords.get(words, index);
    if (known !== undefined) return known;
    const stem = stemWord(wordAt(words, index));
    const termId = stem === undefined ? unknownTerm : (this.#termIds.get(stem) ?? unknownTerm);
    this.#knownWords.set(words, index, termId);
    return termId;
  }
}

/** The stems by which a topic or keyword is found, each once; none when it holds only punctuation or words as `the`. */
export function phraseStems(phrase: string): string[] {
  const words = splitWords(phrase).filter((word) => !isStopWord(word));
  return [...new Set(words.map(stemWord))].filter((stem) => stem !== undefined);
}

/** The words of a domain that are indexed. */
interface IndexedDomain {
  topics: readonly string[];
  keywords: readonly string[];
}

/** The words of one field of a page, as they come. */
interface FieldWords {
  field: PageField;
  words: readonly { readonly word: string; readonly termId: number }[];
}

/** Ids and what each counts; two arrays of numbers, as a network holds very many. */
interface WeightedIds {
  ids: Uint32Array;
  weights: Float64Array;
}

const noIds: WeightedIds = { ids: new Uint32Array(), weights: new Float64Array() };
const unknownTerm = -1;

/** Forms of a word told in an explanation; accents alone can make thousands that mean the same. */
const mostForms = 8;

function weightedIds(ids: readonly number[], weigh: (id: number) => number): WeightedIds {
  return { ids: Uint32Array.from(ids), weights: Float64Array.from(ids, weigh) };
}

function addScaled(sums: Float64Array, { ids, weights }: WeightedIds = noIds, factor: number): void {
  for (let position = 0; position < ids.length; position += 1) {
    const id = ids[position] ?? 0;
    sums[id] = (sums[id] ?? 0) + factor * (weights[position] ?? 0);
  }
}

/** Occurrences come field by field, so a field's count is the last one or a new one. */
function countOccurrence({ words, fields }: TermContribution, field: PageField, word: string): void {
  if (words.length < mostForms && !words.includes(word)) words.push(word);
  const last = fields.at(-1);
  if (last?.field === field) last.count += 1;
  else fields.push({ field, count: 1 });
}

/** BM25's saturation: 1 for a single mention at the usual length, and never more than `1 + saturation`. */
function saturate(weight: number, saturation: number, length: number): number {
  return (weight * (saturation + 1)) / (weight + saturation * length);
}

/** What a mention in the content is divided by: 1 up to the usual length, more in longer texts. */
function contentScale(words: number): number {
  return 1 + contentLengthPenalty * (Math.max(1, words / usualContentWords) - 1);
}

function rarity(domainCount: number): number {
  return Math.log(1 + rarityScale / domainCount) / Math.log(1 + rarityScale);
}
