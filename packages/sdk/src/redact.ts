// The API key in texts that somebody else wrote: as it is, and in every spelling that text formats have for a character.
import type { Mismatch } from "./log.ts";

/**
 * Takes the API key out of a text that somebody else wrote, also where it is escaped or encoded, or breaks off, as the text may
 * have been cut on its way. Comes before any cutting of our own.
 */
export function hideKey(text: string, key: string): string {
  // A key so short is no secret, and replacing it would garble the text.
  if (key.length < 4) return text;
  if (known?.key !== key) known = { key, ...spellings(key) };
  const { beginning, characters } = known;
  let shown = "";
  let from = 0;
  beginning.lastIndex = 0;
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const { index } = match;
    shown += text.slice(from, index) + hidden;
    from = Math.max(...characters.map((each) => findEnd(text, index, each)));
    beginning.lastIndex = from;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** Takes the API key out of the places of a mismatch, which are named after members of an answer. */
export function hideInPlaces({ where, expected, found }: Mismatch, key: string): Mismatch {
  return { where, expected: hideKey(expected, key), found: hideKey(found, key) };
}

const hidden = "[API key]";
// What a service shows of a key on purpose, so that a person knows which one it was, is shorter.
const mostShown = 12;

interface Spellings {
  /** More of the key than a service shows, or all of a short one. */
  readonly beginning: RegExp;
  /** The key itself and its spellings in base64, character by character. */
  readonly characters: readonly (readonly Character[])[];
}

/** How a character may be written, as patterns none of which can end at two places from where it begins. */
interface Character {
  readonly spellings: readonly string[];
  /** The same again for every depth of nesting, where a run of marks may be one character or several. */
  readonly nested: readonly string[];
}

// The texts of one answer are asked for one after the other, mostly with the same key.
let known: (Spellings & { readonly key: string }) | undefined;

function spellings(key: string): Spellings {
  const base64 = [0, 1, 2].map((offset) => spellBase64(key, offset)).filter(({ length }) => length >= mostShown);
  const characters = [Array.from(key, spellCharacter), ...base64];
  return { characters, beginning: new RegExp(characters.map(spellBeginning).join("|"), "g") };
}

/** Only the beginning: a pattern of all spellings of a whole key would be a hundred kilobytes long. */
function spellBeginning(characters: readonly Character[]): string {
  return Array.from(characters.slice(0, mostShown), ({ spellings }) => `(?:${spellings.join("|")})`).join("");
}

/**
 * Finds where the key ends that begins at a place of a text, or breaks off. One spelling may begin with another one, so all
 * places that a character may end at are followed, side by side.
 */
function findEnd(text: string, index: number, characters: readonly Character[]): number {
  let ends = [index];
  for (const { spellings, nested } of characters) {
    const patterns = [...spellings, ...nested].map(compile);
    const next = new Set(ends.flatMap((end) => patterns.flatMap((pattern) => matchAt(pattern, text, end))));
    if (next.size === 0) break;
    ends = [...next].sort((one, other) => one - other).slice(0, mostEnds);
  }
  return Math.max(...ends);
}

// Of a key of nothing but backslashes in a text of the same there are very many.
const mostEnds = 200;

function matchAt(pattern: RegExp, text: string, index: number): number[] {
  pattern.lastIndex = index;
  return pattern.test(text) ? [pattern.lastIndex] : [];
}

/** Compiles a pattern once, as keys have many characters but few different ones. */
function compile(source: string): RegExp {
  const pattern = compiled.get(source) ?? new RegExp(source, "y");
  compiled.set(source, pattern);
  return pattern;
}

const compiled = new Map<string, RegExp>();

/** All spellings of one character, mixed and nested as they may be. */
function spellCharacter(character: string): Character {
  const known = spelled.get(character);
  if (known !== undefined) return known;
  const depths = /[\\%&]/.test(character) ? [0, 1, 2, 3, 4, 5, 6, 7, 8] : [];
  const nested = depths.flatMap((depth) => spell(character, `{${depth}}`)).filter((each) => each.startsWith(character));
  const made = { spellings: spell(character), nested };
  spelled.set(character, made);
  return made;
}

const spelled = new Map<string, Character>();

function spell(character: string, times?: string): string[] {
  const code = character.charCodeAt(0);
  const hex = code
    .toString(16)
    .padStart(2, "0")
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const name = entityNames[character];
  const entity = `&(?:amp;)${times ?? "*"}(?:#0*${code}|#[xX]0*${hex}${name === undefined ? "" : `|${name}`})`;
  const pointed = { "~": "~0", "/": "~1" }[character];
  // JSON, JavaScript and Python escapes, up to three times over, as a long run of backslashes must not take long; percent-encoding; HTML; JSON pointers.
  const backslashes = `\\\\${times ?? "{0,8}"}`;
  return [
    `${entity};`,
    entity,
    `%(?:25)${times ?? "*"}${hex}`,
    ...(pointed === undefined ? [] : [pointed]),
    `${backslashes}(?<=\\\\)(?:u00${hex}|u\\{0*${hex}\\}|x${hex}|U0{6}${hex})`,
    `${backslashes}${character.replace(/\W/, "\\$&")}`,
  ];
}

const entityNames: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "+": "plus",
  "/": "sol",
  "=": "equals",
  "-": "hyphen",
  _: "lowbar",
  ".": "period",
};

/** The characters of a base64 text that only the key decides, when it begins at some byte of a group of three. */
function spellBase64(key: string, offset: number): Character[] {
  const text = btoa("\0".repeat(offset) + key);
  const digits = text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + key.length) * 8) / 6));
  return Array.from(digits, (digit) => {
    const spelling = digit === "+" ? "[+-]" : digit === "/" ? "[/_]" : digit;
    return { spellings: [spelling], nested: [] };
  });
}
