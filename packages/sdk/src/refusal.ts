// What the gate learns from a 429: from its headers, and from what the retry rules made of it.
import { readAskedWait } from "./asked-wait.ts";
import type { Answer, Outcome } from "./outcome.ts";
import type { RetryPlan } from "./retry.ts";

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
