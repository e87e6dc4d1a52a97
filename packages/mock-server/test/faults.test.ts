import { expect } from "vitest";
import { createMockService, type MockService } from "../src/index.ts";
import { create, list, post, test } from "./client.ts";

/** The statuses of so many lists, one after the other. */
async function listTimes(service: MockService, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < times; index += 1) statuses.push((await list(service)).status);
  return statuses;
}

test("a fault fires as often as planned, counts, and can still be read until it is removed", async ({ service }) => {
  const { faults } = service.account("test_demo");
  const { id } = faults.add({ status: 500, times: 2 });

  const statuses = await listTimes(service, 4);
  const fault = faults.get(id);
  const listed = faults.list();
  fault?.remove();

  expect(statuses).toEqual([500, 500, 200, 200]);
  expect([fault?.fired, listed, faults.get(id)]).toEqual([2, [], undefined]);
});

test.for([
  [{ method: "POST" }, [503, 200]],
  [{ path: /content$/g }, [503, 503]],
  [{ query: { limit: "5" } }, [201, 503]],
  [{ request: { body: { cta: { label: "Buy" } } } }, [503, 200]],
  [{ pageId: "pg_1" }, [201, 200]],
] as const)("a fault for %j fires for requests that match", async ([match, statuses], { service }) => {
  service.faults.add({ ...match, status: 503 });

  const created = await post(service);
  const listed = await list(service, "?limit=5");

  expect([created.status, listed.status]).toEqual(statuses);
});

test("the third create of one account fails, and nothing else", async ({ service }) => {
  service.faults.add({ endpoint: "createPage", key: "test_demo", skip: 2, times: 1, status: 503 });

  const responses = [];
  for (let index = 0; index < 4; index += 1)
    responses.push(await post(service), await list(service), await post(service, { key: "test_other" }));

  const statuses = responses.map(({ status }) => status);
  expect(statuses).toEqual([201, 200, 201, 201, 200, 201, 503, 200, 201, 201, 200, 201]);
});

test("if the rate limit refuses a request, a fault before the work fires, and a fault after it stays unused", async () => {
  const service = createMockService({ plan: { limit: 1, windowMs: 1000 }, now: () => 0 });
  await list(service);
  const fault = service.faults.add({ when: "after", status: 500, times: 1 });
  service.faults.add({ status: 503, times: 1 });

  await list(service, "", { key: null });
  const refused = await listTimes(service, 2);
  const firedWhenRefused = fault.fired;
  service.clock.advance(1000);
  const failed = await listTimes(service, 1);

  expect([...refused, firedWhenRefused, ...failed]).toEqual([503, 429, 0, 500]);
});

test("faults that a test does not remove do not accumulate without limit", async ({ service }) => {
  const used = Array.from({ length: 1_001 }, () => service.faults.add({ status: 500, times: 1 }).id);
  await listTimes(service, used.length);
  for (let index = 0; index < 10_000; index += 1) service.faults.add({ status: 500 });

  expect([0, 1, 1_000].map((index) => service.faults.get(used[index] ?? "")?.fired)).toEqual([undefined, 1, 1]);
  expect(() => service.faults.add({ status: 500 })).toThrow(/10000 faults are planned/);
});

test("a 429 of a fault has the account's rate headers, unless the fault has others", async () => {
  const service = createMockService({ plan: "free", now: () => 5000 });
  service.faults.add({ status: 429, times: 1 });
  service.faults.add({ status: 429, headers: { "retry-after": "7", "X-RateLimit-Reset": "soon" }, body: "slow" });

  const first = await list(service);
  const second = await list(service);

  const rate = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "Content-Type"];
  expect(rate.map((name) => first.headers.get(name))).toEqual(["60", "0", "65", "60", "application/problem+json"]);
  expect(rate.map((name) => second.headers.get(name))).toEqual(["60", "0", "soon", "7", "text/plain; charset=utf-8"]);
  expect(second.text).toBe("slow");
});

test.for([
  ["with the dialect's error body", {}],
  ["with a body of its own", { body: "planned" }],
  ["after the work", { when: "after" as const }],
] as const)("a fault's headers replace those of the dialect and of the service, in any case: %s", async ([, fault]) => {
  const errorHeaders = { "Retry-After": "30", "X-Zone": "eu", "Content-Type": "application/problem+json" };
  const dialect = { switches: { "reset-unit": "seconds" as const }, answers: { error: { headers: errorHeaders } } };
  const service = createMockService({ dialect, plan: "free" });
  const planned = { "retry-after": "7", "x-zone": "us", "content-type": "text/html" };
  const headers = { ...planned, "x-ratelimit-reset": "1900000000", "x-request-id": "planned" };
  service.faults.add({ status: 503, headers, ...fault });

  const response = await list(service);

  expect(Object.fromEntries(response.headers)).toMatchObject(headers);
});

test("a probability follows the service's random numbers", async () => {
  let drawn = 0.9;
  const service = createMockService({ random: () => (drawn = 1 - drawn) });
  service.faults.add({ status: 500, probability: 0.5 });

  expect(await listTimes(service, 4)).toEqual([500, 200, 500, 200]);
});

test("an account's faults fire for that account alone, and end with its reset", async ({ service }) => {
  const one = service.account("test_one");
  one.faults.add({ status: 500, headers: { "Content-Type": "application/vnd.my+json" }, body: { reason: "test" } });
  const other = service.faults.add({ status: 503, key: "test_two" });

  const failed = await list(one.clientOptions);
  one.reset();
  const responses = [await list(one.clientOptions), await list(service, "", { key: "test_two" })];

  expect([failed.status, failed.body]).toEqual([500, { reason: "test" }]);
  expect(failed.headers.get("Content-Type")).toBe("application/vnd.my+json");
  expect(responses.map(({ status }) => status)).toEqual([200, 503]);
  expect(one.faults.get(other.id)).toBeUndefined();
  expect(() => one.faults.add({ status: 500, key: "test_two" })).toThrow(/match only its own requests/);
});

test("a response is delayed by the latency and the fault together", async () => {
  const delays: number[] = [];
  const sleep = async (delayMs: number) => void delays.push(delayMs);
  const service = createMockService({ latencyMs: 30, sleep, now: () => 1000 * delays.length });
  service.faults.add({ delayMs: 50, times: 1 });

  const statuses = await listTimes(service, 2);

  expect(delays).toEqual([80, 30]);
  expect(service.requests().map(({ answer }) => answer.durationMs)).toEqual([1000, 1000]);
  expect(statuses).toEqual([200, 200]);
});

test.for(["before", "after"] as const)("a reset ends a create that is delayed %s its work", async (when) => {
  const service = createMockService({ sleep: () => new Promise(() => {}) });
  service.faults.add({ delayMs: 50, when, times: 1 });
  const account = service.account("test_demo");

  const pending = post(service);
  account.reset();
  const page = await create(service, { slug: "fresh" });
  const { status, headers } = await pending;

  expect(status).toBe(503);
  expect(headers.get("X-RateLimit-Remaining")).not.toBeNull();
  expect(account.pages).toEqual([page]);
  expect(account.requests().map(({ status }) => status)).toEqual([201]);
});
