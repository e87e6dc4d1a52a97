// Where in the caller's own code something was asked for. A call fails long after it was made, in a frame of ours: without this,
// its stack would name no line of the program that made it.
import { LandingPagesError } from "./errors.ts";

/** The frames below a method of ours. */
export interface Caller {
  /** Formatted by the engine when it is read, so a call that succeeds pays for no text. */
  readonly stack?: string;
}

/** Does the work of a method that a caller calls, and is the first thing there; what the work throws of ours points at the caller's line. */
export function callFrom<Value>(work: (caller: Caller) => Value): Value {
  const caller: Caller = {};
  // Engines other than V8 may lack it; then errors keep the stack they have.
  Error.captureStackTrace?.(caller, callFrom);
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
  const frames = (caller.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  if (frames.length < 2) return error;
  const stack = [`${error.name}: ${error.message}`, ...frames.slice(1)].join("\n");
  Object.defineProperty(error, "stack", { value: stack, writable: true, configurable: true, enumerable: false });
  return error;
}
