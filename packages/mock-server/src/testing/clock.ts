/** The service's clock: it drives rate windows, moments on pages, identifiers and the expiry of idempotency keys. */
export interface Clock {
  /** The present moment, milliseconds since 1970 UTC. */
  now(): number;
  /**
   * Moves the clock forward. Delays of faults and `latencyMs` are real time and do not hear of it.
   *
   * @param ms - Milliseconds, 0 or more.
   * @throws {RangeError} when `ms` is negative, or leads beyond the year 9999.
   */
  advance(ms: number): void;
}

/** The last moment that timestamps can write in their usual shape. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Makes a clock that runs with `now` and can be moved ahead of it. */
export function createClock(now: () => number): Clock {
  let aheadMs = 0;
  return {
    now: () => now() + aheadMs,
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`clock.advance: expected 0 or more milliseconds, got ${ms}`);
      if (now() + aheadMs + ms > lastMoment)
        throw new RangeError(`clock.advance: expected a moment up to the year 9999, got ${ms} ms from now`);
      aheadMs += ms;
    },
  };
}
