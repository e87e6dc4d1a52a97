// What one account holds.
import type { PageRecord } from "@landing-page-service/contract";
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
  /** What happened: `view` by default. */
  type: string;
  /** Flat details of the event, where the caller sent any. */
  properties?: Record<string, string | number | boolean | null>;
}

/** Events and idempotency keys kept per account: one more pushes out the oldest. */
const mostKept = 10_000;

/** What one account holds. A reset or a restore replaces it as a whole. */
export class AccountState {
  readonly pages = new PageStore();
  /** Oldest first. */
  readonly events: StoredEvent[] = [];
  /** Events that later ones pushed out. */
  droppedEvents = 0;
  /** What requests with an `Idempotency-Key` did, by endpoint and key, oldest first. */
  readonly remembered = new Map<string, RememberedRequest>();
  /** Identifiers of pages and events. */
  readonly ids: IdSequence;
  /** The number of the last page, where pages have numbers. */
  lastNumber = 0;
  /** Fires when another state takes the place of this one. Requests that began before write nothing. */
  readonly replaced = new AbortController();

  constructor(seed: string) {
    this.ids = new IdSequence(seed);
  }

  addEvent(event: StoredEvent): void {
    this.events.push(event);
    if (this.events.length <= mostKept) return;
    this.events.shift();
    this.droppedEvents += 1;
  }

  /** What a request with this key did, until the key is forgotten. */
  recall(endpoint: RepeatableEndpoint, key: string, nowMs: number): RememberedRequest | undefined {
    const known = this.remembered.get(`${endpoint} ${key}`);
    return known !== undefined && nowMs < known.expiresAtMs ? known : undefined;
  }

  remember(request: RememberedRequest): void {
    const name = `${request.endpoint} ${request.key}`;
    this.remembered.delete(name);
    this.remembered.set(name, request);
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > mostKept && oldest !== undefined) this.remembered.delete(oldest);
  }
}

/** A page as it is kept. A change puts another one in its place. */
export interface StoredPage {
  readonly record: Readonly<PageRecord>;
  /** Decides the assignment once more: its reasons take several times the room of the page. `undefined` when nobody knows them. */
  readonly explain: () => Assignment | undefined;
}

/** The pages of one account by their ids in creation order, and the URLs they occupy. */
export class PageStore extends Map<string, StoredPage> {
  /** URLs on each domain. */
  readonly #urls = new Map<string, Set<string>>();

  /** Stores a page. One with the same id is replaced and keeps its place. */
  override set(id: string, page: StoredPage): this {
    if (this.has(id)) this.#release(id);
    for (const { name, url } of page.record.domains) {
      const urls = this.#urls.get(name) ?? new Set();
      this.#urls.set(name, urls.add(url));
    }
    return super.set(id, page);
  }

  /** Removes a page and frees its URLs. */
  override delete(id: string): boolean {
    this.#release(id);
    return super.delete(id);
  }

  /** Number of pages that a domain serves. */
  countOn(domainName: string): number {
    return this.#urls.get(domainName)?.size ?? 0;
  }

  /** Whether a page has this URL on a domain. */
  isTaken(domainName: string, url: string): boolean {
    return this.#urls.get(domainName)?.has(url) === true;
  }

  /** A free URL on a domain: with the slug as its path, or with `-2`, `-3`, … after it. URLs of `own` count as free. */
  // Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
  findUrl(domainName: string, slug: string, own: PageRecord["domains"] = []): string {
    for (let number = 1; ; number += 1) {
      const url = pageUrl(domainName, number === 1 ? slug : `${slug}-${number}`);
      if (this.#urls.get(domainName)?.has(url) !== true || own.some((domain) => domain.url === url)) return url;
    }
  }

  #release(id: string): void {
    for (const { name, url } of this.get(id)?.record.domains ?? []) this.#urls.get(name)?.delete(url);
  }
}

/** The address of a path on a domain: `https://{domain}/{path}`. */
export function pageUrl(domainName: string, path: string): string {
  return `https://${domainName}/${path}`;
}

/** An endpoint whose requests may carry an `Idempotency-Key`. The others can be repeated as they are. */
export type RepeatableEndpoint = "createPage" | "trackEvent";

/** What a request with an `Idempotency-Key` did. Its repetition gets the same response. */
export interface RememberedRequest extends Pick<Success, "page" | "event"> {
  /** Endpoint of the request. */
  readonly endpoint: RepeatableEndpoint;
  /** The key. */
  readonly key: string;
  /** SHA-256 of the request's body in base 64. */
  readonly fingerprint: string;
  /** When the key is forgotten, milliseconds since 1970 UTC. */
  readonly expiresAtMs: number;
}

/** Whether a text can be an `Idempotency-Key`: 1 to 255 characters of visible ASCII. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** Whether a text can follow the prefix of an identifier: a ULID. */
export function isIdText(text: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
}

const timeLength = 10;

/** Identifiers that sort in the order they were given, also within a millisecond or when the clock goes back: a prefix and a ULID. */
export class IdSequence {
  /** The last ULID. */
  last: string | undefined;
  readonly #seed: string;

  /** @param seed - decides the random part of each ULID, together with its time. */
  constructor(seed: string) {
    this.#seed = seed;
  }

  next(prefix: string, nowMs: number): string {
    const time = encodeTime(Math.floor(nowMs), timeLength);
    if (this.last !== undefined && time <= this.last.slice(0, timeLength)) this.last = incrementBase32(this.last);
    else {
      // Hashed, so that a restored account goes on with the same identifiers as the one it was taken from.
      const bytes = hash("sha256", `${this.#seed} ${time}`, "buffer").values();
      this.last = time + ulid(1, () => (bytes.next().value ?? 0) / 256).slice(timeLength);
    }
    return prefix + this.last;
  }
}
