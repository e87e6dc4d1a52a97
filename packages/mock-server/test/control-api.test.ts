import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { gaps } from "@landing-page-service/contract";
import { createMockService } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { create, type HttpResult, list as listPages, somePage, track } from "./client.ts";
import { readEvents } from "./live-events.ts";
import { sendUnfinished } from "./raw-socket.ts";

const service = createMockService({ plan: "starter" });
const server = await listen(service, { control: true });
afterAll(() => server.close());

test("faults are added, fire, are listed, read and removed", async () => {
  const key = "test_faults";
  const rule = { key, endpoint: "listPages", status: 500, times: 2 };
  const added = await control<{ id: string }>("POST", "/faults", rule);
  await control("POST", "/faults", { key, pageId: "pg_1", method: "put", status: 503 });
  const fault = `/faults/${added.body.id}`;
  const other = service.faults.add({ key: "test_other_faults", status: 500 });

  const listed = await control("GET", `/faults?key=${key}`);
  const statuses = [added.status, await list(key), await list(key), await list(key)];
  const usedUp = await control("GET", fault);
  statuses.push((await control("DELETE", fault)).status, (await control("DELETE", fault)).status);
  const left = service.account(key).faults.list();
  await control("DELETE", `/faults?key=${key}`);

  expect(statuses).toEqual([201, 500, 500, 200, 204, 404]);
  expect(listed.body).toMatchObject({ data: [{ id: added.body.id, rule, fired: 0 }, { fired: 0 }] });
  expect(usedUp.body).toMatchObject({ id: added.body.id, fired: 2 });
  expect(left).toMatchObject([{ rule: { pageId: "pg_1" } }]);
  expect(service.faults.list()).toEqual([other]);
});

test("an account's pages, events and requests can be read, outside its rate limit and without its key", async () => {
  const key = "test_reading_secret";
  const page = await create(service, {}, key);
  await track(service, page.id, {}, { key });
  const { remaining } = service.account(key).rateLimit;

  const pages = await control("GET", `/pages?key=${key}`);
  const events = await control("GET", `/events?key=${key}`);
  const requests = await control("GET", `/requests?key=${key}&endpoint=createPage&status=201`);

  const answer = { status: 201, headers: { Location: `/api/content/${page.id}` } };
  expect(pages.body).toEqual({ data: [page] });
  expect(events.body).toMatchObject({ data: [{ pageId: page.id, type: "view" }] });
  expect(requests.body).toMatchObject({ data: [{ endpoint: "createPage", answer }] });
  expect(JSON.stringify(requests.body)).not.toContain(key);
  expect(pages.headers.has("X-RateLimit-Limit")).toBe(false);
  expect(service.account(key).rateLimit.remaining).toBe(remaining);
  expect(service.requests({ path: /__mock/ })).toEqual([]);
});

test("a wait returns its request, or a 404 after its timeout", async () => {
  const waiting = control("POST", "/requests/wait", { filter: { key: "test_wait", endpoint: "listPages" } });

  await list("test_wait");
  const timedOut = await control("POST", "/requests/wait", { filter: { key: "test_none" }, timeoutMs: 0 });

  expect(await waiting).toMatchObject({ status: 200, body: { endpoint: "listPages", status: 200 } });
  const detail = expect.stringContaining("No matching request arrived within 0 ms: waitForRequest({ times: 1 })\n");
  expect(timedOut).toMatchObject({ status: 404, body: { detail } });
});

test("an account's clock and plan are changed, and a snapshot of it is restored in another", async () => {
  const key = "test_late";
  const at = "2030-01-31T12:00:00+01:00";

  const set = await control<{ nowMs: number }>("PUT", `/clock?key=${key}`, { at });
  const moved = await control<{ nowMs: number }>("POST", `/clock/advance?key=${key}`, { ms: 60_000 });
  const late = await create(service, {}, key);
  const plan = await control("PUT", `/plan?key=${key}`, { plan: { limit: 1, windowMs: 60_000 } });
  const statuses = [await list(key), await list(key)];
  const rateLimit = await control("GET", `/rate-limit?key=${key}`);
  await control("POST", "/clock/advance", { ms: 60_000 });
  statuses.push(await list(key));
  const snapshot = await control("GET", `/snapshot?key=${key}`);
  const restored = await control("PUT", "/snapshot?key=test_copy", snapshot.body);
  await control("POST", `/reset?key=${key}`);

  const aheadMs = [set, moved].map(({ body }) => body.nowMs - Date.parse(at));
  expect(aheadMs).toEqual([expect.closeTo(0, -4), expect.closeTo(60_000, -4)]);
  expect(late.created_at).toMatch(/^2030-01-31T11:01/);
  expect(service.clock.now()).toBeLessThan(Date.parse(at));
  expect(plan.body).toMatchObject({ limit: 1, remaining: 1 });
  expect(rateLimit.body).toMatchObject({ limit: 1, remaining: 0 });
  expect(statuses).toEqual([200, 429, 200]);
  expect(restored).toMatchObject({ status: 200, body: { accounts: 1, pages: 1, events: 0 } });
  expect(service.account("test_copy").pages).toEqual([late]);
  expect(service.account(key).pages).toEqual([]);
});

test("an assignment is explained, and evaluated without storing it, under the load of an account or none", async () => {
  const key = "test_full";
  const small = { name: "small.example", topics: ["shoes"], keywords: [], capacity: 1 };
  const crowded = createMockService({ domains: [small, { name: "large.example", topics: ["gardens"], keywords: [] }] });
  await using other = await listen(crowded, { control: true });
  const { id } = await create(crowded, {}, key);

  const explained = await control("GET", `/assignments/${id}?key=${key}`, undefined, other);
  const unknown = await control("GET", "/assignments/pg_none", undefined, other);
  const empty = await control("POST", "/evaluate", somePage, other);
  const full = await control("POST", `/evaluate?key=${key}`, somePage, other);
  const samples = await control("POST", "/dialect/samples", { dialect: "reference" }, other);

  const onSmall = { domains: [{ name: "small.example" }], explanation: expect.any(String) };
  expect([explained.body, empty.body]).toMatchObject([onSmall, onSmall]);
  expect(full.body).toMatchObject({ domains: [{ name: "large.example" }] });
  expect(unknown.status).toBe(404);
  expect(JSON.stringify(samples.body)).toContain("https://small.example/");
  expect(crowded.listAccounts()).toMatchObject([{ account: key, pages: 1 }]);
});

test("accounts are listed with what they hold, and an account with keys of its own is named by its id", async () => {
  const owned = createMockService({ accounts: [{ id: "shop", keys: ["shop-key"], plan: "free" }] });
  await using other = await listen(owned, { control: true });
  await create(owned, {}, "shop-key");
  await create(owned, {}, "test_a");

  const accounts = await control("GET", "/accounts", undefined, other);
  const pages = await control("GET", "/pages?key=shop", undefined, other);

  const shop = { account: "shop", pages: 1, events: 0, rateLimit: { limit: 60, remaining: 59 } };
  expect(accounts.body).toMatchObject({ data: [shop, { account: "test_a", pages: 1 }] });
  expect(pages.body).toMatchObject({ data: [{ slug: "red-shoes" }] });
  expect(owned.account("shop").clientOptions.apiKey).toBe("shop-key");
});

test("the assumptions list every gap, with the interpretation in use", async () => {
  await using other = await listen(createMockService({ dialect: { switches: { "list-order": "newest-first" } } }));

  type Listed = { gaps: { id: string; isSwitched: boolean }[] };
  const { body } = await control<Listed>("GET", "/assumptions", undefined, other);

  const switched = body.gaps.filter(({ isSwitched }) => isSwitched);
  expect(body.gaps.map(({ id }) => id)).toEqual(Object.keys(gaps));
  expect(switched).toMatchObject([{ id: "list-order", interpretation: "newest-first" }]);
});

test("dialect and domains are changed while the service runs, until it is reset", async () => {
  const [other, key] = [createMockService(), "test_changed"];
  await using changed = await listen(other, { control: true });
  const put = (path: string, body: object) => control("PUT", path, body, changed);
  const before = await create(other, {}, key);

  for (const { name } of before.domains) await put(`/domains/${name.toUpperCase()}`, { active: false });
  await put("/dialect", { dialect: "mongo-like" });
  type Presets = { data: { name: string; isInForce: boolean }[] };
  const presets = await control<Presets>("GET", "/dialect/presets", undefined, changed);
  await put("/dialect", { dialect: { switches: { "list-envelope": "items" } } });
  const listed = await listPages(other, "", { key });
  const after = await create(other, {}, key);
  const refused = [
    await put("/dialect", { dialect: "minmal" }),
    await put("/dialect", { dialect: { switches: { "page-id-type": "integer" } } }),
    await put("/domains", [{ name: "no topics" }]),
    await put("/domains/none.example", { active: true }),
  ];
  await control("POST", "/reset", undefined, changed);
  const again = await create(other, {}, key);

  expect(presets.body.data.filter(({ isInForce }) => isInForce)).toMatchObject([{ name: "mongo-like" }]);
  expect(listed.body).toHaveProperty("items.0.id", before.id);
  expect(after.domains.map(({ name }) => name)).not.toContain(before.domains[0]?.name);
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 404]);
  expect(again.domains).toEqual(before.domains);
  expect((await listPages(other, "", { key })).body.data).toEqual([again]);
});

test("every operation accepts the example in its document, and responds as described", async () => {
  const other = createMockService();
  await using guarded = await listen(other, { control: true });
  type Document = { paths: Record<string, Record<string, ControlOperation>> };
  const { body: document } = await control<Document>("GET", "/openapi.json", undefined, guarded);
  const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  // The first one restores a snapshot, so that the others have something to show, and the last ones remove everything.
  const places: Record<string, number> = { restoreSnapshot: 0, clearFaults: 2, reset: 2 };
  const placeOf = ({ operation }: (typeof rows)[number]) => places[operation.operationId] ?? 1;
  rows.sort((one, other) => placeOf(one) - placeOf(other));
  await create(other);

  const [request] = other.requests();
  const ids: Record<string, string> = {
    "/__mock/requests/{id}": request?.id ?? "",
    "/__mock/assignments/{id}": "pg_tea",
    "/__mock/domains/{id}": "tea.example",
    "/__mock/faults/{id}": other.faults.add({ status: 500, key: "test_other" }).id,
  };
  for (const { method, path, operation } of rows) {
    const { operationId, parameters, requestBody, responses } = operation;
    const query = parameters.some(({ name, required }) => name === "key" && required) ? "?key=test_demo" : "";
    const [status, described] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? ["none"];

    const target = path.replace("/__mock", "").replace("{id}", ids[path] ?? "") + query;
    const response = await control(method, target, requestBody?.content["application/json"].example, guarded);

    expect(String(response.status), `${operationId} ${JSON.stringify(response.body)}`).toBe(status);
    expect(response.headers.get("X-Request-Id")).toMatch(/^ctl_/);
    const [{ schema } = {}] = Object.values(described?.content ?? {});
    const expected = schema === undefined ? z.undefined() : z.fromJSONSchema(schema);
    expect(expected.safeParse(response.body).error, operationId).toBeUndefined();
  }
  expect(new Set(rows.map(({ operation }) => operation.operationId)).size).toBe(rows.length);
});

interface ControlOperation {
  operationId: string;
  parameters: { name: string; required: boolean }[];
  requestBody?: { content: { "application/json": { example: unknown } } };
  responses: Record<string, { content?: Record<string, { schema: z.core.JSONSchema.JSONSchema }> }>;
}

/** The body of a response, or the data of the first event of a stream. */
async function readFirst(response: Response): Promise<string> {
  if (response.headers.get("Content-Type") !== "text/event-stream") return response.text();
  const events = readEvents(response);
  const first = await events.next();
  await events.close();
  return JSON.stringify(first?.data);
}

const mistakes: [method: string, path: string, body: unknown, status: number, detail: RegExp][] = [
  ["POST", "/faults", { stats: 500 }, 400, /#\/stats: .*; did you mean "status"\? \(and 1 more\)\. An accepted body: /],
  ["POST", "/requests/wait", { filter: { endpiont: "listPages" } }, 400, /#\/filter\/endpiont: .*"endpoint"/],
  [
    "POST",
    "/requests/wait",
    { filter: { endpoint: "createPage", method: "PUT" } },
    400,
    /method: no request fits this/,
  ],
  ["POST", "/clock/advance", undefined, 415, /application\/json, got none\. An accepted body: \{"ms":60000\}/],
  ["GET", "/requests?stauts=200", undefined, 400, /did you mean "status"\? The query accepts endpoint, /],
  ["GET", "/pages", undefined, 400, /key: is required/],
  ["POST", "/faults", { key: "unknown", status: 500 }, 400, /opens no account/],
  ["POST", "/reset", { key: "test_a" }, 400, /accepts no body/],
  [
    "POST",
    "/faults?key=test_a",
    {},
    400,
    /^POST \/__mock\/faults accepts no query\. An accepted body: {"key":"test_demo"/,
  ],
  ["GET", "/accounts?key=test_a", undefined, 400, /^GET \/__mock\/accounts accepts no query\.$/],
  ["PUT", "/plan?key=test_a", { plan: "gold" }, 400, /#\/plan/],
  ["PUT", "/snapshot", [{ account: "acme", plan: "free" }], 400, /^records\[0\]: there is no account "acme"/],
  ["POST", "/evaluate", { ...somePage, locale: "xx-??" }, 400, /^#\/locale: expected a BCP 47 .*, got "xx-\?\?"/],
  ["GET", "/assignments/%zz", undefined, 400, /./],
  ["PATCH", "/faults", {}, 405, /GET, POST, DELETE/],
  ["GET", "/nothing", undefined, 404, /openapi\.json/],
];

test.for(mistakes)("%s %s with %j is refused and says why", async ([method, path, body, status, detail]) => {
  const response = await control(method, path, body);

  expect(response).toMatchObject({ status, body: { status, detail: expect.stringMatching(detail) } });
});

test("a bug of the service is a 500 with its stack in the log, not the caller's 400", async () => {
  const bug = new TypeError("pages.map is not a function");
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(service, "listAccounts").mockImplementation(() => {
    throw bug;
  });
  onTestFinished(() => void vi.restoreAllMocks());

  const response = await control("GET", "/accounts");

  const detail = "The mock service itself failed: pages.map is not a function";
  expect(response).toMatchObject({ status: 500, body: { status: 500, detail } });
  expect(log).toHaveBeenCalledExactlyOnceWith("The mock service itself failed:", bug);
});

test.for([
  { Origin: "https://attacker.example" },
  { Origin: "null" },
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
])("a web page on another site is refused, one of the server itself is not: %j", async (headers) => {
  const own = { Origin: server.url, "Sec-Fetch-Site": "same-origin" };

  const responses = [headers, own].map((sent) => fetch(`${server.url}/__mock/clock`, { headers: sent }));

  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([403, 200]);
});

test("by default, only health and assumptions respond", async () => {
  await using closed = await listen(createMockService());

  const paths = ["/health", "/assumptions", "/clock", "/openapi.json", "", "/"];
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${closed.url}/__mock${path}`)).status));

  expect(statuses).toEqual([200, 200, 404, 404, 404, 404]);
});

test("a token guards the API, and is mandatory on other interfaces", async () => {
  await using guarded = await listen(createMockService(), { control: { token: "secret" } });
  const statusOf = async (token: string) =>
    (await fetch(`${guarded.url}/__mock/clock`, { headers: { Authorization: `Bearer ${token}` } })).status;

  expect(await Promise.all(["secret", "secre", "secrets"].map(statusOf))).toEqual([200, 401, 401]);
  await expect(listen(service, { host: "0.0.0.0", control: true })).rejects.toThrow(/needs a token/);
  await expect(listen(service, { host: "0.0.0.0", control: { token: "a b" } })).rejects.toThrow(/token: must be 1 to/);
});

test("a caller without the token is refused before all of a large body is read, one with it is not", async () => {
  await using guarded = await listen(createMockService(), { control: { token: "secret" } });
  const headers = { Authorization: "Bearer secret", "Content-Type": "application/json" };

  const { status } = await sendUnfinished(guarded.url, "PUT /__mock/snapshot HTTP/1.1\r\nHost: 127.0.0.1\r\n");

  const init = { method: "PUT", headers, body: "[]".padStart(2 ** 21) };
  expect([status, (await fetch(`${guarded.url}/__mock/snapshot`, init)).status]).toEqual([401, 200]);
});

/** Calls the control API. The test names the shape that the route describes. */
async function control<Body>(
  method: string,
  path: string,
  body?: unknown,
  { url } = server,
): Promise<HttpResult<Body>> {
  const isSent = body !== undefined && method !== "GET";
  const response = await fetch(`${url}/__mock${path}`, {
    method,
    ...(isSent && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  const text = await readFirst(response);
  return { status, headers, text, body: (text === "" ? undefined : JSON.parse(text)) as Body }; // why: the test names it
}

async function list(key: string): Promise<number> {
  return (await listPages({ fetch, baseUrl: server.url, apiKey: key })).status;
}
