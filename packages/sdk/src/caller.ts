// Where in the caller's own code something was asked for. A call fails long after it was made, in a frame of ours: without this,
// its stack would name no line of the program that made it.
import { LandingPagesError } from "./errors.ts";

/** The frames below a method of ours. */
export interface Caller {
  /** Formatted by the engine when it is read, so a call that succeeds pays for no text. */
  readonly stack?: string;
}

/**
 * Notes who called the method that calls this. It is for the body of that method itself, and never what it returns: an engine
 * with tail calls, such as Bun's, has no frame any more of a method that ends in a call.
 */
export function noteCaller(): Caller {
  const caller: Caller = {};
  // Engines other than V8 may lack it; then errors keep the stack they have.
  Error.captureStackTrace?.(caller, noteCaller);
  return caller;
}

/** Does the work of a method; what the work throws of ours points at the caller's line. */
export function callFrom<Value>(caller: Caller, work: (caller: Caller) => Value): Value {
  try {
    return work(caller);
  } catch (error) {
    throw pointAt(error, caller);
  }
}

/** Lets the stack of an error of ours begin at the caller's line; gives the error. */
export function pointAt(error: unknown, caller: Caller): unknown {
  if (!LandingPagesError.is(error)) return error;
  // The first frame is the method of ours that was called.
  const [, ...frames] = (caller.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  if (frames.length === 0) return error;
  const stack = [`${error.name}: ${error.message}`, ...frames.map(nameFrame)].join("\n");
  Object.defineProperty(error, "stack", { value: stack, writable: true, configurable: true, enumerable: false });
  return error;
}

/** Bun prints an uncaught error with frames of ours instead of the first one that names no function. */
function nameFrame(line: string): string {
  return line.replace(/^(\s+at (?:async )?)([^()]+)$/, "$1<anonymous> ($2)");
}
