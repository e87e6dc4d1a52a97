// Requests that the service accepts or refuses before they reach one of the five operations.
import { maxBodyBytes, type PageRecordList, type Problem } from "@landing-page-service/contract";
import { expect } from "vitest";
import { createMockService } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { create, send, somePage, test } from "./client.ts";

const nested = (levels: number): string => `{"title":${"[".repeat(levels)}${"]".repeat(levels)}}`;

test.for<[string, Parameters<typeof send>[3]]>([
  ["no key", { key: null }],
  ["a key that opens nothing", { key: "live_123" }],
  ["another scheme", { key: null, headers: { Authorization: "Basic dGVzdA==" } }],
  ["a key with a blank in it", { key: "test_a b" }],
])("a request with %s gets a 401 that shows what keys look like", async ([, options], { service }) => {
  const { status, headers, body } = await send<Problem>(service, "GET", "/api/content", options);

  expect(status).toBe(401);
  expect(headers.get("WWW-Authenticate")).toBe("Bearer");
  expect(body).toMatchObject({
    title: "Unauthorized",
    status: 401,
    detail: expect.stringMatching(/any key that begins with test_/),
  });
});

test.for<[number, string, string, Parameters<typeof send>[3]]>([
  [200, "GET", "/api/content", {}],
  [401, "GET", "/api/content", { key: null }],
  [404, "GET", "/api/pages", {}],
  [404, "DELETE", "/api/content/unknown", {}],
  [405, "PATCH", "/api/content/unknown", {}],
  [413, "POST", "/api/content", { body: " ".repeat(maxBodyBytes + 1) }],
  [413, "DELETE", "/api/content/unknown", { body: " ".repeat(maxBodyBytes + 1) }],
  [415, "POST", "/api/content", { body: "{}", headers: { "Content-Type": "text/plain" } }],
  [200, "GET", "/openapi.json", { key: null }],
])("a response %i to %s %s has the rate limit, the date and a request id", async ([wanted, method, path, options]) => {
  const service = createMockService({ plan: "free", now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) });

  const { status, headers } = await send(service, method, path, options);

  expect(status).toBe(wanted);
  expect(headers.get("X-RateLimit-Limit")).toBe("60");
  expect(headers.get("X-RateLimit-Remaining")).toBe(path === "/openapi.json" ? "60" : "59");
  expect(headers.get("X-RateLimit-Reset")).toBe(String(Date.UTC(2026, 0, 2, 3, 5, 6) / 1000));
  expect(headers.get("Date")).toBe("Fri, 02 Jan 2026 03:04:05 GMT");
  expect(headers.get("X-Request-Id")).toMatch(/^req_\w+$/);
});

test.for<[string, string, string]>([
  ["/api/content", "PATCH", "GET, HEAD, POST, OPTIONS"],
  ["/api/content/some-id", "GET", "PUT, DELETE, OPTIONS"],
  ["/api/analytics/view", "GET", "POST, OPTIONS"],
])(
  "%s refuses %s with 405, and names the allowed methods as OPTIONS does",
  async ([path, method, allow], { service }) => {
    const refused = await send(service, method, path);
    const options = await send(service, "OPTIONS", path);

    expect([refused.status, refused.headers.get("Allow")]).toEqual([405, allow]);
    expect([options.status, options.headers.get("Allow")]).toEqual([204, allow]);
  },
);

test.for(["/api", "/api/content/", "/api/content/a/b", "/API/content", "/api//content"])(
  "there is no endpoint at %s",
  async (path, { service }) => {
    const { status, body } = await send<Problem>(service, "GET", path);

    expect(status).toBe(404);
    expect(body.detail).toContain(`${path} does not exist. The paths are /api/content, /api/content/:id, /api/ana`);
  },
);

test("the base URL describes the service and links to its documents, in process and over HTTP", async ({ service }) => {
  const server = await listen(service);
  const ours = await (await service.fetch(service.baseUrl)).text();

  const home = await fetch(server.url, { headers: { "Sec-Fetch-Site": "cross-site" } });
  const text = await home.text();
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => server.url + path);
  const statuses = await Promise.all(links.map(async (link) => (await fetch(link)).status));
  await server.close();

  expect([home.status, home.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(home.headers.has("X-RateLimit-Limit")).toBe(true);
  expect(text).toBe(ours);
  expect(text).toMatch(/Landing Page Service.*test_.*openapi\.json/s);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test.for<[string, number, object | undefined]>([
  ["__proto__", 404, undefined],
  ["constructor", 404, undefined],
  ["%00", 404, undefined],
  ["..%2f..%2fetc", 404, undefined],
  ["%FF", 400, { pointer: "id", detail: "expected percent-encoded UTF-8" }],
])("a page's id can be any percent-encoded UTF-8: %s gets a %i", async ([id, expected, problem], { service }) => {
  const { status, body } = await send<Problem>(service, "DELETE", `/api/content/${id}`);

  expect([status, body.errors?.[0]]).toEqual([expected, problem]);
});

test("HEAD gets the headers of a GET", async ({ service }) => {
  const get = await send(service, "GET", "/api/content");
  const head = await send(service, "HEAD", "/api/content");

  expect([head.status, head.text, head.headers.get("Content-Length")]).toEqual([200, "", String(get.text.length)]);
});

test.for<[string, string, string]>([
  ["limit=0", "limit", "expected a number of at least 1, got 0"],
  ["limit=+1", "limit", 'expected a whole number, got " 1"'],
  ["limit=1e2", "limit", 'expected a whole number, got "1e2"'],
  ["offset=99999999999999999999", "offset", 'expected a whole number, got "99999999999999999999"'],
  ["limit=1&limit=2", "limit", "expected once, got it again"],
  ["slug=%ff", "slug", "expected percent-encoded UTF-8"],
  ["limt=1", "limt", 'unknown field; did you mean "limit"?'],
  ["__proto__=2", "__proto__", "unknown field; known are limit, offset, slug, domain, q"],
])("the query %s is refused, naming the parameter", async ([query, pointer, detail], { service }) => {
  const { status, body } = await send<Problem>(service, "GET", `/api/content?${query}`);

  expect([status, body.errors]).toEqual([400, [{ pointer, detail }]]);
});

test.for<[number, string, string | Uint8Array, Record<string, string>]>([
  [415, "plain text", "{}", { "Content-Type": "text/plain" }],
  [415, "another charset", "{}", { "Content-Type": "application/json; charset=latin1" }],
  [415, "a compressed body", "{}", { "Content-Encoding": "gzip" }],
  [413, "more than 1 MiB", `"${"x".repeat(maxBodyBytes)}"`, {}],
  [400, "nothing", "", {}],
  [400, "half a JSON text", `{"title":`, {}],
  [400, "a list", "[]", {}],
  [400, "fields of the prototype", `{"__proto__":{"title":"x"},"constructor":1}`, {}],
  [400, "not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), {}],
])(
  "a body is refused with %i when it is %s, and nothing is stored",
  async ([wanted, , sent, headers], { service, account }) => {
    const { status, body } = await send<Problem>(service, "POST", "/api/content", { body: sent, headers });

    expect(status).toBe(wanted);
    expect(body.detail).toBeTypeOf("string");
    expect(account.pages).toEqual([]);
  },
);

test.for([
  [64, 63, "#/title: expected string"],
  [65, 64, "#: expected JSON nested at most 64 levels deep"],
] as const)("a body of %i levels is refused for its content or its depth", async ([, arrays, detail], { service }) => {
  const { body } = await send<Problem>(service, "POST", "/api/content", { body: nested(arrays) });

  expect(body.detail).toContain(detail);
});

test("an endless body is refused after 1 MiB", async ({ service }) => {
  let pieces = 0;
  const body = ReadableStream.from(
    (function* () {
      for (; ; pieces += 1) yield new Uint8Array(64 * 1024);
    })(),
  );

  const headers = { Authorization: "Bearer test_demo", "Content-Type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" as const };
  const { status } = await service.fetch(`${service.baseUrl}/api/content`, init);

  expect(status).toBe(413);
  expect(pieces).toBeLessThan(20);
});

test("every wrong field is named, with the rule it breaks", async ({ service }) => {
  const wrong = {
    title: "",
    contents: "x",
    slug: "Red Shoes",
    metaDescription: "x",
    "a/~b": "x",
    cta: { type: "link", label: 1, url: "javascript:alert(1)", target: "x" },
  };

  const { status, body } = await send<Problem>(service, "POST", "/api/content", { body: wrong });

  expect(status).toBe(400);
  expect(body.detail).toBe('#/title: expected at least 1 character, got "" (and 9 more)');
  expect(body.errors).toEqual([
    { pointer: "#/title", detail: 'expected at least 1 character, got ""' },
    { pointer: "#/content", detail: "is required" },
    {
      pointer: "#/slug",
      detail: expect.stringMatching(/^expected lower-case letters and digits in .*, got "Red Shoes"$/),
    },
    { pointer: "#/cta/type", detail: 'expected "button", got "link"' },
    { pointer: "#/cta/label", detail: "expected string, got 1" },
    { pointer: "#/cta/url", detail: 'expected an absolute http or https URL, got "javascript:alert(1)"' },
    { pointer: "#/cta/target", detail: "unknown field; known are type, label, url" },
    { pointer: "#/contents", detail: 'unknown field; did you mean "content"?' },
    { pointer: "#/metaDescription", detail: 'unknown field; did you mean "meta_description"?' },
    { pointer: "#/a~1~0b", detail: expect.stringContaining("unknown field") },
  ]);
});

test.for<[string, object, string]>([
  ["a day that does not exist", { timestamp: "2026-02-30T00:00:00Z" }, "#/timestamp"],
  ["fractions of a second", { timestamp: "2026-02-03T00:00:00.000Z" }, "#/timestamp"],
  ["another type", { type: "click" }, "#/type"],
  ["nested properties", { properties: { a: { b: 1 } } }, "#/properties/a"],
])("an event with %s is refused", async ([, fields, pointer], { service, account }) => {
  const { id } = await create(service);
  const event = { pageId: id, timestamp: "2026-01-02T03:04:05Z", ...fields };

  const { status, body } = await send<Problem>(service, "POST", "/api/analytics/view", { body: event });

  expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer]);
  expect(account.events).toEqual([]);
});

test("an event is accepted for a page of the account, and for no other", async ({ service }) => {
  const { id } = await create(service);
  const event = { pageId: id, timestamp: "2026-01-02T03:04:05Z", type: "interaction", properties: { button: 1 } };

  const accepted = await send<{ id: string }>(service, "POST", "/api/analytics/view", { body: event });
  const foreign = await send<Problem>(service, "POST", "/api/analytics/view", { key: "test_other", body: event });

  expect(accepted.status).toBe(202);
  expect(accepted.body).toEqual({ id: expect.stringMatching(/^ev_\w{26}$/), pageId: id, timestamp: event.timestamp });
  expect([foreign.status, foreign.body.errors?.[0]?.pointer]).toEqual([404, "#/pageId"]);
  expect(service.account("test_demo").events).toEqual([{ ...event, id: accepted.body.id }]);
});

test("an account keeps its last 10 000 events and counts the others", () => {
  const account = "test_demo";
  const events = Array.from({ length: 10_005 }, (_, second) => ({
    account,
    event: { pageId: "shoes", timestamp: new Date(second * 1000).toISOString().replace(".000", "") },
  }));
  const service = createMockService({ seed: [{ account, page: { ...somePage, id: "shoes" } }, ...events] });

  const { events: kept, droppedEvents } = service.account("test_demo");

  expect([kept.length, droppedEvents, kept[0]?.timestamp]).toEqual([10_000, 5, "1970-01-01T00:00:05Z"]);
});

test("seeded accounts are opened by each of their own keys, and by nothing else", async () => {
  const service = createMockService({ accounts: [{ id: "acme", keys: ["live_one", "live_two"], plan: "pro" }] });
  await create(service, {}, "live_one");

  const seen = await send<PageRecordList>(service, "GET", "/api/content", { key: "live_two" });

  expect([seen.body.total, seen.headers.get("X-RateLimit-Limit")]).toEqual([1, "6000"]);
  expect((await send(service, "GET", "/api/content", { key: "acme" })).status).toBe(401);
});

test("pages of one account sort by their ids, also within a millisecond and when the clock goes back", async () => {
  let nowMs = 0;
  const service = createMockService({ now: () => nowMs });
  const ids: string[] = [];

  for (nowMs of [5000, 5000, 4000, 6000])
    for (let index = 0; index < 10; index += 1) ids.push((await create(service)).id);

  expect([...new Set(ids)].toSorted()).toEqual(ids);
});

test("service.fetch accepts every argument that fetch accepts, and rejects as fetch does", async ({ service }) => {
  const url = new URL(`${service.baseUrl}/api/content`);
  const headers = { Authorization: "bearer test_demo", "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(somePage) };
  const request = new Request(url, { ...init, headers: { ...headers, Authorization: "Bearer test_other" } });

  const responses = await Promise.all([
    service.fetch(url, init),
    service.fetch(url.href, { ...init, body: new Blob([init.body]), redirect: "error" }),
    service.fetch(new Request(request, { headers })),
    service.fetch(new Request(url, { headers }), { method: "POST", body: init.body }),
  ]);

  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(service.account("test_demo").pages).toHaveLength(4);
  await expect(service.fetch(url, { ...init, method: "GET" })).rejects.toThrow(TypeError);
  await expect(service.fetch(url, { ...init, signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
});
