import type * as z from "zod";
import { type EndpointName, redact as redactKeys } from "@landing-page-service/contract";
import { optional, parseArgument } from "../argument.ts";
import { type PlainAnswer, type PlainRequest, RequestBody, type WireFault } from "../http-types.ts";
import { apiKeySchema, redactKey } from "../state/accounts.ts";
import {
  checkMatch,
  compileMatch,
  type MatchableRequest,
  type Matches,
  type RequestMatch,
  requestMatchSchema,
} from "./match.ts";

/** Requests kept of an account; one more pushes out the oldest. */
export const mostRequests = 1_000;

/** Requests kept of those that nobody handled. */
const mostUnhandled = 20;

/** Which requests of a whole service match. */
export interface RequestFilter extends RequestMatch {
  /** API key of the account that they came from. @defaultValue every account, and callers without one */
  key?: string;
}

/** Checks a filter. */
export const requestFilterSchema = requestMatchSchema.extend({
  key: optional(apiKeySchema),
}) satisfies z.ZodType<RequestFilter>;

/** Bytes kept of all bodies of one account. */
const mostBytes = 4 * 1024 * 1024;

/** Counts requests, so that those of several journals can be put in order. */
let sequence = 0;

/** The last requests of one account, or of callers without one. */
export class Journal {
  /** The first requests that no endpoint or no account matched, also when later ones pushed them out. */
  unhandled: readonly RecordedRequest[] = [];
  /** Requests that later ones pushed out. */
  forgotten = 0;
  #entries: { readonly order: number; readonly request: RecordedRequest }[] = [];
  #bytes = 0;

  record(request: RecordedRequest, isHandled: boolean): void {
    this.#entries.push({ order: (sequence += 1), request });
    this.#bytes += RecordedRequest.sizeOf(request);
    if (!isHandled && this.unhandled.length < mostUnhandled) this.unhandled = [...this.unhandled, request];
    if (this.#entries.length > mostRequests) {
      const [oldest] = this.#entries.splice(0, 1);
      if (oldest !== undefined) this.#bytes -= RecordedRequest.sizeOf(oldest.request);
      this.forgotten += 1;
    }
    for (const { request: oldest } of this.#entries) {
      if (this.#bytes <= mostBytes) break;
      this.#bytes -= RecordedRequest.sizeOf(oldest);
      RecordedRequest.leaveOutBodies(oldest);
    }
  }

  /** Forgets all requests. */
  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
    this.forgotten = 0;
    this.unhandled = [];
  }

  /** Requests of several journals that match, oldest first. */
  static find(journals: readonly Journal[], matches: Matches): RecordedRequest[] {
    const found = journals.flatMap((journal) =>
      journal.#entries.filter(({ request }) => matches(RecordedRequest.rawOf(request))),
    );
    if (journals.length > 1) found.sort((one, other) => one.order - other.order);
    return found.map(({ request }) => request);
  }
}

/** Lists requests of some journals, oldest first: with `times`, the first so many. @throws {TypeError} when the match is none. */
export function listRequests(journals: readonly Journal[], match: RequestMatch): RecordedRequest[] {
  checkMatch("requests", match);
  return Journal.find(journals, compileMatch(match)).slice(0, match.times);
}

/** Takes a filter apart: whose requests, and which. @throws {TypeError} when the filter is none. */
export function splitFilter(where: string, filter: RequestFilter): { key: string | undefined; match: RequestMatch } {
  const { key, ...match } = parseArgument(where, requestFilterSchema, filter);
  return { key, match };
}

/** Bytes kept of a body. */
const mostBodyBytes = 64 * 1024;

/** What is recorded of a request. */
export interface JournalEntry {
  readonly request: PlainRequest;
  /** `undefined` when the caller went away before there was one. */
  readonly answer: PlainAnswer | undefined;
  readonly id: string;
  /** Name of the account, as it may be shown. */
  readonly account: string | undefined;
  /** The key it came with, which is never shown. */
  readonly key: string | undefined;
  readonly endpoint: EndpointName | undefined;
  /** Identifier of the page it is about. */
  readonly pageId: string | undefined;
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Identifier of the fault that fired. */
  readonly fault: string | undefined;
}

/** A request in the journal, without keys. */
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
  /** Identifier of the page it is about: created, updated, deleted, or named by an event; `undefined` when it is about none. */
  readonly pageId: string | undefined;
  /** Status of the response; `undefined` when the caller went away before there was one. */
  readonly status: number | undefined;
  /** When it came, milliseconds since 1970 UTC on the account's clock. */
  readonly startedAtMs: number;
  /** Length of the whole body, in bytes; what is above 1 MiB is not counted. */
  readonly bodyBytes: number;
  /** Identifier of the planned fault that fired; `undefined` when none did. */
  readonly fault: string | undefined;
  /** The response. */
  readonly answer: RecordedAnswer;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #raw: Pick<PlainRequest, "path" | "query">;
  readonly #key: string | undefined;
  #body: Uint8Array;

  /** Keeps what is worth knowing of a request and its response. */
  constructor(entry: JournalEntry) {
    const { request, key, answer } = entry;
    const { path, query, headers, body = new Uint8Array() } = request;
    this.id = entry.id;
    this.account = entry.account;
    this.endpoint = entry.endpoint;
    this.method = request.method;
    this.path = redact(path, key);
    this.query = redactQuery(query, key);
    this.pageId = entry.pageId;
    this.status = answer?.status;
    this.startedAtMs = entry.startedAtMs;
    this.bodyBytes = body.length;
    this.fault = entry.fault;
    this.answer = new RecordedAnswer(entry);
    this.#headers = new Map(Array.from(headers, ([name]) => [name.toLowerCase(), headers.get(name) ?? ""]));
    this.#raw = { path, query };
    this.#key = key;
    // A copy, because the caller may write over its body, and a part would keep all of it. `Buffer.slice` copies nothing.
    this.#body = new Uint8Array(body.subarray(0, mostBodyBytes));
    Object.freeze(this);
  }

  /** The request with nothing redacted, for matchers. */
  static rawOf(request: RecordedRequest): MatchableRequest {
    const { endpoint, method, pageId, status } = request;
    return {
      ...request.#raw,
      endpoint,
      method,
      pageId,
      status,
      header: (name) => request.#headers.get(name.toLowerCase()) ?? null,
      get content() {
        return new RequestBody(request.#body).content;
      },
    };
  }

  /** Characters and bytes that are kept of its bodies. */
  static sizeOf(request: RecordedRequest): number {
    return request.#body.length + RecordedAnswer.sizeOf(request.answer);
  }

  /** Leaves its bodies out, to make room for later ones. */
  static leaveOutBodies(request: RecordedRequest): void {
    request.#body = new Uint8Array();
    RecordedAnswer.leaveOutBody(request.answer);
  }

  /** A header of the request by its name; `null` when it is missing. Those that hold keys, such as `Authorization`, are `[redacted]`. */
  header(name: string): string | null {
    const value = this.#headers.get(name.toLowerCase());
    return value === undefined ? null : redactHeader(name, value, this.#key);
  }

  /** The headers by their names in lower case. */
  get headers(): Record<string, string> {
    return Object.fromEntries(Array.from(this.#headers.keys(), (name) => [name, this.header(name) ?? ""]));
  }

  /** Identifier of the account it came from, in full, as `service.account()` takes it: a sandbox's is its key, so it stands in no JSON. */
  get accountId(): string | undefined {
    const { account } = this;
    return this.#key !== undefined && account === redactKey(this.#key) ? this.#key : account;
  }

  /** The body as text, at most its first 64 KiB; empty when there is none, or when it is left out. */
  get body(): string {
    return redact(new TextDecoder().decode(this.#body), this.#key);
  }

  /** Whether the body is longer than what is kept of it: 64 KiB, or nothing once the journal of an account holds 4 MiB of later bodies. */
  get isBodyCut(): boolean {
    return this.#body.length < this.bodyBytes;
  }

  /** The body read as JSON. @throws {SyntaxError} when it is not JSON, or not kept as a whole. */
  json(): unknown {
    return JSON.parse(this.body);
  }

  /** The request and its response as plain data, with the bodies as text. */
  toJSON(): object {
    const { id, account, endpoint, method, path, query, pageId, status, startedAtMs, fault, headers, bodyBytes } = this;
    const about = { id, account, endpoint, method, path, query, pageId, status, startedAtMs, ...(fault && { fault }) };
    const cut = this.isBodyCut && { isBodyCut: true };
    return { ...about, headers, bodyBytes, body: this.body, ...cut, answer: this.answer.toJSON() };
  }
}

/** A response in the journal, without keys. It is empty where there was none. */
export class RecordedAnswer {
  /** Status of the response; `undefined` when there was none. */
  readonly status: number | undefined;
  /** Milliseconds until the response, or until the caller went away, by the service's `now`. */
  readonly durationMs: number;
  /** The network error that a fault made of it; `undefined` when there was none. */
  readonly wire: WireFault | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #key: string | undefined;
  #body: string;
  #isBodyCut: boolean;

  /** Keeps what is worth knowing of a response. */
  constructor({ answer, durationMs, key }: Pick<JournalEntry, "answer" | "durationMs" | "key">) {
    const { status, headers, body = "", wire }: Partial<PlainAnswer> = answer ?? {};
    this.status = status;
    this.durationMs = durationMs;
    this.wire = wire;
    this.#headers = { ...headers };
    this.#key = key;
    this.#isBodyCut = body.length > mostBodyBytes;
    // By way of bytes, because a part of a text would keep all of it.
    this.#body = this.#isBodyCut ? Buffer.from(body).subarray(0, mostBodyBytes).toString() : body;
    Object.freeze(this);
  }

  static sizeOf(answer: RecordedAnswer): number {
    return answer.#body.length;
  }

  static leaveOutBody(answer: RecordedAnswer): void {
    answer.#isBodyCut ||= answer.#body !== "";
    answer.#body = "";
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

  /** The body as text, at most its first 64 KiB; empty when there is none, or when it is left out. */
  get body(): string {
    return redact(this.#body, this.#key);
  }

  /** Whether the body was longer than what is kept of it. */
  get isBodyCut(): boolean {
    return this.#isBodyCut;
  }

  /** The body read as JSON. @throws {SyntaxError} when it is not JSON, or not kept as a whole. */
  json(): unknown {
    return JSON.parse(this.body);
  }

  /** The response as plain data, with the body as text. */
  toJSON(): object {
    const { status, headers, body, durationMs, wire } = this;
    return { status, headers, body, durationMs, ...(wire && { wire }) };
  }
}

/** Where callers put keys, rightly or wrongly. */
const secretHeader = /^(?:proxy-)?authorization$|api-?key|token|^(?:set-)?cookie$/i;
const secretParameter = /((?:^|[?&])(?:api[-_]?key|key|(?:access[-_]?)?token)=)[^&]*/gi;
const redacted = "[redacted]";

/** A text without the key that a request came with, however it is written. */
function redact(text: string, key: string | undefined): string {
  return key === undefined ? text : redactKeys(text, [key]);
}

/** A query, or a path with one, without keys. */
export function redactQuery(query: string, key: string | undefined): string {
  return redact(query.replaceAll(secretParameter, `$1${redacted}`), key);
}

/** The value of a header without keys. */
function redactHeader(name: string, value: string, key: string | undefined): string {
  return secretHeader.test(name) ? redacted : redact(value, key);
}
