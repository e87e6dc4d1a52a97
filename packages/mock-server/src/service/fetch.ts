import { maxBodyBytes } from "@landing-page-service/contract";
import { gotInstead } from "../exchange/literal.ts";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";
import { breakAnswer } from "./wire.ts";

/** A function that is called like the global `fetch`. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/** Makes a `fetch` out of the service's plain function: no socket, and no `Request` is built where a URL and plain options will do. */
export function createFetch(
  handle: (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer>,
  generation: () => number,
  via?: string,
): Fetch {
  return async (input, init) => {
    const plain =
      readPlainCall(input, init, via) ??
      (await readRequest(input instanceof Request && isBare(init) ? input : new Request(input, init), {
        generation: generation(),
        via,
      }));
    plain.signal?.throwIfAborted();
    const pending = handle(plain);
    const answer = pending instanceof Promise ? await pending : pending;
    plain.signal?.throwIfAborted();
    if (answer.wire !== undefined) return breakAnswer(answer, answer.wire, plain.signal);
    const { status, headers, body } = answer;
    // A text would be given a type where the service answers none.
    const isTyped = body === undefined || headers["Content-Type"] !== undefined;
    return new Response(isTyped ? body : encoder.encode(body), { status, headers });
  };
}

/** Options of a fetch that a plain request can stand for as they are. */
const plainMembers = new Set(["method", "headers", "body", "signal", "redirect"]);
const redirects = new Set(["follow", "manual", "error"]);
const bodilessMethods = new Set(["GET", "HEAD"]);
const standardMethods = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);
const encoder = new TextEncoder();

/** Reads a call by URL with nothing unusual in it; `undefined` leaves it to `Request`, with all its rules and errors. */
function readPlainCall(
  input: Request | string | URL,
  init: RequestInit = {},
  via: string | undefined,
): PlainRequest | undefined {
  if (input instanceof Request) return undefined;
  const { method = "GET", headers, body, signal, redirect = "follow" } = init;
  const hasPlainBody = body === undefined || body === null || typeof body === "string";
  if (!hasPlainBody || !standardMethods.has(method) || (typeof body === "string" && bodilessMethods.has(method)))
    return undefined;
  if (!redirects.has(redirect)) return undefined;
  for (const name in init) if (!plainMembers.has(name)) return undefined;
  const url = input instanceof URL ? input : URL.parse(input);
  if (url === null)
    throw new TypeError(`fetch: expected an absolute URL, which begins with the service's baseUrl${gotInstead(input)}`);
  if (url.username !== "" || url.password !== "") return undefined;
  return {
    method,
    path: url.pathname,
    origin: url.origin,
    query: url.search.slice(1),
    // A copy: the journal keeps them, and the caller may use its own again.
    headers: copyHeaders(headers),
    hasOwnHeaders: true,
    body: typeof body === "string" ? encoder.encode(body) : undefined,
    signal: signal ?? undefined,
    via,
  };
}

async function readRequest(
  request: Request,
  { generation, via }: { generation: number; via: string | undefined },
): Promise<PlainRequest> {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    origin: url.origin,
    query: url.search.slice(1),
    headers: copyHeaders(request.headers),
    hasOwnHeaders: true,
    body: request.body === null ? undefined : await readStream(request.body),
    generation,
    signal: request.signal,
    via,
  };
}

/** Reads at most one byte more than is allowed: enough to refuse the body, however long it goes on. */
async function readStream(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) break;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Copies headers by what they hold: a `Headers` that msw has patched copies those of a changed `Request` on top of those before. */
export function copyHeaders(headers: RequestInit["headers"]): Headers {
  return new Headers(headers instanceof Headers ? [...headers] : headers);
}

function isBare(init: RequestInit | undefined): boolean {
  return init === undefined || Object.values(init).every((value) => value === undefined);
}
