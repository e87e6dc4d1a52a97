import { once } from "node:events";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { gaps } from "@landing-page-service/contract";
import { createMockService } from "../src/index.ts";
import { listen, type RunningServer } from "../src/node.ts";
import { create, send, somePage } from "./client.ts";
import { open, readAnswer } from "./raw-socket.ts";

const service = createMockService({ plan: "starter" });
let server: RunningServer;

beforeAll(async () => {
  server = await listen(service, { control: true });
});
afterAll(() => server.close());

test("two planned failures strike, and then the service works", async () => {
  const key = "test_faults";
  const planned = await control("POST", "/faults", { key, endpoint: "listPages", status: 500, times: 2 });

  const statuses = [await list(key), await list(key), await list(key)];

  expect(planned.status).toBe(201);
  expect(statuses).toEqual([500, 500, 200]);
  expect((await control("GET", `/faults?key=${key}`)).body).toEqual({ data: [] });
});

test("planned faults can be seen and taken back", async () => {
  const key = "test_taken_back";
  await control("POST", "/faults", { key, status: 503 });

  const seen = await control("GET", `/faults?key=${key}`);
  const taken = await control("DELETE", `/faults?key=${key}`);

  expect(seen.body).toEqual({ data: [{ id: expect.stringMatching(/^flt_/), rule: { key, status: 503 }, fired: 0 }] });
  expect(taken.status).toBe(204);
  expect(await list(key)).toBe(200);
});

test("a reset of one account leaves the others", async () => {
  await create(service, {}, "test_reset");
  await create(service, {}, "test_kept");

  const { status } = await control("POST", "/reset?key=test_reset");

  expect(status).toBe(204);
  expect(service.account("test_reset").pages).toHaveLength(0);
  expect(service.account("test_kept").pages).toHaveLength(1);
});

test("the journal is found by key, endpoint and status, and never shows the key", async () => {
  const key = "test_journal_secret";
  await list(key);
  await send(service, "POST", "/api/content", { key, body: {} });

  const all = await control("GET", `/requests?key=${key}`);
  const refused = await control("GET", `/requests?key=${key}&status=400`);

  expect(all.body).toMatchObject({ data: [{ endpoint: "listPages" }, { endpoint: "createPage" }] });
  expect(refused.body).toMatchObject({ data: [{ endpoint: "createPage", status: 400, body: "{}" }] });
  expect(JSON.stringify(all.body)).not.toContain(key);
});

test("a request can be waited for", async () => {
  const filter = { key: "test_wait", endpoint: "listPages" };
  const waiting = control("POST", "/requests/wait", { filter });

  await list("test_wait");

  expect(await waiting).toMatchObject({ status: 200, body: { endpoint: "listPages", status: 200 } });
});

test("waiting in vain ends with the time it took", async () => {
  const { status, body } = await control("POST", "/requests/wait", { filter: { key: "test_vain" }, timeoutMs: 0 });

  expect(status).toBe(404);
  expect(body).toMatchObject({ detail: "No matching request came within 0 ms" });
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

test("a placement is explained, and a page is placed without being stored", async () => {
  const page = await create(service, {}, "test_placed");

  const explained = await control("GET", `/assignments/${page.id}?key=test_placed`);
  const evaluated = await control("POST", "/evaluate", somePage);
  const domains = await control("GET", "/domains");

  const names = page.domains.map(({ name }) => ({ name }));
  expect(explained.body).toMatchObject({ domains: names, explanation: expect.any(String) });
  expect(evaluated.body).toMatchObject({ domains: names });
  expect(domains.body).toHaveProperty("data.length", service.domains.domains.length);
  expect((await control("GET", "/assignments/pg_none")).status).toBe(404);
});

test("an account's events can be read", async () => {
  const { id } = await create(service, {}, "test_events");
  await send(service, "POST", "/api/analytics/view", {
    key: "test_events",
    body: { pageId: id, timestamp: "2026-01-31T12:00:00Z" },
  });

  expect((await control("GET", "/events?key=test_events")).body).toMatchObject({
    data: [{ pageId: id, type: "view" }],
  });
});

test("the assumptions are every gap, with the reading in force", async () => {
  const other = await listen(createMockService({ dialect: { switches: { "list-order": "newest-first" } } }));

  const answer = await fetch(`${other.url}/__mock/assumptions`);
  const body = (await answer.json()) as { gaps: { id: string; reading: string; isSwitched: boolean }[] }; // what the row answers
  await other.close();

  expect(body.gaps.map(({ id }) => id)).toEqual(Object.keys(gaps));
  expect(body.gaps.filter(({ isSwitched }) => isSwitched)).toMatchObject([
    { id: "list-order", reading: "newest-first" },
  ]);
});

test("an account's pages can be read, all of them and outside its rate limit", async () => {
  const key = "test_pages";
  for (let index = 0; index < 25; index += 1) await create(service, { slug: `page-${index}` }, key);
  const before = service.account(key).rateLimit.remaining;

  const { body } = await control("GET", `/pages?key=${key}`);

  expect(body).toEqual({ data: service.account(key).pages });
  expect(service.account(key).rateLimit.remaining).toBe(before);
});

test("a page is evaluated against the load of an account", async () => {
  const crowded = await listen(
    createMockService({
      domains: [
        { name: "small.example", topics: ["shoes"], keywords: [], capacity: 1 },
        { name: "large.example", topics: ["gardens"], keywords: [] },
      ],
    }),
    { control: true },
  );
  const send = async (path: string, body: object): Promise<string> => {
    const headers = { Authorization: "Bearer test_full", "Content-Type": "application/json" };
    const answer = await fetch(crowded.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    const { domains } = (await answer.json()) as { domains: { name: string }[] }; // a page and an assignment have them
    return domains.map(({ name }) => name).join();
  };

  const placed = await send("/api/content", somePage);
  const [empty, full] = [
    await send("/__mock/evaluate", somePage),
    await send("/__mock/evaluate?key=test_full", somePage),
  ];
  await crowded.close();

  expect([placed, empty, full]).toEqual(["small.example", "small.example", "large.example"]);
});

test("a fault can be looked up by its id when it is used up, and taken back", async () => {
  const key = "test_by_id";
  const { body } = await control("POST", "/faults", { key, pageId: "pg_1", method: "put", status: 503, times: 1 });
  const { id } = body as { id: string }; // what the row answers

  await list(key);
  await send(service, "PUT", "/api/content/pg_1", { key, body: { title: "New" } });

  expect((await control("GET", `/faults/${id}`)).body).toMatchObject({ id, fired: 1 });
  expect((await control("DELETE", `/faults/${id}`)).status).toBe(204);
  expect((await control("DELETE", `/faults/${id}`)).status).toBe(404);
});

test("the journal tells what was answered", async () => {
  const key = "test_answers";
  const { id } = await create(service, {}, key);

  const { body } = await control("GET", `/requests?key=${key}&pageId=${id}`);

  expect(body).toMatchObject({
    data: [{ endpoint: "createPage", answer: { status: 201, headers: { Location: `/api/content/${id}` } } }],
  });
  expect(JSON.stringify(body)).toContain(String.raw`\"id\":\"${id}\"`);
});

test("a clock is set and moved for one account, and the others keep theirs", async () => {
  const at = "2030-01-31T12:00:00+01:00";

  const set = await control("PUT", "/clock?key=test_late", { at });
  const moved = await control("POST", "/clock/advance?key=test_late", { ms: 60_000 });
  const [late, usual] = [await create(service, {}, "test_late"), await create(service, {}, "test_usual")];

  const times = [set, moved].map(({ body }) => (body as { nowMs: number }).nowMs - Date.parse(at)); // what the row answers
  expect(times).toEqual([expect.closeTo(0, -4), expect.closeTo(60_000, -4)]);
  expect(late.created_at).toMatch(/^2030-01-31T11:01/);
  expect(usual.created_at).not.toMatch(/^2030/);
});

test("samples of a dialect show pages on the domains of the service", async () => {
  const own = createMockService({ domains: [{ name: "only.example", topics: [], keywords: [], catchAll: true }] });
  const server = await listen(own, { control: true });

  const answer = await fetch(`${server.url}/__mock/dialect/samples`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ dialect: "reference" }),
  });
  const text = await answer.text();
  await server.close();

  expect(answer.status, text).toBe(200);
  expect(text).toContain("https://only.example/");
  expect(own.listAccounts()).toEqual([]);
});

test("dialect and domains are changed while the service runs, until it is reset", async () => {
  const [other, key] = [createMockService(), "test_changed"];
  const changed = await listen(other, { control: true });
  const put = (path: string, body: object) =>
    fetch(`${changed.url}/__mock${path}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
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
  await fetch(`${changed.url}/__mock/reset`, { method: "POST" });
  const again = await create(other, {}, key);
  await changed.close();

  const names = before.domains.map(({ name }) => name);
  expect(listed.body).toHaveProperty("items.0.id", before.id);
  expect(after.domains.map(({ name }) => name)).not.toEqual(expect.arrayContaining([names[0]]));
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 404]);
  expect(again.domains.map(({ name }) => name)).toEqual(names);
  expect((await send<object>(other, "GET", "/api/content", { key })).body).toHaveProperty("data.0.id", again.id);
});

test("every row takes the example that the document shows, and answers what it describes", async () => {
  const guardedService = createMockService();
  const guarded = await listen(guardedService, { control: true });
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(guarded.url + path, {
      method,
      ...(body !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await readFirst(answer);
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
  };
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
  await fetch(`${guarded.url}/api/content`, {
    method: "POST",
    headers: { Authorization: "Bearer test_demo", "Content-Type": "application/json" },
    body: JSON.stringify(somePage),
  });
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

test("the control API stands outside the rate limit, and its document lists all it can do", async () => {
  const { body, headers } = await control("GET", "/openapi.json");

  const { paths } = body as { paths: Record<string, Record<string, unknown>> }; // an OpenAPI document has them
  expect(headers.has("X-RateLimit-Limit")).toBe(false);
  expect(Object.keys(paths)).toContain("/__mock/assignments/{id}");
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods)) {
      const { status } = await control(method.toUpperCase(), path.slice("/__mock".length).replace("{id}", "pg_1"), {
        timeoutMs: 0,
      });
      expect([200, 201, 204, 400, 404], `${method} ${path}`).toContain(status);
    }
  }
});

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
  ["GET", "/pages", undefined, 400, /key: required/],
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
  expect(log).toHaveBeenCalledExactlyOnceWith(bug);
});

test("a body that is not JSON by its type is refused, so that no form can send it", async () => {
  const answer = await fetch(`${server.url}/__mock/faults`, { method: "POST", body: '{"status":500}' });

  expect(answer.status).toBe(415);
});

test.for([
  { Origin: "https://attacker.example" },
  { Origin: "null" },
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
])("a web page on another site is refused: %j", async (headers) => {
  const answer = await fetch(`${server.url}/__mock/reset`, { method: "POST", headers });

  expect(answer.status).toBe(403);
});

test("a page of the server itself may use it", async () => {
  const headers = { Origin: server.url, "Sec-Fetch-Site": "same-origin" };

  const answer = await fetch(`${server.url}/__mock/clock`, { headers });

  expect(answer.status).toBe(200);
});

test("without being asked for, only health and assumptions answer", async () => {
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

  expect(readAnswer(data.toString()).status).toBe(401);
});

async function control(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const isSent = body !== undefined && method !== "GET";
  const answer = await fetch(`${server.url}/__mock${path}`, {
    method,
    ...(isSent && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await readFirst(answer);
  return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) };
}

async function list(key: string): Promise<number> {
  const answer = await fetch(`${server.url}/api/content`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.text();
  return answer.status;
}
