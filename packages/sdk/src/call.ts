// A whole call: gate, attempt, and the decision about the next one, until there is a value or an error.
import type { Pass } from "./allowance.ts";
import type { Attempt } from "./call-errors.ts";
import { CallKey } from "./call-key.ts";
import type { ReportInCall } from "./call-report.ts";
import type { Call, Connection } from "./connection.ts";
import type { LandingPagesError } from "./errors.ts";
import type { Entry } from "./gate.ts";
import { type HttpRequest, sendOnce, writeRequest } from "./http.ts";
import {
  type Answer,
  describeAttempt,
  isShortage,
  mayHaveBeenApplied,
  type Misconfigured,
  type Outcome,
  toFailure,
} from "./outcome.ts";
import { toError } from "./outcome-error.ts";
import { readValue } from "./read-value.ts";
import { readAskedRefusal, readRefusal } from "./refusal.ts";
import type { UnparsedResult } from "./result.ts";
import { planRetry, type RetryPlan, waitForPlace } from "./retry.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { CallSettings } from "./settings.ts";

/** Carries out a call. Rejects with one of our errors. */
export function performCall<Value>(
  connection: Connection,
  call: Call<Value>,
  settings: CallSettings,
  report: ReportInCall | undefined,
): Promise<UnparsedResult<Value>> {
  return new CallRun(connection, call, settings, report).run();
}

/** How a whole attempt ended: with a value, or with an outcome that is none. */
type Ending<Value> = { readonly kind: "value"; readonly result: UnparsedResult<Value> } | Outcome;

class CallRun<Value> {
  readonly #connection: Connection;
  readonly #call: Call<Value>;
  readonly #settings: CallSettings;
  readonly #report: ReportInCall | undefined;
  readonly #request: HttpRequest;
  readonly #deadlineAtMs: number;
  readonly #attempts: Attempt[] = [];
  readonly #budget: RetryBudget;
  /** Attempts that failed without the service asking for a wait. */
  #counted = 0;
  #mayHaveBeenApplied: boolean;
  #lastFailed: Exclude<Outcome, Misconfigured> | undefined;
  #lastCost = 1;
  readonly #key: CallKey;

  constructor(connection: Connection, call: Call<Value>, settings: CallSettings, report: ReportInCall | undefined) {
    this.#connection = connection;
    this.#call = call;
    this.#settings = settings;
    this.#report = report;
    this.#mayHaveBeenApplied = call.mayHaveBeenApplied ?? false;
    this.#key = new CallKey(connection.readKey, call.refusedKey);
    this.#budget = connection.shared.budgets.of(call.endpoint.name);
    this.#request = writeRequest(connection.baseUrl, call, settings.headers);
    this.#deadlineAtMs = connection.shared.clock.now() + settings.totalTimeoutMs;
  }

  async run(): Promise<UnparsedResult<Value>> {
    for (;;) {
      const asked = this.#askGate();
      const pass = this.#enter(asked instanceof Promise ? await asked : asked);
      const { ending, plan } = await this.#useUp(pass);
      if (ending.kind === "value") return ending.result;
      if (ending.kind === "misconfigured") throw this.#toConfigurationError(ending);
      if (ending.kind === "key-refused") throw this.#toError(this.#lastFailed ?? ending, undefined);
      const isKeyRefused = ending.kind === "answer" && ending.status === 401;
      const hasAnotherChance = isKeyRefused && this.#key.hearRefused(this.#connection.now());
      if (!plan.retry && !hasAnotherChance) throw this.#toError(ending, plan.retryAfterMs);
      this.#lastFailed = ending;
      if (plan.retry) await this.#pause(plan, ending);
    }
  }

  /** Asks for the pass that every attempt needs. */
  #askGate(): Entry | Promise<Entry> {
    const { lane = "single" } = this.#call;
    const { signal, retry } = this.#settings;
    if (signal?.aborted) return { kind: "aborted" };
    const isBack = this.#lastFailed !== undefined;
    const { maxWaitMs } = retry;
    const call = this.#report?.call;
    const { gate } = this.#connection.shared;
    const asked = gate.enter({ lane, isBack, signal, maxWaitMs, deadlineAtMs: this.#deadlineAtMs, call });
    if (asked instanceof Promise) this.#report?.({ type: "wait", reason: "gate" });
    return asked;
  }

  /** Takes the pass, in time; ends the call where there is none. */
  #enter(entry: Entry): Pass {
    const { shared } = this.#connection;
    const { totalTimeoutMs } = this.#settings;
    if (entry.kind === "pass" && shared.clock.now() < this.#deadlineAtMs) return entry;

    const limit = { name: "totalTimeoutMs", ms: totalTimeoutMs } as const;
    const late = { kind: "timeout", isSent: false, limit, waitedFor: shared.gate.isFull ? "place" : "turn" } as const;
    if (entry.kind === "pass") shared.gate.leave(entry, late);
    if (entry.kind === "aborted") throw this.#toError(this.#aborted(), undefined);
    if (entry.kind !== "closed") throw this.#toError(this.#lastFailed ?? late, undefined);
    const { waitMs } = entry;
    throw this.#toError(this.#lastFailed ?? { kind: "held", waitMs, rateLimit: shared.rateLimit }, waitMs);
  }

  /** Makes one attempt, and hands its pass back whatever happens. */
  async #useUp(pass: Pass): Promise<{ ending: Ending<Value>; plan: RetryPlan }> {
    let outcome: Outcome | undefined;
    let plan: RetryPlan = { retry: false, reason: "final" };
    try {
      outcome = await this.#attempt(pass);
      const ending = this.#read(outcome);
      if (ending.kind === "value") this.#budget.refund(this.#lastCost);
      else plan = this.#plan(ending);
      return { ending, plan };
    } finally {
      this.#connection.shared.gate.leave(pass, outcome ?? this.#aborted(), readRefusal(outcome, plan));
    }
  }

  /** Sends the request once, and notes how that went. */
  async #attempt(pass: Pass): Promise<Outcome> {
    const { fetch, middleware, now, maxAnswerBytes, shared } = this.#connection;
    const { bodyUse } = this.#call;
    const { timeoutMs, totalTimeoutMs, signal, retry } = this.#settings;
    const about = { attempt: this.#attempts.length + 1 };
    const startedAtMs = now();
    const leftMs = this.#deadlineAtMs - shared.clock.now();
    const expected = shared.clock.expect(Math.min(timeoutMs, leftMs));
    this.#report?.({ type: "request", ...about });

    const outcome = await sendOnce(this.#request, {
      fetch,
      middleware,
      bodyUse,
      timeoutMs: Math.min(timeoutMs, leftMs),
      limit: leftMs < timeoutMs ? { name: "totalTimeoutMs", ms: totalTimeoutMs } : { name: "timeoutMs", ms: timeoutMs },
      signal,
      readKey: () => this.#key.read(now),
      now,
      maxAnswerBytes,
      onHeaders: (answer) =>
        shared.gate.hear(pass, answer, readAskedRefusal(answer, answer.receivedAtMs, retry.maxWaitMs)),
    });

    const durationMs = shared.clock.end(expected);
    const attempt = describeAttempt(outcome, { number: about.attempt, startedAtMs, durationMs });
    const { status, failure } = attempt;
    const rateLimit = "rateLimit" in outcome ? outcome.rateLimit : undefined;
    if (rateLimit !== undefined) shared.rateLimit = rateLimit;
    this.#report?.({ type: "response", ...about, durationMs, status, failure, rateLimit });
    if (outcome.kind !== "misconfigured" && outcome.kind !== "key-refused") this.#attempts.push(attempt);
    return outcome;
  }

  /** Makes the value of a success. */
  #read(outcome: Outcome): Ending<Value> {
    if (outcome.kind !== "answer" || !this.#isSuccess(outcome)) return outcome;
    this.#key.hearAccepted();
    const { told } = this.#connection;
    const value = readValue(this.#call, outcome, this.#key.latest, { report: this.#report, told });
    if (value.kind === "unexpected") return value;
    const { response, text, rateLimit } = outcome;
    const attempts = this.#attempts;
    const mayHaveBeenApplied = this.#mayHaveBeenApplied;
    return { kind: "value", result: { data: value.data, text, response, rateLimit, attempts, mayHaveBeenApplied } };
  }

  #isSuccess(answer: Answer): boolean {
    const { endpoint, isSuccess } = this.#call;
    // A delete whose first attempt went through without our hearing of it finds nothing left to delete.
    const isGone = answer.status === 404 && endpoint.method === "DELETE" && this.#mayHaveBeenApplied;
    return answer.response.ok || isGone || isSuccess?.(answer) === true;
  }

  #plan(outcome: Outcome): RetryPlan {
    const { method } = this.#call.endpoint;
    this.#mayHaveBeenApplied ||= mayHaveBeenApplied(method, outcome);
    const failure = toFailure(method, outcome);
    if (failure === undefined) return { retry: false, reason: "final" };
    const { now, random, shared } = this.#connection;
    const isShort = isShortage(outcome);
    // Those under way give their places back: it is the gate's business, as after a 429.
    if (isShort && !shared.gate.isAlone && this.#settings.retry.maxAttempts > 1) return waitForPlace;
    const plan = planRetry({
      method,
      failure,
      attempt: this.#counted + 1,
      policy: this.#settings.retry,
      nowMs: now(),
      leftMs: this.#deadlineAtMs - shared.clock.now(),
      tokens: isShort ? Infinity : this.#budget.tokens,
      random: random(),
    });
    // At once: another call's plan must not count on the same tokens. What this machine lacks does not weigh on the service.
    if (plan.retry) this.#budget.spend((this.#lastCost = isShort ? 0 : plan.cost));
    if (plan.retry && !plan.asked) this.#counted += 1;
    return plan;
  }

  /** Waits before the next attempt. After a 429 that is the gate's business. */
  async #pause({ delayMs, asked }: RetryPlan & { retry: true }, outcome: Outcome): Promise<void> {
    const { sleep, shared } = this.#connection;
    const last = this.#attempts.pop();
    if (last === undefined) return;
    const flaw = outcome.kind === "unexpected" && outcome.flaw !== undefined && { failure: outcome.flaw };
    const kept = { ...last, ...flaw, waitMs: delayMs };
    this.#attempts.push(kept);
    const reason = kept.failure ?? kept.status ?? "unknown";
    this.#report?.({ type: "retry", attempt: last.number, delayMs, reason });
    if (delayMs === 0) return;
    this.#report?.({ type: "wait", delayMs, reason: asked ? "service" : "backoff" });
    if (outcome.kind === "answer" && outcome.status === 429) return;
    try {
      await shared.clock.during(delayMs, sleep(delayMs, this.#settings.signal));
    } catch (error) {
      throw this.#settings.signal?.aborted ? this.#toError(this.#aborted(), undefined) : error;
    }
  }

  #aborted(): Outcome & { kind: "aborted" } {
    return { kind: "aborted", isSent: false, reason: this.#settings.signal?.reason as unknown }; // why: the platform says `any`
  }

  /** What cannot be had, such as a key, ends the call, but what became of the attempts before is what the caller must know. */
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
    const about = { summary, method, path, idempotencyKey, retryAfterMs, baseUrl: this.#connection.baseUrl };
    const history = { attempts: [...this.#attempts], mayHaveBeenApplied: this.#mayHaveBeenApplied };
    return toError(outcome, { ...about, ...history, key: this.#key.latest }, options);
  }
}
