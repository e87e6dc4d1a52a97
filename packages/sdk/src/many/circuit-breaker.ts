// Decides what a failed event says about the service, and when the queue may send again.
import {
  ApiError,
  AuthenticationError,
  type Attempt,
  CallError,
  asError,
  ConfigurationError,
} from "../report/errors.ts";
import { leavesOpen } from "../call/outcome.ts";
import { addJitter, type RetryPolicy } from "../call/retry.ts";

/** What the failure of an event means. */
export interface Failure {
  readonly error: Error;
  /** Whether the event may be sent again. Otherwise it was refused for itself, or it may have arrived. */
  readonly isRepeatable: boolean;
  /** Whether the next event would probably fail as well. */
  readonly isOutage: boolean;
  /** Whether the cause may be this event or its page, and not the service. */
  readonly isSuspect: boolean;
  /** Attempts that the service may have carried out. */
  readonly ambiguousAttempts: number;
  /** Attempts in all. */
  readonly attempts: number;
  /** Wait that the service asked for, in milliseconds; absent when it asked for none. */
  readonly retryAfterMs?: number | undefined;
}

/** These are about the account, or about one page of another account. */
const accountStatuses = new Set([401, 402, 403]);
/** A 407 is a proxy's about itself. A 425 and a 429 say that nothing was handled. */
const unhandledStatuses = new Set([...accountStatuses, 407, 425, 429]);

/** Says what the error of an event means. `writes` is the caller's word which ambiguous attempts may be repeated. */
export function classify(thrown: unknown, writes: RetryPolicy["writes"]): Failure {
  const error = asError(thrown);
  const failure = { error, isRepeatable: true, isOutage: true, isSuspect: false, ambiguousAttempts: 0, attempts: 0 };
  // The function that provides the key failed, so nothing was sent and nothing can be.
  if (ConfigurationError.is(error)) return failure;
  if (!CallError.is(error)) return { ...failure, isRepeatable: false, isOutage: false };
  const { attempts, retryAfterMs } = error;
  const status = ApiError.is(error) ? error.status : 0;
  const isRefused = status >= 400 && status < 500 && !leavesOpen(status) && !unhandledStatuses.has(status);
  const ambiguous = attempts.filter(isAmbiguous);
  return {
    ...failure,
    isRepeatable: !isRefused && ambiguous.every((attempt) => mayRepeat(attempt, writes)),
    isOutage: !isRefused,
    isSuspect: retryAfterMs === undefined && (ambiguous.length > 0 || accountStatuses.has(status)),
    // A service that is down (503) has handled nothing. Source: RFC 9110, section 15.6.4.
    ambiguousAttempts: ambiguous.filter((attempt) => attempt.status !== 503).length,
    attempts: attempts.length,
    retryAfterMs,
  };
}

function isAmbiguous({ status, isSent }: Attempt): boolean {
  return status === undefined ? isSent : leavesOpen(status);
}

/** Whether an ambiguous attempt may be repeated. The spec tells callers to repeat after a 500, and a 503 is an outage. */
function mayRepeat({ status }: Attempt, writes: RetryPolicy["writes"]): boolean {
  if (writes === "documented") return status === 500 || status === 503;
  return writes === "always" && (status === undefined || [408, 500, 502, 503, 504].includes(status));
}

/** An outage that a queue waits out. */
export interface Outage {
  /** When it was noticed, in milliseconds since 1970 UTC on the client's clock. */
  readonly sinceMs: number;
  /** What `track` rejected with last. */
  readonly error: Error;
  /** Events sent one at a time since then, to see whether it is over. */
  readonly probes: number;
}

/**
 * The circuit breaker of a queue. Closed, it lets every event through. An outage opens it: then it lets none through until
 * a wait is over. After that it is half-open and lets one event through as a probe, whose result closes or opens it again.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  readonly #random: () => number;
  #state: "closed" | "open" | "half-open" = "closed";
  #outage: Outage | undefined;

  constructor({ now, random }: { readonly now: () => number; readonly random: () => number }) {
    this.#now = now;
    this.#random = random;
  }

  /** The outage that keeps the circuit from being closed; `undefined` when it is closed. */
  get outage(): Outage | undefined {
    return this.#outage;
  }

  /** Whether an event may be sent now. */
  get allows(): boolean {
    return this.#state !== "open";
  }

  /** Notes that an event is sent; tells whether it is a probe. */
  send(): boolean {
    if (this.#outage === undefined) return false;
    this.#outage = { ...this.#outage, probes: this.#outage.probes + 1 };
    this.#state = "open";
    return true;
  }

  /** Opens the circuit after a failure that is an outage; returns how long to wait before the next probe, in milliseconds. */
  open(failure: Failure): number {
    const { sinceMs, probes } = this.#outage ?? { sinceMs: this.#now(), probes: 0 };
    this.#state = "open";
    this.#outage = { sinceMs, error: failure.error, probes };
    return chooseDelay(failure, probes, this.#random());
  }

  /** Lets a probe through an open circuit, because the wait is over. */
  halfOpen(): void {
    if (this.#state === "open") this.#state = "half-open";
  }

  /** Closes the circuit; returns how long the outage lasted, in milliseconds. */
  close(): number {
    const { sinceMs = this.#now() } = this.#outage ?? {};
    this.#state = "closed";
    this.#outage = undefined;
    return this.#now() - sinceMs;
  }
}

/** A longer wait that the service asks for is cut, because the header may be wrong. */
const longestAskedMs = 600_000;

/** After a refused key the queue waits once to twice as long, in milliseconds: the key hardly becomes good within seconds. */
const refusedKeyMs = 30_000;

/**
 * Chooses how long to wait after a failure before an event is sent again, in milliseconds: as long as the service asked for,
 * else up to 0.5 s at first, doubling with each failure before, up to 30 s.
 */
export function chooseDelay({ error, retryAfterMs = 0 }: Failure, failuresBefore: number, random: number): number {
  if (AuthenticationError.is(error)) return Math.ceil(refusedKeyMs * (1 + random));
  const capMs = Math.min(30_000, 500 * 2 ** Math.min(failuresBefore, 10));
  const askedMs = retryAfterMs > 0 ? Math.min(addJitter(retryAfterMs, random), longestAskedMs) : 0;
  return Math.max(Math.ceil((capMs / 2) * (1 + random)), askedMs);
}
