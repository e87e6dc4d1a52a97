import { ConfigurationError } from "./errors.ts";
import { type ClientEvent, type Logger, type LogLevel, logLevels } from "./log.ts";
import type { RetryPolicy } from "./retry.ts";
import type { Sleep } from "./sleep.ts";

/**
 * The part of the platform's `fetch` that the client uses. It gets the whole request, and beside it the signal that may
 * end it, and the body once more as text; an own function may ignore both.
 */
export type Fetch = (
  request: Request,
  init: { readonly signal: AbortSignal; readonly body?: string },
) => Promise<Response>;

/** Parts of a retry policy; what is left out keeps its value. */
export type RetryOptions = { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined };

/** Settings of a client. */
export interface ClientOptions {
  /**
   * Secret key of the account: visible ASCII, 1 to 512 characters. A function is asked before every attempt, so that
   * keys can rotate. It is never logged or shown.
   *
   * @defaultValue the environment variable `LANDING_PAGES_API_KEY`
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Where the service is: an `https` URL, or an `http` one on this machine, without credentials, query or fragment.
   *
   * @defaultValue the environment variable `LANDING_PAGES_BASE_URL`
   */
  readonly baseUrl?: string | undefined;
  /** Sends one request. @defaultValue the platform's `fetch` */
  readonly fetch?: Fetch | undefined;
  /** Longest time for one attempt, body included, in milliseconds, 1 or more. @defaultValue 10000 */
  readonly timeoutMs?: number | undefined;
  /** Longest time for a whole call, all attempts and waits included, in milliseconds, 1 or more. @defaultValue 120000 */
  readonly deadlineMs?: number | undefined;
  /** When and how to try again; `false` never does. */
  readonly retry?: RetryOptions | false | undefined;
  /** Further headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Where log lines go, such as `console`. @defaultValue nowhere */
  readonly logger?: Logger | undefined;
  /** Least loud log line to write. @defaultValue "info" */
  readonly logLevel?: LogLevel | undefined;
  /** Told of every request, answer, retry and wait as it happens. What it throws is ignored. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
  /** The present, milliseconds since 1970 UTC, for tests that move the clock. @defaultValue `Date.now` */
  readonly now?: (() => number) | undefined;
  /** A random number, 0 or more and below 1, for tests without chance. @defaultValue `Math.random` */
  readonly random?: (() => number) | undefined;
  /** Waits before a retry and at the gate, for tests that do not wait. @defaultValue a timer that also ends when `now` has passed the moment */
  readonly sleep?: Sleep | undefined;
  /** Allows the client to start in a browser, where everyone can read the key. @defaultValue false */
  readonly allowBrowser?: boolean | undefined;
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call at once, also while it waits; it then rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time for one attempt, body included, in milliseconds, 1 or more. @defaultValue that of the client */
  readonly timeoutMs?: number | undefined;
  /** Longest time for the whole call, all attempts and waits included, in milliseconds, 1 or more. @defaultValue that of the client */
  readonly deadlineMs?: number | undefined;
  /** When and how to try again; what is left out is as the client has it, `false` never does. */
  readonly retry?: RetryOptions | false | undefined;
  /** Further headers, beside and before those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Settings of one call that creates something. */
export interface WriteOptions extends CallOptions {
  /**
   * Marks the call, the same on every attempt: a service that honours it carries out one of all calls with the same key.
   * Visible ASCII, 1 to 255 characters. Gap: see docs/spec-gaps.md#idempotency
   *
   * @defaultValue a random UUID
   */
  readonly idempotencyKey?: string | undefined;
}

/** What holds for a call once defaults, client and call have been merged. */
export interface CallSettings {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly retry: RetryPolicy;
  readonly headers: Readonly<Record<string, string>>;
}

const defaultSettings: CallSettings = {
  signal: undefined,
  timeoutMs: 10_000,
  deadlineMs: 120_000,
  retry: { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 8000, maxWaitMs: 60_000, post: "documented" },
  headers: {},
};

/**
 * Lays the options of a call over those of the client, or those of the client over the defaults.
 *
 * @throws {ConfigurationError} when one is out of range.
 */
export function mergeSettings(options: CallOptions, settings = defaultSettings): CallSettings {
  if (typeof options !== "object" || options === null) throw wrong("options", "an object");
  const { signal, timeoutMs, deadlineMs, retry, headers } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrong("signal", "an AbortSignal");
  return {
    signal,
    timeoutMs: timeoutMs === undefined ? settings.timeoutMs : checkNumber("timeoutMs", timeoutMs, 1),
    deadlineMs: deadlineMs === undefined ? settings.deadlineMs : checkNumber("deadlineMs", deadlineMs, 1),
    retry: retry === undefined ? settings.retry : mergeRetry(retry, settings.retry),
    headers: headers === undefined ? settings.headers : { ...settings.headers, ...checkHeaders(headers) },
  };
}

/**
 * Makes the function that gives the key for an attempt.
 *
 * @throws {ConfigurationError} when there is no key or it cannot be one; the message never holds it.
 */
export function readApiKey(apiKey: ClientOptions["apiKey"]): () => string | Promise<string> {
  const given = apiKey ?? readEnvironment("LANDING_PAGES_API_KEY");
  if (given === undefined) {
    throw new ConfigurationError("No API key: pass `apiKey`, or set the environment variable LANDING_PAGES_API_KEY.");
  }
  if (typeof given !== "function") {
    const key = checkApiKey(given);
    return () => key;
  }
  return async () => {
    let key: unknown;
    try {
      key = await given();
    } catch (error) {
      throw new ConfigurationError("The function passed as `apiKey` failed, so nothing could be sent.", {
        cause: error,
      });
    }
    return checkApiKey(key);
  };
}

/**
 * Gives the base URL without a slash at its end.
 *
 * @throws {ConfigurationError} when there is none, or when the key would not be safe on the way to it.
 */
export function readBaseUrl(baseUrl: string | undefined): string {
  const given = baseUrl ?? readEnvironment("LANDING_PAGES_BASE_URL");
  if (given === undefined) {
    throw new ConfigurationError(
      "No base URL: pass `baseUrl`, or set the environment variable LANDING_PAGES_BASE_URL.",
    );
  }
  const url = typeof given === "string" ? URL.parse(given) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ConfigurationError("`baseUrl` must be an absolute URL such as https://service.example.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigurationError("`baseUrl` must not hold credentials: the service knows you by `apiKey`.");
  }
  if (given.includes("?") || given.includes("#")) {
    throw new ConfigurationError("`baseUrl` must have no query and no fragment: paths are added to its end.");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `\`baseUrl\` must be https: over http the key could be read on its way to ${url.hostname}. Only this machine may be reached by http.`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** @throws {ConfigurationError} in a browser, unless allowed. */
export function refuseBrowser(allowBrowser: boolean | undefined): void {
  const { document } = globalThis as { document?: unknown }; // why: the types know no browser
  if (document === undefined || allowBrowser === true) return;
  throw new ConfigurationError(
    "This looks like a browser, where everyone could read the API key. Call the service from your own server, or pass `allowBrowser: true` if you know what you do.",
  );
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
  for (const name of ["fetch", "onEvent", "now", "random", "sleep"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function") throw wrong(name, "a function");
  }
  const { logger, logLevel } = options;
  if (logLevel !== undefined && !logLevels.includes(logLevel))
    throw wrong("logLevel", `one of ${logLevels.join(", ")}`);
  if (logger !== undefined && !logLevels.every((level) => typeof logger?.[level] === "function")) {
    throw wrong("logger", `an object with the methods ${logLevels.join(", ")}, such as \`console\``);
  }
  return options;
}

// Gap: format of keys, see docs/spec-gaps.md#key-format
function checkApiKey(key: unknown): string {
  if (typeof key === "string" && /^[\x21-\x7e]{1,512}$/.test(key)) return key;
  const hint = typeof key === "string" && /\s/.test(key) ? ", without spaces or line breaks" : "";
  throw new ConfigurationError(`\`apiKey\` must be 1 to 512 visible ASCII characters${hint}.`);
}

function mergeRetry(retry: RetryOptions | false, policy: RetryPolicy): RetryPolicy {
  if (retry === false) return { ...policy, maxAttempts: 1 };
  if (typeof retry !== "object" || retry === null) throw wrong("retry", "an object or false");
  const { maxAttempts, baseDelayMs, maxDelayMs, maxWaitMs, post } = retry;
  if (post !== undefined && !["documented", "safe", "always"].includes(post)) {
    throw wrong("retry.post", '"documented", "safe" or "always"');
  }
  return {
    maxAttempts:
      maxAttempts === undefined ? policy.maxAttempts : checkNumber("retry.maxAttempts", maxAttempts, 1, true),
    baseDelayMs: baseDelayMs === undefined ? policy.baseDelayMs : checkNumber("retry.baseDelayMs", baseDelayMs, 0),
    maxDelayMs: maxDelayMs === undefined ? policy.maxDelayMs : checkNumber("retry.maxDelayMs", maxDelayMs, 0),
    maxWaitMs: maxWaitMs === undefined ? policy.maxWaitMs : checkNumber("retry.maxWaitMs", maxWaitMs, 0),
    post: post ?? policy.post,
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

function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  // A `Headers` or an array has no headers among its properties, and they would be lost without a word.
  if (typeof headers !== "object" || headers === null || Symbol.iterator in headers) {
    throw wrong("headers", "an object of names and values");
  }
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lowerName = name.toLowerCase();
    if (ownHeaders.has(lowerName)) {
      throw new ConfigurationError(
        `The header ${name} is set by the client itself and cannot be passed in \`headers\`.`,
      );
    }
    // The value may be a secret, so it is not repeated.
    if (!isHeader(name, value))
      throw new ConfigurationError(`The header ${JSON.stringify(name)} cannot be sent as it is.`);
    checked[lowerName] = value;
  }
  return checked;
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

function isHeader(name: string, value: string): boolean {
  try {
    new Headers().set(name, value);
    return typeof value === "string";
  } catch {
    return false;
  }
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

function readEnvironment(name: string): string | undefined {
  const value = typeof process === "undefined" ? undefined : process.env[name];
  return value === "" ? undefined : value;
}

function wrong(name: string, expected: string): ConfigurationError {
  return new ConfigurationError(`\`${name}\` must be ${expected}.`);
}
