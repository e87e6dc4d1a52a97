// Passes events to the listener of a client, and log lines to its logger.
import type { ClientOptions } from "../options.ts";
import { LandingPagesError } from "./errors.ts";
import type { CallEvent, ClientEvent, LogLevel } from "./events.ts";
import { describeSpan, nameKind } from "./messages.ts";

/** All levels, least severe first. */
export const logLevels = ["debug", "info", "warn"] as const satisfies readonly LogLevel[];

/** Passes an event to the caller's listener and logger. */
export type Report = (event: ClientEvent) => void;

type Listeners = Pick<ClientOptions, "onEvent" | "logger" | "logLevel">;

/** Combines the listener and the logger of a client. */
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

/** Returns a thrown value as an error. A value that is not an `Error` becomes the `cause` of one. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new LandingPagesError(`${nameKind(thrown)} was thrown`, { cause: thrown });
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
