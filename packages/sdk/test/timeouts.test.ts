import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type ClientOptions, LandingPages } from "../src/index.ts";
import { failureOf, json, never, outcomeOf, scripted, somePage, status } from "./setup.ts";

afterEach(() => vi.useRealTimers());

test.each<[string, ClientOptions, boolean, string]>([
  ["a key that never comes", { apiKey: never }, false, ", waiting for the function passed as `apiKey`"],
  ["a hook before the request", { hooks: { beforeRequest: [never] } }, false, ", waiting for a hook"],
  ["a hook after the response", { hooks: { afterResponse: [never] } }, true, ", waiting for a hook"],
  ["a response that never comes", { fetch: never }, true, "; the service may have carried it out"],
])("%s counts against timeoutMs, and the error names it", async (_title, options, isSent, waitedFor) => {
  const { client } = scripted([json([])], { ...options, timeoutMs: 10, retry: false });

  const error = await failureOf(client.pages.create(somePage));

  const message = `Create page failed: no complete response within 10 ms${waitedFor}`;
  const facts = { name: "TimeoutError", limit: "timeoutMs", mayHaveBeenApplied: isSent };
  expect(error).toMatchObject({ ...facts, message: expect.stringContaining(message) });
});

test.each([
  [1, "one of maxInFlight requests to end"],
  [64, "its turn at the rate limit"],
])("with maxInFlight %i, a call that waits behind hanging ones ends with an error that says so", async (...row) => {
  const [maxInFlight, waitedFor] = row;
  const { client } = scripted([never], { maxInFlight });
  const { signal } = new AbortController();
  for (let call = 0; call < 4; call += 1) void failureOf(client.pages.list({}, { signal }));

  const error = await failureOf(client.pages.list({}, { totalTimeoutMs: 10 }));

  const message = `List pages failed: not done within totalTimeoutMs, 10 ms, waiting for ${waitedFor}`;
  const facts = { name: "TimeoutError", limit: "totalTimeoutMs", attempts: [], mayHaveBeenApplied: false };
  expect(error).toMatchObject({ ...facts, message });
});

const stalled = (code: number) => () => new Response(new ReadableStream({}), { status: code });

test.each<[string, number, (client: LandingPages) => Promise<unknown>, string | undefined]>([
  ["track", 202, (client) => client.analytics.track({ pageId: "pg_1" }), undefined],
  ["delete", 200, (client) => client.pages.delete("pg_1"), undefined],
  ["delete", 404, (client) => client.pages.delete("pg_1"), "NotFoundError"],
  ["create", 400, (client) => client.pages.create(somePage), "BadRequestError"],
])("a body that nobody needs gets a second or timeoutMs, and no more: %s, %i", async (_title, code, call, expected) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { client } = scripted([stalled(code)], { retry: false });
  const outcomes = [client, client.withOptions({ timeoutMs: 500 })].map((each) => outcomeOf(call(each)));

  await vi.advanceTimersByTimeAsync(1001);

  expect(await Promise.all(outcomes)).toEqual([expected, expected]);
});

test("setting the wall clock while a call waits changes no wait", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const waits: number[] = [];
  const sleep = async (delayMs: number) => {
    waits.push(delayMs);
    vi.setSystemTime(Date.now() + (waits.length % 2 === 0 ? 3_600_000 : -3_600_000));
  };
  const responses = [status(503), status(429, { "Retry-After": "30" }), json([])];
  const { client } = scripted(responses, { now: undefined, sleep });

  const { attempts } = await client.pages.list().withResponse();

  expect(attempts.map((attempt) => attempt.status)).toEqual([503, 429, 200]);
  expect(attempts.every(({ durationMs }) => durationMs < 60_000)).toBe(true);
  expect(waits.every((delayMs) => delayMs < 40_000)).toBe(true);
});

const fakes = ["queueMicrotask", "setImmediate", "setInterval", "performance", "Date"] as const;

test.each(fakes)("a test that fakes %s does not hang a call", async (name) => {
  vi.useFakeTimers({ toFake: [name] });
  const responses = [status(503)];
  const fetch = async () => responses.shift() ?? status(204); // without a body, which undici reads by `queueMicrotask`
  const options = { apiKey: "k", baseUrl: "https://service.example", fetch, retry: { baseDelayMs: 1 } };

  expect((await new LandingPages(options).pages.list()).data).toEqual([]);
});

describe("in a process that was busy", () => {
  const list = gzipSync(JSON.stringify({ data: [{ ...somePage, id: "pg_1" }] }));
  let busyMs = 0;
  // It responds and then keeps the process busy, so timers are late when the client can read the response.
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.url?.includes("hung")) return;
      if (request.method === "GET") response.writeHead(200, { "Content-Encoding": "gzip" }).end(list);
      else response.writeHead(201).end(JSON.stringify({ id: "pg_1" }));
      const untilMs = performance.now() + busyMs;
      while (performance.now() < untilMs);
    });
  });
  let client: LandingPages;

  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo; // why: it listens on TCP
    client = new LandingPages({ apiKey: "test_busy", baseUrl: `http://127.0.0.1:${port}`, retry: false });
  });
  beforeEach(async () => {
    busyMs = 0;
    await Promise.all([1, 2].map(() => client.pages.create(somePage))); // opens two connections
    busyMs = 400;
  });
  afterAll(() => void server.close());

  test.each<[string, (from: LandingPages) => Promise<unknown>, unknown]>([
    ["a create", ({ pages }) => pages.create(somePage), { ...somePage, id: "pg_1", domains: [] }],
    ["a compressed list", ({ pages }) => pages.list().then(({ data }) => data.length), 1],
  ])("%s whose response came meanwhile is no timeout", async (_title, call, expected) => {
    for (const totalTimeoutMs of [undefined, 200])
      expect(await call(client.withOptions({ timeoutMs: 300, totalTimeoutMs }))).toEqual(expected);
  });

  test("a call without a response times out", async () => {
    const limited = client.withOptions({ timeoutMs: 200 });
    const hung = failureOf(limited.pages.list({ filters: { slug: "hung" } }));

    expect(await limited.pages.create(somePage)).toMatchObject({ id: "pg_1" });
    expect(await hung).toMatchObject({ name: "TimeoutError", limit: "timeoutMs" });
  });

  test.each(["close", "drain"] as const)("%s still delivers events whose responses arrived meanwhile", async (end) => {
    const queue = client.analytics.queue();
    queue.push({ pageId: "pg_1" });
    await nextTurn();

    await queue[end]({ timeoutMs: 200 });

    expect(queue.counts).toMatchObject({ delivered: 1, failed: 0, dropped: 0 });
  });
});
