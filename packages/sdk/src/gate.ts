import type { RateLimit } from "@landing-page-service/contract";
import { isSent, type Outcome } from "./outcome.ts";
import { addJitter } from "./retry.ts";
import type { Sleep } from "./sleep.ts";

/** What a call will put up with at the gate. */
export interface Patience {
  /** Longest wait for a closed gate, in milliseconds. */
  readonly maxWaitMs: number;
  /** Moment the call gives up, milliseconds since 1970 UTC. */
  readonly deadlineAtMs: number;
  /** Ends the wait at once. */
  readonly signal: AbortSignal | undefined;
}

/** What came of asking to pass: a pass, or the reason there is none. */
export type Entry =
  | { readonly kind: "pass"; readonly number: number }
  | { readonly kind: "closed"; readonly waitMs: number }
  | { readonly kind: "deadline" }
  | { readonly kind: "aborted" };

/** Clock, chance and listener of a gate. */
export interface GateOptions {
  /** The present, milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** A random number, 0 or more and below 1. */
  readonly random: () => number;
  /** How to wait. */
  readonly sleep: Sleep;
  /** Told whenever the gate closes and opens. */
  readonly onChange?: ((change: { state: "closed" | "open"; untilMs: number; waiting: number }) => void) | undefined;
}

interface Waiter extends Patience {
  readonly settle: (entry: Entry) => void;
}

// However long the service says to stay away, one call may ask again after this time: the header may have been wrong.
// A minute is the window most services use; the rest is for its rounding to whole seconds.
const askAgainMs = 65_000;

/**
 * Lets the calls of one client out so that they stay within the rate limit together, first come, first served.
 *
 * No more requests are under way than the service last said are left. While nothing is known, and whenever a closed
 * gate opens, a few go first and every answer doubles how many may follow; so a service that tells nothing soon
 * runs free, and one whose limit is used up refuses one request and not all of them.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #waiting = new Set<Waiter>();
  #inFlight = 0;
  #rampUp = 4;
  /** Requests left as last heard, those under way not taken off; `undefined` when nobody knows. */
  #remaining: number | undefined;
  #limit: number | undefined;
  #known: { readonly sinceMs: number; readonly untilMs: number } | undefined;
  #closed: { readonly sinceMs: number; readonly untilMs: number; askedAtMs: number } | undefined;
  #passes = 0;
  /** Number of the last pass given when the service was last heard: an answer to a later one is news, to an earlier one perhaps not. */
  #heardAt = 0;
  #timer: { readonly atMs: number; readonly stop: AbortController } | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Waits for a pass. Every pass must be handed back with `leave`. */
  enter(patience: Patience): Entry | Promise<Entry> {
    const nowMs = this.#options.now();
    this.#refresh(nowMs);
    if (this.#waiting.size === 0 && this.#inFlight < this.#capacity()) return this.#pass();
    const refusal = this.#refuse(patience, nowMs);
    if (refusal === undefined) return this.#wait(patience, nowMs);
    return refusal.kind === "closed" && this.#mayAskAgain(nowMs) ? this.#pass() : refusal;
  }

  /** Hands a pass back, with how the attempt ended; after a 429, nobody needs to try again for so many milliseconds. */
  leave(pass: number, outcome: Outcome, refusedForMs: number | undefined): void {
    const nowMs = this.#options.now();
    this.#inFlight -= 1;
    this.#refresh(nowMs);
    const isNews = pass > this.#heardAt;
    if (refusedForMs !== undefined) {
      this.#close(nowMs, nowMs + refusedForMs, isNews);
    } else {
      this.#hear(outcome, isNews, nowMs);
      // What comes late to a closed gate was sent before it closed, and says nothing of how many may follow once it opens.
      if (this.#closed === undefined) this.#rampUp *= 2;
    }
    this.#drain(nowMs);
  }

  #hear(outcome: Outcome, isNews: boolean, nowMs: number): void {
    if (outcome.kind === "answer" || outcome.kind === "unexpected") this.#learn(outcome.rateLimit, isNews, nowMs);
    // No answer came, but the request may have counted.
    else if (this.#remaining !== undefined && isSent(outcome)) this.#remaining -= 1;
  }

  #pass(): Entry {
    this.#inFlight += 1;
    this.#passes += 1;
    return { kind: "pass", number: this.#passes };
  }

  /** How many requests may be under way: at least one, or nothing new would ever be heard. */
  #capacity(): number {
    if (this.#closed !== undefined) return 0;
    return Math.max(1, Math.min(this.#remaining ?? Number.POSITIVE_INFINITY, this.#rampUp));
  }

  #learn(rateLimit: RateLimit | undefined, isNews: boolean, nowMs: number): void {
    if (isNews && rateLimit?.remaining !== 0) this.#open(nowMs);
    if (rateLimit?.remaining === undefined) {
      if (this.#remaining !== undefined) this.#remaining -= 1;
      return;
    }
    const { limit, remaining, resetAtMs = nowMs } = rateLimit;
    // Answers overtake each other, but within a window the count only falls: of two sent side by side the lower one is true.
    this.#remaining = isNews ? remaining : Math.min(remaining, this.#remaining ?? remaining);
    this.#heardAt = this.#passes;
    this.#limit = limit;
    if (resetAtMs > nowMs) this.#known = { sinceMs: nowMs, untilMs: resetAtMs };
    const waitMs = resetAtMs - nowMs;
    // A success that says nothing is left for very long is rather asked again, one by one, than believed.
    if (this.#remaining === 0 && this.#closed === undefined && waitMs > 0 && waitMs <= askAgainMs) {
      this.#close(nowMs, nowMs + addJitter(waitMs, this.#options.random()), isNews);
    }
  }

  #close(nowMs: number, untilMs: number, isNews: boolean): void {
    this.#rampUp = 1;
    this.#remaining = 0;
    this.#known = undefined;
    this.#heardAt = this.#passes;
    if (this.#closed !== undefined && this.#closed.untilMs >= untilMs && !isNews) return;
    this.#closed = { sinceMs: nowMs, untilMs, askedAtMs: this.#closed?.askedAtMs ?? nowMs };
    for (const waiter of this.#waiting) {
      const refusal = this.#refuse(waiter, nowMs);
      if (refusal !== undefined) waiter.settle(refusal);
    }
    this.#options.onChange?.({ state: "closed", untilMs, waiting: this.#waiting.size });
    this.#arm(nowMs);
  }

  #open(nowMs: number): void {
    if (this.#closed === undefined) return;
    this.#closed = undefined;
    this.#options.onChange?.({ state: "open", untilMs: nowMs, waiting: this.#waiting.size });
  }

  /** Forgets what time has overtaken. A clock that was set back makes all of it worthless. */
  #refresh(nowMs: number): void {
    if (this.#closed !== undefined && !isDuring(this.#closed, nowMs)) {
      this.#open(nowMs);
      this.#remaining = undefined;
    }
    if (this.#known !== undefined && !isDuring(this.#known, nowMs)) {
      this.#known = undefined;
      this.#remaining = this.#limit;
    }
  }

  /** Why a call cannot wait any longer, if so. */
  #refuse(patience: Patience, nowMs: number): Entry | undefined {
    if (nowMs >= patience.deadlineAtMs) return { kind: "deadline" };
    if (this.#closed === undefined) return undefined;
    const waitMs = this.#closed.untilMs - nowMs;
    // The jitter that the gate itself added, and the rounding of the headers, must not tip a wait over the limit.
    const isTooLong = waitMs > patience.maxWaitMs + Math.min(3000, patience.maxWaitMs / 20);
    return isTooLong || nowMs + waitMs >= patience.deadlineAtMs ? { kind: "closed", waitMs } : undefined;
  }

  #mayAskAgain(nowMs: number): boolean {
    if (this.#closed === undefined || this.#inFlight > 0 || nowMs < this.#closed.askedAtMs + askAgainMs) return false;
    this.#closed.askedAtMs = nowMs;
    return true;
  }

  #wait(patience: Patience, nowMs: number): Promise<Entry> {
    return new Promise((resolve) => {
      const { signal, deadlineAtMs } = patience;
      const leaveQueue = () => {
        clearTimeout(deadline);
        signal?.removeEventListener("abort", abort);
        this.#waiting.delete(waiter);
        if (this.#waiting.size === 0) this.#disarm();
      };
      const settle = (entry: Entry) => {
        leaveQueue();
        resolve(entry);
      };
      const abort = () => settle({ kind: "aborted" });
      const waiter: Waiter = { ...patience, settle };
      // A clock that was set back could make the rest longer than a timer can run.
      const deadline = setTimeout(settle, Math.min(deadlineAtMs - nowMs, 2 ** 31 - 1), { kind: "deadline" });
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.add(waiter);
      this.#arm(nowMs);
    });
  }

  #drain(nowMs: number): void {
    for (const waiter of this.#waiting) {
      if (nowMs >= waiter.deadlineAtMs) waiter.settle({ kind: "deadline" });
      else if (this.#inFlight < this.#capacity()) waiter.settle(this.#pass());
      else break;
    }
  }

  /** Keeps one timer for the closed gate, as long as somebody waits for it to open. */
  #arm(nowMs: number): void {
    const atMs = this.#closed?.untilMs;
    if (this.#waiting.size === 0 || atMs === undefined || this.#timer?.atMs === atMs) return;
    this.#disarm();
    const stop = new AbortController();
    this.#timer = { atMs, stop };
    this.#options.sleep(atMs - nowMs, stop.signal).then(
      () => this.#wake(stop),
      () => undefined, // the timer was stopped
    );
  }

  #disarm(): void {
    this.#timer?.stop.abort();
    this.#timer = undefined;
  }

  #wake(stop: AbortController): void {
    if (this.#timer?.stop !== stop) return;
    // The timer has run, so its moment has come, even for a clock that stands still.
    const nowMs = Math.max(this.#options.now(), this.#timer.atMs);
    this.#timer = undefined;
    this.#refresh(nowMs);
    this.#drain(nowMs);
  }
}

function isDuring({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs < untilMs;
}
