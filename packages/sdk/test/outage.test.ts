import { createMockService } from "@landing-page-service/mock-server";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  AbortedError,
  ApiError,
  type ClientOptions,
  type EventQueueOptions,
  LandingPages,
  type QueuedEvent,
  RateLimitError,
} from "../src/index.ts";
import { type Outcome, isBalanced, setUpQueue, taken } from "./queue-bench.ts";
import { untilIdle } from "./setup.ts";
import { createVirtualTime } from "./virtual-time.ts";

interface Phase {
  readonly forMs: number;
  readonly outcome: Outcome;
}

/** Makes a queue over a service that goes through phases. After them, `afterwards` decides by page. */
function setUp(
  phases: readonly Phase[],
  options: EventQueueOptions = {},
  clientOptions: ClientOptions = {},
  afterwards: (pageId: string) => Outcome = () => taken,
  time = createVirtualTime(),
) {
  const service = (pageId: string, atMs: number) => {
    let endMs = 0;
    const phase = phases.find(({ forMs }) => atMs < (endMs += forMs));
    return phase === undefined || phase.outcome === taken ? afterwards(pageId) : phase.outcome;
  };
  return setUpQueue(service, options, clientOptions, time);
}

test("a thousand events survive a 429 that lasts 90 seconds, and the service gets only a few requests meanwhile", async () => {
  const bench = setUp([{ forMs: 90_000, outcome: { status: 429, headers: { "Retry-After": "90" } } }]);

  const pushed = bench.pushAll(1000);
  await bench.queue.flush();

  expect(pushed.length).toBe(1000);
  expect(bench.queue.counts).toEqual({ accepted: 1000, delivered: 1000, failed: 0, dropped: 0, pending: 0 });
  expect(bench.arrived()).toEqual([...pushed].sort());
  expect(bench.requests.length - 1000).toBeLessThanOrEqual(8);
});

test.each<[string, Outcome]>([
  ["503 without a hint", { status: 503 }],
  ["503 that names a time", { status: 503, headers: { "Retry-After": "2" } }],
  ["500", { status: 500 }],
  ["429 without headers", { status: 429 }],
  ["a key that is not accepted yet", { status: 401 }],
  ["a closed port", "refused"],
])("an hour of %s costs no event, and few requests", async (_title, outcome) => {
  const bench = setUp([{ forMs: 3_600_000, outcome }]);

  const ids = bench.pushAll(100);
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ delivered: 100, failed: 0, dropped: 0 });
  expect(bench.arrived()).toEqual([...ids].sort());
  // A probe about every half a minute, and the same key for each attempt at an event.
  expect(bench.requests.length - 100).toBeLessThan(2 * 120 * 3);
  expect(bench.countKeys()).toBe(100);
  expect(bench.time.sleeping()).toBe(0);
});

test.each<[string, (moveClock: (ms: number) => void) => (ms: number) => Promise<void>]>([
  ["moves the clock", (moveClock) => async (ms) => moveClock(ms)],
  ["ends at once", () => async () => undefined],
])("an outage that does not end leaves others their turn, with a sleep that %s", async (_title, makeSleep) => {
  const account = createMockService().account("test_turns");
  account.faults.add({ endpoint: "trackEvent", status: 503 });
  const sleep = makeSleep((ms) => account.clock.advance(ms));
  const queue = new LandingPages({ ...account.clientOptions, sleep }).analytics.queue();
  queue.push({ pageId: "pg_1" });

  await queue.close({ timeoutMs: 500 });

  expect(queue.counts).toMatchObject({ dropped: 1, pending: 0 });
});

test("during an outage one event at a time is sent to see whether it is over", async () => {
  const bench = setUp([{ forMs: 60_000, outcome: { status: 503, headers: { "Retry-After": "5" } } }]);

  bench.pushAll(20);
  await bench.queue.flush();

  const mostInFlight = (fromMs: number, toMs: number) =>
    Math.max(...bench.requests.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ inFlight }) => inFlight));
  expect(bench.events.some(({ type }) => type === "queue")).toBe(true);
  expect(mostInFlight(5_000, 59_000)).toBe(1);
  expect(mostInFlight(60_000, 120_000)).toBeGreaterThan(1);
});

test("the queue reports what it waits for, and that it has resumed", async () => {
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  const logger = { debug: write, info: write, warn: write };
  const bench = setUp(
    [{ forMs: 57_000, outcome: { status: 429, headers: { "Retry-After": "57" } } }],
    { concurrency: 1 },
    { logger, retry: false },
  );

  bench.pushAll(3);
  await untilIdle();
  const { outage } = bench.queue;
  await bench.queue.flush();

  expect(outage?.error).toBeInstanceOf(RateLimitError);
  expect(outage).toMatchObject({ sinceMs: bench.startMs, probes: 0 });
  expect(bench.queue.outage).toBeUndefined();
  expect(lines.filter((line) => line.includes("queue"))).toEqual([
    expect.stringMatching(/^landing-pages: event queue waits for 5\d s, 3 events pending: .*429/),
    expect.stringMatching(/^landing-pages: event queue resumes after 5\d s, 2 events pending$/),
  ]);
});

test("a poison message fails at once and holds up no other event", async () => {
  const bench = setUp([], { concurrency: 1 }, {}, (pageId) => (pageId === "pg_1" ? { status: 404 } : taken));

  bench.pushAll(5);
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ delivered: 4, failed: 1 });
  expect(bench.losses).toMatchObject([[{ pageId: "pg_1" }, { kind: "failed", error: { status: 404 } }]]);
  expect(bench.time.slept).toEqual([]);
});

test("an hour of 500s costs no event, also where some were delivered before", async () => {
  const bench = setUp([
    { forMs: 1_000, outcome: taken },
    { forMs: 3_600_000, outcome: { status: 500 } },
  ]);

  bench.pushAll(20);
  await bench.time.sleep(5_000, undefined);
  bench.pushAll(20, 20);
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ delivered: 40, failed: 0 });
});

test("no event is lost while the key function fails", async () => {
  const time = createVirtualTime();
  const healthyAtMs = time.now() + 60_000;
  const apiKey = () => {
    if (time.now() < healthyAtMs) throw new Error("vault sealed");
    return "test_sdk";
  };
  const bench = setUp([], {}, { apiKey }, undefined, time);

  bench.pushAll(10);
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ delivered: 10, failed: 0 });
});

test("close ends in time in the middle of an outage, and events that were never sent are dropped with the reason", async () => {
  const bench = setUp([{ forMs: 3_600_000, outcome: { status: 503 } }]);

  bench.pushAll(50);
  await bench.queue.close({ timeoutMs: 5_000 });

  expect(bench.time.now() - bench.startMs).toBe(5_000);
  expect(bench.queue.counts).toEqual({ accepted: 50, delivered: 0, failed: 0, dropped: 50, pending: 0 });
  expect(bench.losses).toHaveLength(50);
  expect(bench.losses[0]?.[1]).toMatchObject({ kind: "timeout", error: { status: 503 } });
  expect(bench.time.sleeping()).toBe(0);
});

test("drain returns plain data that another queue delivers, each event once", async () => {
  const bench = setUp([{ forMs: 60_000, outcome: { status: 500 } }]);
  const ids = bench.pushAll(30);
  await untilIdle();

  const left = await bench.queue.drain();
  const late = bench.queue.push({ pageId: "pg_late" });
  await bench.time.sleep(60_000, undefined);
  const second = bench.client.analytics.queue();
  for (const event of JSON.parse(JSON.stringify(left)) as QueuedEvent[]) second.push(event);
  await second.close();

  expect(left.map(({ pageId }) => pageId).sort()).toEqual([...ids].sort());
  expect(late).toBe(false);
  expect(bench.queue.counts).toEqual({ accepted: 31, delivered: 0, failed: 0, dropped: 31, pending: 0 });
  expect(second.counts).toMatchObject({ accepted: 30, delivered: 30 });
  expect(bench.arrived()).toEqual([...ids].sort());
  expect(bench.requests.every(({ body }) => !body.includes("idempotencyKey"))).toBe(true);
  expect(bench.countKeys()).toBe(30);
});

test("a second drain returns nothing, and a drain of an idle queue does not wait", async () => {
  const bench = setUp([{ forMs: 60_000, outcome: { status: 503 } }]);
  const idle = bench.client.analytics.queue();
  bench.pushAll(3);

  const [first, second] = await Promise.all([bench.queue.drain(), bench.queue.drain()]);

  expect([first.length, second.length]).toEqual([3, 0]);
  expect(await idle.drain()).toEqual([]);
});

test("the signal of a queue ends it at once, and every event that is lost is reported", async () => {
  const aborter = new AbortController();
  const bench = setUp([{ forMs: 60_000, outcome: { status: 503 } }], { signal: aborter.signal });
  bench.pushAll(10);
  await untilIdle();

  aborter.abort(new Error("enough"));
  await bench.queue.flush();

  expect(bench.queue.counts).toMatchObject({ pending: 0, dropped: 10, failed: 0 });
  expect(bench.losses.every(([, { kind, error }]) => kind === "aborted" && AbortedError.is(error))).toBe(true);
  expect(bench.queue.push({ pageId: "pg_late" })).toBe(false);
});

test("options of a queue apply to its calls", async () => {
  const bench = setUp([], { headers: { "X-Team": "growth" } });

  bench.pushAll(1);
  await bench.queue.flush();

  expect(bench.requests[0]?.headers.get("X-Team")).toBe("growth");
});

const outcomes = fc.oneof(
  fc.record({
    status: fc.constantFrom(401, 403, 429, 500, 503),
    headers: fc.oneof(
      fc.constant({}),
      fc.integer({ min: 0, max: 600 }).map((seconds) => ({ "Retry-After": String(seconds) })),
      fc
        .record({ limit: fc.integer({ min: 1, max: 9 }), reset: fc.integer({ min: 0, max: 90 }) })
        .map(({ limit, reset }) => ({
          "X-RateLimit-Limit": String(limit),
          "X-RateLimit-Remaining": "0",
          "X-RateLimit-Reset": String(reset),
        })),
    ),
  }),
  fc.record({ status: fc.constantFrom(302, 408, 425, 499, 500, 502, 504) }),
  fc.constantFrom("refused" as const, "reset" as const),
);

test("over any outages, everything is accounted for, and an event that was never sent is never failed", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ forMs: fc.integer({ min: 1, max: 200_000 }), outcome: fc.oneof(outcomes, fc.constant(taken)) }),
        {
          maxLength: 8,
        },
      ),
      fc.array(fc.record({ count: fc.integer({ min: 1, max: 12 }), thenMs: fc.integer({ min: 0, max: 60_000 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.record({ capacity: fc.integer({ min: 5, max: 60 }), concurrency: fc.integer({ min: 1, max: 6 }) }),
      fc.constantFrom("flush" as const, "close" as const, "drain" as const),
      fc.nat(8),
      async (phases, pushes, options, ending, endsBefore) => {
        const bench = setUp(phases, options, {}, (pageId) => (pageId.endsWith("7") ? { status: 400 } : taken));
        const end = async () => {
          if (ending === "close") await bench.queue.close({ timeoutMs: 10_000 });
          else if (ending === "flush") await bench.queue.flush();
          return ending === "drain" ? bench.queue.drain() : [];
        };
        let early: Promise<QueuedEvent[]> | undefined;
        let pushed = 0;
        for (const [index, { count, thenMs }] of pushes.entries()) {
          if (index === endsBefore) early = end();
          pushed += bench.pushAll(count, pushed).length;
          expect(isBalanced(bench)).toBe(true);
          expect(bench.queue.counts.pending).toBeLessThanOrEqual(options.capacity);
          await bench.time.sleep(thenMs, undefined);
        }

        const drained = [...((await early) ?? []), ...(await end())];

        expect(isBalanced(bench)).toBe(true);
        expect(Math.max(0, ...bench.requests.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(options.concurrency);
        const { accepted, delivered, failed, dropped, pending } = bench.queue.counts;
        expect(accepted).toBe(pushed);
        expect(pending).toBe(0);
        const lost = new Map(bench.losses.map(([{ pageId }, reason]) => [pageId, reason]));
        expect(lost.size).toBe(failed + dropped - drained.length);
        // A failed event was refused for its own error, or its outcome is unknown.
        const unexplained = [...lost].filter(([pageId, { kind, error }]) => {
          const isOwn = ApiError.is(error) && error.status >= 400 && error.status < 500;
          return kind === "failed" && !isOwn && !bench.metBy(pageId).some(isAmbiguous);
        });
        expect(unexplained).toEqual([]);
        // Each event is in exactly one place: delivered, reported as lost, or returned by drain.
        const lostOrBack = new Set([...lost.keys(), ...drained.map(({ pageId }) => pageId)]);
        expect(lostOrBack.size).toBe(lost.size + drained.length);
        expect(delivered + lostOrBack.size).toBe(pushed);
        expect(bench.time.sleeping()).toBe(0);
      },
    ),
    { seed: 13, numRuns: 60 },
  ));

/** Outcomes of an attempt: those that the queue waits out, refusals of the event itself, and ambiguous ones. */
const waitedOut = fc.constantFrom<Outcome>(
  "refused",
  { status: 500 },
  { status: 503 },
  { status: 503, headers: { "Retry-After": "3" } },
  { status: 429 },
  { status: 429, headers: { "Retry-After": "7" } },
  { status: 401 },
  { status: 425 },
);
const refusals = fc.constantFrom<Outcome>({ status: 400 }, { status: 404 }, { status: 413 }, { status: 422 });
const ambiguousStatuses = [302, 408, 499, 502, 504];
const ambiguous = fc.constantFrom<Outcome>("reset", ...ambiguousStatuses.map((status) => ({ status })));

test("in any order of failures, an event fails only if it is refused itself or its outcome is ambiguous, and the error says whether it may have been stored", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc
          .tuple(fc.array(waitedOut, { maxLength: 7 }), fc.oneof(fc.constant(taken), refusals, ambiguous))
          .map(([script, last]) => script.concat(last)),
        { minLength: 1, maxLength: 6 },
      ),
      fc.constantFrom("documented" as const, "safe" as const, "always" as const),
      fc.constantFrom("flush" as const, "drain" as const, "close" as const, "abort" as const),
      fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: 200_000 })),
      async (scripts, writes, ending, afterMs) => {
        const left = new Map(scripts.map((script, index) => [`pg_${index}`, [...script]]));
        const aborter = new AbortController();
        const options = { concurrency: 3, signal: aborter.signal };
        const bench = setUp([], options, { retry: { writes } }, (pageId) => left.get(pageId)?.shift() ?? taken);
        bench.pushAll(scripts.length);

        if (ending === "flush") await bench.queue.flush();
        else await bench.time.sleep(afterMs, undefined);
        if (ending === "abort") aborter.abort();
        const drained = ending === "drain" ? await bench.queue.drain() : [];
        await bench.queue.close({ timeoutMs: 0 });

        const lost = new Map(bench.losses.map(([event, reason]) => [event.pageId, { event, ...reason }]));
        const back = new Map(drained.map((event) => [event.pageId, event]));
        const endKind = { flush: undefined, drain: undefined, close: "timeout", abort: "aborted" }[ending];
        for (const pageId of left.keys()) {
          const met = bench.metBy(pageId);
          const { event = back.get(pageId), kind, error } = lost.get(pageId) ?? {};
          const hasFailed = met.some((outcome) => isRefusal(outcome) || isFinal(outcome, writes));
          const keptKind = met.at(-1) === taken ? undefined : endKind;
          expect([pageId, kind]).toEqual([pageId, hasFailed ? "failed" : keptKind]);
          // A returned event keeps its idempotency key if the service may have stored it.
          const mayHaveArrived = met.some((outcome) => isUnknown(outcome) || statusOf(outcome) >= 500);
          expect(event?.idempotencyKey !== undefined).toBe(event !== undefined && mayHaveArrived);
          // An event that was never sent is dropped because of another event's error, or of none.
          const isOwnError = error !== undefined && (met.length > 0 || kind === "aborted");
          expect(isOwnError ? error : {}).toMatchObject(isOwnError ? { mayHaveBeenApplied: mayHaveArrived } : {});
        }
        expect(bench.queue.counts).toMatchObject({ delivered: bench.arrived().length, pending: 0 });
      },
    ),
    { seed: 13, numRuns: 100 },
  ));

function statusOf(outcome: Outcome): number {
  return typeof outcome === "string" ? 0 : outcome.status;
}

/** Whether an attempt may have been carried out, so the caller's `writes` forbids a repeat. */
function isFinal(outcome: Outcome, writes: "documented" | "safe" | "always"): boolean {
  const status = statusOf(outcome);
  if (writes === "always") return [302, 499].includes(status);
  return isUnknown(outcome) || (writes === "safe" && [500, 503].includes(status));
}

function isRefusal(outcome: Outcome): boolean {
  return [400, 404, 413, 422].includes(statusOf(outcome));
}

function isUnknown(outcome: Outcome): boolean {
  return typeof outcome === "string" ? outcome === "reset" : ambiguousStatuses.includes(outcome.status);
}

function isAmbiguous(outcome: Outcome): boolean {
  return outcome === "reset" || (statusOf(outcome) >= 300 && ![401, 403, 425, 429].includes(statusOf(outcome)));
}
