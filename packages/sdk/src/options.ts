import type { Names } from "./known-options.ts";
import type { ClientEvent, Logger, LogLevel } from "./report/events.ts";
import type { RetryPolicy } from "./call/retry.ts";
import type { Sleep } from "./call/timers.ts";

/** The part of the platform's `fetch` that the client uses: an absolute URL, and beside it the rest of the request. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** A request but for its URL, as the platform's `fetch` takes it. */
export interface FetchInit {
  /** HTTP method. */
  readonly method: string;
  /** Values by lower-case name; the API key is one of them. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; absent where nothing is sent. */
  readonly body?: string;
  /** A redirect is an answer like any other: followed, it would take the API key along. */
  readonly redirect: "manual";
  /** Frameworks that replace `fetch` may cache responses; absent where the runtime does not take the option. */
  readonly cache?: "no-store";
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * Hooks as ky has them, run for every attempt on the request that is sent. They see the API key. ky's `beforeRetry` is not
 * among them, as the client itself tries again. What is typed with ky's own `InitHook`, `BeforeRequestHook` and
 * `BeforeErrorHook` fits; an `AfterResponseHook` does not, as it may ask ky to try again.
 * Source: the documentation of ky, "hooks".
 */
export interface RequestHooks {
  /** Changes ky's options, such as `headers` or `searchParams`, before the request is made of them. */
  init?: Hook<Record<string, unknown>, void>[];
  /** Changes the request in place, or gives another one to be sent, or a response instead of sending any. */
  beforeRequest?: Hook<HookState, Request | Response | void | Promise<Request | Response | void>>[];
  /** Sees a copy of every answer, and may give another one to be read instead. */
  afterResponse?: Hook<HookState & { response: Response }, Response | void | Promise<Response | void>>[];
  /** Sees why no answer came; gives the same error. */
  beforeError?: Hook<HookState & { error: Error }, Error | Promise<Error>>[];
}

/** A method, whose parameter may also be narrower: ky gives its hooks more than is told here, and its own types say so. */
type Hook<Given, Wanted> = { hook(given: Given): Wanted }["hook"];

/** What every hook is told. */
export interface HookState {
  /** The request, as it is or was sent. */
  readonly request: Request;
  /** Options of ky it was made of. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Parts of a retry policy; what is left out keeps its value. */
export type RetryOptions = { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined };

/** Headers as the platform takes them, or an object where `null` leaves out one that would be sent otherwise. */
export type HeaderOptions =
  Headers | readonly (readonly [name: string, value: string])[] | Readonly<Record<string, string | null | undefined>>;

/** Settings of a client, whose `strict` decides the types of what it gives. */
export interface ClientOptions<Strict extends boolean = boolean> {
  /**
   * Secret key of the account: visible ASCII, 1 to 512 characters. A function is asked before every attempt, and
   * once more after a 401, so that keys can rotate. It is never logged or shown.
   *
   * @defaultValue the environment variable `LANDING_PAGES_API_KEY`
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Where the service is: an `https` URL, or an `http` one on this machine, without credentials, query or fragment, and without
   * the `/api` that all paths begin with.
   *
   * @defaultValue the environment variable `LANDING_PAGES_BASE_URL`
   */
  readonly baseUrl?: string | URL | undefined;
  /** Sends one request. @defaultValue the platform's `fetch` */
  readonly fetch?: Fetch | undefined;
  /**
   * Hooks of ky that see, and may change, every request and every answer: for a header of each request, or a tracer. One that
   * throws ends the call.
   */
  readonly hooks?: RequestHooks | undefined;
  /**
   * Longest time for one attempt, body included, in milliseconds, 1 or more. In a process that was busy or frozen when it was over, what
   * has come meanwhile still counts.
   *
   * @defaultValue 15000
   */
  readonly timeoutMs?: number | undefined;
  /** Longest time for a whole call, all attempts and waits included, in milliseconds, 1 or more. @defaultValue 120000 */
  readonly totalTimeoutMs?: number | undefined;
  /** When and how to try again; what is left out has its default, `false` never tries again. */
  readonly retry?: RetryOptions | false | undefined;
  /** Further headers for every request. Those the client sets itself, such as `Authorization`, are refused. @defaultValue `Accept` and `User-Agent` with the version of this package */
  readonly headers?: HeaderOptions | undefined;
  /** Most requests under way at a time, 1 or more; the others wait at the gate. Clients that share the gate share the number. @defaultValue 64 */
  readonly maxInFlight?: number | undefined;
  /** Largest answer that is read, decompressed, in bytes, 1 or more; a larger one is a `ResponseValidationError` where the call needs it, cut elsewhere. @defaultValue 16777216 (16 MiB) */
  readonly maxAnswerBytes?: number | undefined;
  /**
   * Whether every record must be whole: one that lacks a documented field, or gives it another type, is a
   * `ResponseValidationError`, and the types say so. Otherwise only `id` and `domains` of a listed page are certain.
   *
   * @defaultValue false
   */
  readonly strict?: Strict | undefined;
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
  /**
   * Waits before a retry and at the gate, for tests that do not wait: `async (ms) => clock.advance(ms)`. May end at once.
   *
   * @defaultValue a timer that also ends when `now` has passed the moment
   */
  readonly sleep?: Sleep | undefined;
  /** Allows an `http` base URL beyond this machine, such as in a private network: whoever sees the traffic can read the key. @defaultValue false */
  readonly allowInsecure?: boolean | undefined;
  /** Allows the client to start in a browser, where everyone can read the key. @defaultValue false */
  readonly allowBrowser?: boolean | undefined;
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call at once, also while it waits; it then rejects with an `AbortedError`, which tells what became of the request. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time for one attempt, body included, in milliseconds, 1 or more. @defaultValue that of the client */
  readonly timeoutMs?: number | undefined;
  /** Longest time for the whole call, all attempts and waits included, in milliseconds, 1 or more. @defaultValue that of the client */
  readonly totalTimeoutMs?: number | undefined;
  /** When and how to try again; what is left out is as the client has it, `false` never does. */
  readonly retry?: RetryOptions | false | undefined;
  /** Further headers, beside and before those of the client. */
  readonly headers?: HeaderOptions | undefined;
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

/** Names of the hooks there are. */
export const hookNames: Names<RequestHooks> = {
  init: true,
  beforeRequest: true,
  afterResponse: true,
  beforeError: true,
};

/** Names of the options of a call. */
export const callOptions: Names<CallOptions> = {
  signal: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  retry: true,
  headers: true,
};

/** Names of the options of a call that creates something. */
export const writeOptions: Names<WriteOptions> = { ...callOptions, idempotencyKey: true };

/** Names of the options of a client. */
export const clientOptions: Names<ClientOptions> = {
  apiKey: true,
  baseUrl: true,
  fetch: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  retry: true,
  headers: true,
  hooks: true,
  maxInFlight: true,
  maxAnswerBytes: true,
  strict: true,
  logger: true,
  logLevel: true,
  onEvent: true,
  now: true,
  random: true,
  sleep: true,
  allowInsecure: true,
  allowBrowser: true,
};
