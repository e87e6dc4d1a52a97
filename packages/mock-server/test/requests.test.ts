// Requests that the service accepts or refuses before they reach one of the five operations.
import { maxBodyBytes } from "@landing-page-service/contract";
import { expect, onTestFinished, vi } from "vitest";
import { DomainNetwork } from "../src/domains/network.ts";
import { createMockService } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { create, list, post, send, somePage, test, track } from "./client.ts";

const now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5, 678);
/** The headers of every response. */
const always = {
  "x-ratelimit-limit": "60",
  "x-ratelimit-remaining": "59",
  "x-ratelimit-reset": String(Date.UTC(2026, 0, 2, 3, 5, 6) / 1000),
  date: "Fri, 02 Jan 2026 03:04:05 GMT",
  "x-request-id": expect.stringMatching(/^req_\w+$/),
};

const counted = Object.entries({ "/api/content": "59", "/openapi.json": "60" });

test.for(counted)("the response to GET %s has the date, an id and a rate limit of %s", async ([path, remaining]) => {
  const { status, headers } = await send(createMockService({ plan: "free", now }), "GET", path);

  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({ ...always, "x-ratelimit-remaining": remaining });
});

test.for<[string, string, string]>([
  ["/api/content", "PATCH", "GET, HEAD, POST, OPTIONS"],
  ["/api/content/some-id", "GET", "PUT, DELETE, OPTIONS"],
  ["/api/analytics/view", "GET", "POST, OPTIONS"],
])("%s refuses %s with 405 and the methods that OPTIONS names", async ([path, method, allow], { service }) => {
  const responses = [await send(service, method, path), await send(service, "OPTIONS", path)];

  expect(responses.map(({ status, headers }) => [status, headers.get("Allow")])).toEqual([
    [405, allow],
    [204, allow],
  ]);
});

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

test("HEAD gets the headers of a GET", async ({ service }) => {
  const get = await list(service);
  const head = await send(service, "HEAD", "/api/content");

  expect([head.status, head.text, head.headers.get("Content-Length")]).toEqual([200, "", String(get.text.length)]);
  expect(service.requests({ endpoint: "listPages", method: "HEAD" })).toHaveLength(1);
});

type Options = NonNullable<Parameters<typeof send>[3]>;
const pages = "/api/content";
const views = "/api/analytics/view";
const typed = (type: string, body = "{}"): Options => ({ body, headers: { "Content-Type": type } });
const event = (fields: object): Options => {
  return { body: { pageId: "shoes", timestamp: "2026-01-02T03:04:05Z", ...fields } };
};
const nested = (arrays: number): Options => ({ body: `{"title":${"[".repeat(arrays)}${"]".repeat(arrays)}}` });
const tooLarge = { body: " ".repeat(maxBodyBytes + 1) };
const binary = { body: new Uint8Array([0x7b, 0xff]) };
const basic = { headers: { Authorization: "Basic dGVzdA==" } };
const gzipped = { body: "{}", headers: { "Content-Encoding": "gzip" } };

test.for<[what: string, status: number, call: string, detail: string, options?: Options]>([
  ["no key", 401, `GET ${pages}`, "any key that begins with test_", { key: null }],
  ["a key that opens nothing", 401, "GET /nowhere", "any key that begins with test_", { key: "live_123" }],
  ["another scheme", 401, `GET ${pages}`, "expected Authorization: Bearer", basic],
  ["a key with a blank in it", 401, `GET ${pages}`, "expected Authorization: Bearer", { key: "test_a b" }],
  ["half a path", 404, "GET /api", "/api does not exist. The paths are /api/content, /api/content/:id, /api/ana"],
  ["a slash at the end", 404, `GET ${pages}/`, "/api/content/ does not exist."],
  ["a double slash", 404, "GET /api//content", "/api//content does not exist."],
  ["the prototype as id", 404, `DELETE ${pages}/__proto__`, 'no page "__proto__"'],
  ["a null byte as id", 404, `DELETE ${pages}/%00`, 'no page "\\u0000"'],
  ["a path as id", 404, `DELETE ${pages}/..%2f..%2fetc`, 'no page "../../etc"'],
  ["an id that is not UTF-8", 400, `DELETE ${pages}/%FF`, "id: expected percent-encoded UTF-8"],
  ["a limit of 0", 400, `GET ${pages}?limit=0`, "limit: expected a number of at least 1, got 0"],
  ["a plus in a number", 400, `GET ${pages}?limit=+1`, 'limit: expected a whole number, got " 1"'],
  ["a huge offset", 400, `GET ${pages}?offset=${"9".repeat(20)}`, 'offset: expected a whole number, got "99999999999'],
  ["a repeated parameter", 400, `GET ${pages}?limit=1&limit=2`, "limit: expected once, got it again"],
  ["a misspelt parameter", 400, `GET ${pages}?limt=1`, 'limt: unknown field; did you mean "limit"?'],
  ["a parameter that is not UTF-8", 400, `GET ${pages}?q=%FF`, "q: expected percent-encoded UTF-8"],
  ["lines of JSON", 415, `POST ${pages}`, 'got "application/jsonl".', typed("application/jsonl", tooLarge.body)],
  ["another charset", 415, `POST ${pages}`, "latin1", typed("application/json; charset=latin1")],
  ["a compressed body", 415, `POST ${pages}`, 'expected none, got "gzip"', gzipped],
  ["more than 1 MiB", 413, `POST ${pages}`, "The body is larger than 1048576 bytes.", tooLarge],
  ["too much to delete", 413, `DELETE ${pages}/any`, "The body is larger than", tooLarge],
  ["an empty body", 400, `POST ${pages}`, "#: expected a JSON object, got nothing", { body: "" }],
  ["half a JSON text", 400, `POST ${pages}`, "#: is not JSON: Unexpected end", { body: '{"title":' }],
  ["a list", 400, `POST ${pages}`, "#: expected object, got an array", { body: "[]" }],
  ["the prototype as a field", 400, `POST ${pages}`, "#/title: is required", { body: '{"__proto__":{"title":"x"}}' }],
  ["bytes that are not UTF-8", 400, `POST ${pages}`, "#: expected JSON in UTF-8", binary],
  ["64 levels, for its content", 400, `POST ${pages}`, "#/title: expected string", nested(63)],
  ["65 levels, for its depth", 400, `POST ${pages}`, "#: expected JSON nested at most 64 levels deep", nested(64)],
  ["no such day", 400, `POST ${views}`, "#/timestamp: ", event({ timestamp: "2026-02-30T00:00:00Z" })],
  ["milliseconds", 400, `POST ${views}`, "#/timestamp: ", event({ timestamp: "2026-02-03T00:00:00.000Z" })],
  ["nested properties", 400, `POST ${views}`, "#/properties/a: ", event({ properties: { a: { b: 1 } } })],
])("a request with %s is refused with %i, and nothing is stored", async ([, wanted, call, detail, options]) => {
  const seed = [{ account: "test_demo", page: { ...somePage, id: "shoes" } }];
  const service = createMockService({ plan: "free", now, seed });
  const before = service.snapshot();
  const [method = "", path = ""] = call.split(" ");

  const { status, headers, body } = await send(service, method, path, options);

  expect([status, headers.get("WWW-Authenticate")]).toEqual([wanted, wanted === 401 ? "Bearer" : null]);
  expect(Object.fromEntries(headers)).toMatchObject(always);
  expect(body).toMatchObject({ status: wanted, detail: expect.stringContaining(detail) });
  expect(body.errors?.[0]?.pointer).toBe(wanted === 400 ? detail.split(": ")[0] : undefined);
  expect(service.snapshot()).toEqual(before);
});

test("an endless body is refused after 1 MiB", async ({ service }) => {
  let pieces = 0;
  const body = new ReadableStream({
    pull(stream) {
      pieces += 1;
      stream.enqueue(new Uint8Array(64 * 1024));
    },
  });
  const headers = { Authorization: "Bearer test_demo", "Content-Type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" as const };
  const { status } = await service.fetch(`${service.baseUrl}/api/content`, init);

  expect(status).toBe(413);
  expect(pieces).toBeLessThan(20);
});

test("every wrong field is named, with the rule it breaks", async ({ service }) => {
  const cta = { type: "link", label: 1, url: "javascript:alert(1)", target: "x" };

  const { status, body } = await post(service, {
    body: { title: "", contents: "x", slug: "Red Shoes", "a/~b": "x", cta },
  });

  expect([status, body.detail]).toEqual([400, '#/title: expected at least 1 character, got "" (and 8 more)']);
  expect(body.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`)).toEqual([
    '#/title expected at least 1 character, got ""',
    "#/content is required",
    expect.stringMatching(/^#\/slug expected lower-case letters .*, got "Red Shoes"$/),
    '#/cta/type expected "button", got "link"',
    "#/cta/label expected string, got 1",
    '#/cta/url expected an absolute http or https URL, got "javascript:alert(1)"',
    "#/cta/target unknown field; known are type, label, url",
    '#/contents unknown field; did you mean "content"?',
    expect.stringContaining("#/a~1~0b unknown field"),
  ]);
});

test("an event is accepted for a page of the account, and for no other", async ({ service, account }) => {
  const { id: pageId } = await create(service);
  const details = { type: "interaction", properties: { button: 1 } };

  const { status, body } = await track(service, pageId, details);
  const foreign = await track(service, pageId, details, { key: "test_other" });

  const receipt = { id: expect.stringMatching(/^ev_\w{26}$/), pageId, timestamp: "2026-01-02T03:04:05Z" };
  expect([status, body]).toEqual([202, receipt]);
  expect([foreign.status, foreign.body.errors?.[0]?.pointer]).toEqual([404, "#/pageId"]);
  expect(account.events).toEqual([{ ...receipt, ...details, id: body.id }]);
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

  const seen = await list(service, "", { key: "live_two" });

  expect([seen.body.total, seen.headers.get("X-RateLimit-Limit")]).toEqual([1, "6000"]);
  expect((await list(service, "", { key: "acme" })).status).toBe(401);
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
  const headers = { Authorization: "bearer test_demo", "Content-Type": "Application/JSON; charset=utf-8" };
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

test("a bug of the mock itself is a 500, and its stack is logged", async ({ service }) => {
  const bug = new TypeError("undefined is not a function");
  const fail = () => {
    throw bug;
  };
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(DomainNetwork.prototype, "choose").mockImplementation(fail);
  const log = vi.spyOn(console, "error").mockImplementation(() => {});

  const { status, body } = await post(service);

  expect([status, body.detail]).toEqual([500, "The mock service itself failed: undefined is not a function"]);
  expect(log).toHaveBeenCalledExactlyOnceWith("The mock service itself failed:", bug);
});
