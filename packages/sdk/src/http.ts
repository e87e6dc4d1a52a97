// One attempt: a request goes out, its whole answer comes back, within a time and a size. Nothing here tries again.
import type { Endpoint } from "@landing-page-service/contract";
import type { ConfigurationError } from "./errors.ts";
import type { Middleware } from "./hooks.ts";
import { readMisfit, readNetworkFailure } from "./network-failure.ts";
import { startTimer } from "./late.ts";
import type { Fetch, FetchInit } from "./options.ts";
import { onAbort } from "./on-abort.ts";
import type { Outcome, TimeLimit } from "./outcome.ts";
import { type AttemptUnderWay, checkAnswer, hearHeaders, readAnswer, type ReadOptions } from "./read-answer.ts";

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
  /** What a request goes through before it is handed to `fetch`. */
  readonly middleware: Middleware;
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
  const { signal, timeoutMs, limit, now } = options;
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve({ kind: "aborted", isSent: false, reason: signal.reason });
    const attempt: AttemptUnderWay = { controller: new AbortController(), stage: "key" };
    const settle = (outcome: Outcome) => {
      stopTimer();
      unlisten();
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
    const endLate = () => {
      const { stage } = attempt;
      // An answer whose status says it all does not become a timeout because its body stalls.
      stop(attempt.readSoFar?.() ?? { kind: "timeout", isSent: isSentAt[stage], limit, waitedFor: waitedForAt[stage] });
    };
    const stopTimer = startTimer(endLate, timeoutMs, now);
    const unlisten = onAbort(signal, abort);

    void exchange(request, options, attempt).then(settle);
  });
}

const redirect = "manual";
const isSentAt = { key: false, before: false, network: true, after: true } as const;
const waitedForAt = { key: "key", before: "hook", network: "answer", after: "hook" } as const;

async function exchange(request: HttpRequest, options: AttemptOptions, attempt: AttemptUnderWay): Promise<Outcome> {
  let key: string | undefined;
  try {
    const asked = options.readKey();
    // What is there already is not waited for: each wait is a turn of its own, here and at the gate.
    key = asked instanceof Promise ? await asked : asked;
  } catch (error) {
    return { kind: "misconfigured", code: "apiKey", error: error as ConfigurationError }; // why: it throws nothing else
  }
  if (key === undefined) return { kind: "key-refused" };
  attempt.stage = "before";
  const { signal } = attempt.controller;
  const { url, method, body } = request;
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  const init: FetchInit =
    body === undefined ? { method, headers, redirect, signal } : { method, headers, body, redirect, signal };
  let failure: unknown;
  let answered: Response | undefined;
  const send: Fetch = async (sentTo, sent) => {
    signal.throwIfAborted();
    attempt.stage = "network";
    try {
      const answer = await options.fetch(sentTo, sent);
      checkAnswer(answer);
      attempt.stage = "after";
      return (answered = answer);
    } catch (error) {
      throw (failure = error);
    }
  };
  let sendThrough: Fetch;
  try {
    const made = options.middleware(send);
    sendThrough = made instanceof Promise ? await made : made;
  } catch (error) {
    return { kind: "misconfigured", code: "ky", error: error as ConfigurationError }; // why: it throws nothing else
  }
  try {
    const response = await sendThrough(url, init);
    attempt.stage = "network";
    return await readAnswer(response, options, attempt);
  } catch (error) {
    const cause = failure ?? error;
    if (attempt.stage === "network") return readMisfit(cause, key) ?? readNetworkFailure(cause, key);
    // The service has spoken, whatever a hook made of it.
    if (answered !== undefined) hearHeaders(answered, options, attempt);
    return { ...readNetworkFailure(error, key), kind: "hook", isSent: isSentAt[attempt.stage] };
  }
}
