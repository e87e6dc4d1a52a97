import type { IncomingMessage, ServerResponse } from "node:http";
import { type HeaderLookup, maxBodyBytes } from "@landing-page-service/contract";
import type { PlainAnswer, PlainRequest, WireFault } from "../http-types.ts";
import type { MockService } from "../service/mock-service.ts";
import { readBearerKey, showKey } from "../state/accounts.ts";
import { redactQuery } from "../testing/journal.ts";
import type { HostRefusal } from "./host.ts";
import { maxControlBodyBytes, readBody, readTarget, waitForTurn } from "./request.ts";
import { sendAnswer } from "./respond.ts";

/** A request that was answered, or whose caller did not wait for the answer. */
export interface AnsweredRequest {
  /** The answer's `X-Request-Id`, as the journal has it; `undefined` when there was no answer. */
  readonly id: string | undefined;
  /** HTTP method; `undefined` when what came was no HTTP request. */
  readonly method: string | undefined;
  /** Path and query as they came, but for API keys; `undefined` when what came was no HTTP request. */
  readonly path: string | undefined;
  /** The API key it came with, all but its kind and end hidden; `undefined` when there was none. */
  readonly key: string | undefined;
  /** HTTP status; `undefined` when the caller had gone away before. */
  readonly status: number | undefined;
  /** How a planned fault broke the answer on its way. */
  readonly wire: WireFault | undefined;
  /** Milliseconds of real time from the request's headers to its answer. */
  readonly durationMs: number;
}

/** What stands beside the service on a port. */
export interface HttpAdapterParts {
  /** Why a request is refused for the host it names; `undefined` when it is ours. */
  readonly checkHost: (request: IncomingMessage, targetAuthority: string | undefined) => HostRefusal | undefined;
  /** Whether a caller may use what is below `/__mock/`: only then are its large bodies read. */
  readonly isAdmitted: (headers: HeaderLookup) => boolean;
  /** Answers what is below `/__mock/`. */
  readonly control: (request: PlainRequest) => Promise<PlainAnswer>;
  /** Answers `/` in place of the service. */
  readonly home?: ((request: PlainRequest) => Promise<PlainAnswer>) | undefined;
  /** How long an answer may wait for a caller that does not read it, in milliseconds. */
  readonly progressMs: number;
  /** Called for every answer. */
  readonly onAnswer?: ((answered: AnsweredRequest) => void) | undefined;
}

/** Hands the requests of node:http to a service and sends its answers. Whatever happens, the caller gets one and the server goes on. */
export class HttpAdapter {
  #isClosing = false;
  /** Responses whose bodies have no end. */
  readonly #streams = new Set<ServerResponse>();
  readonly #service: MockService;
  readonly #parts: HttpAdapterParts;

  constructor(service: MockService, parts: HttpAdapterParts) {
    this.#service = service;
    this.#parts = parts;
  }

  /** From now on connections end with the answers they wait for. Bodies without an end are ended. */
  close(): void {
    this.#isClosing = true;
    for (const response of this.#streams) response.end();
  }

  /** Answers a request when the answers before it have left its connection. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedMs = performance.now();
    try {
      await waitForTurn(response);
      const answer = await this.#decide(request, response);
      await this.#send(response, answer, startedMs);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else this.refuse(response, 500, `The mock service itself failed: ${reason}`, startedMs);
    }
  }

  /** Answers a request that the service does not get to see. */
  refuse(response: ServerResponse, status: number, detail: string, startedMs = performance.now()): void {
    try {
      const answer = this.#service.refuse(status, detail);
      this.#send(response, answer, startedMs).catch(() => response.destroy());
    } catch {
      // A test's own clock may throw again and again. Then there is nothing left to say.
      response.destroy();
    }
  }

  /** The answer to what never became a request. */
  refusal(status: number, detail: string): PlainAnswer {
    const answer = this.#service.refuse(status, detail);
    this.#report(undefined, answer, performance.now());
    return answer;
  }

  async #decide(request: IncomingMessage, response: ServerResponse): Promise<PlainAnswer> {
    const { checkHost, isAdmitted, control, home } = this.#parts;
    const { path, query, authority } = readTarget(request.url ?? "/");
    const refusal = checkHost(request, authority);
    if (refusal !== undefined) return this.#service.refuse(refusal.status, refusal.detail);
    const headers = new Headers(request.headers as Record<string, string>); // why: only `Set-Cookie` is an array, which no request has
    const isForControl = path.startsWith("/__mock/");
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

  async #send(response: ServerResponse, answer: PlainAnswer, startedMs: number): Promise<void> {
    this.#report(response.req, response.destroyed ? undefined : answer, startedMs);
    if (response.destroyed) return;
    if (this.#isClosing) response.shouldKeepAlive = false;
    if (answer.pieces !== undefined) this.#streams.add(response);
    response.once("close", () => this.#streams.delete(response));
    await sendAnswer(response, answer, this.#parts.progressMs);
  }

  #report(request: IncomingMessage | undefined, answer: PlainAnswer | undefined, startedMs: number): void {
    const { onAnswer } = this.#parts;
    if (onAnswer === undefined) return;
    const key = readBearerKey({ get: () => request?.headers.authorization ?? null });
    const answered: AnsweredRequest = {
      id: answer?.headers["X-Request-Id"],
      method: request?.method,
      path: request?.url === undefined ? undefined : redactQuery(request.url, key),
      key: key === undefined ? undefined : showKey(key),
      status: answer?.status,
      wire: answer?.wire,
      durationMs: performance.now() - startedMs,
    };
    // On its own, so that what a log throws is not taken for a failure of the answer.
    queueMicrotask(() => onAnswer(answered));
  }
}
