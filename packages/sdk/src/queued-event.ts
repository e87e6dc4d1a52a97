// What a queue of events takes, tells and hands back.
import type { AnalyticsEvent } from "@landing-page-service/contract";
import type { Names } from "./known-options.ts";
import type { CallName, Report } from "./report/events.ts";
import { type CallOptions, callOptions } from "./options.ts";
import type { Sleep } from "./call/timers.ts";
import type { TrackEvent } from "./track-event.ts";

/** How a queue keeps and sends events. Further options hold for each call that sends one; `signal` ends the queue at once. */
export interface EventQueueOptions extends CallOptions {
  /** Most events kept at a time, those under way included, 1 or more. When as many are pending, a new one is dropped. @defaultValue 1000 */
  readonly capacity?: number | undefined;
  /** Events under way at a time, 1 or more. @defaultValue 4 */
  readonly concurrency?: number | undefined;
  /**
   * Told of every event that is not, or perhaps not, delivered, after it was counted. The event carries its moment, so it can be
   * stored and pushed again later. What it returns is not waited for, what it throws is ignored.
   */
  readonly onLost?: ((event: QueuedEvent, reason: LossReason) => unknown) | undefined;
}

/** Names of the options of a queue. */
export const queueOptions: Names<EventQueueOptions> = {
  ...callOptions,
  capacity: true,
  concurrency: true,
  onLost: true,
};

/** An event as the queue keeps it: its moment is fixed. It is plain data, to be stored as JSON and pushed again. */
export interface QueuedEvent extends AnalyticsEvent {
  /**
   * There when an attempt to send the event may have been carried out: pushed again, it is sent with the same `Idempotency-Key`,
   * so that a service that honours it counts it once. Not part of what is sent as the event. Gap: see docs/spec-gaps.md#idempotency
   */
  idempotencyKey?: string | undefined;
}

/** An event as the queue takes it, be it new or one that a queue handed back. */
export interface PushedEvent extends TrackEvent, Pick<QueuedEvent, "idempotencyKey"> {}

/** Why an event is not, or perhaps not, delivered. */
export type LossReason =
  | {
      /**
       * `full`: as many events as `capacity` were pending. `closed`: the queue was closed before. `timeout`: `close` ran out of
       * time. `aborted`: the queue's signal was. Such an event was not sent, or was refused and waited to be sent again.
       */
      readonly kind: "full" | "closed" | "timeout" | "aborted";
      /**
       * An `AbortedError`, or what `track` rejected with: for this event if it was sent, else for the one that showed what the queue was
       * waiting out. Absent when nothing was wrong.
       */
      readonly error?: Error;
    }
  | {
      /** Refused for itself, or it may have arrived and cannot be sent again without the risk of counting twice. */
      readonly kind: "failed";
      /** What `track` rejected with; its `mayHaveBeenApplied` says whether the service may have the event. */
      readonly error: Error;
    };

/** What became of the events so far. At every moment `accepted` is the sum of the others. */
export interface EventCounts {
  /** Events that `push` took charge of: all but the invalid ones it threw at, also those it could only drop. */
  readonly accepted: number;
  /** Events that the service took. */
  readonly delivered: number;
  /** Events that the service refused for themselves, or that may have arrived; never one that was not sent. */
  readonly failed: number;
  /** Events given up although nothing was wrong with them (no room, queue closed, no time left at closing), and those that `drain` handed back. */
  readonly dropped: number;
  /** Events waiting or under way. */
  readonly pending: number;
}

/** How to end a queue. */
export interface EndOptions {
  /** How long to wait, in milliseconds, 0 or more, `Infinity` allowed. */
  readonly timeoutMs?: number | undefined;
}

/** Names of the options that end a queue. */
export const endOptions: Names<EndOptions> = { timeoutMs: true };

/** An outage that a queue waits out. */
export interface Outage {
  /** Moment it was noticed, milliseconds since 1970 UTC on the client's clock. */
  readonly sinceMs: number;
  /** What `track` rejected with last. */
  readonly error: Error;
  /** Events sent one at a time since then, to see whether it is over. */
  readonly probes: number;
}

/**
 * A bounded buffer of analytics events that sends in the background and counts what becomes of each.
 *
 * While the service refuses (401, 402, 403, 407, 425, 429, 500, 503), redirects (307, 308) or cannot be reached, the queue keeps its events, stops sending, and now and then
 * probes with one of them: after the wait the service asked for, at most 10 minutes, else after up to half a second, doubling to
 * half a minute; with a key that was refused at most once a minute. Then it goes on. What is refused for itself (400, 404 and the like), or may have arrived, is `failed`.
 */
export interface EventQueue extends AsyncDisposable {
  /** What became of the events so far. */
  readonly counts: EventCounts;
  /** The outage that the queue is waiting out; `undefined` when it is not. */
  readonly outage: Outage | undefined;
  /**
   * Takes an event and returns at once: true when it will be sent, false when it was dropped. Its moment is now, unless it has one.
   *
   * @throws {InvalidInputError} when a field is wrong; such an event is not counted.
   */
  push(event: PushedEvent): boolean;
  /** Waits until every event pushed before the call is delivered, failed or dropped; an outage too. Never rejects. */
  flush(): Promise<void>;
  /**
   * Takes no more events, sends what is left, and gives up what is still pending after `timeoutMs` (0 or more, `Infinity` allowed).
   * A second call waits for the first. Never rejects for what becomes of events: see `counts`.
   *
   * @defaultValue 30_000 for `timeoutMs`
   * @throws {ConfigurationError} when `timeoutMs` is out of range or another option is given; the queue stays open.
   */
  close(options?: EndOptions): Promise<void>;
  /**
   * Takes no more events, sends no more, waits for those under way for at most `timeoutMs` (0 or more), and gives all that were neither
   * delivered nor failed, so that they can be stored and pushed at the next start. `onLost` is not told of them.
   *
   * @defaultValue 5_000 for `timeoutMs`
   * @throws {ConfigurationError} when `timeoutMs` is out of range or another option is given; the queue stays open.
   */
  drain(options?: EndOptions): Promise<QueuedEvent[]>;
}

/** Sends one event: retries and all. Rejects when it is given up, and as soon as the signal aborts. */
export type Track = (
  event: AnalyticsEvent,
  options: {
    readonly signal: AbortSignal;
    readonly idempotencyKey: string;
    /** Whether an earlier attempt may have been carried out: then whatever ends this one says so. */
    readonly mayHaveBeenApplied: boolean;
    /** Told which call it is, where somebody listens. */
    readonly onBegin: (name: CallName) => void;
  },
) => Promise<unknown>;

/** Clock, chance and listener of a queue. */
export interface QueueTools {
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly report?: Report | undefined;
}
