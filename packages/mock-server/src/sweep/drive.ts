// Makes the time of one run pass: the clock jumps to the next wake-up once nothing happens any more.
import { type RunContext, runIn } from "./virtual-time.ts";
import type { VirtualClock, VirtualTimer } from "./virtual-clock.ts";

// The real ones, whatever a test has put in their place.
const { setImmediate: soon, setTimeout: later } = globalThis;
const realNow = performance.now.bind(performance);

/** How patient a run is. Pauses are of a real millisecond each, so that whoever else works gets to it, however busy the machine is. */
export interface Patience {
  /** Pauses in which nothing happens before the clock jumps to a timer of the flow's: for work that shows nowhere. */
  readonly silentPauses: number;
  /** The same before a flow that waits for no timer hangs. */
  readonly pausesBeforeHang: number;
  /** Virtual time after which a flow hangs, milliseconds. */
  readonly maxVirtualMs: number;
  /** Requests after which no more are answered: a loop of requests that never ends leaves nobody else a turn. */
  readonly maxRequests: number;
  /** What was open in the process before the sweep began. */
  readonly openBefore: ReadonlyMap<string, number>;
}

/** How a run has ended. */
export interface Ended {
  readonly isHanging: boolean;
  /** Most pauses in a row after which something happened by itself: what the flow does where nobody sees it. */
  readonly longestSilence: number;
}

/** Turns of the event loop without anything happening, after which a run is quiet. */
const quietTurns = 4;
/** Turns in a row with something happening, after which the clock jumps all the same: a flow may wait in busy circles. */
const mostBusyTurns = 200;
/** The same in the whole run, and for each of its requests, after which it hangs. */
const [mostTurns, turnsPerRequest] = [5_000, 50];
/** Timers of the flow's that may run out in one run: more is a loop that waits for nothing. */
const mostWakeUps = 10_000;
/** The same once the flow has settled. */
const mostWakeUpsAfterwards = 300;
/** Pauses for the sake of silence in one run; a flow that has used them up has had its time. */
const mostPauses = 300;
/** How much longer, in virtual time, what a flow left behind may work on. */
const afterwardsMs = 60_000;
/** Real milliseconds that a run waits, in all, for files, names and processes. */
const ioPatienceMs = 5_000;

/** A run under way. */
export interface Drive {
  readonly context: RunContext;
  readonly isSettled: () => boolean;
  /** Requests so far. */
  readonly countRequests: () => number;
  readonly patience: Patience;
}

/** Drives a run until the flow has settled and what it left behind is done. */
export async function drive({ context, isSettled, countRequests, patience }: Drive): Promise<Ended> {
  const { clock } = context;
  const silence = new Silence(clock, countRequests, patience);
  const deadlineMs = clock.nowMs + patience.maxVirtualMs;
  const end = (isHanging: boolean): Ended => ({ isHanging, longestSilence: silence.longest });
  for (let wakeUps = 0; ;) {
    await silence.wait(isSettled, patience.pausesBeforeHang);
    if (isSettled()) break;
    const { next } = clock;
    if (next === undefined || next.atMs > deadlineMs || wakeUps > mostWakeUps || silence.isBroken) return end(true);
    if (!next.wakeUp.isService) wakeUps += 1;
    fire(context, next);
  }
  const lastMs = clock.nowMs + afterwardsMs;
  for (let wakeUps = 0; wakeUps < mostWakeUpsAfterwards; wakeUps += 1) {
    await silence.wait(() => false, patience.silentPauses);
    const { next } = clock;
    if (next === undefined || !clock.isAwaited || next.atMs > lastMs || silence.isBroken) break;
    fire(context, next);
  }
  return end(false);
}

/** What a timer's callback throws is what nobody catches. */
function fire(context: RunContext, timer: VirtualTimer): void {
  try {
    runIn(context, () => context.clock.fire(timer));
  } catch (error) {
    context.unhandled.push(error);
  }
}

/** Waits until nothing happens in a run any more. */
class Silence {
  readonly #clock: VirtualClock;
  readonly #countRequests: () => number;
  readonly #patience: Patience;
  #ioLeftMs = ioPatienceMs;
  #pausesLeft = mostPauses;
  #turns = 0;
  longest = 0;

  constructor(clock: VirtualClock, countRequests: () => number, patience: Patience) {
    this.#clock = clock;
    this.#countRequests = countRequests;
    this.#patience = patience;
  }

  /** Whether there will never be any. */
  get isBroken(): boolean {
    return this.#turns > mostTurns + turnsPerRequest * this.#countRequests();
  }

  /** Resolves when it is silent, or the run is done. `lastPauses` are those where no timer waits either. */
  async wait(isDone: () => boolean, lastPauses: number): Promise<void> {
    let seen = this.#clock.activity;
    let pauses = 0;
    for (let quiet = 0, busy = 0; busy < mostBusyTurns && !this.isBroken;) {
      await new Promise((resolve) => soon(resolve));
      if (isDone()) return;
      if (this.#clock.activity !== seen) {
        this.longest = Math.max(this.longest, pauses);
        seen = this.#clock.activity;
        [quiet, pauses, busy] = [0, 0, busy + 1];
        this.#turns += 1;
      } else quiet += 1;
      if (quiet < quietTurns) continue;
      const isIoPending = this.#ioLeftMs > 0 && countOpen(this.#patience.openBefore) > 0;
      if (!isIoPending && pauses >= this.#wanted(lastPauses)) return;
      const beganMs = realNow();
      await new Promise((resolve) => later(resolve, 1));
      if (isIoPending) this.#ioLeftMs -= realNow() - beganMs;
      else pauses += 1;
    }
  }

  #wanted(lastPauses: number): number {
    const { next } = this.#clock;
    if (next === undefined) return lastPauses;
    if (next.wakeUp.isService || this.#pausesLeft <= 0) return 0;
    this.#pausesLeft -= 1;
    return this.#patience.silentPauses;
  }
}

/** Requests to the operating system that have an end: files, names of hosts, child processes. Sockets and timers may stay for good. */
const hasAnEnd = /^(?:FS|GetAddrInfo|GetNameInfo|TCPConnect|PipeConnect|Process|Write|Shutdown|QueryReq)/;

/** What is open in the process now, by kind. */
export function listOpen(): Map<string, number> {
  const open = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (hasAnEnd.test(kind)) open.set(kind, (open.get(kind) ?? 0) + 1);
  return open;
}

function countOpen(before: ReadonlyMap<string, number>): number {
  let count = 0;
  for (const [kind, open] of listOpen()) count += Math.max(open - (before.get(kind) ?? 0), 0);
  return count;
}
