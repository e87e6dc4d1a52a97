// The content of one account.
import type { PageRecord } from "@landing-page-service/contract";
import { hash } from "node:crypto";
import { encodeTime, incrementBase32, ulid } from "ulid";
import type { Assignment } from "../domains/network.ts";
import type { Success } from "../http-types.ts";

/** A stored event. Gap: see docs/spec-gaps.md#event-fields */
export interface StoredEvent {
  /** Identifier of the event: `ev_` and 26 characters, which sort by arrival. */
  id: string;
  /** Identifier of the page the event refers to. */
  pageId: string;
  /** Timestamp of the event in UTC, written `YYYY-MM-DDTHH:MM:SSZ`. */
  timestamp: string;
  /** Type of the event: `view` by default. */
  type: string;
  /** Details of the event, if the caller sent any. */
  properties?: Record<string, string | number | boolean | null>;
}

/** Most events and idempotency keys of an account. One more pushes out the oldest. */
const mostKept = 10_000;

/** The content of one account. A reset or a restore replaces it as a whole. */
export class AccountState {
  readonly pages = new PageStore();
  /** Oldest first. */
  readonly events: StoredEvent[] = [];
  /** Events that later ones pushed out. */
  droppedEvents = 0;
  /** Results of requests with an `Idempotency-Key`, by endpoint and key, oldest first. */
  readonly remembered = new Map<string, RememberedRequest>();
  /** Identifiers of pages and events. */
  readonly ids: IdSequence;
  /** The number of the last page, if ids are integers. */
  lastNumber = 0;
  /** Aborts when another state replaces this one. Requests that began before write nothing. */
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

  /** The result of an earlier request with this key, until the key expires. */
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

/** A stored page. Immutable; an update stores a new object. */
export interface StoredPage {
  readonly record: Readonly<PageRecord>;
  /** Repeats the assignment, because a stored explanation would need several times the memory of the page. `undefined` if it is unknown. */
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

  /** Finds a free URL on a domain. Its path is the slug, or the slug with `-2`, `-3`, …. URLs of `own` count as free. */
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

/** The URL of a path on a domain: `https://{domain}/{path}`. */
export function pageUrl(domainName: string, path: string): string {
  return `https://${domainName}/${path}`;
}

/** An endpoint that accepts an `Idempotency-Key`. Requests to the others are idempotent without one. */
export type RepeatableEndpoint = "createPage" | "trackEvent";

/** The result of a request with an `Idempotency-Key`. Its repetition gets the same response. */
export interface RememberedRequest extends Pick<Success, "page" | "event"> {
  /** Endpoint of the request. */
  readonly endpoint: RepeatableEndpoint;
  /** The key. */
  readonly key: string;
  /** SHA-256 of the request's body in base 64. */
  readonly fingerprint: string;
  /** When the key expires, milliseconds since 1970 UTC. */
  readonly expiresAtMs: number;
}

/** Whether a string can be an `Idempotency-Key`: 1 to 255 characters of visible ASCII. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** Whether a string is a ULID, which follows the prefix of an identifier. */
export function isIdText(text: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
}

const timeLength = 10;

/** Makes identifiers of a prefix and a ULID. They sort in order of creation, also within a millisecond or when the clock goes back. */
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
      // From a hash, so that a restored account continues with the same identifiers as the original.
      const bytes = hash("sha256", `${this.#seed} ${time}`, "buffer").values();
      this.last = time + ulid(1, () => (bytes.next().value ?? 0) / 256).slice(timeLength);
    }
    return prefix + this.last;
  }
}
