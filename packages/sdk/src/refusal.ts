// What the gate learns from an answer, above all from a 429: from its headers, and from what the retry rules made of it.
import type { RateLimit } from "@landing-page-service/contract";
import { readAskedWait } from "./asked-wait.ts";
import type { Answer, Outcome } from "./outcome.ts";
import type { RetryPlan } from "./retry.ts";

/** What an answer says of the limit. */
export interface HeardAnswer {
  readonly status: number;
  readonly rateLimit: RateLimit | undefined;
}

/** What a 429 says. */
export interface Refusal {
  /** For how long nobody needs to try again, in milliseconds. */
  readonly forMs: number;
  /** Whether the service asked for so long: then all who heard it would return at the same moment. */
  readonly isAsked: boolean;
}

/** What the gate learns from an attempt about which the retry rules have decided; `undefined` unless it was refused. */
export function readRefusal(outcome: Outcome | undefined, plan: RetryPlan): Refusal | undefined {
  if (outcome?.kind !== "answer" || outcome.status !== 429) return undefined;
  const { retryAfterMs } = plan;
  return { forMs: retryAfterMs ?? (plan.retry ? plan.delayMs : 1000), isAsked: retryAfterMs !== undefined };
}

/** What the gate learns from the headers of a 429 that says for how long; without that, the retry rules decide once the attempt is over. */
export function readAskedRefusal(
  answer: Pick<Answer, "status" | "headers" | "receivedAtMs">,
  nowMs: number,
  maxWaitMs: number,
): Refusal | undefined {
  const forMs = answer.status === 429 ? readAskedWait(answer, nowMs, maxWaitMs) : undefined;
  return forMs === undefined ? undefined : { forMs, isAsked: true };
}

/** Whether an answer tells of a limit. A success that says 0 of 0 is left tells that there is none. */
export function isLimit({ status, rateLimit }: HeardAnswer): boolean {
  return !(status < 400 && rateLimit?.limit === 0 && rateLimit.remaining === 0);
}
