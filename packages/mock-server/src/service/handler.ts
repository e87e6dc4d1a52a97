import { writeRateLimit } from "@landing-page-service/contract";
import { openApiDocument } from "@landing-page-service/contract/openapi";
import { type Account, type Accounts, type AccountState, type Caller, readBearerKey } from "../state/accounts.ts";
import type { AnonymousCallers } from "../state/anonymous.ts";
import { spellHeaders } from "../exchange/headers.ts";
import { isRefusal, type Outcome, type Refusal, type Success } from "../exchange/outcome.ts";
import { fitToMethod, type PlainAnswer, type PlainRequest } from "../exchange/plain.ts";
import { writeAnswer } from "./write-answer.ts";
import { FaultPlan, type Strike } from "../testing/faults.ts";
import type { Manner } from "./manner.ts";
import { RecordedRequest } from "../testing/recorded.ts";
import { RequestView } from "../testing/request-view.ts";
import type { Toolbox } from "../testing/tools.ts";
import type { RateState } from "../state/limiter.ts";
import { operations } from "../api/operations.ts";
import { endpointName, matchRoute, type Route } from "../api/routes.ts";

/** What requests are answered with. */
export interface HandlerParts {
  readonly accounts: Accounts;
  readonly anonymous: AnonymousCallers;
  readonly toolbox: Toolbox;
  readonly manner: Manner;
  readonly latencyMs: number;
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** A request on its way through the service. */
interface Call {
  readonly request: PlainRequest;
  readonly route: Route;
  readonly id: string;
  readonly startedAtMs: number;
  /** The same moment as nobody moves it. */
  readonly realStartMs: number;
  readonly key: string | undefined;
  readonly account: Account | undefined;
  /** The account, or whoever has none. */
  readonly caller: Caller;
  /** The account whose `fetch` was used. */
  readonly via: Account | undefined;
  /** The account's state when the request began; once the account has another one, the call writes nothing. */
  readonly state: AccountState | undefined;
  readonly strike: Strike | undefined;
  readonly isAllowed: boolean;
  readonly rate: RateState;
}

/** Makes the function that answers requests, in the order: key, planned fault, rate limit, route, content type, size, JSON, fields. */
export function createHandler(parts: HandlerParts): (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer> {
  const { accounts, anonymous, latencyMs, toolbox } = parts;

  function open(request: PlainRequest): Call {
    const route = matchRoute(request.method, request.path);
    const key = readBearerKey(request.headers);
    const account = key === undefined ? undefined : accounts.find(key);
    const via = request.via === undefined ? undefined : accounts.byId(request.via);
    const caller = account ?? anonymous.find(key, via);
    const startedAtMs = toolbox.now(caller);
    const isAllowed = route.kind === "openapi" || caller.limiter.take(startedAtMs);
    return {
      request,
      route,
      id: caller.requestIds.next(startedAtMs),
      startedAtMs,
      realStartMs: toolbox.realNow(),
      key,
      account,
      caller,
      via,
      state: account?.stateSince(request.generation ?? accounts.generation),
      strike:
        account === undefined || route.kind === "openapi" ? undefined : strike(account, request, route, isAllowed),
      isAllowed,
      rate: caller.limiter.state(startedAtMs),
    };
  }

  /** The planned fault that strikes a request. */
  function strike(account: Account, request: PlainRequest, route: Route, isAllowed: boolean): Strike | undefined {
    const [shared, own] = [toolbox.shared.faults, toolbox.of(account).faults];
    if (shared.isEmpty && own.isEmpty) return undefined;
    const plans = [shared, own].filter((plan) => !plan.isEmpty);
    return FaultPlan.strike(plans, { isAllowed, view: new RequestView({ request, endpoint: endpointName(route) }) });
  }

  /** Decides, at once; a delay comes before it or after it. */
  function decide(call: Call): Decision {
    const { route, account, strike } = call;
    if (route.kind === "openapi") return { outcome: openApi() };
    if (account === undefined) return { outcome: unauthorized };
    if (wasReset(call)) return { outcome: resetMeanwhile };
    if (strike?.when === "before" && (strike.status ?? strike.wire) !== undefined)
      return { ...planned(strike, call), isPlanned: true };
    if (!call.isAllowed) return { outcome: tooMany(call) };
    const outcome = carryOut(call, { account, nowMs: toolbox.now(account), manner: parts.manner });
    if (strike?.when === "after" && strike.status !== undefined) return { ...planned(strike, call), isPlanned: true };
    return strike?.when === "after" && strike.wire !== undefined ? { outcome, wire: strike.wire } : { outcome };
  }

  function finish(call: Call, { outcome, wire, isPlanned }: Decision): PlainAnswer {
    const { request, id, rate } = call;
    const nowMs = toolbox.now(call.caller);
    const endpoint = endpointName(call.route);
    const written = writeAnswer(outcome, { id, rateHeaders: writeRateLimit(rate), nowMs });
    // What a planned fault asks for is no success of the endpoint, and is left as it is.
    const deleted = isRefusal(outcome) ? undefined : outcome.deleted;
    const said = { endpoint: isPlanned ? undefined : endpoint, request, answer: written, deleted, nowMs };
    const spoken = parts.manner.speak(said);
    const answer = fitToMethod(spoken, request.method);
    const broken = wire === undefined ? answer : { ...answer, wire };
    if (!wasReset(call)) record(call, broken, isRefusal(outcome) ? undefined : outcome);
    return broken;
  }

  /** Writes a call into the journal of its account, and gives it to whoever waits for it. */
  function record(call: Call, answer: PlainAnswer, success: Success | undefined): void {
    const { request, id, key, account, via, startedAtMs, realStartMs } = call;
    const endpoint = endpointName(call.route);
    // A clock of the test's own may go back.
    const durationMs = Math.max(toolbox.realNow() - realStartMs, 0);
    const createdPath = success?.headers?.["Location"];
    // In another dialect the body that was sent is another one.
    const rewrite = answer.body === success?.body ? success?.rewrite : undefined;
    const recorded = new RecordedRequest({
      request,
      answer,
      rewrite,
      id,
      account: account?.label,
      key,
      endpoint,
      startedAtMs,
      durationMs,
      createdPath,
    });
    const owner = account ?? via;
    const { journal } = owner === undefined ? toolbox.shared : toolbox.of(owner);
    journal.record(recorded, toolbox.nextRequest());
    if (!toolbox.waits.isEmpty)
      toolbox.waits.offer(recorded, new RequestView({ request, answer, endpoint, createdPath }), owner);
  }

  /** Holds a call back. A reset of its account ends the wait, and so does its caller's going away, which rejects. */
  async function hold({ request: { signal }, account }: Call, delayMs: number): Promise<void> {
    signal?.throwIfAborted();
    const cut = new AbortController();
    const abort = (): void => cut.abort();
    signal?.addEventListener("abort", abort);
    account?.underWay.add(cut);
    try {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      cut.signal.addEventListener("abort", () => resolve());
      parts
        .sleep(delayMs, cut.signal)
        .then(resolve, (error: unknown) => (cut.signal.aborted ? resolve() : reject(error)));
      await promise;
    } finally {
      account?.underWay.delete(cut);
      signal?.removeEventListener("abort", abort);
    }
    signal?.throwIfAborted();
  }

  async function answerSlowly(call: Call, beforeMs: number, afterMs: number): Promise<PlainAnswer> {
    if (beforeMs > 0) await hold(call, beforeMs);
    const decision = decide(call);
    if (afterMs > 0) await hold(call, afterMs);
    return finish(call, wasReset(call) ? { outcome: resetMeanwhile } : decision);
  }

  return (request) => {
    const call = open(request);
    const faultMs = call.strike?.delayMs ?? 0;
    const beforeMs = latencyMs + (call.strike?.when === "before" ? faultMs : 0);
    const afterMs = call.strike?.when === "after" ? faultMs : 0;
    return beforeMs + afterMs > 0 ? answerSlowly(call, beforeMs, afterMs) : finish(call, decide(call));
  };
}

/** What is to be answered, and how the answer is to break. */
interface Decision {
  readonly outcome: Outcome;
  readonly wire?: PlainAnswer["wire"];
  /** Whether a planned fault decided. */
  readonly isPlanned?: boolean;
}

// Source: spec, "Authentication".
const unauthorized: Refusal = {
  refused: 401,
  detail:
    "The API key is missing or invalid: expected Authorization: Bearer <API_KEY>. In this mock, any key that begins with test_ opens an account of its own.",
  headers: { "WWW-Authenticate": "Bearer" },
};

const resetMeanwhile: Refusal = { refused: 503, detail: "The account was reset while this request was under way." };

function wasReset({ account, state }: Call): boolean {
  return account?.state !== state;
}

/** What carrying out takes beside the request. */
interface Workplace {
  readonly account: Account;
  readonly nowMs: number;
  readonly manner: Manner;
}

function carryOut({ request, route }: Call, { account: { state, placeRules }, nowMs, manner }: Workplace): Outcome {
  const shownPath = request.path.slice(0, 200);
  if (route.kind === "endpoint") {
    const { encodedId, endpoint } = route;
    const { switches, inputs, network } = manner;
    return operations[endpoint.name]({ switches, inputs, network, request, encodedId, state, placeRules, nowMs });
  }
  if (route.kind === "options") return { status: 204, headers: { Allow: route.allow } };
  if (route.kind === "wrong-method") {
    const detail = `${shownPath} takes ${route.allow}, not ${request.method.slice(0, 40)}.`;
    return { refused: 405, detail, headers: { Allow: route.allow } };
  }
  return { refused: 404, detail: `Nothing is at ${shownPath}.` };
}

function planned({ status, headers = {}, body, wire }: Strike, { rate, startedAtMs }: Call): Decision {
  if (status === undefined) return { outcome: { refused: 500, detail: "A planned fault." }, ...(wire && { wire }) };
  const all = status === 429 ? { ...exhausted(rate, startedAtMs), ...spellHeaders(headers) } : spellHeaders(headers);
  if (body === undefined) {
    return {
      outcome: status >= 400 ? { refused: status, detail: "A planned fault.", headers: all } : { status, headers: all },
    };
  }
  const isText = typeof body === "string";
  const typed = { "Content-Type": isText ? "text/plain; charset=utf-8" : "application/json", ...all };
  return { outcome: { status, headers: typed, body: isText ? body : JSON.stringify(body) } };
}

function tooMany({ rate, startedAtMs }: Call): Refusal {
  const headers = exhausted(rate, startedAtMs);
  return {
    refused: 429,
    detail: `The account's ${rate.limit} requests of this window are used up; the next one begins in ${headers["Retry-After"]} s.`,
    headers,
  };
}

/** Headers that tell a caller to wait until the window ends. */
function exhausted(rate: RateState, nowMs: number): Record<string, string> {
  const waitSeconds = Math.max(Math.ceil((rate.resetAtMs - nowMs) / 1000), 1);
  return { ...writeRateLimit({ ...rate, remaining: 0 }), "Retry-After": String(waitSeconds) };
}

let openApiText: string | undefined;

function openApi(): Success {
  openApiText ??= JSON.stringify(openApiDocument());
  return { status: 200, body: openApiText };
}
