// `fetch` and ky's hooks, with which a program changes how requests are sent.
import { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { ConfigurationError, type RequestHooks } from "../src/index.ts";
import { connectionRefused, fail, failureOf, json, scripted, somePage, status } from "./setup.ts";

const record = { ...somePage, id: "pg_1" };

test("hooks change the request that is sent: headers, URL and body", async () => {
  const { client, requests } = scripted([json(record, 201)], {
    hooks: {
      beforeRequest: [
        ({ request }) => request.headers.set("X-Trace", "7"),
        ({ request }) => new Request(`${request.url}?region=eu`, request),
        async ({ request }) =>
          new Request(request, { method: "POST", body: (await request.text()).replace("Red", "Blue") }),
      ],
    },
  });

  await client.pages.create(somePage);

  const body = JSON.stringify(somePage).replace("Red", "Blue");
  expect(requests).toMatchObject([{ method: "POST", path: "/api/content?region=eu", body }]);
  expect(requests[0]?.headers.get("X-Trace")).toBe("7");
  expect(requests[0]?.headers.get("Authorization")).toBe("Bearer test_sdk");
});

test("hooks that change nothing leave every request as it is without hooks, byte for byte", async () => {
  const hooks = { init: [() => undefined], beforeRequest: [() => undefined] };
  const sent: unknown[] = [];
  for (const options of [{}, { hooks }]) {
    const { client, requests } = scripted([status(500), json(record, 201)], options);
    await client.pages.create({ ...somePage, title: "Ünïcode 🙂" }, { idempotencyKey: "one" });
    sent.push(requests.map(({ method, path, headers, body }) => [method, path, [...headers], body]));
  }

  expect(sent[1]).toEqual(sent[0]);
});

test("fetch gets a URL and plain options that follow no redirect and use no cache, with hooks and without", async () => {
  const calls: unknown[][] = [];
  const redirects: string[] = [];
  const fetch = async (...args: unknown[]) => (calls.push(args), json([]));
  const beforeRequest = [({ request }: { request: Request }) => void redirects.push(request.redirect)];

  await scripted([], { fetch }).client.pages.list();
  await scripted([], { fetch, hooks: { beforeRequest } }).client.pages.list();

  expect(redirects).toEqual(["manual"]);
  expect(calls).toHaveLength(2);
  const signal = expect.any(AbortSignal) as AbortSignal;
  const headers = expect.any(Object) as object;
  for (const call of calls)
    expect(call).toEqual([
      "https://service.example/api/content",
      { method: "GET", headers, redirect: "manual", cache: "no-store", signal },
    ]);
});

test("a hook sees every response, and may replace it or respond in place of the service", async () => {
  const statuses: number[] = [];
  const afterResponse = [({ response }: { response: Response }) => void statuses.push(response.status)];
  const seeing = scripted([status(503), json([])], { hooks: { afterResponse } });
  const replacing = scripted([json([])], { hooks: { afterResponse: [() => json([record])] } });
  const responding = scripted([json([])], { hooks: { beforeRequest: [() => json([record])] } });

  await seeing.client.pages.list();

  expect(statuses).toEqual([503, 200]);
  expect((await replacing.client.pages.list()).data).toMatchObject([{ id: "pg_1" }]);
  expect((await responding.client.pages.list()).data).toMatchObject([{ id: "pg_1" }]);
  expect(responding.requests).toEqual([]);
});

test.each<[string, RequestHooks, boolean]>([
  ["before the request", { beforeRequest: [fail] }, false],
  ["when it sees the options", { init: [fail] }, false],
  ["after the response", { afterResponse: [fail] }, true],
])("a hook that throws %s ends the call, and the error says whether it was sent", async (_title, hooks, isSent) => {
  const { client, requests } = scripted([json(record, 201)], { hooks });

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ code: "HOOK_FAILED", mayHaveBeenApplied: isSent, cause: { message: "on purpose" } });
  expect(String(error)).toContain("ConnectionError: Create page failed: a hook threw (on purpose)");
  expect(await failureOf(client.pages.list())).toMatchObject({ attempts: [{}] });
  expect(requests).toHaveLength(isSent ? 2 : 0);
});

test("a connection that fails is not the hook's failure, even if a hook replaces the error", async () => {
  const { client, requests } = scripted([connectionRefused], { hooks: { beforeError: [() => new Error("other")] } });

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ code: "ECONNREFUSED", mayHaveBeenApplied: false });
  expect(requests).toHaveLength(3);
});

const used = json([]);
await used.text();
const unreadable = { status: 200, headers: new Headers() };

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["a number", 5],
  ["an object without headers", { ok: true, status: 200, json: async () => [] }],
  ["an object without a body", unreadable],
  ["a Response that was read before", used],
])("a fetch that returns %s is a ConfigurationError, without retries, and uses up no permit", async (_title, value) => {
  const odd = Array.from({ length: 5 }, () => value);
  const fetch = async () => (odd.length > 0 ? odd.shift() : json([])) as Response; // why: plain JavaScript may return anything
  const { client } = scripted([], { fetch });

  const errors = await Promise.all(odd.map(() => failureOf(client.pages.list())));

  for (const error of errors) expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(errors[0])).toContain("`fetch` must return a new Response for every request");
  await expect(client.pages.list({}, { totalTimeoutMs: 1000 })).resolves.toMatchObject({ data: [] });
});

/** A response whose body is a Node stream and not a web stream, as some packages give it. */
const withNodeStream = (body: string, code = 200) =>
  Object.defineProperty(new Response(body, { status: code }), "body", { value: Readable.from([body]) });

test("a fetch may return responses without a web stream, with hooks and without", async () => {
  const seen: string[] = [];
  const afterResponse = [async ({ response }: { response: Response }) => void seen.push(await response.text())];
  for (const hooks of [{}, { afterResponse }]) {
    const { client } = scripted(
      [
        () => withNodeStream(JSON.stringify([record])),
        () => ({ status: 200, headers: new Map(), text: async () => "[]" }) as unknown as Response, // why: a mock has no more
        () => withNodeStream('{"message":"no"}', 404),
      ],
      { hooks },
    );

    expect((await client.pages.list()).data).toMatchObject([{ id: "pg_1" }]);
    expect((await client.pages.list()).data).toEqual([]);
    expect(await failureOf(client.pages.delete("1"))).toMatchObject({ status: 404, problem: { detail: "no" } });
  }
  expect(seen.at(-1)).toBe('{"message":"no"}');
});

test.each([
  [undefined, "not undefined"],
  [unreadable, "not one whose body cannot be read"],
])("a fetch that returns %j may have stored an event, which is not sent again", async (value, what) => {
  const fetch = vi.fn<() => Promise<Response>>(async () => value as Response); // why: plain JavaScript may return anything
  const { client } = scripted([], { fetch });
  const lost: unknown[] = [];
  const queue = client.analytics.queue({ onLost: (_event, reason) => lost.push(reason) });

  const error = await failureOf(client.analytics.track({ pageId: "pg_1" }));
  queue.push({ pageId: "pg_1" });

  expect(await queue.flush()).toBe(false);
  expect(fetch).toHaveBeenCalledTimes(2);
  expect(error).toMatchObject({ name: "ConfigurationError", mayHaveBeenApplied: true });
  expect(String(error)).toContain(what);
  expect(lost).toMatchObject([{ kind: "failed", error: { name: "ConfigurationError" } }]);
});
