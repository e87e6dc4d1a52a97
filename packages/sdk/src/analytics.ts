import { endpoints } from "@landing-page-service/contract";
import type { Send } from "./call.ts";
import { createEventQueue, type EventQueue, type EventQueueOptions } from "./event-queue.ts";
import { writeBody } from "./input.ts";
import type { WriteOptions } from "./options.ts";
import type { ResultPromise } from "./result.ts";
import { chooseIdempotencyKey } from "./settings.ts";
import type { Sleep } from "./sleep.ts";
import { type TrackEvent, writeEvent } from "./track-event.ts";

/** Views of pages and interactions with them. Source: spec, "Submit analytics event". */
export class Analytics {
  readonly #send: Send;
  readonly #time: { readonly now: () => number; readonly sleep: Sleep };

  /** @hidden Made by the client. */
  constructor(send: Send, time: { readonly now: () => number; readonly sleep: Sleep }) {
    this.#send = send;
    this.#time = time;
  }

  /**
   * Records a view of a page, or an interaction with it. Only what is passed is sent, and the moment.
   *
   * @throws {InvalidInputError} when a field has the wrong type or the moment is not a real one; nothing is sent then.
   * @throws {NotFoundError} when the account has no such page, on services that look.
   * Source: spec, "Submit analytics event".
   */
  track(event: TrackEvent, options: WriteOptions = {}): ResultPromise<void> {
    return this.#send(options, () => ({
      endpoint: endpoints.trackEvent,
      path: endpoints.trackEvent.path,
      body: writeBody(endpoints.trackEvent, writeEvent(event, this.#time.now())),
      idempotencyKey: chooseIdempotencyKey(options.idempotencyKey),
      needsBody: false,
      read: () => undefined,
    }));
  }

  /**
   * Makes a bounded buffer that sends events in the background and counts what becomes of each. Close it before the
   * process ends.
   *
   * @throws {ConfigurationError} when an option is out of range.
   */
  queue(options: EventQueueOptions = {}): EventQueue {
    return createEventQueue((event, callOptions) => this.track(event, callOptions), options, this.#time);
  }
}
