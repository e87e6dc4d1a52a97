import { functionWords, partedForms } from "./function-words.ts";

/** Whether a topic or keyword can be found: not when it holds only punctuation or words as `the`. */
export function canMatch(phrase: string): boolean {
  return splitWords(phrase).some((word) => word !== "" && (describeWord(word) & traits.isTelling) !== 0);
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

function isUnspaced(word: string): boolean {
  return !plainText.test(word) && wordPatterns().startsUnspaced.test(word);
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

/** What a word may be, as bits. */
export const traits = {
  /** Which of {@link scripts} it is in, counted from 1; 0 for numbers and the like. */
  script: 0b1111,
  /** It can say what a text is about: not so common as `the`, no single Latin letter, at most 40 characters. */
  isTelling: 2 ** 4,
  isUnspaced: 2 ** 5,
  denies: 2 ** 6, // What comes after it, as `not`; or it adds to that, as `or`.
  /** Its languages: as many bits as there are {@link functionWords}, in their order. */
  languages: 7,
} as const;

const languagesOf = new Map<string, number>();
for (const word of "not t dont isnt no kein keine keinen keiner or".split(" ")) languagesOf.set(word, traits.denies);
for (const [at, [, , ...words]] of functionWords.entries())
  for (const word of words) languagesOf.set(word, (languagesOf.get(word) ?? 0) | (1 << (traits.languages + at)));

/** What is known of a word of {@link splitWords}, as {@link traits}. */
export function describeWord(word: string): number {
  const languages = languagesOf.get(word) ?? 0;
  const isLatin = /^[a-z]+$/.test(word);
  const script = isLatin ? 1 : /^\d+$/.test(word) ? 0 : scripts.findIndex(({ letters }) => letters.test(word)) + 1;
  const canTell = word.length <= longestWord && languages === 0 && !(isLatin && word.length === 1);
  return languages | script | (canTell ? traits.isTelling : 0) | (!isLatin && isUnspaced(word) ? traits.isUnspaced : 0);
}

/**
 * Takes English inflection off a word: `shoes` -> `shoe`, `hiking`, `hiked` -> `hike`. Only inflection: an ending that
 * makes another word (`universe`, `university`) is left, and so are words whose forms have parted (`used`, `news`, `filling`).
 */
export function stemEnglish(word: string): string {
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

/** A text of ASCII, or of typographic punctuation and currency signs, which separate words as that of ASCII does: it need not be folded. */
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
