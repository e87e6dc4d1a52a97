import { expect, test } from "vitest";
import type { EventQueueOptions } from "../src/index.ts";
import { type Outcome, setUpQueue, taken } from "./queue-bench.ts";
import { fail, untilIdle, wrong } from "./setup.ts";

test("push returns at once, and at most four events are under way", async () => {
  const { queue, sent, pushAll } = setUpQueue(() => "hung");

  pushAll(10);
  const sentAtOnce = sent.length;
  await untilIdle();

  expect(sentAtOnce).toBe(0);
  expect(sent.map(({ pageId }) => pageId)).toEqual(["pg_0", "pg_1", "pg_2", "pg_3"]);
  expect(queue.counts).toEqual({ accepted: 10, delivered: 0, failed: 0, dropped: 0, pending: 10 });
});

test("an event is sent as it was when it was pushed, with the timestamp of the push, however late", async () => {
  const { queue, time, requests } = setUpQueue(() => taken, { concurrency: 1 });
  const event = {
    pageId: "pg_2",
    timestamp: new Date("2026-05-06T07:08:09.999Z"),
    properties: { button: "buy", from: undefined },
  };

  queue.push({ pageId: "pg_1" });
  queue.push(event);
  event.properties.button = "changed";
  time.advance(60_000);
  await queue.flush();

  expect(requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { pageId: "pg_1", timestamp: "2026-01-01T00:00:00Z" },
    { pageId: "pg_2", timestamp: "2026-05-06T07:08:09Z", properties: { button: "buy" } },
  ]);
});

test("a full queue drops the newest event and reports it, also to an onLost that throws", async () => {
  const { queue, losses } = setUpQueue(() => "hung", { capacity: 2, onLost: fail });

  const isTaken = ["pg_1", "pg_2", "pg_3"].map((pageId) => queue.push({ pageId }));
  await untilIdle();

  expect(isTaken).toEqual([true, true, false]);
  expect(losses).toEqual([[{ pageId: "pg_3", timestamp: "2026-01-01T00:00:00Z" }, { kind: "full" }]]);
  expect(queue.counts).toEqual({ accepted: 3, delivered: 0, failed: 0, dropped: 1, pending: 2 });
});

test("flush waits for the events pushed before, not for later ones", async () => {
  const { queue, pushAll } = setUpQueue(() => taken, { concurrency: 1 });
  pushAll(2);

  const flushed = queue.flush();
  queue.push({ pageId: "pg_later" });

  await expect(flushed).resolves.toBe(true);
  expect(queue.counts).toMatchObject({ delivered: 2, pending: 1 });
});

test.each<[string, EventQueueOptions, Outcome]>([
  ["dropped", { capacity: 1 }, taken],
  ["refused", {}, { status: 404 }],
])("the next flush says that an event was %s before it, and says it once", async (_, options, first) => {
  const { queue, pushAll } = setUpQueue((pageId) => (pageId === "pg_0" ? first : taken), options);
  pushAll(2);
  await untilIdle();

  const flushed = [await queue.flush(), await queue.flush()];

  expect(flushed).toEqual([false, true]);
});

test("an event that is pushed again and not sent any more may have been counted before", async () => {
  const controller = new AbortController();
  const { queue, losses } = setUpQueue(() => "hung", { signal: controller.signal, concurrency: 1 });
  queue.push({ pageId: "pg_1" });
  queue.push({ pageId: "pg_2", idempotencyKey: "kept" });

  controller.abort("bye");
  await queue.close();

  const message =
    "Submit analytics event was aborted before it was sent (bye); the service may have carried out an earlier call";
  expect(losses[0]).toMatchObject([
    { pageId: "pg_2", idempotencyKey: "kept" },
    { kind: "aborted", error: { message } },
  ]);
});

test("close sends the pending events, then accepts no more", async () => {
  const { queue, losses, pushAll, arrived, time } = setUpQueue(() => taken);
  const ids = pushAll(9);

  const closing = queue.close();
  const isTaken = queue.push({ pageId: "pg_late" });
  await closing;

  expect(isTaken).toBe(false);
  expect(arrived()).toEqual(ids);
  expect(losses).toMatchObject([[{ pageId: "pg_late" }, { kind: "closed" }]]);
  expect(queue.counts).toEqual({ accepted: 10, delivered: 9, failed: 0, dropped: 1, pending: 0 });
  expect(time.sleeping()).toBe(0);
});

const outlasted = { kind: "timeout", error: { status: 503 } };

test.each<[string, Outcome, number, object[]]>([
  ["requests hang, which it aborts", "hung", 1, [{ kind: "failed" }, { kind: "timeout" }]],
  ["an outage lasts", { status: 503 }, 0, [outlasted, outlasted]],
])("close gives up after its timeout and reports each event: %s", async (_title, outcome, failed, reasons) => {
  const { queue, losses, pushAll, time } = setUpQueue(() => outcome, { concurrency: 1, timeoutMs: 60_000 });
  const ids = pushAll(2);
  await untilIdle();

  await queue.close({ timeoutMs: 5_000 });

  expect(time.elapsedMs()).toBe(5_000);
  const reasonOf = new Map(losses.map(([{ pageId }, reason]) => [pageId, reason]));
  expect(ids.map((pageId) => reasonOf.get(pageId))).toMatchObject(reasons);
  expect(queue.counts).toEqual({ accepted: 2, delivered: 0, failed, dropped: 2 - failed, pending: 0 });
  expect(time.sleeping()).toBe(0);
});

test("leaving an `await using` block closes the queue within 30 seconds, and closing again waits for that", async () => {
  const { queue, time } = setUpQueue(() => "hung");
  const leave = async () => {
    await using inBlock = queue;
    inBlock.push({ pageId: "pg_1" });
  };

  const leaving = leave();
  await untilIdle();
  await queue.close({ timeoutMs: 0 });
  await leaving;

  expect(time.elapsedMs()).toBe(30_000);
  expect(queue.counts).toMatchObject({ failed: 1, pending: 0 });
});

test.each([{ pageId: 7 }, null, { pageId: "pg_1", properties: { nested: {} } }])("push throws at %j", (event) => {
  const { queue } = setUpQueue(() => taken);

  expect(() => queue.push(wrong(event))).toThrow(/^Submit analytics event was not sent: .*expected/);
  expect(queue.counts.accepted).toBe(0);
});

test.each(["close", "drain", "flush"] as const)("a %s with a wrong timeoutMs leaves the queue open", async (end) => {
  const { queue } = setUpQueue(() => taken);

  await expect(queue[end]({ timeoutMs: -1 })).rejects.toThrow("`timeoutMs`: expected a number of 0 or more");

  expect(queue.push({ pageId: "pg_1" })).toBe(true);
});
