import { writeRateLimit } from "@landing-page-service/contract";
import type { Account, Accounts } from "../state/accounts.ts";
import { readBearerKey } from "../state/keys.ts";
import type { AnonymousCallers } from "../state/anonymous.ts";
import { isRefusal, type Success } from "../exchange/outcome.ts";
import { fitToMethod, type PlainAnswer, type PlainRequest } from "../exchange/plain.ts";
import { type Decision, outlived, planned, resetMeanwhile, tooMany, unauthorized } from "./decision.ts";
import { writeAnswer } from "./write-answer.ts";
import { FaultPlan, type Strike } from "../testing/faults.ts";
import type { Manner } from "./manner.ts";
import { RecordedRequest } from "../testing/recorded.ts";
import { RequestView, type ViewedRequest } from "../testing/request-view.ts";
import type { Toolbox } from "../testing/tools.ts";
import { endpointName, matchRoute } from "../api/routes.ts";
import { readCreatedPath } from "../dialect/page-ids.ts";
import { type Call, wasReset } from "./call.ts";
import { carryOut, showDocument } from "./carry-out.ts";

/** What requests are answered with. */
export interface HandlerParts {
  readonly accounts: Accounts;
  readonly anonymous: AnonymousCallers;
  readonly toolbox: Toolbox;
  readonly manner: Manner;
  readonly latencyMs: number;
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** What came of a call. */
interface Result {
  readonly success: Success | undefined;
  /** Whether it found an account and an endpoint, or a planned fault answered it. */
  readonly isHandled: boolean;
}

/** Answers requests, in the order: key, planned fault, rate limit, route, content type, size, JSON, fields. */
export class Handler {
  /** Whether the test is over that the service was made for. */
  hasEnded = false;
  readonly #parts: HandlerParts;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  /** Answers at once, or with a promise where something delays the answer. */
  handle(request: PlainRequest): PlainAnswer | Promise<PlainAnswer> {
    const call = this.#open(request);
    const faultMs = call.strike?.delayMs ?? 0;
    const beforeMs = this.#parts.latencyMs + (call.strike?.when === "before" ? faultMs : 0);
    const afterMs = call.strike?.when === "after" ? faultMs : 0;
    return beforeMs + afterMs > 0
      ? this.#answerSlowly(call, beforeMs, afterMs)
      : this.#finish(call, this.#decide(call));
  }

  #open(request: PlainRequest): Call {
    const { accounts, anonymous, toolbox } = this.#parts;
    const route = matchRoute(request.method, request.path);
    const key = readBearerKey(request.headers);
    const account = key === undefined ? undefined : accounts.find(key);
    const via = request.via === undefined ? undefined : accounts.byId(request.via);
    const caller = account ?? anonymous.find(key, via);
    const startedAtMs = toolbox.now(caller);
    const endpoint = endpointName(route);
    const isAllowed = route.kind === "document" || caller.limiter.take(startedAtMs);
    return {
      request,
      route,
      endpoint,
      id: caller.requestIds.next(startedAtMs),
      startedAtMs,
      realStartMs: toolbox.realNow(),
      key,
      account,
      caller,
      via,
      state: account?.stateSince(request.generation ?? accounts.generation),
      strike: account === undefined ? undefined : this.#strike(account, { request, endpoint }, isAllowed),
      isAllowed,
      rate: caller.limiter.state(startedAtMs),
    };
  }

  /** The planned fault that strikes a request. */
  #strike(account: Account, viewed: ViewedRequest, isAllowed: boolean): Strike | undefined {
    const { toolbox } = this.#parts;
    const [shared, own] = [toolbox.shared.faults, toolbox.of(account).faults];
    if (shared.isEmpty && own.isEmpty) return undefined;
    const plans = [shared, own].filter((plan) => !plan.isEmpty);
    return FaultPlan.strike(plans, { isAllowed, view: new RequestView(viewed) });
  }

  /** Decides, at once; a delay comes before it or after it. */
  #decide(call: Call): Decision {
    const { toolbox, manner } = this.#parts;
    const { route, account, strike } = call;
    if (account === undefined && route.kind === "document")
      return { outcome: showDocument(route.document, manner.dialect) };
    if (this.hasEnded) return { outcome: outlived };
    if (account === undefined) return { outcome: unauthorized };
    if (wasReset(call)) return { outcome: resetMeanwhile };
    if (strike?.when === "before" && (strike.status ?? strike.wire) !== undefined)
      return { ...planned(strike, call), isPlanned: true };
    if (!call.isAllowed) return { outcome: tooMany(call) };
    const outcome = carryOut(call, { account, nowMs: toolbox.now(account), manner });
    if (strike?.when === "after" && strike.status !== undefined) return { ...planned(strike, call), isPlanned: true };
    return strike?.when === "after" && strike.wire !== undefined ? { outcome, wire: strike.wire } : { outcome };
  }

  #finish(call: Call, { outcome, wire, isPlanned }: Decision): PlainAnswer {
    const { toolbox, manner } = this.#parts;
    const { request, id, rate, endpoint } = call;
    const nowMs = toolbox.now(call.caller);
    const written = writeAnswer(outcome, { id, rateHeaders: writeRateLimit(rate), nowMs });
    // What a planned fault asks for is no success of the endpoint, and is left as it is.
    const before = isRefusal(outcome) ? undefined : outcome.before;
    const said = { endpoint: isPlanned ? undefined : endpoint, request, answer: written, before, nowMs };
    const spoken = manner.speak(said);
    const answer = fitToMethod(spoken, request.method);
    const broken = wire === undefined ? answer : { ...answer, wire };
    const isHandled =
      isPlanned === true || answer.status < 400 || (call.account !== undefined && endpoint !== undefined);
    if (!wasReset(call)) this.#record(call, broken, { success: isRefusal(outcome) ? undefined : outcome, isHandled });
    return broken;
  }

  /** Writes a call into the journal of its account, without an answer when its caller has gone away, and gives it to whoever waits for it. */
  #record(call: Call, answer: PlainAnswer | undefined, { success, isHandled }: Result): void {
    const { toolbox } = this.#parts;
    const { request, endpoint, id, key, account, via, startedAtMs, realStartMs, strike } = call;
    // A clock of the test's own may go back.
    const durationMs = Math.max(toolbox.realNow() - realStartMs, 0);
    // In another dialect the body that was sent is another one, and so may be the identifier.
    const isReworded = answer?.body !== success?.body;
    const rewrite = isReworded ? undefined : success?.rewrite;
    const location = success?.headers?.["Location"];
    const createdPath = isReworded && location !== undefined ? (readCreatedPath(answer) ?? location) : location;
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
      fault: strike?.id,
    });
    const owner = account ?? via;
    const { journal } = owner === undefined ? toolbox.shared : toolbox.of(owner);
    journal.record(recorded, toolbox.nextRequest(), isHandled);
    if (toolbox.waits.isEmpty && toolbox.listeners.size === 0) return;
    const live = new RequestView({ request, answer, endpoint, createdPath });
    toolbox.waits.offer(recorded, live, owner);
    for (const hear of toolbox.listeners) hear(recorded, live, owner);
  }

  async #answerSlowly(call: Call, beforeMs: number, afterMs: number): Promise<PlainAnswer> {
    if (beforeMs > 0) await this.#hold(call, beforeMs);
    const decision = this.#decide(call);
    if (afterMs > 0) await this.#hold(call, afterMs);
    return this.#finish(call, wasReset(call) ? { outcome: resetMeanwhile } : decision);
  }

  /** Holds a call back. A reset of its account ends the wait, and so does its caller's going away, which is written down and rejects. */
  async #hold(call: Call, delayMs: number): Promise<void> {
    const { signal } = call.request;
    if (signal?.aborted !== true) await this.#wait(call, delayMs, signal);
    if (signal?.aborted !== true) return;
    if (!wasReset(call)) this.#record(call, undefined, { success: undefined, isHandled: call.account !== undefined });
    signal.throwIfAborted();
  }

  async #wait({ account }: Call, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    const cut = new AbortController();
    const abort = (): void => cut.abort();
    signal?.addEventListener("abort", abort);
    account?.underWay.add(cut);
    try {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      cut.signal.addEventListener("abort", () => resolve());
      this.#parts
        .sleep(delayMs, cut.signal)
        .then(resolve, (error: unknown) => (cut.signal.aborted ? resolve() : reject(error)));
      await promise;
    } finally {
      account?.underWay.delete(cut);
      signal?.removeEventListener("abort", abort);
    }
  }
}
