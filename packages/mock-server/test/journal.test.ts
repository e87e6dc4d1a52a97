// Recorded requests, how matches find them, and how tests wait for them.
import { inspect } from "node:util";
import * as fc from "fast-check";
import { expect } from "vitest";
import { assertReceived } from "../src/assert.ts";
import { createMockService, type FaultRule, type MockServiceOptions } from "../src/index.ts";
import { create, list, post, remove, send, somePage, test, track, update } from "./client.ts";

const key = "test_secret_key_0001";

test("an entry has the request, its account and its response", async () => {
  const service = createMockService({ now: () => 5000 });
  const options = { key, body: somePage, headers: { "X-Trace": "t" } };
  const { headers, body, text } = await send(service, "POST", "/api/content?x=1", options);
  await list(service, "", { key: null });

  const [request, anonymous] = service.requests();

  const entry = {
    id: headers.get("X-Request-Id"),
    account: "test_…0001",
    startedAtMs: 5000,
    status: 201,
    pageId: body.id,
    endpoint: "createPage",
    method: "POST",
    path: "/api/content",
    query: "x=1",
    headers: { authorization: "[redacted]", "content-type": "application/json", "x-trace": "t" },
    bodyBytes: JSON.stringify(somePage).length,
    body: JSON.stringify(somePage),
    answer: { status: 201, headers: { Location: `/api/content/${body.id}` }, body: text, durationMs: 0 },
  };
  expect(JSON.parse(JSON.stringify(request))).toMatchObject(entry);
  expect([request?.json(), request?.header("X-Trace")]).toEqual([somePage, "t"]);
  expect([request?.answer.json(), request?.answer.header("x-ratelimit-remaining")]).toEqual([body, "2147483647"]);
  expect([anonymous?.account, anonymous?.status]).toEqual([undefined, 401]);
});

test("a match finds requests by endpoint, method, path, query, status, page and account", async () => {
  const service = createMockService({ dialect: { switches: { "create-status": "200-page" } } });
  const { id } = await create(service);
  await update(service, id, { title: "New" });
  await track(service, id);
  await remove(service, id);
  await remove(service, id, { key: "test_other" });
  await list(service, "?a=1&a=2&b=%20");

  const find = (...[match]: Parameters<typeof service.requests>) => service.requests(match).map(({ method }) => method);

  expect(find({ endpoint: "deletePage", status: 404 })).toEqual(["DELETE"]);
  expect(find({ method: "delete", key: "test_demo" })).toEqual(["DELETE"]);
  expect(find({ path: /^\/api\/content\/pg_/ })).toEqual(["PUT", "DELETE", "DELETE"]);
  expect(find({ path: "/api/content" })).toEqual(["POST", "GET"]);
  expect(find({ pageId: id, key: "test_demo" })).toEqual(["POST", "PUT", "POST", "DELETE"]);
  expect(find({ query: { a: ["1", "2"], b: " " } })).toEqual(["GET"]);
  expect(find({ query: { a: [1, 2] }, headers: { authorization: /^Bearer/, "x-none": undefined } })).toEqual(["GET"]);
  expect(find({ query: { a: "1" } })).toEqual([]);
  expect(find()).toEqual(["POST", "PUT", "POST", "DELETE", "DELETE", "GET"]);
  expect(service.account("test_other").requests()).toHaveLength(1);
});

/** Whether a match on one body finds a request with another body. */
async function finds(body: object, expected: unknown): Promise<boolean> {
  const service = createMockService();
  await post(service, { body });
  return service.requests({ body: expected }).length === 1;
}

/** The same value without some fields of its objects, at every level. */
function partOf(value: unknown, keep: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => partOf(item, keep));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(() => keep());
  return Object.fromEntries(fields.map(([name, field]) => [name, partOf(field, keep)]));
}

test("a body is found by itself, by any part of it, and by patterns in place of its values", async () => {
  const bodies = fc.record({ value: fc.jsonValue({ maxDepth: 4 }) });
  await fc.assert(
    fc.asyncProperty(bodies, fc.infiniteStream(fc.boolean()), async (sent, choices) => {
      const part = partOf(sent, () => choices.next().value);

      expect(await finds(sent, sent)).toBe(true);
      expect(await finds(sent, part)).toBe(true);
      expect(await finds(sent, { value: expect.anything() })).toBe(sent.value !== null);
      expect(await finds(sent, { value: sent.value, another: 1 })).toBe(false);
    }),
  );
});

test.for<[unknown, boolean]>([
  [{ cta: { label: /^B/ } }, true],
  [{ title: expect.stringContaining("shoes") }, true],
  [{ cta: expect.objectContaining({ type: expect.any(String) }) }, true],
  [{ meta_description: undefined }, false],
  [{ cta: [] }, false],
  [{ tags: ["a", /b/] }, true],
  [{ tags: ["a"] }, false],
  [{ constructor: expect.anything() }, false],
])("a page's body against %j: %s", async ([expected, isFound]) => {
  expect(await finds({ ...somePage, tags: ["a", "b"] }, expected)).toBe(isFound);
});

test("a key is shown nowhere: not in a path, a query, a body, another header, nor in the response", async () => {
  const service = createMockService({ accounts: [{ id: "acme", keys: ["live_secret"] }] });
  service.faults.add({ status: 400, headers: { "X-Echo": key }, body: { echo: key }, times: 1 });
  const path = `/api/${key}?api_key=other&x=${key}`;
  const headersWithKeys = { "X-Mine": key, Cookie: "session=other" };
  await send(service, "POST", path, { key, body: { note: `key ${key}` }, headers: headersWithKeys });
  await list(service, "", { key: "live_secret", headers: { "X-Api-Key": "live_secret" } });

  const requests = service.requests();

  expect(inspect(requests, { depth: 9 }) + JSON.stringify(requests)).not.toMatch(/secret|=other/);
  expect(requests.map(({ account }) => account)).toEqual(["test_…0001", "acme"]);
  expect(service.requests({ body: { note: `key ${key}` } })).toHaveLength(1);
});

test("the journal keeps 1 000 requests and 64 KiB of a body, and counts the rest", async ({ service, account }) => {
  const content = "x".repeat(100_000);
  for (let index = 0; index < 25; index += 1) await send(service, "GET", `/nowhere/${index}`);
  const wrong = { title: 1, content: "x".repeat(3_500) };
  for (let index = 0; index < 1_200; index += 1) await post(service, { body: wrong });
  await post(service, { body: "x".repeat(64 * 1024) });
  const coming = account.waitForRequest({ body: { content, title: "End" } });
  await create(service, { content, title: "End" });

  const requests = account.requests();
  const last = requests.at(-1);

  expect(account.requests({ body: /^x+$/ })).toHaveLength(1);
  expect([requests.length, account.forgottenRequests]).toEqual([1000, 227]);
  expect(requests.filter(({ isBodyCut }) => isBodyCut)).toEqual([last]);
  expect(last).toMatchObject({ isBodyCut: true, body: expect.stringMatching(/^.{65536}$/) });
  expect(last?.bodyBytes).toBeGreaterThan(content.length);
  // A wait matches the whole body.
  expect(await coming).toBe(last);
  expect(() => assertReceived(account, { endpoint: "deletePage", times: 0 })).toThrow(
    /^expected 0 requests like {.*}, but the journal cannot tell\n227 requests came before and are forgotten.*the last 20 of them.* -> 201 /s,
  );
  expect(account.unhandledRequests).toHaveLength(20);
  expect(account.unhandledRequests[0]).toMatchObject({ path: "/nowhere/0", status: 404 });
});

test("the journal keeps 4 MiB of an account's bodies, and drops the oldest", async ({ service, account }) => {
  const wrong = { title: 1, content: "x".repeat(60_000) };
  const find = (slug: string) => account.requests({ body: { slug } });
  await create(service, { slug: "page-0" });
  account.requests();
  for (let index = 1; index < 80; index += 1) await post(service, { body: { ...wrong, slug: `page-${index}` } });

  const [first, second] = account.requests({ times: 1 });

  expect(first).toMatchObject({ isBodyCut: true, body: "", status: 201, pageId: account.pages[0]?.id });
  expect([first?.answer, second]).toMatchObject([{ isBodyCut: true, body: "" }, undefined]);
  expect(find("page-79")[0]?.json()).toEqual({ ...wrong, slug: "page-79" });
  // 69 of these bodies are as long as 4 MiB.
  expect([find("page-8"), find("page-12")].map(({ length }) => length)).toEqual([0, 1]);
});

test("an assertion about a body of more than 64 KiB fails, because it cannot be compared", async ({ service }) => {
  await create(service, { content: "x".repeat(70_000) });

  expect(() => assertReceived(service, { body: { title: "Other" }, times: 0 })).toThrow(
    "1 request cannot be compared: the journal keeps 64 KiB of a body, and 4 MiB of all",
  );
});

test("each of two waits gets its own next request", async ({ service, account }) => {
  await create(service, { slug: "before" });
  const waits = [account.waitForRequest(), service.waitForRequest({ method: "post" })];
  for (const slug of ["first", "second"]) await create(service, { slug });

  const requests = await Promise.all(waits);

  expect(requests.map((request) => request.json())).toMatchObject([{ slug: "first" }, { slug: "second" }]);
});

test("a wait for several requests counts earlier ones too, but none that another wait got", async ({
  service,
  account,
}) => {
  const { waitForRequest } = account;
  await create(service, { slug: "one" });
  await expect(waitForRequest({ times: 2 }, { timeoutMs: 0 })).rejects.toThrow("Fewer than 2 matching requests");
  await create(service, { slug: "two" });
  const [one] = await waitForRequest({ endpoint: "createPage", times: 1 });
  const pending = waitForRequest({ endpoint: "createPage", times: 2 });
  await create(service, { slug: "other" }, "test_other");
  await create(service, { slug: "three" });

  const slugs = [one, ...(await pending)].map((request) => request?.json());

  expect(slugs).toMatchObject([{ slug: "one" }, { slug: "two" }, { slug: "three" }]);
});

test("a wait ends with the reset of its account and no other, its timeout and its signal", async ({ service }) => {
  const [one, other] = [service.account("test_one"), service.account("test_other")];
  const [ended, pending] = [one.waitForRequest(), other.waitForRequest()];
  one.reset();
  await create(service, {}, "test_other");
  one.reset();
  expect(other.requests()).toHaveLength(1);
  const last = other.waitForRequest();
  service.reset();
  const signal = AbortSignal.abort(new Error("enough"));

  await expect(ended).rejects.toThrow("The account was reset before a matching request arrived: waitForRequest(");
  expect((await pending).status).toBe(201);
  await expect(last).rejects.toThrow("The service was reset before a matching request arrived");
  await create(service, {}, "test_one");
  await expect(one.waitForRequest({ method: "PUT" }, { timeoutMs: 0 })).rejects.toThrow(
    /^No matching request arrived within 0 ms: waitForRequest\({ method: "PUT" }\)\nReceived.*\n {2}POST \/api/,
  );
  await expect(one.waitForRequest({}, { signal })).rejects.toThrow("enough");
});

test("a listener gets matches until removed; if it throws, only the request fails", async ({ service }) => {
  const heard: unknown[] = [];
  const removeRequests = service.onRequest(({ method }) => heard.push(method), { method: "POST", key });
  const removeResets = service.onReset(() => heard.push("reset"));
  const removeFailing = service.onRequest(() => {
    throw new Error("from the listener");
  });

  await expect(create(service, {}, key)).rejects.toThrow("from the listener");
  removeFailing();
  await create(service);
  await list(service, "", { key });
  service.account(key).reset();
  removeRequests();
  removeResets();
  await create(service, {}, key);
  service.account(key).reset();

  expect(heard).toEqual(["POST", "reset"]);
});

const untilAborted: NonNullable<MockServiceOptions["sleep"]> = (_delayMs, signal) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve()));

test.for<[string, MockServiceOptions, FaultRule | undefined, pages: number]>([
  ["by the latency", { latencyMs: 1 }, undefined, 0],
  ["by a fault before the work", {}, { delayMs: 1 }, 0],
  ["by a fault after the work", {}, { delayMs: 1, when: "after" }, 1],
])("a request whose caller disconnects while it is delayed %s has no status", async ([, options, rule, pages]) => {
  const service = createMockService({ ...options, sleep: untilAborted });
  const mock = service.account("test_gone");
  if (rule !== undefined) mock.faults.add(rule);
  const caller = new AbortController();
  const waited = mock.waitForRequest({ endpoint: "createPage" });

  const call = post(service, { key: "test_gone", signal: caller.signal });
  caller.abort(new Error("enough"));

  await expect(call).rejects.toThrow("enough");
  const [request] = mock.requests({ endpoint: "createPage" });
  expect(request).toBe(await waited);
  expect(request).toMatchObject({ status: undefined, answer: { status: undefined, body: "", headers: {} } });
  expect(mock.pages).toHaveLength(pages);
  expect(() => assertReceived(mock, { status: 201 })).toThrow(/no response: the caller disconnected/);
});
