// Without a socket, a broken answer looks like what the platform's `fetch` makes of one.
import type { PlainAnswer, WireFault } from "../exchange/plain.ts";

/** The real one: a body breaks whether or not a test has put its own timers in place. */
const { setImmediate: soon } = globalThis;

/** Breaks an answer: rejects, gives a response whose body breaks, or never settles until the signal fires. */
export async function breakAnswer(
  answer: PlainAnswer,
  wire: WireFault,
  signal: AbortSignal | undefined,
): Promise<Response> {
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

/** The head and half the body; of an answer without a body nothing, for its head alone would be complete. */
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
