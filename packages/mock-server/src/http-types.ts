import type { FieldProblem, HeaderLookup, PageRecord, UpdatePage } from "@landing-page-service/contract";

/** A network error that a fault can cause. */
export type WireFault = "refuse" | "reset" | "truncate" | "stall" | "garbage";

/** A request as plain values. */
export interface PlainRequest {
  /** HTTP method, upper case. */
  readonly method: string;
  /** Path as received, percent-encoded, without the query. */
  readonly path: string;
  /** Scheme and host of the request, which a dialect may write. @defaultValue `https://landing-pages.test` */
  readonly origin?: string | undefined;
  /** Query as received, without `?`; empty if there is none. */
  readonly query: string;
  /** Headers of the request. */
  readonly headers: HeaderLookup & Iterable<readonly [name: string, value: string]>;
  /** The body, or `undefined` when there is none. An adapter stops reading after `maxBodyBytes` + 1 bytes, because a longer body is refused anyway. */
  readonly body: Uint8Array | undefined;
  /** Aborts when the caller disconnects. A delay ends at once, and work that has not begun is not done. */
  readonly signal?: AbortSignal | undefined;
}

/** A response as plain values. */
export interface PlainAnswer {
  /** HTTP status, 200-599. */
  readonly status: number;
  /** Headers in their usual spelling; `Content-Length` is left to the adapter. */
  readonly headers: Record<string, string>;
  /** The body as text, or `undefined` when there is none. */
  readonly body: string | undefined;
  /** A body without an end, in place of `body`. It ends when the caller disconnects or the server closes. */
  readonly pieces?: AsyncIterable<string> | undefined;
  /** The network error in place of the whole response. */
  readonly wire?: WireFault | undefined;
}

/** What the caller receives. With a network error this is nothing, except that half of a body comes after a whole head. */
export function receivedPart(answer: PlainAnswer): Partial<PlainAnswer> {
  const { wire, body = "" } = answer;
  return wire === undefined || (wire === "truncate" && body !== "") ? answer : { wire };
}

/** Makes the response to HEAD from one to GET: the body goes, its length stays. */
export function leaveOutBody(answer: PlainAnswer): PlainAnswer {
  const { headers, body, pieces: _, ...rest } = answer;
  if (body === undefined) return { ...rest, headers, body };
  return { ...rest, headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) }, body: undefined };
}

/** The result of an operation as values. The dialect decides how the response is written. */
export interface Success {
  /** Status in the reference dialect. */
  readonly status: number;
  /** The page that was created, updated or deleted, or that an event is about. */
  readonly page?: Readonly<PageRecord> | undefined;
  /** The page before an update. */
  readonly previous?: Readonly<PageRecord>;
  /** The fields that an update was sent. */
  readonly changes?: UpdatePage;
  /** The pages of a list. */
  readonly pages?: readonly Readonly<PageRecord>[];
  /** The range of a list among all pages. */
  readonly list?: { readonly total: number; readonly limit: number; readonly offset: number };
  /** The receipt of an event. */
  readonly event?: { readonly id: string; readonly pageId: string; readonly timestamp: string };
}

/** A response with a finished body: a document, a fault, or a response of the control API. */
export interface TextOutcome {
  readonly status: number;
  /** Headers in addition to those of every response, or in place of them if the spelling is the same. */
  readonly headers?: Record<string, string>;
  /** Headers of a planned fault. They replace all others with the same name, whatever the letter case. */
  readonly faultHeaders?: Readonly<Record<string, string>>;
  /** The body; `undefined` when there is none. */
  readonly text: string | undefined;
  /** A body without an end, in place of `text`. */
  readonly pieces?: AsyncIterable<string>;
}

/** The refusal of a request. */
export interface Refusal {
  readonly refused: number;
  /** The reason, as a sentence. */
  readonly detail: string;
  /** Every wrong field. */
  readonly errors?: readonly FieldProblem[];
  /** Headers in addition to those of every response, or in place of them if the spelling is the same. */
  readonly headers?: Record<string, string>;
  /** Headers of a planned fault. They replace all others with the same name, whatever the letter case. */
  readonly faultHeaders?: Readonly<Record<string, string>>;
}

/** The outcome of an operation. */
export type Outcome = Success | Refusal;

/** The outcome of a request. */
export type RequestOutcome = Outcome | TextOutcome;

/** Whether HTTP can carry a header. Source: RFC 9110, section 5. */
export function isHeader(name: string, value: unknown): boolean {
  const isValue = typeof value === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return isValue && /^[!#$%&'*+\-.^_`|~\w]+$/.test(name);
}

/** Whether a host name or address, also one in brackets, reaches nothing but this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d+){3})$/.test(host);
}
