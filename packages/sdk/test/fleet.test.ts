// Several processes with one key, each knowing nothing of the others: clients without anything shared, on one virtual clock.
import { createMockService, type Plan } from "@landing-page-service/mock-server";
import { expect, test } from "vitest";
import { LandingPages } from "../src/index.ts";
import { createRandom, json, somePage, status } from "./setup.ts";
import { createVirtualTime } from "./virtual-time.ts";

interface Fleet {
  readonly clients: number;
  readonly creates: number;
  readonly plan: Plan;
  readonly latencyMs: number;
}

async function run({ clients, creates, plan, latencyMs }: Fleet) {
  const time = createVirtualTime(Date.UTC(2026, 0, 1) + 345);
  const service = createMockService({ now: time.now, plan });
  const counts = { refused: 0, failed: 0 };
  const startMs = time.now();
  const work = Array.from({ length: clients }, (_, number) => {
    const random = createRandom(number + 1);
    const client = new LandingPages({
      apiKey: "test_fleet",
      baseUrl: service.baseUrl,
      fetch: async (url, init) => {
        const travelMs = latencyMs * (0.25 + random() / 2);
        await time.sleep(travelMs, undefined);
        const answer = await service.fetch(url, init);
        await time.sleep(travelMs, undefined);
        if (answer.status === 429) counts.refused += 1;
        return answer;
      },
      now: time.now,
      sleep: time.sleep,
      random,
    });
    return Array.from({ length: creates / clients }, (_, index) =>
      client.pages.create({ ...somePage, slug: `page-${number}-${index}` }).catch(() => (counts.failed += 1)),
    );
  });
  await Promise.all(work.flat());
  return { ...counts, stored: service.account("test_fleet").pages.length, tookMs: time.now() - startMs };
}

test.each([
  [
    "8 processes, 100 per 2 s, 2 000 creates",
    { clients: 8, creates: 800, plan: { limit: 100, windowMs: 2000 }, latencyMs: 8 },
  ],
  [
    "8 processes, 100 per 2 s, 2 000 creates, far away",
    { clients: 8, creates: 2000, plan: { limit: 100, windowMs: 2000 }, latencyMs: 150 },
  ],
  [
    "4 processes, 600 per 60 s, 1 000 creates",
    { clients: 4, creates: 1000, plan: { limit: 600, windowMs: 60_000 }, latencyMs: 20 },
  ],
])("a fleet with one key, unconfigured, gets every create through: %s", async (_title, fleet) => {
  const { refused, failed, stored } = await run(fleet);
  expect({ failed, stored }).toEqual({ failed: 0, stored: fleet.creates });
  expect(refused).toBeLessThan(fleet.creates);
});

test("one client alone needs at most 1.5 times the time that its limit allows", async () => {
  const { refused, failed, tookMs } = await run({
    clients: 1,
    creates: 2000,
    plan: { limit: 100, windowMs: 2000 },
    latencyMs: 8,
  });
  expect({ failed, refused }).toEqual({ failed: 0, refused: 0 });
  expect(tookMs).toBeLessThanOrEqual(1.5 * 40_000);
});

test("where windows begin by the clock and not with the first request, one 429 is enough to learn it", async () => {
  const time = createVirtualTime(Date.UTC(2026, 0, 1) + 345);
  let window = 0;
  let used = 0;
  let refused = 0;
  const client = new LandingPages({
    apiKey: "test_clock",
    baseUrl: "https://service.example",
    fetch: async () => {
      await time.sleep(5, undefined);
      const current = Math.floor(time.now() / 2000);
      if (current !== window) used = 0;
      window = current;
      used += 1;
      const headers = {
        "X-RateLimit-Limit": "100",
        "X-RateLimit-Remaining": String(Math.max(0, 100 - used)),
        "X-RateLimit-Reset": String((window + 1) * 2),
      };
      if (used > 100) refused += 1;
      return used > 100 ? status(429, headers) : json([], 200, headers);
    },
    now: time.now,
    sleep: time.sleep,
  });

  await Promise.all(Array.from({ length: 1500 }, () => client.pages.list()));

  expect(refused).toBeLessThanOrEqual(1);
});

test("failures that do not count against the limit do not make a window look shorter than it is", async () => {
  const time = createVirtualTime();
  const badUntilMs = time.now() + 15_000;
  let [endsAtMs, used, refused] = [0, 0, 0];
  const client = new LandingPages({
    apiKey: "test_failures",
    baseUrl: "https://service.example",
    fetch: async () => {
      await time.sleep(5, undefined);
      if (time.now() >= endsAtMs) [endsAtMs, used] = [Math.ceil(time.now() / 1000) * 1000 + 10_000, 0];
      const isFailure = used === 1 && time.now() < badUntilMs && endsAtMs - time.now() > 4000;
      if (!isFailure) used += 1;
      const headers = {
        "X-RateLimit-Limit": "4",
        "X-RateLimit-Remaining": String(Math.max(0, 4 - used)),
        "X-RateLimit-Reset": String(endsAtMs),
      };
      if (isFailure) return status(500, headers);
      if (used > 4) refused += 1;
      return used > 4 ? status(429, headers) : json([], 200, headers);
    },
    now: time.now,
    sleep: time.sleep,
    random: () => 0.5,
  });

  for (let round = 0; round < 100; round += 1) {
    await client.pages.list().catch(() => undefined);
    await time.sleep(100, undefined);
  }

  expect(refused).toBe(0);
});
