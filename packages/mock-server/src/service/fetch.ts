import { maxBodyBytes } from "@landing-page-service/contract";
import { gotInstead } from "../argument.ts";
import type { PlainAnswer, PlainRequest, WireFault } from "../http-types.ts";

/** A function that is called like the global `fetch`. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/** Wraps the service's `handle` as a `fetch`, without a socket. */
export function createFetch(handle: (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer>): Fetch {
  return async (input, init) => {
    const request = readCall(input, init);
    const call = { input, init, request };
    inFlight.add(call);
    try {
      return await respond(request, init);
    } finally {
      inFlight.delete(call);
    }
  };

  async function respond(request: Request, init: RequestInit | undefined): Promise<Response> {
    const { signal } = request;
    // Without an `await` where nothing is read, so that a call takes effect before the next line of a test.
    // The stream of a text ends by `queueMicrotask`, which a test may have replaced.
    const sent = typeof init?.body === "string" ? encoder.encode(init.body) : undefined;
    const body = sent ?? (request.body === null ? undefined : await readStream(request.body));
    const plain = describeRequest(request, body);
    signal.throwIfAborted();
    const answer = await handle(plain);
    signal.throwIfAborted();
    if (answer.wire !== undefined) return breakResponse(answer, answer.wire, signal);
    const { status, headers } = answer;
    return new Response(answer.body === undefined ? null : streamOf(answer.body), { status, headers });
  }
}

/**
 * Keeps a call and its signal alive until the call ends. Nothing else holds a call that waits, and an `AbortSignal.timeout` that
 * nobody holds may be collected before it fires.
 */
const inFlight = new Set<object>();

function readCall(input: Request | string | URL, init: RequestInit | undefined): Request {
  if (!(input instanceof Request) && !URL.canParse(String(input)))
    throw new TypeError(`fetch: expected an absolute URL, which begins with the service's baseUrl${gotInstead(input)}`);
  return new Request(input, init);
}

function describeRequest(request: Request, body: Uint8Array | undefined): PlainRequest {
  const { method, signal } = request;
  const { pathname: path, origin, search } = new URL(request.url);
  const headers = copyHeaders(request.headers);
  return { method, path, origin, query: search.slice(1), headers, body, signal };
}

const encoder = new TextEncoder();

/** Reads at most one byte more than is allowed, which is enough to refuse a body without end. */
async function readStream(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) break;
  }
  return Buffer.concat(chunks);
}

/** A body whose end needs no `queueMicrotask`, for the same reason. */
function streamOf(body: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (body !== "") controller.enqueue(encoder.encode(body));
      controller.close();
    },
  });
}

/** Copies headers by what they hold: a `Headers` that msw has patched copies those of a changed `Request` on top of those before. */
export function copyHeaders(headers: RequestInit["headers"]): Headers {
  return new Headers(headers instanceof Headers ? [...headers] : headers);
}

/** The real one: a body breaks whether or not a test has put its own timers in place. */
const { setImmediate: soon } = globalThis;

/** Without a socket, does to a response what the platform's `fetch` would make of the network error: rejects, gives a response whose body breaks, or never settles until the signal fires. */
async function breakResponse(answer: PlainAnswer, wire: WireFault, signal: AbortSignal | undefined): Promise<Response> {
  if (wire === "refuse")
    throw fetchFailed(
      named("Error", "connect ECONNREFUSED", { code: "ECONNREFUSED", errno: -111, syscall: "connect" }),
    );
  if (wire === "reset")
    throw fetchFailed(named("Error", "read ECONNRESET", { code: "ECONNRESET", errno: -104, syscall: "read" }));
  if (wire === "garbage") throw fetchFailed(named("HTTPParserError", notHttp, { code: "HPE_INVALID_CONSTANT" }));
  return wire === "truncate" ? truncate(answer) : stall(signal);
}

const notHttp = "Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)";

/** The head and half the body; of a response without a body nothing, for its head alone would be complete. */
function truncate({ status, headers, body = "" }: PlainAnswer): Response {
  const bytes = new TextEncoder().encode(body);
  if (bytes.length === 0) throw fetchFailed(otherSideClosed());
  const half = bytes.subarray(0, bytes.length / 2);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      if (half.length > 0) controller.enqueue(half);
    },
    async pull(controller) {
      // Later than the head, which would be lost with the body where this goes through another interceptor.
      await new Promise((resolve) => soon(resolve));
      controller.error(new TypeError("terminated", { cause: otherSideClosed() }));
    },
  });
  return new Response(stream, { status, headers: { "Content-Length": String(bytes.length), ...headers } });
}

function stall(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => reject(signal?.reason as Error); // why: whatever the signal's author chose is passed on
    if (signal?.aborted === true) give();
    signal?.addEventListener("abort", give, { once: true });
  });
}

function otherSideClosed(): Error {
  return named("SocketError", "other side closed", { code: "UND_ERR_SOCKET" });
}

function fetchFailed(cause: Error): TypeError {
  return new TypeError("fetch failed", { cause });
}

function named(name: string, message: string, details: object): Error {
  return Object.assign(new Error(message), name === "Error" ? {} : { name }, details);
}
