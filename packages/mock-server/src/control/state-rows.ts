import { type ControlRow, holder, row, somePage } from "./row.ts";
import { answers, anyAccount, oneAccount, planChange, stateRecords } from "./schemas.ts";

/** What accounts hold. */
export const stateRows: readonly ControlRow[] = [
  row({
    name: "reset",
    method: "POST",
    path: "/__mock/reset",
    summary: "Resets one account, or the whole service, to its state at the start",
    query: anyAccount,
    run: ({ service, query }) => holder(service, query).reset(),
  }),
  row({
    name: "listAccounts",
    method: "GET",
    path: "/__mock/accounts",
    summary: "Lists the accounts there are; each name of one may be sent as `key`",
    answer: answers.accounts,
    run: ({ service }) => ({ data: service.listAccounts() }),
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
    summary: "Returns the rate limit of one account",
    query: oneAccount,
    answer: answers.rateLimit,
    run: ({ service, query }) => service.account(query.key).rateLimit,
  }),
  row({
    name: "setPlan",
    method: "PUT",
    path: "/__mock/plan",
    summary: "Changes the plan of one account, in a new window, until it is reset",
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
    summary: "Returns the state of one account, or of the whole service",
    query: anyAccount,
    answer: stateRecords,
    run: ({ service, query }) => holder(service, query).snapshot(),
  }),
  row({
    name: "restoreSnapshot",
    method: "PUT",
    path: "/__mock/snapshot",
    summary: "Restores a snapshot, into one account or the whole service",
    query: anyAccount,
    body: stateRecords,
    example: [{ account: "test_demo", page: { id: "pg_tea", ...somePage } }],
    answer: answers.loaded,
    run: ({ service, query, body }) => holder(service, query).restore(body),
  }),
];
