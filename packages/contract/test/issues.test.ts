import { expect, test } from "vitest";
import * as z from "zod";
import { checkValue, formatIssues } from "../src/issues.ts";

const port = z.int({ error: "expected an integer from 0 to 65535" }).min(0).max(65_535);
const schema = z.strictObject({
  port: port.optional(),
  host: z.string().optional(),
  log: z.enum(["text", "json"]).optional(),
  token: z.string({ error: "must be a string" }).optional(),
  plan: z
    .union([z.enum(["free", "pro"]), z.strictObject({ limit: z.int().min(1), windowMs: z.int().min(1) })], {
      error: 'expected "free", "pro" or { limit, windowMs }',
    })
    .optional(),
  accounts: z.array(z.strictObject({ id: z.string(), keys: z.array(z.string()) })).optional(),
});

function complain(value: unknown): string {
  const result = checkValue(schema, value, "option");
  return result.success ? "" : formatIssues("listen", result.issues);
}

test("a valid value is returned as the schema parses it", () => {
  expect(checkValue(z.strictObject({ port: z.coerce.number() }), { port: "1" })).toEqual({
    success: true,
    data: { port: 1 },
  });
});

test.each<[unknown, string]>([
  [5, "listen: expected object, got 5"],
  [undefined, "listen: expected object, got undefined"],
  [{ prot: 1 }, 'listen: prot: unknown option; did you mean "port"?'],
  [{ HOST: "a" }, 'listen: HOST: unknown option; did you mean "host"?'],
  [
    { plan: { limit: 1, window_ms: 1, windowMs: 1 } },
    'listen: plan.window_ms: unknown option; did you mean "windowMs"?',
  ],
  [{ windowMs: 1 }, 'listen: windowMs: unknown option; did you mean "plan.windowMs"?'],
  [{ colour: 1 }, "listen: colour: unknown option; known are port, host, log, token, plan, accounts"],
  [{ port: 80_000 }, "listen: port: expected an integer from 0 to 65535, got 80000"],
  [{ port: "80" }, 'listen: port: expected an integer from 0 to 65535, got "80"'],
  [{ host: ["a"] }, "listen: host: expected string, got an array"],
  [{ host: new Date(Number.NaN) }, "listen: host: expected string, got Invalid Date"],
  [{ host: Promise.resolve("a") }, "listen: host: expected string, got a promise: await it"],
  [{ log: "jsno" }, 'listen: log: expected one of "text"|"json", got "jsno"; did you mean "json"?'],
  [{ token: 5 }, "listen: token: must be a string"],
  [{ plan: "gold" }, 'listen: plan: expected "free", "pro" or { limit, windowMs }, got "gold"'],
  [{ plan: { limit: 0, windowMs: 1 } }, "listen: plan.limit: expected a number of at least 1, got 0"],
  [{ plan: { limt: 1, windowMs: 1, limit: 1 } }, 'listen: plan.limt: unknown option; did you mean "limit"?'],
  [{ accounts: [{ id: "a" }] }, "listen: accounts[0].keys: is required; expected array"],
  [{ accounts: [{ keys: [] }] }, "listen: accounts[0].id: is required"],
  [
    { port: -1, tokne: "x" },
    'listen:\n  port: expected an integer from 0 to 65535, got -1\n  tokne: unknown option; did you mean "token"?',
  ],
])("%j is refused with a sentence", (value, sentence) => {
  expect(complain(value)).toBe(sentence);
});

test("of very many unknown names the first 100 are reported, and how many there are", () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `name-${index}`);

  const result = checkValue(schema, Object.fromEntries(names.map((name) => [name, 1])));

  expect(result).toMatchObject({ success: false, total: 5_000 });
  expect(result.success ? [] : result.issues).toHaveLength(100);
});

test("the content of an object is not quoted, because it may be secret", () => {
  expect(complain({ host: { password: "hunter2" } })).toBe("listen: host: expected string, got an object");
});
