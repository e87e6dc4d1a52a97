import type { AnalyticsEvent } from "@landing-page-service/contract";
import type { CallName } from "./log.ts";
import type { Verdict } from "./outage.ts";
import type { PushedEvent, QueuedEvent } from "./queued-event.ts";
import { chooseIdempotencyKey } from "./settings.ts";
import { writeEvent } from "./track-event.ts";

// So often others must have got through between an event's refusals until it is the event's own fault and not the service's.
const mostStrikes = 10;

/** An event on its way through the queue. */
export class QueueEntry {
  readonly event: AnalyticsEvent;
  /** Resolves when the event is counted as delivered, failed or dropped. */
  readonly whenGone: Promise<void>;
  readonly leave: () => void;
  /** The call that sends it, or sent it last, where somebody listens. */
  call: CallName | undefined;
  #idempotencyKey: string | undefined;
  #mayHaveArrived: boolean;
  #strikes = 0;
  #deliveredBefore: number | undefined;

  constructor(event: PushedEvent, nowMs: number) {
    // Plain JavaScript may pass what is no event at all: `writeEvent` says so.
    const { idempotencyKey, ...rest } = Object(event) as PushedEvent; // why: checked in the next line
    this.event = writeEvent(typeof event === "object" && event !== null ? rest : event, nowMs);
    this.#mayHaveArrived = idempotencyKey !== undefined;
    this.#idempotencyKey = idempotencyKey === undefined ? undefined : chooseIdempotencyKey(idempotencyKey);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.whenGone = promise;
    this.leave = resolve;
  }

  /** The same however often the event is sent. */
  get idempotencyKey(): string {
    return (this.#idempotencyKey ??= chooseIdempotencyKey(undefined));
  }

  /** Takes note of a failure; tells whether it is the last, also because the event is to blame for it: others get through. */
  isLostAfter({ isFinal, isSuspect, mayHaveArrived }: Verdict, delivered: number): boolean {
    this.#mayHaveArrived ||= mayHaveArrived;
    if (isFinal) return true;
    if (!isSuspect || this.#deliveredBefore === delivered) return false;
    this.#deliveredBefore = delivered;
    this.#strikes += 1;
    return this.#strikes >= mostStrikes;
  }

  toEvent(): QueuedEvent {
    return this.#mayHaveArrived ? { ...this.event, idempotencyKey: this.idempotencyKey } : this.event;
  }
}
