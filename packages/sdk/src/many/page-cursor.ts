// Decides where to look next in a list that others change meanwhile. Sends nothing and knows no time.
import type { PartialPage } from "@landing-page-service/contract";
import { IterationError } from "../report/errors.ts";

/** Pages came or went since the last request, so the page to continue from was not where it had been. */
export interface DriftEvent {
  /** Kind of event. */
  readonly type: "drift";
  /** How many pages the request skipped. */
  readonly offset: number;
  /** Id of the page that was expected there. */
  readonly expectedId: string;
  /** Id of the page that was there; absent when there was none. */
  readonly foundId: string | undefined;
}

/** The part of a page that the cursor needs. */
export type Identified = Pick<PartialPage, "id">;

/** Where an earlier iteration stood. */
export interface Place {
  /** Index at which the page yielded last was seen. */
  readonly offset: number;
  /** Ids of the pages yielded last, in order. The place is found again while one of them is listed. */
  readonly ids: readonly string[];
}

/** A list looks like that too when others add as many pages as the cursor advances, but not so often in a row. */
const mostRepeats = 10;

/** More than any search for a known page takes, unless some 10 000 pages came or went at once. */
const mostFruitless = 1000;

/**
 * A cursor over a list of pages that move.
 *
 * It relies on two facts: a response shows one stretch of the list as it was at one time, and pages that stay keep their
 * order. So all pages that stay and come before a known page are known as well, and those behind it in the same response
 * come next. A response without a known page proves nothing: the cursor drops it and looks elsewhere for a known page.
 * Each request therefore repeats the last page of the one before. The start of the list needs no known page.
 *
 * The cursor keeps the ids of all pages it has returned, about 100 bytes each.
 */
export class PageCursor {
  /** Where to look next: how many pages to skip. */
  offset: number;
  /** Whether all pages have been returned. */
  isDone = false;
  /** Whether the next request looks right behind the page that seems to be the last. Some services refuse such an offset. */
  isBehindLast = false;

  readonly #size: number;
  readonly #onDrift: (event: DriftEvent) => void;
  /** Whether the iteration covers the whole list. Otherwise the pages before its start do not belong to it. */
  readonly #isWhole: boolean;
  readonly #known: Set<string>;
  /** Pages in the longest response: a service may return fewer than it was asked for. */
  #longest = 0;
  /** Id and index of the page returned last, and by how much the list had moved forward when the next new page was found. */
  #lastId: string;
  #lastAt = -1;
  #drift = 0;
  /** Where a known page was expected, and how far from there the search for one reaches. */
  #search: { readonly from: number; radius: number } | undefined;
  #latest = "";
  /** Responses in a row that repeated the one before, and that brought nothing new. */
  #repeats = 0;
  #fruitless = 0;

  /** Takes how many pages a request asks for (2 or more: the last known page and a new one), how many to skip, and the place to resume. */
  constructor(size: number, start: number, resumed: Place | undefined, onDrift: (event: DriftEvent) => void) {
    this.#size = size;
    this.#onDrift = onDrift;
    this.#isWhole = resumed === undefined && start === 0;
    this.#known = new Set(resumed?.ids);
    this.#lastId = resumed?.ids.at(-1) ?? "";
    this.offset = resumed?.offset ?? Math.max(0, start - 1);
  }

  /**
   * Takes the response to a request at `offset`, and returns its new pages in order. Then `offset` is where to look next.
   *
   * @throws {IterationError} when the service ignores offsets or keeps no order, or when the cursor has lost its place.
   */
  take<Item extends Identified>({ data, total }: { data: readonly Item[]; total?: number | undefined }): Item[] {
    this.#refuseRepeats(data);
    const hasPlace = this.#isWhole || this.#known.size > 0;
    if (data.length === 0 && (this.offset === 0 || this.isBehindLast || !hasPlace)) {
      this.isDone = true;
      return [];
    }
    // An iteration with an `offset` begins behind the page before it, so that page is known.
    if (!hasPlace && data[0]) this.#known.add(data[0].id);
    const lastKnown = data.findLastIndex(({ id }) => this.#known.has(id));
    // A service that returns one page at a time leaves no room for a known page, so the next index has to do.
    const isNextSingle = this.#longest === 1 && data.length === 1 && this.isBehindLast;
    if (lastKnown === -1 && !(this.#isWhole && this.offset === 0) && !isNextSingle) {
      this.#lookAround(data);
      return [];
    }
    const fresh = (this.#isWhole ? data : data.slice(lastKnown + 1)).filter(
      ({ id }) => !this.#known.has(id) && this.#known.add(id),
    );
    this.#moveOn(data, fresh.length, total);
    return fresh;
  }

  #moveOn(data: readonly Identified[], freshCount: number, total: number | undefined): void {
    const last = this.offset + data.length - 1;
    const isNew = freshCount > 0;
    const isShort = data.length < (this.#longest || this.#size);
    if (isNew) {
      // A loop that deletes the pages it is given moves the list by about as much every time.
      this.#drift = Math.min(Math.max(0, this.#lastAt - (last - freshCount)), data.length);
      this.#lastAt = last;
      this.#fruitless = 0;
    }
    this.#search = undefined;
    this.#lastId = data.at(-1)?.id ?? this.#lastId;
    this.#longest = Math.max(this.#longest, data.length);
    // A short response that brings nothing new seems to show the end, and so does a total. Neither is a proof, because a
    // service that cuts `limit` may count only what it shows. So the next request starts right behind.
    this.isBehindLast = data.length === 1 || (isShort && (!isNew || last + 1 === total));
    if (this.isBehindLast) this.offset = last + 1;
    else this.offset = isNew && this.#isWhole ? Math.max(0, last - this.#drift) : last;
  }

  /** Looks for a known page around the place where one was expected, in rounds that reach four times as far each. */
  #lookAround(data: readonly Identified[]): void {
    this.isBehindLast = false;
    if (this.#search === undefined) {
      this.#onDrift({ type: "drift", offset: this.offset, expectedId: this.#lastId, foundId: data[0]?.id });
      this.#search = { from: this.offset, radius: 0 };
    }
    const { from, radius } = this.#search;
    // Of the whole list, the start is known. Other iterations know only some pages, so they read everything around.
    if (!this.#isWhole && data.length > 0 && this.offset + data.length <= from + radius) {
      this.offset += Math.max(1, data.length - 1);
      return;
    }
    if (!this.#isWhole && data.length === 0 && radius >= from)
      throw new IterationError("the place is lost: none of the pages it remembers is listed any more", "lost");
    this.#search.radius =
      radius === 0 ? Math.max(Math.ceil((this.#longest || this.#size) / 4), this.#drift) : radius * 4;
    this.offset = Math.max(0, from - this.#search.radius);
  }

  #refuseRepeats(data: readonly Identified[]): void {
    const response = JSON.stringify([data[0]?.id, data.at(-1)?.id, data.length]);
    this.#repeats = data.length > 0 && response === this.#latest ? this.#repeats + 1 : 0;
    this.#latest = response;
    this.#fruitless += 1;
    if (this.#repeats < mostRepeats && this.#fruitless <= mostFruitless) return;
    const [found, why] =
      this.#repeats < mostRepeats
        ? [`nothing new in ${mostFruitless} responses`, "its pages seem to keep no order"]
        : [`the same pages at ${mostRepeats + 1} different offsets`, "it seems to ignore offset"];
    throw new IterationError(`the service gave ${found}, lastly at ${this.offset}; ${why}`, "stuck");
  }
}
