// What each endpoint does with a request of an account, from its content type on.
import type { AnalyticsEvent, EndpointName, Switches } from "@landing-page-service/contract";
import { hash } from "node:crypto";
import type { AssignmentRule, DomainNetwork } from "../domains/network.ts";
import { isRefusal, type Outcome, type PlainRequest, type Refusal, type RequestBody } from "../http-types.ts";
import {
  type AccountState,
  isIdempotencyKey,
  type PageStore,
  type RepeatableEndpoint,
  type StoredPage,
} from "../state/account-state.ts";
import { checkSize, type InputReaders, wrongFields } from "./input.ts";
import { createPage, deletePage, listPages, type PageContext, updatePage } from "./pages.ts";

/** A request that has reached its endpoint, and what it works on. */
export interface Operation {
  readonly request: PlainRequest;
  readonly body: RequestBody;
  /** The `:id` segment, still percent-encoded; empty where the path has none. */
  readonly encodedId: string;
  readonly state: AccountState;
  readonly switches: Switches;
  readonly inputs: InputReaders;
  readonly network: DomainNetwork;
  /** Finds a page by its identifier as the dialect writes it. */
  readonly findPage: (pages: PageStore, written: string) => StoredPage | undefined;
  readonly assignmentRules: readonly AssignmentRule[];
  /** Milliseconds since 1970 UTC. */
  readonly nowMs: number;
}

/** One function for each endpoint. A refusal is a value: no operation throws at what a caller sends. */
export const operations: Readonly<Record<EndpointName, (operation: Operation) => Outcome>> = {
  listPages({ request, body, inputs, state, switches }) {
    const query = checkSize(body) ?? inputs.listQuery.query(request);
    return isRefusal(query) ? query : listPages(state.pages, query, switches);
  },
  createPage(operation) {
    const { request, body, inputs, state } = operation;
    const input = inputs.createPage.body(request, body);
    if (isRefusal(input)) return input;
    return runOnce(operation, "createPage", () => createPage(state.pages, input, pageContext(operation)));
  },
  updatePage(operation) {
    const { request, body, inputs, state } = operation;
    const changes = inputs.updatePage.body(request, body);
    if (isRefusal(changes)) return changes;
    const id = readId(operation);
    return isRefusal(id) ? id : updatePage(state.pages, id.value, changes, pageContext(operation));
  },
  deletePage(operation) {
    const id = checkSize(operation.body) ?? readId(operation);
    return isRefusal(id) ? id : deletePage(operation.state.pages, id.value);
  },
  trackEvent(operation) {
    const { request, body, inputs } = operation;
    const input = inputs.event.body(request, body);
    return isRefusal(input) ? input : runOnce(operation, "trackEvent", () => recordEvent(input, operation));
  },
};

/** Stores an event. Source: spec, "Submit analytics event". */
export function recordEvent(
  input: AnalyticsEvent,
  { state, switches, nowMs, findPage }: Pick<Operation, "state" | "switches" | "nowMs" | "findPage">,
): Outcome {
  // Gap: event for a page the account does not own, see docs/spec-gaps.md#event-page
  const page = findPage(state.pages, input.pageId)?.record;
  if (page === undefined && switches["event-page"] !== "accepted") {
    const detail = `the account has no page ${JSON.stringify(input.pageId.slice(0, 100))}`;
    const refused = switches["event-page"] === "refused-400" ? 400 : 404;
    return { refused, detail: `#/pageId: ${detail}`, errors: [{ pointer: "#/pageId", detail }] };
  }
  const { pageId, timestamp, type = "view", properties } = input;
  const id = state.ids.nextEvent(nowMs);
  state.addEvent({ id, pageId, timestamp, type, ...(properties && { properties }) });
  // Gap: see docs/spec-gaps.md#event-status
  return { status: 202, event: { id, pageId, timestamp }, page };
}

function pageContext({ network, assignmentRules, switches, nowMs, state }: Operation): PageContext {
  return { network, assignmentRules, switches, nowMs, newId: () => state.ids.nextPage(nowMs) };
}

/** Runs a POST at most once for an `Idempotency-Key`. Refusals are not remembered. Gap: see docs/spec-gaps.md#idempotency */
function runOnce(
  { request, body, state, switches, nowMs }: Operation,
  endpoint: RepeatableEndpoint,
  run: () => Outcome,
): Outcome {
  const key = request.headers.get("Idempotency-Key");
  if (key === null || switches.idempotency === "ignored") return run();
  if (!isIdempotencyKey(key))
    return { refused: 400, detail: "Idempotency-Key: expected 1 to 255 characters of visible ASCII." };
  const fingerprint = hash("sha256", body.bytes, "base64");
  const idempotency = state.idempotency[endpoint];
  const known = idempotency.get(key, nowMs);
  if (known === undefined) {
    const outcome = run();
    if (!isRefusal(outcome)) idempotency.remember(key, fingerprint, outcome, nowMs);
    return outcome;
  }
  if (known.fingerprint === fingerprint) return known.result;
  return { refused: 400, detail: "Idempotency-Key: expected the body that came with this key first, got another." };
}

/** The identifier in the path as the page has it, or as it came where there is no such page. */
function readId({ encodedId, findPage, state }: Operation): { value: string } | Refusal {
  try {
    const written = decodeURIComponent(encodedId);
    return { value: findPage(state.pages, written)?.record.id ?? written };
  } catch {
    return wrongFields([{ pointer: "id", detail: "expected percent-encoded UTF-8" }]);
  }
}
