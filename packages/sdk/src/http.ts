// One attempt: a request goes out, its whole answer comes back, within a time and a size. Nothing here tries again.
import type * as Ky from "ky";
import type { Fetch, FetchInit } from "./options.ts";

/** A request, ready to be sent as often as needed. */
export interface HttpRequest {
  readonly method: FetchInit["method"];
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** An answer that has been read to its end. */
export interface HttpAnswer {
  readonly response: Response;
  readonly text: string;
}

/** Why an attempt brought no answer. */
export class AttemptError extends Error {
  /** What happened, as the retry rules tell it apart; `unreadable` is an answer that no attempt will make better. */
  readonly kind: "unsent" | "broken" | "timeout" | "unreadable";
  /** A code such as `ECONNREFUSED`. */
  readonly code: string;
  /** Status of the answer, if one had begun. */
  readonly status: number | undefined;

  constructor(kind: AttemptError["kind"], code: string, message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.code = code;
    this.status = status;
  }
}

/** Largest decoded answer, in bytes. */
const maxAnswerBytes = 32 * 1024 * 1024;
/** How much is read of a body that does not matter, or that only explains a status, in bytes. */
const maxAsideBytes = 64 * 1024;

/**
 * Sends a request once. Rejects with the signal's own reason when it aborts, at once and whatever `fetch` does.
 *
 * @throws {AttemptError} when no answer came in time, or it cannot be read.
 */
export function sendOnce(
  request: HttpRequest,
  options: {
    readonly fetch: Fetch;
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
    readonly needsBody: boolean;
    readonly readKey: () => string | Promise<string>;
  },
): Promise<HttpAnswer> {
  const { signal, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const attempt: AttemptUnderWay = { controller: new AbortController(), isSent: false };
    const abort = () => stop(signal?.reason);
    const settle =
      <Value>(end: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        end(value);
      };
    const succeed = settle(resolve);
    const fail = settle(reject);
    const stop = (reason: unknown) => {
      attempt.controller.abort(reason);
      attempt.cancelBody?.();
      fail(reason);
    };
    const timer = setTimeout(() => {
      // An answer whose status says it all does not become a timeout because its body stalls.
      if (attempt.readSoFar !== undefined) resolve(attempt.readSoFar());
      stop(
        new AttemptError(attempt.isSent ? "timeout" : "unsent", "timeout", `no complete answer within ${timeoutMs} ms`),
      );
    }, timeoutMs);
    signal?.addEventListener("abort", abort, { once: true });

    exchange(request, options, attempt).then(succeed, fail);
  });
}

interface AttemptUnderWay {
  readonly controller: AbortController;
  isSent: boolean;
  /** Lets go of a body that is being read, also where `fetch` ignores the signal. A listener at the signal would keep the whole answer in memory for longer than anybody needs it. */
  cancelBody?: () => void;
  /** Gives an answer whose body may be cut off anywhere; absent while there is none. */
  readSoFar?: () => HttpAnswer;
}

// Loaded with the first request: importing ky loads the platform's whole fetch, more than half of what starting costs.
let loadingKy: Promise<typeof Ky> | undefined;

async function exchange(
  { method, url, headers, body }: HttpRequest,
  { fetch, needsBody, readKey }: Pick<Parameters<typeof sendOnce>[1], "fetch" | "needsBody" | "readKey">,
  attempt: AttemptUnderWay,
): Promise<HttpAnswer> {
  const key = await readKey();
  const { default: ky } = await (loadingKy ??= import("ky"));
  const { signal } = attempt.controller;
  if (signal.aborted) throw signal.reason;
  attempt.isSent = true;
  try {
    const init: FetchInit = {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
      redirect: "manual",
      signal,
    };
    // What ky would only copy into a Request, for the platform to copy it out again, goes straight to fetch: the body as
    // text rather than through two streams, and one signal rather than three.
    const response = await ky(url, {
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      fetch: () => fetch(url, init),
    });
    // Not `instanceof`: the Response of a polyfill or of another realm is as good.
    if (typeof response?.status !== "number" || typeof response.headers?.get !== "function") {
      throw new TypeError("fetch gave no Response");
    }
    return { response, text: await readText(response, response.ok && needsBody, attempt) };
  } catch (error) {
    throw error instanceof AttemptError ? error : readFailure(error, key);
  }
}

/** Reads a body; one that only explains a status is read as far as it goes. */
async function readText(response: Response, isNeeded: boolean, attempt: AttemptUnderWay): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>; // why: bodies are streams of bytes
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (attempt.controller.signal.aborted) cancel();
  attempt.cancelBody = cancel;
  const maxBytes = isNeeded ? maxAnswerBytes : maxAsideBytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (!isNeeded) attempt.readSoFar = () => ({ response, text: decode(chunks, size, false, response.status) });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      chunks.push(read.value);
      size += read.value.byteLength;
      if (size > maxBytes) break;
    }
  } catch (error) {
    if (isNeeded) throw error;
  }
  if (size > maxBytes) {
    cancel();
    if (isNeeded) throw new AttemptError("unreadable", "too-large", "more than 32 MiB", response.status);
  }
  return decode(chunks, size, isNeeded, response.status);
}

function decode(chunks: Uint8Array[], size: number, isNeeded: boolean, status: number): string {
  let bytes = chunks[0];
  if (bytes === undefined) return "";
  if (chunks.length > 1) {
    bytes = new Uint8Array(size);
    let offset = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, offset);
      offset += chunk.byteLength;
    }
  }
  try {
    return (isNeeded ? strictDecoder : lenientDecoder).decode(bytes);
  } catch (error) {
    throw new AttemptError("unreadable", "not-utf-8", "bytes that are not UTF-8", status, { cause: error });
  }
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true });
const lenientDecoder = new TextDecoder("utf-8");

/** Codes that can only come from a connection that never was; nothing can have been sent. */
const unsentCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
/** Codes of a certificate that was refused, which happens before the request is written. Source: Node, "X509 certificate error codes". */
const certificateCode = /^(?:ERR_TLS_CERT|CERT|UNABLE_TO|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT)_/;

/** Tells what a network error means. The error itself may hold the request, and so the key: only names and messages are kept. */
function readFailure(error: unknown, key: string): AttemptError {
  const chain = listCauses(error).filter(({ name }) => name !== "NetworkError"); // ky's own wrapper, which says nothing more
  const kind = chain.some(wasNeverConnected) ? "unsent" : "broken";
  const code = chain.map(({ code }) => code).find((found) => typeof found === "string") ?? "UNKNOWN";
  const message = hideKey(chain.findLast((cause) => cause.message !== "")?.message ?? code, key);
  const cause = chain.reduceRight<Error | undefined>((inner, outer) => copyError(outer, inner, key), undefined);
  return new AttemptError(kind, code, message, undefined, { cause });
}

/** Takes the API key out of a text that somebody else wrote. */
export function hideKey(text: string, key: string): string {
  // A key so short is no secret, and replacing it would garble the text.
  return key.length < 4 ? text : text.replaceAll(key, "[API key]");
}

function listCauses(error: unknown): NodeJS.ErrnoException[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 8; cause = cause.cause) chain.push(cause);
  return chain;
}

function wasNeverConnected(error: NodeJS.ErrnoException): boolean {
  // Happy eyeballs: every address was tried and none took the connection.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(wasNeverConnected);
  const { syscall, code = "" } = error;
  return syscall === "connect" || syscall === "getaddrinfo" || unsentCodes.has(code) || certificateCode.test(code);
}

function copyError(error: NodeJS.ErrnoException, cause: Error | undefined, key: string): Error {
  const copy = new Error(hideKey(error.message, key), cause === undefined ? {} : { cause });
  copy.name = error.name;
  copy.stack = hideKey(error.stack ?? "", key);
  return error.code === undefined ? copy : Object.assign(copy, { code: error.code });
}
