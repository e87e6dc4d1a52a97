// What a failed event says about the service: whether the others had better wait, and for how long.
import { ApiError } from "./report/errors.ts";
import { type Attempt, CallError } from "./report/errors.ts";
import { ConfigurationError } from "./report/errors.ts";
import { leavesOpen } from "./call/outcome.ts";
import { addJitter } from "./call/retry.ts";

/** How an event ended that was not delivered. */
export interface Verdict {
  /** Whether it is given up: it was refused for itself, or may have arrived. Otherwise it can be sent again without harm. */
  readonly isFinal: boolean;
  /** Whether the next event would fare no better. */
  readonly isOutage: boolean;
  /** Moment of its first refusal, where the fault may lie with this event after all, should others get through; absent where it cannot. */
  readonly suspectSinceMs?: number | undefined;
  /** Whether the service may have the event. */
  readonly mayHaveArrived: boolean;
  /** Wait that the service asked for, in milliseconds; absent when it asked for none. */
  readonly askedMs?: number | undefined;
}

// The first three are about the account. The spec tells callers to repeat after a 500. In these the fault may lie with an event after all.
const suspectStatuses = new Set([401, 402, 403, 500]);
// A 407 is a proxy's, about itself; a 425, a 429 and a 503 say that nothing was handled.
const patientStatuses = new Set([...suspectStatuses, 407, 425, 429, 503]);

/** Judges what sending an event rejected with. */
export function judge(error: unknown): Verdict {
  // The function that gives the key failed: nothing was sent, and nothing can be.
  if (ConfigurationError.is(error)) return { ...harmless, isOutage: true };
  if (!CallError.is(error)) return { ...harmless, isFinal: true };
  const { mayHaveBeenApplied, retryAfterMs, attempts } = error;
  const status = ApiError.is(error) ? error.status : 0;
  const isPatient = patientStatuses.has(status);
  const isOwnFault = isRefusal(status) && !isPatient;
  return {
    isFinal: isOwnFault || attempts.some(isAmbiguous),
    isOutage: !isOwnFault,
    suspectSinceMs: suspectStatuses.has(status) ? endOfFirst(attempts) : undefined,
    mayHaveArrived: mayHaveBeenApplied,
    askedMs: retryAfterMs,
  };
}

function endOfFirst([first]: readonly Attempt[]): number | undefined {
  return first && first.startedAtMs + first.durationMs;
}

/** Whether nobody can say what became of a try. One that met what the queue waits out is no such, whatever came after it. */
function isAmbiguous({ status, isSent }: Attempt): boolean {
  return status === undefined ? isSent : leavesOpen(status) && !patientStatuses.has(status);
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !leavesOpen(status);
}

const harmless = { isFinal: false, isOutage: false, mayHaveArrived: false };

// However long the service says to stay away, the queue looks after this time: the header may have been wrong.
const longestAskedMs = 600_000;

/** How long to wait before the next probe, in milliseconds: a wait that doubles with each probe that failed, up to half a minute, and never less than asked. */
export function probeDelay({ askedMs }: Verdict, failedProbes: number, random: number): number {
  const capMs = Math.min(30_000, 500 * 2 ** Math.min(failedProbes, 10));
  const ownMs = Math.ceil((capMs / 2) * (1 + random));
  return askedMs === undefined ? ownMs : Math.max(ownMs, Math.min(addJitter(askedMs, random), longestAskedMs));
}
