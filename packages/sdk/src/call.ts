// A whole call: gate, attempt, and the decision about the next one, until there is a value or an error.
import { type Endpoint, type RateLimit, readRateLimit } from "@landing-page-service/contract";
import { readRequestId, UnexpectedAnswer } from "./answers.ts";
import { type Attempt, type CallError, ConfigurationError } from "./errors.ts";
import { type Failed, heldBack, refused, timedOut, unanswered, unexpected } from "./failures.ts";
import type { Gate, Heard } from "./gate.ts";
import { AttemptError, type HttpAnswer, type HttpRequest, sendOnce } from "./http.ts";
import type { Report } from "./log.ts";
import type { CallOptions, Fetch } from "./options.ts";
import type { CallResult, ResultPromise } from "./result.ts";
import { type AttemptFailure, mayHaveBeenApplied, planRetry, type RetryBudget, type RetryPlan } from "./retry.ts";
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
export type Send = <Value>(options: CallOptions, prepare: () => Call<Value>) => ResultPromise<Value>;

/** Carries out a call. Rejects with one of our errors, or with the reason of the caller's signal. */
export function performCall<Value>(
  connection: Connection,
  call: Call<Value>,
  settings: CallSettings,
): Promise<CallResult<Value>> {
  return new CallRun(connection, call, settings).run();
}

class CallRun<Value> {
  readonly #connection: Connection;
  readonly #call: Call<Value>;
  readonly #settings: CallSettings;
  readonly #request: HttpRequest;
  readonly #deadlineAtMs: number;
  readonly #attempts: Attempt[] = [];
  #mayHaveBeenApplied = false;
  #lastFailed: Failed | undefined;
  #lastCost = 1;
  #key = "";

  constructor(connection: Connection, call: Call<Value>, settings: CallSettings) {
    this.#connection = connection;
    this.#call = call;
    this.#settings = settings;
    this.#request = writeRequest(connection.baseUrl, call, settings);
    this.#deadlineAtMs = connection.now() + settings.deadlineMs;
  }

  async run(): Promise<CallResult<Value>> {
    for (;;) {
      this.#settings.signal?.throwIfAborted();
      const pass = await this.#enterGate();
      const outcome = await this.#useUp(pass);
      if ("data" in outcome) return outcome;
      await this.#pause(outcome.plan, outcome.failed.failure);
      this.#lastFailed = outcome.failed;
    }
  }

  /** Makes one attempt, and hands its pass back whatever happens. Rejects when it was the last. */
  async #useUp(pass: number): Promise<CallResult<Value> | { plan: RetryPlan & { retry: true }; failed: Failed }> {
    const { gate, budget } = this.#connection.shared;
    let heard: Heard = { kind: "lost" };
    try {
      const startedAtMs = this.#connection.now();
      const answer = await this.#attempt(startedAtMs);
      const rateLimit = this.#record(answer, startedAtMs);
      const result = this.#read(answer, rateLimit);
      if ("data" in result) {
        heard = { kind: "answered", rateLimit };
        budget.refund(this.#lastCost);
        return result;
      }
      const plan = this.#plan(result.failure);
      heard = readHeard(result.failure, rateLimit, plan);
      if (!plan.retry) throw this.#toError(result, plan.retryAfterMs);
      return { plan, failed: result };
    } finally {
      gate.leave(pass, heard);
    }
  }

  /** Waits for the pass that every attempt needs. */
  async #enterGate(): Promise<number> {
    const { shared, report, now } = this.#connection;
    const { endpoint, path } = this.#call;
    const { signal, retry } = this.#settings;
    const asked = shared.gate.enter({ signal, maxWaitMs: retry.maxWaitMs, deadlineAtMs: this.#deadlineAtMs });
    if (asked instanceof Promise) report?.({ type: "wait", method: endpoint.method, path, reason: "gate" });
    const entry = await asked;
    if (entry.kind === "pass" && now() < this.#deadlineAtMs) return entry.number;

    if (entry.kind === "pass") shared.gate.leave(entry.number, { kind: "unsent" });
    if (entry.kind !== "closed") throw this.#toError(this.#lastFailed ?? this.#timedOut("unsent"), undefined);
    const { waitMs } = entry;
    throw this.#toError(this.#lastFailed ?? heldBack(endpoint.summary, waitMs, shared.rateLimit), waitMs);
  }

  /** Sends the request once. What is thrown is not about this attempt: the caller's signal, or the key. */
  async #attempt(startedAtMs: number): Promise<HttpAnswer | AttemptError> {
    const { report, fetch, readKey, now } = this.#connection;
    const { endpoint, path, needsBody } = this.#call;
    const about = { method: endpoint.method, path, attempt: this.#attempts.length + 1 };
    report?.({ type: "request", ...about });
    try {
      return await sendOnce(this.#request, {
        fetch,
        needsBody,
        timeoutMs: Math.min(this.#settings.timeoutMs, this.#deadlineAtMs - startedAtMs),
        signal: this.#settings.signal,
        readKey: () => this.#keep(readKey()),
      });
    } catch (error) {
      if (error instanceof AttemptError) return error;
      const durationMs = Math.max(0, now() - startedAtMs);
      report?.({
        type: "response",
        ...about,
        durationMs,
        failure: this.#settings.signal?.aborted ? "aborted" : "apiKey",
      });
      // A key that cannot be had ends the call, but what became of the attempts before is what the caller must know.
      if (error instanceof ConfigurationError && this.#lastFailed !== undefined) {
        throw this.#toError(this.#lastFailed, undefined, { cause: error });
      }
      throw error;
    }
  }

  /** Remembers the key, to take it out of texts that others wrote. */
  #keep(key: string | Promise<string>): string | Promise<string> {
    if (typeof key !== "string") return key.then((found) => this.#keep(found));
    return (this.#key = key);
  }

  /** Notes down an attempt, and what it tells about the rate limit. */
  #record(answer: HttpAnswer | AttemptError, startedAtMs: number): RateLimit | undefined {
    const { now, report, shared } = this.#connection;
    const { endpoint, path } = this.#call;
    const nowMs = now();
    const number = this.#attempts.length + 1;
    const durationMs = Math.max(0, nowMs - startedAtMs);
    const { status, failure } =
      answer instanceof AttemptError
        ? { status: answer.status, failure: answer.code }
        : { status: answer.response.status, failure: undefined };
    this.#attempts.push({
      number,
      startedAtMs,
      durationMs,
      ...(status === undefined ? {} : { status }),
      ...(failure === undefined ? {} : { failure }),
    });
    const rateLimit = answer instanceof AttemptError ? undefined : readRateLimit(answer.response.headers, nowMs);
    if (rateLimit !== undefined) shared.rateLimit = rateLimit;
    report?.({
      type: "response",
      method: endpoint.method,
      path,
      attempt: number,
      durationMs,
      status,
      failure,
      rateLimit,
    });
    return rateLimit;
  }

  /** Makes the value, or says what is wrong. */
  #read(answer: HttpAnswer | AttemptError, rateLimit: RateLimit | undefined): CallResult<Value> | Failed {
    const { summary, method } = this.#call.endpoint;
    if (answer instanceof AttemptError) return this.#readFailure(answer);
    const { response, text } = answer;
    // A delete whose first attempt went through without our hearing of it finds nothing left to delete.
    const isGone = response.status === 404 && method === "DELETE" && this.#mayHaveBeenApplied;
    if (!response.ok && !isGone) return refused(summary, answer, rateLimit, this.#key);
    try {
      const data = this.#call.read(text);
      return { data, response, attempts: this.#attempts, rateLimit, requestId: readRequestId(response.headers) };
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer)) throw error;
      return unexpected(summary, response.status, error.problems, this.#key);
    }
  }

  #readFailure(error: AttemptError): Failed {
    const { summary } = this.#call.endpoint;
    const { kind, code, message, status = 0 } = error;
    if (kind === "unreadable")
      return unexpected(summary, status, [{ pointer: "#", detail: `got ${message}` }], this.#key);
    if (kind === "timeout" || (kind === "unsent" && code === "timeout")) return this.#timedOut(kind);
    return unanswered(summary, error, kind);
  }

  #timedOut(kind: "timeout" | "unsent"): Failed {
    const { timeoutMs, deadlineMs } = this.#settings;
    // The timer of an attempt and the clock may differ by a millisecond; what matters is which of the two limits was shorter.
    const isDeadline = (this.#attempts.at(-1)?.startedAtMs ?? this.#deadlineAtMs) + timeoutMs >= this.#deadlineAtMs;
    const limit = isDeadline
      ? ({ name: "deadlineMs", ms: deadlineMs } as const)
      : ({ name: "timeoutMs", ms: timeoutMs } as const);
    return timedOut(this.#call.endpoint.summary, limit, kind);
  }

  #plan(failure: AttemptFailure | undefined): RetryPlan {
    const { method } = this.#call.endpoint;
    this.#mayHaveBeenApplied ||= mayHaveBeenApplied(method, failure ?? { kind: "broken" });
    if (failure === undefined) return { retry: false, reason: "final" };
    const { now, random, shared } = this.#connection;
    const nowMs = now();
    const plan = planRetry({
      method,
      failure,
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
  async #pause(plan: RetryPlan & { retry: true }, failure: AttemptFailure | undefined): Promise<void> {
    const { report, sleep } = this.#connection;
    const { delayMs, asked } = plan;
    const last = this.#attempts.pop();
    if (last === undefined) return;
    this.#attempts.push({ ...last, waitMs: delayMs });
    const about = { method: this.#call.endpoint.method, path: this.#call.path };
    report?.({
      type: "retry",
      ...about,
      attempt: last.number,
      delayMs,
      reason: last.failure ?? last.status ?? "unknown",
    });
    report?.({ type: "wait", ...about, delayMs, reason: asked ? "service" : "backoff" });
    if (failure?.kind !== "answer" || failure.status !== 429) await sleep(delayMs, this.#settings.signal);
  }

  #toError({ toError }: Failed, retryAfterMs: number | undefined, options?: ErrorOptions): CallError {
    const { endpoint, path, idempotencyKey } = this.#call;
    const failure = {
      method: endpoint.method,
      path,
      attempts: [...this.#attempts],
      mayHaveBeenApplied: this.#mayHaveBeenApplied,
      idempotencyKey,
      retryAfterMs,
    };
    return toError(failure, options);
  }
}

function writeRequest(
  baseUrl: string,
  { endpoint, path, body, idempotencyKey }: Call<unknown>,
  settings: CallSettings,
): HttpRequest {
  const headers: Record<string, string> = { "user-agent": "landing-page-service-sdk", ...settings.headers };
  headers.accept ??= "application/json";
  if (body !== undefined) headers["content-type"] = "application/json";
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  return { method: endpoint.method, url: baseUrl + path, headers, body };
}

/** What the gate learns from a failed attempt. */
function readHeard(failure: AttemptFailure | undefined, rateLimit: RateLimit | undefined, plan: RetryPlan): Heard {
  if (failure?.kind === "unsent") return { kind: "unsent" };
  if (failure?.kind === "broken" || failure?.kind === "timeout") return { kind: "lost" };
  if (failure?.status !== 429) return { kind: "answered", rateLimit };
  return { kind: "refused", forMs: plan.retry ? plan.delayMs : (plan.retryAfterMs ?? 1000) };
}
