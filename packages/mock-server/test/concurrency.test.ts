import type { PageRecord, Problem } from "@landing-page-service/contract";
import { describe, expect, test } from "vitest";
import { createMockService, type StateRecord } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";

/** Lets every request wait once, so that many are under way together. */
const sleep = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const crowded = { latencyMs: 1, sleep };

test("a delete among updates of the same page is never undone", async () => {
  const service = createMockService(crowded);
  const pages = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => create(service, { slug: `page-${index}` })),
  );

  const answers = await Promise.all(
    pages.flatMap(({ id }) => [
      send(service, "PUT", `/api/content/${id}`, { body: { title: "Before" } }),
      send(service, "DELETE", `/api/content/${id}`),
      send(service, "PUT", `/api/content/${id}`, { body: { slug: "after" } }),
    ]),
  );

  expect(answers.map(({ status }) => status)).toEqual(pages.flatMap(() => [200, 204, 404]));
  expect(service.account("test_demo").pages).toEqual([]);
  expect((await create(service, { slug: "after" })).domains[0]?.url).toMatch(/\/after$/);
});

const once = { body: somePage, headers: { "Idempotency-Key": "6b1f" } };

test("twins with one Idempotency-Key give one page and the same response", async () => {
  const service = createMockService(crowded);

  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => send(service, "POST", "/api/content", once)),
  );

  expect(service.account("test_demo").pages).toHaveLength(1);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.headers.get("Location")).toBe(answers[1]?.headers.get("Location"));
});

test("a replay after the page was deleted does not bring it back", async () => {
  const service = createMockService();
  const { body } = await send(service, "POST", "/api/content", once);
  await send(service, "DELETE", `/api/content/${body.id}`);

  const replay = await send<PageRecord>(service, "POST", "/api/content", once);

  expect([replay.status, replay.body]).toEqual([201, body]);
  expect(service.account("test_demo").pages).toEqual([]);
});

test("another body under the same Idempotency-Key is refused, another account's is not", async () => {
  const service = createMockService();
  await send(service, "POST", "/api/content", once);

  const other = await send<Problem>(service, "POST", "/api/content", {
    ...once,
    body: { ...somePage, title: "Other" },
  });
  const foreign = await send(service, "POST", "/api/content", { ...once, key: "test_other" });

  expect([other.status, foreign.status]).toEqual([400, 201]);
  expect(other.body.detail).toContain("Idempotency-Key");
});

test("an Idempotency-Key is forgotten after 24 hours, and refusals are never remembered", async () => {
  const service = createMockService({ now: () => Date.UTC(2026, 0, 31) });
  const refused = await send(service, "POST", "/api/content", { ...once, body: { ...somePage, slug: "No" } });
  const first = await send(service, "POST", "/api/content", once);
  service.clock.advance(24 * 60 * 60 * 1000 - 1);
  const replay = await send(service, "POST", "/api/content", once);
  service.clock.advance(1);
  const later = await send(service, "POST", "/api/content", once);

  expect([refused.status, first.status, later.status]).toEqual([400, 201, 201]);
  expect(replay.body.id).toBe(first.body.id);
  expect(later.body.id).not.toBe(first.body.id);
});

test("of more than 10 000 remembered keys the oldest are forgotten first", async () => {
  const { body: page } = await send(createMockService(), "POST", "/api/content", once);
  const remembered = { endpoint: "createPage" as const, fingerprint: "", expiresAtMs: Number.MAX_VALUE, page };
  const seed = Array.from({ length: 10_001 }, (_, index): StateRecord => {
    return { account: "test_demo", remembered: { ...remembered, key: `key-${index}` } };
  });
  const service = createMockService({ seed });
  const statusOf = async (key: string) =>
    (await send(service, "POST", "/api/content", { body: somePage, headers: { "Idempotency-Key": key } })).status;

  expect([await statusOf("key-1"), await statusOf("key-0")]).toEqual([400, 201]);
});

describe("an event with an Idempotency-Key", () => {
  const headers = { "Idempotency-Key": "6b1f" };
  const timestamp = "2026-01-02T03:04:05Z";

  test("is stored once and gets the same response however often it is sent, also if the first response was lost", async () => {
    const service = createMockService(crowded);
    const account = service.account("test_demo");
    const { body: page } = await send(service, "POST", "/api/content", { body: somePage, headers });
    account.faults.add({ endpoint: "trackEvent", status: 500, when: "after", times: 1 });
    const view = { body: { pageId: page.id, timestamp }, headers };

    const lost = await send(service, "POST", "/api/analytics/view", view);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => send(service, "POST", "/api/analytics/view", view)),
    );

    expect([lost.status, account.events.length]).toEqual([500, 1]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`202 ${JSON.stringify({ id: account.events[0]?.id, ...view.body })}`]),
    );
  });

  test("is refused with another body, forgotten after 24 hours, and no refusal is remembered", async () => {
    const service = createMockService({ now: () => Date.UTC(2026, 0, 31) });
    const { body: page } = await send(service, "POST", "/api/content", { body: somePage });
    const track = async (pageId: string, at = timestamp) =>
      send<Problem>(service, "POST", "/api/analytics/view", { body: { pageId, timestamp: at }, headers });

    const unknown = await track("pg_unknown");
    const first = await track(page.id);
    const other = await track(page.id, "2026-01-02T03:04:06Z");
    service.clock.advance(24 * 60 * 60 * 1000);
    const later = await track(page.id, "2026-01-02T03:04:06Z");

    expect([unknown, first, other, later].map(({ status }) => status)).toEqual([404, 202, 400, 202]);
    expect(other.body.detail).toContain("Idempotency-Key");
  });
});

test("an Idempotency-Key that is no plain text is refused", async () => {
  const { status } = await send(createMockService(), "POST", "/api/content", {
    ...once,
    headers: { "Idempotency-Key": "a b" },
  });

  expect(status).toBe(400);
});
