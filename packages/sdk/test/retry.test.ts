import { describe, expect, test } from "vitest";
import { type LandingPages, planRetry, type RetryPolicy, type RetryQuestion, type WriteOptions } from "../src/index.ts";
import { connectionRefused, connectionReset, failureOf, json, outcomeOf, scripted, somePage, status } from "./setup.ts";

const policy: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 500,
  maxDelayMs: 8000,
  maxWaitMs: 60_000,
  writes: "documented",
};
const nowMs = Date.UTC(2026, 0, 1);
const seconds = nowMs / 1000;
const httpDate = (inSeconds: number) => new Date(nowMs + inSeconds * 1000).toUTCString();
const after = (wait: string | number) => ({ "Retry-After": String(wait) });
const reset = (at: string | number) => ({ "X-RateLimit-Reset": String(at) });
const left = (count: string) => ({ "X-RateLimit-Remaining": count });
const record = { id: "pg_1", ...somePage, domains: [] };
const timestamp = "2026-01-01T00:00:00Z";

function response(code: number, headers: Record<string, string> = {}, receivedAtMs = nowMs) {
  return { kind: "answer", status: code, headers: new Headers(headers), receivedAtMs } as const;
}

function plan(changes: Partial<RetryQuestion> = {}) {
  const question = { method: "GET", attempt: 1, policy, nowMs, leftMs: 120_000, tokens: 500, random: 0.5 } as const;
  return planRetry({ ...question, failure: response(500), ...changes });
}

describe("the decision to retry", () => {
  const statuses = [400, 401, 404, 408, 409, 429, 500, 501, 502, 503, 504];
  const failures: Record<string, RetryQuestion["failure"]> = {
    ...Object.fromEntries(statuses.map((code) => [code, response(code)])),
    "503 with Retry-After": response(503, after(1)),
    unsent: { kind: "unsent" },
    broken: { kind: "broken" },
    timeout: { kind: "timeout" },
    "timeout before it was sent": { kind: "timeout", isSent: false },
  };
  const unsent = ["unsent", "timeout before it was sent"];
  const all = ["408", "429", "500", "502", "503", "504", "503 with Retry-After", "broken", "timeout", ...unsent];

  test.each([
    ["GET", "documented", all],
    ["PUT", "documented", all],
    ["DELETE", "documented", all],
    ["GET", "safe", all],
    ["POST", "documented", ["429", "500", "503 with Retry-After", ...unsent]],
    ["POST", "safe", ["429", ...unsent]],
    ["POST", "always", all],
  ] as const)("%s with writes: %j", (method, writes, expected) => {
    const retried = Object.entries(failures)
      .filter(([, failure]) => plan({ method, failure, policy: { ...policy, writes } }).retry)
      .map(([name]) => name);

    expect(new Set(retried)).toEqual(new Set<string>(expected));
  });

  const clockAhead = { Date: httpDate(3600) };
  const cachedDate = { Date: httpDate(-3 * 86_400) };

  test.each([
    ["Retry-After in seconds, before the reset", response(429, { ...after(7), ...reset(30) }), 7000],
    ["Retry-After of any failure", response(503, after(7)), 7000],
    ["Retry-After with a fraction", response(429, after(2.5)), 2500],
    ["Retry-After as a date", response(429, after(httpDate(9))), 9000],
    ["Retry-After by a clock that is an hour ahead", response(429, { ...after(httpDate(3609)), ...clockAhead }), 9000],
    ["Retry-After as a date beside a Date from a cache", response(503, { ...after(httpDate(9)), ...cachedDate }), 9000],
    ["Retry-After since the headers arrived", response(503, after(7), nowMs - 3000), 4000],
    ["Retry-After that two proxies sent", response(503, after("7, 7")), 7000],
    ["Retry-After of 0 on a 429: until the second is over", response(429, after(0)), 1000],
    ["a reset", response(429, reset(12)), 12_000],
    ["a reset beside a Retry-After that is past", response(429, { ...after(httpDate(-9)), ...reset(12) }), 12_000],
    ["a reset beside a Retry-After of three years", response(429, { ...after(94_867_200), ...reset(12) }), 12_000],
    ["a reset by a clock that is an hour ahead", response(429, { ...reset(seconds + 3610), ...clockAhead }), 10_000],
    ["a reset on a 500 when nothing is left", response(500, { ...reset(12), ...left("0") }), 12_000],
    ["a reset that was a second ago: until the second is over", response(429, reset(seconds - 1)), 1000],
    ["a reset of 1 beside a Retry-After of 0", response(429, { ...after(0), ...reset(1) }), 1000],
  ])("waits as the service asks, plus jitter: %s", (_title, failure, askedMs) => {
    const jitterMs = Math.min(250 + askedMs / 10, 1000);

    // The least random number gives the longest wait, so that no wait is without jitter.
    for (const random of [0, 0.5]) {
      const delayMs = askedMs + Math.ceil((1 - random) * jitterMs);
      expect(plan({ failure, random })).toMatchObject({ retry: true, asked: true, delayMs });
    }
  });

  test.each<[string, RetryQuestion["failure"], number, number]>([
    ["a broken connection", { kind: "broken" }, 250, 14],
    ["a 429 without headers", response(429), 500, 5],
    ["a 429 whose reset is past", response(429, reset(seconds - 5)), 500, 5],
    ["a Retry-After that is a word", response(429, after("soon 5")), 500, 5],
    ["a Retry-After of 0, long before the reset", response(429, { ...after(0), ...reset(30) }), 500, 5],
    ["a Retry-After of 0 on a 503", response(503, after(0)), 250, 14],
    ["a reset on a 500 while requests are left", response(500, { ...reset(12), ...left("3") }), 250, 14],
    ["a reset of now on a 500", response(500, { ...reset(0), ...left("0") }), 250, 14],
  ])("backs off by itself after %s", (_title, failure, delayMs, cost) => {
    expect(plan({ failure })).toEqual({ retry: true, asked: false, delayMs, cost });
  });

  test("the backoff doubles with every attempt up to maxDelayMs, and is never below 50 ms", () => {
    const many = { ...policy, maxAttempts: 100 };
    const plans = [1, 2, 3, 4, 5, 6, 50].map((attempt) => plan({ attempt, policy: many, random: 0.999_999 }));

    expect(plans.map((each) => each.retry && each.delayMs)).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
    expect(plan({ random: 0 })).toMatchObject({ delayMs: 50 });
    for (const outOfRange of [Number.NaN, -1, 1]) expect(plan({ random: outOfRange })).toMatchObject({ delayMs: 250 });
  });

  test("an attempt after which the service asks for a wait does not count, and a 429 that does costs no tokens", () => {
    expect(plan({ attempt: 50, failure: response(429, after(1)), tokens: 0 })).toMatchObject({ retry: true, cost: 0 });
    expect(plan({ attempt: 50, failure: response(503, after(1)) })).toMatchObject({ retry: true, cost: 14 });
    expect(plan({ tokens: 4, failure: response(429) })).toMatchObject({ retry: false, reason: "budget" });
  });

  test.each<[string, Partial<RetryQuestion>, object]>([
    ["a wait above maxWaitMs", { failure: response(429, after(3600)) }, { reason: "wait", retryAfterMs: 3_600_000 }],
    ["a wait beyond the deadline", { failure: response(429, after(20)), leftMs: 10_000 }, { reason: "wait" }],
    ["a backoff that ends at the deadline", { leftMs: 250 }, { reason: "wait" }],
    ["the last attempt", { attempt: 3 }, { reason: "attempts" }],
    ["the last attempt of a 429 without a wait", { attempt: 3, failure: response(429) }, { reason: "attempts" }],
    ["an empty budget", { tokens: 13 }, { reason: "budget" }],
    ["a refusal", { failure: response(400) }, { reason: "final" }],
  ])("no retry after %s", (_title, changes, expected) => {
    expect(plan(changes)).toMatchObject({ retry: false, ...expected });
  });

  test("the only attempt that is allowed is not repeated, and says when to come back", () => {
    const once = plan({ policy: { ...policy, maxAttempts: 1 }, failure: response(429, after(20)) });

    expect(once).toMatchObject({ retry: false, reason: "attempts", retryAfterMs: 20_000 });
  });

  test("a call waits for a window of exactly maxWaitMs, although rounding to whole seconds makes it look longer", () => {
    const [plan61, plan63] = [61, 63].map((count) => plan({ failure: response(429, reset(seconds + count)) }));

    expect(plan61).toMatchObject({ retry: true, delayMs: 60_000 });
    expect(plan63).toMatchObject({ retry: false });
  });
});

test.each<[string, (client: LandingPages, options?: WriteOptions) => PromiseLike<unknown>]>([
  ["a create", ({ pages }, options) => pages.create(somePage, options)],
  ["a track", ({ analytics }, options) => analytics.track({ pageId: "pg_1", timestamp }, options)],
])(
  "every attempt of %s sends the same bytes and the same Idempotency-Key, and another call sends another key",
  async (_title, call) => {
    const { client, requests } = scripted([status(500), status(429), json(record, 201)]);

    await call(client);
    await call(client);
    await call(client, { idempotencyKey: "order-7" });

    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    const [first, second, third, ...others] = requests.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect([second, third]).toEqual([first, first]);
    expect(others).toEqual([expect.not.stringContaining(first ?? ""), "order-7"]);
  },
);

test.each([
  ["has succeeded if it may have been carried out before", undefined, [connectionReset, status(404)]],
  ["is a NotFoundError if it certainly was not", "NotFoundError", [connectionRefused, status(429), status(404)]],
])("a retried delete that finds nothing %s", async (_title, expected, responses) => {
  const { client, requests } = scripted(responses);

  expect(await outcomeOf(client.pages.delete("pg_1"))).toBe(expected);
  expect(requests).toHaveLength(responses.length);
});

test("a retried update that finds nothing is a NotFoundError, even if it may have been carried out before", async () => {
  const { client } = scripted([connectionReset, json(record, 404)]);

  expect(await outcomeOf(client.pages.update("pg_1", { title: "New" }))).toBe("NotFoundError");
});

test.each([
  ["a 500", status(500), true],
  ["a 503 with Retry-After", status(503, after(1)), true],
  ["a 429", status(429), false],
  ["a refused connection", connectionRefused, false],
])("after %s, result and error say whether the create may have been applied", async (_title, first, expected) => {
  const succeeding = scripted([first, json(record, 201)]).client;
  const refusing = scripted([first, status(400)]).client;

  const result = await succeeding.pages.create(somePage).withResponse();
  const error = await failureOf(refusing.pages.create(somePage));

  expect(result.mayHaveBeenApplied).toBe(expected);
  expect(error).toMatchObject({ mayHaveBeenApplied: expected, attempts: [{}, { status: 400 }] });
});

test.each([
  [302, true],
  [303, true],
  [307, false],
  [407, false],
  [408, true],
  [425, false],
  [499, true],
  [511, false],
])("a create refused with %i may have been applied: %s", async (code, mayHaveBeenApplied) => {
  const { client, requests } = scripted([status(code, { Location: "https://other.example/" })]);

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ status: code, mayHaveBeenApplied });
  expect(String(error).includes("may have carried it out")).toBe(mayHaveBeenApplied);
  expect(requests).toHaveLength(1);
});

test("the retry budget bounds the requests to a service that always fails, and successes refill it, but do not overfill it", async () => {
  let code = 200;
  const { client, requests } = scripted([() => (code === 200 ? json([]) : status(code))]);
  const sentBy = async (calls: number) => {
    const before = requests.length;
    await Promise.allSettled(Array.from({ length: calls }, () => client.pages.list()));
    return requests.length - before;
  };

  await sentBy(100);
  code = 500;
  const whenFull = await sentBy(200);
  const whenEmpty = await sentBy(1);
  code = 200;
  await sentBy(28);
  code = 500;
  const whenRefilled = await sentBy(1);

  expect([whenFull, whenEmpty, whenRefilled]).toEqual([235, 1, 3]);
});

test("a retry that succeeds costs the budget nothing", async () => {
  const { client, requests } = scripted([() => (requests.length % 2 === 1 ? status(500) : json([]))]);

  for (let call = 0; call < 50; call += 1) await client.pages.list();

  expect(requests).toHaveLength(100);
});

test("failing events leave page calls their retries", async () => {
  const { client, requests } = scripted([status(500)]);
  await Promise.allSettled(Array.from({ length: 60 }, () => client.analytics.track({ pageId: "1" })));
  const before = requests.length;

  await failureOf(client.pages.list());

  expect(requests.length - before).toBe(3);
});

test("a service that always refuses is retried until totalTimeoutMs, and the error says when to come back", async () => {
  const { client, requests, time } = scripted([status(429, after(5))], { totalTimeoutMs: 60_000 });

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ name: "RateLimitError", retryAfterMs: 5000 });
  expect(String(error)).toMatch(/failed: 429 Too Many Requests, after \d+ attempts; try again in 5 s$/);
  expect(requests.length).toBeGreaterThanOrEqual(10);
  expect(time.elapsedMs()).toBeLessThanOrEqual(60_000);
});

test("attempts after which the service asked for a wait do not count before a failure of another kind", async () => {
  const { client } = scripted([...Array.from({ length: 3 }, () => status(429, after(1))), status(500), json([])]);

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
});

test("a call that may wait an hour waits the hour that the service asks for, and sends nothing in between", async () => {
  const hourMs = 3_600_000;
  const respond = () => (time.elapsedMs() < hourMs ? status(429, reset(seconds + 3600)) : json([]));
  const options = { retry: { maxWaitMs: 2 * hourMs }, totalTimeoutMs: 2 * hourMs };
  const { client, time, requests } = scripted([respond], options);

  await Promise.all([client.pages.list(), client.pages.list()]);

  expect(requests).toHaveLength(4);
  expect(time.elapsedMs()).toBeGreaterThan(hourMs);
});

test.each([
  ["a wait under a second", after("0.001")],
  ["nothing left, and not until when", { "X-RateLimit-Limit": "10", ...left("0") }],
])("429s with %s count as attempts, and the client pauses between them", async (_title, headers) => {
  const { client, requests, time } = scripted([status(429, headers)]);

  await failureOf(client.pages.list());

  expect(requests).toHaveLength(3);
  expect(Math.min(...time.slept)).toBeGreaterThanOrEqual(50);
});

test.each([
  [7_200_000, "2 h"],
  [259_200_000, "3 d"],
  [900_000, "15 min"],
  [61_000, "61 s"],
])("the error of a service that is closed for %i ms says when to come back", async (waitMs, expected) => {
  const { client, time } = scripted([() => status(503, after(new Date(time.now() + waitMs).toUTCString()))]);

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ name: "ServerError", retryAfterMs: waitMs });
  expect(String(error)).toContain(`; try again in ${expected}`);
});

test("retry: false makes one attempt, for a client or for a call", async () => {
  const { client, requests } = scripted([status(500)], { retry: false });

  await failureOf(client.pages.list());
  await failureOf(client.pages.list({}, { retry: { maxAttempts: 2 } }));
  await failureOf(client.withOptions({ retry: { maxAttempts: 3 } }).pages.list({}, { retry: false }));

  expect(requests).toHaveLength(4);
});
