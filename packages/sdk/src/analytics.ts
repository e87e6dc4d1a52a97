import { endpoints } from "@landing-page-service/contract";
import type { CallExtras, ResultPromise } from "./call/call.ts";
import { type Sleep, sleepInBackground } from "./call/timers.ts";
import { readCallOptions, type TrackEvent, writeBody, writeEvent } from "./input.ts";
import { BufferedQueue, type QueueTools } from "./many/queue.ts";
import { type EventQueue, type EventQueueOptions, queueShape } from "./many/queued-events.ts";
import type { Send, WriteOptions } from "./options.ts";
import { readDone } from "./read/responses.ts";

/** Views of pages and interactions with them. Source: spec, "Submit analytics event". */
export interface Analytics {
  /**
   * Records a view of a page, or an interaction with it. It sends the fields that you pass, and the timestamp.
   *
   * @throws {InvalidInputError} when a field has the wrong type or the timestamp does not exist; nothing is sent then.
   * @throws {NotFoundError} when the account has no such page, on services that check.
   * @throws {ResponseValidationError} when the body of a success is an HTML document, so another server responded in place of the service.
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

/** Makes the methods of `client.analytics`. */
export function createAnalytics(
  send: Send,
  { sleep = sleepInBackground, ...tools }: Omit<QueueTools, "send" | "sleep"> & { readonly sleep?: Sleep | undefined },
): Analytics {
  const track = (event: TrackEvent, options: WriteOptions = {}, extras: CallExtras = {}) =>
    send(endpoints.trackEvent, options, () => ({
      ...extras,
      path: endpoints.trackEvent.path,
      body: writeBody(endpoints.trackEvent, writeEvent(event, tools.now())),
      bodyUse: "ignored",
      read: readDone,
    }));

  return {
    track,
    queue(options = {}) {
      const each = readCallOptions(queueShape, options);
      // The queue retries by itself, so that an event that fails makes room for others.
      const { writes = tools.writes, ...policy } = each.retry || {};
      const retry = { maxAttempts: 1, ...policy, writes };
      const sendEvent: QueueTools["send"] = (entry, signal) => {
        const { event, idempotencyKey, mayHaveBeenApplied } = entry;
        const extras: CallExtras = {
          priority: "background",
          mayHaveBeenApplied,
          onBegin: (call) => (entry.call = call),
        };
        return track(event, { ...each, retry, signal, idempotencyKey }, extras);
      };
      return new BufferedQueue({ ...tools, ...options, sleep, writes, send: sendEvent });
    },
  };
}
