// Tells listener and logger what happens; in the log, the way people say it.
import { type ClientEvent, type Logger, type LogLevel, logLevels, type QueueEvent, type Report } from "./log.ts";
import { describeSpan } from "./messages.ts";
import { notify } from "./notify.ts";

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
    const { level, message } = describeEvent(event);
    if (logLevels.indexOf(level) < logLevels.indexOf(logLevel)) return;
    notify(logger[level].bind(logger), `landing-pages: ${message}`, { ...event });
  };
}

/** Gives the line for an event, and how loud it is. */
function describeEvent(event: ClientEvent): { level: LogLevel; message: string } {
  switch (event.type) {
    case "request":
      return { level: "debug", message: `${event.method} ${event.path}, attempt ${event.attempt}` };
    case "response": {
      const outcome = event.status ?? event.failure ?? "";
      return {
        level: "debug",
        message: `${event.method} ${event.path}: ${outcome} after ${describeSpan(event.durationMs)}`,
      };
    }
    case "retry": {
      const { method, path, reason, delayMs } = event;
      return { level: "warn", message: `${method} ${path}: ${reason}, trying again in ${describeSpan(delayMs)}` };
    }
    case "wait": {
      const { method, path, reason, delayMs } = event;
      return { level: "info", message: `${method} ${path} waits${describeFor(delayMs)} (${reason})` };
    }
    case "end": {
      const { operation, status, error, attempts, durationMs } = event;
      const outcome = error === undefined ? "done" : (status ?? (error instanceof Error ? error.name : "failed"));
      const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
      return { level: "debug", message: `${operation}: ${outcome}, ${tries}, ${describeSpan(durationMs)}` };
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
      if (where === "charset" || where === "body")
        return { level: "info", message: `${operation}: ${found} came rather than ${expected}` };
      const what =
        found === "nothing" ? `no ${where} at ${expected}` : `${where} at ${found} rather than at ${expected}`;
      return { level: "info", message: `${operation}: ${what}` };
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
      message: `event queue goes on after ${describeSpan(outageMs ?? 0)}, ${pending} events pending`,
    };
  }
  const why = error instanceof Error ? `: ${error.message}` : "";
  return { level: "warn", message: `event queue waits${describeFor(delayMs)}, ${pending} events pending${why}` };
}

function describeFor(delayMs: number | undefined): string {
  return delayMs === undefined ? "" : ` for ${describeSpan(delayMs)}`;
}
