// Splits a page into words that can be compared, and detects its language.
import * as z from "zod";
import { parseArgument } from "../argument.ts";
import type { AssignablePage, PageField, PageMatch } from "./assignment.ts";
import languages from "./languages.json" with { type: "json" };
import irregular from "./unstemmed-words.json" with { type: "json" };

/** Content counts in full up to this number of different meaningful words. A longer text has more words that are off the topic. */
const usualContentWords = 60;

/** A page is bare if its content has fewer different meaningful words than this. Then the title alone may decide. */
const wordyFrom = 6;

/** A page split into words. */
export type ReadPage = ReturnType<typeof readPage>;

/** Splits a page into words and detects its language. @throws {TypeError} when `locale` is not a BCP 47 tag. */
export function readPage(page: AssignablePage) {
  const { slug, cta, locale } = page;
  if (locale !== undefined) parseArgument("locale", localeSchema, locale);
  const content = readWords(visibleText(page.content));
  const prose = new Map<PageField, readonly string[]>([
    ["title", readWords(page.title)],
    ["meta_description", readWords(page.meta_description ?? "")],
    ["content", content],
  ]);
  // Slugs and calls to action are often English, also on pages in other languages.
  const languages = locale === undefined ? detectLanguages([...prose.values()].flat()) : [new Intl.Locale(locale)];
  const isEnglish = servesLanguage("en", languages);
  const words = new Map(prose).set("slug", splitWords(slug)).set("cta.label", readWords(cta.label));
  const contentWords = new Set(content.filter(isMeaningful)).size;
  const contentShare = Math.min(1, usualContentWords / contentWords);
  const isBare = contentWords < wordyFrom;
  return { slug, words, contentShare, isBare, threshold: isBare ? 1.9 : 4.2, languages, isEnglish, ctaUrl: cta.url };
}

/** Whether a page has the slug and all the words of a match, in any grammatical form. The call to action does not count. */
export function isMatch({ slug, words = [] }: PageMatch, page: ReadPage): boolean {
  const stem = page.isEnglish ? stemEnglish : String;
  const join = (some: readonly string[]) => ` ${some.map(stem).join(" ")} `;
  const fields = [...page.words].filter(([field]) => field !== "cta.label");
  const texts = fields.map(([, words]) => join(words));
  const hasPhrase = (phrase: string) => texts.some((text) => text.includes(join(splitWords(phrase))));
  return (slug === undefined || slug === page.slug) && words.every(hasPhrase);
}

/** The words of a page's text. Words joined by a hyphen are also one word: `e-bike` is also `ebike`. */
function readWords(text: string): string[] {
  const joined = Array.from(text.matchAll(/\b([a-z\d]+)-(?=([a-z\d]+))/gi), ([, one, other]) => `${one}${other} `);
  return splitWords(joined.join("") + text);
}

/** Removes markup from HTML in linear time, and accents from its letters, because they do not count. */
function visibleText(html: string): string {
  return html
    .replace(hidden, " ")
    .replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(accented, "$1")
    .replace(entity, " ");
}

/** Comments, scripts and styles, to the end of the text if they are not closed. */
const hidden = /<!--.*?(?:-->|$)|<(script|style)\b.*?(?:<\/\1\b|$)/gis;
const accented = /&([a-z])(?:acute|caron|cedil|circ|grave|ring|slash|tilde|uml);/gi;
const entity = /&(?:[a-z]{2,10}|#\d{1,7}|#x[\da-f]{1,6});/gi;

/**
 * The words of a text in order, in lower case, without accents and compatibility forms. In scripts written without spaces (Chinese,
 * Japanese, Korean, Thai and similar) each character is a word. `Intl.Segmenter` would give words, but its cuts change with the ICU
 * version, and a page must get the same domains on every runtime.
 */
export function splitWords(text: string): string[] {
  return Array.from(text.matchAll(anyWord)).flatMap(([run, unspaced]) => {
    if (unspaced !== undefined) return Array.from(fold(run));
    // One character can fold to eighteen, so a run that is longer than any word stays as it is.
    return run.length > longestWord ? run : fold(run);
  });
}

/** Longest word, in UTF-16 units. */
const longestWord = 40;

/** Converts to NFKC in lower case, without Latin, Greek and Cyrillic accents and without Arabic vowel signs and stretching. */
function fold(text: string): string {
  const bare = text.normalize("NFKD").replace(/[\u0300-\u036f]|\u0640|[\u064b-\u065f]|\u0670/g, "");
  return bare.normalize("NFKC").toLowerCase();
}

/** A run of letters and digits. The group holds a run in a script without spaces. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const letter = String.raw`[\p{L}\p{M}\p{N}]`;
const anyWord = new RegExp(`((?:(?=${unspaced})${letter})+)|(?:(?!${unspaced})${letter})+`, "gu");

/** Whether a word is meaningful. Function words such as `the` and single Latin letters are not. */
export function isMeaningful(word: string): boolean {
  return !allFunctionWords.has(word) && !/^[a-z]$/.test(word);
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

/** The function words of each language. They match no domain. */
const functionWords = languages.map(({ code, words }) => ({ code, words: words.split(" ") }));
const allFunctionWords = new Set(functionWords.flatMap(({ words }) => words));

/** The letters of the known scripts, by ISO 15924 code. Japanese mixes kana with Chinese characters. */
const scripts = new Map([
  ...["Latn", "Arab", "Cyrl", "Deva", "Thai", "Grek", "Hebr"].map(
    (code) => [code, new RegExp(`\\p{Script=${code}}`, "gu")] as const,
  ),
  ["Jpan", /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu],
  ["Kore", /\p{Script=Hangul}/gu],
]);
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** A language that a page may be in, or only its script if its words do not show the language. */
type PageLanguage = { [Part in "language" | "region" | "script"]?: string | undefined };

/**
 * Detects the language of a page from its script and, in Latin script, from its function words. The language with the most
 * different function words wins if it has at least two. If several languages have equally many, as Danish and Norwegian often do, it returns
 * all of them.
 */
function detectLanguages(words: readonly string[]): PageLanguage[] {
  const text = words.join("");
  const [script] = [...scripts].find(([, letters]) => text.replace(letters, "").length * 2 < text.length) ?? [];
  if (script !== "Latn") return [{ script: script === "Jpan" && !kana.test(text) ? "Hani" : script }];
  const different = new Set(words);
  let most = 2;
  let leaders: PageLanguage[] = [];
  for (const { code, words } of functionWords) {
    const count = words.filter((word) => different.has(word)).length;
    if (count > most) leaders = [];
    if (count >= most) leaders.push({ language: code });
    most = Math.max(most, count);
  }
  return leaders.length > 0 ? leaders : [{ script }];
}

/** Checks the tag of a language. */
export const localeSchema = z.string().refine(isLocale, { error: "expected a BCP 47 language tag, such as de-AT" });

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** The languages of domains, because it takes long to look up the script of a locale. */
const domainLanguages = new Map<string, PageLanguage>();

function readLocale(locale: string): PageLanguage {
  const own = new Intl.Locale(locale);
  return { language: own.language, region: own.region, script: own.maximize().script };
}

/** Whether a domain may serve a page. Languages must agree, and regions if both have one. If only the script is known, it must agree. */
export function servesLanguage(locale: string | undefined, languages: readonly PageLanguage[]): boolean {
  if (locale === undefined) return true;
  const domain = domainLanguages.get(locale) ?? readLocale(locale);
  domainLanguages.set(locale, domain);
  const { script: ownScript = "" } = domain;
  for (const { language, region, script } of languages) {
    const sameRegion = !region || !domain.region || region === domain.region;
    if (language === domain.language && sameRegion) return true;
    // A text of Chinese characters alone may be any of these, because a short Japanese title may have no kana.
    const isScript =
      script === "Hani" ? /^(?:Han[st]|Jpan|Kore)$/.test(ownScript) : [undefined, ownScript].includes(script);
    if (language === undefined && isScript) return true;
  }
  return false;
}

/** Whether the language of a page is certain. Latin letters, Chinese characters and unknown letters alone do not show it. */
export function isCertain([first, other]: readonly PageLanguage[]): boolean {
  const isKnown = first?.language !== undefined || ![undefined, "Latn", "Hani"].includes(first?.script);
  return isKnown && other === undefined;
}

const scriptNames = new Intl.DisplayNames("en", { type: "script" });
const languageNames = new Intl.DisplayNames("en", { type: "language" });

/** Describes the language of a page for explanations. */
export function describeLanguages(languages: readonly PageLanguage[]): string {
  const names = languages.map(({ language, region, script = "" }) => {
    if (language === undefined) return `${scriptNames.of(script)} script`;
    return languageNames.of(region ? `${language}-${region}` : language);
  });
  return `in ${names.join(" or ")}`;
}
