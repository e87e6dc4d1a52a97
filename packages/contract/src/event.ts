import * as z from "zod/mini";

/** An analytics event as it is sent. Source: spec, "Analytics event". */
export interface AnalyticsEvent {
  /** Identifier of the page the event refers to. */
  pageId: string;
  /** Time of the event in UTC, shaped `YYYY-MM-DDTHH:MM:SSZ`. */
  timestamp: string;
  /** What happened. Gap: see docs/spec-gaps.md#event-fields @defaultValue `"view"`, set by the service */
  type?: "view" | "interaction" | (string & {}) | undefined;
  /** Flat details of the event. Gap: see docs/spec-gaps.md#event-fields */
  properties?: Record<string, string | number | boolean | null> | undefined;
}

/** The response of the mock server to an event that it accepted. Gap: see docs/spec-gaps.md#event-status */
export interface RecordedEvent extends AnalyticsEvent {
  /** Identifier of the event: `ev_` and 26 characters, sorting by arrival. */
  id: string;
}

const timestampShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Checks a timestamp in the documented format. Source: spec, "Analytics event". */
export const eventTimestampSchema: z.ZodMiniType<string> = z.string().check(
  z.refine(isTimestamp, { error: "expected a real timestamp in UTC of the form YYYY-MM-DDTHH:MM:SSZ" }),
  z.meta({
    format: "date-time",
    pattern: timestampShape.source,
    description: "Time of the event, shaped YYYY-MM-DDTHH:MM:SSZ.",
  }),
);

const detailKinds = [z.string(), z.number(), z.boolean(), z.null()];
const detail = z.union(detailKinds, { error: "expected a string, number, boolean or null" });

/** Checks the documented parts of an event: the two fields, and a real timestamp in the documented format. Other fields pass. */
export const eventSchema: z.ZodMiniType<AnalyticsEvent> = z.looseObject({
  pageId: z.string().check(z.minLength(1)),
  timestamp: eventTimestampSchema,
  type: z.optional(z.string()),
  properties: z.optional(z.record(z.string(), detail)),
});

/**
 * Writes a timestamp in the only format that the spec shows, `YYYY-MM-DDTHH:MM:SSZ`; fractions of a second are cut off.
 *
 * @throws {RangeError} when the timestamp is not a real one, or is outside the years 0000 to 9999.
 * Source: spec, "Analytics event".
 */
export function formatTimestamp(date: Date): string {
  const text = date.toISOString();
  if (text.length !== 24) throw new RangeError(`expected a timestamp in the years 0000 to 9999, got ${text}`);
  return `${text.slice(0, 19)}Z`;
}

/** Whether a string is a real timestamp in the format `YYYY-MM-DDTHH:MM:SSZ`: `2026-02-30T00:00:00Z` is not. */
export function isTimestamp(text: string): boolean {
  if (!timestampShape.test(text)) return false;
  const date = new Date(text);
  // Date rolls 30 February over into March; writing it back shows that.
  return !Number.isNaN(date.getTime()) && formatTimestamp(date) === text;
}
