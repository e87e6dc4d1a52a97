import { maxBodyBytes } from "@landing-page-service/contract";
import { gotInstead } from "../exchange/literal.ts";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";
import { breakAnswer } from "./wire.ts";

/** A function that is called like the global `fetch`. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/** Wraps the service's `handle` as a `fetch`, without a socket. */
export function createFetch(handle: (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer>): Fetch {
  return async (input, init) => {
    const request = readCall(input, init);
    const { signal } = request;
    // Without an `await` where nothing is read, so that a call takes effect before the next line of a test.
    // The stream of a text ends by `queueMicrotask`, which a test may have replaced.
    const sent = typeof init?.body === "string" ? encoder.encode(init.body) : undefined;
    const body = sent ?? (request.body === null ? undefined : await readStream(request.body));
    const plain = describeRequest(request, body);
    signal.throwIfAborted();
    const answer = await handle(plain);
    signal.throwIfAborted();
    if (answer.wire !== undefined) return breakAnswer(answer, answer.wire, signal);
    const { status, headers } = answer;
    return new Response(answer.body === undefined ? null : streamOf(answer.body), { status, headers });
  };
}

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
