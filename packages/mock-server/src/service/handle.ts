import { type EndpointName, writeRateLimit } from "@landing-page-service/contract";
import { readJson } from "../api/input.ts";
import { matchRoute, operations, type Route } from "../api/operations.ts";
import { leaveOutBody, type Outcome, type PlainAnswer, type PlainRequest, type TextOutcome } from "../http-types.ts";
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
  const { caller, fault } = exchange;
  // Without a delay nothing is awaited, so that a call takes effect before the next line of a test.
  const delayMs = context.latencyMs + (fault?.when === "before" ? (fault.delayMs ?? 0) : 0);
  if (delayMs > 0) await hold(context, exchange, delayMs);
  const done = run(context, exchange);
  if (fault?.when === "after" && fault.delayMs) await hold(context, exchange, fault.delayMs);

  const wasReset = exchange.state?.replaced.signal.aborted === true;
  const isOver = wasReset || done === testEnded;
  const isReplaced = !isOver && fault?.when === "after" && fault.status !== undefined;
  const outcome = wasReset ? resetMeanwhile : isReplaced ? faultResponse(fault, exchange) : done;
  const rendered = context.config.render(outcome, {
    endpoint: exchange.endpoint,
    path: request.path,
    origin: request.origin,
    rateHeaders: writeRateLimit(exchange.rate),
    requestId: exchange.id,
    nowMs: caller.now(),
  });
  const whole = request.method === "HEAD" ? leaveOutBody(rendered) : rendered;
  const response = isOver || fault?.wire === undefined ? whole : { ...whole, wire: fault.wire };
  if (!wasReset) record(context, exchange, response, done);
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
  const isAllowed = route.kind === "document" || caller.takeRequest(startedAtMs);
  const routed: Routed = { request, route, endpoint: route.endpoint, account };
  return {
    ...routed,
    key,
    caller,
    /** The state of the account at the start. If another one has replaced it, the request writes nothing. */
    state: account?.state,
    id: caller.ids.next("req_", startedAtMs),
    rate: caller.rateLimit(startedAtMs),
    isAllowed,
    startedAtMs,
    realStartMs: accounts.realNow(),
    fault: account && faults.fire(account, viewRequest(context, routed), isAllowed),
  };
}

/** The outcome of a request: a document, a refusal, a fault, or the result of its endpoint. */
function run(context: Context, exchange: Exchange): Outcome | TextOutcome {
  const { request, route, account, state, fault, caller } = exchange;
  const { config } = context;
  if (account === undefined && route.kind === "document") return showDocument(route.document, config.dialect);
  if (context.hasEnded) return testEnded;
  if (account === undefined) return unauthorized;
  if (state?.replaced.signal.aborted) return resetMeanwhile;
  if (fault?.when === "before" && isFinal(fault)) return faultResponse(fault, exchange);
  if (!exchange.isAllowed) return tooMany(exchange);
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

/** Writes a request into the journal, with the page that it was about. */
function record(
  context: Context,
  exchange: Exchange,
  answer: PlainAnswer | undefined,
  done: Outcome | TextOutcome | undefined,
): void {
  const { request, id, key, account, endpoint, fault, startedAtMs } = exchange;
  const success = done !== undefined && !("refused" in done || "text" in done) ? done : undefined;
  const raw = viewRequest(context, exchange, answer?.status, success?.page?.id ?? success?.event?.pageId);
  const isFound = account !== undefined && (endpoint !== undefined || answer === undefined);
  const isHandled = (fault !== undefined && isFinal(fault)) || isFound || (answer !== undefined && answer.status < 400);
  const { pageId } = raw;
  // The `now` of a test may go back.
  const durationMs = Math.max(context.accounts.realNow() - exchange.realStartMs, 0);
  const about = { id, account, key, endpoint, pageId, startedAtMs, durationMs, fault: fault?.id };
  context.journal.record({ ...about, request, answer }, raw, isHandled);
}

/** A request for matchers. Its body and page are read only if a matcher needs them. */
function viewRequest(context: Context, routed: Routed, status?: number, pageId?: string): MatchableRequest {
  const { request, endpoint, account } = routed;
  const { method, path, query, headers, body } = request;
  return {
    endpoint,
    method,
    path,
    query,
    status,
    get pageId() {
      if (pageId !== undefined) return pageId;
      const written = readWrittenId(routed);
      const page = written && account && context.config.findPage(account.state.pages, written);
      return page ? page.record.id : written;
    },
    header: (name) => headers.get(name),
    get body() {
      return new TextDecoder().decode(body);
    },
  };
}

/** A request with its route and its account. */
interface Routed {
  readonly request: PlainRequest;
  readonly route: Route;
  readonly endpoint: EndpointName | undefined;
  readonly account: Account | undefined;
}

/** The page id in the path or the event of a request, as the caller wrote it. */
function readWrittenId({ endpoint, route, request }: Routed): string | undefined {
  if (endpoint !== "trackEvent") return (route.kind === "endpoint" && route.id) || undefined;
  const json = readJson(request.body);
  const { pageId } = Object("value" in json && json.value) as { pageId?: unknown }; // why: a caller may send anything
  return typeof pageId === "string" ? pageId : undefined;
}

/** Delays a request. A reset of its account ends the delay. If the caller goes away, the request is recorded and rejects. */
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
  if (replaced?.signal.aborted !== true) record(context, exchange, undefined, undefined);
  signal.throwIfAborted();
}
