import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type HeaderLookup, maxBodyBytes } from "@landing-page-service/contract";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";
import { sendAnswer } from "./answer.ts";
import { type AnsweredRequest, describeAnswered } from "./answered.ts";
import { hasBody, maxControlBodyBytes, readBody } from "./body.ts";
import type { HostRefusal } from "./host.ts";
import { readTarget, type Target } from "./target.ts";
import { takeTurn } from "./turn.ts";
import type { MockService } from "../service/mock-service.ts";

/** The real one: an answer leaves whether or not a test has put its own timers in place. */
const { setImmediate: soon } = globalThis;

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
  /** Hears of every answer. */
  readonly onAnswer?: ((answered: AnsweredRequest) => void) | undefined;
}

/** Hands node:http's requests to a service and writes its answers. Whatever happens, the caller gets one and the server goes on. */
export class HttpAdapter {
  #isClosing = false;
  #connections = 0;
  readonly #streams = new Set<ServerResponse>();
  readonly #service: MockService;
  readonly #parts: HttpAdapterParts;
  readonly #startedMs = new WeakMap<ServerResponse, number>();

  constructor(service: MockService, parts: HttpAdapterParts) {
    this.#service = service;
    this.#parts = parts;
  }

  /** From now on connections end with the answers they wait for, and bodies without an end are ended. */
  close(): void {
    this.#isClosing = true;
    for (const response of this.#streams) response.end();
  }

  /** Counts a connection for as long as it is open. */
  open(connection: Socket): void {
    this.#connections += 1;
    connection.once("close", () => (this.#connections -= 1));
  }

  /** Answers a request, at once where the service does and no other answer is before it. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.#parts.onAnswer !== undefined) this.#startedMs.set(response, performance.now());
    takeTurn(response, () => this.#begin(request, response));
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#attempt(response, () => {
      const target = readTarget(request.url ?? "/");
      const refusal = this.#parts.checkHost(request, target.authority);
      if (refusal) return this.#service.refuse(refusal.status, refusal.detail);
      const { generation } = this.#service;
      if (!hasBody(request)) return this.#handle(new NodeRequest(request, response, target, generation));
      const isLarge = isForControl(target) && this.#parts.isAdmitted(new NodeHeaders(request.headers));
      readBody(request, isLarge ? maxControlBodyBytes : maxBodyBytes, (body) => {
        this.#attempt(response, () => this.#handle(new NodeRequest(request, response, target, generation, body)));
      });
      return undefined;
    });
  }

  /** Answers with a problem what is no request for the service. */
  refuse(response: ServerResponse, status: number, detail: string): void {
    try {
      this.#write(response, this.#service.refuse(status, detail));
    } catch {
      // A clock of the test's own may throw again and again; then there is nothing left to say.
      response.destroy();
    }
  }

  /** Sends what a step decides, now or later; nothing yet when it decides nothing. Whatever it throws is told the caller. */
  #attempt(response: ServerResponse, step: () => PlainAnswer | Promise<PlainAnswer> | undefined): void {
    try {
      const answer = step();
      if (!(answer instanceof Promise)) {
        if (answer !== undefined) this.#send(response, answer);
        return;
      }
      answer.then((answer) => this.#send(response, answer)).catch((error: unknown) => this.#fail(response, error));
    } catch (error) {
      this.#fail(response, error);
    }
  }

  #handle(request: PlainRequest): PlainAnswer | Promise<PlainAnswer> {
    const { control, home } = this.#parts;
    if (isForControl(request)) return control(request);
    return home !== undefined && isHome(request) ? home(request) : this.#service.handle(request);
  }

  /** With several connections, answers leave when all that has come is carried out: to wake a caller on this machine for each takes longer than to answer. */
  #send(response: ServerResponse, answer: PlainAnswer): void {
    const write = (): undefined => this.#write(response, answer);
    if (this.#connections > 1) soon(() => this.#attempt(response, write));
    else write();
  }

  #write(response: ServerResponse, answer: PlainAnswer): undefined {
    this.#tell(response, response.destroyed ? undefined : answer);
    if (response.destroyed) return;
    if (this.#isClosing) response.shouldKeepAlive = false;
    if (answer.pieces !== undefined) {
      this.#streams.add(response);
      response.once("close", () => this.#streams.delete(response));
    }
    sendAnswer(response, answer, this.#parts.progressMs);
  }

  #tell(response: ServerResponse, answer: PlainAnswer | undefined): void {
    const { onAnswer } = this.#parts;
    if (onAnswer === undefined) return;
    const nowMs = performance.now();
    const answered = describeAnswered(response.req, answer, nowMs - (this.#startedMs.get(response) ?? nowMs));
    // On its own, so that what a log throws is not taken for a failure of the answer.
    queueMicrotask(() => onAnswer(answered));
  }

  #fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.refuse(response, 500, `The mock service itself failed: ${reason}`);
  }
}

function isForControl({ path }: { readonly path: string }): boolean {
  return path.startsWith("/__mock/");
}

/** What a person who opens the base URL in a browser asks for. */
function isHome({ method, path }: PlainRequest): boolean {
  return path === "/" && (method === "GET" || method === "HEAD");
}

/** A node:http request as the service sees it; nothing is copied, and the signal is made only when somebody asks for it. */
class NodeRequest implements PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HeaderLookup;
  readonly hasOwnHeaders = true;
  readonly generation: number;
  readonly body: Uint8Array | undefined;
  readonly #response: ServerResponse;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query }: Target,
    generation: number,
    body?: Uint8Array,
  ) {
    this.method = request.method ?? "GET";
    this.path = path;
    this.query = query;
    this.headers = new NodeHeaders(request.headers);
    this.generation = generation;
    this.body = body;
    this.#response = response;
  }

  get origin(): string {
    return `http://${this.headers.get("Host") ?? "127.0.0.1"}`;
  }

  get signal(): AbortSignal {
    const controller = new AbortController();
    const response = this.#response;
    if (response.destroyed) controller.abort();
    else response.once("close", () => controller.abort());
    return controller.signal;
  }
}

/** Holds on to the headers only: the journal keeps them longer than the connection lives. */
class NodeHeaders implements HeaderLookup, Iterable<[string, string]> {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const name of Object.keys(this.#headers)) yield [name, this.get(name) ?? ""];
  }

  get(name: string): string | null {
    const field = name.toLowerCase();
    const value = Object.hasOwn(this.#headers, field) ? this.#headers[field] : undefined;
    return (Array.isArray(value) ? value.join(", ") : value) ?? null;
  }
}
