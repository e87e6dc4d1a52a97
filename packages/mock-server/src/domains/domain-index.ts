import type { AssignablePage, PageField, TermContribution } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { stripMarkup } from "./markup.ts";
import { isUnspaced, readPhrase, readWords, type Word } from "./words.ts";

/** The words of a page, field by field. */
export type PageWords = Record<PageField, readonly Word[]>;

/** How a word is compared with another: as it is, or by its English stem. */
export type Reading = "text" | "stem";

/** The words of a page that are compared, single characters of unspaced scripts too. */
export function readPageWords({ title, slug, meta_description, cta, content }: AssignablePage): PageWords {
  const texts = {
    title,
    slug,
    meta_description: meta_description ?? "",
    content: stripMarkup(content),
    "cta.label": cta.label,
  };
  return mapValues(texts, (text) => readWords(text, { singles: true }));
}

/** Whether words hold a phrase: its words as neighbours, in their order. */
export function hasPhrase(words: readonly Word[], phrase: readonly Word[], reading: Reading): boolean {
  const wanted = phrase.map((word) => word[reading]);
  return words.some((_, start) => beginsAt(words, start, wanted, reading));
}

function beginsAt(words: readonly Word[], start: number, phrase: readonly string[], reading: Reading): boolean {
  let length = 0;
  while (length < phrase.length && words[start + length]?.[reading] === phrase[length]) length += 1;
  return length === phrase.length;
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
export class DomainIndex<Place extends { domain: Pick<Domain, "topics" | "keywords"> }> {
  /** The terms by their first word, as its reading has it. */
  readonly #byFirstWord = new Map<string, Term<Place>[]>();

  /** `readingOf` tells how a domain's words are compared, and those of a page with them. */
  constructor(places: Iterable<Place>, readingOf: (place: Place) => Reading) {
    for (const place of places) {
      const reading = readingOf(place);
      for (const phrase of place.domain.topics) this.#add(phrase, place, reading, topicStrength);
      for (const phrase of place.domain.keywords) this.#add(phrase, place, reading, keywordStrength);
    }
  }

  /** Holds a page against all domains. Fields that only support count for words that another field has too. */
  match(page: PageWords, supporting: ReadonlySet<PageField>): PageMatch<Place> {
    const shared: SharedTerm<Place>[] = [];
    const shares = new Map<Place, Share>();
    for (const [term, mentions] of this.#findTerms(page)) {
      if (mentions.every(({ field }) => supporting.has(field))) continue;
      const emphasis = saturate(mentions.reduce((sum, { weight }) => sum + weight, 0));
      const rarity = rarityOf(term.domains.size);
      shared.push({ term, mentions, emphasis, rarity });
      for (const [place, { strength }] of term.domains) {
        const share = entry(shares, place, nothingShared);
        share.score += toAddend(emphasis * strength * rarity);
        share.evidence += toAddend(emphasis * strength);
      }
    }
    return { shares, explain: (place) => explain(shared, page, place) };
  }

  #findTerms(page: PageWords): Map<Term<Place>, Mention[]> {
    const found = new Map<Term<Place>, Mention[]>();
    for (const field of fields) {
      const words = page[field];
      const weight = fieldWeights[field] * (field === "content" ? contentShare(words) : 1);
      const collect = (first: string, start: number): void => {
        for (const term of this.#byFirstWord.get(first) ?? noTerms)
          if (isAt(words, start, term)) mention(entry(found, term, noMentions), field, weight, start);
      };
      words.forEach(({ text, stem }, start) => {
        collect(text, start);
        if (stem !== text) collect(stem, start);
      });
    }
    return found;
  }

  #add(phrase: string, place: Place, reading: Reading, strength: number): void {
    const words = readPhrase(phrase).map((word) => word[reading]);
    if (words.length === 0) return;
    // Without spaces nobody knows where words begin, so each pair of characters counts for its share of the whole.
    if (!words.every(isUnspaced)) return this.#addTerm(words, place, reading, { strength, written: phrase });
    const pairs = new Set(words);
    for (const pair of pairs)
      this.#addTerm([pair], place, reading, {
        strength: strength / pairs.size,
        written: pairs.size === 1 ? phrase : pair,
      });
  }

  #addTerm(words: readonly string[], place: Place, reading: Reading, listing: Listing): void {
    const terms = entry(this.#byFirstWord, words[0] ?? "", () => []);
    let term = terms.find((known) => known.reading === reading && known.words.join(" ") === words.join(" "));
    if (term === undefined) terms.push((term = { words, reading, domains: new Map() }));
    if ((term.domains.get(place)?.strength ?? 0) < listing.strength) term.domains.set(place, listing);
  }
}

/** A page held against all domains. */
export interface PageMatch<Place> {
  /** What it shares with each domain; those that share nothing are left out. */
  shares: ReadonlyMap<Place, Share>;
  /** The words that make up a domain's score, highest part first. */
  explain: (place: Place) => TermContribution[];
}

/** How much a page shares with a domain: see `AssignedDomain`. */
export interface Share {
  score: number;
  evidence: number;
}

/** A term that a page has, and what it counts there. */
interface SharedTerm<Place> {
  term: Term<Place>;
  mentions: readonly Mention[];
  emphasis: number;
  rarity: number;
}

/** A topic or keyword, as it is compared. */
interface Term<Place> {
  words: readonly string[];
  reading: Reading;
  /** The domains that list it. */
  domains: Map<Place, Listing>;
}

interface Listing {
  strength: number;
  /** As the catalogue writes it. */
  written: string;
}

/** Where a field of a page has a term. */
interface Mention {
  field: PageField;
  weight: number;
  /** Positions of its first word, in order. */
  starts: number[];
}

function explain<Place>(shared: readonly SharedTerm<Place>[], page: PageWords, place: Place): TermContribution[] {
  const told = shared.flatMap(({ term, mentions, emphasis, rarity }): TermContribution[] => {
    const listing = term.domains.get(place);
    if (listing === undefined) return [];
    const { strength, written } = listing;
    const words = readForms(mentions, page, term.words.length);
    const fields = mentions.map(({ field, starts, weight }) => ({ field, count: starts.length, weight }));
    const score = toAddend(emphasis * strength * rarity);
    return [{ term: written, words, fields, emphasis, strength, rarity, score }];
  });
  return told.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
}

/** The forms in which a page has a term of some words. */
function readForms(mentions: readonly Mention[], page: PageWords, length: number): string[] {
  const forms = new Set<string>();
  for (const { field, starts } of mentions)
    for (const start of starts) {
      if (forms.size === mostForms) break;
      forms.add(Array.from(page[field].slice(start, start + length), ({ text }) => text).join(" "));
    }
  return [...forms];
}

/** Whether a page has a term at a place. A word as common as `can` is no form of `cans`. */
function isAt(words: readonly Word[], start: number, term: Pick<Term<unknown>, "words" | "reading">): boolean {
  return (
    beginsAt(words, start, term.words, term.reading) && (term.words.length > 1 || words[start]?.isTelling === true)
  );
}

function mention(mentions: Mention[], field: PageField, weight: number, start: number): void {
  const last = mentions.at(-1);
  if (last?.field === field) last.starts.push(start);
  // A slug is mostly made from the title, and what is said twice is no second sign.
  else mentions.push({ field, weight: field === "slug" && last?.field === "title" ? 0 : weight, starts: [start] });
}

const noTerms: readonly never[] = [];
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
function contentShare(words: readonly Word[]): number {
  if (words.length <= usualContentWords) return 1;
  const different = new Set<string>();
  for (const { text, isTelling } of words) if (isTelling) different.add(text);
  return Math.min(1, usualContentWords / different.size);
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
