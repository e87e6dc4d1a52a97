/** Whether a domain's language suits a page: certainly, perhaps, or certainly not. */
export type LocaleFit = "yes" | "maybe" | "no";

/** What is known about a page's language: the locale it was given, else the script most of its letters belong to. */
export interface PageLanguage {
  /** BCP 47 tag the caller gave, such as `de-CH`. */
  locale?: Intl.Locale;
  /** Script as in ISO 15924, `Latn`, `Arab`, `Jpan`, …; `Hani` for Chinese characters alone. Absent when unknown. */
  script?: string;
}

/**
 * Tells a page's language. Pages have no locale on the wire, so without one only the script is read, from the first
 * 2 000 characters of each text: words of any Latin-script language are too alike to tell apart without a mistake now and then,
 * and a page kept from the right domain is worse than a domain too many.
 */
export function readLanguage(texts: readonly string[], locale?: string): PageLanguage {
  if (locale !== undefined) return { locale: new Intl.Locale(locale) };
  const script = mainScript(texts.map((text) => text.slice(0, 2_000)).join("\n"));
  return script === undefined ? {} : { script };
}

/**
 * Compares a domain's locale with a page's language. A given locale must agree in language, and in region where both
 * name one. A script alone refutes other scripts; it confirms a domain only outside Latin, whose readers share it too widely.
 */
export function fitLocale(domainLocale: Intl.Locale, { locale, script }: PageLanguage): LocaleFit {
  if (locale !== undefined) {
    const sameRegion = !locale.region || !domainLocale.region || locale.region === domainLocale.region;
    return locale.language === domainLocale.language && sameRegion ? "yes" : "no";
  }
  const domainScript = domainLocale.maximize().script;
  if (script === undefined || domainScript === undefined) return "maybe";
  if (script === "Hani") return hanScripts.has(domainScript) ? "maybe" : "no";
  if (script !== domainScript) return "no";
  return script === "Latn" ? "maybe" : "yes";
}

/** A page's language in words, for explanations. */
export function describeLanguage({ locale, script }: PageLanguage): string {
  if (locale !== undefined) return `in ${locale.baseName}`;
  const name = scripts.find(([code]) => code === script)?.[1];
  return name === undefined ? "in no known script" : `in ${name} script`;
}

/** Scripts that a text of Chinese characters alone may be written in: a short Japanese title has no kana. */
const hanScripts: ReadonlySet<string> = new Set(["Hans", "Hant", "Hani", "Jpan", "Kore"]);

const scripts = [
  ["Latn", "Latin", /\p{Script=Latin}/gu],
  ["Hani", "Han", /\p{Script=Han}/gu],
  ["Jpan", "Japanese", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["Kore", "Korean", /\p{Script=Hangul}/gu],
  ["Arab", "Arabic", /\p{Script=Arabic}/gu],
  ["Cyrl", "Cyrillic", /\p{Script=Cyrillic}/gu],
  ["Deva", "Devanagari", /\p{Script=Devanagari}/gu],
  ["Thai", "Thai", /\p{Script=Thai}/gu],
  ["Grek", "Greek", /\p{Script=Greek}/gu],
  ["Hebr", "Hebrew", /\p{Script=Hebrew}/gu],
] as const;

const beyondLatin = /[\u0370-\u1fff\u2c00-\ud7ff\uf900-\ufdff\ufe70-\uffef]/;

function mainScript(text: string): string | undefined {
  // Nearly every page: no letter of another script, so there is nothing to count.
  if (!beyondLatin.test(text)) return /\p{Script=Latin}/u.test(text) ? "Latn" : undefined;
  const counts = new Map<string, number>(
    scripts.map(([script, , letters]) => [script, text.match(letters)?.length ?? 0]),
  );
  const kana = counts.get("Jpan") ?? 0;
  // Japanese mixes kana with Chinese characters, so where there is kana, those are Japanese too.
  if (kana > 0) counts.set("Jpan", kana + (counts.get("Hani") ?? 0)).delete("Hani");
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return [...counts].find(([, count]) => count > letters / 2)?.[0];
}
