import type { RateLimit } from "@landing-page-service/contract";
import { notify } from "./notify.ts";
import type { DriftEvent as Drift } from "./walk.ts";

/** How loud a line in the log is. */
export type LogLevel = "debug" | "info" | "warn";

/** Where log lines go: `console` and most loggers fit. Nothing logged holds the API key. What fails is thrown, not logged. */
export interface Logger {
  /** Takes every request and answer. */
  debug: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Takes waits and the gate closing and opening. */
  info: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Takes retries. */
  warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Something that happened inside the client, for metrics and debugging; `type` tells which. */
export type ClientEvent =
  | RequestEvent
  | ResponseEvent
  | RetryEvent
  | WaitEvent
  | EndEvent
  | GateEvent
  | QueueEvent
  | DriftEvent
  | MismatchEvent;

/** What a call does, under a name of few values: good for metrics, where a path with an id is not. */
export type Operation = "pages.list" | "pages.create" | "pages.update" | "pages.delete" | "analytics.track";

/** What all events of a call share. */
export interface CallEvent {
  /** The same in all events of a call, another for every call: a UUID. */
  readonly callId: string;
  /** What the call does. */
  readonly operation: Operation;
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
  /** Status of its last answer; absent when none came. */
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
  /** Status of the answer; absent when none came. */
  readonly status?: number | undefined;
  /** What went wrong when no usable answer came: a code such as `ECONNRESET`, `timeout`, `aborted` by the caller's signal, or `apiKey` when there was none. */
  readonly failure?: string | undefined;
  /** The rate limit as of this answer; absent when it does not tell. */
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
  /** What it waits for: the moment the service asked for, our own backoff, or its turn at the gate. */
  readonly reason: "service" | "backoff" | "gate";
  /** For how long, in milliseconds; absent at the gate, where nobody knows. */
  readonly delayMs?: number | undefined;
}

/** The gate that all calls of the client share closes until the rate limit resets, or opens again. Belongs to all calls, and so to none. */
export interface GateEvent {
  /** Kind of event. */
  readonly type: "gate";
  /** What it is now. */
  readonly state: "closed" | "open";
  /** Moment it opens, or opened, milliseconds since 1970 UTC on the client's clock. */
  readonly untilMs: number;
  /** How long until it opens, in milliseconds; absent when it opens. */
  readonly delayMs?: number | undefined;
  /** Calls waiting at it. */
  readonly waiting: number;
}

/** A queue of analytics events begins to wait out an outage, or goes on; told again after every probe that failed. */
export interface QueueEvent {
  /** Kind of event. */
  readonly type: "queue";
  /** What it is now. */
  readonly state: "parked" | "open";
  /** Events that wait or are under way. */
  readonly pending: number;
  /** How long until the next probe, in milliseconds; absent when the queue goes on. */
  readonly delayMs?: number | undefined;
  /** How long the outage lasted, in milliseconds; absent while it lasts. */
  readonly outageMs?: number | undefined;
  /** What the call that showed the outage rejected with; absent when the queue goes on. */
  readonly error?: unknown;
}

/** Pages came or went during an iteration, which steps back to known ground. */
export interface DriftEvent extends Drift {
  /** Kind of event. */
  readonly type: "drift";
}

/** Something that an answer has elsewhere than our reference service, or not at all. */
export interface Mismatch {
  /** What was looked for: `list`, `total`, `record`, or a field of the page. */
  readonly where: string;
  /** Where our reference service has it: a JSON pointer. */
  readonly expected: string;
  /** Where it was found: a JSON pointer, the name of a header, or `nothing`. */
  readonly found: string;
}

/** An answer has something elsewhere than our reference service, or not at all. Told once for each place and client. */
export interface MismatchEvent extends CallEvent, Mismatch {
  /** Kind of event. */
  readonly type: "mismatch";
}

/** All levels, least loud first. */
export const logLevels: readonly LogLevel[] = ["debug", "info", "warn"];

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
    const { level, message } = describe(event);
    if (logLevels.indexOf(level) < logLevels.indexOf(logLevel)) return;
    notify(logger[level].bind(logger), `landing-pages: ${message}`, { ...event });
  };
}

function describe(event: ClientEvent): { level: LogLevel; message: string } {
  switch (event.type) {
    case "request":
      return { level: "debug", message: `${event.method} ${event.path}, attempt ${event.attempt}` };
    case "response": {
      const outcome = event.status ?? event.failure ?? "";
      return { level: "debug", message: `${event.method} ${event.path}: ${outcome} after ${event.durationMs} ms` };
    }
    case "retry": {
      const { method, path, reason, delayMs } = event;
      return { level: "warn", message: `${method} ${path}: ${reason}, trying again in ${describeWait(delayMs)}` };
    }
    case "wait": {
      const { method, path, reason, delayMs } = event;
      return { level: "info", message: `${method} ${path} waits${describeFor(delayMs)} (${reason})` };
    }
    case "end": {
      const { operation, status, error, attempts, durationMs } = event;
      const outcome = error === undefined ? "done" : (status ?? (error instanceof Error ? error.name : "failed"));
      const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
      return { level: "debug", message: `${operation}: ${outcome}, ${tries}, ${describeWait(durationMs)}` };
    }
    case "gate":
      return {
        level: "info",
        message: `rate limit gate ${event.state}${describeFor(event.delayMs)}, ${event.waiting} calls waiting`,
      };
    case "queue":
      return describeQueue(event);
    case "mismatch": {
      const { operation, where, expected, found } = event;
      return { level: "info", message: `${operation}: ${where} is at ${found} rather than at ${expected}` };
    }
    case "drift":
    default:
      return { level: "info", message: `pages changed during iteration near offset ${event.offset}` };
  }
}

function describeQueue({ state, pending, delayMs, outageMs, error }: QueueEvent): { level: LogLevel; message: string } {
  if (state === "open") {
    return {
      level: "info",
      message: `event queue goes on after ${describeWait(outageMs ?? 0)}, ${pending} events pending`,
    };
  }
  const why = error instanceof Error ? `: ${error.message}` : "";
  return { level: "warn", message: `event queue waits${describeFor(delayMs)}, ${pending} events pending${why}` };
}

function describeFor(delayMs: number | undefined): string {
  return delayMs === undefined ? "" : ` for ${describeWait(delayMs)}`;
}

/** Writes a time the way people say it: in seconds, with a fraction only where that matters. */
function describeWait(delayMs: number): string {
  const seconds = delayMs / 1000;
  return `${seconds < 10 ? Number(seconds.toPrecision(2)) : Math.round(seconds)} s`;
}
