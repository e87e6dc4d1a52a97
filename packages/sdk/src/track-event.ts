import { type AnalyticsEvent, endpoints, eventSchema, findFieldProblems } from "@landing-page-service/contract";
import { InvalidInputError } from "./errors.ts";
import { writeMoment } from "./moment.ts";

/** A view of a page, or something done on it. Source: spec, "Analytics event". */
export interface TrackEvent extends Omit<AnalyticsEvent, "timestamp"> {
  /**
   * Moment of the event: a `Date`, or an ISO 8601 text with a time and an offset, such as `2026-05-06T07:08:09.123+02:00`. It is sent in
   * UTC, shaped `YYYY-MM-DDTHH:MM:SSZ`; fractions of a second are cut off.
   *
   * @defaultValue the moment of the call
   */
  timestamp?: string | Date | undefined;
}

/**
 * Writes an event as it travels, with the moment fixed; a copy, as the caller may go on using the object.
 *
 * @throws {InvalidInputError} when a field is wrong.
 */
export function writeEvent(event: TrackEvent, nowMs: number): AnalyticsEvent {
  // Plain JavaScript may pass what is no event at all: then that is what is checked and refused.
  const isObject = typeof event === "object" && event !== null;
  const moment = isObject ? (event.timestamp ?? new Date(nowMs)) : undefined;
  const timestamp = writeMoment(moment);
  const written = isObject ? { ...event, timestamp: timestamp ?? String(moment) } : event;
  const errors = findFieldProblems(eventSchema, written).map((problem) =>
    timestamp === undefined && problem.pointer === "#/timestamp" ? { ...problem, detail: expectedMoment } : problem,
  );
  if (errors.length > 0) throw new InvalidInputError(endpoints.trackEvent.summary, errors);
  const { properties } = written as AnalyticsEvent; // why: the schema has just said so
  return { ...written, ...(properties ? { properties: { ...properties } } : {}) } as AnalyticsEvent; // why: as above
}

const expectedMoment =
  "expected a Date, or an ISO 8601 text with a time and an offset, such as 2026-05-06T07:08:09Z or 2026-05-06T09:08:09.123+02:00";
