import { maxBodyBytes } from "@landing-page-service/contract";
import { gotInstead } from "../argument.ts";
import type { PlainAnswer, PlainRequest, WireFault } from "../http-types.ts";

/** A function that is called like the global `fetch`. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Keeps each call and its signal alive until the call ends. Nothing else refers to a call that waits, and the garbage collector may
 * remove an `AbortSignal.timeout` without references before it aborts.
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
    const { method, signal } = request;
    const { pathname: path, origin, search } = new URL(request.url);
    const call = { input, init, request };
    inFlight.add(call);
    try {
      // Without an `await`, the call takes effect before the next line of a test. The stream of a string also needs
      // `queueMicrotask`, which a test may have replaced.
      const text = typeof init?.body === "string" ? encoder.encode(init.body) : undefined;
      const body = text ?? (request.body === null ? undefined : await readStream(request.body));
      signal.throwIfAborted();
      const { headers } = request;
      const answer = await handle({ method, path, origin, query: search.slice(1), headers, body, signal });
      signal.throwIfAborted();
      if (answer.wire === "stall") return await stall(signal);
      if (answer.wire !== undefined) return breakOff(answer, answer.wire);
      const bytes = answer.body === undefined ? null : encoder.encode(answer.body);
      return new Response(bytes && streamOf(bytes), { status: answer.status, headers: answer.headers });
    } finally {
      inFlight.delete(call);
    }
  };
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

/** Makes a stream that does not need `queueMicrotask`. With a `failure`, it fails after the bytes. */
function streamOf(bytes: Uint8Array, failure?: Error): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      if (failure === undefined) controller.close();
    },
    async pull(controller) {
      // Fails a turn later, because another interceptor would otherwise lose the status and the headers together with the body.
      await new Promise((resolve) => soon(resolve));
      controller.error(failure);
    },
  });
}

/** The real timer, so that a body also fails while a test fakes timers. */
const { setImmediate: soon } = globalThis;

/** Rejects when the signal aborts, and never resolves. */
function stall(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error)); // why: the platform says `any`, and `fetch` passes it on
  });
}

/** Cuts a response after half its body. @throws {TypeError} for other network errors, and if there is no body, because a head alone is complete. */
function breakOff({ status, headers, body = "" }: PlainAnswer, wire: Exclude<WireFault, "stall">): Response {
  const cause = networkError(wire);
  const bytes = encoder.encode(body);
  if (wire !== "truncate" || bytes.length === 0) throw new TypeError("fetch failed", { cause });
  const half = streamOf(bytes.subarray(0, bytes.length / 2), new TypeError("terminated", { cause }));
  return new Response(half, { status, headers: { "Content-Length": String(bytes.length), ...headers } });
}

/** The `cause` that the platform's `fetch` gives for a network error. */
function networkError(wire: Exclude<WireFault, "stall">): Error {
  const notHttp = "Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)";
  const { message, ...details } = {
    refuse: { message: "connect ECONNREFUSED", code: "ECONNREFUSED", errno: -111, syscall: "connect" },
    reset: { message: "read ECONNRESET", code: "ECONNRESET", errno: -104, syscall: "read" },
    garbage: { message: notHttp, name: "HTTPParserError", code: undefined },
    truncate: { message: "other side closed", name: "SocketError", code: "UND_ERR_SOCKET" },
  }[wire];
  return Object.assign(new Error(message), details);
}
