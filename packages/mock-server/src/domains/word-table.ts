import type { ScannedWords } from "./tokens.ts";

/** Longest word that is remembered. */
const mostBytes = 48;

// Room for 8 192 words, in groups of 4: where a word may lie follows from its hash, so nothing ever has to be searched.
const groups = 2048;
const groupSize = 4;

/**
 * Remembers a number for each word met lately, in a fixed amount of memory. A word is looked up by its bytes, where they
 * stand: to cut every word out of a page, only to ask for it, would cost more than all the rest of placing the page.
 */
export class WordTable {
  readonly #bytes = new Uint8Array(groups * groupSize * mostBytes);
  /** Length of the word in each place; 0 where there is none. */
  readonly #lengths = new Uint8Array(groups * groupSize);
  readonly #hashes = new Int32Array(groups * groupSize);
  readonly #values = new Int32Array(groups * groupSize);
  #turn = 0;

  /** The number of one of the words; `undefined` when it is not remembered. */
  get({ bytes, starts, ends, hashes }: ScannedWords, index: number): number | undefined {
    const hash = hashes[index] ?? 0;
    const start = starts[index] ?? 0;
    const end = ends[index] ?? 0;
    const first = firstPlace(hash);
    for (let place = first; place < first + groupSize; place += 1) {
      if (this.#hashes[place] === hash && this.#holds(place, bytes, start, end)) return this.#values[place];
    }
    return undefined;
  }

  /** Remembers one of the words, unless it is very long; in a full group another one is forgotten for it. */
  set({ bytes, starts, ends, hashes }: ScannedWords, index: number, value: number): void {
    const hash = hashes[index] ?? 0;
    const start = starts[index] ?? 0;
    const end = ends[index] ?? 0;
    if (end - start > mostBytes) return;
    const place = this.#freePlace(firstPlace(hash));
    this.#hashes[place] = hash;
    this.#values[place] = value;
    this.#lengths[place] = end - start;
    this.#bytes.set(bytes.subarray(start, end), place * mostBytes);
  }

  #holds(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#lengths[place] !== end - start) return false;
    const offset = place * mostBytes - start;
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
