import { type EndpointName, writeRateLimit } from "@landing-page-service/contract";
import { endpointName, matchRoute, operations, type Route } from "../api/operations.ts";
import {
  fitToMethod,
  isRefusal,
  type Outcome,
  type PlainAnswer,
  type PlainRequest,
  type Refusal,
  RequestBody,
  type TextOutcome,
} from "../http-types.ts";
import { type Account, readBearerKey } from "../state/accounts.ts";
import type { FiredFault } from "../testing/faults.ts";
import type { MatchableRequest } from "../testing/match.ts";
import { RecordedRequest } from "../testing/journal.ts";
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
  const { caller, state, fault, endpoint, id, rate } = exchange;
  // Without a delay nothing is awaited, so that a call takes effect before the next line of a test.
  const delayMs = context.latencyMs + (fault?.when === "before" ? (fault.delayMs ?? 0) : 0);
  if (delayMs > 0) await hold(context, exchange, delayMs);

  const refusal = refuse(context, exchange);
  const done = refusal ?? operate(context, exchange);
  if (fault?.when === "after" && fault.delayMs) await hold(context, exchange, fault.delayMs);
  const isAfter = refusal === undefined && fault?.when === "after" && fault.status !== undefined;
  const wasReset = state?.replaced.signal.aborted === true;
  const result = wasReset ? resetMeanwhile : isAfter ? faultResponse(fault, exchange) : done;

  const { path, origin, method } = request;
  const frame = {
    endpoint,
    path,
    origin,
    rateHeaders: writeRateLimit(rate),
    requestId: id,
    nowMs: context.now(caller),
  };
  const whole = fitToMethod(context.config.render(result, frame), method);
  const wire = result === resetMeanwhile || result === testEnded ? undefined : fault?.wire;
  const response = wire === undefined ? whole : { ...whole, wire };
  if (!wasReset) record(context, exchange, response, done);
  return response;
}

/** A request on its way through the service. */
type Exchange = ReturnType<typeof open>;

/** Finds the route and the account of a request, counts it in the rate limit, and draws its fault. */
function open(context: Context, request: PlainRequest) {
  const route = matchRoute(request.method, request.path);
  const key = readBearerKey(request.headers);
  const account = key === undefined ? undefined : context.accounts.find(key);
  const caller = account ?? context.accounts.anonymous;
  const startedAtMs = context.now(caller);
  const isAllowed = route.kind === "document" || caller.limiter.take(startedAtMs);
  const routed: Routed = {
    request,
    route,
    endpoint: endpointName(route),
    body: new RequestBody(request.body),
    account,
  };
  return {
    ...routed,
    key,
    caller,
    /** The account's state when the request came. Once the account has another one, the request writes nothing. */
    state: account?.state,
    id: caller.ids.next("req_", startedAtMs),
    rate: caller.limiter.state(startedAtMs),
    isAllowed,
    startedAtMs,
    realStartMs: context.realNow(),
    fault: account && context.faults.fire(account, viewRequest(context, routed), isAllowed),
  };
}

/** The response of a request that reaches no operation; `undefined` when the operation is to run. */
function refuse(context: Context, exchange: Exchange): Refusal | TextOutcome | undefined {
  const { account, state, route, fault, isAllowed } = exchange;
  if (account === undefined && route.kind === "document") return showDocument(route.document, context.config.dialect);
  if (context.hasEnded) return testEnded;
  if (account === undefined) return unauthorized;
  if (state?.replaced.signal.aborted) return resetMeanwhile;
  if (fault?.when === "before" && isFinal(fault)) return faultResponse(fault, exchange);
  return isAllowed ? undefined : tooMany(exchange);
}

/** Whether a fault takes the place of the response. A delay alone does not. */
function isFinal({ status, wire }: FiredFault): boolean {
  return (status ?? wire) !== undefined;
}

function operate(context: Context, { request, body, route, account }: Exchange): Outcome | TextOutcome {
  if (route.kind === "document") return showDocument(route.document, context.config.dialect);
  if (route.kind !== "endpoint" || account === undefined) return unrouted(route, request);
  const { state, assignmentRules } = account;
  const { id, endpoint } = route;
  const nowMs = context.now(account);
  try {
    return operations[endpoint.name]({ ...context.config, request, body, id, state, assignmentRules, nowMs });
  } catch (error) {
    return internalError(error);
  }
}

/** Writes a request into the journal of its account, and offers it to waits and listeners. */
function record(
  context: Context,
  exchange: Exchange,
  answer: PlainAnswer | undefined,
  done?: Outcome | TextOutcome,
): void {
  const { account, endpoint, fault, realStartMs } = exchange;
  // The page that the operation was about.
  const success = done === undefined || isRefusal(done) || "text" in done ? undefined : done;
  const pageId = success?.page?.id ?? success?.event?.pageId;
  const view = viewRequest(context, exchange, answer?.status, pageId);
  const recorded = new RecordedRequest({
    ...exchange,
    answer,
    account: account?.label,
    pageId: view.pageId,
    // A clock of the test's own may go back.
    durationMs: Math.max(context.realNow() - realStartMs, 0),
    fault: fault?.id,
  });
  const isFound = account !== undefined && (endpoint !== undefined || answer === undefined);
  const isHandled = (fault !== undefined && isFinal(fault)) || isFound || (answer !== undefined && answer.status < 400);
  context.journalOf(account).record(recorded, isHandled);
  context.waits.offer(recorded, view, account);
  for (const hear of context.listeners) hear(recorded, view, account);
}

/** A request with its route and its account. */
interface Routed {
  readonly request: PlainRequest;
  readonly route: Route;
  readonly endpoint: EndpointName | undefined;
  readonly body: RequestBody;
  readonly account: Account | undefined;
}

/** A request as matchers see it. Its body is read when a matcher asks for it. */
function viewRequest(context: Context, routed: Routed, status?: number, pageId?: string): MatchableRequest {
  const { request, endpoint, body, account } = routed;
  const { method, path, query, headers } = request;
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
      return body.text;
    },
  };
}

/** The page that a request names, in its path or as an event, as its caller writes it. */
function readWrittenId({ endpoint, route, body }: Routed): string | undefined {
  if (endpoint !== "trackEvent") return (route.kind === "endpoint" && route.id) || undefined;
  const { pageId } = Object("value" in body.json && body.json.value) as { pageId?: unknown }; // why: a caller may send anything
  return typeof pageId === "string" ? pageId : undefined;
}

/** Holds a request back. A reset of its account ends the wait. When its caller goes away, it is recorded and rejects. */
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
  if (replaced?.signal.aborted !== true) record(context, exchange, undefined);
  signal.throwIfAborted();
}
