import { stemmer } from "stemmer";
import type { WordBytes } from "./word-table.ts";

/** How to cut a text into words. */
interface WordOptions {
  /** Whether single characters of scripts written without spaces are words beside their pairs. */
  singles?: boolean;
}

/** Visits the words that {@link splitWords} would cut out, in their order, as bytes that nobody has to cut out. */
export function eachWord(text: string, options: WordOptions, visit: (word: WordBytes) => void): void {
  if (beyondAscii.test(text)) for (const word of splitWords(text, options)) visit(encodeWord(word));
  else eachAsciiWord(text, visit);
}

/**
 * Cuts text into words: runs of letters and digits, in lower case, as they stand in the text otherwise.
 * Scripts written without spaces (Chinese, Japanese, Korean, Thai and their neighbours) come as pairs of neighbouring
 * characters, preceded by the single characters when `singles` is set. Pairs rather than a dictionary (`Intl.Segmenter`),
 * because its cuts change with the ICU a runtime ships, and the same page must find the same home everywhere.
 */
export function splitWords(text: string, { singles = false }: WordOptions = {}): string[] {
  if (!beyondAscii.test(text)) {
    const words: string[] = [];
    eachAsciiWord(text, (word) => words.push(decodeWord(word)));
    return words;
  }
  const runs: readonly string[] = text.toLowerCase().match(anyWord) ?? [];
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

const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const letter = String.raw`[\p{L}\p{M}\p{N}]`;
// Built from strings because these sets use the `v` flag, newer than the language level the code is compiled to.
const anyWord = new RegExp(
  `[${unspaced}&&${letter}]+|[[\\p{L}\\p{N}]--${unspaced}][${letter}--[${unspaced}--\\p{M}]]*`,
  "gv",
);
const startsUnspaced = new RegExp(`^[${unspaced}&&[\\p{L}\\p{N}]]`, "v");

/** The code of an ASCII letter or digit in lower case, by its byte; 0 for all other bytes. */
const wordLetters = Uint8Array.from({ length: 256 }, (_, code) =>
  /[a-z\d]/i.test(String.fromCharCode(code)) ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : 0,
);

const encoder = new TextEncoder();
/** Room for a text and a byte that ends it; what is larger gets its own. */
const usualRoom = Buffer.alloc(16 * 1024);

// FNV-1a.
const hashBasis = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

function eachAsciiWord(text: string, visit: (word: WordBytes) => void): void {
  // At most three bytes for each unit.
  const bytes = text.length * 3 < usualRoom.length ? usualRoom : Buffer.alloc(text.length * 3 + 1);
  const { written } = encoder.encodeInto(text, bytes);
  bytes[written] = 0;
  let start = 0;
  let hash = hashBasis;
  for (let index = 0; index <= written; index += 1) {
    const letter = wordLetters[bytes[index] ?? 0] ?? 0;
    if (letter === 0) {
      if (index > start) visit({ bytes, start, end: index, hash });
      start = index + 1;
      hash = hashBasis;
    } else {
      bytes[index] = letter;
      hash = Math.imul(hash ^ letter, hashPrime);
    }
  }
}

function encodeWord(word: string): WordBytes {
  const bytes = word.length * 3 <= usualRoom.length ? usualRoom : Buffer.alloc(word.length * 3);
  const { written } = encoder.encodeInto(word, bytes);
  let hash = hashBasis;
  for (let index = 0; index < written; index += 1) hash = Math.imul(hash ^ (bytes[index] ?? 0), hashPrime);
  return { bytes, start: 0, end: written, hash };
}

/** The text of a word that was visited. */
export function decodeWord({ bytes, start, end }: WordBytes): string {
  return decoder.decode(bytes.subarray(start, end));
}

const decoder = new TextDecoder();

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
