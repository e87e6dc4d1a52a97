// Events for code and log lines for people.
import type { Endpoint, EndpointName, RateLimit } from "@landing-page-service/contract";
import { ApiError, CallError, ResponseValidationError } from "./errors.ts";
import { describeSpan } from "./messages.ts";

/** Severity of a log line. */
export type LogLevel = "debug" | "info" | "warn";

/**
 * Receives log lines. `console` and most loggers fit; pino takes the fields first, so swap the arguments. No line holds the API
 * key. The client throws errors and does not log them.
 */
export interface Logger {
  /** Called with every request, every response, and the end of each call. */
  debug: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Called with waits, changes of the rate limiter, the end of an outage, mismatches, and lists that changed during pagination. */
  info: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Called with retries, and with outages that a queue waits out. */
  warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** An event inside the client, for metrics and debugging. `type` is its kind. */
export type ClientEvent =
  | RequestEvent
  | ResponseEvent
  | RetryEvent
  | WaitEvent
  | EndEvent
  | RateLimitEvent
  | QueueEvent
  | DriftEvent
  | MismatchEvent;

/** Which call an event belongs to. */
export interface CallName {
  /** A UUID, the same in all events of a call. */
  readonly callId: string;
  /** Name of the endpoint, such as `createPage`. It has few values, so it suits metrics better than a path with an id. */
  readonly operation: EndpointName;
}

/** Fields of all events of a call. */
export interface CallEvent extends CallName {
  /** HTTP method. */
  readonly method: string;
  /** Path and query below the base URL; the same as `route` if the call was refused before its path was known. */
  readonly path: string;
  /** Path below the base URL with `:id` for an id. */
  readonly route: string;
}

/** A call ended. Every call has exactly one, its last event, even if nothing was sent. */
export interface EndEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "end";
  /** Number of attempts; 0 if nothing was sent. */
  readonly attempts: number;
  /** How long the call took, waits included, in milliseconds. */
  readonly durationMs: number;
  /** Status of its last response; absent if there is none. */
  readonly status?: number | undefined;
  /** Error of the call; absent if it succeeded. */
  readonly error?: unknown;
}

/** An attempt begins: the client is about to send a request. */
export interface RequestEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "request";
  /** The whole URL. */
  readonly url: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** An attempt ended. */
export interface ResponseEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "response";
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** How long it took, body included, in milliseconds. */
  readonly durationMs: number;
  /** Status of the response; absent if there is none. */
  readonly status?: number | undefined;
  /**
   * Why there is no usable response: a code such as `ECONNRESET`, `timeout`, `aborted` for the caller's signal, or `apiKey` if there was
   * no key, or only the one that the service had just refused. After `apiKey` nothing was sent.
   */
  readonly failure?: string | undefined;
  /** The rate limit according to this response; absent if it has no such headers. */
  readonly rateLimit?: RateLimit | undefined;
}

/** An attempt failed, and the client will make another one. */
export interface RetryEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "retry";
  /** Number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** How long the call waits before the next attempt, in milliseconds. */
  readonly delayMs: number;
  /** What went wrong: the status, or a code such as `ECONNRESET` or `timeout`. */
  readonly reason: number | string;
}

/** A call waits. */
export interface WaitEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "wait";
  /** Why it waits: because the service asked for it, as backoff after a failure, or for the rate limiter. */
  readonly reason: "service" | "backoff" | "rate-limit";
  /** For how long, in milliseconds; absent for the rate limiter, because it is not known. */
  readonly delayMs?: number | undefined;
}

/**
 * The rate limiter that all calls of the client share closes until the rate limit resets, or opens again. The event names the call
 * whose response closed or opened it, or the one that it opens for.
 */
export interface RateLimitEvent extends CallName {
  /** Kind of event. */
  readonly type: "rate-limit";
  /** The new state. */
  readonly state: "closed" | "open";
  /** Timestamp at which it opens, or opened, milliseconds since 1970 UTC on the client's clock. */
  readonly untilMs: number;
  /** How long until it opens, in milliseconds; absent if it is open. */
  readonly delayMs?: number | undefined;
  /** Number of calls that wait for it. */
  readonly waiting: number;
}

/**
 * A queue of analytics events pauses because of an outage, or resumes. Reported again after each probe that failed. The event names
 * the call that showed the outage or its end; that call has ended.
 */
export interface QueueEvent extends CallName {
  /** Kind of event. */
  readonly type: "queue";
  /** The new state. */
  readonly state: "paused" | "resumed";
  /** Events that wait or are in flight. */
  readonly pending: number;
  /** How long until the next probe, in milliseconds; absent if the queue resumes. */
  readonly delayMs?: number | undefined;
  /** How long the outage lasted, in milliseconds; absent while it lasts. */
  readonly outageMs?: number | undefined;
  /** Error of the call that showed the outage; absent if the queue resumes. */
  readonly error?: Error;
}

/** Pages were created or deleted during an iteration, so it looks for a page that it knows. The event names the call whose response showed this; that call has ended. */
export interface DriftEvent extends CallName {
  /** Kind of event. */
  readonly type: "drift";
  /** How many pages the request skipped. */
  readonly offset: number;
  /** Id of the page that was expected there. */
  readonly expectedId: string;
  /** Id of the page that was there; absent if there was none. */
  readonly foundId: string | undefined;
}

/** A part of a response is missing, or in a different place than in the reference dialect. Reported once for each place and client. */
export interface MismatchEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "mismatch";
  /** The missing or misplaced part: `list`, `total`, `record` (the page), or a field of the page. */
  readonly where: string;
  /** Where the reference dialect has it, as a JSON pointer. */
  readonly expected: string;
  /** Where the client found it: a JSON pointer, the name of a header, or `nothing`. */
  readonly found: string;
}

/** A part of a response that is missing, or in a different place than in the reference dialect. */
export type Mismatch = Pick<MismatchEvent, "where" | "expected" | "found">;

/** All levels, least severe first. */
export const logLevels = ["debug", "info", "warn"] as const satisfies readonly LogLevel[];

/** Passes an event to the caller's listener and logger. */
export type Report = (event: ClientEvent) => void;

/** Where events and log lines go. */
interface Listeners {
  readonly onEvent?: Report | undefined;
  readonly logger?: Logger | undefined;
  readonly logLevel?: LogLevel | undefined;
}

/** Combines listener and logger. */
export function createReport({ onEvent, logger, logLevel = "info" }: Listeners): Report {
  return (event) => {
    notify(onEvent, event);
    if (logger === undefined) return;
    const [level, line] = describe(event);
    if (logLevels.indexOf(level) < logLevels.indexOf(logLevel)) return;
    notify(logger[level].bind(logger), `landing-pages: ${line}`, { ...event });
  };
}

/** Returns the level and the text of an event's log line. */
function describe(event: ClientEvent): [level: LogLevel, line: string] {
  const call = "route" in event ? `${event.method} ${event.path}` : "";
  const wait = "delayMs" in event && event.delayMs !== undefined ? ` for ${describeSpan(event.delayMs)}` : "";
  switch (event.type) {
    case "request":
      return ["debug", `${call}, attempt ${event.attempt}`];
    case "response":
      return ["debug", `${call}: ${event.status ?? event.failure ?? ""} after ${describeSpan(event.durationMs)}`];
    case "retry":
      return ["warn", `${call}: ${event.reason}, retrying in ${describeSpan(event.delayMs)}`];
    case "wait":
      return ["info", `${call} waits${wait} (${event.reason})`];
    case "end": {
      const { operation, status, error, attempts, durationMs } = event;
      const outcome = error === undefined ? "done" : (status ?? (error instanceof Error ? error.name : "failed"));
      const count = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
      return ["debug", `${operation}: ${outcome}, ${count}, ${describeSpan(durationMs)}`];
    }
    case "rate-limit":
      return ["info", `rate limiter ${event.state}${wait}, ${event.waiting} calls waiting`];
    case "queue": {
      const { state, pending, outageMs = 0, error } = event;
      if (state === "resumed")
        return ["info", `event queue resumes after ${describeSpan(outageMs)}, ${pending} events pending`];
      return ["warn", `event queue waits${wait}, ${pending} events pending${error ? `: ${error.message}` : ""}`];
    }
    case "mismatch": {
      const { operation, where, expected, found } = event;
      const place = found === "nothing" ? `no ${where} at` : `${where} at ${found} rather than at`;
      return ["info", `${operation}: ${place} ${expected}`];
    }
    case "drift":
      break;
  }
  return ["info", `pages changed during iteration near offset ${event.offset}`];
}

/** Calls a callback of the caller, and ignores what it throws or rejects with. */
export function notify<Args extends unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    // The callback may return a promise of another realm or library, which is not an `instanceof Promise`.
    Promise.resolve(callback?.(...args)).catch(() => undefined);
  } catch {
    // An error of a listener must not change the call.
  }
}

/** Name of a method of an `onEvent` listener that runs each call, for example in the context of a span. */
export const runCall = Symbol.for("landing-page-service.run-call");

/** A listener that also runs the calls. */
export interface CallRunner {
  (event: ClientEvent): void;
  [runCall]?<Value>(call: CallEvent, run: () => Promise<Value>): Promise<Value>;
}

/** The fields of all events of a call that runs. */
type FollowedCall = CallEvent & { path: string };

/**
 * Runs a call. All its events carry the same name, id and route; `run` sets the path once the input is checked. The last event says how
 * the call ended, even if it is refused before.
 */
export async function followCall<Result extends { attempts: readonly unknown[]; response: Response }>(
  { report, onEvent, now }: { report: Report; onEvent?: CallRunner | undefined; now: () => number },
  { name, method, path: route }: Pick<Endpoint, "name" | "method" | "path">,
  run: (about: FollowedCall) => Promise<Result>,
): Promise<Result> {
  const about: FollowedCall = { callId: crypto.randomUUID(), operation: name, method, path: route, route };
  const startedAtMs = now();
  const end = (how: Pick<EndEvent, "attempts" | "status" | "error">) =>
    report({ type: "end", ...about, durationMs: Math.max(0, now() - startedAtMs), ...how });
  const follow = async () => {
    try {
      const result = await run(about);
      end({ attempts: result.attempts.length, status: result.response.status });
      return result;
    } catch (error) {
      const attempts = CallError.is(error) ? error.attempts.length : 0;
      // A call that was not sent has the status of the response that closed the rate limiter, which belongs to another call.
      const hasStatus = attempts > 0 && (ApiError.is(error) || ResponseValidationError.is(error));
      end({ attempts, status: hasStatus ? error.status : undefined, error });
      throw error;
    }
  };
  return onEvent?.[runCall]?.(about, follow) ?? follow();
}
