// Runs a function on a virtual clock. The clock jumps to the next timer when nothing else happens.
import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import FakeTimers from "@sinonjs/fake-timers";

// The real timers, because the global ones are replaced while a function runs.
const { setImmediate: nextTurn, setTimeout: startTimer } = globalThis;
/** The module itself, because its functions are replaced while a flow runs. */
export const promises = process.getBuiltinModule("node:timers/promises");

/** Activity of a service. */
export interface Activity {
  /** Number of requests received and responses sent. */
  count: number;
  /** Number of requests without a response so far. */
  pending: number;
}

/** Start time of the clock in each run. It is always the same, so a flow that stores the time stores the same in each run. */
const startMs = Date.UTC(2026, 0, 1);
/** Virtual milliseconds in which background work may go on after the function has settled. */
const afterwardsMs = 60_000;
/** Most timers that may fire before and after the function settles. More timers mean an endless loop. */
const [maxTimers, maxTimersAfterwards] = [10_000, 300];

/** Outcome of a function. */
export interface Settled {
  readonly isRejected: boolean;
  /** Result of the function, or the reason of its rejection. */
  readonly value: unknown;
}

/** Limits of a run. */
export interface VirtualRun {
  /** Virtual milliseconds after which the function counts as hanging. */
  readonly maxMs: number;
  /** Most pauses in a row that the function usually makes: `longestSilence` of an earlier run. */
  readonly usualSilence: number;
  readonly activity: Activity;
}

/**
 * Runs a function and its background work on a virtual clock. The whole process uses that clock, so only one run can be active.
 *
 * @returns `settled`, which is `undefined` when the function hangs; the uncaught errors; and `longestSilence`, the most pauses in a row after which the function went on by itself.
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
      if (settled !== undefined || isLate || clock.countTimers() === 0 || watch.isLooping()) break;
      fireNext();
    }
    const lastMs = settled === undefined ? 0 : Date.now() + afterwardsMs;
    for (let fired = 0; Date.now() < lastMs && fired < maxTimersAfterwards; fired += 1) {
      await watch.waitForSilence(1, 1);
      if (countAwaitedTimers() === 0 || watch.isLooping()) break;
      fireNext();
    }
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
    uninstall();
  }
  return { settled, unhandled, longestSilence: watch.longestSilence() };
}

/**
 * Most 1 ms pauses in one run. `maxPauses` limits pauses before a timer; without it, an hour of virtual polling would take many real
 * seconds. `maxIoPauses` limits pauses for pending requests to the operating system.
 */
const [maxPauses, maxIoPauses] = [100, 5_000];
/**
 * A run is silent after `silentTurns` turns of the event loop without activity. After `maxBusyTurns` turns with activity, the clock jumps
 * anyway.
 */
const [silentTurns, maxBusyTurns] = [4, 200];
/** A function is looping after more than `loopingTurns` turns with activity, plus `turnsPerRequest` for each request and response. */
const [loopingTurns, turnsPerRequest] = [5_000, 50];

/**
 * Waits until only a timer can make something happen. Pauses of one real millisecond let invisible work go on, such as that of a
 * thread. On a busy machine a run takes longer, with the same result.
 */
function watchRun(activity: Activity, clock: FakeTimers.Clock) {
  const ioBefore = countPendingIo();
  let [pausesLeft, ioPausesLeft] = [maxPauses, maxIoPauses];
  let [busyTurns, longestSilence] = [0, 0];
  const observe = (): string => `${activity.count} ${clock.countTimers()}`;
  const countWantedPauses = (beforeTimer: number, beforeHang: number): number => {
    if (clock.countTimers() === 0) return beforeHang;
    // While the service delays a response, the clock jumps without a pause.
    if (activity.pending > 0 || pausesLeft === 0) return 0;
    pausesLeft -= 1;
    return beforeTimer;
  };
  /** Resolves when the run is silent or done: after `beforeTimer` pauses if a timer is pending, else after `beforeHang`. */
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
    /** Whether the function loops and will never be silent. */
    isLooping: () => busyTurns > loopingTurns + turnsPerRequest * activity.count,
    longestSilence: () => longestSilence,
  };
}

/** Requests to the operating system that end: files, host names, child processes. Sockets may stay open for ever. */
const endingRequest = /^(?:FS|GetAddrInfo|GetNameInfo|TCPConnect|PipeConnect|Process|Write|Shutdown|QueryReq)/;

function countPendingIo(): number {
  return process.getActiveResourcesInfo().filter((kind) => endingRequest.test(kind)).length;
}

/** Replaces the clock of the platform. */
function installClock() {
  const clock = FakeTimers.install({
    now: startMs,
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    shouldClearNativeTimers: true,
  });
  clock.setTimeout = bindToRun(clock.setTimeout, clock);
  clock.setInterval = bindToRun(clock.setInterval, clock);
  // The platform's `AbortSignal.timeout` keeps no process alive, so the sweep does not wait for these timers either.
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

/** The clock of the run to which the current code belongs. */
const runs = new AsyncLocalStorage<FakeTimers.Clock>();

/**
 * Calls back in the asynchronous context that set the timer, as the platform's timers do. An earlier run that never ended may still
 * set timers. They never fire.
 */
function bindToRun(setTimer: FakeTimers.Clock["setTimeout"], clock: FakeTimers.Clock): FakeTimers.Clock["setTimeout"] {
  const setBoundTimer: FakeTimers.Clock["setTimeout"] = (callback, ...rest) => {
    const timer = setTimer(AsyncLocalStorage.bind(callback), ...rest);
    if ((runs.getStore() ?? clock) !== clock) clock.clearTimeout(timer);
    return timer;
  };
  // fake-timers stores what it needs to uninstall itself as properties of these functions, so copy them.
  return Object.assign(setBoundTimer, setTimer);
}
