import { mock as nodeMock } from "node:test";
import { runInNewContext } from "node:vm";
import { afterEach, expect, vi } from "vitest";
import { createMockService } from "../src/index.ts";
import { create, list, test } from "./client.ts";

afterEach(() => {
  vi.useRealTimers();
  nodeMock.timers.reset();
});

test("an account's clock moves by itself and with the service's clock, and a reset sets both back", async () => {
  const service = createMockService({ now: () => 1000, plan: { limit: 1, windowMs: 60_000 } });
  const [one, other] = [service.account("test_one"), service.account("test_other")];
  for (const key of ["test_one", "test_other"]) await list(service, "", { key });

  one.clock.advance(60_000);
  const remaining = [one.rateLimit.remaining, other.rateLimit.remaining];
  service.clock.advance(5);

  expect(remaining).toEqual([1, 0]);
  expect([one.clock.now(), other.clock.now(), service.clock.now()]).toEqual([61_005, 1005, 1005]);
  one.reset();
  expect(one.clock.now()).toBe(1005);
  one.clock.advance(1);
  service.clock.set(runInNewContext("new Date(7)") as Date); // why: jest gives each test file its own `Date`
  expect([one.clock.now(), other.clock.now(), service.clock.now()]).toEqual([7, 7, 7]);
  service.reset();
  expect(service.clock.now()).toBe(1000);
});

test("a service follows fake timers that are installed after it was made", async ({ service }) => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0) });
  const { created_at } = await create(service);
  vi.setSystemTime(Date.UTC(2031, 0));
  const inVitest = service.account("test_demo").clock.now();
  vi.useRealTimers();
  nodeMock.timers.enable({ apis: ["Date"], now: Date.UTC(2032, 0) });
  const inNode = service.clock.now();

  expect([created_at, inVitest, inNode]).toEqual(["2030-01-01T00:00:00.000Z", Date.UTC(2031, 0), Date.UTC(2032, 0)]);
});

test("delays and waits follow fake timers too", async () => {
  const service = createMockService({ latencyMs: 60_000 });
  vi.useFakeTimers();

  const listed = list(service);
  const waiting = service.waitForRequest({ status: 500 }, { timeoutMs: 90_000 }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(100_000);

  expect((await listed).status).toBe(200);
  expect(String(await waiting)).toContain("No matching request arrived within 90000 ms");
});

test("whatever a test fakes, a response arrives", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "Date", "performance"] });
  const service = createMockService();

  const created = await create(service);

  expect((await list(service)).body.data).toEqual([created]);
});
