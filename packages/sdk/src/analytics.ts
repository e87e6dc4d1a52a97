import { endpoints } from "@landing-page-service/contract";
import type { Call, ResultPromise, Send } from "./call/call.ts";
import { type TrackEvent, writeEvent } from "./input.ts";
import { BufferedQueue, type QueueContext, type SendBody } from "./many/queue.ts";
import type { EventQueue, EventQueueOptions } from "./many/queued-events.ts";
import type { WriteOptions } from "./options.ts";
import { readDone } from "./read/responses.ts";

/** Views of pages and interactions with them. Source: spec, "Submit analytics event". */
export interface Analytics {
  /**
   * Records a view of a page, or an interaction with it. It sends the fields that you pass, and the timestamp.
   *
   * @throws {InvalidInputError} when a field has the wrong type or the timestamp does not exist; nothing is sent then.
   * @throws {NotFoundError} when the account has no such page, on services that check.
   * @throws {ResponseValidationError} when a success reports a failure or is an HTML document; `body` is its body.
   * Source: spec, "Submit analytics event".
   */
  track(event: TrackEvent, options?: WriteOptions): ResultPromise<void>;

  /**
   * Makes a bounded buffer that sends events in the background and counts how each one ends. Close it before the
   * process ends.
   *
   * @throws {ConfigurationError} when an option is out of range.
   */
  queue(options?: EventQueueOptions): EventQueue;
}

const read: Call<void>["read"] = (response, how) => readDone(response, "trackEvent", how);

/** Makes the methods of `client.analytics`. */
export function createAnalytics(send: Send, context: QueueContext): Analytics {
  const sendBody: SendBody = (write, options, extras) =>
    send(endpoints.trackEvent, options, () => ({ ...extras, body: write(), needsBody: false, read }));
  return {
    track: (event, options = {}) => sendBody(() => writeEvent(event, context.now()), options),
    queue: (options = {}) => new BufferedQueue(sendBody, context, options),
  };
}
