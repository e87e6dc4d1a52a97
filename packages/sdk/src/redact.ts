// The API key in texts that somebody else wrote: as it is, and in every spelling that text formats have for a character.

/** Takes the API key out of a text that somebody else wrote, also where it is escaped or encoded. Comes before any cutting of the text. */
export function hideKey(text: string, key: string): string {
  // A key so short is no secret, and replacing it would garble the text.
  if (key.length < 4) return text;
  if (known?.key !== key) known = { key, pattern: spellings(key) };
  return text.replace(known.pattern, "[API key]");
}

// The texts of one answer are asked for one after the other, mostly with the same key.
let known: { readonly key: string; readonly pattern: RegExp } | undefined;

function spellings(key: string): RegExp {
  const plain = Array.from(key, spell).join("");
  return new RegExp([plain, ...[0, 1, 2].map((offset) => spellBase64(key, offset))].filter(Boolean).join("|"), "g");
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
  // JSON, JavaScript and Python escapes, once or twice over; percent-encoding likewise; HTML.
  return `(?:\\\\*(?:${literal}|(?<=\\\\)u00${hex}|(?<=\\\\)u\\{0*${hex}\\}|(?<=\\\\)x${hex}|(?<=\\\\)U0{6}${hex})|%(?:25)*${hex}|${entity})`;
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
function spellBase64(key: string, offset: number): string {
  const text = btoa("\0".repeat(offset) + key);
  const from = Math.ceil((offset * 4) / 3);
  const until = Math.floor(((offset + key.length) * 8) / 6);
  const digits = text.slice(from, until);
  // Of a short key too little is left to tell it from any other text.
  return digits.length < 12 ? "" : digits.replaceAll("+", "[+-]").replaceAll("/", "[/_]");
}
