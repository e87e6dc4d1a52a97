import type { Reading } from "@landing-page-service/contract";

/** Hands out identifiers that sort by creation. */
export interface IdSource {
  /** The prefix and 26 characters: 10 of the moment, 16 random ones. Always sorts after the one before, also within a millisecond. */
  next(prefix: string): string;
}

const timeLength = 10;
const randomLength = 16;
// Crockford's base 32, as ULIDs write it: its characters sort by their value.
const alphabet = Array.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ", (character) => character.charCodeAt(0));

/** Makes a source of identifiers from the service's clock and randomness (numbers from 0 to below 1). */
export function createIdSource(now: () => number, random: () => number): IdSource {
  const digits = Array.from({ length: timeLength + randomLength }, () => 0);
  let lastMs = -1;

  function moveOn(nowMs: number): void {
    if (nowMs > lastMs) {
      lastMs = nowMs;
      writeTime(digits, nowMs);
      for (let index = timeLength; index < digits.length; index += 1) digits[index] = Math.floor(random() * 32) & 31;
    } else {
      increment(digits);
    }
  }

  return {
    next(prefix) {
      moveOn(Math.floor(now()));
      const codes: number[] = [];
      for (let index = 0; index < prefix.length; index += 1) codes.push(prefix.charCodeAt(index));
      for (const digit of digits) codes.push(alphabet[digit] ?? 0);
      // One flat string: a concatenation of 26 parts would keep all parts alive for as long as the page lives.
      return String.fromCharCode(...codes);
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

/** Hands out identifiers of pages and takes note of those that come from a seed or a snapshot. */
export interface PageIdSource {
  /** An identifier not in use. */
  readonly next: () => string;
  /** Takes note of an identifier in use; `false` when no page can have it. */
  readonly note: (id: string) => boolean;
}

/** Makes a source of page identifiers. Gap: see docs/spec-gaps.md#page-id-type */
export function createPageIdSource(ids: IdSource, type: Reading<"page-id-type">): PageIdSource {
  if (type === "string") return { next: () => ids.next("pg_"), note: (id) => /^[\w-]{1,100}$/.test(id) };
  let last = 0;
  return {
    next: () => String((last += 1)),
    note(id) {
      if (!/^[1-9]\d{0,14}$/.test(id)) return false;
      last = Math.max(last, Number(id));
      return true;
    },
  };
}
