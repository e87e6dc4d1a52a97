// A whole call. It waits for a permit, makes an attempt and decides about the next one, until there is a value or an error.
import { type Endpoint, type RateLimit, redact } from "@landing-page-service/contract";
import type { HttpResponse, ResponseReader } from "../read/responses.ts";
import { type Attempt, ConfigurationError, type LandingPagesError } from "../report/errors.ts";
import type { CallName, Mismatch, Report, ReportInCall } from "../report/events.ts";
import { type BodyUse, sendOnce, type Transport } from "./attempt.ts";
import {
  aborted,
  held,
  mayHaveBeenApplied,
  type Outcome,
  type ReceivedResponse,
  timedOut,
  toAttemptFailure,
  toError,
  unreadable,
} from "./outcome.ts";
import type { Observation, Permit, Priority, RateLimiter } from "./rate-limiter.ts";
import { decideRetry, isAskedWait, type RetryPlan, type RetryPolicy } from "./retry.ts";
import type { Sleep } from "./timers.ts";

/** The parts of its client that a call uses, and its settings, merged from defaults, client options and call options. */
export interface CallContext extends Transport {
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly retry: RetryPolicy;
  readonly headers: Readonly<Record<string, string>>;
  readonly random: () => number;
  readonly baseUrl: string;
  /** The key, or a function that returns the key of each attempt. The function rejects only with a `ConfigurationError`. */
  readonly apiKey: string | (() => Promise<string>);
  readonly wait: Sleep;
  readonly report: Report;
  readonly reader: ResponseReader;
  /** State that all clients of the same account share. */
  readonly shared: {
    readonly limiter: RateLimiter;
    /** Retry tokens of each endpoint. They keep the load on a failing service near normal. Events that fail do not use up the tokens of pages. */
    readonly tokens: Map<string, number>;
    rateLimit: RateLimit | undefined;
  };
}

/** A call of an endpoint. Its input is checked and serialized. */
export interface Call<Value> {
  readonly endpoint: Pick<Endpoint, "name" | "method" | "path" | "summary">;
  /** Path and query below the base URL. */
  readonly path: string;
  /** JSON, the same on every attempt. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Makes the value from a successful response, and reports mismatches. */
  readonly read: (response: HttpResponse, onMismatch: (mismatch: Mismatch) => void) => Value;
  readonly bodyUse: BodyUse;
  /** Whether a response with an error status counts as a success. @defaultValue it never does */
  readonly isSuccess?: (response: HttpResponse) => boolean;
  /** Called when the call begins, with the name that its events carry. */
  readonly onBegin?: ((name: CallName) => void) | undefined;
  /** @defaultValue "foreground" */
  readonly priority?: Priority | undefined;
  /** Whether an earlier call with the same idempotency key may have been carried out. @defaultValue false */
  readonly mayHaveBeenApplied?: boolean | undefined;
}

/** Extra fields of a call that is a part of `iterate`, `createMany` or a queue. */
export type CallExtras = Pick<Call<unknown>, "priority" | "onBegin" | "mayHaveBeenApplied">;

/** A promise of the value of a call. The call has already started. */
export interface ResultPromise<Value> extends Promise<Value> {
  /** Resolves to the value with its response, every attempt, and the rate limit. Sends no other request. */
  withResponse(): Promise<CallResult<Value>>;
}

/** The value of a call, with its response and attempts. */
export interface CallResult<Value> {
  /** The value that the call resolves to. */
  readonly data: Value;
  /** The parsed body, whatever its shape; a string if it is not JSON, `undefined` if it is empty. */
  readonly body: unknown;
  /** The last response: its status and headers. Its body has been read. */
  readonly response: Response;
  /** Every attempt, in order; the last one succeeded. */
  readonly attempts: readonly Attempt[];
  /** Whether the service may have carried out an earlier attempt too. A `create` may then have made two pages. Always false for reads. */
  readonly mayHaveBeenApplied: boolean;
  /** The rate limit according to the last response; absent if the response has none. */
  readonly rateLimit?: RateLimit | undefined;
  /** Id that the service gave the request, to quote to its support; absent if there is none. */
  readonly requestId?: string | undefined;
}

/** A result whose body is not parsed yet, because most callers need only the value. */
export interface UnparsedResult<Value> extends Omit<CallResult<Value>, "body" | "requestId"> {
  readonly text: string;
}

const mostTokens = 500;

/** Carries out a call. */
export class CallRun<Value> {
  readonly #context: CallContext;
  readonly #call: Call<Value>;
  readonly #report: ReportInCall;
  readonly #deadlineAtMs: number;
  readonly #attempts: { -readonly [Fact in keyof Attempt]: Attempt[Fact] }[] = [];
  /** Keys of all attempts, the latest last. */
  readonly #keys: string[] = [];
  /** The key that the service refused in this call. The client asks for another key once. */
  #refusedKey: string | undefined;
  /** Failed attempts after which the service did not ask for a wait. */
  #counted = 0;
  #mayHaveBeenApplied: boolean;
  #lastFailed: Outcome | undefined;
  /** Retry tokens that the last retry took. */
  #lastCost = 1;

  constructor(context: CallContext, call: Call<Value>, report: ReportInCall) {
    this.#context = context;
    this.#call = call;
    this.#report = report;
    this.#mayHaveBeenApplied = call.mayHaveBeenApplied ?? false;
    this.#deadlineAtMs = context.now() + context.totalTimeoutMs;
  }

  /** Returns the result, or rejects with an error of this package. */
  async run(): Promise<UnparsedResult<Value>> {
    const { limiter } = this.#context.shared;
    for (;;) {
      const permit = await this.#acquire();
      let observation: Observation = { isSent: true };
      let outcome: UnparsedResult<Value> | Outcome;
      let plan: RetryPlan;
      try {
        const received = await this.#send();
        outcome = this.#read(received);
        plan = this.#plan(outcome);
        observation = observe(received, plan);
      } finally {
        limiter.release(permit, observation);
      }
      if ("data" in outcome) return outcome;
      if (outcome.kind === "misconfigured") throw this.#toConfigurationError(outcome);
      if (plan.retry) await this.#pause(plan, outcome, observation.refusal !== undefined);
      else if (!this.#hasAnotherKey(outcome)) throw this.#toError(outcome, plan.retryAfterMs);
      this.#lastFailed = outcome;
    }
  }

  /** Waits for the permit that every attempt needs. Ends the call if there is none in time. */
  async #acquire(): Promise<Permit> {
    const { signal, retry, totalTimeoutMs: ms, shared } = this.#context;
    const { limiter, rateLimit } = shared;
    const result = await limiter.acquire({
      priority: this.#call.priority ?? "foreground",
      signal,
      maxWaitMs: retry.maxWaitMs,
      deadlineAtMs: this.#deadlineAtMs,
      call: this.#report.call,
      onWait: () => this.#report({ type: "wait", reason: "rate-limit" }),
    });
    if (result.kind === "permit") return result;
    if (result.kind === "aborted") throw this.#toError(aborted(signal, false));
    if (result.kind === "closed")
      throw this.#toError(this.#lastFailed ?? held(result.waitMs, rateLimit), result.waitMs);
    const waitedFor = limiter.isFull
      ? ", waiting for one of maxInFlight requests to end"
      : ", waiting for its turn at the rate limit";
    throw this.#toError(this.#lastFailed ?? timedOut({ name: "totalTimeoutMs", ms }, false, waitedFor));
  }

  /** Sends the request once, receives the response, and records the attempt. */
  async #send(): Promise<Outcome> {
    const { now, baseUrl, timeoutMs, totalTimeoutMs, headers, shared } = this.#context;
    const { endpoint, path, body, idempotencyKey, bodyUse } = this.#call;
    const url = baseUrl + path;
    const number = this.#attempts.length + 1;
    const startedAtMs = now();
    const leftMs = this.#deadlineAtMs - startedAtMs;
    this.#report({ type: "request", attempt: number, url });

    const outcome = await sendOnce({
      ...this.#context,
      method: endpoint.method,
      url,
      headers: {
        ...headers,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      body,
      bodyUse,
      timeoutMs: Math.min(timeoutMs, leftMs),
      limit: leftMs < timeoutMs ? { name: "totalTimeoutMs", ms: totalTimeoutMs } : { name: "timeoutMs", ms: timeoutMs },
      readKey: () => this.#readKey(),
      keys: this.#keys,
    });

    const durationMs = Math.max(0, now() - startedAtMs);
    const { status, failure, isSent, rateLimit } = outcome;
    if (rateLimit !== undefined) shared.rateLimit = rateLimit;
    this.#report({ type: "response", attempt: number, durationMs, status, failure, rateLimit });
    if (outcome.kind !== "misconfigured")
      this.#attempts.push({ number, startedAtMs, durationMs, isSent, status, failure });
    return outcome;
  }

  /** Gets the key of an attempt, which may change between attempts. */
  async #readKey(): Promise<string> {
    const { apiKey } = this.#context;
    const key = typeof apiKey === "string" ? apiKey : await apiKey();
    if (key === this.#refusedKey)
      throw new ConfigurationError("`apiKey` returned the key again that the service had refused.");
    this.#keys.push(key);
    return key;
  }

  /** Whether another key may help. It may if `apiKey` is a function and this is the first refusal in the call. */
  #hasAnotherKey(outcome: Outcome): boolean {
    if (outcome.status !== 401 || this.#refusedKey !== undefined) return false;
    this.#refusedKey = this.#keys.at(-1);
    return typeof this.#context.apiKey === "function";
  }

  #isSuccess(outcome: Outcome): outcome is ReceivedResponse {
    const { endpoint, isSuccess } = this.#call;
    if (outcome.kind !== "answer") return false;
    // An earlier attempt of a delete may have succeeded although its response was lost. The next attempt then finds no page.
    const isGone = outcome.status === 404 && endpoint.method === "DELETE" && this.#mayHaveBeenApplied;
    return (outcome.status >= 200 && outcome.status < 300) || isGone || isSuccess?.(outcome) === true;
  }

  /** Reads the value of a success; returns any other outcome unchanged. */
  #read(outcome: Outcome): UnparsedResult<Value> | Outcome {
    if (!this.#isSuccess(outcome)) return outcome;
    const { response, text, rateLimit } = outcome;
    try {
      const data = this.#call.read(outcome, ({ where, expected, found }) =>
        this.#report({ type: "mismatch", where, expected: this.#hide(expected), found: this.#hide(found) }),
      );
      const mayHaveBeenApplied = this.#mayHaveBeenApplied;
      return { data, text, response, rateLimit, attempts: this.#attempts, mayHaveBeenApplied };
    } catch (error) {
      const unusable = unreadable(outcome, error);
      const last = this.#attempts.at(-1);
      if (last !== undefined) last.failure = unusable.failure;
      return unusable;
    }
  }

  /** Decides about another attempt, and takes or refunds retry tokens. */
  #plan(outcome: UnparsedResult<Value> | Outcome): RetryPlan {
    const { now, random, shared } = this.#context;
    const { name, method } = this.#call.endpoint;
    const tokens = shared.tokens.get(name) ?? mostTokens;
    if ("data" in outcome) {
      shared.tokens.set(name, Math.min(mostTokens, tokens + this.#lastCost));
      return { retry: false, reason: "final" };
    }
    this.#mayHaveBeenApplied ||= mayHaveBeenApplied(method, outcome);
    const failure = toAttemptFailure(method, outcome);
    if (failure === undefined) return { retry: false, reason: "final" };
    const plan = decideRetry({
      method,
      failure,
      attempt: this.#counted + 1,
      policy: this.#context.retry,
      nowMs: now(),
      leftMs: this.#deadlineAtMs - now(),
      tokens,
      random: random(),
    });
    if (!plan.retry) return plan;
    // Spend the tokens now, so that no other call can plan with them.
    shared.tokens.set(name, tokens - plan.cost);
    this.#lastCost = plan.cost;
    if (!isAskedWait(plan.retryAfterMs)) this.#counted += 1;
    return plan;
  }

  /** Waits before the next attempt, unless the rate limiter holds all calls back. */
  async #pause({ delayMs, asked }: RetryPlan & { retry: true }, outcome: Outcome, isHeld: boolean): Promise<void> {
    const { signal, wait } = this.#context;
    const attempt = this.#attempts.length;
    const last = this.#attempts.at(-1);
    if (last !== undefined) last.waitMs = delayMs;
    const reason = outcome.failure ?? outcome.status ?? "unknown";
    this.#report({ type: "retry", attempt, delayMs, reason });
    this.#report({ type: "wait", delayMs, reason: asked ? "service" : "backoff" });
    if (isHeld) return;
    try {
      await wait(delayMs, signal);
    } catch (error) {
      throw signal?.aborted ? this.#toError(aborted(signal, false)) : error;
    }
  }

  /** Makes the error of a call that has no key or no usable `fetch`. If an earlier attempt failed, returns the error of that attempt, with this error as its `cause`. */
  #toConfigurationError(outcome: Outcome): LandingPagesError {
    const error = this.#toError(outcome);
    if (this.#lastFailed === undefined) return error;
    const cause = { value: error, configurable: true, writable: true };
    return Object.defineProperty(this.#toError(this.#lastFailed), "cause", cause);
  }

  #toError(outcome: Outcome, retryAfterMs?: number): LandingPagesError {
    const { path, idempotencyKey, endpoint } = this.#call;
    const { summary, method } = endpoint;
    const { baseUrl, reader } = this.#context;
    const attempts = this.#attempts;
    const mayHaveBeenApplied = this.#mayHaveBeenApplied;
    const facts = { method, path, attempts, mayHaveBeenApplied, idempotencyKey, retryAfterMs };
    return toError(outcome, { summary, facts, hide: (text) => this.#hide(text), baseUrl, reader });
  }

  #hide(text: string): string {
    return redact(text, this.#keys);
  }
}

/** Describes an attempt to the rate limiter. If the limit of a 429 resets about now, the rate limiter stays open and only this call waits. */
function observe({ kind, isSent, status, rateLimit }: Outcome, plan: RetryPlan): Observation {
  const about = { isSent, status, rateLimit };
  const { retryAfterMs } = plan;
  if (kind !== "answer" || status !== 429) return about;
  const { resetAtMs, observedAtMs = 0 } = rateLimit ?? {};
  const resetsNow = resetAtMs === undefined || Math.abs(resetAtMs - observedAtMs) < 2000;
  // If the reset is later, calls must wait for `Retry-After`, and not for the reset.
  if (resetsNow && retryAfterMs !== undefined && retryAfterMs <= 1000) return about;
  const forMs = retryAfterMs ?? (plan.retry ? plan.delayMs : 1000);
  return { ...about, refusal: { forMs, isAsked: retryAfterMs !== undefined } };
}
