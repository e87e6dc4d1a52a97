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
  return hideBeginnings(text.replace(known.whole, hidden), known);
}

/** Takes the API key out of the places of a mismatch, which are named after members of an answer. */
export function hideInPlaces({ where, expected, found }: Mismatch, key: string): Mismatch {
  return { where, expected: hideKey(expected, key), found: hideKey(found, key) };
}

const hidden = "[API key]";
// What a service shows of a key on purpose, so that a person knows which one it was, is shorter.
const mostShown = 12;

interface Spellings {
  readonly whole: RegExp;
  /** More of the key than a service shows, in as many groups as there are spellings, each character by character. */
  readonly beginning: RegExp;
  readonly characters: readonly (readonly string[])[];
}

// The texts of one answer are asked for one after the other, mostly with the same key.
let known: (Spellings & { readonly key: string }) | undefined;

function spellings(key: string): Spellings {
  const base64 = [0, 1, 2].map((offset) => spellBase64(key, offset)).filter(({ length }) => length >= mostShown);
  const characters = [Array.from(key, spell), ...base64];
  return {
    characters,
    whole: new RegExp(characters.map((each) => each.join("")).join("|"), "g"),
    beginning: new RegExp(characters.map((each) => `(${each.slice(0, mostShown).join("")})`).join("|"), "g"),
  };
}

/** Hides what is left of a key that breaks off, as far as it goes. */
function hideBeginnings(text: string, { beginning, characters }: Spellings): string {
  let shown = "";
  let from = 0;
  for (const match of text.matchAll(beginning)) {
    if (match.index < from) continue;
    const spelled = characters[match.slice(1).findIndex((group) => group !== undefined)] ?? [];
    let end = match.index + match[0].length;
    for (const character of spelled.slice(mostShown)) {
      const next = new RegExp(character, "y");
      next.lastIndex = end;
      if (!next.test(text)) break;
      end = next.lastIndex;
    }
    shown += text.slice(from, match.index) + hidden;
    from = end;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** All spellings of one character, mixed and nested as they may be. */
function spell(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code
    .toString(16)
    .padStart(2, "0")
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const name = entityNames[character];
  const entity = `&(?:amp;)*(?:#0*${code}|#[xX]0*${hex}${name === undefined ? "" : `|${name}`});?`;
  const literal = character.replace(/\W/, "\\$&");
  // JSON, JavaScript and Python escapes, up to three times over, as a long run of backslashes must not take long; percent-encoding; HTML; JSON pointers.
  const escaped = `\\\\{0,8}(?:(?<=\\\\)u00${hex}|(?<=\\\\)u\\{0*${hex}\\}|(?<=\\\\)x${hex}|(?<=\\\\)U0{6}${hex}|${literal})`;
  const pointed = { "~": "~0|", "/": "~1|" }[character] ?? "";
  return `(?:${entity}|%(?:25)*${hex}|${pointed}${escaped})`;
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
function spellBase64(key: string, offset: number): string[] {
  const text = btoa("\0".repeat(offset) + key);
  const digits = text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + key.length) * 8) / 6));
  return Array.from(digits, (digit) => (digit === "+" ? "[+-]" : digit === "/" ? "[/_]" : digit));
}
