import { expect, test } from "vitest";
import { createMockService, type FaultRule, type MockServiceOptions } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";

/** A service whose delays end when the test says so. */
function slowService(options: MockServiceOptions = {}) {
  const delays: { delayMs: number; end: () => void }[] = [];
  const service = createMockService({
    ...options,
    sleep: (delayMs) => new Promise((resolve) => delays.push({ delayMs, end: resolve })),
  });
  return { service, delays };
}

test("the next two requests fail, then all is well", async () => {
  const service = createMockService();
  const fault = service.faults.add({ status: 500, times: 2 });

  const statuses = [];
  for (let index = 0; index < 4; index += 1) statuses.push((await send(service, "GET", "/api/content")).status);

  expect(statuses).toEqual([500, 500, 200, 200]);
  expect([fault.fired, service.faults.list()]).toEqual([2, []]);
});

test("a used-up fault still says how often it fired, until it is removed", async () => {
  const { faults, clientOptions } = createMockService().account("test_demo");
  const { id } = faults.add({ status: 500, times: 1 });
  const headers = { Authorization: "Bearer test_demo" };
  for (let index = 0; index < 2; index += 1) await clientOptions.fetch(clientOptions.baseUrl, { headers });

  const known = faults.get(id);
  known?.remove();

  expect([known?.fired, faults.list(), faults.get(id)]).toEqual([1, [], undefined]);
});

test.each([
  [{ method: "POST" }, [503, 200]],
  [{ path: /content$/ }, [503, 503]],
  [{ query: { limit: "5" } }, [201, 503]],
  [{ request: { body: { cta: { label: "Buy" } } } }, [503, 200]],
  [{ request: { headers: { "x-trace": /^a/ } } }, [201, 503]],
  [{ pageId: "pg_1" }, [201, 200]],
])("a fault for %j fires for requests that match", async (match, statuses) => {
  const service = createMockService();
  service.faults.add({ ...match, status: 503 });

  const created = await send(service, "POST", "/api/content", { body: somePage });
  const listed = await send(service, "GET", "/api/content?limit=5", { headers: { "X-Trace": "abc" } });

  expect([created.status, listed.status]).toEqual(statuses);
});

test("the third create of one account fails, and nothing else", async () => {
  const service = createMockService();
  service.faults.add({ endpoint: "createPage", key: "test_demo", skip: 2, times: 1, status: 503 });
  const statusOf = async (method: string, key: string) =>
    (await send(service, method, "/api/content", { key, ...(method === "POST" && { body: somePage }) })).status;

  const statuses = [];
  for (let index = 0; index < 4; index += 1)
    statuses.push([
      await statusOf("POST", "test_demo"),
      await statusOf("GET", "test_demo"),
      await statusOf("POST", "test_other"),
    ]);

  expect(statuses).toEqual([
    [201, 200, 201],
    [201, 200, 201],
    [503, 200, 201],
    [201, 200, 201],
  ]);
});

test("a fault can fire once the work is done", async () => {
  const service = createMockService();
  service.faults.add({ endpoint: "createPage", when: "after", status: 500, times: 1 });
  const headers = { "Idempotency-Key": "once" };

  const failed = await send(service, "POST", "/api/content", { body: somePage, headers });
  const again = await send(service, "POST", "/api/content", { body: somePage, headers });

  expect([failed.status, again.status]).toEqual([500, 201]);
  expect(service.account("test_demo").pages).toEqual([again.body]);
});

test("a fault that fires once the work is done skips requests that the rate limit refuses", async () => {
  const service = createMockService({ plan: { limit: 1, windowMs: 1000 }, now: () => 0 });
  await send(service, "GET", "/api/content");
  const fault = service.faults.add({ when: "after", status: 500, times: 1 });

  const refused = await send(service, "GET", "/api/content");
  const firedWhenRefused = fault.fired;
  service.clock.advance(1000);
  const failed = await send(service, "GET", "/api/content");

  expect([refused.status, firedWhenRefused, failed.status]).toEqual([429, 0, 500]);
});

test("faults that nobody takes back do not pile up without end", () => {
  const service = createMockService();
  for (let index = 0; index < 10_000; index += 1) service.faults.add({ status: 500 });

  expect(() => service.faults.add({ status: 500 })).toThrow(/10000 faults are planned/);
});

test("a planned 429 has true rate headers, unless the plan says otherwise", async () => {
  const service = createMockService({ plan: "free", now: () => 5000 });
  service.faults.add({ status: 429, times: 1 });
  service.faults.add({ status: 429, headers: { "retry-after": "7" }, body: "slow down" });

  const first = await send(service, "GET", "/api/content");
  const second = await send(service, "GET", "/api/content");

  const rate = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "Content-Type"];
  expect(rate.map((name) => first.headers.get(name))).toEqual(["60", "0", "65", "60", "application/problem+json"]);
  expect(rate.map((name) => second.headers.get(name))).toEqual(["60", "0", "65", "7", "text/plain; charset=utf-8"]);
  expect(second.text).toBe("slow down");
});

test("chance follows the service's randomness", async () => {
  let drawn = 0;
  const service = createMockService({ random: () => [0.4, 0.6][(drawn += 1) % 2] ?? 0 });
  service.faults.add({ status: 500, probability: 0.5 });

  const statuses = [];
  for (let index = 0; index < 4; index += 1) statuses.push((await send(service, "GET", "/api/content")).status);

  expect(statuses.map(String).toSorted()).toEqual(["200", "200", "500", "500"]);
});

test("an account's faults fire for that account alone", async () => {
  const service = createMockService();
  const { faults } = service.account("test_one");
  faults.add({ status: 500, body: { reason: "test" } });
  service.faults.add({ status: 503, key: "test_two" });

  const one = await send(service, "GET", "/api/content", { key: "test_one" });
  faults.clear();
  const two = await send(service, "GET", "/api/content", { key: "test_two" });

  expect([one.status, one.body, two.status]).toEqual([500, { reason: "test" }, 503]);
  expect(() => faults.add({ status: 500, key: "test_two" })).toThrow(/no other account's key/);
});

test("a truncated response is half of the real one, after the work was done", async () => {
  const service = createMockService();
  service.faults.add({ wire: "truncate" });
  const headers = new Headers({ Authorization: "Bearer test_demo", "Content-Type": "application/json" });
  const body = new TextEncoder().encode(JSON.stringify(somePage));

  const plain = await service.handle({ method: "POST", path: "/api/content", query: "", headers, body });

  expect([plain.wire, plain.status]).toEqual(["truncate", 201]);
  expect(service.account("test_demo").pages).toHaveLength(1);
});

const wrongRules: [string, object, RegExp][] = [
  ["nothing to do", { times: 1 }, /needs a status, a delayMs or a wire/],
  ["an unknown endpoint", { endpoint: "list", status: 500 }, /endpoint: expected one of listPages, createPage/],
  ["an impossible status", { status: 199 }, /status: expected an integer from 200 to 599/],
  ["a body without a status", { body: "x", delayMs: 1 }, /headers and body, which are the response's, need a status/],
  ["a status and a broken wire", { status: 500, wire: "reset" }, /exclude each other/],
  ["a cut before there is a response", { wire: "truncate", when: "before" }, /cannot fire before/],
  ["a body where there is none", { status: 204, body: "x" }, /status 204 has no body/],
  ["no times", { status: 500, times: 0 }, /times: expected an integer of 1 or more/],
  ["no chance", { status: 500, probability: 0 }, /probability: expected above 0/],
  ["a delay no timer can do", { delayMs: 2 ** 31 }, /delayMs: expected 0 to 2147483647/],
  [
    "a header HTTP cannot carry",
    { status: 500, headers: { "X Y": "1" } },
    /headers\.X.*: expected a name and a string that HTTP can carry/,
  ],
  [
    "a length of its own",
    { status: 500, headers: { "content-length": "5" } },
    /headers\.content-length: is written by/,
  ],
  ["a body JSON cannot hold", { status: 500, body: Symbol("x") }, /body: must be a string/],
  ["a foreign key", { status: 500, key: "live" }, /opens no account/],
];

test.each(wrongRules)("a fault with %s is refused", (_, rule, message) => {
  const service = createMockService();

  // why: rules also come from JavaScript and JSON, where no compiler looks at them
  expect(() => service.faults.add(rule as FaultRule)).toThrow(message);
});

test("a response is delayed for as long as the latency and the fault say", async () => {
  const { service, delays } = slowService({ latencyMs: 30 });
  service.faults.add({ delayMs: 50, times: 1 });

  const pending = [send(service, "GET", "/api/content"), send(service, "GET", "/api/content")];
  const waits = delays.map(({ delayMs }) => delayMs);
  for (const { end } of delays) end();
  const answers = await Promise.all(pending);

  expect(waits).toEqual([80, 30]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

test("a caller who goes away ends the delay, and nothing is done", async () => {
  const { service, delays } = slowService();
  service.faults.add({ delayMs: 50 });
  const caller = new AbortController();

  const pending = send(service, "POST", "/api/content", { body: somePage, signal: caller.signal });
  const reason = new Error("gone");
  caller.abort(reason);

  await expect(pending).rejects.toBe(reason);
  for (const { end } of delays) end();
  expect(service.account("test_demo").pages).toEqual([]);
});

test.each(["before", "after"] as const)(
  "a reset ends the delay of a create held back %s the work, which writes nothing into what comes next",
  async (when) => {
    const { service } = slowService();
    service.faults.add({ delayMs: 50, when, times: 1 });
    const account = service.account("test_demo");

    const pending = send(service, "POST", "/api/content", { body: somePage });
    account.reset();
    const page = await create(service, { slug: "fresh" });
    const { status, headers } = await pending;

    expect(status).toBe(503);
    expect(headers.get("X-RateLimit-Remaining")).not.toBeNull();
    expect(account.pages).toEqual([page]);
    expect(account.requests().map(({ status }) => status)).toEqual([201]);
  },
);

test("a reset of one account leaves faults, requests and pages of the others", async () => {
  const service = createMockService();
  await create(service, {}, "test_one");
  await create(service, {}, "test_two");
  service.faults.add({ status: 500, key: "test_one" });
  service.faults.add({ status: 500, key: "test_two" });

  service.account("test_one").reset();

  expect(service.faults.list().map(({ rule }) => rule.key)).toEqual(["test_two"]);
  expect(service.requests().map(({ account }) => account)).toEqual(["test_…"]);
  expect(service.account("test_one").pages).toEqual([]);
  expect(service.account("test_two").pages).toHaveLength(1);
});
