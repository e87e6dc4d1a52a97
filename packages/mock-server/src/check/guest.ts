import { type HeaderLookup, parseJson, readRateLimit } from "@landing-page-service/contract";
import { isObject, isPathSegment, readId, readRecord } from "./answers.ts";

/** A request and its answer, or why there was none. */
export interface Exchange {
  /** What was sent. */
  readonly request: {
    /** HTTP method. */
    readonly method: string;
    /** Path and query. */
    readonly path: string;
    /** Headers, by lower-case name. */
    readonly headers: Readonly<Record<string, string>>;
    /** Body; absent when there is none. */
    readonly body?: string;
  };
  /** What came back; `undefined` when nothing did. */
  readonly answer:
    | {
        /** HTTP status. */
        readonly status: number;
        /** Headers, by lower-case name. */
        readonly headers: Readonly<Record<string, string>>;
        /** Body, `""` when there is none. */
        readonly body: string;
      }
    | undefined;
  /** Why nothing came back; absent when something did. */
  readonly failure?: string;
}

/** Whose key a request carries. */
export type Caller = "account" | "other" | "invalid" | "nobody";

/** A request to be sent. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly caller?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a guest needs. */
export interface GuestOptions {
  readonly baseUrl: string;
  readonly keys: Readonly<Partial<Record<Caller, string | undefined>>>;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly now: () => number;
  readonly sleep: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  readonly onRequest: (exchange: Exchange) => void;
}

/** A check could not be carried out, or not cleaned up after. The message never holds a key. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

/** How often one request is sent again after a 429. */
const mostRefusals = 5;

/** A caller with manners: it waits when told to, remembers every page it made, and writes down all that was said. */
export class Guest {
  /** All that was said, in order. */
  readonly exchanges: Exchange[] = [];
  /** Pages made and not deleted, by identifier, with the key that made them. */
  readonly made = new Map<string, Caller>();
  /** Pages that the service said it deleted, by identifier. */
  readonly deleted = new Set<string>();
  readonly #options: GuestOptions;
  #failures = 0;

  constructor(options: GuestOptions) {
    this.#options = options;
  }

  /**
   * Sends a request; refusals with 429 are waited out, then it is sent again.
   *
   * @throws {CheckError} when the service asks for a longer wait than allowed, or has not answered three times in a row.
   */
  async send(call: Call, signal?: AbortSignal): Promise<Exchange> {
    for (let refusals = 0; ; refusals += 1) {
      signal?.throwIfAborted();
      const exchange = await this.#exchange(call);
      this.exchanges.push(exchange);
      this.#options.onRequest(exchange);
      if (exchange.answer?.status !== 429) return this.#remember(call, exchange);
      await this.#options.sleep(this.#waitMs(exchange.answer.headers, refusals), signal);
    }
  }

  async #exchange(call: Call): Promise<Exchange> {
    const { method, path, caller = "account" } = call;
    const body = call.body === undefined || typeof call.body === "string" ? call.body : JSON.stringify(call.body);
    const key = this.#options.keys[caller];
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...call.headers,
    };
    const request = { method, path, headers, ...(body !== undefined && { body }) };
    try {
      const response = await this.#options.fetch(
        new Request(this.#options.baseUrl + path, {
          method,
          headers,
          // The key must not follow a redirect to another host.
          redirect: "manual",
          signal: AbortSignal.timeout(this.#options.timeoutMs),
          ...(body !== undefined && { body }),
        }),
      );
      const text = await response.text();
      this.#failures = 0;
      return {
        request,
        answer: { status: response.status, headers: Object.fromEntries(response.headers), body: text },
      };
    } catch (error) {
      return { request, answer: undefined, failure: explain(error) };
    }
  }

  #remember(call: Call, exchange: Exchange): Exchange {
    if (exchange.answer === undefined) {
      this.#failures += 1;
      if (this.#failures >= 3) throw new CheckError(`The service stopped answering: ${exchange.failure}`);
    }
    if (!hasSucceeded(exchange)) return exchange;
    const id = call.method === "POST" ? createdId(exchange) : undefined;
    if (id !== undefined && call.path === "/api/content") this.made.set(id, call.caller ?? "account");
    if (call.method === "DELETE") {
      const id = decodeURIComponent(call.path.slice("/api/content/".length));
      this.made.delete(id);
      this.deleted.add(id);
    }
    return exchange;
  }

  #waitMs(headers: Readonly<Record<string, string>>, refusals: number): number {
    if (refusals >= mostRefusals) throw new CheckError(`The service answered 429 ${refusals + 1} times in a row.`);
    const nowMs = this.#options.now();
    const retryAfter = headers["retry-after"] ?? "";
    const resetAtMs = readRateLimit(lookup(headers), nowMs)?.resetAtMs ?? nowMs;
    const askedMs = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : resetAtMs - nowMs;
    const waitMs = askedMs > 0 ? askedMs : 1000 * 2 ** refusals;
    if (waitMs <= this.#options.maxWaitMs) return waitMs;
    throw new CheckError(
      `The service asks to wait ${Math.ceil(waitMs / 1000)} s, longer than the ${this.#options.maxWaitMs / 1000} s allowed.`,
    );
  }
}

/** The identifier of the page that a create made, from its body or else its `Location`. */
export function createdId(exchange: Exchange | undefined): string | undefined {
  if (exchange?.answer === undefined || !hasSucceeded(exchange)) return undefined;
  const json = parseJson(exchange.answer.body);
  const record = readRecord(json)?.fields ?? (isObject(json) ? json : {});
  return readId(record)?.id ?? locatedId(exchange.answer.headers["location"] ?? "");
}

/** Whether the service answered with success. */
export function hasSucceeded(exchange: Exchange | undefined): boolean {
  const status = exchange?.answer?.status ?? 0;
  return status >= 200 && status < 300;
}

/** Looks up headers that are kept by lower-case name. */
function lookup(headers: Readonly<Record<string, string>>): HeaderLookup {
  return { get: (name) => headers[name.toLowerCase()] ?? null };
}

function locatedId(location: string): string | undefined {
  const path = URL.parse(location, "http://localhost")?.pathname ?? "";
  const [, segment = ""] = /^\/api\/content\/([^/]+)$/.exec(path) ?? [];
  try {
    const id = decodeURIComponent(segment);
    return isPathSegment(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** `fetch` hides the reason in causes: "fetch failed" alone helps nobody. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`;
}
