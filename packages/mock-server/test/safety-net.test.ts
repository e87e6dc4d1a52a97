import { afterEach, expect, test, vi } from "vitest";
import { type FixtureOptions, type TestAccount, useMockService } from "../src/assert.ts";
import * as client from "./client.ts";
import { runNodeSuites } from "./node-process.ts";
import { createRunner } from "./runner.ts";

const baseUrlName = "LANDING_PAGES_BASE_URL";
const apiKeyName = "LANDING_PAGES_API_KEY";
const sdk = { "User-Agent": "landing-page-service-sdk/0.1.0" };

const runners: ReturnType<typeof createRunner>[] = [];
function setUp(...given: Parameters<typeof createRunner>) {
  const runner = createRunner(...given);
  runners.push(runner);
  return runner;
}
afterEach(() => {
  for (const { end } of runners.splice(0)) end();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test.each<[string, (mock: TestAccount) => unknown, RegExp]>([
  [
    "a planned fault that did not fire",
    (mock) => mock.faults.add({ endpoint: "createPage", path: /tea/, status: 500 }),
    /never fired: \{ endpoint: "createPage", path: \/tea\/, status: 500 \}; requests that it matches: 0 of 0\. .*optional: true/,
  ],
  [
    "one planned through the service",
    (mock) => mock.service.faults.add({ key: mock.apiKey, status: 500 }),
    /never fired: \{ status: 500 \}/,
  ],
  [
    "one planned for all accounts",
    (mock) => mock.service.faults.add({ endpoint: "deletePage", status: 500 }),
    /never fired: \{ endpoint: "deletePage", status: 500 \}/,
  ],
  [
    "a path without endpoint",
    (mock) => call(mock, "/api/contents"),
    /GET \/api\/contents -> 404: there is no such endpoint/,
  ],
  ["a method without endpoint", (mock) => call(mock, "/api/analytics/view"), /-> 405: there is no such endpoint/],
  [
    "a key that opens no account",
    (mock) => call(mock, "/api/content", "live_1"),
    /-> 401: its key opens no account\. To test a 401, add a fault: mock\.faults\.add\(\{ status: 401 \}\)\. If .*, in mockOptions or/,
  ],
])("%s fails its test, and no other", async (_, body, message) => {
  const { mock, runTest } = setUp();

  await expect(runTest(() => body(mock()))).rejects.toThrow(message);
  await expect(runTest(() => call(mock(), "/api/content"))).resolves.toMatchObject({ status: 200 });
});

test("a key that opens no account fails its test, although the dialect reports errors in a 200", async () => {
  const { mock, runTest } = setUp({ dialect: { answers: { error: { status: 200 } } } });

  await expect(runTest(() => call(mock(), "/api/content", "live_1"))).rejects.toThrow(
    /-> 200: its key opens no account/,
  );
});

test.each<[string, (mock: TestAccount) => unknown]>([
  ["a fault that fired", (mock) => (mock.faults.add({ status: 500 }), call(mock, "/api/content"))],
  ["an optional one", (mock) => mock.faults.add({ status: 500, optional: true })],
  ["one that was removed", (mock) => mock.faults.add({ status: 500 }).remove()],
  ["a path that a fault matches", (mock) => (mock.faults.add({ path: "/x", status: 404 }), call(mock, "/x"))],
  ["a page that does not exist", (mock) => call(mock, "/api/content/pg_1", mock.apiKey, "DELETE")],
])("%s fails nothing", async (_, body) => {
  const { mock, runTest } = setUp();

  await expect(runTest(() => body(mock()))).resolves.not.toThrow();
});

test.each<[FixtureOptions["safetyNet"], RegExp | undefined]>([
  [undefined, /never fired[^]*no such endpoint/],
  [false, undefined],
  [{ unusedFaults: false }, /^The mock did not handle/],
  [{ unhandledRequests: false }, /^A planned fault [^\n]*$/],
])("with safetyNet %j a test that does both fails with %s", async (safetyNet, message) => {
  const { mock, runTest } = setUp(safetyNet === undefined ? {} : { safetyNet });
  const failing = runTest(async () => {
    mock().faults.add({ endpoint: "trackEvent", status: 500 });
    await call(mock(), "/nowhere");
  });

  expect(await messageOf(failing)).toMatch(message ?? /^$/);
});

test("the environment points to the mock of the running test, and is restored afterwards", async () => {
  vi.stubEnv(baseUrlName, "https://real.example/base");
  vi.stubEnv(apiKeyName, undefined);
  const before = globalThis.fetch;
  const { mock, runTest, end } = setUp();
  const early = await send();
  const seen: unknown[] = [];
  const endings: string[] = [];
  for (let count = 1; count <= 2; count += 1) {
    const run = runTest(async () => {
      const bare = await fetch(new Request(`${process.env[baseUrlName]}/api/content`, { method: "POST" }));
      seen.push((await send()).status, bare.status, mock().requests({ status: 200 }).length);
    });
    endings.push(await messageOf(run));
  }
  const late = await send();
  end();

  expect(seen).toEqual([200, 401, 1, 200, 401, 1]);
  expect(endings).toEqual([
    expect.stringMatching(/POST .* opens no account/),
    expect.stringMatching(/opens no account/),
  ]);
  expect([early.status, late.status]).toEqual([421, 421]);
  expect(await late.json()).toMatchObject({ detail: expect.stringContaining("while no test") });
  expect(process.env[baseUrlName]).toBe("https://real.example/base");
  expect(apiKeyName in process.env).toBe(false);
  expect(globalThis.fetch).toBe(before);
});

test("calls of the SDK to any other host are refused with an error, and all other calls pass", async () => {
  vi.stubEnv(baseUrlName, "https://real.example/base");
  const passed: string[] = [];
  vi.stubGlobal("fetch", async (url: string) => (passed.push(url), new Response("passed")));
  const { runTest, end } = setUp();
  const others = ["https://real.example/baseline", "https://api.example/api/content", "http://127.0.0.1:1/api/content"];

  await runTest(async () => {
    const refused = [
      await fetch("https://service.example/api/content", { headers: sdk }),
      await fetch(new Request("https://service.example/", { headers: sdk })),
      await fetch(new URL("https://real.example/base/api/content")),
    ];
    expect(refused.map(({ status }) => status)).toEqual([421, 421, 421]);
    expect(await refused[0]?.json()).toMatchObject({
      detail: expect.stringMatching(/^service\.example is not the mock/),
    });
    await fetch(others[0] ?? "");
    await fetch(others[1] ?? "");
    await fetch(others[2] ?? "", { headers: sdk });
  });
  end();

  expect(passed).toEqual(others);
});

test("a test reaches the mock through a spy or a stub of the global fetch, and both stay installed", async () => {
  const { mock, runTest } = setUp();
  const intercepting = globalThis.fetch;
  const spy = vi.spyOn(globalThis, "fetch");
  await runTest(async () => {
    await send();
    expect(fetch).toHaveBeenCalledOnce();
    expect(mock().requests()).toHaveLength(1);
  });
  spy.mockRestore();
  await runTest(() => void (globalThis.fetch = stub));
  expect(globalThis.fetch).toBe(intercepting);
  globalThis.fetch = stub;
  await runTest(async () => {
    await send();
    expect(mock().requests()).toHaveLength(1);
  });

  expect(globalThis.fetch).toBe(stub);
  globalThis.fetch = intercepting;
});

test("a client or a wait that outlives its test fails with an error that says so", async () => {
  const { mock, runTest } = setUp();
  let waiting: Promise<unknown> | undefined;
  const { apiKey, clientOptions, service } = await runTest(() => {
    waiting = mock().waitForRequest({ endpoint: "createPage" });
    return mock();
  });

  await expect(waiting).rejects.toThrow(
    'The test ended before a matching request arrived: waitForRequest({ endpoint: "createPage" })',
  );
  const responses = await runTest(async () => [
    await call({ apiKey, clientOptions }, "/api/content"),
    await client.send(service, "GET", "/api/content", { key: null }),
  ]);
  for (const { status, body } of responses) {
    expect(status).toBe(421);
    expect(body.detail).toMatch(/^The test .* has ended.*in each test/);
  }
});

let drawn = 0;
test.for([
  ["the same key and ids where the service has a random of its own", { random: () => (drawn = (drawn + 0.3) % 1) }, 1],
  ["a key and ids of its own elsewhere", {}, 2],
] as const)("each test has %s", async ([, options, count]) => {
  const { mock, runTest } = setUp({ ...options, now: () => 0 });
  const run = () =>
    runTest(async () => {
      const { headers } = await call(mock(), "/api/content");
      return `${mock().apiKey} ${headers.get("X-Request-Id")}`;
    });

  expect(new Set([await run(), await run()]).size).toBe(count);
});

test("with two mocks at once, the environment's key is refused, and each key reaches its own mock", async () => {
  const [one, two] = [setUp(), setUp({ plan: "free" })];

  await one.runTest(() =>
    two.runTest(async () => {
      expect(await (await send()).json()).toMatchObject({ detail: expect.stringContaining("mock.clientOptions") });
      expect((await send(two.mock().apiKey)).headers.get("X-RateLimit-Limit")).toBe("60");
      expect([one, two].map(({ mock }) => mock().requests().length)).toEqual([0, 1]);
    }),
  );
});

test("in mocha, a mock at the top of a test file is not for the tests of other files, and they do not see its environment", async () => {
  vi.stubEnv(baseUrlName, undefined);
  const currentTest = { pending: false, file: import.meta.filename };
  const { mock, runTest } = setUp({}, { currentTest, test: { error: () => {} } });
  const look = () => runTest(() => [process.env[baseUrlName] === undefined, catchError(mock) === undefined]);

  const own = await look();
  currentTest.file = "/tests/other.test.js";
  const other = await look();
  const isLentBetween = baseUrlName in process.env;
  currentTest.file = import.meta.filename;
  const again = await look();

  expect([own, other, again]).toEqual([
    [false, true],
    [true, false],
    [false, true],
  ]);
  expect(isLentBetween).toBe(true);
});

test("in node:test without isolation, each file has its own mock, also for clients that read the environment", () => {
  vi.stubEnv(baseUrlName, undefined);
  const isOld = Number.parseInt(process.versions.node, 10) < 24;
  const together = isOld ? "--experimental-test-isolation=none" : "--test-isolation=none";

  const { stdout, status } = runNodeSuites(
    ["--test", together],
    [suiteOf("free", 60), suiteOf("starter", 600), suiteWithoutMock],
  );

  expect(stdout).toMatch(/pass 3\b/);
  expect(status, stdout).toBe(0);
});

const suiteOf = (plan: string, limit: number) => `
import assert from "node:assert/strict";
import { test } from "node:test";
import { useMockService } from ${JSON.stringify(import.meta.resolve("../src/assert.ts"))};
const mock = useMockService({ plan: "${plan}" });
test("${plan}", async () => {
  const { ${baseUrlName}: url, ${apiKeyName}: key } = process.env;
  const { headers } = await fetch(url + "/api/content", { headers: { Authorization: "Bearer " + key } });
  assert.equal(headers.get("X-RateLimit-Limit"), "${limit}");
  assert.equal(mock().requests().length, 1);
});
`;
const suiteWithoutMock = `
import assert from "node:assert/strict";
import { test } from "node:test";
test("no mock", () => assert.equal(process.env.${baseUrlName}, undefined));
`;

test("with environment: false neither the environment nor fetch is changed", async () => {
  const { fetch } = globalThis;
  vi.stubEnv(baseUrlName, "https://real.example");
  const { runTest } = setUp({ safetyNet: { environment: false } });

  await runTest(() => {
    expect(globalThis.fetch).toBe(fetch);
    expect(process.env[baseUrlName]).toBe("https://real.example");
  });
});

test("a wrapper that a test put around the global fetch reaches the original one afterwards", async () => {
  const { runTest, end } = setUp();
  let wrapped = fetch;
  await runTest(() => {
    const inner = globalThis.fetch;
    wrapped = (input, init) => inner(input, init);
  });
  end();

  expect(await (await wrapped("data:,through")).text()).toBe("through");
});

test.for([
  { ended: "passed", state: "passed", pending: false, reported: ["A planned fault never fired"] },
  { ended: "failed by itself", state: "failed", pending: false, reported: [] },
  { ended: "skipped itself", state: undefined, pending: true, reported: [] },
])(
  "mocha reports an unused fault of a test that $ended, and runs the tests after it",
  async ({ state, pending, reported }) => {
    const errors: unknown[] = [];
    const asMocha = { currentTest: { state, pending }, test: { error: (error: unknown) => errors.push(error) } };
    const { mock, runTest } = setUp({}, asMocha);

    await runTest(() => void mock().faults.add({ status: 500 }));

    expect(errors).toEqual(reported.map((text) => expect.objectContaining({ message: expect.stringContaining(text) })));
    await runTest(() => expect(mock().requests()).toEqual([]));
  },
);

test("hooks have no parameters, because runners treat those as a callback or a fixture", () => {
  const given: ((...args: never[]) => unknown)[] = [];
  const register = (hook: () => unknown) => void given.push(hook);

  useMockService({}, { beforeEach: register, afterEach: register });

  expect(given.map((hook) => /^[^(]*\(\s*\)/.test(hook.toString()))).toEqual([true, true]);
});

const stub: typeof fetch = async () => Response.error();

/** Sends a list request to the service and with the key that the environment names. */
function send(key = process.env[apiKeyName]): Promise<Response> {
  return fetch(`${process.env[baseUrlName]}/api/content`, { headers: { Authorization: `Bearer ${key}` } });
}

function catchError(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The error message of a test; empty if it passed. */
async function messageOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function call(
  { apiKey, clientOptions }: Pick<TestAccount, "apiKey" | "clientOptions">,
  path: string,
  key = apiKey,
  method = "GET",
) {
  return client.send(clientOptions, method, path, { key });
}
