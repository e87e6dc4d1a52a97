import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LandingPages } from "../src/index.ts";
import { failureOf, somePage } from "./setup.ts";

// A service in a thread of its own, which answers while this one is busy.
const work = `
  const { createServer } = require("node:http");
  const { parentPort, workerData: { answered, held, list } } = require("node:worker_threads");
  createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.url === "/api/content?slug=hung") return;
      Atomics.wait(held, 0, 1);
      const isList = request.method === "GET";
      response.writeHead(isList ? 200 : 201, { "Content-Type": "application/json", ...(isList && { "Content-Encoding": "gzip" }) });
      response.end(isList ? list : JSON.stringify({ id: "pg_1" }));
      Atomics.add(answered, 0, 1);
      Atomics.notify(answered, 0);
    });
  }).listen(0, "127.0.0.1", function () { parentPort.postMessage(this.address().port) });
`;

const pages = Array.from({ length: 2000 }, (_, index) => ({ ...somePage, id: `pg_${index}`, slug: `shoes-${index}` }));
const answered = new Int32Array(new SharedArrayBuffer(4));
const held = new Int32Array(new SharedArrayBuffer(4));
let worker: Worker;
let baseUrl: string;

beforeAll(async () => {
  const list = gzipSync(JSON.stringify({ data: pages }));
  worker = new Worker(work, { eval: true, workerData: { answered, held, list } });
  const port = await new Promise((resolve) => worker.once("message", resolve));
  baseUrl = `http://127.0.0.1:${String(port)}`;
});
afterAll(() => worker.terminate());

/** Asks for something, and keeps this thread busy until the service has answered and so much time has passed. */
async function askAndBeBusy<Value>(ask: () => Value, ms: number): Promise<Value> {
  const before = answered[0] ?? 0;
  Atomics.store(held, 0, 1);
  const asked = ask();
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  const beganMs = performance.now();
  Atomics.store(held, 0, 0);
  Atomics.notify(held, 0);
  Atomics.wait(answered, 0, before, 5000);
  while (performance.now() < beganMs + ms);
  return asked;
}

test.each([
  ["a create", (client: LandingPages) => client.pages.create(somePage), { ...somePage, id: "pg_1", domains: [] }],
  ["a list, compressed", (client: LandingPages) => client.pages.list().then(({ data }) => data.length), 2000],
  ["a write that says nothing", (client: LandingPages) => client.analytics.track({ pageId: "pg_1" }), undefined],
])("%s that was answered while the process was busy is no timeout", async (_title, call, expected) => {
  const client = new LandingPages({ apiKey: "test_busy", baseUrl, timeoutMs: 300, retry: false });
  await client.pages.create(somePage); // a connection

  for (const totalTimeoutMs of [undefined, 200]) {
    const [result] = await askAndBeBusy(() => [call(client.withOptions({ totalTimeoutMs }))], 400);

    await expect(result).resolves.toEqual(expected);
  }
});

test("a response that has not come is a timeout, however busy the process was", async () => {
  const client = new LandingPages({ apiKey: "test_busy", baseUrl, timeoutMs: 100, retry: false });
  await client.pages.create(somePage);
  const ask = () => ({
    hung: failureOf(client.pages.list({ filters: { slug: "hung" } })),
    other: client.pages.create(somePage),
  });

  const { hung, other } = await askAndBeBusy(ask, 200);

  expect(await hung).toMatchObject({ name: "TimeoutError", limit: "timeoutMs" });
  expect(await other).toMatchObject({ id: "pg_1" });
});

test.each(["close", "drain"] as const)(
  "events that were answered while the process was busy are delivered when the time to %s is over",
  async (end) => {
    const client = new LandingPages({ apiKey: "test_busy", baseUrl });
    await client.pages.create(somePage);
    const queue = client.analytics.queue();
    const ask = () => {
      queue.push({ pageId: "pg_1" });
      return [nextTurn().then(async () => void (await queue[end]({ timeoutMs: 20 })))];
    };

    await Promise.all(await askAndBeBusy(ask, 60));

    expect(queue.counts).toMatchObject({ delivered: 1, failed: 0, dropped: 0 });
  },
);
