import { inspect } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { type ClientOptions, ConfigurationError, type FetchInit, LandingPages } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

const good = { apiKey: "test_configuration", baseUrl: "https://service.example" };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

function refusal(options: unknown): unknown {
  try {
    return new LandingPages(options as ClientOptions); // why: what plain JavaScript may pass
  } catch (error) {
    return error;
  }
}

test.each<[string, unknown, RegExp]>([
  [
    "no key",
    { baseUrl: good.baseUrl },
    /No API key: pass `apiKey`, or set the environment variable LANDING_PAGES_API_KEY/,
  ],
  [
    "no base URL",
    { apiKey: good.apiKey },
    /No base URL: pass `baseUrl`, or set the environment variable LANDING_PAGES_BASE_URL/,
  ],
  ["an empty key", { ...good, apiKey: "" }, /`apiKey` must be 1 to 512 visible ASCII/],
  ["a key with a line break", { ...good, apiKey: "secret\nX-Evil: 1" }, /without spaces or line breaks/],
  ["a key as a file holds it", { ...good, apiKey: "secret\n" }, /without the space or line break .*`trim\(\)`/],
  ["a key that is not ASCII", { ...good, apiKey: "secretü" }, /visible ASCII/],
  ["http to another machine", { ...good, baseUrl: "http://service.example" }, /must be https/],
  ["http to a name that only looks local", { ...good, baseUrl: "http://localhost.evil.example" }, /must be https/],
  [
    "a base URL with credentials",
    { ...good, baseUrl: "https://me:secret@service.example" },
    /must not hold credentials/,
  ],
  ["a base URL with a query", { ...good, baseUrl: "https://service.example/?key=secret" }, /no query and no fragment/],
  ["a base URL that is none", { ...good, baseUrl: "service.example" }, /absolute URL such as https/],
  [
    "a host and a port",
    { ...good, baseUrl: "localhost:4010" },
    /begin it with https:\/\/, or on this machine with http:/,
  ],
  ["a URL object that is not safe", { ...good, baseUrl: new URL("http://service.example") }, /must be https/],
  ["a number for a base URL", { ...good, baseUrl: 4010 }, /`baseUrl` must be a string or a URL, not a number/],
  ["a key with its scheme", { ...good, apiKey: "Bearer secret" }, /leave out `Bearer `/],
  ["a promise of a key", { ...good, apiKey: Promise.resolve("secret") }, /not a promise: await it, or pass a function/],
  ["a key that was never set", { ...good, apiKey: "undefined" }, /not the name of a value that is missing/],
  ["a key in quotes", { ...good, apiKey: '"secret"' }, /without the quotes around it/],
  ["a base URL in quotes", { ...good, baseUrl: '"https://service.example"' }, /: leave out the quotes around it\.$/],
  [
    "the URL of one page",
    { ...good, baseUrl: "https://service.example/api/content/pg_1" },
    /must end before \/api: the client adds paths/,
  ],
  ["a port that is none", { ...good, baseUrl: "https://service.example:99999" }, /a port up to 65535/],
  [
    "a clock that gives no number",
    { ...good, now: () => Number.NaN },
    /`now`: expected a function that gives milliseconds/,
  ],
  [
    "a clock that throws",
    { ...good, now: () => JSON.parse("{") as number },
    /`now`: expected a function that gives milliseconds/,
  ],
  ["a placeholder", { ...good, apiKey: "<API_KEY>" }, /not the placeholder for one/],
  ["timeoutMs 0", { ...good, timeoutMs: 0 }, /`timeoutMs`: expected a number from 1 to 2147483647, got 0/],
  ["timeoutMs beyond any timer", { ...good, timeoutMs: 2 ** 31 }, /`timeoutMs`/],
  ["totalTimeoutMs Infinity", { ...good, totalTimeoutMs: Number.POSITIVE_INFINITY }, /`totalTimeoutMs`/],
  ["maxAnswerBytes 0", { ...good, maxAnswerBytes: 0 }, /`maxAnswerBytes`: expected a whole number from 1/],
  ["no attempts", { ...good, retry: { maxAttempts: 0 } }, /`retry.maxAttempts`: expected a whole number from 1/],
  ["a negative wait", { ...good, retry: { maxWaitMs: -1 } }, /`retry.maxWaitMs`/],
  [
    "an unknown policy for writes",
    { ...good, retry: { writes: "never" } },
    /`retry.writes`: expected "documented", "safe" or "always", got "never"/,
  ],
  ["retry: true", { ...good, retry: true }, /`retry`: expected an object or false, got true/],
  [
    "a header with a line break",
    { ...good, headers: { "X-Trace": "secret\r\nX-Evil: 1" } },
    /`headers.X-Trace`: cannot be sent/,
  ],
  [
    "an Authorization header",
    { ...good, headers: { authorization: "Bearer secret" } },
    /`headers.authorization`: is set by the client itself/,
  ],
  [
    "a header that ends the connection's own work",
    { ...good, headers: { Upgrade: "secret" } },
    /`headers.Upgrade`: is set by the client itself/,
  ],
  [
    "headers that would be lost",
    { ...good, headers: [["X-Trace", "secret", "more"]] },
    /`headers`: must be a Headers, pairs, or an object/,
  ],
  ["headers that are null", { ...good, headers: null }, /`headers`: must be a Headers, pairs, or an object/],
  ["fetch that is no function", { ...good, fetch: "fetch" }, /`fetch`: expected a function, got "fetch"/],
  ["a logger without methods", { ...good, logger: {} }, /`logger`: expected an object with the methods/],
  ["an unknown log level", { ...good, logLevel: "loud" }, /`logLevel`: expected one of debug, info, warn, got "loud"/],
  ["a key instead of options", "secret", /`options`: expected an object, got a string/],
  ["nothing at all", null, /`options`: expected object, got null/],
])("%s is a ConfigurationError that says what to do and shows no secret", (_title, options, message) => {
  const error = refusal(options);

  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toMatch(message);
  expect(inspect(error)).not.toContain("secret");
});

test("a name below localhost is not this machine, because a resolver may send it anywhere", () => {
  expect(String(refusal({ ...good, baseUrl: "http://api.localhost" }))).toContain("`baseUrl` must be https");
});

test.each([
  "https://service.example",
  "http://localhost:4010",
  "http://127.0.0.1:4010/",
  "http://[::1]:4010",
  "https://gateway.example/pages/",
])("%s is a good base URL", async (baseUrl) => {
  let url = "";
  const client = new LandingPages({
    ...good,
    baseUrl,
    fetch: async (requested) => {
      url = requested;
      return json([]);
    },
  });

  await client.pages.list();

  expect(url).toBe(`${baseUrl.replace(/\/$/, "")}/api/content`);
});

test("a URL object is a good base URL", async () => {
  const urls: string[] = [];
  const fetch = async (url: string) => (urls.push(url), json([]));

  await new LandingPages({ ...good, baseUrl: new URL("https://service.example/v1"), fetch }).pages.list();

  expect(urls).toEqual(["https://service.example/v1/api/content"]);
});

test("key and base URL come from the environment when they are not passed", async () => {
  vi.stubEnv("LANDING_PAGES_API_KEY", "test_from_environment");
  vi.stubEnv("LANDING_PAGES_BASE_URL", "https://environment.example");
  const requests: [url: string, init: FetchInit][] = [];

  await new LandingPages({
    fetch: async (...request) => {
      requests.push(request);
      return json([]);
    },
  }).pages.list();

  const headers = { authorization: "Bearer test_from_environment" };
  expect(requests).toMatchObject([["https://environment.example/api/content", { headers }]]);
});

test("an emulated browser, as tests have it, is Node all the same", () => {
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", {});

  expect(refusal(good)).toBeInstanceOf(LandingPages);
});

test("in a browser the client refuses to start, unless allowed", () => {
  vi.stubGlobal("document", {});
  vi.stubGlobal("process", undefined);

  expect(String(refusal(good))).toContain("This looks like a browser");
  expect(refusal({ ...good, allowBrowser: true })).toBeInstanceOf(LandingPages);
});

test("a key function is asked before every attempt, so that keys can rotate", async () => {
  let count = 0;
  const { client, requests } = scripted([status(503), json([])], { apiKey: async () => `key_${(count += 1)}` });

  await client.pages.list();

  expect(requests.map(({ headers }) => headers.get("Authorization"))).toEqual(["Bearer key_1", "Bearer key_2"]);
});

test("a key function that fails is a ConfigurationError with its cause, and nothing is sent", async () => {
  const cause = new Error("vault is sealed");
  const { client, requests } = scripted([json([])], { apiKey: () => Promise.reject(cause) });

  const error = await failureOf(client.pages.list());

  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ cause });
  expect(requests).toEqual([]);
});

test("a key function that gives no key is a ConfigurationError", async () => {
  const { client, requests } = scripted([json([])], { apiKey: () => "two words" });

  expect(String(await failureOf(client.pages.list()))).toContain("without spaces or line breaks");
  expect(requests).toEqual([]);
});

test.each<[unknown, string]>([
  [undefined, "a string, not undefined"],
  [null, "a string, not null"],
  [{ key: "secret" }, "a string, not an object"],
  ["secret\r\n", "the key alone, without the space or line break before or after it"],
])("the error about a key function that returns %j says so, in every client made from it", async (given, wanted) => {
  const apiKey = async () => given as string; // why: what plain JavaScript may give
  const { client, requests } = scripted([json([])], { apiKey });

  for (const each of [client, client.withOptions({ timeoutMs: 100 }).withOptions({})]) {
    const error = await failureOf(each.pages.list());
    expect(String(error)).toContain(`ConfigurationError: The function passed as \`apiKey\` must give ${wanted}`);
    expect(String(error)).not.toContain("secret");
  }
  expect(requests).toEqual([]);
});

test("a client made of another hears a refused key as that one does", async () => {
  const { client, requests } = scripted([status(401)]);

  const errors = [await failureOf(client.pages.list()), await failureOf(client.withOptions({}).pages.list())];

  for (const error of errors) {
    expect(error).toMatchObject({ name: "AuthenticationError" });
    expect(error).not.toHaveProperty("cause");
  }
  expect(requests).toHaveLength(2);
});

test("withOptions changes what is passed and keeps the rest; headers and retry are merged", async () => {
  const { client, requests } = scripted([status(503)], {
    headers: { "X-App": "shop", "X-Env": "live" },
    retry: { maxAttempts: 2 },
  });

  await failureOf(
    client.withOptions({ headers: { "x-env": "test" }, retry: { baseDelayMs: 1 }, timeoutMs: undefined }).pages.list(),
  );

  expect(requests).toHaveLength(2);
  expect(requests[0]?.headers.get("X-App")).toBe("shop");
  expect(requests[0]?.headers.get("X-Env")).toBe("test");
  expect(() => client.withOptions({ timeoutMs: -1 })).toThrow(ConfigurationError);
});

test("options of one call are checked too, and nothing is sent", async () => {
  const { client, requests } = scripted([json([])]);
  const none = null as unknown as object; // why: what plain JavaScript may pass

  await expect(client.pages.list({}, { timeoutMs: 0 })).rejects.toBeInstanceOf(ConfigurationError);
  await expect(client.pages.create(somePage, { idempotencyKey: "a b" })).rejects.toBeInstanceOf(ConfigurationError);
  await expect(client.pages.list({}, { headers: { host: "evil.example" } })).rejects.toBeInstanceOf(ConfigurationError);
  await expect(client.pages.list({}, none)).rejects.toBeInstanceOf(ConfigurationError);
  await expect(client.pages.create(somePage, none)).rejects.toBeInstanceOf(ConfigurationError);
  expect(requests).toEqual([]);
});
