import type { AnalyticsEvent } from "@landing-page-service/contract";
import { ConfigurationError } from "./errors.ts";
import { findRangeProblems } from "./input.ts";
import { notify } from "./notify.ts";
import { type TrackEvent, writeEvent } from "./track-event.ts";

/** How a queue keeps and sends events. */
export interface EventQueueOptions {
  /** Most events kept at a time, those under way included, 1 or more. When as many are pending, a new one is dropped. @defaultValue 1000 */
  capacity?: number | undefined;
  /** Events under way at a time, 1 or more. @defaultValue 4 */
  concurrency?: number | undefined;
  /**
   * Told of every event that is not, or perhaps not, delivered, after it was counted. The event carries its moment, so it can be
   * stored and pushed again later. Not waited for; what it throws is ignored.
   */
  onDrop?: ((event: AnalyticsEvent, reason: DropReason) => void | Promise<void>) | undefined;
}

/** Why an event is not, or perhaps not, delivered. */
export type DropReason =
  | {
      /** `full`: as many events as `capacity` were pending. `closed`: the queue was closed before. `timeout`: `close` ran out of time; if the event was under way, the service may have it. */
      readonly kind: "full" | "closed" | "timeout";
    }
  | {
      /** Sending it failed, for good. */
      readonly kind: "failed";
      /** What `track` rejected with; its `mayHaveBeenApplied` says whether the service may have the event. */
      readonly error: unknown;
    };

/** What became of the events so far. At every moment `accepted` is the sum of the others. */
export interface EventCounts {
  /** Events that `push` took charge of: all but the invalid ones it threw at, also those it could only drop. */
  readonly accepted: number;
  /** Events that the service took. */
  readonly delivered: number;
  /** Events given up after an error. */
  readonly failed: number;
  /** Events given up without an answer: no room, queue closed, or no time left at closing. */
  readonly dropped: number;
  /** Events waiting or under way. */
  readonly pending: number;
}

/** Sends one event: retries and all. Rejects when it is given up. */
export type Track = (event: AnalyticsEvent, options: { signal: AbortSignal }) => Promise<unknown>;

/** Waits so many milliseconds; rejects as soon as the signal aborts. */
export type Wait = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** A bounded buffer of analytics events that sends in the background and counts what becomes of each. */
export interface EventQueue extends AsyncDisposable {
  /** What became of the events so far. */
  readonly counts: EventCounts;
  /**
   * Takes an event and returns at once: true when it will be sent, false when it was dropped. Its moment is now, unless it has one.
   *
   * @throws {InvalidInputError} when a field is wrong; such an event is not counted.
   */
  push(event: TrackEvent): boolean;
  /** Waits until every event pushed before the call is delivered, failed or dropped. Never rejects. */
  flush(): Promise<void>;
  /**
   * Takes no more events, sends what is left, and drops what is still pending after `timeoutMs` (0 or more, `Infinity` allowed).
   * A second call waits for the first. Never rejects for what becomes of events: see `counts`.
   *
   * @defaultValue 30_000 for `timeoutMs`
   * @throws {ConfigurationError} when `timeoutMs` is out of range; the queue stays open.
   */
  close(options?: { timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Makes a queue over a function that sends one event.
 *
 * @throws {ConfigurationError} when an option is out of range.
 */
export function createEventQueue(
  track: Track,
  options: EventQueueOptions,
  time: { readonly now: () => number; readonly sleep: Wait },
): EventQueue {
  refuse(findRangeProblems(options, { capacity: 1, concurrency: 1 }));
  return new BufferedQueue(track, options, time);
}

class BufferedQueue implements EventQueue {
  readonly #track: Track;
  readonly #now: () => number;
  readonly #sleep: Wait;
  readonly #capacity: number;
  readonly #concurrency: number;
  readonly #onDrop: EventQueueOptions["onDrop"];
  readonly #aborter = new AbortController();
  // A Set keeps the order and forgets its first entry without moving the others.
  readonly #waiting = new Set<Entry>();
  readonly #underWay = new Set<Entry>();
  #accepted = 0;
  #delivered = 0;
  #failed = 0;
  #dropped = 0;
  #closing: Promise<void> | undefined;

  constructor(track: Track, options: EventQueueOptions, time: { now: () => number; sleep: Wait }) {
    const { capacity = 1000, concurrency = 4, onDrop } = options;
    this.#track = track;
    this.#now = time.now;
    this.#sleep = time.sleep;
    this.#capacity = capacity;
    this.#concurrency = concurrency;
    this.#onDrop = onDrop;
  }

  get counts(): EventCounts {
    return {
      accepted: this.#accepted,
      delivered: this.#delivered,
      failed: this.#failed,
      dropped: this.#dropped,
      pending: this.#pending,
    };
  }

  push(event: TrackEvent): boolean {
    const written = writeEvent(event, this.#now());
    this.#accepted += 1;
    if (this.#closing || this.#pending >= this.#capacity) {
      this.#dropped += 1;
      notify(this.#onDrop, written, { kind: this.#closing ? "closed" : "full" });
      return false;
    }
    this.#waiting.add(new Entry(written));
    // Sending begins after the caller's own work, so that a push costs no more than a place in the buffer.
    queueMicrotask(() => this.#sendMore());
    return true;
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#underWay, ...this.#waiting].map((entry) => entry.whenGone));
  }

  async close({ timeoutMs = 30_000 }: { timeoutMs?: number | undefined } = {}): Promise<void> {
    if (!(timeoutMs >= 0)) refuse([{ pointer: "#/timeoutMs", detail: "expected a number of 0 or more" }]);
    await (this.#closing ??= this.#finish(timeoutMs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #pending(): number {
    return this.#waiting.size + this.#underWay.size;
  }

  #sendMore(): void {
    for (const entry of this.#waiting) {
      if (this.#underWay.size >= this.#concurrency) return;
      this.#waiting.delete(entry);
      this.#underWay.add(entry);
      void this.#send(entry);
    }
  }

  async #send(entry: Entry): Promise<void> {
    let failure: { error: unknown } | undefined;
    try {
      await this.#track(entry.event, { signal: this.#aborter.signal });
    } catch (error) {
      failure = { error };
    }
    // Given up at closing, and counted then.
    if (!this.#underWay.delete(entry)) return;
    if (failure) this.#failed += 1;
    else this.#delivered += 1;
    if (failure) notify(this.#onDrop, entry.event, { kind: "failed", error: failure.error });
    entry.leave();
    this.#sendMore();
  }

  async #finish(timeoutMs: number): Promise<void> {
    const timer = new AbortController();
    this.#sleep(timeoutMs, timer.signal).then(
      () => this.#giveUp(),
      () => undefined,
    );
    await this.flush();
    timer.abort();
  }

  #giveUp(): void {
    const left = [...this.#underWay, ...this.#waiting];
    this.#underWay.clear();
    this.#waiting.clear();
    this.#dropped += left.length;
    this.#aborter.abort();
    for (const entry of left) {
      notify(this.#onDrop, entry.event, { kind: "timeout" });
      entry.leave();
    }
  }
}

/** An event on its way through the queue. */
class Entry {
  readonly event: AnalyticsEvent;
  /** Resolves when the event is counted as delivered, failed or dropped. */
  readonly whenGone: Promise<void>;
  readonly leave: () => void;

  constructor(event: AnalyticsEvent) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.event = event;
    this.whenGone = promise;
    this.leave = resolve;
  }
}

function refuse(problems: { pointer: string; detail: string }[]): void {
  if (problems.length === 0) return;
  const details = problems.map(({ pointer, detail }) => `${pointer.slice(2)}: ${detail}`);
  throw new ConfigurationError(`Event queue: ${details.join(", ")}`);
}
