import { expect, test } from "vitest";
import { AuthenticationError, type ClientOptions, type CreateManyResult } from "../src/index.ts";
import { json, scripted, somePage, status } from "./setup.ts";

const inputs = (count: number) => Array.from({ length: count }, (_, index) => ({ ...somePage, slug: `page-${index}` }));

/** A service that takes only the keys it is told to. */
function setUp(accepts: (key: string, atMs: number) => boolean, options: ClientOptions = {}) {
  const bench = scripted([json({ id: "pg_1" }, 201)], {
    apiKey: "key_one",
    ...options,
    fetch: async (_url, { headers }) => {
      const key = (headers["authorization"] ?? "").replace("Bearer ", "");
      keys.push(key);
      await new Promise((resolve) => setImmediate(resolve));
      return accepts(key, bench.time.now() - startMs) ? json({ id: "pg_1" }, 201) : status(401);
    },
  });
  const keys: string[] = [];
  const startMs = bench.time.now();
  return { ...bench, keys, startMs };
}

async function collect(results: AsyncIterable<CreateManyResult>) {
  const all: CreateManyResult[] = [];
  for await (const result of results) all.push(result);
  return all.sort((one, other) => one.index - other.index);
}

test("createMany sends no more once its key is refused, and gives each input the error", async () => {
  const { client, keys } = setUp(() => false);

  const results = await collect(client.pages.createMany(inputs(100), { concurrency: 4 }));

  expect(keys.length).toBeLessThanOrEqual(4);
  expect(results.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(results.every(({ error }) => AuthenticationError.is(error) && !error.mayHaveBeenApplied)).toBe(true);
  const last = results.at(-1)?.error as AuthenticationError; // why: the line above
  expect(last.attempts).toEqual([]);
  expect(last.message).toBe("Create page was not sent: the service has just refused this API key");
});

test("no error shows a part of the previous key when its response breaks off and the next key is not sent", async () => {
  const [before, after] = ["key_before_0123456789", "key_after_9876543210"];
  let asked = 0;
  const refusedAfter = new AbortController();
  const isAfterHeard = new Promise((resolve) => refusedAfter.signal.addEventListener("abort", resolve));
  const { client } = scripted([], {
    apiKey: async () => {
      asked += 1;
      if (asked <= 2) return before;
      // The second call is given the key after once the first one has been refused with it.
      if (asked === 4) await isAfterHeard;
      return after;
    },
    fetch: (_url, { headers }) => {
      const key = (headers["authorization"] ?? "").slice("Bearer ".length);
      if (key === after) setTimeout(() => refusedAfter.abort(), 5);
      return Promise.resolve(new Response(`not yours: ${key.slice(0, -2)}`, { status: 401 }));
    },
  });

  const results = await collect(client.pages.createMany(inputs(2), { concurrency: 2 }));

  const messages = results.map(({ error }) => String(error));
  expect(messages).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("not yours: [API key]") as string));
  expect(asked).toBe(4);
});

test("a refresh within the call costs no input", async () => {
  const given: string[] = [];
  const apiKey = () => {
    given.push(given.length === 0 ? "key_old" : "key_new");
    return given.at(-1) ?? "";
  };
  const { client } = setUp((key) => key === "key_new", { apiKey });

  const results = await collect(client.pages.createMany(inputs(5), { concurrency: 1 }));

  expect(results.every(({ page }) => page !== undefined)).toBe(true);
});

test("another createMany asks the service again, and so does every single call", async () => {
  const { client, keys } = setUp(() => false);

  for (let run = 0; run < 3; run += 1) await collect(client.pages.createMany(inputs(5), { concurrency: 1 }));
  for (let call = 0; call < 3; call += 1) await client.pages.create(somePage).catch(() => undefined);

  expect(keys).toHaveLength(6);
});

test("with a refused key the queue sends a probe now and then, keeps its events, and drain hands them all back", async () => {
  const { client, keys, time } = setUp(() => false);
  const queue = client.analytics.queue();
  for (let each = 0; each < 50; each += 1) queue.push({ pageId: `pg_${each}` });
  await time.sleep(50_000, undefined);

  const { outage } = queue;
  const left = await queue.drain();

  expect(keys.length).toBeLessThanOrEqual(4 + 1);
  expect(AuthenticationError.is(outage?.error)).toBe(true);
  expect(left).toHaveLength(50);
  expect(queue.counts).toEqual({ accepted: 50, delivered: 0, failed: 0, dropped: 50, pending: 0 });
});

test("the queue goes on within a minute after the function gives another key", async () => {
  let key = "key_one";
  const { client, keys, time, startMs } = setUp((sent) => sent === "key_two", { apiKey: () => key });
  const queue = client.analytics.queue({ concurrency: 2 });
  for (let each = 0; each < 30; each += 1) queue.push({ pageId: `pg_${each}` });
  await time.sleep(3_600_000, undefined);
  const sentBefore = keys.length;

  key = "key_two";
  await queue.flush();

  expect(sentBefore).toBeLessThanOrEqual(2 + 2 * 60);
  expect(time.now() - startMs).toBeLessThan(3_600_000 + 61_000);
  expect(queue.counts).toMatchObject({ delivered: 30, failed: 0, dropped: 0 });
});

test("an event that always gets a refused key is never failed, as it was never sent", async () => {
  let asked = 0;
  // Every other call gets the key that was refused.
  const { client } = setUp((key) => key === "key_good", {
    apiKey: () => ((asked += 1) % 2 === 0 ? "key_good" : "key_bad"),
  });
  const queue = client.analytics.queue({ concurrency: 2 });
  for (let each = 0; each < 60; each += 1) queue.push({ pageId: `pg_${each}` });

  await queue.flush();

  expect(queue.counts).toMatchObject({ delivered: 60, failed: 0 });
});
