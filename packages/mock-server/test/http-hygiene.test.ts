import { once } from "node:events";
import { problemSchema } from "@landing-page-service/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { listen, type RunningServer } from "../src/node.ts";
import { ask, exchange, open, type RawAnswer, readAnswer } from "./raw-socket.ts";

const key = "test_hygiene";
const service = createMockService();
let server: RunningServer;
let impatient: RunningServer;

beforeAll(async () => {
  server = await listen(service);
  impatient = await listen(service, { timeouts: { headersMs: 200, requestMs: 400 } });
});
afterAll(() => Promise.all([server.close(), impatient.close()]));

const host = "Host: 127.0.0.1\r\n";
const end = "Connection: close\r\n\r\n";
const keyLine = `Authorization: Bearer ${key}\r\n`;
const json = "Content-Type: application/json\r\n";
const page = {
  title: "Tea in Kyoto",
  content: "An afternoon among tea gardens.",
  slug: "tea-in-kyoto",
  cta: { type: "button", label: "Book", url: "https://tea.example/book" },
};

const brokenRequests: [title: string, request: string, status: number, detail: RegExp][] = [
  [
    "two different lengths",
    `POST /api/content HTTP/1.1\r\n${host}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
    400,
    /Content-Length/,
  ],
  [
    "a length and chunks at once, as request smuggling sends them",
    `POST /api/content HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/content HTTP/1.1\r\n\r\n`,
    400,
    /Transfer-Encoding/,
  ],
  [
    "an unknown transfer coding",
    `POST /api/content HTTP/1.1\r\n${host}Transfer-Encoding: chunked, identity\r\n\r\n`,
    400,
    /Transfer-Encoding/,
  ],
  [
    "a chunk size that is no number",
    `POST /api/content HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    400,
    /chunk size/,
  ],
  ["a space before the colon", `GET /api/content HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n`, 400, /header/],
  ["a NUL in a header", `GET /api/content HTTP/1.1\r\n${host}X: a\u0000b\r\n\r\n`, 400, /header/],
  ["bare line feeds", "GET /api/content HTTP/1.1\nHost: 127.0.0.1\n\n", 400, /CRLF/],
  ["bytes that are not HTTP", "\u0016\u0003\u0001\u0000\r\n\r\n", 400, /HTTP/],
  ["HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, /HTTP/],
  ["a target without a slash", `GET api HTTP/1.1\r\n${host}\r\n`, 400, /url/],
  [
    "headers of more than 16 KiB",
    `GET /api/content HTTP/1.1\r\n${host}X: ${"x".repeat(17_000)}\r\n\r\n`,
    431,
    /16 KiB/,
  ],
  ["a flood of headers", `GET /api/content HTTP/1.1\r\n${host}${"X: y\r\n".repeat(100_000)}\r\n`, 431, /16 KiB/],
  ["CONNECT", `CONNECT shop.example:443 HTTP/1.1\r\n${host}\r\n`, 405, /proxy/],
];

test.for(brokenRequests)("%s is refused and the connection ends", async ([, request, status, detail]) => {
  const answer = await ask(server.url, request);

  expectProblem(answer, status, detail);
  expect(answer.headers.get("Connection")).toBe("close");
  await expectServing();
});

test.for([
  ["headers that never end", `GET /api/content HTTP/1.1\r\n${host}`],
  ["a body that never ends", `POST /api/content HTTP/1.1\r\n${host}${keyLine}${json}Content-Length: 10\r\n\r\n{`],
  ["silence", ""],
] as const)("of %s the server has enough after a while, and the connection ends", async ([, request]) => {
  const answer = await ask(impatient.url, request);

  expectProblem(answer, 408, /in time/);
  expect(answer.headers.get("Connection")).toBe("close");
  await expect.poll(() => listPages(impatient)).toMatchObject({ status: 200 });
});

const hosts: [title: string, lines: string, target: string, status: number, detail: RegExp][] = [
  ["a foreign host", "Host: attacker.example\r\n", "/api/content", 421, /attacker\.example/],
  ["a foreign host in the target", host, "http://attacker.example/api/content", 421, /attacker\.example/],
  [
    "a name that only begins like ours",
    "Host: localhost.attacker.example\r\n",
    "/api/content",
    421,
    /localhost\.attacker/,
  ],
  ["no host", "", "/api/content", 400, /Host header/],
  ["two hosts", `${host}${host}`, "/api/content", 400, /one Host header/],
  ["two different hosts", `${host}Host: attacker.example\r\n`, "/api/content", 400, /one Host header/],
  ["a host with a user", "Host: user@127.0.0.1\r\n", "/api/content", 400, /Host header/],
  ["an empty host", "Host:\r\n", "/api/content", 400, /Host header/],
];

test.for(hosts)("a request to %s is refused before the key is looked at", async ([, lines, target, status, detail]) => {
  const before = service.requests().length;

  const answer = await ask(server.url, `GET ${target} HTTP/1.1\r\n${lines}${keyLine}${end}`);

  expectProblem(answer, status, detail);
  expect(service.requests()).toHaveLength(before);
});

test.for(["127.0.0.1", "LOCALHOST:4010", "[::1]:80"])("the loopback name %s is ours", async (name) => {
  const answer = await ask(server.url, `GET /api/content HTTP/1.1\r\nHost: ${name}\r\n${keyLine}${end}`);

  expect(answer.status).toBe(200);
});

test("a server goes by the further names it was given", async () => {
  const named = await listen(service, { allowedHosts: ["mock.test"] });

  const answer = await ask(named.url, `GET /api/content HTTP/1.1\r\nHost: mock.test:1234\r\n${keyLine}${end}`);

  expect(answer.status).toBe(200);
  await named.close();
});

const bodies: [title: string, headers: string, body: string | Uint8Array, status: number, detail: RegExp][] = [
  ["no content type", "", JSON.stringify(page), 415, /application\/json/],
  ["a form", "Content-Type: application/x-www-form-urlencoded\r\n", "title=Tea", 415, /application\/json/],
  ["a content coding", `${json}Content-Encoding: gzip\r\n`, JSON.stringify(page), 415, /./],
  ["text that is not JSON", json, "{title: 1}", 400, /JSON/],
  ["half a document", json, JSON.stringify(page).slice(0, 40), 400, /JSON/],
  ["invalid UTF-8", json, new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400, /UTF-8/],
  ["JSON 10 000 levels deep", json, "[".repeat(10_000) + "]".repeat(10_000), 400, /depth|deep|nest/i],
  ["1 MiB and one byte", json, `"${"x".repeat(1024 * 1024 - 1)}"`, 413, /1 MiB|1048576|1 048 576/],
  ["an array", json, "[]", 400, /object/],
  ["nothing", json, "", 400, /./],
];

test.for(bodies)("a create with %s is refused and stores nothing", async ([, headers, body, status, detail]) => {
  const answer = await post("/api/content", headers, body);

  expectProblem(answer, status, detail);
  await expectServing();
});

test("1 MiB and one byte in chunks is refused before the rest arrives", async () => {
  const socket = open(server.url);
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;

  socket.write(
    `POST /api/content HTTP/1.1\r\n${host}${keyLine}${json}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`,
  );
  const [data] = (await once(socket, "data")) as [Buffer]; // what a socket emits
  socket.destroy();

  expect(readAnswer(data.toString()).status).toBe(413);
  await expectServing();
});

const fields: [title: string, change: object, pointer: string][] = [
  ["a javascript: URL", { cta: { ...page.cta, url: "javascript:alert(1)" } }, "#/cta/url"],
  ["a relative URL", { cta: { ...page.cta, url: "/book" } }, "#/cta/url"],
  ["a slug that climbs", { slug: "../../etc" }, "#/slug"],
  ["a title of the wrong type", { title: 7 }, "#/title"],
  ["a misspelt field", { titel: "Tea" }, "#/titel"],
];

test.for(fields)("a create with %s names the field", async ([, change, pointer]) => {
  const answer = await post("/api/content", json, JSON.stringify({ ...page, ...change }));

  expectProblem(answer, 400, /./);
  expect(pointers(answer)).toContain(pointer);
  await expectServing();
});

test("a __proto__ in a body is a field like any other: unknown", async () => {
  const answer = await post("/api/content", json, `{"__proto__":{"admin":true},${JSON.stringify(page).slice(1)}`);

  expectProblem(answer, 400, /__proto__/);
  expect(({} as { admin?: boolean }).admin).toBeUndefined(); // the cast asks for what must not be there
  await expectServing();
});

const times = [
  "2026-02-30T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:00:60Z",
  "2026-01-01",
  "yesterday",
];

test.for(times)("an event at %s is refused: there is no such moment", async (timestamp) => {
  const answer = await post("/api/analytics/view", json, JSON.stringify({ pageId: "pg_1", timestamp }));

  expectProblem(answer, 400, /./);
  expect(pointers(answer)).toEqual(["#/timestamp"]);
});

const queries = [
  "limit=0x10",
  "limit=1e309",
  "limit=-1",
  "limit=0",
  "limit=1.5",
  "limit=",
  "limit=%20",
  "limit=101",
  "limit=5&limit=6",
  "limit=NaN",
];

test.for(queries)("a list with %s names the parameter", async (query) => {
  const answer = await ask(server.url, `GET /api/content?${query} HTTP/1.1\r\n${host}${keyLine}${end}`);

  expectProblem(answer, 400, /limit/);
  expect(pointers(answer)).toContain("limit");
});

test.for(["offset=1e3", "offset=-1", "offset=99999999999999999999", "ofset=1", "%ff=1", "q=%zz"])(
  "a list with %s is a 400, never a 500",
  async (query) => {
    const answer = await ask(server.url, `GET /api/content?${query} HTTP/1.1\r\n${host}${keyLine}${end}`);

    expectProblem(answer, 400, /./);
  },
);

test.for(["%2e%2e", "%00", "__proto__", "constructor", "%2Fapi", "a%20b", "%F0%9F%8D%B5"])(
  "the id %s is just a string that nobody has",
  async (id) => {
    const answer = await ask(server.url, `DELETE /api/content/${id} HTTP/1.1\r\n${host}${keyLine}${end}`);

    expectProblem(answer, 404, /./);
  },
);

test.for(["%", "%zz", "%ff"])("the id %s is not percent-encoded UTF-8", async (id) => {
  const answer = await ask(server.url, `DELETE /api/content/${id} HTTP/1.1\r\n${host}${keyLine}${end}`);

  expect([400, 404]).toContain(answer.status);
  expectProblem(answer, answer.status, /./);
});

test.for([
  ["PATCH", "/api/content", "GET, HEAD, POST, OPTIONS"],
  ["TRACE", "/api/content/pg_1", "PUT, DELETE, OPTIONS"],
  ["GET", "/api/analytics/view", "POST, OPTIONS"],
] as const)("%s %s is a 405 that lists the methods", async ([method, path, allow]) => {
  const answer = await ask(server.url, `${method} ${path} HTTP/1.1\r\n${host}${keyLine}${end}`);

  expectProblem(answer, 405, /./);
  expect(answer.headers.get("Allow")).toBe(allow);
});

test("an unknown expectation is refused, 100-continue is met", async () => {
  const body = JSON.stringify(page);
  const send = (expectation: string) =>
    exchange(
      server.url,
      `POST /api/content HTTP/1.1\r\n${host}Authorization: Bearer test_expect\r\n${json}Expect: ${expectation}\r\nContent-Length: ${body.length}\r\n${end}${body}`,
    );

  const refused = await send("tea");
  const met = await send("100-continue");

  expectProblem(readAnswer(refused), 417, /100-continue/);
  expect(met).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/);
});

test("an upgrade that nobody offers is an ordinary request", async () => {
  const answer = await ask(
    server.url,
    `GET /api/content HTTP/1.1\r\n${host}${keyLine}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
  );

  expect(answer.status).toBe(200);
});

test("an absolute target is the path it names", async () => {
  const answer = await ask(server.url, `GET http://localhost/api/content?limit=1 HTTP/1.1\r\n${host}${keyLine}${end}`);

  expect(JSON.parse(answer.body)).toMatchObject({ data: [], limit: 1 });
});

test("OPTIONS * gets an answer without CORS", async () => {
  const answer = await ask(
    server.url,
    `OPTIONS * HTTP/1.1\r\n${host}${keyLine}Origin: https://attacker.example\r\n${end}`,
  );

  expect(answer.status).toBeLessThan(500);
  expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
});

test("HEAD tells the length and sends no body", async () => {
  const answer = await ask(server.url, `HEAD /api/content HTTP/1.1\r\n${host}${keyLine}${end}`);

  expect(answer.status).toBe(200);
  expect(Number(answer.headers.get("Content-Length"))).toBeGreaterThan(0);
  expect(answer.body).toBe("");
});

test("a body that breaks off is not stored", async () => {
  const socket = open(server.url);
  const body = JSON.stringify(page);
  socket.write(
    `POST /api/content HTTP/1.1\r\n${host}${keyLine}${json}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  );
  await once(socket, "connect");

  socket.resetAndDestroy();
  await once(socket, "close");

  await expectServing();
});

test("requests sent in one packet are answered in order", async () => {
  const requests = [1, 2, 3].map((limit) => `GET /api/content?limit=${limit} HTTP/1.1\r\n${host}${keyLine}`);

  const text = await exchange(server.url, `${requests.join("\r\n")}${end}`);

  expect([...text.matchAll(/"limit":(\d)/g)].map(([, limit]) => limit)).toEqual(["1", "2", "3"]);
});

test("a port that is taken is one clear error that keeps its code", async () => {
  const { port } = new URL(server.url);

  const second = listen(service, { port: Number(port) });

  await expect(second).rejects.toMatchObject({
    code: "EADDRINUSE",
    message: expect.stringContaining(`Port ${port} on 127.0.0.1 is taken`),
  });
});

async function expectServing(): Promise<void> {
  const answer = await listPages(server);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({ data: [], total: 0 });
}

function listPages({ url }: RunningServer): Promise<RawAnswer> {
  return ask(url, `GET /api/content HTTP/1.1\r\n${host}${keyLine}${end}`);
}

function expectProblem(answer: RawAnswer, status: number, detail: RegExp): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
  for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]) {
    expect(answer.headers.get(name), name).toMatch(/^\d+$/);
  }
  const problem = problemSchema.parse(JSON.parse(answer.body));
  expect(problem.status).toBe(status);
  expect(problem.detail).toMatch(detail);
  expect(answer.body).not.toMatch(/node:internal|\.[jt]s:\d+|\n\s+at /);
}

function pointers(answer: RawAnswer): string[] {
  return problemSchema.parse(JSON.parse(answer.body)).errors?.map(({ pointer }) => pointer) ?? [];
}

function post(path: string, headers: string, body: string | Uint8Array): Promise<RawAnswer> {
  const bytes = Buffer.from(body);
  const head = `POST ${path} HTTP/1.1\r\n${host}${keyLine}${headers}Content-Length: ${bytes.length}\r\n${end}`;
  return ask(server.url, Buffer.concat([Buffer.from(head), bytes]));
}
