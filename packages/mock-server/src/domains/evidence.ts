import type { AssignedDomain, TermContribution } from "./assignment.ts";
import commonWords from "./common-words.json" with { type: "json" };
import type { ReadPage } from "./read-page.ts";
import { stemEnglish } from "./words.ts";

/** A content with fewer different telling words hardly says anything, so a title may speak for it. */
const wordyFrom = 6;

/** Ranks of everyday words by their stems, 1 for the commonest. */
const ranks = readRanks();

function readRanks(): Map<string, number> {
  const stems = new Set(commonWords.words.split(" ").map((word) => stemEnglish(word)));
  return new Map(Array.from(stems, (stem, index) => [stem, index + 1]));
}

/**
 * How much a word says about a page, from 0.5 for the hundred commonest of English to 1 for words that are not everyday words.
 * A phrase of everyday words is no everyday phrase. Only English words are known to be common.
 */
export function specificityOf(term: string, { isEnglish }: ReadPage): number {
  const rank = isEnglish ? (ranks.get(term) ?? ranks.size) : ranks.size;
  return 0.5 + 0.5 * Math.max(0, Math.log(rank / 100) / Math.log(ranks.size / 100));
}

/** Evidence that a domain needs more of: 1.9 on a bare page; else 3.6 and 0.05 for each telling word up to 40, because a long text mentions more. */
export function thresholdFor({ tellingWords }: ReadPage): number {
  return tellingWords < wordyFrom ? 1.9 : 3.6 + 0.05 * Math.min(tellingWords, 40);
}

/**
 * Whether a domain has enough evidence that a page belongs to it. Its terms must weigh more than the threshold, and be a phrase, three
 * everyday words, or two words of which one is no everyday word. On a bare page one such word suffices, or a topic.
 */
export function hasEnough({ evidence, terms }: Pick<AssignedDomain, "evidence" | "terms">, page: ReadPage): boolean {
  if (evidence <= thresholdFor(page)) return false;
  const isBare = page.tellingWords < wordyFrom;
  const isStrong = ({ strength, specificity }: TermContribution): boolean =>
    specificity === 1 || (isBare && strength === 2);
  const independent = findIndependent(terms);
  const hasPhrase = independent.some(({ words: [form = ""] }) => form.includes(" "));
  const isBacked = isBare || independent.length > 1;
  return hasPhrase || independent.length > 2 || (isBacked && independent.some(isStrong));
}

/** The terms that share no word with a stronger one: `car hire` beside `car` is one sign, not two. */
function findIndependent(terms: readonly TermContribution[]): TermContribution[] {
  const seen = new Set<string>();
  const strongestFirst = terms.toSorted((one, other) => evidenceOf(other) - evidenceOf(one));
  return strongestFirst.filter(({ words: [form = ""] }) => {
    const stems = form.split(" ").map((word) => stemEnglish(word));
    const isNew = !stems.some((stem) => seen.has(stem));
    for (const stem of stems) seen.add(stem);
    return isNew;
  });
}

/** What a term adds to the evidence for a domain: its score without rarity. */
function evidenceOf({ emphasis, strength, specificity }: TermContribution): number {
  return emphasis * strength * specificity;
}
