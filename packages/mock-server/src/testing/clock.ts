import * as z from "zod";
import { ArgumentError, parseArgument } from "../argument.ts";

/** A clock that a test can move. It drives rate windows, timestamps of pages, identifiers and the expiry of idempotency keys. */
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
   * Sets the clock, forward or back. It runs on from there.
   *
   * @param at - Milliseconds since 1970 UTC, or a `Date`.
   * @throws {TypeError} when it is no timestamp from 1970 to the year 9999.
   */
  set(at: number | Date): void;
}

/** The last timestamp in ISO 8601 with a year of four digits. */
const lastTimestamp = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Checks how far to move a clock, in milliseconds. */
export const clockStepSchema = z.number({ error: "expected 0 or more milliseconds" }).min(0);

const timestampError = { error: "expected a time from 1970 to the year 9999, as a Date or in milliseconds" };

/** Checks the new time of a clock, milliseconds since 1970 UTC. */
export const clockMomentSchema = z.number(timestampError).min(0).max(lastTimestamp);

/** A service or an account with its clock. */
interface ClockOwner {
  now(): number;
  /** How far it is ahead, in milliseconds. */
  aheadMs: number;
}

/** Makes a clock that reads and moves the owner which `find` returns. */
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
      // Not by `instanceof`, because jest gives each test file its own `Date`.
      const atMs = Object.prototype.toString.call(at) === "[object Date]" ? Number(at) : at;
      const owner = find();
      owner.aheadMs += parseArgument("clock.set", clockMomentSchema, atMs) - owner.now();
    },
  };
}
