import { functionWords } from "./page-locale.ts";

/**
 * The words of a text in their order, as they are compared: lower case, without accents and compatibility forms.
 * Scripts written without spaces (Chinese, Japanese, Korean, Thai and their neighbours) come as pairs of neighbouring
 * characters, preceded by the single characters when `singles` is set. Pairs rather than a dictionary (`Intl.Segmenter`),
 * because its cuts change with the ICU a runtime ships, and the same page must find the same home everywhere.
 */
export function splitWords(text: string, { singles = false }: { singles?: boolean } = {}): string[] {
  if (plainText.test(text)) return text.toLowerCase().match(/[a-z\d]+/g) ?? [];
  const runs: readonly string[] = text.toLowerCase().match(anyWord) ?? [];
  return runs.flatMap((run) => {
    if (isUnspaced(run)) return cutUnspaced(fold(run), singles);
    // What is too long to be compared is not worth folding: a character may stand for eighteen.
    return run.length > longestWord || /^[a-z\d]+$/.test(run) ? run : fold(run);
  });
}

/** Whether a word can say what a text is about: not so common as `the`, no single Latin letter, at most 40 characters. */
export function isTelling(word: string): boolean {
  return word.length <= longestWord && (word.length > 1 || !/^[a-z]$/.test(word)) && !commonWords.has(word);
}

/** Whether a word of {@link splitWords} is in a script written without spaces. */
export function isUnspaced(word: string): boolean {
  return startsUnspaced.test(word);
}

/**
 * Takes English inflection off a word: `shoes` -> `shoe`, `hiking`, `hiked` -> `hike`. Only inflection: an ending that
 * makes another word (`universe`, `university`) is left, and so are words whose forms have parted (`used`, `news`, `filling`).
 */
export function stemEnglish(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  if (knownStems.size >= mostKnownStems) knownStems.clear();
  const stem = takeInflection(word);
  knownStems.set(word, stem);
  return stem;
}

/** Stems of words met lately: the same few thousand make up nearly every page. */
const knownStems = new Map<string, string>();
const mostKnownStems = 10_000;

function takeInflection(word: string): string {
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
// Built from strings because these sets use the `v` flag, newer than the language level the code is compiled to.
const anyWord = new RegExp(
  `[${unspaced}&&${letter}]+|[[\\p{L}\\p{N}]--${unspaced}][${letter}--[${unspaced}--\\p{M}]]*`,
  "gv",
);
const startsUnspaced = new RegExp(`^[${unspaced}&&[\\p{L}\\p{N}]]`, "v");

/** Words that say nothing about a subject; they match on neither side, save as part of a phrase. */
const commonWords: ReadonlySet<string> = new Set(functionWords.flatMap(([, , words]) => words));

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
