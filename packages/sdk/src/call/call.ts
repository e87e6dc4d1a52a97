// A whole call. It waits for a permit, makes an attempt and decides about the next one, until there is a value or an error.
import { type Endpoint, redact } from "@landing-page-service/contract";
import { type CallOptions, callSchema, mergeSettings, type Settings, writeSchema } from "../options.ts";
import { parseBody } from "../read/body.ts";
import { type HttpResponse, isEmptyListError, type ReadOptions, type ResponseReader } from "../read/responses.ts";
import { type ApiError, type Attempt, CallError, ConfigurationError, LandingPagesError } from "../report/errors.ts";
import type { CallEvent, CallName, EndEvent } from "../report/events.ts";
import { type CallRunner, type Report, runCall } from "../report/report.ts";
import { sendOnce } from "./attempt.ts";
import { aborted, assess, type Outcome, readRequestId, type ReceivedResponse, toError, unexpected } from "./outcome.ts";
import type { Permit, RateLimiter, Refusal } from "./rate-limiter.ts";
import { planRetry, isAskedWait, type RetryPlan } from "./retry.ts";
import type { sleep } from "./timers.ts";

/** The parts of its client that a call uses, and its settings, merged from defaults, client options and call options. */
export interface CallContext extends Omit<Settings, "baseUrl" | "read"> {
  readonly baseUrl: string;
  /** Returns the key of each attempt. Rejects only with a `ConfigurationError`. */
  readonly readKey: () => Promise<string>;
  readonly wait: typeof sleep;
  readonly report: Report;
  readonly reader: ResponseReader;
  /** The places of the mismatches that the client has reported. */
  readonly reported: Set<string>;
  /** Clients of the same account share it. */
  readonly limiter: RateLimiter;
}

/** A call of an endpoint. Its input is checked and serialized. */
export interface Call<Value> {
  readonly endpoint: Pick<Endpoint, "name" | "method" | "summary"> & { readonly path: string };
  /** Path and query below the base URL. */
  readonly path: string;
  /** JSON, the same on every attempt. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Makes the value from a successful response, and reports mismatches. */
  readonly read: (response: HttpResponse, options: ReadOptions) => Value;
  /** Whether the call fails without the whole body of a success. Otherwise the status is enough. */
  readonly needsBody: boolean;
  /** Called when the call begins, with the name that its events carry. */
  readonly onBegin?: ((name: CallName) => void) | undefined;
  /** Foreground calls go before background calls. @defaultValue "foreground" */
  readonly priority?: "foreground" | "background" | undefined;
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

/** Starts a call. The path is that of the endpoint unless `prepare` returns another. If `prepare` throws, the call rejects and sends nothing. */
export type Send = <Value>(
  endpoint: Call<Value>["endpoint"],
  options: CallOptions,
  prepare: () => Omit<Call<Value>, "endpoint" | "idempotencyKey" | "path"> & { readonly path?: string },
) => ResultPromise<Value>;

/** The value of a call, with its response and attempts. */
export interface CallResult<Value> extends Pick<ApiError, "requestId" | "rateLimit"> {
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
}

/** A result whose body is not parsed yet, because most callers need only the value. */
type UnparsedResult<Value> = Omit<CallResult<Value>, "body"> & { readonly text: string };

/** A response whose value has been read. */
type Success<Value> = ReceivedResponse & { readonly data: Value };

/** Retry tokens of an endpoint at first, and at most. */
const mostTokens = 500;

/** Makes the function that starts the calls of a client. */
export function createSend(context: CallContext): Send {
  return (endpoint, options, prepare) => {
    const { name, method, path: route } = endpoint;
    const about = { callId: crypto.randomUUID(), operation: name, method, path: route, route };
    const run = follow(context, about, async () => {
      const isWrite = method === "POST";
      const settings = mergeSettings(context, options, isWrite ? writeSchema : callSchema);
      const idempotencyKey = isWrite ? (settings.idempotencyKey ?? crypto.randomUUID()) : undefined;
      const call = { path: route, ...settings, ...prepare(), endpoint, idempotencyKey };
      about.path = call.path;
      return new CallRun(call, about).run();
    });
    const value = waitFor(run, ({ data }) => data);
    // The body is parsed again, because the value may share objects with the first parse.
    const parse = ({ text, ...result }: Awaited<typeof run>) => {
      return { ...result, body: parseBody(text), requestId: readRequestId(result.response.headers) };
    };
    let whole: Promise<ReturnType<typeof parse>> | undefined;
    const withResponse = () => {
      // The caller handles a failure on the promise of the response, so this one must not be reported as unhandled.
      value.catch(() => undefined);
      return (whole ??= waitFor(run, parse));
    };
    return Object.assign(value, { withResponse });
  };
}

/**
 * Runs a call, whose events all carry `about`; `run` sets its path once the input is checked. The last event says how the call ended, even
 * if it is refused before.
 */
async function follow<Value>(context: CallContext, about: CallEvent, run: () => Promise<UnparsedResult<Value>>) {
  const { report, now } = context;
  const onEvent: CallRunner | undefined = context.onEvent;
  const startedAtMs = now();
  const end = (how: Pick<EndEvent, "attempts" | "status" | "error">) =>
    report({ type: "end", ...about, durationMs: Math.max(0, now() - startedAtMs), ...how });
  const runAndReport = async () => {
    try {
      const result = await run();
      end({ attempts: result.attempts.length, status: result.response.status });
      return result;
    } catch (error) {
      const failed: { attempts: readonly unknown[]; status?: number } = CallError.is(error) ? error : { attempts: [] };
      const attempts = failed.attempts.length;
      // A call that was not sent has the status of the response that closed the rate limiter, which belongs to another call.
      end({ attempts, status: attempts > 0 ? failed.status : undefined, error });
      throw error;
    }
  };
  return onEvent?.[runCall]?.(about, runAndReport) ?? runAndReport();
}

/**
 * Waits for a call. V8 knows which functions await this promise, so an error gets its stack here, and the stack shows the lines of the
 * caller.
 */
async function waitFor<Value, Result>(run: Promise<Value>, pick: (result: Value) => Result): Promise<Result> {
  try {
    return pick(await run);
  } catch (error) {
    if (LandingPagesError.is(error)) Error.captureStackTrace?.(error, waitFor);
    throw error;
  }
}

/** Carries out a call. */
class CallRun<Value> {
  readonly #call: CallContext & Call<Value>;
  /** The fields of all its events. */
  readonly #about: CallEvent;
  readonly #name: CallName;
  readonly #deadlineAtMs: number;
  readonly #attempts: (Attempt & { waitMs?: number })[] = [];
  /** Keys of all attempts, the latest last. */
  readonly #keys: string[] = [];
  /** The key that the service refused in this call. The client asks for another key once. */
  #refusedKey: string | undefined;
  /** Failed attempts that count for `maxAttempts`: those after which the service did not ask for a wait of a second or more. */
  #counted = 0;
  #mayHaveBeenApplied: boolean;
  #lastFailed: Outcome | undefined;
  /** Retry tokens that a success gives back: those of the last retry, or one if there was no retry. */
  #lastCost = 1;

  constructor(call: CallContext & Call<Value>, about: CallEvent) {
    this.#call = call;
    this.#about = about;
    this.#name = { callId: about.callId, operation: about.operation };
    this.#mayHaveBeenApplied = call.mayHaveBeenApplied ?? false;
    this.#deadlineAtMs = call.now() + call.totalTimeoutMs;
  }

  /** Returns the result, or rejects with an error of this package. */
  async run(): Promise<UnparsedResult<Value>> {
    this.#call.onBegin?.(this.#name);
    for (;;) {
      const permit = await this.#acquire();
      let outcome: Success<Value> | Outcome | undefined;
      let plan: RetryPlan;
      let refusal: Refusal | undefined;
      try {
        outcome = await this.#send();
        plan = this.#plan(outcome);
        refusal = readRefusal(outcome, plan);
      } finally {
        // A clock or a reader of the caller may throw.
        this.#call.limiter.release(permit, outcome ?? { isSent: true }, refusal);
      }
      if ("data" in outcome) {
        const { data, text, response, rateLimit } = outcome;
        const mayHaveBeenApplied = this.#mayHaveBeenApplied;
        return { data, text, response, rateLimit, attempts: this.#attempts, mayHaveBeenApplied };
      }
      if (plan.retry) await this.#pause(plan, outcome, refusal !== undefined);
      else if (!this.#hasAnotherKey(outcome)) throw this.#toError(outcome, plan.retryAfterMs);
      this.#lastFailed = outcome;
    }
  }

  /** Waits for the permit that every attempt needs. Ends the call if there is none in time. */
  async #acquire(): Promise<Permit> {
    const onWait = () => this.#call.report({ type: "wait", ...this.#about, reason: "rate-limit" });
    const waiter = { ...this.#call, deadlineAtMs: this.#deadlineAtMs, call: this.#name, onWait };
    const result = await this.#call.limiter.acquire(waiter);
    if (result.kind === "permit") return result;
    throw this.#toError(result.kind === "aborted" ? result : (this.#lastFailed ?? result), result.waitMs);
  }

  /** Sends the request once, reads the response, and records the attempt. */
  async #send(): Promise<Success<Value> | Outcome> {
    const { now, baseUrl, path, timeoutMs, report } = this.#call;
    const number = this.#attempts.length + 1;
    const startedAtMs = now();
    const leftMs = this.#deadlineAtMs - startedAtMs;
    report({ type: "request", ...this.#about, attempt: number, url: baseUrl + path });

    const received = await sendOnce({
      ...this.#call,
      // In a busy process the deadline may have passed. Node warns of a negative timer.
      limitMs: Math.max(1, Math.min(timeoutMs, leftMs)),
      limit: leftMs < timeoutMs ? "totalTimeoutMs" : "timeoutMs",
      readKey: () => this.#readKey(),
      keys: this.#keys,
    });

    const durationMs = Math.max(0, now() - startedAtMs);
    const { status, failure, isSent, rateLimit } = received;
    report({ type: "response", ...this.#about, attempt: number, durationMs, status, failure, rateLimit });
    const outcome = this.#read(received);
    if (outcome.kind !== "misconfigured")
      this.#attempts.push({ number, startedAtMs, durationMs, isSent, status, failure: outcome.failure });
    return outcome;
  }

  /** Gets the key of an attempt, which may change between attempts. */
  async #readKey(): Promise<string> {
    const key = await this.#call.readKey();
    if (key === this.#refusedKey)
      throw new ConfigurationError("`apiKey` returned the key again that the service had refused.");
    this.#keys.push(key);
    return key;
  }

  /** Whether another key may help. It may if `apiKey` is a function and this is the first refusal in the call. */
  #hasAnotherKey(outcome: Outcome): boolean {
    if (outcome.status !== 401 || this.#refusedKey !== undefined) return false;
    this.#refusedKey = this.#keys.at(-1);
    return typeof this.#call.apiKey === "function";
  }

  /** Reads the value of a success; returns any other outcome unchanged. */
  #read(outcome: Outcome): Success<Value> | Outcome {
    if (outcome.kind !== "answer" || !this.#isSuccess(outcome)) return outcome;
    const { read, report, reader, strict = false, reported } = this.#call;
    const onMismatch: ReadOptions["onMismatch"] = ({ where, expected, found }) => {
      const place = `${this.#name.operation} ${where}`;
      if (reported.has(place)) return;
      reported.add(place);
      report({ type: "mismatch", ...this.#about, where, expected: this.#hide(expected), found: this.#hide(found) });
    };
    try {
      return { ...outcome, data: read(outcome, { reader, strict, onMismatch }) };
    } catch (error) {
      return unexpected(outcome, error);
    }
  }

  #isSuccess(outcome: ReceivedResponse): boolean {
    const { status } = outcome;
    const { endpoint, reader } = this.#call;
    // An earlier attempt of a delete may have succeeded although its response was lost. The next attempt then finds no page.
    const isGone = status === 404 && endpoint.name === "deletePage" && this.#mayHaveBeenApplied;
    const isEmpty = endpoint.name === "listPages" && isEmptyListError(outcome, reader);
    return (status >= 200 && status < 300) || isGone || isEmpty;
  }

  /** Decides about another attempt, and takes or refunds retry tokens. */
  #plan(outcome: Success<Value> | Outcome): RetryPlan {
    const { now, random, limiter, retry: policy, endpoint } = this.#call;
    const { name, method } = endpoint;
    const tokens = limiter.tokens.get(name) ?? mostTokens;
    if ("data" in outcome) {
      limiter.tokens.set(name, Math.min(mostTokens, tokens + this.#lastCost));
      return { retry: false, reason: "final" };
    }
    const { isAmbiguous, failure } = assess(method, outcome);
    this.#mayHaveBeenApplied ||= isAmbiguous;
    if (failure === undefined) return { retry: false, reason: "final" };
    const nowMs = now();
    const leftMs = this.#deadlineAtMs - nowMs;
    const attempt = this.#counted + 1;
    const plan = planRetry({ method, failure, attempt, policy, nowMs, leftMs, tokens, random: random() });
    if (!plan.retry) return plan;
    // Spend the tokens now, so that no other call can plan with them.
    limiter.tokens.set(name, tokens - plan.cost);
    this.#lastCost = plan.cost;
    if (!isAskedWait(plan.retryAfterMs)) this.#counted += 1;
    return plan;
  }

  /** Waits before the next attempt, unless the rate limiter holds all calls back. */
  async #pause({ delayMs, asked }: RetryPlan & { retry: true }, outcome: Outcome, isHeld: boolean): Promise<void> {
    const { signal, wait, report } = this.#call;
    const last = this.#attempts.at(-1);
    if (last !== undefined) last.waitMs = delayMs;
    const reason = outcome.failure ?? outcome.status ?? "unknown";
    report({ type: "retry", ...this.#about, attempt: this.#attempts.length, delayMs, reason });
    report({ type: "wait", ...this.#about, delayMs, reason: asked ? "service" : "backoff" });
    if (isHeld) return;
    try {
      await wait(delayMs, signal);
    } catch (error) {
      throw signal?.aborted ? this.#toError(aborted(signal, false)) : error;
    }
  }

  #toError(outcome: Outcome, retryAfterMs?: number): LandingPagesError {
    const { path, idempotencyKey, endpoint, baseUrl, reader } = this.#call;
    const { summary, method } = endpoint;
    const mayHaveBeenApplied = this.#mayHaveBeenApplied;
    const facts = {
      method,
      path: this.#hide(path),
      attempts: this.#attempts,
      mayHaveBeenApplied,
      idempotencyKey,
      retryAfterMs,
    };
    const error = toError(outcome, { summary, facts, hide: this.#hide, baseUrl, reader });
    if (outcome.kind !== "misconfigured" || this.#lastFailed === undefined) return error;
    // The error of a key or a `fetch` that failed later only explains why there was no other attempt.
    const cause = { value: error, configurable: true, writable: true };
    return Object.defineProperty(this.#toError(this.#lastFailed), "cause", cause);
  }

  readonly #hide = (text: string): string => redact(text, this.#keys);
}

/** How long all calls must wait after a 429. `undefined` for other outcomes, and if the limit resets about now, because then only this call waits. */
function readRefusal({ status, rateLimit }: Outcome, plan: RetryPlan): Refusal | undefined {
  if (status !== 429) return undefined;
  const { retryAfterMs } = plan;
  const { resetAtMs, observedAtMs = 0 } = rateLimit ?? {};
  const resetsNow = resetAtMs === undefined || Math.abs(resetAtMs - observedAtMs) < 2000;
  // If the reset is later, calls must wait for `Retry-After`, and not for the reset.
  if (resetsNow && retryAfterMs !== undefined && retryAfterMs <= 1000) return undefined;
  return { forMs: retryAfterMs ?? (plan.retry ? plan.delayMs : 1000), isAsked: retryAfterMs !== undefined };
}
