/**
 * Serves a mock service over HTTP.
 *
 * @module
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isLoopback, type PlainAnswer, type PlainRequest } from "./http-types.ts";
import { createControl, hasToken } from "./control/control.ts";
import * as z from "zod";
import { aFunction, integer, optional, parseArgument, timerMs } from "./argument.ts";
import { type AnsweredRequest, HttpAdapter } from "./http/adapter.ts";
import { allowedHostSchema, hostCheck, hostSchema, usualHost } from "./http/request.ts";
import { checkService, type MockService } from "./service/mock-service.ts";
import { tokenSchema } from "./state/accounts.ts";

/** The real timer, because a test may fake timers. */
const { setImmediate: realSetImmediate } = globalThis;

export type { AnsweredRequest };

/** Options of `listen`. */
export interface ListenOptions {
  /** TCP port, 0 to 65535; 0 for a free one. @defaultValue 0 */
  port?: number | undefined;
  /** Name or address of the interface to listen on. @defaultValue `"127.0.0.1"`, which only this machine reaches */
  host?: string | undefined;
  /**
   * Whether the control API at `/__mock/…` is open, and the token that callers must send as `Authorization: Bearer`: 1 to 512 characters
   * of visible ASCII, without spaces.
   * `/__mock/health` and `/__mock/assumptions` are always open.
   * @defaultValue the value of `inspector`
   */
  control?: boolean | { token: string } | undefined;
  /** Whether `/` is the inspector, a page that shows requests, pages and assignments. It needs the control API. @defaultValue false */
  inspector?: boolean | undefined;
  /** Further host names of the server, without port. @defaultValue `localhost`, loopback addresses and `host` only */
  allowedHosts?: readonly string[] | undefined;
  /** Time limits for slow callers. */
  timeouts?: ListenTimeouts | undefined;
  /** Called once for every request when its response is ready, for example to log it. An error that it throws is an uncaught error. */
  onAnswer?: ((answered: AnsweredRequest) => void) | undefined;
}

/** Time limits for slow callers, in milliseconds. */
export interface ListenTimeouts {
  /** Until the headers of a request are complete; never longer than `requestMs`. @defaultValue 10 000 */
  headersMs?: number | undefined;
  /** Until the whole request is complete. @defaultValue 30 000 */
  requestMs?: number | undefined;
  /** Until the connection of a caller that reads nothing of its response is closed. Each 64 KiB that it reads restart the time. @defaultValue 10 000 */
  progressMs?: number | undefined;
  /** Until an idle connection is closed. @defaultValue 5 000 */
  keepAliveMs?: number | undefined;
  /** Until `close()` cuts off requests that still wait for a response. @defaultValue 2 000 */
  closeGraceMs?: number | undefined;
}

/** A service that listens on a port. */
export interface RunningServer {
  /** Base URL of the service, without a slash at the end, such as `http://127.0.0.1:4010`. */
  url: string;
  /** Stops accepting connections, and gives requests in flight the grace time to finish. Resolves when the port is free and no client in this process can still use a connection. */
  close(): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const timeoutsSchema = z.strictObject({
  headersMs: optional(timerMs()),
  requestMs: optional(timerMs()),
  progressMs: optional(timerMs()),
  keepAliveMs: optional(timerMs()),
  closeGraceMs: optional(timerMs()),
}) satisfies z.ZodType<ListenTimeouts>;

const listenOptionsSchema = z
  .strictObject({
    port: optional(integer(0, 65_535)),
    host: optional(hostSchema),
    control: optional(
      z.union([z.boolean(), z.strictObject({ token: tokenSchema })], { error: "expected true, false or { token }" }),
    ),
    inspector: optional(z.boolean()),
    allowedHosts: optional(z.array(allowedHostSchema)),
    timeouts: optional(timeoutsSchema),
    onAnswer: optional(aFunction<(answered: AnsweredRequest) => void>()),
  })
  .refine(({ inspector, control }) => !(inspector === true && control === false), {
    error: "inspector: works by the control API, so it needs control: true",
  }) satisfies z.ZodType<ListenOptions>;

/**
 * Puts a service on a port, as real HTTP.
 *
 * @throws {Error} with `code` `EADDRINUSE` when the port is taken, or another when the host is not one of this machine;
 * when the control API would be open to other machines without a token.
 * @throws {TypeError} when the service is not a mock service, an option does not exist, the host is empty, no client can send the token, an allowed host is not a plain name, or the inspector is on without the control API.
 * @example
 * const server = await listen(createMockService());
 * await fetch(`${server.url}/api/content`, { headers: { Authorization: "Bearer test_demo" } });
 * await server.close();
 */
export async function listen(service: MockService, options: ListenOptions = {}): Promise<RunningServer> {
  checkService("listen", service);
  const parsed = parseArgument("listen", listenOptionsSchema, options);
  const { port = 0, inspector = false, control = inspector, allowedHosts = [], timeouts = {}, onAnswer } = parsed;
  const host = usualHost(parsed.host ?? "127.0.0.1");
  const token = typeof control === "object" ? control.token : undefined;
  if (control !== false && token === undefined && !isLoopback(host)) {
    throw new Error(`The control API on ${host} is open to other machines, so it needs a token: control: { token }.`);
  }
  const respondByControl = createControl(service, { isOpen: control !== false, token });
  const adapter = new HttpAdapter(service, {
    checkHost: hostCheck(host, allowedHosts),
    isAdmitted: (headers) => control !== false && (token === undefined || hasToken(headers, token)),
    control: (request) =>
      inspector && request.path.startsWith("/__mock/inspector/") ? showInspector(request) : respondByControl(request),
    ...(inspector && { home: showInspector }),
    progressMs: timeouts.progressMs ?? 10_000,
    onAnswer,
  });
  const server = prepareServer(adapter, timeouts);
  await start(server, port, host);
  const { port: boundPort } = server.address() as AddressInfo; // why: a server that listens on TCP has one
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    adapter.close();
    closed ??= stop(server, timeouts.closeGraceMs ?? 2_000);
    return closed;
  };
  return { url: `http://${urlHost(host)}:${boundPort}`, close, [Symbol.asyncDispose]: close };
}

function prepareServer(adapter: HttpAdapter, timeouts: ListenTimeouts): Server {
  const { headersMs = 10_000, requestMs = 30_000, keepAliveMs = 5_000 } = timeouts;
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    // node:http refuses one that is longer than the time for the whole request.
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, headersMs, requestMs),
    // The host check refuses these with a problem body.
    requireHostHeader: false,
    noDelay: true,
  });
  server.on("clientError", (error, socket) => adapter.refuse(error, socket));
  return server.on("request", (request, response) => void adapter.respond(request, response));
}

/** Loads the inspector at its first request. */
async function showInspector(request: PlainRequest): Promise<PlainAnswer> {
  const { answerInspector } = await import("./inspector/inspector.ts");
  return answerInspector(request);
}

async function start(server: Server, port: number, host: string): Promise<void> {
  try {
    await once(server.listen({ port, host }), "listening");
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, port, host); // why: node:net throws these
  }
  // If a connection cannot be accepted, for example without file handles, the server goes on with the others.
  server.on("error", () => {});
}

/** Makes the error for a server that cannot listen, with a remedy. */
function explain(cause: NodeJS.ErrnoException, port: number, host: string): Error {
  const { code = "" } = cause;
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use; stop the process that uses it, or choose another port, 0 for a free one.`,
    EACCES: `Port ${port} on ${host} needs privileges; choose one of 1024 or more, or 0 for a free one.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; leave \`host\` out for 127.0.0.1.`,
    ENOTFOUND: `${host} is not a name of this machine; leave \`host\` out for 127.0.0.1.`,
  };
  const message = reasons[code];
  return message === undefined ? cause : Object.assign(new Error(message, { cause }), { code });
}

function stop(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      // Clients in this process learn in the next turn of the event loop that their connections have ended.
      realSetImmediate(() => realSetImmediate(resolve));
    });
  });
}

/** A host for the URL that clients on this machine can call. */
function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
