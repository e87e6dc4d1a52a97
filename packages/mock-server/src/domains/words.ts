// The words of a page, as an assignment compares them, and the language they are in.
import type { AssignablePage, PageField, PageMatch } from "./assignment.ts";
import languages from "./languages.json" with { type: "json" };
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
  /** Number of different meaningful words in the content. */
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
  const isEnglish = language.locale ? language.locale.language === "en" : isPerhapsEnglish(language);
  const tellingWords = new Set(words.get("content")?.filter(isTelling)).size;
  return { slug, words, language, isEnglish, ctaUrl: cta.url, tellingWords };
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
  const words: string[] = [];
  for (const run of text.toLowerCase().match(anyWord) ?? []) {
    // One character can fold to eighteen, so a run that is too long to be compared is not folded.
    if (!startsUnspaced.test(run)) words.push(run.length > longestWord ? run : fold(run));
    else {
      const characters = Array.from(fold(run));
      if (singles || characters.length === 1) for (const character of characters) words.push(character);
      for (let index = 1; index < characters.length; index += 1)
        words.push(characters.slice(index - 1, index + 1).join(""));
    }
  }
  return words;
}

/** Whether a word can say what a text is about: no function word such as `the`, no single Latin letter, not too long. */
export function isTelling(word: string): boolean {
  return word.length <= longestWord && !functionWords.has(word) && !/^[a-z]?$/.test(word);
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
  const bare = text.normalize("NFKD").replace(/[\u0300-\u036f]|\u0640|[\u064b-\u065f]|\u0670/g, "");
  return bare.normalize("NFKC").toLowerCase();
}

// Built from strings because the compiler's target does not have the `v` flag yet; Node 22 does.
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const letter = String.raw`[\p{L}\p{M}\p{N}]`;
const spaced = `[[\\p{L}\\p{N}]--${unspaced}][${letter}--[${unspaced}--\\p{M}]]*`;
const anyWord = new RegExp(`[${unspaced}&&${letter}]+|${spaced}`, "gv");
const startsUnspaced = new RegExp(`^[${unspaced}&&[\\p{L}\\p{N}]]`, "v");

/** The parts of a BCP 47 tag that are compared, with the script that the language is mostly written in. */
export type Tag = Pick<Intl.Locale, "baseName" | "language"> & { [Part in "region" | "script"]?: string | undefined };

/** What is known about a page's language: the locale the caller gave, else what its words and letters show. */
export interface PageLanguage {
  /** The caller's tag, such as `de-CH`, or the language of the page's function words, such as `de`. */
  locale?: Tag;
  /** Set for a language that is not English but remains unknown: Danish and Norwegian share most function words. */
  isForeign?: boolean;
  /** Script of most words as in ISO 15924 (`Latn`, `Arab`, `Jpan`, …); `Hani` for Chinese characters alone. Absent when unknown. */
  script?: string;
}

/** Function words with the codes of the languages that have them. They match no domain. */
const functionWords = new Map<string, string[]>();
for (const { code, words } of languages)
  for (const word of words.split(" ")) functionWords.set(word, [...(functionWords.get(word) ?? []), code]);

/** A letter of each script that is distinguished, by its ISO 15924 code. */
const scripts = new Map([
  ["Latn", /[a-z]|\p{Script=Latin}/u],
  ["Jpan", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["Hani", /\p{Script=Han}/u],
  ["Kore", /\p{Script=Hangul}/u],
  ["Arab", /\p{Script=Arabic}/u],
  ["Cyrl", /\p{Script=Cyrillic}/u],
  ["Deva", /\p{Script=Devanagari}/u],
  ["Thai", /\p{Script=Thai}/u],
  ["Grek", /\p{Script=Greek}/u],
  ["Hebr", /\p{Script=Hebrew}/u],
]);

/**
 * Reads a page's language from its words: the script of more than half of them, and in Latin script the language with most different
 * function words. Another language than English needs three, and a third of what English has: foreign texts often contain English,
 * English ones rarely three foreign function words.
 */
function readLanguage(words: readonly string[]): PageLanguage {
  const script = mainScript(words);
  if (script !== "Latn") return script === undefined ? {} : { script };
  const counts = new Map<string, number>();
  for (const word of new Set(words)) for (const code of functionWords.get(word) ?? []) add(counts, code);
  const english = counts.get("en") ?? 0;
  counts.delete("en");
  const most = Math.max(0, ...counts.values());
  if (most >= 3 ? most * 3 >= english : most === 2 && english < 2) {
    const [language = "", other] = [...counts.keys()].filter((code) => counts.get(code) === most);
    return other === undefined ? { script, locale: { baseName: language, language } } : { script, isForeign: true };
  }
  return english >= 3 && english > most ? { script, locale: { baseName: "en", language: "en" } } : { script };
}

/** The script of more than half of the words. English function words do not count, because they come with any name or slogan. */
function mainScript(words: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  let total = 0;
  for (const word of words) {
    if (functionWords.get(word)?.includes("en")) continue;
    for (const [code, letters] of scripts)
      if (letters.test(word)) {
        add(counts, code);
        total += 1;
        break;
      }
  }
  // Japanese mixes kana with Chinese characters, so where there is kana, those are Japanese too.
  if (counts.has("Jpan")) add(counts, "Jpan", counts.get("Hani"));
  const isEnglish = total === 0 && words.some((word) => functionWords.has(word));
  for (const [code, count] of counts)
    if (count * 2 > total) return code === "Hani" && counts.has("Jpan") ? "Jpan" : code;
  return isEnglish ? "Latn" : undefined;
}

function add(counts: Map<string, number>, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

/** Whether English endings are taken off a page's words: nothing shows another language. */
function isPerhapsEnglish({ isForeign, script = "Latn" }: PageLanguage): boolean {
  return isForeign !== true && script === "Latn";
}

/** Reads a BCP 47 tag. @throws {RangeError} when it is not valid. */
export function readTag(tag: string): Tag {
  const { baseName, language, region } = new Intl.Locale(tag);
  return { baseName, language, region, script: new Intl.Locale(tag).maximize().script };
}

/**
 * Whether a domain's locale suits a page's language. Languages must agree, and regions where both name one. A script alone rules
 * out other scripts, and confirms a domain only outside Latin, which too many languages share.
 */
export function fitLocale(domain: Tag, { locale, isForeign, script }: PageLanguage): "yes" | "maybe" | "no" {
  if (locale !== undefined) {
    const sameRegion = !locale.region || !domain.region || locale.region === domain.region;
    return locale.language === domain.language && sameRegion ? "yes" : "no";
  }
  if (isForeign === true && domain.language === "en") return "no";
  if (script === undefined || domain.script === undefined) return "maybe";
  // A text of Chinese characters alone may be any of these: a short Japanese title has no kana.
  if (script === "Hani") return /^(?:Han[sti]|Jpan|Kore)$/.test(domain.script) ? "maybe" : "no";
  if (script !== domain.script) return "no";
  return script === "Latn" ? "maybe" : "yes";
}

/** Describes a page's language for explanations. */
export function describeLanguage({ locale, isForeign, script }: PageLanguage): string {
  if (locale !== undefined) return `in ${new Intl.DisplayNames("en", { type: "language" }).of(locale.baseName)}`;
  if (isForeign === true) return "in another language than English";
  return script === undefined
    ? "in no known script"
    : `in ${new Intl.DisplayNames("en", { type: "script" }).of(script)} script`;
}
