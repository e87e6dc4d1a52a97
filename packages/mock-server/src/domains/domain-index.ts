import type { AssignedDomain, TermContribution } from "./assignment.ts";
import { fieldAt, hushed, pageFields, type PlacementRequest, wordAt } from "./placement-request.ts";
import type { Place } from "./policy.ts";
import type { Vocabulary } from "./vocabulary.ts";
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
 * Inverted index of a catalogue: for each topic and keyword the domains that list it, and how strongly.
 *
 * A score is the sum over shared terms of `emphasis(term, page) x strength(term, domain) x rarity(term)`. Nothing in it
 * depends on how many domains there are or what they list beside: a domain that shares no word with a page moves nothing.
 */
export class DomainIndex {
  readonly #vocabulary: Vocabulary;
  readonly #places: readonly Place[];
  /** The terms that each word begins: by its text, and behind that by its stem. */
  readonly #roots: (Term | undefined)[] = [];
  /** By domain, of the page that is being matched, the score, and behind that the evidence; else 0. */
  readonly #sums: Float64Array;

  /** `isStemmed` tells whether a domain's words are compared by their stem. */
  constructor(vocabulary: Vocabulary, places: readonly Place[], isStemmed: (place: Place) => boolean) {
    this.#vocabulary = vocabulary;
    this.#places = places;
    this.#sums = new Float64Array(2 * places.length);
    for (const place of places)
      for (const kind of ["topics", "keywords"] as const)
        for (const written of place.domain[kind])
          this.#add({ at: place.index, strength: strengths[kind], written }, isStemmed(place));
  }

  /** Holds a page against all domains, in their order. */
  match(request: PlacementRequest): Candidate[] {
    const shared: Term[] = [];
    this.#walk(request, (term, field) => {
      if (term.mentions === 0) shared.push(term);
      term.mentions |= 1 << field;
    });
    const sums = this.#sums;
    const emphases: number[] = [];
    for (const term of shared) {
      const { listings, rarity } = term;
      const emphasis = (emphases[term.mentions] ??= emphasize(term.mentions, request));
      term.mentions = 0;
      for (const { at, strength } of listings) {
        sums[2 * at] = (sums[2 * at] ?? 0) + toAddend(emphasis * strength * rarity);
        sums[2 * at + 1] = (sums[2 * at + 1] ?? 0) + toAddend(emphasis * strength);
      }
    }
    const candidates = this.#places.map((place, at): Candidate => {
      return { place, name: place.domain.name, score: sums[2 * at] ?? 0, evidence: sums[2 * at + 1] ?? 0 };
    });
    sums.fill(0);
    return candidates;
  }

  /** The words that make up a domain's score, highest part first. */
  explain(place: Place, request: PlacementRequest): TermContribution[] {
    const hits: { term: Term; field: number; form: string }[] = [];
    this.#walk(request, (term, field, start, end) => {
      if (!term.listings.some(({ at }) => at === place.index)) return;
      const words = request.words[field]?.slice(start, end) ?? [];
      const form = words.map((_, at) => this.#vocabulary.texts[wordAt(words, at)]).join(" ");
      hits.push({ term, field, form });
    });
    const told: TermContribution[] = [];
    for (const [{ listings, rarity }, some] of Map.groupBy(hits, ({ term }) => term)) {
      const listing = listings.find(({ at }) => at === place.index);
      const mentions = some.reduce((bits, { field }) => bits | (1 << field), 0);
      const emphasis = emphasize(mentions, request);
      if (listing === undefined || emphasis === 0) continue;
      const { strength, written: term } = listing;
      const words = Array.from(new Set(some.map(({ form }) => form))).slice(0, mostForms);
      const where = Array.from(Map.groupBy(some, ({ field }) => field)).map(([field, { length: count }]) => {
        return { field: pageFields[field] ?? "title", count, weight: weigh(field, mentions, request) };
      });
      const score = toAddend(emphasis * strength * rarity);
      told.push({ term, words, fields: where, emphasis, strength, rarity, score });
    }
    return told.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
  }

  /** Tells where a page has terms, field by field: from one word up to another. One as common as `can` is no form of `cans`. */
  #walk({ words }: PlacementRequest, hear: (term: Term, field: number, start: number, end: number) => void): void {
    const { stems, traits: traitsOf } = this.#vocabulary;
    for (let field = 0; field < words.length; field += 1) {
      const read = words[field] ?? [];
      for (let start = 0; start < read.length; start += 1) {
        const word = read[start] ?? 0;
        if (word >= hushed) continue;
        const isTelling = ((traitsOf[word] ?? 0) & traits.isTelling) !== 0;
        for (let isStem = 0; isStem < 2; isStem += 1) {
          let term = this.#roots[2 * (isStem === 0 ? word : (stems[word] ?? 0)) + isStem];
          for (let end = start + 1; term !== undefined; end += 1) {
            if (term.listings.length > 0 && (isTelling || end > start + 1)) hear(term, field, start, end);
            if (end === read.length) break;
            const next = wordAt(read, end);
            term = term.goOn(isStem === 0 ? next : (stems[next] ?? 0));
          }
        }
      }
    }
  }

  #add(listing: Listing, isStemmed: boolean): void {
    const { texts, stems, traits: traitsOf } = this.#vocabulary;
    const written = this.#vocabulary.read(listing.written);
    if (!written.some((word) => ((traitsOf[word] ?? 0) & traits.isTelling) !== 0)) return;
    const words = isStemmed ? written.map((word) => stems[word] ?? 0) : written;
    if (words.some((word) => ((traitsOf[word] ?? 0) & traits.isUnspaced) === 0)) {
      this.#open(words, isStemmed).list(listing, words.length > 1 ? phraseRarity : 1);
      return;
    }
    // Without spaces nobody knows where words begin, so each pair of characters counts for its share of the whole.
    const pairs = new Set(words);
    const strength = listing.strength / pairs.size;
    for (const pair of pairs) {
      const share = pairs.size === 1 ? listing : { ...listing, strength, written: texts[pair] ?? "" };
      this.#open([pair], isStemmed).list(share);
    }
  }

  /** The term that some words make, a new one where there is none. */
  #open([first = 0, ...others]: readonly number[], isStemmed: boolean): Term {
    const root = 2 * first + Number(isStemmed);
    while (this.#roots.length <= root) this.#roots.push(undefined);
    return others.reduce((term, word) => term.open(word), (this.#roots[root] ??= new Term()));
  }
}

/** A domain held against a page. */
export interface Candidate extends Pick<AssignedDomain, "name" | "score" | "evidence"> {
  place: Place;
}

/** A topic or keyword as it is compared, or what several begin with. */
class Term {
  /** Those that go on with another word. */
  #next: Map<number, Term> | undefined;
  /** The words that they go on with, each as one of 32 bits. */
  #following = 0;
  /** By whom it is listed, each domain once. */
  readonly listings: Listing[] = [];
  /** See `TermContribution.rarity`. */
  rarity = 1;
  /** The fields that have it, as bits, of the page that is being matched; else 0. */
  mentions = 0;

  /** The term that goes on with a word. Nearly always there is none, which a bit tells. */
  goOn(word: number): Term | undefined {
    return (this.#following & (1 << word)) === 0 ? undefined : this.#next?.get(word);
  }

  open(word: number): Term {
    const term = this.goOn(word) ?? new Term();
    (this.#next ??= new Map()).set(word, term);
    this.#following |= 1 << word;
    return term;
  }

  list(listing: Listing, most = 1): void {
    // Domains come one after the other.
    const known = this.listings.at(-1);
    if (known?.at !== listing.at) this.listings.push(listing);
    else if (known.strength < listing.strength) Object.assign(known, listing);
    this.rarity = (most * Math.log(1 + rarityScale / this.listings.length)) / Math.log(1 + rarityScale);
  }
}

interface Listing {
  at: number;
  strength: number;
  /** As the catalogue writes it. */
  written: string;
}

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
