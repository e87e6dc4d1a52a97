/** A word by its bytes: UTF-8 in lower case, from `start` up to `end`, with the hash of them. Valid until the next word. */
export interface WordBytes {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly hash: number;
}

/** Longest word that is remembered, in bytes. */
const longestWord = 48;

// Room for 8 192 words, in groups of 4: where a word may lie follows from its hash, so nothing ever has to be searched.
const groups = 2048;
const groupSize = 4;

/**
 * Remembers a number for each word met lately, in a fixed amount of memory. A word is looked up by its bytes, where they
 * stand: to cut every word out of a page, only to ask for it, would cost more than all the rest of placing the page.
 */
export class WordTable {
  readonly #bytes = new Uint8Array(groups * groupSize * longestWord);
  /** Length of the word in each place; 0 where there is none. */
  readonly #lengths = new Uint8Array(groups * groupSize);
  readonly #hashes = new Int32Array(groups * groupSize);
  readonly #values = new Int32Array(groups * groupSize);
  #turn = 0;

  /** The number of a word; `undefined` when it is not remembered. */
  get({ bytes, start, end, hash }: WordBytes): number | undefined {
    const first = firstPlace(hash);
    for (let place = first; place < first + groupSize; place += 1) {
      if (this.#hashes[place] === hash && this.#holds(place, bytes, start, end)) return this.#values[place];
    }
    return undefined;
  }

  /** Remembers a word, unless it is empty or very long; in a full group another one is forgotten for it. */
  set({ bytes, start, end, hash }: WordBytes, value: number): void {
    if (end === start || end - start > longestWord) return;
    const place = this.#freePlace(firstPlace(hash));
    this.#hashes[place] = hash;
    this.#values[place] = value;
    this.#lengths[place] = end - start;
    this.#bytes.set(bytes.subarray(start, end), place * longestWord);
  }

  #holds(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#lengths[place] !== end - start) return false;
    const offset = place * longestWord - start;
    for (let index = start; index < end; index += 1) if (this.#bytes[offset + index] !== bytes[index]) return false;
    return true;
  }

  #freePlace(first: number): number {
    for (let place = first; place < first + groupSize; place += 1) if (this.#lengths[place] === 0) return place;
    this.#turn = (this.#turn + 1) % groupSize;
    return first + this.#turn;
  }
}

function firstPlace(hash: number): number {
  return ((hash ^ (hash >>> 15)) & (groups - 1)) * groupSize;
}
