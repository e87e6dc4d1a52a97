// A whole call: gate, attempt, and the decision about the next one, until there is a value or an error.
import type { Endpoint, RateLimit } from "@landing-page-service/contract";
import { readRequestId, UnexpectedAnswer } from "./answers.ts";
import type { Attempt } from "./call-errors.ts";
import type { Caller } from "./caller.ts";
import type { LandingPagesError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import { type HttpRequest, sendOnce, writeRequest } from "./http.ts";
import type { Report } from "./log.ts";
import type { CallOptions, Fetch } from "./options.ts";
import { codeOf, mayHaveBeenApplied, type Misconfigured, type Outcome, toError } from "./outcome.ts";
import type { CallResult, ResultPromise } from "./result.ts";
import { hideKey } from "./redact.ts";
import { type AttemptFailure, planRetry, type RetryBudget, type RetryPlan } from "./retry.ts";
import type { CallSettings } from "./settings.ts";
import type { Sleep } from "./sleep.ts";

/** What all calls of a client go through. */
export interface Connection {
  readonly baseUrl: string;
  readonly readKey: () => string | Promise<string>;
  readonly fetch: Fetch;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly report: Report | undefined;
  readonly maxAnswerBytes: number;
  /** Shared by all clients for the same account. */
  readonly shared: { readonly gate: Gate; readonly budget: RetryBudget; rateLimit: RateLimit | undefined };
}

/** One call of an endpoint, checked and written out. */
export interface Call<Value> {
  readonly endpoint: Pick<Endpoint, "method" | "summary">;
  /** Path and query below the base URL. */
  readonly path: string;
  /** JSON text, the same on every attempt. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Makes the value from the text of a success. */
  readonly read: (text: string) => Value;
  /** Whether `read` looks at the text; otherwise any success will do. */
  readonly needsBody: boolean;
}

/** Starts a call; what `prepare` throws rejects it before anything is sent. */
export type Send = <Value>(caller: Caller, options: CallOptions, prepare: () => Call<Value>) => ResultPromise<Value>;

/** Carries out a call. Rejects with one of our errors. */
export function performCall<Value>(
  connection: Connection,
  call: Call<Value>,
  settings: CallSettings,
): Promise<CallResult<Value>> {
  return new CallRun(connection, call, settings).run();
}

/** How a whole attempt ended: with a value, or with an outcome that is none. */
type Ending<Value> = { readonly kind: "value"; readonly result: CallResult<Value> } | Outcome;

class CallRun<Value> {
  readonly #connection: Connection;
  readonly #call: Call<Value>;
  readonly #settings: CallSettings;
  readonly #request: HttpRequest;
  readonly #deadlineAtMs: number;
  readonly #attempts: Attempt[] = [];
  #mayHaveBeenApplied = false;
  #lastFailed: Exclude<Outcome, Misconfigured> | undefined;
  #lastCost = 1;
  #key = "";

  constructor(connection: Connection, call: Call<Value>, settings: CallSettings) {
    this.#connection = connection;
    this.#call = call;
    this.#settings = settings;
    this.#request = writeRequest(connection.baseUrl, call, settings.headers);
    this.#deadlineAtMs = connection.now() + settings.totalTimeoutMs;
  }

  async run(): Promise<CallResult<Value>> {
    for (;;) {
      const pass = await this.#enterGate();
      const { ending, plan } = await this.#useUp(pass);
      if (ending.kind === "value") return ending.result;
      if (ending.kind === "misconfigured") throw this.#withoutKey(ending);
      if (!plan.retry) throw this.#toError(ending, plan.retryAfterMs);
      this.#lastFailed = ending;
      await this.#pause(plan, ending);
    }
  }

  /** Waits for the pass that every attempt needs. */
  async #enterGate(): Promise<number> {
    const { shared, report, now } = this.#connection;
    const { endpoint, path } = this.#call;
    const { signal, retry, totalTimeoutMs } = this.#settings;
    if (signal?.aborted) throw this.#toError(this.#aborted(), undefined);
    const asked = shared.gate.enter({ signal, maxWaitMs: retry.maxWaitMs, deadlineAtMs: this.#deadlineAtMs });
    if (asked instanceof Promise) report?.({ type: "wait", method: endpoint.method, path, reason: "gate" });
    const entry = await asked;
    if (entry.kind === "pass" && now() < this.#deadlineAtMs) return entry.number;

    const late = { kind: "timeout", isSent: false, limit: { name: "totalTimeoutMs", ms: totalTimeoutMs } } as const;
    if (entry.kind === "pass") shared.gate.leave(entry.number, late, undefined);
    if (entry.kind === "aborted") throw this.#toError(this.#aborted(), undefined);
    if (entry.kind !== "closed") throw this.#toError(this.#lastFailed ?? late, undefined);
    const { waitMs } = entry;
    throw this.#toError(this.#lastFailed ?? { kind: "held", waitMs, rateLimit: shared.rateLimit }, waitMs);
  }

  /** Makes one attempt, and hands its pass back whatever happens. */
  async #useUp(pass: number): Promise<{ ending: Ending<Value>; plan: RetryPlan }> {
    let outcome: Outcome | undefined;
    let plan: RetryPlan = { retry: false, reason: "final" };
    try {
      outcome = await this.#attempt();
      const ending = this.#read(outcome);
      if (ending.kind === "value") this.#connection.shared.budget.refund(this.#lastCost);
      else plan = this.#plan(ending);
      return { ending, plan };
    } finally {
      const isRefused = outcome?.kind === "answer" && outcome.status === 429;
      const waitMs = plan.retry ? plan.delayMs : (plan.retryAfterMs ?? 1000);
      this.#connection.shared.gate.leave(pass, outcome ?? this.#aborted(), isRefused ? waitMs : undefined);
    }
  }

  /** Sends the request once, and notes how that went. */
  async #attempt(): Promise<Outcome> {
    const { report, fetch, readKey, now, maxAnswerBytes } = this.#connection;
    const { endpoint, path, needsBody } = this.#call;
    const { timeoutMs, totalTimeoutMs, signal } = this.#settings;
    const about = { method: endpoint.method, path, attempt: this.#attempts.length + 1 };
    const startedAtMs = now();
    const leftMs = this.#deadlineAtMs - startedAtMs;
    report?.({ type: "request", ...about });

    const outcome = await sendOnce(this.#request, {
      fetch,
      needsBody,
      timeoutMs: Math.min(timeoutMs, leftMs),
      limit: leftMs < timeoutMs ? { name: "totalTimeoutMs", ms: totalTimeoutMs } : { name: "timeoutMs", ms: timeoutMs },
      signal,
      readKey: () => this.#keep(readKey()),
      now,
      maxAnswerBytes,
    });

    const durationMs = Math.max(0, now() - startedAtMs);
    const status = "status" in outcome ? outcome.status : undefined;
    const rateLimit = "rateLimit" in outcome ? outcome.rateLimit : undefined;
    const failure = codeOf(outcome);
    if (rateLimit !== undefined) this.#connection.shared.rateLimit = rateLimit;
    report?.({ type: "response", ...about, durationMs, status, failure, rateLimit });
    if (outcome.kind === "misconfigured") return outcome;
    this.#attempts.push({
      number: about.attempt,
      startedAtMs,
      durationMs,
      ...(status === undefined ? {} : { status }),
      ...(failure === undefined ? {} : { failure }),
    });
    return outcome;
  }

  /** Remembers the key, to take it out of texts that others wrote. */
  #keep(key: string | Promise<string>): string | Promise<string> {
    if (typeof key !== "string") return key.then((found) => this.#keep(found));
    return (this.#key = key);
  }

  /** Makes the value of a success. */
  #read(outcome: Outcome): Ending<Value> {
    if (outcome.kind !== "answer") return outcome;
    const { status, response, headers, text, rateLimit } = outcome;
    // A delete whose first attempt went through without our hearing of it finds nothing left to delete.
    const isGone = status === 404 && this.#call.endpoint.method === "DELETE" && this.#mayHaveBeenApplied;
    if (!response.ok && !isGone) return outcome;
    try {
      const data = this.#call.read(text);
      const requestId = readRequestId(headers);
      return { kind: "value", result: { data, response, attempts: this.#attempts, rateLimit, requestId } };
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer)) throw error;
      return { kind: "unexpected", status, errors: this.#readProblems(text) ?? error.problems, rateLimit };
    }
  }

  /** What is wrong with a text, told without the key: a text that is cut before the key is taken out of it may end within the key. */
  #readProblems(text: string): UnexpectedAnswer["problems"] | undefined {
    try {
      this.#call.read(hideKey(text, this.#key));
      return undefined;
    } catch (error) {
      return error instanceof UnexpectedAnswer ? error.problems : undefined;
    }
  }

  #plan(outcome: Outcome): RetryPlan {
    const { method } = this.#call.endpoint;
    this.#mayHaveBeenApplied ||= mayHaveBeenApplied(method, outcome);
    if (!isFailure(outcome)) return { retry: false, reason: "final" };
    const { now, random, shared } = this.#connection;
    const nowMs = now();
    const plan = planRetry({
      method,
      failure: outcome,
      attempt: this.#attempts.length,
      policy: this.#settings.retry,
      nowMs,
      leftMs: this.#deadlineAtMs - nowMs,
      tokens: shared.budget.tokens,
      random: random(),
    });
    // At once: another call's plan must not count on the same tokens.
    if (plan.retry) shared.budget.spend((this.#lastCost = plan.cost));
    return plan;
  }

  /** Waits before the next attempt. After a 429 that is the gate's business: it has just closed for as long. */
  async #pause({ delayMs, asked }: RetryPlan & { retry: true }, outcome: Outcome): Promise<void> {
    const { report, sleep } = this.#connection;
    const last = this.#attempts.pop();
    if (last === undefined) return;
    this.#attempts.push({ ...last, waitMs: delayMs });
    const about = { method: this.#call.endpoint.method, path: this.#call.path };
    const reason = last.failure ?? last.status ?? "unknown";
    report?.({ type: "retry", ...about, attempt: last.number, delayMs, reason });
    report?.({ type: "wait", ...about, delayMs, reason: asked ? "service" : "backoff" });
    if (outcome.kind === "answer" && outcome.status === 429) return;
    try {
      await sleep(delayMs, this.#settings.signal);
    } catch (error) {
      throw this.#settings.signal?.aborted ? this.#toError(this.#aborted(), undefined) : error;
    }
  }

  #aborted(): Outcome & { kind: "aborted" } {
    return { kind: "aborted", isSent: false, reason: this.#settings.signal?.reason as unknown };
  }

  /** A key that cannot be had ends the call, but what became of the attempts before is what the caller must know. */
  #withoutKey({ error }: Misconfigured): LandingPagesError {
    return this.#lastFailed === undefined ? error : this.#toError(this.#lastFailed, undefined, { cause: error });
  }

  #toError(
    outcome: Exclude<Outcome, Misconfigured>,
    retryAfterMs: number | undefined,
    options?: { cause: unknown },
  ): LandingPagesError {
    const { endpoint, path, idempotencyKey } = this.#call;
    const about = {
      summary: endpoint.summary,
      key: this.#key,
      method: endpoint.method,
      path,
      attempts: [...this.#attempts],
      mayHaveBeenApplied: this.#mayHaveBeenApplied,
      idempotencyKey,
      retryAfterMs,
    };
    return toError(outcome, about, options);
  }
}

function isFailure(outcome: Outcome): outcome is Outcome & AttemptFailure {
  return ["answer", "unsent", "broken", "timeout"].includes(outcome.kind);
}
