import { expect } from "vitest";
import { createMockService, type MockService, type StateRecord } from "../src/index.ts";
import { create, post, remove, somePage, test, track, update } from "./client.ts";

const dayMs = 24 * 60 * 60 * 1000;
const headers = { "Idempotency-Key": "6b1f" };
/** Each request waits for one turn of the event loop, so many are in flight together. */
const concurrent = { latencyMs: 1, sleep: async (): Promise<void> => new Promise((resolve) => setImmediate(resolve)) };

/** Sends the event of a page with the same key each time. */
const trackOnce = (service: MockService, pageId: string, fields: object = {}) =>
  track(service, pageId, fields, { headers });
const twentyTimes = <Value>(run: () => Promise<Value>) => Promise.all(Array.from({ length: 20 }, run));

test("concurrent creates with one Idempotency-Key create one page and get the same response", async () => {
  const service = createMockService(concurrent);

  const responses = await twentyTimes(() => post(service, { headers }));

  expect(service.account("test_demo").pages).toHaveLength(1);
  const seen = responses.map(({ status, text, headers }) => `${status} ${headers.get("Location")} ${text}`);
  expect(new Set(seen).size).toBe(1);
});

test("concurrent events with one Idempotency-Key are stored once, also if the first response was lost", async () => {
  const service = createMockService(concurrent);
  const account = service.account("test_demo");
  const { id } = await create(service);
  account.faults.add({ endpoint: "trackEvent", status: 500, when: "after", times: 1 });

  const lost = await trackOnce(service, id);
  const [stored] = account.events;
  const responses = await twentyTimes(() => trackOnce(service, id));

  const statuses = new Set(responses.map(({ status, body }) => `${status} ${body.id}`));
  expect([lost.status, account.events]).toEqual([500, [stored]]);
  expect(statuses).toEqual(new Set([`202 ${stored?.id}`]));
});

test("concurrent updates and deletes of a page keep their order", async () => {
  const service = createMockService(concurrent);
  const { id } = await create(service);

  const responses = await Promise.all([
    update(service, id, { title: "Before" }),
    remove(service, id),
    update(service, id, { slug: "after" }),
  ]);

  expect(responses.map(({ status }) => status)).toEqual([200, 204, 404]);
  expect(service.account("test_demo").pages).toEqual([]);
});

test("a replay after the page was deleted does not bring it back", async ({ service }) => {
  const { body } = await post(service, { headers });
  await remove(service, body.id);

  const replay = await post(service, { headers });

  expect([replay.status, replay.body]).toEqual([201, body]);
  expect(service.account("test_demo").pages).toEqual([]);
});

test("another body under the same key is refused, another account's is not", async ({ service }) => {
  const { body: page } = await post(service, { headers });
  await trackOnce(service, page.id);
  const changed = { headers, body: { ...somePage, title: "Other" } };

  const other = await post(service, changed);
  const otherEvent = await trackOnce(service, page.id, { type: "interaction" });
  const foreign = await post(service, { ...changed, key: "test_other" });

  expect([other.status, otherEvent.status, foreign.status]).toEqual([400, 400, 201]);
  for (const { body } of [other, otherEvent]) expect(body.detail).toContain("Idempotency-Key");
});

test("a key is forgotten after 24 hours, and refusals are not remembered", async () => {
  const service = createMockService({ now: () => Date.UTC(2026, 0, 31) });
  const refused = await post(service, { headers, body: { ...somePage, slug: "No" } });
  const refusedEvent = await trackOnce(service, "pg_unknown");
  const page = await create(service);
  const repeat = async () =>
    [await post(service, { headers }), await trackOnce(service, page.id)].map(({ status, body }) => [status, body.id]);

  const first = await repeat();
  service.clock.advance(dayMs - 1);
  const replayed = await repeat();
  service.clock.advance(1);
  const later = await repeat();

  expect([refused.status, refusedEvent.status]).toEqual([400, 404]);
  expect(first.map(([status]) => status)).toEqual([201, 202]);
  expect(replayed).toEqual(first);
  expect(new Set([...first, ...later].map(([, id]) => id)).size).toBe(4);
});

test("of more than 10 000 remembered keys the oldest are forgotten first, and a key used again is no longer old", async () => {
  const page = await create(createMockService());
  const remembered = { endpoint: "createPage" as const, fingerprint: "", expiresAtMs: Number.MAX_VALUE, page };
  const seed = [...Array(10_000).keys(), 0, 10_000].map((number): StateRecord => {
    return { account: "test_demo", remembered: { ...remembered, key: `key-${number}` } };
  });
  const service = createMockService({ seed });
  const statusOf = async (key: string) => (await post(service, { headers: { "Idempotency-Key": key } })).status;

  expect([await statusOf("key-0"), await statusOf("key-1"), await statusOf("not plain")]).toEqual([400, 201, 400]);
});
