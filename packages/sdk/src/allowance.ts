import type { RateLimit } from "@landing-page-service/contract";
import type { CallName } from "./log.ts";
import { isSent, isShortage, type Outcome } from "./outcome.ts";
import { type HeardAnswer, isLimit, type Refusal } from "./refusal.ts";
import { addJitter } from "./retry.ts";
import { WindowClock } from "./window-clock.ts";

/** A permission to send one request. */
export interface Pass {
  readonly kind: "pass";
  readonly number: number;
  /** Moment it was given, milliseconds since 1970 UTC. */
  readonly atMs: number;
  /** Whose it is, where somebody listens. */
  readonly call: CallName | undefined;
}

/** The gate closes until the rate limit resets, or opens. */
export interface GateChange {
  readonly state: "closed" | "open";
  /** Moment it opens, or opened, milliseconds since 1970 UTC. */
  readonly untilMs: number;
  /** The present, milliseconds since 1970 UTC. */
  readonly atMs: number;
}

interface Closing {
  readonly sinceMs: number;
  /** Moment the service named, without jitter. */
  readonly namedMs: number;
  readonly jitterMs: number;
  /** Whether that moment is before the one in the headers. */
  readonly isEarly: boolean;
  readonly untilMs: number;
  askedAtMs: number;
}

/** How many go first while nothing is known. */
const firstFew = 4;
/** After so long without an answer more may go: the calls under way may hang. */
const growMs = 500;
/** After so long without an answer, what the service said is left no longer holds up the others. */
const hungMs = 5000;
// However long the service says to stay away, one call may ask again after this time: the header may have been wrong.
// A minute is the window most services use; the rest is for its rounding to whole seconds.
const askAgainMs = 65_000;

/**
 * How many requests may be under way, as far as the answers tell.
 *
 * Never more than the service last said are left. While nothing is known, and whenever a closed gate opens, a few go first,
 * and every answer and every half second of silence makes room for more: a service that tells nothing soon runs free, one
 * whose limit is used up refuses one request and not all of them, and a call that hangs holds up nobody.
 */
export class Allowance {
  readonly #options: { maxInFlight: number; random: () => number; onChange: (change: GateChange) => void };
  readonly #windows = new WindowClock();
  #inFlight = 0;
  #rampUp = firstFew;
  /** Requests left as last heard, those under way not taken off; `undefined` when nobody knows. */
  #remaining: number | undefined;
  #limit: number | undefined;
  #known: { readonly sinceMs: number; readonly untilMs: number } | undefined;
  #closed: Closing | undefined;
  #wasEarly = false;
  #passes = 0;
  /** Number of the last pass given when the service was last heard: an answer to a later one is news, to an earlier one perhaps not. */
  #heardAt = 0;
  /** Passes of answers that were learned from when their headers came. */
  readonly #heard = new WeakSet<Pass>();
  /** Moments since which neither an answer nor time made room, in the ramp and in what is left. */
  #quiet = { rampMs: 0, leftMs: 0 };

  constructor(options: { maxInFlight: number; random: () => number; onChange: (change: GateChange) => void }) {
    this.#options = options;
  }

  /** Whether one more may go. */
  get hasRoom(): boolean {
    return this.#inFlight < this.#capacity;
  }

  /** Whether as many are under way as ever may be. */
  get isFull(): boolean {
    return this.#inFlight >= this.#options.maxInFlight;
  }

  /** Whether no more than one is under way. */
  get isAlone(): boolean {
    return this.#inFlight <= 1;
  }

  /** Until when nobody may go, and the moment that the service named for it; `undefined` when the gate is open. */
  get closed(): { readonly untilMs: number; readonly namedMs: number } | undefined {
    return this.#closed;
  }

  /** Moment at which there may be room, if nothing is heard before; `undefined` when only an answer makes room. */
  get nextTurnMs(): number | undefined {
    if (this.#closed !== undefined) return this.#closed.untilMs;
    if (this.isFull) return undefined;
    if (this.#rampUp <= (this.#remaining ?? Infinity)) return this.#quiet.rampMs + growMs;
    return Math.min(this.#known?.untilMs ?? Infinity, this.#quiet.leftMs + hungMs);
  }

  give(nowMs: number, call: CallName | undefined): Pass {
    this.#inFlight += 1;
    this.#passes += 1;
    return { kind: "pass", number: this.#passes, atMs: nowMs, call };
  }

  /** Learns from headers whose body is still to come that nobody may go: a body may stall for as long as its attempt may take. */
  hear(pass: Pass, answer: HeardAnswer, refusal: Refusal | undefined, nowMs: number): void {
    if (refusal !== undefined) this.#hearRefusal(pass, refusal, nowMs);
    // Of a 429 that does not say for how long, the retry rules decide, once the attempt is over.
    else if (answer.status !== 429 && isLimit(answer) && answer.rateLimit?.remaining === 0)
      this.#hearAnswer(pass, answer, nowMs);
    else return;
    this.#heard.add(pass);
  }

  takeBack(pass: Pass, outcome: Outcome, refusal: Refusal | undefined, nowMs: number): void {
    this.#inFlight -= 1;
    // As many as there are places for: each answer gives one back, and tries one more.
    if (isShortage(outcome)) this.#rampUp = Math.max(1, Math.min(this.#rampUp, this.#inFlight));
    if (this.#heard.has(pass)) return;
    if (refusal !== undefined) this.#hearRefusal(pass, refusal, nowMs);
    else if (outcome.kind === "answer" || outcome.kind === "unexpected") this.#hearAnswer(pass, outcome, nowMs);
    // No answer came, but the request may have counted.
    else if (this.#remaining !== undefined && isSent(outcome)) this.#remaining -= 1;
  }

  /** Forgets what time has overtaken. A clock that was set back makes all of it worthless. */
  refresh(nowMs: number): void {
    if (this.#closed !== undefined && !isDuring(this.#closed, nowMs)) {
      this.#open(nowMs);
      this.#remaining = undefined;
    }
    if (this.#known !== undefined && !isDuring(this.#known, nowMs)) {
      this.#known = undefined;
      this.#remaining = this.#limit;
    }
  }

  /** Begins to count how long nothing is heard. */
  beginQuiet(nowMs: number): void {
    this.#quiet = { rampMs: nowMs, leftMs: nowMs };
  }

  /** Makes room where nothing was heard for a while. */
  grow(nowMs: number): void {
    if (this.#closed !== undefined || this.hasRoom) return;
    if (nowMs >= this.#quiet.rampMs + growMs) {
      this.#rampUp *= 2;
      this.#quiet.rampMs = nowMs;
    }
    if (nowMs >= this.#quiet.leftMs + hungMs && this.#remaining !== undefined) {
      this.#remaining = Math.max(this.#remaining, this.#inFlight) + 1;
      this.#quiet.leftMs = nowMs;
    }
  }

  /** Whether one may ask although the gate is closed, as it has been for so long. */
  mayAskAgain(nowMs: number): boolean {
    if (this.#closed === undefined || this.#inFlight > 0 || nowMs < this.#closed.askedAtMs + askAgainMs) return false;
    this.#closed.askedAtMs = nowMs;
    return true;
  }

  /** At least one, or nothing new would ever be heard. */
  get #capacity(): number {
    if (this.#closed !== undefined) return 0;
    return Math.min(this.#options.maxInFlight, Math.max(1, Math.min(this.#remaining ?? Infinity, this.#rampUp)));
  }

  #hearRefusal(pass: Pass, { forMs, isAsked }: Refusal, nowMs: number): void {
    const isNews = pass.number > this.#heardAt;
    if (isNews && this.#wasEarly) this.#windows.distrust();
    this.#known = undefined;
    this.#close({ namedMs: nowMs + forMs, needsJitter: isAsked, isEarly: false, isNews }, nowMs);
  }

  #hearAnswer(pass: Pass, answer: HeardAnswer, nowMs: number): void {
    const isNews = pass.number > this.#heardAt;
    const rateLimit = isLimit(answer) ? answer.rateLimit : undefined;
    if (isNews && rateLimit?.remaining !== 0) this.#open(nowMs);
    // What comes late to a closed gate was sent before it closed, and says nothing of how many may follow once it opens.
    if (this.#closed === undefined) this.#rampUp += 1;
    this.beginQuiet(nowMs);
    if (rateLimit?.remaining !== undefined) this.#learn(pass, { status: answer.status, rateLimit }, isNews, nowMs);
    // A service that no longer tells, as opposed to something on the way to it that failed, is not held to what it once said.
    else if (isNews && answer.status < 500) this.#remaining = this.#limit = this.#known = undefined;
    else if (this.#remaining !== undefined) this.#remaining -= 1;
  }

  #learn(
    pass: Pass,
    { status, rateLimit }: { status: number; rateLimit: RateLimit },
    isNews: boolean,
    nowMs: number,
  ): void {
    const { limit, remaining = 0, resetAtMs = nowMs } = rateLimit;
    // Answers overtake each other, but within a window the count only falls: of two sent side by side the lower one is true.
    this.#remaining = isNews ? remaining : Math.min(remaining, this.#remaining ?? remaining);
    this.#heardAt = this.#passes;
    this.#limit = limit;
    // A failure need not count against the limit: what it says is left does not tell whether a window has begun.
    if (status < 400) this.#windows.hear(rateLimit, pass.atMs);
    if (isNews && status < 400) this.#wasEarly = false;
    if (resetAtMs > nowMs) this.#known = { sinceMs: nowMs, untilMs: resetAtMs };
    const namedMs = this.#windows.endOf(resetAtMs);
    const waitMs = namedMs - nowMs;
    // A success that says nothing is left for very long is rather asked again, one by one, than believed.
    if (this.#remaining === 0 && this.#closed === undefined && waitMs > 0 && waitMs <= askAgainMs) {
      this.#close({ namedMs, needsJitter: true, isEarly: namedMs < resetAtMs, isNews }, nowMs);
    }
  }

  #close(change: { namedMs: number; needsJitter: boolean; isEarly: boolean; isNews: boolean }, nowMs: number): void {
    const { namedMs, isEarly } = change;
    const before = this.#closed;
    this.#rampUp = 1;
    this.#remaining = 0;
    this.#heardAt = this.#passes;
    if (before !== undefined && before.namedMs >= namedMs && !change.isNews) return;
    const waitMs = namedMs - nowMs;
    // Drawn once: of many refusals at once, each with its own, the longest would always win.
    const jitterMs = before?.jitterMs ?? (change.needsJitter ? addJitter(waitMs, this.#options.random()) - waitMs : 0);
    const untilMs = namedMs + jitterMs;
    this.#closed = { sinceMs: nowMs, namedMs, jitterMs, isEarly, untilMs, askedAtMs: before?.askedAtMs ?? nowMs };
    this.#options.onChange({ state: "closed", untilMs, atMs: nowMs });
  }

  #open(nowMs: number): void {
    if (this.#closed === undefined) return;
    this.#wasEarly = this.#closed.isEarly;
    this.#closed = undefined;
    this.beginQuiet(nowMs);
    this.#options.onChange({ state: "open", untilMs: nowMs, atMs: nowMs });
  }
}

function isDuring({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs < untilMs;
}
