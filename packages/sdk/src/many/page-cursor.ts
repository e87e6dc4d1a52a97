// Decides which part of the list to request next while others change it. Sends nothing itself.
import type { PartialPage } from "@landing-page-service/contract";
import { IterationError } from "../report/errors.ts";
import type { CallName, DriftEvent } from "../report/events.ts";

/** A position in the list. */
export interface Place {
  /** Index at which the page before this position was seen. */
  readonly offset: number;
  /** Ids of the pages yielded before this position, in order. An iteration can resume here as long as one of them is listed; empty if none was yielded. */
  readonly ids: readonly string[];
}

type OnDrift = (drift: Omit<DriftEvent, keyof CallName>) => void;

/** Give up after this many responses that are identical to the one before, without a new page in between. A few can happen by chance, when other clients add exactly as many pages as the cursor advances. */
const mostRepeats = 10;

/** Give up after this many responses in a row without a new page. A search for a known page needs fewer, unless about 10 000 pages were created or deleted at once. */
const mostFruitless = 1000;

/**
 * A cursor over a list of pages that move.
 *
 * It relies on two facts: a response shows a part of the list as it was at one time, and pages that are not deleted keep their order. So
 * if a response contains a page that was already returned, every page before it was returned too, and the pages after it are new. If it
 * contains none, the cursor cannot tell where it is: it discards the response and searches nearby. For this, each request repeats the
 * last page of the previous one, except at the start.
 *
 * The cursor keeps the ids of all pages it has returned, about 100 bytes each.
 */
export class PageCursor {
  /** Offset of the next request: how many pages to skip. */
  offset: number;
  /** Whether all pages have been returned. */
  isDone = false;
  /** Whether the next request starts right behind the page that seems to be the last. Some services refuse such an offset. */
  isBehindLast = false;

  readonly #size: number;
  readonly #onDrift: OnDrift;
  /** Whether the iteration covers the whole list. Otherwise the pages before its start do not belong to it. */
  readonly #isWhole: boolean;
  readonly #known: Set<string>;
  #lastId: string;
  /** Index of the last returned page. */
  #lastAt: number;
  /** How far before that index to search, because deletions move the page forward. */
  #back = 0;
  #isLost = false;
  /** Pages in the longest response: a service may return fewer than the request asked for. */
  #longest = 0;
  #latest = "";
  /** Number of responses since the last new page that were identical to the one before. */
  #repeats = 0;
  /** Number of responses in a row without a new page. */
  #fruitless = 0;

  /**
   * `size` is the number of pages per request: 2 or more, for the last known page and a new one. `start` is the place after which the
   * iteration starts; absent to cover the whole list.
   */
  constructor(size: number, start: Place | undefined, onDrift: OnDrift) {
    this.#size = size;
    this.#onDrift = onDrift;
    this.#isWhole = start === undefined;
    this.#known = new Set(start?.ids);
    this.#lastId = start?.ids.at(-1) ?? "";
    this.#lastAt = start?.offset ?? -1;
    this.offset = Math.max(0, this.#lastAt);
  }

  /**
   * Takes the response to a request at `offset`, and returns its new pages in order. It moves `offset` to the next request.
   *
   * @throws {IterationError} when the service ignores offsets or keeps no order, or when the cursor has lost its place.
   */
  take(data: readonly PartialPage[], total: number | undefined): PartialPage[] {
    this.#refuseRepeats(data);
    this.isDone = data.length === 0 && (this.offset === 0 || this.isBehindLast || this.#known.size === 0);
    if (this.isDone) return [];
    // An iteration with an `offset` begins behind the page before it, so that page is known.
    if (!this.#isWhole && this.#known.size === 0 && data[0]) this.#known.add(data[0].id);
    const lastKnown = data.findLastIndex(({ id }) => this.#known.has(id));
    // A service that returns one page at a time leaves no room for a known page, so the cursor relies on the next index.
    const isNextSingle = this.#longest === 1 && data.length === 1 && this.isBehindLast;
    if (lastKnown === -1 && !(this.#isWhole && this.offset === 0) && !isNextSingle) {
      this.#lookAround(data);
      return [];
    }
    const behind = this.#isWhole ? data : data.slice(lastKnown + 1);
    const fresh = behind.filter(({ id }) => !this.#known.has(id) && this.#known.add(id));
    this.#moveOn(data, fresh.length, total);
    return fresh;
  }

  #moveOn(data: readonly PartialPage[], freshCount: number, total: number | undefined): void {
    const last = this.offset + data.length - 1;
    const isNew = freshCount > 0;
    const isShort = data.length < (this.#longest || this.#size);
    // A loop that deletes the pages it receives shifts the list by about the same number every time.
    this.#back = isNew ? Math.min(Math.max(0, this.#lastAt - (last - freshCount)), data.length) : 0;
    this.#lastAt = last;
    this.#lastId = data.at(-1)?.id ?? this.#lastId;
    this.#isLost = false;
    this.#longest = Math.max(this.#longest, data.length);
    if (isNew) [this.#fruitless, this.#repeats] = [0, 0];
    // A short response without new pages probably shows the end, and so does a total. Neither proves it, because a service that lowers
    // `limit` may send the length of the response as the total. So the next request starts right after the last page.
    this.isBehindLast = data.length === 1 || (isShort && (!isNew || last + 1 === total));
    this.offset = this.isBehindLast ? last + 1 : Math.max(0, last - this.#back);
  }

  /** Looks for a known page around the expected place, in rounds that each reach four times as far. */
  #lookAround(data: readonly PartialPage[]): void {
    if (!this.#isLost)
      this.#onDrift({ type: "drift", offset: this.offset, expectedId: this.#lastId, foundId: data[0]?.id });
    this.#isLost = true;
    this.isBehindLast = false;
    // An iteration over the whole list knows its start. Others know only some pages, so they read everything around the expected place.
    if (!this.#isWhole && data.length > 0 && this.offset + data.length <= this.#lastAt + this.#back) {
      this.offset += Math.max(1, data.length - 1);
      return;
    }
    if (!this.#isWhole && data.length === 0 && this.#back >= this.#lastAt)
      throw new IterationError("none of the pages that it remembers is listed any more", "lost");
    this.#back = Math.max(Math.ceil((this.#longest || this.#size) / 4), this.#back * 4);
    this.offset = Math.max(0, this.#lastAt - this.#back);
  }

  #refuseRepeats(data: readonly PartialPage[]): void {
    const response = JSON.stringify([data[0]?.id, data.at(-1)?.id, data.length]);
    if (data.length > 0 && response === this.#latest) this.#repeats += 1;
    this.#latest = response;
    this.#fruitless += 1;
    if (this.#repeats < mostRepeats && this.#fruitless <= mostFruitless) return;
    const [found, why] =
      this.#repeats < mostRepeats
        ? [`nothing new in ${mostFruitless} responses`, "its pages seem to keep no order"]
        : [`the same pages at ${mostRepeats + 1} different offsets`, "it seems to ignore or round offset"];
    throw new IterationError(`the service returned ${found}, last at offset ${this.offset}; ${why}`, "stuck");
  }
}
