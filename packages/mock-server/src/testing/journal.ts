import type { EndpointName, HeaderLookup } from "@landing-page-service/contract";
import type { Account } from "../state/accounts.ts";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";
import { Ring } from "../state/ring.ts";
import { checkMatch, compileMatch, type MatchableRequest, matchNames, type RequestMatch } from "./match.ts";

/** Requests kept; one more pushes out the oldest. */
const mostRequests = 1_000;
/** Bytes kept of a request's body. */
const mostBodyBytes = 64 * 1024;
/** Longest time that a timer can be set to, in milliseconds. */
const longestWaitMs = 2 ** 31 - 1;
/** Where callers put keys, rightly or wrongly. */
const secretHeader = /^(?:proxy-)?authorization$|api-?key|^cookie$/i;

/** Which requests of a whole service are meant. */
export interface RequestFilter extends RequestMatch {
  /** API key of the account that they came from. @defaultValue every account, and callers without one */
  key?: string;
}

/** How long to wait for a request. */
export interface WaitOptions {
  /** Milliseconds of real time to wait, 0 to 2^31 - 1. @defaultValue 5 000 */
  timeoutMs?: number;
  /** Ends the wait; it rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A request that was answered, as the journal keeps it. */
export class RecordedRequest implements MatchableRequest {
  /** Identifier of the request, as in `X-Request-Id`. */
  readonly id: string;
  /** Account it came from: its id, or the key of a sandbox with all but its kind and end hidden; `undefined` when the key opened none. */
  readonly account: string | undefined;
  /** Endpoint that it reached; `undefined` when its path or method lead to none. */
  readonly endpoint: EndpointName | undefined;
  /** HTTP method. */
  readonly method: string;
  /** Path without the query, percent-encoded. */
  readonly path: string;
  /** Query without `?`, percent-encoded. */
  readonly query: string;
  /** Status of the answer. */
  readonly status: number;
  /** Moment it came, milliseconds since 1970 UTC on the service's clock. */
  readonly startedAtMs: number;
  /** Length of the whole body, in bytes; what is above 1 MiB is not counted. */
  readonly bodyBytes: number;
  readonly #accountId: string | undefined;
  readonly #headers: HeaderLookup;
  readonly #body: Uint8Array | undefined;

  /** Keeps what is worth knowing of a request and its answer. */
  constructor({ request, answer, id, account, endpoint, startedAtMs }: JournalEntry) {
    this.id = id;
    this.account = account?.label;
    this.endpoint = endpoint;
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.status = answer.status;
    this.startedAtMs = startedAtMs;
    this.bodyBytes = request.body?.length ?? 0;
    this.#accountId = account?.id;
    this.#headers = request.headers;
    // A copy: a part of the body, which is what a Buffer's slice is, would keep all of it alive.
    this.#body =
      this.bodyBytes > mostBodyBytes ? Uint8Array.from(request.body?.subarray(0, mostBodyBytes) ?? []) : request.body;
  }

  /** A header of the request by its name; `null` when it is missing. Those that hold keys, such as `Authorization`, are `[redacted]`. */
  header(name: string): string | null {
    const value = this.#headers.get(name);
    return value === null || !secretHeader.test(name) ? value : "[redacted]";
  }

  /** The body as text, at most its first 64 KiB; empty when there is none. */
  get body(): string {
    return new TextDecoder().decode(this.#body);
  }

  /** The body read as JSON, or else as text; `undefined` when there is none. */
  get content(): unknown {
    if (this.bodyBytes === 0) return undefined;
    try {
      return this.json();
    } catch {
      return this.body;
    }
  }

  /** Whether the body is longer than what is kept of it. */
  get isBodyCut(): boolean {
    return this.bodyBytes > mostBodyBytes;
  }

  /** Identifier of the page that it was about; `undefined` when it was about none. */
  get pageId(): string | undefined {
    const id = /^\/api\/content\/([^/]+)$/.exec(this.path)?.[1];
    return id;
  }

  /** The body read as JSON. @throws {SyntaxError} when it is not JSON, or longer than what is kept. */
  json(): unknown {
    return JSON.parse(this.body);
  }

  /** Whether it came from an account. */
  isFrom(accountId: string): boolean {
    return this.#accountId === accountId;
  }

  /** The request as plain data, with the body as text. */
  toJSON(): object {
    const { id, account, endpoint, method, path, query, status, startedAtMs, bodyBytes, body } = this;
    return { id, account, endpoint, method, path, query, status, startedAtMs, bodyBytes, body };
  }
}

/** What is written into the journal. */
export interface JournalEntry {
  readonly request: PlainRequest;
  readonly answer: PlainAnswer;
  readonly id: string;
  readonly account: Account | undefined;
  readonly endpoint: EndpointName | undefined;
  readonly startedAtMs: number;
}

type Matcher = (request: RecordedRequest) => boolean;

/** The last requests of a service. */
export class Journal {
  readonly #requests = new Ring<RecordedRequest>(mostRequests);
  readonly #waiting = new Map<Matcher, (request: RecordedRequest) => void>();

  record(entry: JournalEntry): void {
    const request = new RecordedRequest(entry);
    this.#requests.push(request);
    for (const [matches, resolve] of this.#waiting) if (matches(request)) resolve(request);
  }

  /** Requests pushed out by later ones. */
  get forgotten(): number {
    return this.#requests.dropped;
  }

  /** Requests that match, oldest first. */
  find(matches: Matcher): RecordedRequest[] {
    return Array.from(this.#requests).filter(matches);
  }

  /** The first request that matches, of those already kept or those to come. */
  async wait(matches: Matcher, { timeoutMs = 5_000, signal }: WaitOptions = {}): Promise<RecordedRequest> {
    signal?.throwIfAborted();
    if (!(timeoutMs >= 0 && timeoutMs <= longestWaitMs))
      throw new RangeError(`timeoutMs: expected 0 to ${longestWaitMs}, got ${timeoutMs}`);
    const [known] = this.find(matches);
    if (known !== undefined) return known;
    const { promise, resolve, reject } = Promise.withResolvers<RecordedRequest>();
    const abort = (): void => reject(signal?.reason);
    const timer = setTimeout(() => reject(new Error(`No matching request came within ${timeoutMs} ms`)), timeoutMs);
    signal?.addEventListener("abort", abort);
    this.#waiting.set(matches, resolve);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#waiting.delete(matches);
    }
  }

  /** Forgets the requests of one account. */
  clearAccount(accountId: string): void {
    this.#requests.remove((request) => request.isFrom(accountId));
  }

  /** Forgets all requests. */
  clear(): void {
    this.#requests.remove(() => true);
  }
}

/** Turns a filter into a test; `accountIdOf` finds the account of a key. */
export function createMatcher(where: string, filter: RequestFilter, accountIdOf: (key: string) => string): Matcher {
  checkMatch(where, filter, [...matchNames, "key"]);
  const { key, ...match } = filter;
  const accountId = key === undefined ? undefined : accountIdOf(key);
  const matches = compileMatch(match);
  return (request) => (accountId === undefined || request.isFrom(accountId)) && matches(request);
}
