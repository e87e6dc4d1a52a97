import type { PageRecord, Reading } from "@landing-page-service/contract";
import { hash } from "node:crypto";
import { encodeTime, incrementBase32, ulid } from "ulid";
import type { Assignment } from "../domains/network.ts";
import type { Success } from "../http-types.ts";

/** An event as it is kept. Gap: see docs/spec-gaps.md#event-fields */
export interface StoredEvent {
  /** Identifier of the event: `ev_` and 26 characters, sorting by arrival. */
  id: string;
  /** Identifier of the page the event refers to. */
  pageId: string;
  /** Timestamp of the event in UTC, shaped `YYYY-MM-DDTHH:MM:SSZ`. */
  timestamp: string;
  /** What happened: `view` unless the caller said otherwise. */
  type: string;
  /** Flat details of the event, where the caller sent any. */
  properties?: Record<string, string | number | boolean | null>;
}

/** Events kept per account. */
const mostEvents = 10_000;

/** What one account holds. A reset or a restore replaces it as a whole. */
export class AccountState {
  readonly pages = new PageStore();
  /** Oldest first. */
  readonly events: StoredEvent[] = [];
  /** Events that later ones pushed out. */
  droppedEvents = 0;
  readonly idempotency: Readonly<Record<RepeatableEndpoint, IdempotencyStore>> = {
    createPage: new IdempotencyStore(),
    trackEvent: new IdempotencyStore(),
  };
  readonly ids: RecordIds;

  constructor(ids: RecordIds) {
    this.ids = ids;
  }

  addEvent(event: StoredEvent): void {
    this.events.push(event);
    if (this.events.length <= mostEvents) return;
    this.events.shift();
    this.droppedEvents += 1;
  }
}

/** A page as it is kept. A change puts another one in its place. */
export interface StoredPage {
  readonly record: Readonly<PageRecord>;
  /** Decides the assignment once more: its reasons take several times the room of the page. `undefined` when nobody knows them. */
  readonly explain: () => Assignment | undefined;
}

/** The pages of one account in creation order, and the URLs they occupy. */
export class PageStore implements Iterable<StoredPage> {
  readonly #pages = new Map<string, StoredPage>();
  readonly #urls = new Set<string>();
  /** Number of pages on each domain. */
  readonly #loads = new Map<string, number>();

  get size(): number {
    return this.#pages.size;
  }

  [Symbol.iterator](): Iterator<StoredPage> {
    return this.#pages.values();
  }

  get(id: string): StoredPage | undefined {
    return this.#pages.get(id);
  }

  /** Stores a page. One with the same id is replaced and keeps its place. */
  set(page: StoredPage): void {
    this.#release(page.record.id);
    this.#pages.set(page.record.id, page);
    for (const { name, url } of page.record.domains) {
      this.#urls.add(url);
      this.#loads.set(name, this.countOn(name) + 1);
    }
  }

  /** Removes a page and frees its URLs. */
  delete(id: string): void {
    this.#release(id);
    this.#pages.delete(id);
  }

  /** Number of pages that a domain serves. */
  countOn(domainName: string): number {
    return this.#loads.get(domainName) ?? 0;
  }

  /** Whether a page of the account has this URL. */
  isTaken(url: string): boolean {
    return this.#urls.has(url);
  }

  /** A free URL on a domain: with the slug as its path, or with `-2`, `-3`, … after it. URLs of `own` count as free. */
  // Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
  findUrl(domainName: string, slug: string, own: PageRecord["domains"] = []): string {
    for (let number = 1; ; number += 1) {
      const url = pageUrl(domainName, number === 1 ? slug : `${slug}-${number}`);
      if (!this.isTaken(url) || own.some((domain) => domain.url === url)) return url;
    }
  }

  #release(id: string): void {
    for (const { name, url } of this.#pages.get(id)?.record.domains ?? []) {
      this.#urls.delete(url);
      this.#loads.set(name, this.countOn(name) - 1);
    }
  }
}

/** The address of a path on a domain: `https://{domain}/{path}`. */
export function pageUrl(domainName: string, path: string): string {
  return `https://${domainName}/${path}`;
}

/** A copy for a caller, who may change it. */
export function copyPage(record: Readonly<PageRecord>): PageRecord {
  return { ...record, cta: { ...record.cta }, domains: record.domains.map((domain) => ({ ...domain })) };
}

/** An endpoint whose requests may carry an `Idempotency-Key`. The others can be repeated as they are. */
export type RepeatableEndpoint = "createPage" | "trackEvent";

/** What a request with an `Idempotency-Key` did. */
export interface RememberedResult {
  /** Digest of the body that was sent with the key. */
  readonly fingerprint: string;
  readonly result: Success;
  /** When the key is forgotten, milliseconds since 1970 UTC. */
  readonly expiresAtMs: number;
}

// Gap: see docs/spec-gaps.md#idempotency
const lifetimeMs = 24 * 60 * 60 * 1000;
/** Keys remembered per account and endpoint, and characters of their pages: one more forgets the oldest. */
const mostKeys = 10_000;
const mostCharacters = 16 * 1024 * 1024;

/** Whether a text can be an `Idempotency-Key`: 1 to 255 characters of visible ASCII. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** The idempotency keys of one endpoint in one account, oldest first. Many events push out no key of a page. */
export class IdempotencyStore {
  readonly #results = new Map<string, RememberedResult>();
  #characters = 0;

  /** What a key did that is still remembered. */
  get(key: string, nowMs: number): RememberedResult | undefined {
    const known = this.#results.get(key);
    if (known !== undefined && nowMs >= known.expiresAtMs) this.#forget(key);
    return this.#results.get(key);
  }

  remember(key: string, fingerprint: string, result: Success, nowMs: number): void {
    this.set(key, { fingerprint, result, expiresAtMs: nowMs + lifetimeMs });
  }

  set(key: string, remembered: RememberedResult): void {
    this.#forget(key);
    this.#results.set(key, remembered);
    this.#characters += sizeOf(remembered);
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= mostKeys && this.#characters <= mostCharacters) break;
      this.#forget(oldest);
    }
  }

  entries(): IterableIterator<[string, RememberedResult]> {
    return this.#results.entries();
  }

  #forget(key: string): void {
    const known = this.#results.get(key);
    if (known !== undefined) this.#characters -= sizeOf(known);
    this.#results.delete(key);
  }
}

/** The content is the only field that can be long. */
function sizeOf({ result }: RememberedResult): number {
  return result.page?.content.length ?? 0;
}

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
