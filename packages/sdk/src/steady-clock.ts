// A clock that may be set while a call waits: what it jumps, forward or back, is nobody's time.

// A timer that runs later than this was not held up by a busy process: the clock was set, or the machine slept.
const mostLateMs = 5000;

/** Something that is over by some moment, on this clock. */
export interface Expected {
  readonly beganMs: number;
  readonly byMs: number;
}

/**
 * The time for deadlines. It follows the given clock, but never goes back, and where something that should be over by now is not,
 * it takes the rest for a jump. While nothing is expected nobody waits, and a jump does no harm.
 */
export class SteadyClock {
  readonly #now: () => number;
  readonly #expected = new Set<Expected>();
  #lastMs = Number.NEGATIVE_INFINITY;
  #jumpedMs = 0;

  /** Takes the clock to follow, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The present, in milliseconds; not the time of day. */
  now(): number {
    const nowMs = this.#now() - this.#jumpedMs;
    if (nowMs < this.#lastMs) return this.#set(nowMs, this.#lastMs);
    if (nowMs <= this.#lastMs + mostLateMs || this.#expected.size === 0) return (this.#lastMs = nowMs);
    const byMs = Math.max(this.#lastMs, Math.min(...Array.from(this.#expected, (each) => each.byMs)));
    return nowMs > byMs + mostLateMs ? this.#set(nowMs, byMs) : (this.#lastMs = nowMs);
  }

  /** Notes that something begins which is over after so many milliseconds at the latest. */
  expect(forMs: number): Expected {
    const beganMs = this.now();
    const expected = { beganMs, byMs: beganMs + forMs };
    this.#expected.add(expected);
    return expected;
  }

  /** Says of something that it took as long as it was expected to. */
  reach({ byMs }: Expected): void {
    const nowMs = this.now();
    if (nowMs < byMs) this.#set(nowMs, byMs);
  }

  /** Says of something that it is over; gives how long it took, in milliseconds. */
  end(expected: Expected): number {
    const tookMs = this.now() - expected.beganMs;
    this.#expected.delete(expected);
    return tookMs;
  }

  /** Waits for something that takes so many milliseconds, and counts it as that. */
  async during(forMs: number, work: Promise<void>): Promise<void> {
    const expected = this.expect(forMs);
    try {
      await work;
      this.reach(expected);
    } finally {
      this.end(expected);
    }
  }

  #set(fromMs: number, toMs: number): number {
    this.#jumpedMs += fromMs - toMs;
    return (this.#lastMs = toMs);
  }
}
