import { once } from "node:events";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { gaps } from "@landing-page-service/contract";
import { createMockService } from "../src/index.ts";
import { listen, type RunningServer } from "../src/node.ts";
import { create, send, somePage } from "./client.ts";
import { open, readResponse } from "./raw-socket.ts";

const service = createMockService({ plan: "starter" });
let server: RunningServer;

beforeAll(async () => {
  server = await listen(service, { control: true });
});
afterAll(() => server.close());

test("planned failures fire, are counted, looked up and removed", async () => {
  const key = "test_faults";
  const rule = { key, endpoint: "listPages", status: 500, times: 2 };
  const { status, body } = await control("POST", "/faults", rule);
  const { id } = body as { id: string }; // what the route responds
  await control("POST", "/faults", { key, pageId: "pg_1", method: "put", status: 503 });

  const listed = await control("GET", `/faults?key=${key}`);
  const statuses = [await list(key), await list(key), await list(key)];
  const left = await control("GET", `/faults?key=${key}`);
  const usedUp = await control("GET", `/faults/${id}`);
  const removals = [await control("DELETE", `/faults/${id}`), await control("DELETE", `/faults/${id}`)];
  const cleared = await control("DELETE", `/faults?key=${key}`);

  expect([status, ...statuses, cleared.status]).toEqual([201, 500, 500, 200, 204]);
  expect(listed.body).toMatchObject({ data: [{ id: expect.stringMatching(/^flt_/), rule, fired: 0 }, { fired: 0 }] });
  expect(left.body).toMatchObject({ data: [{ rule: { pageId: "pg_1" } }] });
  expect(usedUp.body).toMatchObject({ id, fired: 2 });
  expect(removals.map((removal) => removal.status)).toEqual([204, 404]);
  expect(service.account(key).faults.list()).toEqual([]);
});

test("the journal is found by key, page, endpoint and status, holds the responses, and never shows the key", async () => {
  const key = "test_journal_secret";
  const { id } = await create(service, {}, key);
  await send(service, "POST", "/api/content", { key, body: {} });

  const all = await control("GET", `/requests?key=${key}`);
  const about = await control("GET", `/requests?key=${key}&pageId=${id}`);
  const refused = await control("GET", `/requests?key=${key}&status=400`);

  const created = { endpoint: "createPage", answer: { status: 201, headers: { Location: `/api/content/${id}` } } };
  expect(all.body).toMatchObject({ data: [created, { status: 400 }] });
  expect(about.body).toMatchObject({ data: [created] });
  expect(refused.body).toMatchObject({ data: [{ endpoint: "createPage", status: 400, body: "{}" }] });
  expect(JSON.stringify(all.body)).toContain(String.raw`\"id\":\"${id}\"`);
  expect(JSON.stringify(all.body)).not.toContain(key);
});

test("a request can be waited for, and waiting in vain ends with the time it took", async () => {
  const waiting = control("POST", "/requests/wait", { filter: { key: "test_wait", endpoint: "listPages" } });

  await list("test_wait");
  const vain = await control("POST", "/requests/wait", { filter: { key: "test_vain" }, timeoutMs: 0 });

  expect(await waiting).toMatchObject({ status: 200, body: { endpoint: "listPages", status: 200 } });
  expect(vain).toMatchObject({ status: 404, body: { detail: "No matching request came within 0 ms" } });
});

test("an account's pages and events can be read, all of them and outside its rate limit", async () => {
  const key = "test_pages";
  for (let index = 0; index < 25; index += 1) await create(service, { slug: `page-${index}` }, key);
  const [page] = service.account(key).pages;
  const event = { pageId: page?.id, timestamp: "2026-01-31T12:00:00Z" };
  await send(service, "POST", "/api/analytics/view", { key, body: event });
  const before = service.account(key).rateLimit.remaining;

  const pages = await control("GET", `/pages?key=${key}`);
  const events = await control("GET", `/events?key=${key}`);

  expect(pages.body).toEqual({ data: service.account(key).pages });
  expect(events.body).toMatchObject({ data: [{ ...event, type: "view" }] });
  expect(pages.headers.has("X-RateLimit-Limit")).toBe(false);
  expect(service.account(key).rateLimit.remaining).toBe(before);
});

test("a clock is set and moved for one account, and the others keep theirs", async () => {
  const at = "2030-01-31T12:00:00+01:00";

  const set = await control("PUT", "/clock?key=test_late", { at });
  const moved = await control("POST", "/clock/advance?key=test_late", { ms: 60_000 });
  const [late, usual] = [await create(service, {}, "test_late"), await create(service, {}, "test_usual")];

  const times = [set, moved].map(({ body }) => (body as { nowMs: number }).nowMs - Date.parse(at)); // what the route responds
  expect(times).toEqual([expect.closeTo(0, -4), expect.closeTo(60_000, -4)]);
  expect(late.created_at).toMatch(/^2030-01-31T11:01/);
  expect(usual.created_at).not.toMatch(/^2030/);
});

test("an assignment is explained, evaluated without storing it, by the load of an account, and sampled in a dialect", async () => {
  const key = "test_full";
  const crowded = createMockService({
    domains: [
      { name: "small.example", topics: ["shoes"], keywords: [], capacity: 1 },
      { name: "large.example", topics: ["gardens"], keywords: [] },
    ],
  });
  const other = await listen(crowded, { control: true });
  const { id } = await create(crowded, {}, key);

  const explained = await control("GET", `/assignments/${id}?key=${key}`, undefined, other);
  const unknown = await control("GET", "/assignments/pg_none", undefined, other);
  const empty = await control("POST", "/evaluate", somePage, other);
  const full = await control("POST", `/evaluate?key=${key}`, somePage, other);
  const domains = await control("GET", "/domains", undefined, other);
  const samples = await control("POST", "/dialect/samples", { dialect: "reference" }, other);
  await other.close();

  const small = { domains: [{ name: "small.example" }], explanation: expect.any(String) };
  expect([explained.body, empty.body]).toMatchObject([small, small]);
  expect(full.body).toMatchObject({ domains: [{ name: "large.example" }] });
  expect(unknown.status).toBe(404);
  expect(domains.body).toMatchObject({ data: [{ name: "small.example" }, { name: "large.example" }] });
  expect(JSON.stringify(samples.body)).toContain("https://small.example/");
  expect(crowded.listAccounts()).toMatchObject([{ account: key, pages: 1 }]);
});

test("a reset of one account leaves the others", async () => {
  await create(service, {}, "test_reset");
  await create(service, {}, "test_kept");

  const { status } = await control("POST", "/reset?key=test_reset");

  expect(status).toBe(204);
  expect(service.account("test_reset").pages).toHaveLength(0);
  expect(service.account("test_kept").pages).toHaveLength(1);
});

test("the clock moves over a rate window, and a plan is changed for one account", async () => {
  const key = "test_clock";
  const changed = await control("PUT", `/plan?key=${key}`, { plan: { limit: 1, windowMs: 60_000 } });

  const before = [await list(key), await list(key)];
  await control("POST", "/clock/advance", { ms: 60_000 });

  expect(changed.body).toMatchObject({ limit: 1, remaining: 1 });
  expect([...before, await list(key)]).toEqual([200, 429, 200]);
  expect((await control("GET", `/rate-limit?key=${key}`)).body).toMatchObject({ limit: 1, remaining: 0 });
});

test("a snapshot of one account is put into another", async () => {
  const { id } = await create(service, { slug: "kept-page" }, "test_from");
  const snapshot = await control("GET", "/snapshot?key=test_from");

  const { status, body } = await control("PUT", "/snapshot?key=test_to", snapshot.body);

  expect(status).toBe(200);
  expect(body).toEqual({ accounts: 1, pages: 1, events: 0 });
  expect(service.account("test_to").pages.map((page) => page.id)).toEqual([id]);
});

test("the assumptions are every gap, with the reading in force", async () => {
  const other = await listen(createMockService({ dialect: { switches: { "list-order": "newest-first" } } }));

  const answer = await fetch(`${other.url}/__mock/assumptions`);
  const body = (await answer.json()) as { gaps: { id: string; reading: string; isSwitched: boolean }[] }; // what the route responds
  await other.close();

  expect(body.gaps.map(({ id }) => id)).toEqual(Object.keys(gaps));
  expect(body.gaps.filter(({ isSwitched }) => isSwitched)).toMatchObject([
    { id: "list-order", reading: "newest-first" },
  ]);
});

test("dialect and domains are changed while the service runs, until it is reset", async () => {
  const [other, key] = [createMockService(), "test_changed"];
  const changed = await listen(other, { control: true });
  const put = (path: string, body: object) => control("PUT", path, body, changed);
  const before = await create(other, {}, key);

  await put("/dialect", { dialect: { switches: { "list-envelope": "items" } } });
  for (const { name } of before.domains) await put(`/domains/${name}`, { active: false });
  const listed = await send<object>(other, "GET", "/api/content", { key });
  const after = await create(other, {}, key);
  const refused = [
    await put("/dialect", { dialect: "minmal" }),
    await put("/dialect", { dialect: { switches: { "page-id-type": "integer" } } }),
    await put("/domains", [{ name: "no topics" }]),
    await put("/domains/none.example", { active: true }),
  ];
  await control("POST", "/reset", undefined, changed);
  const again = await create(other, {}, key);
  await changed.close();

  const names = before.domains.map(({ name }) => name);
  expect(listed.body).toHaveProperty("items.0.id", before.id);
  expect(after.domains.map(({ name }) => name)).not.toEqual(expect.arrayContaining([names[0]]));
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 404]);
  expect(again.domains.map(({ name }) => name)).toEqual(names);
  expect((await send<object>(other, "GET", "/api/content", { key })).body).toHaveProperty("data.0.id", again.id);
});

test("every operation takes the example that the document shows, and responds what it describes", async () => {
  const guardedService = createMockService();
  const guarded = await listen(guardedService, { control: true });
  const ask = (method: string, path: string, body?: unknown) =>
    control(method, path.replace("/__mock", ""), body, guarded);
  const { body: document } = await ask("GET", "/__mock/openapi.json");
  const { paths } = document as { paths: Record<string, Record<string, ControlOperation>> }; // an OpenAPI document has them
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  // Writers first, so that the others have something to show; the wait has its request in the journal.
  await ask(
    "PUT",
    "/__mock/snapshot",
    paths["/__mock/snapshot"]?.["put"]?.requestBody?.content["application/json"].example,
  );
  await create(guardedService);
  const isLast = ({ operation }: (typeof rows)[number]) => ["reset", "clearFaults"].includes(operation.operationId);
  rows.sort((one, other) => Number(isLast(one)) - Number(isLast(other)));

  const [request] = guardedService.requests();
  const ids: Record<string, string> = {
    "/__mock/requests/{id}": request?.id ?? "",
    "/__mock/assignments/{id}": "pg_tea",
    "/__mock/domains/{id}": "tea.example",
    "/__mock/faults/{id}": guardedService.faults.add({ status: 500, key: "test_other" }).id,
  };
  for (const { method, path, operation } of rows) {
    const { operationId, parameters, requestBody, responses } = operation;
    const query = parameters.some(({ name, required }) => name === "key" && required) ? "?key=test_demo" : "";
    const [status, described] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? ["none"];

    const answer = await ask(
      method,
      path.replace("{id}", ids[path] ?? "") + query,
      requestBody?.content["application/json"].example,
    );

    expect(String(answer.status), `${operationId} ${JSON.stringify(answer.body)}`).toBe(status);
    expect(answer.headers.get("X-Request-Id")).toMatch(/^ctl_/);
    const [{ schema } = {}] = Object.values(described?.content ?? {});
    const answered = schema === undefined ? z.undefined() : z.fromJSONSchema(schema);
    expect(answered.safeParse(answer.body).error, operationId).toBeUndefined();
  }
  expect(new Set(rows.map(({ operation }) => operation.operationId)).size).toBe(rows.length);
  await guarded.close();
});

interface ControlOperation {
  operationId: string;
  parameters: { name: string; required: boolean }[];
  requestBody?: { content: { "application/json": { example: unknown } } };
  responses: Record<string, { content?: Record<string, { schema: z.core.JSONSchema.JSONSchema }> }>;
}

/** A body as it is, or the data of the first event of one that has no end. */
async function readFirst(answer: Response): Promise<string> {
  if (answer.headers.get("Content-Type") !== "text/event-stream") return answer.text();
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n\n")) text += (await reader?.read())?.value ?? "";
  await reader?.cancel();
  return text.slice(text.indexOf("data: ") + "data: ".length);
}

const mistakes: [method: string, path: string, body: unknown, status: number, detail: RegExp][] = [
  [
    "POST",
    "/faults",
    { stats: 500 },
    400,
    /#\/stats: unknown field; did you mean "status"\? \(and 1 more\)\. A body it takes: \{"key"/,
  ],
  ["POST", "/requests/wait", { fliter: {} }, 400, /did you mean "filter"\? A body it takes: \{"filter"/],
  ["POST", "/requests/wait", { filter: { endpiont: "listPages" } }, 400, /#\/filter\/endpiont: .*"endpoint"/],
  ["POST", "/clock/advance", undefined, 415, /application\/json, got none\. A body it takes: \{"ms":60000\}/],
  ["POST", "/clock/advance", [], 400, /expected object, got an array\. A body it takes: \{"ms":60000\}/],
  ["GET", "/requests?stauts=200", undefined, 400, /did you mean "status"\? The query takes endpoint, /],
  ["GET", "/pages", undefined, 400, /key: is required/],
  ["GET", "/dialect?at=1", undefined, 400, /The query takes nothing/],
  ["GET", "/pages?key=a%20b", undefined, 400, /must be an API key/],
  ["POST", "/faults", { status: 99 }, 400, /status/],
  ["POST", "/faults", { key: "unknown", status: 500 }, 400, /opens no account/],
  ["POST", "/clock/advance", { ms: -1 }, 400, /#\/ms/],
  ["POST", "/clock/advance", { ms: "1" }, 400, /#\/ms/],
  ["POST", "/clock/advance", { ms: 1e300 }, 400, /year 9999/],
  ["POST", "/requests/wait", { timeoutMs: 1e300 }, 400, /timeoutMs/],
  ["POST", "/reset", { key: "test_a" }, 400, /takes no body/],
  ["GET", "/rate-limit?key=test_a&key=test_b", undefined, 400, /key: expected once/],
  ["POST", "/reset?account=1", undefined, 400, /account/],
  ["PUT", "/plan?key=test_a", { plan: "gold" }, 400, /#\/plan/],
  ["PUT", "/snapshot", { version: 1, records: [] }, 400, /array/],
  ["PUT", "/snapshot", [{ version: 1 }], 400, /records\[0\]: version: expected 3/],
  ["PUT", "/snapshot", [{}], 400, /records\[0\]/],
  ["GET", "/requests?status=x", undefined, 400, /status/],
  ["GET", "/assignments/%zz", undefined, 400, /./],
  ["PATCH", "/faults", {}, 405, /GET, POST, DELETE/],
  ["GET", "/nothing", undefined, 404, /openapi\.json/],
];

test.for(mistakes)("%s %s with %j is refused and says why", async ([method, path, body, status, detail]) => {
  const answer = await control(method, path, body);

  expect(answer).toMatchObject({ status, body: { status, detail: expect.stringMatching(detail) } });
});

test("a bug of the service is a 500 with its stack in the log, not the caller's 400", async () => {
  const bug = new TypeError("pages.map is not a function");
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const broken = vi.spyOn(service, "listAccounts").mockImplementation(() => {
    throw bug;
  });
  onTestFinished(() => {
    log.mockRestore();
    broken.mockRestore();
  });

  const answer = await control("GET", "/accounts");

  const detail = "The mock service itself failed: pages.map is not a function";
  expect(answer).toMatchObject({ status: 500, body: { status: 500, detail } });
  expect(log).toHaveBeenCalledExactlyOnceWith("The mock service itself failed:", bug);
});

test.for([
  { Origin: "https://attacker.example" },
  { Origin: "null" },
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
])("a web page on another site is refused, one of the server itself is not: %j", async (headers) => {
  const own = { Origin: server.url, "Sec-Fetch-Site": "same-origin" };

  const answers = [headers, own].map((sent) => fetch(`${server.url}/__mock/clock`, { headers: sent }));

  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 200]);
});

test("by default, only health and assumptions respond", async () => {
  const closed = await listen(createMockService());
  const ask = async (path: string) => (await fetch(`${closed.url}/__mock${path}`)).status;

  const statuses = [await ask("/health"), await ask("/assumptions"), await ask("/clock"), await ask("/openapi.json")];
  await closed.close();

  expect(statuses).toEqual([200, 200, 404, 404]);
});

test("a token is asked for, and is mandatory on other interfaces", async () => {
  const guarded = await listen(createMockService(), { control: { token: "secret" } });
  const ask = async (token: string) =>
    (await fetch(`${guarded.url}/__mock/clock`, { headers: { Authorization: `Bearer ${token}` } })).status;

  const statuses = [await ask("secret"), await ask("secre"), await ask("")];
  await guarded.close();

  expect(statuses).toEqual([200, 401, 401]);
  await expect(listen(service, { host: "0.0.0.0", control: true })).rejects.toThrow(/needs a token/);
  await expect(listen(service, { host: "0.0.0.0", control: { token: "" } })).rejects.toThrow(/must not be empty/);
});

test("a caller without the token is refused before all of a large body is read", async () => {
  const guarded = await listen(createMockService(), { control: { token: "secret" } });
  const socket = open(guarded.url);
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;

  socket.write("PUT /__mock/snapshot HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  socket.write(chunk.repeat(17));
  const [data] = (await once(socket, "data")) as [Buffer]; // what a socket emits
  socket.destroy();
  await guarded.close();

  expect(readResponse(data.toString()).status).toBe(401);
});

async function control(method: string, path: string, body?: unknown, { url } = server) {
  const isSent = body !== undefined && method !== "GET";
  const answer = await fetch(`${url}/__mock${path}`, {
    method,
    ...(isSent && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await readFirst(answer);
  return {
    status: answer.status,
    headers: answer.headers,
    body: (text === "" ? undefined : JSON.parse(text)) as unknown,
  };
}

async function list(key: string): Promise<number> {
  const answer = await fetch(`${server.url}/api/content`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.text();
  return answer.status;
}
