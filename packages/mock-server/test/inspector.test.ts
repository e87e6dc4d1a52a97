import { execFile } from "node:child_process";
import { request as httpRequest } from "node:http";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { listen, type RunningServer } from "../src/node.ts";
import { create, send, somePage } from "./client.ts";
import { sendRaw } from "./raw-socket.ts";

const service = createMockService();
let server: RunningServer;
beforeAll(async () => {
  server = await listen(service, { inspector: true });
});
afterAll(() => server.close());

const paths = ["/", "/__mock/inspector/app.js", "/__mock/inspector/app.css"];

test.for(paths)("%s is served with a policy that lets nothing in and no page frame it", async (path) => {
  const answer = await fetch(server.url + path);

  const policy = answer.headers.get("Content-Security-Policy") ?? "";
  expect(answer.status).toBe(200);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(policy).not.toMatch(/https?:|\*/);
  expect(answer.headers.get("X-Frame-Options")).toBe("DENY");
  expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(answer.headers.get("Referrer-Policy")).toBe("no-referrer");
  expect(answer.headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
  expect(answer.headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
});

test("what the page reads is taken for data by a browser, and kept nowhere", async () => {
  for (const path of ["/__mock/accounts", "/__mock/requests/live", "/__mock/nothing", "/__mock/inspector/nothing"]) {
    const answer = await fetch(server.url + path);
    await answer.body?.cancel();
    expect(answer.headers.get("X-Content-Type-Options"), path).toBe("nosniff");
    expect(answer.headers.get("Cache-Control"), path).toBe("no-store");
    expect(answer.headers.get("Access-Control-Allow-Origin"), path).toBeNull();
  }
});

test("nothing of it is loaded until somebody opens it", async () => {
  const program = `import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
const count = () => loaded.filter((url) => /src.inspector.|node_modules.(?:esbuild|preact)/.test(url)).length;
const { createMockService } = await import(${JSON.stringify(import.meta.resolve("../src/index.ts"))});
const { listen } = await import(${JSON.stringify(import.meta.resolve("../src/node.ts"))});
const counts = [];
for (const options of [{}, { control: true }, { inspector: true }]) {
  const server = await listen(createMockService(), options);
  for (const path of ["/api/content", "/__mock/accounts"]) await (await fetch(server.url + path)).text();
  counts.push(count());
  await (await fetch(server.url + "/")).text();
  counts.push(count());
  await server.close();
}
console.log(JSON.stringify(counts));`;

  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);

  const counts: number[] = JSON.parse(stdout);
  expect(counts.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  expect(counts[5]).toBeGreaterThan(0);
});

test("all of it has at most 50 KB, compressed", async () => {
  const texts = await Promise.all(paths.map(async (path) => (await fetch(server.url + path)).text()));

  expect(texts.reduce((sum, text) => sum + gzipSync(text).length, 0)).toBeLessThan(50_000);
});

test("a link from another site opens it, and nothing else on that site gets at it", async () => {
  expect(await statusWith("/", from("navigate", "document"))).toBe(200);
  expect(await statusWith("/", from("navigate", "iframe"))).toBe(403);
  expect(await statusWith("/", { Origin: "https://attacker.example" })).toBe(403);
  expect(await statusWith("/__mock/inspector/app.js", from("no-cors", "script"))).toBe(403);
  expect(await statusWith("/__mock/requests/live", from("cors", "empty"))).toBe(403);
  expect(await statusWith("/__mock/accounts", { Origin: "null" })).toBe(403);
});

test("a name that was pointed at this machine does not reach it", async () => {
  const { host } = new URL(server.url);
  for (const path of [...paths, "/__mock/requests/live"]) {
    const rebound = await sendRaw(
      server.url,
      `GET ${path} HTTP/1.1\r\nHost: ${host.replace("127.0.0.1", "attacker.example")}\r\nConnection: close\r\n\r\n`,
    );
    expect(rebound.status, path).toBe(421);
  }
});

test("it takes GET and HEAD, and knows no other file", async () => {
  expect((await fetch(`${server.url}/__mock/inspector/app.js`, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${server.url}/`, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${server.url}/__mock/inspector/..%2f..%2fpackage.json`)).status).toBe(404);
  expect((await fetch(`${server.url}/__mock/inspector/constructor`)).status).toBe(404);
});

test("without being asked for it is not there, and it does not come without the control API", async () => {
  const plain = await listen(createMockService());
  const [home, script] = await Promise.all(["/", "/__mock/inspector/app.js"].map((path) => fetch(plain.url + path)));
  await plain.close();

  expect(await home?.text()).not.toContain("<script");
  expect(script?.status).toBe(404);
  await expect(listen(createMockService(), { inspector: true, control: false })).rejects.toThrow(/needs control: true/);
  await expect(listen(createMockService(), { inspector: true, host: "0.0.0.0" })).rejects.toThrow(/needs a token/);
});

test("behind a token the page opens, and shows nothing without it", async () => {
  const guarded = await listen(createMockService(), { inspector: true, control: { token: "secret" } });
  const [page, live] = await Promise.all(["/", "/__mock/requests/live"].map((path) => fetch(guarded.url + path)));
  await guarded.close();

  expect([page?.status, live?.status]).toEqual([200, 401]);
});

test("the stream sends matching requests as they come, and starts again after a reset", async () => {
  const key = "test_live";
  await send(service, "GET", "/api/content", { key });
  const events = await watch({ key });
  expect(await events.next()).toMatchObject({ name: "journal", data: [{ endpoint: "listPages", status: 200 }] });

  const fault = service.faults.add({ key, endpoint: "createPage", status: 500, times: 1 });
  await send(service, "POST", "/api/content", { key, body: somePage, headers: { "Idempotency-Key": "one" } });
  await send(service, "GET", "/api/content", { key: "test_other" });
  expect(await events.next()).toMatchObject({
    name: "requests",
    data: [{ endpoint: "createPage", status: 500, fault: fault.id, idempotencyKey: "one" }],
  });

  service.account(key).reset();
  expect(await events.next()).toEqual({ name: "journal", data: [] });
  await events.close();
});

test("an attempt counts all before it with the same key, whatever the filter lets pass", async () => {
  const headers = { "Idempotency-Key": "retried" };
  const key = "test_attempts_of_one";
  service.faults.add({ key, endpoint: "createPage", status: 503, times: 2 });
  for (let attempt = 1; attempt <= 3; attempt += 1)
    await send(service, "POST", "/api/content", { key, body: somePage, headers });
  const events = await watch({ key, status: 201 });
  const journal = await events.next();
  await send(service, "POST", "/api/content", { key: "test_attempts_of_two", body: somePage, headers });
  await send(service, "POST", "/api/content", { key, body: somePage, headers });
  const next = await events.next();
  await events.close();
  const [first] = service.requests({ key });
  const found = await (await fetch(`${server.url}/__mock/requests/${first?.id}`)).json();

  expect(journal?.data).toMatchObject([{ status: 201, attempt: 3, account: key }]);
  expect(next?.data).toMatchObject([{ status: 201, attempt: 4, account: key }]);
  expect(found).toMatchObject({ status: 503, attempt: 1 });
  expect(JSON.stringify(found)).not.toContain(key);
});

test("a wrong filter is refused with the nearest field", async () => {
  const answer = await fetch(`${server.url}/__mock/requests/live?match=${encodeURIComponent('{"stauts":500}')}`);

  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('did you mean \\"status\\"');
});

test("if curl removed the braces of a match, the error says how to keep them", async () => {
  const match = encodeURIComponent('"key":"test_demo"');

  const answer = await fetch(`${server.url}/__mock/requests/live?match=${match}`);

  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("it came without its braces: pass -g to curl");
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

  for (let index = 0; index < 500; index += 1) await send(service, "GET", "/api/content", { key });
  const ids: string[] = [];
  while (ids.length < 500) ids.push(...((await events.next())?.data.map(({ id }) => id) ?? ["the stream ended"]));
  await events.close();

  expect(ids).toEqual(service.requests({ key }).map(({ id }) => id));
});

test("accounts are listed with what they hold, and an account of its own is named by its id", async () => {
  const owned = createMockService({ accounts: [{ id: "shop", keys: ["shop-key"], plan: "free" }] });
  const other = await listen(owned, { control: true });
  await create(owned, {}, "shop-key");
  await create(owned, {}, "test_a");

  const listed = await (await fetch(`${other.url}/__mock/accounts`)).json();
  const pages = await (await fetch(`${other.url}/__mock/pages?key=shop`)).json();
  await other.close();

  expect(listed).toMatchObject({
    data: [
      { account: "shop", pages: 1, events: 0, rateLimit: { limit: 60, remaining: 59 } },
      { account: "test_a", pages: 1 },
    ],
  });
  expect(pages).toMatchObject({ data: [{ slug: "red-shoes" }] });
  expect(owned.account("shop").clientOptions.apiKey).toBe("shop-key");
  expect((await send(owned, "GET", "/api/content", { key: "shop" })).status).toBe(401);
});

interface LiveEvent {
  name: string;
  data: { id: string }[];
}

async function watch(match: object, url = server.url) {
  const answer = await fetch(`${url}/__mock/requests/live?match=${encodeURIComponent(JSON.stringify(match))}`);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async next(): Promise<LiveEvent | undefined> {
      while (!text.includes("\n\n")) {
        const { value } = (await reader?.read()) ?? {};
        if (value === undefined) return undefined;
        text += value;
      }
      const end = text.indexOf("\n\n");
      const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      return { name, data: JSON.parse(data) as LiveEvent["data"] }; // why: the row says so
    },
    close: async () => reader?.cancel(),
  };
}

/** Asks with headers that `fetch` would not send. */
function statusWith(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest(server.url + path, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

/** What a browser says of a request that a page on another site makes. */
function from(mode: string, dest: string): Record<string, string> {
  return { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest };
}
