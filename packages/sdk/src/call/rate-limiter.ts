import type { RateLimit } from "@landing-page-service/contract";
import type { CallName, Report } from "../report/events.ts";
import { addJitter } from "./retry.ts";
import type { Sleep } from "./timers.ts";

/** Foreground calls go before background calls. */
export type Priority = "foreground" | "background";

/** The right to send one request. */
export interface Permit {
  readonly kind: "permit";
  readonly number: number;
  /** The call that has it. */
  readonly call: CallName;
}

/** How a call waits for a permit. */
export interface AcquireOptions {
  readonly priority: Priority;
  /** Longest wait while the rate limiter is closed, in milliseconds. */
  readonly maxWaitMs: number;
  /** Timestamp at which the call gives up, in milliseconds. */
  readonly deadlineAtMs: number;
  /** Ends the wait at once. */
  readonly signal: AbortSignal | undefined;
  readonly call: CallName;
  /** Called if there is no permit at once. */
  readonly onWait?: (() => void) | undefined;
}

/** A permit, or the reason there is none. */
export type AcquireResult =
  Permit | { readonly kind: "closed"; readonly waitMs: number } | { readonly kind: "deadline" | "aborted" };

/** The result of an attempt, as far as the rate limiter needs it. */
export interface Observation {
  /** Status of the response; absent if there is none. */
  readonly status?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
  /** Whether the request may have counted against the limit. */
  readonly isSent: boolean;
  /** Present after a 429. `forMs` is how long to send no call; `isAsked` is whether the service asked for that wait. */
  readonly refusal?: { readonly forMs: number; readonly isAsked: boolean } | undefined;
}

/** Options of a rate limiter. */
export interface RateLimiterOptions {
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  /** Largest number of requests in flight. */
  readonly maxInFlight: number;
  /** Called when it closes or opens. The event names the call whose response closed or opened it. If it opened because time passed, the event names the first call handled after that. */
  readonly report: Report;
}

interface Waiter extends AcquireOptions {
  readonly settle: (result: AcquireResult) => void;
}

/** Largest number of requests in flight at first, while the limit is unknown. */
const firstFew = 4;
/** After this long without a response, in milliseconds, more calls may be in flight, because those in flight may hang. */
const growMs = 1000;
/** Largest number of foreground calls in a row while a background call waits. */
const mostInARow = 8;
/**
 * After this long, in milliseconds, a call that cannot wait any longer is sent even if the service asked for a longer wait, because the
 * header may have been wrong. Most services have windows of a minute. Five seconds are for rounding.
 */
const askAgainMs = 65_000;

/**
 * Gives permits to the calls of a client. It never gives more than the remaining requests of the service, and gives none while the limit
 * is used up. At first, and after a reset, it gives only a few. Every response raises the number of calls allowed in flight by one. Every
 * second without a response doubles that number, so that calls that hang do not block others.
 *
 * A closed rate limiter gives no permits until the reset. (A closed circuit breaker means the opposite.)
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  #waiting: Waiter[] = [];
  #inFlight = 0;
  #ramp = firstFew;
  /** Requests left according to the last response, not counting those in flight; `undefined` if unknown. */
  #remaining: number | undefined;
  #window: { readonly limit: number | undefined; readonly endsAtMs: number } | undefined;
  #closed:
    { readonly untilMs: number; readonly opensAtMs: number; readonly jitterMs: number; askedAtMs: number } | undefined;
  #permits = 0;
  /** Highest permit number given out when the last response was read. A response to a later permit is newer. */
  #knownUpTo = 0;
  /** Timestamp of the last response, opening or increase of `#ramp`, or of when calls began to wait. */
  #quietSinceMs = 0;
  #inARow = 0;
  #timer: { readonly atMs: number; readonly stop: AbortController } | undefined;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Whether `maxInFlight` requests are in flight. */
  get isFull(): boolean {
    return this.#inFlight >= this.#options.maxInFlight;
  }

  /** Waits for a permit, which the caller must return with `release`. */
  async acquire(options: AcquireOptions): Promise<AcquireResult> {
    const nowMs = this.#options.now();
    if (options.signal?.aborted) return { kind: "aborted" };
    if (nowMs >= options.deadlineAtMs) return { kind: "deadline" };
    this.#refresh(nowMs, options.call);
    if (this.#waiting.length === 0 && this.#hasRoom) return this.#permit(options);
    const refusal = this.#refuse(options, nowMs);
    if (refusal === undefined) return this.#wait(options, nowMs);
    return refusal.kind === "closed" && this.#mayAskAgain(nowMs) ? this.#permit(options) : refusal;
  }

  /** Returns a permit, and learns from its attempt. */
  release(permit: Permit, observation: Observation): void {
    const nowMs = this.#options.now();
    this.#refresh(nowMs, permit.call);
    this.#inFlight -= 1;
    const { refusal, status, isSent } = observation;
    if (refusal !== undefined) {
      this.#close(nowMs + refusal.forMs, refusal.isAsked, permit, nowMs);
      this.#window = undefined;
    } else if (status !== undefined) this.#learn(permit, { ...observation, status }, nowMs);
    // There is no response, but the request may have counted.
    else if (isSent && this.#remaining !== undefined) this.#remaining -= 1;
    this.#drain(nowMs);
  }

  /** Whether another request may be sent. One always may, because only a response shows the limit. */
  get #hasRoom(): boolean {
    const room = Math.min(this.#options.maxInFlight, Math.max(1, Math.min(this.#remaining ?? Infinity, this.#ramp)));
    return this.#closed === undefined && this.#inFlight < room;
  }

  get #next(): Waiter | undefined {
    const preferred: Priority = this.#inARow >= mostInARow ? "background" : "foreground";
    return this.#waiting.find(({ priority }) => priority === preferred) ?? this.#waiting[0];
  }

  #permit({ priority, call }: AcquireOptions): Permit {
    const isAhead = priority === "foreground" && this.#waiting.some((waiter) => waiter.priority === "background");
    this.#inARow = isAhead ? this.#inARow + 1 : 0;
    this.#inFlight += 1;
    this.#permits += 1;
    return { kind: "permit", number: this.#permits, call };
  }

  /** Why a call cannot wait until the rate limiter opens; `undefined` if it can. */
  #refuse({ deadlineAtMs, maxWaitMs }: AcquireOptions, nowMs: number): AcquireResult | undefined {
    if (this.#closed === undefined) return undefined;
    const { untilMs, opensAtMs, jitterMs } = this.#closed;
    const waitMs = Math.max(0, untilMs - nowMs);
    // Jitter and the rounding of headers must not make a wait too long.
    const isTooLong = waitMs + jitterMs > maxWaitMs + Math.min(3000, maxWaitMs / 20);
    return isTooLong || opensAtMs >= deadlineAtMs ? { kind: "closed", waitMs } : undefined;
  }

  /** Whether to send one call although the limiter is closed. After `askAgainMs` the service may accept requests again. */
  #mayAskAgain(nowMs: number): boolean {
    if (this.#closed === undefined || this.#inFlight > 0 || nowMs < this.#closed.askedAtMs + askAgainMs) return false;
    this.#closed.askedAtMs = nowMs;
    return true;
  }

  #wait(options: AcquireOptions, nowMs: number): Promise<AcquireResult> {
    return new Promise((resolve) => {
      const { signal, deadlineAtMs } = options;
      const settle = (result: AcquireResult) => {
        clearTimeout(deadline);
        signal?.removeEventListener("abort", abort);
        this.#waiting = this.#waiting.filter((each) => each !== waiter);
        if (this.#waiting.length === 0) this.#stopTimer();
        resolve(result);
      };
      const abort = () => settle({ kind: "aborted" });
      const waiter: Waiter = { ...options, settle };
      const deadline = setTimeout(settle, deadlineAtMs - nowMs, { kind: "deadline" });
      signal?.addEventListener("abort", abort, { once: true });
      if (this.#waiting.length === 0) this.#quietSinceMs = nowMs;
      this.#waiting.push(waiter);
      options.onWait?.();
      this.#startTimer(nowMs);
    });
  }

  #drain(nowMs: number): void {
    for (let next = this.#next; next !== undefined; next = this.#next) {
      if (nowMs >= next.deadlineAtMs) next.settle({ kind: "deadline" });
      else if (this.#hasRoom) next.settle(this.#permit(next));
      else return this.#startTimer(nowMs);
    }
    return undefined;
  }

  /** Keeps one timer while calls wait until the rate limiter opens or allows more calls in flight. */
  #startTimer(nowMs: number): void {
    if (this.#closed === undefined && this.isFull) return this.#stopTimer();
    const atMs = this.#closed === undefined ? this.#quietSinceMs + growMs : this.#closed.opensAtMs;
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return undefined;
    this.#stopTimer();
    const timer = { atMs, stop: new AbortController() };
    this.#timer = timer;
    this.#options.sleep(Math.max(0, atMs - nowMs), timer.stop.signal).then(
      () => this.#wake(timer),
      () => undefined, // the timer was stopped
    );
    return undefined;
  }

  #stopTimer(): void {
    this.#timer?.stop.abort();
    this.#timer = undefined;
  }

  #wake(timer: { readonly atMs: number }): void {
    const next = this.#next;
    if (this.#timer !== timer || next === undefined) return;
    this.#timer = undefined;
    // The timer fired, so the wait is over, even if the clock of a test did not move.
    const nowMs = Math.max(this.#options.now(), timer.atMs);
    this.#refresh(nowMs, next.call);
    const isQuiet = this.#closed === undefined && nowMs >= this.#quietSinceMs + growMs;
    if (isQuiet && !this.#hasRoom && !this.isFull) {
      this.#ramp = Math.max(this.#ramp, this.#inFlight) * 2;
      if (this.#remaining !== undefined) this.#remaining = Math.max(this.#remaining, this.#inFlight) + 1;
      this.#quietSinceMs = nowMs;
    }
    this.#drain(nowMs);
  }

  /** Opens after a wait, and begins a new window after a reset. */
  #refresh(nowMs: number, call: CallName): void {
    if (this.#closed !== undefined && nowMs >= this.#closed.opensAtMs) {
      this.#remaining = undefined;
      this.#open(nowMs, call);
    }
    if (this.#window !== undefined && nowMs >= this.#window.endsAtMs) {
      this.#remaining = this.#window.limit;
      this.#window = undefined;
    }
  }

  #learn(permit: Permit, { status, rateLimit }: Observation & { status: number }, nowMs: number): void {
    const isNews = permit.number > this.#knownUpTo;
    // A success with 0 of 0 requests left means that there is no limit.
    const isUnlimited = status < 400 && rateLimit?.limit === 0 && rateLimit.remaining === 0;
    const remaining = isUnlimited ? undefined : rateLimit?.remaining;
    if (isNews && remaining !== 0) this.#open(nowMs, permit.call);
    // A response that arrives while the rate limiter is closed does not raise the number of calls allowed after it opens.
    if (status === 429) this.#ramp = 1;
    else if (this.#closed === undefined) this.#ramp += 1;
    this.#quietSinceMs = nowMs;
    if (remaining === undefined) {
      // If the service no longer sends a limit, forget the old one. A 5xx may come from a gateway and does not count.
      if (isNews && status < 500) this.#remaining = this.#window = undefined;
      else if (this.#remaining !== undefined) this.#remaining -= 1;
      return;
    }
    // Responses may arrive out of order, but within a window the count only falls.
    this.#remaining = isNews ? remaining : Math.min(remaining, this.#remaining ?? remaining);
    const { limit, resetAtMs = nowMs } = rateLimit ?? {};
    this.#window = resetAtMs > nowMs ? { limit, endsAtMs: resetAtMs } : undefined;
    this.#knownUpTo = this.#permits;
    // If the reset is more than `askAgainMs` away, the limiter stays open and sends one call at a time.
    const isUsedUp = this.#remaining === 0 && this.#closed === undefined;
    if (isUsedUp && resetAtMs > nowMs && resetAtMs - nowMs <= askAgainMs) this.#close(resetAtMs, true, permit, nowMs);
  }

  #close(untilMs: number, isAsked: boolean, permit: Permit, nowMs: number): void {
    const before = this.#closed;
    const isNews = permit.number > this.#knownUpTo;
    this.#ramp = 1;
    this.#remaining = 0;
    this.#knownUpTo = this.#permits;
    if (before !== undefined && before.untilMs >= untilMs && !isNews) return;
    const waitMs = untilMs - nowMs;
    // The jitter is drawn once. If each of many refusals drew its own, the longest would always win.
    const jitterMs = before?.jitterMs ?? (isAsked ? addJitter(waitMs, this.#options.random()) - waitMs : 0);
    const opensAtMs = untilMs + jitterMs;
    this.#closed = { untilMs, opensAtMs, jitterMs, askedAtMs: before?.askedAtMs ?? nowMs };
    for (const waiter of this.#waiting) {
      const refusal = this.#refuse(waiter, nowMs);
      if (refusal !== undefined) waiter.settle(refusal);
    }
    this.#report("closed", opensAtMs, nowMs, permit.call);
  }

  #open(nowMs: number, call: CallName): void {
    if (this.#closed === undefined) return;
    this.#closed = undefined;
    this.#quietSinceMs = nowMs;
    this.#report("open", nowMs, nowMs, call);
  }

  #report(state: "closed" | "open", untilMs: number, nowMs: number, call: CallName): void {
    const delayMs = state === "closed" ? Math.max(0, untilMs - nowMs) : undefined;
    const waiting = this.#waiting.length;
    this.#options.report({ type: "rate-limit", state, untilMs, delayMs, waiting, ...call });
  }
}
