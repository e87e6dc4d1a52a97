import { maxBodyBytes } from "@landing-page-service/contract";
import { gotInstead } from "../argument.ts";
import type { PlainAnswer, PlainRequest, WireFault } from "../http-types.ts";

/** A function that is called like the global `fetch`. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Keeps a call and its signal alive until the call ends. Nothing else holds a call that waits, and an `AbortSignal.timeout` that
 * nobody holds may be collected before it fires.
 */
const inFlight = new Set<object>();

/** Wraps the service's `handle` as a `fetch`, without a socket. */
export function createFetch(handle: (request: PlainRequest) => Promise<PlainAnswer>): Fetch {
  return async (input, init) => {
    if (!(input instanceof Request) && !URL.canParse(String(input)))
      throw new TypeError(
        `fetch: expected an absolute URL, which begins with the service's baseUrl${gotInstead(input)}`,
      );
    const request = new Request(input, init);
    const call = { input, init, request };
    inFlight.add(call);
    try {
      return await respond(handle, request, init?.body);
    } finally {
      inFlight.delete(call);
    }
  };
}

async function respond(
  handle: (request: PlainRequest) => Promise<PlainAnswer>,
  { method, url, headers, body: stream, signal }: Request,
  sent: RequestInit["body"],
): Promise<Response> {
  // A text needs no `await`, so a call takes effect before the next line of a test. The stream of a text also ends by
  // `queueMicrotask`, which a test may have replaced.
  const text = typeof sent === "string" ? encoder.encode(sent) : undefined;
  const body = text ?? (stream === null ? undefined : await readStream(stream));
  const { pathname: path, origin, search } = new URL(url);
  const request = { method, path, origin, query: search.slice(1), headers: copyHeaders(headers), body, signal };
  signal.throwIfAborted();
  const answer = await handle(request);
  signal.throwIfAborted();
  if (answer.wire === "stall") return stall(signal);
  if (answer.wire === "truncate") return truncate(answer);
  if (answer.wire !== undefined) throw new TypeError("fetch failed", { cause: networkError(answer.wire) });
  const { status, headers: sentHeaders } = answer;
  return new Response(answer.body === undefined ? null : streamOf(encoder.encode(answer.body)), {
    status,
    headers: sentHeaders,
  });
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

/** A body whose end needs no `queueMicrotask`, for the same reason. With a failure it breaks off after the bytes. */
function streamOf(bytes: Uint8Array, failure?: Error): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      if (failure === undefined) controller.close();
    },
    async pull(controller) {
      // Later than the head, which would be lost with the body where this goes through another interceptor.
      await new Promise((resolve) => soon(resolve));
      controller.error(failure);
    },
  });
}

/** Copies headers by what they hold: a `Headers` that msw has patched copies those of a changed `Request` on top of those before. */
export function copyHeaders(headers: RequestInit["headers"]): Headers {
  return new Headers(headers instanceof Headers ? [...headers] : headers);
}

/** The real one: a body breaks whether or not a test has put its own timers in place. */
const { setImmediate: soon } = globalThis;

/** The head and half the body; of a response without a body nothing, for its head alone would be complete. */
function truncate({ status, headers, body = "" }: PlainAnswer): Response {
  const bytes = encoder.encode(body);
  const cause = networkError("truncate");
  if (bytes.length === 0) throw new TypeError("fetch failed", { cause });
  const half = streamOf(bytes.subarray(0, bytes.length / 2), new TypeError("terminated", { cause }));
  return new Response(half, { status, headers: { "Content-Length": String(bytes.length), ...headers } });
}

/** Never settles until the signal fires. */
function stall(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    // why: whatever the signal's author chose is passed on
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

/** What the platform's `fetch` names as the cause when a connection fails so. */
function networkError(wire: Exclude<WireFault, "stall">): Error {
  const notHttp = "Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)";
  const { message, ...details } = {
    refuse: { message: "connect ECONNREFUSED", code: "ECONNREFUSED", errno: -111, syscall: "connect" },
    reset: { message: "read ECONNRESET", code: "ECONNRESET", errno: -104, syscall: "read" },
    garbage: { message: notHttp, name: "HTTPParserError", code: "HPE_INVALID_CONSTANT" },
    truncate: { message: "other side closed", name: "SocketError", code: "UND_ERR_SOCKET" },
  }[wire];
  return Object.assign(new Error(message), details);
}
