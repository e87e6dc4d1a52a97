import { functionWords } from "./language.ts";
import irregular from "./unstemmed-words.json" with { type: "json" };

/** Longest word that is compared, in UTF-16 units. */
const longestWord = 40;

/**
 * The words of a text in order, as they are compared: lower case, without accents and compatibility forms.
 * Scripts written without spaces (Chinese, Japanese, Korean, Thai and similar) give pairs of neighbouring characters, preceded
 * by the single characters when `singles` is set. `Intl.Segmenter` would give words, but its cuts change with the ICU version,
 * and a page must get the same domains on every runtime.
 */
export function splitWords(text: string, { singles = false }: { singles?: boolean } = {}): string[] {
  const runs: readonly string[] = text.toLowerCase().match(anyWord) ?? [];
  return runs.flatMap((run) => {
    if (isUnspaced(run)) return cutUnspaced(fold(run), singles);
    // One character can fold to eighteen, so a run that is too long to be compared is not folded.
    return run.length > longestWord ? run : fold(run);
  });
}

/** Whether a word can say what a text is about: no function word such as `the`, no single Latin letter, not too long. */
export function isTelling(word: string): boolean {
  return word.length <= longestWord && !functionWords.has(word) && !/^[a-z]?$/.test(word);
}

/** Whether a word comes from a script that is written without spaces. */
export function isUnspaced(word: string): boolean {
  return startsUnspaced.test(word);
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

// Built from strings because the compiler's target does not have the `v` flag yet; Node 22 does.
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const letter = String.raw`[\p{L}\p{M}\p{N}]`;
const anyWord = new RegExp(
  `[${unspaced}&&${letter}]+|[[\\p{L}\\p{N}]--${unspaced}][${letter}--[${unspaced}--\\p{M}]]*`,
  "gv",
);
const startsUnspaced = new RegExp(`^[${unspaced}&&[\\p{L}\\p{N}]]`, "v");

/** Whether a topic or keyword can be found: not when it holds only punctuation or words such as `the`. */
export function canMatch(phrase: string): boolean {
  return splitWords(phrase).some(isTelling);
}
