// What the client tells while it works: events for code, and log lines for people.
import type { Endpoint, EndpointName, RateLimit } from "@landing-page-service/contract";
import type { DriftEvent as Drift } from "../many/page-cursor.ts";
import { ApiError, CallError, ResponseValidationError } from "./errors.ts";
import { describeSpan } from "./messages.ts";

/** How loud a line in the log is. */
export type LogLevel = "debug" | "info" | "warn";

/**
 * Where log lines go: `console` and most loggers fit; pino takes fields first, so turn the two round. Nothing logged holds the
 * API key. What fails is thrown, not logged.
 */
export interface Logger {
  /** Takes every request, every response, and how each call ended. */
  debug: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Takes waits, the rate limiter closing and opening, mismatches, and pages that moved during an iteration. */
  info: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Takes retries, and a queue that waits out an outage. */
  warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Something that happened inside the client, for metrics and debugging; `type` tells which. */
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
  /** The same in all events of a call, another for every call: a UUID. */
  readonly callId: string;
  /** The endpoint it calls, such as `createPage`. It has few values and so suits metrics, where a path with an id does not. */
  readonly operation: EndpointName;
}

/** What all events on a call's own way share. */
export interface CallEvent extends CallName {
  /** HTTP method. */
  readonly method: string;
  /** Path and query below the base URL; that of `route` where the call was refused before it was written. */
  readonly path: string;
  /** Path below the base URL with `:id` for an id. */
  readonly route: string;
}

/** A call came to its end: the last of its events, once for every call, also for one that was refused before anything was sent. */
export interface EndEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "end";
  /** Tries made; 0 when nothing was sent. */
  readonly attempts: number;
  /** How long the call took, waits included, in milliseconds. */
  readonly durationMs: number;
  /** Status of its last response; absent when none came. */
  readonly status?: number | undefined;
  /** What it rejects with; absent when it succeeded. */
  readonly error?: unknown;
}

/** A request is about to be sent. */
export interface RequestEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "request";
  /** Where it goes: the whole URL. */
  readonly url: string;
  /** Which try of the call it is, from 1. */
  readonly attempt: number;
}

/** A try came to its end. */
export interface ResponseEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "response";
  /** Which try of the call it was, from 1. */
  readonly attempt: number;
  /** How long it took, body included, in milliseconds. */
  readonly durationMs: number;
  /** Status of the response; absent when none came. */
  readonly status?: number | undefined;
  /** What went wrong when no usable response came: a code such as `ECONNRESET`, `timeout`, `aborted` by the caller's signal, or `apiKey` when there was none, or only one that had just been refused: then nothing was sent. */
  readonly failure?: string | undefined;
  /** The rate limit as of this response; absent when it has no such headers. */
  readonly rateLimit?: RateLimit | undefined;
}

/** A call that failed will be tried again. */
export interface RetryEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "retry";
  /** Which try of the call failed, from 1. */
  readonly attempt: number;
  /** How long the call waits first, in milliseconds. */
  readonly delayMs: number;
  /** What went wrong: the status, or a code such as `ECONNRESET` or `timeout`. */
  readonly reason: number | string;
}

/** A call is held up. */
export interface WaitEvent extends CallEvent {
  /** Kind of event. */
  readonly type: "wait";
  /** What it waits for: the time that the service asked for, our own backoff, or its turn at the rate limiter. */
  readonly reason: "service" | "backoff" | "rate-limit";
  /** For how long, in milliseconds; absent at the rate limiter, where nobody knows. */
  readonly delayMs?: number | undefined;
}

/**
 * The rate limiter that all calls of the client share closes until the rate limit resets, or opens again. The event names the call
 * whose response closed or opened it, or the one that it opens for.
 */
export interface RateLimitEvent extends CallName {
  /** Kind of event. */
  readonly type: "rate-limit";
  /** What it is now. */
  readonly state: "closed" | "open";
  /** Timestamp at which it opens, or opened, milliseconds since 1970 UTC on the client's clock. */
  readonly untilMs: number;
  /** How long until it opens, in milliseconds; absent when it opens. */
  readonly delayMs?: number | undefined;
  /** Calls waiting at it. */
  readonly waiting: number;
}

/**
 * A queue of analytics events pauses because of an outage, or resumes; reported again after each probe that failed. It names the
 * call that showed it, which has ended.
 */
export interface QueueEvent extends CallName {
  /** Kind of event. */
  readonly type: "queue";
  /** What it is now. */
  readonly state: "paused" | "resumed";
  /** Events that wait or are under way. */
  readonly pending: number;
  /** How long until the next probe, in milliseconds; absent when the queue resumes. */
  readonly delayMs?: number | undefined;
  /** How long the outage lasted, in milliseconds; absent while it lasts. */
  readonly outageMs?: number | undefined;
  /** What the call that showed the outage rejected with; absent when the queue resumes. */
  readonly error?: Error;
}

/** Pages came or went during an iteration, which looks for a page that it knows. It names the call whose response showed it, which has ended. */
export interface DriftEvent extends Drift, CallName {
  /** Kind of event. */
  readonly type: "drift";
}

/** Something that a response has elsewhere than our reference service, or not at all. */
export interface Mismatch {
  /** What was looked for: `list`, `total`, `record`, a field of the page, or the `charset` or `body` of the response. */
  readonly where: string;
  /** Where our reference service has it: a JSON pointer; of the charset, its name; of the body, that all of it came. */
  readonly expected: string;
  /** Where it was found: a JSON pointer, the name of a header, or `nothing`; of the charset, what the bytes are; of the body, how much came. */
  readonly found: string;
}

/** A response has something elsewhere than our reference service, or not at all. Reported once for each place and client. */
export interface MismatchEvent extends CallEvent, Mismatch {
  /** Kind of event. */
  readonly type: "mismatch";
}

/** All levels, least loud first. */
export const logLevels = ["debug", "info", "warn"] as const satisfies readonly LogLevel[];

/** Tells the caller's listener and logger what happened. */
export type Report = (event: ClientEvent) => void;

/** Joins listener and logger; `undefined` when there is neither, so that a quiet client builds no events. */
export function createReport(options: {
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
  readonly logger?: Logger | undefined;
  readonly logLevel?: LogLevel | undefined;
}): Report | undefined {
  const { onEvent, logger, logLevel = "info" } = options;
  if (onEvent === undefined && logger === undefined) return undefined;
  return (event) => {
    notify(onEvent, event);
    if (logger === undefined) return;
    const level = event.type === "queue" && event.state === "resumed" ? "info" : levels[event.type];
    if (logLevels.indexOf(level) < logLevels.indexOf(logLevel)) return;
    notify(logger[level].bind(logger), `landing-pages: ${describeEvent(event)}`, { ...event });
  };
}

/** The level of the log line of each event. A queue that resumes is logged as information. */
const levels: Readonly<Record<ClientEvent["type"], LogLevel>> = {
  request: "debug",
  response: "debug",
  retry: "warn",
  wait: "info",
  end: "debug",
  "rate-limit": "info",
  queue: "warn",
  drift: "info",
  mismatch: "info",
};

function describeEvent(event: ClientEvent): string {
  switch (event.type) {
    case "request":
      return `${event.method} ${event.path}, attempt ${event.attempt}`;
    case "response":
      return `${event.method} ${event.path}: ${event.status ?? event.failure ?? ""} after ${describeSpan(event.durationMs)}`;
    case "retry":
      return `${event.method} ${event.path}: ${event.reason}, trying again in ${describeSpan(event.delayMs)}`;
    case "wait":
      return `${event.method} ${event.path} waits${describeFor(event.delayMs)} (${event.reason})`;
    case "end": {
      const { operation, status, error, attempts, durationMs } = event;
      const outcome = error === undefined ? "done" : (status ?? (error instanceof Error ? error.name : "failed"));
      const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
      return `${operation}: ${outcome}, ${tries}, ${describeSpan(durationMs)}`;
    }
    case "rate-limit":
      return `rate limiter ${event.state}${describeFor(event.delayMs)}, ${event.waiting} calls waiting`;
    case "queue": {
      const { state, pending, delayMs, outageMs, error } = event;
      if (state === "resumed")
        return `event queue goes on after ${describeSpan(outageMs ?? 0)}, ${pending} events pending`;
      return `event queue waits${describeFor(delayMs)}, ${pending} events pending${error ? `: ${error.message}` : ""}`;
    }
    case "mismatch": {
      const { operation, where, expected, found } = event;
      if (where === "charset" || where === "body") return `${operation}: ${found} came rather than ${expected}`;
      if (found === "nothing") return `${operation}: no ${where} at ${expected}`;
      return `${operation}: ${where} at ${found} rather than at ${expected}`;
    }
    case "drift":
    default:
      return `pages changed during iteration near offset ${event.offset}`;
  }
}

function describeFor(delayMs: number | undefined): string {
  return delayMs === undefined ? "" : ` for ${describeSpan(delayMs)}`;
}

/** Calls a caller's callback so that nothing it throws, now or later, harms what calls it. */
export function notify<Args extends unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    // Also a promise of another realm or library counts, which is no `instanceof Promise`.
    Promise.resolve(callback?.(...args)).catch(() => undefined);
  } catch {
    // Whoever watches must not change what happens.
  }
}

/** Key of a method of an `onEvent` listener that runs each call, such as in the context of its span. */
export const runCall = Symbol.for("landing-page-service.run-call");

/** A listener that also runs the calls it is told about. */
export interface CallRunner {
  (event: ClientEvent): void;
  [runCall]?<Value>(call: CallEvent, run: () => Promise<Value>): Promise<Value>;
}

/** Tells what happens in a call; the call's name, id and place are added. */
export interface ReportInCall {
  readonly call: CallName;
  (event: InCall<Exclude<ClientEvent & CallEvent, { type: "end" }>>): void;
}

/** Each kind of event on its own, without what all events of a call share. */
type InCall<Event> = Event extends CallEvent ? Omit<Event, keyof CallEvent | "url"> : never;

/**
 * Runs a call that somebody watches: all its events carry its name and id, and the last one says how it ended, also where
 * it is refused before its path could be written.
 */
export async function followCall<Result extends { attempts: readonly unknown[]; response: Response }>(
  context: {
    readonly report: Report;
    readonly onEvent: CallRunner | undefined;
    readonly now: () => number;
    readonly baseUrl: string;
  },
  { name, method, path: route }: Pick<Endpoint, "name" | "method" | "path">,
  run: (begin: (path: string) => ReportInCall) => Promise<Result>,
): Promise<Result> {
  const { report, onEvent, now, baseUrl } = context;
  let about: CallEvent = { callId: crypto.randomUUID(), operation: name, method, path: route, route };
  const startedAtMs = now();
  const end = (how: Pick<EndEvent, "attempts" | "status" | "error">) =>
    report({ type: "end", ...about, durationMs: Math.max(0, now() - startedAtMs), ...how });
  const begin = (path: string) => {
    about = { ...about, path };
    const { callId, operation } = about;
    const tell = (event: Parameters<ReportInCall>[0]) =>
      report(event.type === "request" ? { ...event, ...about, url: baseUrl + path } : { ...event, ...about });
    return Object.assign(tell, { call: { callId, operation } });
  };
  const follow = async () => {
    try {
      const result = await run(begin);
      end({ attempts: result.attempts.length, status: result.response.status });
      return result;
    } catch (error) {
      end({ attempts: CallError.is(error) ? error.attempts.length : 0, status: readStatus(error), error });
      throw error;
    }
  };
  return onEvent?.[runCall]?.(about, follow) ?? follow();
}

function readStatus(error: unknown): number | undefined {
  // A call that was held back has the status of the response that closed the rate limiter, which was another call's.
  if (!CallError.is(error) || error.attempts.length === 0) return undefined;
  return ApiError.is(error) || ResponseValidationError.is(error) ? error.status : undefined;
}
