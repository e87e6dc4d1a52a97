import type { HeaderLookup } from "@landing-page-service/contract";

/** A way in which an answer can break on its way. */
export type WireFault = "refuse" | "reset" | "truncate" | "stall" | "garbage";

/** A request as plain values. */
export interface PlainRequest {
  /** HTTP method, upper case. */
  readonly method: string;
  /** Path as it came: percent-encoded, without the query. */
  readonly path: string;
  /** Scheme and host that were called, which a dialect may write. @defaultValue `https://landing-pages.test` */
  readonly origin?: string | undefined;
  /** Query as it came, without `?`; empty when there is none. */
  readonly query: string;
  /** Headers of the request. */
  readonly headers: HeaderLookup;
  /**
   * Whether nobody changes the headers later, so that the journal may hold on to them. Otherwise it copies those that the lookup
   * lists, as `Headers` do; one that lists none must stay as it is.
   * @defaultValue false
   */
  readonly hasOwnHeaders?: boolean;
  /** The body, or `undefined` when there is none. An adapter stops reading after `maxBodyBytes` + 1 bytes: what is longer is refused anyway. */
  readonly body: Uint8Array | undefined;
  /**
   * The service's `generation` when the request began, where its body took time to arrive: what was reset since is not
   * written to. @defaultValue the present one
   */
  readonly generation?: number;
  /**
   * Id of the account whose `clientOptions.fetch` sent it: where its key opens no account, it is in this account's journal.
   * @defaultValue none
   */
  readonly via?: string | undefined;
  /** Fires when the caller has gone away: a delay ends at once, and what was not begun is not done. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer as plain values. */
export interface PlainAnswer {
  /** HTTP status, 200-599. */
  readonly status: number;
  /** Headers in their usual spelling; `Content-Length` is left to the adapter. */
  readonly headers: Record<string, string>;
  /** The body as text, or `undefined` when there is none. */
  readonly body: string | undefined;
  /** Length of the body in bytes of UTF-8, where it is known without counting. */
  readonly bodyBytes?: number | undefined;
  /** A body without an end, piece by piece as it comes, in place of `body`; ended when the caller goes away or the server closes. */
  readonly pieces?: AsyncIterable<string> | undefined;
  /** How the answer is to break on its way. */
  readonly wire?: WireFault | undefined;
}

/** Leaves the body out of an answer to HEAD; its length stays. */
export function fitToMethod(answer: PlainAnswer, method: string): PlainAnswer {
  if (method === "HEAD" && answer.pieces !== undefined) return { ...answer, pieces: undefined };
  if (method !== "HEAD" || answer.body === undefined) return answer;
  const length = String(answer.bodyBytes ?? Buffer.byteLength(answer.body));
  return { ...answer, headers: { ...answer.headers, "Content-Length": length }, body: undefined, bodyBytes: undefined };
}
