import type { Switches } from "@landing-page-service/contract";
import { writeRateLimit } from "@landing-page-service/contract";
import { openApiDocument } from "@landing-page-service/contract/openapi";
import { type Account, type Accounts, type AccountState, readBearerKey } from "../state/accounts.ts";
import { spellHeaders } from "../exchange/headers.ts";
import { isRefusal, type Outcome, type Refusal, type Success } from "../exchange/outcome.ts";
import { fitToMethod, type PlainAnswer, type PlainRequest } from "../exchange/plain.ts";
import { writeAnswer } from "./write-answer.ts";
import type { Clock } from "../testing/clock.ts";
import type { Said } from "../dialect/speaker.ts";
import type { DomainNetwork } from "../domains/network.ts";
import type { FaultPlan, Strike } from "../testing/faults.ts";
import type { InputReaders } from "../api/input.ts";
import type { Journal } from "../testing/journal.ts";
import type { RateLimiter, RateState } from "../state/limiter.ts";
import { operations } from "../api/operations.ts";
import { endpointName, matchRoute, type Route } from "../api/routes.ts";

/** What requests are answered with. */
export interface HandlerParts {
  readonly accounts: Accounts;
  /** The bucket of all callers without an account. */
  readonly strangers: RateLimiter;
  readonly clock: Clock;
  /** Writes an answer in the dialect of the service. */
  readonly speak: (said: Said) => PlainAnswer;
  readonly switches: Switches;
  readonly faults: FaultPlan;
  readonly inputs: InputReaders;
  readonly journal: Journal;
  readonly latencyMs: number;
  readonly network: DomainNetwork;
  readonly newEventId: () => string;
  readonly newPageId: () => string;
  readonly newRequestId: () => string;
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** A request on its way through the service. */
interface Call {
  readonly request: PlainRequest;
  readonly route: Route;
  readonly id: string;
  readonly startedAtMs: number;
  readonly account: Account | undefined;
  /** The account's state when the request began; once the account has another one, the call writes nothing. */
  readonly state: AccountState | undefined;
  readonly strike: Strike | undefined;
  readonly isAllowed: boolean;
  readonly rate: RateState;
}

/** Makes the function that answers requests, in the order: key, planned fault, rate limit, route, content type, size, JSON, fields. */
export function createHandler(parts: HandlerParts): (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer> {
  const { accounts, clock, faults, journal, latencyMs, strangers } = parts;

  function open(request: PlainRequest): Call {
    const startedAtMs = clock.now();
    const route = matchRoute(request.method, request.path);
    const key = readBearerKey(request.headers);
    const account = key === undefined ? undefined : accounts.find(key);
    const limiter = account?.limiter ?? strangers;
    const isAllowed = route.kind === "openapi" || limiter.take(startedAtMs);
    return {
      request,
      route,
      id: parts.newRequestId(),
      startedAtMs,
      account,
      state: account?.stateSince(request.generation ?? accounts.generation),
      strike:
        account === undefined || route.kind === "openapi"
          ? undefined
          : faults.strike({ endpoint: endpointName(route), accountId: account.id, isAllowed }),
      isAllowed,
      rate: limiter.state(startedAtMs),
    };
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
    const outcome = carryOut(call, account.state, parts);
    if (strike?.when === "after" && strike.status !== undefined) return { ...planned(strike, call), isPlanned: true };
    return strike?.when === "after" && strike.wire !== undefined ? { outcome, wire: strike.wire } : { outcome };
  }

  function finish(call: Call, { outcome, wire, isPlanned }: Decision): PlainAnswer {
    const { request, id, rate } = call;
    const nowMs = clock.now();
    const endpoint = endpointName(call.route);
    const written = writeAnswer(outcome, { id, rateHeaders: writeRateLimit(rate), nowMs });
    // What a planned fault asks for is no success of the endpoint, and is left as it is.
    const deleted = isRefusal(outcome) ? undefined : outcome.deleted;
    const said = { endpoint: isPlanned ? undefined : endpoint, request, answer: written, deleted, nowMs };
    const spoken = parts.speak(said);
    const answer = fitToMethod(spoken, request.method);
    const broken = wire === undefined ? answer : { ...answer, wire };
    if (!wasReset(call)) journal.record({ ...call, answer: broken, endpoint });
    return broken;
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

function carryOut({ request, route }: Call, state: AccountState, parts: HandlerParts): Outcome {
  const shownPath = request.path.slice(0, 200);
  if (route.kind === "endpoint") {
    const { encodedId, endpoint } = route;
    return operations[endpoint.name]({ ...parts, request, encodedId, state, nowMs: parts.clock.now() });
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
