import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type ClientOptions, LandingPages } from "../src/index.ts";
import { failureOf, json, never, scripted, somePage, status } from "./setup.ts";

afterEach(() => vi.useRealTimers());

test.each<[string, ClientOptions, boolean, string]>([
  ["a key that never comes", { apiKey: never }, false, ", waiting for the function passed as `apiKey`"],
  ["a hook before the request", { hooks: { beforeRequest: [never] } }, false, ", waiting for a hook"],
  ["a hook after the response", { hooks: { afterResponse: [never] } }, true, ", waiting for a hook"],
  ["a response that never comes", { fetch: never }, true, ""],
])("%s counts against timeoutMs, and the error names it", async (_title, options, isSent, waitedFor) => {
  const { client } = scripted([json([])], { ...options, timeoutMs: 10, retry: false });
  const tail = isSent ? "; the service may have carried it out" : "";

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ name: "TimeoutError", limit: "timeoutMs", mayHaveBeenApplied: isSent });
  expect(String(error)).toBe(`TimeoutError: Create page failed: no complete response within 10 ms${waitedFor}${tail}`);
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

  const expected = { name: "TimeoutError", limit: "totalTimeoutMs", attempts: [], mayHaveBeenApplied: false };
  expect(error).toMatchObject(expected);
  expect(String(error)).toBe(
    `TimeoutError: List pages failed: not done within totalTimeoutMs, 10 ms, waiting for ${waitedFor}`,
  );
});

const stalled = (code: number) => () => new Response(new ReadableStream({}), { status: code });

test.each<[string, number, (client: LandingPages) => Promise<unknown>, string]>([
  ["track", 202, (client) => client.analytics.track({ pageId: "pg_1" }), "done"],
  ["delete", 200, (client) => client.pages.delete("pg_1"), "done"],
  ["delete", 404, (client) => client.pages.delete("pg_1"), "NotFoundError"],
  ["create", 400, (client) => client.pages.create(somePage), "BadRequestError"],
])("a body that nobody needs gets a second and no more: %s, %i", async (_title, code, call, expected) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { client } = scripted([stalled(code)], { retry: false });
  const outcome = call(client).then(
    () => "done",
    (error: Error) => error.name,
  );

  await vi.advanceTimersByTimeAsync(1001);

  expect(await outcome).toBe(expected);
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

test.each(["queueMicrotask", "setImmediate", "setInterval", "performance", "Date"] as const)(
  "a test that fakes %s does not hang a call",
  async (name) => {
    vi.useFakeTimers({ toFake: [name] });
    const empty = { status: 200, headers: new Headers(), text: async () => "[]" } as Response; // why: undici's own Response needs queueMicrotask
    const responses = [status(503), empty];
    const fetch = async () => responses.shift() ?? empty;
    const options = { apiKey: "k", baseUrl: "https://service.example", fetch, retry: { baseDelayMs: 1 } };

    expect((await new LandingPages(options).pages.list()).data).toEqual([]);
  },
);

describe("in a process that was busy", () => {
  /** A service in a thread of its own, which responds while this thread is busy. */
  const work = `
    const { createServer } = require("node:http");
    const { parentPort, workerData: { responded, held, list } } = require("node:worker_threads");
    createServer((request, response) => {
      request.resume().on("end", () => {
        if (request.url === "/api/content?slug=hung") return;
        Atomics.wait(held, 0, 1);
        const isList = request.method === "GET";
        response.writeHead(isList ? 200 : 201, { "Content-Type": "application/json", ...(isList && { "Content-Encoding": "gzip" }) });
        response.end(isList ? list : JSON.stringify({ id: "pg_1" }));
        Atomics.add(responded, 0, 1);
        Atomics.notify(responded, 0);
      });
    }).listen(0, "127.0.0.1", function () { parentPort.postMessage(this.address().port) });
  `;
  const pages = Array.from({ length: 2000 }, (_, index) => ({ ...somePage, id: `pg_${index}` }));
  const responded = new Int32Array(new SharedArrayBuffer(4));
  const held = new Int32Array(new SharedArrayBuffer(4));
  let worker: Worker;
  let client: LandingPages;

  beforeAll(async () => {
    const list = gzipSync(JSON.stringify({ data: pages }));
    worker = new Worker(work, { eval: true, workerData: { responded, held, list } });
    const port = String(await new Promise((resolve) => worker.once("message", resolve)));
    client = new LandingPages({ apiKey: "test_busy", baseUrl: `http://127.0.0.1:${port}`, retry: false });
  });
  beforeEach(() => client.pages.create(somePage)); // opens a connection
  afterAll(() => worker.terminate());

  /** Starts an action, and keeps this thread busy until the service has responded and some time has passed. */
  async function beginAndBeBusy<Value>(begin: () => Value, ms: number): Promise<Value> {
    const before = responded[0] ?? 0;
    Atomics.store(held, 0, 1);
    const begun = begin();
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    const beganMs = performance.now();
    Atomics.store(held, 0, 0);
    Atomics.notify(held, 0);
    Atomics.wait(responded, 0, before, 5000);
    while (performance.now() < beganMs + ms);
    return begun;
  }

  test.each<[string, (from: LandingPages) => Promise<unknown>, unknown]>([
    ["a create", ({ pages }) => pages.create(somePage), { ...somePage, id: "pg_1", domains: [] }],
    ["a compressed list", ({ pages }) => pages.list().then(({ data }) => data.length), 2000],
  ])("%s whose response came meanwhile is no timeout", async (_title, call, expected) => {
    for (const totalTimeoutMs of [undefined, 200]) {
      const limited = client.withOptions({ timeoutMs: 300, totalTimeoutMs });
      const [result] = await beginAndBeBusy(() => [call(limited)], 400);

      await expect(result).resolves.toEqual(expected);
    }
  });

  test("a call without a response times out", async () => {
    const limited = client.withOptions({ timeoutMs: 100 });
    const { hung, other } = await beginAndBeBusy(
      () => ({
        hung: failureOf(limited.pages.list({ filters: { slug: "hung" } })),
        other: limited.pages.create(somePage),
      }),
      200,
    );

    expect(await hung).toMatchObject({ name: "TimeoutError", limit: "timeoutMs" });
    expect(await other).toMatchObject({ id: "pg_1" });
  });

  test.each(["close", "drain"] as const)(
    "%s still delivers events whose responses arrived while the process was busy",
    async (end) => {
      const queue = client.analytics.queue();

      const [ended] = await beginAndBeBusy(() => {
        queue.push({ pageId: "pg_1" });
        return [nextTurn().then(async () => void (await queue[end]({ timeoutMs: 20 })))];
      }, 200);
      await ended;

      expect(queue.counts).toMatchObject({ delivered: 1, failed: 0, dropped: 0 });
    },
  );
});
