import {
  type AnalyticsEvent,
  endpoints,
  eventSchema,
  findFieldProblems,
  formatTimestamp,
} from "@landing-page-service/contract";
import { InvalidInputError } from "./errors.ts";

/** A view of a page, or something done on it. Source: spec, "Analytics event". */
export interface TrackEvent extends Omit<AnalyticsEvent, "timestamp"> {
  /**
   * Moment of the event: a `Date`, or a text in UTC shaped `YYYY-MM-DDTHH:MM:SSZ`. Fractions of a second are cut off.
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
  const written = isObject ? { ...event, timestamp: writeMoment(event.timestamp ?? new Date(nowMs)) } : event;
  const errors = findFieldProblems(eventSchema, written);
  if (errors.length > 0) throw new InvalidInputError(endpoints.trackEvent.summary, errors);
  return written.properties ? { ...written, properties: { ...written.properties } } : written;
}

function writeMoment(moment: string | Date): string {
  if (!(moment instanceof Date)) return moment;
  try {
    return formatTimestamp(moment);
  } catch {
    return String(moment);
  }
}
