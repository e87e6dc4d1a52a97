import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ClientOptions, LandingPages } from "../src/index.ts";
import { runThrough } from "./bad-week-time.ts";
import { failureOf, json, status } from "./setup.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

const hour = 3_600_000;

/** A client whose clock is set, by so much and after so long, while it works through some answers. */
function jumping(
  byMs: number,
  afterMs: number,
  answers: (() => Response | Promise<Response>)[],
  options: ClientOptions = {},
) {
  const startMs = Date.now();
  let sent = 0;
  return new LandingPages({
    apiKey: "test_jumps",
    baseUrl: "https://service.example",
    now: () => Date.now() + (Date.now() - startMs >= afterMs ? byMs : 0),
    fetch: async () => (answers[Math.min(sent++, answers.length - 1)] ?? hung)(),
    ...options,
  });
}

const asked = () => status(429, { "Retry-After": "30" });
const hung = () => new Promise<Response>(() => undefined);

test.each([
  ["forward", hour, [asked, () => json([])]],
  ["back", -hour, [asked, () => json([])]],
  ["forward in a backoff", hour, [() => status(503), () => json([])], 10],
  ["forward in a long answer", hour, [hung, () => json([])]],
])(
  "a clock that is set %s while a call waits does not end the call",
  async (_title, byMs, answers, afterMs = 5_000) => {
    const call = jumping(byMs, afterMs, answers).pages.list();
    await runThrough(call, 60_000);

    expect((await call).data).toEqual([]);
  },
);

test.each([hour, -hour])("a clock that is set by %i ms leaves totalTimeoutMs as long as it is", async (byMs) => {
  const startMs = Date.now();
  const failure = failureOf(jumping(byMs, 40_000, [asked]).pages.list());
  await runThrough(failure, hour);

  expect(await failure).toMatchObject({ name: "RateLimitError" });
  expect(Date.now() - startMs).toBeLessThanOrEqual(135_000);
  expect(Date.now() - startMs).toBeGreaterThanOrEqual(60_000);
});

test("how long an attempt took is told without the jump", async () => {
  const client = jumping(hour, 5_000, [hung, () => json([])], { timeoutMs: 10_000 });
  const result = client.pages.list().withResponse();
  await runThrough(result, 60_000);

  expect((await result).attempts.map(({ durationMs }) => durationMs)).toEqual([10_000, 0]);
});
