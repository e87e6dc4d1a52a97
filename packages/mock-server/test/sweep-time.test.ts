import { AsyncLocalStorage } from "node:async_hooks";
import { scrypt } from "node:crypto";
import { expect, test, vi } from "vitest";
import { type Flow, sweep, type SweptAccount } from "../src/sweep.ts";
import { careful, pause } from "./careful-client.ts";

const realTimeout = globalThis.setTimeout;
const few = { dialects: [], maxVirtualMs: 30_000 };

test.each<[string, Flow]>([
  [
    "asks again and again without a pause",
    async ({ clientOptions: { apiKey, baseUrl, fetch } }) => {
      const headers = { Authorization: `Bearer ${apiKey}` };
      while (!(await fetch(`${baseUrl}/api/content`, { headers })).ok);
    },
  ],
  [
    "waits in busy circles for what never comes",
    async (mock) => {
      const done = { isDone: false };
      void list(mock).then(() => (done.isDone = true), nothing);
      while (!done.isDone) await Promise.race([pause(10), new Promise((resolve) => setImmediate(resolve))]);
    },
  ],
  [
    "polls on an interval",
    async (mock) => {
      let isDone = false;
      void list(mock).then(() => (isDone = true), nothing);
      await new Promise<void>((resolve) => {
        const interval = setInterval(() => {
          if (!isDone) return;
          clearInterval(interval);
          resolve();
        }, 50);
      });
    },
  ],
])("a flow that %s is reported as hanging, and does not hang the sweep", async (_title, flow) => {
  // A sample with a response that never comes, a connection that breaks and a key that is refused.
  const sample = { maxRuns: 4, seed: 219 };
  const report = await sweep(flow, { ...few, ...sample, maxVirtualMs: 8_000, mockOptions: { latencyMs: 0 } });

  expect(report.causes.map(({ kind, calls }) => `${kind} ${calls}`)).toContain("hang listPages #1");
});

test("work that shows nowhere is waited for: threads, dynamic imports, a burst of turns", async () => {
  const report = await sweep(
    async (mock) => {
      await new Promise((resolve) => scrypt("tea", "salt", 32, { N: 2 ** 12 }, resolve));
      const { createHash } = await import("node:crypto");
      const slug = createHash("sha256").update("tea").digest("hex").slice(0, 8);
      for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const id = await careful(mock).create(slug);
      await new Blob([id]).text();
      await careful(mock).track(id);
    },
    { ...few, maxRuns: 2 },
  );

  expect(report.requests).toHaveLength(2);
  expect(report.findings, String(report)).toEqual([]);
});

test("what a flow leaves running is given a while, and then the run is over", async () => {
  let ticks = 0;
  const report = await sweep(
    async (mock) => {
      setInterval(() => (ticks += 1), 20);
      await careful(mock).list();
    },
    { ...few, maxRuns: 1 },
  );

  expect(report.findings).toEqual([]);
  expect(ticks).toBeGreaterThan(0);
});

test("the error about a flow that waits for a timer from before the sweep says why it never ends", async () => {
  await expect(sweep(waitsForRealTimer, few)).rejects.toThrow(/never ends.*a timer that was taken before the sweep/);
});

test("sweeps that begin at the same time run one after the other, and leave the process as it was", async () => {
  const listeners = process.listeners("unhandledRejection");
  const unhandled: Flow = async (mock) => {
    void list(mock).then(({ ok }) => (ok ? undefined : Promise.reject(new RangeError())));
    await list(mock);
  };

  const reports = await Promise.all([sweep(unhandled, few), sweep(list, few), sweep(unhandled, few)]);

  expect(reports.map(({ causes }) => causes.some(({ kind }) => kind === "unhandled"))).toEqual([true, false, true]);
  expect(String(reports[2])).toBe(String(reports[0]));
  expect(process.listeners("unhandledRejection")).toEqual(listeners);
});

test("fake timers that are installed already are refused, and stay", async () => {
  vi.useFakeTimers();
  const { setTimeout } = globalThis;

  await expect(sweep(list, few)).rejects.toThrow("sweep: fake timers are installed");

  expect(globalThis.setTimeout).toBe(setTimeout);
  vi.useRealTimers();
});

test("a timer's callback keeps its asynchronous context", async () => {
  const user = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const report = await sweep(
    async (mock) => {
      await user.run(
        "ada",
        () => new Promise<void>((resolve) => setTimeout(() => resolve(void seen.push(user.getStore())), 50)),
      );
      await list(mock);
    },
    { ...few, maxRuns: 1 },
  );

  expect(report.findings).toEqual([]);
  expect(new Set(seen)).toEqual(new Set(["ada"]));
});

test("a machine under load changes nothing in a report", async () => {
  const options = { pairs: 10, seed: 3, maxRuns: 8 };
  const quiet = await sweep(twoOfEach, options);
  const load = realInterval(() => {
    const untilMs = realNow() + 3;
    while (realNow() < untilMs);
  });
  const loaded = await sweep(twoOfEach, options);
  clearInterval(load);

  expect(quiet.findings.length).toBeGreaterThan(0);
  expect(JSON.stringify(loaded)).toBe(JSON.stringify(quiet));
});

const realNow = performance.now.bind(performance);
const realInterval = (callback: () => void) => setInterval(callback, 9);
const nothing = (): undefined => undefined;

const list = ({ clientOptions: { apiKey, baseUrl, fetch } }: SweptAccount): Promise<Response> =>
  fetch(`${baseUrl}/api/content`, { headers: { Authorization: `Bearer ${apiKey}` } });

const waitsForRealTimer: Flow = async (mock) => {
  await new Promise((resolve) => realTimeout(resolve, 600_000).unref());
  await list(mock);
};

const twoOfEach: Flow = async (mock) => {
  const { create, track } = careful(mock);
  const ids = await Promise.all([create("one"), create("two")]);
  await Promise.race([track(ids[0] ?? ""), pause(3_000)]);
  await Promise.allSettled(ids.map((id) => track(id, "end")));
};
