import type { FieldProblem } from "@landing-page-service/contract";
import { describeFields, nameKind } from "./messages.ts";

// The same key in every copy of the package, so that `is` works across copies and versions.
const brand = Symbol.for("landing-page-service.error");

/**
 * Every error this package raises. Printed, it shows its message, where it was asked for, and what fits on a line each; its lists
 * and records are there for code and in `toJSON`.
 */
export class LandingPagesError extends Error {
  static {
    nameErrorClass(this, "LandingPagesError");
  }

  /**
   * Tells whether a value is an error of this class, also when it was made by another copy of the package,
   * where `instanceof` says no.
   */
  static is<Instance extends LandingPagesError>(
    this: { readonly prototype: Instance },
    value: unknown,
  ): value is Instance {
    if (!(value instanceof Error)) return false;
    const wanted: unknown = Object.hasOwn(this.prototype, brand) ? Reflect.get(this.prototype, brand) : this.prototype;
    for (let proto: unknown = Object.getPrototypeOf(value); isObject(proto); proto = Object.getPrototypeOf(proto)) {
      if (proto === wanted || (Object.hasOwn(proto, brand) && Reflect.get(proto, brand) === wanted)) return true;
    }
    return false;
  }

  /** Gives the error as plain data for a log: name, message and every field; never the API key, a cookie or a whole body. */
  toJSON(): Record<string, unknown> {
    const names = [...Object.keys(this), ...details.filter((name) => Object.hasOwn(this, name))];
    const fields = names.map((name): [string, unknown] => [name, plain(Reflect.get(this, name))]);
    return { name: this.name, message: this.message, ...Object.fromEntries(fields), ...causeOf(this) };
  }
}

/** What was thrown, as an error: whatever is none, such as what an option of the caller's throws, is the `cause` of one. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new LandingPagesError(`${nameKind(thrown)} was thrown`, { cause: thrown });
}

/** What is wrong, in words and place by place. */
export interface Problem {
  /** What went wrong, at most 500 characters; empty when nobody said. */
  readonly detail: string;
  /** Each wrong place, as a JSON pointer (`#/cta/url`) or the name of a parameter, and what is wrong there; empty when none is named. */
  readonly errors: readonly FieldProblem[];
}

/** The client was set up wrongly: a missing or malformed key, a base URL that would leak it, an option out of range. Nothing was sent. */
export class ConfigurationError extends LandingPagesError {
  static {
    nameErrorClass(this, "ConfigurationError");
  }

  declare readonly name: "ConfigurationError";
}

/** A call was given something that cannot be right. Nothing was sent. */
export class InvalidInputError extends LandingPagesError {
  static {
    nameErrorClass(this, "InvalidInputError");
  }

  declare readonly name: "InvalidInputError";

  /** Each wrong field of the input, and the rule it breaks. */
  readonly problem: Problem;

  /** Takes what was being done, such as `Create page`, and every wrong field. */
  constructor(summary: string, errors: readonly FieldProblem[], options?: ErrorOptions) {
    const detail = describeFields(errors);
    super(`${summary} was not sent: ${detail}`, options);
    this.problem = { detail, errors };
    leaveUnprinted(this);
  }
}

/** An iteration over the list of pages cannot go on, although each request got a response. */
export class IterationError extends LandingPagesError {
  static {
    nameErrorClass(this, "IterationError");
  }

  declare readonly name: "IterationError";

  /**
   * `stuck`: the service returns the same pages at every offset, or nothing new in 1 000 responses. `maxRequests`: the iteration
   * needs more requests than `maxRequests` allows, and the iterator's `resumeToken` continues here. `lost`: the iteration started
   * with `offset` or `resumeFrom`, and none of the pages that it remembers is listed any more.
   */
  readonly reason: "stuck" | "maxRequests" | "lost";

  /** Takes what went wrong, in words and as a code. */
  constructor(problem: string, reason: IterationError["reason"]) {
    super(`Iteration stopped: ${problem}`);
    this.reason = reason;
  }
}

/** Names an error class: also where a bundler renamed it, and so that `is` knows it in every copy of the package. */
export function nameErrorClass(ErrorClass: { readonly prototype: Error }, name: string): void {
  const hidden = { value: name, enumerable: false, configurable: true, writable: true };
  Object.defineProperties(ErrorClass.prototype, { name: hidden, [brand]: hidden });
}

/** The lists and records of errors. What of them a person needs is in the message. */
const details = ["attempts", "problem", "headers", "body", "rateLimit"] as const;

/**
 * Keeps the lists and records of an error out of what is printed of it. Without a `catch` that is all that a person sees, and
 * they would bury the message. Enumerability is what counts: what Node prints of an uncaught error asks no method of it.
 */
export function leaveUnprinted(error: Error): void {
  for (const name of details) {
    if (Object.hasOwn(error, name)) Object.defineProperty(error, name, { enumerable: false });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function plain(value: unknown): unknown {
  return value instanceof Headers ? Object.fromEntries([...value].filter(([name]) => name !== "set-cookie")) : value;
}

function causeOf(error: Error): { cause?: unknown } {
  if (error.cause === undefined) return {};
  if (!(error.cause instanceof Error)) return { cause: error.cause };
  const { name, message, code } = error.cause as NodeJS.ErrnoException; // why: a code is there or undefined
  return { cause: { name, message, ...(code === undefined ? {} : { code }), ...causeOf(error.cause) } };
}
