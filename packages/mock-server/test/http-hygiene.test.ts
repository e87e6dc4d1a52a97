// Malformed, hostile and unusual HTTP at the server's socket.
import { once } from "node:events";
import { maxBodyBytes, problemSchema } from "@landing-page-service/contract";
import { afterAll, expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { type AnsweredRequest, listen, type RunningServer } from "../src/node.ts";
import { somePage } from "./client.ts";
import { exchange, open, type RawResponse, sendRaw, sendUnfinished } from "./raw-socket.ts";

const key = "test_hygiene";
const service = createMockService();
const logged: AnsweredRequest[] = [];
const server = await listen(service, { onAnswer: (request) => logged.push(request) });
afterAll(() => server.close());

const host = "Host: 127.0.0.1\r\n";
const end = "Connection: close\r\n\r\n";
const keyLine = `Authorization: Bearer ${key}\r\n`;
const json = "Content-Type: application/json\r\n";
const posted = `POST /api/content HTTP/1.1\r\n${host}`;
const smuggled = `${posted}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/content HTTP/1.1\r\n\r\n`;
/** The rest of a create: its length and its body. */
const bodyOf = (text: string) => `${json}Content-Length: ${text.length}\r\n${end}${text}`;
const pageText = JSON.stringify(somePage);

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
  ["headers that never end", { headersMs: 200 }, `GET /api/content HTTP/1.1\r\n${host}`],
  ["a body that never ends", { requestMs: 200 }, `${posted}${keyLine}${json}Content-Length: 10\r\n\r\n{`],
  ["silence", { headersMs: 200 }, ""],
] as const)("after %s for a while, the server ends the connection: %j", async ([, timeouts, request]) => {
  await using impatient = await listen(service, { timeouts });

  expect(await exchange(impatient.url, request)).toMatch(/^HTTP\/1.1 408 .*"status":408/s);
  await expect.poll(() => listPages(impatient)).toMatchObject({ status: 200 });
});

test("an idle connection stays open for 5 s, or as long as the options say", async () => {
  await using patient = await listen(service, { timeouts: { keepAliveMs: 60_000 } });

  const responses = await Promise.all([server, patient].map(({ url }) => fetch(`${url}/__mock/health`)));

  expect(responses.map(({ headers }) => headers.get("Keep-Alive"))).toEqual(["timeout=5", "timeout=60"]);
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

test.for([
  [{ allowedHosts: ["mock.test"] }, "LOCALHOST:4010", 200],
  [{ allowedHosts: ["mock.test"] }, "[::1]:80", 200],
  [{ allowedHosts: ["mock.test"] }, "mock.test:1234", 200],
  [{ host: "0.0.0.0" }, "192.0.2.7:80", 200],
  [{ host: "0.0.0.0" }, "[2001:db8::1]", 200],
  [{ host: "0.0.0.0" }, "attacker.example", 421],
] as const)("a server with %j called %s responds with %i", async ([options, name, status]) => {
  await using named = await listen(service, options);

  const response = await sendRaw(named.url, `GET /api/content HTTP/1.1\r\nHost: ${name}\r\n${keyLine}${end}`);

  expect(response.status).toBe(status);
});

test("1 MiB and one byte in chunks is refused before the rest arrives, and a sender that goes on gets its response", async () => {
  const { status } = await sendUnfinished(server.url, `${posted}${keyLine}${json}`);
  const large = await call("GET /api/content", bodyOf(" ".repeat(8 * maxBodyBytes)));
  const extended = await call("POST /api/content", `Transfer-Encoding: chunked\r\n\r\n1;${"x".repeat(17_000)}`);
  const allowed = await call("POST /api/content", bodyOf(pageText.padEnd(maxBodyBytes)), "test_bodies");

  expect([status, large.status, extended.status, allowed.status]).toEqual([413, 413, 413, 201]);
  await expectServing();
});

/** Sends a request with a key to the server with the default timeouts. */
const call = (line: string, rest: string, caller = key) =>
  sendRaw(server.url, `${line} HTTP/1.1\r\n${host}Authorization: Bearer ${caller}\r\n${rest}`);

test("an absolute target is the path it names, and OPTIONS * has no CORS headers", async () => {
  const absolute = await call("GET http://localhost/api/content?limit=1", end);
  const options = await call("OPTIONS *", `Origin: https://attacker.example\r\n${end}`);

  expect(JSON.parse(absolute.body)).toMatchObject({ data: [], limit: 1 });
  expect(options.status).toBeLessThan(500);
  expect([...options.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
});

test("a body that breaks off is not stored", async () => {
  const socket = open(server.url).resume();
  socket.end(`${posted}${keyLine}${bodyOf(`${pageText} `).slice(0, -1)}`);
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
