// Events that the service never accepts, and how often an event is repeated that the service may have counted.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ClientOptions, EventQueueOptions } from "../src/index.ts";
import { setUpQueue, taken } from "./queue-bench.ts";

/** A service that always responds to the events of some pages with a status. */
const setUp = (
  isPoison: (pageId: string) => boolean,
  status: number,
  options: EventQueueOptions = {},
  clientOptions: ClientOptions = {},
) => setUpQueue((pageId) => (isPoison(pageId) ? { status } : taken), options, clientOptions);
const isBad = (pageId: string) => pageId === "bad";
const always = () => true;

test("an event that the service refuses fails at once and holds up no other", async () => {
  const bench = setUp((pageId) => pageId === "pg_1", 404, { concurrency: 1 });

  bench.pushAll(5);
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ delivered: 4, failed: 1 });
  expect(bench.losses).toMatchObject([[{ pageId: "pg_1" }, { kind: "failed", error: { status: 404 } }]]);
  expect(bench.time.slept).toEqual([]);
});

test.each([
  ["forty events of pages that always get a 500", Array.from({ length: 40 }, (_, index) => `bad_${index}`)],
  ["a hundred events of a page that always gets a 500", Array.from({ length: 100 }, () => "bad")],
])("%s do not hold up others behind them", async (_title, bad) => {
  const bench = setUp((pageId) => pageId.startsWith("bad"), 500);

  for (const pageId of bad) bench.queue.push({ pageId });
  bench.pushAll(40);
  await bench.time.sleep(20_000, undefined);

  expect(bench.queue.counts).toMatchObject({ delivered: 40 });
});

test.each([
  [402, { delivered: 30, failed: 1, pending: 0 }],
  [403, { delivered: 30, failed: 1, pending: 0 }],
  [500, { delivered: 30, failed: 1, pending: 0 }],
  [503, { delivered: 30, failed: 1, pending: 0 }],
  // A refused key says nothing about the event.
  [401, { delivered: 30, failed: 0, pending: 1 }],
])("a page that always gets a %i holds up nobody, and is sent ten times at most", async (status, counts) => {
  const bench = setUp(isBad, status);
  bench.queue.push({ pageId: "bad" });
  for (let round = 0; round < 30; round += 1) {
    bench.pushAll(1, round);
    await bench.time.sleep(10_000, undefined);
  }

  expect(bench.queue.counts).toMatchObject(counts);
  expect(bench.outcomesOf("bad").length).toBeLessThanOrEqual(11);
});

test("a drain does not wait until a poison message may be sent again", async () => {
  const bench = setUp(isBad, 500);
  bench.pushAll(3);
  bench.queue.push({ pageId: "bad" });

  const left = await bench.queue.drain();

  expect(left).toMatchObject([{ pageId: "bad" }]);
  expect(bench.queue.counts).toMatchObject({ delivered: 3, failed: 0, dropped: 1 });
  expect(bench.time.slept).toEqual([]);
});

test("whichever events always fail, all others are delivered", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ page: fc.nat(30), isRush: fc.boolean() }), { minLength: 1, maxLength: 60 }),
      fc.uniqueArray(fc.nat(30), { maxLength: 15 }),
      fc.integer({ min: 1, max: 6 }),
      async (pushes, poison, concurrency) => {
        const bench = setUp((pageId) => poison.includes(Number(pageId)), 500, { concurrency });
        for (const { page, isRush } of pushes) {
          bench.queue.push({ pageId: `${page}` });
          if (!isRush) await bench.time.sleep(100, undefined);
        }

        const isDelivered = await bench.queue.flush();

        const good = pushes.filter(({ page }) => !poison.includes(page)).length;
        expect(bench.queue.counts).toMatchObject({ delivered: good, failed: pushes.length - good, pending: 0 });
        expect(isDelivered).toBe(good === pushes.length);
      },
    ),
  ));

const safe = { retry: { writes: "safe" } } as const;
const asked = { retry: { writes: "safe", maxAttempts: 5 } } as const;

test.each<[string, number, number, EventQueueOptions, ClientOptions]>([
  ["an event that may have been counted each time is sent at most ten times", 500, 10, {}, {}],
  ['with `writes: "safe"` of the client a 500 is final', 500, 1, {}, safe],
  ['with `writes: "safe"` of the client a 503 is final', 503, 1, {}, safe],
  ['with `writes: "safe"` of the queue a 500 is final', 500, 1, asked, {}],
  ['with `writes: "safe"` of the queue a 503 is final', 503, 1, asked, {}],
])("%s, and the error says that it may have been applied", async (_title, status, times, options, clientOptions) => {
  const bench = setUp(always, status, options, clientOptions);

  bench.pushAll(1);
  const isDelivered = await bench.queue.flush();

  expect(isDelivered).toBe(false);
  expect(bench.sent).toHaveLength(times);
  expect(bench.losses).toMatchObject([[{}, { kind: "failed", error: { status, mayHaveBeenApplied: true } }]]);
});

test.each<[number, EventQueueOptions]>([
  [429, safe],
  [503, {}],
])("a single event waits out an outage in which nothing is handled: %i with %j", async (status, options) => {
  const bench = setUpQueue((_pageId, atMs) => (atMs < 600_000 ? { status } : taken), options);

  bench.pushAll(1);

  await expect(bench.queue.flush()).resolves.toBe(true);
});

test("the queue repeats by itself: one attempt for each call, unless `retry` of the queue says otherwise", async () => {
  const plain = setUp(always, 503, {}, { retry: { maxAttempts: 5 } });
  const asked = setUp(always, 500, { retry: { maxAttempts: 3 } });
  for (const { pushAll, queue, time } of [plain, asked]) {
    pushAll(1);
    await time.sleep(200, undefined);
    await queue.drain({ timeoutMs: 10_000 });
  }

  expect([plain.sent.length, asked.sent.length]).toEqual([1, 3]);
});
