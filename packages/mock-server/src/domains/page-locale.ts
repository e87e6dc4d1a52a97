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
  /** Script of most words, as in ISO 15924, `Latn`, `Arab`, `Jpan`, …; `Hani` for Chinese characters alone. Absent when unknown. */
  script?: string;
}

/**
 * The commonest words of the languages told apart, in the form in which words are compared. They tell a page's language,
 * and match no domain. Left out: words that other languages have too, or that stand in names (`la`, `de`, `van`).
 */
export const functionWords = (
  [
    [
      "en",
      "English",
      "a about above across after again against ago all almost along already also although always am among an and another any anyone " +
        "anything are around as at away back be became because been before behind being below between both but by came can cannot " +
        "could did do does doing don done down during each either else enough ever every everybody everyone everything few for from " +
        "further gave get gets getting give gives go goes going gone got had has have having he her here hers herself him himself " +
        "his how however i if in instead into is isn it its itself just keep keeps kept let lets ll made make makes making many may " +
        "me might mine more most much must my myself near neither never no nobody none nor not nothing now of off often on once only " +
        "onto or other others our ours ourselves out over own per perhaps please put puts quite rather re really s said same say " +
        "says see sees shall she should since so some somebody someone something sometimes soon still such t take takes taken than " +
        "that the their theirs them themselves then there these they thing things this those though through till to together too " +
        "took toward towards under unless until up upon us use used uses using ve very via want wants was way we went were what " +
        "whatever when where whether which while who whole whom whose why will with within without won would yes yet you your yours " +
        "yourself yourselves",
    ],
    [
      "de",
      "German",
      "aber alle als auch auf aus bei beim bis das dass dem den der doch durch ein eine einem einen einer eines euch fur haben hat hier " +
        "ich ihr ihre ihrem ihren ihrer immer ist jede jeden jeder kann kein keine konnen mehr mit nach nicht noch nur oder ohne " +
        "schon sich sie sind uber und uns unser unsere unserem unseren unserer vom von vor wenn wer werden wie wir wird wo zu zum zur zwischen",
    ],
    [
      "es",
      "Spanish",
      "de del el en la un aqui asi cada como con cuando desde donde esta estamos este esto estos hace hasta las los mas mi mis muy nada nos nosotros " +
        "nuestra nuestras nuestro nuestros para pero por porque que quien ser sobre somos su sus tambien tiene todo todos tu tus una unos usted y",
    ],
    [
      "fr",
      "French",
      "de des du en la le les un aux avec avez avons cette ces chez comme dans depuis elle est et etes ils leur leurs mais mes meme ne nos notre nous ont ou par " +
        "pas pour quand que quel quelle qui sans sommes sont sous sur tous toute tout tres une vos votre vous",
    ],
    [
      "it",
      "Italian",
      "da di il la le un alla alle anche che ci con cosa dal dalla degli dei del della delle gli ha hai ho il nei nel nella noi non nostra nostri " +
        "nostro ogni per piu qui sei senza si siamo sono sua sul sulla suo tutti tutto tua tuo una vostro",
    ],
    [
      "pt",
      "Portuguese",
      "de em um ao aos as ate com como da das dos ela ele entre mais mas muito na nao nas nos nossa nossas nosso nossos para pela pelo por " +
        "quando que quem sem ser seu seus sobre sua suas tambem tem todos tudo uma voce voces",
    ],
    [
      "nl",
      "Dutch",
      "de aan als bij dat deze die dit een elke en het hier hun ik in is je jouw maar meer met naar niet nog om ons onze ook over te tot " +
        "uit uw voor waar wat we wij wordt zich zijn zonder",
    ],
  ] as const
).map(([code, name, words]) => [code, name, words.split(" ")] as const);

/**
 * Tells a page's language from its words, as `splitWords` gives them: the script of most of them, and for Latin script
 * the language whose function words it has. Not from its slug or its call to action, which are often English anywhere.
 */
export function readLanguage(words: readonly string[], locale?: string): PageLanguage {
  if (locale !== undefined) return { locale: readTag(new Intl.Locale(locale)) };
  const script = mainScript(words);
  if (script !== "Latn") return script === undefined ? {} : { script };
  const told = latinLanguage(words);
  return told === undefined ? { script } : { script, locale: told };
}

/** Whether English inflection is taken off a page's words: it is English, or nothing says what else it is. */
export function isPerhapsEnglish({ locale, script }: PageLanguage): boolean {
  return locale === undefined ? script === undefined || script === "Latn" : locale.language === "en";
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
export function fitLocale(domain: DomainLocale, { locale, script }: PageLanguage): LocaleFit {
  if (locale !== undefined) {
    const sameRegion = !locale.region || !domain.locale.region || locale.region === domain.locale.region;
    return locale.language === domain.locale.language && sameRegion ? "yes" : "no";
  }
  if (script === undefined || domain.script === undefined) return "maybe";
  if (script === "Hani") return hanScripts.has(domain.script) ? "maybe" : "no";
  if (script !== domain.script) return "no";
  return script === "Latn" ? "maybe" : "yes";
}

/** A page's language in words, for explanations. */
export function describeLanguage({ locale, script }: PageLanguage): string {
  if (locale !== undefined) return `in ${functionWords.find(([code]) => code === locale.name)?.[1] ?? locale.name}`;
  const name = scripts.find(([code]) => code === script)?.[1];
  return name === undefined ? "in no known script" : `in ${name} script`;
}

/** Scripts that a text of Chinese characters alone may be written in: a short Japanese title has no kana. */
const hanScripts: ReadonlySet<string> = new Set(["Hans", "Hant", "Hani", "Jpan", "Kore"]);

const scripts = [
  ["Latn", "Latin", /\p{Script=Latin}/u],
  ["Jpan", "Japanese", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["Hani", "Han", /\p{Script=Han}/u],
  ["Kore", "Korean", /\p{Script=Hangul}/u],
  ["Arab", "Arabic", /\p{Script=Arabic}/u],
  ["Cyrl", "Cyrillic", /\p{Script=Cyrillic}/u],
  ["Deva", "Devanagari", /\p{Script=Devanagari}/u],
  ["Thai", "Thai", /\p{Script=Thai}/u],
  ["Grek", "Greek", /\p{Script=Greek}/u],
  ["Hebr", "Hebrew", /\p{Script=Hebrew}/u],
] as const;

/** The languages that have a function word, by their code. */
const languagesOf = new Map<string, Tag[]>();
for (const [code, , words] of functionWords) {
  const locale: Tag = { name: code, language: code, region: undefined };
  for (const word of words) languagesOf.set(word, [...(languagesOf.get(word) ?? []), locale]);
}
const englishFunctionWords: ReadonlySet<string> = new Set(
  functionWords.flatMap(([code, , words]) => (code === "en" ? words : [])),
);

/** The script of more than half of the words, English function words aside: they may come with any name or slogan. */
function mainScript(words: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const word of words) {
    if (englishFunctionWords.has(word)) continue;
    const script = /^[a-z]+$/.test(word) ? "Latn" : scripts.find(([, , letters]) => letters.test(word))?.[0];
    if (script !== undefined) counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  const kana = counts.get("Jpan") ?? 0;
  // Japanese mixes kana with Chinese characters, so where there is kana, those are Japanese too.
  if (kana > 0) counts.set("Jpan", kana + (counts.get("Hani") ?? 0)).delete("Hani");
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const most = [...counts].find(([, count]) => count > total / 2)?.[0];
  return most ?? (words.some((word) => englishFunctionWords.has(word)) ? "Latn" : undefined);
}

/**
 * The language with most different function words in a Latin text. Another language than English needs three, and a
 * third of English's: a text in it often holds English, an English one hardly ever three of its function words.
 */
function latinLanguage(words: readonly string[]): Tag | undefined {
  const counts = new Map<Tag, number>();
  for (const word of new Set(words.filter((some) => languagesOf.has(some))))
    for (const locale of languagesOf.get(word) ?? []) counts.set(locale, (counts.get(locale) ?? 0) + 1);
  const [english, inEnglish] = [...counts].find(([{ language }]) => language === "en") ?? [undefined, 0];
  const others = [...counts].filter(([locale]) => locale !== english).sort(([, one], [, other]) => other - one);
  const [[other, most] = [undefined, 0], [, second] = [undefined, 0]] = others;
  if (most > second && (most >= 3 ? most * 3 >= inEnglish : most === 2 && inEnglish < 2)) return other;
  return inEnglish >= 3 && inEnglish > most ? english : undefined;
}
