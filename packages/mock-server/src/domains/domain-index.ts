import type { AssignablePage, PageField, TermContribution } from "./assignment.ts";
import { isTelling, isUnspaced, splitWords } from "./words.ts";

/** The words of a page, field by field, as `splitWords` gives them. */
export type PageWords = Record<PageField, readonly string[]>;

/** How a word is compared with another: as it is, or by its English stem. */
export type Reading = (word: string) => string;

/** What the index needs of a domain. */
export interface IndexedDomain {
  topics: readonly string[];
  keywords: readonly string[];
  /** How its words are compared, and those of a page with them. */
  reading: Reading;
}

/** The words of a page that are compared, single characters of unspaced scripts too. */
export function readPageWords({ title, slug, meta_description, cta, content }: AssignablePage): PageWords {
  const texts = { title, slug, meta_description: meta_description ?? "", content, "cta.label": cta.label };
  return mapValues(texts, (text) => splitWords(text, { singles: true }));
}

/** The words of a topic or keyword by which it can be found; none when it holds only punctuation or words as `the`. */
export function readPhrase(phrase: string): string[] {
  const words = splitWords(phrase);
  return words.some(isTelling) ? words : [];
}

/** Whether words hold a phrase: its words as neighbours, in their order. */
export function hasPhrase(words: readonly string[], phrase: readonly string[], reading: Reading): boolean {
  const read = words.map(reading);
  const wanted = phrase.map(reading);
  return read.some((_, start) => beginsAt(read, start, wanted));
}

function beginsAt(words: readonly string[], start: number, phrase: readonly string[]): boolean {
  return phrase.every((word, offset) => words[start + offset] === word);
}

/** Fields whose words place a page, by how much each counts; the words of a call to action only count for what stands elsewhere too. */
const fieldWeights = { title: 4, slug: 2, meta_description: 2, content: 1, "cta.label": 1 } as const;
const fields = Object.keys(fieldWeights) as PageField[]; // why: keys are typed as strings

/** A topic is what a domain is called for; a keyword, what it also mentions. */
const topicStrength = 2;
const keywordStrength = 1;
const rarityScale = 20;
const pageSaturation = 9;

/** Different telling words up to which a content counts in full. Counted so that neither repetition nor common words dilute it. */
const usualContentWords = 60;

/** Forms of a word told in an explanation; accents alone can make thousands that mean the same. */
const mostForms = 8;

/**
 * Inverted index of a catalogue: for each topic and keyword the domains that list it, and how strongly.
 *
 * A score is the sum over shared terms of `emphasis(term, page) x strength(term, domain) x rarity(term)`. Nothing in it
 * depends on how many domains there are or what they list beside: a domain that shares no word with a page moves nothing.
 */
export class DomainIndex {
  /** By first word: the terms that begin with it. */
  readonly #byFirstWord = new Map<Reading, Map<string, Term[]>>();

  constructor(domains: readonly IndexedDomain[]) {
    domains.forEach((domain, id) => {
      for (const phrase of domain.topics) this.#add(phrase, id, domain.reading, topicStrength);
      for (const phrase of domain.keywords) this.#add(phrase, id, domain.reading, keywordStrength);
    });
  }

  /** Holds a page against all domains. Fields that only support count for words that another field has too. */
  match(page: PageWords, supporting: ReadonlySet<PageField>): PageMatch {
    const shared: SharedTerm[] = [];
    const shares = new Map<number, Share>();
    for (const [term, mentions] of this.#findTerms(page)) {
      if (mentions.every(({ field }) => supporting.has(field))) continue;
      const emphasis = saturate(mentions.reduce((sum, { weight }) => sum + weight, 0));
      const rarity = rarityOf(term.domains.size);
      shared.push({ term, mentions, emphasis, rarity });
      for (const [id, { strength }] of term.domains) {
        const share = entry(shares, id, nothingShared);
        share.score += toAddend(emphasis * strength * rarity);
        share.evidence += toAddend(emphasis * strength);
      }
    }
    return { shares, explain: (id) => explain(shared, id) };
  }

  #findTerms(page: PageWords): Map<Term, Mention[]> {
    const found = new Map<Term, Mention[]>();
    for (const field of fields) {
      const words = page[field];
      const weight = fieldWeights[field] * (field === "content" ? contentShare(words) : 1);
      for (const [reading, terms] of this.#byFirstWord) {
        const read = words.map(reading);
        for (let start = 0; start < read.length; start += 1) {
          for (const term of terms.get(read[start] ?? "") ?? noTerms) {
            const { length } = term.words;
            // A word as common as `can` is no form of `cans`.
            if (length === 1 ? !isTelling(words[start] ?? "") : !beginsAt(read, start, term.words)) continue;
            const form = length === 1 ? (words[start] ?? "") : words.slice(start, start + length).join(" ");
            countMention(entry(found, term, noMentions), { field, weight }, form);
          }
        }
      }
    }
    return found;
  }

  #add(phrase: string, id: number, reading: Reading, strength: number): void {
    const words = readPhrase(phrase).map(reading);
    if (words.length === 0) return;
    // Without spaces nobody knows where words begin, so each pair of characters counts for its share of the whole.
    if (!words.every(isUnspaced)) return this.#addTerm(words, id, reading, { strength, written: phrase });
    const pairs = new Set(words);
    for (const pair of pairs)
      this.#addTerm([pair], id, reading, {
        strength: strength / pairs.size,
        written: pairs.size === 1 ? phrase : pair,
      });
  }

  #addTerm(words: readonly string[], id: number, reading: Reading, listing: Listing): void {
    const [first = ""] = words;
    const terms = entry(
      entry(this.#byFirstWord, reading, () => new Map<string, Term[]>()),
      first,
      () => [],
    );
    let term = terms.find(
      (known) => known.words.length === words.length && known.words.every((word, index) => word === words[index]),
    );
    if (term === undefined) terms.push((term = { words, domains: new Map() }));
    if ((term.domains.get(id)?.strength ?? 0) < listing.strength) term.domains.set(id, listing);
  }
}

/** A page held against all domains. */
export interface PageMatch {
  /** What it shares with each domain, by the domain's position; those that share nothing are left out. */
  shares: ReadonlyMap<number, Share>;
  /** The words that make up a domain's score, highest part first. */
  explain: (domainId: number) => TermContribution[];
}

/** How much a page shares with a domain: see `AssignedDomain`. */
export interface Share {
  score: number;
  evidence: number;
}

/** A term that a page has, and what it counts there. */
interface SharedTerm {
  term: Term;
  mentions: readonly Mention[];
  emphasis: number;
  rarity: number;
}

/** A topic or keyword, as it is compared. */
interface Term {
  words: readonly string[];
  /** The domains that list it, by position. */
  domains: Map<number, Listing>;
}

interface Listing {
  strength: number;
  /** As the catalogue writes it. */
  written: string;
}

interface Mention {
  field: PageField;
  weight: number;
  count: number;
  words: string[];
}

function explain(shared: readonly SharedTerm[], domainId: number): TermContribution[] {
  const told = shared.flatMap(({ term, mentions, emphasis, rarity }): TermContribution[] => {
    const listing = term.domains.get(domainId);
    if (listing === undefined) return [];
    const { strength, written } = listing;
    const words = [...new Set(mentions.flatMap((mention) => mention.words))].slice(0, mostForms);
    const fields = mentions.map(({ field, count, weight }) => ({ field, count, weight }));
    return [
      { term: written, words, fields, emphasis, strength, rarity, score: toAddend(emphasis * strength * rarity) },
    ];
  });
  return told.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
}

function countMention(mentions: Mention[], { field, weight }: Pick<Mention, "field" | "weight">, words: string): void {
  const last = mentions.at(-1);
  if (last?.field !== field) {
    mentions.push({ field, weight, count: 1, words: [words] });
    return;
  }
  last.count += 1;
  if (last.words.length < mostForms && !last.words.includes(words)) last.words.push(words);
}

const noTerms: readonly Term[] = [];
const noMentions = (): Mention[] => [];
const nothingShared = (): Share => ({ score: 0, evidence: 0 });

/** See `TermContribution.rarity`. */
function rarityOf(domains: number): number {
  return Math.log(1 + rarityScale / domains) / Math.log(1 + rarityScale);
}

/** 1 for a weight of 1, and never more than 10: many words that agree say more than one that is everywhere. */
function saturate(weight: number): number {
  return ((1 + pageSaturation) * weight) / (weight + pageSaturation);
}

/**
 * The nearest multiple of 2^-36. Sums of such numbers are exact up to 2^17, which takes thousands of terms, so the order in
 * which terms are met, which is the catalogue's, decides nothing, and the parts add up to the score to the last bit.
 */
function toAddend(value: number): number {
  return Math.round(value * 2 ** 36) / 2 ** 36;
}

/** What a mention in the content counts: 1 up to the usual number of different words, less in longer texts. */
function contentShare(words: readonly string[]): number {
  if (words.length <= usualContentWords) return 1;
  const different = new Set(words.filter(isTelling)).size;
  return Math.min(1, usualContentWords / different);
}

function mapValues<Key extends string, From, To>(values: Record<Key, From>, map: (value: From) => To): Record<Key, To> {
  return Object.fromEntries(Object.entries<From>(values).map(([key, value]) => [key, map(value)])) as Record<Key, To>; // why: entries forget their keys
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
