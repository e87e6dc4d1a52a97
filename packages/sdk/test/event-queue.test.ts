import type { AnalyticsEvent } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigurationError, InvalidInputError } from "../src/report/errors.ts";
import { BufferedQueue } from "../src/many/queue.ts";
import type { EventQueue, EventQueueOptions, LossReason } from "../src/many/queued-events.ts";
import { scripted } from "./setup.ts";

const startMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

test("accepted is always delivered + failed + dropped + pending", () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constant("push" as const) },
    { weight: 3, arbitrary: fc.constantFrom("deliver" as const, "fail" as const) },
    { weight: 1, arbitrary: fc.constantFrom("turn" as const, "close" as const, "time out" as const) },
  );
  return fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, capacity, concurrency) => {
        let told = 0;
        const bench = setUp({
          capacity,
          concurrency,
          onLost: () => {
            told += 1;
            expectBalance(bench.queue);
            throw new Error("careless");
          },
        });
        let pushed = 0;
        let taken = 0;

        for (const step of [...steps, "close", "time out"] as const) {
          if (step === "push") {
            pushed += 1;
            if (bench.queue.push({ pageId: `pg_${pushed}` })) taken += 1;
          } else if (step === "close") void bench.queue.close();
          else if (step === "time out") bench.timeOut();
          else if (step === "turn") await turn();
          else bench.calls.shift()?.[step]();
          expectBalance(bench.queue);
          expect(bench.queue.counts.accepted).toBe(pushed);
          expect(bench.queue.counts.pending).toBeLessThanOrEqual(capacity);
          expect(bench.calls.length).toBeLessThanOrEqual(concurrency);
        }
        await bench.queue.close();

        const { delivered, failed, dropped, pending } = bench.queue.counts;
        expect(pending).toBe(0);
        expect(told).toBe(failed + dropped);
        expect(delivered + failed).toBeLessThanOrEqual(taken);
      },
    ),
    { numRuns: 300 },
  );
});

test("push returns at once, and at most four events are under way", async () => {
  const { queue, calls } = setUp();

  for (let index = 0; index < 10; index += 1) expect(queue.push({ pageId: `pg_${index}` })).toBe(true);
  const sentAtOnce = calls.length;
  await turn();

  expect(sentAtOnce).toBe(0);
  expect(calls.map(({ event }) => event.pageId)).toEqual(["pg_0", "pg_1", "pg_2", "pg_3"]);
  expect(queue.counts).toEqual({ accepted: 10, delivered: 0, failed: 0, dropped: 0, pending: 10 });
});

test("an event is sent as it was when it was pushed, with the time of then, however late it is sent", async () => {
  const bench = setUp({ concurrency: 1 });

  bench.queue.push({ pageId: "pg_1" });
  bench.queue.push({ pageId: "pg_2", timestamp: new Date("2026-05-06T07:08:09.999Z"), type: "interaction" });
  const event = { pageId: "pg_3", timestamp: "2025-01-01T00:00:00Z", properties: { button: "buy" } };
  bench.queue.push(event);
  event.properties.button = "changed";
  bench.advance(60_000);
  const events = await deliverAll(bench);

  expect(events).toEqual([
    { pageId: "pg_1", timestamp: "2026-01-02T03:04:05Z" },
    { pageId: "pg_2", timestamp: "2026-05-06T07:08:09Z", type: "interaction" },
    { pageId: "pg_3", timestamp: "2025-01-01T00:00:00Z", properties: { button: "buy" } },
  ]);
});

test("a full queue drops the newest event and says so", async () => {
  const { queue, losses } = setUp({ capacity: 2 });

  const taken = ["pg_1", "pg_2", "pg_3"].map((pageId) => queue.push({ pageId }));
  await turn();

  expect(taken).toEqual([true, true, false]);
  expect(losses).toEqual([[{ pageId: "pg_3", timestamp: "2026-01-02T03:04:05Z" }, { kind: "full" }]]);
  expect(queue.counts).toEqual({ accepted: 3, delivered: 0, failed: 0, dropped: 1, pending: 2 });
});

test("flush waits for the events pushed before, not for later ones", async () => {
  const { queue, calls } = setUp({ concurrency: 1 });
  let isFlushed = false;
  queue.push({ pageId: "pg_1" });
  queue.push({ pageId: "pg_2" });

  const flushed = queue.flush().then(() => (isFlushed = true));
  queue.push({ pageId: "pg_3" });
  await turn();
  calls.shift()?.deliver();
  await turn();
  const afterOne = isFlushed;
  calls.shift()?.deliver();
  await flushed;

  expect(afterOne).toBe(false);
  expect(queue.counts).toMatchObject({ delivered: 2, pending: 1 });
});

test("close sends what is left, then takes no more", async () => {
  const bench = setUp();
  for (let index = 0; index < 9; index += 1) bench.queue.push({ pageId: `pg_${index}` });

  const closing = bench.queue.close();
  const isTaken = bench.queue.push({ pageId: "pg_late" });
  const events = await deliverAll(bench);
  await closing;

  expect(isTaken).toBe(false);
  expect(events).toHaveLength(9);
  expect(bench.losses).toEqual([[expect.objectContaining({ pageId: "pg_late" }), { kind: "closed" }]]);
  expect(bench.queue.counts).toEqual({ accepted: 10, delivered: 9, failed: 0, dropped: 1, pending: 0 });
  expect(bench.isWaiting()).toBe(false);
});

test("close gives up and counts what is not delivered in time, and cuts off what is under way", async () => {
  const { queue, calls, losses, timeOut, waits } = setUp({ concurrency: 1 });
  queue.push({ pageId: "pg_1" });
  queue.push({ pageId: "pg_2" });
  await turn();

  const closing = queue.close({ timeoutMs: 5_000 });
  timeOut();
  await closing;
  const signal = calls[0]?.signal;
  calls.shift()?.deliver();
  await turn();

  expect(waits).toEqual([5_000]);
  expect(signal?.aborted).toBe(true);
  const kinds = losses.map(([{ pageId }, { kind }]) => [pageId, kind]);
  expect(Object.fromEntries(kinds)).toEqual({ pg_1: "failed", pg_2: "timeout" });
  expect(queue.counts).toEqual({ accepted: 2, delivered: 0, failed: 1, dropped: 1, pending: 0 });
});

test("leaving an `await using` block closes the queue within 30 seconds, and closing again waits for that", async () => {
  const bench = setUp();
  const leave = async () => {
    await using inBlock = bench.queue;
    inBlock.push({ pageId: "pg_1" });
  };

  const both = Promise.all([leave(), Promise.resolve().then(() => bench.queue.close({ timeoutMs: 0 }))]);
  await deliverAll(bench);
  await both;

  expect(bench.waits).toEqual([30_000]);
  expect(bench.queue.counts).toMatchObject({ delivered: 1, pending: 0 });
});

test.each([
  [{ pageId: "" }, "pageId: expected"],
  [{ pageId: 7 }, "pageId: expected"],
  [null, "expected object"],
  ["pg_1", "expected object"],
  [{ pageId: "pg_1", timestamp: "yesterday" }, "timestamp: expected"],
  [{ pageId: "pg_1", timestamp: new Date(Number.NaN) }, "timestamp: expected"],
  [{ pageId: "pg_1", properties: { nested: {} } }, "properties.nested: expected"],
])("push throws at %j and counts nothing", (event, message) => {
  const { queue } = setUp();

  // why: what a caller without types may pass
  const push = () => queue.push(event as { pageId: string });

  expect(push).toThrow(InvalidInputError);
  expect(push).toThrow(`Submit analytics event was not sent: ${message}`);
  expect(queue.counts.accepted).toBe(0);
});

test.each([{ capacity: 0 }, { capacity: 1.5 }, { concurrency: 0 }, { concurrency: Number.NaN }])(
  "a queue with %j is refused",
  (options) => {
    expect(() => scripted([]).client.analytics.queue(options)).toThrow(ConfigurationError);
  },
);

test("a closing time out of range is refused, and the queue stays open", async () => {
  const { queue } = setUp();

  await expect(queue.close({ timeoutMs: -1 })).rejects.toThrow(ConfigurationError);
  await expect(queue.close({ timeoutMs: Number.NaN })).rejects.toThrow("`timeoutMs`: expected a number of 0 or more");

  expect(queue.push({ pageId: "pg_1" })).toBe(true);
});

const failure = new Error("refused");

interface Call {
  event: AnalyticsEvent;
  signal: AbortSignal;
  deliver: () => void;
  fail: () => void;
}

/** A queue whose calls, clock and timer the test moves by hand. */
function setUp(options: EventQueueOptions = {}) {
  const calls: Call[] = [];
  const losses: [AnalyticsEvent, LossReason][] = [];
  const waits: number[] = [];
  let nowMs = startMs;
  let ring: (() => void) | undefined;
  const queue = new BufferedQueue({
    onLost: (event, reason) => void losses.push([event, reason]),
    ...options,
    send: ({ event }, signal) =>
      new Promise((resolve, reject) => {
        calls.push({ event, signal, deliver: () => resolve(undefined), fail: () => reject(failure) });
        signal.addEventListener("abort", () => reject(failure));
      }),
    now: () => nowMs,
    random: () => 0,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        waits.push(delayMs);
        ring = resolve;
        signal?.addEventListener("abort", () => {
          ring = undefined;
          reject(new Error("woken"));
        });
      }),
    report: () => undefined,
    writes: "documented",
  });
  return {
    queue,
    calls,
    losses,
    waits,
    advance: (ms: number) => void (nowMs += ms),
    timeOut: () => ring?.(),
    isWaiting: () => ring !== undefined,
  };
}

async function deliverAll({ queue, calls }: ReturnType<typeof setUp>): Promise<AnalyticsEvent[]> {
  const events: AnalyticsEvent[] = [];
  while (queue.counts.pending > 0) {
    await turn();
    for (const { event, deliver } of calls.splice(0)) {
      events.push(event);
      deliver();
    }
  }
  return events;
}

function expectBalance({ counts }: EventQueue): void {
  const { accepted, delivered, failed, dropped, pending } = counts;
  expect(delivered + failed + dropped + pending).toBe(accepted);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
