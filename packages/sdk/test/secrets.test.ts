import { inspect } from "node:util";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { ConnectionError, type LogLevel } from "../src/index.ts";
import { hideKey } from "../src/redact.ts";
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

/** How text formats write a character other than as it is; each may be applied to what another has written. */
const encoders: Record<string, (character: string) => string> = {
  json: (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  slash: (character) => (/["\\/]/.test(character) ? `\\${character}` : character),
  percent: (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  component: (character) => encodeURIComponent(character),
  decimal: (character) => `&#${character.charCodeAt(0)};`,
  pointer: (character) => ({ "~": "~0", "/": "~1" })[character] ?? character,
  hex: (character) => `&#x${character.charCodeAt(0).toString(16)};`,
};
/** A key in quotes is refused: they are no part of it. */
const isQuoted = (key: string) => /^(["'`]).*\1$/.test(key);
const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));

test("the key is hidden however it is escaped or encoded, wherever it stands, before anything is cut", () =>
  fc.assert(
    fc.asyncProperty(
      fc
        .array(visible, { minLength: 12, maxLength: 60 })
        .map((characters) => characters.join(""))
        .filter((key) => !isQuoted(key)),
      fc.infiniteStream(fc.constantFrom("plain", ...Object.keys(encoders))),
      fc.boolean(),
      fc.constantFrom("json error", "text error", "html error", "header", "not JSON", "member", "network"),
      fc.integer({ min: 0, max: 600 }),
      async (key, styles, isUpper, place, before) => {
        const spelled = Array.from(key, (character) => {
          const text = encoders[String(styles.next().value)]?.(character) ?? character;
          return isUpper && text.length > 1
            ? text.replace(/[a-f\d]{2,4}(?=;?$)/, (digits) => digits.toUpperCase())
            : text;
        }).join("");
        const text = `${"x".repeat(before)} ${spelled} `;
        const answers = {
          "json error": () => json({ message: text, errors: [{ field: text, message: text }] }, 400),
          "text error": () => new Response(text, { status: 500 }),
          "html error": () => new Response(`<html><title>${text}</title></html>`, { status: 502 }),
          header: () => status(400, { "X-Request-Id": text.trim(), "X-Echo": text.trim() }),
          "not JSON": () => new Response(`{${text}`),
          member: () => json({ [text]: text, id: { [text]: text } }),
          network: () =>
            Promise.reject(Object.assign(new Error(text), { name: text, code: text, cause: new Error(text) })),
        };
        const { client, events } = scripted([answers[place]], { apiKey: key, retry: false });

        const error = await failureOf(client.pages.create(somePage));

        const shown = everythingShownOf(error) + JSON.stringify(events);
        for (const secret of [key, spelled, JSON.stringify(spelled).slice(1, -1)]) {
          // Whole, and the beginning of it that a cut would leave.
          for (const part of [secret, secret.slice(0, Math.ceil(secret.length / 2))]) expect(shown).not.toContain(part);
        }
      },
    ),
    { numRuns: 500, seed: 13 },
  ));

test("the key is hidden in base64, on its own and in a header that was copied", async () => {
  for (const text of [btoa(key), btoa(`Bearer ${key}`), btoa(`x:${key}:y`)]) {
    const { client } = scripted([json({ message: text }, 400)], { apiKey: key });

    const shown = everythingShownOf(await failureOf(client.pages.list()));

    expect(shown).not.toContain(text);
    expect(shown).toContain("[API key]");
  }
});

test("a key that breaks off, as the body was cut, is hidden too, in every spelling, but for what a mask would show", () =>
  fc.assert(
    fc.property(
      // Of those of text formats it could not be told where they end.
      fc
        .array(
          visible.filter((character) => !/[%&\\\\]/.test(character)),
          { minLength: 13, maxLength: 512 },
        )
        .map((characters) => characters.join("")),
      fc.constantFrom(...Object.values(encoders)),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.string({ maxLength: 20 }),
      (key, encode, share, before) => {
        const length = 12 + Math.floor(share * (key.length - 12));
        const spelled = Array.from(key.slice(0, length), encode).join("");

        expect(hideKey(`${before} ${spelled}`, key)).toBe(`${before} [API key]`);
      },
    ),
    { numRuns: 100 },
  ));

test("a key of any length is hidden as a whole, each of its characters spelled another way", () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          visible,
          fc.constantFrom((character: string) => character, ...Object.values(encoders)),
        ),
        {
          minLength: 12,
          maxLength: 512,
          size: "max",
        },
      ),
      (pairs) => {
        const key = pairs.map(([character]) => character).join("");
        const text = pairs.map(([character, encode]) => encode(character)).join("");

        expect(hideKey(`before ${text} after`, key)).toBe("before [API key] after");
      },
    ),
    { numRuns: 300 },
  ));

test("nothing is left of a key that spells its own characters", () => {
  for (const part of ["%25", "&amp;", "&#38;", "\\u005c", "\\\\", "~0", "~01", "u0075", ";&#59"]) {
    for (const encode of [(character: string) => character, ...Object.values(encoders)]) {
      const key = part.repeat(40);

      // Of a run of nothing but backslashes it cannot be told where a key in it ends.
      expect(hideKey(`before ${Array.from(key, encode).join("")} after`, key)).toMatch(/^before (\[API key\])+ after$/);
    }
  }
});

test("of keys that stand side by side nothing is left, also where one begins with what it ends with", () => {
  for (const key of ["ab".repeat(25), "a".repeat(50), "%".repeat(50), "the-key-of-somebody"]) {
    expect(hideKey(`before ${key}${key}${key} after`, key)).toBe(`before ${"[API key]".repeat(3)} after`);
  }
});

test("what is looked for does not grow with the key", () => {
  const compile = vi.spyOn(globalThis, "RegExp");
  const lengthFor = (key: string) => {
    compile.mockClear();
    hideKey(`before ${key} after`, key);
    return compile.mock.calls.reduce((sum, [source]) => sum + String(source).length, 0);
  };
  lengthFor(key);

  expect(lengthFor(key.repeat(20))).toBeLessThan(2 * lengthFor(key.repeat(2)));
  compile.mockRestore();
});

test.each([
  ["backslashes", "\\"],
  ["percent signs", "%25"],
  ["entities", "&amp;"],
  ["zeros", "&#0000000"],
  ["beginnings of the key", key.slice(0, 11)],
])("the key is looked for in no time in a body of nothing but %s", { timeout: 60_000 }, (_title, text) => {
  // Long enough that a search which goes back for each character takes minutes, where one that does not takes a blink.
  const body = text.repeat(262_144 / text.length);

  expect(hideKey(body, key)).toBe(body);
});

test("cookies of an answer are in no error", async () => {
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
    "info landing-pages: rate limit gate closed for 1 s, 0 calls waiting",
    "debug landing-pages: pages.create: 429, 3 attempts, 750 ms",
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
