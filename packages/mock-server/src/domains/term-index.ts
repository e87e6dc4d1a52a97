import type { PageField, TermContribution } from "./assignment.ts";
import type { Domain } from "./catalogue.ts";
import commonWords from "./common-words.json" with { type: "json" };
import { isMeaningful, type ReadPage, splitWords, stemEnglish } from "./words.ts";

/** A phrase ranks higher than a word, because a phrase that a page shares with a domain is far more often about the same subject. */
const phraseRarity = 1.5;

/** Weight of a word in each field of a page. */
const fieldWeights: Record<PageField, number> = { title: 3, meta_description: 2, content: 1, slug: 2, "cta.label": 1 };

/** A topic or keyword of a domain. */
interface Posting {
  domain: Domain;
  /** As the catalogue writes it. */
  term: string;
  strength: number;
}

/** Makes the form of a word that is compared. */
type Stem = (word: string) => string;

/**
 * The domains that list a term. A key is the words of the term in their compared forms, joined by spaces. The beginnings of phrases are
 * keys too, without domains.
 */
type Terms = Map<string, Posting[]>;

/** Inverted index of a catalogue. Domains whose words are compared in the same form are in one group, by the function that makes the form. */
export type TermIndex = Map<Stem, Terms>;

/** Builds the index for pages that may be English, or for others. Endings are removed only if the page and the domain may both be English. */
export function indexTerms(domains: readonly Domain[], isEnglishPage: boolean): TermIndex {
  const groups = Map.groupBy(domains, ({ locale = "en" }) =>
    isEnglishPage && new Intl.Locale(locale).language === "en" ? stemEnglish : String,
  );
  return new Map(Array.from(groups, ([stem, some]) => [stem, listTerms(some, stem)]));
}

function listTerms(domains: readonly Domain[], stem: Stem): Terms {
  const terms: Terms = new Map();
  // A topic is a subject of the domain. A keyword is a word that its pages also use.
  const postings = domains.flatMap((domain) => [
    ...domain.topics.map((term) => ({ domain, term, strength: 2 })),
    ...domain.keywords.map((term) => ({ domain, term, strength: 1 })),
  ]);
  for (const posting of postings) {
    let key = "";
    for (const word of splitWords(posting.term)) {
      key = `${key} ${stem(word)}`.trimStart();
      if (!terms.has(key)) terms.set(key, []);
    }
    const known = terms.get(key);
    // A domain that lists a term in several spellings lists it once, as a topic if it is one.
    if (known?.at(-1)?.domain !== posting.domain) known?.push(posting);
  }
  return terms;
}

/** Finds the terms that a page shares with each domain, and their contributions to its score. */
export function findContributions(index: TermIndex, page: ReadPage): Map<Domain, TermContribution[]> {
  const found = new Map<Domain, TermContribution[]>();
  for (const [stem, terms] of index)
    for (const [key, { forms, fields, total }] of findMentions(terms, page, stem)) {
      const postings = terms.get(key) ?? [];
      const emphasis = (4 * total) / (total + 3);
      // A phrase has no rank, although its words may have one. Ranks are known for English only.
      const rank = (page.isEnglish && ranks.get(key)) || ranks.size;
      const specificity = 0.5 + 0.5 * Math.max(0, Math.log(rank / 100) / Math.log(ranks.size / 100));
      const rarity = ((key.includes(" ") ? phraseRarity : 1) * Math.log(1 + 20 / postings.length)) / Math.log(21);
      const words = Array.from(forms);
      for (const { domain, term, strength } of postings) {
        const contributions = found.get(domain) ?? [];
        found.set(domain, contributions);
        const score = emphasis * strength * specificity * rarity;
        contributions.push({ term, words, fields, emphasis, strength, specificity, rarity, score });
      }
    }
  return found;
}

/** A term that a page has, with its forms and fields there, and the total weight of these fields. */
interface Mention extends Pick<TermContribution, "fields"> {
  forms: Set<string>;
  total: number;
}

/** Finds terms in a page, by their keys. */
function findMentions(terms: Terms, page: ReadPage, stem: Stem): Map<string, Mention> {
  const mentions = new Map<string, Mention>();
  for (const [field, words] of page.words)
    for (const [key, forms] of findTerms(terms, words, stem)) {
      const known = mentions.get(key);
      // A call to action alone is no evidence.
      if (field === "cta.label" && known === undefined) continue;
      // A slug mostly repeats other fields, and a long content mentions much.
      const share = field === "content" ? page.contentShare : 1;
      const weight = field === "slug" && known ? 0 : fieldWeights[field] * share;
      const mention = known ?? { forms: new Set(), fields: [], total: 0 };
      mentions.set(key, mention);
      for (const form of forms) mention.forms.add(form);
      mention.fields.push({ field, count: forms.length, weight });
      mention.total += weight;
    }
  return mentions;
}

/** Finds terms in the words of a field, by their keys, with the words there. */
function findTerms(terms: Terms, words: readonly string[], stem: Stem): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const stems = words.map(stem);
  for (const [start, first] of stems.entries()) {
    let key = first;
    for (let end = start + 1; end <= stems.length && terms.has(key); key += ` ${stems[end]}`, end += 1) {
      const form = words.slice(start, end);
      if (terms.get(key)?.length === 0 || !form.some(isMeaningful)) continue;
      const forms = found.get(key) ?? [];
      found.set(key, forms);
      forms.push(form.join(" "));
    }
  }
  return found;
}

/** Rank of each everyday word by its stem, 1 for the most common. */
const ranks = new Map(
  Array.from(new Set(commonWords.words.split(" ").map(stemEnglish)), (stem, index) => [stem, index + 1]),
);

/**
 * Adds up the contributions to a domain's score. A score does not depend on the number of domains or on their other terms, so a domain
 * that shares no word with a page changes nothing.
 *
 * The evidence suffices if it exceeds the threshold and contains a phrase, three words, or two words of which one is not an everyday
 * word. On a bare page one such word is enough, or one topic.
 */
export function sumUp(contributions: readonly TermContribution[], { isBare, threshold }: ReadPage) {
  // Adds in a fixed order, so that rounding does not depend on the order of the catalogue.
  const terms = contributions.toSorted((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
  const total = { score: 0, evidence: 0 };
  let isStrong = false;
  let isPhrase = false;
  for (const { score, emphasis, strength, specificity, words } of terms) {
    total.score += score;
    total.evidence += emphasis * strength * specificity;
    isStrong ||= specificity === 1 || (isBare && strength === 2);
    isPhrase ||= words[0]?.includes(" ") === true;
  }
  const hasEnoughWords = isPhrase || terms.length > 2 || (isStrong && (isBare || terms.length > 1));
  return { ...total, terms, isEnough: hasEnoughWords && total.evidence > threshold };
}
