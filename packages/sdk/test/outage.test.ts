import { createMockService } from "@landing-page-service/mock-server";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { atLeast } from "../../../.ci/properties.ts";
import { AbortedError, type ClientEvent, LandingPages, type QueuedEvent, RateLimitError } from "../src/index.ts";
import { type Outcome, type Service, setUpQueue, taken } from "./queue-bench.ts";
import { fail, somePage, untilIdle } from "./setup.ts";

/** A service with one outcome for all events, which accepts them from a time on, in milliseconds. */
const until = (endMs: number, outcome: Outcome) => (_pageId: string, atMs: number) => (atMs < endMs ? outcome : taken);

test.each<[string, Outcome, number]>([
  ["503 without a hint", { status: 503 }, 0],
  ["503 that names a time", { status: 503, headers: { "Retry-After": "2" } }, 0],
  ["503 that names a time far too late", { status: 503, headers: { "Retry-After": "86400" } }, 0],
  ["500", { status: 500 }, 0],
  ["500, after some were delivered", { status: 500 }, 1_000],
  ["429 without headers", { status: 429 }, 0],
  ["429 that names a time", { status: 429, headers: { "Retry-After": "90" } }, 0],
  ["a key that is not accepted yet", { status: 401 }, 0],
  ["a closed port", "refused", 0],
])("an hour of %s costs no event, and few requests", async (_title, outcome, fromMs) => {
  const bench = setUpQueue((_pageId, atMs) => (atMs >= fromMs && atMs < 3_600_000 ? outcome : taken));

  const ids = bench.pushAll(20);
  await bench.time.sleep(5_000, undefined);
  ids.push(...bench.pushAll(80, 20));
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ delivered: 100, failed: 0, dropped: 0 });
  expect(bench.arrived()).toEqual([...ids].sort());
  // A probe about every half a minute, and the same key for each attempt at an event.
  expect(bench.sent.length - 100).toBeLessThan(2 * 120 * 3);
  expect(bench.countKeys()).toBe(100);
  expect(bench.time.elapsedMs()).toBeLessThan(3_600_000 + 600_000);
  expect(bench.time.sleeping()).toBe(0);
});

test.each([
  ["moves the clock", (ms: number, move: (ms: number) => unknown) => move(ms)],
  ["ends at once", () => undefined],
])("an outage that does not end leaves others their turn, with a sleep that %s", async (_title, pass) => {
  const account = createMockService().account("test_turns");
  account.faults.add({ endpoint: "trackEvent", status: 503 });
  const sleep = async (ms: number) => void pass(ms, (by) => account.clock.advance(by));
  const queue = new LandingPages({ ...account.clientOptions, sleep }).analytics.queue();
  queue.push({ pageId: "pg_1" });

  await queue.close({ timeoutMs: 500 });

  expect(queue.counts).toMatchObject({ dropped: 1, pending: 0 });
});

test("a queue sends again within a minute after its key is accepted", async () => {
  const bench = setUpQueue(until(610_000, { status: 401 }));
  bench.pushAll(5);

  await bench.queue.flush();

  expect(bench.time.elapsedMs()).toBeLessThanOrEqual(670_000);
});

test("a clock that a test moves ends the wait for the next probe", async () => {
  const account = createMockService().account("test_moved");
  const { id } = await new LandingPages(account.clientOptions).pages.create(somePage);
  account.faults.add({ endpoint: "trackEvent", status: 503, headers: { "Retry-After": "300" }, times: 1 });
  const onEvent = (event: ClientEvent) => {
    if (event.type === "queue" && event.state === "paused") account.clock.advance(event.delayMs ?? 0);
  };
  const queue = new LandingPages({ ...account.clientOptions, onEvent }).analytics.queue();
  queue.push({ pageId: id });

  expect(await queue.flush()).toBe(true);
});

test("during an outage one event at a time is sent to see whether it is over", async () => {
  const bench = setUpQueue(until(60_000, { status: 503, headers: { "Retry-After": "5" } }));

  bench.pushAll(20);
  await bench.queue.flush();

  const mostInFlight = (fromMs: number, toMs: number) =>
    Math.max(...bench.sent.map(({ atMs, inFlight }) => (atMs >= fromMs && atMs < toMs ? inFlight : 0)));
  expect(bench.events.some(({ type }) => type === "queue")).toBe(true);
  expect(mostInFlight(5_000, 59_000)).toBe(1);
  expect(bench.sent.filter(({ atMs }) => atMs < 60_000).length).toBeLessThanOrEqual(4 + 60 / 5);
  expect(mostInFlight(60_000, 120_000)).toBeGreaterThan(1);
});

test("the queue reports what it waits for, and that it has resumed", async () => {
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  const logger = { debug: write, info: write, warn: write };
  const service = until(57_000, { status: 429, headers: { "Retry-After": "57" } });
  const bench = setUpQueue(service, { concurrency: 1 }, { logger, retry: false });

  bench.pushAll(3);
  await untilIdle();
  const { outage } = bench.queue;
  await bench.queue.flush();

  expect(outage?.error).toBeInstanceOf(RateLimitError);
  expect(outage).toMatchObject({ sinceMs: Date.UTC(2026, 0, 1), probes: 0 });
  expect(bench.queue.outage).toBeUndefined();
  expect(lines.filter((line) => line.includes("queue"))).toEqual([
    expect.stringMatching(/^landing-pages: event queue waits for 5\d s, 3 events pending: .*429/),
    expect.stringMatching(/^landing-pages: event queue resumes after 5\d s, 2 events pending$/),
  ]);
});

test("no event is lost while the key function fails", async () => {
  const apiKey = vi.fn<() => string>(fail);
  const bench = setUpQueue(() => taken, {}, { apiKey });

  bench.pushAll(10);
  await bench.time.sleep(60_000, undefined);
  apiKey.mockReturnValue("test_sdk");
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ delivered: 10, failed: 0 });
});

test("drain returns plain data that another queue delivers, each event once", async () => {
  const bench = setUpQueue(until(60_000, { status: 500 }));
  const ids = bench.pushAll(30);
  await untilIdle();

  const left = await bench.queue.drain();
  const [late] = left.filter(({ idempotencyKey }) => idempotencyKey !== undefined) as [QueuedEvent]; // why: some were sent
  const isTaken = bench.queue.push(late);
  await bench.time.sleep(60_000, undefined);
  const second = bench.client.analytics.queue();
  for (const event of JSON.parse(JSON.stringify(left)) as QueuedEvent[]) second.push(event);
  await second.close();

  expect(left.map(({ pageId }) => pageId).sort()).toEqual([...ids].sort());
  expect(isTaken).toBe(false);
  expect(bench.losses).toEqual([[late, { kind: "closed" }]]);
  expect(bench.queue.counts).toEqual({ accepted: 31, delivered: 0, failed: 0, dropped: 31, pending: 0 });
  expect(second.counts).toMatchObject({ accepted: 30, delivered: 30 });
  expect(bench.arrived()).toEqual([...ids].sort());
  expect(bench.requests.every(({ body }) => !body.includes("idempotencyKey"))).toBe(true);
  expect(bench.countKeys()).toBe(30);
});

test("a second drain returns nothing, and a drain of an idle queue does not wait", async () => {
  const bench = setUpQueue(until(60_000, { status: 503 }));
  const idle = bench.client.analytics.queue();
  bench.pushAll(3);

  const [first, second] = await Promise.all([bench.queue.drain(), bench.queue.drain()]);

  expect([first.length, second.length]).toEqual([3, 0]);
  expect(await idle.drain()).toEqual([]);
});

test("the signal of a queue ends it at once, and every event that is lost is reported", async () => {
  const aborter = new AbortController();
  const bench = setUpQueue(until(60_000, { status: 503 }), { signal: aborter.signal });
  bench.pushAll(10);
  await untilIdle();

  aborter.abort(new Error("enough"));
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ pending: 0, dropped: 10, failed: 0 });
  expect(bench.losses.every(([, { kind, error }]) => kind === "aborted" && AbortedError.is(error))).toBe(true);
  expect(bench.queue.push({ pageId: "pg_late" })).toBe(false);
});

/** What the queue waits out, refusals of the event itself, and failures after which it may have been stored. */
const waitedOut = [307, 308, 401, 407, 425, 429, 511];
const refusals = [400, 404, 413, 422];
const ambiguous = [408, 502, 504];

test.each([
  ["documented", [...ambiguous, 302, 499]],
  ["safe", [...ambiguous, 302, 499, 500, 503]],
  ["always", [302, 499]],
] as const)(
  "with writes: %j, an event fails only if it is refused or may have been stored",
  async (writes, unknown) => {
    const failed: object[] = [];
    for (const status of [...waitedOut, ...refusals, ...ambiguous, 302, 499, 500, 503]) {
      const outcomes = [{ status }];
      const { queue, losses } = setUpQueue(() => outcomes.shift() ?? taken, {}, { retry: { writes } });
      queue.push({ pageId: "pg_1" });
      await queue.flush();
      failed.push(...losses.map(([, reason]) => reason));
    }

    expect(failed).toMatchObject([
      ...refusals.map((status) => ({ kind: "failed", error: { status, mayHaveBeenApplied: false } })),
      ...unknown.map((status) => ({ kind: "failed", error: { status, mayHaveBeenApplied: true } })),
    ]);
  },
);

test("an event that is refused after a 500 may have been stored by the attempt before", async () => {
  const outcomes = [{ status: 500 }, { status: 429 }, { status: 400 }];
  const { queue, losses } = setUpQueue(() => outcomes.shift() ?? taken);
  queue.push({ pageId: "pg_1" });

  await queue.flush();

  expect(losses).toMatchObject([[{}, { kind: "failed", error: { status: 400, mayHaveBeenApplied: true } }]]);
});

const outcome = fc.oneof(
  fc.constantFrom<Outcome>(taken, "refused", "reset"),
  fc.constantFrom(...waitedOut, ...ambiguous, 302, 499, 500, 503).map((status): Outcome => ({ status })),
  fc.record({
    status: fc.constantFrom(429, 503),
    headers: fc.integer({ min: 0, max: 600 }).map((seconds) => ({ "Retry-After": String(seconds) })),
  }),
  fc.record({
    status: fc.constant(429),
    headers: fc.record({
      "X-RateLimit-Limit": fc.constantFrom("1", "9"),
      "X-RateLimit-Remaining": fc.constant("0"),
      "X-RateLimit-Reset": fc.integer({ min: 0, max: 90 }).map(String),
    }),
  }),
);
const phases = fc.array(fc.record({ forMs: fc.integer({ min: 1, max: 200_000 }), outcome }), { maxLength: 8 });
const pushes = fc.array(
  fc.record({ count: fc.integer({ min: 1, max: 12 }), thenMs: fc.integer({ min: 0, max: 60_000 }) }),
  { minLength: 1, maxLength: 6 },
);

test("in any sequence of outages, each event is counted, and an event that was never sent never counts as failed", () =>
  fc.assert(
    fc.asyncProperty(
      phases,
      pushes,
      fc.record({ capacity: fc.integer({ min: 5, max: 60 }), concurrency: fc.integer({ min: 1, max: 6 }) }),
      fc.constantFrom("flush" as const, "close" as const, "drain" as const),
      fc.nat(8),
      async (phases, pushes, options, ending, endsBefore) => {
        const service: Service = (pageId, atMs) => {
          let endMs = 0;
          const outcome = phases.find(({ forMs }) => atMs < (endMs += forMs))?.outcome ?? taken;
          return outcome === taken && pageId.endsWith("7") ? { status: 400 } : outcome;
        };
        const bench = setUpQueue(service, options);
        const end = async () => (await bench.queue[ending](ending === "close" ? { timeoutMs: 10_000 } : {})) || [];
        let early: ReturnType<typeof end> | undefined;
        let pushed = 0;
        for (const [index, { count, thenMs }] of pushes.entries()) {
          if (index === endsBefore) early = end();
          pushed += bench.pushAll(count, pushed).length;
          expect(bench.isBalanced()).toBe(true);
          expect(bench.queue.counts.pending).toBeLessThanOrEqual(options.capacity);
          await bench.time.sleep(thenMs, undefined);
        }

        const drained = [(await early) ?? [], await end()].flatMap((events) => (events === true ? [] : events));

        expect(bench.isBalanced()).toBe(true);
        expect(Math.max(0, ...bench.sent.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(options.concurrency);
        const { accepted, delivered, failed, dropped, pending } = bench.queue.counts;
        expect([accepted, pending]).toEqual([pushed, 0]);
        const lost = new Map(bench.losses.map(([{ pageId }, { kind }]) => [pageId, kind]));
        expect(lost.size).toBe(failed + dropped - drained.length);
        const neverSent = [...lost.keys()].filter((pageId) => bench.outcomesOf(pageId).length === 0);
        expect(neverSent.filter((pageId) => lost.get(pageId) === "failed")).toEqual([]);
        // Each event is in exactly one place: delivered, reported as lost, or returned by drain.
        const lostOrBack = new Set([...lost.keys(), ...drained.map(({ pageId }) => pageId)]);
        expect(lostOrBack.size).toBe(lost.size + drained.length);
        expect(delivered + lostOrBack.size).toBe(pushed);
        expect(bench.time.sleeping()).toBe(0);
      },
    ),
    atLeast(60),
  ));
