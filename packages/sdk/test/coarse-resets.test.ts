// Services tell when a window ends in whole seconds, rounded one way or another: however that is, nobody fails of it.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LandingPages } from "../src/index.ts";
import { createRandom, json, somePage, status } from "./setup.ts";
import { createVirtualTime } from "./virtual-time.ts";

/** A service with a limit, told on every response as the documentation says, and how it tells it. */
const services = fc.record({
  limit: fc.integer({ min: 1, max: 30 }),
  windowMs: fc.integer({ min: 2000, max: 5000 }),
  /** Moment at which a window begins, where they begin by the clock and not with the first request. */
  phaseMs: fc.option(fc.nat(5000), { nil: undefined }),
  round: fc.constantFrom(Math.floor, Math.round, Math.ceil),
  /** What the reset is; `none` where there are no such headers. */
  form: fc.constantFrom("span", "moment", "none"),
  /** Whether a refusal says the same in `Retry-After`, rounded down; it does where nothing else would tell. */
  tellsWait: fc.boolean(),
  hasDate: fc.boolean(),
  latencyMs: fc.nat(400),
});

type Service = typeof services extends fc.Arbitrary<infer One> ? One : never;

function start(
  { limit, windowMs, phaseMs, round, form, tellsWait, hasDate, latencyMs }: Service,
  random: () => number,
) {
  const time = createVirtualTime(Date.UTC(2026, 0, 1) + 345);
  let [endsAtMs, used, count] = [0, 0, 0];
  const fetch = async () => {
    await time.sleep(latencyMs, undefined);
    const nowMs = time.now();
    if (nowMs >= endsAtMs) {
      endsAtMs = phaseMs === undefined ? nowMs + windowMs : nowMs + windowMs - ((nowMs + phaseMs) % windowMs);
      used = 0;
    }
    used += 1;
    const isRefused = used > limit;
    const told = form !== "none" && {
      "X-RateLimit-Limit": String(limit),
      "X-RateLimit-Remaining": String(Math.max(0, limit - used)),
      "X-RateLimit-Reset": String(form === "span" ? round((endsAtMs - nowMs) / 1000) : round(endsAtMs / 1000)),
    };
    const headers = {
      ...(hasDate ? { Date: new Date(nowMs).toUTCString() } : {}),
      ...told,
      ...(isRefused && (tellsWait || form === "none")
        ? { "Retry-After": String(Math.floor((endsAtMs - nowMs) / 1000)) }
        : {}),
    };
    return isRefused
      ? status(429, headers)
      : json({ ...somePage, id: `pg_${(count += 1)}`, domains: [] }, 201, headers);
  };
  const { now, sleep } = time;
  return new LandingPages({ apiKey: "test_coarse", baseUrl: "https://service.example", fetch, now, sleep, random });
}

test("whichever way a service rounds its resets, no call of a client alone fails of it", async () => {
  await fc.assert(
    fc.asyncProperty(services, fc.nat(), async (service, seed) => {
      const client = start(service, createRandom(seed));

      const calls = Array.from({ length: 2 * service.limit + 5 }, () => client.pages.create(somePage));

      const failed = (await Promise.allSettled(calls)).filter((call) => call.status === "rejected");
      expect(failed).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test("refusals whose reset is less than a second away do not use up the attempts of a call", async () => {
  const time = createVirtualTime(Date.UTC(2026, 0, 1) + 345);
  let [endsAtMs, count] = [0, 0];
  const fetch = async () => {
    if (time.now() < endsAtMs) return status(429, { "X-RateLimit-Reset": String(Math.ceil(endsAtMs / 1000)) });
    endsAtMs = time.now() + 300;
    return json({ ...somePage, id: `pg_${(count += 1)}`, domains: [] }, 201);
  };
  const { now, sleep } = time;
  const options = { apiKey: "test_coarse", baseUrl: "https://service.example", fetch, now, sleep };
  const client = new LandingPages({ ...options, random: createRandom(1) });

  const calls = await Promise.all(Array.from({ length: 12 }, () => client.pages.create(somePage)));

  expect(new Set(calls.map(({ id }) => id)).size).toBe(12);
});

test("a 429 that says nothing is left, and not until when, is not asked again at once", async () => {
  const time = createVirtualTime();
  const sentAtMs: number[] = [];
  const fetch = async () => {
    sentAtMs.push(time.now());
    return status(429, { "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0" });
  };
  const { now, sleep } = time;
  const client = new LandingPages({ apiKey: "test_coarse", baseUrl: "https://service.example", fetch, now, sleep });

  await client.pages.list().catch(() => undefined);

  const pausesMs = sentAtMs.slice(1).map((atMs, index) => atMs - (sentAtMs[index] ?? 0));
  expect(pausesMs).toHaveLength(2);
  for (const pauseMs of pausesMs) expect(pauseMs).toBeGreaterThanOrEqual(50);
});

test("a call that may wait an hour waits the hour that the service asks for, and sends nothing in between", async () => {
  const time = createVirtualTime();
  const sentAtMs: number[] = [];
  const resetAtMs = time.now() + 3_600_000;
  const client = new LandingPages({
    apiKey: "test_hour",
    baseUrl: "https://service.example",
    fetch: async () => {
      sentAtMs.push(time.now());
      return time.now() < resetAtMs ? status(429, { "X-RateLimit-Reset": String(resetAtMs / 1000) }) : json([]);
    },
    now: time.now,
    sleep: time.sleep,
    retry: { maxWaitMs: 7_200_000 },
    totalTimeoutMs: 7_200_000,
  });

  const [first, second] = await Promise.all([client.pages.list(), client.pages.list()]);

  expect([first.data, second.data]).toEqual([[], []]);
  expect(sentAtMs.filter((atMs) => atMs < resetAtMs)).toEqual([resetAtMs - 3_600_000, resetAtMs - 3_600_000]);
});
