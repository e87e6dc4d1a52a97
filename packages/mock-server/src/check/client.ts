// Sends the requests of a check, within its limits, and records every exchange.
import { findExcess, readRateLimit, redact } from "@landing-page-service/contract";
import { parseExactJson, readBody } from "@landing-page-service/contract/internal";
import type { DialectFile } from "@landing-page-service/contract/dialect";

/** A request and its response, or why there was none. */
export interface Exchange {
  /** What was sent. */
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

/** Whose key a request carries. */
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

/** How a check is done. */
export interface CheckOptions {
  /** Scheme and host of the service: https, or http on this machine. */
  readonly baseUrl: string;
  /** API key of the account to use; it appears nowhere in the report. */
  readonly apiKey: string;
  /** Key of a second account, which lets the check see whether accounts are apart. */
  readonly otherApiKey?: string;
  /** Go on although the account already holds pages; those are neither changed nor deleted. @defaultValue false */
  readonly yes?: boolean;
  /** Make 21 pages instead of a few, which shows the default limit at work: 40 requests more. @defaultValue false */
  readonly thorough?: boolean;
  /** A dialect to compare the service with. @defaultValue nothing is compared */
  readonly compare?: DialectFile;
  /** Stops the check early. Its pages are deleted all the same. */
  readonly signal?: AbortSignal;
  /** Called after every response. */
  readonly onProgress?: (progress: CheckProgress) => void;
  /** Longest wait on a 429, milliseconds; a longer one ends the check. @defaultValue 120 000 */
  readonly maxWaitMs?: number;
  /** Longest time for one request, milliseconds. @defaultValue 30 000 */
  readonly timeoutMs?: number;
  /** Longest time for all requests before those that clean up, waits included, and again for those, milliseconds. @defaultValue 600 000 */
  readonly totalTimeoutMs?: number;
  /** Marks the pages of this check: their slugs begin with `landing-page-check-` and this. @defaultValue 8 random characters */
  readonly runId?: string;
  /** Sends a request. @defaultValue the global `fetch` */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** The current time, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  readonly now?: () => number;
  /** Waits; rejects when the signal fires. @defaultValue a timer */
  readonly sleep?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** How far a check has come. */
export interface CheckProgress {
  /** Responses so far. A whole check of an account without pages takes about 60. */
  readonly requests: number;
  /** What is being done, in a word or two. */
  readonly phase: string;
}

type Optional = "otherApiKey" | "compare" | "signal" | "onProgress" | "fetch" | "runId";

/** The options of a check with their defaults, and the slug that every page of it begins with. */
export type Settings = Required<Omit<CheckOptions, Optional>> &
  Pick<CheckOptions, Optional> & { readonly prefix: string };

/** The check, or its clean-up, failed. The message never contains a key. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

/** An option of the check is impossible: nothing was sent. */
export class CheckOptionError extends CheckError {}

/** How often one request is sent again after a 429. */
const mostRefusals = 5;
/** Longest body that is read, bytes. */
const mostBytes = 4 * 2 ** 20;
/** Most values in JSON that is read. */
const mostValues = 50_000;

/** Sends one request at a time, waits when the service asks for it, and records every exchange. */
export class CheckClient {
  /** Every exchange, in order. */
  readonly exchanges: Exchange[] = [];
  readonly settings: Settings;
  /** What is being done, in a word or two. */
  phase = "looking";
  /** Stops the request or the wait that is going on. */
  signal: AbortSignal | undefined;
  #endsAtMs: number;
  #failures = 0;

  constructor(settings: Settings) {
    this.settings = settings;
    this.signal = settings.signal;
    this.#endsAtMs = settings.now() + settings.totalTimeoutMs;
  }

  /** A text without the keys. */
  redact(text: string): string {
    const { apiKey, otherApiKey } = this.settings;
    return redact(
      text,
      [apiKey, otherApiKey].filter((key) => key !== undefined),
    );
  }

  /** Goes on with cleaning up, for which there is as much time again. The signal no longer stops it. */
  beginCleanUp(): void {
    this.phase = "cleaning up";
    this.signal = undefined;
    this.#endsAtMs = this.settings.now() + this.settings.totalTimeoutMs;
  }

  /**
   * Sends a request, and sends it again after the wait that a 429 asks for.
   *
   * @throws {CheckError} when a wait is too long, there was no response three times in a row, no API responds like this, or the time is up.
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
      if (this.#failures >= 3) throw new CheckError(`The service stopped answering: ${exchange.failure}`);
      if (exchange.answer?.status !== 429) return exchange;
      const waitMs = this.#waitMs(exchange.answer.headers, refusals);
      this.#remainingMs(waitMs);
      await sleep(waitMs, this.signal);
    }
  }

  /** The time that is left for the check, which must be more than `neededMs`. */
  #remainingMs(neededMs = 0): number {
    const remainingMs = this.#endsAtMs - this.settings.now();
    if (remainingMs > neededMs) return remainingMs;
    throw new CheckError(
      `The check took too long, and ended after ${this.exchanges.length} requests: --total-timeout (totalTimeoutMs) gives it more time.`,
    );
  }

  async #exchange(request: Exchange["request"], remainingMs: number): Promise<Exchange> {
    const timeoutMs = Math.min(this.settings.timeoutMs, remainingMs);
    const { signal: stop } = this;
    const controller = new AbortController();
    const { signal } = controller;
    const late = new Error(`no response within ${Math.ceil(timeoutMs)} ms`);
    const timer = setTimeout(() => controller.abort(late), timeoutMs);
    const onStop = (): void => controller.abort(stop?.reason);
    stop?.addEventListener("abort", onStop);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    try {
      // A race, because a `fetch` that ignores the signal must not hold up the check.
      return { request, answer: await Promise.race([this.#receive(request, signal), aborted]) };
    } catch (error) {
      stop?.throwIfAborted();
      if (error instanceof CheckError) throw error;
      return { request, answer: undefined, failure: explain(error) };
    } finally {
      clearTimeout(timer);
      stop?.removeEventListener("abort", onStop);
      // Closes the connection of a body that was not read to its end.
      controller.abort();
    }
  }

  async #receive(request: Exchange["request"], signal: AbortSignal): Promise<NonNullable<Exchange["answer"]>> {
    const { baseUrl, fetch: send } = this.settings;
    const { method, path, headers, body } = request;
    // The key must not follow a redirect to another host.
    const init: RequestInit = { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) };
    // Not as a Request by default: a collected Request no longer passes on the signal.
    const response = await (send === undefined ? fetch(baseUrl + path, init) : send(new Request(baseUrl + path, init)));
    const text = await readText(response, `${method} ${path} was answered with`);
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
  }

  #waitMs(headers: Readonly<Record<string, string>>, refusals: number): number {
    if (refusals >= mostRefusals) throw new CheckError(`The service answered 429 ${refusals + 1} times in a row.`);
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
    if (bytes > mostBytes)
      throw new CheckError(`${what} more than ${mostBytes / 2 ** 20} MiB: try an account with fewer pages.`);
    text += decoder.decode(chunk, { stream: true });
  }
  text += decoder.decode();
  // Checked before parsing, because a parsed body is traversed many times.
  const excess = findExcess(text, mostValues);
  if (excess !== undefined) throw new CheckError(`${what} ${excess}: try an account with fewer pages.`);
  return text;
}

/** A redirect, or a page made for people where JSON was expected, comes from something else than the service. */
function refuseForeign({ request, answer }: Exchange): void {
  if (answer === undefined) return;
  const { status, headers, body } = answer;
  const what = `${request.method} ${request.path} was answered with ${status}`;
  if (status >= 300 && status < 400)
    throw new CheckError(
      `${what}, a redirect to ${headers["location"] ?? "nowhere"}: is that the base URL? The key does not follow redirects.`,
    );
  if (status >= 300 || readBody(body).kind !== "html") return;
  const title = /<title[^>]*>([^<]{1,200})</i.exec(body.slice(0, 20_000))?.[1]?.trim() ?? "";
  const titled = title === "" ? "" : ` titled ${JSON.stringify(title)}`;
  throw new CheckError(`${what} and an HTML page${titled}: is this the service, or a proxy or login page before it?`);
}

/** The message of an error with those of its causes, because `fetch` hides the reason there. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === "bad port")
    return "fetch blocks this port, as browsers do: let the service listen on another one";
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`;
}

/** Whether the response is a success. */
export function hasSucceeded(
  exchange: Exchange | undefined,
): exchange is Exchange & { readonly answer: NonNullable<Exchange["answer"]> } {
  const status = exchange?.answer?.status ?? 0;
  return status >= 200 && status < 300;
}

/** The body as JSON, with all digits of its integers; `undefined` if it is not JSON. */
export function jsonOf(exchange: Exchange | undefined): unknown {
  return parseExactJson(exchange?.answer?.body ?? "");
}
