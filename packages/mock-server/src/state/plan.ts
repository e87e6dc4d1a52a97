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
  /** When the window ends, milliseconds since 1970 UTC on the service's clock. If no window is open, the end of one that began now. */
  resetAtMs: number;
}

// Gap: plans and window, see docs/spec-gaps.md#limits
const windowMs = 60_000;
/** The limit of an unlimited plan, in headers: the largest integer that every client can read. */
export const unlimited = 2_147_483_647;
const limits = { free: 60, starter: 600, pro: 6_000, unlimited };

/** Copies a plan, because its owner may change it. @throws {TypeError} when it is not valid. */
export function parsePlan(plan: Plan): Plan {
  return parseArgument("plan", planSchema, plan);
}

/** The limit and the window of a plan. */
export function windowOf(plan: Plan): RateWindow {
  return typeof plan === "object" ? plan : { limit: limits[plan], windowMs };
}
