// Splits a page into words that can be compared, and detects its language.
import type { AssignablePage, PageField, PageMatch } from "./assignment.ts";
import languages from "./languages.json" with { type: "json" };
import irregular from "./unstemmed-words.json" with { type: "json" };

/** A page split into words. */
export interface ReadPage {
  slug: string;
  words: Readonly<Record<PageField, readonly string[]>>;
  language: PageLanguage;
  /** How a word is compared: without its English ending on a page that is or may be English, else as it is written. */
  stem: (word: string) => string;
  ctaUrl: string;
  /** Number of different meaningful words in the content. */
  contentWords: number;
}

/** Splits a page into words and detects its language. @throws {RangeError} when `locale` is not a BCP 47 tag. */
export function readPage({ title, slug, meta_description, content, cta, locale }: AssignablePage): ReadPage {
  const words = {
    title: readWords(title),
    slug: splitWords(slug, { singles: true }),
    meta_description: readWords(meta_description ?? ""),
    content: readWords(visibleText(content)),
    "cta.label": readWords(cta.label),
  };
  // Slugs and calls to action are often English, also on pages in other languages.
  const prose = [...words.title, ...words.meta_description, ...words.content];
  const given = locale === undefined ? undefined : new Intl.Locale(locale);
  const language = given ? { locale: given, isEnglish: given.language === "en" } : readLanguage(prose);
  const stem = language.isEnglish ? stemEnglish : String;
  const contentWords = new Set(words.content.filter(isMeaningful)).size;
  return { slug, words, language, stem, ctaUrl: cta.url, contentWords };
}

/** Whether a page has the slug and all the words of a match, in any grammatical form. The call to action does not count. */
export function isMatch({ slug, words = [] }: PageMatch, page: ReadPage): boolean {
  const join = (some: readonly string[]) => ` ${some.map(page.stem).join(" ")} `;
  const { "cta.label": ignored, ...fields } = page.words;
  const texts = Object.values(fields).map(join);
  const hasPhrase = (phrase: string) => texts.some((text) => text.includes(join(splitWords(phrase))));
  return (slug === undefined || slug === page.slug) && words.every(hasPhrase);
}

/** The words of a page's text. Words joined by a hyphen are also one word: `e-bike` is also `ebike`. */
function readWords(text: string): string[] {
  const joined = Array.from(text.matchAll(/\b([a-z\d]+)-(?=([a-z\d]+))/gi), ([, one, other]) => `${one}${other} `);
  return splitWords(joined.join("") + text, { singles: true });
}

/** Removes tags from HTML. Only names of HTML elements make a tag. Runs in linear time. */
function visibleText(html: string): string {
  return html.replace(hidden, " ").replace(tag, " ").replace(accented, "$1").replace(entity, " ");
}

/** Comments, scripts and styles, to the end of the text if they are not closed. */
const hidden = /<!--.*?(?:-->|$)|<(script|style)\b.*?(?:<\/\1\b|$)/gis;
const tag =
  /<\/?(?:a|abbr|address|article|aside|audio|b|blockquote|body|br|button|canvas|caption|center|cite|code|col|dd|details|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|legend|li|link|main|mark|meta|nav|noscript|object|ol|option|p|picture|pre|q|s|script|section|select|small|source|span|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|time|title|tr|u|ul|video|wbr)(?:[\s/][^<>]*)?>/gi;

/** Accents of letters, which do not count in comparisons. */
const accented = /&([a-z])(?:acute|caron|cedil|circ|grave|ring|slash|tilde|uml);/gi;
const entity = /&(?:[a-z]{2,10}|#\d{1,7}|#x[\da-f]{1,6});/gi;

/**
 * The words of a text in order, in lower case, without accents and compatibility forms.
 * Scripts written without spaces (Chinese, Japanese, Korean, Thai and similar) give pairs of neighbouring characters, preceded
 * by the single characters when `singles` is set. `Intl.Segmenter` would give words, but its cuts change with the ICU version,
 * and a page must get the same domains on every runtime.
 */
export function splitWords(text: string, { singles = false }: { singles?: boolean } = {}): string[] {
  const words: string[] = [];
  for (const [run, unspaced] of text.toLowerCase().matchAll(anyWord)) {
    // One character can fold to eighteen, so a run that is too long to be compared stays as it is.
    if (unspaced === undefined) words.push(run.length > longestWord ? run : fold(run));
    else {
      const characters = Array.from(fold(unspaced));
      if (singles || characters.length === 1) for (const character of characters) words.push(character);
      for (const [index, character] of characters.slice(1).entries()) words.push(`${characters[index]}${character}`);
    }
  }
  return words;
}

/** Converts to NFKC in lower case, without Latin, Greek and Cyrillic accents and without Arabic vowel signs and stretching. */
function fold(text: string): string {
  const bare = text.normalize("NFKD").replace(/[\u0300-\u036f]|\u0640|[\u064b-\u065f]|\u0670/g, "");
  return bare.normalize("NFKC").toLowerCase();
}

/** Longest word that is compared, in UTF-16 units. */
const longestWord = 40;

/** A run of letters and digits. The group holds a run in a script without spaces. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const letter = String.raw`[\p{L}\p{M}\p{N}]`;
const anyWord = new RegExp(`((?:(?=${unspaced})${letter})+)|(?:(?!${unspaced})${letter})+`, "gu");

/** Whether a word is meaningful. Function words such as `the`, single Latin letters and overlong words are not. */
export function isMeaningful(word: string): boolean {
  return word.length <= longestWord && !allFunctionWords.has(word) && !/^[a-z]$/.test(word);
}

/**
 * Removes English inflection from a word: `shoes` gives `shoe`, `hiking` and `hiked` give `hike`. An ending that makes another word
 * (`universe`, `university`) stays. Words whose inflected form has a meaning of its own (`used`, `news`, `filling`) stay unchanged.
 */
export function stemEnglish(word: string): string {
  if (!/^[a-z]{3,}[dgs]$/.test(word) || unstemmed.has(word)) return word;
  const singular = word
    .replace(/(?<=..)ies$/, "y")
    .replace(/(?<=ss|sh|ch|x|zz|ato)es$/, "")
    .replace(/(?<=[^suia])s$/, "");
  const bare = /^(.*[aeiouy].*[^e])(?:ing|ed)$/.exec(singular)?.[1] ?? "";
  if (bare.length < 3 || unstemmed.has(singular)) return singular;
  if (/([^aeiouylsz])\1$/.test(bare)) return bare.slice(0, -1);
  return lostAnE.test(bare) ? `${bare}e` : bare;
}

const unstemmed: ReadonlySet<string> = new Set(irregular);

/** Endings that English spells with an `e` when no `ing` or `ed` follows: `rat(ing)`, `hous(ing)`, `hik(ing)`. */
const lostAnE = /(?:at|iz|[bcdgkpt]l|[^aeiou]ur|[cuvz]|[nr]s|[aeiou]{2}s|dg|^[^aeiouy]*[aeiouy][^aeiouywx])$/;

/** The language of a page: the locale from the caller, or else detected from its words and letters. */
export interface PageLanguage {
  /** The caller's locale, such as `de-CH`, or the language of the page's function words, such as `de`. Absent when unknown. */
  locale?: Intl.Locale;
  /** Script of most letters as in ISO 15924 (`Latn`, `Arab`, `Jpan`, …); `Hani` for Chinese characters alone. */
  script?: string | undefined;
  /** Whether the language is or may be English. */
  isEnglish: boolean;
}

/** The function words of each language. They match no domain. */
const functionWords = languages.map(({ code, words }) => ({ code, words: words.split(" ") }));
const allFunctionWords = new Set(functionWords.flatMap(({ words }) => words));

/** The known scripts, by ISO 15924 code. Japanese mixes kana with Chinese characters. */
const scripts: readonly (readonly [code: string, letters: RegExp])[] = [
  ["Latn", /\p{Script=Latin}/gu],
  ["Jpan", /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu],
  ["Kore", /\p{Script=Hangul}/gu],
  ["Arab", /\p{Script=Arabic}/gu],
  ["Cyrl", /\p{Script=Cyrillic}/gu],
  ["Deva", /\p{Script=Devanagari}/gu],
  ["Thai", /\p{Script=Thai}/gu],
  ["Grek", /\p{Script=Greek}/gu],
  ["Hebr", /\p{Script=Hebrew}/gu],
];
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Detects the language of a page from its script and, in Latin script, from its function words. The language with most different
 * function words wins. Another language than English needs three, and a third of what English has, because foreign texts often
 * contain English, and English ones rarely contain three foreign function words.
 */
function readLanguage(words: readonly string[]): PageLanguage {
  const text = words.join("");
  const found = scripts.find(([, letters]) => text.replace(letters, "").length * 2 < text.length)?.[0];
  const script = found === "Jpan" && !kana.test(text) ? "Hani" : found;
  if (script !== "Latn") return { script, isEnglish: script === undefined };
  const different = new Set(words);
  let english = 0;
  let most = 0;
  let leaders: string[] = [];
  for (const { code, words: known } of functionWords) {
    const count = known.filter((word) => different.has(word)).length;
    if (code === "en") english = count;
    else if (count >= most) {
      leaders = count > most ? [code] : [...leaders, code];
      most = count;
    }
  }
  const isForeign = most >= 3 ? most * 3 >= english : most === 2 && english < 2;
  if (!isForeign) leaders = english >= 3 ? ["en"] : [];
  const [leader, other] = leaders;
  // Danish and Norwegian share most function words. If two languages have as many, the language is unknown.
  const locale = leader !== undefined && other === undefined ? { locale: new Intl.Locale(leader) } : {};
  return { ...locale, script, isEnglish: !isForeign };
}

/** Whether a domain serves the language of a page. */
export type LocaleFit = "yes" | "maybe" | "no";

/**
 * Compares the locale of a domain with the language of a page. The languages must agree, and the regions if both have one. If only
 * the script is known, other scripts are excluded. Latin script confirms no language, because too many languages use it.
 */
export function fitLocale(domain: Intl.Locale | undefined, { locale, script, isEnglish }: PageLanguage): LocaleFit {
  if (domain === undefined) return "maybe";
  if (locale !== undefined) {
    const sameRegion = !locale.region || !domain.region || locale.region === domain.region;
    return locale.language === domain.language && sameRegion ? "yes" : "no";
  }
  if (domain.language === "en") return isEnglish ? "maybe" : "no";
  const own = domain.maximize().script;
  if (script === undefined || own === undefined) return "maybe";
  // A text of Chinese characters alone may be any of these, because a short Japanese title may have no kana.
  if (script === "Hani") return /^(?:Han[sti]|Jpan|Kore)$/.test(own) ? "maybe" : "no";
  if (script !== own) return "no";
  return script === "Latn" ? "maybe" : "yes";
}

/** Describes a page's language for explanations. */
export function describeLanguage({ locale, script, isEnglish }: PageLanguage): string {
  if (locale !== undefined) return `in ${new Intl.DisplayNames("en", { type: "language" }).of(locale.baseName)}`;
  if (script === undefined) return "in no known script";
  if (script === "Latn" && !isEnglish) return "in another language than English";
  return `in ${new Intl.DisplayNames("en", { type: "script" }).of(script)} script`;
}
