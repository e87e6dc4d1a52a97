import { type Gap, gaps } from "@landing-page-service/contract";
import type { Assignment } from "../domains/assignment.ts";
import type { Refusal } from "../exchange/outcome.ts";
import type { MockService } from "../service/service.ts";
import type { AccountHandle } from "../service/account-handle.ts";
import type { RecordedRequest } from "../testing/recorded.ts";
import { type ControlRow, row } from "./row.ts";
import {
  answers,
  anyAccount,
  assignment,
  clockAdvance,
  faultRule,
  oneAccount,
  page,
  planChange,
  recordedRequest,
  requestQuery,
  stateRecords,
  waitFor,
} from "./schemas.ts";

const somePage = {
  title: "Tea in Kyoto",
  content: "An afternoon among tea gardens.",
  slug: "tea-in-kyoto",
  cta: { type: "button", label: "Book", url: "https://tea.example/book" },
};

/** Everything the control API can do. */
export const controlRows: readonly ControlRow[] = [
  row({
    name: "getHealth",
    method: "GET",
    path: "/__mock/health",
    summary: "Tells that the service is ready",
    isAlwaysOpen: true,
    answer: answers.health,
    run: () => ({ status: "ok" }),
  }),
  row({
    name: "listAssumptions",
    method: "GET",
    path: "/__mock/assumptions",
    summary: "Lists what is assumed rather than documented, with the reading in force",
    isAlwaysOpen: true,
    answer: answers.assumptions,
    run: ({ service }) => assumptions(service),
  }),
  row({
    name: "reset",
    method: "POST",
    path: "/__mock/reset",
    summary: "Makes one account, or the whole service, as it was at the start",
    query: anyAccount,
    run: ({ service, query }) => holder(service, query).reset(),
  }),
  row({
    name: "listFaults",
    method: "GET",
    path: "/__mock/faults",
    summary: "Lists the faults that can still strike",
    query: anyAccount,
    answer: answers.faults,
    run: ({ service, query }) => ({ data: holder(service, query).faults.list() }),
  }),
  row({
    name: "addFault",
    method: "POST",
    path: "/__mock/faults",
    summary: "Plans a fault",
    body: faultRule,
    example: { key: "test_demo", endpoint: "listPages", status: 500, times: 1 },
    status: 201,
    answer: answers.fault,
    run: ({ service, body }) => service.faults.add(body),
  }),
  row({
    name: "clearFaults",
    method: "DELETE",
    path: "/__mock/faults",
    summary: "Takes back the faults of one account, or all",
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
    name: "waitForRequest",
    method: "POST",
    path: "/__mock/requests/wait",
    summary:
      "Waits for a request: the first that came, matches and was given to no other wait, or else the next to come",
    body: waitFor,
    example: { filter: { key: "test_demo", endpoint: "createPage" }, timeoutMs: 5000 },
    answer: recordedRequest,
    run: ({ service, body: { filter, timeoutMs }, signal }): Promise<RecordedRequest | Refusal | undefined> =>
      service
        .waitForRequest(
          { ...filter, times: 1 },
          { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) },
        )
        .then(([request]) => request)
        .catch((error: unknown) => {
          if (!(error instanceof Error) || error instanceof TypeError) throw error;
          return { refused: 404, detail: error.message };
        }),
  }),
  row({
    name: "listPages",
    method: "GET",
    path: "/__mock/pages",
    summary: "Lists the pages of one account, oldest first, all of them and outside its rate limit",
    query: oneAccount,
    answer: answers.pages,
    run: ({ service, query }) => ({ data: service.account(query.key).pages }),
  }),
  row({
    name: "listEvents",
    method: "GET",
    path: "/__mock/events",
    summary: "Lists the events of one account, oldest first",
    query: oneAccount,
    answer: answers.events,
    run: ({ service, query }) => ({ data: service.account(query.key).events }),
  }),
  row({
    name: "getRateLimit",
    method: "GET",
    path: "/__mock/rate-limit",
    summary: "Tells where one account stands in its rate window",
    query: oneAccount,
    answer: answers.rateLimit,
    run: ({ service, query }) => service.account(query.key).rateLimit,
  }),
  row({
    name: "setPlan",
    method: "PUT",
    path: "/__mock/plan",
    summary: "Puts one account on another plan, in a fresh window, until it is reset",
    query: oneAccount,
    body: planChange,
    example: { plan: { limit: 5, windowMs: 60_000 } },
    answer: answers.rateLimit,
    run: ({ service, query, body }) => {
      const account = service.account(query.key);
      account.setPlan(body.plan);
      return account.rateLimit;
    },
  }),
  row({
    name: "takeSnapshot",
    method: "GET",
    path: "/__mock/snapshot",
    summary: "Gives what one account, or the whole service, holds",
    query: anyAccount,
    answer: stateRecords,
    run: ({ service, query }) => holder(service, query).snapshot(),
  }),
  row({
    name: "restoreSnapshot",
    method: "PUT",
    path: "/__mock/snapshot",
    summary: "Puts back what a snapshot holds, into one account or the whole service",
    query: anyAccount,
    body: stateRecords,
    example: [{ account: "test_demo", page: { id: "pg_tea", ...somePage } }],
    answer: answers.loaded,
    run: ({ service, query, body }) => holder(service, query).restore(body),
  }),
  row({
    name: "getClock",
    method: "GET",
    path: "/__mock/clock",
    summary: "Tells the service's moment",
    answer: answers.clock,
    run: ({ service }) => ({ nowMs: service.clock.now() }),
  }),
  row({
    name: "advanceClock",
    method: "POST",
    path: "/__mock/clock/advance",
    summary: "Moves the clock forward",
    body: clockAdvance,
    example: { ms: 60_000 },
    answer: answers.clock,
    run: ({ service, body }) => {
      service.clock.advance(body.ms);
      return { nowMs: service.clock.now() };
    },
  }),
  row({
    name: "listDomains",
    method: "GET",
    path: "/__mock/domains",
    summary: "Lists the domains that pages are placed on",
    answer: answers.domains,
    run: ({ service }) => ({ data: service.domains.domains }),
  }),
  row({
    name: "explainAssignment",
    method: "GET",
    path: "/__mock/assignments/{id}",
    summary: "Explains why a page was placed where it is",
    query: anyAccount,
    answer: assignment,
    run: ({ service, id, query }): Assignment | Refusal =>
      service.assignment(id, query.key) ?? { refused: 404, detail: "No page has this id." },
  }),
  row({
    name: "evaluatePage",
    method: "POST",
    path: "/__mock/evaluate",
    summary: "Tells where a page would be placed, without storing it",
    query: anyAccount,
    body: page,
    example: somePage,
    answer: assignment,
    run: ({ service, query, body }) => service.evaluate(body, query.key),
  }),
];

function holder(service: MockService, { key }: { key?: string }): MockService | AccountHandle {
  return key === undefined ? service : service.account(key);
}

function assumptions({ dialect }: MockService): object {
  const inForce = new Map<string, string>(Object.entries(dialect.switches));
  const rows = Object.entries<Gap>(gaps).map(([id, { heading, question, readings }]) => {
    const [assumed = ""] = Object.keys(readings);
    const reading = inForce.get(id) ?? assumed;
    return { id, heading, question, reading, meaning: readings[reading], isSwitched: reading !== assumed };
  });
  return { dialect, gaps: rows };
}
