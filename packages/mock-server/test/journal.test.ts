import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";

const key = "test_secret_key_0001";

test("the journal tells what came, from whom, and how it was answered", async () => {
  const service = createMockService({ now: () => 5000 });
  const { headers } = await send(service, "POST", "/api/content?x=1", {
    key,
    body: somePage,
    headers: { "X-Trace": "t" },
  });
  await send(service, "GET", "/api/content", { key: null });

  const [request, stranger] = service.requests();

  expect(request?.toJSON()).toEqual({
    id: headers.get("X-Request-Id"),
    account: "test_…0001",
    endpoint: "createPage",
    method: "POST",
    path: "/api/content",
    query: "x=1",
    status: 201,
    startedAtMs: 5000,
    bodyBytes: JSON.stringify(somePage).length,
    body: JSON.stringify(somePage),
  });
  expect(request?.json()).toEqual(somePage);
  expect(request?.header("x-trace")).toBe("t");
  expect([stranger?.account, stranger?.status]).toEqual([undefined, 401]);
});

test("no way of looking at the journal shows a key", async () => {
  const service = createMockService({ accounts: [{ id: "acme", keys: ["live_secret"] }] });
  await send(service, "GET", "/api/content", { key });
  await send(service, "GET", "/api/content", { key: "live_secret", headers: { "X-Api-Key": "live_secret" } });

  const requests = service.requests();

  const shown = [
    inspect(requests, { depth: 9 }),
    JSON.stringify(requests),
    ...requests.map((request) => request.header("authorization")),
    ...requests.map((request) => request.header("x-api-key")),
  ];
  expect(shown.join()).not.toContain("secret");
  expect(requests.map(({ account }) => account)).toEqual(["test_…0001", "acme"]);
});

test("requests are found by what is known of them", async () => {
  const service = createMockService();
  const { id } = await create(service);
  await send(service, "DELETE", `/api/content/${id}`);
  await send(service, "DELETE", `/api/content/${id}`, { key: "test_other" });

  expect(service.requests({ endpoint: "deletePage", status: 404 })).toHaveLength(1);
  expect(service.requests({ method: "DELETE", key: "test_demo" })).toHaveLength(1);
  expect(service.requests({ path: /^\/api\/content\/pg_/ })).toHaveLength(2);
  expect(service.requests({ path: "/api/content" })).toHaveLength(1);
  expect(service.account("test_other").requests()).toHaveLength(1);
});

test.each([
  [{ endpiont: "createPage" }, /requests: unknown option "endpiont"; did you mean "endpoint"\?/],
  [
    { endpoint: "createPages" },
    /requests: endpoint: expected an endpoint, got "createPages"; did you mean "createPage"\?/,
  ],
  [{ method: 5 }, /requests: method: expected/],
  [{ path: {} }, /requests: path: expected a text or a pattern/],
  [{ status: "200" }, /requests: status: expected 100 to 599, got "200"/],
  [{ times: -1 }, /requests: times: expected 0 or more/],
  [{ headers: "x" }, /requests: headers: expected an object/],
  [null, /requests: expected an object, got null/],
])("a match that could mean nothing is refused: %j", (match, message) => {
  const service = createMockService();

  // why: matches come from JavaScript too, where no compiler looks at them
  expect(() => service.requests(match as object)).toThrow(message);
});

test("the journal keeps the last 1 000 requests, and 64 KiB of a body", async () => {
  const service = createMockService();
  const content = "x".repeat(100_000);
  for (let index = 0; index < 1000; index += 1) await send(service, "GET", "/api/content");
  await send(service, "POST", "/api/content", { body: { ...somePage, content } });

  const requests = service.requests();

  expect([requests.length, requests.at(-1)?.body.length]).toEqual([1000, 64 * 1024]);
  expect(requests.at(-1)?.bodyBytes).toBeGreaterThan(content.length);
});

test("what is kept of a long body is a copy, so that the rest of it can be let go", async () => {
  const service = createMockService();
  const headers = new Headers({ Authorization: `Bearer ${key}` });
  const body = Buffer.alloc(64 * 1024 + 1, "a");
  await service.handle({ method: "POST", path: "/api/content", query: "", headers, body });

  body.fill("b");

  expect(service.requests()[0]?.body).toBe("a".repeat(64 * 1024));
});

test("a test waits for a request, whether it has come already or is to come", async () => {
  const service = createMockService();
  const coming = service.waitForRequest({ endpoint: "createPage", key: "test_late" });
  await create(service);
  const known = await service.waitForRequest({ endpoint: "createPage" });
  await create(service, {}, "test_late");

  expect((await coming).status).toBe(201);
  expect(known).toBe(service.requests()[0]);
});

test.each([Number.POSITIVE_INFINITY, Number.NaN, -1, 2 ** 31])(
  "a wait of %d ms is refused: no timer can do it",
  async (timeoutMs) => {
    const service = createMockService();

    await expect(service.waitForRequest({}, { timeoutMs })).rejects.toThrow("timeoutMs: expected 0 to 2147483647");
  },
);

test("a wait ends with its time or its signal", async () => {
  const service = createMockService();
  const signal = AbortSignal.abort(new Error("enough"));

  await expect(service.waitForRequest({ status: 500 }, { timeoutMs: 0 })).rejects.toThrow(
    "No matching request came within 0 ms",
  );
  await expect(service.waitForRequest({ status: 500 }, { signal })).rejects.toThrow("enough");
});
