import { findFieldProblems } from "@landing-page-service/contract";
import { checkValue, formatPath } from "@landing-page-service/contract/internal";
import manifest from "../package.json" with { type: "json" };
import * as z from "zod/mini";
import type { Hooks } from "ky";
import { longestTimerMs } from "./call/timers.ts";
import type { EndOptions, EventQueueOptions, FlushOptions } from "./many/queued-events.ts";
import type { ResponseReader } from "./read/responses.ts";
import { ConfigurationError, InvalidInputError } from "./report/errors.ts";
import type { ClientEvent, Logger, LogLevel } from "./report/events.ts";
import { quote } from "./report/messages.ts";
import { logLevels } from "./report/report.ts";

/** The part of the platform's `fetch` that the client uses: it takes an absolute URL, and the rest of the request as plain options. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** The options of one request, as the platform's `fetch` takes them. */
export interface FetchInit {
  /** HTTP method. */
  readonly method: string;
  /** Values by lower-case name; the API key is one of them. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; absent if the request has no body. */
  readonly body?: string;
  /** A redirect is never followed, because the next host would receive the API key. */
  readonly redirect: "manual";
  /** Keeps frameworks that replace `fetch` from caching the response; absent if the runtime does not support the option. */
  readonly cache?: "no-store";
  /** Aborts when the client no longer needs the response. */
  readonly signal: AbortSignal;
}

/**
 * Hooks of ky, run for every attempt on the request that is sent. They see the API key. There is no `beforeRetry`, and no hook can
 * make ky retry, because the client retries itself.
 * Source: the documentation of ky, "hooks".
 */
export type RequestHooks = Omit<Hooks, "beforeRetry">;

/** Waits for a number of milliseconds; rejects with the signal's reason as soon as the signal aborts. */
export type Sleep = (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;

/** How often and after which waits a call is retried. */
export interface RetryPolicy {
  /**
   * Most attempts, including the first; 1 or more. If the service asks for a wait of a second or more after an attempt, that attempt does
   * not count, unless `maxAttempts` is 1.
   *
   * @defaultValue 3
   */
  readonly maxAttempts: number;
  /** Longest first wait if the service asks for none, in milliseconds; it doubles with every attempt. @defaultValue 500 */
  readonly baseDelayMs: number;
  /** Longest wait if the service asks for none, in milliseconds. @defaultValue 8000 */
  readonly maxDelayMs: number;
  /**
   * Longest wait that the service may ask for, in milliseconds. If it asks for more, the call fails at once, with `retryAfterMs`. A wait
   * may be longer by a twentieth (at most 3 s), because of jitter and because headers contain whole seconds.
   *
   * @defaultValue 60000
   */
  readonly maxWaitMs: number;
  /**
   * When to retry `create` and `track`, which are not idempotent. `"documented"`: after 429 and 500, as the spec says,
   * after a 503 with `Retry-After`, and if provably nothing was sent. `"safe"`: only after 429 and if provably nothing was sent.
   * `"always"`: like a read.
   *
   * @defaultValue "documented"
   */
  readonly writes: "documented" | "safe" | "always";
}

/** Parts of a retry policy. Options that are left out keep their values. */
export type RetryOptions = { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined };

/**
 * Headers as the platform takes them: a `Headers`, pairs, or an object of strings by name. `null` leaves out a header that would be
 * sent otherwise.
 */
export type HeaderOptions = object;

/** Settings of a client. `strict` decides the types of its results. */
export interface ClientOptions<Strict extends boolean = boolean, Added extends object = object> {
  /**
   * Secret key of the account: visible ASCII, 1 to 512 characters. A function is called before every attempt, and
   * once more after a 401, so that keys can rotate. The key is never logged or shown.
   *
   * @defaultValue the environment variable `LANDING_PAGES_API_KEY`
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * URL of the service: `https`, or `http` on this machine; without credentials, query or fragment, and without the `/api` that all
   * paths begin with.
   *
   * @defaultValue the environment variable `LANDING_PAGES_BASE_URL`
   */
  readonly baseUrl?: string | URL | undefined;
  /** Sends one request. @defaultValue the platform's `fetch` */
  readonly fetch?: Fetch | undefined;
  /**
   * Hooks of ky that see and may change every request and every response, for example to add a header or to trace. A hook that
   * throws ends the call.
   */
  readonly hooks?: RequestHooks | undefined;
  /**
   * Longest time for one attempt, body included, in milliseconds, 1 or more. If the process was busy or frozen when the time was over, a
   * response that has arrived meanwhile still counts.
   *
   * @defaultValue 15000; for a call, the value of its client
   */
  readonly timeoutMs?: number | undefined;
  /** Longest time for a whole call, all attempts and waits included, in milliseconds, 1 or more. @defaultValue 120000; for a call, the value of its client */
  readonly totalTimeoutMs?: number | undefined;
  /** When and how to retry; `false` never retries. An option that is left out has its default, or for a call the value of the client. */
  readonly retry?: RetryOptions | false | undefined;
  /** Further headers for every request. Those of a call override headers of its client with the same name. Headers that the client sets itself, such as `Authorization`, are refused. @defaultValue `Accept` and `User-Agent` with the version of this package */
  readonly headers?: HeaderOptions | undefined;
  /** Largest number of requests in flight, 1 or more; other calls wait. Clients that share a rate limiter share the number. @defaultValue 64 */
  readonly maxInFlight?: number | undefined;
  /** Largest response body, decompressed, in bytes, 1 or more. If the call needs the body, a larger one is a `ResponseValidationError`; otherwise it is cut. @defaultValue 16777216 (16 MiB) */
  readonly maxAnswerBytes?: number | undefined;
  /**
   * Whether every page must be whole. If a documented field is missing or has another type, the call fails with a
   * `ResponseValidationError`, and all fields are certain in the types. Otherwise only `id` and `domains` of a listed page are certain.
   *
   * @defaultValue false
   */
  readonly strict?: Strict | undefined;
  /**
   * Reads responses exactly by a dialect: `readBy(dialect)` from `@landing-page-service/sdk/dialect`. See the guide Responses.
   *
   * @defaultValue reads by the reference schema if it matches, else by structure
   */
  readonly read?: ResponseReader<Added> | undefined;
  /** Where log lines go, such as `console`. @defaultValue nowhere */
  readonly logger?: Logger | undefined;
  /** Lowest level of log lines that are written. @defaultValue "info" */
  readonly logLevel?: LogLevel | undefined;
  /** Called with an event for every request, response, retry and wait. Errors that it throws are ignored. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
  /** Returns the current time, milliseconds since 1970 UTC, for tests that move the clock. @defaultValue a monotonic clock, unaffected by changes of the wall clock */
  readonly now?: (() => number) | undefined;
  /** Returns a random number, 0 or more and below 1, for repeatable tests. @defaultValue `Math.random` */
  readonly random?: (() => number) | undefined;
  /**
   * Waits before a retry and for the rate limit, for tests that do not wait: `async (ms) => clock.advance(ms)`. May end at once.
   *
   * @defaultValue a timer; if `now` is passed, the wait also ends when that much time has passed on `now`
   */
  readonly sleep?: Sleep | undefined;
  /** Allows an `http` base URL on another machine, such as in a private network. Everybody who sees the traffic can read the key. @defaultValue false */
  readonly allowInsecure?: boolean | undefined;
  /** Allows the client to start in a browser, where everyone can read the key. @defaultValue false */
  readonly allowBrowser?: boolean | undefined;
}

/** Settings of one call. */
export interface CallOptions extends Pick<ClientOptions, "timeoutMs" | "totalTimeoutMs" | "retry" | "headers"> {
  /** Ends the call at once, even while it waits. The call rejects with an `AbortedError`, which says what happened to the request. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings of one call that creates something. */
export interface WriteOptions extends CallOptions {
  /**
   * Identifies the call, the same on every attempt. A service that honours it carries out only one call with the same key.
   * Visible ASCII, 1 to 255 characters. Gap: see docs/spec-gaps.md#idempotency
   *
   * @defaultValue a random UUID
   */
  readonly idempotencyKey?: string | undefined;
}

const numbers = (noun: string, isOne: (value: unknown) => boolean) => (least: number) =>
  z.custom<number>(
    (value) => isOne(value) && value >= least && value <= longestTimerMs,
    `expected a ${noun} from ${least} to ${longestTimerMs}`,
  );
const numberFrom = numbers("number", Number.isFinite);
/** Checks a whole number that is not less than `least`. */
export const wholeFrom = numbers("whole number", Number.isInteger);
/** Checks a function. */
export const func = z.custom((value) => typeof value === "function", "expected a function");
const boolean = z.boolean("expected true or false");
/** Checks the methods of an object, because an object of another realm or library is not an `instanceof` of a class here. */
export const withMethods = (names: readonly string[], error: string) =>
  z.custom((value) => {
    const object = Object(value) as object; // why: `Object` returns nothing else
    return names.every((name) => typeof Reflect.get(object, name) === "function");
  }, error);

/** All names of some options. The compiler checks that none is missing. */
export type Names<Options> = { readonly [Name in keyof Required<Options>]: unknown };

/** An object with these fields, each optional, and with no others. */
export function optionsOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.partial(z.strictObject(shape));
}

/** Returns the result of a function; `undefined` when it throws. */
export function tryTo<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/**
 * Checks the names, types and ranges of options, at every level. Options whose names are in `input` are input of the operation `summary`.
 *
 * @throws {InvalidInputError} that names every problem, when only options in `input` are wrong.
 * @throws {ConfigurationError} that names every problem, with the nearest known name for an unknown one.
 */
export function checkOptions<Type>(schema: z.ZodMiniType<Type>, options: unknown, summary = "", input = {}): Type {
  // The string may be the API key, which no message repeats.
  if (typeof options === "string") throw new ConfigurationError("`options`: expected an object, got a string");
  const checked = checkValue(schema, options, "option");
  if (checked.success) return checked.data;
  const { issues } = checked;
  if (issues.every(({ path: [name = ""] }) => Object.hasOwn(input, name)))
    throw new InvalidInputError(summary, findFieldProblems(schema, options));
  const problems = issues.map(({ path, message }) => quote(`\`${formatPath(path) || "options"}\`: ${message}`));
  throw new ConfigurationError(problems.join("\n"));
}

/** Parts of a retry policy. */
export const policyNames = {
  maxAttempts: wholeFrom(1),
  baseDelayMs: numberFrom(0),
  maxDelayMs: numberFrom(0),
  maxWaitMs: numberFrom(0),
  writes: z.enum(["documented", "safe", "always"], 'expected "documented", "safe" or "always"'),
} satisfies Names<RetryPolicy>;

const wrongHeaders = "must be a Headers, pairs, or an object of names and values";

/** Checks options of a call. */
export const callSchema = optionsOf({
  signal: withMethods(["addEventListener", "throwIfAborted"], "expected an AbortSignal"),
  timeoutMs: numberFrom(1),
  totalTimeoutMs: numberFrom(1),
  retry: z.union([z.literal(false), optionsOf(policyNames)], "expected an object or false"),
  headers: z.pipe(
    z.custom<object>((value) => typeof value === "object" && value !== null, wrongHeaders),
    z.transform(readHeaders),
  ),
} satisfies Names<CallOptions>);

/** Checks options of a call that creates something. */
export const writeSchema = optionsOf({
  ...callSchema.shape,
  idempotencyKey: z.string().check(z.regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")),
} satisfies Names<WriteOptions>);

const hook = z.array(func, "expected an array of functions");

/** Checks options of a client. `credentials.ts` checks the key and the base URL. */
export const clientSchema = optionsOf({
  apiKey: z.unknown(),
  baseUrl: z.unknown(),
  fetch: func,
  ...z.omit(callSchema, { signal: true }).shape,
  hooks: optionsOf({ init: hook, beforeRequest: hook, afterResponse: hook, beforeError: hook }),
  maxInFlight: wholeFrom(1),
  maxAnswerBytes: wholeFrom(1),
  strict: boolean,
  read: withMethods(["readPage", "readList"], "expected `readBy(dialect)`"),
  logger: withMethods(logLevels, `expected an object with the methods ${logLevels.join(", ")}, such as \`console\``),
  logLevel: z.enum(logLevels, `expected one of ${logLevels.join(", ")}`),
  onEvent: func,
  now: z.custom(isClock, "expected a function that returns milliseconds since 1970, such as `Date.now`"),
  random: func,
  sleep: func,
  allowInsecure: boolean,
  allowBrowser: boolean,
} satisfies Names<ClientOptions>);

/** Checks options of a queue. */
export const queueSchema = optionsOf({
  ...callSchema.shape,
  capacity: wholeFrom(1),
  capacityBytes: wholeFrom(1),
  concurrency: wholeFrom(1),
  onLost: func,
} satisfies Names<EventQueueOptions>);

const timeoutMs = z.custom((value) => typeof value === "number" && value >= 0, "expected a number of 0 or more");

/** Checks options that end a queue. */
export const endSchema = optionsOf({ timeoutMs } satisfies Names<EndOptions>);
/** Checks options of a flush. */
export const flushSchema = optionsOf({ timeoutMs, signal: callSchema.shape.signal } satisfies Names<FlushOptions>);

/** Calls a clock once to check it. With an invalid time, every call and wait would end at once or never. */
function isClock(value: unknown): boolean {
  return typeof value === "function" && tryTo(() => Number.isFinite(value())) === true;
}

/** Reads headers by lower-case name; `null` removes a header. A wrong value may be a secret, so no message repeats it. */
function readHeaders(given: object, { issues }: z.core.ParsePayload): Record<string, string | null> {
  const refuse = (message: string, path: string[] = []) => issues.push({ code: "custom", message, path, input: given });
  const headers: Record<string, string | null> = {};
  const entries = Symbol.iterator in given ? (given as Iterable<unknown>) : Object.entries(given); // why: it is one
  for (const pair of entries) {
    const [name, value, ...rest] = (Array.isArray(pair) ? pair : []) as unknown[]; // why: it may hold anything
    if (typeof name !== "string" || rest.length > 0) refuse(wrongHeaders);
    else if (ownHeader.test(name)) refuse("is set by the client itself", [name]);
    else if (value === null || (typeof value === "string" && tryTo(() => new Headers([[name, value]]))))
      headers[name.toLowerCase()] = value;
    else if (value !== undefined) refuse("cannot be sent as it is", [name]);
  }
  return headers;
}

const ownHeader =
  /^(?:authorization|content-(?:type|length)|idempotency-key|host|transfer-encoding|connection|keep-alive|upgrade|expect)$/i;

/** Settings of a client, or of a call: every option with its value, passed or by default. */
export type Settings = Omit<ClientOptions & WriteOptions, keyof typeof defaults> & typeof defaults;

const retry: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 500,
  maxDelayMs: 8000,
  maxWaitMs: 60_000,
  writes: "documented",
};
const headers: Readonly<Record<string, string>> = {
  accept: "application/json",
  "user-agent": `landing-page-service-sdk/${manifest.version}`,
};

/** Current time in milliseconds since 1970 UTC, on a monotonic clock, unaffected by changes of the wall clock. */
export function monotonicNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Settings of a client that is made without options. */
export const defaults = {
  timeoutMs: 15_000,
  totalTimeoutMs: 120_000,
  retry,
  headers,
  maxInFlight: 64,
  maxAnswerBytes: 16 * 1024 * 1024,
  // Looked up for every request, so that a test or a tracer can replace it later.
  fetch: (url: string, init: FetchInit) => globalThis.fetch(url, init),
  now: monotonicNow,
  random: () => Math.random(),
};

type Merged = Pick<Settings, "retry" | "headers">;
type Schema = z.ZodMiniType<{ headers?: Record<string, string | null> | undefined }>;

/**
 * Checks options and merges them into settings.
 *
 * @throws {ConfigurationError} when one is wrong.
 */
export function mergeSettings<Base extends Merged>(settings: Base, options: ClientOptions, schema: Schema): Base {
  const { headers } = checkOptions(schema, options);
  const { retry = {}, ...others } = definedOnly(options);
  const merged = Object.entries({ ...settings.headers, ...headers }).filter(([, value]) => value !== null);
  return {
    ...settings,
    ...others,
    retry: { ...settings.retry, ...(retry === false ? { maxAttempts: 1 } : definedOnly(retry)) },
    headers: Object.fromEntries(merged),
  };
}

/** The fields that are not `undefined`. */
function definedOnly<Fields extends object>(fields: Fields): Fields {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Fields; // why: only optional ones are left out
}
