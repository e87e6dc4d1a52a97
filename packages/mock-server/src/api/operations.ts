import type { EndpointName, Switches } from "@landing-page-service/contract";
import type { AccountState } from "../state/accounts.ts";
import { recordEvent } from "./analytics.ts";
import { nodeCrypto } from "../exchange/node-crypto.ts";
import { isRefusal, type Outcome, type Refusal, wrongFields } from "../exchange/outcome.ts";
import type { PlainRequest } from "../exchange/plain.ts";
import type { DomainNetwork, AssignmentRule } from "../domains/network.ts";
import type { PageStore } from "../state/store.ts";
import type { StoredPage } from "../state/stored-page.ts";
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
  /** Finds a page by its identifier, as the dialect writes it. */
  readonly findPage: (pages: PageStore, written: string) => StoredPage | undefined;
  readonly placeRules: readonly AssignmentRule[];
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
    const id = readId(operation);
    if (isRefusal(id)) return id;
    return updatePage(operation.state.pages, id.value, changes, pageContext(operation));
  },
  deletePage(operation) {
    const id = checkSize(operation.request) ?? readId(operation);
    return isRefusal(id) ? id : deletePage(operation.state.pages, id.value);
  },
  trackEvent(operation) {
    const { request, inputs, state, switches, nowMs, findPage } = operation;
    const input = inputs.event.body(request);
    if (isRefusal(input)) return input;
    const newId = (): string => state.ids.nextEvent(nowMs);
    return carryOutOnce(operation, "trackEvent", () => recordEvent(state, input, { switches, newId, findPage }));
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
  const fingerprint = nodeCrypto().hash("sha256", request.body ?? "", "base64");
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

/** The identifier in the path, as the page has it; as it came where there is no such page. */
function readId({ encodedId, findPage, state }: Operation): { value: string } | Refusal {
  try {
    const written = decodeURIComponent(encodedId);
    return { value: findPage(state.pages, written)?.id ?? written };
  } catch {
    return wrongFields([{ pointer: "id", detail: "expected percent-encoded UTF-8" }]);
  }
}
