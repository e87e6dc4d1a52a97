import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type HeaderLookup, maxBodyBytes } from "@landing-page-service/contract";
import { type PlainAnswer, type PlainRequest, receivedPart, type WireFault } from "../http-types.ts";
import type { MockService } from "../service/mock-service.ts";
import { readBearerKey, showKey } from "../state/accounts.ts";
import { redactQuery } from "../testing/journal.ts";
import { type CheckHost, maxControlBodyBytes, readBody, readTarget, waitForTurn } from "./request.ts";

/** A request to a port, after its response was sent or its caller disconnected. */
export interface AnsweredRequest {
  /** Id of the request in the journal, and `X-Request-Id` of its response; `undefined` if the caller disconnected before the response. */
  readonly id: string | undefined;
  /** HTTP method; `-` if the server could not read the request. */
  readonly method: string;
  /** Path and query without API keys; `-` if the server could not read the request. */
  readonly path: string;
  /** The API key of the request, of which only the kind and the end are shown; `undefined` if there was none. */
  readonly key: string | undefined;
  /** Status of the response; `undefined` when there was none, because of a network error or because the caller disconnected before it. */
  readonly status: number | undefined;
  /** The network error that a planned fault caused; `undefined` if there was none. */
  readonly wire: WireFault | undefined;
  /** Milliseconds of real time from the headers of the request to its response. */
  readonly durationMs: number;
}

/** Options of an adapter, and the other responders on its port. */
export interface HttpAdapterParts {
  readonly checkHost: CheckHost;
  /** Whether a caller may use the control API. Only then its large bodies are read. */
  readonly isAdmitted: (headers: HeaderLookup) => boolean;
  /** Responds to paths below `/__mock/`. */
  readonly control: (request: PlainRequest) => Promise<PlainAnswer>;
  /** Responds to `/` in place of the service. */
  readonly home?: ((request: PlainRequest) => Promise<PlainAnswer>) | undefined;
  /** How long a caller may read nothing of its response, in milliseconds. */
  readonly progressMs: number;
  /** Called for every response. */
  readonly onAnswer?: ((answered: AnsweredRequest) => void) | undefined;
}

/** Passes requests of node:http to a service, and sends the responses. */
export class HttpAdapter {
  #isClosing = false;
  /** The response that each connection is waiting for. */
  readonly #current = new WeakMap<Duplex, ServerResponse>();
  /** Responses whose bodies have no end. */
  readonly #streams = new Set<ServerResponse>();
  readonly #service: MockService;
  readonly #parts: HttpAdapterParts;

  constructor(service: MockService, parts: HttpAdapterParts) {
    this.#service = service;
    this.#parts = parts;
  }

  /** Ends each connection after its current response, and ends bodies without an end. */
  close(): void {
    this.#isClosing = true;
    for (const response of this.#streams) response.end();
  }

  /** Responds to a request after the earlier responses on its connection were sent. It never throws, so the server goes on. */
  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedMs = performance.now();
    try {
      await waitForTurn(response);
      this.#current.set(request.socket, response);
      const answer = await this.#decide(request, response).catch((error: unknown) =>
        this.#service.refuse(
          500,
          `The mock service itself failed: ${error instanceof Error ? error.message : String(error)}`,
        ),
      );
      this.#report(request, response.destroyed ? undefined : answer, startedMs);
      if (response.destroyed) return;
      if (this.#isClosing) response.shouldKeepAlive = false;
      if (answer.pieces !== undefined) this.#streams.add(response);
      response.once("close", () => this.#streams.delete(response));
      await send(response, answer, this.#parts.progressMs);
    } catch {
      // The `now` of a test may throw every time. Then no response can be made.
      response.destroy();
    }
  }

  /** Refuses a request that cannot be read or did not come in time, and ends the connection. */
  refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    const current = this.#current.get(socket);
    const isUnderWay = current !== undefined && !current.writableFinished;
    if (socket.writableEnded) return;
    // A response that has begun cannot be replaced.
    if (!socket.writable || (isUnderWay && current.headersSent)) return void socket.destroy(error);
    const [status, detail] = brokenRequests[error.code ?? ""] ?? [400, `This is no HTTP request: ${error.message}.`];
    const { body = "", headers, ...answer } = this.#service.refuse(status, detail);
    const framed = { ...headers, "Content-Length": String(Buffer.byteLength(body)), Connection: "close" };
    const lines = Object.entries(framed).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}\r\n${lines.join("")}`;
    const request = isUnderWay ? current.req : { headers: {}, method: "-", url: "-" };
    this.#report(request, { ...answer, headers, body }, performance.now());
    socket.end(`${head}\r\n${body}`, () => socket.destroy());
  }

  async #decide(request: IncomingMessage, response: ServerResponse): Promise<PlainAnswer> {
    const { checkHost, isAdmitted, control, home } = this.#parts;
    const { path, query, authority } = readTarget(request.url ?? "/");
    const refusal = checkHost(request, authority);
    if (refusal !== undefined) return this.#service.refuse(refusal.refused, refusal.detail);
    const headers = new Headers(request.headers as Record<string, string>); // why: only `Set-Cookie` is an array, which no request has
    const isForControl = /^\/__mock(?:\/|$)/.test(path);
    const body = await readBody(request, isForControl && isAdmitted(headers) ? maxControlBodyBytes : maxBodyBytes);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    if (response.destroyed) gone.abort();
    const { method = "GET" } = request;
    const origin = `http://${headers.get("Host") ?? "127.0.0.1"}`;
    const plain: PlainRequest = { method, path, query, origin, headers, body, signal: gone.signal };
    if (isForControl) return control(plain);
    const isHome = path === "/" && (method === "GET" || method === "HEAD");
    return home !== undefined && isHome ? home(plain) : this.#service.handle(plain);
  }

  #report(request: RequestLine, answer: PlainAnswer | undefined, startedMs: number): void {
    const { headers, method = "", url = "" } = request;
    const { onAnswer } = this.#parts;
    if (onAnswer === undefined) return;
    const key = readBearerKey({ get: () => headers.authorization ?? null });
    const answered: AnsweredRequest = {
      id: answer?.headers["X-Request-Id"],
      method,
      path: redactQuery(url, key),
      key: key === undefined ? undefined : showKey(key),
      status: answer && receivedPart(answer).status,
      wire: answer?.wire,
      durationMs: performance.now() - startedMs,
    };
    // In a microtask, so that an error of the log does not fail the response.
    queueMicrotask(() => onAnswer(answered));
  }
}

type RequestLine = Pick<IncomingMessage, "headers" | "method" | "url">;

/** Status and detail for a request that node:http cannot read, by the code of its error. */
const brokenRequests: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than 16 KiB."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The extensions of a chunk are larger than 16 KiB."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not come in time."],
};

/**
 * Sends a response, or causes the network error of a fault. Closes the connection if the caller reads nothing for `progressMs`
 * milliseconds. The timeout of node:net starts again whenever bytes leave the socket.
 */
async function send(response: ServerResponse, answer: PlainAnswer, progressMs: number): Promise<void> {
  const { socket } = response.req;
  const { wire, status, headers, body, pieces } = answer;
  if (wire === "stall") return;
  // The connection exists already, so `refuse` ends it without a byte.
  if (wire === "reset" || wire === "refuse") return void socket.resetAndDestroy();
  if (wire === "garbage") {
    socket.write("\u0000\u0001not HTTP\r\n\r\n\u0000");
    // `end` is not enough, because a caller could keep its half of the connection open forever.
    return socket.destroySoon();
  }
  if (pieces !== undefined)
    return sendPieces(response.writeHead(status, { ...headers, Connection: "close" }), pieces, progressMs);
  const bytes = Buffer.from(body ?? "");
  response.setTimeout(progressMs);
  // A response to HEAD has the length of the body that it leaves out.
  const hasNoLength = body === undefined && (status === 204 || status === 304);
  const allHeaders = hasNoLength ? headers : { "Content-Length": bytes.length, ...headers };
  if (wire === undefined) response.writeHead(status, allHeaders).end(bytes);
  // Without a body, nothing is sent, because a head alone is a complete response.
  else if (bytes.length === 0) socket.destroySoon();
  else response.writeHead(status, allHeaders).write(bytes.subarray(0, bytes.length / 2), () => socket.destroySoon());
}

/** Sends pieces as they come. It waits for each piece to be sent, and stops when the caller disconnects. */
async function sendPieces(response: ServerResponse, pieces: AsyncIterable<string>, progressMs: number): Promise<void> {
  for await (const piece of pieces) {
    if (response.writableEnded || response.destroyed) return;
    if (response.write(piece)) continue;
    response.setTimeout(progressMs);
    await Promise.race([once(response, "drain"), once(response, "close")]);
    response.setTimeout(0);
  }
  response.end();
}
