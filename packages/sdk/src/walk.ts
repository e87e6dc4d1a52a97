// Decides where a walk over a moving list looks next, and when it has seen all. Knows nothing of requests or time.
import type { PageList } from "@landing-page-service/contract";
import { IterationError } from "./errors.ts";

/** The walk did not find the page it had to continue from: pages before it went or came since the last request. */
export interface DriftEvent {
  /** Kind of event. */
  readonly type: "drift";
  /** How many pages the request skipped. */
  readonly offset: number;
  /** Id of the page that was to be there. */
  readonly expectedId: string;
  /** Id of the page that was there; absent when nothing was. */
  readonly foundId: string | undefined;
}

/** What a walk needs to know of a page. */
export interface Identified {
  readonly id: string;
}

/** Where a walk begins. */
export interface WalkStart {
  /** Number of pages asked for at a time, 2 or more: an answer holds one page already known, and something new. */
  readonly size: number;
  /** Where to look first. */
  readonly offset: number;
  /** Pages given before, when the walk continues another; empty otherwise. */
  readonly knownIds: readonly string[];
  /** Whether the walk began at the first page of the list, so that all that stands there is its business. */
  readonly isWhole: boolean;
  /** Told when the list has moved. */
  readonly onDrift: (event: DriftEvent) => void;
}

/**
 * One walk over a list that others change meanwhile.
 *
 * What it relies on: an answer shows one stretch of the list as it was at one moment, and pages that stay keep their order.
 * So when an answer begins with a known page, whatever stays after that page follows in the same answer, and nothing can
 * hide between; the same holds where it ends with one, as answers do that show their stretch from the other end. One that
 * begins and ends with unknown pages proves nothing: it is thrown away, and the walk looks further back. As it may have to
 * go back any distance, it remembers the id of every page it gave (some 100 bytes each).
 */
export class Walk {
  /** Where to look next: how many pages to skip. */
  offset: number;
  /** Whether all was seen. */
  isDone = false;

  readonly #start: WalkStart;
  readonly #known: Set<string>;
  /** Index at which the last known page was seen, and that page. */
  #ground: number;
  #groundId: string;
  /** Smallest index above `#ground` that was found to be off known ground; infinite while none was. */
  #beyond = Infinity;
  /** How far to jump over pages that turn out to be all known. */
  #stride = 0;
  /** Index of a page that stood alone in the latest answer: if nothing stands behind it, it is the last. */
  #lone: number | undefined;
  #search: Search | undefined;
  /** Index of the last page given, as it was seen; and by how much it had moved to the front by the next answer. */
  #frontier = -1;
  #drift = 0;
  #longestAnswer = 0;
  #latestAnswer = "";
  /** Whether an answer was another than the one before. */
  #isHeeded = false;
  #repeats = 0;
  /** Answers in a row that brought nothing new. */
  #fruitless = 0;

  constructor(start: WalkStart) {
    this.#start = start;
    this.#known = new Set(start.knownIds);
    this.#ground = this.offset = start.offset;
    this.#groundId = start.knownIds.at(-1) ?? "";
  }

  /**
   * Takes the answer to a request at `offset` and gives its pages that are new, in order; then `offset` is the next place to look.
   *
   * @throws {IterationError} when the service gives the same pages wherever it is asked, or in no order, or the place is lost.
   */
  take<Item extends Identified>(answer: PageList<Item>): Item[] {
    const { data } = answer;
    this.#refuseRepeats(data);
    const lone = this.#lone;
    this.#lone = undefined;
    const isEnd = data.length === 0 && (this.offset === 0 || this.offset - 1 === lone || this.#isUntouched());
    if (isEnd || this.#repeatsEnd(answer)) {
      this.isDone = true;
      return [];
    }
    // Where somebody asked to begin in the middle, the page before stands for all that is not asked for.
    if (this.#isUntouched() && data[0]) this.#known.add(data[0].id);
    if (!this.#isGround(data, lone)) {
      this.#lookElsewhere(data);
      return [];
    }
    const fresh = data.filter(({ id }) => !this.#known.has(id) && this.#known.add(id));
    if (fresh.length > 0) this.#fruitless = 0;
    const isLast = this.#saysEnd(answer);
    this.#longestAnswer = Math.max(this.#longestAnswer, data.length);
    this.#goOn(data, fresh.length);
    if (isLast) this.#lookBehind();
    return fresh;
  }

  /** Whether it looks right behind a page that stood alone: where nothing is to be expected but the end. */
  get isBehindAll(): boolean {
    return this.offset - 1 === this.#lone;
  }

  #isUntouched(): boolean {
    return !this.#start.isWhole && this.#known.size === 0;
  }

  /** Whether known pages come where the service counts no more; where none but the same ever came, a full answer may be cut off and counted alone. */
  #repeatsEnd({ data, total = Infinity }: PageList<Identified>): boolean {
    const isAll = data.length > 0 && this.offset >= total && this.#known.size === total;
    const isCut = !this.#isHeeded && data.length >= this.#start.size;
    return isAll && !isCut && data.every(({ id }) => this.#known.has(id));
  }

  #isGround(data: readonly Identified[], lone: number | undefined): boolean {
    if (this.offset === 0 && this.#start.isWhole) return true;
    const first = data[0];
    const last = data.at(-1);
    if (first === undefined || last === undefined) return false;
    // Members named by numbers come lowest first, whatever the order of the list: an answer may show its stretch from the other end.
    if (this.#start.isWhole && this.#known.has(last.id)) return true;
    // A service that only ever gives one page at a time leaves nothing to overlap: the next index has to do.
    return this.#known.has(first.id) || (this.#longestAnswer === 1 && data.length === 1 && this.offset - 1 === lone);
  }

  /** A short answer and a total that agrees are no proof, as a service may cut the limit and count what it shows. They are a hint where the end is. */
  #saysEnd({ data, total, limit }: PageList<Identified>): boolean {
    const fullLength = this.#longestAnswer || Math.min(this.#start.size, limit);
    return data.length < fullLength && this.offset + data.length === total;
  }

  /** Looks right behind the last page: when nothing is there, that was all, as whatever was there before has been given. */
  #lookBehind(): void {
    this.#lone = this.#ground;
    this.offset = this.#ground + 1;
  }

  #goOn(data: readonly Identified[], freshCount: number): void {
    const isProgress = freshCount > 0;
    this.#search = undefined;
    if (isProgress) this.#drift = Math.max(0, this.#frontier - (this.offset + data.length - freshCount - 1));
    this.#ground = this.offset + data.length - 1;
    this.#groundId = data.at(-1)?.id ?? this.#groundId;
    if (isProgress || data.length === 1 || this.#ground >= this.#beyond) this.#beyond = Infinity;
    if (data.length === 1) {
      this.#lone = this.#ground;
      this.offset = this.#ground + 1;
    } else if (isProgress) {
      this.#stride = 0;
      this.#frontier = this.#ground;
      // A loop that deletes what it is given moves the list by about as much every time.
      this.offset = Math.max(0, this.#ground - (this.#start.isWhole ? this.#drift : 0));
    } else if (this.#beyond < Infinity) {
      this.offset = Math.floor((this.#ground + this.#beyond) / 2);
    } else {
      this.offset = this.#ground + this.#stride;
      this.#stride = Math.max(data.length - 1, this.#stride * 2);
    }
  }

  #lookElsewhere(data: readonly Identified[]): void {
    if (this.#search === undefined && this.offset > this.#ground) {
      this.#beyond = this.offset;
      this.offset = Math.floor((this.#ground + this.#beyond) / 2);
      return;
    }
    if (this.#search === undefined) {
      const { offset } = this;
      this.#start.onDrift({ type: "drift", offset, expectedId: this.#groundId, foundId: data[0]?.id });
      const radius = Math.max(Math.ceil((this.#longestAnswer || this.#start.size) / 4), this.#drift);
      this.#search = { from: offset, startedAt: offset, until: offset, radius };
    }
    if (this.#start.isWhole) {
      this.#beyond = this.offset;
      this.#widen(this.#search);
    } else {
      this.#scan(this.#search, data);
    }
  }

  /** All that stands before the ground is known or newer than the walk, so jumping back cannot jump over it. */
  #widen(search: Search): void {
    search.startedAt = this.offset = Math.max(0, search.from - search.radius);
    search.until = search.from + search.radius;
    search.radius *= 4;
  }

  /** A walk that began in the middle knows only a stretch of the list, so it reads all around the place where that was. */
  #scan(search: Search, data: readonly Identified[]): void {
    this.#beyond = Infinity;
    const index = data.findIndex(({ id }) => this.#known.has(id));
    if (index > 0) {
      this.offset += index;
      return;
    }
    if (data.length === 0 && search.startedAt === 0) {
      throw new IterationError("the place is lost: none of the pages it remembers is listed any more", "lost");
    }
    if (data.length === 0 || this.offset + data.length > search.until) this.#widen(search);
    else this.offset += Math.max(1, data.length - 1);
  }

  #refuseRepeats(data: readonly Identified[]): void {
    const answer = data.length === 0 ? "" : JSON.stringify([data[0]?.id, data.at(-1)?.id, data.length]);
    const isSame = answer !== "" && answer === this.#latestAnswer;
    this.#repeats = isSame ? this.#repeats + 1 : 0;
    this.#isHeeded ||= !isSame && this.#latestAnswer !== "";
    this.#latestAnswer = answer;
    this.#fruitless += 1;
    if (this.#repeats >= mostRepeats)
      throw new IterationError(
        `the service gave the same pages at ${mostRepeats + 1} different offsets, lastly at ${this.offset}; it seems to ignore offset`,
        "stuck",
      );
    if (this.#fruitless > mostFruitless)
      throw new IterationError(
        `the service gave nothing new in ${mostFruitless} answers, lastly at ${this.offset}; its pages seem to keep no order`,
        "stuck",
      );
  }
}

/** Others would have to add exactly as many pages as the walk advances, this often in a row, for an honest service to look like that. */
const mostRepeats = 10;

/** The way back to a known page is some forty answers in a list of a million that holds still. */
const mostFruitless = 1000;

interface Search {
  /** Where the ground was expected. */
  readonly from: number;
  /** Where the present round began. */
  startedAt: number;
  /** Where the present round gives up. */
  until: number;
  /** How far from `from` the next round begins. */
  radius: number;
}
