// One attempt: ky sends the request, and the client reads the whole response, within limits of time and size. Nothing here retries.
import { findExcess, readRateLimit } from "@landing-page-service/contract";
import { parseExactJson } from "@landing-page-service/contract/internal";
import ky from "ky";
import type { FetchInit } from "../options.ts";
import { UnexpectedResponse } from "../read/responses.ts";
import { ConfigurationError, type TimeoutError } from "../report/errors.ts";
import { nameKind } from "../report/messages.ts";
import type { Call, CallContext } from "./call.ts";
import { readNetworkFailure } from "./network-failure.ts";
import { aborted, misconfigured, type Outcome, timedOut, unexpected } from "./outcome.ts";
import { graceAfter } from "./timers.ts";

/** Stages of an attempt. `isSent` is whether the request may have been sent; `waitedFor` ends the message of a timeout. */
const stages = {
  key: { isSent: false, waitedFor: ", waiting for the function passed as `apiKey`" },
  hook: { isSent: false, waitedFor: ", waiting for a hook" },
  network: { isSent: true, waitedFor: "" },
  after: { isSent: true, waitedFor: ", waiting for a hook" },
};

/** An attempt of a call, and its state. */
interface Attempt extends CallContext, Omit<Call<unknown>, "read"> {
  /** How long it may take, in milliseconds, and the option that limits it. */
  readonly limitMs: number;
  readonly limit: TimeoutError["limit"];
  /** Keys to redact from the messages of foreign errors. */
  readonly keys: readonly string[];
  readonly controller: AbortController;
  stage: (typeof stages)[keyof typeof stages];
  /** The error of `fetch`, kept because a hook may replace it. */
  failure?: { readonly error: unknown };
  /** Whether the status is enough, so that a part of the body will do. */
  canEndEarly?: boolean;
}

/** Sends a request once and returns the outcome. After an abort it returns at once, even if `fetch` ignores the signal. Never rejects. */
export async function sendOnce(options: Omit<Attempt, "controller" | "stage">): Promise<Outcome> {
  const { signal, limitMs, limit, now } = options;
  if (signal?.aborted) return aborted(signal, false);
  const attempt: Attempt = { ...options, controller: new AbortController(), stage: stages.key };
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const end = (outcome: Outcome, reason?: unknown) => {
    resolve(outcome);
    attempt.controller.abort(reason);
  };
  const abort = () => end(aborted(signal, attempt.stage.isSent), signal?.reason);
  // If the status is enough, the timer ends the body and not the attempt.
  const stop = () =>
    attempt.canEndEarly ? attempt.controller.abort() : end(timedOut(limit, options[limit], attempt.stage));
  const stopTimer = startTimer(stop, limitMs, now);
  signal?.addEventListener("abort", abort, { once: true });
  void exchange(attempt).then(resolve);
  const outcome = await promise;
  stopTimer();
  signal?.removeEventListener("abort", abort);
  return outcome;
}

async function exchange(attempt: Attempt): Promise<Outcome> {
  try {
    const key = await attempt.readKey();
    attempt.stage = stages.hook;
    const response = await sendThroughKy(attempt, key);
    attempt.stage = stages.network;
    return await readResponse(response, attempt);
  } catch (error) {
    const { stage, failure, keys } = attempt;
    const cause = failure?.error ?? error;
    if (ConfigurationError.is(cause)) return misconfigured(stage === stages.key ? "apiKey" : "fetch", cause);
    return stage === stages.network ? readNetworkFailure(cause, keys) : readNetworkFailure(error, keys, stage);
  }
}

/** Sends a request through ky, which builds it and runs the hooks. Retries, time limits and errors are handled outside of ky. */
async function sendThroughKy(attempt: Attempt, key: string): Promise<Response> {
  const { endpoint, baseUrl, path, headers, body, idempotencyKey, fetch, hooks } = attempt;
  const { signal } = attempt.controller;
  return ky(baseUrl + path, {
    method: endpoint.method,
    headers: {
      ...headers,
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body }),
    redirect: "manual",
    signal,
    ...(hooks !== undefined && { hooks }),
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    async fetch(built) {
      signal.throwIfAborted();
      const request = built as Request; // why: ky passes the request that it built
      attempt.stage = stages.network;
      try {
        // A hook may have replaced the body, so read it from the request. Without hooks, do not read it, because reading uses `queueMicrotask`, which a test may replace.
        const sent = hooks === undefined ? body : (await request.text()) || undefined;
        const response = toWebResponse(await fetch(request.url, toPlainInit(request, sent, signal)));
        if (signal.aborted) void response.body?.cancel(); // a `fetch` that ignores the signal
        attempt.stage = stages.after;
        return response;
      } catch (error) {
        attempt.failure = { error };
        throw error;
      }
    },
  });
}

/** Converts a request to plain options, because a custom `fetch` may not accept this platform's `Request`. */
function toPlainInit({ method, headers }: Request, body: string | undefined, signal: AbortSignal): FetchInit {
  return {
    method,
    headers: Object.fromEntries(headers),
    redirect: "manual",
    signal,
    // Frameworks that replace `fetch` may cache responses. A runtime without a cache may refuse the option.
    ...("cache" in Request.prototype ? { cache: "no-store" } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

/**
 * Converts the response of a custom `fetch` to one whose body is a web stream or `null`. node-fetch returns a stream of Node, and a mock
 * may have no stream at all. It does not use `instanceof`, because a `Response` of another realm is as good.
 *
 * @throws {ConfigurationError} when the `fetch` option returns something that no retry can fix.
 */
function toWebResponse(response: Response): Response {
  const { status, statusText, headers, body, bodyUsed, type } = Object(response) as Response; // why: checked below
  const isResponse = typeof status === "number" && typeof headers?.get === "function";
  const hasStream = body === null || typeof body?.getReader === "function";
  const isReadable = hasStream || typeof response?.text === "function";
  if (!isResponse || !isReadable || bodyUsed) {
    const flaw = isReadable ? "has been read before" : "cannot be read";
    const received = isResponse ? `one whose body ${flaw}` : nameKind(response);
    throw new ConfigurationError(
      `The function passed as \`fetch\` must return a new Response for every request, not ${received}: \`async () => Response.json(…)\`.`,
    );
  }
  if (type === "opaqueredirect") throw new TypeError("fetch hid a redirect, which is never followed");
  if (status === 0) throw new TypeError("fetch returned a Response that represents a network error");
  if (hasStream) return response;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(new TextEncoder().encode(await response.text()));
    controller.close();
  };
  const stream = [204, 205, 304].includes(status) ? null : new ReadableStream({ pull }, { highWaterMark: 0 });
  return new Response(stream, { status, statusText, headers: new Headers([...headers]) });
}

/** Limits for reading a body that only explains a status. */
const ignoredBody = { maxBytes: 64 * 1024, maxMs: 1000 };

/** Reads a response. A body that only explains a status may be incomplete. */
async function readResponse(response: Response, attempt: Attempt): Promise<Outcome> {
  const { maxAnswerBytes, now, controller } = attempt;
  const { status, headers } = response;
  const receivedAtMs = now();
  const rateLimit = readRateLimit(headers, receivedAtMs);
  const isIgnored = !attempt.needsBody || status < 200 || status >= 300;
  attempt.canEndEarly = isIgnored;
  const stopTimer = isIgnored ? startTimer(() => controller.abort(), ignoredBody.maxMs, now) : undefined;
  const maxBytes = isIgnored ? Math.min(maxAnswerBytes, ignoredBody.maxBytes) : maxAnswerBytes;
  const { text, isWhole } = await readBody(response, maxBytes, controller.signal, isIgnored);
  stopTimer?.();
  const excess = findExcess(text, maxAnswerBytes / 32);
  if (!isIgnored) {
    const flaw = isWhole ? excess : `more than ${maxAnswerBytes} bytes (maxAnswerBytes)`;
    if (flaw !== undefined)
      return unexpected({ status, rateLimit }, new UnexpectedResponse([{ pointer: "#", detail: `got ${flaw}` }]));
  }
  const kept = excess === undefined ? text : text.slice(0, 500);
  const json = parseExactJson(kept);
  return { kind: "answer", isSent: true, status, headers, response, rateLimit, receivedAtMs, text: kept, json };
}

/**
 * Reads a body up to a size and until the signal aborts, as UTF-8. If `mayBreak` is true, a broken connection ends the body without an error.
 * Source: RFC 8259, section 8.1.
 */
async function readBody({ body }: Response, maxBytes: number, signal: AbortSignal, mayBreak: boolean) {
  if (body === null) return { text: "", isWhole: true };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  let [text, isWhole] = ["", false];
  try {
    for (let leftBytes = maxBytes; leftBytes >= 0 && !isWhole;) {
      const { done, value = new Uint8Array() } = await reader.read();
      text += decoder.decode(value.subarray(0, leftBytes), { stream: true });
      leftBytes -= value.byteLength;
      isWhole = done;
    }
  } catch (error) {
    if (!mayBreak) throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
  return { text: text + decoder.decode(), isWhole: isWhole && !signal.aborted };
}

/** Calls `callback` after `delayMs`, or some time later if the process was busy. Returns a function that stops the timer. */
function startTimer(callback: () => void, delayMs: number, now: () => number): () => void {
  const endAtMs = now() + delayMs;
  let timer = setTimeout(() => {
    timer = setTimeout(callback, graceAfter(now() - endAtMs));
  }, delayMs);
  return () => clearTimeout(timer);
}
