import type { EndpointName, HeaderLookup } from "@landing-page-service/contract";
import type { PlainAnswer, PlainRequest, WireFault } from "../exchange/plain.ts";
import { type Difference, findDifferences, type Matches, type RequestMatch } from "./match.ts";
import { redactKey } from "../state/keys.ts";
import { redact, redactHeader, redactQuery } from "./redact.ts";
import { readContent, RequestView } from "./request-view.ts";

/** Bytes kept of a body. */
const mostBodyBytes = 64 * 1024;

/** What is written into the journal. */
export interface JournalEntry {
  readonly request: PlainRequest;
  /** `undefined` when the caller went away before there was one. */
  readonly answer: PlainAnswer | undefined;
  /** Writes the answer's body once more, where that is cheaper than keeping it. */
  readonly rewrite: (() => string) | undefined;
  readonly id: string;
  /** Name of the account, as it may be shown. */
  readonly account: string | undefined;
  /** The key that it came with, which is never shown. */
  readonly key: string | undefined;
  readonly endpoint: EndpointName | undefined;
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Path of the page that it created. */
  readonly createdPath: string | undefined;
  /** Identifier of the planned fault that struck it. */
  readonly fault: string | undefined;
}

/** A request that came, as the journal keeps it: without keys. */
export class RecordedRequest {
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
  /** Status of the answer; `undefined` when there was none: the caller went away before, or a real service could not be reached. */
  readonly status: number | undefined;
  /** Moment it came, milliseconds since 1970 UTC on the account's clock. */
  readonly startedAtMs: number;
  /** Length of the whole body, in bytes; what is above 1 MiB is not counted. */
  readonly bodyBytes: number;
  /** Identifier of the planned fault that struck it; `undefined` when none did. */
  readonly fault: string | undefined;
  /** What it was answered. */
  readonly answer: RecordedAnswer;
  readonly #path: string;
  readonly #query: string;
  readonly #headers: HeaderLookup;
  /** The bytes kept of the body, a character for each: to make and to drop arrays of them would take longer than to answer. */
  readonly #bytes: string;
  readonly #createdPath: string | undefined;
  readonly #key: string | undefined;

  /** Keeps what is worth knowing of a request and its answer. */
  constructor(entry: JournalEntry) {
    const { request, id, account, key, endpoint, startedAtMs } = entry;
    this.id = id;
    this.account = account;
    this.endpoint = endpoint;
    this.method = request.method;
    this.path = redact(request.path, key);
    this.query = redactQuery(request.query, key);
    this.status = entry.answer?.status;
    this.startedAtMs = startedAtMs;
    this.fault = entry.fault;
    this.bodyBytes = request.body?.length ?? 0;
    this.answer = new RecordedAnswer(entry);
    this.#path = request.path;
    this.#query = request.query;
    this.#headers = request.hasOwnHeaders === true ? request.headers : copyHeaders(request.headers);
    // A copy: the caller may write over the body, and a part of it would keep all of it alive.
    this.#bytes = request.body === undefined ? "" : readBytes(request.body);
    this.#createdPath = entry.createdPath;
    this.#key = key;
    Object.freeze(this);
  }

  /** What it is matched by, with nothing redacted. */
  get #view(): RequestView {
    const { method, endpoint, answer } = this;
    const bytes = this.#bytes;
    const request = {
      method,
      path: this.#path,
      query: this.#query,
      headers: this.#headers,
      get body() {
        return Buffer.from(bytes, "latin1");
      },
    };
    return new RequestView({ request, endpoint, answer, createdPath: this.#createdPath });
  }

  /** A header of the request by its name; `null` when it is missing. Those that hold keys, such as `Authorization`, are `[redacted]`. */
  header(name: string): string | null {
    const value = this.#headers.get(name);
    return value === null ? null : redactHeader(name, value, this.#key);
  }

  /** The headers by their names in lower case, as far as the way they came in lists them. */
  get headers(): Record<string, string> {
    const names = listNames(this.#headers);
    return Object.fromEntries(names.map((name) => [name, this.header(name) ?? ""]));
  }

  /** Identifier of the account it came from, in full, as `service.account()` takes it: a sandbox's is its key, so it stands in no JSON. */
  get accountId(): string | undefined {
    const { account } = this;
    return this.#key !== undefined && account === redactKey(this.#key) ? this.#key : account;
  }

  /** Identifier of the page that it is about: updated, deleted, created, or named by an event; `undefined` when it is about none. */
  get pageId(): string | undefined {
    return this.#view.pageId;
  }

  /** The body as text, at most its first 64 KiB; empty when there is none. */
  get body(): string {
    return redact(new TextDecoder().decode(Buffer.from(this.#bytes, "latin1")), this.#key);
  }

  /** Whether the body is longer than what is kept of it. */
  get isBodyCut(): boolean {
    return this.bodyBytes > mostBodyBytes;
  }

  /** The body read as JSON. @throws {SyntaxError} when it is not JSON, or longer than what is kept. */
  json(): unknown {
    return JSON.parse(this.body);
  }

  /** Whether a test for requests lets it pass. */
  fits(matches: Matches): boolean {
    return matches(this.#view);
  }

  /** All that keeps it from being what a match means, keys redacted; empty when it is meant. */
  differencesFrom(match: RequestMatch): Difference[] {
    const places = new Set(findDifferences(this.#view, match).map(placeOf));
    const { endpoint, method, path, query, pageId, status } = this;
    const content = readContent(this.body);
    const header = (name: string): string | null => this.header(name);
    const shown = { endpoint, method, path, query, pageId, status, content, header };
    // What is only redacted is no difference.
    return findDifferences(shown, match).filter((difference) => places.has(placeOf(difference)));
  }

  /** The request and its answer as plain data, with the bodies as text. */
  toJSON(): object {
    const { id, account, endpoint, method, path, query, pageId, status, startedAtMs, fault, headers, bodyBytes } = this;
    const about = { id, account, endpoint, method, path, query, pageId, status, startedAtMs, ...(fault && { fault }) };
    return { ...about, headers, bodyBytes, body: this.body, answer: this.answer.toJSON() };
  }
}

/** An answer, as the journal keeps it: without keys. It is empty where there was none. */
export class RecordedAnswer {
  /** Status of the answer; `undefined` when there was none. */
  readonly status: number | undefined;
  /** How long it took, or until the caller went away, in milliseconds by the service's `now`. */
  readonly durationMs: number;
  /** How the connection was broken on the way; `undefined` when it was not. */
  readonly wire: WireFault | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: string | (() => string);
  readonly #isBodyCut: boolean;
  readonly #key: string | undefined;

  /** Keeps what is worth knowing of an answer. */
  constructor({ answer, rewrite, durationMs, key }: Omit<JournalEntry, "request">) {
    const { status, headers, body = "", wire }: Partial<PlainAnswer> = answer ?? {};
    this.status = status;
    this.durationMs = durationMs;
    this.wire = wire;
    this.#headers = { ...headers };
    this.#isBodyCut = body.length > mostBodyBytes;
    // By way of bytes: a part cut out of a text would keep all of it alive.
    this.#body = this.#isBodyCut ? Buffer.from(body).subarray(0, mostBodyBytes).toString() : (rewrite ?? body);
    this.#key = key;
    Object.freeze(this);
  }

  /** The headers, in the spelling they were sent in. */
  get headers(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.#headers).map(([name, value]) => [name, redactHeader(name, value, this.#key)]),
    );
  }

  /** A header by its name in any case; `null` when it is missing. */
  header(name: string): string | null {
    const wanted = name.toLowerCase();
    return Object.entries(this.headers).find(([known]) => known.toLowerCase() === wanted)?.[1] ?? null;
  }

  /** The body as text, at most its first 64 KiB; empty when there is none. */
  get body(): string {
    return redact(typeof this.#body === "string" ? this.#body : this.#body(), this.#key);
  }

  /** Whether the body was longer than what is kept of it. */
  get isBodyCut(): boolean {
    return this.#isBodyCut;
  }

  /** The body read as JSON. @throws {SyntaxError} when it is not JSON, or longer than what is kept. */
  json(): unknown {
    return JSON.parse(this.body);
  }

  /** The answer as plain data, with the body as text. */
  toJSON(): object {
    const { status, headers, body, durationMs, wire } = this;
    return { status, headers, body, durationMs, ...(wire && { wire }) };
  }
}

function readBytes({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, mostBodyBytes)).toString("latin1");
}

function placeOf({ at }: Difference): string {
  return JSON.stringify(at);
}

type ListedHeaders = HeaderLookup & Partial<Iterable<[string, string]>>;

/** A copy, as far as the way they came in lists them. */
function copyHeaders(headers: ListedHeaders): ListedHeaders {
  if (headers[Symbol.iterator] === undefined) return headers;
  const copy = new Map(listNames(headers).map((name) => [name.toLowerCase(), headers.get(name) ?? ""]));
  return { get: (name) => copy.get(name.toLowerCase()) ?? null, [Symbol.iterator]: () => copy.entries() };
}

function listNames(headers: ListedHeaders): string[] {
  return headers[Symbol.iterator] === undefined
    ? []
    : Array.from(headers as HeaderLookup & Iterable<[string, string]>, ([name]) => name); // checked on the line above
}
