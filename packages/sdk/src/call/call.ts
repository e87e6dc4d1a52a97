// A whole call: rate limiter, attempt, and the decision about the next one, until there is a value or an error.
import type { Endpoint, RateLimit } from "@landing-page-service/contract";
import type { CallOptions, CallSettings } from "../options.ts";
import { readValue, type ResponseReader } from "../read/responses.ts";
import { type Attempt, ConfigurationError, type LandingPagesError } from "../report/errors.ts";
import type { CallName, CallRunner, Mismatch, Report, ReportInCall } from "../report/events.ts";
import type { ResultPromise, UnparsedResult } from "../result.ts";
import { type BodyUse, type Fetch, type HttpRequest, type RequestHooks, sendOnce } from "./attempt.ts";
import {
  type Answer,
  describeAttempt,
  isSent,
  mayHaveBeenApplied,
  type Misconfigured,
  type Outcome,
  toFailure,
} from "./outcome.ts";
import { toError } from "./outcome-error.ts";
import type { AcquireResult, Observation, Permit, Priority, RateLimiter } from "./rate-limiter.ts";
import { endsNow, isAskedWait, planRetry, readAskedWait, RetryBudget, type RetryPlan } from "./retry.ts";
import type { Sleep } from "./timers.ts";

/** What all calls of a client share. */
export interface ClientContext {
  readonly baseUrl: string;
  readonly readKey: () => Promise<string>;
  /** Whether the key may change from one attempt to the next. */
  readonly hasKeyFunction: boolean;
  readonly fetch: Fetch;
  readonly hooks: RequestHooks | undefined;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly report: Report | undefined;
  readonly onEvent: CallRunner | undefined;
  readonly maxAnswerBytes: number;
  /** Reads by a dialect, where the client has one. */
  readonly reader: ResponseReader | undefined;
  /** Mismatches that have been reported. */
  readonly told: Set<string>;
  /** Shared by all clients for the same account. */
  readonly shared: {
    readonly limiter: RateLimiter;
    /** A budget for each endpoint, so that failing events leave pages their retries. */
    readonly budgets: Map<string, RetryBudget>;
    rateLimit: RateLimit | undefined;
  };
}

/** One call of an endpoint, checked and written out. */
export interface Call<Value> {
  readonly endpoint: Pick<Endpoint, "name" | "method" | "path" | "summary">;
  /** Path and query below the base URL. */
  readonly path: string;
  /** JSON text, the same on every attempt. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Makes the value from a success, and tells what is elsewhere in it. */
  readonly read: (answer: Answer, onMismatch: (mismatch: Mismatch) => void) => Value;
  /** What `read` makes of the body of a success. */
  readonly bodyUse: BodyUse;
  /** Whether a response with another status is a success all the same. @defaultValue none is */
  readonly isSuccess?: (answer: Answer) => boolean;
  /** Told under which name its events go, where somebody listens. */
  readonly onBegin?: ((name: CallName) => void) | undefined;
  /** @defaultValue "foreground" */
  readonly priority?: Priority | undefined;
  /** Whether an earlier call with the same idempotency key may have been carried out. @defaultValue false */
  readonly mayHaveBeenApplied?: boolean | undefined;
}

/** What a call of a larger piece of work has beside what every call has. */
export type CallExtras = Pick<Call<unknown>, "priority" | "onBegin" | "mayHaveBeenApplied">;

/** Starts a call; what `prepare` throws rejects it before anything is sent. */
export type Send = <Value>(
  endpoint: Call<Value>["endpoint"],
  options: CallOptions,
  prepare: () => Omit<Call<Value>, "endpoint">,
) => ResultPromise<Value>;

/** Carries out a call. Rejects with one of our errors. */
export function performCall<Value>(
  context: ClientContext,
  call: Call<Value>,
  settings: CallSettings,
  report: ReportInCall | undefined,
): Promise<UnparsedResult<Value>> {
  return new CallRun(context, call, settings, report).run();
}

/** How a whole attempt ended: with a value, or with an outcome that is none. */
type Ending<Value> = { readonly kind: "value"; readonly result: UnparsedResult<Value> } | Outcome;

class CallRun<Value> {
  readonly #context: ClientContext;
  readonly #call: Call<Value>;
  readonly #settings: CallSettings;
  readonly #report: ReportInCall | undefined;
  readonly #request: HttpRequest;
  readonly #deadlineAtMs: number;
  readonly #budget: RetryBudget;
  readonly #attempts: Attempt[] = [];
  /** Keys of all attempts, the latest last. */
  readonly #keys: string[] = [];
  /** The key of this call that the service refused: another one is asked for once. */
  #refused: string | undefined;
  /** Attempts that failed without the service asking for a wait. */
  #counted = 0;
  #mayHaveBeenApplied: boolean;
  #lastFailed: Exclude<Outcome, Misconfigured> | undefined;
  #lastCost = 1;

  constructor(context: ClientContext, call: Call<Value>, settings: CallSettings, report: ReportInCall | undefined) {
    const { endpoint, path, body, idempotencyKey } = call;
    this.#context = context;
    this.#call = call;
    this.#settings = settings;
    this.#report = report;
    this.#mayHaveBeenApplied = call.mayHaveBeenApplied ?? false;
    this.#budget = context.shared.budgets.get(endpoint.name) ?? new RetryBudget();
    context.shared.budgets.set(endpoint.name, this.#budget);
    const headers = {
      ...settings.headers,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
    this.#request = { method: endpoint.method, url: context.baseUrl + path, headers, body };
    this.#deadlineAtMs = context.now() + settings.totalTimeoutMs;
  }

  async run(): Promise<UnparsedResult<Value>> {
    for (;;) {
      const permit = await this.#acquire();
      const { ending, plan, isHeld } = await this.#use(permit);
      if (ending.kind === "value") return ending.result;
      if (ending.kind === "misconfigured") throw this.#toConfigurationError(ending);
      const hasAnotherKey = ending.kind === "answer" && ending.status === 401 && this.#noteRefusedKey();
      if (!plan.retry && !hasAnotherKey) throw this.#toError(ending, plan.retryAfterMs);
      this.#lastFailed = ending;
      if (plan.retry) await this.#pause(plan, ending, isHeld);
    }
  }

  /** Waits for the permit that every attempt needs; ends the call where there is none in time. */
  async #acquire(): Promise<Permit> {
    const { limiter, rateLimit } = this.#context.shared;
    const { signal, retry, totalTimeoutMs } = this.#settings;
    const asked = limiter.acquire({
      priority: this.#call.priority ?? "foreground",
      signal,
      maxWaitMs: retry.maxWaitMs,
      deadlineAtMs: this.#deadlineAtMs,
      call: this.#report?.call,
      onWait: () => this.#report?.({ type: "wait", reason: "rate-limit" }),
    });
    const result: AcquireResult = await asked;
    const limit = { name: "totalTimeoutMs", ms: totalTimeoutMs } as const;
    const waitedFor = limiter.isFull ? "place" : "turn";
    const late: Outcome & { kind: "timeout" } = { kind: "timeout", isSent: false, limit, waitedFor };
    if (result.kind === "permit" && this.#context.now() < this.#deadlineAtMs) return result;
    if (result.kind === "permit") limiter.release(result, { isSent: false });
    if (result.kind === "aborted") throw this.#toError(this.#aborted(), undefined);
    if (result.kind !== "closed") throw this.#toError(this.#lastFailed ?? late, undefined);
    const { waitMs } = result;
    throw this.#toError(this.#lastFailed ?? { kind: "held", waitMs, rateLimit }, waitMs);
  }

  /** Makes one attempt, and hands its permit back whatever happens. */
  async #use(permit: Permit): Promise<{ ending: Ending<Value>; plan: RetryPlan; isHeld: boolean }> {
    let plan: RetryPlan = { retry: false, reason: "final" };
    let observation: Observation = { isSent: true };
    try {
      const outcome = await this.#attempt();
      const ending = this.#read(outcome);
      if (ending.kind === "value") this.#budget.refund(this.#lastCost);
      else plan = this.#plan(ending);
      observation = this.#observe(outcome, plan);
      return { ending, plan, isHeld: observation.refusal !== undefined };
    } finally {
      this.#context.shared.limiter.release(permit, observation);
    }
  }

  /** Sends the request once, and notes how that went. */
  async #attempt(): Promise<Outcome> {
    const { fetch, hooks, now, maxAnswerBytes, shared } = this.#context;
    const { timeoutMs, totalTimeoutMs, signal } = this.#settings;
    const number = this.#attempts.length + 1;
    const startedAtMs = now();
    const leftMs = this.#deadlineAtMs - startedAtMs;
    this.#report?.({ type: "request", attempt: number });

    const outcome = await sendOnce(this.#request, {
      fetch,
      hooks,
      bodyUse: this.#call.bodyUse,
      timeoutMs: Math.min(timeoutMs, leftMs),
      limit: leftMs < timeoutMs ? { name: "totalTimeoutMs", ms: totalTimeoutMs } : { name: "timeoutMs", ms: timeoutMs },
      signal,
      readKey: () => this.#readKey(),
      keys: this.#keys,
      now,
      maxAnswerBytes,
    });

    const durationMs = Math.max(0, now() - startedAtMs);
    const attempt = describeAttempt(outcome, { number, startedAtMs, durationMs });
    const { status, failure } = attempt;
    const rateLimit = "rateLimit" in outcome ? outcome.rateLimit : undefined;
    if (rateLimit !== undefined) shared.rateLimit = rateLimit;
    this.#report?.({ type: "response", attempt: number, durationMs, status, failure, rateLimit });
    if (outcome.kind !== "misconfigured") this.#attempts.push(attempt);
    return outcome;
  }

  /** Asks for the key of an attempt, as it may change in between. */
  async #readKey(): Promise<string> {
    const key = await this.#context.readKey();
    if (key === this.#refused) throw new ConfigurationError("`apiKey` gave the key again that had been refused.");
    this.#keys.push(key);
    return key;
  }

  /** Notes that the service refused the key; gives whether it is worth asking for another one, which happens once. */
  #noteRefusedKey(): boolean {
    const isFirst = this.#refused === undefined;
    this.#refused ??= this.#keys.at(-1) ?? "";
    return isFirst && this.#context.hasKeyFunction;
  }

  /** Makes the value of a success. */
  #read(outcome: Outcome): Ending<Value> {
    if (outcome.kind !== "answer" || !this.#isSuccess(outcome)) return outcome;
    const { told } = this.#context;
    const { status, response, text, rateLimit } = outcome;
    let value: ReturnType<typeof readValue<Value>>;
    try {
      value = readValue(this.#call, outcome, this.#keys.at(-1) ?? "", { report: this.#report, told });
    } catch (error) {
      // What the engine says of a number or a text of others, such as a RangeError, is about the response.
      const detail = `got a body that cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      return { kind: "unexpected", status, errors: [{ pointer: "#", detail }], rateLimit };
    }
    if (value.kind === "unexpected") return value;
    const history = { attempts: this.#attempts, mayHaveBeenApplied: this.#mayHaveBeenApplied };
    return { kind: "value", result: { data: value.data, text, response, rateLimit, ...history } };
  }

  #isSuccess(answer: Answer): boolean {
    const { endpoint, isSuccess } = this.#call;
    // A delete whose first attempt was carried out without our knowing finds nothing left to delete.
    const isGone = answer.status === 404 && endpoint.method === "DELETE" && this.#mayHaveBeenApplied;
    return (answer.status >= 200 && answer.status < 300) || isGone || isSuccess?.(answer) === true;
  }

  #plan(outcome: Outcome): RetryPlan {
    const { method } = this.#call.endpoint;
    this.#mayHaveBeenApplied ||= mayHaveBeenApplied(method, outcome);
    const failure = toFailure(method, outcome);
    if (failure === undefined) return { retry: false, reason: "final" };
    const { now, random } = this.#context;
    const plan = planRetry({
      method,
      failure,
      attempt: this.#counted + 1,
      policy: this.#settings.retry,
      nowMs: now(),
      leftMs: this.#deadlineAtMs - now(),
      tokens: this.#budget.tokens,
      random: random(),
    });
    // At once, because another call's plan must not count on the same tokens.
    if (plan.retry) this.#budget.spend((this.#lastCost = plan.cost));
    if (plan.retry && !isAskedWait(plan.retryAfterMs)) this.#counted += 1;
    return plan;
  }

  /** What the rate limiter learns from an attempt. A 429 whose reset is now closes nothing: its call waits alone. */
  #observe(outcome: Outcome, plan: RetryPlan): Observation {
    const about = { isSent: isSent(outcome), rateLimit: "rateLimit" in outcome ? outcome.rateLimit : undefined };
    if (outcome.kind === "unexpected") return { ...about, status: outcome.status };
    const response = outcome.kind === "hook" ? outcome.response : outcome.kind === "answer" ? outcome : undefined;
    if (response === undefined) return about;
    const { status } = response;
    if (status !== 429) return { ...about, status };
    const { now } = this.#context;
    const askedMs = readAskedWait(response, now(), this.#settings.retry.maxWaitMs);
    const forMs = askedMs ?? (plan.retry ? plan.delayMs : 1000);
    const isOpen = endsNow(response, now()) && forMs <= 1000;
    return isOpen ? { ...about, status } : { ...about, status, refusal: { forMs, isAsked: askedMs !== undefined } };
  }

  /** Waits before the next attempt, unless the rate limiter holds all calls back. */
  async #pause({ delayMs, asked }: RetryPlan & { retry: true }, outcome: Outcome, isHeld: boolean): Promise<void> {
    const { signal } = this.#settings;
    const last = this.#attempts.pop();
    if (last === undefined) return;
    const flaw = outcome.kind === "unexpected" && outcome.flaw !== undefined && { failure: outcome.flaw };
    const kept = { ...last, ...flaw, waitMs: delayMs };
    this.#attempts.push(kept);
    const reason = kept.failure ?? kept.status ?? "unknown";
    this.#report?.({ type: "retry", attempt: last.number, delayMs, reason });
    this.#report?.({ type: "wait", delayMs, reason: asked ? "service" : "backoff" });
    if (isHeld) return;
    try {
      await this.#context.sleep(delayMs, signal);
    } catch (error) {
      throw signal?.aborted ? this.#toError(this.#aborted(), undefined) : error;
    }
  }

  #aborted(): Outcome & { kind: "aborted" } {
    return { kind: "aborted", isSent: false, reason: this.#settings.signal?.reason as unknown }; // why: the platform says `any`
  }

  /** Without a key or a usable `fetch` the call ends, but the caller must know what became of the attempts before. */
  #toConfigurationError({ error }: Misconfigured): LandingPagesError {
    return this.#lastFailed === undefined ? error : this.#toError(this.#lastFailed, undefined, { cause: error });
  }

  #toError(
    outcome: Exclude<Outcome, Misconfigured>,
    retryAfterMs: number | undefined,
    options?: { cause: unknown },
  ): LandingPagesError {
    const { summary, method } = this.#call.endpoint;
    const { path, idempotencyKey } = this.#call;
    const { baseUrl, reader } = this.#context;
    const about = { summary, method, path, idempotencyKey, retryAfterMs, baseUrl, reader };
    const history = { attempts: [...this.#attempts], mayHaveBeenApplied: this.#mayHaveBeenApplied };
    return toError(outcome, { ...about, ...history, keys: this.#keys }, options);
  }
}
