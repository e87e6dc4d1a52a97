import { functionWords } from "./function-words.ts";
import { scripts } from "./words.ts";

/** What is compared of a BCP 47 tag. `Intl.Locale` works out each member anew whenever it is asked. */
export type Tag = Pick<Intl.Locale, "baseName" | "language"> & { [Part in "region" | "script"]?: string | undefined };

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
 * the language whose function words it has. `inScript` counts words in each of {@link scripts}, from 1, and `inLanguage`
 * different words in each of {@link functionWords}.
 */
export function readLanguage(inScript: readonly number[], inLanguage: readonly number[]): PageLanguage {
  const script = mainScript(inScript) ?? (inLanguage[0] === 0 ? undefined : "Latn");
  if (script !== "Latn") return script === undefined ? {} : { script };
  const [language, other] = latinLanguages(inLanguage);
  if (other !== undefined) return { script, isForeign: true };
  return language === undefined ? { script } : { script, locale: { baseName: language, language } };
}

/** Whether English inflection is taken off a page's words: it is English, or nothing says what else it is. */
export function isPerhapsEnglish({ locale, isForeign, script }: PageLanguage): boolean {
  if (locale !== undefined) return locale.language === "en";
  return isForeign !== true && (script === undefined || script === "Latn");
}

/** Reads a BCP 47 tag, with the script that its language is mostly written in. @throws {RangeError} when it is none. */
export function readTag(tag: string): Tag {
  const { baseName, language, region } = new Intl.Locale(tag);
  return { baseName, language, region, script: new Intl.Locale(tag).maximize().script };
}

/**
 * Whether a domain's locale suits a page's language, certainly, perhaps, or certainly not: they must agree in language, and in region where both name one.
 * A script alone refutes other scripts; it confirms a domain only outside Latin, whose readers share it too widely.
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

/** A page's language in words, for explanations. */
export function describeLanguage({ locale, isForeign, script }: PageLanguage): string {
  if (locale !== undefined)
    return `in ${functionWords.find(([code]) => code === locale.baseName)?.[1] ?? locale.baseName}`;
  if (isForeign === true) return "in another language than English";
  const name = scripts.find(({ code }) => code === script)?.name;
  return name === undefined ? "in no known script" : `in ${name} script`;
}

/** Scripts that a text of Chinese characters alone may be written in: a short Japanese title has no kana. */
const hanScripts: ReadonlySet<string> = new Set(["Hans", "Hant", "Hani", "Jpan", "Kore"]);

/** The script of more than half of the words that have one. */
function mainScript(inScript: readonly number[]): string | undefined {
  const [none = 0, , kana = 0, han = 0] = inScript;
  const half = (inScript.reduce((sum, some) => sum + some, 0) - none) / 2;
  // Japanese mixes kana with Chinese characters, so where there is kana, those are Japanese too.
  if (kana > 0 && kana + han > half) return "Jpan";
  return scripts.find((_, at) => (inScript[at + 1] ?? 0) > half)?.code;
}

/**
 * The language with most different function words in a Latin text, or those that have equally many. Others than English need
 * three, and a third of English's: a text in them often holds English, an English one hardly ever three of their function words.
 */
function latinLanguages(inLanguage: readonly number[]): string[] {
  const [inEnglish = 0] = inLanguage;
  const most = inLanguage.reduce((most, some, at) => (at === 0 ? most : Math.max(most, some)), 0);
  if (most >= 3 ? most * 3 >= inEnglish : most === 2 && inEnglish < 2)
    return functionWords.flatMap(([code = ""], at) => (at > 0 && inLanguage[at] === most ? [code] : []));
  return inEnglish >= 3 && inEnglish > most ? ["en"] : [];
}
