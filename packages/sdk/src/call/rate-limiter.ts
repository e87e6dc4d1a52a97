import type { RateLimit } from "@landing-page-service/contract";
import type { CallName, RateLimitEvent } from "../report/events.ts";
import type { Call, CallContext } from "./call.ts";
import { aborted, type Ending, type Failure, held, timedOut } from "./outcome.ts";
import { addJitter } from "./retry.ts";

/** The right to send one request. */
export interface Permit {
  readonly kind: "permit";
  /** Number of the permit in its rate limiter, from 1. */
  readonly number: number;
  /** The call that has it. */
  readonly call: CallName;
}

/** A call that needs a permit. */
interface Waiter extends Pick<CallContext & Call<unknown>, "signal" | "retry" | "totalTimeoutMs" | "priority"> {
  /** Timestamp at which the call gives up, in milliseconds. */
  readonly deadlineAtMs: number;
  readonly call: CallName;
  /** Called if there is no permit at once. */
  readonly onWait: () => void;
  readonly settle: (result: Permit | Failure) => void;
}

/** A response by which the service refuses calls because of the rate limit. */
export interface Refusal {
  /** How long no call is sent, in milliseconds. */
  readonly forMs: number;
  /** Whether the service asked for this wait. Only then the limiter adds jitter, because the client's own waits have it. */
  readonly isAsked: boolean;
}

/**
 * The parts of a client that its rate limiter uses. Its events name the call whose response closed or opened it. If it opened because the
 * time was over, they name the first call handled after that.
 */
type RateLimiterOptions = Pick<CallContext, "now" | "random" | "wait" | "maxInFlight" | "report">;

/** Largest number of requests in flight at first, while the limit is unknown. */
const firstFew = 4;
/** After this long without a response, in milliseconds, more calls may be in flight, because those in flight may hang. */
const growMs = 1000;
/** Largest number of foreground calls in a row while a background call waits. */
const mostInARow = 9;
/**
 * After this long, in milliseconds, a call that cannot wait any longer is sent even if the service asked for a longer wait, because the
 * header may have been wrong. Most services have windows of a minute. Five seconds are for rounding.
 */
const askAgainMs = 65_000;

/**
 * Gives permits to the calls of a client. It allows as many calls in flight as the service has requests remaining, and gives no permits
 * while the limit is used up. At first it allows four calls in flight, after a reset or a 429 only one. Every response raises that number
 * by one. Every second without a response doubles it, and allows one call more than the service had remaining requests, so that calls that
 * hang do not block others.
 *
 * A closed rate limiter gives no permits until the reset. (A closed circuit breaker means the opposite.)
 */
export class RateLimiter {
  /** The rate limit of the last response that had one. */
  rateLimit: RateLimit | undefined;
  /** Retry tokens of each endpoint. They keep the load on a failing service near normal. Events that fail do not use up the tokens of pages. */
  readonly tokens = new Map<string, number>();
  readonly #options: RateLimiterOptions;
  #waiting: Waiter[] = [];
  #inFlight = 0;
  /** How many requests may be in flight, if the limit allows as many. */
  #ramp = firstFew;
  /** Requests left according to the last response, not counting those in flight; `Infinity` if unknown. */
  #remaining = Infinity;
  /** Set while no call is sent. `opensAtMs` contains jitter, so that clients with the same reset do not return together. */
  #closed: { readonly opensAtMs: number; readonly sinceMs: number } | undefined;
  #permits = 0;
  /** Highest permit number given out when the limit was read last. A response to a later permit is newer. */
  #knownUpTo = 0;
  /** Timestamp of the last response, opening or increase of `#ramp`, or of when calls began to wait. */
  #quietSinceMs = 0;
  #foregroundInARow = 0;
  #timer: { readonly atMs: number; readonly stop: AbortController } | undefined;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Waits for a permit, which the caller must return with `release`. Returns the failure of a call that cannot wait any longer. */
  async acquire(options: Omit<Waiter, "settle">): Promise<Permit | Failure> {
    const { signal, deadlineAtMs, call, onWait } = options;
    const nowMs = this.#options.now();
    const { promise, resolve } = Promise.withResolvers<Permit | Failure>();
    const settle: Waiter["settle"] = (result) => {
      clearTimeout(deadline);
      signal?.removeEventListener("abort", abort);
      this.#waiting = this.#waiting.filter((each) => each !== waiter);
      if (this.#waiting.length === 0) this.#startTimer(nowMs);
      resolve(result);
    };
    const abort = () => settle(aborted(signal, false));
    const waiter: Waiter = { ...options, settle };
    const deadline = setTimeout(() => settle(this.#timeOut(waiter)), Math.max(1, deadlineAtMs - nowMs));
    signal?.addEventListener("abort", abort, { once: true });
    if (this.#waiting.length === 0) this.#quietSinceMs = nowMs;
    this.#waiting.push(waiter);
    this.#serve(nowMs, call);
    if (this.#waiting.at(-1) === waiter) onWait();
    return promise;
  }

  /** Returns a permit, and updates the limit from the outcome of its attempt. After a refusal, all calls wait. */
  release({ number, call }: Permit, outcome: Ending, refusal?: Refusal): void {
    const { isSent, status, rateLimit } = outcome;
    const nowMs = this.#options.now();
    this.#openIfOver(nowMs, call);
    this.#inFlight -= 1;
    const isNews = number > this.#knownUpTo;
    this.rateLimit = rateLimit ?? this.rateLimit;
    const { limit, remaining, resetAtMs = nowMs } = rateLimit ?? {};
    // A success with 0 of 0 requests left means that there is no limit.
    const isUnlimited = status !== undefined && status < 400 && limit === 0 && remaining === 0;
    const isLimited = remaining !== undefined && !isUnlimited;

    if (status !== undefined) {
      if (isNews && refusal === undefined && !(isLimited && remaining === 0)) this.#open(nowMs, call);
      this.#ramp = status === 429 ? 1 : this.#ramp + 1;
      this.#quietSinceMs = nowMs;
    }
    // Responses may arrive out of order, but within a window the count only falls.
    if (isLimited) this.#remaining = isNews ? remaining : Math.min(remaining, this.#remaining);
    // If the service no longer sends a limit, forget the old one. A 5xx may come from a gateway and does not count.
    else if (isNews && status !== undefined && status < 500) this.#remaining = Infinity;
    else if (isSent) this.#remaining -= 1; // the request may have counted
    if (isLimited || refusal !== undefined) this.#knownUpTo = this.#permits;

    // If the reset is more than `askAgainMs` away, the limiter stays open and sends one call at a time.
    const isResetSoon = resetAtMs > nowMs && resetAtMs - nowMs <= askAgainMs;
    if (refusal !== undefined) this.#close(refusal, isNews, nowMs, call);
    else if (this.#closed === undefined && this.#remaining === 0 && isResetSoon)
      this.#close({ forMs: resetAtMs - nowMs, isAsked: true }, false, nowMs, call);
    this.#serve(nowMs, call);
  }

  /** Opens, or allows more calls in flight, if it is time. Then refuses each call that cannot wait any longer, and gives permits to other waiting calls. Events name `call`. */
  #serve(nowMs: number, call: CallName): void {
    this.#openIfOver(nowMs, call);
    const isQuiet = this.#closed === undefined && nowMs >= this.#quietSinceMs + growMs;
    if (isQuiet && !this.#hasRoom && !this.#isFull) {
      this.#ramp = Math.max(this.#ramp, this.#inFlight) * 2;
      this.#remaining = Math.max(this.#remaining, this.#inFlight) + 1;
      this.#quietSinceMs = nowMs;
    }
    for (const waiter of this.#waiting) {
      const refusal = this.#refuse(waiter, nowMs);
      if (refusal !== undefined) waiter.settle(refusal);
    }
    for (let next = this.#next; next !== undefined && this.#hasRoom; next = this.#next)
      next.settle(this.#givePermit(next));
    this.#startTimer(nowMs);
  }

  /** Whether `maxInFlight` requests are in flight. */
  get #isFull(): boolean {
    return this.#inFlight >= this.#options.maxInFlight;
  }

  /** Whether another request may be sent. One always may, because only a response shows the limit. */
  get #hasRoom(): boolean {
    const room = Math.min(this.#options.maxInFlight, Math.max(1, Math.min(this.#remaining, this.#ramp)));
    return this.#closed === undefined && this.#inFlight < room;
  }

  get #next(): Waiter | undefined {
    const preferred = this.#foregroundInARow >= mostInARow ? "background" : "foreground";
    return this.#waiting.find(({ priority = "foreground" }) => priority === preferred) ?? this.#waiting[0];
  }

  #givePermit({ priority, call }: Waiter): Permit {
    this.#foregroundInARow = priority === "background" ? 0 : this.#foregroundInARow + 1;
    this.#inFlight += 1;
    this.#permits += 1;
    return { kind: "permit", number: this.#permits, call };
  }

  /** The result of a call that cannot wait any longer; `undefined` if it can. If the rate limiter has been closed for very long, the call gets a permit. */
  #refuse(waiter: Waiter, nowMs: number): Permit | Failure | undefined {
    const { signal, deadlineAtMs } = waiter;
    const { maxWaitMs } = waiter.retry;
    if (signal?.aborted) return aborted(signal, false);
    if (nowMs >= deadlineAtMs) return this.#timeOut(waiter);
    if (this.#closed === undefined) return undefined;
    const { opensAtMs, sinceMs } = this.#closed;
    const waitMs = opensAtMs - nowMs;
    // Jitter and the rounding of headers must not make a wait too long.
    const isTooLong = waitMs > maxWaitMs + Math.min(3000, maxWaitMs / 20);
    if (!isTooLong && opensAtMs < deadlineAtMs) return undefined;
    const mayAskAgain = this.#inFlight === 0 && nowMs >= sinceMs + askAgainMs;
    return mayAskAgain ? this.#givePermit(waiter) : held(waitMs, this.rateLimit);
  }

  #timeOut({ totalTimeoutMs: ms }: Waiter): Failure {
    const missing = this.#isFull ? "one of maxInFlight requests to end" : "its turn at the rate limit";
    return timedOut("totalTimeoutMs", ms, { isSent: false, waitedFor: `, waiting for ${missing}` });
  }

  /** Keeps one timer while calls wait until the rate limiter opens or allows more calls in flight. */
  #startTimer(nowMs: number): void {
    const isNeeded = this.#waiting.length > 0 && (this.#closed !== undefined || !this.#isFull);
    const atMs = this.#closed?.opensAtMs ?? this.#quietSinceMs + growMs;
    if (isNeeded && this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    this.#timer?.stop.abort();
    this.#timer = undefined;
    if (!isNeeded) return;
    const timer = { atMs, stop: new AbortController() };
    this.#timer = timer;
    const wake = () => {
      const next = this.#next;
      if (this.#timer !== timer || next === undefined) return;
      this.#timer = undefined;
      // The timer fired, so the wait is over, even if the clock of a test did not move.
      this.#serve(Math.max(this.#options.now(), atMs), next.call);
    };
    this.#options.wait(Math.max(0, atMs - nowMs), timer.stop.signal).then(wake, () => undefined);
  }

  /** Closes, unless it is closed for as long already. Newer responses overrule older ones. */
  #close({ forMs, isAsked }: Refusal, isNews: boolean, nowMs: number, call: CallName): void {
    if (this.#closed !== undefined && this.#closed.opensAtMs >= nowMs + forMs && !isNews) return;
    const delayMs = isAsked ? addJitter(forMs, this.#options.random()) : forMs;
    this.#closed = { opensAtMs: nowMs + delayMs, sinceMs: nowMs };
    this.#serve(nowMs, call);
    this.#report({ state: "closed", untilMs: nowMs + delayMs, delayMs }, call);
  }

  #openIfOver(nowMs: number, call: CallName): void {
    if (this.#closed !== undefined && nowMs >= this.#closed.opensAtMs) this.#open(nowMs, call);
  }

  #open(nowMs: number, call: CallName): void {
    if (this.#closed === undefined) return;
    this.#closed = undefined;
    this.#remaining = Infinity;
    this.#ramp = 1;
    this.#quietSinceMs = nowMs;
    this.#report({ state: "open", untilMs: nowMs }, call);
  }

  #report(change: Pick<RateLimitEvent, "state" | "untilMs" | "delayMs">, call: CallName): void {
    this.#options.report({ type: "rate-limit", ...change, waiting: this.#waiting.length, ...call });
  }
}
