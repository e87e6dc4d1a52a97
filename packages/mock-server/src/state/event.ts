/** An event as it is kept. Gap: see docs/spec-gaps.md#event-fields */
export interface StoredEvent {
  /** Identifier of the event: `ev_` and 26 characters, sorting by arrival. */
  id: string;
  /** Identifier of the page the event refers to. */
  pageId: string;
  /** Moment of the event in UTC, shaped `YYYY-MM-DDTHH:MM:SSZ`. */
  timestamp: string;
  /** What happened: `view` unless the caller said otherwise. */
  type: string;
  /** Flat details of the event, where the caller sent any. */
  properties?: Record<string, string | number | boolean | null>;
}

/** An event for whoever may change it. */
export function copyEvent({ properties, ...event }: StoredEvent): StoredEvent {
  return { ...event, ...(properties && { properties: { ...properties } }) };
}
