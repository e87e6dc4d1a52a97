import { AsyncLocalStorage } from "node:async_hooks";

/** What a virtual timer is set with. */
interface WakeUp {
  readonly callback: () => void;
  /** Milliseconds; whatever the platform's timers take. */
  readonly delayMs: unknown;
  /** Whether it is set again each time it has run out. */
  readonly repeats: boolean;
  /** Whether the service waits for it, and not the flow. */
  readonly isService: boolean;
}

/** The time of one run: it stands still until somebody makes it jump to the next wake-up. */
export class VirtualClock {
  readonly #timers = new Set<VirtualTimer>();
  #order = 0;
  #isOver = false;
  #nowMs: number;
  /** Counts whatever happens in the run. */
  activity = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Sets a timer; its callback runs in the asynchronous context of now. */
  set({ callback, delayMs, repeats, isService }: WakeUp): VirtualTimer {
    const wanted = Number(delayMs);
    // As the platform's: what is no number, or too long for a timer, is 1 ms.
    const usedMs = wanted >= 1 && wanted < 2 ** 31 ? wanted : 1;
    const bound = AsyncLocalStorage.bind(callback);
    const timer = new VirtualTimer(this, { callback: bound, delayMs, repeats, isService }, usedMs);
    this.arm(timer);
    return timer;
  }

  arm(timer: VirtualTimer): void {
    if (this.#isOver) return;
    this.activity += 1;
    timer.atMs = this.#nowMs + timer.delayMs;
    timer.order = this.#order;
    this.#order += 1;
    this.#timers.add(timer);
  }

  disarm(timer: VirtualTimer): void {
    if (this.#timers.delete(timer)) this.activity += 1;
  }

  /** A timer by the number it is as a primitive. */
  find(id: unknown): VirtualTimer | undefined {
    return this.#timers.values().find((timer) => String(timer.id) === String(id));
  }

  /** The timer that runs out first; of several the one set first. */
  get next(): VirtualTimer | undefined {
    let first: VirtualTimer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.isBefore(first)) first = timer;
    return first;
  }

  /** Whether a timer waits that keeps a process alive. */
  get isAwaited(): boolean {
    return this.#timers.values().some((timer) => timer.hasRef());
  }

  /** Jumps to the moment a timer runs out, and runs it. What its callback throws is thrown. */
  fire(timer: VirtualTimer): void {
    this.#nowMs = Math.max(this.#nowMs, timer.atMs);
    this.disarm(timer);
    if (timer.wakeUp.repeats) this.arm(timer);
    timer.wakeUp.callback();
  }

  /** Waits as the option `sleep` of a client does: rejects with the signal's reason when it fires. */
  sleep(delayMs: number, signal: AbortSignal | undefined, isService = false): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error); // why: whatever the signal's author chose
      const abort = (): void => {
        timer.close();
        reject(signal?.reason as Error); // why: as above
      };
      const callback = (): void => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const timer = this.set({ callback, delayMs, repeats: false, isService });
      return signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Ends the run: no timer runs out any more, those set later neither. */
  end(): void {
    this.#isOver = true;
    this.#timers.clear();
  }
}

let lastId = 0;

/** What `setTimeout` gives in a run. */
export class VirtualTimer {
  readonly #clock: VirtualClock;
  #hasRef = true;
  readonly wakeUp: WakeUp;
  /** What it is as a primitive, other than any timer of the platform. */
  readonly id = (lastId -= 1);
  readonly delayMs: number;
  atMs = 0;
  order = 0;

  constructor(clock: VirtualClock, wakeUp: WakeUp, delayMs: number) {
    this.#clock = clock;
    this.wakeUp = wakeUp;
    this.delayMs = delayMs;
  }

  isBefore({ atMs, order }: VirtualTimer): boolean {
    return this.atMs < atMs || (this.atMs === atMs && this.order < order);
  }

  ref(): this {
    this.#hasRef = true;
    return this;
  }

  unref(): this {
    this.#hasRef = false;
    return this;
  }

  hasRef(): boolean {
    return this.#hasRef;
  }

  refresh(): this {
    this.#clock.disarm(this);
    this.#clock.arm(this);
    return this;
  }

  close(): this {
    this.#clock.disarm(this);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.id;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
