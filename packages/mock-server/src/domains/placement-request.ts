import type { AssignablePage, PageField, PlacedPages } from "./assignment.ts";
import { functionWords } from "./function-words.ts";
import { stripMarkup } from "./markup.ts";
import { isPerhapsEnglish, type PageLanguage, readLanguage, readTag } from "./page-locale.ts";
import { fact, type Vocabulary } from "./vocabulary.ts";
import { scripts, traits } from "./words.ts";

/** What is read of a page to place it. */
export interface PlacementRequest {
  slug: string;
  /** Its words, for each of {@link pageFields}: numbers of the vocabulary, with {@link hushed} where they begin no term. */
  words: readonly (readonly number[])[];
  vocabulary: Vocabulary;
  language: PageLanguage;
  isEnglish: boolean;
  /** Where the call to action leads. */
  ctaUrl: string;
  /** How many different words of its content can say what it is about. */
  telling: number;
  /** See `Assignment.floor`. */
  floor: number;
}

/** The fields whose words are read, in the order they are told. */
export const pageFields = ["title", "slug", "meta_description", "content", "cta.label"] as const satisfies PageField[];
/** Where they stand. */
export const fieldAt = { title: 0, slug: 1, description: 2, content: 3, label: 4 } as const;

/** The bit of a word that begins no term where it stands, because it is denied or names a customer. */
export const hushed = 2 ** 30;

/**
 * More than this much evidence it takes to match at all. A topic in title or slug has it, or three keywords in the content. A
 * keyword in the title has it on a bare page; a content of six telling words must bear it out: "Driving change" is about no cars.
 */
const floors = { bare: 1.9, worded: 2.25, wordedFrom: 6 };

/** Reads a page once for all that is asked of it. @throws {RangeError} when its locale is not a BCP 47 tag. */
export function readRequest(page: AssignablePage, vocabulary: Vocabulary): PlacementRequest {
  const { title, slug, meta_description, content, cta, locale } = page;
  const texts = [title, slug, meta_description ?? "", stripMarkup(content), cta.label];
  const words: number[][] = []; // Not mapped: the compiler makes other arrays of that, for which its readers are compiled anew.
  for (const [field, text] of texts.entries())
    words.push(vocabulary.read(field === fieldAt.slug ? text : joinHyphened(text) + text, { singles: true }));
  const { inScript, inLanguage, telling } = count(words, vocabulary);
  for (const [field, read] of words.entries()) {
    if (field === fieldAt.slug || texts[field]?.endsWith("?") !== true) hushDenied(read, vocabulary);
    if (field === fieldAt.slug || field === fieldAt.title) hushCustomer(read, vocabulary);
  }
  const language = locale === undefined ? readLanguage(inScript, inLanguage) : { locale: readTag(locale) };
  const floor = telling < floors.wordedFrom ? floors.bare : floors.worded;
  return { slug, words, vocabulary, language, isEnglish: isPerhapsEnglish(language), ctaUrl: cta.url, telling, floor };
}

/** What hyphens join as one word, to be read before its parts: `e-bike` is an `ebike`. */
function joinHyphened(text: string): string {
  if (!text.includes("-")) return "";
  return Array.from(text.matchAll(/\b([a-z\d]+)-(?=([a-z\d]+))/gi), ([, one, other]) => `${one}${other} `).join("");
}

/** Counts the words in each script and language, not of the slug and the call to action, which are often English anywhere; and those of the content that tell. */
function count(words: readonly (readonly number[])[], vocabulary: Vocabulary) {
  const [inScript, inLanguage] = [[0, ...scripts].map(() => 0), functionWords.map(() => 0)];
  const [facts, reader] = [vocabulary.facts, (vocabulary.readers += 1)];
  let telling = 0;
  for (const field of [fieldAt.title, fieldAt.description, fieldAt.content])
    for (const word of words[field] ?? []) {
      const some = facts[word] ?? 0;
      const languages = some >> traits.languages;
      // English function words may come with any name or slogan.
      if ((languages & 1) === 0) inScript[some & traits.script] = (inScript[some & traits.script] ?? 0) + 1;
      const isCounted = languages !== 0 || (field === fieldAt.content && (some & traits.isTelling) !== 0);
      if (!isCounted || facts[word + fact.metBy] === reader) continue;
      facts[word + fact.metBy] = reader;
      if (languages === 0) telling += 1;
      for (let at = 0; languages >> at !== 0; at += 1) inLanguage[at] = (inLanguage[at] ?? 0) + ((languages >> at) & 1);
    }
  return { inScript, inLanguage, telling };
}

/** Hushes the two words of what a page says that it is not, and what `or` adds: `not a bank`, `don't sell cars or vans`, `kein Hotel`. */
function hushDenied(words: number[], vocabulary: Vocabulary): void {
  for (let at = 0; at < words.length; at += 1) {
    if (((vocabulary.facts[wordAt(words, at)] ?? 0) & traits.denies) === 0) continue;
    const text = vocabulary.textOf(wordAt(words, at));
    const isAdded = text === "or" && at > 0 && (words[at - 1] ?? 0) >= hushed;
    if (text === "or" && !isAdded) continue;
    let next = at + 1;
    while (links.has(vocabulary.textOf(wordAt(words, next)))) next += 1;
    const isAlone = /^(?:no|kein.*)$/.test(text) && !affirmed.test(vocabulary.textOf(wordAt(words, next)));
    if (isAdded || next > at + 1 || isAlone) hush(words, next, next + 2);
  }
}

/** Hushes whom a title is for, who is only mentioned: `Web sites for dentists`. */
function hushCustomer(words: number[], vocabulary: Vocabulary): void {
  const isTelling = (word: number): boolean => ((vocabulary.facts[word & ~hushed] ?? 0) & traits.isTelling) !== 0;
  const told = words.map((_, at) => vocabulary.textOf(wordAt(words, at)));
  const start = told.findIndex((text, at) => customerStarts.has(text) && !notCustomers.has(told[at + 1] ?? ""));
  if (words.slice(0, Math.max(start, 0)).some(isTelling)) hush(words, start, words.length);
}

const affirmed = /^(?:more|nonsense|fuss|frills|\d+)$/;
const links: ReadonlySet<string> = new Set(["a", "an", "any", "another", "the", "do", "sell", "offer"]);
const customerStarts: ReadonlySet<string> = new Set(["for", "fur", "pour", "para", "voor"]);
const notCustomers: ReadonlySet<string> = new Set(["sale", "rent", "hire", "lease"]);

function hush(words: number[], start: number, end: number): void {
  for (let at = start; at < Math.min(end, words.length); at += 1) words[at] = wordAt(words, at) | hushed;
}

/** The number of a word, whether or not it is hushed; below 0 where there is none. */
export function wordAt(words: readonly number[], at: number): number {
  return (words[at] ?? -1) & ~hushed;
}

/** Whether a rule is for this page: it has all the words as neighbours in their order, whether or not they are hushed. */
export function isMeant({ slug, words = [] }: PlacedPages, request: PlacementRequest): boolean {
  if (slug !== undefined && slug !== request.slug) return false;
  const { vocabulary, isEnglish } = request;
  const texts = request.words.slice(0, fieldAt.label);
  const read = (word: number): number => vocabulary.facts[word + (isEnglish ? fact.asStem : fact.asText)] ?? 0;
  return words.every((phrase) => {
    const parts = vocabulary.read(phrase).map(read);
    const begins = (text: readonly number[], start: number): boolean =>
      parts.every((part, at) => start + at < text.length && read(wordAt(text, start + at)) === part);
    return texts.some((text) => text.some((_, start) => begins(text, start)));
  });
}
