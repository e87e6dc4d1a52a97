import * as z from "zod";
import { ArgumentError, parseArgument } from "../argument.ts";

/** A clock that can be moved: it drives rate windows, timestamps of pages, identifiers and the expiry of idempotency keys. */
export interface Clock {
  /** The current time, milliseconds since 1970 UTC. */
  now(): number;
  /**
   * Moves the clock forward. Delays of faults and `latencyMs` are real time and do not change.
   *
   * @param ms - Milliseconds, 0 or more.
   * @throws {TypeError} when `ms` is negative, or leads beyond the year 9999.
   */
  advance(ms: number): void;
  /**
   * Sets the clock, forward or back; it runs on from there.
   *
   * @param at - Milliseconds since 1970 UTC, or a `Date`.
   * @throws {TypeError} when it is no timestamp from 1970 to the year 9999.
   */
  set(at: number | Date): void;
}

/** The last timestamp that the usual shape can write. */
const lastTimestamp = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Checks by how many milliseconds a clock is to be moved. */
export const clockStepSchema = z.number({ error: "expected 0 or more milliseconds" }).min(0);

const timestampError = { error: "expected a time from 1970 to the year 9999, as a Date or in milliseconds" };

/** Checks a timestamp to set a clock to: milliseconds since 1970 UTC. */
export const clockMomentSchema = z.number(timestampError).min(0).max(lastTimestamp);

/** Something with a clock of its own. */
interface ClockOwner {
  now(): number;
  /** How far it is ahead, in milliseconds. */
  aheadMs: number;
}

/** Makes the clock of what `find` returns. */
export function createClock(find: () => ClockOwner): Clock {
  return {
    now: () => find().now(),
    advance(ms) {
      parseArgument("clock.advance", clockStepSchema, ms);
      const owner = find();
      if (owner.now() + ms > lastTimestamp)
        throw new ArgumentError(`clock.advance: expected a time up to the year 9999, got ${ms} ms from now`);
      owner.aheadMs += ms;
    },
    set(at) {
      // A test's own realm has a `Date` of its own.
      const atMs = Object.prototype.toString.call(at) === "[object Date]" ? Number(at) : at;
      const owner = find();
      owner.aheadMs += parseArgument("clock.set", clockMomentSchema, atMs) - owner.now();
    },
  };
}
