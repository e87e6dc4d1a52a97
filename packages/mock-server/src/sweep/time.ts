// Runs a function on a virtual clock, which jumps to the next timer when nothing else is going on.
import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import FakeTimers from "@sinonjs/fake-timers";

// The real ones: the global ones are replaced while a function runs.
const { setImmediate: nextTurn, setTimeout: startTimer } = globalThis;
const promises = process.getBuiltinModule("node:timers/promises");

/** What a service is doing. */
export interface Activity {
  /** Requests that have begun, and responses that were sent. */
  count: number;
  /** Responses that are held back. */
  pending: number;
}

/** Where the clock of each run starts: always the same, so that a flow that stores the time stores the same in each run. */
const startMs = Date.UTC(2026, 0, 1);
/** Virtual milliseconds in which whatever a settled function left behind may go on. */
const afterwardsMs = 60_000;
/** Timers that may fire before and after the function settles. More is a loop that waits for nothing. */
const [maxTimers, maxTimersAfterwards] = [10_000, 300];

/** The outcome of a function. */
export interface Settled {
  readonly isRejected: boolean;
  /** What it gave, or the reason of its rejection. */
  readonly value: unknown;
}

/** How a function runs. */
export interface VirtualRun {
  /** Virtual milliseconds after which it hangs. */
  readonly maxMs: number;
  /** The most pauses in a row that it usually makes, as `longestSilence` of an earlier run. */
  readonly usualSilence: number;
  readonly activity: Activity;
}

/**
 * Runs a function, then whatever it left behind, on a virtual clock. The whole process sees that clock, so that one run is over
 * before the next begins.
 *
 * @returns `settled`, `undefined` when it hangs; the errors that nobody caught; and `longestSilence`, the most pauses in a row after which it went on by itself.
 */
export async function runOnVirtualTime(start: () => unknown, { maxMs, usualSilence, activity }: VirtualRun) {
  const { clock, countAwaitedTimers, uninstall } = installClock();
  const unhandled: unknown[] = [];
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => void unhandled.push(reason));
  const watch = watchRun(activity, clock);
  const fireNext = (): void => {
    try {
      clock.next();
    } catch (error) {
      unhandled.push(error);
    }
  };
  let settled: Settled | undefined;
  void runs
    .run(clock, async () => start())
    .then(
      (value) => (settled = { isRejected: false, value }),
      (value: unknown) => (settled = { isRejected: true, value }),
    );
  try {
    const beforeTimer = Math.min(1 + usualSilence * 4, 200);
    const beforeHang = Math.min(100 + usualSilence * 20, 4_000);
    for (let fired = 0; ; fired += 1) {
      await watch.waitForSilence(beforeTimer, beforeHang, () => settled !== undefined);
      const isLate = Date.now() > startMs + maxMs || fired > maxTimers;
      if (settled !== undefined || isLate || clock.countTimers() === 0 || watch.isCircling()) break;
      fireNext();
    }
    const lastMs = settled === undefined ? 0 : Date.now() + afterwardsMs;
    for (let fired = 0; Date.now() < lastMs && fired < maxTimersAfterwards; fired += 1) {
      await watch.waitForSilence(1, 1);
      if (countAwaitedTimers() === 0 || watch.isCircling()) break;
      fireNext();
    }
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
    uninstall();
  }
  return { settled, unhandled, longestSilence: watch.longestSilence() };
}

/** Pauses in one run, in all: before timers, as a function that polls for an hour would take real seconds, and for the operating system. */
const [maxPauses, maxIoPauses] = [100, 5_000];
/** Turns of the event loop: without activity until a run is silent, and with activity until the clock jumps all the same. */
const [silentTurns, maxBusyTurns] = [4, 200];
/** Turns with activity in one run, and more for each request and response, after which a function waits in circles. */
const [circlingTurns, turnsPerRequest] = [5_000, 50];

/**
 * Waits until nothing happens any more without a timer. Work that shows nowhere, such as a thread's, is given pauses of a real
 * millisecond, during which everybody else gets a turn: on a busy machine a run takes longer, and ends the same.
 */
function watchRun(activity: Activity, clock: FakeTimers.Clock) {
  const ioBefore = countPendingIo();
  let [pausesLeft, ioPausesLeft] = [maxPauses, maxIoPauses];
  let [busyTurns, longestSilence] = [0, 0];
  const observe = (): string => `${activity.count} ${clock.countTimers()}`;
  const countWantedPauses = (beforeTimer: number, beforeHang: number): number => {
    if (clock.countTimers() === 0) return beforeHang;
    // Where the service holds a response back, the clock jumps without a pause.
    if (activity.pending > 0 || pausesLeft === 0) return 0;
    pausesLeft -= 1;
    return beforeTimer;
  };
  /** Resolves when it is silent or done: after so many pauses where there is a timer to jump to, and where there is none. */
  const waitForSilence = async (beforeTimer: number, beforeHang: number, isDone = () => false): Promise<void> => {
    let seen = observe();
    for (let silent = 0, pauses = 0, busy = 0; busy < maxBusyTurns;) {
      await new Promise((resolve) => nextTurn(resolve));
      if (isDone()) return;
      if (observe() === seen) silent += 1;
      else {
        longestSilence = Math.max(longestSilence, pauses);
        [seen, silent, pauses, busy] = [observe(), 0, 0, busy + 1];
        busyTurns += 1;
      }
      if (silent < silentTurns) continue;
      const isIoPending = ioPausesLeft > 0 && countPendingIo() > ioBefore;
      if (!isIoPending && pauses >= countWantedPauses(beforeTimer, beforeHang)) return;
      await new Promise((resolve) => startTimer(resolve, 1));
      if (isIoPending) ioPausesLeft -= 1;
      else pauses += 1;
    }
  };
  return {
    waitForSilence,
    /** Whether it will never be silent. */
    isCircling: () => busyTurns > circlingTurns + turnsPerRequest * activity.count,
    longestSilence: () => longestSilence,
  };
}

/** Requests to the operating system that have an end: files, host names, child processes. Sockets may stay open for good. */
const endingRequest = /^(?:FS|GetAddrInfo|GetNameInfo|TCPConnect|PipeConnect|Process|Write|Shutdown|QueryReq)/;

function countPendingIo(): number {
  return process.getActiveResourcesInfo().filter((kind) => endingRequest.test(kind)).length;
}

/** Puts a clock in place of the platform's. */
function installClock() {
  const clock = FakeTimers.install({
    now: startMs,
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    shouldClearNativeTimers: true,
  });
  clock.setTimeout = bindToRun(clock.setTimeout, clock);
  clock.setInterval = bindToRun(clock.setInterval, clock);
  // These keep no process alive.
  const pendingTimeouts = new Set<unknown>();
  const restoreTimeout = replaceMethod(AbortSignal, "timeout", (delayMs) => {
    const controller = new AbortController();
    const timer = clock.setTimeout(() => {
      pendingTimeouts.delete(timer);
      controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    }, delayMs);
    pendingTimeouts.add(timer);
    return controller.signal;
  });
  const restoreWait = replaceMethod(promises.scheduler, "wait", (delayMs, options) =>
    promises.setTimeout(delayMs, undefined, options),
  );
  syncBuiltinESMExports();
  const uninstall = (): void => {
    clock.uninstall();
    restoreTimeout();
    restoreWait();
    syncBuiltinESMExports();
  };
  return { clock, countAwaitedTimers: () => clock.countTimers() - pendingTimeouts.size, uninstall };
}

function replaceMethod<Owner, Name extends keyof Owner>(owner: Owner, name: Name, method: Owner[Name]): () => void {
  const before = owner[name];
  owner[name] = method;
  return () => void (owner[name] = before);
}

/** The clock of the run that code belongs to. */
const runs = new AsyncLocalStorage<FakeTimers.Clock>();

/**
 * Calls back in the asynchronous context in which a timer is set, as the platform's timers do. A timer that a run before this one
 * sets, because it never ended, never fires.
 */
function bindToRun(setTimer: FakeTimers.Clock["setTimeout"], clock: FakeTimers.Clock): FakeTimers.Clock["setTimeout"] {
  const setBoundTimer: FakeTimers.Clock["setTimeout"] = (callback, ...rest) => {
    const timer = setTimer(AsyncLocalStorage.bind(callback), ...rest);
    if ((runs.getStore() ?? clock) !== clock) clock.clearTimeout(timer);
    return timer;
  };
  // The clock keeps on its functions what it needs to take them back.
  return Object.assign(setBoundTimer, setTimer);
}
