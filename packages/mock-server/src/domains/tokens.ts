import { stemmer } from "stemmer";

/**
 * Cuts text into words: runs of letters and digits, in lower case, as they stand in the text otherwise.
 * Scripts written without spaces (Chinese, Japanese, Korean, Thai and their neighbours) come as pairs of neighbouring
 * characters, preceded by the single characters when `singles` is set. Pairs rather than a dictionary (`Intl.Segmenter`),
 * because its cuts change with the ICU a runtime ships, and the same page must find the same home everywhere.
 */
export function splitWords(text: string, { singles = false }: { singles?: boolean } = {}): string[] {
  const lowered = text.toLowerCase();
  if (!beyondAscii.test(lowered)) return lowered.match(asciiWord) ?? [];
  const runs: readonly string[] = lowered.match(anyWord) ?? [];
  return runs.flatMap((run) => (startsUnspaced.test(run) ? cutUnspaced(fold(run), singles) : run));
}

/**
 * Reduces a word of {@link splitWords} to the form in which catalogue and page are compared: without accents and
 * compatibility forms, and English inflection removed (`shoes`, `shoe` -> `shoe`).
 * `undefined` for what is no use as a term: a single Latin letter, or a word longer than 40 characters.
 */
export function stemWord(word: string): string | undefined {
  if (word.length > longestWord) return undefined;
  const folded = plainAscii.test(word) ? word : fold(word);
  if (/^[a-z]?$/.test(folded)) return undefined;
  return /^[a-z]+$/.test(folded) ? stemmer(folded) : folded;
}

/** Whether a word is too common in English to say anything about a subject, as `the`, `your`, `with`. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

/** Longest word compared, in UTF-16 units; a catalogue holds none longer, and stemming stays cheap on hostile text. */
const longestWord = 40;

// Typographic punctuation and currency signs separate words as ASCII punctuation does, so they keep the quick way.
const beyondAscii = /[^\t-~\u00a0\u2010-\u206f\u20a0-\u20cf]/;
const plainAscii = /^[!-~]*$/;
const asciiWord = /[a-z0-9]+/g;

const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const letter = String.raw`[\p{L}\p{M}\p{N}]`;
// Built from strings because these sets use the `v` flag, newer than the language level the code is compiled to.
const anyWord = new RegExp(
  `[${unspaced}&&${letter}]+|[[\\p{L}\\p{N}]--${unspaced}][${letter}--[${unspaced}--\\p{M}]]*`,
  "gv",
);
const startsUnspaced = new RegExp(`^[${unspaced}&&[\\p{L}\\p{N}]]`, "v");

function cutUnspaced(run: string, singles: boolean): string[] {
  const characters = Array.from(run);
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  return singles || pairs.length === 0 ? [...characters, ...pairs] : pairs;
}

/** NFKC without Latin, Greek and Cyrillic accents and without Arabic vowel signs and stretching. */
function fold(word: string): string {
  return word
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]|\u0640|[\u064b-\u065f]|\u0670/g, "")
    .normalize("NFKC")
    .toLowerCase();
}

const stopWords: ReadonlySet<string> = new Set(
  (
    "a about above after again all also am an and any are as at be because been before being below between both but by can " +
    "could did do does doing don down during each either else ever every few for from further get had has have having he her " +
    "here hers him his how i if in into is it its itself just let ll may me might more most must my neither no nor not now of " +
    "off on once only or other our ours out over own per re s same shall she should since so some such t than that the their " +
    "theirs them then there these they this those through to too under until up upon us ve very via was we were what when " +
    "where whether which while who whom whose why will with within without would yet you your yours yourself"
  ).split(" "),
);
