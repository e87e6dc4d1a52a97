import type { AnalyticsEvent, Switches } from "@landing-page-service/contract";
import type { Outcome } from "../exchange/outcome.ts";
import type { StoredEvent } from "../state/event.ts";
import type { Ring } from "../state/ring.ts";
import type { PageStore } from "../state/store.ts";

/** Takes an event. Source: spec, "Submit analytics event". */
export function recordEvent(
  events: Ring<StoredEvent>,
  pages: PageStore,
  input: AnalyticsEvent,
  { switches, newId }: { switches: Switches; newId: () => string },
): Outcome {
  // Gap: event for a page the account does not own, see docs/spec-gaps.md#event-page
  if (pages.get(input.pageId) === undefined && switches["event-page"] !== "accepted") {
    const detail = `the account has no page ${JSON.stringify(input.pageId.slice(0, 100))}`;
    return {
      refused: switches["event-page"] === "refused-400" ? 400 : 404,
      detail: `#/pageId: ${detail}`,
      errors: [{ pointer: "#/pageId", detail }],
    };
  }
  const { pageId, timestamp, type = "view", properties } = input;
  const event: StoredEvent = { id: newId(), pageId, timestamp, type, ...(properties && { properties }) };
  events.push(event);
  // Gap: see docs/spec-gaps.md#event-status
  return { status: 202, body: JSON.stringify({ id: event.id, pageId, timestamp }) };
}
