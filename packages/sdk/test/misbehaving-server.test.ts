import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setImmediate as immediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  LandingPages,
  ResponseValidationError,
  ServerError,
  TimeoutError,
} from "../src/index.ts";

type Conduct = (socket: Socket, request: string) => void;

const key = "test_misbehaving_server";
const sockets = new Set<Socket>();
const troubles: unknown[] = [];
let server: Server;
let conduct: Conduct;
let requests: string[];

const noteTrouble = (trouble: unknown) => troubles.push(trouble);

beforeEach(async () => {
  requests = [];
  troubles.length = 0;
  process.on("warning", noteTrouble).on("unhandledRejection", noteTrouble);
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      requests.push(data.toString("latin1"));
      conduct(socket, data.toString("latin1"));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await immediate();
  process.off("warning", noteTrouble).off("unhandledRejection", noteTrouble);
  assert.deepEqual(troubles, [], "no process warning, no unhandled rejection");
});

function clientFor(next: Conduct, options: ClientOptions = {}) {
  conduct = next;
  const { port } = server.address() as AddressInfo; // why: it listens on TCP
  const quick = { baseDelayMs: 0, maxDelayMs: 0 };
  return new LandingPages({
    apiKey: key,
    baseUrl: `http://127.0.0.1:${port}`,
    timeoutMs: 5000,
    ...options,
    retry: { ...quick, ...options.retry },
  });
}

function http(status: string, headers: string[], body = ""): string {
  return [`HTTP/1.1 ${status}`, ...headers, "", body].join("\r\n");
}

const page = { title: "T", content: "C", slug: "s", cta: { type: "button", label: "L", url: "https://shop.example" } };
const ok = (body: string) => http("200 OK", [`Content-Length: ${Buffer.byteLength(body)}`], body);

const noAnswer: [string, Conduct][] = [
  ["closes the connection", (socket) => socket.destroy()],
  ["resets the connection", (socket) => socket.resetAndDestroy()],
  ["answers bytes that are no HTTP", (socket) => socket.end("\u0000\u0001 what is this?\r\n\r\n")],
  ["cuts the headers off", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Le")],
  ["cuts the body off", (socket) => socket.end(http("200 OK", ["Content-Length: 100"], '{"data":['))],
  ["cuts a chunk off", (socket) => socket.end(http("200 OK", ["Transfer-Encoding: chunked"], '20\r\n{"data"'))],
  [
    "resets in the middle of the body",
    (socket) => {
      socket.write(http("200 OK", ["Content-Length: 100"], '{"data":['), () => socket.resetAndDestroy());
    },
  ],
  [
    "floods with headers",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      for (let line = 0; line < 2000; line += 1) socket.write(`X-Flood-${line}: ${"x".repeat(100)}\r\n`);
      socket.end("\r\n");
    },
  ],
  ["sends two lengths", (socket) => socket.end(http("200 OK", ["Content-Length: 2", "Content-Length: 3"], "[]"))],
];

test.each(noAnswer)(
  "a service that %s: a read is tried three times and is a ConnectionError",
  async (_title, behave) => {
    const client = clientFor(behave);

    const error: unknown = await client.pages.list().catch((error: unknown) => error);

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ mayHaveBeenApplied: false, attempts: [{}, {}, {}] });
    expect(requests).toHaveLength(3);
  },
);

test.each(noAnswer)("a service that %s: a create is sent once and may have been applied", async (_title, behave) => {
  const client = clientFor(behave);

  const error: unknown = await client.pages.create(page).catch((error: unknown) => error);

  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ mayHaveBeenApplied: true, attempts: [{}] });
  expect(String(error)).toContain("the service may have carried it out");
  expect(requests).toHaveLength(1);
});

test.each<[string, Conduct, RegExp]>([
  [
    "HTML",
    (socket) => socket.end(ok("<html><body>Welcome</body></html>")),
    /got an HTML document: <html><body>Welcome/,
  ],
  ["an empty 200", (socket) => socket.end(ok("")), /got an empty body/],
  [
    "a page without an identifier",
    (socket) => socket.end(ok(JSON.stringify([{ id: "1", ...page }, page]))),
    /2 objects at #, of which 1 has no identifier/,
  ],
  [
    "bytes that are no text",
    (socket) => {
      socket.write(http("200 OK", ["Content-Length: 5"]));
      socket.end(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]));
    },
    /expected a list of pages/,
  ],
])("a service that answers a list with %s: a ResponseValidationError that says so", async (_title, behave, message) => {
  const client = clientFor(behave);

  const error: unknown = await client.pages.list().catch((error: unknown) => error);

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(error).toMatchObject({ mayHaveBeenApplied: false, attempts: [{}], message: expect.stringMatching(message) });
  expect(String(error).length).toBeLessThan(700);
});

test.each(["gzip", "x-gzip", "br", "zstd", "gzip, gzip"])(
  "a body that is not encoded as it says, %s, is told so, and a call that does not need it succeeds",
  async (encoding) => {
    const body = encoding.includes(",") ? gzipSync('{"id":"1"}') : Buffer.from('{"id":"1"}');
    const client = clientFor((socket) => {
      socket.write(http("201 Created", [`Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`]));
      socket.end(body);
    });

    const errors: unknown[] = [
      await client.pages.create(page).catch((error: unknown) => error),
      await client.pages.list().catch((error: unknown) => error),
    ];

    expect(errors).toMatchObject([
      { name: "ConnectionError", mayHaveBeenApplied: true, attempts: [{}] },
      { name: "ConnectionError", attempts: [{}, {}, {}] },
    ]);
    expect(String(errors[0])).toContain("; the body is not encoded as its `Content-Encoding` says");
    await expect(client.pages.delete("1")).resolves.toBeUndefined();
  },
);

test("a service that never answers is left after timeoutMs, and a read is tried again", async () => {
  const client = clientFor(() => undefined, { timeoutMs: 30 });

  const error: unknown = await client.pages.list().catch((error: unknown) => error);

  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ limit: "timeoutMs", attempts: [{ failure: "timeout" }, {}, {}] });
  expect(String(error)).toContain("no complete response within 30 ms, after 3 attempts");
});

test("a service that never answers is left when the deadline of the call has come", async () => {
  const client = clientFor(() => undefined, { totalTimeoutMs: 40 });

  await expect(client.pages.list()).rejects.toMatchObject({
    name: "TimeoutError",
    limit: "totalTimeoutMs",
    attempts: [{}],
  });
});

test("a body that trickles for ever counts against timeoutMs", async () => {
  const client = clientFor(
    (socket) => {
      socket.write(http("200 OK", ["Transfer-Encoding: chunked"]));
      const trickle = setInterval(() => socket.write("1\r\n \r\n"), 5);
      socket.on("close", () => clearInterval(trickle));
    },
    { timeoutMs: 60, retry: { maxAttempts: 1 } },
  );

  await expect(client.pages.list()).rejects.toBeInstanceOf(TimeoutError);
});

function flood(socket: Socket, head: string): { sent: () => number } {
  const block = Buffer.alloc(64 * 1024, " ");
  const chunk = Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from("\r\n")]);
  let sent = 0;
  const pump = () => {
    while (!socket.destroyed && socket.write(chunk)) sent += block.length;
    sent += block.length;
  };
  socket.write(head);
  socket.on("drain", pump);
  pump();
  return { sent: () => sent };
}

test.each([
  ["16 MiB", {}, 16],
  ["the caller's maxAnswerBytes", { maxAnswerBytes: 2 * 1024 * 1024 }, 2],
])("a body without end is cut at %s", async (_title, options, mebibytes) => {
  let flooding: { sent: () => number } | undefined;
  const client = clientFor((socket) => (flooding = flood(socket, http("200 OK", ["Transfer-Encoding: chunked"]))), {
    timeoutMs: 60_000,
    ...options,
  });

  const error: unknown = await client.pages.list().catch((error: unknown) => error);

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(String(error)).toContain(`more than ${mebibytes * 1024 * 1024} bytes, its maxAnswerBytes`);
  expect(flooding?.sent()).toBeLessThan((mebibytes + 16) * 1024 * 1024);
});

test("a body that unpacks to more than maxAnswerBytes is cut, with little memory used", async () => {
  const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, " "), { level: 1 });
  const client = clientFor(
    (socket) => {
      socket.write(http("200 OK", ["Content-Encoding: gzip", `Content-Length: ${bomb.length}`]));
      socket.end(bomb);
    },
    { timeoutMs: 60_000, maxAnswerBytes: 32 * 1024 * 1024 },
  );
  const beforeBytes = process.memoryUsage().rss;

  const error: unknown = await client.pages.list().catch((error: unknown) => error);

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(process.memoryUsage().rss - beforeBytes).toBeLessThan(200 * 1024 * 1024);
});

test("an error response whose body has no end is still that error", async () => {
  let flooding: { sent: () => number } | undefined;
  const client = clientFor(
    (socket) => (flooding = flood(socket, http("400 Bad Request", ["Transfer-Encoding: chunked"]))),
    { timeoutMs: 60_000 },
  );

  await expect(client.pages.list()).rejects.toMatchObject({ name: "BadRequestError", status: 400 });
  expect(flooding?.sent()).toBeLessThan(8 * 1024 * 1024);
});

test("an error response that is cut off is still that error", async () => {
  const client = clientFor((socket) => socket.end(http("503 Nope", ["Content-Length: 500"], '{"message":"half')));

  const error: unknown = await client.pages.list().catch((error: unknown) => error);

  expect(error).toBeInstanceOf(ServerError);
  expect(requests).toHaveLength(3);
});

test.each(["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"])(
  "a redirect with %s is an error, and neither key nor body follow it",
  async (status) => {
    const { port } = server.address() as AddressInfo; // why: it listens on TCP
    const client = clientFor((socket) =>
      socket.end(http(status, [`Location: http://127.0.0.1:${port}/elsewhere`, "Content-Length: 0"])),
    );

    await expect(client.pages.create(page)).rejects.toBeInstanceOf(ApiError);
    expect(requests).toHaveLength(1);
    expect(requests[0]).not.toContain("/elsewhere");
  },
);

test("where nobody listens, a create is tried three times and was certainly not applied", async () => {
  const { port } = server.address() as AddressInfo; // why: it listens on TCP
  server.close();
  await once(server, "close");
  const client = new LandingPages({ apiKey: key, baseUrl: `http://127.0.0.1:${port}`, retry: { baseDelayMs: 0 } });

  const error: unknown = await client.pages.create(page).catch((error: unknown) => error);

  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ code: "ECONNREFUSED", mayHaveBeenApplied: false, attempts: [{}, {}, {}] });
});
