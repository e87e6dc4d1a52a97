import { hash } from "node:crypto";
import { encodeTime, incrementBase32, ulid } from "ulid";
import type { Reading } from "@landing-page-service/contract";

/** The last identifiers that an account handed out. */
export interface LastIds {
  /** The 26 characters after the prefix of the last page or event that got any. */
  lastId?: string;
  /** The number of the last page, where pages have numbers. */
  lastNumber?: number;
}

/** Whether a text can follow the prefix of an identifier: a ULID. */
export function isIdText(text: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
}

/** Identifiers of the pages and events of one account. They depend on its seed and its clock alone. */
export class RecordIds {
  readonly #seed: string;
  readonly #pageIdType: Reading<"page-id-type">;
  #last: LastIds = {};

  constructor(seed: string, pageIdType: Reading<"page-id-type">) {
    this.#seed = seed;
    this.#pageIdType = pageIdType;
  }

  /** An identifier of a page. Gap: see docs/spec-gaps.md#page-id-type */
  nextPage(nowMs: number): string {
    if (this.#pageIdType === "string") return this.#next("pg_", nowMs);
    const lastNumber = (this.#last.lastNumber ?? 0) + 1;
    this.#last = { ...this.#last, lastNumber };
    return String(lastNumber);
  }

  /** An identifier of an event. */
  nextEvent(nowMs: number): string {
    return this.#next("ev_", nowMs);
  }

  get last(): LastIds {
    return this.#last;
  }

  /** Goes on from there, so that no identifier is handed out again. */
  continueAfter({ lastId, lastNumber }: LastIds): void {
    if (lastId !== undefined) this.#last = { ...this.#last, lastId };
    if (lastNumber !== undefined) this.#noteNumber(lastNumber);
  }

  /** Takes note of a page's identifier that came from elsewhere; `false` when no page can have it. */
  note(id: string): boolean {
    if (this.#pageIdType === "string") return /^[\w-]{1,100}$/.test(id);
    if (!/^[1-9]\d{0,14}$/.test(id)) return false;
    this.#noteNumber(Number(id));
    return true;
  }

  #noteNumber(number: number): void {
    this.#last = { ...this.#last, lastNumber: Math.max(this.#last.lastNumber ?? 0, number) };
  }

  #next(prefix: string, nowMs: number): string {
    const lastId = nextUlid(this.#last.lastId, this.#seed, nowMs);
    this.#last = { ...this.#last, lastId };
    return prefix + lastId;
  }
}

/** Identifiers of the requests or faults of one caller: a random part that depends on a seed, then a count. */
export class CountedIds {
  readonly #prefix: string;
  readonly #seed: string;
  #start: string | undefined;
  #count = 0;

  constructor(prefix: string, seed: string) {
    this.#prefix = prefix;
    this.#seed = prefix + seed;
  }

  next(nowMs: number): string {
    this.#start ??= this.#prefix + nextUlid(undefined, this.#seed, nowMs).slice(0, -8);
    this.#count += 1;
    return this.#start + String(this.#count).padStart(8, "0");
  }
}

const timeLength = 10;

/** A ULID that sorts after the last one, also within a millisecond or when the clock goes back. */
function nextUlid(last: string | undefined, seed: string, nowMs: number): string {
  const time = encodeTime(Math.floor(nowMs), timeLength);
  if (last !== undefined && time <= last.slice(0, timeLength)) return incrementBase32(last);
  // Hashed, so that a restored account goes on with the same identifiers as the one it was taken from.
  const bytes = hash("sha256", `${seed} ${time}`, "buffer").values();
  return time + ulid(1, () => (bytes.next().value ?? 0) / 256).slice(timeLength);
}
