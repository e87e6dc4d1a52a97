// The API key and cookies appear in nothing that a person reads or a log stores.
import { inspect } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { atLeast } from "../../../.ci/properties.ts";
import { type ClientOptions, LandingPages, LandingPagesError, type LogLevel } from "../src/index.ts";
import { failureOf, html, json, never, scripted, somePage, status, wrong } from "./setup.ts";

const key = "test_do_not_show_this_key";

/** All ways in which a value is shown. */
function show(value: unknown): string {
  const stack = value instanceof Error ? value.stack : "";
  return [String(value), inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value), stack].join("\n");
}

const leaky = Object.assign(new TypeError(`cannot send Bearer ${key}`), {
  config: { headers: { authorization: `Bearer ${key}` } },
  cause: Object.assign(new Error(`socket of ${key} closed`), { code: "ECONNRESET", request: { key } }),
});

test.each([
  ["a network error that has the request", leaky],
  [
    "a refusal",
    json({ message: `unknown key ${key}`, errors: [{ field: key, message: key }] }, 401, { "X-Echo": key }),
  ],
  ["an HTML page", new Response(`<title>${key}</title>`, { status: 500 })],
  ["a success in another shape", json({ ok: true, [key]: key, deep: [{ text: `a ${key}.` }] })],
  ["a title with tags in the key", html(`<!doctype html><title>${key.slice(0, 6)}<i>${key.slice(6)}</i></title>`, 403)],
  ["a redirect", status(302, { Location: `https://x.example/${encodeURIComponent(key)}` })],
  ["parts of the key", json({ errors: [{ pointer: `#/${key.slice(10)}`, detail: key.slice(0, 13) }] }, 400)],
])("an error never shows a key that is in %s", async (_title, response) => {
  const { client } = scripted([response], { apiKey: key });

  const shown = show(await failureOf(client.pages.create(somePage))).replaceAll(/<[^<>]*>/g, "");

  for (let at = 0; at + 12 <= key.length; at += 1) expect(shown).not.toContain(key.slice(at, at + 12));
});

test("an earlier key of the same call is hidden too, and cookies of a response are in no error", async () => {
  const keys = ["first_key_12345", "second_key_6789"];
  let calls = 0;
  const headers = { "Set-Cookie": "session=secret", "X-Other": "shown" };
  const response = json({ message: `keys ${keys.join(" and ")} are no good` }, 401, headers);
  const { client } = scripted([response], { apiKey: async () => keys[calls++] ?? "" });

  const shown = show(await failureOf(client.pages.list()));

  expect(shown).toContain("keys [API key] and [API key] are no good");
  expect(shown).toContain("shown");
  expect(shown).not.toContain("session=secret");
});

test("a network error keeps its message, its code and its causes, with the key hidden", async () => {
  const { client } = scripted([leaky], { apiKey: key });

  expect(await failureOf(client.pages.create(somePage))).toMatchObject({
    name: "ConnectionError",
    code: "ECONNRESET",
    message:
      "Create page failed: the connection broke (socket of [API key] closed); the service may have carried it out",
    cause: { name: "TypeError", message: "cannot send Bearer [API key]", cause: { code: "ECONNRESET" } },
  });
});

test("an error of a key function never shows a key that the function returned before", async () => {
  let isSealed = false;
  const failure = Object.assign(new Error(`vault said ${key}`, { cause: new Error(`GET /v1/${key}`) }), { url: key });
  const apiKey = async () => {
    if (isSealed) throw failure;
    return key;
  };
  const { client } = scripted([json([])], { apiKey });
  await client.pages.list();
  isSealed = true;

  const error = await failureOf(client.withOptions({ timeoutMs: 100 }).pages.list());

  expect(show(error)).not.toContain(key);
  const cause = { message: "vault said [API key]", cause: { message: "GET /v1/[API key]" } };
  expect(error).toMatchObject({ name: "ConfigurationError", cause });
});

test("neither the client, nor its parts, nor its calls show the key", async () => {
  const { client } = scripted([json([])], { apiKey: key });
  const call = client.pages.list();

  const shown = [client, client.pages, client.analytics, call, await call.withResponse(), client.withOptions({})];
  for (const value of shown) expect(show(value)).not.toContain(key);
});

test("log lines and events never have the key, and logLevel decides which lines are written", async () => {
  const run = async (logLevel: LogLevel) => {
    const lines: string[] = [];
    const write = (level: LogLevel) => (message: string, fields: object) =>
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const logger = { debug: write("debug"), info: write("info"), warn: write("warn") };
    const options = { apiKey: key, logger, logLevel, retry: { writes: "always" } } as const;
    const { client, events } = scripted([status(503), leaky, status(429)], options);
    await failureOf(client.pages.create(somePage));
    return { shown: lines.join("\n") + JSON.stringify(events), lines: lines.map((line) => line.split(" {")[0]) };
  };

  const loud = await run("debug");
  const quiet = await run("warn");

  expect(loud.shown).not.toContain(key);
  expect(loud.lines.slice(0, 6)).toEqual([
    "debug landing-pages: POST /api/content, attempt 1",
    "debug landing-pages: POST /api/content: 503 after 0 ms",
    "warn landing-pages: POST /api/content: 503, retrying in 250 ms",
    "info landing-pages: POST /api/content waits for 250 ms (backoff)",
    "debug landing-pages: POST /api/content, attempt 2",
    "debug landing-pages: POST /api/content: ECONNRESET after 0 ms",
  ]);
  expect(loud.lines.slice(-2)).toEqual([
    "info landing-pages: rate limiter closed for 1 s, 0 calls waiting",
    "debug landing-pages: createPage: 429, 3 attempts, 750 ms",
  ]);
  expect(quiet.lines.map((line) => line?.split(" ")[0])).toEqual(["warn", "warn"]);
});

const word = fc.string({ unit: "grapheme-ascii", maxLength: 40 });
const headers = fc.dictionary(fc.stringMatching(/^x-[a-z]{3,20}$/), fc.stringMatching(/^[!-~]{0,200}$/), {
  maxKeys: 20,
});
const problem = fc.record({ pointer: fc.stringMatching(/^#\/[a-z/]{1,20}$/), detail: word });
const body = fc.oneof(
  fc.record({ detail: fc.string({ maxLength: 2_000 }), errors: fc.array(problem, { maxLength: 50 }) }),
  fc.record({ message: word, data: fc.jsonValue({ maxDepth: 5 }) }),
);
const code = fc.constantFrom("ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET");

/** An error with frames as the platform writes them. */
function withFrames(error: Error): Error {
  const frames = "\n    at connect (node:internal/deps/undici:1:1)".repeat(10);
  return Object.assign(error, { stack: `${error.name}: ${error.message}${frames}` });
}

type Fail = (apiKey: string) => Promise<unknown>;
const create = (apiKey: string, respond: () => Response | Promise<Response>, options: ClientOptions = {}) =>
  failureOf(scripted([respond], { apiKey, ...options }).client.pages.create(somePage));
const echo = (apiKey: string) => ({ keys: [apiKey, `Bearer ${apiKey}`], [apiKey]: btoa(apiKey) });

/** Failing calls whose server repeats the key. */
const failures: fc.Arbitrary<Fail> = fc.oneof(
  fc.tuple(fc.constantFrom(302, 400, 401, 404, 429, 500, 503), headers, body).map(([status, sent, body]): Fail => {
    return (apiKey) =>
      create(apiKey, () => json({ echo: echo(apiKey), ...body }, status, { ...sent, "x-echo": apiKey }));
  }),
  fc.array(fc.boolean()).map(
    (flags): Fail =>
      (apiKey) =>
        create(apiKey, () => json({ flags, echo: echo(apiKey) })),
  ),
  fc.tuple(word, code, fc.nat(3)).map(([message, code, depth]): Fail => {
    return (apiKey) =>
      create(apiKey, () => {
        let error = withFrames(Object.assign(new Error(`${message} ${apiKey}`), { code }));
        for (let outer = 0; outer < depth; outer += 1)
          error = withFrames(new TypeError("fetch failed", { cause: error }));
        throw error;
      });
  }),
  fc.constantFrom<Fail>(
    (apiKey) => create(apiKey, never, { timeoutMs: 1, retry: false }),
    (apiKey) => failureOf(scripted([], { apiKey }).client.pages.create(wrong({ title: apiKey.length, content: 5 }))),
    (apiKey) => failureOf(scripted([], { apiKey }).client.pages.list({}, { signal: AbortSignal.abort("stop") })),
    (apiKey) => failureOf((async () => new LandingPages(wrong({ apiKey, colour: 1 })))()),
  ),
);

test("an error that nobody caught prints its message, the caller's line and less than a screen, without the key", async () => {
  const apiKeys = fc.stringMatching(/^test_[A-Za-z0-9+/=-]{20,60}$/);
  await fc.assert(
    fc.asyncProperty(failures, apiKeys, async (fail, apiKey) => {
      const error = (await fail(apiKey)) as LandingPagesError; // why: the next line checks it

      expect(error).toBeInstanceOf(LandingPagesError);
      // Node prints an uncaught error without custom inspection.
      for (const customInspect of [true, false]) {
        const lines = inspect(error, { customInspect, depth: Infinity }).split("\n");
        const frames = lines.filter((line) => /^\s+at /.test(line));
        expect(lines[0]).toContain(error.name === "AbortError" ? "AbortedError" : error.name);
        expect(lines[0]).toContain(error.message.slice(0, 60).trimEnd());
        expect(lines.filter((line) => !frames.includes(line)).join("\n").length).toBeLessThan(1000);
        expect(frames.length).toBeLessThanOrEqual(Error.stackTraceLimit);
      }
      expect(error.stack).toMatch(/^ +at .*(?:secrets\.test|setup)\.ts/m);
      expect(error.stack).not.toContain("/sdk/src/call");
      expect(inspect(error, { showHidden: true, depth: Infinity }) + JSON.stringify(error)).not.toContain(apiKey);
    }),
    atLeast(100),
  );
});
