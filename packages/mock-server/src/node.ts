import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { type HeaderLookup, maxBodyBytes } from "@landing-page-service/contract";
import type { PlainAnswer, PlainRequest } from "./answers.ts";
import type { ControlOptions } from "./control.ts";
import { writeAnswer } from "./http-answer.ts";
import { hasBody, maxControlBodyBytes, readBody } from "./http-body.ts";
import { hostCheck, isLoopback } from "./http-host.ts";
import { refuseBrokenRequests } from "./http-refusal.ts";
import { readTarget, type Target } from "./http-target.ts";
import type { MockService } from "./service.ts";

/** How a service is put on a port. */
export interface ListenOptions {
  /** TCP port, 0 to 65535; 0 takes a free one. @defaultValue 0 */
  port?: number;
  /** Name or address of the interface to listen on. @defaultValue `"127.0.0.1"`, which only this machine reaches */
  host?: string;
  /**
   * Whether `/__mock/…`, the control API, is open to callers, and the token they must send as `Authorization: Bearer`.
   * `/__mock/health` and `/__mock/assumptions` answer in any case.
   * @defaultValue false
   */
  control?: boolean | { token: string };
  /** Further host names that requests may be addressed to, without port. @defaultValue `localhost`, loopback addresses and `host` only */
  allowedHosts?: readonly string[];
  /** How long slow callers are waited for. */
  timeouts?: ListenTimeouts;
}

/** How long slow callers are waited for, each in milliseconds. */
export interface ListenTimeouts {
  /** Until the headers of a request are complete. @defaultValue 10 000 */
  headersMs?: number;
  /** Until the whole request is complete. @defaultValue 30 000 */
  requestMs?: number;
  /** Until an idle connection is closed. @defaultValue 5 000 */
  keepAliveMs?: number;
  /** Until `close()` cuts the requests that are still being answered. @defaultValue 2 000 */
  closeGraceMs?: number;
}

/** A service that listens on a port. */
export interface RunningServer {
  /** Base URL of the service, without a slash at the end, such as `http://127.0.0.1:4010`. */
  url: string;
  /** Stops accepting, lets requests in flight finish for the grace time, then cuts them; resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Puts a service on a port, as real HTTP.
 *
 * @throws {Error} with `code` `EADDRINUSE` when the port is taken; when the control API would be open to other machines without a token.
 * @example
 * const server = await listen(createMockService());
 * await fetch(`${server.url}/api/content`, { headers: { Authorization: "Bearer test_demo" } });
 * await server.close();
 */
export async function listen(service: MockService, options: ListenOptions = {}): Promise<RunningServer> {
  const { port = 0, host = "127.0.0.1", control = false, allowedHosts = [] } = options;
  const { headersMs = 10_000, requestMs = 30_000, keepAliveMs = 5_000, closeGraceMs = 2_000 } = options.timeouts ?? {};
  const token = typeof control === "object" ? control.token : undefined;
  if (control !== false && !token && !isLoopback(host)) {
    throw new Error(`The control API on ${host} is open to other machines, so it needs a token: control: { token }.`);
  }

  const checkHost = hostCheck(host, allowedHosts);
  const answerApi = (request: PlainRequest) => service.handle(request);
  const answerControl = lazyControl(service, { isOpen: control !== false, token });
  const refuse = (status: number, detail: string) => service.refuse(status, detail);
  let isClosing = false;

  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, headersMs, requestMs),
    // Answered by the host check, with a body.
    requireHostHeader: false,
    noDelay: true,
  });
  server.on("request", (request, response) => settle(response, () => decide(request, response)));
  server.on("checkExpectation", (_request, response) => {
    settle(response, () => refuse(417, "The only expectation met is 100-continue."));
  });
  refuseBrokenRequests(server, refuse);

  function decide(request: IncomingMessage, response: ServerResponse): PlainAnswer | Promise<PlainAnswer> {
    const target = readTarget(request.url ?? "/");
    const refusal = checkHost(request, target.authority);
    if (refusal) return refuse(refusal.status, refusal.detail);
    const isControl = target.path.startsWith("/__mock/");
    const answer = isControl ? answerControl : answerApi;
    if (!hasBody(request)) return answer(new NodeRequest(request, response, target, undefined));
    return readBody(request, isControl ? maxControlBodyBytes : maxBodyBytes).then((body) =>
      answer(new NodeRequest(request, response, target, body)),
    );
  }

  /** Whatever happens on the way to an answer, the caller gets one and the server goes on. */
  function settle(response: ServerResponse, decide: () => PlainAnswer | Promise<PlainAnswer>): void {
    const send = (answer: PlainAnswer) => {
      if (response.destroyed) return;
      if (isClosing) response.shouldKeepAlive = false;
      writeAnswer(response, answer);
    };
    const fail = (error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        send(refuse(500, `The mock service itself failed: ${error instanceof Error ? error.message : String(error)}`));
    };
    try {
      const answer = decide();
      if (answer instanceof Promise) answer.then(send).catch(fail);
      else send(answer);
    } catch (error) {
      fail(error);
    }
  }

  await start(server, port, host);
  const { port: boundPort } = server.address() as AddressInfo; // a server that listens on TCP has one
  let closed: Promise<void> | undefined;
  return {
    url: `http://${urlHost(host)}:${boundPort}`,
    close() {
      isClosing = true;
      closed ??= stop(server, closeGraceMs);
      return closed;
    },
  };
}

/** A node:http request as the service sees it; nothing is copied, and the signal is made only when somebody asks for it. */
class NodeRequest implements PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HeaderLookup;
  readonly body: Uint8Array | undefined;
  readonly #response: ServerResponse;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query }: Target,
    body: Uint8Array | undefined,
  ) {
    this.method = request.method ?? "GET";
    this.path = path;
    this.query = query;
    this.headers = new NodeHeaders(request.headers);
    this.body = body;
    this.#response = response;
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
class NodeHeaders implements HeaderLookup {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()];
    return (Array.isArray(value) ? value.join(", ") : value) ?? null;
  }
}

/** Loads the control API when it is first called: most servers never need it. */
function lazyControl(service: MockService, options: ControlOptions): (request: PlainRequest) => Promise<PlainAnswer> {
  let loading: Promise<(request: PlainRequest) => Promise<PlainAnswer>> | undefined;
  return async (request) => {
    loading ??= import("./control.ts").then(({ createControl }) => createControl(service, options));
    const answer = await loading;
    return answer(request);
  };
}

function start(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? portTaken(port, host, error) : error);
    server.once("error", fail);
    server.listen({ port, host }, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

function portTaken(port: number, host: string, cause: NodeJS.ErrnoException): Error {
  const error = new Error(
    `Port ${port} on ${host} is taken; stop what listens there or choose another port, 0 for a free one.`,
    { cause },
  );
  return Object.assign(error, { code: cause.code });
}

function stop(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}

function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
