// The options, events and counts of an event queue. Every export is public.
import type { AnalyticsEvent } from "@landing-page-service/contract";
import type { TrackEvent } from "../input.ts";
import type { CallOptions } from "../options.ts";

/**
 * How a queue keeps and sends events. Options of a call apply to each event; `signal` ends the queue at once. The queue itself
 * retries failed events, so `retry.maxAttempts` is 1 unless you pass it here.
 */
export interface EventQueueOptions extends CallOptions {
  /** Most pending events, including events in flight, 1 or more. A new event beyond that is dropped. @defaultValue 1000 */
  readonly capacity?: number | undefined;
  /** Most bytes of pending events, as JSON in UTF-8, 1 or more. A new event beyond that is dropped. @defaultValue 4_194_304 (4 MiB) */
  readonly capacityBytes?: number | undefined;
  /** Most events in flight, 1 or more. @defaultValue 4 */
  readonly concurrency?: number | undefined;
  /**
   * Called for each event that is not, or perhaps not, delivered, after it was counted, in a later turn of the event loop. The
   * event carries its timestamp, so it can be stored and pushed again. A promise that it returns is not awaited, and what it
   * throws is ignored. An event that it pushes itself, and that is dropped, is counted but not reported.
   */
  readonly onLost?: ((event: QueuedEvent, reason: LossReason) => unknown) | undefined;
}

/** An event as the queue keeps it, with a fixed timestamp. Plain data, to store as JSON and push again. */
export interface QueuedEvent extends AnalyticsEvent {
  /**
   * Present when an attempt to send the event may have been carried out. Pushed again, the event is sent with the same
   * `Idempotency-Key`, so that a service that honours the key counts it once. It is not sent as a part of the event.
   * Gap: see docs/spec-gaps.md#idempotency
   */
  idempotencyKey?: string | undefined;
}

/** An event to push: a new one, or one that a queue returned. */
export interface PushedEvent extends TrackEvent, Pick<QueuedEvent, "idempotencyKey"> {}

/** Why an event is not, or perhaps not, delivered. */
export type LossReason =
  | {
      /**
       * `full`: there was no room (`capacity`, `capacityBytes`). `closed`: the queue was closed before. `timeout`: `close` ran out
       * of time, or the process ended. `aborted`: the queue's signal was aborted. Such an event was not sent, or it was waiting to
       * be sent again.
       */
      readonly kind: "full" | "closed" | "timeout" | "aborted";
      /** The error that `track` rejected with for this event, or for the one that showed the outage; or an `AbortedError`. Absent when nothing was wrong. */
      readonly error?: Error;
    }
  | {
      /** A poison message, or an event that may have been delivered and must not be sent again. */
      readonly kind: "failed";
      /** The error that `track` rejected with. Its `mayHaveBeenApplied` says whether the service may have the event. */
      readonly error: Error;
    };

/** Counts of the events so far. `accepted` is always the sum of the others. */
export interface EventCounts {
  /** Events passed to `push`, dropped ones included. An event that made `push` throw does not count. */
  readonly accepted: number;
  /** Events that the service accepted. */
  readonly delivered: number;
  /** Poison messages, and events that may have been delivered and must not be sent again. An event that was never sent is not counted here. */
  readonly failed: number;
  /** Valid events that the queue gave up (no room, queue closed, out of time), and the events that `drain` returned. */
  readonly dropped: number;
  /** Events waiting or in flight. */
  readonly pending: number;
}

/** An outage that a queue waits out. */
export interface Outage {
  /** When it was noticed, in milliseconds since 1970 UTC on the client's clock. */
  readonly sinceMs: number;
  /** The latest error that `track` rejected with. */
  readonly error: Error;
  /** Number of events sent since then, one at a time, to find out whether the outage is over. */
  readonly probes: number;
}

/** How long to wait for the end of a queue. */
export interface EndOptions {
  /** Longest wait in milliseconds, 0 or more; `Infinity` is allowed. */
  readonly timeoutMs?: number | undefined;
}

/** How long to wait for a flush. */
export interface FlushOptions extends EndOptions {
  /** Ends the wait, and nothing else. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A bounded buffer of analytics events that sends in the background and counts how each one ends.
 *
 * In an outage the service refuses requests (401, 402, 403, 407, 425, 429), is down (5xx), redirects (307, 308) or cannot be reached.
 * During an outage a circuit breaker holds the events and sends one at a time as a probe. Before each probe it waits as long as the
 * service asks, at most 10 minutes. It also waits at least the backoff: up to 0.5 s at first, doubling up to 30 s, and 30 s to 60 s
 * after a 401. A page whose events fail while others succeed does not block the others.
 *
 * A poison message is an event that the service never accepts: it gets a 400, a 404 or the like, or fails ten times while other events
 * succeed. An event ends as `failed` if it is a poison message, if it may have been delivered and `retry.writes` forbids sending it
 * again, or after ten attempts that the service may have carried out.
 *
 * Each event is sent in the async context (`AsyncLocalStorage`) of its `push`, and `onLost` is called in that context too.
 */
export interface EventQueue extends AsyncDisposable {
  /** Counts of the events so far. */
  readonly counts: EventCounts;
  /** The outage that the queue is waiting out; `undefined` when there is none. */
  readonly outage: Outage | undefined;
  /**
   * Takes an event and returns at once: true when it will be sent, false when it was dropped. Its timestamp is now, unless it
   * has one. Pending events keep the process alive for 30 s after the last push.
   *
   * @throws {InvalidInputError} when a field is wrong; such an event is not counted.
   */
  push(event: PushedEvent): boolean;
  /**
   * Waits until each event that was pushed before is delivered, failed or dropped, also through an outage. Resolves to true
   * when all were delivered; to false when an event was lost since the last `flush`, or when the wait ended early. Loses nothing:
   * events that are still pending stay in the queue.
   *
   * @defaultValue `Infinity` for `timeoutMs`
   * @throws {ConfigurationError} when an option is out of range.
   */
  flush(options?: FlushOptions): Promise<boolean>;
  /**
   * Takes no more events, sends the rest, and drops the ones still pending after `timeoutMs`.
   * A second call waits for the first. It never rejects because of events: see `counts`.
   *
   * @defaultValue 30_000 for `timeoutMs`
   * @throws {ConfigurationError} when an option is out of range; the queue stays open.
   */
  close(options?: EndOptions): Promise<void>;
  /**
   * Takes and sends no more events, waits up to `timeoutMs` for the events in flight, and returns all events that were neither
   * delivered nor failed, so that you can store them and push them at the next start. `onLost` is not called with them.
   *
   * @defaultValue 5_000 for `timeoutMs`
   * @throws {ConfigurationError} when an option is out of range; the queue stays open.
   */
  drain(options?: EndOptions): Promise<QueuedEvent[]>;
}
