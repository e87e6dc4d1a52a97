import { gotInstead } from "../exchange/literal.ts";
import { isWithin } from "./match.ts";

/** A clock that can be moved: it drives rate windows, moments on pages, identifiers and the expiry of idempotency keys. */
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
  /**
   * Sets the clock, forward or back; it runs on from there.
   *
   * @param at - Milliseconds since 1970 UTC, or a `Date`.
   * @throws {RangeError} when it is no moment from 1970 to the year 9999.
   */
  set(at: number | Date): void;
}

/** The last moment that timestamps can write in their usual shape. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Makes a clock out of a moment that can be read, and moved by some milliseconds. */
export function createClock(now: () => number, move: (ms: number) => void): Clock {
  return {
    now,
    advance(ms) {
      if (!isWithin(ms, Infinity))
        throw new RangeError(`clock.advance: expected 0 or more milliseconds${gotInstead(ms)}`);
      if (now() + ms > lastMoment)
        throw new RangeError(`clock.advance: expected a moment up to the year 9999, got ${ms} ms from now`);
      move(ms);
    },
    set(at) {
      // A test's own realm has a `Date` of its own.
      const atMs = Object.prototype.toString.call(at) === "[object Date]" ? Number(at) : at;
      if (!isWithin(atMs, lastMoment))
        throw new RangeError(
          `clock.set: expected a moment from 1970 to the year 9999, as a Date or in milliseconds${gotInstead(at)}`,
        );
      move(atMs - now());
    },
  };
}
