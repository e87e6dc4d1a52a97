import { AssertionError } from "node:assert";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { assertReceived, useMockService } from "../src/assert.ts";
import { createMockService } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";
import { createRunner } from "./runner.ts";

test("a request that came passes, and what is asked for is compared as the vitest matcher does", async () => {
  const service = createMockService();
  await create(service, {}, "test_demo");

  assertReceived(service);
  assertReceived(service.account("test_demo"), { endpoint: "createPage", body: { cta: { label: "Buy" } }, times: 1 });
  assertReceived(service, { body: { title: expect.stringContaining("shoes") } });
  assertReceived(service, { endpoint: "deletePage", times: 0 });
});

test("a failed assertion is an AssertionError that lists what came instead", async () => {
  const service = createMockService();
  await send(service, "POST", "/api/content", { body: { slug: "tea" } });

  const error = catchError(() => assertReceived(service, { endpoint: "createPage", body: { slug: "coffee" } }));

  expect(error).toBeInstanceOf(AssertionError);
  expect(error.message).toContain(
    'expected at least one request like { endpoint: "createPage", body: { slug: "coffee" } }, got 0',
  );
  expect(error.message).toContain('POST /api/content -> 400 {"slug":"tea"}');
  expect(error.stack?.split("\n").find((line) => /^ +at /.test(line))).toContain("assert.test.ts");
});

test("a misspelt field is refused under the assertion's own name", () => {
  // @ts-expect-error why: a person who writes JavaScript gets no help from types
  expect(() => assertReceived(createMockService(), { endpiont: "createPage" })).toThrow(/assertReceived: .*endpoint/);
});

test("any runner's hooks will do", async () => {
  const { hooks, runTest } = createRunner();
  const mock = useMockService({ plan: "free" }, hooks);

  expect(() => mock()).toThrow(
    "belongs in a beforeEach below it, and an afterEach that uses it above it, where hooks run as they are written; where beforeEach and afterEach are not global, pass them",
  );
  const run = () => runTest(() => [mock().apiKey, mock().rateLimit.limit]);
  const keys = [await run(), await run()];
  expect(new Set(keys.map(([key]) => key)).size).toBe(2);
  expect(keys.map(([, limit]) => limit)).toEqual([60, 60]);
  expect(() => mock()).toThrow(/only while a test runs/);
});

test("of tests at the same time, the one whose account another's end has closed gets the same sentence", async () => {
  const { hooks, before, after } = createRunner();
  const mock = useMockService({}, hooks);

  await before();
  await expect(before()).rejects.toThrow("Tests that run at the same time cannot share useMockService()");
  await after();

  expect(() => mock()).toThrow("Tests that run at the same time cannot share useMockService()");
  await before();
  expect(mock().pages).toEqual([]);
  await after();
  expect(() => mock()).toThrow(/only while a test runs/);
});

test.for([{ page: somePage }, { event: { pageId: "p", type: "view" } }, { plan: "free" }])(
  "a seed for the test's own account is refused, and the error says where it belongs: %j",
  async (record) => {
    const { hooks, before, after } = createRunner();

    // @ts-expect-error a record names its account
    expect(() => useMockService({ seed: [{ version: 1 }, record] }, hooks)).toThrow(
      /^seed\[1\]: account: expected the key of an account, got none; .* restore\(\[{ account: "test_demo", page/,
    );
    const mock = useMockService({}, hooks);
    await before();
    mock().restore([{ account: "test_demo", page: somePage }]);
    expect(mock().pages).toMatchObject([somePage]);
    await after();
  },
);

test("in node:test each test has an account, subtests share it, a skipped one may leave faults unused, and tests at the same time fail with a sentence", () => {
  const folder = mkdtempSync(join(tmpdir(), "landing-page-assert-"));
  const file = join(folder, "suite.test.mts");
  writeFileSync(file, nodeSuite);

  const flags = process.features.typescript ? [] : ["--experimental-strip-types", "--no-warnings"];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, file], { encoding: "utf8" });
  rmSync(folder, { recursive: true });

  const passed = Array.from(stdout.matchAll(/^\s*(?:✔|ok \d+ -) (.+?)(?: \(.*)?$/gm), ([, title]) => title);
  const failed = Array.from(stdout.matchAll(/^\s*(?:✖|not ok \d+ -) (.+?)(?: \(.*)?$/gm), ([, title]) => title);
  expect(passed, stdout + stderr).toEqual(expect.arrayContaining(["one", "subtest", "two"]));
  expect(failed).toContain("second");
  expect(failed).toContain("leaves a fault unused");
  expect(failed.filter((title) => ["one", "two", "skips itself"].includes(title ?? ""))).toEqual([]);
  expect(stdout).toContain("Tests that run at the same time");
});

const nodeSuite = `
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertReceived, useMockService } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "../src/assert.ts")).href)};

const mock = useMockService();
const send = (method, body) => {
  const { apiKey, baseUrl, fetch } = mock().clientOptions;
  const headers = { Authorization: "Bearer " + apiKey, "Content-Type": "application/json" };
  return fetch(baseUrl + "/api/content", { method, headers, body: body && JSON.stringify(body) });
};
test("one", async (t) => {
  await send("POST", ${JSON.stringify(somePage)});
  await t.test("subtest", () => assert.equal(mock().pages.length, 1));
  assertReceived(mock(), { endpoint: "createPage", times: 1 });
});
test("two", () => assert.equal(mock().pages.length, 0));
test("skips itself", (t) => {
  mock().faults.add({ status: 500 });
  t.skip();
});
test("leaves a fault unused", () => void mock().faults.add({ status: 500 }));
describe("at once", { concurrency: true }, () => {
  test("first", () => {});
  test("second", () => {});
});
`;

function catchError(run: () => void): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}
