import { gzipSync } from "node:zlib";
import { afterAll, expect, test, vi } from "vitest";
import { createMockService } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { list, post } from "./client.ts";
import { readEvents } from "./live-events.ts";
import { sendRaw } from "./raw-socket.ts";

const service = createMockService();
const server = await listen(service, { inspector: true });
afterAll(() => server.close());

const paths = ["/", "/__mock/inspector/app.js", "/__mock/inspector/app.css"];

test.for(paths)("%s is served with a policy that loads nothing from elsewhere and allows no frame", async (path) => {
  const { status, headers } = await fetch(server.url + path);

  const policy = headers.get("Content-Security-Policy") ?? "";
  expect(status).toBe(200);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(Object.fromEntries(headers)).toMatchObject({
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
});

test.for(["accounts", "requests/live", "nothing", "inspector/nothing"])(
  "a browser keeps no copy of %s",
  async (path) => {
    const { body, headers } = await fetch(`${server.url}/__mock/${path}`);
    await body?.cancel();

    expect([headers.get("X-Content-Type-Options"), headers.get("Cache-Control")]).toEqual(["nosniff", "no-store"]);
    expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
  },
);

test("the inspector has at most 50 KB, compressed", async () => {
  const texts = await Promise.all(paths.map(async (path) => (await fetch(server.url + path)).text()));

  expect(texts.reduce((sum, text) => sum + gzipSync(text).length, 0)).toBeLessThan(50_000);
});

test.for([
  ["/", "navigate", "document", 200],
  ["/", "navigate", "iframe", 403],
  ["/__mock/inspector/app.js", "no-cors", "script", 403],
  ["/__mock/requests/live", "cors", "empty", 403],
] as const)("another site may only link to it: %s as %s for %s gets a %i", async ([path, mode, dest, status]) => {
  const site = `Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: ${mode}\r\nSec-Fetch-Dest: ${dest}`;

  const response = await sendRaw(
    server.url,
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${site}\r\n\r\n`,
  );

  expect(response.status).toBe(status);
});

test("the inspector accepts GET and HEAD, and has no other file", async () => {
  expect((await fetch(`${server.url}/__mock/inspector/app.js`, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${server.url}/`, { method: "HEAD" })).headers.get("X-Frame-Options")).toBe("DENY");
  expect((await fetch(`${server.url}/__mock/inspector/..%2f..%2fpackage.json`)).status).toBe(404);
  expect((await fetch(`${server.url}/__mock/inspector/constructor`)).status).toBe(404);
});

test("by default the inspector is not served, and it needs the control API", async () => {
  await using plain = await listen(createMockService());

  expect(await (await fetch(plain.url)).text()).not.toContain("<script");
  expect((await fetch(`${plain.url}/__mock/inspector/app.js`)).status).toBe(404);
  await expect(listen(createMockService(), { inspector: true, control: false })).rejects.toThrow(/needs control: true/);
  await expect(listen(createMockService(), { inspector: true, host: "0.0.0.0" })).rejects.toThrow(/needs a token/);
});

test("on a server with a token the page opens, and its data needs the token", async () => {
  await using guarded = await listen(createMockService(), { inspector: true, control: { token: "secret" } });

  expect((await fetch(guarded.url)).status).toBe(200);
  expect((await fetch(`${guarded.url}/__mock/requests/live`)).status).toBe(401);
});

test("the stream sends matching requests as they arrive, and starts again after a reset", async () => {
  const key = "test_live";
  await list(service, "", { key });
  const events = await watch({ key });
  expect(await events.next()).toMatchObject({ name: "journal", data: [{ endpoint: "listPages", status: 200 }] });

  const fault = service.faults.add({ key, endpoint: "createPage", status: 500, times: 1 });
  await post(service, { key, headers: { "Idempotency-Key": "one" } });
  await list(service, "", { key: "test_other" });
  expect(await events.next()).toMatchObject({
    name: "requests",
    data: [{ endpoint: "createPage", status: 500, fault: fault.id, idempotencyKey: "one" }],
  });

  service.account(key).reset();
  expect(await events.next()).toEqual({ name: "journal", data: [] });
  await events.close();
});

test("attempts with one Idempotency-Key are counted in each account, also those that a filter hides", async () => {
  const key = "test_attempts_of_one";
  const attempt = (key: string) => post(service, { key, headers: { "Idempotency-Key": "retried" } });
  service.faults.add({ key, endpoint: "createPage", status: 503, times: 2 });
  for (let count = 0; count < 3; count += 1) await attempt(key);
  const events = await watch({ key, status: 201 });
  const journal = await events.next();
  await attempt("test_attempts_of_two");
  await attempt(key);
  const next = await events.next();
  await events.close();
  const single = await fetch(`${server.url}/__mock/requests/${service.requests({ key })[0]?.id}`);

  expect(journal?.data).toMatchObject([{ status: 201, attempt: 3, account: key }]);
  expect(next?.data).toMatchObject([{ status: 201, attempt: 4, account: key }]);
  expect(await single.json()).toMatchObject({ status: 503, attempt: 1, account: "test_…_one" });
});

test("a wrong filter is refused with the nearest field, and if curl removed its braces, with how to keep them", async () => {
  expect(await readRefusal('{"stauts":500}')).toMatch(/^400 .*did you mean \\"status\\"/s);
  expect(await readRefusal('"key":"test_demo"')).toMatch(/^400 .*it came without its braces: pass -g to curl/s);
});

test("a stream stops listening when its reader leaves", async () => {
  const stop = vi.fn<() => void>();
  vi.spyOn(service, "onRequest").mockReturnValueOnce(stop);
  const events = await watch({ key: "test_left" });

  await events.close();

  await expect.poll(() => stop.mock.calls).toHaveLength(1);
});

test("a server that closes ends the stream at once", async () => {
  const closing = await listen(service, { inspector: true, timeouts: { closeGraceMs: 60_000 } });
  const events = await watch({}, closing.url);
  await events.next();

  await closing.close();

  expect(await events.next()).toBeUndefined();
});

test("the stream sends a burst of requests completely and in order", async () => {
  const key = "test_burst";
  const events = await watch({ key });
  await events.next();

  for (let index = 0; index < 100; index += 1) await list(service, "", { key });
  const ids: string[] = [];
  while (ids.length < 100) ids.push(...((await events.next())?.data.map(({ id }) => id) ?? ["the stream ended"]));
  await events.close();

  expect(ids).toEqual(service.requests({ key }).map(({ id }) => id));
});

async function readRefusal(match: string): Promise<string> {
  const response = await fetch(`${server.url}/__mock/requests/live?match=${encodeURIComponent(match)}`);
  return `${response.status} ${await response.text()}`;
}

async function watch(match: object, url = server.url) {
  return readEvents(await fetch(`${url}/__mock/requests/live?match=${encodeURIComponent(JSON.stringify(match))}`));
}
