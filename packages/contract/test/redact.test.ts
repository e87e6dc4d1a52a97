import * as fc from "fast-check";
import { expect, test } from "vitest";
import { atLeast } from "../../../.ci/properties.ts";
import { redact } from "../src/index.ts";

const key = fc.stringMatching(/^[!-~]{12,60}$/);
const simpleKey = fc.stringMatching(/^[A-Za-z0-9_.+/=-]{14,60}$/);
const hexOf = (letter: string) => letter.charCodeAt(0).toString(16).padStart(2, "0");

/** Ways to write a character. */
const spellings: Record<string, (letter: string) => string> = {
  plain: (letter) => letter,
  decimal: (letter) => `&#${letter.charCodeAt(0)};`,
  "hexadecimal entity": (letter) => `&#x${hexOf(letter).toUpperCase()};`,
  "entity in an entity": (letter) => `&amp;#${letter.charCodeAt(0)};`,
  percent: (letter) => `%${hexOf(letter).toUpperCase()}`,
  "percent in lower case": (letter) => `%${hexOf(letter)}`,
  "percent, twice": (letter) => `%25${hexOf(letter)}`,
  JSON: (letter) => `\\u00${hexOf(letter)}`,
  "JSON, twice": (letter) => `\\\\u00${hexOf(letter)}`,
  "code point": (letter) => `\\u{${hexOf(letter)}}`,
  "hexadecimal escape": (letter) => `\\x${hexOf(letter)}`,
  "backslash before signs": (letter) => (/\W/.test(letter) ? `\\${letter}` : letter),
};
/** Invisible characters and tags that may separate the letters of a key. */
const between = ["", "<b>", '<span class="x">', "\u200b", "\u00ad", "\n", "\ufeff", "\u0007", "<i></i>"];

const echo = fc.record({
  key: simpleKey,
  how: fc.array(fc.constantFrom(...Object.keys(spellings)), { minLength: 1, maxLength: 4 }),
  between: fc.array(fc.constantFrom(...between), { minLength: 1, maxLength: 4 }),
  from: fc.nat(10),
  before: fc.string({ maxLength: 20 }),
  after: fc.string({ maxLength: 20 }),
});

/** Whether a string contains 12 consecutive characters of a key. */
function shows(key: string, text: string): boolean {
  for (let at = 0; at + 12 <= key.length; at += 1) if (text.includes(key.slice(at, at + 12))) return true;
  return false;
}

test("nothing of a key can be read, however each letter is spelled, broken up and cut", () => {
  fc.assert(
    fc.property(echo, ({ key, how, between, from, before, after }) => {
      const shown = key.slice(Math.min(from, key.length - 12));
      const pieces = Array.from(shown, (letter, at) => {
        const spell = spellings[how[at % how.length] ?? "plain"];
        return (spell?.(letter) ?? letter) + (between[at % between.length] ?? "");
      });

      const text = redact(`${before}|${pieces.join("")}|${after}`, [key]);

      expect(text).toContain("[API key]");
      expect(shows(shown, text.replaceAll(/<[^<>]*>|[\s\p{C}]/gu, ""))).toBe(false);
    }),
    atLeast(300),
  );
});

test("a key of any visible characters is hidden as it is, also one that looks like escapes or tags", () => {
  fc.assert(
    fc.property(key, fc.string(), fc.string(), (key, before, after) => {
      expect(shows(key, redact(`${before}${key}${after}`, [key]))).toBe(false);
    }),
    atLeast(200),
  );
});

test.each([
  ["the whole key", "Invalid key sk_live_A1b2C3d4A1b2 was given", "Invalid key [API key] was given"],
  ["its head", "Invalid key sk_live_A1b2… was given", "Invalid key [API key]… was given"],
  ["its tail", "key *****_A1b2C3d4A1b2", "key *****[API key]"],
  ["a mask, which is meant to be read", "key sk_live_****", "key sk_live_****"],
  ["in pieces of HTML", "key <em>sk</em>_live_A1b2C3d4A1b2 was", "key <em>[API key] was"],
])("of a key is hidden: %s", (_title, text, expected) => {
  expect(redact(text, ["sk_live_A1b2C3d4A1b2"])).toBe(expected);
});

test("an earlier key of the same call is hidden too, a short key as a whole, and a string without a key stays unchanged", () => {
  expect(redact("first_key_1234 second_key_5678", ["first_key_1234", "second_key_5678"])).toBe("[API key] [API key]");
  expect(redact("key test_a refused", ["test_a"])).toBe("key [API key] refused");
  expect(redact("abc & <b>", ["abc", ""])).toBe("abc & <b>");
  expect(redact("nothing &amp; <b>nobody</b> %41", ["sk_live_A1b2C3d4A1b2"])).toBe("nothing &amp; <b>nobody</b> %41");
});
