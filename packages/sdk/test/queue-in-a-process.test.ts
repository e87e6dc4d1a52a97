// How a queue affects its process: async context, timers, memory, and when the process ends.
import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { isBalanced, setUpQueue, taken } from "./queue-bench.ts";

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
  let calls = 0;
  const { queue } = setUpQueue(() => taken, {
    capacity: 2,
    onLost: (event) => {
      calls += 1;
      queue.push(event);
    },
  });

  for (let index = 0; index < 10; index += 1) queue.push({ pageId: `pg_${index}` });
  const callsWhilePushing = calls;
  await queue.close();
  queue.push({ pageId: "pg_late" });
  await queue.close();

  expect([callsWhilePushing, calls]).toEqual([0, 9]);
  expect(isBalanced({ queue })).toBe(true);
  expect(queue.counts.pending).toBe(0);
});

const event = (pageId: string, length: number) => ({ pageId, properties: { text: "é".repeat(length) } });

test("a queue keeps no more bytes than capacityBytes, and reports what it drops", async () => {
  const { queue, losses } = setUpQueue(() => taken, { capacityBytes: 1000 });

  const first = [event("a", 300), event("b", 300), event("c", 10), event("d", 600)].map((each) => queue.push(each));
  await queue.flush();
  const later = [event("e", 200), event("f", 600)].map((each) => queue.push(each));
  await queue.close();

  expect([first, later]).toEqual([
    [true, false, true, false],
    [true, false],
  ]);
  expect(losses.map(([{ pageId }, { kind }]) => `${pageId} ${kind}`)).toEqual(["b full", "d full", "f full"]);
});

test("by default, 4 MiB of events may wait", async () => {
  const { queue } = setUpQueue(() => taken, { capacity: 10_000 });
  const properties = { text: "x".repeat(60_000) };

  let count = 0;
  while (queue.push({ pageId: "pg_1", properties })) count += 1;

  expect(count * 60_000).toBeGreaterThan(3.9 * 1024 * 1024);
  expect(count * 60_000).toBeLessThan(4 * 1024 * 1024);
  await queue.close();
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

const source = JSON.stringify(new URL("../src/index.ts", import.meta.url).href);
const refused = `throw Object.assign(new TypeError("fetch failed"), {
  cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" }),
});`;

// Shortens the half minute for which pending events keep the process alive.
const program = (respond: string, script: string) => `
  import { LandingPages } from ${source};
  const { setTimeout: start } = globalThis;
  globalThis.setTimeout = (callback, ms, ...rest) => start(callback, ms === 30_000 ? 50 : ms, ...rest);
  const fetch = async (_url, { body }) => { ${respond} };
  const client = new LandingPages({ apiKey: "test_key", baseUrl: "http://127.0.0.1:9999", fetch });
  const queue = client.analytics.queue({ onLost: ({ pageId }, { kind }) => console.log(pageId, kind, queue.counts.pending) });
  ${script}
`;

const timers = "queueMicrotask setImmediate setTimeout setInterval clearTimeout clearInterval".split(" ");

test.each([
  [
    "a flush that waits keeps the process alive, and a script that ends while the service is down reports the event",
    program(refused, 'queue.push({ pageId: "pg_1" }); console.log(await queue.flush({ timeoutMs: 200 }));'),
    ["false", "pg_1 timeout 0"],
  ],
  [
    `a queue sends events and reports losses while nextTick, ${timers.join(", ")} do nothing`,
    program(
      'return new Response(null, { status: body.includes("good") ? 204 : 404 });',
      `process.nextTick = () => {};
      for (const name of ${JSON.stringify(timers)}) globalThis[name] = () => ({});
      for (const pageId of ["good", "bad"]) queue.push({ pageId });
      console.log(await queue.flush());
      await queue.close();
      queue.push({ pageId: "good" });
      await queue.close();`,
    ),
    ["bad failed 0", "false", "good closed 0"],
  ],
])("%s", async (_title, script, lines) => {
  const run = promisify(execFile);

  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { timeout: 60_000 });

  expect(stdout.trim().split("\n")).toEqual(lines);
});
