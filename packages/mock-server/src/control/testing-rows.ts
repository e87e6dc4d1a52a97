import type { Refusal } from "../http-types.ts";
import type { Clock } from "../service/context.ts";
import { faultRuleSchema } from "../testing/faults.ts";
import { Attempts, liveRequests } from "./live.ts";
import { type ControlRow, holder, row } from "./row.ts";
import {
  answers,
  anyAccount,
  attemptedRequest,
  clockAdvance,
  clockSetting,
  liveQuery,
  recordedRequest,
  requestQuery,
  requestsInShort,
  waitFor,
} from "./schemas.ts";

const noFault: Refusal = { refused: 404, detail: "No fault has this id, or it was removed." };

/** Faults, journal and clock. */
export const testingRows: readonly ControlRow[] = [
  row({
    name: "listFaults",
    method: "GET",
    path: "/__mock/faults",
    summary: "Lists the faults that can still fire",
    query: anyAccount,
    answer: answers.faults,
    run: ({ service, query }) => ({ data: holder(service, query).faults.list() }),
  }),
  row({
    name: "addFault",
    method: "POST",
    path: "/__mock/faults",
    summary: "Adds a fault",
    body: faultRuleSchema,
    example: { key: "test_demo", endpoint: "listPages", status: 500, times: 1 },
    status: 201,
    answer: answers.fault,
    run: ({ service, body }) => service.faults.add(body),
  }),
  row({
    name: "getFault",
    method: "GET",
    path: "/__mock/faults/{id}",
    summary: "Says how often a fault has fired, also when it is used up",
    answer: answers.fault,
    run: ({ service, id }) => service.faults.get(id) ?? noFault,
  }),
  row({
    name: "removeFault",
    method: "DELETE",
    path: "/__mock/faults/{id}",
    summary: "Removes one fault",
    run({ service, id }) {
      const fault = service.faults.get(id);
      fault?.remove();
      return fault === undefined ? noFault : undefined;
    },
  }),
  row({
    name: "clearFaults",
    method: "DELETE",
    path: "/__mock/faults",
    summary: "Removes the faults of one account, or all",
    query: anyAccount,
    run: ({ service, query }) => holder(service, query).faults.clear(),
  }),
  row({
    name: "listRequests",
    method: "GET",
    path: "/__mock/requests",
    summary: "Lists the requests in the journal, oldest first",
    query: requestQuery,
    answer: answers.requests,
    run: ({ service, query }) => ({ data: service.requests(query) }),
  }),
  row({
    name: "watchRequests",
    method: "GET",
    path: "/__mock/requests/live",
    summary:
      "Streams requests as server-sent events: a `journal` with all that match, again whenever an account was reset or restored, then `requests` as they come",
    isStream: true,
    query: liveQuery,
    answer: requestsInShort,
    run: ({ service, query, signal }) => liveRequests(service, query.match ?? {}, signal),
  }),
  row({
    name: "getRequest",
    method: "GET",
    path: "/__mock/requests/{id}",
    summary: "Gives a request of the journal with its whole response, and which attempt it is",
    answer: attemptedRequest,
    run({ service, id }) {
      const requests = service.requests();
      const request = requests.find((known) => known.id === id);
      if (request === undefined) return { refused: 404, detail: "No request in the journal has this id." };
      return { ...request.toJSON(), attempt: new Attempts(requests).of(request) };
    },
  }),
  row({
    name: "waitForRequest",
    method: "POST",
    path: "/__mock/requests/wait",
    summary:
      "Waits for a request: the first in the journal that matches and no other wait was given, or else the next to come",
    body: waitFor,
    example: { filter: { key: "test_demo", endpoint: "createPage" }, timeoutMs: 5000 },
    answer: recordedRequest,
    async run({ service, body: { filter, timeoutMs }, signal }) {
      const options = { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) };
      try {
        const [request] = await service.waitForRequest({ ...filter, times: 1 }, options);
        return request;
      } catch (error) {
        if (!(error instanceof Error) || error instanceof TypeError) throw error;
        return { refused: 404, detail: error.message };
      }
    },
  }),
  row({
    name: "getClock",
    method: "GET",
    path: "/__mock/clock",
    summary: "Returns the time of one account, or of the service",
    query: anyAccount,
    answer: answers.clock,
    run: ({ service, query }) => tellTime(holder(service, query)),
  }),
  row({
    name: "setClock",
    method: "PUT",
    path: "/__mock/clock",
    summary: "Sets the clock of one account, or of all, forward or back; it runs on from there",
    query: anyAccount,
    body: clockSetting,
    example: { at: "2026-12-24T18:00:00Z" },
    answer: answers.clock,
    run({ service, query, body }) {
      const held = holder(service, query);
      held.clock.set(body.at);
      return tellTime(held);
    },
  }),
  row({
    name: "advanceClock",
    method: "POST",
    path: "/__mock/clock/advance",
    summary: "Moves the clock of one account, or of all, forward",
    query: anyAccount,
    body: clockAdvance,
    example: { ms: 60_000 },
    answer: answers.clock,
    run({ service, query, body }) {
      const held = holder(service, query);
      held.clock.advance(body.ms);
      return tellTime(held);
    },
  }),
];

function tellTime({ clock }: { readonly clock: Clock }): object {
  return { nowMs: clock.now() };
}
