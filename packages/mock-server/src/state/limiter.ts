import * as z from "zod";
import { integer, parseArgument } from "../argument.ts";

/** How many requests an account may send in one window. Gap: see docs/spec-gaps.md#limits */
export interface RateWindow {
  /** Requests allowed in one window, an integer of 1 or more. */
  limit: number;
  /** Length of the window in milliseconds, an integer of 1 or more. */
  windowMs: number;
}

/** A plan: `free` 60, `starter` 600, `pro` 6 000 requests per 60 s, `unlimited`, or numbers of your own. Gap: see docs/spec-gaps.md#limits */
export type Plan = "free" | "starter" | "pro" | "unlimited" | RateWindow;

/** Checks a plan. */
export const planSchema: z.ZodType<Plan> = z.union(
  [z.enum(["free", "starter", "pro", "unlimited"]), z.strictObject({ limit: integer(1), windowMs: integer(1) })],
  { error: 'expected "free", "starter", "pro", "unlimited" or { limit, windowMs } with integers of 1 or more' },
);

/** The rate-limit window of an account. */
export interface RateState {
  /** Requests allowed in one window; 2 147 483 647 when unlimited. */
  limit: number;
  /** Requests left in this window, never negative. */
  remaining: number;
  /** When the window ends, milliseconds since 1970 UTC on the service's clock. While no window runs: when one begun now would end. */
  resetAtMs: number;
}

// Gap: plans and window, see docs/spec-gaps.md#limits
const windowMs = 60_000;
/** What the headers say of an unlimited plan is the largest integer that every client can read. */
const limits = { free: 60, starter: 600, pro: 6_000, unlimited: 2_147_483_647 };

/**
 * Counts requests in fixed windows; a window begins with the first request after the last one ended.
 * A request exactly at the end of a window opens the next. A clock that goes back takes the window with it.
 */
export class RateLimiter {
  /** The plan that {@link reset} put in force; `undefined` while the first one is. */
  ownPlan: Plan | undefined;
  readonly #firstPlan: Plan;
  #window: RateWindow;
  #startMs = Number.NEGATIVE_INFINITY;
  #used = 0;

  /** @throws {TypeError} when the plan is not valid. */
  constructor(plan: Plan) {
    this.#firstPlan = parsePlan(plan);
    this.#window = windowOf(this.#firstPlan);
  }

  /** Takes one request out of the window; `false` when none is left. */
  take(nowMs: number): boolean {
    const { limit, windowMs } = this.#window;
    const isOver = nowMs >= this.#startMs + windowMs;
    if (isOver) this.#used = 0;
    if (isOver || nowMs < this.#startMs) this.#startMs = nowMs;
    if (this.#used >= limit) return false;
    // What an unlimited plan has left stays the same.
    if (limit !== limits.unlimited) this.#used += 1;
    return true;
  }

  /** The window, without counting a request. */
  state(nowMs: number): RateState {
    const { limit, windowMs } = this.#window;
    const isOver = nowMs >= this.#startMs + windowMs;
    return {
      limit,
      remaining: isOver ? limit : limit - this.#used,
      resetAtMs: (isOver ? nowMs : Math.min(this.#startMs, nowMs)) + windowMs,
    };
  }

  /** Puts a plan in force, the first one when none is given, and forgets the window: the next request opens a new one. */
  reset(ownPlan?: Plan): void {
    this.ownPlan = ownPlan;
    this.#window = windowOf(ownPlan ?? this.#firstPlan);
    this.#startMs = Number.NEGATIVE_INFINITY;
    this.#used = 0;
  }
}

/** A copy of the plan, because its owner may change it. @throws {TypeError} when it is not valid. */
export function parsePlan(plan: Plan): Plan {
  return parseArgument("plan", planSchema, plan);
}

/** The limit and the window of a plan. */
export function windowOf(plan: Plan): RateWindow {
  return typeof plan === "object" ? plan : { limit: limits[plan], windowMs };
}
