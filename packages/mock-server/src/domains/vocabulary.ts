import { describeWord, splitWords, stemEnglish } from "./words.ts";

/** What is known of a word, behind its number: traits; what it is compared as: its text, English stem, or text on a page in another language; the term it begins as each; who met it. */
export const fact = { traits: 0, asText: 1, asStem: 2, asForeign: 3, begins: 3, metBy: 7, length: 8 } as const;

/** Words by number, and what is known of each apart from any text: of a page whose words are known, none is cut out of its text. */
export class Vocabulary {
  /** As {@link fact} tells: side by side, because memory is slower than what is done with it. */
  readonly facts: number[] = [];
  /** How many noted which words they met. */
  readers = 0;
  /** Lower case, without accents and compatibility forms. */
  readonly #texts: string[] = [];
  /** By the two halves of a word's hash what it means, and its own number, both from 1; all 0 where there is none. */
  #slots = new Int32Array(2 ** 15);

  /** The words of a text, see {@link splitWords}. ASCII is looked up where it stands: cutting costs more than all else. `isFolded`: they are split, by `\0`. */
  read(text: string, options?: { singles?: boolean }, isFolded = false): number[] {
    const words: number[] = [];
    let [start, one, other, beyond] = [0, 0, 0, 0];
    for (let at = 0, { length } = text; at <= length; at += 1) {
      let code = at < length ? text.charCodeAt(at) : 0;
      if (code > 64 && code < 91) code += 32;
      if ((code > 96 && code < 123) || (code > 47 && code < 58) || (code > 127 && code < 0x2010) || code > 0x206f) {
        one = Math.imul(one ^ code, 0x01000193);
        other = Math.imul(other ^ code, 0x9e3779b1);
        beyond |= isFolded ? 0 : code >> 7;
        continue; // What is left out are the signs of ASCII and typographic ones.
      }
      if (at > start) {
        if (beyond > 0) one = ~one; // A spelling that is to be folded is not the word that is spelt so.
        const number = this.#slots[this.#slotOf(one, other) + 2] ?? 0;
        if (number > 0) words.push(number - 1);
        else if (beyond === 0) words.push(this.#learn(text.slice(start, at).toLowerCase(), one, other));
        else for (const word of this.#fold(text.slice(start, at), one, other, options)) words.push(word);
      }
      start = at + 1;
      one = other = beyond = 0;
    }
    return words;
  }

  textOf(word: number): string {
    return this.#texts[word / fact.length] ?? "";
  }

  /** Forgets all but the words it learned first, up to as many facts. */
  keep(count: number): void {
    this.facts.length = count;
    this.#texts.length = count / fact.length;
    this.#refill(this.#slots.length);
  }

  /** The words of a spelling that is not all ASCII, which takes long: where they are one, it is learned as another spelling. */
  #fold(spelling: string, one: number, other: number, options?: { singles?: boolean }): number[] {
    const folded = this.read(splitWords(spelling, options).join("\0"), {}, true);
    if (options?.singles === true && folded.length === 1) this.#learn("", one, other, folded[0]);
    return folded;
  }

  /** Learns a word, or another spelling of one. */
  #learn(text: string, one: number, other: number, meant = this.facts.length): number {
    const word = this.facts.length;
    this.facts.push(describeWord(text), meant, meant, meant, 0, 0, 0, 0);
    // A longer one is put together anew, for a slice keeps all of its text in memory; no term has one of more than 720 characters.
    this.#texts.push(text.length < 13 ? text : Array.from(text.slice(0, 720)).join(""));
    this.#slots.set([one, other, meant + 1, word + 1], this.#slotOf(one, other));
    if (word >= this.#slots.length) this.#refill(2 * this.#slots.length);
    const stem = stemEnglish(text);
    if (stem !== text) this.facts[word + fact.asStem] = this.read(stem, {}, true)[0] ?? word;
    return meant;
  }

  /** Where a word is found, or would be. Two words with one hash would be one; no page in a million has such. */
  #slotOf(one: number, other: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = ((one ^ (one >>> 15)) << 2) & mask;
    while (slots[at + 2] !== 0 && (slots[at] !== one || slots[at + 1] !== other)) at = (at + 4) & mask;
    return at;
  }

  #refill(length: number): void {
    const before = this.#slots;
    this.#slots = new Int32Array(length);
    for (let at = 0; at < before.length; at += 4) {
      const [one = 0, other = 0, word = 0] = [before[at], before[at + 1], before[at + 3]];
      if (word > 0 && word <= this.facts.length) this.#slots.set(before.subarray(at, at + 4), this.#slotOf(one, other));
    }
  }
}
