import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { AuthenticationError, type ClientOptions } from "../src/index.ts";
import { collect, failureOf, json, scripted, somePage, status, wrong } from "./setup.ts";

const inputs = (count: number) => Array.from({ length: count }, (_, index) => ({ ...somePage, slug: `page-${index}` }));
const keyOf = (headers: Headers) => headers.get("Authorization")?.replace("Bearer ", "");

/** A service that accepts only some keys. */
function setUp(accepts: (key?: string) => boolean, apiKey: ClientOptions["apiKey"] = "key_one") {
  const respond = async ({ headers }: { headers: Headers }) => {
    await nextTurn();
    return accepts(keyOf(headers)) ? json({ id: "pg_1" }, 201) : status(401);
  };
  return scripted([respond], { apiKey });
}

test("a key function is called before every attempt, and once more after a 401", async () => {
  const keys = ["key_1", "key_2", "key_3"];
  const apiKey = async () => keys.shift() ?? "";
  const { client, requests } = scripted([status(503), status(401), json([])], { apiKey });

  await client.pages.list();

  expect(requests.map(({ headers }) => keyOf(headers))).toEqual(["key_1", "key_2", "key_3"]);
});

test.each<[string, ClientOptions["apiKey"], number]>([
  ["a fixed key", "test_fixed", 1],
  ["a key function that gives the same key again", () => "test_same", 1],
  ["a key function whose keys are all refused", () => crypto.randomUUID(), 2],
])("a 401 is final with %s, in a client made by withOptions too", async (_title, apiKey, sent) => {
  const { client, requests } = scripted([status(401)], { apiKey });

  for (const each of [client, client.withOptions({})])
    await expect(each.pages.list()).rejects.toMatchObject({ name: "AuthenticationError", status: 401 });

  expect(requests).toHaveLength(2 * sent);
});

test("a key function that fails is a ConfigurationError with its cause, and nothing is sent", async () => {
  const cause = new Error("vault is sealed");
  const { client, requests, events } = scripted([json([])], { apiKey: () => Promise.reject(cause) });

  await expect(client.pages.list()).rejects.toMatchObject({ name: "ConfigurationError", cause });
  expect(requests).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: "end", attempts: 0, operation: "listPages" });
});

test("a key function that fails before a second attempt leaves the error of the first", async () => {
  const cause = new Error("vault sealed");
  const apiKey = vi.fn<() => Promise<string>>().mockRejectedValue(cause).mockResolvedValueOnce("test_sdk");
  const { client } = scripted([status(500)], { apiKey });

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ name: "ServerError", mayHaveBeenApplied: true, attempts: [{ status: 500 }] });
  expect(error).toMatchObject({ cause: { name: "ConfigurationError", cause } });
});

test.each<[unknown, string]>([
  [undefined, "a string, not undefined"],
  [{ key: "secret" }, "a string, not an object"],
  ["two words", "1 to 512 visible ASCII characters, without spaces or line breaks"],
  ["secret\r\n", "the key alone, without the space or line break before or after it"],
])("a key function that returns %j ends in an error that says so and does not show it", async (value, expected) => {
  const { client, requests } = scripted([json([])], { apiKey: async () => wrong(value) });

  const message = String(await failureOf(client.withOptions({ timeoutMs: 100 }).pages.list()));

  expect(message).toContain(`ConfigurationError: The function passed as \`apiKey\` must return ${expected}`);
  expect(message).not.toContain("secret");
  expect(requests).toEqual([]);
});

test("createMany sends no more once its key is refused, and reports the error for each input", async () => {
  const { client, requests } = setUp(() => false);

  const results = await collect(client.pages.createMany(inputs(100), { concurrency: 4 }));

  expect(requests.length).toBeLessThanOrEqual(4);
  expect(new Set(results.map(({ index }) => index)).size).toBe(100);
  expect(results.every(({ error }) => AuthenticationError.is(error) && !error.mayHaveBeenApplied)).toBe(true);
});

test("createMany goes on after inputs that the service refuses for another reason than the key", async () => {
  const { client } = scripted([status(400), status(403), status(404), json({ id: "pg_1" }, 201)]);

  const results = await collect(client.pages.createMany(inputs(5), { concurrency: 1 }));

  expect(results.map(({ page }) => page !== undefined)).toEqual([false, false, false, true, true]);
});

test("errors of inputs that createMany does not send after a refused key say nothing about the page that was sent", async () => {
  const { client, requests } = scripted([status(500), status(401)]);

  const [sent, ...others] = await collect(client.pages.createMany(inputs(3), { concurrency: 1 }));

  expect(requests).toHaveLength(2);
  expect(sent?.error).toMatchObject({ mayHaveBeenApplied: true, idempotencyKey: expect.any(String) });
  const message = "Create page was not sent: the service has just refused this API key";
  const facts = { name: "AuthenticationError", message, attempts: [], mayHaveBeenApplied: false };
  expect(others.map(({ error }) => error)).toMatchObject([facts, facts]);
  // A service that honours the key would return the page of the first input.
  for (const { error } of others) expect(error).not.toHaveProperty("idempotencyKey");
});

test("createMany loses no input when the key function returns a new key", async () => {
  const keys = ["key_old"];
  const { client } = setUp(
    (key) => key === "key_new",
    () => keys.pop() ?? "key_new",
  );

  const results = await collect(client.pages.createMany(inputs(5), { concurrency: 1 }));

  expect(results.every(({ page }) => page !== undefined)).toBe(true);
});

test("a refused key is tried again by another createMany and by every single call", async () => {
  const { client, requests } = setUp(() => false);

  for (let run = 0; run < 2; run += 1) await collect(client.pages.createMany(inputs(5), { concurrency: 1 }));
  for (let call = 0; call < 2; call += 1) await failureOf(client.pages.create(somePage));

  expect(requests).toHaveLength(4);
});
