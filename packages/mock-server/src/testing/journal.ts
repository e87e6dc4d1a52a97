import type * as z from "zod";
import { type EndpointName, redact as redactKeys } from "@landing-page-service/contract";
import { optional, parseArgument } from "../argument.ts";
import type { PlainAnswer, PlainRequest, WireFault } from "../http-types.ts";
import { apiKeySchema, redactKey } from "../state/accounts.ts";
import {
  checkMatch,
  compileMatch,
  type MatchableRequest,
  type Matches,
  type RequestMatch,
  requestMatchSchema,
} from "./match.ts";

/** Which requests of a whole service match. */
export interface RequestFilter extends RequestMatch {
  /** API key of the account that they came from. @defaultValue every account, and callers without one */
  key?: string;
}

/** Checks a filter. */
export const requestFilterSchema = requestMatchSchema.extend({
  key: optional(apiKeySchema),
}) satisfies z.ZodType<RequestFilter>;

/** What a journal holds at most: one more request pushes out the oldest, and more characters leave out the bodies of the oldest. */
const most = { requests: 1_000, characters: 4 * 1024 * 1024, bodyBytes: 64 * 1024, unhandled: 20 };

/** Counts requests, so that those of several journals can be put in order. */
let sequence = 0;

/** The last requests of one account, or of callers without one. */
export class Journal {
  /** The first requests that no endpoint or no account matched, also when later ones pushed them out. */
  unhandled: readonly RecordedRequest[] = [];
  /** Requests that later ones pushed out. */
  forgotten = 0;
  #entries: { readonly order: number; size: number; readonly request: RecordedRequest }[] = [];
  #size = 0;

  record(request: RecordedRequest, isHandled: boolean): void {
    const size =
      RecordedMessage.unredacted(request).body.length + RecordedMessage.unredacted(request.answer).body.length;
    this.#entries.push({ order: (sequence += 1), size, request });
    this.#size += size;
    if (!isHandled && this.unhandled.length < most.unhandled) this.unhandled = [...this.unhandled, request];
    if (this.#entries.length > most.requests) {
      this.#size -= this.#entries.shift()?.size ?? 0;
      this.forgotten += 1;
    }
    for (const entry of this.#entries) {
      if (this.#size <= most.characters) break;
      RecordedRequest.leaveOutBodies(entry.request);
      this.#size -= entry.size;
      entry.size = 0;
    }
  }

  /** Forgets all requests. */
  clear(): void {
    this.#entries = [];
    this.#size = 0;
    this.forgotten = 0;
    this.unhandled = [];
  }

  /** Requests of several journals that match, oldest first. */
  static find(journals: readonly Journal[], matches: Matches): RecordedRequest[] {
    return journals
      .flatMap((journal) => journal.#entries.filter(({ request }) => matches(RecordedRequest.rawOf(request))))
      .toSorted((one, other) => one.order - other.order)
      .map(({ request }) => request);
  }
}

/** Lists requests of some journals, oldest first: with `times`, the first so many. @throws {TypeError} when the match is not valid. */
export function listRequests(journals: readonly Journal[], match: RequestMatch): RecordedRequest[] {
  checkMatch("requests", match);
  return Journal.find(journals, compileMatch(match)).slice(0, match.times);
}

/** Splits a filter: whose requests, and which. @throws {TypeError} when the filter is not valid. */
export function splitFilter(where: string, filter: RequestFilter): { key: string | undefined; match: RequestMatch } {
  const { key, ...match } = parseArgument(where, requestFilterSchema, filter);
  return { key, match };
}

/** What is recorded of a request. */
export interface JournalEntry extends Pick<
  RecordedRequest,
  "id" | "account" | "endpoint" | "pageId" | "startedAtMs" | "fault"
> {
  readonly request: PlainRequest;
  /** `undefined` when the caller went away before there was one. */
  readonly answer: PlainAnswer | undefined;
  /** The key it came with, which is never shown. */
  readonly key: string | undefined;
  readonly durationMs: number;
}

/** Headers and body of a request or a response in the journal, without keys. */
export class RecordedMessage {
  readonly #headers: ReadonlyMap<string, string>;
  readonly #key: string | undefined;
  #body: string;
  #isBodyCut: boolean;

  /** Keeps the beginning of a body, as a copy; hides the key that the request came with. */
  constructor(headers: Iterable<readonly [string, string]>, body: Uint8Array, key: string | undefined) {
    this.#isBodyCut = body.length > most.bodyBytes;
    this.#headers = new Map(headers);
    this.#body = new TextDecoder().decode(body.subarray(0, most.bodyBytes));
    this.#key = key;
  }

  /** The message with its keys, for matchers. */
  static unredacted(message: RecordedMessage): Pick<MatchableRequest, "header" | "body"> {
    return { body: message.#body, header: (name) => message.#find(name)?.[1] ?? null };
  }

  /** Forgets the body. */
  static leaveOut(message: RecordedMessage): void {
    message.#isBodyCut ||= message.#body !== "";
    message.#body = "";
  }

  /** Whether a part of the body is missing: what is longer than 64 KiB, or all of it once newer bodies need its place. */
  get isBodyCut(): boolean {
    return this.#isBodyCut;
  }

  /** The headers: of a request by their names in lower case, of a response as they were sent. Those that hold keys are `[redacted]`. */
  get headers(): Record<string, string> {
    return Object.fromEntries(Array.from(this.#headers, (header) => [header[0], this.#show(header)]));
  }

  /** A header by its name in any case; `null` when it is missing. Those that hold keys, such as `Authorization`, are `[redacted]`. */
  header(name: string): string | null {
    const found = this.#find(name);
    return found === undefined ? null : this.#show(found);
  }

  /** The body as text, at most its first 64 KiB; empty when there is none. */
  get body(): string {
    return redact(this.#body, this.#key);
  }

  #find(name: string): [string, string] | undefined {
    const wanted = name.toLowerCase();
    return Array.from(this.#headers).find(([known]) => known.toLowerCase() === wanted);
  }

  #show([name, value]: readonly [string, string]): string {
    return secretHeader.test(name) ? redacted : redact(value, this.#key);
  }

  /** The body read as JSON. @throws {SyntaxError} when it is not JSON, or not kept as a whole. */
  json(): unknown {
    return JSON.parse(this.body);
  }
}

/** A request in the journal, without keys. */
export class RecordedRequest extends RecordedMessage {
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
  /** Length of the whole body, in bytes, counted up to 1 MiB. */
  readonly bodyBytes: number;
  /** Identifier of the planned fault that fired; `undefined` when none did. */
  readonly fault: string | undefined;
  /** The response. */
  readonly answer: RecordedAnswer;
  readonly #accountId: string | undefined;
  readonly #raw: Omit<MatchableRequest, "header" | "body">;

  /** Records a request and its response. */
  constructor(entry: JournalEntry) {
    const { request, key, answer, account, endpoint, pageId } = entry;
    const { method, path, query, headers, body = new Uint8Array() } = request;
    super(
      Array.from(headers, ([name]) => [name.toLowerCase(), headers.get(name) ?? ""]),
      body,
      key,
    );
    this.id = entry.id;
    this.account = account;
    this.endpoint = endpoint;
    this.method = method;
    this.path = redact(path, key);
    this.query = redactQuery(query, key);
    this.pageId = pageId;
    this.status = answer?.status;
    this.startedAtMs = entry.startedAtMs;
    this.bodyBytes = body.length;
    this.fault = entry.fault;
    this.answer = new RecordedAnswer(entry);
    this.#accountId = key !== undefined && account === redactKey(key) ? key : account;
    this.#raw = { endpoint, method, path, query, pageId, status: answer?.status };
    Object.freeze(this);
  }

  /** The request with nothing redacted, for matchers. */
  static rawOf(request: RecordedRequest): MatchableRequest {
    return { ...request.#raw, ...RecordedMessage.unredacted(request) };
  }

  /** Forgets the bodies of a request and its response. */
  static leaveOutBodies(request: RecordedRequest): void {
    RecordedMessage.leaveOut(request);
    RecordedMessage.leaveOut(request.answer);
  }

  /** Identifier of the account it came from, in full, as `service.account()` takes it. That of a sandbox is its key, so no JSON contains it. */
  get accountId(): string | undefined {
    return this.#accountId;
  }

  /** The request and its response as plain data, with the bodies as text. */
  toJSON(): object {
    const { headers, body, bodyBytes, isBodyCut, answer, fault, ...about } = this;
    const cut = isBodyCut && { isBodyCut };
    return { ...about, ...(fault && { fault }), headers, bodyBytes, body, ...cut, answer: answer.toJSON() };
  }
}

/** A response in the journal, without keys. It is empty where there was none. */
export class RecordedAnswer extends RecordedMessage {
  /** Status of the response; `undefined` when there was none. */
  readonly status: number | undefined;
  /** Milliseconds until the response, or until the caller went away, by the service's `now`. */
  readonly durationMs: number;
  /** The network error that a fault caused; `undefined` if there was none. */
  readonly wire: WireFault | undefined;

  /** Records a response. */
  constructor({ answer, durationMs, key }: Pick<JournalEntry, "answer" | "durationMs" | "key">) {
    super(Object.entries(answer?.headers ?? {}), Buffer.from(answer?.body ?? ""), key);
    this.status = answer?.status;
    this.durationMs = durationMs;
    this.wire = answer?.wire;
    Object.freeze(this);
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
