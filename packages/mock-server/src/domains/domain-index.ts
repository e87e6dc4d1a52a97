import type { AssignedDomain, TermContribution } from "./assignment.ts";
import { fieldAt, hushed, pageFields, type PlacementRequest, wordAt } from "./placement-request.ts";
import type { Place } from "./policy.ts";
import { fact, type Vocabulary } from "./vocabulary.ts";
import { traits } from "./words.ts";

/** How much a word counts in each of {@link pageFields}. */
const weights = [3, 2, 2, 1, 1];

/** A topic is what a domain is called for; a keyword, what it also mentions. */
const strengths = { topics: 2, keywords: 1 } as const;
const rarityScale = 20;
/** Of the phrases that a page shares with the shipped domains, three in five are those of its own trade; of the words, one in four. */
const phraseRarity = 1.5;
const pageSaturation = 3;

/** Different telling words up to which a content counts in full. Counted so that neither repetition nor common words dilute it. */
const usualContentWords = 60;

/** Forms of a word told in an explanation; accents alone can make thousands that mean the same. */
const mostForms = 8;

/**
 * What stands where in the record of a term, which is a topic or keyword as it is compared, or what several begin with. First the
 * words that longer ones go on with, each as one of twice 32 bits; then the fields that have it, as bits, of the page that is
 * being matched, else 0; rarity; a domain that lists it, how strongly, 0 where none does, the record of another; how many do.
 */
const part = { mentions: 2, rarity: 3, at: 4, strength: 5, next: 6, count: 7, length: 8 } as const;

/**
 * Inverted index of a catalogue: for each topic and keyword the domains that list it, and how strongly.
 *
 * A score is the sum over shared terms of `emphasis(term, page) x strength(term, domain) x rarity(term)`. Nothing in it
 * depends on how many domains there are or what they list beside: a domain that shares no word with a page moves nothing.
 */
export class DomainIndex {
  readonly #vocabulary: Vocabulary;
  readonly #places: readonly Place[];
  /** As what words are compared, see {@link fact}. */
  readonly #sides: readonly number[];
  /** Terms, and listings of more domains, each as {@link part} tells: side by side, as memory is slower than what is done with it. */
  readonly #records = [0, 0, 0, 0, 0, 0, 0, 0];
  /** By term those that go on with another word. */
  readonly #longer = new Map<number, Map<number, number>>();
  /** By record the topic or keyword as the catalogue writes it. */
  readonly #written: string[] = [];
  /** By domain, of the page that is being matched, the score, and behind that the evidence; else 0. */
  readonly #sums: Float64Array;

  /** Endings are English where both sides are, or may be; elsewhere words are compared as they are written. */
  constructor(vocabulary: Vocabulary, places: readonly Place[], isEnglish: boolean) {
    this.#vocabulary = vocabulary;
    this.#places = places;
    this.#sides = isEnglish ? [fact.asText, fact.asStem] : [fact.asForeign];
    this.#sums = new Float64Array(2 * places.length);
    for (const { domain, index, locale } of places) {
      const side = !isEnglish ? fact.asForeign : (locale?.language ?? "en") === "en" ? fact.asStem : fact.asText;
      for (const kind of ["topics", "keywords"] as const)
        for (const written of domain[kind]) this.#add(index, strengths[kind], written, side);
    }
  }

  /** Holds a page against all domains, in their order. */
  match(request: PlacementRequest, hits: readonly Hit[]): Candidate[] {
    const [records, sums] = [this.#records, this.#sums];
    const shared: number[] = [];
    for (const { term, field } of hits) {
      if (records[term + part.mentions] === 0) shared.push(term);
      records[term + part.mentions] = (records[term + part.mentions] ?? 0) | (1 << field);
    }
    for (const term of shared) {
      const emphasis = emphasize(records[term + part.mentions] ?? 0, request);
      records[term + part.mentions] = 0;
      for (let some = term; some !== 0; some = records[some + part.next] ?? 0) {
        const at = 2 * (records[some + part.at] ?? 0);
        const evidence = emphasis * (records[some + part.strength] ?? 0);
        sums[at] = (sums[at] ?? 0) + toAddend(evidence * (records[term + part.rarity] ?? 0));
        sums[at + 1] = (sums[at + 1] ?? 0) + toAddend(evidence);
      }
    }
    const candidates = this.#places.map((place, at): Candidate => {
      return { place, score: sums[2 * at] ?? 0, evidence: sums[2 * at + 1] ?? 0 };
    });
    sums.fill(0);
    return candidates;
  }

  /** The words that make up a domain's score, highest part first. */
  explain(place: Place, request: PlacementRequest, hits: readonly Hit[]): TermContribution[] {
    const records = this.#records;
    const shared = new Map<number, { term: number; mentions: number; counts: number[]; forms: string[] }>();
    for (const { term, field, read, start, end } of hits) {
      let listing = term;
      while (listing !== 0 && records[listing + part.at] !== place.index) listing = records[listing + part.next] ?? 0;
      if (listing === 0) continue;
      let some = shared.get(listing);
      if (some === undefined) shared.set(listing, (some = { term, mentions: 0, counts: [0, 0, 0, 0, 0], forms: [] }));
      some.mentions |= 1 << field;
      some.counts[field] = (some.counts[field] ?? 0) + 1;
      let form = this.#vocabulary.textOf(wordAt(read, start));
      for (let at = start + 1; at < end; at += 1) form += ` ${this.#vocabulary.textOf(wordAt(read, at))}`;
      if (some.forms.length < mostForms && !some.forms.includes(form)) some.forms.push(form);
    }
    const told: TermContribution[] = [];
    for (const [listing, { term, mentions, counts, forms: words }] of shared) {
      const emphasis = emphasize(mentions, request);
      if (emphasis === 0) continue;
      const [strength = 0, rarity = 0] = [records[listing + part.strength], records[term + part.rarity]];
      const fields: TermContribution["fields"] = [];
      for (const [at, count] of counts.entries())
        if (count > 0) fields.push({ field: pageFields[at] ?? "title", count, weight: weigh(at, mentions, request) });
      const score = toAddend(emphasis * strength * rarity);
      told.push({ term: this.#written[listing / part.length] ?? "", words, fields, emphasis, strength, rarity, score });
    }
    return told.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
  }

  /** Where a page has terms, field by field. A word as common as `can` is no form of `cans`. */
  find({ words }: PlacementRequest): Hit[] {
    const [records, sides, { facts }] = [this.#records, this.#sides, this.#vocabulary];
    const hits: Hit[] = [];
    for (let field = 0; field < words.length; field += 1) {
      const read = words[field] ?? [];
      for (let start = 0; start < read.length; start += 1) {
        const word = read[start] ?? 0;
        if (word >= hushed) continue;
        const least = start + (((facts[word] ?? 0) & traits.isTelling) !== 0 ? 1 : 2);
        for (let at = 0; at < sides.length; at += 1) {
          const side = sides[at] ?? 0;
          let term = facts[(facts[word + side] ?? 0) + fact.begins + side] ?? 0;
          for (let end = start + 1; term !== 0; end += 1) {
            if (end >= least && records[term + part.strength] !== 0) hits.push({ term, field, read, start, end });
            term = end < read.length ? this.#goOn(term, facts[wordAt(read, end) + side] ?? 0) : 0;
          }
        }
      }
    }
    return hits;
  }

  /** The term that goes on with a word; 0 where there is none, as nearly always, which two bits tell. */
  #goOn(term: number, word: number): number {
    const [some, others] = [this.#records[term] ?? 0, this.#records[term + 1] ?? 0];
    return ((some >> (word >> 3)) & (others >> (word >> 8)) & 1) === 0 ? 0 : (this.#longer.get(term)?.get(word) ?? 0);
  }

  #add(at: number, strength: number, written: string, side: number): void {
    const { facts } = this.#vocabulary;
    const read = this.#vocabulary.read(written);
    if (!read.some((word) => ((facts[word] ?? 0) & traits.isTelling) !== 0)) return;
    const words = read.map((word) => facts[word + side] ?? 0);
    if (words.some((word) => ((facts[word] ?? 0) & traits.isUnspaced) === 0)) {
      this.#list(this.#open(words, side), at, strength, written, words.length > 1 ? phraseRarity : 1);
      return;
    }
    // Without spaces nobody knows where words begin, so each pair of characters counts for its share of the whole.
    const pairs = new Set(words);
    for (const pair of pairs) {
      const term = pairs.size === 1 ? written : this.#vocabulary.textOf(pair);
      this.#list(this.#open([pair], side), at, strength / pairs.size, term, 1);
    }
  }

  /** The term that some words make, a new one where there is none. */
  #open([first = 0, ...others]: readonly number[], side: number): number {
    const records = this.#records;
    const begun = (this.#vocabulary.facts[first + fact.begins + side] ||= this.#newRecord());
    return others.reduce((term, word) => {
      const next = this.#goOn(term, word) || this.#newRecord();
      this.#longer.set(term, (this.#longer.get(term) ?? new Map<number, number>()).set(word, next));
      records[term] = (records[term] ?? 0) | (1 << (word >> 3));
      records[term + 1] = (records[term + 1] ?? 0) | (1 << (word >> 8));
      return next;
    }, begun);
  }

  /** Lists a term for a domain, once. Domains come one after the other; the last stands with the term. */
  #list(term: number, at: number, strength: number, written: string, most: number): void {
    const [records, writtenAt] = [this.#records, term / part.length];
    const before = records[term + part.strength] ?? 0;
    const isKnown = before > 0 && records[term + part.at] === at;
    if (isKnown && before >= strength) return;
    if (before > 0 && !isKnown) {
      const other = this.#newRecord();
      records.copyWithin(other + part.at, term + part.at, term + part.next + 1);
      this.#written[other / part.length] = this.#written[writtenAt] ?? "";
      records[term + part.next] = other;
    }
    records[term + part.at] = at;
    records[term + part.strength] = strength;
    this.#written[writtenAt] = written;
    const count = (records[term + part.count] ?? 0) + (isKnown ? 0 : 1);
    records[term + part.count] = count;
    records[term + part.rarity] = (most * Math.log(1 + rarityScale / count)) / Math.log(1 + rarityScale);
  }

  #newRecord(): number {
    return this.#records.push(0, 0, 0, 0, 0, 0, 0, 0) - part.length;
  }
}

/** A term that a page has: from one word of a field up to another. */
export type Hit = Record<"term" | "field" | "start" | "end", number> & { read: readonly number[] };

/** A domain held against a page. */
export type Candidate = Pick<AssignedDomain, "score" | "evidence"> & { place: Place };

/** How much the fields that have a term say together; nothing where a call to action has it alone, or a slug, which is often English anywhere. */
function emphasize(mentions: number, request: PlacementRequest): number {
  if ((mentions & (request.isEnglish ? 0b01111 : 0b01101)) === 0) return 0;
  let weight = 0;
  for (let field = 0; field < weights.length; field += 1)
    if ((mentions & (1 << field)) !== 0) weight += weigh(field, mentions, request);
  return ((1 + pageSaturation) * weight) / (weight + pageSaturation);
}

/** What a field counts beside others that have the same term: a slug is mostly made from the title, and what is said twice is no second sign. */
function weigh(field: number, mentions: number, { telling }: PlacementRequest): number {
  const weight = weights[field] ?? 0;
  if (field === fieldAt.slug && (mentions & (1 << fieldAt.title)) !== 0) return 0;
  return field === fieldAt.content ? weight * Math.min(1, usualContentWords / telling) : weight;
}

/**
 * The nearest multiple of 2^-36. Sums of such numbers are exact up to 2^17, which takes thousands of terms, so the order in
 * which terms are met, which is the catalogue's, decides nothing, and the parts add up to the score to the last bit.
 */
function toAddend(value: number): number {
  return Math.round(value * 2 ** 36) / 2 ** 36;
}
