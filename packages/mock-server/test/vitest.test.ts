import { describe, expect, test as plainTest } from "vitest";
import type { MockService } from "../src/index.ts";
import { test, type TestAccount, useMockService } from "../src/vitest.ts";
import { somePage } from "./client.ts";

describe("fifty tests at the same time", { concurrent: true }, () => {
  const keys = new Set<string>();
  const services = new Set<MockService>();

  test.for(Array.from({ length: 50 }, (_, index) => index))(
    "test %i sees only what it did itself",
    async (index, { mock }) => {
      keys.add(mock.apiKey);
      services.add(mock.service);
      const slugs = Array.from({ length: (index % 5) + 1 }, (_, count) => `page-${count}`);
      mock.faults.add({ endpoint: "listPages", status: 500, times: 1 });

      await Promise.all(slugs.map((slug) => call(mock, "POST", "/api/content", { ...somePage, slug })));
      const failed = await call(mock, "GET", "/api/content");
      const listed = await call(mock, "GET", "/api/content?limit=100");

      const { data } = (await listed.json()) as { data: { slug: string }[] }; // what a list answers
      expect(failed.status).toBe(500);
      expect(data.map(({ slug }) => slug).toSorted()).toEqual(slugs);
      expect(mock.pages).toHaveLength(slugs.length);
      expect(mock).toHaveReceived({ endpoint: "createPage", times: slugs.length });
      expect(mock).toHaveReceived({ times: slugs.length + 2 });
      expect(services.size).toBe(keys.size);
    },
  );
});

describe("useMockService", () => {
  const mock = useMockService({ plan: "free" });
  let before: TestAccount;

  plainTest("gives vitest's own tests an account", async () => {
    before = mock();
    await call(mock(), "POST", "/api/content", somePage);

    expect(mock().pages).toHaveLength(1);
    expect(mock().rateLimit).toMatchObject({ limit: 60, remaining: 59 });
  });

  plainTest("gives the next test another one", () => {
    expect(mock().apiKey).not.toBe(before.apiKey);
    expect(mock().service).not.toBe(before.service);
    expect(mock().pages).toEqual([]);
  });
});

describe("several accounts of one test, as with a setup file that has its own", () => {
  const outer = useMockService();
  const inner = useMockService({ plan: "free" });

  plainTest("the environment leads to the last", async () => {
    await sendByEnvironment();

    expect(inner()).toHaveReceived({ endpoint: "listPages", times: 1 });
    expect(outer()).not.toHaveReceived();
  });

  test("also where that is the fixture's", async ({ mock }) => {
    await sendByEnvironment();

    expect(mock).toHaveReceived({ endpoint: "listPages", times: 1 });
    expect(inner()).not.toHaveReceived();
  });
});

test("toHaveReceived compares query, headers and parts of the body", async ({ mock }) => {
  await call(mock, "POST", "/api/content", somePage, { "Idempotency-Key": "once" });
  await call(mock, "GET", "/api/content?limit=5&q=tea%20garden");

  expect(mock).toHaveReceived({ body: { cta: { label: "Buy" } } });
  expect(mock).toHaveReceived({ body: { title: expect.stringContaining("shoes") }, status: 201 });
  expect(mock).toHaveReceived({ headers: { "idempotency-key": "once" } });
  expect(mock).toHaveReceived({ query: { q: "tea garden" } });
  expect(mock).toHaveReceived({ path: /content$/, times: 2 });
  expect(mock).not.toHaveReceived({ body: { title: "Tea" } });
  expect(mock).not.toHaveReceived({ query: { limit: 5 } });
  expect(mock).toHaveReceived({ endpoint: "deletePage", times: 0 });
});

test("a failed expectation lists what came instead, without the key", async ({ mock }) => {
  await call(mock, "GET", "/api/content?limit=0");
  await call(mock, "POST", "/api/content", { slug: "tea" });
  const message = messageOf(() => expect(mock).toHaveReceived({ endpoint: "createPage", body: { slug: "coffee" } }));

  expect(message).toBe(`expected at least one request like { endpoint: "createPage", body: { slug: "coffee" } }, got 0

Nearest: POST /api/content -> 400
  body.slug: expected "coffee", got "tea"

Received requests (2 requests):
  GET /api/content?limit=0 -> 400
  POST /api/content -> 400 {"slug":"tea"}`);
});

test("the nearest miss is the request that differs least, and its fields are named without keys", async ({ mock }) => {
  await call(mock, "POST", "/api/content", { ...somePage, slug: "tea" });
  await call(mock, "POST", "/api/content", {
    ...somePage,
    title: `Shoes ${mock.apiKey}`,
    cta: { ...somePage.cta, label: "Sell" },
  });
  await call(mock, "GET", "/api/content?limit=5");
  const nearest = (expected: object) =>
    /Nearest: ([^]*?)\n\n/.exec(messageOf(() => expect(mock).toHaveReceived(expected)))?.[1]?.split("\n");

  expect(
    nearest({ endpoint: "createPage", body: { title: /shoes/, cta: { label: "Buy" }, slug: "red-shoes" } }),
  ).toEqual(["POST /api/content -> 201", '  body.slug: expected "red-shoes", got "tea"']);
  expect(nearest({ endpoint: "createPage", body: { title: "Shoes", cta: { label: /^S/ } } })).toEqual([
    "POST /api/content -> 201",
    '  body.title: expected "Shoes", got "Shoes [API key]"',
  ]);
  expect(nearest({ method: "get", query: { limit: /0$/, q: "tea" }, headers: { authorization: "none" } })).toEqual([
    "GET /api/content -> 200",
    '  query.limit: expected /0$/, got "5"',
    '  query.q: expected "tea", got undefined',
    '  headers.authorization: expected "none", got "[redacted]"',
  ]);
  expect(nearest({ endpoint: "deletePage", times: 1 })).toEqual([
    "GET /api/content -> 200",
    '  endpoint: expected "deletePage", got "listPages"',
  ]);
  expect(nearest({ endpoint: "listPages", times: 0 })).toBeUndefined();
});

test("the message says how many were expected, and when nothing came at all", async ({ mock }) => {
  expect(messageOf(() => expect(mock).toHaveReceived({ times: 2 }))).toBe(
    "expected 2 requests like {}, got 0\n\nNo requests were received.",
  );

  await call(mock, "GET", "/api/content");

  expect(messageOf(() => expect(mock).not.toHaveReceived({ status: 200 }))).toMatch(
    /^expected no request like { status: 200 }, got 1/,
  );
});

function call(
  { clientOptions: { apiKey, baseUrl, fetch } }: TestAccount,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function sendByEnvironment(): Promise<Response> {
  return fetch(`${process.env["LANDING_PAGES_BASE_URL"]}/api/content`, {
    headers: { Authorization: `Bearer ${process.env["LANDING_PAGES_API_KEY"]}` },
  });
}

function messageOf(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("the assertion passed");
}
