import { functionWords } from "./function-words.ts";
import type { Word } from "./words.ts";

/** Whether a domain's language suits a page: certainly, perhaps, or certainly not. */
export type LocaleFit = "yes" | "maybe" | "no";

/** What is compared of a BCP 47 tag. `Intl.Locale` works out each member anew whenever it is asked. */
interface Tag {
  /** All of it, in its usual spelling, such as `de-CH`. */
  name: string;
  /** The language, such as `de`. */
  language: string;
  /** The region, such as `CH`. */
  region: string | undefined;
}

/** What is known about a page's language: the locale it was given, else what its words and letters tell. */
export interface PageLanguage {
  /** The tag the caller gave, such as `de-CH`, or the language of the page's function words, such as `de`. */
  locale?: Tag;
  /** Whether it is another language than English, though not known which: Danish and Norwegian share most of their words. */
  isForeign?: boolean;
  /** Script of most words, as in ISO 15924, `Latn`, `Arab`, `Jpan`, …; `Hani` for Chinese characters alone. Absent when unknown. */
  script?: string;
}

/**
 * Tells a page's language from its words: the script of most of them, and for Latin script
 * the language whose function words it has. Not from its slug or its call to action, which are often English anywhere.
 */
export function readLanguage(words: readonly Word[], locale?: string): PageLanguage {
  if (locale !== undefined) return { locale: readTag(new Intl.Locale(locale)) };
  const script = mainScript(words);
  if (script !== "Latn") return script === undefined ? {} : { script };
  const [language, ...others] = latinLanguages(words);
  if (others.length > 0) return { script, isForeign: true };
  return language === undefined ? { script } : { script, locale: { name: language, language, region: undefined } };
}

/** Whether English inflection is taken off a page's words: it is English, or nothing says what else it is. */
export function isPerhapsEnglish({ locale, isForeign, script }: PageLanguage): boolean {
  if (locale !== undefined) return locale.language === "en";
  return isForeign !== true && (script === undefined || script === "Latn");
}

/** The language a domain serves, and the script it is mostly written in. */
export interface DomainLocale {
  locale: Tag;
  script: string | undefined;
}

/** Reads a domain's locale, a BCP 47 tag. */
export function readDomainLocale(tag: string): DomainLocale {
  const locale = new Intl.Locale(tag);
  return { locale: readTag(locale), script: locale.maximize().script };
}

function readTag({ baseName, language, region }: Intl.Locale): Tag {
  return { name: baseName, language, region };
}

/**
 * Compares a domain's locale with a page's language: they must agree in language, and in region where both name one.
 * A script alone refutes other scripts; it confirms a domain only outside Latin, whose readers share it too widely.
 */
export function fitLocale(domain: DomainLocale, { locale, isForeign, script }: PageLanguage): LocaleFit {
  if (locale !== undefined) {
    const sameRegion = !locale.region || !domain.locale.region || locale.region === domain.locale.region;
    return locale.language === domain.locale.language && sameRegion ? "yes" : "no";
  }
  if (isForeign === true && domain.locale.language === "en") return "no";
  if (script === undefined || domain.script === undefined) return "maybe";
  if (script === "Hani") return hanScripts.has(domain.script) ? "maybe" : "no";
  if (script !== domain.script) return "no";
  return script === "Latn" ? "maybe" : "yes";
}

/** A page's language in words, for explanations. */
export function describeLanguage({ locale, isForeign, script }: PageLanguage): string {
  if (locale !== undefined) return `in ${functionWords.find(([code]) => code === locale.name)?.[1] ?? locale.name}`;
  if (isForeign === true) return "in another language than English";
  const name = script && scripts.get(script);
  return name === undefined ? "in no known script" : `in ${name} script`;
}

/** Scripts that a text of Chinese characters alone may be written in: a short Japanese title has no kana. */
const hanScripts: ReadonlySet<string> = new Set(["Hans", "Hant", "Hani", "Jpan", "Kore"]);

const scripts: ReadonlyMap<string, string> = new Map([
  ["Latn", "Latin"],
  ["Jpan", "Japanese"],
  ["Hani", "Han"],
  ["Kore", "Korean"],
  ["Arab", "Arabic"],
  ["Cyrl", "Cyrillic"],
  ["Deva", "Devanagari"],
  ["Thai", "Thai"],
  ["Grek", "Greek"],
  ["Hebr", "Hebrew"],
]);

/** The script of more than half of the words, English function words aside: they may come with any name or slogan. */
function mainScript(words: readonly Word[]): string | undefined {
  const counts = new Map<string, number>();
  let hasEnglish = false;
  for (const { script, languages } of words) {
    if (languages.includes("en")) hasEnglish = true;
    else if (script !== undefined) counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  const kana = counts.get("Jpan") ?? 0;
  // Japanese mixes kana with Chinese characters, so where there is kana, those are Japanese too.
  if (kana > 0) counts.set("Jpan", kana + (counts.get("Hani") ?? 0)).delete("Hani");
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const most = [...counts].find(([, count]) => count > total / 2)?.[0];
  return most ?? (hasEnglish ? "Latn" : undefined);
}

/**
 * The language with most different function words in a Latin text, or those that have equally many. Others than English need
 * three, and a third of English's: a text in them often holds English, an English one hardly ever three of their function words.
 */
function latinLanguages(words: readonly Word[]): string[] {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  for (const { text, languages } of words) {
    if (languages.length === 0 || seen.has(text)) continue;
    seen.add(text);
    for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const inEnglish = counts.get("en") ?? 0;
  counts.delete("en");
  const most = Math.max(0, ...counts.values());
  if (most >= 3 ? most * 3 >= inEnglish : most === 2 && inEnglish < 2)
    return [...counts].flatMap(([language, count]) => (count === most ? language : []));
  return inEnglish >= 3 && inEnglish > most ? ["en"] : [];
}
