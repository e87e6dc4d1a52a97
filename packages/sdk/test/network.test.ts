// A server that breaks HTTP in every way, on real sockets.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setImmediate as immediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ClientOptions, LandingPages, ResponseValidationError } from "../src/index.ts";
import { failureOf, somePage, watchProcess } from "./setup.ts";

type Respond = (socket: Socket) => unknown;

const sockets = new Set<Socket>();
let server: Server;
let respond: Respond;
let requests: string[];
let problems: unknown[];

beforeEach(async () => {
  requests = [];
  problems = watchProcess();
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      requests.push(data.toString("latin1"));
      respond(socket);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await immediate();
  assert.deepEqual(problems, [], "no process warning, no unhandled rejection");
});

function clientFor(next: Respond, options: ClientOptions = {}) {
  respond = next;
  const { port } = server.address() as AddressInfo; // why: it listens on TCP
  const baseUrl = `http://127.0.0.1:${port}`;
  const retry = { baseDelayMs: 0, maxDelayMs: 0, ...options.retry };
  return new LandingPages({ apiKey: "test_network", baseUrl, timeoutMs: 5000, ...options, retry });
}

function http(status: string, headers: string[], body = ""): string {
  return [`HTTP/1.1 ${status}`, ...headers, "", body].join("\r\n");
}

const flood = Array.from({ length: 2000 }, (_, line) => `X-Flood-${line}: ${"x".repeat(100)}`);
const half = http("200 OK", ["Content-Length: 100"], '{"data":[');

test.each<[string, Respond]>([
  ["closes the connection", (socket) => socket.destroy()],
  ["resets the connection", (socket) => socket.resetAndDestroy()],
  ["sends bytes that are no HTTP", (socket) => socket.end("\u0000\u0001 what is this?\r\n\r\n")],
  ["cuts the headers off", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Le")],
  ["cuts the body off", (socket) => socket.end(half)],
  ["cuts a chunk off", (socket) => socket.end(http("200 OK", ["Transfer-Encoding: chunked"], '20\r\n{"data"'))],
  ["resets in the middle of the body", (socket) => socket.write(half, () => socket.resetAndDestroy())],
  ["sends too many headers", (socket) => socket.end(http("200 OK", flood))],
  ["sends two lengths", (socket) => socket.end(http("200 OK", ["Content-Length: 2", "Content-Length: 3"], "[]"))],
])("a server that %s: a read is tried three times, a create only once", async (_title, behave) => {
  const client = clientFor(behave);

  const read = await failureOf(client.pages.list());
  const create = await failureOf(client.pages.create(somePage));

  const name = "ConnectionError";
  expect(read).toMatchObject({ name, mayHaveBeenApplied: false, attempts: [{}, {}, {}] });
  expect(create).toMatchObject({ name, mayHaveBeenApplied: true, attempts: [{}] });
  expect(String(create)).toContain("the service may have carried it out");
  expect(requests).toHaveLength(4);
});

test("a port where no server listens: a create is tried three times and was certainly not applied", async () => {
  const client = clientFor(() => undefined);
  server.close();
  await once(server, "close");

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ code: "ECONNREFUSED", mayHaveBeenApplied: false, attempts: [{}, {}, {}] });
});

test.each(["gzip", "br", "zstd"])("a body that is not really %s fails a create, but no delete", async (encoding) => {
  const body = '{"id":"1"}';
  const headers = [`Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`];
  const client = clientFor((socket) => socket.end(http("201 Created", headers, body)));

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ name: "ConnectionError", mayHaveBeenApplied: true, attempts: [{}] });
  await expect(client.pages.delete("1")).resolves.toBeUndefined();
});

test("a call to a server that never responds ends after timeoutMs or totalTimeoutMs, and a read is retried", async () => {
  const patient = clientFor(() => undefined, { timeoutMs: 30 });
  const hurried = patient.withOptions({ timeoutMs: 60_000, totalTimeoutMs: 40 });

  const error = await failureOf(patient.pages.list());

  expect(error).toMatchObject({ name: "TimeoutError", limit: "timeoutMs", attempts: [{ failure: "timeout" }, {}, {}] });
  expect(String(error)).toContain("no complete response within 30 ms, after 3 attempts");
  expect(await failureOf(hurried.pages.list())).toMatchObject({ limit: "totalTimeoutMs", attempts: [{}] });
});

const trickle = (socket: Socket) => {
  socket.write(http("200 OK", ["Transfer-Encoding: chunked"]));
  const timer = setInterval(() => socket.write("1\r\n \r\n"), 5);
  socket.on("close", () => clearInterval(timer));
};

test("a body that trickles for ever counts against timeoutMs", async () => {
  const client = clientFor(trickle, { timeoutMs: 60, retry: { maxAttempts: 1 } });

  expect(await failureOf(client.pages.list())).toMatchObject({ name: "TimeoutError" });
});

/** Sends a body without end, and counts its bytes. */
function createFlood(status: string) {
  const block = Buffer.alloc(64 * 1024, " ");
  const chunk = Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from("\r\n")]);
  const flood = { sentBytes: 0 };
  const send = (socket: Socket) => {
    const pump = () => {
      do flood.sentBytes += block.length;
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.write(http(status, ["Transfer-Encoding: chunked"]));
    socket.on("drain", pump);
    pump();
  };
  return { flood, send };
}

test("a body without end is cut at maxAnswerBytes", async () => {
  const { flood, send } = createFlood("200 OK");
  const maxAnswerBytes = 2 * 1024 * 1024;
  const client = clientFor(send, { timeoutMs: 60_000, maxAnswerBytes });

  const error = await failureOf(client.pages.list());

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(String(error)).toContain(`more than ${maxAnswerBytes} bytes (maxAnswerBytes)`);
  expect(flood.sentBytes).toBeLessThan(maxAnswerBytes + 16 * 1024 * 1024);
  await expect.poll(() => sockets.size).toBe(0);
});

test("a body that unpacks to more than maxAnswerBytes is cut", async () => {
  const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, " "), { level: 1 });
  const send = (socket: Socket) => {
    socket.write(http("200 OK", ["Content-Encoding: gzip", `Content-Length: ${bomb.length}`]));
    socket.end(bomb);
  };
  const client = clientFor(send, { timeoutMs: 60_000, maxAnswerBytes: 8 * 1024 * 1024 });

  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test("an error response whose body has no end, or is cut off, is still that error", async () => {
  const { flood, send } = createFlood("400 Bad Request");
  const endless = clientFor(send, { timeoutMs: 60_000 });

  expect(await failureOf(endless.pages.list())).toMatchObject({ name: "BadRequestError", status: 400 });
  expect(flood.sentBytes).toBeLessThan(8 * 1024 * 1024);
  respond = (socket) => socket.end(http("503 Nope", ["Content-Length: 500"], '{"message":"half'));
  expect(await failureOf(endless.pages.list())).toMatchObject({ name: "ServerError", attempts: [{}, {}, {}] });
});

test("neither key nor body follow a redirect, which is an error", async () => {
  const { port } = server.address() as AddressInfo; // why: it listens on TCP
  const headers = [`Location: http://127.0.0.1:${port}/elsewhere`, "Content-Length: 0"];
  const client = clientFor((socket) => socket.end(http("307 Temporary Redirect", headers)));

  expect(await failureOf(client.pages.create(somePage))).toMatchObject({ name: "ApiError" });
  expect(requests).toHaveLength(1);
});
