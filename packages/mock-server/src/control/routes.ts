import { type Gap, gaps, pageRecordSchema } from "@landing-page-service/contract";
import { type DialectChoice, dialectPresets, resolveDialect } from "@landing-page-service/contract/dialect";
import * as z from "zod";
import { integer, optional } from "../argument.ts";
import { catalogueSchema, type Domain } from "../domains/network.ts";
import type { AccountHandle } from "../service/account-handle.ts";
import { clockMomentSchema, clockStepSchema } from "../testing/clock.ts";
import { assignablePageSchema, createMockService, type MockService } from "../service/mock-service.ts";
import { planSchema } from "../state/plan.ts";
import type { StateRecord } from "../state/records.ts";
import { faultRuleSchema } from "../testing/faults.ts";
import { RecordedRequest } from "../testing/journal.ts";
import { liveRequests } from "./live.ts";
import {
  accountSummary,
  anyAccount,
  assignment,
  attemptedRequest,
  count,
  fault,
  listOf,
  liveQuery,
  oneAccount,
  rateLimit,
  recordedRequest,
  requestQuery,
  shortRequests,
  timestampMs,
  waitFilter,
} from "./schemas.ts";

/** A parsed request to the control API. */
interface ControlCall<Query, Body> {
  readonly service: MockService;
  /** The decoded `{id}` of the path; empty if the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal | undefined;
}

/** The schemas and the function of a route. */
interface RouteParts<Query, Body, Sent> {
  /** Whether it is always open and needs no token, because it shows no data of an account. */
  readonly isAlwaysOpen?: true;
  /** Whether it streams server-sent events. Then `run` returns pieces of the stream, and `response` is the schema of an event's data. */
  readonly isStream?: true;
  /** Status of success. @defaultValue 200, or 204 without a `response` */
  readonly status?: number;
  /** Parameters of the query. @defaultValue none */
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body, Sent>;
  /** A valid body, for the document and for the refusal of an invalid one. */
  readonly example?: Sent;
  /** Body of the response. @defaultValue none */
  readonly response?: z.ZodType;
  /** Runs the operation, and returns the response as a JSON value. @throws {NotFoundError}, and the errors of the service. */
  run(call: ControlCall<Query, Body>): unknown;
}

/** One operation of the control API. */
export interface ControlRoute extends RouteParts<unknown, unknown, unknown> {
  /** The `operationId` in the OpenAPI document. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Matches the path. Its group is the encoded `{id}`. */
  readonly pattern: RegExp;
  readonly summary: string;
  readonly status: number;
  readonly query: z.ZodType;
}

/** Makes a route, and checks the types of its function against its schemas. */
function route<Query = object, Body = undefined, Sent = Body>(
  name: string,
  at: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`,
  summary: string,
  parts: RouteParts<Query, Body, Sent>,
): ControlRoute {
  const [method = "", path = ""] = at.replace(" ", " /__mock").split(" ");
  const pattern = new RegExp(`^${path.replace("{id}", "([^/]+)")}$`);
  const { status = parts.response === undefined ? 204 : 200, query = z.strictObject({}) } = parts;
  return { ...parts, name, method, path, pattern, summary, status, query };
}

const text = z.string();
const dialectResponse = z.looseObject({ switches: z.record(text, text), answers: z.looseObject({}) });
const dialectError = { error: "expected the name of a preset, or { switches, answers }" };
const dialectBody = {
  body: z.strictObject({ dialect: z.union([text, z.looseObject({})], dialectError).transform(readDialect) }),
  example: { dialect: "minimal" },
};
const domainsResponse = listOf(z.looseObject({ name: text }));
const stateRecords = z.array(z.looseObject({})) as unknown as z.ZodType<StateRecord[]>; // why: the service checks the records one by one
const somePage = {
  title: "Tea in Kyoto",
  content: "An afternoon among tea gardens.",
  slug: "tea-in-kyoto",
  cta: { type: "button", label: "Book", url: "https://tea.example/book" },
};

const gap = { id: text, heading: text, question: text, interpretation: text, meaning: text, isSwitched: z.boolean() };

const serviceRoutes = [
  route("getHealth", "GET /health", "Returns 200 when the service is ready", {
    isAlwaysOpen: true,
    response: z.looseObject({ status: z.literal("ok") }),
    run: () => ({ status: "ok" }),
  }),
  route("listAssumptions", "GET /assumptions", "Lists what the spec leaves open, with the interpretation in use", {
    isAlwaysOpen: true,
    response: z.looseObject({ dialect: z.unknown(), gaps: z.array(z.looseObject(gap)) }),
    run: ({ service }) => ({ dialect: service.dialect, gaps: describeGaps(service) }),
  }),
  route("getDialect", "GET /dialect", "Returns the dialect in use", {
    response: dialectResponse,
    run: ({ service }) => service.dialect,
  }),
  route("setDialect", "PUT /dialect", "Changes the dialect, until the service is reset", {
    ...dialectBody,
    response: dialectResponse,
    run({ service, body }) {
      service.setDialect(body.dialect);
      return service.dialect;
    },
  }),
  route("listPresets", "GET /dialect/presets", "Lists the preset dialects, and the one in use", {
    response: listOf(z.looseObject({ name: text, isInForce: z.boolean() })),
    run: ({ service }) => ({ data: listPresets(service) }),
  }),
  route("sampleDialect", "POST /dialect/samples", "Shows what each endpoint would respond in a dialect", {
    ...dialectBody,
    response: listOf(z.looseObject({ name: text, method: text, path: text, status: z.int(), body: text })),
    run: async ({ body, service }) => ({ data: await sampleResponses(body.dialect, service.domains.domains) }),
  }),
  route("listDomains", "GET /domains", "Lists the domains that pages are assigned to", {
    response: domainsResponse,
    run: ({ service }) => ({ data: service.domains.domains }),
  }),
  route("setDomains", "PUT /domains", "Replaces the catalogue of domains, until the service is reset", {
    body: catalogueSchema,
    example: [{ name: "tea.example", topics: ["tea"], keywords: ["kyoto", "garden"] }],
    response: domainsResponse,
    run({ service, body }) {
      service.setDomains(body);
      return { data: service.domains.domains };
    },
  }),
  route(
    "switchDomain",
    "PUT /domains/{id}",
    "Switches the domain with this name on or off, until the service is reset",
    {
      body: z.strictObject({ active: z.boolean() }),
      example: { active: false },
      response: z.looseObject({ name: text }),
      run({ service, id, body: { active } }): object {
        const wanted = service.domains.domains.find(({ name }) => name === id.toLowerCase());
        const known = found(wanted, "No domain has this name.");
        service.setDomains(service.domains.domains.map((domain) => (domain === known ? { ...known, active } : domain)));
        return { ...known, active };
      },
    },
  ),
  route("explainAssignment", "GET /assignments/{id}", "Explains why a page has its domains", {
    query: anyAccount,
    response: assignment,
    run: ({ service, id, query }) => found(service.assignment(id, query.key), "No page has this id."),
  }),
  route("evaluatePage", "POST /evaluate", "Returns the domains that a page would get, without storing it", {
    query: anyAccount,
    body: assignablePageSchema.extend({ cta: assignablePageSchema.shape.cta.strict() }).strict(),
    example: somePage,
    response: assignment,
    run: ({ service, query, body }) => service.evaluate(body, query.key),
  }),
];

const stateRoutes = [
  route("reset", "POST /reset", "Resets one account, or the whole service, to its state at the start", {
    query: anyAccount,
    run: (call) => targetOf(call).reset(),
  }),
  route("listAccounts", "GET /accounts", "Lists the accounts; the name of an account may be sent as `key`", {
    response: listOf(accountSummary),
    run: ({ service }) => ({ data: service.listAccounts() }),
  }),
  route("listPages", "GET /pages", "Lists all pages of one account, oldest first", {
    query: oneAccount,
    response: listOf(pageRecordSchema),
    run: ({ service, query }) => ({ data: service.account(query.key).pages }),
  }),
  route("listEvents", "GET /events", "Lists the events of one account, oldest first", {
    query: oneAccount,
    response: listOf(
      z.looseObject({ id: text, pageId: text, timestamp: text.meta({ format: "date-time" }), type: text }),
    ),
    run: ({ service, query }) => ({ data: service.account(query.key).events }),
  }),
  route("getRateLimit", "GET /rate-limit", "Returns the rate limit of one account", {
    query: oneAccount,
    response: rateLimit,
    run: ({ service, query }) => service.account(query.key).rateLimit,
  }),
  route("setPlan", "PUT /plan", "Changes the plan of one account, in a new window, until it is reset", {
    query: oneAccount,
    body: z.strictObject({ plan: planSchema }),
    example: { plan: { limit: 5, windowMs: 60_000 } },
    response: rateLimit,
    run({ service, query, body }) {
      const account = service.account(query.key);
      account.setPlan(body.plan);
      return account.rateLimit;
    },
  }),
  route("takeSnapshot", "GET /snapshot", "Returns the state of one account, or of the whole service", {
    query: anyAccount,
    response: stateRecords,
    run: (call) => targetOf(call).snapshot(),
  }),
  route("restoreSnapshot", "PUT /snapshot", "Restores a snapshot, into one account or the whole service", {
    query: anyAccount,
    body: stateRecords,
    example: [{ account: "test_demo", page: { id: "pg_tea", ...somePage } }],
    response: z.looseObject({ accounts: count, pages: count, events: count }),
    run: (call) => targetOf(call).restore(call.body),
  }),
];

const clock = { query: anyAccount, response: z.looseObject({ nowMs: timestampMs }) };
const noFault = "No fault has this id, or it was removed.";
const timestamp = z.union(
  [
    clockMomentSchema,
    z.iso
      .datetime({ offset: true })
      .transform((at) => Date.parse(at))
      .pipe(clockMomentSchema),
  ],
  { error: "expected milliseconds since 1970 UTC, or a timestamp such as 2026-12-24T18:00:00Z" },
);

const testingRoutes = [
  route("listFaults", "GET /faults", "Lists the faults that can still fire", {
    query: anyAccount,
    response: listOf(fault),
    run: (call) => ({ data: targetOf(call).faults.list() }),
  }),
  route("addFault", "POST /faults", "Adds a fault", {
    body: faultRuleSchema,
    example: { key: "test_demo", endpoint: "listPages", status: 500, times: 1 },
    status: 201,
    response: fault,
    run: ({ service, body }) => service.faults.add(body),
  }),
  route("getFault", "GET /faults/{id}", "Returns one fault and how often it has fired, also when it is used up", {
    response: fault,
    run: ({ service, id }) => found(service.faults.get(id), noFault),
  }),
  route("removeFault", "DELETE /faults/{id}", "Removes one fault", {
    run: ({ service, id }) => found(service.faults.get(id), noFault).remove(),
  }),
  route("clearFaults", "DELETE /faults", "Removes the faults of one account, or all", {
    query: anyAccount,
    run: (call) => targetOf(call).faults.clear(),
  }),
  route("listRequests", "GET /requests", "Lists the requests in the journal, oldest first", {
    query: requestQuery,
    response: listOf(recordedRequest),
    run: ({ service, query }) => ({ data: service.requests(query) }),
  }),
  route("watchRequests", "GET /requests/live", "Streams requests: a `journal` at first, then `requests` as they come", {
    isStream: true,
    query: liveQuery,
    response: shortRequests,
    run: ({ service, query, signal }) => liveRequests(service, query.match ?? {}, signal),
  }),
  route("getRequest", "GET /requests/{id}", "Returns a request with its whole response and the number of its attempt", {
    response: attemptedRequest,
    run({ service, id }) {
      const known = service.requests().find((request) => request.id === id);
      const request = found(known, "No request in the journal has this id.");
      return Object.assign({ attempt: RecordedRequest.attemptOf(request) }, request);
    },
  }),
  route("waitForRequest", "POST /requests/wait", "Waits for a request that matches and that no other wait received", {
    body: z.strictObject({ filter: optional(waitFilter), timeoutMs: optional(integer(0, 60_000)) }),
    example: { filter: { key: "test_demo", endpoint: "createPage" }, timeoutMs: 5000 },
    response: recordedRequest,
    async run({ service, body: { filter, timeoutMs = 5000 }, signal }) {
      const waiting = service.waitForRequest({ ...filter, times: 1 }, { timeoutMs, signal });
      const requests = await waiting.catch((error: unknown) => {
        throw error instanceof Error && !(error instanceof TypeError) ? new NotFoundError(error.message) : error;
      });
      return requests[0];
    },
  }),
  route("getClock", "GET /clock", "Returns the time of one account, or of the service", {
    ...clock,
    run: (call) => ({ nowMs: targetOf(call).clock.now() }),
  }),
  route("setClock", "PUT /clock", "Sets the clock of one account, or of all; it runs on from there", {
    ...clock,
    body: z.strictObject({ at: timestamp }),
    example: { at: "2026-12-24T18:00:00Z" },
    run(call) {
      const { clock } = targetOf(call);
      clock.set(call.body.at);
      return { nowMs: clock.now() };
    },
  }),
  route("advanceClock", "POST /clock/advance", "Moves the clock of one account, or of all, forward", {
    ...clock,
    body: z.strictObject({ ms: clockStepSchema }),
    example: { ms: 60_000 },
    run(call) {
      const { clock } = targetOf(call);
      clock.advance(call.body.ms);
      return { nowMs: clock.now() };
    },
  }),
];

/** All operations of the control API. */
export const routes: readonly ControlRoute[] = [...serviceRoutes, ...stateRoutes, ...testingRoutes];

/** A query for one account, or all. */
type AccountCall = Pick<ControlCall<{ key?: string }, unknown>, "service" | "query">;

/** The account in a query, or the whole service. */
function targetOf({ service, query: { key } }: AccountCall): MockService | AccountHandle {
  return key === undefined ? service : service.account(key);
}

/** Nothing has the id in the path, or a wait ended without a request. The control API responds with 404. */
export class NotFoundError extends Error {
  override name = "NotFoundError" as const;
}

/** Returns the value. @throws {NotFoundError} when it is `undefined`. */
function found<Value>(value: Value | undefined, detail: string): Value {
  if (value === undefined) throw new NotFoundError(detail);
  return value;
}

function readDialect(given: unknown, context: z.RefinementCtx): DialectChoice {
  try {
    return resolveDialect(given);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
    return z.NEVER;
  }
}

function listPresets({ dialect }: MockService): object[] {
  const inForce = JSON.stringify(dialect);
  return Object.keys(dialectPresets).map((name) => {
    return { name, isInForce: JSON.stringify(resolveDialect(name)) === inForce };
  });
}

function describeGaps({ dialect }: MockService): object[] {
  const inForce = new Map<string, string>(Object.entries(dialect.switches));
  return Object.entries<Gap>(gaps).map(([id, { heading, question, interpretations }]) => {
    const [assumed = ""] = Object.keys(interpretations);
    const interpretation = inForce.get(id) ?? assumed;
    const meaning = interpretations[interpretation];
    return { id, heading, question, interpretation, meaning, isSwitched: interpretation !== assumed };
  });
}

/** Sends one request to each endpoint, and two wrong ones, to a new service with the given dialect and domains. */
async function sampleResponses(choice: DialectChoice, domains: readonly Domain[]): Promise<object[]> {
  const account = createMockService({ dialect: choice, domains }).account("test_sample");
  const { apiKey, baseUrl, fetch } = account.clientOptions;
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  const send = async (name: string, method: string, path: string, content?: object): Promise<object> => {
    const body = content === undefined ? null : JSON.stringify(content);
    const response = await fetch(baseUrl + path, { method, headers, body });
    return { name, method, path, status: response.status, body: await response.text() };
  };
  const created = await send("createPage", "POST", "/api/content", somePage);
  const pageId = account.pages[0]?.id ?? "";
  const path = `/api/content/${pageId}`;
  return [
    created,
    await send("listPages", "GET", "/api/content"),
    await send("updatePage", "PUT", path, { title: "Tea in Uji" }),
    await send("trackEvent", "POST", "/api/analytics/view", { pageId, timestamp: "2026-01-31T12:00:00Z" }),
    await send("deletePage", "DELETE", path),
    await send("a wrong field", "POST", "/api/content", { ...somePage, slug: "Not a slug" }),
    await send("an unknown page", "DELETE", path),
  ];
}
