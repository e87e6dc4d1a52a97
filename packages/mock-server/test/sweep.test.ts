import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID, scrypt } from "node:crypto";
import { scheduler, setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { assertSurvives } from "../src/assert.ts";
import { type Flow, sweep, type SweptAccount } from "../src/sweep.ts";
import "../src/vitest.ts";
import { careful, fields, list, pause, send } from "./careful-client.ts";

const realTimeout = globalThis.setTimeout;
const realInterval = globalThis.setInterval;
const realNow = performance.now.bind(performance);
const referenceOnly = { dialects: [] };
const oneRun = { dialects: [], maxRuns: 1 };

/** Retries a create under another key after any error. */
const retriesBlindly: Flow = (mock) => careful(mock, { keyOf: (key, attempt) => `${key}${attempt}` }).create("tea");

/** Replaces a page and ignores whether the old one could be deleted. */
const swallowsDelete: Flow = async (mock) => {
  const { create, remove } = careful(mock);
  await remove(await create("old")).catch(nothing);
};

/** Does not handle the rejection of its second call. */
const leavesRejection: Flow = async (mock) => {
  const first = list(mock);
  void list(mock).then(({ ok }) => (ok ? undefined : Promise.reject(new RangeError("nobody handles this"))));
  await first;
};

/** The globals that a sweep replaces. */
const readGlobals = () => [
  globalThis.setTimeout,
  globalThis.Date,
  Object.getOwnPropertyDescriptor(AbortSignal, "timeout")?.value,
  Object.hasOwn(performance, "now"),
  process.listeners("unhandledRejection"),
];

test("a bug has one cause, with its faults and the rules that reproduce it; a correct app survives", async () => {
  const found = await sweep(retriesBlindly);
  const clean = await sweep((mock) => careful(mock).create("tea"));

  expect(found.causes, String(found)).toMatchObject([
    {
      kind: "twice",
      isReported: false,
      what: 'page "tea"',
      calls: "createPage #1",
      faults: ["lost: 500 after the work"],
      reproduce: 'mock.faults.add({ endpoint: "createPage", skip: 0, status: 500, when: "after", times: 1 });',
    },
  ]);
  expect(found).not.toSurvive();
  expect(clean.findings, String(clean)).toEqual([]);
  expect(clean).toSurvive();

  await sweep(async (mock) => {
    for (const rule of found.findings[0]?.rules ?? []) mock.faults.add(rule);
    await retriesBlindly(mock);
    expect(mock.pages).toHaveLength(2);
  }, oneRun);
});

test("the same seed gives the same report byte for byte, also on a busy machine; another seed gives another", async () => {
  const options = { pairs: 40, seed: 7, maxRuns: 15 };
  const one = await sweep(sendsAtOnce, options);
  const load = realInterval(() => {
    const untilMs = realNow() + 3;
    while (realNow() < untilMs);
  }, 9);
  const again = await sweep(sendsAtOnce, options).finally(() => clearInterval(load));
  const other = await sweep(sendsAtOnce, { ...options, seed: 8 });

  expect(one.runs).toBe(15);
  expect(one.skipped).toBeGreaterThan(0);
  expect(one.findings.length).toBeGreaterThan(0);
  expect(String(again)).toBe(String(one));
  expect(JSON.stringify(again)).toBe(JSON.stringify(one));
  expect(JSON.stringify(other)).not.toBe(JSON.stringify(one));
});

test("all waits of a flow take no real time, whichever function it waits with", async () => {
  const waited: number[] = [];
  const report = await sweep(async (mock) => {
    const startMs = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 600_000));
    await wait(600_000);
    await scheduler.wait(600_000);
    await new Promise((resolve) => AbortSignal.timeout(600_000).addEventListener("abort", resolve));
    await mock.clientOptions.sleep(600_000);
    waited.push(Date.now() - startMs, mock.clientOptions.now() - startMs, new Date().getTime() - startMs);
    await list(mock);
  }, oneRun);

  expect(report.requests).toEqual([{ index: 0, endpoint: "listPages", skip: 0 }]);
  expect(new Set(waited)).toEqual(new Set([3_000_000]));
});

const repeatsAtOnce: Flow = async (mock) => {
  while (!(await list(mock)).ok);
};
const spins: Flow = async (mock) => {
  const done = { isDone: false };
  void list(mock).then(() => (done.isDone = true), nothing);
  while (!done.isDone) await Promise.race([pause(10), new Promise((resolve) => setImmediate(resolve))]);
};

test.each<[string, Flow]>([
  ["repeats a request without a pause", repeatsAtOnce],
  ["spins while it waits for a response that never comes", spins],
])("a flow that %s is reported as hanging, and does not hang the sweep", async (_title, flow) => {
  // A sample with a response that never comes, a connection that breaks and a key that is refused.
  const sample = { dialects: [], maxRuns: 4, seed: 219, maxVirtualMs: 8_000, mockOptions: { latencyMs: 0 } };
  const report = await sweep(flow, sample);

  expect(report.causes.map(({ kind, calls }) => `${kind} ${calls}`)).toContain("hang listPages #1");
});

test("the sweep waits for work that no timer shows: threads, dynamic imports, many turns of the event loop", async () => {
  const report = await sweep(async (mock) => {
    await new Promise((resolve) => scrypt("tea", "salt", 32, { N: 2 ** 12 }, resolve));
    const { createHash } = await import("node:crypto");
    const slug = createHash("sha256").update("tea").digest("hex").slice(0, 8);
    for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const id = await careful(mock).create(slug);
    await new Blob([id]).text();
    await careful(mock).track(id);
  }, oneRun);

  expect(report.requests).toHaveLength(2);
  expect(report.findings, String(report)).toEqual([]);
});

test("a flow may leave a timer running, and its timers keep their asynchronous context", async () => {
  const user = new AsyncLocalStorage<string>();
  const users: unknown[] = [];
  const report = await sweep(async (mock) => {
    user.run("ada", () => setInterval(() => users.push(user.getStore()), 5_000));
    await careful(mock).list();
  }, oneRun);

  expect(report.findings).toEqual([]);
  expect(new Set(users)).toEqual(new Set(["ada"]));
});

test("concurrent sweeps run one after the other, each finds its own unhandled rejections, and they leave the process as it was, also when a flow fails", async () => {
  const before = readGlobals();
  const failing = sweep(() => Promise.reject(new Error("no tea")));
  const reports = Promise.all([leavesRejection, list, leavesRejection].map((flow) => sweep(flow, referenceOnly)));

  await expect(failing).rejects.toThrow("sweep: the flow fails even without a fault: no tea");
  const tables = (await reports).map(String);
  expect(tables[0]).toMatch(/unhandled +a rejection, RangeError and \d more/);
  expect(tables[1]).not.toContain("unhandled");
  expect(tables[2]).toBe(tables[0]);
  expect(readGlobals()).toEqual(before);
});

test("etiquette: a call before the reset of a 429, a repeat after a 400, another body under one key", async () => {
  const report = await sweep(async (mock) => {
    const create = (title: string) =>
      send(mock, "/api/content", { method: "POST", body: fields("tea", title), key: "one" });
    const { status } = await create("Tea");
    if (status === 400 || status === 429) await create("Tea");
    if (status === 500) await create("Coffee");
    mock.report("no matter what happened");
  }, referenceOnly);

  expect(report.causes.flatMap(({ kind, what }) => (kind === "etiquette" ? [what] : [])).sort()).toEqual([
    "repeated a request after a 400",
    "sent a request before the reset of a 429",
    "sent another body under one Idempotency-Key",
  ]);
});

test("a rule that a flow also breaks without a fault is not reported", async () => {
  const report = await sweep(async (mock) => {
    for (const title of ["Tea", "Coffee"])
      await send(mock, "/api/content", { method: "POST", body: fields("tea", title), key: "one" });
    mock.report("no matter what happened");
  }, referenceOnly);

  expect(report.findings.filter(({ what }) => what.includes("another body"))).toEqual([]);
});

test.each<[string, (error: unknown) => unknown]>([
  ["in an array of objects", (error) => [{ reason: error }]],
  ["in a map", (error) => new Map([["tea", error]])],
])("what a flow loses is no finding if its result has the error %s", async (_, resultOf) => {
  const { findings, losses } = await sweep((mock) => careful(mock).create("tea").catch(resultOf), referenceOnly);

  expect(findings).toEqual([]);
  expect(losses.length).toBeGreaterThan(0);
});

const rejects: Flow = (mock) => void Promise.reject(new SyntaxError()).then(() => list(mock));
const storesOthers: Flow = (mock) => careful(mock).create(`page-${randomUUID()}`);
const waitsInReality: Flow = async (mock) => {
  await new Promise((resolve) => realTimeout(resolve, 600_000).unref());
  await list(mock);
};

test.each<[string, Flow, RegExp]>([
  ["sends nothing", () => undefined, /sends no request to the service/],
  ["stores other names each time", storesOthers, /other records in each run.*missing: page.*clientOptions\.random/],
  ["leaves a rejection", rejects, /unhandled \(SyntaxError\)/],
  ["waits for a real timer", waitsInReality, /never ends, .*a timer function that it stored before the sweep/],
])("a flow that %s without a fault is refused with a sentence", async (_title, flow, message) => {
  await expect(sweep(flow, { maxVirtualMs: 30_000 })).rejects.toThrow(message);
});

test("fake timers that are installed already are refused, and stay", async () => {
  vi.useFakeTimers();
  const { setTimeout } = globalThis;

  await expect(sweep(list)).rejects.toThrow("sweep: fake timers are installed");

  expect(globalThis.setTimeout).toBe(setTimeout);
  vi.useRealTimers();
});

test("allowed findings pass, and one more fails with the table", async () => {
  const report = await sweep(swallowsDelete, referenceOnly);
  const { length } = report.findings;

  assertSurvives(report, { silent: length, hangs: 0 });
  expect(() => assertSurvives(report, { silent: length - 1 })).toThrow(
    new RegExp(`silent: ${length}, at most ${length - 1} allowed[^]*SILENT +changed +page "old" should not be there`),
  );
});

const nothing = (): undefined => undefined;

/** Sends calls at the same time and retries some of them. */
async function sendsAtOnce(mock: SweptAccount): Promise<void> {
  const { create, track } = careful(mock);
  const ids = await Promise.all([create("one"), create("two")]);
  await Promise.race([track(ids[0]), pause(3_000)]);
  await Promise.allSettled(ids.map((id) => track(id, "end")));
}
