import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService, type Plan } from "../src/index.ts";
import { list, send } from "./client.ts";

const startMs = Date.UTC(2026, 0, 1);

test("a window starts with the first request and is exact at its end", async () => {
  const service = createMockService({ plan: { limit: 2, windowMs: 10_000 }, now: () => startMs });
  const listOnce = async () => {
    const { status, headers } = await list(service);
    const resetAfterSeconds = Number(headers.get("X-RateLimit-Reset")) - startMs / 1000;
    return [status, headers.get("X-RateLimit-Remaining"), resetAfterSeconds, headers.get("Retry-After")];
  };

  const responses = [];
  for (const waitedMs of [3000, 0, 0, 8500, 1499, 1]) {
    service.clock.advance(waitedMs);
    responses.push(await listOnce());
  }

  expect(responses).toEqual([
    [200, "1", 13, null],
    [200, "0", 13, null],
    [429, "0", 13, "10"],
    [429, "0", 13, "2"],
    [429, "0", 13, "1"],
    [200, "1", 23, null],
  ]);
});

test("if the clock is set back, the window moves with it, so no client waits longer than a window", async () => {
  let nowMs = startMs;
  const service = createMockService({ plan: { limit: 1, windowMs: 10_000 }, now: () => nowMs });
  await list(service);

  nowMs -= 365 * 24 * 60 * 60 * 1000;
  const refused = await list(service);
  nowMs += 10_000;
  const allowed = await list(service);

  expect([refused.status, refused.headers.get("Retry-After"), allowed.status]).toEqual([429, "10", 200]);
});

test("each account has a window of its own, and all anonymous clients share one", async () => {
  const service = createMockService({ plan: { limit: 2, windowMs: 1000 }, now: () => startMs });
  const listAs = async (key: string | null) => {
    const { status, headers } = await list(service, "", { key });
    return `${status} ${headers.get("X-RateLimit-Remaining")}`;
  };

  service.refuse(431, "An unreadable request does not count.");
  const results: string[] = [];
  for (const key of ["test_a", "test_a", "test_a", "test_b", null, "wrong", "other"]) results.push(await listAs(key));

  expect(results).toEqual(["200 1", "200 0", "429 0", "200 1", "401 1", "401 0", "401 0"]);
  expect((await send(service, "GET", "/nowhere", { key: "test_a" })).status).toBe(429);
  expect(service.requests({ status: 401 }).map(({ account }) => account)).toEqual([undefined, undefined, undefined]);
  expect([service, service.account("test_b")].map((one) => one.unhandledRequests.length)).toEqual([4, 0]);
  service.reset();
  expect(await listAs(null)).toBe("401 1");
});

const limitOf = (plan: Plan) => createMockService({ plan }).account("test_demo").rateLimit.limit;

test("the plans allow 60, 600, 6 000 and as many requests as a client can count", () => {
  expect((["free", "starter", "pro", "unlimited"] as const).map(limitOf)).toEqual([60, 600, 6000, 2_147_483_647]);
});

test("whatever the clock does, requests are allowed while some remain, and each counts once", async () => {
  const limits = fc.integer({ min: 1, max: 5 });
  const windows = fc.integer({ min: 1, max: 100 });
  const steps = fc.array(fc.integer({ min: -50, max: 150 }), { maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(limits, windows, steps, async (limit, windowMs, moves) => {
      let nowMs = 1000;
      const service = createMockService({ plan: { limit, windowMs }, now: () => nowMs });
      const account = service.account("test_demo");
      for (const move of moves) {
        nowMs += move;
        const before = account.rateLimit;
        const { status } = await list(service);
        expect(status).toBe(before.remaining > 0 ? 200 : 429);
        expect(account.rateLimit).toEqual({ ...before, remaining: Math.max(before.remaining - 1, 0) });
      }
    }),
  );
});
