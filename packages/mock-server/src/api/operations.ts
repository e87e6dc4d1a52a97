import { hash } from "node:crypto";
import type { EndpointName, Switches } from "@landing-page-service/contract";
import type { AccountState } from "../state/accounts.ts";
import { recordEvent } from "./analytics.ts";
import { isRefusal, type Outcome, type Refusal, wrongFields } from "../exchange/outcome.ts";
import type { PlainRequest } from "../exchange/plain.ts";
import type { DomainNetwork, PlaceRule } from "../domains/network.ts";
import { isIdempotencyKey, type RepeatableEndpoint } from "../state/idempotency.ts";
import { checkSize, type InputReaders } from "./input.ts";
import { createPage, deletePage, listPages, type PageContext, updatePage } from "./pages.ts";

/** A request that has reached its endpoint, and what it is carried out with. */
export interface Operation {
  readonly request: PlainRequest;
  /** The `:id` segment, still percent-encoded; empty where the path has none. */
  readonly encodedId: string;
  readonly state: AccountState;
  readonly switches: Switches;
  readonly inputs: InputReaders;
  readonly network: DomainNetwork;
  readonly placeRules: readonly PlaceRule[];
  /** The present moment, milliseconds since 1970 UTC. */
  readonly nowMs: number;
}

/** What each endpoint does with a request, from its content type on. */
export const operations: Readonly<Record<EndpointName, (operation: Operation) => Outcome>> = {
  listPages({ request, inputs, state, switches }) {
    const query = checkSize(request) ?? inputs.listQuery.query(request);
    return isRefusal(query) ? query : listPages(state.pages, query, switches);
  },
  createPage(operation) {
    const input = operation.inputs.createPage.body(operation.request);
    if (isRefusal(input)) return input;
    return carryOutOnce(operation, "createPage", () =>
      createPage(operation.state.pages, input, pageContext(operation)),
    );
  },
  updatePage(operation) {
    const changes = operation.inputs.updatePage.body(operation.request);
    if (isRefusal(changes)) return changes;
    const id = decodeId(operation.encodedId);
    if (isRefusal(id)) return id;
    return updatePage(operation.state.pages, id.value, changes, pageContext(operation));
  },
  deletePage({ request, encodedId, state }) {
    const id = checkSize(request) ?? decodeId(encodedId);
    return isRefusal(id) ? id : deletePage(state.pages, id.value);
  },
  trackEvent(operation) {
    const { request, inputs, state, switches, nowMs } = operation;
    const input = inputs.event.body(request);
    if (isRefusal(input)) return input;
    const newId = (): string => state.ids.nextEvent(nowMs);
    return carryOutOnce(operation, "trackEvent", () =>
      recordEvent(state.events, state.pages, input, { switches, newId }),
    );
  },
};

function pageContext({ network, placeRules, switches, nowMs, state }: Operation): PageContext {
  return { network, placeRules, switches, nowMs, newId: () => state.ids.nextPage(nowMs) };
}

/** Carries a POST out at most once for an `Idempotency-Key`; refusals are not remembered. Gap: see docs/spec-gaps.md#idempotency */
function carryOutOnce(
  { request, state, switches, nowMs }: Operation,
  endpoint: RepeatableEndpoint,
  carryOut: () => Outcome,
): Outcome {
  const key = request.headers.get("Idempotency-Key");
  if (key === null || switches.idempotency === "ignored") return carryOut();
  if (!isIdempotencyKey(key))
    return { refused: 400, detail: "Idempotency-Key: expected 1 to 255 characters of visible ASCII." };
  const fingerprint = hash("sha256", request.body ?? "", "base64");
  const idempotency = state.idempotency[endpoint];
  const known = idempotency.get(key, nowMs);
  if (known === undefined) {
    const outcome = carryOut();
    if (!isRefusal(outcome)) idempotency.remember(key, fingerprint, outcome, nowMs);
    return outcome;
  }
  if (known.fingerprint === fingerprint) return known.answer;
  return { refused: 400, detail: "Idempotency-Key: expected the body that came with this key first, got another." };
}

function decodeId(encodedId: string): { value: string } | Refusal {
  try {
    return { value: decodeURIComponent(encodedId) };
  } catch {
    return wrongFields([{ pointer: "id", detail: "expected percent-encoded UTF-8" }]);
  }
}
