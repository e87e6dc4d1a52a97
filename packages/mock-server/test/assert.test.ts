import { AssertionError } from "node:assert";
import { expect } from "vitest";
import { assertReceived, useMockService } from "../src/assert.ts";
import { type RequestMatch } from "../src/index.ts";
import { create, list, post, somePage, test } from "./client.ts";
import { runNodeSuites } from "./node-process.ts";
import { createRunner } from "./runner.ts";

test("a failed assertion shows its place, the nearest request and all that were received", async ({ service }) => {
  const empty = catchError(() => assertReceived(service, { times: 2 }));
  await list(service, "?limit=0");
  await post(service, { body: { slug: "tea" } });

  const error = catchError(() => assertReceived(service, { endpoint: "createPage", body: { slug: "coffee" } }));

  expect(error).toBeInstanceOf(AssertionError);
  expect(error.message)
    .toBe(`expected at least one request like { endpoint: "createPage", body: { slug: "coffee" } }, got 0

Nearest: POST /api/content -> 400
  body.slug: expected "coffee", got "tea"

Received requests (2 requests):
  GET /api/content?limit=0 -> 400
  POST /api/content -> 400 {"slug":"tea"}`);
  expect(error.stack?.split("\n").find((line) => /^ +at /.test(line))).toContain("assert.test.ts");
  expect(empty.message).toBe("expected 2 requests like {}, got 0\n\nNo requests were received.");
});

test("the nearest request has the fewest differences, which are named without keys", async ({ service }) => {
  const key = "test_nearest_key";
  await create(service, { slug: "tea" }, key);
  await create(service, { title: `Shoes ${key}`, cta: { ...somePage.cta, label: "Sell" } }, key);
  await list(service, "?limit=5", { key });
  const nearest = (match: RequestMatch) =>
    /Nearest: ([^]*?)\n\n/.exec(catchError(() => assertReceived(service, match)).message)?.[1]?.split("\n");

  const body = { title: /shoes/, cta: { label: "Buy" }, slug: "red-shoes" };
  const created = "POST /api/content -> 201";
  expect(nearest({ endpoint: "createPage", body })).toEqual([created, '  body.slug: expected "red-shoes", got "tea"']);
  expect(nearest({ endpoint: "createPage", body: { title: "Shoes", cta: { label: /^S/ } } })).toEqual([
    created,
    '  body.title: expected "Shoes", got "Shoes [API key]"',
  ]);
  expect(nearest({ method: "get", query: { limit: /0$/, q: "tea" }, headers: { authorization: "none" } })).toEqual([
    "GET /api/content -> 200",
    '  query.limit: expected /0$/, got "5"',
    '  query.q: expected "tea", got undefined',
    '  headers.authorization: expected "none", got "[redacted]"',
  ]);
  expect(nearest({ endpoint: "deletePage" })?.[1]).toBe('  endpoint: expected "deletePage", got "listPages"');
  const long = "x".repeat(1_000);
  await create(service, { content: `${long}a${long}` }, key);
  const [, cut] = nearest({ body: { content: `${long}b${long}` } }) ?? [];
  expect(cut).toMatch(/^ {2}body.content: expected "…x{50}bx+…, got "…x{50}ax+…$/);
  expect(nearest({ endpoint: "listPages", times: 0 })).toBeUndefined();
  expect(nearest({ endpoint: "createPage", times: 4 })).toBeUndefined();
});

test("the hooks of any test runner can be passed", async () => {
  const { mock, runTest } = createRunner({ plan: "free" });

  expect(() => mock()).toThrow(
    "to a beforeEach below it. If the runner calls hooks in order of definition, put an afterEach that uses the account above it. If beforeEach and afterEach are not global, pass them",
  );
  const run = () => runTest(() => [mock().apiKey, mock().rateLimit.limit]);
  const keys = [await run(), await run()];
  expect(new Set(keys.map(([key]) => key)).size).toBe(2);
  expect(keys.map(([, limit]) => limit)).toEqual([60, 60]);
  expect(() => mock()).toThrow(/only while a test runs/);
});

test("concurrent tests of one runner fail with a sentence", async () => {
  const { mock, before, after, runTest } = createRunner();
  const atOnce = "Tests that run at the same time cannot share useMockService()";

  await before();
  await expect(before()).rejects.toThrow(atOnce);
  await after();

  expect(() => mock()).toThrow(atOnce);
  expect(await runTest(() => mock().pages)).toEqual([]);
  expect(() => mock()).toThrow(/only while a test runs/);
});

test("a seed for the test's own account is refused, and the error says where it belongs", () => {
  const { hooks } = createRunner();

  // @ts-expect-error a record names its account
  expect(() => useMockService({ seed: [{ version: 1 }, { plan: "free" }] }, hooks)).toThrow(
    /^seed\[1\]: account: the record names no account\. .* restore\(\[{ account: "test_demo", page/,
  );
});

test("in node:test each test has an account, subtests share it, and only a skipped one may leave a fault unused", () => {
  const { stdout, stderr } = runNodeSuites([], [nodeSuite]);

  const ended = Array.from(stdout.matchAll(/^\s*(✔|✖|ok|not ok)(?: \d+ -)? (.+?)(?: \(.*)?$/gm), ([, mark, title]) =>
    mark === "✔" || mark === "ok" ? `${title} passed` : `${title} failed`,
  );
  expect(ended, stdout + stderr).toEqual(expect.arrayContaining(["one passed", "subtest passed", "two passed"]));
  expect(ended).toContain("leaves a fault unused failed");
  expect(ended).not.toContain("skips itself failed");
});

const nodeSuite = `
const mock = useMockService();
test("one", async (t) => {
  mock().restore([{ account: "test_demo", page: ${JSON.stringify(somePage)} }]);
  await t.test("subtest", () => assert.equal(mock().pages.length, 1));
});
test("two", () => assert.equal(mock().pages.length, 0));
test("skips itself", (t) => {
  mock().faults.add({ status: 500 });
  t.skip();
});
test("leaves a fault unused", () => void mock().faults.add({ status: 500 }));
`;

function catchError(run: () => void): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}
