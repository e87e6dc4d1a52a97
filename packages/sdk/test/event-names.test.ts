import { expect, test } from "vitest";
import type { ClientEvent } from "../src/index.ts";
import { failureOf, json, scripted, setUp, somePage, status } from "./setup.ts";

type Named = ClientEvent & { callId: string };

const ofType = (events: readonly ClientEvent[], type: ClientEvent["type"]) =>
  events.filter((event) => event.type === type) as Named[]; // why: the tests below say so

test("every event names its call, also those of the rate limiter, a queue and an iteration", async () => {
  const { client, events } = scripted([status(429, { "Retry-After": "2" }), json([]), status(503), json([])]);

  await client.pages.list();
  const queue = client.analytics.queue();
  queue.push({ pageId: "pg_1" });
  await queue.flush();

  expect(new Set(events.map(({ type }) => type))).toContain("queue");
  const begun = new Set(ofType(events, "end").map(({ callId }) => callId));
  for (const event of events) expect(begun).toContain((event as Named).callId);
});

test("the gate names the call that was refused, and the one it opens for", async () => {
  const { client, events } = scripted([status(429, { "Retry-After": "2" }), json([])]);

  const first = client.pages.list();
  await first;

  const [end] = ofType(events, "end");
  expect(ofType(events, "rate-limit")).toMatchObject([
    { state: "closed", callId: end?.callId, operation: "listPages" },
    { state: "open", callId: end?.callId, operation: "listPages" },
  ]);
});

test("a gate that opens for somebody else names who waits, whichever client it came from", async () => {
  const { client, events } = scripted([status(429, { "Retry-After": "2" }), json([])]);
  const other = client.withOptions({ timeoutMs: 1_000 });
  const stop = new AbortController();

  const aborted = failureOf(client.pages.list({}, { signal: stop.signal }));
  while (ofType(events, "rate-limit").length === 0) await new Promise((resolve) => setImmediate(resolve));
  const waiting = other.pages.find({ id: "pg_1" });
  stop.abort();
  await Promise.all([aborted, waiting]);

  const [refused, found] = ofType(events, "request");
  expect(ofType(events, "rate-limit").map(({ callId }) => callId)).toEqual([refused?.callId, found?.callId]);
});

test("a queue names the call that showed the outage, and the one that showed its end", async () => {
  const { client, events } = scripted([status(503), json([])]);
  const queue = client.analytics.queue({ concurrency: 1 });
  queue.push({ pageId: "pg_1" });
  queue.push({ pageId: "pg_2" });

  await queue.flush();

  const ends = ofType(events, "end");
  expect(ofType(events, "queue")).toMatchObject([
    { state: "paused", callId: ends[0]?.callId, operation: "trackEvent" },
    { state: "resumed", callId: ends[1]?.callId },
  ]);
});

test("drift names the list whose response showed it", async () => {
  const { client, events } = setUp();
  const ids: string[] = [];
  for (let each = 0; each < 8; each += 1)
    ids.push((await client.pages.create({ ...somePage, slug: `page-${each}` })).id);

  let given = 0;
  for await (const page of client.pages.iterate({ batchSize: 4 })) {
    expect(page.id).toBe(ids[given]);
    if ((given += 1) === 4) await client.pages.delete(ids[0] ?? "");
  }

  const [drift] = ofType(events, "drift");
  expect(drift).toMatchObject({ operation: "listPages", offset: 3 });
  const request = ofType(events, "request").find(({ callId }) => callId === drift?.callId);
  expect(request).toMatchObject({ path: "/api/content?limit=4&offset=3" });
});

test("a call that had no key to send made no attempt, as its last event says", async () => {
  const { client, events } = scripted([json([])], { apiKey: () => Promise.reject(new Error("vault sealed")) });

  await failureOf(client.pages.list());

  expect(ofType(events, "end")).toMatchObject([{ attempts: 0, operation: "listPages" }]);
});
