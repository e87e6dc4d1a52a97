// What holds for a call: the options of client and call, checked and laid over the defaults.
import manifest from "../package.json" with { type: "json" };
import { ConfigurationError } from "./report/errors.ts";
import { refuseUnknown } from "./known-options.ts";
import { logLevels } from "./report/events.ts";
import { nameKind } from "./report/messages.ts";
import {
  type CallOptions,
  type ClientOptions,
  clientOptions,
  type HeaderOptions,
  hookNames,
  type RequestHooks,
  type RetryOptions,
} from "./options.ts";
import { policyNames, type RetryPolicy } from "./call/retry.ts";

/** What holds for a call once defaults, client and call have been merged. */
export interface CallSettings {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly retry: RetryPolicy;
  readonly headers: Readonly<Record<string, string>>;
}

const defaultSettings: CallSettings = {
  signal: undefined,
  timeoutMs: 15_000,
  totalTimeoutMs: 120_000,
  retry: { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 8000, maxWaitMs: 60_000, writes: "documented" },
  headers: { accept: "application/json", "user-agent": `landing-page-service-sdk/${manifest.version}` },
};

/**
 * Lays the options of a call over those of the client, or those of the client over the defaults.
 *
 * @throws {ConfigurationError} when one is out of range.
 */
export function mergeSettings(options: CallOptions, settings = defaultSettings): CallSettings {
  if (typeof options !== "object" || options === null) throw wrong("options", `an object, not ${nameKind(options)}`);
  const { signal, timeoutMs, totalTimeoutMs, retry, headers } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrong("signal", "an AbortSignal");
  return {
    signal,
    timeoutMs: timeoutMs === undefined ? settings.timeoutMs : checkNumber("timeoutMs", timeoutMs, 1),
    totalTimeoutMs:
      totalTimeoutMs === undefined ? settings.totalTimeoutMs : checkNumber("totalTimeoutMs", totalTimeoutMs, 1),
    retry: retry === undefined ? settings.retry : mergeRetry(retry, settings.retry),
    headers: headers === undefined ? settings.headers : mergeHeaders(settings.headers, headers),
  };
}

/**
 * Gives the caller's idempotency key, or a new one.
 *
 * @throws {ConfigurationError} when it is not visible ASCII of 1 to 255 characters.
 */
export function chooseIdempotencyKey(key: string | undefined): string {
  if (key === undefined) return crypto.randomUUID();
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw wrong("idempotencyKey", "1 to 255 visible ASCII characters");
}

/**
 * Checks the options that are functions or words.
 *
 * @throws {ConfigurationError} when one is neither left out nor what it must be.
 */
export function checkOptions(options: ClientOptions): ClientOptions {
  if (typeof options !== "object" || options === null) throw wrong("options", "an object");
  refuseUnknown(clientOptions, options);
  for (const name of ["fetch", "onEvent", "now", "random", "sleep"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function") throw wrong(name, "a function");
  }
  const { hooks, logger, logLevel, strict, now } = options;
  if (now !== undefined) checkClock(now);
  if (strict !== undefined && typeof strict !== "boolean") throw wrong("strict", "true or false");
  if (hooks !== undefined) checkHooks(hooks);
  if (logLevel !== undefined && !logLevels.includes(logLevel))
    throw wrong("logLevel", `one of ${logLevels.join(", ")}`);
  if (logger !== undefined && !logLevels.every((level) => typeof logger?.[level] === "function")) {
    throw wrong("logger", `an object with the methods ${logLevels.join(", ")}, such as \`console\``);
  }
  return options;
}

/** Asks once: a time that is none would end every call, and every wait, at once or never. */
function checkClock(now: () => number): void {
  const expected = "a function that gives milliseconds since 1970, such as `Date.now`";
  let nowMs: number;
  try {
    nowMs = now();
  } catch (cause) {
    throw wrong("now", expected, { cause });
  }
  if (!Number.isFinite(nowMs)) throw wrong("now", expected);
}

function checkHooks(hooks: RequestHooks): void {
  refuseUnknown(hookNames, hooks, { below: "hooks" });
  for (const [name, list] of Object.entries(hooks)) {
    const isRight = Array.isArray(list) && list.every((hook: unknown) => typeof hook === "function");
    if (list !== undefined && !isRight) throw wrong(`hooks.${name}`, "an array of functions");
  }
}

/**
 * Gives the most requests to have under way at a time.
 *
 * @throws {ConfigurationError} when it is out of range.
 */
export function readMaxInFlight({ maxInFlight = 64 }: ClientOptions): number {
  return checkNumber("maxInFlight", maxInFlight, 1, true);
}

/**
 * Gives the largest answer to read, in bytes.
 *
 * @throws {ConfigurationError} when it is out of range.
 */
export function readMaxAnswerBytes({ maxAnswerBytes = 16 * 1024 * 1024 }: ClientOptions): number {
  return checkNumber("maxAnswerBytes", maxAnswerBytes, 1, true);
}

function mergeRetry(retry: RetryOptions | false, policy: RetryPolicy): RetryPolicy {
  if (retry === false) return { ...policy, maxAttempts: 1 };
  if (typeof retry !== "object" || retry === null) throw wrong("retry", "an object or false");
  refuseUnknown(policyNames, retry, { below: "retry" });
  const { maxAttempts, baseDelayMs, maxDelayMs, maxWaitMs, writes } = retry;
  if (writes !== undefined && !["documented", "safe", "always"].includes(writes)) {
    throw wrong("retry.writes", '"documented", "safe" or "always"');
  }
  return {
    maxAttempts:
      maxAttempts === undefined ? policy.maxAttempts : checkNumber("retry.maxAttempts", maxAttempts, 1, true),
    baseDelayMs: baseDelayMs === undefined ? policy.baseDelayMs : checkNumber("retry.baseDelayMs", baseDelayMs, 0),
    maxDelayMs: maxDelayMs === undefined ? policy.maxDelayMs : checkNumber("retry.maxDelayMs", maxDelayMs, 0),
    maxWaitMs: maxWaitMs === undefined ? policy.maxWaitMs : checkNumber("retry.maxWaitMs", maxWaitMs, 0),
    writes: writes ?? policy.writes,
  };
}

// Longest time a timer can run; one more and it would fire at once.
const longestTimerMs = 2_147_483_647;

function checkNumber(name: string, value: number, least: number, isWhole = false): number {
  if (typeof value === "number" && value >= least && value <= longestTimerMs && (!isWhole || Number.isInteger(value))) {
    return value;
  }
  throw wrong(name, `a ${isWhole ? "whole " : ""}number from ${least} to ${longestTimerMs}`);
}

function mergeHeaders(base: Readonly<Record<string, string>>, given: HeaderOptions): Record<string, string> {
  if (typeof given !== "object" || given === null)
    throw wrong("headers", "a Headers, pairs, or an object of names and values");
  const pairs: Iterable<readonly unknown[]> = Symbol.iterator in given ? given : Object.entries(given);
  const merged = { ...base };
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string")
      throw wrong("headers", "a Headers, pairs, or an object of names and values");
    const [name, value] = pair as [string, unknown]; // why: checked a line above
    const lowerName = name.toLowerCase();
    if (ownHeaders.has(lowerName)) {
      throw new ConfigurationError(
        `The header ${name} is set by the client itself and cannot be passed in \`headers\`.`,
      );
    }
    if (value === undefined) continue;
    // The value may be a secret, so it is not repeated.
    if (value !== null && !isHeader(lowerName, value)) {
      throw new ConfigurationError(`The header ${JSON.stringify(name)} cannot be sent as it is.`);
    }
    if (value === null) delete merged[lowerName];
    else merged[lowerName] = value as string; // why: `isHeader` has just said so
  }
  return merged;
}

const ownHeaders = new Set([
  "authorization",
  "content-type",
  "content-length",
  "idempotency-key",
  "host",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
]);

function isHeader(name: string, value: unknown): boolean {
  try {
    if (typeof value !== "string") return false;
    new Headers().set(name, value);
    return true;
  } catch {
    return false;
  }
}

function wrong(name: string, expected: string, options?: ErrorOptions): ConfigurationError {
  return new ConfigurationError(`\`${name}\` must be ${expected}.`, options);
}
