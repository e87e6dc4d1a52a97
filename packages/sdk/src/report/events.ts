// The events of a client, and the logger that receives their log lines. Every export is public.
import type { EndpointName, RateLimit } from "@landing-page-service/contract";

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
  /** Where the client found it: a JSON pointer, or `nothing`. */
  readonly found: string;
}
