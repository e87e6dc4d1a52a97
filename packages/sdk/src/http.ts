// One attempt: a request goes out, its whole answer comes back, within a time and a size. Nothing here tries again.
import type { Endpoint } from "@landing-page-service/contract";
import type * as Ky from "ky";
import { ConfigurationError } from "./errors.ts";
import { readMisfit, readNetworkFailure } from "./network-failure.ts";
import type { Fetch, FetchInit, RequestHooks } from "./options.ts";
import type { Outcome, TimeLimit } from "./outcome.ts";
import {
  type AttemptUnderWay,
  checkAnswer,
  hearHeaders,
  readAnswer,
  type ReadOptions,
  streamOf,
} from "./read-answer.ts";

/** A request, ready to be sent as often as needed. */
export interface HttpRequest {
  readonly method: Endpoint["method"];
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Writes a request out, but for the key. */
export function writeRequest(
  baseUrl: string,
  call: {
    readonly endpoint: { readonly method: HttpRequest["method"] };
    readonly path: string;
    readonly body?: string | undefined;
    readonly idempotencyKey?: string | undefined;
  },
  further: Readonly<Record<string, string>>,
): HttpRequest {
  const { endpoint, path, body, idempotencyKey } = call;
  const headers: Record<string, string> = { ...further };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  return { method: endpoint.method, url: baseUrl + path, headers, body };
}

/** What an attempt goes by. */
export interface AttemptOptions extends ReadOptions {
  readonly fetch: Fetch;
  readonly hooks: RequestHooks | undefined;
  /** How long it may take, body included, in milliseconds. */
  readonly timeoutMs: number;
  /** The option which that comes from. */
  readonly limit: TimeLimit;
  readonly signal: AbortSignal | undefined;
  /** Gives nothing when the key there is has just been refused. Throws a `ConfigurationError` and nothing else. */
  readonly readKey: () => string | undefined | Promise<string | undefined>;
}

/** Sends a request once and tells how that ended; when the signal aborts, at once and whatever `fetch` does. Never rejects. */
export function sendOnce(request: HttpRequest, options: AttemptOptions): Promise<Outcome> {
  const { signal, timeoutMs, limit } = options;
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve({ kind: "aborted", isSent: false, reason: signal.reason });
    const attempt: AttemptUnderWay = { controller: new AbortController(), stage: "before" };
    const settle = (outcome: Outcome) => {
      clearTimeout(timer);
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
      stop({ kind: "aborted", isSent: attempt.stage !== "before", reason }, reason);
    };
    const timer = setTimeout(() => {
      // An answer whose status says it all does not become a timeout because its body stalls.
      stop(attempt.readSoFar?.() ?? { kind: "timeout", isSent: attempt.stage !== "before", limit });
    }, timeoutMs);
    signal?.addEventListener("abort", abort, { once: true });

    void exchange(request, options, attempt).then(settle);
  });
}

// Loaded with the first request: importing ky loads the platform's whole fetch, more than half of what starting costs.
let loadedKy: typeof Ky.default | undefined;
const withoutKy = "The package `ky`, which the client sends with, cannot be loaded: install the dependencies again.";

async function exchange(request: HttpRequest, options: AttemptOptions, attempt: AttemptUnderWay): Promise<Outcome> {
  let key: string | undefined;
  try {
    key = await options.readKey();
  } catch (error) {
    return { kind: "misconfigured", code: "apiKey", error: error as ConfigurationError }; // why: it throws nothing else
  }
  if (key === undefined) return { kind: "key-refused" };
  try {
    loadedKy ??= (await import("ky")).default;
  } catch (cause) {
    return { kind: "misconfigured", code: "ky", error: new ConfigurationError(withoutKy, { cause }) };
  }
  const ky = loadedKy;
  const { hooks } = options;
  const { signal } = attempt.controller;
  const { url, method, body } = request;
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  const init: FetchInit = { method, headers, redirect: "manual", signal, ...(body === undefined ? {} : { body }) };
  let failure: unknown;
  let answered: Response | undefined;
  const send = async (built: unknown): Promise<Response> => {
    const sent = hooks === undefined ? { url, init } : await readRequest(built as Request, init); // why: ky passes the one it has built
    signal.throwIfAborted();
    attempt.stage = "network";
    try {
      const answer = await options.fetch(sent.url, sent.init);
      checkAnswer(answer);
      attempt.stage = "after";
      answered = answer;
      return hooks === undefined ? answer : toWebResponse(answer);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    const passive = { retry: 0, timeout: false, throwHttpErrors: false, fetch: send } as const; // tries, time limits and errors are ours
    // What is sent is for hooks to see. Without any, the platform would only copy it, the body from stream to stream.
    const seen = hooks === undefined ? passive : { ...init, ...passive, hooks: hooks as Ky.Hooks }; // why: ky's own types of the same functions, which tell more of what they are given
    const response = await ky(url, seen);
    attempt.stage = "network";
    return await readAnswer(response, options, attempt);
  } catch (error) {
    const cause = failure ?? error;
    if (attempt.stage === "network") return readMisfit(cause, key) ?? readNetworkFailure(cause, key);
    // The service has spoken, whatever a hook made of it.
    if (answered !== undefined) hearHeaders(answered, options, attempt);
    return { ...readNetworkFailure(error, key), kind: "hook", isSent: attempt.stage === "after" };
  }
}

/** Gives hooks the platform's own `Response`, which they and ky may copy, also where `fetch` gives one without a web stream. */
function toWebResponse(response: Response): Response {
  const { status, statusText, headers } = response;
  const stream = streamOf(response);
  if (stream === response.body) return response;
  const body = [204, 205, 304].includes(status) ? null : stream;
  return new Response(body, { status, statusText, headers: new Headers([...headers]) });
}

/** Takes apart what the hooks have made of a request, for a `fetch` that may know no `Request` of this platform. */
async function readRequest(
  { url, method, headers, body }: Request,
  { redirect, signal }: FetchInit,
): Promise<{ url: string; init: FetchInit }> {
  const init = { method, headers: Object.fromEntries(headers), redirect, signal };
  return { url, init: body === null ? init : { ...init, body: await new Response(body).text() } };
}
