import type { AssignedDomain, PageField, TermContribution } from "./assignment.ts";
import type { Domain } from "./catalogue.ts";
import commonWords from "./common-words.json" with { type: "json" };
import { isMeaningful, type ReadPage, splitWords, stemEnglish } from "./words.ts";

/** Weight of a word in each field of a page, in the order of an explanation. */
const fieldWeights: ReadonlyMap<PageField, number> = new Map([
  ["title", 3],
  ["slug", 2],
  ["meta_description", 2],
  ["content", 1],
  ["cta.label", 1],
]);

/** A phrase ranks higher than a word, because a phrase that a page shares with a domain is far more often about the same subject. */
const phraseRarity = 1.5;

/** A content counts in full up to this number of different meaningful words. A longer text mentions more off-topic words. */
const usualContentWords = 60;

/** A page is bare if its content has fewer different meaningful words. Its title alone may decide. */
const wordyFrom = 6;

/** Most forms of a term in an explanation. Accents alone can make thousands of forms. */
const mostForms = 8;

/** A topic or keyword of a domain. */
interface Posting {
  domain: Domain;
  /** As the catalogue writes it. */
  term: string;
  strength: number;
}

/**
 * Inverted index of a catalogue: the domains that list a term. A key is the words of the term, joined by spaces. The beginnings of
 * phrases are keys too, without domains.
 */
export type TermIndex = Map<string, Posting[]>;

/** A term that a page has, with its forms and fields there. */
interface Mention {
  key: string;
  postings: readonly Posting[];
  forms: Set<string>;
  fields: TermContribution["fields"];
}

/** How well a domain matches a page, as {@link AssignedDomain}. */
export interface DomainMatch extends Omit<AssignedDomain, "name"> {
  /** Whether the evidence suffices to assign the page. */
  isEnough: boolean;
}

/** Builds the index for pages whose words have the same `stem`. */
export function indexTerms(domains: readonly Domain[], stem: (word: string) => string): TermIndex {
  const index: TermIndex = new Map();
  for (const domain of domains) {
    const { topics, keywords } = domain;
    // A topic is a subject of the domain. A keyword is a word that its pages also use.
    for (const [strength, terms] of [
      [2, topics],
      [1, keywords],
    ] as const)
      for (const term of terms) {
        let key = "";
        for (const word of splitWords(term)) {
          key = `${key} ${stem(word)}`.trimStart();
          if (!index.has(key)) index.set(key, []);
        }
        const postings = index.get(key);
        // A domain that lists a term in several spellings lists it once, as a topic if it is one.
        if (postings?.at(-1)?.domain !== domain) postings?.push({ domain, term, strength });
      }
  }
  return index;
}

/**
 * Scores each domain that shares a term with a page. A score is a sum over the shared terms. It does not depend on the number of
 * domains or on their other terms, so a domain that shares no word with a page changes nothing.
 */
export function matchDomains(index: TermIndex, page: ReadPage): Map<Domain, DomainMatch> {
  const matches = new Map<Domain, DomainMatch>();
  for (const mention of findTerms(index, page)) addTerm(matches, mention, page);
  for (const match of matches.values()) {
    // Adds in a fixed order, so that rounding does not depend on the order of the catalogue.
    match.terms.sort((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
    for (const { score, emphasis, strength, specificity } of match.terms) {
      match.score += score;
      match.evidence += emphasis * strength * specificity;
    }
    match.isEnough = hasEnough(match, page);
  }
  return matches;
}

/** Finds the terms of the catalogue in a page. */
function findTerms(index: TermIndex, page: ReadPage): Iterable<Mention> {
  const mentions = new Map<string, Mention>();
  for (const [field, fullWeight] of fieldWeights) {
    const words = page.words[field];
    const stems = words.map(page.stem);
    const weight = field === "content" ? fullWeight * Math.min(1, usualContentWords / page.contentWords) : fullWeight;
    for (const [start, first] of stems.entries()) {
      let key = first;
      for (let end = start + 1; index.has(key); key += ` ${stems[end]}`, end += 1) {
        const postings = index.get(key) ?? [];
        if (postings.length > 0 && words.slice(start, end).some(isMeaningful)) {
          const mention = mentions.get(key) ?? { key, postings, forms: new Set(), fields: [] };
          mentions.set(key, mention);
          const known = mention.fields.at(-1);
          if (known?.field === field) known.count += 1;
          // A slug mostly repeats the title, so a word of the title counts no second time.
          else mention.fields.push({ field, count: 1, weight: field === "slug" && known ? 0 : weight });
          if (mention.forms.size < mostForms) mention.forms.add(words.slice(start, end).join(" "));
        }
        if (end === stems.length) break;
      }
    }
  }
  return mentions.values();
}

/** Adds the contribution of a term to each domain that lists it. */
function addTerm(matches: Map<Domain, DomainMatch>, mention: Mention, { language: { isEnglish } }: ReadPage): void {
  const { key, postings, forms, fields } = mention;
  let total = 0;
  let isSaid = false;
  for (const { field, weight } of fields) {
    total += weight;
    // A call to action alone is no evidence, nor is the slug of a foreign page, because it is often English.
    isSaid ||= field !== "cta.label" && (field !== "slug" || isEnglish);
  }
  if (!isSaid) return;
  const emphasis = (4 * total) / (total + 3);
  // A phrase has no rank, although its words may have one. Ranks are known for English only.
  const rank = isEnglish ? (ranks.get(key) ?? ranks.size) : ranks.size;
  const specificity = 0.5 + 0.5 * Math.max(0, Math.log(rank / 100) / Math.log(ranks.size / 100));
  const rarity = ((key.includes(" ") ? phraseRarity : 1) * Math.log(1 + 20 / postings.length)) / Math.log(21);
  const words = Array.from(forms);
  for (const { domain, term, strength } of postings) {
    const match = matches.get(domain) ?? { score: 0, evidence: 0, terms: [], isEnough: false };
    matches.set(domain, match);
    const score = emphasis * strength * specificity * rarity;
    match.terms.push({ term, words, fields, emphasis, strength, specificity, rarity, score });
  }
}

/** Rank of each everyday word by its stem, 1 for the most common. */
const ranks = new Map(
  Array.from(new Set(commonWords.words.split(" ").map(stemEnglish)), (stem, index) => [stem, index + 1]),
);

/**
 * The evidence that a domain must exceed: 1.9 on a bare page; else 3.6, and 0.05 for each meaningful word up to 40, because a long
 * text mentions more.
 */
export function thresholdFor({ contentWords }: ReadPage): number {
  return contentWords < wordyFrom ? 1.9 : 3.6 + 0.05 * Math.min(contentWords, 40);
}

/**
 * Whether a domain has enough evidence that a page belongs to it. The evidence must exceed the threshold. It must also contain a
 * phrase, three words, or two words of which one is not an everyday word. On a bare page one such word is enough, or one topic.
 */
function hasEnough({ evidence, terms }: DomainMatch, page: ReadPage): boolean {
  if (evidence <= thresholdFor(page)) return false;
  const isBare = page.contentWords < wordyFrom;
  let isStrong = false;
  for (const { words, specificity, strength } of terms) {
    if (words[0]?.includes(" ")) return true;
    isStrong ||= specificity === 1 || (isBare && strength === 2);
  }
  return terms.length > 2 || (isStrong && (isBare || terms.length > 1));
}
