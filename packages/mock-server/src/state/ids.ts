import { nodeCrypto } from "../exchange/node-crypto.ts";
import type { Reading } from "@landing-page-service/contract";

/** Hands out identifiers that sort by creation. */
interface IdSource {
  /** The prefix and 26 characters: 10 of the moment, 16 random ones. Always sorts after the one before, also within a millisecond. */
  next(prefix: string, nowMs: number): string;
  /** The last 26 characters it gave; `undefined` when it gave none. */
  last(): string | undefined;
  /** Goes on after 26 characters that were given before. */
  goOnAfter(last: string): void;
}

const timeLength = 10;
const randomLength = 16;
// Crockford's base 32, as ULIDs write it: its characters sort by their value.
const alphabet = Array.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ", (character) => character.charCodeAt(0));

/** Makes a source of identifiers. What is random in one follows from its moment alone, so that whoever goes on after another gives the same. */
function createIdSource(randomAt: (moment: number) => () => number): IdSource {
  const digits = Array.from({ length: timeLength + randomLength }, () => 0);
  let lastMs = -1;

  function moveOn(nowMs: number): void {
    if (nowMs > lastMs) {
      lastMs = nowMs;
      writeTime(digits, nowMs);
      const random = randomAt(nowMs);
      for (let index = timeLength; index < digits.length; index += 1) digits[index] = Math.floor(random() * 32) & 31;
    } else {
      increment(digits);
    }
  }

  return {
    next(prefix, nowMs) {
      moveOn(Math.floor(nowMs));
      const codes: number[] = [];
      for (let index = 0; index < prefix.length; index += 1) codes.push(prefix.charCodeAt(index));
      for (const digit of digits) codes.push(alphabet[digit] ?? 0);
      // One flat string: a concatenation of 26 parts would keep all parts alive for as long as the page lives.
      return String.fromCharCode(...codes);
    },
    last: () => (lastMs < 0 ? undefined : String.fromCharCode(...digits.map((digit) => alphabet[digit] ?? 0))),
    goOnAfter(last) {
      for (const index of digits.keys()) digits[index] = Math.max(alphabet.indexOf(last.charCodeAt(index)), 0);
      lastMs = digits.slice(0, timeLength).reduce((sum, digit) => sum * 32 + digit, 0);
    },
  };
}

function writeTime(digits: number[], nowMs: number): void {
  let rest = nowMs;
  for (let index = timeLength - 1; index >= 0; index -= 1) {
    digits[index] = rest % 32;
    rest = Math.floor(rest / 32);
  }
}

/** Adds one to the number that the digits write; a carry out of the random part moves the time part, so order holds. */
function increment(digits: number[]): void {
  for (let index = digits.length - 1; index >= 0; index -= 1) {
    const next = ((digits[index] ?? 0) + 1) & 31;
    digits[index] = next;
    if (next !== 0) return;
  }
}

/** How far the identifiers of an account have come. */
export interface LastIds {
  /** The 26 characters after the prefix of the last page or event that got any. */
  lastId?: string;
  /** The number of the last page, where pages have numbers. */
  lastNumber?: number;
}

/** Whether a text can be what follows the prefix of an identifier. */
export function isIdText(text: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
}

/** The identifiers of one account's pages and events. They follow from its seed and its clock alone: other accounts have no part in them. */
export class RecordIds {
  readonly #pageIdType: Reading<"page-id-type">;
  readonly #source: IdSource;
  #lastNumber = 0;

  constructor(seed: string, pageIdType: Reading<"page-id-type">) {
    this.#pageIdType = pageIdType;
    this.#source = createIdSource(seededRandom(seed));
  }

  /** An identifier of a page. Gap: see docs/spec-gaps.md#page-id-type */
  nextPage(nowMs: number): string {
    return this.#pageIdType === "string" ? this.#source.next("pg_", nowMs) : String((this.#lastNumber += 1));
  }

  /** An identifier of an event. */
  nextEvent(nowMs: number): string {
    return this.#source.next("ev_", nowMs);
  }

  /** How far they have come. */
  get last(): LastIds {
    const lastId = this.#source.last();
    return { ...(lastId !== undefined && { lastId }), ...(this.#lastNumber > 0 && { lastNumber: this.#lastNumber }) };
  }

  /** Goes on from where others have come: what they handed out is not handed out again. */
  goOnAfter({ lastId, lastNumber = 0 }: LastIds): void {
    if (lastId !== undefined) this.#source.goOnAfter(lastId);
    this.#lastNumber = Math.max(this.#lastNumber, lastNumber);
  }

  /** Takes note of a page's identifier that came from elsewhere; `false` when no page can have it. */
  note(id: string): boolean {
    if (this.#pageIdType === "string") return /^[\w-]{1,100}$/.test(id);
    if (!/^[1-9]\d{0,14}$/.test(id)) return false;
    this.#lastNumber = Math.max(this.#lastNumber, Number(id));
    return true;
  }
}

/** Identifiers that one caller's requests or faults are given: a random part that follows from a seed, then a count. */
export class CountedIds {
  readonly #prefix: string;
  readonly #seed: string;
  #start: string | undefined;
  #count = 0;

  constructor(prefix: string, seed: string) {
    this.#prefix = prefix;
    this.#seed = prefix + seed;
  }

  /** How many there were so far. */
  get count(): number {
    return this.#count;
  }

  /** Notes how far they have come. @returns what lets them go on from there. */
  keep(): () => void {
    const [start, count] = [this.#start, this.#count];
    return () => {
      this.#start = start;
      this.#count = count;
    };
  }

  /** One more; what is written of the moment is that of the first. */
  next(nowMs: number): string {
    this.#start ??= createIdSource(seededRandom(this.#seed)).next(this.#prefix, nowMs).slice(0, -8);
    this.#count += 1;
    return this.#start + String(this.#count).padStart(8, "0");
  }
}

/** Randomness that follows from a text and a moment: numbers from 0 to below 1, by xoshiro128**. */
function seededRandom(text: string): (moment: number) => () => number {
  const [one = 1, two = 1, three = 1, four = 1] = new Uint32Array(
    Uint8Array.from(nodeCrypto().hash("sha256", text, "buffer")).buffer,
  );
  return (moment) => {
    const random = xoshiro([one ^ moment, two ^ (moment / 2 ** 32), three, four]);
    // Until the bits in which two moments differ have spread.
    for (let count = 0; count < 8; count += 1) random();
    return random;
  };
}

function xoshiro([a, b, c, d]: [number, number, number, number]): () => number {
  return () => {
    const turned = Math.imul(b, 5);
    const result = Math.imul((turned << 7) | (turned >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result / 2 ** 32;
  };
}
