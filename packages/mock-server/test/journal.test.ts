import { inspect } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { assertReceived } from "../src/assert.ts";
import { createMockService, type FaultRule, type MockServiceOptions } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { create, send, somePage } from "./client.ts";

const key = "test_secret_key_0001";

test("the journal has each request, its account and its response", async () => {
  const service = createMockService({ now: () => 5000 });
  const { headers, body, text } = await send(service, "POST", "/api/content?x=1", {
    key,
    body: somePage,
    headers: { "X-Trace": "t" },
  });
  await send(service, "GET", "/api/content", { key: null });

  const [request, anonymous] = service.requests();

  expect(request?.toJSON()).toEqual({
    id: headers.get("X-Request-Id"),
    account: "test_…0001",
    endpoint: "createPage",
    method: "POST",
    path: "/api/content",
    query: "x=1",
    status: 201,
    startedAtMs: 5000,
    pageId: request?.pageId,
    headers: { authorization: "[redacted]", "content-type": "application/json", "x-trace": "t" },
    bodyBytes: JSON.stringify(somePage).length,
    body: JSON.stringify(somePage),
    answer: {
      status: 201,
      headers: expect.objectContaining({ Location: `/api/content/${body.id}` }),
      body: text,
      durationMs: 0,
    },
  });
  expect(request?.pageId).toBe(body.id);
  expect(request?.answer.json()).toEqual(body);
  expect(request?.answer.header("x-ratelimit-limit")).toBe("2147483647");
  expect(request?.json()).toEqual(somePage);
  expect(request?.header("x-trace")).toBe("t");
  expect([anonymous?.account, anonymous?.status]).toEqual([undefined, 401]);
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

test("the journal has headers and body as they came, whatever bytes, also when the caller changes its own later", async () => {
  const sent = fc.dictionary(fc.stringMatching(/^x-[a-z]{1,3}$/), fc.stringMatching(/^[!-~]{0,9}$/), { maxKeys: 6 });
  await fc.assert(
    fc.asyncProperty(sent, fc.uint8Array({ maxLength: 200 }), fc.nat(20), async (before, bytes, start) => {
      const service = createMockService();
      const headers = new Headers({ ...before, Authorization: `Bearer ${key}` });
      const body = bytes.subarray(start);
      const text = new TextDecoder().decode(body);
      await service.handle({ method: "POST", path: "/api/content", query: "", headers, body });
      bytes.fill(0x2a);
      for (const name of Object.keys(before)) headers.set(name, "changed");

      const [request] = service.requests({ headers: before });

      expect(request).toMatchObject({ body: text, bodyBytes: body.length });
      expect(request?.headers).toEqual({ ...before, authorization: "[redacted]" });
    }),
  );
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

test("a wait is given the next request to come, and no two waits the same", async () => {
  const service = createMockService();
  const account = service.account("test_demo");
  await create(service, { slug: "before" });
  const waits = [account.waitForRequest({ endpoint: "createPage" }), service.waitForRequest({ method: "post" })];
  await create(service, { slug: "first" });
  await create(service, { slug: "second" });

  const [first, second] = await Promise.all(waits);

  expect([first?.json(), second?.json()]).toMatchObject([{ slug: "first" }, { slug: "second" }]);
});

test("a wait for so many counts what has come already, and never what another wait was given", async () => {
  const service = createMockService();
  const { waitForRequest } = service.account("test_demo");
  await create(service, { slug: "one" });
  const [one] = await waitForRequest({ endpoint: "createPage", times: 1 });
  const pending = waitForRequest({ endpoint: "createPage", times: 2 });
  await create(service, { slug: "other" }, "test_other");
  await create(service, { slug: "two" });
  await create(service, { slug: "three" });

  const slugs = [one, ...(await pending)].map((request) => request?.json());

  expect(slugs).toMatchObject([{ slug: "one" }, { slug: "two" }, { slug: "three" }]);
});

test("a wait that gives up leaves what it had to the next", async () => {
  const service = createMockService();
  const { waitForRequest } = service.account("test_demo");
  await send(service, "GET", "/api/content");
  const caller = new AbortController();
  const impatient = waitForRequest({ times: 2 }, { signal: caller.signal });
  caller.abort(new Error("enough"));

  await expect(impatient).rejects.toThrow("enough");
  expect(await waitForRequest({ times: 1 })).toHaveLength(1);
});

test("a wait sees the whole body of a request, also what the journal does not keep", async () => {
  const service = createMockService();
  const content = "x".repeat(100_000);
  const coming = service.waitForRequest({ body: { content, title: "End" } });
  await create(service, { content, title: "End" });

  expect((await coming).isBodyCut).toBe(true);
});

test("a wait ends with its account's reset, and not with another's", async () => {
  const service = createMockService();
  const [one, other] = [service.account("test_one"), service.account("test_other")];
  const ended = one.waitForRequest();
  const goesOn = other.waitForRequest();
  one.reset();
  await create(service, {}, "test_other");

  await expect(ended).rejects.toThrow("The account was reset before what waitForRequest(");
  expect((await goesOn).status).toBe(201);
});

test("a key shows nowhere: not in a query, a body, another header, nor in the response", async () => {
  const service = createMockService({ accounts: [{ id: "acme", keys: ["live_secret"] }] });
  service.faults.add({ status: 400, headers: { "X-Echo": key }, body: { echo: key }, times: 1 });
  const path = `/api/${key}?api_key=other&x=${key}`;
  await send(service, "POST", path, { key, body: { note: `key ${key}` }, headers: { "X-Mine": key } });
  await send(service, "GET", "/api/content", { key: "live_secret", headers: { "X-Api-Key": "live_secret" } });

  const requests = service.requests();
  const headers = requests.flatMap((request) => [request.header("authorization"), request.header("x-api-key")]);
  const shown = [inspect(requests, { depth: 9 }), JSON.stringify(requests), ...headers].join();

  expect(shown).not.toMatch(/secret|=other/);
  expect(requests.map(({ account }) => account)).toEqual(["test_…0001", "acme"]);
  expect(service.requests({ body: { note: `key ${key}` } })).toHaveLength(1);
});

test("requests are found by the page they are about", async () => {
  const service = createMockService({ dialect: { switches: { "create-status": "200-page" } } });
  const { id } = await create(service);
  await send(service, "PUT", `/api/content/${id}`, { body: { title: "New" } });
  await send(service, "POST", "/api/analytics/view", { body: { pageId: id, timestamp: "2026-01-01T00:00:00Z" } });
  await send(service, "DELETE", `/api/content/${id}`);
  await create(service);

  const endpoints = service.requests({ pageId: id }).map(({ endpoint }) => endpoint);

  expect(endpoints).toEqual(["createPage", "updatePage", "trackEvent", "deletePage"]);
});

test("a wait ends with its time or its signal", async () => {
  const service = createMockService();
  const signal = AbortSignal.abort(new Error("enough"));

  await expect(service.waitForRequest({ status: 500 }, { timeoutMs: 0 })).rejects.toThrow(
    "No matching request came within 0 ms",
  );
  await expect(service.waitForRequest({ status: 500 }, { signal })).rejects.toThrow("enough");
  for (const timeoutMs of [Number.POSITIVE_INFINITY, Number.NaN, -1, 2 ** 31])
    await expect(service.waitForRequest({}, { timeoutMs })).rejects.toThrow("timeoutMs: expected 0 to 2147483647");
});

const never: NonNullable<MockServiceOptions["sleep"]> = (_delayMs, signal) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve()));

describe("a request whose caller goes away while it is held back", () => {
  const holds: [string, MockServiceOptions, FaultRule | undefined, number][] = [
    ["by the latency", { latencyMs: 1, sleep: never }, undefined, 0],
    ["by a fault, before", { sleep: never }, { delayMs: 1 }, 0],
    ["by a fault, after", { sleep: never }, { delayMs: 1, when: "after" }, 1],
  ];

  test.each(holds)("%s, stands in the journal without a status", async (_name, options, rule, made) => {
    const service = createMockService(options);
    const mock = service.account("test_gone");
    if (rule !== undefined) mock.faults.add(rule);
    const caller = new AbortController();
    const waited = mock.waitForRequest({ endpoint: "createPage" });

    const call = send(service, "POST", "/api/content", { body: somePage, key: "test_gone", signal: caller.signal });
    caller.abort(new Error("enough"));

    await expect(call).rejects.toThrow("enough");
    const [request] = mock.requests({ endpoint: "createPage" });
    expect(request).toBe(await waited);
    expect(request).toMatchObject({ status: undefined, answer: { status: undefined, body: "", headers: {} } });
    expect(mock.requests({ status: 201 })).toEqual([]);
    expect([mock.pages.length, mock.unhandledRequests]).toEqual([made, []]);
    expect(() => assertReceived(mock, { status: 201 })).toThrow(/no response: the caller went away/);
  });

  test("does so over a socket, too", async () => {
    const service = createMockService({ latencyMs: 1, sleep: never });
    const server = await listen(service, { control: true });
    const begun = new AbortController();
    const waited = service.waitForRequest({ endpoint: "listPages" });
    const headers = { Authorization: "Bearer test_gone" };

    const call = fetch(`${server.url}/api/content`, { headers, signal: begun.signal });
    await vi.waitUntil(() => service.listAccounts().some(({ account }) => account === "test_gone"));
    begun.abort();
    await expect(call).rejects.toThrow("aborted");
    const { status } = await waited;
    const told = await fetch(`${server.url}/__mock/requests?key=test_gone`);
    await server.close();

    expect(status).toBeUndefined();
    expect(await told.json()).toMatchObject({ data: [{ endpoint: "listPages", answer: { headers: {}, body: "" } }] });
  });
});

test("the journal keeps 4 MiB of bodies for an account, and leaves out those of its oldest requests", async () => {
  const service = createMockService();
  const account = service.account("test_demo");
  const content = "x".repeat(60_000);
  for (let index = 0; index < 60; index += 1) await create(service, { slug: `page-${index}`, content });

  const requests = account.requests();

  expect(requests).toHaveLength(60);
  expect(requests[0]).toMatchObject({ isBodyCut: true, body: "", status: 201, pageId: account.pages[0]?.id });
  expect(requests[0]?.answer).toMatchObject({ isBodyCut: true, body: "" });
  expect(JSON.stringify(requests[0])).toContain('"isBodyCut":true');
  expect(requests.at(-1)?.json()).toMatchObject({ slug: "page-59", content });
  const size = requests.reduce((sum, { body, answer }) => sum + body.length + answer.body.length, 0);
  expect(size).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(requests.filter(({ isBodyCut }) => !isBodyCut).length).toBeGreaterThan(30);
  expect(() => assertReceived(account, { body: { slug: "page-0" } })).toThrow(
    "cannot be compared: the journal keeps 64 KiB of a body, and 4 MiB of all",
  );
});
