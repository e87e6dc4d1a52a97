// Runs a function on a virtual clock, which jumps to the next timer when nothing else is going on.
import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import FakeTimers from "@sinonjs/fake-timers";

// The real ones: the global ones are replaced while a function runs.
const { setImmediate: nextTurn, setTimeout: startTimer } = globalThis;
const promises = process.getBuiltinModule("node:timers/promises");

/**
 * How long a run waits for work that shows nowhere, such as a thread's. It is counted in pauses of a real millisecond, during which
 * everybody else gets a turn: on a busy machine a run takes longer, and ends the same.
 */
export interface Patience {
  /** Pauses without activity before the clock jumps to a timer. */
  readonly pauses: number;
  /** Pauses without activity before a function that waits for no timer counts as hanging. */
  readonly pausesBeforeHang: number;
}

/** How a function runs. */
export interface VirtualRun {
  /** Where the clock starts, milliseconds since 1970 UTC. */
  readonly startMs: number;
  /** Virtual milliseconds after which the function hangs. */
  readonly maxMs: number;
  readonly patience: Patience;
  /** Requests that have begun, and responses that were sent. */
  readonly countActivity: () => number;
  /** Whether the service holds a response back: the clock then jumps without a pause. */
  readonly isResponsePending: () => boolean;
}

/** How a run ended. */
export interface RunEnd {
  /** The outcome of the function; `undefined` if it hangs. */
  readonly settled: { readonly isRejected: boolean; readonly value: unknown } | undefined;
  /** Errors that nobody caught. */
  readonly unhandled: readonly unknown[];
  /** The most pauses in a row after which the function went on by itself. */
  readonly longestSilence: number;
}

/** Virtual milliseconds in which whatever a settled function left behind may go on. */
const afterwardsMs = 60_000;
const afterwardsPatience: Patience = { pauses: 1, pausesBeforeHang: 1 };
/** Timers that may fire before and after the function settles. More is a loop that waits for nothing. */
const [maxTimers, maxTimersAfterwards] = [10_000, 300];

/** Runs a function, then whatever it left behind, on a virtual clock. The whole process sees that clock, so that one run is over before the next begins. */
export async function runOnVirtualTime(start: () => unknown, run: VirtualRun): Promise<RunEnd> {
  const { clock, isAwaited, uninstall } = installClock(run.startMs);
  const unhandled: unknown[] = [];
  const restoreListeners = collectRejections(unhandled);
  const watch = new Watch(run, () => clock.countTimers());
  const fireNext = (): void => {
    try {
      clock.next();
    } catch (error) {
      unhandled.push(error);
    }
  };
  let settled: RunEnd["settled"];
  const running = runs.run(clock, async () => start());
  void running.then(
    (value) => (settled = { isRejected: false, value }),
    (value: unknown) => (settled = { isRejected: true, value }),
  );
  try {
    for (let fired = 0; ; fired += 1) {
      await watch.waitForSilence(run.patience, () => settled !== undefined);
      if (settled !== undefined) break;
      const isLate = Date.now() > run.startMs + run.maxMs || fired > maxTimers;
      if (isLate || clock.countTimers() === 0 || watch.isCircling()) break;
      fireNext();
    }
    const lastMs = settled === undefined ? 0 : Date.now() + afterwardsMs;
    for (let fired = 0; Date.now() < lastMs && fired < maxTimersAfterwards; fired += 1) {
      await watch.waitForSilence(afterwardsPatience, () => false);
      if (!isAwaited() || watch.isCircling()) break;
      fireNext();
    }
  } finally {
    restoreListeners();
    uninstall();
  }
  return { settled, unhandled, longestSilence: watch.longestSilence };
}

/** Pauses in one run, in all: before timers, as a function that polls for an hour would take real seconds, and for the operating system. */
const [maxPauses, maxIoPauses] = [100, 5_000];
/** Turns of the event loop: without activity until a run is silent, and with activity until the clock jumps all the same. */
const [silentTurns, maxBusyTurns] = [4, 200];
/** Turns with activity in one run, and more for each request and response, after which a function waits in circles. */
const [circlingTurns, turnsPerRequest] = [5_000, 50];

/** Waits until nothing happens any more without a timer. */
class Watch {
  readonly #run: VirtualRun;
  readonly #countTimers: () => number;
  readonly #ioBefore = countPendingIo();
  #pausesLeft = maxPauses;
  #ioPausesLeft = maxIoPauses;
  #busyTurns = 0;
  longestSilence = 0;

  constructor(run: VirtualRun, countTimers: () => number) {
    this.#run = run;
    this.#countTimers = countTimers;
  }

  /** Whether the function will never be silent. */
  isCircling(): boolean {
    return this.#busyTurns > circlingTurns + turnsPerRequest * this.#run.countActivity();
  }

  /** Resolves when it is silent or done. */
  async waitForSilence(patience: Patience, isDone: () => boolean): Promise<void> {
    const observe = (): string => `${this.#run.countActivity()} ${this.#countTimers()}`;
    let seen = observe();
    for (let silent = 0, pauses = 0, busy = 0; busy < maxBusyTurns;) {
      await new Promise((resolve) => nextTurn(resolve));
      if (isDone()) return;
      if (observe() === seen) silent += 1;
      else {
        this.longestSilence = Math.max(this.longestSilence, pauses);
        [seen, silent, pauses, busy] = [observe(), 0, 0, busy + 1];
        this.#busyTurns += 1;
      }
      if (silent < silentTurns) continue;
      const isIoPending = this.#ioPausesLeft > 0 && countPendingIo() > this.#ioBefore;
      if (!isIoPending && pauses >= this.#countWantedPauses(patience)) return;
      await new Promise((resolve) => startTimer(resolve, 1));
      if (isIoPending) this.#ioPausesLeft -= 1;
      else pauses += 1;
    }
  }

  #countWantedPauses({ pauses, pausesBeforeHang }: Patience): number {
    if (this.#countTimers() === 0) return pausesBeforeHang;
    if (this.#run.isResponsePending() || this.#pausesLeft === 0) return 0;
    this.#pausesLeft -= 1;
    return pauses;
  }
}

/** Requests to the operating system that have an end: files, host names, child processes. Sockets may stay open for good. */
const endingRequest = /^(?:FS|GetAddrInfo|GetNameInfo|TCPConnect|PipeConnect|Process|Write|Shutdown|QueryReq)/;

function countPendingIo(): number {
  return process.getActiveResourcesInfo().filter((kind) => endingRequest.test(kind)).length;
}

/** Puts a clock in place of the platform's. */
function installClock(startMs: number) {
  const clock = FakeTimers.install({
    now: startMs,
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    shouldClearNativeTimers: true,
  });
  clock.setTimeout = bindToRun(clock.setTimeout, clock);
  clock.setInterval = bindToRun(clock.setInterval, clock);
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
  return {
    clock,
    /** Whether a timer other than those of `AbortSignal.timeout` is left: those keep no process alive. */
    isAwaited: () => clock.countTimers() > pendingTimeouts.size,
    uninstall: () => {
      clock.uninstall();
      restoreTimeout();
      restoreWait();
      syncBuiltinESMExports();
    },
  };
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
function bindToRun<SetTimer extends (...values: never[]) => unknown>(
  setTimer: SetTimer,
  clock: FakeTimers.Clock,
): SetTimer {
  return new Proxy(setTimer, {
    apply(target, self, [callback, ...rest]: [() => void, ...unknown[]]): unknown {
      const timer: unknown = Reflect.apply(target, self, [AsyncLocalStorage.bind(callback), ...rest]);
      if ((runs.getStore() ?? clock) !== clock) clock.clearTimeout(timer as FakeTimers.TimerId); // why: what a clock's `set…` gives
      return timer;
    },
  });
}

/** Takes over what the process does about rejections that nobody handles. */
function collectRejections(unhandled: unknown[]): () => void {
  const before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => void unhandled.push(reason));
  return () => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
  };
}
