import { endpoints } from "@landing-page-service/contract";
import { readDone } from "./answers.ts";
import { bindMethods } from "./bind-methods.ts";
import { type Caller, callFrom, noteCaller } from "./caller.ts";
import { RefusedKey } from "./call-key.ts";
import type { CallExtras, Send } from "./connection.ts";
import { createEventQueue } from "./event-queue.ts";
import { writeBody } from "./input.ts";
import { refuseUnknown } from "./known-options.ts";
import type { WriteOptions } from "./options.ts";
import { type EventQueue, type EventQueueOptions, queueOptions, type QueueTools, type Track } from "./queued-event.ts";
import type { ResultPromise } from "./result.ts";
import { chooseIdempotencyKey, mergeSettings } from "./settings.ts";
import { type TrackEvent, writeEvent } from "./track-event.ts";

/** Views of pages and interactions with them. Source: spec, "Submit analytics event". */
export class Analytics {
  readonly #send: Send;
  readonly #tools: QueueTools;

  /**
   * @hidden Made by the client.
   * @internal
   */
  constructor(send: Send, tools: QueueTools) {
    bindMethods(this);
    this.#send = send;
    this.#tools = tools;
  }

  /**
   * Records a view of a page, or an interaction with it. Only what is passed is sent, and the moment.
   *
   * @throws {InvalidInputError} when a field has the wrong type or the moment is not a real one; nothing is sent then.
   * @throws {NotFoundError} when the account has no such page, on services that look.
   * @throws {ResponseValidationError} when an HTML document came with the success: somebody on the way answered, not the service.
   * Source: spec, "Submit analytics event".
   */
  track(event: TrackEvent, options: WriteOptions = {}): ResultPromise<void> {
    return this.#track(noteCaller(), event, options);
  }

  /**
   * Makes a bounded buffer that sends events in the background and counts what becomes of each. Close it before the
   * process ends.
   *
   * @throws {ConfigurationError} when an option is out of range.
   */
  queue(options: EventQueueOptions = {}): EventQueue {
    return callFrom(noteCaller(), (caller) => {
      refuseUnknown(queueOptions, options);
      const { capacity, concurrency, onLost, ...callOptions } = options;
      mergeSettings(callOptions);
      const refusedKey = new RefusedKey();
      const track: Track = (event, { onBegin, mayHaveBeenApplied, ...more }) => {
        const extras: CallExtras = { lane: "background", refusedKey, onBegin, mayHaveBeenApplied };
        return this.#track(caller, event, { ...callOptions, ...more }, extras);
      };
      return createEventQueue(track, options, this.#tools);
    });
  }

  #track(caller: Caller, event: TrackEvent, options: WriteOptions, further: CallExtras = {}): ResultPromise<void> {
    return this.#send(caller, endpoints.trackEvent, options, () => ({
      ...further,
      path: endpoints.trackEvent.path,
      body: writeBody(endpoints.trackEvent, writeEvent(event, this.#tools.now())),
      idempotencyKey: chooseIdempotencyKey(options.idempotencyKey),
      bodyUse: "aside",
      read: readDone,
    }));
  }
}
