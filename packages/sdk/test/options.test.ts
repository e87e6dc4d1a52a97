import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type ClientOptions, ConfigurationError, LandingPages } from "../src/index.ts";
import { createManySchema } from "../src/many/create-many.ts";
import { iterateSchema } from "../src/many/paginate.ts";
import * as schemas from "../src/options.ts";
import { traceCalls } from "../src/report/otel.ts";
import { failureOf, json, scripted, somePage, status, wrong } from "./setup.ts";

const baseUrl = "https://service.example";
const good = { apiKey: "test_configuration", baseUrl };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** The error of an action that throws or rejects. */
const errorOf = (action: () => unknown) => failureOf((async () => action())());

test.each<[string, object | string | null]>([
  ["No API key: pass `apiKey`, or set the environment variable LANDING_PAGES_API_KEY", { apiKey: undefined }],
  ["No base URL: pass `baseUrl`, or set the environment variable LANDING_PAGES_BASE", { baseUrl: undefined }],
  ["`apiKey` must be 1 to 512 visible ASCII", { apiKey: "" }],
  ["without spaces or line breaks", { apiKey: "secret\nX-Evil: 1" }],
  ["visible ASCII", { apiKey: "secretü" }],
  ["1 to 512 visible ASCII", { apiKey: "secret".repeat(86) }],
  ["leave out `Bearer `", { apiKey: "Bearer secret" }],
  ["not a promise: await it, or pass a function", { apiKey: Promise.resolve("secret") }],
  ["not the name of a value that is missing", { apiKey: "undefined" }],
  ["without the quotes around it", { apiKey: '"secret"' }],
  ["not the placeholder for one", { apiKey: "<API_KEY>" }],
  ["must be https", { baseUrl: "http://service.example" }],
  ["allowInsecure: true", { baseUrl: new URL("http://service.internal") }],
  ["must be https", { baseUrl: "http://localhost.evil.example" }],
  ["must not hold credentials", { baseUrl: "https://me@service.example" }],
  ["must not hold credentials", { baseUrl: "https://:secret@service.example" }],
  ["no query and no fragment", { baseUrl: `${baseUrl}/?key=secret` }],
  ["no query and no fragment", { baseUrl: `${baseUrl}/#secret` }],
  ["absolute URL such as https", { baseUrl: "service.example" }],
  ["begin it with https://, or on this machine with http:", { baseUrl: "localhost:4010" }],
  ["a port up to 65535", { baseUrl: `${baseUrl}:99999` }],
  ["`baseUrl` must be a string or a URL, not a number", { baseUrl: 4010 }],
  [": leave out the quotes around it.", { baseUrl: `"${baseUrl}"` }],
  ["`baseUrl` must end before /api", { baseUrl: `${baseUrl}/v1/API/` }],
  ["must end before /api: the client adds paths", { baseUrl: `${baseUrl}/api/content/pg_1` }],
  ["`now`: expected a function that returns milliseconds", { now: () => Number.NaN }],
  ["`now`: expected a function that returns milliseconds", { now: () => JSON.parse("{") as number }],
  ["`timeoutMs`: expected a number from 1 to 2147483647, got 0", { timeoutMs: 0 }],
  ["`totalTimeoutMs`", { totalTimeoutMs: 2 ** 31 }],
  ["`maxAnswerBytes`: expected a whole number from 1", { maxAnswerBytes: 0 }],
  ["`retry.maxAttempts`: expected a whole number from 1", { retry: { maxAttempts: 0 } }],
  ["`retry.maxWaitMs`", { retry: { maxWaitMs: -1 } }],
  ['`retry.writes`: expected "documented", "safe" or "always"', { retry: { writes: "no" } }],
  ["`retry`: expected an object or false, got true", { retry: true }],
  ["`headers.X-Trace`: cannot be sent", { headers: { "X-Trace": "secret\r\nX-Evil: 1" } }],
  ["`headers.authorization`: is set by the client", { headers: { authorization: "secret" } }],
  ["`headers.Upgrade`: is set by the client itself", { headers: { Upgrade: "secret" } }],
  ["`headers`: must be a Headers, pairs, or an object", { headers: [["X-Trace", "secret", "more"]] }],
  ['`fetch`: expected a function, got "fetch"', { fetch: "fetch" }],
  ["`logger`: expected an object with the methods", { logger: {} }],
  ['`logLevel`: expected one of debug, info, warn, got "loud"', { logLevel: "loud" }],
  ["`hooks.beforeRequest`: expected an array of functions", { hooks: { beforeRequest: () => undefined } }],
  ["`hooks.beforeRetry`: unknown option; known are init", { hooks: { beforeRetry: [] } }],
  ['`maxAttempts`: unknown option; did you mean "retry.maxAttempts"?', { maxAttempts: 5 }],
  ["`options`: expected an object, got a string", "secret"],
  ["`options`: expected object, got null", null],
])("a wrong option is a ConfigurationError that shows no secret: %s", async (message, changes) => {
  for (const name of ["API_KEY", "BASE_URL"]) vi.stubEnv(`LANDING_PAGES_${name}`, "");
  const options = changes instanceof Object ? { ...good, ...changes } : changes;

  const error = await errorOf(() => new LandingPages(wrong(options)));

  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain(message);
  expect(inspect(error)).not.toContain("secret");
});

test.each<[string, ClientOptions, string]>([
  ["https", {}, baseUrl],
  ["http on this machine", { baseUrl: "http://localhost:4010" }, "http://localhost:4010"],
  ["an IPv4 address of this machine", { baseUrl: "http://127.0.0.1:4010/" }, "http://127.0.0.1:4010"],
  ["an IPv6 address of this machine", { baseUrl: "http://[::1]:4010" }, "http://[::1]:4010"],
  ["a path", { baseUrl: "https://gateway.example/pages/" }, "https://gateway.example/pages"],
  ["a URL object", { baseUrl: new URL("https://service.example/v1") }, "https://service.example/v1"],
  ["http that is allowed", { baseUrl: "http://service.internal", allowInsecure: true }, "http://service.internal"],
])("a base URL can be %s", async (_title, options, expected) => {
  const fetch = vi.fn<() => Promise<Response>>(async () => json([]));

  await new LandingPages({ ...good, ...options, fetch }).pages.list();

  expect(fetch).toHaveBeenCalledWith(`${expected}/api/content`, expect.anything());
});

test("key and base URL default to the environment", async () => {
  vi.stubEnv("LANDING_PAGES_API_KEY", "test_from_environment");
  vi.stubEnv("LANDING_PAGES_BASE_URL", "https://environment.example");
  const fetch = vi.fn<() => Promise<Response>>(async () => json([]));

  await new LandingPages({ fetch }).pages.list();

  const headers = { authorization: "Bearer test_from_environment" };
  expect(fetch.mock.calls).toMatchObject([["https://environment.example/api/content", { headers }]]);
});

test("the client refuses to start in a browser unless that is allowed; a DOM that tests emulate in Node is no browser", async () => {
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", {});
  expect(new LandingPages(good)).toBeInstanceOf(LandingPages);

  vi.stubGlobal("process", undefined);

  expect(String(await errorOf(() => new LandingPages(good)))).toContain("This looks like a browser");
  expect(new LandingPages({ ...good, allowBrowser: true })).toBeInstanceOf(LandingPages);
});

test("a client is no options of another client", () => {
  const client = new LandingPages(good);

  expect(() => new LandingPages(wrong(client))).toThrow("`pages`: unknown option");
});

test("withOptions changes the options that are passed and keeps the others; headers and retry are merged", async () => {
  const headers = { "X-App": "shop", "X-Env": "live" };
  const { client, requests } = scripted([status(503)], { headers, retry: { maxAttempts: 2 } });
  const changes = { headers: { "x-env": "test" }, retry: { baseDelayMs: 1 }, fetch: undefined };

  await failureOf(client.withOptions(changes).pages.list());

  expect(requests).toHaveLength(2);
  expect(requests[0]?.headers.get("X-App")).toBe("shop");
  expect(requests[0]?.headers.get("X-Env")).toBe("test");
  expect(() => client.withOptions({ timeoutMs: -1 })).toThrow(ConfigurationError);
});

test.each<[string, (client: LandingPages) => unknown, string]>([
  ["a timeout of 0", ({ pages }) => pages.list({}, { timeoutMs: 0 }), "`timeoutMs`"],
  ["an idempotency key", ({ pages }) => pages.create(somePage, { idempotencyKey: "a b" }), "`idempotencyKey`"],
  ["a Host header", ({ pages }) => pages.list({}, { headers: { host: "evil.example" } }), "`headers.host`"],
  ["null", ({ pages }) => pages.create(somePage, wrong(null)), "`options`: expected object"],
  ["timeouts of an iteration", ({ pages }) => pages.iterate({ timeoutMs: -1 }), "`timeoutMs`: expected"],
  ["timeouts of createMany", ({ pages }) => pages.createMany([], { totalTimeoutMs: -1 }), "`totalTimeoutMs`: expected"],
  ["options in the query", ({ pages }) => pages.list(wrong({ retry: false })), "options come second, after the query"],
  ["a listener", ({ analytics }) => analytics.queue(wrong({ onLost: 5 })), "`onLost`: expected a function, got 5"],
  ["a capacity of 0", ({ analytics }) => analytics.queue({ capacity: 0 }), "`capacity`: expected"],
  ["a concurrency of 1.5", ({ analytics }) => analytics.queue({ concurrency: 1.5 }), "`concurrency`: expected"],
  ["a signal", ({ analytics }) => analytics.queue().flush(wrong({ signal: {} })), "`signal`: expected an AbortSig"],
])("wrong options of a call are refused before anything is sent: %s", async (_title, call, message) => {
  const { client, requests } = scripted([json([])]);

  const error = await errorOf(() => call(client));

  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain(message);
  expect(requests).toEqual([]);
});

describe("an option that does not exist, or is an integer without a JSON form,", () => {
  /** Every function that takes options, with the names that it knows. */
  type Taker = readonly [names: object, pass: (client: LandingPages, options: object) => unknown];
  const takers: Record<string, Taker> = {
    "a client": [schemas.clientSchema.shape, (_client, options) => new LandingPages({ ...good, ...options })],
    "a client's hooks": [
      { init: 1, beforeRequest: 1, afterResponse: 1, beforeError: 1 },
      (_client, hooks) => new LandingPages({ ...good, hooks }),
    ],
    withOptions: [schemas.clientSchema.shape, (client, options) => client.withOptions(options)],
    "a query": [{ limit: 1, offset: 1, filters: 1 }, ({ pages }, query) => pages.list(wrong(query))],
    list: [schemas.callSchema.shape, ({ pages }, options) => pages.list({}, options)],
    create: [schemas.writeSchema.shape, ({ pages }, options) => pages.create(somePage, options)],
    update: [schemas.callSchema.shape, ({ pages }, options) => pages.update("1", {}, options)],
    delete: [schemas.callSchema.shape, ({ pages }, options) => pages.delete("1", options)],
    track: [schemas.writeSchema.shape, ({ analytics }, options) => analytics.track({ pageId: "1" }, options)],
    find: [schemas.callSchema.shape, ({ pages }, options) => pages.find({ slug: "a" }, options)],
    "what to find": [{ slug: 1, id: 1 }, ({ pages }, wanted) => pages.find({ slug: "a", ...wanted })],
    iterate: [iterateSchema.shape, ({ pages }, options) => pages.iterate(wrong(options))],
    toArray: [{ limit: 1 }, ({ pages }, options) => pages.iterate().toArray({ limit: 5, ...options })],
    createMany: [createManySchema.shape, ({ pages }, options) => pages.createMany([], options)],
    queue: [schemas.queueSchema.shape, ({ analytics }, options) => analytics.queue(options)],
    flush: [schemas.flushSchema.shape, ({ analytics }, options) => analytics.queue().flush(options)],
    close: [schemas.endSchema.shape, ({ analytics }, options) => analytics.queue().close(options)],
    drain: [schemas.endSchema.shape, ({ analytics }, options) => analytics.queue().drain(options)],
    traceCalls: [{ tracer: 1 }, (_client, options) => traceCalls(options)],
  };
  // Every function that takes options of a call takes a retry policy.
  for (const [title, [names, pass]] of Object.entries(takers))
    if ("retry" in names)
      takers[`the retry policy of ${title}`] = [schemas.policyNames, (client, retry) => pass(client, { retry })];

  test.each(Object.entries(takers))(
    "of %s is refused with the nearest name, or with all names",
    async (_title, taker) => {
      const [names, pass] = taker;
      const { client, requests } = scripted([json([])]);

      for (const name of Object.keys(names)) {
        expect(String(await errorOf(() => pass(client, { [name]: 5n })))).toContain(name);
        await expect(errorOf(() => pass(client, { [`${name}x`]: 1 }))).resolves.toMatchObject({
          name: "ConfigurationError",
          message: expect.stringContaining(`${name}x\`: unknown option; did you mean "${name}"?`),
        });
      }
      const error = await errorOf(() => pass(client, { qwertzuiop: "blue" }));

      expect(String(error)).toContain(`known are ${Object.keys(names).join(", ")}`);
      expect(requests).toEqual([]);
    },
  );

  test.each([5, null, [5]])("options cannot be %j", async (value) => {
    const { client, requests } = scripted([json([])]);
    const options = wrong(value);
    const { pages, analytics } = client;
    const calls = [
      () => pages.list({}, options),
      () => pages.iterate(options),
      () => pages.createMany([], options),
      () => analytics.queue(options),
      () => analytics.queue().flush(options),
      () => client.withOptions(options),
      () => traceCalls(options),
    ];

    for (const call of calls) expect(await errorOf(call)).toBeInstanceOf(ConfigurationError);
    expect(requests).toEqual([]);
  });
});
