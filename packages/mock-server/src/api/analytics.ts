import type { AnalyticsEvent, Switches } from "@landing-page-service/contract";
import type { Outcome } from "../exchange/outcome.ts";
import type { StoredEvent } from "../state/event.ts";
import type { AccountState } from "../state/accounts.ts";
import type { PageStore } from "../state/store.ts";
import type { StoredPage } from "../state/stored-page.ts";

/** What taking an event needs beside it. */
export interface EventContext {
  readonly switches: Switches;
  readonly newId: () => string;
  /** Finds a page by its identifier, as the dialect writes it. */
  readonly findPage: (pages: PageStore, written: string) => StoredPage | undefined;
}

/** Takes an event. Source: spec, "Submit analytics event". */
export function recordEvent(
  { events, pages }: Pick<AccountState, "events" | "pages">,
  input: AnalyticsEvent,
  { switches, newId, findPage }: EventContext,
): Outcome {
  // Gap: event for a page the account does not own, see docs/spec-gaps.md#event-page
  const page = findPage(pages, input.pageId);
  if (page === undefined && switches["event-page"] !== "accepted") {
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
  return { status: 202, body: JSON.stringify({ id: event.id, pageId, timestamp }), ...(page && { before: page.text }) };
}
