import * as z from "zod";
import { ArgumentError, parseArgument } from "../exchange/argument.ts";

/** A clock that can be moved: it drives rate windows, moments on pages, identifiers and the expiry of idempotency keys. */
export interface Clock {
  /** The present moment, milliseconds since 1970 UTC. */
  now(): number;
  /**
   * Moves the clock forward. Delays of faults and `latencyMs` are real time and do not hear of it.
   *
   * @param ms - Milliseconds, 0 or more.
   * @throws {TypeError} when `ms` is negative, or leads beyond the year 9999.
   */
  advance(ms: number): void;
  /**
   * Sets the clock, forward or back; it runs on from there.
   *
   * @param at - Milliseconds since 1970 UTC, or a `Date`.
   * @throws {TypeError} when it is no moment from 1970 to the year 9999.
   */
  set(at: number | Date): void;
}

/** The last moment that timestamps can write in their usual shape. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Checks by how many milliseconds a clock is to be moved. */
export const clockStepSchema = z.number({ error: "expected 0 or more milliseconds" }).min(0);

const momentError = { error: "expected a moment from 1970 to the year 9999, as a Date or in milliseconds" };

/** Checks a moment to set a clock to: milliseconds since 1970 UTC. */
export const clockMomentSchema = z.number(momentError).min(0).max(lastMoment);

/** Makes a clock out of a moment that can be read, and moved by some milliseconds. */
export function createClock(now: () => number, move: (ms: number) => void): Clock {
  return {
    now,
    advance(ms) {
      parseArgument("clock.advance", clockStepSchema, ms);
      if (now() + ms > lastMoment)
        throw new ArgumentError(`clock.advance: expected a moment up to the year 9999, got ${ms} ms from now`);
      move(ms);
    },
    set(at) {
      // A test's own realm has a `Date` of its own.
      const atMs = Object.prototype.toString.call(at) === "[object Date]" ? Number(at) : at;
      move(parseArgument("clock.set", clockMomentSchema, atMs) - now());
    },
  };
}
