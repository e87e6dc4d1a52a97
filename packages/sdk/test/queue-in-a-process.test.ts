// How a queue affects its process: async context, timers, memory, and when the process ends.
import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { LandingPages, type QueuedEvent } from "../src/index.ts";
import { setUpQueue, taken } from "./queue-bench.ts";

test("each event, probe and callback runs in the async context of its own push", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("one", "two", "three"), { minLength: 1, maxLength: 20 }),
      fc.array(fc.constantFrom(202, 429, 500, 400), { maxLength: 20 }),
      fc.integer({ min: 1, max: 3 }),
      async (tenants, statuses, concurrency) => {
        const tenant = new AsyncLocalStorage<string>();
        const seen: string[] = [];
        const note = (pageId: string) => void seen.push(`${pageId} ${tenant.getStore()}`);
        const { queue } = setUpQueue(
          (pageId) => {
            note(pageId);
            return { status: statuses.shift() ?? 202 };
          },
          { concurrency, onLost: ({ pageId }) => note(pageId) },
          { apiKey: async () => tenant.getStore() ?? "test_nobody" },
        );

        for (const name of tenants) tenant.run(name, () => queue.push({ pageId: name }));
        await queue.flush();

        expect(seen.length).toBeGreaterThanOrEqual(tenants.length);
        expect(seen.filter((line) => new Set(line.split(" ")).size > 1)).toEqual([]);
      },
    ),
  ));

test("an onLost that pushes is called in a later turn, and does not loop for ever", async () => {
  const onLost = (event: QueuedEvent) => void bench.queue.push(event);
  const bench = setUpQueue(() => taken, { capacity: 2, onLost });

  bench.pushAll(10);
  const lostWhilePushing = bench.losses.length;
  await bench.queue.close();
  bench.queue.push({ pageId: "pg_late" });
  await bench.queue.close();

  expect([lostWhilePushing, bench.losses.length]).toEqual([0, 9]);
  expect(bench.isBalanced()).toBe(true);
  expect(bench.queue.counts.pending).toBe(0);
});

const event = (pageId: string, length: number) => ({ pageId, properties: { text: "é".repeat(length) } });

test("a queue keeps no more bytes than capacityBytes, 4 MiB by default, and reports what it drops", async () => {
  const { queue, losses } = setUpQueue(() => taken, { capacityBytes: 1000 });
  const usual = setUpQueue(() => taken).queue;

  const isTaken = [event("a", 300), event("b", 300), event("c", 10), event("d", 600)].map((each) => queue.push(each));
  await queue.flush();
  isTaken.push(queue.push(event("e", 200)));

  expect(isTaken).toEqual([true, false, true, false, true]);
  expect(losses.map(([{ pageId }, { kind }]) => `${pageId} ${kind}`)).toEqual(["b full", "d full"]);
  expect([1.9, 0.2].map((mebi) => usual.push(event("a", mebi * 1024 * 1024)))).toEqual([true, false]);
});

test.each(["timeoutMs", "signal"])("a flush that its %s ends returns false, and loses nothing", async (option) => {
  const aborter = new AbortController();
  let isDown = true;
  const { queue, time, losses } = setUpQueue(() => (isDown ? { status: 503 } : taken));
  queue.push({ pageId: "pg_1" });

  const flushed = queue.flush(option === "signal" ? { signal: aborter.signal } : { timeoutMs: 5000 });
  await time.sleep(5000, undefined);
  aborter.abort();
  const isDelivered = await flushed;
  const { pending } = queue.counts;
  isDown = false;

  expect([isDelivered, pending]).toEqual([false, 1]);
  await expect(queue.flush({ timeoutMs: 3_600_000 })).resolves.toBe(true);
  expect(losses).toEqual([]);
  expect(time.sleeping()).toBe(0);
});

test("a queue without pending events keeps no timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { queue, pushAll } = setUpQueue(() => taken);

  pushAll(3);
  await queue.flush();

  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const acceptGood = async (_url: string, { body = "" }) =>
  new Response(null, { status: body.includes("good") ? 204 : 404 });

test("a queue sends events and reports losses while all timers are faked", async () => {
  vi.useFakeTimers({ toFake: ["nextTick", "queueMicrotask", "setImmediate", "setTimeout", "setInterval"] });
  const lost: unknown[] = [];
  const client = new LandingPages({ apiKey: "test_key", baseUrl: "https://service.example", fetch: acceptGood });
  const queue = client.analytics.queue({ onLost: ({ pageId }, { kind }) => lost.push([pageId, kind]) });
  for (const pageId of ["good", "bad"]) queue.push({ pageId });

  const isDelivered = await queue.flush();
  await queue.close();
  queue.push({ pageId: "good" });
  await queue.close();
  vi.useRealTimers();

  expect(isDelivered).toBe(false);
  expect(lost).toEqual([
    ["bad", "failed"],
    ["good", "closed"],
  ]);
});

// Shortens the half minute for which pending events keep the process alive.
const script = `
  import { LandingPages } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
  const { setTimeout: start } = globalThis;
  globalThis.setTimeout = (callback, ms, ...rest) => start(callback, ms === 30_000 ? 500 : ms, ...rest);
  const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  const client = new LandingPages({ apiKey: "test_key", baseUrl: "http://127.0.0.1:9999", fetch });
  const queue = client.analytics.queue({ onLost: ({ pageId }, { kind }) => console.log(pageId, kind, queue.counts.pending) });
  const pushedAtMs = performance.now();
  process.once("exit", () => console.log(performance.now() - pushedAtMs > 490));
  queue.push({ pageId: "pg_1" });
  console.log(await queue.flush({ timeoutMs: 200 }));
`;

test("a flush and a pending event keep the process alive, and a script that ends while the service is down reports the event", async () => {
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { timeout: 60_000 });

  expect((await run).stdout.trim().split("\n")).toEqual(["false", "pg_1 timeout 0", "true"]);
});
