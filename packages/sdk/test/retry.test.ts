import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planRetry, type RetryPolicy, type RetryQuestion } from "../src/index.ts";

const policy: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 500,
  maxDelayMs: 8000,
  maxWaitMs: 60_000,
  writes: "documented",
};
const nowMs = Date.UTC(2026, 0, 1);
const seconds = nowMs / 1000;

function ask(changes: Partial<RetryQuestion> = {}) {
  const failure = { kind: "answer", status: 500, headers: new Headers() } as const;
  return planRetry({
    method: "GET",
    failure,
    attempt: 1,
    policy,
    nowMs,
    leftMs: 120_000,
    tokens: 500,
    random: 0.5,
    ...changes,
  });
}

function answer(status: number, headers: Record<string, string> = {}) {
  return { kind: "answer", status, headers: new Headers(headers) } as const;
}

describe("which calls are tried again", () => {
  const failures = {
    400: answer(400),
    401: answer(401),
    404: answer(404),
    408: answer(408),
    409: answer(409),
    429: answer(429),
    500: answer(500),
    501: answer(501),
    502: answer(502),
    503: answer(503),
    "503 with Retry-After": answer(503, { "Retry-After": "1" }),
    504: answer(504),
    unsent: { kind: "unsent" },
    broken: { kind: "broken" },
    timeout: { kind: "timeout" },
    "timeout before it was sent": { kind: "timeout", isSent: false },
  } as const;
  const read = [
    "408",
    "429",
    "500",
    "502",
    "503",
    "504",
    "503 with Retry-After",
    "unsent",
    "broken",
    "timeout",
    "timeout before it was sent",
  ];

  test.each([
    ["GET", "documented", read],
    ["PUT", "documented", read],
    ["DELETE", "documented", read],
    ["GET", "safe", read],
    ["POST", "documented", ["429", "500", "503 with Retry-After", "unsent", "timeout before it was sent"]],
    ["POST", "safe", ["429", "unsent", "timeout before it was sent"]],
    ["POST", "always", read],
  ] as const)("%s with writes: %j", (method, writes, expected) => {
    const retried = Object.entries(failures)
      .filter(([, failure]) => ask({ method, failure, policy: { ...policy, writes } }).retry)
      .map(([name]) => name);

    expect(retried).toEqual(expected);
  });
});

test.each([
  ["Retry-After in seconds comes first", answer(429, { "Retry-After": "7", "X-RateLimit-Reset": "30" }), 7000],
  ["Retry-After counts on any failure", answer(503, { "Retry-After": "7" }), 7000],
  ["Retry-After as a date", answer(429, { "Retry-After": "Thu, 01 Jan 2026 00:00:09 GMT" }), 9000],
  ["Retry-After as a date of RFC 850", answer(503, { "Retry-After": "Thursday, 01-Jan-26 00:00:09 GMT" }), 9000],
  ["Retry-After as a date of asctime", answer(503, { "Retry-After": "Thu Jan  1 00:00:09 2026" }), 9000],
  [
    "Retry-After as a date on a service whose clock is an hour ahead",
    answer(429, { "Retry-After": "Thu, 01 Jan 2026 01:00:09 GMT", Date: "Thu, 01 Jan 2026 01:00:00 GMT" }),
    9000,
  ],
  ["Retry-After with a fraction", answer(429, { "Retry-After": "2.5" }), 2500],
  [
    "Retry-After counted from the moment the headers came",
    { ...answer(503, { "Retry-After": "7" }), receivedAtMs: nowMs - 3000 } as const,
    4000,
  ],
  [
    "reset by a clock that is wrong by an hour, read when the headers came",
    {
      ...answer(429, { "X-RateLimit-Reset": String(seconds + 3610), Date: "Thu, 01 Jan 2026 01:00:00 GMT" }),
      receivedAtMs: nowMs - 2000,
    } as const,
    8000,
  ],
  ["reset in seconds from now", answer(429, { "X-RateLimit-Reset": "12" }), 12_000],
  ["reset in seconds since 1970", answer(429, { "X-RateLimit-Reset": String(seconds + 12) }), 12_000],
  ["reset in milliseconds since 1970", answer(429, { "X-RateLimit-Reset": String(nowMs + 12_000) }), 12_000],
  [
    "reset on a 500 when nothing is left",
    answer(500, { "X-RateLimit-Reset": "12", "X-RateLimit-Remaining": "0" }),
    12_000,
  ],
  ["a window that ends now, in seconds that are rounded down", answer(429, { "X-RateLimit-Reset": "0" }), 1000],
  [
    "a window that ended a moment ago, in seconds that are rounded down",
    answer(429, { "X-RateLimit-Reset": String(seconds - 1) }),
    1000,
  ],
  ["Retry-After that two proxies have sent", answer(503, { "Retry-After": "7, 7" }), 7000],
  [
    "Retry-After as a date that two proxies have sent",
    answer(503, { "Retry-After": "Thu, 01 Jan 2026 00:00:09 GMT, Thu, 01 Jan 2026 00:00:09 GMT" }),
    9000,
  ],
  [
    "reset that two proxies have sent",
    answer(429, { "X-RateLimit-Remaining": "0, 0", "X-RateLimit-Reset": "5, 5" }),
    5000,
  ],
  ["Retry-After that is rounded down, alone", answer(429, { "Retry-After": "0" }), 1000],
  [
    "a reset beside a Date that a cache has kept for three days",
    answer(429, { "X-RateLimit-Reset": String(seconds + 3), Date: "Mon, 29 Dec 2025 00:00:00 GMT" }),
    3000,
  ],
  [
    "Retry-After as a date beside a Date that a cache has kept for three days",
    answer(503, { "Retry-After": "Thu, 01 Jan 2026 00:00:09 GMT", Date: "Mon, 29 Dec 2025 00:00:00 GMT" }),
    9000,
  ],
  [
    "a reset by a clock that is three days behind",
    answer(429, { "X-RateLimit-Reset": String(seconds - 259_190), Date: "Mon, 29 Dec 2025 00:00:00 GMT" }),
    10_000,
  ],
  [
    "Retry-After rounded down beside a reset rounded up",
    answer(429, { "Retry-After": "0", "X-RateLimit-Reset": "1" }),
    1000,
  ],
])("the wait the service asks for: %s", (_title, failure, askedMs) => {
  const plan = ask({ failure, random: 0.5 });

  expect(plan).toMatchObject({
    retry: true,
    asked: true,
    delayMs: askedMs + Math.ceil(0.5 * Math.min(250 + askedMs / 10, 1000)),
  });
});

test.each([
  [
    "reset on a 500 while requests are left",
    answer(500, { "X-RateLimit-Reset": "12", "X-RateLimit-Remaining": "3" }),
    250,
  ],
  ["reset on a 500 that does not say what is left", answer(500, { "X-RateLimit-Reset": "12" }), 250],
  ["reset already past", answer(429, { "X-RateLimit-Reset": String(seconds - 5) }), 500],
  ["Retry-After that is a word", answer(429, { "Retry-After": "soon 5" }), 500],
  ["a 429 without headers", answer(429), 500],
  ["Retry-After as a date long past", answer(429, { "Retry-After": "Mon, 01 Dec 2025 00:00:00 GMT" }), 500],
  ["Retry-After of nothing on a failure", answer(503, { "Retry-After": "0" }), 250],
  [
    "Retry-After of nothing, long before the reset",
    answer(429, { "Retry-After": "0", "X-RateLimit-Reset": "30" }),
    500,
  ],
  [
    "reset of now on a 500 when nothing is left",
    answer(500, { "X-RateLimit-Reset": "0", "X-RateLimit-Remaining": "0" }),
    250,
  ],
  ["a broken connection", { kind: "broken" } as const, 250],
])("our own wait: %s", (_title, failure, delayMs) => {
  expect(ask({ failure })).toEqual({
    retry: true,
    asked: false,
    delayMs,
    cost: "status" in failure && failure.status === 429 ? 5 : 14,
  });
});

test.each([
  ["a 429 that names its wait", answer(429, { "Retry-After": "1" }), 0],
  ["a 429 that does not", answer(429), 5],
  ["a 503 that names its wait", answer(503, { "Retry-After": "1" }), 14],
  ["a 500", answer(500), 14],
])("%s costs so many tokens", (_title, failure, cost) => {
  expect(ask({ failure, tokens: cost })).toMatchObject({ retry: true, cost });
  expect(ask({ failure, tokens: 0 }).retry).toBe(cost === 0);
});

test("a wait that the service asks for is no attempt that counts", () => {
  expect(ask({ attempt: 50, failure: answer(429, { "Retry-After": "1" }) })).toMatchObject({ retry: true });
  expect(ask({ attempt: 50, failure: answer(503, { "Retry-After": "1" }) })).toMatchObject({ retry: true });
});

test("our own wait doubles with every try, up to the longest delay, and is never below 50 ms", () => {
  const many = { ...policy, maxAttempts: 100 };
  const delays = [1, 2, 3, 4, 5, 6, 50].map((attempt) => ask({ attempt, policy: many, random: 0.999_999 }));

  expect(delays.map((plan) => plan.retry && plan.delayMs)).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
  expect(ask({ random: 0 })).toMatchObject({ delayMs: 50 });
});

test.each([
  [
    "a wait above maxWaitMs",
    { failure: answer(429, { "Retry-After": "3600" }) },
    { reason: "wait", retryAfterMs: 3_600_000 },
  ],
  [
    "a wait beyond the deadline",
    { failure: answer(429, { "Retry-After": "20" }), leftMs: 10_000 },
    { reason: "wait", retryAfterMs: 20_000 },
  ],
  ["the last attempt", { attempt: 3 }, { reason: "attempts" }],
  [
    "the last attempt of a service that refuses and does not say for how long",
    { attempt: 3, failure: answer(429) },
    { reason: "attempts" },
  ],
  [
    "the only attempt that there may be",
    { policy: { ...policy, maxAttempts: 1 }, failure: answer(429, { "Retry-After": "20" }) },
    { reason: "attempts", retryAfterMs: 20_000 },
  ],
  ["an empty budget", { tokens: 13 }, { reason: "budget" }],
  ["a refusal", { failure: answer(400) }, { reason: "final" }],
])("no further try after %s", (_title, changes, expected) => {
  expect(ask(changes)).toEqual({ retry: false, ...expected });
});

test("a window of exactly maxWaitMs is waited for, although whole seconds make it look a little longer", () => {
  expect(ask({ failure: answer(429, { "X-RateLimit-Reset": String(seconds + 61) }) })).toMatchObject({
    retry: true,
    delayMs: 60_000,
  });
  expect(ask({ failure: answer(429, { "X-RateLimit-Reset": String(seconds + 63) }) })).toMatchObject({ retry: false });
});

test("no header makes a wait negative, zero, not a number, or longer than maxWaitMs", () => {
  const value = fc.oneof(
    fc.integer({ min: -10, max: 200 }).map(String),
    fc.integer({ min: -100_000, max: 100_000 }).map((offset) => String(seconds + offset)),
    fc.integer({ min: -100_000_000, max: 100_000_000 }).map((offset) => String(nowMs + offset)),
    fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.constantFrom("", "NaN", "Infinity", "-0", "1e309", "0x10", "1.5", " 7 ", "tomorrow", "１２"),
    fc.string({ unit: "binary-ascii" }).map((text) => text.replace(/[^\x20-\x7e]/g, "")),
  );
  const names = ["Retry-After", "X-RateLimit-Reset", "X-RateLimit-Remaining", "X-RateLimit-Limit", "Date"];
  const headers = fc.dictionary(fc.constantFrom(...names), value);

  fc.assert(
    fc.property(
      headers,
      fc.constantFrom(429, 500, 503),
      fc.constantFrom(1, 1000, 60_000),
      fc.double(),
      fc.integer({ min: 1, max: 5 }),
      (fields, status, maxWaitMs, random, attempt) => {
        const failure = { kind: "answer", status, headers: { get: (name: string) => fields[name] ?? null } } as const;
        const plan = ask({ failure, random, attempt, policy: { ...policy, maxAttempts: 10, maxWaitMs } });

        const isRight = plan.retry
          ? plan.delayMs >= Math.min(50, maxWaitMs) && plan.delayMs <= maxWaitMs
          : plan.reason === "wait" && (plan.retryAfterMs ?? 0) > maxWaitMs;
        expect(isRight).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});
