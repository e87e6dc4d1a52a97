import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { RateLimiter } from "../src/state/limiter.ts";
import { send } from "./client.ts";

const startMs = Date.UTC(2026, 0, 1);

test("a window begins with the first request and is exact at its end", async () => {
  const service = createMockService({ plan: { limit: 2, windowMs: 10_000 }, now: () => startMs });
  const list = async () => {
    const { status, headers } = await send(service, "GET", "/api/content");
    const [remaining, reset, retryAfter] = ["X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"].map((name) =>
      headers.get(name),
    );
    return [status, remaining, Number(reset) - startMs / 1000, retryAfter];
  };
  service.clock.advance(3000);

  const answers = [await list(), await list(), await list()];
  service.clock.advance(9999);
  answers.push(await list());
  service.clock.advance(1);
  answers.push(await list());

  expect(answers).toEqual([
    [200, "1", 13, null],
    [200, "0", 13, null],
    [429, "0", 13, "10"],
    [429, "0", 13, "1"],
    [200, "1", 23, null],
  ]);
});

test("a clock that goes back takes the window with it, so that nobody waits longer than a window", async () => {
  let nowMs = startMs;
  const service = createMockService({ plan: { limit: 1, windowMs: 10_000 }, now: () => nowMs });
  await send(service, "GET", "/api/content");

  nowMs -= 365 * 24 * 60 * 60 * 1000;
  const refused = await send(service, "GET", "/api/content");
  nowMs += 10_000;
  const allowed = await send(service, "GET", "/api/content");

  expect([refused.status, refused.headers.get("Retry-After"), allowed.status]).toEqual([429, "10", 200]);
});

test("each account has a window of its own, and all callers without an account share one", async () => {
  const service = createMockService({ plan: { limit: 1, windowMs: 1000 }, now: () => startMs });

  const statuses = await Promise.all(
    ["test_a", "test_a", "test_b", null, "wrong"].map(async (key) => {
      const { status, headers } = await send(service, "GET", "/api/content", { key });
      return `${status} ${headers.get("X-RateLimit-Remaining")}`;
    }),
  );

  expect(statuses).toEqual(["200 0", "429 0", "200 0", "401 0", "401 0"]);
});

test.each([
  ["free", 60],
  ["starter", 600],
  ["pro", 6000],
] as const)("the plan %s allows %i requests in 60 s", (plan, limit) => {
  const limiter = new RateLimiter(plan);
  const taken = Array.from({ length: limit + 1 }, () => limiter.take(startMs));

  expect(taken.indexOf(false)).toBe(limit);
  expect(limiter.state(startMs)).toEqual({ limit, remaining: 0, resetAtMs: startMs + 60_000 });
});

test("an unlimited account still says whole numbers", async () => {
  const service = createMockService({ now: () => startMs });
  for (let index = 0; index < 100; index += 1) await send(service, "GET", "/api/content");

  expect(service.account("test_demo").rateLimit).toEqual({
    limit: 2_147_483_647,
    remaining: 2_147_483_647,
    resetAtMs: startMs + 60_000,
  });
});

test("whatever the clock does, what remains is never negative and never more than the limit", () => {
  const steps = fc.array(fc.integer({ min: -50, max: 150 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100 }), steps, (limit, windowMs, moves) => {
      const limiter = new RateLimiter({ limit, windowMs });
      let nowMs = 1000;
      for (const move of moves) {
        nowMs += move;
        const before = limiter.state(nowMs);
        const isAllowed = limiter.take(nowMs);
        const after = limiter.state(nowMs);
        expect(isAllowed).toBe(before.remaining > 0);
        expect(after.remaining).toBe(Math.max(before.remaining - 1, 0));
        expect(after.resetAtMs).toBe(before.resetAtMs);
      }
    }),
  );
});
