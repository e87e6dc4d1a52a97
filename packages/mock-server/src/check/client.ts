// Sends the requests of a check, within its limits, and records every exchange.
import { findExcess, readRateLimit, redact } from "@landing-page-service/contract";
import { isHtml, parseExactJson } from "@landing-page-service/contract/internal";
import type { DialectFile } from "@landing-page-service/contract/dialect";

/** A request and its response, or why there was none. */
export interface Exchange {
  /** The request as sent. */
  readonly request: {
    /** HTTP method. */
    readonly method: string;
    /** Scheme and host that were called. */
    readonly origin: string;
    /** Path and query. */
    readonly path: string;
    /** Headers, by lower-case name. */
    readonly headers: Readonly<Record<string, string>>;
    /** Body; absent if there is none. */
    readonly body?: string;
  };
  /** The response; `undefined` if there was none. */
  readonly answer:
    | {
        /** HTTP status. */
        readonly status: number;
        /** Headers, by lower-case name. */
        readonly headers: Readonly<Record<string, string>>;
        /** Body; `""` if there is none. */
        readonly body: string;
      }
    | undefined;
  /** Why there was no response; absent if there was one. */
  readonly failure?: string;
}

/** The key that a request carries. */
type Caller = "account" | "other" | "wrongKey" | "anonymous";

/** A request to send. */
export interface Call {
  readonly method: string;
  readonly path: string;
  /** A string is sent as it is, anything else as JSON; absent when there is no body. */
  readonly body?: unknown;
  readonly caller?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of `checkService`. */
export interface CheckOptions {
  /** Scheme and host of the service: https, or http on this machine. */
  readonly baseUrl: string;
  /** API key of the account to use. The report never contains it. */
  readonly apiKey: string;
  /** Key of a second account. The check then tests whether one account can see or change the pages of the other. */
  readonly otherApiKey?: string | undefined;
  /** Whether to check an account that already has pages. The check neither changes nor deletes those. @defaultValue false */
  readonly yes?: boolean | undefined;
  /** Whether to create 21 pages, to test the default limit of lists. This takes 40 requests more. @defaultValue false */
  readonly thorough?: boolean | undefined;
  /** A dialect to compare the service with. @defaultValue nothing is compared */
  readonly compare?: DialectFile | undefined;
  /** Stops the check early. Its pages are still deleted. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every response. */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
  /** Longest wait after a 429, milliseconds. A longer one ends the check. @defaultValue 120 000 */
  readonly maxWaitMs?: number | undefined;
  /** Longest time for one request, milliseconds. @defaultValue 30 000 */
  readonly timeoutMs?: number | undefined;
  /** Time limit of the check, including waits, milliseconds. Cleaning up has the same time limit again. @defaultValue 600 000 */
  readonly totalTimeoutMs?: number | undefined;
  /** Identifies the pages of this check. Their slugs begin with `landing-page-check-` and this. @defaultValue 8 random characters */
  readonly runId?: string | undefined;
  /** Sends a request. @defaultValue the global `fetch` */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** The current time, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  readonly now?: (() => number) | undefined;
  /** Waits; rejects when the signal aborts. @defaultValue a timer */
  readonly sleep?: ((delayMs: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** Progress of a check. */
export interface CheckProgress {
  /** Number of requests so far. A check of an account without pages sends about 60. */
  readonly requests: number;
  /** The current step, in a word or two. */
  readonly phase: string;
}

type Optional = "otherApiKey" | "compare" | "signal" | "onProgress" | "fetch" | "runId";

/** The options of a check with their defaults, and the prefix of its slugs. */
export type Settings = {
  readonly [Name in Exclude<keyof CheckOptions, Optional>]-?: NonNullable<CheckOptions[Name]>;
} & Pick<CheckOptions, Optional> & { readonly prefix: string };

/** Error of a check or its cleanup. The message never contains a key. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

/** Error for an invalid option. The check sent nothing. */
export class CheckOptionError extends CheckError {}

/** Most retries of one request after a 429. */
const maxRefusals = 5;
/** Longest body, bytes. */
const maxBytes = 4 * 2 ** 20;
/** Most values in a JSON body. */
const maxValues = 50_000;

/** Sends one request at a time, waits when the service asks for it, and records every exchange. */
export class CheckClient {
  /** Every exchange, in order. */
  readonly exchanges: Exchange[] = [];
  readonly settings: Settings;
  /** The current step, in a word or two. */
  phase = "listing pages";
  /** Stops the current request or wait. */
  signal: AbortSignal | undefined;
  #endsAtMs: number;
  #failures = 0;

  constructor(settings: Settings) {
    this.settings = settings;
    this.signal = settings.signal;
    this.#endsAtMs = settings.now() + settings.totalTimeoutMs;
  }

  /** Removes the keys from a string. */
  redact(text: string): string {
    const { apiKey, otherApiKey = apiKey } = this.settings;
    return redact(text, [apiKey, otherApiKey]);
  }

  /** Begins the cleanup, with its own time limit. The signal no longer stops the check. */
  beginCleanUp(): void {
    this.phase = "cleaning up";
    this.signal = undefined;
    this.#endsAtMs = this.settings.now() + this.settings.totalTimeoutMs;
  }

  /**
   * Sends a request, and retries it after the wait that a 429 asks for.
   *
   * @throws {CheckError} when a wait is too long, three requests in a row have no response, a response does not come from the service, or the time is up.
   */
  async send({ method, path, body, caller = "account", headers }: Call): Promise<Exchange> {
    const { baseUrl, apiKey, otherApiKey, prefix, onProgress, sleep } = this.settings;
    const key = { account: apiKey, other: otherApiKey, wrongKey: `${prefix}-wrong-key`, anonymous: undefined }[caller];
    const request = {
      method,
      origin: new URL(baseUrl).origin,
      path,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    for (let refusals = 0; ; refusals += 1) {
      this.signal?.throwIfAborted();
      const exchange = await this.#exchange(request, this.#remainingMs());
      this.exchanges.push(exchange);
      onProgress?.({ requests: this.exchanges.length, phase: this.phase });
      refuseForeign(exchange);
      this.#failures = exchange.answer === undefined ? this.#failures + 1 : 0;
      if (this.#failures >= 3) throw new CheckError(`The service stopped responding: ${exchange.failure}`);
      if (exchange.answer?.status !== 429) return exchange;
      const waitMs = this.#waitMs(exchange.answer.headers, refusals);
      this.#remainingMs(waitMs);
      await sleep(waitMs, this.signal);
    }
  }

  /** The remaining time of the check. @throws {CheckError} when it is at most `neededMs`. */
  #remainingMs(neededMs = 0): number {
    const remainingMs = this.#endsAtMs - this.settings.now();
    if (remainingMs > neededMs) return remainingMs;
    throw new CheckError(
      `The check took too long, and ended after ${this.exchanges.length} requests. Raise --total-timeout (totalTimeoutMs).`,
    );
  }

  async #exchange(request: Exchange["request"], remainingMs: number): Promise<Exchange> {
    const timeoutMs = Math.ceil(Math.min(this.settings.timeoutMs, remainingMs));
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([late, ...(this.signal === undefined ? [] : [this.signal])]);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    try {
      // A race, because a `fetch` that ignores the signal must not hold up the check.
      return { request, answer: await Promise.race([this.#receive(request, signal), aborted]) };
    } catch (error) {
      this.signal?.throwIfAborted();
      if (error instanceof CheckError) throw error;
      const failure = late.aborted ? `no response within ${timeoutMs} ms` : explain(error);
      return { request, answer: undefined, failure };
    }
  }

  async #receive(request: Exchange["request"], signal: AbortSignal): Promise<NonNullable<Exchange["answer"]>> {
    const { baseUrl, fetch: send } = this.settings;
    const { method, path, headers, body } = request;
    // The key must not follow a redirect to another host.
    const init: RequestInit = { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) };
    // The global `fetch` gets no Request, because a Request that is garbage-collected no longer passes on the signal.
    const response = await (send === undefined ? fetch(baseUrl + path, init) : send(new Request(baseUrl + path, init)));
    const text = await readText(response, `The response to ${method} ${path} has`);
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
  }

  #waitMs(headers: Readonly<Record<string, string>>, refusals: number): number {
    if (refusals >= maxRefusals) throw new CheckError(`The service returned 429 ${refusals + 1} times in a row.`);
    const { maxWaitMs, now } = this.settings;
    const nowMs = now();
    const retryAfter = headers["retry-after"] ?? "";
    const resetAtMs = readRateLimit(new Headers(headers), nowMs)?.resetAtMs ?? nowMs;
    const askedMs = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : resetAtMs - nowMs;
    const waitMs = askedMs > 0 ? askedMs : 1000 * 2 ** refusals;
    if (waitMs <= maxWaitMs) return waitMs;
    throw new CheckError(
      `The service asks to wait ${Math.ceil(waitMs / 1000)} s, longer than the ${maxWaitMs / 1000} s allowed.`,
    );
  }
}

async function readText({ body }: Response, what: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new CheckError(`${what} more than ${maxBytes / 2 ** 20} MiB. Try an account with fewer pages.`);
    text += decoder.decode(chunk, { stream: true });
  }
  text += decoder.decode();
  // Checked before parsing, because a parsed body is traversed many times.
  const excess = findExcess(text, maxValues);
  if (excess !== undefined) throw new CheckError(`${what} ${excess}. Try an account with fewer pages.`);
  return text;
}

/** Refuses a redirect or an HTML page, which come from another server than the service. */
function refuseForeign({ request, answer }: Exchange): void {
  if (answer === undefined) return;
  const { status, headers, body } = answer;
  const what = `${request.method} ${request.path} returned ${status}`;
  if (status >= 300 && status < 400)
    throw new CheckError(
      `${what}, a redirect to ${headers["location"] ?? "nowhere"}. Is that the base URL? The check does not send the key to a redirect.`,
    );
  if (status >= 300 || !isHtml(body)) return;
  const title = /<title[^>]*>([^<]{1,200})</i.exec(body.slice(0, 20_000))?.[1]?.trim() ?? "";
  const titled = title === "" ? "" : ` titled ${JSON.stringify(title)}`;
  throw new CheckError(`${what} and an HTML page${titled}. Is this the service, or a proxy or login page?`);
}

/** The message of an error and its causes, because the errors of `fetch` have the reason in their cause. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === "bad port") return "fetch blocks this port, as browsers do. Use another port";
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`;
}

/** The error for a list request that fails at the start. */
export function nothingToCheck(status: number): CheckError {
  const hints: Record<number, string> = {
    401: "Is the key right?",
    403: "Is the key right?",
    404: "Is the base URL right? It is only the scheme and host.",
  };
  const hint = hints[status] ?? "Is the service healthy?";
  return new CheckError(`The service returned ${status} for a list, so there is nothing to check. ${hint}`);
}

/** Whether the response is a success. */
export function hasSucceeded(
  exchange: Exchange | undefined,
): exchange is Exchange & { readonly answer: NonNullable<Exchange["answer"]> } {
  const status = exchange?.answer?.status ?? 0;
  return status >= 200 && status < 300;
}

/** The body as JSON, with integers of any length; `undefined` if it is not JSON. */
export function jsonOf(exchange: Exchange | undefined): unknown {
  return parseExactJson(exchange?.answer?.body ?? "");
}
