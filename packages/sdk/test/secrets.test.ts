import { inspect } from "node:util";
import { expect, test } from "vitest";
import { ConnectionError, type LogLevel } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

const key = "test_do_not_show_this_key";

function everythingShownOf(value: unknown): string {
  return [
    String(value),
    inspect(value, { depth: 20, showHidden: true }),
    JSON.stringify(value),
    value instanceof Error ? value.stack : "",
  ].join("\n");
}

const leaky = Object.assign(new TypeError(`cannot send Bearer ${key}`), {
  config: { headers: { authorization: `Bearer ${key}` } },
  cause: Object.assign(new Error(`socket of ${key} closed`), { code: "ECONNRESET", request: { key } }),
});

test.each([
  ["fetch fails with an error that holds the request", leaky],
  [
    "the service repeats the key in an error",
    json({ message: `unknown key ${key}`, errors: [{ field: key, message: key }] }, 401, { "X-Echo": key }),
  ],
  ["the service repeats the key in a page of HTML", new Response(`<title>${key}</title>`, { status: 500 })],
  ["the service repeats the key where a page belongs", json({ ok: true, [key]: key, deep: [{ text: `a ${key}.` }] })],
  ["the service answers with the key alone", new Response(key)],
])("when %s, the error never shows it", async (_title, answer) => {
  const { client } = scripted([answer], { apiKey: key });

  const error = await failureOf(client.pages.create(somePage));

  expect(everythingShownOf(error)).not.toContain(key);
});

test("cookies of a response are in no error", async () => {
  const { client } = scripted([status(400, { "Set-Cookie": "session=secret", "X-Other": "told" })]);

  const shown = everythingShownOf(await failureOf(client.pages.list()));

  expect(shown).not.toContain("session=secret");
  expect(shown).toContain("told");
});

test("a network error keeps its message, its code and its causes", async () => {
  const { client } = scripted([leaky], { apiKey: key });

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({
    code: "ECONNRESET",
    message:
      "Create page failed: the connection broke (socket of [API key] closed); the service may have carried it out",
    cause: { name: "TypeError", message: "cannot send Bearer [API key]", cause: { code: "ECONNRESET" } },
  });
});

test("a key function that fails once it has given the key may repeat it, in its causes and wherever it is", async () => {
  let isSealed = false;
  const failure = Object.assign(new Error(`vault said ${key}`, { cause: new Error(`GET /v1/${key}`) }), {
    code: `SEALED ${key}`,
    url: `https://vault.example/${key}`,
  });
  const { client } = scripted([json([])], {
    apiKey: async () => {
      if (isSealed) throw failure;
      return key;
    },
  });
  await client.pages.list();
  isSealed = true;

  const error = await failureOf(client.withOptions({ timeoutMs: 100 }).pages.list());

  expect(everythingShownOf(error)).not.toContain(key);
  expect(error).toMatchObject({
    name: "ConfigurationError",
    cause: { message: "vault said [API key]", code: "SEALED [API key]", cause: { message: "GET /v1/[API key]" } },
  });
});

test("the client, its parts and its calls do not show the key", async () => {
  const { client } = scripted([json([])], { apiKey: key });
  const call = client.pages.list();

  for (const value of [
    client,
    client.pages,
    client.analytics,
    call,
    await call.withResponse(),
    client.withOptions({}),
  ]) {
    expect(everythingShownOf(value)).not.toContain(key);
  }
});

test("log lines and events never hold the key; levels keep the log quiet", async () => {
  const lines: string[] = [];
  const write = (level: LogLevel) => (message: string, fields: object) =>
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const logger = { debug: write("debug"), info: write("info"), warn: write("warn") };
  const script = [status(503), leaky, status(429)];

  const loud = scripted(script, { apiKey: key, logger, logLevel: "debug", retry: { writes: "always" } });
  await failureOf(loud.client.pages.create(somePage));
  const loudLines = lines.splice(0);
  const quiet = scripted(script, { apiKey: key, logger, logLevel: "warn", retry: { writes: "always" } });
  await failureOf(quiet.client.pages.create(somePage));

  expect(loudLines.join("\n")).not.toContain(key);
  expect(JSON.stringify(loud.events)).not.toContain(key);
  expect(loudLines.map((line) => line.split(" {")[0])).toEqual([
    "debug landing-pages: POST /api/content, attempt 1",
    "debug landing-pages: POST /api/content: 503 after 0 ms",
    "warn landing-pages: POST /api/content: 503, trying again in 250 ms",
    "info landing-pages: POST /api/content waits for 250 ms (backoff)",
    "debug landing-pages: POST /api/content, attempt 2",
    "debug landing-pages: POST /api/content: ECONNRESET after 0 ms",
    "warn landing-pages: POST /api/content: ECONNRESET, trying again in 500 ms",
    "info landing-pages: POST /api/content waits for 500 ms (backoff)",
    "debug landing-pages: POST /api/content, attempt 3",
    "debug landing-pages: POST /api/content: 429 after 0 ms",
    "info landing-pages: rate limiter closed for 1 s, 0 calls waiting",
    "debug landing-pages: createPage: 429, 3 attempts, 750 ms",
  ]);
  expect(lines.every((line) => line.startsWith("warn"))).toBe(true);
});

const refuse = () => {
  throw new Error("full disk");
};

test("a logger or listener that throws does no harm", async () => {
  const { client } = scripted([status(503), json([])], {
    onEvent: refuse,
    logger: { debug: refuse, info: refuse, warn: refuse },
    logLevel: "debug",
  });

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
});
