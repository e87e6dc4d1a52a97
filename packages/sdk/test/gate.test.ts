import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { RateLimitError } from "../src/index.ts";
import { failureOf, json, scripted, setUp, somePage, status, untilIdle } from "./setup.ts";

const nothingLeft = { "X-RateLimit-Limit": "9", "X-RateLimit-Remaining": "0" };
const hang = () => new Promise<Response>(() => undefined);

function createPages(client: ReturnType<typeof setUp>["client"], count: number) {
  return Promise.all(
    Array.from({ length: count }, (_, index) => client.pages.create({ ...somePage, slug: `page-${index}` })),
  );
}

test("50 calls at once under a limit of 10 per window all succeed, with fewer than 5 answers of 429", async () => {
  const { client, statuses } = setUp({ plan: { limit: 10, windowMs: 10_000 } });

  const pages = await createPages(client, 50);

  expect(new Set(pages.map(({ id }) => id)).size).toBe(50);
  expect(statuses().filter((code) => code === 429).length).toBeLessThan(5);
  expect(statuses().filter((code) => code === 201)).toHaveLength(50);
});

test("the same holds when somebody else uses up the same limit", async () => {
  const { client, statuses } = setUp({ plan: { limit: 10, windowMs: 10_000 } });
  const other = client.withOptions({ apiKey: "test_sdk", onEvent: () => undefined });

  await Promise.all([createPages(client, 20), createPages(other, 20)]);

  expect(statuses().filter((code) => code === 201)).toHaveLength(20);
  expect(statuses().filter((code) => code === 429).length).toBeLessThan(10);
});

test.each([
  ["seconds from now", (resetAtMs: number, nowMs: number) => Math.ceil((resetAtMs - nowMs) / 1000)],
  ["seconds since 1970", (resetAtMs: number) => Math.ceil(resetAtMs / 1000)],
  ["milliseconds since 1970", (resetAtMs: number) => resetAtMs],
])("when nothing is left, calls wait together for a reset told in %s", async (_unit, writeReset) => {
  const { client, time, requests } = scripted([
    () => {
      const headers = { "X-RateLimit-Limit": "5", "X-RateLimit-Reset": String(writeReset(resetAtMs, time.now())) };
      return json([], 200, { ...headers, "X-RateLimit-Remaining": time.now() < resetAtMs ? "0" : "4" });
    },
  ]);
  const resetAtMs = time.now() + 30_000;
  await client.pages.list();

  await Promise.all(Array.from({ length: 5 }, () => client.pages.list()));

  expect(time.slept).toHaveLength(1);
  expect(time.slept[0]).toBeGreaterThan(30_000);
  expect(time.slept[0]).toBeLessThanOrEqual(31_000);
  expect(requests).toHaveLength(6);
});

test("after a 429 the other calls do not fetch their own", async () => {
  const { client, events } = scripted([status(429, { "Retry-After": "5" }), json([])]);

  await Promise.all(Array.from({ length: 40 }, () => client.pages.list()));

  const refused = events.filter((event) => event.type === "response" && event.status === 429);
  expect(refused).toHaveLength(1);
});

test("calls waiting at the gate are let go in the order they came", async () => {
  const { client, requests, time } = scripted([
    status(429, { "Retry-After": "5" }),
    () => json([], 200, { "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": String(time.now() + 1_000) }),
  ]);

  await Promise.all(Array.from({ length: 20 }, (_, offset) => client.pages.list({ offset })));

  const offsets = requests.slice(4).map(({ path }) => Number(path.split("=")[1]));
  expect(offsets.filter((offset) => offset >= 4)).toEqual(Array.from({ length: 16 }, (_, index) => index + 4));
});

test("a service that tells nothing about limits is soon asked by all calls at once", async () => {
  let inFlight = 0;
  let most = 0;
  const { client } = scripted([
    async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return json([]);
    },
  ]);

  await Promise.all(Array.from({ length: 200 }, () => client.pages.list()));

  expect(most).toBe(64);
});

test("a call that would have to wait longer than it may is held back at once, and sends nothing", async () => {
  const { client, requests } = scripted([status(429, { "Retry-After": "30" })], { retry: { maxWaitMs: 1000 } });
  await failureOf(client.pages.list());

  const error = await failureOf(client.pages.list());

  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ status: 429, attempts: [], mayHaveBeenApplied: false, retryAfterMs: 30_000 });
  expect(String(error)).toBe(
    "RateLimitError: List pages was not sent: the rate limit is used up for another 30 s, longer than this call may wait",
  );
  expect(requests).toHaveLength(1);
});

test("a day asked for in error does not lock the client for a day", async () => {
  const { client, requests, time } = scripted([status(429, { "Retry-After": "86400" }), json([])]);
  await failureOf(client.pages.list());
  await failureOf(client.pages.list());

  time.advance(70_000);

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
  expect(requests).toHaveLength(3);
});

test("a response that says the limit is used up for a day is ignored, and the next call is sent", async () => {
  const { client, requests, time } = scripted([
    () => json([], 200, { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(time.now() + 86_400_000) }),
  ]);

  await Promise.all(Array.from({ length: 10 }, () => client.pages.list()));

  expect(requests).toHaveLength(10);
  expect(time.slept).toEqual([]);
});

test("a clock that stands still does not keep a call waiting for ever", async () => {
  const { client } = scripted([status(429, { "Retry-After": "5" }), json([])], {
    now: () => 1_767_225_600_000,
    sleep: () => Promise.resolve(),
  });

  await expect(Promise.all([client.pages.list(), client.pages.list()])).resolves.toHaveLength(2);
});

test("aborting a call at the gate lets it go at once, and leaves no timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { client, requests } = scripted([status(429, { "Retry-After": "30" })], { sleep: undefined });
  const controller = new AbortController();
  const waiting = [
    client.pages.list({}, { signal: controller.signal }),
    client.pages.list({}, { signal: controller.signal }),
  ];
  const failures = Promise.all(waiting.map(failureOf));
  await untilIdle();
  expect(vi.getTimerCount()).toBeGreaterThan(0);

  controller.abort(new Error("enough"));

  await expect(failures).resolves.toMatchObject([
    { name: "AbortError", cause: new Error("enough") },
    { name: "AbortError", cause: new Error("enough") },
  ]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  expect(requests.length).toBeLessThanOrEqual(2);
});

test("clients made by withOptions wait at the same gate, another account's do not", async () => {
  const { client, requests } = scripted([status(429, { "Retry-After": "30" }), json([])], {
    retry: { maxWaitMs: 1000 },
  });
  await failureOf(client.pages.list());

  await expect(client.withOptions({ timeoutMs: 50 }).pages.list()).rejects.toBeInstanceOf(RateLimitError);
  await expect(client.withOptions({ apiKey: "test_other" }).pages.list()).resolves.toMatchObject({ data: [] });
  expect(requests).toHaveLength(2);
});

test("the gate reports when it closes and opens", async () => {
  const { client, events, time } = scripted([status(429, { "Retry-After": "5" }), json([])]);
  const startMs = time.now();

  await client.pages.list();

  expect(events.filter(({ type }) => type === "rate-limit")).toMatchObject([
    { state: "closed", untilMs: startMs + 5375, waiting: 0 },
    { state: "open", waiting: 1 },
  ]);
});

test("answers to requests sent before a 429 do not let everybody out at once after it", async () => {
  const underWay: ((answer: Response) => void)[] = [];
  let sentAfter = 0;
  let sentBeforeFirstAnswer: number | undefined;
  const { client } = scripted([
    async () => {
      if (underWay.length < 64) return new Promise<Response>((resolve) => underWay.push(resolve));
      sentAfter += 1;
      await new Promise((resolve) => setImmediate(resolve));
      sentBeforeFirstAnswer ??= sentAfter;
      return json([]);
    },
  ]);
  const calls = Array.from({ length: 200 }, () => client.pages.list());
  await vi.waitUntil(() => underWay.length === 64);
  const [first, ...others] = underWay;

  first?.(status(429, { "Retry-After": "5" }));
  for (const answer of others) answer(json([]));

  await expect(Promise.all(calls)).resolves.toHaveLength(200);
  expect(sentBeforeFirstAnswer).toBe(1);
});

test("answers that are none do not use up the passes of the gate", async () => {
  const odd: unknown[] = [{ status: 200 }, { status: 200, body: null }, { status: 200, ok: true, body: null }, 5, null];
  const { client } = scripted([json([])], { fetch: async () => (odd.length > 0 ? odd.shift() : json([])) as Response }); // why: plain JavaScript may give anything

  for (let call = 0; call < 5; call += 1) {
    await expect(client.pages.list({}, { retry: false })).rejects.toMatchObject({ name: "ConfigurationError" });
  }

  const five = Array.from({ length: 5 }, () => client.pages.list({}, { totalTimeoutMs: 1000 }));
  await expect(Promise.all(five)).resolves.toHaveLength(5);
});

test("a call whose deadline comes while it waits at the gate was not sent, and the next in line gets its turn", async () => {
  const underWay: ((answer: Response) => void)[] = [];
  const { client, requests } = scripted([() => new Promise<Response>((resolve) => underWay.push(resolve))], {
    maxInFlight: 4,
  });
  const passed = Array.from({ length: 4 }, () => client.pages.list());
  const late = failureOf(client.pages.create(somePage, { totalTimeoutMs: 10 }));
  const next = client.pages.list();

  const error = await late;

  expect(error).toMatchObject({
    name: "TimeoutError",
    limit: "totalTimeoutMs",
    attempts: [],
    mayHaveBeenApplied: false,
  });
  expect(requests).toHaveLength(4);
  underWay.splice(0).forEach((answer) => answer(json([])));
  await vi.waitUntil(() => underWay.length > 0);
  underWay.splice(0).forEach((answer) => answer(json([])));
  await expect(Promise.all([...passed, next])).resolves.toHaveLength(5);
});

test("no header makes a wait at the gate zero, not a number, or longer than maxWaitMs and its rounding", async () => {
  const nowSeconds = Date.UTC(2026, 0, 1) / 1000;
  const value = fc.oneof(
    fc.integer({ min: -10, max: 200 }).map(String),
    fc.constantFrom("1", "2", "60", "61", "62", "63", "64"),
    fc.integer({ min: -200, max: 200 }).map((offset) => String(nowSeconds + offset)),
    fc.integer({ min: -200_000, max: 200_000 }).map((offset) => String(nowSeconds * 1000 + offset)),
    fc.constantFrom("", "NaN", "-0", "1e309", "0x10", "1.5", "9".repeat(16), "9".repeat(40), "tomorrow"),
  );
  const remaining = fc.constantFrom("0", "0", "3", "-1");
  const answerHeaders = fc.record(
    { "X-RateLimit-Reset": value, "X-RateLimit-Remaining": remaining, "Retry-After": value, Date: value },
    { requiredKeys: [] },
  );

  await fc.assert(
    fc.asyncProperty(
      answerHeaders,
      fc.constantFrom(200, 429),
      fc.constantFrom(1000, 60_000),
      async (headers, code, maxWaitMs) => {
        const first = code === 200 ? json([], 200, headers) : status(code, headers);
        const { client, time } = scripted([first, json([])], { retry: { maxWaitMs } });

        await Promise.allSettled([client.pages.list(), client.pages.list(), client.pages.list()]);
        await Promise.allSettled([client.pages.list()]);

        for (const sleptMs of time.slept) {
          expect(sleptMs).toBeGreaterThan(0);
          expect(sleptMs).toBeLessThanOrEqual(maxWaitMs + Math.min(3000, maxWaitMs / 20));
        }
      },
    ),
  );
});

test("four calls that hang do not hold up a fifth", async () => {
  const { client, requests } = scripted([hang, hang, hang, hang, json([])]);
  for (let call = 0; call < 4; call += 1) void client.pages.list().catch(() => undefined);
  await untilIdle();

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
  expect(requests).toHaveLength(5);
});

test("a call that hangs does not keep the last request that is left from the others for ever", async () => {
  const left = json([], 200, { "X-RateLimit-Remaining": "1" });
  const { client, time } = scripted([left, hang, left]);
  const startMs = time.now();
  await client.pages.list();
  void client.pages.list().catch(() => undefined);
  await untilIdle();

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
  expect(time.now() - startMs).toBe(1000);
});

test("never more than maxInFlight calls are under way, however long they take", async () => {
  let inFlight = 0;
  let most = 0;
  const { client } = scripted(
    [
      async () => {
        most = Math.max(most, (inFlight += 1));
        await untilIdle();
        inFlight -= 1;
        return json([]);
      },
    ],
    { maxInFlight: 7 },
  );

  await Promise.all(Array.from({ length: 50 }, () => client.pages.list()));

  expect(most).toBe(7);
});

test("with a thousand bulk creates waiting, a single call is next", async () => {
  const answers: (() => void)[] = [];
  const { client, requests } = scripted(
    [
      () => {
        const body = requests.at(-1)?.method === "GET" ? [] : { ...somePage, id: "pg_1" };
        return new Promise<Response>((resolve) => answers.push(() => resolve(json(body))));
      },
    ],
    { maxInFlight: 2 },
  );
  const bulk = client.pages.createMany(
    Array.from({ length: 1000 }, () => somePage),
    { concurrency: 1000 },
  );
  const first = bulk.next();
  await untilIdle();
  expect(requests).toHaveLength(2);

  const single = client.pages.list();
  await untilIdle();
  answers.shift()?.();
  await untilIdle();

  expect(requests.map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
  while (answers.length > 0) {
    answers.shift()?.();
    await untilIdle();
    if (requests.length > 20) break;
  }
  await expect(single).resolves.toMatchObject({ data: [] });
  await expect(first).resolves.toMatchObject({ done: false });
});

test("single calls without end do not keep a bulk create from ever having its turn", async () => {
  const answers: (() => void)[] = [];
  const { client, requests } = scripted(
    [() => new Promise<Response>((resolve) => answers.push(() => resolve(json([]))))],
    { maxInFlight: 1 },
  );
  for (let call = 0; call < 40; call += 1) void client.pages.list().catch(() => undefined);
  void client.pages.createMany([somePage]).next();
  for (let round = 0; round < 20; round += 1) {
    await untilIdle();
    answers.shift()?.();
  }

  expect(requests.findIndex(({ method }) => method === "POST")).toBe(9);
});

test("successes that say 0 of 0 are no limit", async () => {
  const { client, time } = scripted([
    () => json([], 200, { "X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60" }),
  ]);

  await Promise.all(Array.from({ length: 30 }, () => client.pages.list()));

  expect(time.slept).toEqual([]);
});

test("what headers said is forgotten when later answers say nothing", async () => {
  let inFlight = 0;
  let most = 0;
  const { client } = scripted([
    json([], 200, { "X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "2", "X-RateLimit-Reset": "60" }),
    async () => {
      most = Math.max(most, (inFlight += 1));
      await untilIdle();
      inFlight -= 1;
      return json([]);
    },
  ]);
  await client.pages.list();

  await Promise.all(Array.from({ length: 50 }, () => client.pages.list()));

  expect(most).toBeGreaterThan(10);
});

test("a response from something on the way that has no limit does not clear the known one", async () => {
  const { client, requests } = scripted(
    [
      json([], 200, { "X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "60" }),
      status(502),
      hang,
    ],
    { retry: false, sleep: () => new Promise(() => undefined) },
  );
  await client.pages.list();
  await failureOf(client.pages.list());

  for (let call = 0; call < 5; call += 1) void client.pages.list().catch(() => undefined);
  await untilIdle();

  expect(requests).toHaveLength(3);
});

test("an option that belongs to the gate is refused where the gate is shared", () => {
  const { client } = scripted([json([])]);

  expect(() => client.withOptions({ maxInFlight: 3 })).toThrow(/`maxInFlight` belongs to the rate limiter/);
  expect(() => client.withOptions({ maxInFlight: 3, apiKey: "test_other" })).not.toThrow();
});

test("what headers said of the limit is not believed again when their body ends, long after", async () => {
  const body = new TransformStream();
  const stop = new AbortController();
  const { client, time } = scripted([
    () => new Response(body.readable, { headers: { ...nothingLeft, "X-RateLimit-Reset": "30" } }),
    json([], 200, { ...nothingLeft, "X-RateLimit-Remaining": "8" }),
    hang,
    json([], 200),
  ]);
  const stalled = failureOf(client.pages.list());
  await untilIdle();
  await client.pages.list();
  await body.writable.close();
  await stalled;

  const hung = failureOf(client.pages.list({}, { signal: stop.signal }));
  await client.pages.list();
  stop.abort();
  await hung;

  expect(time.slept.filter((ms) => ms > 1000)).toHaveLength(1);
});
