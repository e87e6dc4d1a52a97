import { dialectPresets, type PresetName } from "@landing-page-service/contract/dialect";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createMockService, type FaultRule, type MockServiceOptions } from "../src/index.ts";
import { type AnsweredRequest, listen, type ListenOptions, type RunningServer } from "../src/node.ts";
import { somePage } from "./client.ts";
import { exchange, open, readAnswer } from "./raw-socket.ts";

const key = "test_listen";
const list = `GET /api/content HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n`;
const servers: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test("real clients create, list, change and delete a page over one connection", async () => {
  const { server, service } = await start();
  const url = `${server.url}/api/content`;
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };

  const created = await fetch(url, { method: "POST", headers, body: JSON.stringify(somePage) });
  const { id } = (await created.json()) as { id: string }; // what a create answers
  const changed = await fetch(`${url}/${id}`, { method: "PUT", headers, body: JSON.stringify({ title: "Tea" }) });
  const listed = await fetch(url, { headers });
  const deleted = await fetch(`${url}/${id}`, { method: "DELETE", headers });

  expect([created.status, changed.status, listed.status, deleted.status]).toEqual([201, 200, 200, 204]);
  expect(await changed.json()).toMatchObject({ title: "Tea", content: somePage.content });
  expect(deleted.headers.get("X-RateLimit-Remaining")).toMatch(/^\d+$/);
  expect(service.account(key).pages).toEqual([]);
});

test("several connections are answered, also while a test has put its own timers in place", async () => {
  const { server } = await start();
  vi.useFakeTimers({ toFake: ["setImmediate"] });

  const answers = await Promise.all(
    Array.from({ length: 3 }, () => exchange(server.url, `${list}Connection: close\r\n\r\n`)),
  ).finally(() => vi.useRealTimers());

  expect(answers.map((answer) => readAnswer(answer).status)).toEqual([200, 200, 200]);
});

const presets = Object.keys(dialectPresets) as PresetName[]; // its own keys

test.for(presets)(
  "in dialect %s, text beyond ASCII has its length in bytes, wherever it is answered",
  async (dialect) => {
    const { server, service } = await start(undefined, {}, { dialect });
    const url = `${server.url}/api/content`;
    const headers = {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      "Idempotency-Key": "one",
    };
    const page = { ...somePage, title: "靴 👟 für Läufer" };
    const send = async (path: string, method: string, body?: object) => {
      const answer = await fetch(url + path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.text();
      expect(Number(answer.headers.get("Content-Length"))).toBe(Buffer.byteLength(text));
      expect(() => void JSON.parse(text)).not.toThrow();
      return text;
    };

    expect(await send("", "POST", page)).toContain(page.title);
    await send("", "POST", page); // the same again, another page, or a refusal
    expect(await send("", "GET")).toContain(page.title);
    const [{ id } = { id: "" }] = service.account(key).pages;
    expect(await send(`/${id}`, "PUT", { title: "Kä$e" })).toContain("Kä$e");
    expect(await send("", "GET")).toContain("Kä$e");
  },
);

test("a person who opens the base URL without a key gets a page with links", async () => {
  const { server } = await start();

  const page = await fetch(server.url, { headers: { "Sec-Fetch-Site": "cross-site" } });
  const head = await fetch(server.url, { method: "HEAD" });
  const posted = await fetch(server.url, { method: "POST" });
  const text = await page.text();

  expect(page.status).toBe(200);
  expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  for (const [, path] of text.matchAll(/href="([^"]+)"/g)) expect((await fetch(server.url + path)).status).toBe(200);
  expect(head.headers.get("Content-Length")).toBe(String(text.length));
  expect(posted.status).toBe(401);
});

test("the refusal of a key says what keys look like", async () => {
  const { server } = await start();

  const answer = await fetch(`${server.url}/api/content`, { headers: { Authorization: "Bearer live_1" } });

  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(/any key that begins with test_/) });
});

test("a server is closed when its scope ends", async () => {
  let url: string;
  {
    await using server = await listen(createMockService());
    url = server.url;
    expect((await fetch(`${url}/__mock/health`)).status).toBe(200);
  }

  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("the log gets every response, also to requests that were refused, broken, or given up", async () => {
  const told: AnsweredRequest[] = [];
  const { server, service } = await start(undefined, { onAnswer: (answered) => told.push(answered) });
  service.account(key).faults.add({ endpoint: "updatePage", delayMs: 60_000 });
  service.account(key).faults.add({ endpoint: "trackEvent", wire: "reset" });
  const headers = { Authorization: `Bearer ${key}` };

  await fetch(`${server.url}/api/content?limit=1`, { headers });
  await exchange(server.url, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  await fetch(`${server.url}/api/analytics/view`, { method: "POST", headers }).catch(() => {});
  await fetch(`${server.url}/api/content/1`, { method: "PUT", headers, signal: AbortSignal.timeout(50) }).catch(
    () => {},
  );

  await expect
    .poll(() => told)
    .toMatchObject([
      { method: "GET", path: "/api/content?limit=1", status: 200, key: "test_…", id: expect.stringMatching(/^req_/) },
      { method: "GET", path: "/", status: 421, key: undefined },
      { path: "/api/analytics/view", wire: "reset" },
      { method: "PUT", status: undefined, id: undefined },
    ]);
});

test("a planned reset resets the connection", async () => {
  const { server } = await start({ wire: "reset" });

  expect(await exchange(server.url, `${list}\r\n`)).toBe("<ECONNRESET>");
});

test("a truncation sends half of the body after the work is done", async () => {
  const { server, service } = await start({ wire: "truncate", endpoint: "createPage" });
  const body = JSON.stringify(somePage);
  const create = `POST /api/content HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`;

  const answer = readAnswer(await exchange(server.url, `${create}\r\nContent-Length: ${body.length}\r\n\r\n${body}`));

  const length = Number(answer.headers.get("Content-Length"));
  expect(answer.status).toBe(201);
  expect(answer.body).toHaveLength(Math.floor(length / 2));
  expect(service.account(key).pages).toHaveLength(1);
});

test("planned garbage is not HTTP", async () => {
  const { server } = await start({ wire: "garbage" });

  await expect(fetch(`${server.url}/api/content`, { headers: { Authorization: `Bearer ${key}` } })).rejects.toThrow(
    "fetch failed",
  );
});

test("a planned stall sends nothing until somebody gives up", async () => {
  const { server, service } = await start({ wire: "stall" }, { timeouts: { closeGraceMs: 1 } });

  const received = exchange(server.url, `${list}\r\n`);
  await service.waitForRequest({ key });
  await server.close();

  expect(await received).toMatch(/^(<ECONNRESET>)?$/);
});

test("a planned status with a body of its own is sent as it is", async () => {
  const { server } = await start({ status: 503, headers: { "Retry-After": "7" }, body: "<h1>down</h1>" });

  const answer = readAnswer(await exchange(server.url, `${list}Connection: close\r\n\r\n`));

  expect(answer).toMatchObject({ status: 503, body: "<h1>down</h1>" });
  expect(answer.headers.get("Retry-After")).toBe("7");
  expect(answer.headers.get("X-RateLimit-Limit")).toMatch(/^\d+$/);
});

test("a caller that goes away ends the delay that held its request back", async () => {
  let ended = false;
  const sleep: MockServiceOptions["sleep"] = (_delayMs, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        ended = true;
        resolve();
      });
      asleep.resolve();
    });
  const asleep = Promise.withResolvers<void>();
  const { server, service } = await start({ delayMs: 60_000, endpoint: "createPage" }, {}, { sleep });
  const outgoing = request(`${server.url}/api/content`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
  });
  outgoing.on("error", () => {}).end(JSON.stringify(somePage));
  await asleep.promise;

  outgoing.destroy();
  await expect.poll(() => ended).toBe(true);

  expect(service.account(key).pages).toEqual([]);
});

test("planned garbage ends the connection, also of a caller that keeps its own side open", async () => {
  const { server } = await start({ wire: "garbage" }, { timeouts: { closeGraceMs: 2 ** 31 - 1 } });
  const socket = connect({ port: Number(new URL(server.url).port), host: "127.0.0.1", allowHalfOpen: true });
  socket.resume().write(`${list}\r\n`);
  await once(socket, "end");

  const closed = await server.close();

  expect(closed).toBeUndefined();
  socket.destroy();
});

test("closing lets requests in flight finish, takes no new ones and ends idle connections", async () => {
  const asleep = Promise.withResolvers<void>();
  const wake = Promise.withResolvers<void>();
  const sleep = () => {
    asleep.resolve();
    return wake.promise;
  };
  const { server } = await start({ delayMs: 1000, times: 1 }, {}, { sleep });
  const idle = open(server.url);
  idle.write(`GET /__mock/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await once(idle, "data");
  const inFlight = exchange(server.url, `${list}\r\n`);
  await asleep.promise;

  const closing = server.close();
  await once(idle, "close");
  const refused = exchange(server.url, `${list}\r\n`);
  expect(await refused).toBe("<ECONNREFUSED>");
  wake.resolve();

  const answer = readAnswer(await inFlight);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("Connection")).toBe("close");
  await closing;
});

test("closing cuts what does not finish within the grace time, and may be asked for twice", async () => {
  const asleep = Promise.withResolvers<void>();
  const sleep: MockServiceOptions["sleep"] = (_delayMs, signal) => {
    asleep.resolve();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  };
  const { server } = await start({ delayMs: 60_000 }, { timeouts: { closeGraceMs: 1 } }, { sleep });
  const received = exchange(server.url, `${list}\r\n`);
  await asleep.promise;

  await Promise.all([server.close(), server.close()]);

  expect(await received).toMatch(/^(<ECONNRESET>)?$/);
});

test.for([
  ["127.0.0.1", /^http:\/\/127\.0\.0\.1:\d+$/],
  ["localhost", /^http:\/\/localhost:\d+$/],
  ["0.0.0.0", /^http:\/\/127\.0\.0\.1:\d+$/],
] as const)("the URL of a server on %s is one that can be called", async ([host, url]) => {
  const { server } = await start(undefined, { host });

  const answer = await fetch(`${server.url}/__mock/health`);

  expect(server.url).toMatch(url);
  expect(await answer.json()).toEqual({ status: "ok" });
});

test.for([
  ["a request", `${list}Connection: close\r\n\r\n`],
  ["a create", `${list.replace("GET", "POST")}Content-Length: 2\r\nConnection: close\r\n\r\n{}`],
] as const)("a clock of the test's own that throws ends %s, and not the server", async ([, bytes]) => {
  let isBroken = false;
  const now = () => {
    if (isBroken) throw new Error("no clock today");
    return 0;
  };
  const { server } = await start(undefined, {}, { now });

  isBroken = true;
  const received = await exchange(server.url, bytes);
  isBroken = false;

  expect(received).toMatch(/^(<ECONNRESET>)?$/);
  expect(readAnswer(await exchange(server.url, `${list}Connection: close\r\n\r\n`)).status).toBe(200);
});

test("responses are dated by the service's clock, as their rate windows are", async () => {
  const { server, service } = await start();
  service.clock.advance(24 * 60 * 60 * 1000);

  const answer = await fetch(`${server.url}/api/content`, { headers: { Authorization: `Bearer ${key}` } });

  const ahead = Date.parse(answer.headers.get("Date") ?? "") - Date.now();
  const resetAheadSeconds = Number(answer.headers.get("X-RateLimit-Reset")) - Date.now() / 1000;
  expect(ahead).toBeGreaterThan(23 * 60 * 60 * 1000);
  expect(resetAheadSeconds).toBeGreaterThan(23 * 60 * 60);
});

test.for([
  [{ host: "" }, /host: must be a name or an address/],
  [{ allowedHosts: ["mock.test:4010"] }, /allowedHosts: expected a name without port, got "mock.test:4010"/],
  [{ allowedHosts: ["https://mock.test"] }, /allowedHosts: expected a name without port/],
  [{ control: { token: "" } }, /token/],
] as const)("listen refuses %j", async ([options, message]) => {
  await expect(listen(createMockService(), options)).rejects.toThrow(message);
});

test.for([
  ["0:0:0:0:0:0:0:1", /^http:\/\/\[::1\]:\d+$/],
  ["LOCALHOST", /^http:\/\/localhost:\d+$/],
] as const)("the host %s is known by its usual spelling", async ([host, url]) => {
  const { server } = await start(undefined, { host, control: true });

  expect(server.url).toMatch(url);
  expect((await fetch(`${server.url}/__mock/clock`)).status).toBe(200);
});

/** A service on a free port, with a planned fault. */
async function start(fault?: FaultRule, listenOptions: ListenOptions = {}, options: MockServiceOptions = {}) {
  const service = createMockService(options);
  if (fault) service.account(key).faults.add(fault);
  const server = await listen(service, listenOptions);
  servers.push(server);
  return { server, service };
}
