import type { AssignedDomain, PageField, TermContribution } from "./assignment.ts";
import type { PlacementRequest } from "./placement-request.ts";
import type { Place } from "./policy.ts";
import { isUnspaced, type Reading, readPhrase, type Word, wordBuckets } from "./words.ts";

/** Fields whose words place a page, by how much each counts; a bit stands for each. */
const weights = { title: 3, slug: 2, meta_description: 2, content: 1, "cta.label": 1 };
type Field = { name: PageField; weight: number; bit: number };
const fields = Object.entries(weights).map(([name, weight], at) => ({ name, weight, bit: 1 << at })) as Field[]; // why: keys are typed as strings

/** A topic is what a domain is called for; a keyword, what it also mentions. */
const strengths = { topics: 2, keywords: 1 } as const;
const readings = ["text", "stem"] as const;
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
  readonly #roots: Record<Reading, Branch> = { text: new Branch(), stem: new Branch() };
  readonly #places: readonly Place[];
  /** What no page has begun yet, by two letters, which inflection leaves: reading all takes longer than placing many pages. */
  readonly #unread = new Map<string, (() => void)[]>();
  /** What begins with the word met last of each bucket. */
  readonly #starts = Array<Start | undefined>(wordBuckets);

  /** `readingOf` tells how a domain's words are compared, and those of a page with them. */
  constructor(places: readonly Place[], readingOf: (place: Place) => Reading) {
    this.#places = places;
    for (const place of places)
      for (const kind of ["topics", "keywords"] as const)
        for (const phrase of place.domain[kind]) {
          const add = (): void => this.#add(phrase, readingOf(place), place, strengths[kind]);
          const key = /^[a-z\d]{2}/i.exec(phrase)?.[0].toLowerCase();
          if (key === undefined) add();
          else if (!this.#unread.get(key)?.push(add)) this.#unread.set(key, [add]);
        }
  }

  /** Holds a page against all domains, in their order. */
  match(request: PlacementRequest): Candidate[] {
    const shared: Branch[] = [];
    for (const { term, field } of this.#findTerms(request)) {
      if (term.mentions === 0) shared.push(term);
      term.mentions |= field.bit;
    }
    const [scores, evidence] = [new Float64Array(this.#places.length), new Float64Array(this.#places.length)];
    for (const term of shared) {
      const emphasis = emphasize(term.mentions, request);
      term.mentions = 0;
      for (const {
        place: { index },
        strength,
      } of term.listings) {
        scores[index] = (scores[index] ?? 0) + toAddend(emphasis * strength * term.rarity);
        evidence[index] = (evidence[index] ?? 0) + toAddend(emphasis * strength);
      }
    }
    return this.#places.map((place, index) => {
      return { place, name: place.domain.name, score: scores[index] ?? 0, evidence: evidence[index] ?? 0 };
    });
  }

  /** The words that make up a domain's score, highest part first. */
  explain(place: Place, request: PlacementRequest): TermContribution[] {
    const told: TermContribution[] = [];
    for (const [{ listings, rarity }, hits] of Map.groupBy(this.#findTerms(request), ({ term }) => term)) {
      const listing = listings.find((some) => some.place === place);
      const mentions = hits.reduce((bits, { field }) => bits | field.bit, 0);
      const emphasis = emphasize(mentions, request);
      if (listing === undefined || emphasis === 0) continue;
      const { strength, written: term } = listing;
      const found = hits.map(({ words, start, end }) => words.slice(start, end));
      const forms = new Set(found.map((some) => some.map(({ text }) => text).join(" ")));
      const words = [...forms].slice(0, mostForms);
      const counts = Map.groupBy(hits, ({ field }) => field);
      const where = Array.from(counts, ([field, { length: count }]) => {
        return { field: field.name, count, weight: weigh(field, mentions, request) };
      });
      const score = toAddend(emphasis * strength * rarity);
      told.push({ term, words, fields: where, emphasis, strength, rarity, score });
    }
    return told.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
  }

  /** Where a page has a term, field by field. A word as common as `can` is no form of `cans`. */
  #findTerms({ words: page }: PlacementRequest): Hit[] {
    const hits: Hit[] = [];
    for (const field of fields) {
      const words = page[field.name];
      for (let start = 0; start < words.length; start += 1) {
        const word = words[start];
        if (word === undefined || word.isHushed) continue;
        const from = this.#startOf(word);
        for (const reading of readings) {
          let end = start + 1;
          for (let at = from[reading]; at !== undefined; end += 1) {
            const isTerm = at.listings.length > 0 && (end > start + 1 || word.isTelling);
            if (isTerm) hits.push({ term: at, field, words, start, end });
            const following = words[end];
            // Of a word that cannot go on with the following one, its initial nearly always tells, which is at hand.
            if (following === undefined || (at.initials & (1 << following.text.charCodeAt(0))) === 0) break;
            at = at.next?.get(reading === "stem" ? following.stem : following.text);
          }
        }
      }
    }
    return hits;
  }

  #startOf(word: Word): Start {
    const known = this.#starts[word.bucket];
    if (known?.word === word) return known;
    const key = word.text.slice(0, 2);
    for (const add of this.#unread.get(key) ?? []) add();
    this.#unread.delete(key);
    const { text, stem } = this.#roots;
    return (this.#starts[word.bucket] = { word, text: text.next?.get(word.text), stem: stem.next?.get(word.stem) });
  }

  #add(phrase: string, reading: Reading, place: Place, strength: number): void {
    const words = readPhrase(phrase).map((word) => word[reading]);
    // Without spaces nobody knows where words begin, so each pair of characters counts for its share of the whole.
    const terms = words.every(isUnspaced) ? Array.from(new Set(words), (pair) => [pair]) : [words];
    for (const term of terms) {
      const written = terms.length === 1 ? phrase : term.join("");
      let branch = this.#roots[reading];
      for (const word of term) branch = branch.open(word);
      branch.list({ place, strength: strength / terms.length, written });
    }
  }
}

/** A domain held against a page. */
export interface Candidate extends Pick<AssignedDomain, "name" | "score" | "evidence"> {
  place: Place;
}

/** A place where a page has a term, from one word of a field up to another. */
interface Hit {
  term: Branch;
  field: Field;
  words: readonly Word[];
  start: number;
  end: number;
}

/** What a word can begin, by how it is read. */
interface Start extends Record<Reading, Branch | undefined> {
  word: Word;
}

/** Where terms that begin with the same words part: those that go on with another word, and the one that ends here, a topic or keyword as it is compared. */
class Branch {
  next: Map<string, Branch> | undefined;
  /** Initials of the words it goes on with, which inflection leaves as they are, each as one of 32 bits. */
  initials = 0;
  /** By whom the term is listed, each domain once. */
  readonly listings: Listing[] = [];
  /** See `TermContribution.rarity`. */
  rarity = 1;
  /** The fields that have the term, as bits, of the page that is being matched; else 0. */
  mentions = 0;

  open(word: string): Branch {
    const branch = this.next?.get(word) ?? new Branch();
    (this.next ??= new Map()).set(word, branch);
    this.initials |= 1 << word.charCodeAt(0);
    return branch;
  }

  list(listing: Listing): void {
    const known = this.listings.find(({ place }) => place === listing.place);
    if (known === undefined) this.listings.push(listing);
    else if (known.strength < listing.strength) Object.assign(known, listing);
    this.rarity = Math.log(1 + rarityScale / this.listings.length) / Math.log(1 + rarityScale);
  }
}

interface Listing {
  place: Place;
  strength: number;
  /** As the catalogue writes it. */
  written: string;
}

/** How much the fields that have a term say together; nothing where a call to action has it alone, or a slug, which is often English anywhere. */
function emphasize(mentions: number, request: PlacementRequest): number {
  if ((mentions & (request.isEnglish ? 0b01111 : 0b01101)) === 0) return 0;
  let weight = 0;
  for (const field of fields) if ((mentions & field.bit) !== 0) weight += weigh(field, mentions, request);
  return ((1 + pageSaturation) * weight) / (weight + pageSaturation);
}

/** What a field counts beside others that have the same term: a slug is mostly made from the title, and what is said twice is no second sign. */
function weigh({ name, weight }: Field, mentions: number, { telling }: PlacementRequest): number {
  if (name === "slug" && (mentions & 1) !== 0) return 0;
  return name === "content" ? weight * Math.min(1, usualContentWords / telling) : weight;
}

/**
 * The nearest multiple of 2^-36. Sums of such numbers are exact up to 2^17, which takes thousands of terms, so the order in
 * which terms are met, which is the catalogue's, decides nothing, and the parts add up to the score to the last bit.
 */
function toAddend(value: number): number {
  return Math.round(value * 2 ** 36) / 2 ** 36;
}
