import type { AssignablePage, PageField, PageMatch } from "./assignment.ts";
import { functionWords, isPerhapsEnglish, type PageLanguage, readLanguage, readTag } from "./language.ts";
import irregular from "./unstemmed-words.json" with { type: "json" };

/** What an assignment reads of a page. */
export interface ReadPage {
  slug: string;
  /** The words of each field, in the order of an explanation. */
  words: ReadonlyMap<PageField, readonly string[]>;
  language: PageLanguage;
  /** Whether it is English, or may be. */
  isEnglish: boolean;
  ctaUrl: string;
  /** Number of different words of the content that can say what it is about. */
  tellingWords: number;
}

/** Reads a page once for all that is decided about it. @throws {RangeError} when its locale is no BCP 47 tag. */
export function readPage({ title, slug, meta_description, content, cta, locale }: AssignablePage): ReadPage {
  const words = new Map<PageField, string[]>([
    ["title", readWords(title)],
    ["slug", splitWords(slug, { singles: true })],
    ["meta_description", readWords(meta_description ?? "")],
    ["content", readWords(stripMarkup(content))],
    ["cta.label", readWords(cta.label)],
  ]);
  // Slugs and calls to action are often English, whatever the page is.
  const prose = (["title", "meta_description", "content"] as const).flatMap((field) => words.get(field) ?? []);
  const language = locale === undefined ? readLanguage(prose) : { locale: readTag(locale) };
  const tellingWords = new Set(words.get("content")?.filter(isTelling)).size;
  return { slug, words, language, isEnglish: isPerhapsEnglish(language), ctaUrl: cta.url, tellingWords };
}

/** Whether a page has the slug and all the words of a match, in any form, outside its call to action. */
export function isMatch({ slug, words = [] }: PageMatch, page: ReadPage): boolean {
  const join = (some: readonly string[]) => ` ${(page.isEnglish ? some.map(stemEnglish) : some).join(" ")} `;
  const texts = Array.from(page.words, ([field, some]) => (field === "cta.label" ? "" : join(some)));
  const hasPhrase = (phrase: string) => texts.some((text) => text.includes(join(splitWords(phrase))));
  return (slug === undefined || slug === page.slug) && words.every(hasPhrase);
}

/** The words of a text. Parts joined by hyphens are one word too: `e-bike` is an `ebike`. */
function readWords(text: string): string[] {
  const joined = Array.from(text.matchAll(/\b([a-z\d]+)-(?=([a-z\d]+))/gi), ([, one, other]) => `${one}${other} `);
  return splitWords(joined.join("") + text, { singles: true });
}

/**
 * The text that a reader of HTML sees: without tags, comments, styles and scripts. Only tags that HTML has are removed, so that
 * other text in angle brackets stays. Linear in the length of the text.
 */
function stripMarkup(text: string): string {
  if (!/[<&]/.test(text)) return text;
  const visible = text
    .split("<!--")
    .map((part, index) => (index === 0 || !part.includes("-->") ? part : part.slice(part.indexOf("-->") + 3)))
    .join(" ")
    .split(/<(?=\/?(?:script|style)\b)/i)
    .filter((part) => !/^(?:script|style)\b/i.test(part))
    .join("<");
  return visible.replace(tag, " ").replace(accented, "$1").replaceAll("&szlig;", "ß").replace(entity, " ");
}

const tag =
  /<\/?(?:a|abbr|address|article|aside|audio|b|blockquote|body|br|button|canvas|caption|center|cite|code|col|dd|details|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|legend|li|link|main|mark|meta|nav|noscript|object|ol|option|p|picture|pre|q|s|script|section|select|small|source|span|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|time|title|tr|u|ul|video|wbr)(?:[\s/][^<>]*)?>/gi;

/** Words are compared without accents, so a letter may lose its own. */
const accented = /&([a-z])(?:acute|caron|cedil|circ|grave|ring|slash|tilde|uml);/gi;
const entity = /&(?:[a-z]{2,10}|#\d{1,7}|#x[\da-f]{1,6});/gi;

/** Longest word that is compared, in UTF-16 units. */
const longestWord = 40;

/**
 * The words of a text in order, as they are compared: lower case, without accents and compatibility forms.
 * Scripts written without spaces (Chinese, Japanese, Korean, Thai and similar) give pairs of neighbouring characters, preceded
 * by the single characters when `singles` is set. `Intl.Segmenter` would give words, but its cuts change with the ICU version,
 * and a page must get the same domains on every runtime.
 */
export function splitWords(text: string, { singles = false }: { singles?: boolean } = {}): string[] {
  const runs: readonly string[] = text.toLowerCase().match(anyWord) ?? [];
  return runs.flatMap((run) => {
    if (isUnspaced(run)) return cutUnspaced(fold(run), singles);
    // One character can fold to eighteen, so a run that is too long to be compared is not folded.
    return run.length > longestWord ? run : fold(run);
  });
}

/** Whether a word can say what a text is about: no function word such as `the`, no single Latin letter, not too long. */
export function isTelling(word: string): boolean {
  return word.length <= longestWord && !functionWords.has(word) && !/^[a-z]?$/.test(word);
}

/** Whether a word comes from a script that is written without spaces. */
export function isUnspaced(word: string): boolean {
  return startsUnspaced.test(word);
}

/**
 * Takes English inflection off a word: `shoes` gives `shoe`, `hiking` and `hiked` give `hike`. An ending that makes another word
 * (`universe`, `university`) stays, and so do words whose inflected form has a meaning of its own (`used`, `news`, `filling`).
 */
export function stemEnglish(word: string): string {
  if (!/^[a-z]{3,}[dgs]$/.test(word) || unstemmed.has(word)) return word;
  const singular = withoutPlural(word);
  const bare = unstemmed.has(singular) ? undefined : /^(.*[aeiouy].*[^e])(?:ing|ed)$/.exec(singular)?.[1];
  if (bare === undefined || bare.length < 3) return singular;
  if (/([^aeiouylsz])\1$/.test(bare)) return bare.slice(0, -1);
  return lostAnE.test(bare) ? `${bare}e` : bare;
}

const unstemmed: ReadonlySet<string> = new Set(irregular);

/** Endings that English spells with an `e` when no `ing` or `ed` follows: `rat(ing)`, `hous(ing)`, `hik(ing)`. */
const lostAnE = /(?:at|iz|[bcdgkpt]l|[^aeiou]ur|[cuvz]|[nr]s|[aeiou]{2}s|dg|^[^aeiouy]*[aeiouy][^aeiouywx])$/;

function withoutPlural(word: string): string {
  if (!/[^suia]s$/.test(word)) return word;
  if (/..ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|zz|ato)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** NFKC without Latin, Greek and Cyrillic accents and without Arabic vowel signs and stretching. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]|\u0640|[\u064b-\u065f]|\u0670/g, "")
    .normalize("NFKC")
    .toLowerCase();
}

function cutUnspaced(run: string, singles: boolean): string[] {
  const characters = Array.from(run);
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  return singles || pairs.length === 0 ? [...characters, ...pairs] : pairs;
}

// Built from strings because the compiler's target does not have the `v` flag yet; Node 22 does.
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const letter = String.raw`[\p{L}\p{M}\p{N}]`;
const anyWord = new RegExp(
  `[${unspaced}&&${letter}]+|[[\\p{L}\\p{N}]--${unspaced}][${letter}--[${unspaced}--\\p{M}]]*`,
  "gv",
);
const startsUnspaced = new RegExp(`^[${unspaced}&&[\\p{L}\\p{N}]]`, "v");

/** Whether a topic or keyword can be found: not when it holds only punctuation or words such as `the`. */
export function canMatch(phrase: string): boolean {
  return splitWords(phrase).some(isTelling);
}
