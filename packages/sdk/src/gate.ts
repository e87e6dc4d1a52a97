import { Allowance, type GateChange, type Pass } from "./allowance.ts";
import type { CallName } from "./log.ts";
import { onAbort } from "./on-abort.ts";
import type { Outcome } from "./outcome.ts";
import type { HeardAnswer, Refusal } from "./refusal.ts";
import type { Sleep } from "./sleep.ts";
import type { Expected, SteadyClock } from "./steady-clock.ts";
import { type Place, WaitingLine } from "./waiting-line.ts";

/** What a call will put up with at the gate. */
export interface Patience extends Place {
  /** Longest wait for a closed gate, in milliseconds. */
  readonly maxWaitMs: number;
  /** Moment the call gives up, on the steady clock. */
  readonly deadlineAtMs: number;
  /** Ends the wait at once. */
  readonly signal: AbortSignal | undefined;
  /** Which call it is, where somebody listens. */
  readonly call?: CallName | undefined;
}

/** What came of asking to pass: a pass, or the reason there is none. */
export type Entry =
  Pass | { readonly kind: "closed"; readonly waitMs: number } | { readonly kind: "deadline" | "aborted" };

/** Clock, chance and listener of a gate. */
export interface GateOptions {
  /** The present, milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** The time for deadlines. */
  readonly clock: SteadyClock;
  /** A random number, 0 or more and below 1. */
  readonly random: () => number;
  /** How to wait. */
  readonly sleep: Sleep;
  /** Most requests under way at a time. */
  readonly maxInFlight: number;
  /** Told whenever the gate closes and opens. */
  readonly onChange?: ((change: GateChange & { waiting: number; call: CallName | undefined }) => void) | undefined;
}

interface Waiter extends Patience {
  readonly settle: (entry: Entry) => void;
}

/** Lets the calls of one client out as the allowance has room for them; who came first goes first, single calls before the background. */
export class Gate {
  readonly #options: GateOptions;
  readonly #allowance: Allowance;
  readonly #line = new WaitingLine<Waiter>();
  #timer: { readonly atMs: number; readonly expected: Expected; readonly stop: AbortController } | undefined;
  /** The call at work here, to be named should the gate close or open. */
  #call: CallName | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
    const { maxInFlight, random } = options;
    this.#allowance = new Allowance({ maxInFlight, random, onChange: (change) => this.#change(change) });
  }

  /** Whether as many requests are under way as ever may be. */
  get isFull(): boolean {
    return this.#allowance.isFull;
  }

  /** Whether no more than one request is under way. */
  get isAlone(): boolean {
    return this.#allowance.isAlone;
  }

  /** Waits for a pass. Every pass must be handed back with `leave`. */
  enter(patience: Patience): Entry | Promise<Entry> {
    const nowMs = this.#options.now();
    this.#call = patience.call;
    this.#allowance.refresh(nowMs);
    if (this.#line.size === 0 && this.#allowance.hasRoom) return this.#pass(patience, nowMs);
    const refusal = this.#refuse(patience, nowMs);
    if (refusal === undefined) return this.#wait(patience, nowMs);
    return refusal.kind === "closed" && this.#allowance.mayAskAgain(nowMs) ? this.#pass(patience, nowMs) : refusal;
  }

  /** Hears the headers of an answer, before the pass is handed back; when they ask for a wait, of a 429 for how long. */
  hear(pass: Pass, answer: HeardAnswer, refusal: Refusal | undefined): void {
    const nowMs = this.#options.now();
    this.#call = pass.call;
    this.#allowance.refresh(nowMs);
    this.#allowance.hear(pass, answer, refusal, nowMs);
    this.#drain(nowMs);
  }

  /** Hands a pass back, with how the attempt ended; after a 429, with how long nobody needs to try again. */
  leave(pass: Pass, outcome: Outcome, refusal?: Refusal): void {
    const nowMs = this.#options.now();
    this.#call = pass.call;
    this.#allowance.refresh(nowMs);
    this.#allowance.takeBack(pass, outcome, refusal, nowMs);
    this.#drain(nowMs);
  }

  #pass({ lane, call }: Patience, nowMs: number): Pass {
    this.#line.count(lane);
    return this.#allowance.give(nowMs, call);
  }

  #change(change: GateChange): void {
    for (const waiter of change.state === "closed" ? this.#line.all : []) {
      const refusal = this.#refuse(waiter, change.atMs);
      if (refusal !== undefined) waiter.settle(refusal);
    }
    this.#options.onChange?.({ ...change, waiting: this.#line.size, call: this.#call });
  }

  /** Why a call cannot wait any longer, if so. */
  #refuse(patience: Patience, nowMs: number): Entry | undefined {
    const leftMs = patience.deadlineAtMs - this.#options.clock.now();
    if (leftMs <= 0) return { kind: "deadline" };
    const { closed } = this.#allowance;
    if (closed === undefined) return undefined;
    // The jitter that the gate itself added, and the rounding of the headers, must not tip a wait over the limit.
    const isTooLong = closed.untilMs - nowMs > patience.maxWaitMs + Math.min(3000, patience.maxWaitMs / 20);
    if (!isTooLong && closed.untilMs - nowMs < leftMs) return undefined;
    return { kind: "closed", waitMs: Math.max(0, closed.namedMs - nowMs) };
  }

  #wait(patience: Patience, nowMs: number): Promise<Entry> {
    return new Promise((resolve) => {
      const { signal, deadlineAtMs } = patience;
      const settle = (entry: Entry) => {
        clearTimeout(deadline);
        unlisten();
        this.#line.delete(waiter);
        if (this.#line.size === 0) this.#disarm();
        resolve(entry);
      };
      const abort = () => settle({ kind: "aborted" });
      const waiter: Waiter = { ...patience, settle };
      const deadline = setTimeout(settle, deadlineAtMs - this.#options.clock.now(), { kind: "deadline" });
      const unlisten = onAbort(signal, abort);
      if (this.#line.size === 0) this.#allowance.beginQuiet(nowMs);
      this.#line.add(waiter);
      this.#arm(nowMs);
    });
  }

  #drain(nowMs: number): void {
    for (let { first } = this.#line; first !== undefined; { first } = this.#line) {
      if (this.#options.clock.now() >= first.deadlineAtMs) first.settle({ kind: "deadline" });
      else if (this.#allowance.hasRoom) first.settle(this.#pass(first, nowMs));
      else return this.#arm(nowMs);
    }
    return undefined;
  }

  /** Keeps one timer, as long as somebody waits. One that runs out too early looks again. */
  #arm(nowMs: number): void {
    const atMs = this.#allowance.nextTurnMs;
    if (atMs === undefined) return this.#disarm();
    const isSoonEnough = this.#timer !== undefined && this.#timer.atMs <= atMs;
    if (this.#timer?.atMs === atMs || (isSoonEnough && this.#allowance.closed === undefined)) return undefined;
    this.#disarm();
    const stop = new AbortController();
    this.#timer = { atMs, expected: this.#options.clock.expect(atMs - nowMs), stop };
    this.#options.sleep(atMs - nowMs, stop.signal).then(
      () => this.#wake(stop),
      () => undefined, // the timer was stopped
    );
    return undefined;
  }

  #disarm(): void {
    this.#timer?.stop.abort();
    if (this.#timer !== undefined) this.#options.clock.end(this.#timer.expected);
    this.#timer = undefined;
  }

  #wake(stop: AbortController): void {
    if (this.#timer?.stop !== stop) return;
    // The timer has run, so its moment has come, even for a clock that stands still.
    const nowMs = Math.max(this.#options.now(), this.#timer.atMs);
    this.#options.clock.reach(this.#timer.expected);
    this.#options.clock.end(this.#timer.expected);
    this.#timer = undefined;
    this.#call = this.#line.first?.call;
    this.#allowance.refresh(nowMs);
    this.#allowance.grow(nowMs);
    this.#drain(nowMs);
  }
}
