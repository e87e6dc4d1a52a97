import { type AnalyticsEvent, endpoints } from "@landing-page-service/contract";
import type { CallError } from "./report/errors.ts";
import type { CallName } from "./report/events.ts";
import type { Verdict } from "./outage.ts";
import { abortedBefore } from "./call/outcome-error.ts";
import type { PushedEvent, QueuedEvent } from "./queued-event.ts";
import { chooseIdempotencyKey } from "./settings.ts";
import { writeEvent } from "./track-event.ts";

// What an event that is refused again and again weighs until that is its own fault and not the service's: ten times when others got
// through in between. Where they did so once, and then nobody is left to show whether the service is down, ten times as often.
const most = 100;
const othersGotThrough = 10;
const nobodyIsLeft = 1;

/** What the queue has delivered so far. */
export interface Deliveries {
  readonly count: number;
  /** Moment of the last one. */
  readonly lastAtMs: number;
}

/** An event on its way through the queue. */
export class QueueEntry {
  readonly event: AnalyticsEvent;
  /** Resolves when the event is counted as delivered, failed or dropped. */
  readonly whenGone: Promise<void>;
  readonly leave: () => void;
  /** The call that sends it, or sent it last, where somebody listens. */
  call: CallName | undefined;
  /** What it was refused with last. */
  error: Error | undefined;
  #idempotencyKey: string | undefined;
  #mayHaveBeenApplied: boolean;
  #weight = 0;
  #deliveredBefore: number | undefined;
  #firstRefusedAtMs: number | undefined;

  constructor(event: PushedEvent, nowMs: number) {
    // Plain JavaScript may pass what is no event at all: `writeEvent` says so.
    const { idempotencyKey, ...rest } = Object(event) as PushedEvent; // why: checked in the next line
    this.event = writeEvent(typeof event === "object" && event !== null ? rest : event, nowMs);
    this.#mayHaveBeenApplied = idempotencyKey !== undefined;
    this.#idempotencyKey = idempotencyKey === undefined ? undefined : chooseIdempotencyKey(idempotencyKey);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.whenGone = promise;
    this.leave = resolve;
  }

  /** The same however often the event is sent. */
  get idempotencyKey(): string {
    return (this.#idempotencyKey ??= chooseIdempotencyKey(undefined));
  }

  /** Whether the service may have it already. */
  get mayHaveBeenApplied(): boolean {
    return this.#mayHaveBeenApplied;
  }

  /** Takes note of a failure; tells whether it is the last, also because the event is to blame for it: others get through. */
  isLostAfter({ isFinal, suspectSinceMs, mayHaveArrived }: Verdict, { count, lastAtMs }: Deliveries): boolean {
    this.#mayHaveBeenApplied ||= mayHaveArrived;
    if (isFinal) return true;
    if (suspectSinceMs === undefined) return false;
    this.#firstRefusedAtMs ??= suspectSinceMs;
    if (this.#deliveredBefore !== count) this.#weight += othersGotThrough;
    else if (lastAtMs >= this.#firstRefusedAtMs) this.#weight += nobodyIsLeft;
    this.#deliveredBefore = count;
    return this.#weight >= most;
  }

  /** The error of an event that is not sent again, as the queue's signal aborted. */
  toAborted(signal: AbortSignal | undefined): CallError {
    return abortedBefore(endpoints.trackEvent, signal, this.#mayHaveBeenApplied);
  }

  toEvent(): QueuedEvent {
    return this.#mayHaveBeenApplied ? { ...this.event, idempotencyKey: this.idempotencyKey } : this.event;
  }
}
