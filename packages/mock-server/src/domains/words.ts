import { functionWords, partedForms } from "./function-words.ts";

/** How a word is compared with another: as it is, or by its English stem. */
export type Reading = "text" | "stem";

/** A word of a text, and what is known of it apart from any text: mostly one object for all that are alike. */
export interface Word {
  /** As it is compared: lower case, without accents and compatibility forms. */
  readonly text: string;
  /** The same without English inflection. */
  readonly stem: string;
  /** Whether it can say what a text is about: not so common as `the`, no single Latin letter, at most 40 characters. */
  readonly isTelling: boolean;
  /** Whether it begins no term where it stands, because it is denied or names a customer. */
  readonly isHushed: boolean;
  /** Its script, as in ISO 15924, `Latn`, `Arab`, `Jpan`, …; `undefined` for numbers and the like. */
  readonly script: string | undefined;
  /** Languages in which it is a function word, such as `en`. */
  readonly languages: readonly string[];
  /** The count that met it last. */
  metIn: number;
  /** Where it is remembered, below {@link wordBuckets}, with the words before it there. */
  readonly bucket: number;
  readonly next: Word | undefined;
}

/** The words of a text in their order; see {@link splitWords}. */
export function readWords(text: string, options?: { singles?: boolean }): Word[] {
  const isPlain = plainText.test(text);
  const spelt = isPlain ? text.toLowerCase() : splitWords(text, options).join("\0");
  const words: Word[] = [];
  let start = 0;
  let hash = 0;
  // Words are looked up where they stand: to cut each out of its text would cost more than all else that is done with it.
  for (let at = 0; at <= spelt.length; at += 1) {
    const code = at < spelt.length ? spelt.charCodeAt(at) : 0;
    const isInside = isPlain ? (code > 96 && code < 123) || (code > 47 && code < 58) : code !== 0;
    if (isInside) hash = Math.imul(hash ^ code, 0x01000193);
    else {
      if (at > start) words.push(know(spelt, start, at, (hash ^ (hash >>> 15)) & (wordBuckets - 1)));
      start = at + 1;
      hash = 0;
    }
  }
  return words;
}

/** The words of a topic or keyword by which it can be found; none when it holds only punctuation or words as `the`. */
export function readPhrase(phrase: string): Word[] {
  const words = readWords(phrase);
  return words.some(({ isTelling }) => isTelling) ? words : [];
}

/** Tells of each word whether it comes for the first time. Good until the next is asked for. */
export function noticeNew(): (word: Word) => boolean {
  counts += 1;
  return (word) => {
    const isNew = word.metIn !== counts;
    word.metIn = counts;
    return isNew;
  };
}
let counts = 0;

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
  return !plainText.test(word) && wordPatterns().startsUnspaced.test(word);
}

function know(spelt: string, start: number, end: number, bucket: number): Word {
  const next = knownWords[bucket];
  for (let word = next; word !== undefined; word = word.next)
    if (word.text.length === end - start && spelt.startsWith(word.text, start)) return word;
  const found = spelt.slice(start, end);
  const isShort = found.length <= longestWord;
  // Put together anew, because a longer one may be a slice that keeps all of its text in memory.
  const text = isShort && found.length > 12 ? Array.from(found).join("") : found;
  const languages = languagesOf.get(text) ?? [];
  const script = /^\d+$/.test(text) ? undefined : scripts.find(({ letters }) => letters.test(text))?.code;
  const isTelling = isShort && languages.length === 0 && !/^[a-z]$/.test(text);
  const known = { text, stem: stemEnglish(text), isTelling, isHushed: false, script, languages };
  const word = { ...known, metIn: 0, bucket, next };
  if (isShort) {
    knownWords[bucket] = word;
    knownCount += 1;
  }
  return word;
}

/** Words by their hash, the newest of each bucket, and how many there are in all. */
export const wordBuckets = 2 ** 13;
const knownWords = Array<Word | undefined>(wordBuckets);
let knownCount = 0;

/** Forgets all words when there are many; the same few thousand make up nearly every page. Not while some are counted. */
export function forgetWords(): void {
  if (knownCount < 2 * wordBuckets) return;
  knownWords.fill(undefined);
  knownCount = 0;
}

/** The scripts that are told apart: ISO 15924, what people call them, a letter of theirs. */
export const scripts = [
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
] as const;

/** The languages that have a function word, by their code. */
const languagesOf = new Map<string, string[]>();
for (const [code = "", , ...words] of functionWords)
  for (const word of words) languagesOf.set(word, [...(languagesOf.get(word) ?? []), code]);

/**
 * Takes English inflection off a word: `shoes` -> `shoe`, `hiking`, `hiked` -> `hike`. Only inflection: an ending that
 * makes another word (`universe`, `university`) is left, and so are words whose forms have parted (`used`, `news`, `filling`).
 */
function stemEnglish(word: string): string {
  if (!/^[a-z]{3,}[dgs]$/.test(word) || partedForms.has(word)) return word;
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
let patterns: { anyWord: RegExp; startsUnspaced: RegExp } | undefined;

/** Made when a text is met that is not plain, because it takes some 2 ms; from strings, because the `v` flag is newer than the target. */
function wordPatterns(): NonNullable<typeof patterns> {
  const anyWord = `[${unspaced}&&${letter}]+|[[\\p{L}\\p{N}]--${unspaced}][${letter}--[${unspaced}--\\p{M}]]*`;
  const startsUnspaced = `^[${unspaced}&&[\\p{L}\\p{N}]]`;
  return (patterns ??= { anyWord: new RegExp(anyWord, "gv"), startsUnspaced: new RegExp(startsUnspaced, "v") });
}
