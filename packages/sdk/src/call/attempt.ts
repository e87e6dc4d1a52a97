// One attempt: ky sends the request, and the whole response comes back, within a time and a size. Nothing here retries.
import { type Endpoint, findExcess, readRateLimit } from "@landing-page-service/contract";
import ky, { type Hooks } from "ky";
import { ConfigurationError } from "../report/errors.ts";
import { nameKind } from "../report/messages.ts";
import { readNetworkFailure } from "./network-failure.ts";
import type { Outcome, TimeLimit } from "./outcome.ts";

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
 * among them, and none can ask ky to try again, as the client itself does.
 * Source: the documentation of ky, "hooks".
 */
export type RequestHooks = Omit<Hooks, "beforeRetry">;

/** A request, ready to be sent as often as needed. */
export interface HttpRequest {
  readonly method: Endpoint["method"];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * Whether the call needs the body of a success. `required`: without all of it the call fails. `optional`: the request has what is missing.
 * `ignored`: the status says everything.
 */
export type BodyUse = "required" | "optional" | "ignored";

/** What all attempts of a client have. */
export interface Transport {
  readonly fetch: Fetch;
  readonly hooks: RequestHooks | undefined;
  readonly now: () => number;
  /** Largest decoded body that is read. */
  readonly maxAnswerBytes: number;
}

/** How an attempt is made. */
export interface AttemptOptions extends Transport {
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
}

/** An attempt under way. */
interface Attempt {
  readonly controller: AbortController;
  /** What it waits for: the key, hooks, `fetch` and the response, and hooks again. */
  stage: "key" | "hook" | "network" | "after";
  /** Why `fetch` failed; hooks may replace the error. */
  failure?: { readonly error: unknown };
  /** Whether the status says enough, so that the body may end anywhere. */
  canEndEarly?: boolean;
}

const isSentAt = { key: false, hook: false, network: true, after: true } as const;

/** How much is read of a body that only explains a status, in bytes, and how long, in milliseconds. */
const ignoredBody = { maxBytes: 64 * 1024, maxMs: 1000 };

/** Sends a request once and returns the outcome; after an abort at once, whatever `fetch` does. Never rejects. */
export async function sendOnce(request: HttpRequest, options: AttemptOptions): Promise<Outcome> {
  const { signal, timeoutMs, limit, now } = options;
  const attempt: Attempt = { controller: new AbortController(), stage: "key" };
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const abort = () => {
    const reason = signal?.reason as unknown; // why: the platform says `any`
    resolve({ kind: "aborted", failure: "aborted", isSent: isSentAt[attempt.stage], reason });
    attempt.controller.abort(reason);
  };
  const stop = () => {
    const { stage, controller, canEndEarly } = attempt;
    const waitedFor = stage === "after" ? "hook" : stage;
    if (canEndEarly !== true)
      resolve({ kind: "timeout", failure: "timeout", isSent: isSentAt[stage], limit, waitedFor });
    controller.abort();
  };
  if (signal?.aborted) return { kind: "aborted", failure: "aborted", isSent: false, reason: signal.reason };
  const stopTimer = startTimer(stop, timeoutMs, now);
  signal?.addEventListener("abort", abort, { once: true });
  void exchange(request, options, attempt).then(resolve);
  const outcome = await promise;
  stopTimer();
  signal?.removeEventListener("abort", abort);
  return outcome;
}

async function exchange(request: HttpRequest, options: AttemptOptions, attempt: Attempt): Promise<Outcome> {
  let key: string;
  try {
    key = await options.readKey();
  } catch (error) {
    return misconfigured("apiKey", error as ConfigurationError); // why: it rejects with nothing else
  }
  attempt.stage = "hook";
  try {
    const response = await sendThroughKy(request, key, options, attempt);
    attempt.stage = "network";
    return await readResponse(response, options, attempt);
  } catch (error) {
    const cause = attempt.failure?.error ?? error;
    if (ConfigurationError.is(cause)) return misconfigured("fetch", cause);
    if (attempt.stage === "network") return readNetworkFailure(cause, options.keys);
    const isSent = isSentAt[attempt.stage];
    return { ...readNetworkFailure(error, options.keys), kind: "hook", failure: "HOOK_FAILED", isSent };
  }
}

function misconfigured(failure: "apiKey" | "fetch", error: ConfigurationError): Outcome {
  return { kind: "misconfigured", failure, isSent: false, error };
}

/** ky builds the request, runs the hooks, and passes on the result. Retries, time limits and errors are ours. */
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
    ...(hooks === undefined ? {} : { hooks }),
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    async fetch(built) {
      signal.throwIfAborted();
      const request = built as Request; // why: ky passes the one that it has built
      attempt.stage = "network";
      try {
        // A hook may have replaced the body. Without hooks it is not read back: that takes `queueMicrotask`, which a test may fake.
        const sent = hooks === undefined ? body : await readText(request);
        const response = toWebResponse(await fetch(request.url, toPlainInit(request, sent, signal)));
        if (signal.aborted) void response.body?.cancel(); // a `fetch` that ignores the signal
        attempt.stage = "after";
        return response;
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

/** Frameworks that replace `fetch` may cache responses. A runtime without a cache may refuse the option. */
function uncached(): { cache?: "no-store" } {
  const init: RequestInit & { cache: "no-store" } = { cache: "no-store" };
  try {
    return new Request("https://service.example", init).cache === "no-store" ? init : {};
  } catch {
    return {};
  }
}

/**
 * Takes what a `fetch` gives as a response with a web stream, or none, as its body, also from a `fetch` that gives a stream of Node's own,
 * such as node-fetch, or no stream at all, such as a polyfill. No `instanceof`: the Response of another realm is as good.
 *
 * @throws {ConfigurationError} when a `fetch` option gives something that no retry mends.
 */
function toWebResponse(response: Response): Response {
  if (typeof response !== "object" || response === null) throw wrongResponse(nameKind(response));
  const { status, statusText, headers, body, bodyUsed, type } = response;
  if (typeof status !== "number" || typeof headers?.get !== "function")
    throw wrongResponse("an object without status and headers");
  if (bodyUsed) throw wrongResponse("one whose body has been read before");
  if (type === "opaqueredirect") throw new TypeError("fetch hid a redirect, which is never followed");
  if (status === 0) throw new TypeError("fetch gave a Response that stands for a network error");
  if (body === null || typeof body?.getReader === "function") return response;
  const isBinary = typeof response.arrayBuffer === "function";
  if (!isBinary && typeof response.text !== "function") throw wrongResponse("an object whose body cannot be read");
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const bytes = isBinary ? new Uint8Array(await response.arrayBuffer()) : encoder.encode(await response.text());
    controller.enqueue(bytes);
    controller.close();
  };
  const stream = [204, 205, 304].includes(status) ? null : new ReadableStream({ pull }, { highWaterMark: 0 });
  return new Response(stream, { status, statusText, headers: new Headers([...headers]) });
}

const encoder = new TextEncoder();

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
  const refuse = (detail: string): Outcome => {
    return { kind: "unexpected", isSent: true, status, errors: [{ pointer: "#", detail: `got ${detail}` }], rateLimit };
  };
  const bodyUse = status >= 200 && status < 300 ? options.bodyUse : "ignored";
  const isRequired = bodyUse === "required";
  attempt.canEndEarly = !isRequired;
  const { maxBytes, maxMs } = bodyUse === "ignored" ? ignoredBody : { maxBytes: maxAnswerBytes };
  const most = { maxBytes: Math.min(maxBytes, maxAnswerBytes), maxMs, now };
  const { text, isWhole, error } = await readBody(response, most, attempt.controller.signal);
  if (isRequired && error !== undefined) throw error;
  if (isRequired && !isWhole) return refuse(`more than ${maxAnswerBytes} bytes, its maxAnswerBytes`);
  const excess = findExcess(text, maxAnswerBytes / 32);
  if (isRequired && excess !== undefined) return refuse(excess);
  const received = { kind: "answer", isSent: true, status, headers, response, rateLimit, receivedAtMs } as const;
  if (isWhole && excess === undefined) return { ...received, text };
  return { ...received, text: excess === undefined ? text : text.slice(0, 500), isCut: true };
}

/** Reads a body up to a size and a time, as UTF-8. Never rejects. Source: RFC 8259, section 8.1. */
async function readBody(
  { body }: Response,
  { maxBytes, maxMs, now }: { maxBytes: number; maxMs: number | undefined; now: () => number },
  signal: AbortSignal,
): Promise<{ text: string; isWhole: boolean; error?: unknown }> {
  if (body === null) return { text: "", isWhole: true };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
    reader.cancel().catch(() => undefined);
  };
  const stopTimer = maxMs === undefined ? () => undefined : startTimer(cancel, maxMs, now);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    for (let leftBytes = maxBytes; leftBytes >= 0;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode(), isWhole: !isCancelled };
      text += decoder.decode(value.subarray(0, leftBytes), { stream: true });
      leftBytes -= value.byteLength;
    }
    return { text: text + decoder.decode(), isWhole: false };
  } catch (error) {
    return { text: text + decoder.decode(), isWhole: false, error };
  } finally {
    stopTimer();
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** A timer that runs later than this belongs to a process that was busy, in milliseconds. */
const lateAfterMs = 50;
/** How much longer such a timer waits, in milliseconds. */
const graceMs = 1000;

/**
 * Calls back after so many milliseconds; gives the way to call it off. A process that was busy runs its late timers before it
 * reads its sockets, so a late timer waits a second longer for what has already arrived.
 */
function startTimer(callback: () => void, delayMs: number, now: () => number): () => void {
  const endAtMs = now() + delayMs;
  const listenOn = () => {
    timer = setTimeout(callback, now() - endAtMs > lateAfterMs ? graceMs : 0);
  };
  let timer = setTimeout(listenOn, delayMs);
  return () => clearTimeout(timer);
}
