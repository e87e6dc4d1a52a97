// What a person sees of an error that nobody caught: `inspect` without its own hooks is what Node prints then.
import { inspect } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ClientOptions, LandingPages, LandingPagesError } from "../src/index.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const word = fc.string({ unit: "grapheme-ascii", maxLength: 40 });
const key = fc.stringMatching(/^test_[A-Za-z0-9+/=-]{20,60}$/);
const headerName = fc.stringMatching(/^x-[a-z]{3,20}$/);
const headers = fc.dictionary(headerName, fc.stringMatching(/^[!-~]{0,200}$/), { maxKeys: 20 });
const problems = fc.array(fc.record({ pointer: fc.stringMatching(/^#\/[a-z/]{1,20}$/), detail: word }), {
  maxLength: 50,
});
const body = fc.oneof(
  fc.record({ detail: fc.string({ maxLength: 2_000 }), errors: problems, request_id: word }),
  fc.record({ message: word, data: fc.jsonValue({ maxDepth: 5 }) }),
  fc.jsonValue(),
);
const status = fc.oneof(fc.constantFrom(302, 400, 401, 404, 429, 500, 503), fc.integer({ min: 300, max: 599 }));

/** Ways in which a call fails, each for a key that others repeat. */
const failures = fc.oneof(
  fc.record({ kind: fc.constant("status" as const), status, headers, body, retryAfter: fc.nat(1_000) }),
  fc.record({ kind: fc.constant("mismatch" as const), headers, flags: fc.array(fc.boolean()) }),
  fc.record({
    kind: fc.constant("network" as const),
    message: word,
    code: fc.constantFrom("ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET", undefined),
    depth: fc.nat(3),
  }),
  fc.record({ kind: fc.constantFrom("timeout" as const, "aborted" as const) }),
  fc.record({
    kind: fc.constant("input" as const),
    input: fc.dictionary(fc.constantFrom("title", "slug", "cta"), fc.jsonValue()),
  }),
  fc.record({ kind: fc.constant("option" as const), name: fc.stringMatching(/^[a-z]{1,30}$/) }),
);

async function fail(
  how: typeof failures extends fc.Arbitrary<infer How> ? How : never,
  apiKey: string,
): Promise<unknown> {
  const echo = { said: [apiKey, `Bearer ${apiKey}`], [apiKey]: btoa(apiKey) };
  const call = (answer: () => Response | Promise<Response>, options: ClientOptions = {}) =>
    failureOf(scripted([answer], { apiKey, ...options }).client.pages.create(somePage));
  switch (how.kind) {
    case "status":
      return call(() => {
        const sent = {
          ...how.headers,
          "retry-after": String(how.retryAfter),
          "x-echo": apiKey,
          "x-request-id": "req_1",
        };
        return json({ echo, ...Object(how.body) }, how.status, sent);
      });
    case "mismatch":
      return call(() => json({ flags: how.flags, echo }, 200, how.headers));
    case "network":
      return call(() => {
        const code = how.code === undefined ? {} : { code: how.code };
        let error = Object.assign(made(new Error(`${how.message} ${apiKey}`)), code);
        for (let outer = 0; outer < how.depth; outer += 1)
          error = made(new TypeError("fetch failed", { cause: error }));
        throw error;
      });
    case "timeout":
      return call(() => new Promise(() => undefined), { timeoutMs: 1, retry: false });
    case "aborted": {
      const { client } = scripted([json([])], { apiKey });
      return failureOf(client.pages.list({}, { signal: AbortSignal.abort("shutting down") }));
    }
    case "input": {
      const input = { ...how.input, content: 5 } as never; // why: what plain JavaScript may pass
      return failureOf(scripted([json({})], { apiKey }).client.pages.create(input));
    }
    case "option":
      return failureOf((async () => new LandingPages({ apiKey, [`${how.name}Z`]: 1 }))());
    default:
      return how satisfies never;
  }
}

/** An error with frames as the platform writes them. */
function made(error: Error): Error {
  const frames = "\n    at connect (node:internal/deps/undici:1:1)".repeat(10);
  return Object.assign(error, { stack: `${error.name}: ${error.message}${frames}` });
}

test("an error that nobody caught is its message, the caller's line, and less than a screen, without the key", () =>
  fc.assert(
    fc.asyncProperty(failures, key, async (how, apiKey) => {
      const error = await fail(how, apiKey);

      expect(error).toBeInstanceOf(LandingPagesError);
      const { name, message, stack } = error as LandingPagesError; // why: the assertion above says so
      for (const customInspect of [true, false]) {
        const lines = inspect(error, { customInspect, depth: Infinity }).split("\n");
        const frames = lines.filter((line) => /^\s+at /.test(line));
        expect(lines[0]).toContain(name === "AbortError" ? "AbortedError" : name);
        expect(lines[0]).toContain(message.slice(0, 60).trimEnd());
        expect(lines.filter((line) => !frames.includes(line)).join("\n").length).toBeLessThan(1000);
        expect(frames.length).toBeLessThanOrEqual(Error.stackTraceLimit);
      }
      expect(stack).toMatch(/^ +at .*(?:printed-errors\.test|setup)\.ts/m);
      expect(stack).not.toContain("/sdk/src/call");
      expect(inspect(error, { showHidden: true, depth: Infinity }) + JSON.stringify(error)).not.toContain(apiKey);
    }),
    { numRuns: 300 },
  ));
