import { type EndpointName, writeRateLimit } from "@landing-page-service/contract";
import { operations } from "../api/operations.ts";
import { endpointName, matchRoute, type Route } from "../api/routes.ts";
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
  internalError,
  resetMeanwhile,
  showDocument,
  faultResponse,
  testEnded,
  tooMany,
  unauthorized,
  unrouted,
} from "./fixed-responses.ts";

/** The pipeline of a request: route, account, rate limit, fault, operation, response, journal. */
export async function handle(context: Context, request: PlainRequest): Promise<PlainAnswer> {
  const exchange = open(context, request);
  const { account, key, fault, endpoint, id, rate } = exchange;
  // Without a delay nothing is awaited, so that a call takes effect before the next line of a test.
  const delayMs = context.latencyMs + (fault?.when === "before" ? (fault.delayMs ?? 0) : 0);
  if (delayMs > 0) await hold(context, exchange, delayMs);

  const refusal = refuse(context, exchange);
  const done = refusal ?? operate(context, exchange);
  if (fault?.when === "after" && fault.delayMs) await hold(context, exchange, fault.delayMs);
  const isAfter = refusal === undefined && fault?.when === "after" && fault.status !== undefined;
  const result = wasReset(exchange) ? resetMeanwhile : isAfter ? faultResponse(fault, exchange) : done;

  const rendered = context.config.render(result, {
    endpoint,
    path: request.path,
    origin: request.origin,
    rateHeaders: writeRateLimit(rate),
    requestId: id,
    nowMs: context.now(account ?? context.accounts.anonymous(key)),
  });
  const whole = fitToMethod(rendered, request.method);
  const wire = result === resetMeanwhile || result === testEnded ? undefined : fault?.wire;
  const response = wire === undefined ? whole : { ...whole, wire };
  if (!wasReset(exchange)) record(context, exchange, response, done);
  return response;
}

/** A request on its way through the service. */
type Exchange = ReturnType<typeof open>;

/** Finds the route and the account of a request, counts it in the rate limit, and draws its fault. */
function open(context: Context, request: PlainRequest) {
  const { method, path } = request;
  const route = matchRoute(method, path);
  const endpoint = endpointName(route);
  const body = new RequestBody(request.body);
  const key = readBearerKey(request.headers);
  const account = key === undefined ? undefined : context.accounts.find(key);
  const caller = account ?? context.accounts.anonymous(key);
  const startedAtMs = context.now(caller);
  const isAllowed = route.kind === "document" || caller.limiter.take(startedAtMs);
  const routed: RoutedRequest = { request, body, route, endpoint, account };
  return {
    ...routed,
    key,
    /** The account's state when the request came. Once the account has another one, the request writes nothing. */
    state: account?.state,
    id: caller.requestIds.next(startedAtMs),
    rate: caller.limiter.state(startedAtMs),
    isAllowed,
    startedAtMs,
    realStartMs: context.realNow(),
    fault: account && context.faults.fire(account, viewRequest(context, routed), isAllowed),
  };
}

/** The response of a request that reaches no operation; `undefined` when the operation is to run. */
function refuse(context: Context, exchange: Exchange): Refusal | TextOutcome | undefined {
  const { account, route, fault, isAllowed } = exchange;
  if (account === undefined && route.kind === "document") return showDocument(route.document, context.config.dialect);
  if (context.hasEnded) return testEnded;
  if (account === undefined) return unauthorized;
  if (wasReset(exchange)) return resetMeanwhile;
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
  const { encodedId, endpoint } = route;
  const nowMs = context.now(account);
  try {
    return operations[endpoint.name]({ ...context.config, request, body, encodedId, state, assignmentRules, nowMs });
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
  const view = viewRequest(context, exchange, answer?.status, pageIdOf(done));
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

/** The page that an operation was about. */
function pageIdOf(done: Outcome | TextOutcome | undefined): string | undefined {
  if (done === undefined || isRefusal(done) || "text" in done) return undefined;
  return done.page?.id ?? done.event?.pageId;
}

/** A request with its route and its account. */
interface RoutedRequest {
  readonly request: PlainRequest;
  readonly body: RequestBody;
  readonly route: Route;
  readonly endpoint: EndpointName | undefined;
  readonly account: Account | undefined;
}

/** A request as matchers see it. Its body is read when a matcher asks for it. */
function viewRequest(context: Context, routed: RoutedRequest, status?: number, pageId?: string): MatchableRequest {
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
function readWrittenId({ endpoint, route, body }: RoutedRequest): string | undefined {
  if (endpoint === "trackEvent") {
    const { content } = body;
    const isNamed = typeof content === "object" && content !== null && "pageId" in content;
    return isNamed && typeof content.pageId === "string" ? content.pageId : undefined;
  }
  if (route.kind !== "endpoint" || route.encodedId === "") return undefined;
  try {
    return decodeURIComponent(route.encodedId);
  } catch {
    return undefined;
  }
}

/** Whether the account has another state than when the request came. */
function wasReset({ account, state }: Exchange): boolean {
  return account?.state !== state;
}

/** Holds a request back. A reset of its account ends the wait. When its caller goes away, it is recorded and rejects. */
async function hold(context: Context, exchange: Exchange, delayMs: number): Promise<void> {
  const { account, request } = exchange;
  const { signal } = request;
  const cut = new AbortController();
  const abort = (): void => cut.abort();
  signal?.addEventListener("abort", abort);
  account?.inFlight.add(cut);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  cut.signal.addEventListener("abort", () => resolve());
  if (signal?.aborted) abort();
  else
    context
      .sleep(delayMs, cut.signal)
      .then(resolve, (error: unknown) => (cut.signal.aborted ? resolve() : reject(error)));
  try {
    await promise;
  } finally {
    account?.inFlight.delete(cut);
    signal?.removeEventListener("abort", abort);
  }
  if (signal?.aborted !== true) return;
  if (!wasReset(exchange)) record(context, exchange, undefined);
  signal.throwIfAborted();
}
