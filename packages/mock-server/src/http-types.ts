import type { FieldProblem, HeaderLookup, PageRecord, UpdatePage } from "@landing-page-service/contract";

/** A network error that a fault can cause. */
export type WireFault = "refuse" | "reset" | "truncate" | "stall" | "garbage";

/** A request as plain values. */
export interface PlainRequest {
  /** HTTP method, upper case. */
  readonly method: string;
  /** Path as it came: percent-encoded, without the query. */
  readonly path: string;
  /** Scheme and host that were called, which a dialect may write. @defaultValue `https://landing-pages.test` */
  readonly origin?: string | undefined;
  /** Query as received, without `?`; empty if there is none. */
  readonly query: string;
  /** Headers of the request. */
  readonly headers: HeaderLookup & Iterable<readonly [name: string, value: string]>;
  /** The body, or `undefined` when there is none. An adapter stops reading after `maxBodyBytes` + 1 bytes, because a longer body is refused anyway. */
  readonly body: Uint8Array | undefined;
  /** Fires when the caller has gone away: a delay ends at once, and what was not begun is not done. */
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
  /** A body without an end, piece by piece as it comes, in place of `body`; ended when the caller goes away or the server closes. */
  readonly pieces?: AsyncIterable<string> | undefined;
  /** The network error in place of the whole response. */
  readonly wire?: WireFault | undefined;
}

/** The response to HEAD in place of one to GET: without the body, whose length stays. */
export function leaveOutBody(answer: PlainAnswer): PlainAnswer {
  const { headers, body, pieces: _, ...rest } = answer;
  if (body === undefined) return { ...rest, headers, body };
  return { ...rest, headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) }, body: undefined };
}

/** What an operation did, in values. The dialect decides what the response looks like. */
export interface Success {
  /** Status of the reference service. */
  readonly status: number;
  /** The page that was created, updated or deleted, or that an event is about. */
  readonly page?: Readonly<PageRecord> | undefined;
  /** The page before an update. */
  readonly previous?: Readonly<PageRecord>;
  /** The fields that an update was sent. */
  readonly changes?: UpdatePage;
  /** The pages of a list. */
  readonly pages?: readonly Readonly<PageRecord>[];
  /** The part of all pages that a list is. */
  readonly list?: { readonly total: number; readonly limit: number; readonly offset: number };
  /** The receipt of an event. */
  readonly event?: { readonly id: string; readonly pageId: string; readonly timestamp: string };
}

/** A response whose body is text already: a document, or what a fault or the control API says. */
export interface TextOutcome {
  readonly status: number;
  /** Headers beside those of every response, or in place of them where the spelling is the same. */
  readonly headers?: Record<string, string>;
  /** The body; `undefined` when there is none. */
  readonly text: string | undefined;
  /** A body without an end, in place of `text`. */
  readonly pieces?: AsyncIterable<string>;
}

/** Why a request was not carried out. */
export interface Refusal {
  readonly refused: number;
  /** What went wrong, in a sentence. */
  readonly detail: string;
  /** Every wrong field. */
  readonly errors?: readonly FieldProblem[];
  /** Headers in addition to those of every response, or in place of them if the spelling is the same. */
  readonly headers?: Record<string, string>;
}

/** What came of an operation. */
export type Outcome = Success | Refusal;

/** Whether HTTP can carry a header. Source: RFC 9110, section 5. */
export function isHeader(name: string, value: unknown): boolean {
  const isValue = typeof value === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return isValue && /^[!#$%&'*+\-.^_`|~\w]+$/.test(name);
}

/** Whether a host name or address, also one in brackets, reaches nothing but this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d+){3})$/.test(host);
}
