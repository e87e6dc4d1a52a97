import { type AnalyticsEvent, endpoints, formatTimestamp } from "@landing-page-service/contract";
import type { Send } from "./call.ts";
import { InvalidInputError } from "./errors.ts";
import { writeBody } from "./input.ts";
import { chooseIdempotencyKey, type WriteOptions } from "./options.ts";
import type { ResultPromise } from "./result.ts";

/** An analytics event as a caller gives it. Source: spec, "Analytics event". */
export interface TrackEvent extends Omit<AnalyticsEvent, "timestamp"> {
  /** Moment of the event: a `Date`, or a text in UTC shaped `YYYY-MM-DDTHH:MM:SSZ`; fractions of a second are cut off. @defaultValue now */
  timestamp?: Date | string | undefined;
}

/** Views of pages and interactions with them. Source: spec, "Submit analytics event". */
export class Analytics {
  readonly #send: Send;
  readonly #now: () => number;

  /** Made by the client. */
  constructor(send: Send, now: () => number) {
    this.#send = send;
    this.#now = now;
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
      body: writeBody(endpoints.trackEvent, this.#stamp(event)),
      idempotencyKey: chooseIdempotencyKey(options.idempotencyKey),
      needsBody: false,
      read: () => undefined,
    }));
  }

  #stamp(event: TrackEvent): unknown {
    // Also from plain JavaScript: what is not an event at all is refused by the check that follows.
    if (typeof event !== "object" || event === null) return event;
    const timestamp = event.timestamp ?? new Date(this.#now());
    if (!(timestamp instanceof Date)) return { ...event, timestamp };
    try {
      return { ...event, timestamp: formatTimestamp(timestamp) };
    } catch (error) {
      const detail = "expected a real moment in the years 0000 to 9999";
      throw new InvalidInputError(endpoints.trackEvent.summary, [{ pointer: "#/timestamp", detail }], { cause: error });
    }
  }
}
