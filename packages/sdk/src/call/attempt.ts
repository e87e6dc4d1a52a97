// One attempt: ky sends the request, and the whole response comes back, within a time and a size. Nothing here retries.
import { type Endpoint, findExcess, readRateLimit } from "@landing-page-service/contract";
import ky, { type Hooks } from "ky";
import { ConfigurationError } from "../report/errors.ts";
import { nameKind } from "../report/messages.ts";
import { readNetworkFailure, readUndecodable } from "./network-failure.ts";
import type { Answer, Outcome, TimeLimit } from "./outcome.ts";
import { startTimer } from "./timers.ts";

/** The part of the platform's `fetch` that the client uses: an absolute URL, and beside it the rest of the request. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** A request but for its URL, as the platform's `fetch` takes it. */
export interface FetchInit {
  /** HTTP method. */
  readonly method: string;
  /** Values by lower-case name; the API key is one of them. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; absent where nothing is sent. */
  readonly body?: string;
  /** A redirect is never followed, because the next host would receive the API key. */
  readonly redirect: "manual";
  /** Frameworks that replace `fetch` may cache responses; absent where the runtime does not take the option. */
  readonly cache?: "no-store";
  /** Aborts when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/**
 * Hooks as ky has them, run for every attempt on the request that is sent. They see the API key. ky's `beforeRetry` is not
 * among them, as the client itself tries again. What is typed with ky's own `InitHook`, `BeforeRequestHook` and
 * `BeforeErrorHook` fits; an `AfterResponseHook` does not, as it may ask ky to try again.
 * Source: the documentation of ky, "hooks".
 */
export interface RequestHooks {
  /** Changes ky's options, such as `headers` or `searchParams`, before the request is made of them. */
  init?: Hook<Record<string, unknown>, void>[];
  /** Changes the request in place, or gives another one to be sent, or a response instead of sending any. */
  beforeRequest?: Hook<HookState, Request | Response | void | Promise<Request | Response | void>>[];
  /** Sees a copy of every response, and may return another one to be read instead. */
  afterResponse?: Hook<HookState & { response: Response }, Response | void | Promise<Response | void>>[];
  /** Sees why no response came; returns the error. */
  beforeError?: Hook<HookState & { error: Error }, Error | Promise<Error>>[];
}

/** A method, whose parameter may also be narrower: ky passes more to its hooks than these types show. */
type Hook<Given, Wanted> = { hook(given: Given): Wanted }["hook"];

/** Argument of every hook. */
export interface HookState {
  /** The request, as it is or was sent. */
  readonly request: Request;
  /** Options of ky it was made of. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A request, ready to be sent as often as needed. */
export interface HttpRequest {
  readonly method: Endpoint["method"];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * What the body of a success is for. `required`: without all of it the call has failed. `optional`: the caller knows what is missing.
 * `ignored`: the status says everything.
 */
export type BodyUse = "required" | "optional" | "ignored";

/** How an attempt is made. */
export interface AttemptOptions {
  readonly fetch: Fetch;
  readonly hooks: RequestHooks | undefined;
  /** How long it may take, body included, in milliseconds. */
  readonly timeoutMs: number;
  /** The option which that comes from. */
  readonly limit: TimeLimit;
  readonly signal: AbortSignal | undefined;
  /** Rejects with a `ConfigurationError` and nothing else. */
  readonly readKey: () => Promise<string>;
  /** Keys that are taken out of what others say. */
  readonly keys: readonly string[];
  readonly bodyUse: BodyUse;
  readonly now: () => number;
  /** Largest decoded body that is read. */
  readonly maxAnswerBytes: number;
}

/** An attempt under way. */
interface Attempt {
  readonly controller: AbortController;
  /** What it waits for: the key, hooks, `fetch` and the response, and hooks again. */
  stage: "key" | "before" | "network" | "after";
  /** Why `fetch` failed; hooks may replace the error. */
  failure?: { readonly error: unknown };
  /** The response to a request of ours, whatever a hook made of it. */
  received?: Response;
  /** Lets go of a body that is being read, also where `fetch` ignores the signal. */
  cancelBody?: () => void;
  /** Gives a response whose body may be cut off anywhere; absent where all of it is needed. */
  finishEarly?: () => Outcome;
}

const isSentAt = { key: false, before: false, network: true, after: true } as const;
const waitedForAt = { key: "key", before: "hook", network: "answer", after: "hook" } as const;

/** How much is read of a body that only explains a status, in bytes, and how long, in milliseconds. */
const mostAsideBytes = 64 * 1024;
const mostAsideMs = 1000;

/** Sends a request once and tells how that ended; at an abort at once, whatever `fetch` does. Never rejects. */
export function sendOnce(request: HttpRequest, options: AttemptOptions): Promise<Outcome> {
  const { signal, timeoutMs, limit } = options;
  return new Promise((resolve) => {
    const attempt: Attempt = { controller: new AbortController(), stage: "key" };
    const settle = (outcome: Outcome) => {
      stopTimer();
      signal?.removeEventListener("abort", abort);
      resolve(outcome);
    };
    const stop = (outcome: Outcome, reason?: unknown) => {
      attempt.controller.abort(reason);
      attempt.cancelBody?.();
      settle(outcome);
    };
    const abort = () => {
      const reason = signal?.reason as unknown; // why: the platform says `any`
      stop({ kind: "aborted", isSent: isSentAt[attempt.stage], reason }, reason);
    };
    const end = () => {
      const { stage } = attempt;
      const timedOut = { kind: "timeout", isSent: isSentAt[stage], limit, waitedFor: waitedForAt[stage] } as const;
      stop(attempt.finishEarly?.() ?? timedOut);
    };
    const stopTimer = startTimer(end, timeoutMs, options.now);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    void exchange(request, options, attempt).then(settle);
  });
}

async function exchange(request: HttpRequest, options: AttemptOptions, attempt: Attempt): Promise<Outcome> {
  let key: string;
  try {
    key = await options.readKey();
  } catch (error) {
    return { kind: "misconfigured", code: "apiKey", error: error as ConfigurationError }; // why: it rejects with nothing else
  }
  attempt.stage = "before";
  try {
    const response = await sendThroughKy(request, key, options, attempt);
    attempt.stage = "network";
    return await readResponse(response, options, attempt);
  } catch (error) {
    const cause = attempt.failure?.error ?? error;
    if (ConfigurationError.is(cause)) return { kind: "misconfigured", code: "fetch", error: cause };
    if (attempt.stage === "network") return readNetworkFailure(cause, options.keys);
    const rateLimit = attempt.received && readRateLimit(attempt.received.headers, options.now());
    const { message, cause: copy } = readNetworkFailure(error, options.keys);
    const response = attempt.received && { status: attempt.received.status, headers: attempt.received.headers };
    return { kind: "hook", isSent: isSentAt[attempt.stage], message, cause: copy, rateLimit, response };
  }
}

/** ky builds the request, runs the hooks, and hands on what they made of it. Retries, time limits and errors are ours. */
async function sendThroughKy(
  { url, method, headers, body }: HttpRequest,
  key: string,
  { fetch, hooks }: AttemptOptions,
  attempt: Attempt,
): Promise<Response> {
  const { signal } = attempt.controller;
  return ky(url, {
    method,
    headers: { ...headers, authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal,
    ...(hooks === undefined ? {} : { hooks: hooks as Hooks }), // why: ky's own types of the same functions, which tell more
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    async fetch(built) {
      signal.throwIfAborted();
      const request = built as Request; // why: ky passes the one that it has built
      attempt.stage = "network";
      try {
        const sent = hooks === undefined ? body : await readText(request);
        const response = await fetch(request.url, toPlainInit(request, sent, signal));
        checkResponse(response);
        attempt.stage = "after";
        attempt.received = response;
        return hooks === undefined ? response : toWebResponse(response);
      } catch (error) {
        attempt.failure = { error };
        throw error;
      }
    },
  });
}

/** Takes a request apart, for a `fetch` that may know no `Request` of this platform. */
function toPlainInit({ method, headers }: Request, body: string | undefined, signal: AbortSignal): FetchInit {
  const init: FetchInit = { method, headers: Object.fromEntries(headers), redirect: "manual", signal, ...uncached() };
  return body === undefined ? init : { ...init, body };
}

async function readText({ body }: Request): Promise<string | undefined> {
  return body === null ? undefined : new Response(body).text();
}

/** Frameworks that replace `fetch` may cache what it gives. A runtime without a cache may refuse the option. */
function uncached(): { cache?: "no-store" } {
  if (isCacheKnown === undefined) {
    try {
      const init: object = { cache: "no-store" };
      isCacheKnown = new Request("https://service.example", init) instanceof Request;
    } catch {
      isCacheKnown = false;
    }
  }
  return isCacheKnown ? { cache: "no-store" } : {};
}

let isCacheKnown: boolean | undefined;

/**
 * Refuses what is no response. Not by `instanceof`, because the Response of a polyfill or of another realm is as good.
 *
 * @throws {ConfigurationError} when a `fetch` option gives something that no retry mends.
 */
function checkResponse(response: Response): void {
  if (typeof response !== "object" || response === null) throw wrongResponse(nameKind(response));
  if (typeof response.status !== "number" || typeof response.headers?.get !== "function")
    throw wrongResponse("an object without status and headers");
  if (response.bodyUsed) throw wrongResponse("one whose body has been read before");
  const canBeRead = response.body === null || typeof Object(response.body).getReader === "function";
  if (!canBeRead && typeof response.arrayBuffer !== "function" && typeof response.text !== "function")
    throw wrongResponse("an object whose body cannot be read");
  if (response.type === "opaqueredirect") throw new TypeError("fetch hid a redirect, which is never followed");
  if (response.status === 0) throw new TypeError("fetch gave a Response that stands for a network error");
}

function wrongResponse(what: string): ConfigurationError {
  return new ConfigurationError(
    `The function passed as \`fetch\` must give a new Response for every request, not ${what}: \`async () => Response.json(…)\`.`,
  );
}

/** Reads a response; a body that only explains a status is read as far as it goes. */
async function readResponse(response: Response, options: AttemptOptions, attempt: Attempt): Promise<Outcome> {
  const { maxAnswerBytes, now } = options;
  const { status, headers } = response;
  const receivedAtMs = now();
  const rateLimit = readRateLimit(headers, receivedAtMs);
  const bodyUse = status >= 200 && status < 300 ? options.bodyUse : "ignored";
  const isNeeded = bodyUse === "required";
  const chunks: Uint8Array[] = [];
  const finish = (): Answer => {
    const text = decodeUtf8(chunks);
    return { kind: "answer", status, headers, response, text, rateLimit, receivedAtMs };
  };
  const refuse = (detail: string, flaw?: "UNDECODABLE"): Outcome => {
    return { kind: "unexpected", status, errors: [{ pointer: "#", detail: `got ${detail}` }], rateLimit, flaw };
  };

  const stream = streamOf(response);
  if (stream === null) return finish();
  const reader = stream.getReader();
  attempt.cancelBody = () => void reader.cancel().catch(() => undefined);
  if (attempt.controller.signal.aborted) attempt.cancelBody();
  const finishEarly = (): Answer => ({ ...finish(), isCut: true });
  if (!isNeeded) attempt.finishEarly = finishEarly;
  const stopTimer = bodyUse === "ignored" ? startTimer(attempt.cancelBody, mostAsideMs, now) : () => undefined;
  try {
    const mostBytes = bodyUse === "ignored" ? Math.min(mostAsideBytes, maxAnswerBytes) : maxAnswerBytes;
    const isWhole = await readChunks(reader, chunks, mostBytes);
    if (!isWhole) {
      attempt.cancelBody();
      return isNeeded ? refuse(`more than ${maxAnswerBytes} bytes, its maxAnswerBytes`) : finishEarly();
    }
  } catch (error) {
    if (!isNeeded) return finishEarly();
    const said = readUndecodable(error);
    if (said === undefined) throw error;
    const encoding = headers.get("Content-Encoding") ?? "what it is";
    return refuse(`a body that cannot be decoded as ${encoding}: ${said}`, "UNDECODABLE");
  } finally {
    stopTimer();
  }
  const answer = finish();
  const excess = findExcess(answer.text, maxAnswerBytes / 32);
  if (excess === undefined) return answer;
  return isNeeded ? refuse(excess) : { ...answer, text: answer.text.slice(0, 500), isCut: true };
}

/** Reads a body into the chunks, up to so many bytes; gives whether that is all of it. */
async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  chunks: Uint8Array[],
  mostBytes: number,
): Promise<boolean> {
  for (let leftBytes = mostBytes; leftBytes >= 0;) {
    const { done, value } = await reader.read();
    if (done) return true;
    chunks.push(value.byteLength > leftBytes ? value.subarray(0, leftBytes) : value);
    leftBytes -= value.byteLength;
  }
  return false;
}

/** JSON is UTF-8. Source: RFC 8259, section 8.1. */
function decodeUtf8(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}

/** The body as a web stream of bytes, also of a `fetch` that gives a stream of Node's own, such as node-fetch, or none, such as a polyfill. */
function streamOf(response: Response): ReadableStream<Uint8Array> | null {
  const { body } = response;
  if (body === null || typeof body?.getReader === "function") return body;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const isBinary = typeof response.arrayBuffer === "function";
    controller.enqueue(
      isBinary ? new Uint8Array(await response.arrayBuffer()) : new TextEncoder().encode(await response.text()),
    );
    controller.close();
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** Gives hooks the platform's own `Response`, which they and ky may copy, also where `fetch` gives another. */
function toWebResponse(response: Response): Response {
  const { status, statusText, headers } = response;
  const stream = streamOf(response);
  if (stream === response.body) return response;
  const body = [204, 205, 304].includes(status) ? null : stream;
  return new Response(body, { status, statusText, headers: new Headers([...headers]) });
}
