import { type EndpointName, endpoints, type Gap, gaps } from "@landing-page-service/contract";
import * as z from "zod";
import type { Refusal } from "../exchange/outcome.ts";
import type { AssignablePage, Assignment } from "../domains/assignment.ts";
import type { FaultRule, Faults } from "../testing/faults.ts";
import type { RecordedRequest, RequestFilter } from "../testing/journal.ts";
import type { Plan } from "../state/limiter.ts";
import type { MockService } from "../service/service.ts";
import type { StateRecord } from "../state/snapshot.ts";

/** A call of the control API, with what it was sent. */
interface ControlCall<Query, Body> {
  readonly service: MockService;
  /** What stands for `{id}` in the path, decoded; empty where there is none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** Fires when the caller has gone away. */
  readonly signal: AbortSignal | undefined;
}

/** One thing the control API can do. */
export interface ControlRow {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: `/__mock/${string}`;
  readonly summary: string;
  /** Whether it answers even where the control API is off, and without the token: it tells nothing of anybody's data. */
  readonly isAlwaysOpen: boolean;
  /** Status of success; 204 has no body. */
  readonly status: 200 | 201 | 204;
  readonly query: z.ZodType;
  readonly body: z.ZodType | undefined;
  /** What to answer, as JSON, or a refusal. @throws {z.ZodError} when query or body are not as the schemas say; whatever the service throws at misuse. */
  run(call: ControlCall<unknown, unknown>): unknown;
}

const key = z
  .string()
  .exactOptional()
  .meta({ description: "API key of the account; left out, it is about all of them." });
const ofKey = z.strictObject({ key });
const endpointName = z.enum(Object.keys(endpoints) as [EndpointName, ...EndpointName[]]); // the keys of the table are the names

const requestFilter: z.ZodType<RequestFilter> = z.strictObject({
  key,
  endpoint: endpointName.exactOptional(),
  method: z.string().exactOptional(),
  path: z.string().exactOptional().meta({ description: "The whole path, percent-encoded, without the query." }),
  status: z.coerce.number().int().exactOptional(),
});

const page: z.ZodType<AssignablePage> = z.strictObject({
  title: z.string(),
  content: z.string(),
  slug: z.string(),
  meta_description: z.string().nullish(),
  cta: z.strictObject({ type: z.string(), label: z.string(), url: z.string() }),
  locale: z.string().optional(),
});

// The service checks the rule itself, and says more than a schema can; this is for the document.
const faultRule = z.looseObject({
  key,
  endpoint: endpointName.exactOptional(),
  times: z.int().min(1).exactOptional(),
  skip: z.int().min(0).exactOptional(),
  probability: z.number().exactOptional(),
  status: z.int().exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  body: z.unknown().exactOptional(),
  delayMs: z.number().exactOptional(),
  wire: z.enum(["reset", "truncate", "stall", "garbage"]).exactOptional(),
  when: z.enum(["before", "after"]).exactOptional(),
}) as z.ZodType<FaultRule>; // loose, so that the service gets to name an unknown option

const plan: z.ZodType<Plan> = z.union([
  z.enum(["free", "starter", "pro", "unlimited"]),
  z.strictObject({ limit: z.int().min(1), windowMs: z.int().min(1) }),
]);

const records = z.array(z.looseObject({})) as unknown as z.ZodType<StateRecord[]>; // why: the service checks the records one by one

/** Longest wait for a request, in milliseconds. */
const longestWaitMs = 60_000;

/** Everything the control API can do. */
export const controlRows: readonly ControlRow[] = [
  row({
    method: "GET",
    path: "/__mock/health",
    summary: "Tells that the service is ready",
    isAlwaysOpen: true,
    run: () => ({ status: "ok" }),
  }),
  row({
    method: "GET",
    path: "/__mock/assumptions",
    summary: "Lists what is assumed rather than documented, with the reading in force",
    isAlwaysOpen: true,
    run: ({ service }) => assumptions(service),
  }),
  row({
    method: "POST",
    path: "/__mock/reset",
    summary: "Makes one account, or the whole service, as it was at the start",
    query: ofKey,
    status: 204,
    run: ({ service, query }) => (query.key === undefined ? service : service.account(query.key)).reset(),
  }),
  row({
    method: "GET",
    path: "/__mock/faults",
    summary: "Lists the faults that can still strike",
    query: ofKey,
    run: ({ service, query }) => ({ data: faultsOf(service, query).list() }),
  }),
  row({
    method: "POST",
    path: "/__mock/faults",
    summary: "Plans a fault",
    body: faultRule,
    status: 201,
    run: ({ service, body }) => service.faults.add(body),
  }),
  row({
    method: "DELETE",
    path: "/__mock/faults",
    summary: "Takes back the faults of one account, or all",
    query: ofKey,
    status: 204,
    run: ({ service, query }) => faultsOf(service, query).clear(),
  }),
  row({
    method: "GET",
    path: "/__mock/requests",
    summary: "Lists the requests in the journal, oldest first",
    query: requestFilter,
    run: ({ service, query }) => ({ data: service.requests(query) }),
  }),
  row({
    method: "POST",
    path: "/__mock/requests/wait",
    summary: "Waits for a request: the first in the journal that matches, or else the next to come",
    body: z.strictObject({
      filter: requestFilter.exactOptional(),
      timeoutMs: z.int().min(0).max(longestWaitMs).exactOptional(),
    }),
    run: ({ service, body: { filter, timeoutMs }, signal }): Promise<RecordedRequest | Refusal> =>
      service
        .waitForRequest(filter, { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) })
        .catch((error: unknown) => {
          if (!(error instanceof Error) || error instanceof TypeError) throw error;
          return { refused: 404, detail: error.message };
        }),
  }),
  row({
    method: "GET",
    path: "/__mock/events",
    summary: "Lists the events of one account, oldest first",
    query: z.strictObject({ key: z.string() }),
    run: ({ service, query }) => ({ data: service.account(query.key).events }),
  }),
  row({
    method: "GET",
    path: "/__mock/rate-limit",
    summary: "Tells where one account stands in its rate window",
    query: z.strictObject({ key: z.string() }),
    run: ({ service, query }) => service.account(query.key).rateLimit,
  }),
  row({
    method: "PUT",
    path: "/__mock/plan",
    summary: "Puts one account on another plan, in a fresh window, until it is reset",
    query: z.strictObject({ key: z.string() }),
    body: z.strictObject({ plan }),
    run: ({ service, query, body }) => {
      const account = service.account(query.key);
      account.setPlan(body.plan);
      return account.rateLimit;
    },
  }),
  row({
    method: "GET",
    path: "/__mock/snapshot",
    summary: "Gives what one account, or the whole service, holds",
    query: ofKey,
    run: ({ service, query }) => (query.key === undefined ? service : service.account(query.key)).snapshot(),
  }),
  row({
    method: "PUT",
    path: "/__mock/snapshot",
    summary: "Puts back what a snapshot holds, into one account or the whole service",
    query: ofKey,
    body: records,
    run: ({ service, query, body }) => (query.key === undefined ? service : service.account(query.key)).restore(body),
  }),
  row({
    method: "GET",
    path: "/__mock/clock",
    summary: "Tells the service's moment",
    run: ({ service }) => ({ nowMs: service.clock.now() }),
  }),
  row({
    method: "POST",
    path: "/__mock/clock/advance",
    summary: "Moves the clock forward",
    body: z.strictObject({ ms: z.number() }),
    run: ({ service, body }) => {
      service.clock.advance(body.ms);
      return { nowMs: service.clock.now() };
    },
  }),
  row({
    method: "GET",
    path: "/__mock/domains",
    summary: "Lists the domains that pages are placed on",
    run: ({ service }) => ({ data: service.domains.domains }),
  }),
  row({
    method: "GET",
    path: "/__mock/assignments/{id}",
    summary: "Explains why a page was placed where it is",
    query: ofKey,
    run: ({ service, id, query }): Assignment | Refusal =>
      service.assignment(id, query.key) ?? { refused: 404, detail: "No page has this id." },
  }),
  row({
    method: "POST",
    path: "/__mock/evaluate",
    summary: "Tells where a page would be placed, without storing it",
    body: page,
    run: ({ service, body }) => service.evaluate(body),
  }),
];

interface RowParts<Query, Body> {
  readonly method: ControlRow["method"];
  readonly path: ControlRow["path"];
  readonly summary: string;
  readonly isAlwaysOpen?: true;
  readonly status?: 201 | 204;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  run(call: ControlCall<Query, Body>): unknown;
}

/** Ties what a row is sent to its schemas. */
function row<Query = object, Body = undefined>(parts: RowParts<Query, Body>): ControlRow {
  const { query = z.strictObject({}), body = z.undefined(), isAlwaysOpen = false, status = 200 } = parts;
  return {
    ...parts,
    isAlwaysOpen,
    status,
    query,
    body: parts.body,
    run: (call) => {
      // why: without a schema of its own, a row takes an empty query and no body, which is what its types say
      const checked = { query: query.parse(call.query) as Query, body: body.parse(call.body) as Body };
      return parts.run({ ...call, ...checked });
    },
  };
}

function faultsOf(service: MockService, { key }: { key?: string }): Faults {
  return key === undefined ? service.faults : service.account(key).faults;
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
