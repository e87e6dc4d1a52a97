import { expect, test } from "vitest";
import type { CallEvent, ClientEvent } from "../src/index.ts";
import { fail, failureOf, json, never, scripted, setUp, somePage, status, untilIdle, wrong } from "./setup.ts";

const named = (events: readonly ClientEvent[]) => events as (ClientEvent & CallEvent)[]; // why: almost every event is of a call
const ofType = (events: readonly ClientEvent[], type: ClientEvent["type"]) =>
  named(events).filter((event) => event.type === type);

test("every event of a call has its id, operation and route, and the last one ends it", async () => {
  const { client, events } = scripted([status(503), json([])]);

  await client.pages.list();
  await client.pages.list();

  const calls = [...Map.groupBy(named(events), ({ callId }) => callId).values()];
  expect(calls).toHaveLength(2);
  for (const call of calls) {
    expect(call.every(({ operation, route }) => operation === "listPages" && route === "/api/content")).toBe(true);
    expect(call.map(({ type }) => type).indexOf("end")).toBe(call.length - 1);
  }
  expect(calls[0]?.at(-1)).toMatchObject({ type: "end", attempts: 2, status: 200 });
});

test("the rate limiter's events go to the first client, and name the call of any client that was refused, and that it opens for", async () => {
  const { client, events } = scripted([status(429, { "Retry-After": "2" }), json([])]);
  const others: ClientEvent[] = [];

  await client.withOptions({ onEvent: (event) => others.push(event) }).pages.list();

  const call = { callId: ofType(others, "end")[0]?.callId, operation: "listPages" };
  expect(ofType(events, "rate-limit")).toMatchObject([
    { state: "closed", untilMs: Date.UTC(2026, 0, 1) + 2225, waiting: 0, ...call },
    { state: "open", waiting: 1, ...call },
  ]);
});

test("a queue's events name the call that showed the outage, and the call that showed its end", async () => {
  const { client, events } = scripted([status(503), json([])]);
  const queue = client.analytics.queue({ concurrency: 1 });
  for (const pageId of ["pg_1", "pg_2"]) queue.push({ pageId });

  await queue.flush();

  const ends = ofType(events, "end");
  expect(ofType(events, "queue")).toMatchObject([
    { state: "paused", callId: ends[0]?.callId, operation: "trackEvent" },
    { state: "resumed", callId: ends[1]?.callId },
  ]);
});

test("a drift event names the list whose response showed the drift", async () => {
  const { client, events } = setUp();
  const ids: string[] = [];
  for (let index = 0; index < 8; index += 1)
    ids.push((await client.pages.create({ ...somePage, slug: `page-${index}` })).id);

  for await (const { slug } of client.pages.iterate({ batchSize: 4 }))
    if (slug === "page-3") await client.pages.delete(ids[0] ?? "");

  const [drift] = ofType(events, "drift");
  expect(drift).toMatchObject({ operation: "listPages", offset: 3, expectedId: ids[3], foundId: ids[4] });
  const request = ofType(events, "request").find(({ callId }) => callId === drift?.callId);
  expect(request).toMatchObject({ path: "/api/content?limit=4&offset=3" });
});

test("a difference from the reference response is a mismatch event of the first call that meets it", async () => {
  const { client, events } = scripted([json({ items: [] })]);

  await client.pages.list();
  await client.pages.list();

  const first = { callId: ofType(events, "request")[0]?.callId, route: "/api/content" };
  expect(ofType(events, "mismatch")).toMatchObject([
    { ...first, where: "list" },
    { ...first, where: "total" },
  ]);
  expect(events.at(4)).toMatchObject({ ...first, type: "end" });
});

test("a call that is refused before anything is sent has one event, its end", async () => {
  const { client, events } = scripted([json([])]);
  const calls = [
    ["createPage", () => client.pages.create(wrong({ title: 7 }))],
    ["updatePage", () => client.pages.update("..", {})],
    ["deletePage", () => client.pages.delete("")],
    ["listPages", () => client.pages.list({ limit: -1 })],
    ["listPages", () => client.pages.list({}, { timeoutMs: -1 })],
    ["trackEvent", () => client.analytics.track({ pageId: "pg_1", timestamp: "no time" })],
  ] as const;

  for (const [operation, call] of calls) {
    const error = await failureOf(call());

    expect(events.splice(0)).toMatchObject([{ type: "end", operation, attempts: 0, error, path: /^\/api\// }]);
  }
});

test("an attempt that is aborted has a response event, so that requests and responses add up", async () => {
  const { client, events } = scripted([never]);
  const controller = new AbortController();
  const call = failureOf(client.pages.list({}, { signal: controller.signal }));
  await untilIdle();

  controller.abort();
  await call;

  expect(events).toMatchObject([
    { type: "request", method: "GET", path: "/api/content", attempt: 1 },
    { type: "response", method: "GET", path: "/api/content", attempt: 1, durationMs: 0, failure: "aborted" },
    { type: "end", operation: "listPages", attempts: 1, error: { name: "AbortError" } },
  ]);
});

test("a logger or listener that throws does no harm", async () => {
  const logger = { debug: fail, info: fail, warn: fail };
  const { client } = scripted([status(503), json([])], { onEvent: fail, logger, logLevel: "debug" });

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
});
