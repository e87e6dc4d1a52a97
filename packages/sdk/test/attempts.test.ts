// What one attempt makes of a caller's fetch, a body that stalls, and a body that is too much.
import { afterEach, expect, test, vi } from "vitest";
import { type ClientOptions, ConfigurationError, LandingPages } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const used = json([]);
await used.text();
const wrong: Record<string, unknown> = {
  nothing: undefined,
  null: null,
  "a plain object": { ok: true, status: 200, json: async () => [] },
  "an object whose body cannot be read": { status: 200, headers: new Headers() },
  "a Response that has been read": used,
};

test.each(Object.entries(wrong))(
  "a fetch that gives %s is a mistake told at once, without retries",
  async (_title, given) => {
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      return given as Response; // why: plain JavaScript may give anything
    };
    const { client } = scripted([], { fetch });

    const error = await failureOf(client.pages.list());

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("`fetch` must give a new Response for every request");
    expect(sent).toBe(1);
  },
);

test("a fetch that gives an object with status, headers and text is as good as one that gives a Response", async () => {
  const response = { status: 200, headers: new Map([["content-type", "application/json"]]), text: async () => "[]" };
  const { client } = scripted([], { fetch: async () => response as unknown as Response }); // why: a mock of tests

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
});

test("a request asks that no cache keeps the response", async () => {
  const inits: object[] = [];
  const { client } = scripted([], { fetch: async (_url, init) => (inits.push(init), json([])) });

  await client.pages.list();

  expect(inits).toMatchObject([{ cache: "no-store", redirect: "manual" }]);
});

const stalled = (code: number) => new Response(new ReadableStream({}), { status: code });
const calls: Record<string, [number, (client: LandingPages) => Promise<unknown>, object | undefined]> = {
  "track, 202": [202, (client) => client.analytics.track({ pageId: "pg_1" }), undefined],
  "delete, 200": [200, (client) => client.pages.delete("pg_1"), undefined],
  "delete, 404": [404, (client) => client.pages.delete("pg_1"), { name: "NotFoundError" }],
  "create, 400": [400, (client) => client.pages.create(somePage), { name: "BadRequestError" }],
};

test.each(Object.entries(calls))(
  "a body that nobody needs gets a second and no more: %s",
  async (_title, [code, call, error]) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { client } = scripted([() => stalled(code)], { retry: false });
    const outcome = call(client).then(
      () => undefined,
      (failure: unknown) => failure,
    );

    await vi.advanceTimersByTimeAsync(1001);
    vi.useRealTimers();

    expect((await outcome) ?? {}).toMatchObject(error ?? {});
  },
);

test.each([
  ["nested deeper than 100", `${'{"data":'.repeat(101)}1${"}".repeat(101)}`, "nested deeper than 100"],
  ["of very many values", `[${"[],".repeat(600_000)}[]]`, "of more than 524288 values"],
  ["larger than 16 MiB", `[${" ".repeat(16 * 1024 * 1024)}]`, "more than 16777216 bytes"],
])("a body %s is refused before it is parsed", async (_title, text, message) => {
  const parse = vi.spyOn(JSON, "parse");
  const { client } = scripted([() => new Response(text)], { retry: false });

  const error = await failureOf(client.pages.list());

  expect(error).toMatchObject({
    name: "ResponseValidationError",
    message: expect.stringContaining(message) as unknown,
  });
  expect(parse.mock.calls.filter(([text]) => text.length > 1000)).toEqual([]);
  parse.mockRestore();
});

test("a wall clock that is set while a call waits changes no wait", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const waits: number[] = [];
  const sleep = async (delayMs: number) => {
    waits.push(delayMs);
    vi.setSystemTime(Date.now() + (waits.length % 2 === 0 ? 3_600_000 : -3_600_000));
  };
  const answers = [status(503), status(429, { "Retry-After": "30" }), json([])];
  let sent = 0;
  const fetch = async () => answers[sent++]?.clone() ?? json([]);
  const client = new LandingPages({ apiKey: "k", baseUrl: "https://service.example", fetch, sleep, random: () => 0.5 });

  const { attempts } = await client.pages.list().withResponse();

  expect(attempts.map(({ status }) => status)).toEqual([503, 429, 200]);
  expect(attempts.every(({ durationMs }) => durationMs < 60_000)).toBe(true);
  expect(waits.every((delayMs) => delayMs < 40_000)).toBe(true);
});

const fakes = ["queueMicrotask", "setImmediate", "setInterval", "performance", "Date"] as const;

test.each(fakes)("a test that fakes %s does not hang a call", async (name) => {
  vi.useFakeTimers({ toFake: [name] });
  let sent = 0;
  const empty = { status: 200, headers: new Headers(), text: async () => "[]" } as Response; // why: undici needs queueMicrotask for its own
  const fetch = async () => ((sent += 1) === 1 ? status(503) : empty);
  const options: ClientOptions = { apiKey: "k", baseUrl: "https://service.example", fetch, retry: { baseDelayMs: 1 } };

  const { data } = await new LandingPages(options).pages.list();

  expect(data).toEqual([]);
});

const fail = async (baseUrl: string) =>
  String(await failureOf(scripted([new TypeError("fetch failed")], { baseUrl, retry: false }).client.pages.list()));

test("a request to this machine that a proxy may take says so when it fails", async () => {
  vi.stubEnv("HTTP_PROXY", "http://proxy.example:3128");
  vi.stubEnv("NO_PROXY", "");

  expect(await fail("http://127.0.0.1:4010")).toContain("HTTP_PROXY: add 127.0.0.1 to NO_PROXY");
  expect(await fail("https://service.example")).not.toContain("NO_PROXY");
  vi.stubEnv("NO_PROXY", "localhost,127.0.0.1");
  expect(await fail("http://127.0.0.1:4010")).not.toContain("NO_PROXY");
});

test("asked waits under a second count as attempts, and a reset of now holds up no other call", async () => {
  const { client, requests } = scripted([status(429, { "Retry-After": "0.001" })]);

  await failureOf(client.pages.list());

  expect(requests).toHaveLength(3);
  const now = scripted([() => status(429, { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0" }), json([])]);
  await now.client.pages.list();
  expect(now.events.filter(({ type }) => type === "rate-limit")).toEqual([]);
});

test("control characters of others are shown escaped", async () => {
  const { client } = scripted([json({ message: "no \u001b[2J\u202eentry\u0007" }, 400)]);

  const error = await failureOf(client.pages.list());

  expect(String(error)).toContain("no \\u001b[2J\\u202eentry\\u0007");
});

const key = "sk_live_A1b2C3d4A1b2C3d4";
const echoes = {
  "in tags": json({ message: `Invalid key ${key.slice(0, 8)}<b>${key.slice(8)}</b> was given` }, 400),
  "in a page": new Response(`<!doctype html><title>Bad key ${key.slice(0, 6)}<span>${key.slice(6)}</span></title>`, {
    status: 403,
    headers: { "Content-Type": "text/html" },
  }),
  "in a redirect": new Response(null, {
    status: 302,
    headers: { Location: `https://x.example/${encodeURIComponent(key)}` },
  }),
  "its tail": json({ errors: [{ pointer: `#/${key.slice(10)}`, detail: key.slice(0, 13) }] }, 400),
};

test.each(Object.entries(echoes))(
  "a key that a service echoes %s is in nothing that an error shows",
  async (_title, response) => {
    const { client } = scripted([response], { apiKey: key });

    const error = await failureOf(client.pages.list());

    const shown = `${String(error)}${JSON.stringify(error)}`.replaceAll(/<[^<>]*>/g, "");
    for (let at = 0; at + 12 <= key.length; at += 1) expect(shown).not.toContain(key.slice(at, at + 12));
  },
);

test("an earlier key of the same call is hidden too", async () => {
  const keys = ["first_key_12345", "second_key_6789"];
  let asked = 0;
  const said = json({ message: `keys ${keys.join(" and ")} are no good` }, 401);
  const { client } = scripted([said], { apiKey: async () => keys[asked++] ?? "" });

  const error = await failureOf(client.pages.list());

  expect(String(error)).toContain("keys [API key] and [API key] are no good");
});
