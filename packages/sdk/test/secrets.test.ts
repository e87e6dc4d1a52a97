// The API key and cookies appear in nothing that a person reads or a log stores.
import { inspect } from "node:util";
import { expect, test, vi } from "vitest";
import { LandingPages, LandingPagesError, type LogLevel } from "../src/index.ts";
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

/** An error with frames as the platform writes them, and causes with such frames. */
function platformError(depth: number): Error {
  const cause = depth === 0 ? leaky : platformError(depth - 1);
  const frames = "\n    at connect (node:internal/deps/undici:1:1)".repeat(10);
  return Object.assign(new TypeError("fetch failed", { cause }), { stack: `TypeError: fetch failed${frames}` });
}

const long = {
  detail: `${key} ${"no ".repeat(700)}`,
  errors: Array.from({ length: 50 }, (_, index) => ({ pointer: `#/field/${index}`, detail: `${key} is wrong` })),
};
const manyHeaders = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, key.repeat(8)]));
const deep = Array.from({ length: 30 }).reduce<object>((inner) => ({ [key]: [inner] }), { key });

const create = ({ pages }: LandingPages) => pages.create(somePage);

test.each<[string, Parameters<typeof scripted>[0], ((client: LandingPages) => unknown)?]>([
  ["a network error that has the request", [leaky]],
  ["a network error with many frames", [platformError(3)]],
  ["a network error with the key as its code", [Object.assign(new TypeError("refused"), { code: key })]],
  ["a refusal", [json({ message: `no key ${key}`, errors: [{ field: key, message: key }] }, 401, { "X-Echo": key })]],
  ["a long refusal", [json(long, 400, manyHeaders)]],
  ["an HTML page", [new Response(`<title>${key}</title>`, { status: 500 })]],
  ["a success in another shape", [json({ ok: true, [key]: key, deep: [{ text: `a ${key}.` }] })]],
  ["a deep success", [json(deep)]],
  ["a title with tags in the key", [html(`<html><title>${key.slice(0, 6)}<i>${key.slice(6)}</i></title>`, 403)]],
  ["a redirect", [status(302, { Location: `https://x.example/${encodeURIComponent(key)}` })]],
  ["parts of the key", [json({ errors: [{ pointer: `#/${key.slice(10)}`, detail: key.slice(0, 13) }] }, 400)]],
  ["the key as an identifier", [json({ message: "no page" }, 404)], ({ pages }) => pages.delete(key)],
  ["a timeout", [never], ({ pages }) => pages.create(somePage, { timeoutMs: 1, retry: false })],
  ["a wrong input", [], ({ pages }) => pages.create(wrong({ title: 7, content: 5 }))],
  ["an abort", [], ({ pages }) => pages.list({}, { signal: AbortSignal.abort("stop") })],
  ["a wrong option", [], () => new LandingPages(wrong({ apiKey: key, colour: 1 }))],
])("an error prints its message and the caller's line, never the key: %s", async (_title, responses, call = create) => {
  const { client } = scripted(responses, { apiKey: key });

  const error = (await failureOf((async () => call(client))())) as LandingPagesError; // why: the next line checks it

  expect(error).toBeInstanceOf(LandingPagesError);
  const shown = show(error).replaceAll(/<[^<>]*>/g, "");
  for (let at = 0; at + 12 <= key.length; at += 1) expect(shown).not.toContain(key.slice(at, at + 12));
  // Node prints an uncaught error without custom inspection.
  for (const customInspect of [true, false]) {
    const lines = inspect(error, { customInspect, depth: Infinity }).split("\n");
    const frames = lines.filter((line) => /^\s+at /.test(line));
    expect(lines[0]).toContain(error.name === "AbortError" ? "AbortedError" : error.name);
    expect(lines[0]).toContain(error.message.slice(0, 60).trimEnd());
    expect(lines.filter((line) => !frames.includes(line)).join("\n").length).toBeLessThan(1000);
    expect(frames.length).toBeLessThanOrEqual(Error.stackTraceLimit);
  }
  expect(error.stack).toMatch(/^ +at .*secrets\.test\.ts/m);
  expect(error.stack).not.toContain("/sdk/src/call");
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

  const error = await failureOf(client.pages.create(somePage));

  const cause = { name: "TypeError", message: "cannot send Bearer [API key]", cause: { code: "ECONNRESET" } };
  expect(error).toMatchObject({ name: "ConnectionError", code: "ECONNRESET", cause });
  expect(String(error)).toContain("the connection broke (socket of [API key] closed)");
});

test("an error of a key function never shows a key that the function returned before", async () => {
  const failure = Object.assign(new Error(`vault said ${key}`, { cause: new Error(`GET /v1/${key}`) }), { url: key });
  const apiKey = vi.fn<() => Promise<string>>().mockRejectedValue(failure).mockResolvedValueOnce(key);
  const { client } = scripted([json([])], { apiKey });
  await client.pages.list();

  const error = await failureOf(client.withOptions({ timeoutMs: 100 }).pages.list());

  expect(show(error)).not.toContain(key);
  const cause = { message: "vault said [API key]", cause: { message: "GET /v1/[API key]" } };
  expect(error).toMatchObject({ name: "ConfigurationError", cause });
});

test("no part, call or event of the client shows the key", async () => {
  const { client, events } = scripted([json({ [key]: [{ id: "pg_1" }] }), json([])], { apiKey: key });
  await client.pages.list();
  const call = client.pages.list();

  const { pages, analytics } = client;
  const shown = [events, client, pages, analytics, call, await call.withResponse(), client.withOptions({})];
  expect(shown.map(show).join("\n")).not.toContain(key);
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
