import type { RateLimit } from "@landing-page-service/contract";
import type { DriftEvent as Drift } from "./many/page-cursor.ts";

/** How loud a line in the log is. */
export type LogLevel = "debug" | "info" | "warn";

/**
 * Where log lines go: `console` and most loggers fit; pino takes fields first, so turn the two round. Nothing logged holds the
 * API key. What fails is thrown, not logged.
 */
export interface Logger {
  /** Takes every request, every answer, and how each call ended. */
  debug: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Takes waits, the gate closing and opening, mismatches, and pages that moved during a walk. */
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
  | GateEvent
  | QueueEvent
  | DriftEvent
  | MismatchEvent;

/** What a call does, under a name of few values: good for metrics, where a path with an id is not. */
export type Operation = "pages.list" | "pages.create" | "pages.update" | "pages.delete" | "analytics.track";

/** Which call an event belongs to. */
export interface CallName {
  /** The same in all events of a call, another for every call: a UUID. */
  readonly callId: string;
  /** What the call does. */
  readonly operation: Operation;
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
  /** What went wrong when no usable answer came: a code such as `ECONNRESET`, `timeout`, `aborted` by the caller's signal, or `apiKey` when there was none, or only one that had just been refused: then nothing was sent. */
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

/**
 * The gate that all calls of the client share closes until the rate limit resets, or opens again. Named is the call whose answer
 * closed or opened it, or the one that it opens for.
 */
export interface GateEvent extends CallName {
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

/**
 * A queue of analytics events begins to wait out an outage, or goes on; told again after every probe that failed. Named is the
 * call that showed it; it has ended.
 */
export interface QueueEvent extends CallName {
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
  readonly error?: Error;
}

/** Pages came or went during an iteration, which steps back to known ground. Named is the call whose answer showed it; it has ended. */
export interface DriftEvent extends Drift, CallName {
  /** Kind of event. */
  readonly type: "drift";
}

/** Something that an answer has elsewhere than our reference service, or not at all. */
export interface Mismatch {
  /** What was looked for: `list`, `total`, `record`, a field of the page, or the `charset` or `body` of the answer. */
  readonly where: string;
  /** Where our reference service has it: a JSON pointer; of the charset, its name; of the body, that all of it came. */
  readonly expected: string;
  /** Where it was found: a JSON pointer, the name of a header, or `nothing`; of the charset, what the bytes are; of the body, how much came. */
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
