// Makes the time of one run pass: the clock jumps to the next wake-up once nothing happens any more.
import { type RunContext, runIn } from "./virtual-time.ts";
import type { VirtualClock, VirtualTimer } from "./virtual-clock.ts";

// The real ones, whatever a test has put in their place.
const { setImmediate: soon, setTimeout: later } = globalThis;
const realNow = performance.now.bind(performance);

/** How patient a run is. */
export interface Patience {
  /** Real milliseconds of silence before the clock jumps to a timer of the flow's: for work that shows nowhere. */
  readonly silenceMs: number;
  /** Virtual time after which a flow hangs, milliseconds. */
  readonly maxVirtualMs: number;
  /** What was open in the process before the sweep began. */
  readonly openBefore: ReadonlyMap<string, number>;
}

/** Turns of the event loop without anything happening, after which a run is quiet. */
const quietTurns = 4;
/** Timers that may run out in one run while no request comes: more is a loop that waits for nothing. */
const mostWakeUps = 20_000;
/** How much longer, in virtual time, what a flow left behind may work on. */
const afterwardsMs = 60_000;
/** Real milliseconds that a run waits, in all, for files, names and processes. */
const ioPatienceMs = 5_000;

/** Drives a run until the flow has settled and what it left behind is done; `true` when it hangs. */
export async function drive(context: RunContext, isSettled: () => boolean, patience: Patience): Promise<boolean> {
  const { clock } = context;
  const isQuiet = createQuiet(clock, patience);
  const deadlineMs = clock.nowMs + patience.maxVirtualMs;
  for (let wakeUps = 0; ; wakeUps++) {
    await isQuiet(isSettled);
    if (isSettled()) break;
    const { next } = clock;
    if (next === undefined || next.atMs > deadlineMs || wakeUps > mostWakeUps) return true;
    fire(context, next);
  }
  const lastMs = clock.nowMs + afterwardsMs;
  for (;;) {
    await isQuiet(() => false);
    const { next } = clock;
    if (next === undefined || !clock.isAwaited || next.atMs > lastMs) return false;
    fire(context, next);
  }
}

/** What a timer's callback throws is what nobody catches. */
function fire(context: RunContext, timer: VirtualTimer): void {
  try {
    runIn(context, () => context.clock.fire(timer));
  } catch (error) {
    context.unhandled.push(error);
  }
}

/** Makes the function that resolves once nothing happens in a run, or it is done. */
function createQuiet(clock: VirtualClock, { silenceMs, openBefore }: Patience) {
  let ioLeftMs = ioPatienceMs;
  return async (isDone: () => boolean): Promise<void> => {
    let seen = clock.activity;
    let sinceMs = realNow();
    for (let turns = 0; turns < quietTurns || clock.activity !== seen; turns++) {
      if (clock.activity !== seen) {
        seen = clock.activity;
        sinceMs = realNow();
        turns = 0;
      }
      await new Promise((resolve) => soon(resolve));
      if (isDone()) return;
      if (turns < quietTurns - 1) continue;
      const isIoPending = ioLeftMs > 0 && countOpen(openBefore) > 0;
      const isSilent = clock.next?.wakeUp.isService === true || realNow() - sinceMs >= silenceMs;
      if (!isIoPending && isSilent) continue;
      const beganMs = realNow();
      await new Promise((resolve) => later(resolve, 1));
      if (isIoPending) ioLeftMs -= realNow() - beganMs;
      turns = 0;
    }
  };
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
