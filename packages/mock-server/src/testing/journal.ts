import { type EndpointName, redact as redactKeys } from "@landing-page-service/contract";
import type * as z from "zod";
import { optional } from "../argument.ts";
import type { PlainAnswer, PlainRequest, WireFault } from "../http-types.ts";
import { type Account, apiKeySchema } from "../state/accounts.ts";
import {
  compileMatch,
  type MatchableRequest,
  type Matches,
  readMatch,
  type RequestMatch,
  requestMatchSchema,
} from "./match.ts";
import type { Wait } from "./waits.ts";

/** A match for the requests of a whole service. */
export interface RequestFilter extends RequestMatch {
  /** API key of the account that sent them. @defaultValue every account, and anonymous clients */
  key?: string | undefined;
}

/** Checks a filter. */
export const requestFilterSchema = requestMatchSchema.safeExtend({
  key: optional(apiKeySchema),
}) satisfies z.ZodType<RequestFilter>;

/**
 * Limits of the journal for one account. Beyond `requests`, the oldest request is removed. Beyond `characters` in all bodies, the bodies
 * of the oldest requests are removed.
 */
const most = { requests: 1_000, characters: 4 * 1024 * 1024, bodyBytes: 64 * 1024, unhandled: 20 };

/** A request and its response with API keys. A test gets a {@link RecordedRequest} without them. */
export interface JournalEntry extends Omit<Exchange, "request" | "answer"> {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly bodyBytes: number;
  readonly status: number | undefined;
  readonly wire: WireFault | undefined;
  /** Its number among all requests of the service. */
  readonly order: number;
  readonly idempotencyKey: string | null;
  /** Its number among the requests of the account with this idempotency key, from 1; `undefined` if it has none. */
  readonly attempt: number | undefined;
  readonly sent: Message;
  readonly received: Message;
}

/** Headers and the beginning of a body. The journal removes the body when it needs the space. */
interface Message {
  readonly headers: Iterable<readonly [name: string, value: string]>;
  body: string;
  isBodyCut: boolean;
}

/** A finished request. `answer` is what the caller received of the response. */
export interface Exchange {
  readonly id: string;
  /** `undefined` if its key opened no account. */
  readonly account: Account | undefined;
  readonly key: string | undefined;
  readonly endpoint: EndpointName | undefined;
  readonly pageId: string | undefined;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly fault: string | undefined;
  readonly request: PlainRequest;
  readonly answer: Partial<PlainAnswer>;
}

/** Receives each recorded request. `raw` has its whole body. */
export type RequestListener = (entry: JournalEntry, raw: MatchableRequest) => void;

/** The requests of one account, or of all anonymous clients. */
interface History {
  /** Oldest first. */
  readonly entries: JournalEntry[];
  /** The first ones that no endpoint or no account matched, even if later ones pushed them out. */
  readonly unhandled: JournalEntry[];
  /** How many requests later ones pushed out. */
  forgotten: number;
  /** Characters of all bodies. */
  characters: number;
}

/** The last requests of every account and of the anonymous clients. */
export class Journal {
  /** The waits by their listeners, which come before the other listeners, whose errors fail the request. */
  readonly waits = new Map<RequestListener, Wait>();
  readonly listeners = new Set<RequestListener>();
  readonly #histories = new Map<Account | undefined, History>();
  #count = 0;

  /** Records a request. `raw` is the request for matchers. */
  record({ request, answer, ...about }: Exchange, raw: MatchableRequest, isHandled: boolean): void {
    const { method, path, query, headers, body = new Uint8Array() } = request;
    const history = this.#histories.get(about.account) ?? { entries: [], unhandled: [], forgotten: 0, characters: 0 };
    this.#histories.set(about.account, history);
    const idempotencyKey = headers.get("Idempotency-Key");
    const isRepeated = (some: JournalEntry) => some.idempotencyKey === idempotencyKey;
    const earlier = idempotencyKey === null ? undefined : history.entries.findLast(isRepeated);
    const entry: JournalEntry = Object.freeze({
      ...about,
      method,
      path,
      query,
      bodyBytes: body.length,
      status: answer.status,
      wire: answer.wire,
      order: (this.#count += 1),
      idempotencyKey,
      attempt: idempotencyKey === null ? undefined : (earlier?.attempt ?? 0) + 1,
      sent: copyMessage(headers, body),
      received: copyMessage(Object.entries(answer.headers ?? {}), Buffer.from(answer.body ?? "")),
    });
    history.entries.push(entry);
    if (!isHandled && history.unhandled.length < most.unhandled) history.unhandled.push(entry);
    keepWithin(history, entry);
    for (const listener of [...this.waits.keys(), ...this.listeners]) listener(entry, raw);
  }

  /** Requests that match, oldest first: of one account, or all. */
  find(matches: Matches, account?: Account): JournalEntry[] {
    const entries = this.#select(account).flatMap((history) =>
      history.entries.filter((entry) => matches(rawOf(entry))),
    );
    return entries.toSorted((one, other) => one.order - other.order);
  }

  /** Lists requests without API keys, with `times` only the first ones. @throws {TypeError} when the match is not valid. */
  list(given: RequestMatch, account?: Account): RecordedRequest[] {
    const match = readMatch("requests", given);
    return this.find(compileMatch(match), account).slice(0, match.times).map(showRequest);
  }

  /** The first requests that no endpoint or no account matched. */
  listUnhandled(account?: Account): RecordedRequest[] {
    return this.#select(account).flatMap(({ unhandled }) => unhandled.map(showRequest));
  }

  /** How many requests later ones pushed out. */
  countForgotten(account?: Account): number {
    return this.#select(account).reduce((sum, { forgotten }) => sum + forgotten, 0);
  }

  /** Forgets the requests of one account, or all. */
  clear(account?: Account): void {
    if (account === undefined) this.#histories.clear();
    else this.#histories.delete(account);
  }

  #select(account: Account | undefined): History[] {
    if (account === undefined) return Array.from(this.#histories.values());
    const own = this.#histories.get(account);
    return own === undefined ? [] : [own];
  }
}

/** Copies a message, because its owner may change it later. */
function copyMessage(headers: Iterable<readonly [string, string]>, body: Uint8Array): Message {
  return {
    headers: Array.from(headers),
    body: new TextDecoder().decode(body.subarray(0, most.bodyBytes)),
    isBodyCut: body.length > most.bodyBytes,
  };
}

/** Adds the size of the newest entry, and removes older content beyond the limits. */
function keepWithin(history: History, newest: JournalEntry): void {
  const { entries } = history;
  history.characters += newest.sent.body.length + newest.received.body.length;
  const pushedOut = entries.length > most.requests ? entries.shift() : undefined;
  if (pushedOut !== undefined) {
    history.characters -= pushedOut.sent.body.length + pushedOut.received.body.length;
    history.forgotten += 1;
  }
  for (const entry of entries) {
    if (history.characters <= most.characters) return;
    recorded.delete(entry);
    for (const message of [entry.sent, entry.received]) {
      history.characters -= message.body.length;
      message.isBodyCut ||= message.body !== "";
      message.body = "";
    }
  }
}

/** An entry for matchers, with its API keys. */
function rawOf({ endpoint, method, path, query, pageId, status, sent }: JournalEntry): MatchableRequest {
  const header = (name: string) => findHeader(sent.headers, name) ?? null;
  return { endpoint, method, path, query, pageId, status, header, body: sent.body };
}

function findHeader(headers: Iterable<readonly [string, string]>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Array.from(headers).find(([known]) => known.toLowerCase() === wanted)?.[1];
}

/** Headers and body of a request or a response in the journal, without keys. */
export class RecordedMessage {
  /** The headers: of a request by their names in lower case, of a response as they were sent. Headers with keys are `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, at most its first 64 KiB; empty when there is none. */
  readonly body: string;
  /** Whether a part of the body is missing: the part beyond 64 KiB, or all of it once newer bodies need the space. */
  readonly isBodyCut: boolean;

  /** Removes the key of the request from a string. */
  constructor({ headers, body, isBodyCut }: Message, key: string | undefined) {
    const shown = Array.from(headers, ([name, value]): [string, string] => {
      return [name, secretHeader.test(name) ? redacted : redact(value, key)];
    });
    this.headers = Object.freeze(Object.fromEntries(shown));
    this.body = redact(body, key);
    this.isBodyCut = isBodyCut;
  }

  /** A header by its name in any case; `null` when it is missing. Headers with keys, such as `Authorization`, are `[redacted]`. */
  header(name: string): string | null {
    return findHeader(Object.entries(this.headers), name) ?? null;
  }

  /** The body read as JSON. @throws {SyntaxError} when it is not JSON, or a part of it is missing. */
  json(): unknown {
    return JSON.parse(this.body);
  }
}

/** A request in the journal, without keys. */
export class RecordedRequest extends RecordedMessage {
  /** Identifier of the request, as in `X-Request-Id`. */
  readonly id: string;
  /** Id of its account. A sandbox has its key there, of which only the kind and the end are shown. `undefined` if the key opened no account. */
  readonly account: string | undefined;
  /** Endpoint that it reached; `undefined` if there is none for its method and path. */
  readonly endpoint: EndpointName | undefined;
  /** HTTP method. */
  readonly method: string;
  /** Path without the query, percent-encoded. */
  readonly path: string;
  /** Query without `?`, percent-encoded. */
  readonly query: string;
  /** Identifier of the page that it creates, updates or deletes, or that its event names; `undefined` if there is none. */
  readonly pageId: string | undefined;
  /** Status of the response; `undefined` when there was none, because of a network error or because the caller disconnected before it. */
  readonly status: number | undefined;
  /** When it arrived, milliseconds since 1970 UTC on the account's clock. */
  readonly startedAtMs: number;
  /** Length of the whole body, in bytes, counted up to 1 MiB. */
  readonly bodyBytes: number;
  /** Identifier of the planned fault that fired; `undefined` if none did. */
  readonly fault: string | undefined;
  /** The response. */
  readonly answer: RecordedAnswer;
  readonly #entry: JournalEntry;

  /** Redacts an entry of the journal. */
  constructor(entry: JournalEntry) {
    const headers = Array.from(entry.sent.headers, ([name, value]): [string, string] => [name.toLowerCase(), value]);
    super({ ...entry.sent, headers }, entry.key);
    this.id = entry.id;
    this.account = entry.account?.label;
    this.endpoint = entry.endpoint;
    this.method = entry.method;
    this.path = redact(entry.path, entry.key);
    this.query = redactQuery(entry.query, entry.key);
    this.pageId = entry.pageId;
    this.status = entry.status;
    this.startedAtMs = entry.startedAtMs;
    this.bodyBytes = entry.bodyBytes;
    this.fault = entry.fault;
    this.answer = new RecordedAnswer(entry);
    this.#entry = entry;
    Object.freeze(this);
  }

  /** The request for matchers, with its API keys. */
  static rawOf(request: RecordedRequest): MatchableRequest {
    return rawOf(request.#entry);
  }

  /** The number of a request among those of its account with the same idempotency key, from 1; `undefined` if it has none. */
  static attemptOf(request: RecordedRequest): number | undefined {
    return request.#entry.attempt;
  }

  /** The whole id of its account, as `service.account()` takes it. For a sandbox this is its key, so `JSON.stringify` leaves it out. */
  get accountId(): string | undefined {
    return this.#entry.account?.id;
  }
}

/** The request that a test sees of an entry. It is the same object each time, until the bodies are removed. */
export function showRequest(entry: JournalEntry): RecordedRequest {
  const known = recorded.get(entry) ?? new RecordedRequest(entry);
  recorded.set(entry, known);
  return known;
}

const recorded = new WeakMap<JournalEntry, RecordedRequest>();

/** A response in the journal, without keys. It is empty if there was none. */
export class RecordedAnswer extends RecordedMessage {
  /** Status of the response; `undefined` when there was none. */
  readonly status: number | undefined;
  /** Milliseconds until the response, or until the caller disconnected, by the service's `now`. */
  readonly durationMs: number;
  /** The network error that a fault caused; `undefined` if there was none. */
  readonly wire: WireFault | undefined;

  /** Redacts the response of an entry. */
  constructor({ received, key, status, durationMs, wire }: JournalEntry) {
    super(received, key);
    this.status = status;
    this.durationMs = durationMs;
    this.wire = wire;
    Object.freeze(this);
  }
}

/** Headers and parameters in which callers send keys, also by mistake. */
const secretHeader = /^(?:proxy-)?authorization$|api-?key|token|^(?:set-)?cookie$/i;
const secretParameter = /((?:^|[?&])(?:api[-_]?key|key|(?:access[-_]?)?token)=)[^&]*/gi;
const redacted = "[redacted]";

/** Removes the key of a request from a string, also if it is encoded. */
function redact(text: string, key: string | undefined): string {
  return key === undefined ? text : redactKeys(text, [key]);
}

/** Removes keys from a query, or from a path with one. */
export function redactQuery(query: string, key: string | undefined): string {
  return redact(query.replaceAll(secretParameter, `$1${redacted}`), key);
}
