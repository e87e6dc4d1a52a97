import languages from "./languages.json" with { type: "json" };

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

/** Function words of all languages, each with the indexes of its languages in `languages.json`. They match no domain. */
export const functionWords: ReadonlyMap<string, readonly number[]> = readFunctionWords();

function readFunctionWords(): Map<string, number[]> {
  const all = languages.flatMap(({ words }, index) => words.split(" ").map((word) => ({ word, index })));
  const byWord = Map.groupBy(all, ({ word }) => word);
  return new Map(Array.from(byWord, ([word, found]) => [word, found.map(({ index }) => index)]));
}

/** The scripts that are told apart: ISO 15924 code, English name, a letter. */
const scripts = [
  { code: "Latn", name: "Latin", letters: /[a-z]|\p{Script=Latin}/u },
  { code: "Jpan", name: "Japanese", letters: /[\p{Script=Hiragana}\p{Script=Katakana}]/u },
  { code: "Hani", name: "Han", letters: /\p{Script=Han}/u },
  { code: "Kore", name: "Korean", letters: /\p{Script=Hangul}/u },
  { code: "Arab", name: "Arabic", letters: /\p{Script=Arabic}/u },
  { code: "Cyrl", name: "Cyrillic", letters: /\p{Script=Cyrillic}/u },
  { code: "Deva", name: "Devanagari", letters: /\p{Script=Devanagari}/u },
  { code: "Thai", name: "Thai", letters: /\p{Script=Thai}/u },
  { code: "Grek", name: "Greek", letters: /\p{Script=Greek}/u },
  { code: "Hebr", name: "Hebrew", letters: /\p{Script=Hebrew}/u },
];

/** Reads a page's language from its words: the script of most of them, and in Latin script the language of its function words. */
export function readLanguage(words: readonly string[]): PageLanguage {
  const script = mainScript(words);
  if (script !== "Latn") return script === undefined ? {} : { script };
  const [language, other] = likelyLanguages(words);
  if (other !== undefined) return { script, isForeign: true };
  return language === undefined ? { script } : { script, locale: { baseName: language, language } };
}

/** Whether English endings are taken off a page's words: it is English, or nothing shows another language. */
export function isPerhapsEnglish({ locale, isForeign, script }: PageLanguage): boolean {
  if (locale !== undefined) return locale.language === "en";
  return isForeign !== true && (script === undefined || script === "Latn");
}

/** Reads a BCP 47 tag. @throws {RangeError} when it is none. */
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
  if (script === "Hani") return hanScripts.has(domain.script) ? "maybe" : "no";
  if (script !== domain.script) return "no";
  return script === "Latn" ? "maybe" : "yes";
}

/** Describes a page's language for explanations. */
export function describeLanguage({ locale, isForeign, script }: PageLanguage): string {
  if (locale !== undefined)
    return `in ${languages.find(({ code }) => code === locale.baseName)?.name ?? locale.baseName}`;
  if (isForeign === true) return "in another language than English";
  const name = scripts.find(({ code }) => code === script)?.name;
  return name === undefined ? "in no known script" : `in ${name} script`;
}

/** Scripts that a text of Chinese characters alone may be written in: a short Japanese title has no kana. */
const hanScripts: ReadonlySet<string> = new Set(["Hans", "Hant", "Hani", "Jpan", "Kore"]);

/** The script of more than half of the words. English function words do not count, because they come with any name or slogan. */
function mainScript(words: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const word of words) {
    const code = functionWords.get(word)?.includes(0)
      ? undefined
      : scripts.find(({ letters }) => letters.test(word))?.code;
    if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const half = Array.from(counts.values()).reduce((sum, count) => sum + count, 0) / 2;
  const [kana = 0, han = 0] = [counts.get("Jpan"), counts.get("Hani")];
  // Japanese mixes kana with Chinese characters, so where there is kana, those are Japanese too.
  if (kana > 0 && kana + han > half) return "Jpan";
  const isEnglish = counts.size === 0 && words.some((word) => functionWords.has(word));
  return isEnglish ? "Latn" : Array.from(counts.keys()).find((code) => (counts.get(code) ?? 0) > half);
}

/**
 * The language with most different function words in a text, or all that have equally many. Another language than English needs
 * three, and a third of what English has: foreign texts often contain English, English ones rarely three foreign function words.
 */
function likelyLanguages(words: readonly string[]): string[] {
  const counts = languages.map(() => 0);
  for (const word of new Set(words))
    for (const index of functionWords.get(word) ?? []) counts[index] = (counts[index] ?? 0) + 1;
  const [english = 0, ...others] = counts;
  const most = Math.max(...others);
  if (most >= 3 ? most * 3 >= english : most === 2 && english < 2)
    return languages.filter((_, index) => index > 0 && counts[index] === most).map(({ code }) => code);
  return english >= 3 && english > most ? ["en"] : [];
}
