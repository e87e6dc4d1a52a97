import { functionWords } from "./function-words.ts";

/** A word of a text, and what is known of it apart from any text. */
export interface Word {
  /** As it is compared: lower case, without accents and compatibility forms. */
  readonly text: string;
  /** The same without English inflection. */
  readonly stem: string;
  /** Whether it can say what a text is about: not so common as `the`, no single Latin letter, at most 40 characters. */
  readonly isTelling: boolean;
  /** Its script, as in ISO 15924, `Latn`, `Arab`, `Jpan`, …; `undefined` for numbers and the like. */
  readonly script: string | undefined;
  /** Languages in which it is a function word, such as `en`. */
  readonly languages: readonly string[];
}

/** The words of a text in their order; see {@link splitWords}. */
export function readWords(text: string, options?: { singles?: boolean }): Word[] {
  return splitWords(text, options).map(know);
}

/** The words of a topic or keyword by which it can be found; none when it holds only punctuation or words as `the`. */
export function readPhrase(phrase: string): Word[] {
  const words = readWords(phrase);
  return words.some(({ isTelling }) => isTelling) ? words : [];
}

/**
 * The words of a text in their order, as they are compared: lower case, without accents and compatibility forms.
 * Scripts written without spaces (Chinese, Japanese, Korean, Thai and their neighbours) come as pairs of neighbouring
 * characters, preceded by the single characters when `singles` is set. Pairs rather than a dictionary (`Intl.Segmenter`),
 * because its cuts change with the ICU a runtime ships, and the same page must find the same home everywhere.
 */
export function splitWords(text: string, { singles = false }: { singles?: boolean } = {}): string[] {
  if (plainText.test(text)) return text.toLowerCase().match(/[a-z\d]+/g) ?? [];
  const runs: readonly string[] = text.toLowerCase().match(wordPatterns().anyWord) ?? [];
  return runs.flatMap((run) => {
    if (isUnspaced(run)) return cutUnspaced(fold(run), singles);
    // What is too long to be compared is not worth folding: a character may stand for eighteen.
    return run.length > longestWord || /^[a-z\d]+$/.test(run) ? run : fold(run);
  });
}

/** Whether a word of {@link splitWords} is in a script written without spaces. */
export function isUnspaced(word: string): boolean {
  return wordPatterns().startsUnspaced.test(word);
}

function know(text: string): Word {
  const known = knownWords.get(text);
  if (known !== undefined) return known;
  const languages = languagesOf.get(text) ?? noLanguages;
  const isTelling = languages.length === 0 && text.length <= longestWord && !/^[a-z]$/.test(text);
  const word = { text, stem: stemEnglish(text), isTelling, script: readScript(text), languages };
  // A longer one may be a slice that keeps all of its text in memory.
  if (text.length <= 12) knownWords.set(text, word);
  if (knownWords.size > mostKnownWords) knownWords.clear();
  return word;
}

/** Words met lately: the same few thousand make up nearly every page. */
const knownWords = new Map<string, Word>();
const mostKnownWords = 10_000;

function readScript(word: string): string | undefined {
  return /^[a-z]+$/.test(word) ? "Latn" : scripts.find(([, letters]) => letters.test(word))?.[0];
}

const scripts = [
  ["Latn", /\p{Script=Latin}/u],
  ["Jpan", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["Hani", /\p{Script=Han}/u],
  ["Kore", /\p{Script=Hangul}/u],
  ["Arab", /\p{Script=Arabic}/u],
  ["Cyrl", /\p{Script=Cyrillic}/u],
  ["Deva", /\p{Script=Devanagari}/u],
  ["Thai", /\p{Script=Thai}/u],
  ["Grek", /\p{Script=Greek}/u],
  ["Hebr", /\p{Script=Hebrew}/u],
] as const;

/** The languages that have a function word, by their code. */
const languagesOf = new Map<string, string[]>();
for (const [code, , words] of functionWords)
  for (const word of words) languagesOf.set(word, [...(languagesOf.get(word) ?? []), code]);
const noLanguages: readonly string[] = [];

/**
 * Takes English inflection off a word: `shoes` -> `shoe`, `hiking`, `hiked` -> `hike`. Only inflection: an ending that
 * makes another word (`universe`, `university`) is left, and so are words whose forms have parted (`used`, `news`, `filling`).
 */
function stemEnglish(word: string): string {
  if (word.length < 4 || partedForms.has(word) || !/^[a-z]+$/.test(word)) return word;
  const singular = withoutPlural(word);
  const bare = partedForms.has(singular) ? undefined : /^(.*[aeiouy].*[^e])(?:ing|ed)$/.exec(singular)?.[1];
  if (bare === undefined || bare.length < 3) return singular;
  if (/([^aeiouylsz])\1$/.test(bare)) return bare.slice(0, -1);
  return lostAnE.test(bare) ? `${bare}e` : bare;
}

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

/** Longest word compared, in UTF-16 units: a catalogue holds none longer. */
const longestWord = 40;

// Typographic punctuation and currency signs separate words as ASCII punctuation does, so they keep the quick way.
const plainText = /^[\t-~\u00a0\u2010-\u206f\u20a0-\u20cf]*$/;

const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const letter = String.raw`[\p{L}\p{M}\p{N}]`;
/** Made when a text is met that is not plain, because it takes some 2 ms. */
let patterns: ReturnType<typeof makePatterns> | undefined;

function wordPatterns(): ReturnType<typeof makePatterns> {
  return (patterns ??= makePatterns());
}

// Built from strings because these sets use the `v` flag, newer than the language level the code is compiled to.
function makePatterns() {
  return {
    anyWord: new RegExp(
      `[${unspaced}&&${letter}]+|[[\\p{L}\\p{N}]--${unspaced}][${letter}--[${unspaced}--\\p{M}]]*`,
      "gv",
    ),
    startsUnspaced: new RegExp(`^[${unspaced}&&[\\p{L}\\p{N}]]`, "v"),
  };
}

/** English words that inflection would make one with a word of another meaning. */
const partedForms: ReadonlySet<string> = new Set(
  (
    "branding detailing coding talks claims sleeps moving driving banking accounting servicing drawing drawings used news lens series species gas atlas canvas christmas always maths goods means customs glasses savings shares books trainers spirits " +
    "filling building training trainings wedding weddings meeting housing booking marketing boarding evening morning united during dressing " +
    "casing shipping dating listing coating skirting heading bearing sacred hundred interesting something anything everything nothing " +
    "offering landing setting rating posting tired learning reading planting dwelling outing pressing blessed fasting ironing " +
    "painting viewing tasting filing dining reporting stocking stockings suited stables sterling pudding darling ceiling"
  ).split(" "),
);
