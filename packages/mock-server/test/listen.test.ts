import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createMockService, type FaultRule, type MockServiceOptions } from "../src/index.ts";
import { type AnsweredRequest, listen, type ListenOptions } from "../src/node.ts";
import { post, remove, somePage, update } from "./client.ts";
import { exchange, open, readResponse } from "./raw-socket.ts";

const key = "test_listen";
const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
const list = `GET /api/content HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n`;

test("a real client creates, changes and deletes a page, also with text that is not ASCII", async () => {
  const { server, service } = await start();
  // node:http would send the real time.
  service.clock.set(0);
  const client = { fetch, baseUrl: server.url, apiKey: key };
  const title = "靴 👟 für Läufer";

  const created = await post(client, { body: { ...somePage, title } });
  const changed = await update(client, created.body.id, { content: "Tea" });
  const deleted = await remove(client, created.body.id);

  expect([created.status, changed.status, deleted.status]).toEqual([201, 200, 204]);
  expect(created.headers.get("Content-Length")).toBe(String(Buffer.byteLength(created.text)));
  expect(changed.body).toMatchObject({ title, content: "Tea" });
  expect(Date.parse(deleted.headers.get("Date") ?? "")).toBeLessThan(60_000);
  expect(service.account(key).pages).toEqual([]);
});

test("concurrent connections get responses, also while a test fakes setImmediate", async () => {
  const { server } = await start();
  vi.useFakeTimers({ toFake: ["setImmediate"] });

  const responses = await Promise.all(
    Array.from({ length: 3 }, () => exchange(server.url, `${list}Connection: close\r\n\r\n`)),
  ).finally(() => vi.useRealTimers());

  expect(responses.map((text) => readResponse(text).status)).toEqual([200, 200, 200]);
});

test("the log has every response, also to requests that were refused, broken or aborted", async () => {
  const logged: AnsweredRequest[] = [];
  const asleep = Promise.withResolvers<void>();
  const sleep: MockServiceOptions["sleep"] = async (_delayMs, signal) => {
    asleep.resolve();
    await once(signal, "abort");
  };
  const { server, service } = await start(undefined, { onAnswer: (request) => logged.push(request) }, { sleep });
  service.account(key).faults.add({ endpoint: "updatePage", delayMs: 60_000 });
  service.account(key).faults.add({ endpoint: "trackEvent", wire: "reset" });

  await fetch(`${server.url}/api/content?limit=1`, { headers });
  await exchange(server.url, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  await fetch(`${server.url}/api/analytics/view`, { method: "POST", headers }).catch(() => {});
  const caller = new AbortController();
  const aborted = fetch(`${server.url}/api/content/1`, { method: "PUT", headers, signal: caller.signal });
  await asleep.promise;
  caller.abort();
  await aborted.catch(() => {});

  await expect.poll(() => logged).toHaveLength(4);
  expect(logged).toMatchObject([
    { method: "GET", path: "/api/content?limit=1", status: 200, key: "test_…", id: expect.stringMatching(/^req_/) },
    { method: "GET", path: "/", status: 421, key: undefined },
    { path: "/api/analytics/view", status: undefined, wire: "reset" },
    { method: "PUT", status: undefined, id: undefined },
  ]);
});

test("a stalled response sends nothing until the server closes, and a second close does no harm", async () => {
  const { server, service } = await start({ wire: "stall" }, { timeouts: { closeGraceMs: 1 } });

  const received = exchange(server.url, `${list}\r\n`);
  await service.waitForRequest({ key });
  await fetch(`${server.url}/__mock/health`);
  expect(await Promise.race([received, Promise.resolve("nothing yet")])).toBe("nothing yet");
  await Promise.all([server.close(), server.close()]);

  expect(await received).toMatch(/^(<ECONNRESET>)?$/);
});

test("garbage ends the connection, also of a client that keeps its own side open", async () => {
  const { server } = await start({ wire: "garbage" }, { timeouts: { closeGraceMs: 2 ** 31 - 1 } });
  const socket = connect({ port: Number(new URL(server.url).port), host: "127.0.0.1", allowHalfOpen: true });
  socket.resume().write(`${list}\r\n`);
  await once(socket, "end");

  await expect(server.close()).resolves.toBeUndefined();
  socket.destroy();
});

test("close() lets requests in flight finish, accepts no new ones and ends idle connections", async () => {
  const [asleep, wake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const sleep = () => (asleep.resolve(), wake.promise);
  const { server } = await start({ delayMs: 1000, times: 1 }, {}, { sleep });
  const idle = open(server.url);
  idle.write(`GET /__mock/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await once(idle, "data");
  const inFlight = exchange(server.url, `${list}\r\n`);
  await asleep.promise;

  const closing = server.close();
  await once(idle, "close");
  const refused = await exchange(server.url, `${list}\r\n`);
  wake.resolve();

  const response = readResponse(await inFlight);
  expect([refused, response.status]).toEqual(["<ECONNREFUSED>", 200]);
  expect(response.headers.get("Connection")).toBe("close");
  await closing;
});

test.for([
  ["127.0.0.1", /^http:\/\/127\.0\.0\.1:\d+$/],
  ["localhost", /^http:\/\/localhost:\d+$/],
  ["0:0:0:0:0:0:0:1", /^http:\/\/\[::1\]:\d+$/],
  ["0.0.0.0", /^http:\/\/127\.0\.0\.1:\d+$/],
] as const)("the URL of a server on %s can be called", async ([host, url]) => {
  const { server } = await start(undefined, { host });

  const response = await fetch(`${server.url}/__mock/health`);

  expect(server.url).toMatch(url);
  expect(await response.json()).toEqual({ status: "ok" });
});

test("if the test's own listener or clock throws, the request fails and the server keeps running", async () => {
  const now = vi.fn<() => number>(() => 0);
  const { server, service } = await start(undefined, {}, { now });
  const listOnce = () => exchange(server.url, `${list}Connection: close\r\n\r\n`);
  const remove = service.onRequest(() => {
    throw new Error("no listener today");
  });

  expect(await listOnce()).toMatch(/^HTTP\/1.1 500 .*The mock service itself failed: no listener today/s);
  remove();
  now.mockImplementation(() => {
    throw new Error("no clock today");
  });
  expect(await listOnce()).toMatch(/^(<ECONNRESET>)?$/);
  now.mockImplementation(() => 0);
  expect(readResponse(await listOnce()).status).toBe(200);
});

test("a port in use is one clear error that keeps its code", async () => {
  const { server } = await start();
  const { port } = new URL(server.url);

  await expect(listen(createMockService(), { port: Number(port) })).rejects.toMatchObject({
    code: "EADDRINUSE",
    message: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
  });
});

/** Starts a service on a free port, with a fault in the account. */
async function start(fault?: FaultRule, listenOptions: ListenOptions = {}, options: MockServiceOptions = {}) {
  const service = createMockService(options);
  if (fault) service.account(key).faults.add(fault);
  const server = await listen(service, listenOptions);
  onTestFinished(() => server.close());
  return { server, service };
}
