// Clients of one account, and services that count and round in different ways, on virtual time.
import { createMockService, type Plan } from "@landing-page-service/mock-server";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ClientOptions, LandingPages } from "../src/index.ts";
import { json, onVirtualTime, somePage, status } from "./setup.ts";
import { createVirtualTime } from "./virtual-time.ts";

/** Numbers from 0 to 1 in a fixed order, spread evenly. */
function createRandom(seed: number): () => number {
  let latest = seed * 0.754_877;
  return () => (latest = (latest + 0.618_034) % 1);
}

type Fleet = { clients: number; creates: number; plan: Plan; latencyMs: number };

/** Several clients that share nothing create pages in one account at the same time. */
async function runFleet({ clients, creates, plan, latencyMs }: Fleet) {
  const time = createVirtualTime(Date.UTC(2026, 0, 1) + 345);
  const service = createMockService({ now: time.now, plan });
  const counts = { refused: 0, failed: 0 };
  const work = Array.from({ length: clients }, (_, number) => {
    const random = createRandom(number + 1);
    const fetch: ClientOptions["fetch"] = async (url, init) => {
      const travelMs = latencyMs * (0.25 + random() / 2);
      await time.sleep(travelMs, undefined);
      const response = await service.fetch(url, init);
      await time.sleep(travelMs, undefined);
      if (response.status === 429) counts.refused += 1;
      return response;
    };
    const client = new LandingPages({ ...onVirtualTime(time), baseUrl: service.baseUrl, fetch, random });
    return Array.from({ length: creates / clients }, (_, index) =>
      client.pages.create({ ...somePage, slug: `page-${number}-${index}` }).catch(() => (counts.failed += 1)),
    );
  });
  await Promise.all(work.flat());
  return { ...counts, stored: service.account("test_sdk").pages.length, tookMs: time.elapsedMs() };
}

const short = { limit: 100, windowMs: 2000 };

test.each<[string, Fleet]>([
  ["8 processes, 100 per 2 s", { clients: 8, creates: 200, plan: short, latencyMs: 8 }],
  ["4 processes, 100 per 60 s", { clients: 4, creates: 200, plan: { limit: 100, windowMs: 60_000 }, latencyMs: 20 }],
])("processes with one key, unconfigured, get every create through: %s", async (_title, fleet) => {
  const { refused, failed, stored } = await runFleet(fleet);

  expect({ failed, stored }).toEqual({ failed: 0, stored: fleet.creates });
  expect(refused).toBeLessThan(fleet.creates);
});

test("one client alone gets no 429 and needs at most 1.5 times the time that its limit allows", async () => {
  const { refused, failed, tookMs } = await runFleet({ clients: 1, creates: 300, plan: short, latencyMs: 8 });

  expect({ failed, refused }).toEqual({ failed: 0, refused: 0 });
  expect(tookMs).toBeLessThanOrEqual(1.5 * 3 * 2000);
});

/** A service with a rate limit, and how it shows the limit in headers. */
const services = fc.record({
  limit: fc.integer({ min: 1, max: 30 }),
  windowMs: fc.integer({ min: 2000, max: 5000 }),
  /** Where a window begins, if windows begin by the clock and not with a request. */
  phaseMs: fc.option(fc.nat(5000), { nil: undefined }),
  round: fc.constantFrom(Math.floor, Math.round, Math.ceil),
  reset: fc.constantFrom("seconds from now", "seconds since 1970", "no headers"),
  /** Whether a 429 has a `Retry-After`, rounded down. It always has one if there are no other headers. */
  hasRetryAfter: fc.boolean(),
  hasDate: fc.boolean(),
  latencyMs: fc.nat(400),
});
type Service = typeof services extends fc.Arbitrary<infer One> ? One : never;

function createLimitedClient(service: Service, seed: number): LandingPages {
  const { limit, windowMs, phaseMs, round, reset, hasRetryAfter, hasDate, latencyMs } = service;
  const time = createVirtualTime(Date.UTC(2026, 0, 1) + 345);
  let [endsAtMs, used] = [0, 0];
  const fetch = async () => {
    await time.sleep(latencyMs, undefined);
    const nowMs = time.now();
    if (nowMs >= endsAtMs) {
      endsAtMs = phaseMs === undefined ? nowMs + windowMs : nowMs + windowMs - ((nowMs + phaseMs) % windowMs);
      used = 0;
    }
    used += 1;
    const hasLimits = reset !== "no headers";
    const headers = {
      ...(hasDate && { Date: new Date(nowMs).toUTCString() }),
      ...(hasLimits && {
        "X-RateLimit-Limit": String(limit),
        "X-RateLimit-Remaining": String(Math.max(0, limit - used)),
        "X-RateLimit-Reset": String(round((reset === "seconds from now" ? endsAtMs - nowMs : endsAtMs) / 1000)),
      }),
    };
    const after = hasRetryAfter || !hasLimits ? { "Retry-After": String(Math.floor((endsAtMs - nowMs) / 1000)) } : {};
    return used > limit ? status(429, { ...headers, ...after }) : json([], 200, headers);
  };
  return new LandingPages({ ...onVirtualTime(time), fetch, random: createRandom(seed) });
}

test("however a service rounds its resets, no call of a single client fails", async () => {
  await fc.assert(
    fc.asyncProperty(services, fc.nat(), async (service, seed) => {
      const client = createLimitedClient(service, seed);

      const calls = Array.from({ length: 2 * service.limit + 5 }, () => client.pages.list());

      expect((await Promise.allSettled(calls)).filter((call) => call.status === "rejected")).toEqual([]);
    }),
  );
});
