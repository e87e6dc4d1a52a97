// How an attempt ended, told once for all who ask: the retry rules, the rate limiter, and the error a call ends with.
import type { FieldProblem, RateLimit } from "@landing-page-service/contract";
import type { Attempt, ConfigurationError, TimeoutError } from "../report/errors.ts";
import { type AttemptFailure, isFailure } from "./retry.ts";

/** How an attempt ended. */
export type Outcome = Answer | Unanswered | HookFailed | TimedOut | Unexpected | Aborted | Misconfigured | HeldBack;

/** An answer came, with any status. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: Headers;
  readonly response: Response;
  /** The body: all of it where the call needs it, otherwise as far as it went. */
  readonly text: string;
  /** Whether there was more of the body, which could not be read. */
  readonly isCut?: boolean;
  readonly rateLimit: RateLimit | undefined;
  /** Moment the headers came, milliseconds since 1970 UTC. */
  readonly receivedAtMs: number;
}

/** No connection came about, so that provably nothing was sent; or it broke. */
export interface Unanswered {
  readonly kind: "unsent" | "broken";
  /** A code such as `ECONNREFUSED`. */
  readonly code: string;
  readonly message: string;
  readonly cause: Error | undefined;
}

/** A hook of the caller threw. */
interface HookFailed {
  readonly kind: "hook";
  readonly isSent: boolean;
  readonly message: string;
  readonly cause: Error | undefined;
  /** What the service had answered by then. */
  readonly response?: { readonly status: number; readonly headers: Headers } | undefined;
  readonly rateLimit: RateLimit | undefined;
}

/** Time ran out: for the attempt, or for the whole call. */
interface TimedOut {
  readonly kind: "timeout";
  readonly isSent: boolean;
  readonly limit: TimeLimit;
  /** What had not come by then. */
  readonly waitedFor: "place" | "turn" | "key" | "hook" | "answer";
}

/** A limit of time, and the option that sets it. */
export interface TimeLimit {
  readonly name: TimeoutError["limit"];
  readonly ms: number;
}

/** A success came, with something else than what was asked for. */
export interface Unexpected {
  readonly kind: "unexpected";
  readonly status: number;
  readonly errors: readonly FieldProblem[];
  /** What was looked for. */
  readonly wanted?: string;
  /** The body; absent when it could not be read. */
  readonly text?: string;
  readonly rateLimit: RateLimit | undefined;
  /** What happened to it on its way, so that asking again may help. */
  readonly flaw?: "CUT_SHORT" | "UNDECODABLE" | undefined;
}

/** The caller's signal aborted. */
interface Aborted {
  readonly kind: "aborted";
  readonly isSent: boolean;
  readonly reason: unknown;
}

/** No attempt can succeed: there is no key, or the `fetch` option gives no response. */
export interface Misconfigured {
  readonly kind: "misconfigured";
  readonly code: "apiKey" | "fetch";
  readonly error: ConfigurationError;
}

/** The rate limiter stays closed for longer than the call may wait. */
interface HeldBack {
  readonly kind: "held";
  readonly waitMs: number;
  readonly rateLimit: RateLimit | undefined;
}

/** Whether the request may have left. */
export function isSent(outcome: Outcome): boolean {
  if ("isSent" in outcome) return outcome.isSent;
  return !["unsent", "misconfigured", "held"].includes(outcome.kind);
}

/** Whether a write may have been carried out by an attempt that ended this way, although no success was heard. */
export function mayHaveBeenApplied(method: string, outcome: Outcome): boolean {
  if (method === "GET") return false;
  return outcome.kind === "answer" ? leavesOpen(outcome.status) : isSent(outcome);
}

/**
 * Whether an answer with this status leaves open if a write was carried out. A 307 or 308 says to send it elsewhere, where a 303 leads
 * to what came of it; a 511 is of a network on the way. A 408 and a 499, of gateways, break off what was under way.
 * Source: RFC 9110, section 15.4; RFC 6585, section 6.
 */
export function leavesOpen(status: number): boolean {
  return !unhandledStatuses.has(status) && (status >= 500 || status < 400 || brokenOffStatuses.has(status));
}

const unhandledStatuses = new Set([307, 308, 511]);
const brokenOffStatuses = new Set([408, 499]);

/** Finds the service's name for a request; what is longer than 200 characters is none. */
export function readRequestId(headers: Headers): string | undefined {
  const id = headers.get("X-Request-Id") ?? headers.get("Request-Id");
  return id === null || id.length > 200 ? undefined : id;
}

/** Tells of an attempt what lists of attempts and events do. */
export function describeAttempt(
  outcome: Outcome,
  when: Pick<Attempt, "number" | "startedAtMs" | "durationMs">,
): Attempt {
  const attempt = { ...when, isSent: isSent(outcome) };
  const failure = codeOf(outcome);
  if (!("status" in outcome)) return failure === undefined ? attempt : { ...attempt, failure };
  const { status } = outcome;
  return failure === undefined ? { ...attempt, status } : { ...attempt, status, failure };
}

/**
 * What the retry rules are asked about an outcome; `undefined` when there is nothing to ask. A read whose answer is cut short
 * or garbled has heard nothing, although the answer ended cleanly; a write has heard that it succeeded.
 */
export function toFailure(method: string, outcome: Outcome): AttemptFailure | undefined {
  if (outcome.kind === "unexpected")
    return method === "GET" && outcome.flaw !== undefined ? { kind: "broken" } : undefined;
  return isFailure(outcome) ? outcome : undefined;
}

/** The code that stands for an outcome in lists of attempts and in events; `undefined` where a status says it all. */
function codeOf(outcome: Outcome): string | undefined {
  if (outcome.kind === "answer") return undefined;
  if (outcome.kind === "unexpected") return outcome.flaw;
  return "code" in outcome ? outcome.code : outcome.kind;
}
