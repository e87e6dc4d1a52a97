import { expect, onTestFinished, test, vi } from "vitest";
import type { FixtureOptions, TestAccount } from "../src/assert.ts";
import type { FaultRule } from "../src/index.ts";
import { list, listByEnvironment, remove, send } from "./client.ts";
import { runNodeSuites } from "./node-process.ts";
import { createRunner } from "./runner.ts";

const baseUrlName = "LANDING_PAGES_BASE_URL";
const apiKeyName = "LANDING_PAGES_API_KEY";
const sdk = { "User-Agent": "landing-page-service-sdk/0.1.0" };

/** Sets a variable until the test has finished. To be called before a runner is made, which ends first. */
function stubEnv(name: string, value: string | undefined): void {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv(name, value);
}

type Body = (mock: TestAccount) => unknown;
const getting = (path: string, options?: { key: string }): Body => {
  return ({ clientOptions }) => send(clientOptions, "GET", path, options);
};
const adding = (rule: FaultRule): Body => {
  return ({ faults }) => faults.add(rule);
};

const unused =
  /never fired: \{ endpoint: "createPage", path: \/tea\/, status: 500 \}; requests that it matches: 0 of 0\. .*optional: true/;
const noAccount =
  /-> 401: its key opens no account\. To test a 401, add a fault: mock\.faults\.add\(\{ status: 401 \}\)\. If .*, in mockOptions or/;
const errorsInSuccess: FixtureOptions = { dialect: { answers: { error: { status: 200 } } } };
const withUnknownKey = getting("/api/content", { key: "live_1" });

test.each<[what: string, body: Body, message: RegExp, options?: FixtureOptions]>([
  ["a planned fault that did not fire", adding({ endpoint: "createPage", path: /tea/, status: 500 }), unused],
  ["one of the service", (mock) => mock.service.faults.add({ key: mock.apiKey, status: 500 }), /fired: \{ status/],
  ["one for all accounts", ({ service }) => service.faults.add({ method: "GET", status: 500 }), /fired: \{ method/],
  ["a path without endpoint", getting("/api/contents"), /GET \/api\/contents -> 404: there is no such endpoint/],
  ["a method without endpoint", getting("/api/analytics/view"), /-> 405: there is no such endpoint/],
  ["a key that opens no account", withUnknownKey, noAccount],
  ["such a key, with errors in a success", withUnknownKey, /-> 200: its key opens no account/, errorsInSuccess],
  ["a fault that fired", (mock) => (mock.faults.add({ status: 500 }), list(mock.clientOptions)), /^$/],
  ["an optional one", adding({ status: 500, optional: true }), /^$/],
  ["one that was removed", (mock) => mock.faults.add({ status: 500 }).remove(), /^$/],
  ["a path that a fault matches", (mock) => (mock.faults.add({ path: "/x", status: 404 }), getting("/x")(mock)), /^$/],
  ["a page that does not exist", ({ clientOptions }) => remove(clientOptions, "pg_1"), /^$/],
])("%s fails its test with %s, and no other", async (_, body, message, options) => {
  const { mock, runTest } = createRunner(options);

  expect(await messageOf(runTest(() => body(mock())))).toMatch(message);
  await expect(runTest(() => list(mock().clientOptions))).resolves.toMatchObject({ status: 200 });
});

test.each<[FixtureOptions["safetyNet"], RegExp | undefined]>([
  [undefined, /never fired[^]*no such endpoint/],
  [false, undefined],
  [{ unusedFaults: false }, /^The mock did not handle/],
  [{ unhandledRequests: false }, /^A planned fault [^\n]*$/],
])("with safetyNet %j a test that does both fails with %s", async (safetyNet, message) => {
  const { mock, runTest } = createRunner(safetyNet === undefined ? {} : { safetyNet });
  const failing = runTest(async () => {
    mock().faults.add({ endpoint: "trackEvent", status: 500 });
    await getting("/nowhere")(mock());
  });

  expect(await messageOf(failing)).toMatch(message ?? /^$/);
});

test("the environment points to the mock of the running test, and is restored afterwards", async () => {
  stubEnv(baseUrlName, "https://real.example/base");
  stubEnv(apiKeyName, undefined);
  const before = globalThis.fetch;
  const { mock, runTest, end } = createRunner();
  const listOnce = () => runTest(async () => [(await listByEnvironment()).status, mock().requests().length]);

  const early = await listByEnvironment();
  const seen = [await listOnce(), await listOnce()];
  const late = await listByEnvironment();
  end();

  expect(seen.flat()).toEqual([200, 1, 200, 1]);
  expect([early.status, late.status]).toEqual([421, 421]);
  expect(late.body.detail).toContain("while no test");
  expect(process.env[baseUrlName]).toBe("https://real.example/base");
  expect(apiKeyName in process.env).toBe(false);
  expect(globalThis.fetch).toBe(before);
});

test("calls of the SDK to any other host are refused with an error, and all other calls pass", async () => {
  stubEnv(baseUrlName, "https://real.example/base");
  onTestFinished(() => void vi.unstubAllGlobals());
  const passed: string[] = [];
  vi.stubGlobal("fetch", async (url: string) => (passed.push(url), new Response("passed")));
  const { runTest, end } = createRunner();
  const others = [
    ["https://real.example/baseline", {}],
    ["https://api.example/api/content", {}],
    ["http://127.0.0.1:1/api/content", { headers: sdk }],
  ] as const;

  const refused = await runTest(async () => {
    for (const [url, init] of others) await fetch(url, init);
    return [
      await fetch("https://service.example/api/content", { headers: sdk }),
      await fetch(new Request("https://service.example/", { headers: sdk })),
      await fetch(new URL("https://real.example/base/api/content")),
    ];
  });
  end();

  expect(refused.map(({ status }) => status)).toEqual([421, 421, 421]);
  expect(await refused[0]?.text()).toContain('"detail":"service.example is not the mock');
  expect(passed).toEqual(others.map(([url]) => url));
});

test("a test reaches the mock through a spy or a stub of the global fetch, and both stay installed", async () => {
  const { mock, runTest } = createRunner();
  const intercepting = globalThis.fetch;
  const countReceived = () => runTest(async () => (await listByEnvironment(), mock().requests().length));

  const spy = vi.spyOn(globalThis, "fetch");
  const bySpy = await countReceived();
  expect(spy).toHaveBeenCalledOnce();
  spy.mockRestore();
  await runTest(() => void (globalThis.fetch = stub));
  expect(globalThis.fetch).toBe(intercepting);
  globalThis.fetch = stub;
  const byStub = await countReceived();

  expect([bySpy, byStub]).toEqual([1, 1]);
  expect(globalThis.fetch).toBe(stub);
  globalThis.fetch = intercepting;
});

test("a client or a wait that outlives its test fails with an error that says so", async () => {
  const { mock, runTest } = createRunner();
  let waiting: Promise<unknown> | undefined;
  const { clientOptions, service } = await runTest(() => {
    waiting = mock().waitForRequest({ endpoint: "createPage" });
    return mock();
  });

  await expect(waiting).rejects.toThrow(
    'The test ended before a matching request arrived: waitForRequest({ endpoint: "createPage" })',
  );
  const responses = await runTest(async () => [await list(clientOptions), await list(service, "", { key: null })]);
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
  const { mock, runTest } = createRunner({ ...options, now: () => 0 });
  const run = () =>
    runTest(async () => {
      const { headers } = await list(mock().clientOptions);
      return `${mock().apiKey} ${headers.get("X-Request-Id")}`;
    });

  expect(new Set([await run(), await run()]).size).toBe(count);
});

test("with two mocks at once, the environment's key is refused, and each key reaches its own mock", async () => {
  const [one, two] = [createRunner(), createRunner({ plan: "free" })];

  await one.runTest(() =>
    two.runTest(async () => {
      expect((await listByEnvironment()).body.detail).toContain("mock.clientOptions");
      expect((await listByEnvironment(two.mock().apiKey)).headers.get("X-RateLimit-Limit")).toBe("60");
      expect([one, two].map(({ mock }) => mock().requests().length)).toEqual([0, 1]);
    }),
  );
});

test("in mocha, a mock at the top of a test file is not for the tests of other files, and they do not see its environment", async () => {
  stubEnv(baseUrlName, undefined);
  const currentTest = { pending: false, file: import.meta.filename };
  const { mock, runTest } = createRunner({}, { currentTest, test: { error: () => {} } });
  const isOpen = async () => (await messageOf((async () => mock())())) === "";
  const look = () => runTest(async () => [process.env[baseUrlName] === undefined, await isOpen()]);

  const own = await look();
  currentTest.file = "/tests/other.test.js";
  const other = await look();

  expect([own, other]).toEqual([
    [false, true],
    [true, false],
  ]);
});

test("in node:test without isolation, each file has its own mock, also for clients that read the environment", () => {
  stubEnv(baseUrlName, undefined);
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
const mock = useMockService({ plan: "${plan}" });
test("${plan}", async () => {
  const { ${baseUrlName}: url, ${apiKeyName}: key } = process.env;
  const { headers } = await fetch(url + "/api/content", { headers: { Authorization: "Bearer " + key } });
  assert.equal(headers.get("X-RateLimit-Limit"), "${limit}");
  assert.equal(mock().requests().length, 1);
});
`;
const suiteWithoutMock = `test("no mock", () => assert.equal(process.env.${baseUrlName}, undefined));`;

test("with environment: false neither the environment nor fetch is changed", async () => {
  const { fetch } = globalThis;
  stubEnv(baseUrlName, "https://real.example");
  const { runTest } = createRunner({ safetyNet: { environment: false } });

  const seen = await runTest(() => [globalThis.fetch, process.env[baseUrlName]]);

  expect(seen).toEqual([fetch, "https://real.example"]);
});

test("a wrapper that a test put around the global fetch reaches the original one afterwards", async () => {
  stubEnv(baseUrlName, "https://real.example");
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("fetch", async () => new Response("passed"));
  const { runTest, end } = createRunner();
  let wrapped = fetch;
  await runTest(() => {
    const inner = globalThis.fetch;
    wrapped = (input, init) => inner(input, init);
  });
  end();

  expect(await (await wrapped("https://real.example/api/content")).text()).toBe("passed");
});

const neverFired: unknown = expect.stringContaining("A planned fault never fired");

test.for<[ended: string, currentTest: object, reported: unknown[]]>([
  ["passed", { state: "passed", pending: false }, [neverFired]],
  ["failed by itself", { state: "failed", pending: false }, []],
  ["skipped itself", { pending: true }, []],
])("in mocha only a test that passes is told of its unused fault: one that %s", async ([, currentTest, reported]) => {
  const errors: unknown[] = [];
  const asMocha = { currentTest, test: { error: (error: unknown) => errors.push(error) } };
  const { mock, runTest } = createRunner({}, asMocha);

  await runTest(() => void mock().faults.add({ status: 500 }));

  expect(errors.map(String)).toEqual(reported);
  expect(await runTest(() => mock().requests())).toEqual([]);
});

const stub: typeof fetch = async () => Response.error();

/** The error message of a test; empty if it passed. */
async function messageOf(run: Promise<unknown>): Promise<string> {
  const [ended] = await Promise.allSettled([run]);
  return ended.status === "rejected" ? String(ended.reason.message) : "";
}
