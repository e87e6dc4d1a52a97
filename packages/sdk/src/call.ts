// A whole call: gate, attempt, and the decision about the next one, until there is a value or an error.
import { type Endpoint, type FieldProblem, type RateLimit, readRateLimit } from "@landing-page-service/contract";
import { readProblem, readRequestId, UnexpectedAnswer } from "./answers.ts";
import {
  type Attempt,
  type CallError,
  type CallFailure,
  ConnectionError,
  createApiError,
  describeCall,
  describeFields,
  type ErrorAnswer,
  RateLimitError,
  ResponseValidationError,
  TimeoutError,
} from "./errors.ts";
import type { Gate, Heard } from "./gate.ts";
import { AttemptError, hideKey, type HttpAnswer, type HttpRequest, sendOnce } from "./http.ts";
import type { Report } from "./log.ts";
import type { CallOptions, CallSettings, Fetch } from "./options.ts";
import type { CallResult, ResultPromise } from "./result.ts";
import { type AttemptFailure, mayHaveBeenApplied, planRetry, type RetryBudget, type RetryPlan } from "./retry.ts";
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

/** An attempt that brought no value. */
interface Failed {
  /** How it failed; absent when the answer is one that no further attempt would make better. */
  readonly failure: AttemptFailure | undefined;
  readonly toError: (failure: CallFailure) => CallError;
}

class CallRun<Value> {
  readonly #connection: Connection;
  readonly #call: Call<Value>;
  readonly #settings: CallSettings;
  readonly #request: HttpRequest;
  readonly #deadlineAtMs: number;
  readonly #attempts: Attempt[] = [];
  #mayHaveBeenApplied = false;
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
    const { gate, budget } = this.#connection.shared;
    const { now } = this.#connection;
    let lastFailed: Failed | undefined;
    for (;;) {
      this.#settings.signal?.throwIfAborted();
      const pass = await this.#enterGate(lastFailed);
      const startedAtMs = now();
      let answer: HttpAnswer | AttemptError;
      try {
        answer = await this.#attempt(startedAtMs);
      } catch (error) {
        gate.leave(pass, { kind: "lost" });
        throw error;
      }
      const rateLimit = this.#record(answer, startedAtMs);
      const result = this.#read(answer, rateLimit);
      if ("data" in result) {
        gate.leave(pass, { kind: "answered", rateLimit });
        budget.refund(this.#lastCost);
        return result;
      }
      const plan = this.#plan(result.failure);
      gate.leave(pass, readHeard(result.failure, rateLimit, plan));
      if (!plan.retry) throw this.#toError(result, plan.retryAfterMs);
      await this.#pause(plan, result.failure);
      lastFailed = result;
    }
  }

  /** Waits for the pass that every attempt needs. */
  async #enterGate(lastFailed: Failed | undefined): Promise<number> {
    const { shared, report, now } = this.#connection;
    const { endpoint, path } = this.#call;
    const { signal, retry } = this.#settings;
    const asked = shared.gate.enter({ signal, maxWaitMs: retry.maxWaitMs, deadlineAtMs: this.#deadlineAtMs });
    if (asked instanceof Promise) report?.({ type: "wait", method: endpoint.method, path, reason: "gate" });
    const entry = await asked;
    if (entry.kind === "pass" && now() < this.#deadlineAtMs) return entry.number;

    if (entry.kind === "pass") shared.gate.leave(entry.number, { kind: "unsent" });
    const retryAfterMs = entry.kind === "closed" ? entry.waitMs : undefined;
    if (lastFailed !== undefined) throw this.#toError(lastFailed, retryAfterMs);
    throw this.#toError(
      retryAfterMs === undefined ? this.#timedOut("unsent") : this.#heldBack(retryAfterMs),
      retryAfterMs,
    );
  }

  /** Sends the request once. What is thrown is not about this attempt: the caller's signal, or the key. */
  async #attempt(startedAtMs: number): Promise<HttpAnswer | AttemptError> {
    const { report, fetch, readKey } = this.#connection;
    const { endpoint, path, needsBody } = this.#call;
    report?.({ type: "request", method: endpoint.method, path, attempt: this.#attempts.length + 1 });
    try {
      return await sendOnce(this.#request, {
        fetch,
        needsBody,
        timeoutMs: Math.min(this.#settings.timeoutMs, this.#deadlineAtMs - startedAtMs),
        signal: this.#settings.signal,
        readKey: async () => (this.#key = await readKey()),
      });
    } catch (error) {
      if (error instanceof AttemptError) return error;
      throw error;
    }
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
    if (answer instanceof AttemptError) return this.#unanswered(answer);
    const { response, text } = answer;
    // A delete whose first attempt went through without our hearing of it finds nothing left to delete.
    const isGone = response.status === 404 && this.#call.endpoint.method === "DELETE" && this.#mayHaveBeenApplied;
    if (!response.ok && !isGone) return this.#refused(answer, rateLimit);
    try {
      const data = this.#call.read(text);
      return { data, response, attempts: this.#attempts, rateLimit, requestId: readRequestId(response.headers) };
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer)) throw error;
      return this.#unexpected(response.status, error.problems);
    }
  }

  #plan(failure: AttemptFailure | undefined): RetryPlan {
    const { method } = this.#call.endpoint;
    this.#mayHaveBeenApplied ||= mayHaveBeenApplied(method, failure ?? { kind: "broken" });
    if (failure === undefined) return { retry: false, reason: "final" };
    const { now, random, shared } = this.#connection;
    const nowMs = now();
    return planRetry({
      method,
      failure,
      attempt: this.#attempts.length,
      policy: this.#settings.retry,
      nowMs,
      leftMs: this.#deadlineAtMs - nowMs,
      tokens: shared.budget.tokens,
      random: random(),
    });
  }

  /** Waits before the next attempt. After a 429 that is the gate's business: it has just closed for as long. */
  async #pause(plan: RetryPlan & { retry: true }, failure: AttemptFailure | undefined): Promise<void> {
    const { shared, report, sleep } = this.#connection;
    const { delayMs, cost, asked } = plan;
    shared.budget.spend(cost);
    this.#lastCost = cost;
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

  #toError({ toError }: Pick<Failed, "toError">, retryAfterMs: number | undefined): CallError {
    const { endpoint, path, idempotencyKey } = this.#call;
    return toError({
      method: endpoint.method,
      path,
      attempts: [...this.#attempts],
      mayHaveBeenApplied: this.#mayHaveBeenApplied,
      idempotencyKey,
      retryAfterMs,
    });
  }

  #refused({ response, text }: HttpAnswer, rateLimit: RateLimit | undefined): Failed {
    const { status } = response;
    const headers = new Headers([...response.headers].map(([name, value]) => [name, hideKey(value, this.#key)]));
    const problem = readProblem(hideKey(text, this.#key));
    const answer: ErrorAnswer = { status, problem, headers, requestId: readRequestId(headers), rateLimit };
    return {
      failure: { kind: "answer", status, headers: response.headers },
      toError: (failure) => createApiError(this.#call.endpoint.summary, answer, failure),
    };
  }

  #unanswered(error: AttemptError): Failed {
    const { kind, code, status, message } = error;
    if (kind === "unreadable") return this.#unexpected(status ?? 0, [{ pointer: "#", detail: `got ${message}` }]);
    if (code === "timeout") return this.#timedOut(kind);
    const what = kind === "unsent" ? "no connection" : "the connection broke";
    return {
      failure: { kind },
      toError: (failure) =>
        new ConnectionError(
          `${this.#call.endpoint.summary} failed: ${what} (${message})${describeCall(failure)}`,
          code,
          failure,
          {
            cause: error.cause,
          },
        ),
    };
  }

  #timedOut(kind: "timeout" | "broken" | "unsent"): Failed {
    const { timeoutMs, deadlineMs } = this.#settings;
    // The timer of an attempt and the clock may differ by a millisecond; what matters is which of the two limits was shorter.
    const isDeadline = (this.#attempts.at(-1)?.startedAtMs ?? this.#deadlineAtMs) + timeoutMs >= this.#deadlineAtMs;
    const limit = isDeadline ? "deadlineMs" : "timeoutMs";
    const what = isDeadline
      ? `not done within its deadline, ${deadlineMs} ms`
      : `no complete answer within ${timeoutMs} ms`;
    return {
      failure: { kind },
      toError: (failure) =>
        new TimeoutError(`${this.#call.endpoint.summary} failed: ${what}${describeCall(failure)}`, limit, failure),
    };
  }

  #unexpected(status: number, problems: readonly FieldProblem[]): Failed {
    const errors = problems.map(({ pointer, detail }) => ({ pointer, detail: hideKey(detail, this.#key) }));
    return {
      failure: undefined,
      toError: (failure) =>
        new ResponseValidationError(
          `${this.#call.endpoint.summary} answered ${status}, but not with what was asked for (${describeFields(errors)})${describeCall(failure)}`,
          { status, errors },
          failure,
        ),
    };
  }

  #heldBack(waitMs: number): Failed {
    const seconds = Math.ceil(waitMs / 1000);
    const { rateLimit } = this.#connection.shared;
    const detail = `the rate limit is used up for another ${seconds} s, longer than this call may wait`;
    const answer: ErrorAnswer = { status: 429, problem: { detail, errors: [] }, headers: new Headers(), rateLimit };
    return {
      failure: undefined,
      toError: (failure) =>
        new RateLimitError(`${this.#call.endpoint.summary} was not sent: ${detail}`, answer, failure),
    };
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
