import { type AnalyticsEvent, endpoints, findFieldProblems } from "@landing-page-service/contract";
import { InvalidInputError } from "./report/errors.ts";
import { addHints } from "./input.ts";
import { nameKind } from "./report/messages.ts";
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
  const { timestamp = new Date(nowMs), properties, ...rest } = Object(event) as TrackEvent; // why: checked below
  const moment = writeMoment(timestamp);
  const copy = properties && typeof properties === "object" ? { ...properties } : properties;
  const written = {
    ...rest,
    timestamp: moment ?? "",
    ...(properties === undefined ? {} : { properties: copy }),
  };
  const isObject = typeof event === "object" && event !== null;
  const errors = findFieldProblems(endpoints.trackEvent.input.schema(), isObject ? written : event).map((problem) =>
    moment === undefined && problem.pointer === "#/timestamp"
      ? { pointer: problem.pointer, detail: `${expectedMoment}, got ${showMoment(timestamp)}` }
      : problem,
  );
  if (errors.length > 0) throw new InvalidInputError(endpoints.trackEvent.summary, addHints(errors, event));
  return written;
}

function showMoment(timestamp: unknown): string {
  if (typeof timestamp === "string") return JSON.stringify(timestamp.slice(0, 100));
  return timestamp instanceof Date ? "a Date of no moment" : nameKind(timestamp);
}

const expectedMoment =
  "expected a Date, or an ISO 8601 text with a time and an offset, such as 2026-05-06T07:08:09Z or 2026-05-06T09:08:09.123+02:00";
