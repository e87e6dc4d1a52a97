// Malformed, hostile and unusual HTTP at the server's socket.
import { once } from "node:events";
import { maxBodyBytes, problemSchema } from "@landing-page-service/contract";
import { afterAll, expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { type AnsweredRequest, listen, type RunningServer } from "../src/node.ts";
import { somePage } from "./client.ts";
import { exchange, open, type RawResponse, readResponse, sendRaw, sendUnfinished } from "./raw-socket.ts";

const key = "test_hygiene";
const service = createMockService();
const logged: AnsweredRequest[] = [];
const server = await listen(service, { onAnswer: (request) => logged.push(request) });
const impatient = await listen(service, { timeouts: { headersMs: 200, requestMs: 400 } });
afterAll(() => Promise.all([server.close(), impatient.close()]));

const host = "Host: 127.0.0.1\r\n";
const end = "Connection: close\r\n\r\n";
const keyLine = `Authorization: Bearer ${key}\r\n`;
const json = "Content-Type: application/json\r\n";
const smuggled = `POST /api/content HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/content HTTP/1.1\r\n\r\n`;

test.for([
  [431, "headers of more than 16 KiB", `GET /api/content HTTP/1.1\r\n${host}X: ${"x".repeat(17_000)}\r\n\r\n`],
  [431, "a flood of headers", `GET /api/content HTTP/1.1\r\n${host}${"X: y\r\n".repeat(100_000)}\r\n`],
  [400, "bytes that are not HTTP", "\u0016\u0003\u0001\u0000\r\n\r\n"],
  [400, "a length and chunks at once, as request smuggling sends them", smuggled],
] as const)("%i: %s is refused and the connection ends", async ([status, , request]) => {
  const response = await exchange(server.url, request);

  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(problemSchema.parse(JSON.parse(/\{.*\}/s.exec(response)?.[0] ?? ""))).toMatchObject({ status });
  expect(logged.at(-1)).toMatchObject({ status, method: "-", path: "-", key: undefined });
  await expectServing();
});

test.for([
  ["headers that never end", `GET /api/content HTTP/1.1\r\n${host}`],
  ["a body that never ends", `POST /api/content HTTP/1.1\r\n${host}${keyLine}${json}Content-Length: 10\r\n\r\n{`],
  ["silence", ""],
] as const)("after %s for a while, the server ends the connection", async ([, request]) => {
  expect(await exchange(impatient.url, request)).toMatch(/^HTTP\/1.1 408 .*"status":408/s);
  await expect.poll(() => listPages(impatient)).toMatchObject({ status: 200 });
});

const path = "/api/content";

test.for<[status: number, title: string, detail: RegExp, lines: string, target: string]>([
  [421, "a foreign host", /attacker\.example/, "Host: attacker.example\r\n", path],
  [421, "a foreign host in the target", /attacker\.example/, host, `http://attacker.example${path}`],
  [421, "a name that begins like ours", /localhost\.attacker/, "Host: localhost.attacker.example\r\n", path],
  [400, "no host", /Host header/, "", path],
  [400, "two different hosts", /one Host header/, `${host}Host: attacker.example\r\n`, path],
  [400, "a host with a user", /Host header/, "Host: user@127.0.0.1\r\n", path],
])("%i: a request to %s is refused before its key is read", async ([status, , detail, lines, target]) => {
  const before = service.requests().length;

  const response = await sendRaw(server.url, `GET ${target} HTTP/1.1\r\n${lines}${keyLine}${end}`);

  expect(response.status).toBe(status);
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  for (const name of ["Limit", "Remaining", "Reset"])
    expect(response.headers.get(`X-RateLimit-${name}`), name).toMatch(/^\d+$/);
  const problem = problemSchema.parse(JSON.parse(response.body));
  expect(problem).toMatchObject({ status, detail: expect.stringMatching(detail) });
  expect(response.body).not.toMatch(/node:internal|\.[jt]s:\d+|\n\s+at /);
  expect(service.requests()).toHaveLength(before);
});

test("loopback names and the further names of a server are allowed", async () => {
  await using named = await listen(service, { allowedHosts: ["mock.test"] });

  for (const name of ["127.0.0.1", "LOCALHOST:4010", "[::1]:80", "mock.test:1234"]) {
    const { status } = await sendRaw(named.url, `GET /api/content HTTP/1.1\r\nHost: ${name}\r\n${keyLine}${end}`);
    expect(status, name).toBe(200);
  }
});

test("a server on every interface goes by any address, and by no other name", async () => {
  await using open = await listen(service, { host: "0.0.0.0" });
  const statusOf = async (name: string) =>
    (await sendRaw(open.url, `GET /api/content HTTP/1.1\r\nHost: ${name}\r\n${keyLine}${end}`)).status;

  expect(await Promise.all(["192.0.2.7:80", "[2001:db8::1]", "attacker.example"].map(statusOf))).toEqual([
    200, 200, 421,
  ]);
});

test("1 MiB and one byte in chunks is refused before the rest arrives, and a sender that goes on gets its response", async () => {
  const { status } = await sendUnfinished(server.url, `POST /api/content HTTP/1.1\r\n${host}${keyLine}${json}`);
  const sendAll = async (body: string) =>
    (await call("POST /api/content", `${json}Content-Length: ${body.length}\r\n${end}${body}`, "test_bodies")).status;

  expect(status).toBe(413);
  expect(await sendAll(" ".repeat(8 * maxBodyBytes))).toBe(413);
  expect(await sendAll(JSON.stringify(somePage).padEnd(maxBodyBytes))).toBe(201);
  await expectServing();
});

test("an unknown expectation is refused, 100-continue is met", async () => {
  const body = JSON.stringify(somePage);
  const rest = `${json}Content-Length: ${body.length}\r\n${end}${body}`;
  const send = (expectation: string) =>
    exchange(
      server.url,
      `POST /api/content HTTP/1.1\r\n${host}Authorization: Bearer test_expect\r\nExpect: ${expectation}\r\n${rest}`,
    );

  const refused = await send("tea");
  const met = await send("100-continue");

  expect(readResponse(refused).status).toBe(417);
  expect(met).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/);
});

/** Sends a request with a key to the server with the default timeouts. */
const call = (line: string, rest: string, caller = key) =>
  sendRaw(server.url, `${line} HTTP/1.1\r\n${host}Authorization: Bearer ${caller}\r\n${rest}`);

test("an absolute target is the path it names, an upgrade an ordinary request, and OPTIONS * has no CORS headers", async () => {
  const absolute = await call("GET http://localhost/api/content?limit=1", end);
  const upgraded = await call("GET /api/content", "Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n");
  const options = await call("OPTIONS *", `Origin: https://attacker.example\r\n${end}`);

  expect(JSON.parse(absolute.body)).toMatchObject({ data: [], limit: 1 });
  expect(upgraded.status).toBe(200);
  expect(options.status).toBeLessThan(500);
  expect([...options.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
});

test("a body that breaks off is not stored", async () => {
  const socket = open(server.url);
  const body = JSON.stringify(somePage);
  socket.write(
    `POST /api/content HTTP/1.1\r\n${host}${keyLine}${json}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  );
  await once(socket, "connect");

  socket.resetAndDestroy();
  await once(socket, "close");

  await expectServing();
});

async function expectServing(): Promise<void> {
  const response = await listPages(server);
  expect(response.status).toBe(200);
  expect(JSON.parse(response.body)).toMatchObject({ data: [], total: 0 });
}

function listPages({ url }: RunningServer): Promise<RawResponse> {
  return sendRaw(url, `GET /api/content HTTP/1.1\r\n${host}${keyLine}${end}`);
}
