import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { atLeast } from "../../../.ci/properties.ts";
import { type ClientOptions, type LandingPages, RateLimitError } from "../src/index.ts";
import { fail, failureOf, json, never, scripted, somePage, status, untilIdle } from "./setup.ts";

const limits = (remaining: number, reset: string | number, limit = 100) => ({
  "X-RateLimit-Limit": String(limit),
  "X-RateLimit-Remaining": String(remaining),
  "X-RateLimit-Reset": String(reset),
});
const refusal = (seconds: number) => status(429, { "Retry-After": String(seconds) });
const list = (client: LandingPages, count: number) =>
  Promise.all(Array.from({ length: count }, () => client.pages.list()));
/** Starts calls that may never end. */
const begin = (client: LandingPages, count: number) => void list(client, count).catch(() => undefined);

/** A client whose requests wait until the test responds to the oldest one. */
function manual(options: ClientOptions = {}) {
  const waiting: ((response: Response) => void)[] = [];
  const bench = scripted([() => new Promise<Response>((resolve) => waiting.push(resolve))], options);
  return { ...bench, waiting, respond: (response = json([])) => waiting.shift()?.(response) };
}

/** A client whose requests each take a while, and how many of them were under way at the same time. */
function counting(first: Response[] = [], options: ClientOptions = {}) {
  const counts = { inFlight: 0, most: 0 };
  const slow = async () => {
    counts.most = Math.max(counts.most, (counts.inFlight += 1));
    await untilIdle();
    counts.inFlight -= 1;
    return json([]);
  };
  return { ...scripted([...first, slow], options), counts };
}

test("when nothing is left, calls wait together for the reset", async () => {
  const { client, time, requests } = scripted([
    () => json([], 200, limits(time.now() < resetAtMs ? 0 : 4, Math.ceil(resetAtMs / 1000), 5)),
  ]);
  const resetAtMs = time.now() + 30_000;
  await client.pages.list();

  await list(client, 5);

  expect(time.slept).toEqual([expect.closeTo(30_500, -3)]);
  expect(requests).toHaveLength(6);
});

test("after a 429 the other calls do not get one each, and go out in the order they came", async () => {
  const { client, events, requests, time } = scripted([
    refusal(5),
    () => json([], 200, limits(1, String(time.now() + 1000))),
  ]);

  await Promise.all(Array.from({ length: 20 }, (_, offset) => client.pages.list({ offset })));

  const refused = events.filter((event) => event.type === "response" && event.status === 429);
  expect(refused).toHaveLength(1);
  const offsets = requests.slice(4).map(({ path }) => Number(path.split("=")[1]));
  expect(offsets.filter((offset) => offset >= 4)).toEqual(Array.from({ length: 16 }, (_, index) => index + 4));
});

test("without limits from the service, up to maxInFlight requests are under way, 64 by default", async () => {
  const usual = counting();
  const few = counting([], { maxInFlight: 7 });

  await list(usual.client, 200);
  await list(few.client, 50);

  expect([usual.counts.most, few.counts.most]).toEqual([64, 7]);
});

test("after a 429, calls wait for its Retry-After, and not for a later reset", async () => {
  const refused = status(429, { ...limits(0, "60"), "Retry-After": "5" });
  const { client, time } = scripted([refused, json([], 200, limits(50, "60"))], { retry: false });
  await failureOf(client.pages.list());

  await list(client, 5);

  expect(time.elapsedMs()).toBeLessThan(6000);
});

test.each<[ClientOptions]>([[{ retry: { maxWaitMs: 1000 } }], [{ totalTimeoutMs: 20_000 }]])(
  "a call that would wait too long for %j fails at once and says why",
  async (options) => {
    const { client, requests, events, time } = scripted([refusal(30)], options);
    await failureOf(client.pages.list());

    const error = await failureOf(client.pages.list());

    expect(error).toMatchObject({ status: 429, attempts: [], mayHaveBeenApplied: false, retryAfterMs: 30_500 });
    expect(String(error)).toBe(
      "RateLimitError: List pages was not sent: the rate limit is used up for another 31 s, longer than this call may wait",
    );
    expect(requests).toHaveLength(1);
    expect(time.slept).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "end", attempts: 0, status: undefined });
  },
);

test("a wait of a day does not lock the client for a day, on a 429 or on a success", async () => {
  const refused = scripted([refusal(86_400), json([])]);
  const closing = scripted([() => json([], 200, limits(0, closing.time.now() + 86_400_000))]);

  for (let call = 0; call < 2; call += 1) await failureOf(refused.client.pages.list());
  refused.time.advance(70_000);
  await refused.client.pages.list();
  await list(closing.client, 10);

  expect(refused.requests).toHaveLength(2);
  expect(closing.requests).toHaveLength(10);
  expect(closing.time.slept).toEqual([]);
});

test("a clock that stands still does not keep a call waiting for ever", async () => {
  const { client } = scripted([refusal(5), json([])], { now: () => 1_767_225_600_000, sleep: () => Promise.resolve() });

  await expect(list(client, 2)).resolves.toHaveLength(2);
});

test("clients made by withOptions share the rate limiter, clients with another key or base URL do not", async () => {
  const { client, requests } = scripted([refusal(30), json([])], { retry: { maxWaitMs: 1000 } });
  await failureOf(client.pages.list());

  await expect(client.withOptions({ timeoutMs: 50 }).pages.list()).rejects.toBeInstanceOf(RateLimitError);
  for (const other of [{ apiKey: "test_other" }, { baseUrl: "https://other.example" }])
    await client.withOptions(other).pages.list();
  expect(requests).toHaveLength(3);
  expect(() => client.withOptions({ maxInFlight: 3 })).toThrow(/`maxInFlight` belongs to the rate limiter/);
  expect(() => client.withOptions({ maxInFlight: 3, apiKey: "test_other" })).not.toThrow();
});

test("successes of requests that were sent before a 429 do not let all calls out at once after it", async () => {
  const { client, waiting, respond } = manual();
  begin(client, 200);
  for (let round = 0; waiting.length < 64 && round < 100; round += 1) await untilIdle();

  respond(refusal(5));
  for (let call = 1; call < 64; call += 1) respond();
  for (let round = 0; waiting.length === 0 && round < 100; round += 1) await untilIdle();

  expect(waiting).toHaveLength(1);
});

test("when the deadline of a waiting call passes, the next in line gets its turn", async () => {
  const { client, requests, respond } = manual({ maxInFlight: 4 });
  begin(client, 4);
  const late = failureOf(client.pages.create(somePage, { totalTimeoutMs: 10 }));
  begin(client, 1);

  await late;
  const sentBefore = requests.length;
  respond();
  await untilIdle();

  expect([sentBefore, requests.length]).toEqual([4, 5]);
});

test("no header makes a wait zero, not a number, or longer than maxWaitMs and its rounding", async () => {
  const nowSeconds = Date.UTC(2026, 0, 1) / 1000;
  const value = fc.oneof(
    fc.integer({ min: -10, max: 200 }).map(String),
    fc.integer({ min: -100_000, max: 100_000 }).map((offset) => String(nowSeconds + offset)),
    fc.integer({ min: -200_000, max: 200_000 }).map((offset) => String(nowSeconds * 1000 + offset)),
    fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.constantFrom("", "NaN", "Infinity", "-0", "1e309", "0x10", "1.5", " 7 ", "60", "62", "tomorrow"),
  );
  const remaining = fc.constantFrom("0", "0", "3", "-1");
  const headers = fc.record(
    { "X-RateLimit-Reset": value, "X-RateLimit-Remaining": remaining, "Retry-After": value, Date: value },
    { requiredKeys: [] },
  );
  const codes = fc.constantFrom(200, 429, 429, 500, 503);
  await fc.assert(
    fc.asyncProperty(headers, codes, fc.constantFrom(1000, 60_000), async (sent, code, maxWaitMs) => {
      const { client, time } = scripted([json([], code, sent), json([])], { retry: { maxWaitMs } });

      await Promise.allSettled([1, 2, 3].map(() => client.pages.list()));
      await client.pages.list().catch(() => undefined);

      for (const sleptMs of time.slept) {
        expect(sleptMs).toBeGreaterThan(0);
        expect(sleptMs).toBeLessThanOrEqual(maxWaitMs + Math.min(3000, maxWaitMs / 20));
      }
    }),
    atLeast(100),
  );
});

test.each([
  ["four calls that hang", [], 4],
  ["a call that hangs with the last request that is left", [json([], 200, limits(1, ""))], 1],
])("%s hold up no other call for more than a second", async (_title, first, count) => {
  const responses = [...first, ...Array.from({ length: count }, () => never), json([])];
  const { client, time } = scripted(responses, { timeoutMs: 60_000 });
  await list(client, first.length);
  begin(client, count);
  await untilIdle();

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
  expect(time.elapsedMs()).toBeLessThanOrEqual(1000);
});

const inputs = Array.from({ length: 100 }, () => somePage);

test.each<[string, (client: LandingPages) => unknown]>([
  ["bulk creates", ({ pages }) => pages.createMany(inputs, { concurrency: 100 }).next()],
  ["events of a queue", ({ analytics }) => inputs.map(() => analytics.queue().push({ pageId: "pg_1" }))],
])("a single call goes before a hundred %s that wait", async (_title, start) => {
  const { client, requests, respond } = manual({ maxInFlight: 2 });
  start(client);
  await untilIdle();

  begin(client, 1);
  await untilIdle();
  respond(json({ ...somePage, id: "pg_1" }));
  await untilIdle();

  expect(requests.map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
});

test("single calls without end do not starve a bulk create", async () => {
  const { client, requests, respond } = manual({ maxInFlight: 1 });
  begin(client, 40);
  void client.pages.createMany([somePage]).next();
  for (let round = 0; round < 20; round += 1) {
    await untilIdle();
    respond();
  }

  expect(requests.findIndex(({ method }) => method === "POST")).toBe(9);
});

test("a limit of 0 with 0 left is no limit, and a limit is forgotten when later responses have none", async () => {
  const zero = scripted([json([], 200, limits(0, "60", 0))]);
  const forgotten = counting([json([], 200, limits(2, "60"))]);

  await list(zero.client, 30);
  await forgotten.client.pages.list();
  await list(forgotten.client, 50);

  expect(zero.time.slept).toEqual([]);
  expect(forgotten.counts.most).toBeGreaterThan(10);
  expect(forgotten.client.rateLimit).toMatchObject({ limit: 100, remaining: 2 });
});

test("an error of a gateway, which has no limit headers, does not clear the known limit, and may have counted", async () => {
  const responses = [json([], 200, limits(3, "60")), status(502), never];
  const { client, requests } = scripted(responses, { retry: false, sleep: never });
  await client.pages.list();
  await failureOf(client.pages.list());

  begin(client, 5);
  await untilIdle();

  expect(requests).toHaveLength(4);
});

test.each([
  ["asks for a second", { "Retry-After": "1" }],
  ["resets now", { "X-RateLimit-Reset": "0" }],
])("a 429 that %s holds up no other call, but after it requests go out one at a time", async (_title, headers) => {
  const { client, events, requests, respond } = manual();
  begin(client, 10);
  await untilIdle();

  respond(status(429, headers));
  await untilIdle();

  expect(events.filter(({ type }) => type === "rate-limit")).toEqual([]);
  expect(requests).toHaveLength(4);
});

test("a 429 that names no wait is retried after the backoff alone, also with the smallest maxWaitMs", async () => {
  const retry = { maxWaitMs: 200, maxDelayMs: 200 };
  const { client, events, time } = scripted([status(429), json([])], { retry });

  await client.pages.list();

  const [announced] = events.flatMap((event) => (event.type === "retry" ? [event.delayMs] : []));
  expect(time.slept).toEqual([announced]);
});

test.each(["now", "random"])("a call that fails because `%s` throws holds up no other call", async (name) => {
  const source = vi.fn<() => number>(() => 0.5);
  const onEvent = vi.fn<() => void>().mockImplementationOnce(() => void source.mockImplementationOnce(fail));
  const { client } = scripted([status(500), json([])], { [name]: source, onEvent, maxInFlight: 1 });

  expect(await failureOf(client.pages.list())).toMatchObject({ message: expect.stringContaining("on purpose") });
  expect((await client.pages.list()).data).toEqual([]);
});
