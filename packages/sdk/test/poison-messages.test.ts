// Events that the service never takes, and how often an event may be repeated that the service may have counted.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ClientOptions, type EventQueueOptions, LandingPages, type LossReason } from "../src/index.ts";
import { createVirtualTime } from "./virtual-time.ts";

test.each([
  ["first", (index: number) => index < 40],
  ["everywhere", (index: number) => index % 2 === 0],
  ["last", (index: number) => index >= 40],
])("forty events that always get a 500 do not hold up forty others: %s", async (_title, isPoison) => {
  const bench = setUp((pageId) => (isPoison(Number(pageId)) ? 500 : 202));

  for (let index = 0; index < 80; index += 1) bench.queue.push({ pageId: `${index}` });
  await bench.time.sleep(60_000, undefined);

  expect(bench.queue.counts).toMatchObject({ delivered: 40 });
  await bench.queue.flush();
  expect(bench.queue.counts).toMatchObject({ delivered: 40, failed: 40, pending: 0 });
});

test("events of other pages pass those of a page that always gets a 500", async () => {
  const bench = setUp((pageId) => (pageId === "bad" ? 500 : 202));

  for (let index = 0; index < 100; index += 1) bench.queue.push({ pageId: "bad" });
  for (let index = 0; index < 20; index += 1) bench.queue.push({ pageId: `good_${index}` });
  await bench.time.sleep(5_000, undefined);

  expect(bench.queue.counts).toMatchObject({ delivered: 20, failed: 0, pending: 100 });
});

test.each([402, 403, 500, 503])(
  "a page that always gets a %i while others are delivered ends as failed, and opens no outage for the others",
  async (status) => {
    const bench = setUp((pageId) => (pageId === "bad" ? status : 202));
    bench.queue.push({ pageId: "bad" });
    for (let round = 0; round < 30; round += 1) {
      bench.queue.push({ pageId: `good_${round}` });
      await bench.time.sleep(10_000, undefined);
    }
    await bench.queue.flush();

    expect(bench.queue.counts).toMatchObject({ delivered: 30, failed: 1, pending: 0 });
    expect(bench.sent("bad")).toBeLessThanOrEqual(11);
  },
);

test("an event with a refused key is kept, and holds up no event with another key", async () => {
  const bench = setUp((pageId) => (pageId === "bad" ? 401 : 202));
  bench.queue.push({ pageId: "bad" });
  for (let round = 0; round < 20; round += 1) {
    bench.queue.push({ pageId: `good_${round}` });
    await bench.time.sleep(10_000, undefined);
  }

  expect(bench.queue.counts).toMatchObject({ delivered: 20, failed: 0, pending: 1 });
  expect(bench.sent("bad")).toBeLessThanOrEqual(1 + 200 / 30);
  await expect(bench.queue.drain()).resolves.toMatchObject([{ pageId: "bad" }]);
});

test("whichever events always fail, all others are delivered", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ page: fc.nat(30), isRush: fc.boolean() }), { minLength: 1, maxLength: 60 }),
      fc.uniqueArray(fc.nat(30), { maxLength: 15 }),
      fc.integer({ min: 1, max: 6 }),
      async (pushes, poison, concurrency) => {
        const bad = new Set(poison.map(String));
        const bench = setUp((pageId) => (bad.has(pageId) ? 500 : 202), { concurrency });
        for (const { page, isRush } of pushes) {
          bench.queue.push({ pageId: `${page}` });
          if (!isRush) await bench.time.sleep(100, undefined);
        }

        const isDelivered = await bench.queue.flush();

        const good = pushes.filter(({ page }) => !bad.has(`${page}`)).length;
        expect(bench.queue.counts).toMatchObject({ delivered: good, failed: pushes.length - good, pending: 0 });
        expect(isDelivered).toBe(good === pushes.length);
      },
    ),
  ));

test("an event that may have been counted each time is sent at most ten times, and says so", async () => {
  const bench = setUp(() => 500);

  bench.queue.push({ pageId: "pg_1" });
  const isDelivered = await bench.queue.flush();

  expect(isDelivered).toBe(false);
  expect(bench.sent("pg_1")).toBe(10);
  expect(bench.losses).toMatchObject([{ kind: "failed", error: { status: 500, mayHaveBeenApplied: true } }]);
});

test.each([500, 502, 503, 504])('under `writes: "safe"` a %i is final: the event is sent once', async (status) => {
  for (const options of [
    { retry: { writes: "safe" } } as const,
    { retry: { writes: "safe", maxAttempts: 5 } } as const,
  ]) {
    const byClient = setUp(() => status, {}, options);
    const byQueue = setUp(() => status, options);
    for (const bench of [byClient, byQueue]) {
      bench.queue.push({ pageId: "pg_1" });
      await bench.queue.flush();

      expect(bench.sent("pg_1")).toBe(1);
      expect(bench.losses).toMatchObject([{ kind: "failed", error: { status, mayHaveBeenApplied: true } }]);
    }
  }
});

test('under `writes: "safe"` an outage in which nothing is sent or handled is waited out', async () => {
  let sent = 0;
  const bench = setUp(() => ((sent += 1) < 30 ? 429 : 202), { retry: { writes: "safe" } });

  bench.queue.push({ pageId: "pg_1" });

  await expect(bench.queue.flush()).resolves.toBe(true);
});

test("the queue repeats by itself: one attempt for each call, unless `retry` of the queue says otherwise", async () => {
  const plain = setUp(() => 503, {}, { retry: { maxAttempts: 5 } });
  const asked = setUp(() => 500, { retry: { maxAttempts: 3 } });
  for (const { queue, time } of [plain, asked]) {
    queue.push({ pageId: "pg_1" });
    await time.sleep(200, undefined);
    await queue.drain({ timeoutMs: 10_000 });
  }

  expect(plain.sent("pg_1")).toBe(1);
  expect(asked.sent("pg_1")).toBe(3);
});

/** A queue, and a service whose status for an event depends on its page; on virtual time. */
function setUp(
  statusOf: (pageId: string) => number,
  options: EventQueueOptions = {},
  clientOptions: ClientOptions = {},
) {
  const time = createVirtualTime();
  const sent = new Map<string, number>();
  const losses: LossReason[] = [];
  const client = new LandingPages({
    apiKey: "test_sdk",
    baseUrl: "https://service.example",
    now: time.now,
    sleep: time.sleep,
    random: () => 0.5,
    ...clientOptions,
    fetch: async (_url, { body = "" }) => {
      const { pageId } = JSON.parse(body) as { pageId: string }; // why: written by the client a moment ago
      sent.set(pageId, (sent.get(pageId) ?? 0) + 1);
      await new Promise((resolve) => setImmediate(resolve));
      return new Response(null, { status: statusOf(pageId) });
    },
  });
  const queue = client.analytics.queue({ ...options, onLost: (_event, reason) => void losses.push(reason) });
  return { time, queue, losses, sent: (pageId: string) => sent.get(pageId) ?? 0 };
}
