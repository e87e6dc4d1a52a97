import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { type TestAccount, useMockService } from "../src/assert.ts";
import { createMockService, type MockService } from "../src/index.ts";
import { somePage } from "./client.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test("pages of a test are marked at the real service, look as they were sent, and are gone afterwards", async () => {
  const { real, runTest } = startSuite();
  await send(real.account("test_real").clientOptions, "POST", "", { ...somePage, slug: "mine" });

  await runTest(async (mock) => {
    expect(mock.apiKey).toBe("test_real");
    const { id, slug } = await send(mock.clientOptions, "POST", "", somePage);
    await send(mock.clientOptions, "PUT", `/${id}`, { slug: "blue-shoes" });
    const stored = real.account("test_real").pages.map((page) => page.slug);

    expect(slug).toBe("red-shoes");
    expect(stored).toEqual(["mine", expect.stringMatching(/^blue-shoes-test-[0-9a-f]{8}$/)]);
    expect(mock.requests({ endpoint: "createPage", body: { slug: "red-shoes" }, status: 201 })).toHaveLength(1);
  });

  expect(real.account("test_real").pages.map(({ slug }) => slug)).toEqual(["mine"]);
});

test("a client without options is marked too, and what it made is taken away", async () => {
  const { real, runTest } = startSuite();

  await runTest(async () => {
    const response = await fetch(`${process.env["LANDING_PAGES_BASE_URL"]}/api/content`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${process.env["LANDING_PAGES_API_KEY"]}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify(somePage),
    });
    expect(await response.json()).toMatchObject({ slug: "red-shoes" });
    expect(real.account("test_real").pages).toMatchObject([{ slug: expect.stringContaining("-test-") }]);
  });

  expect(real.account("test_real").pages).toEqual([]);
});

test.each([
  ["an answer that never came", { endpoint: "createPage", wire: "reset", when: "after", times: 1 }],
  ["a failure after the page was stored", { endpoint: "createPage", status: 500, when: "after", times: 1 }],
  ["an answer without an identifier", { endpoint: "createPage", status: 200, body: "OK", when: "after", times: 1 }],
  ["a delete that fails at first", { endpoint: "deletePage", status: 503, times: 1 }],
] as const)("%s leaves no page behind", async (_, fault) => {
  const { real, runTest } = startSuite();
  real.faults.add(fault);

  await runTest((mock) => send(mock.clientOptions, "POST", "", somePage).catch(() => undefined));

  expect(real.account("test_real").pages).toEqual([]);
});

test("a filter by slug finds the pages of the test, and those that were there before", async () => {
  const { real, runTest } = startSuite();
  await send(real.account("test_real").clientOptions, "POST", "", { ...somePage, slug: "mine" });

  await runTest(async (mock) => {
    await send(mock.clientOptions, "POST", "", somePage);
    const { apiKey, baseUrl, fetch } = mock.clientOptions;
    const found = async (slug: string): Promise<unknown> => {
      const headers = { Authorization: `Bearer ${apiKey}` };
      return (await fetch(`${baseUrl}/api/content?slug=${slug}&limit=5`, { headers })).json();
    };

    expect(await found("red-shoes")).toMatchObject({ data: [{ slug: "red-shoes" }] });
    expect(await found("mine")).toMatchObject({ data: [{ slug: "mine" }] });
    expect(await found("none")).toMatchObject({ data: [] });
    expect(mock.requests({ query: { slug: "red-shoes" } })).toHaveLength(1);
  });
});

test("what cannot be taken away is named", async () => {
  const { real, runTest } = startSuite();
  real.faults.add({ endpoint: "deletePage", status: 403 });

  await expect(runTest((mock) => send(mock.clientOptions, "POST", "", somePage))).rejects.toThrow(
    /left at the real service: pg_\w+ \(403\)/,
  );
});

test.each(["faults", "clock", "pages", "service"] as const)("a test that needs %s says so", async (name) => {
  const { runTest } = startSuite();

  await expect(runTest((mock) => mock[name])).rejects.toThrow(`no \`${name}\``);
});

test.each([
  [{ LANDING_PAGES_TEST_TARGET: "reel" }, /expected mock or real, got "reel"/],
  [{ LANDING_PAGES_TEST_TARGET: "real", LANDING_PAGES_API_KEY: "key" }, /LANDING_PAGES_BASE_URL/],
  [{ LANDING_PAGES_TEST_TARGET: "real", LANDING_PAGES_BASE_URL: "https://real.example" }, /LANDING_PAGES_API_KEY/],
])("an environment that does not say which service is refused: %j", (environment, message) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);

  expect(() => useMockService({}, { beforeEach() {}, afterEach() {} })).toThrow(message);
});

test("vitest and node:test skip what needs the mock, and count it", () => {
  const folder = mkdtempSync(join(import.meta.dirname, "real-"));
  writeFileSync(
    join(folder, "suite.test.ts"),
    `import { test } from ${source("vitest")};
test("plain", ({ mock }) => void mock.requests());
test("faulty", ({ mock }) => void mock.faults.add({ status: 500 }));`,
  );
  writeFileSync(
    join(folder, "suite.mts"),
    `import { test } from "node:test";
import { useMockService } from ${source("assert")};
const mock = useMockService();
test("plain", () => void mock().requests());
test("faulty", () => void mock().faults.add({ status: 500 }));`,
  );
  const env = {
    ...process.env,
    NO_COLOR: "1",
    LANDING_PAGES_TEST_TARGET: "real",
    LANDING_PAGES_BASE_URL: "http://127.0.0.1:9",
    LANDING_PAGES_API_KEY: "key",
  };
  const vitest = join(import.meta.dirname, "../node_modules/vitest/vitest.mjs");
  const flags = process.features.typescript ? [] : ["--experimental-strip-types", "--no-warnings"];
  const run = (args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });
  const byVitest = run([vitest, "run", "--root", folder]);
  const byNode = run([...flags, "--test-reporter=tap", join(folder, "suite.mts")]);
  rmSync(folder, { recursive: true });

  expect(byVitest.stdout + byVitest.stderr).toMatch(/Tests +1 passed \| 1 skipped/);
  expect(byNode.stdout + byNode.stderr).toMatch(/# pass 1\n# fail 0\n# cancelled 0\n# skipped 1/);
  expect([byVitest.status, byNode.status]).toEqual([0, 0]);
}, 30_000);

function source(door: string): string {
  return JSON.stringify(pathToFileURL(join(import.meta.dirname, `../src/${door}.ts`)).href);
}

/** A suite that runs against a "real" service: another mock, reached by the global `fetch`. */
function startSuite(): {
  real: MockService;
  runTest: <Value>(body: (mock: TestAccount) => Value | Promise<Value>) => Promise<void>;
} {
  const real = createMockService();
  vi.stubGlobal("fetch", real.fetch);
  vi.stubEnv("LANDING_PAGES_TEST_TARGET", "real");
  vi.stubEnv("LANDING_PAGES_BASE_URL", "https://real.example");
  vi.stubEnv("LANDING_PAGES_API_KEY", "test_real");
  const before: (() => void | Promise<void>)[] = [];
  const after: (() => void | Promise<void>)[] = [];
  const mock = useMockService(
    {},
    { beforeEach: (hook) => before.push(() => hook()), afterEach: (hook) => after.push(hook) },
  );
  return {
    real,
    async runTest(body) {
      for (const hook of before) await hook();
      try {
        await body(mock());
      } finally {
        for (const hook of after) await hook();
      }
    },
  };
}

async function send(
  { apiKey, baseUrl, fetch }: TestAccount["clientOptions"],
  method: string,
  rest: string,
  body: object,
): Promise<{ id: string; slug: string }> {
  const response = await fetch(`${baseUrl}/api/content${rest}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { id: string; slug: string }; // why: what these endpoints answer
}
