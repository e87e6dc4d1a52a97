import type { PageField, TermContribution } from "./assignment.ts";
import type { PageWords, PlacementRequest } from "./placement-request.ts";
import type { Place } from "./policy.ts";
import {
  countTelling,
  findPhrase,
  isUnspaced,
  readFirstWord,
  readPhrase,
  type Reading,
  type Word,
  wordSlots,
} from "./words.ts";

/** Fields whose words place a page, by how much each counts; the words of a call to action only count for what stands elsewhere too. */
const fieldWeights = { title: 3, slug: 2, meta_description: 2, content: 1, "cta.label": 1 } as const;
const fields = Object.keys(fieldWeights) as PageField[]; // why: keys are typed as strings

/** A topic is what a domain is called for; a keyword, what it also mentions. */
const strengths = { topics: 2, keywords: 1 } as const;
const rarityScale = 20;
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
  readonly #roots: Record<Reading, Branch> = { text: {}, stem: {} };
  /** What no page has begun yet, by first words: reading a catalogue's thousands of terms takes longer than placing many pages. */
  readonly #unread: Record<Reading, Map<string, (() => void)[]>> = { text: new Map(), stem: new Map() };

  /** What begins with each of the words met lately, by their slot. */
  readonly #starts = Array<Start | undefined>(wordSlots);

  /** `readingOf` tells how a domain's words are compared, and those of a page with them. */
  constructor(places: Iterable<Place>, readingOf: (place: Place) => Reading) {
    for (const place of places)
      for (const kind of ["topics", "keywords"] as const)
        for (const phrase of place.domain[kind]) {
          const reading = readingOf(place);
          const add = (): void => this.#add(phrase, reading, place, strengths[kind]);
          const first = readFirstWord(phrase, reading);
          if (first === undefined) add();
          else if (!this.#unread[reading].get(first)?.push(add)) this.#unread[reading].set(first, [add]);
        }
  }

  /** Holds a page against all domains. */
  match({ words: page, supporting }: PlacementRequest): PageMatch {
    const different = page.content.length > usualContentWords ? countTelling(page.content) : 0;
    const contentShare = Math.min(1, usualContentWords / different);
    const shared: SharedTerm[] = [];
    const shares = new Map<Place, Share>();
    for (const [term, mentions] of this.#findTerms(page)) {
      if (mentions.every((field) => supporting.has(field))) continue;
      let weight = 0;
      for (const field of mentions) weight += weigh(field, mentions, contentShare);
      const emphasis = saturate(weight);
      shared.push({ term, mentions, emphasis });
      for (const { place, strength } of term.listings) {
        let share = shares.get(place);
        if (share === undefined) shares.set(place, (share = { score: 0, evidence: 0 }));
        share.score += toAddend(emphasis * strength * term.rarity);
        share.evidence += toAddend(emphasis * strength);
      }
    }
    return { shares, explain: (place) => explain(place, shared, page, contentShare) };
  }

  /** The terms a page has, with the fields that have them. A word as common as `can` is no form of `cans`. */
  #findTerms(page: PageWords): Map<Term, PageField[]> {
    const found = new Map<Term, PageField[]>();
    for (const field of fields) {
      const words = page[field];
      words.forEach((word, start) => {
        if (word.isHushed === true) return;
        const starts = this.#startsOf(word);
        for (const reading of readings) {
          let end = start;
          for (let at = starts[reading]; at !== undefined; at = at.next?.get(words[end]?.[reading] ?? "")) {
            end += 1;
            if (at.term === undefined || (end === start + 1 && !word.isTelling)) continue;
            const mentions = found.get(at.term);
            if (mentions === undefined) found.set(at.term, [field]);
            else if (mentions.at(-1) !== field) mentions.push(field);
          }
        }
      });
    }
    return found;
  }

  #startsOf(word: Word): Start {
    const known = this.#starts[word.slot];
    if (known?.word === word) return known;
    const [text, stem] = [this.#open("text", word.text), this.#open("stem", word.stem)];
    return (this.#starts[word.slot] = { word, text, stem });
  }

  #open(reading: Reading, first: string): Branch | undefined {
    for (const add of this.#unread[reading].get(first) ?? []) add();
    this.#unread[reading].delete(first);
    return this.#roots[reading].next?.get(first);
  }

  #add(phrase: string, reading: Reading, place: Place, strength: number): void {
    const words = readPhrase(phrase).map((word) => word[reading]);
    if (words.length === 0) return;
    // Without spaces nobody knows where words begin, so each pair of characters counts for its share of the whole.
    if (!words.every(isUnspaced)) return this.#addTerm(words, reading, { place, strength, written: phrase });
    const pairs = new Set(words);
    const share = strength / pairs.size;
    for (const pair of pairs)
      this.#addTerm([pair], reading, { place, strength: share, written: pairs.size === 1 ? phrase : pair });
  }

  /** Domains come one after the other, so only the last listing can be of the same. */
  #addTerm(words: readonly string[], reading: Reading, listing: Listing): void {
    let branch = this.#roots[reading];
    for (const word of words) {
      const next: Branch = branch.next?.get(word) ?? {};
      (branch.next ??= new Map()).set(word, next);
      branch = next;
    }
    const term = (branch.term ??= { words, reading, listings: [], rarity: 1 });
    const last = term.listings.at(-1);
    if (last?.place !== listing.place) term.listings.push(listing);
    else if (last.strength < listing.strength) Object.assign(last, listing);
    term.rarity = Math.log(1 + rarityScale / term.listings.length) / Math.log(1 + rarityScale);
  }
}

const readings = ["text", "stem"] as const;

/** Where terms that begin with the same words part: the one that ends here, and those that go on with another word. */
interface Branch {
  term?: Term;
  next?: Map<string, Branch>;
}

/** The terms that a word can begin, by how it is read. */
interface Start extends Record<Reading, Branch | undefined> {
  word: Word;
}

/** A topic or keyword, as it is compared. */
interface Term {
  words: readonly string[];
  reading: Reading;
  /** By whom it is listed, each domain once. */
  listings: Listing[];
  /** See `TermContribution.rarity`. */
  rarity: number;
}

interface Listing {
  place: Place;
  strength: number;
  /** As the catalogue writes it. */
  written: string;
}

/** A page held against all domains. */
export interface PageMatch {
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

/** A term that a page has, the fields that have it, and what it counts there. */
interface SharedTerm {
  term: Term;
  mentions: readonly PageField[];
  emphasis: number;
}

function explain(place: Place, shared: readonly SharedTerm[], page: PageWords, share: number): TermContribution[] {
  const told = shared.flatMap(({ term, mentions, emphasis }): TermContribution[] => {
    const { words, reading, listings, rarity } = term;
    const listing = listings.find((some) => some.place === place);
    if (listing === undefined) return [];
    const { strength, written } = listing;
    const forms = new Set<string>();
    const fields = mentions.map((field) => {
      const text = page[field];
      const starts = findPhrase(text, words, reading).filter((start) => {
        const { isTelling = false, isHushed = false } = text[start] ?? {};
        return !isHushed && (words.length > 1 || isTelling);
      });
      for (const start of starts)
        if (forms.size < mostForms) forms.add(words.map((_, offset) => text[start + offset]?.text).join(" "));
      return { field, count: starts.length, weight: weigh(field, mentions, share) };
    });
    const score = toAddend(emphasis * strength * rarity);
    return [{ term: written, words: [...forms], fields, emphasis, strength, rarity, score }];
  });
  return told.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
}

/** What a field counts beside others that have the same term: a slug is mostly made from the title, and what is said twice is no second sign. */
function weigh(field: PageField, mentions: readonly PageField[], contentShare: number): number {
  if (field === "slug" && mentions[0] === "title") return 0;
  return fieldWeights[field] * (field === "content" ? contentShare : 1);
}

/** 1 for a weight of 1, and never more than 4: many words that agree say more than one that is everywhere. */
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
