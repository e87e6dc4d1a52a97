import { stemmer } from "stemmer";

/** The words of a text as bytes, so that nobody has to cut them out. Valid until the next text is scanned. */
export interface ScannedWords {
  count: number;
  /** UTF-8 in lower case; what lies between words has no meaning. */
  bytes: Buffer;
  /** Where each word begins in `bytes`. */
  starts: Int32Array;
  /** Where each word ends, exclusive. */
  ends: Int32Array;
  /** FNV-1a of each word's bytes. */
  hashes: Int32Array;
}

/** Finds the words, single characters too, that {@link splitWords} would cut out, in their order. */
export function scanWords(text: string): ScannedWords {
  if (!beyondAscii.test(text)) return scan(text, asciiLetters);
  return scan(splitWords(text, { singles: true }).join("\0"), allButZero);
}

/** The text of a scanned word. */
export function wordAt({ bytes, starts, ends }: ScannedWords, index: number): string {
  return bytes.toString("utf8", starts[index], ends[index]);
}

/**
 * Cuts text into words: runs of letters and digits, in lower case, as they stand in the text otherwise.
 * Scripts written without spaces (Chinese, Japanese, Korean, Thai and their neighbours) come as pairs of neighbouring
 * characters, preceded by the single characters when `singles` is set. Pairs rather than a dictionary (`Intl.Segmenter`),
 * because its cuts change with the ICU a runtime ships, and the same page must find the same home everywhere.
 */
export function splitWords(text: string, { singles = false }: { singles?: boolean } = {}): string[] {
  if (!beyondAscii.test(text)) {
    const words = scan(text, asciiLetters);
    return Array.from({ length: words.count }, (_, index) => wordAt(words, index));
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

/** The byte of a letter or digit in lower case, by its byte; 0 for what stands between words. */
const asciiLetters = Uint8Array.from({ length: 256 }, (_, code) =>
  /[a-z\d]/i.test(String.fromCharCode(code)) ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : 0,
);
/** The same for words that were cut out already and joined by zeros. */
const allButZero = asciiLetters.map((_, code) => code);

const encoder = new TextEncoder();
const usualBytes = 24 * 1024;
/** Room for texts of the usual length; longer ones get their own. */
const usualRoom = makeRoom(usualBytes);

/** One byte more ends the text; at most every other byte begins a word. */
function makeRoom(bytes: number): ScannedWords {
  const words = Math.ceil(bytes / 2);
  const [starts, ends, hashes] = [new Int32Array(words), new Int32Array(words), new Int32Array(words)];
  return { count: 0, bytes: Buffer.alloc(bytes + 1), starts, ends, hashes };
}

function scan(text: string, letters: Uint8Array): ScannedWords {
  // At most three bytes for each unit.
  const room = text.length * 3 > usualBytes ? makeRoom(Buffer.byteLength(text)) : usualRoom;
  const { bytes, starts, ends, hashes } = room;
  const { written } = encoder.encodeInto(text, bytes);
  bytes[written] = 0;
  let count = 0;
  let start = 0;
  let hash = hashBasis;
  for (let index = 0; index <= written; index += 1) {
    const letter = letters[bytes[index] ?? 0] ?? 0;
    if (letter !== 0) {
      bytes[index] = letter;
      hash = Math.imul(hash ^ letter, hashPrime);
      continue;
    }
    if (index > start) {
      starts[count] = start;
      ends[count] = index;
      hashes[count] = hash;
      count += 1;
    }
    start = index + 1;
    hash = hashBasis;
  }
  room.count = count;
  return room;
}

// FNV-1a.
const hashBasis = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;

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
