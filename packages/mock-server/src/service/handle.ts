import { type EndpointName, writeRateLimit } from "@landing-page-service/contract";
import { readJson } from "../api/input.ts";
import { matchRoute, operations, type Route } from "../api/operations.ts";
import { leaveOutBody, type PlainAnswer, type PlainRequest, receivedPart, type RequestOutcome } from "../http-types.ts";
import { type Account, readBearerKey } from "../state/accounts.ts";
import type { FiredFault } from "../testing/faults.ts";
import type { MatchableRequest } from "../testing/match.ts";
import type { Context } from "./context.ts";
import {
  faultResponse,
  internalError,
  resetMeanwhile,
  showDocument,
  testEnded,
  tooMany,
  unauthorized,
  unrouted,
} from "./fixed-responses.ts";

/** The pipeline of a request: route, account, rate limit, fault, operation, response, journal. */
export async function handle(context: Context, request: PlainRequest): Promise<PlainAnswer> {
  const exchange = open(context, request);
  const { caller, fault, rate, startedAtMs } = exchange;
  // Without a delay nothing is awaited, so that a call takes effect before the next line of a test.
  const delayMs = context.latencyMs + (fault?.when === "before" ? (fault.delayMs ?? 0) : 0);
  if (delayMs > 0) await hold(context, exchange, delayMs);
  const done = run(context, exchange);
  if (fault?.when === "after" && fault.delayMs) await hold(context, exchange, fault.delayMs);

  const wasReset = exchange.state?.replaced.signal.aborted === true;
  const isOver = wasReset || done === testEnded;
  const isReplaced = !isOver && fault?.when === "after" && fault.status !== undefined;
  const outcome = wasReset ? resetMeanwhile : isReplaced ? faultResponse(fault, rate, startedAtMs) : done;
  const rendered = context.config.render(outcome, {
    endpoint: exchange.endpoint,
    path: request.path,
    origin: request.origin,
    rateHeaders: writeRateLimit(rate),
    requestId: exchange.id,
    nowMs: caller.now(),
  });
  const whole = request.method === "HEAD" ? leaveOutBody(rendered) : rendered;
  const response = isOver || fault?.wire === undefined ? whole : { ...whole, wire: fault.wire };
  if (!wasReset) record(context, exchange, receivedPart(response), done);
  return response;
}

/** A request on its way through the service. */
type Exchange = ReturnType<typeof open>;

/** Finds the route and the account of a request, counts it in the rate limit, and draws its fault. */
function open(context: Context, request: PlainRequest) {
  const { accounts, faults } = context;
  const route = matchRoute(request.method, request.path);
  const key = readBearerKey(request.headers);
  const account = key === undefined ? undefined : accounts.find(key);
  const caller = account ?? accounts.anonymous;
  const startedAtMs = caller.now();
  const isCounted = route.kind !== "document";
  const rate = isCounted ? caller.takeRequest(startedAtMs) : { ...caller.rateLimit(startedAtMs), isAllowed: true };
  const routed: Routed = { request, route, endpoint: route.endpoint, account };
  const view = viewRequest(request, route.endpoint, () => findPageId(context, routed));
  return {
    ...routed,
    key,
    caller,
    /** The state of the account at the start. If another one has replaced it, the request writes nothing. */
    state: account?.state,
    id: caller.ids.next("req_", startedAtMs),
    rate,
    startedAtMs,
    realStartMs: accounts.realNow(),
    fault: account && faults.fire(account, view, rate.isAllowed),
  };
}

/** The outcome of a request: a document, a refusal, a fault, or the result of its endpoint. */
function run(context: Context, exchange: Exchange): RequestOutcome {
  const { request, route, account, state, fault, caller, rate, startedAtMs } = exchange;
  const { config } = context;
  if (account === undefined && route.kind === "document") return showDocument(route.document, config.dialect);
  if (context.hasEnded) return testEnded;
  if (account === undefined) return unauthorized;
  if (state?.replaced.signal.aborted) return resetMeanwhile;
  if (fault?.when === "before" && isFinal(fault)) return faultResponse(fault, rate, startedAtMs);
  if (!rate.isAllowed) return tooMany(rate, startedAtMs);
  if (route.kind === "document") return showDocument(route.document, config.dialect);
  if (route.kind !== "endpoint") return unrouted(route, request);
  const { assignmentRules } = account;
  try {
    return operations[route.endpoint]({
      ...config,
      request,
      id: route.id,
      state: account.state,
      assignmentRules,
      nowMs: caller.now(),
    });
  } catch (error) {
    return internalError(error);
  }
}

/** Whether a fault takes the place of the response. A delay alone does not. */
function isFinal({ status, wire }: FiredFault): boolean {
  return (status ?? wire) !== undefined;
}

/** Records a request in the journal, with the id of its page. */
function record(
  context: Context,
  exchange: Exchange,
  answer: Partial<PlainAnswer>,
  done: RequestOutcome | undefined,
): void {
  const { request, id, key, account, endpoint, fault, startedAtMs } = exchange;
  const success = done !== undefined && !("refused" in done || "text" in done) ? done : undefined;
  const pageId = success?.page?.id ?? success?.event?.pageId ?? findPageId(context, exchange);
  const isFound = account !== undefined && (endpoint !== undefined || done === undefined);
  const isServed = done !== undefined && !("refused" in done);
  const isHandled = (fault !== undefined && isFinal(fault)) || isFound || isServed;
  // The `now` of a test may go back.
  const durationMs = Math.max(context.accounts.realNow() - exchange.realStartMs, 0);
  const about = { id, account, key, endpoint, pageId, startedAtMs, durationMs, fault: fault?.id };
  const raw = viewRequest(request, endpoint, () => pageId, answer.status);
  context.journal.record({ ...about, request, answer }, raw, isHandled);
}

/** A request for matchers. Its body and page are read only if a matcher needs them. */
function viewRequest(
  { method, path, query, headers, body }: PlainRequest,
  endpoint: EndpointName | undefined,
  findPage: () => string | undefined,
  status?: number,
): MatchableRequest {
  return {
    endpoint,
    method,
    path,
    query,
    status,
    get pageId() {
      return findPage();
    },
    header: (name) => headers.get(name),
    get body() {
      return new TextDecoder().decode(body);
    },
  };
}

/** The id of the page in the path or the event of a request. It is as the caller wrote it if there is no such page. */
function findPageId({ config }: Context, { endpoint, route, request, account }: Routed): string | undefined {
  const written = endpoint === "trackEvent" ? readEvent(request).pageId : route.kind === "endpoint" && route.id;
  if (typeof written !== "string" || written === "") return undefined;
  const page = account && config.findPage(account.state.pages, written);
  return page ? page.record.id : written;
}

function readEvent({ body }: PlainRequest): { pageId?: unknown } {
  const json = readJson(body);
  return Object("value" in json && json.value) as { pageId?: unknown }; // why: a caller may send anything
}

/** A request with its route and its account. */
interface Routed {
  readonly request: PlainRequest;
  readonly route: Route;
  readonly endpoint: EndpointName | undefined;
  readonly account: Account | undefined;
}

/** Delays a request. A reset of its account ends the delay. If the caller disconnects, the request is recorded and rejects. */
async function hold(context: Context, exchange: Exchange, delayMs: number): Promise<void> {
  const { signal } = exchange.request;
  const { replaced } = exchange.state ?? {};
  const cut = AbortSignal.any([signal, replaced?.signal].filter((some) => some !== undefined));
  if (!cut.aborted) {
    const isCut = new Promise((resolve) => cut.addEventListener("abort", resolve));
    await Promise.race([isCut, context.sleep(delayMs, cut)]).catch((error: unknown) => {
      if (!cut.aborted) throw error;
    });
  }
  if (signal?.aborted !== true) return;
  if (replaced?.signal.aborted !== true) record(context, exchange, {}, undefined);
  signal.throwIfAborted();
}
