import { expect, test } from "vitest";
import { AuthenticationError, type ClientOptions, ConfigurationError, type CreateManyResult } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status, wrong } from "./setup.ts";

const inputs = (count: number) => Array.from({ length: count }, (_, index) => ({ ...somePage, slug: `page-${index}` }));
const keyOf = (headers: Headers) => headers.get("Authorization")?.replace("Bearer ", "");

/** A service that accepts only some keys. */
function setUp(accepts: (key: string, atMs: number) => boolean, options: ClientOptions = {}) {
  const keys: string[] = [];
  const bench = scripted(
    [
      async () => {
        const key = keyOf(bench.requests.at(-1)?.headers ?? new Headers()) ?? "";
        keys.push(key);
        await new Promise((resolve) => setImmediate(resolve));
        return accepts(key, bench.time.now() - startMs) ? json({ id: "pg_1" }, 201) : status(401);
      },
    ],
    { apiKey: "key_one", ...options },
  );
  const startMs = bench.time.now();
  return { ...bench, keys, startMs };
}

async function collect(results: AsyncIterable<CreateManyResult>) {
  const all: CreateManyResult[] = [];
  for await (const result of results) all.push(result);
  return all.sort((one, other) => one.index - other.index);
}

test("a key function is called before every attempt, and once more after a 401", async () => {
  let calls = 0;
  const apiKey = async () => `key_${(calls += 1)}`;
  const { client, requests } = scripted([status(503), status(401), json([])], { apiKey });

  await client.pages.list();

  expect(requests.map(({ headers }) => keyOf(headers))).toEqual(["key_1", "key_2", "key_3"]);
});

test.each<[string, (call: number) => string, number, number]>([
  ["a key function that gives the same key again", () => "test_same", 1, 2],
  ["a key function whose keys are all refused", (call) => `test_${call}`, 2, 2],
])("a 401 is final with %s", async (_title, readKey, sent, called) => {
  let calls = 0;
  const { client, requests } = scripted([status(401)], { apiKey: () => readKey((calls += 1)) });

  await expect(client.pages.list()).rejects.toMatchObject({ name: "AuthenticationError", status: 401 });
  expect([requests.length, calls]).toEqual([sent, called]);
});

test("a 401 is final with a fixed key, in a client made by withOptions too", async () => {
  const { client, requests } = scripted([status(401)]);

  for (const each of [client, client.withOptions({})]) {
    const error = await failureOf(each.pages.list());
    expect(error).toMatchObject({ name: "AuthenticationError" });
    expect(error).not.toHaveProperty("cause");
  }
  expect(requests).toHaveLength(2);
});

test("a key function that fails is a ConfigurationError with its cause, and nothing is sent", async () => {
  const cause = new Error("vault is sealed");
  const { client, requests, events } = scripted([json([])], { apiKey: () => Promise.reject(cause) });

  const error = await failureOf(client.pages.list());

  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ cause });
  expect(requests).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: "end", attempts: 0, operation: "listPages" });
});

test("a key function that fails before a second attempt leaves the error of the first", async () => {
  let isSealed = false;
  const { client } = scripted([() => ((isSealed = true), status(500))], {
    apiKey: () => {
      if (isSealed) throw new Error("vault sealed");
      return "test_sdk";
    },
  });

  expect(await failureOf(client.pages.create(somePage))).toMatchObject({
    name: "ServerError",
    mayHaveBeenApplied: true,
    attempts: [{ status: 500 }],
    cause: { name: "ConfigurationError", cause: { message: "vault sealed" } },
  });
});

test.each<[unknown, string]>([
  [undefined, "a string, not undefined"],
  [{ key: "secret" }, "a string, not an object"],
  ["two words", "1 to 512 visible ASCII characters, without spaces or line breaks"],
  ["secret\r\n", "the key alone, without the space or line break before or after it"],
])(
  "a key function that returns %j ends in an error that says so, in every client made from it",
  async (value, expected) => {
    const { client, requests } = scripted([json([])], { apiKey: async () => wrong(value) });

    for (const each of [client, client.withOptions({ timeoutMs: 100 }).withOptions({})]) {
      const message = String(await failureOf(each.pages.list()));
      expect(message).toContain(`ConfigurationError: The function passed as \`apiKey\` must return ${expected}`);
      expect(message).not.toContain("secret");
    }
    expect(requests).toEqual([]);
  },
);

test("createMany sends no more once its key is refused, and reports the error for each input", async () => {
  const { client, keys } = setUp(() => false);

  const results = await collect(client.pages.createMany(inputs(100), { concurrency: 4 }));

  expect(keys.length).toBeLessThanOrEqual(4);
  expect(results.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(results.every(({ error }) => AuthenticationError.is(error) && !error.mayHaveBeenApplied)).toBe(true);
});

test("errors of inputs that createMany does not send after a refused key say nothing about the page that was sent", async () => {
  const { client, requests } = scripted([status(500), status(401)]);

  const [sent, ...others] = await collect(client.pages.createMany(inputs(3), { concurrency: 1 }));

  expect(requests).toHaveLength(2);
  expect(sent?.error).toMatchObject({ mayHaveBeenApplied: true, idempotencyKey: expect.any(String) });
  for (const { error } of others) {
    const message = "Create page was not sent: the service has just refused this API key";
    expect(error).toMatchObject({ name: "AuthenticationError", message, attempts: [], mayHaveBeenApplied: false });
    // A service that honours the key would return the page of the first input.
    expect(error).not.toHaveProperty("idempotencyKey");
  }
});

test("createMany loses no input when the key function returns a new key", async () => {
  const keys = ["key_old"];
  const { client } = setUp((key) => key === "key_new", { apiKey: () => keys.pop() ?? "key_new" });

  const results = await collect(client.pages.createMany(inputs(5), { concurrency: 1 }));

  expect(results.every(({ page }) => page !== undefined)).toBe(true);
});

test("a refused key is tried again by another createMany and by every single call", async () => {
  const { client, keys } = setUp(() => false);

  for (let run = 0; run < 2; run += 1) await collect(client.pages.createMany(inputs(5), { concurrency: 1 }));
  for (let call = 0; call < 2; call += 1) await failureOf(client.pages.create(somePage));

  expect(keys).toHaveLength(4);
});

test("with a refused key the queue sends a probe now and then, and resumes within a minute after the key function returns an accepted key", async () => {
  let key = "key_one";
  const { client, keys, time, startMs } = setUp((sent) => sent === "key_two", { apiKey: () => key });
  const queue = client.analytics.queue({ concurrency: 2 });
  for (let each = 0; each < 30; each += 1) queue.push({ pageId: `pg_${each}` });
  await time.sleep(3_600_000, undefined);
  const sentBefore = keys.length;
  const { outage } = queue;

  key = "key_two";
  await queue.flush();

  expect(AuthenticationError.is(outage?.error)).toBe(true);
  expect(sentBefore).toBeGreaterThanOrEqual(60);
  expect(sentBefore).toBeLessThanOrEqual(2 + 2 * 60);
  expect(time.now() - startMs).toBeLessThan(3_600_000 + 61_000);
  expect(queue.counts).toMatchObject({ delivered: 30, failed: 0, dropped: 0 });
});
