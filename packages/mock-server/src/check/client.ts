import { readBody, readRateLimit } from "@landing-page-service/contract";
import { abridge, readText } from "./abridge.ts";
import { createdId, type Exchange, hasSucceeded } from "./exchange.ts";

/** Whose key a request carries. */
export type Caller = "account" | "other" | "wrongKey" | "anonymous";

/** How a request differs from others. */
export interface Call {
  readonly caller?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How the pages of a service are addressed. */
export interface Addressing {
  /** Whether the answer to a create tells the identifier; the listing does where not. */
  readonly isTold: boolean;
  /** What an identifier is in a path. */
  readonly spell: (id: string) => string;
}

/** As the spec has it: by the identifier that answers tell. */
export const asTold: Addressing = { isTold: true, spell: (id) => id };

/** What a client of a check needs. */
export interface CheckClientOptions {
  readonly baseUrl: string;
  readonly keys: Readonly<Partial<Record<Caller, string | undefined>>>;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly now: () => number;
  readonly sleep: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  /** What the pages of the check have in them: it is not cut out of long answers. */
  readonly mark: string;
  readonly onRequest: (exchange: Exchange) => void;
}

/** A check could not be carried out, or not cleaned up after. The message never holds a key. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

/** The check was asked for with something that cannot be: nothing was sent. */
export class CheckOptionError extends CheckError {}

/** How often one request is sent again after a 429. */
const mostRefusals = 5;

/** A client that waits when told to, remembers every page it made, and records every exchange. */
export class CheckClient {
  /** Every exchange, in order. */
  readonly exchanges: Exchange[] = [];
  /** Pages made and not deleted, by identifier, with the key that made them. */
  readonly made = new Map<string, Caller>();
  /** Paths of the pages that the service said it deleted, and that may be listed even so. */
  readonly deleted = new Set<string>();
  /** How pages are addressed, as far as it is known. */
  addressing: Addressing = asTold;
  /** When no further request may be sent, milliseconds since 1970 UTC. */
  endsAtMs = Number.POSITIVE_INFINITY;
  /** Stops what is going on. */
  signal: AbortSignal | undefined;
  readonly #options: CheckClientOptions;
  #failures = 0;

  constructor(options: CheckClientOptions) {
    this.#options = options;
  }

  /** The identifier of the page that a create made, where such answers tell it. */
  toldId(exchange: Exchange): string | undefined {
    return this.addressing.isTold ? createdId(exchange) : undefined;
  }

  /** Changes how pages are addressed from here on; what a create has told is forgotten where that is no identifier. */
  setAddressing(addressing: Addressing, told: string | undefined): void {
    this.addressing = addressing;
    if (told === undefined) return;
    if (addressing.isTold) this.made.set(told, "account");
    else this.made.delete(told);
  }

  /** The path of a page. */
  pathOf(id: string): string {
    return `/api/content/${encodeURIComponent(this.addressing.spell(id))}`;
  }

  /**
   * Sends a request, written as method and path; a body that is no text goes as JSON. Refusals with 429 are waited out, then it is sent again.
   *
   * @throws {CheckError} when the service asks for a longer wait than allowed, or has not answered three times in a row, or the time is up.
   */
  async send(line: string, body?: unknown, { caller = "account", headers }: Call = {}): Promise<Exchange> {
    const [method = "", path = ""] = line.split(" ");
    const key = this.#options.keys[caller];
    const request = {
      method,
      origin: new URL(this.#options.baseUrl).origin,
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
      if (this.#options.now() > this.endsAtMs)
        throw new CheckError(
          `The check took too long, and ended after ${this.exchanges.length} requests: --total-timeout (totalTimeoutMs) gives it more time.`,
        );
      const exchange = await this.#exchange(request);
      this.exchanges.push(exchange);
      this.#options.onRequest(exchange);
      refuseForeign(exchange);
      if (exchange.answer?.status !== 429) return this.#remember(exchange, caller);
      await this.#options.sleep(this.#waitMs(exchange.answer.headers, refusals), this.signal);
    }
  }

  async #exchange(request: Exchange["request"]): Promise<Exchange> {
    try {
      const response = await this.#options.fetch(
        // The key must not follow a redirect to another host.
        new Request(this.#options.baseUrl + request.path, {
          ...request,
          redirect: "manual",
          signal: AbortSignal.timeout(this.#options.timeoutMs),
        }),
      );
      const { text, isCut } = await readText(response);
      this.#failures = 0;
      const answer = { status: response.status, headers: Object.fromEntries(response.headers) };
      const short = abridge(text, this.#options.mark);
      const isWhole = short === text && !isCut;
      return { request, answer: { ...answer, body: short, ...(!isWhole && { abridgedFrom: text.length }) } };
    } catch (error) {
      return { request, answer: undefined, failure: explain(error) };
    }
  }

  #remember(exchange: Exchange, caller: Caller): Exchange {
    const { method, path } = exchange.request;
    if (exchange.answer === undefined) {
      this.#failures += 1;
      if (this.#failures >= 3) throw new CheckError(`The service stopped answering: ${exchange.failure}`);
    }
    if (!hasSucceeded(exchange)) return exchange;
    const id = method === "POST" && path === "/api/content" ? this.toldId(exchange) : undefined;
    if (id !== undefined) this.made.set(id, caller);
    if (method === "DELETE") {
      for (const made of this.made.keys()) if (this.pathOf(made) === path) this.made.delete(made);
      this.deleted.add(path);
    }
    return exchange;
  }

  #waitMs(headers: Readonly<Record<string, string>>, refusals: number): number {
    if (refusals >= mostRefusals) throw new CheckError(`The service answered 429 ${refusals + 1} times in a row.`);
    const nowMs = this.#options.now();
    const retryAfter = headers["retry-after"] ?? "";
    const resetAtMs = readRateLimit(new Headers(headers), nowMs)?.resetAtMs ?? nowMs;
    const askedMs = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : resetAtMs - nowMs;
    const waitMs = askedMs > 0 ? askedMs : 1000 * 2 ** refusals;
    if (waitMs <= this.#options.maxWaitMs) return waitMs;
    throw new CheckError(
      `The service asks to wait ${Math.ceil(waitMs / 1000)} s, longer than the ${this.#options.maxWaitMs / 1000} s allowed.`,
    );
  }
}

/** A redirect, or a page made for people where an answer was expected, comes from something else than the service. */
function refuseForeign({ request, answer }: Exchange): void {
  if (answer === undefined) return;
  const { status, headers, body } = answer;
  const what = `${request.method} ${request.path} was answered with ${status}`;
  if (status >= 300 && status < 400)
    throw new CheckError(
      `${what}, a redirect to ${headers["location"] ?? "nowhere"}: is that the base URL? The key does not follow redirects.`,
    );
  if (status < 300 && readBody(body).kind === "html")
    throw new CheckError(
      `${what} and an HTML page${titleOf(body)}: is this the service, or a proxy or login page before it?`,
    );
}

function titleOf(html: string): string {
  const title = /<title[^>]*>([^<]{1,200})</i.exec(html.slice(0, 20_000))?.[1]?.trim();
  return title === undefined || title === "" ? "" : ` titled ${JSON.stringify(title)}`;
}

/** `fetch` hides the reason in causes: "fetch failed" alone helps nobody. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === "bad port")
    return "fetch blocks this port, as browsers do: let the service listen on another one";
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`;
}
