// What all calls of a client go through, and what one call is.
import type { Endpoint, RateLimit } from "@landing-page-service/contract";
import type { RefusedKey } from "./call-key.ts";
import type { Gate } from "./gate.ts";
import type { CallName, Mismatch, Report } from "./log.ts";
import type { Middleware } from "./hooks.ts";
import type { CallOptions, Fetch } from "./options.ts";
import type { Answer } from "./outcome.ts";
import type { BodyUse } from "./read-answer.ts";
import type { ResultPromise } from "./result.ts";
import type { RetryBudgets } from "./retry-budget.ts";
import type { Sleep } from "./sleep.ts";
import type { SteadyClock } from "./steady-clock.ts";
import type { Lane } from "./waiting-line.ts";

/** What all calls of a client go through. */
export interface Connection {
  readonly baseUrl: string;
  readonly readKey: () => string | Promise<string>;
  readonly fetch: Fetch;
  readonly middleware: Middleware;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly report: Report | undefined;
  readonly maxAnswerBytes: number;
  /** What has been reported of where in answers things are. */
  readonly told: Set<string>;
  /** Shared by all clients for the same account. */
  readonly shared: {
    readonly gate: Gate;
    readonly budgets: RetryBudgets;
    /** Tells when a call has taken too long, which `now`, the time of day, may jump over. */
    readonly clock: SteadyClock;
    rateLimit: RateLimit | undefined;
  };
}

/** One call of an endpoint, checked and written out. */
export interface Call<Value> {
  readonly endpoint: Pick<Endpoint, "name" | "method" | "path" | "summary">;
  /** Path and query below the base URL. */
  readonly path: string;
  /** JSON text, the same on every attempt. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Makes the value from a success, and tells what is elsewhere in it. */
  readonly read: (answer: Answer, onMismatch: (mismatch: Mismatch) => void) => Value;
  /** Told under which name its events go, where somebody listens. */
  readonly onBegin?: ((name: CallName) => void) | undefined;
  /** Which key is of no use, shared by the calls of one piece of work. @defaultValue every call asks for itself */
  readonly refusedKey?: RefusedKey | undefined;
  /** Whether somebody waits for this very call. @defaultValue "single" */
  readonly lane?: Lane | undefined;
  /** Whether an earlier call with the same key may have been carried out. @defaultValue false */
  readonly mayHaveBeenApplied?: boolean | undefined;
  /** What `read` makes of the body of a success. */
  readonly bodyUse: BodyUse;
  /** Whether an answer with another status is a success all the same. @defaultValue none is */
  readonly isSuccess?: (answer: Answer) => boolean;
}

/** What a call of a larger work has beside what every call has. */
export type CallExtras = Pick<Call<unknown>, "lane" | "refusedKey" | "onBegin" | "mayHaveBeenApplied">;

/** Starts a call; what `prepare` throws rejects it before anything is sent. */
export type Send = <Value>(
  endpoint: Call<Value>["endpoint"],
  options: CallOptions,
  prepare: () => Omit<Call<Value>, "endpoint">,
) => ResultPromise<Value>;
