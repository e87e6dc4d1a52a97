import { expect, test } from "vitest";
import type { RequestHooks } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

const record = { ...somePage, id: "pg_1" };

test("what a hook changes of a request is what is sent: headers, URL, body", async () => {
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

  expect(requests).toMatchObject([{ method: "POST", path: "/api/content?region=eu" }]);
  expect(requests[0]?.headers.get("X-Trace")).toBe("7");
  expect(requests[0]?.headers.get("Authorization")).toBe("Bearer test_sdk");
  expect(requests[0]?.headers.get("Idempotency-Key")).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ ...somePage, title: "Blue running shoes" });
});

test("with hooks that change nothing, the same is sent as without any, byte for byte, on every attempt", async () => {
  const answers = [status(500), json(record, 201)];
  const idempotencyKey = "one";
  const plain = scripted(answers);
  const hooked = scripted(answers, { hooks: { init: [() => undefined], beforeRequest: [() => undefined] } });

  await plain.client.pages.create({ ...somePage, title: "Ünïcode 🙂" }, { idempotencyKey });
  await hooked.client.pages.create({ ...somePage, title: "Ünïcode 🙂" }, { idempotencyKey });

  const written = ({ requests }: typeof plain) => requests.map((sent) => ({ ...sent, headers: [...sent.headers] }));
  expect(written(hooked)).toEqual(written(plain));
  expect(hooked.requests).toHaveLength(2);
});

test("a hook sees that no redirect is followed", async () => {
  const seen: string[] = [];
  const { client } = scripted([json([])], {
    hooks: { beforeRequest: [({ request }) => void seen.push(request.redirect)] },
  });

  await client.pages.list();

  expect(seen).toEqual(["manual"]);
});

test("fetch gets URL and plain options, with hooks and without", async () => {
  const seen: unknown[][] = [];
  const fetch = async (...args: unknown[]) => (seen.push(args), json([]));

  await scripted([], { fetch }).client.pages.list();
  await scripted([], { fetch, hooks: { beforeRequest: [] } }).client.pages.list();

  for (const [url, init] of seen) {
    expect(url).toBe("https://service.example/api/content");
    expect(Object.getPrototypeOf(init)).toBe(Object.prototype);
    expect(init).toMatchObject({ method: "GET", redirect: "manual", signal: expect.any(AbortSignal) as unknown });
    expect(init).not.toHaveProperty("body");
  }
  expect(seen).toHaveLength(2);
});

test("a hook sees every response, and what it gives instead is what is read", async () => {
  const statuses: number[] = [];
  const { client } = scripted([status(503), json([])], {
    hooks: {
      afterResponse: [({ response }) => void statuses.push(response.status)],
    },
  });
  const { client: rewritten } = scripted([json([])], {
    hooks: { afterResponse: [async ({ response }) => json([record], response.status)] },
  });

  await client.pages.list();

  expect(statuses).toEqual([503, 200]);
  await expect(rewritten.pages.list()).resolves.toMatchObject({ data: [{ id: "pg_1" }] });
});

test("a hook that answers itself sends nothing", async () => {
  const { client, requests } = scripted([json([])], { hooks: { beforeRequest: [() => json([record])] } });

  await expect(client.pages.list()).resolves.toMatchObject({ data: [{ id: "pg_1" }] });
  expect(requests).toEqual([]);
});

const refuse = () => {
  throw new Error("no tracer");
};

test.each<[string, RequestHooks, boolean, number]>([
  ["before the request", { beforeRequest: [refuse] }, false, 0],
  ["when it sees the options", { init: [refuse] }, false, 0],
  ["after the answer", { afterResponse: [refuse] }, true, 1],
])(
  "a hook that throws %s ends the create, and the error says whether it was sent",
  async (_title, hooks, sent, count) => {
    const { client, requests } = scripted([json(record, 201)], { hooks });

    const error = await failureOf(client.pages.create(somePage));

    expect(error).toMatchObject({
      name: "ConnectionError",
      code: "HOOK_FAILED",
      mayHaveBeenApplied: sent,
      message: `Create page failed: a hook threw (no tracer)${sent ? "; the service may have carried it out" : ""}`,
      cause: { message: "no tracer" },
    });
    expect(requests).toHaveLength(count);
  },
);

test("a network that fails is no failing hook, whatever hooks make of the error", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const { client, requests } = scripted([new TypeError("fetch failed", { cause: refused })], {
    hooks: { beforeError: [() => new Error("something else")] },
  });

  await expect(client.pages.create(somePage)).rejects.toMatchObject({
    code: "ECONNREFUSED",
    mayHaveBeenApplied: false,
  });
  expect(requests).toHaveLength(3);
});

test("a hook that never ends is cut off by timeoutMs, and nothing was sent", async () => {
  const { client, requests } = scripted([json(record)], {
    hooks: { beforeRequest: [() => new Promise<never>(() => undefined)] },
    timeoutMs: 10,
    retry: false,
  });

  await expect(client.pages.create(somePage)).rejects.toMatchObject({
    name: "TimeoutError",
    mayHaveBeenApplied: false,
  });
  expect(requests).toEqual([]);
});

test.each([
  ["beforeRetry", { beforeRetry: [] }, /`hooks.beforeRetry`: unknown option; known are init/],
  [
    "a function alone",
    { beforeRequest: () => undefined },
    /`hooks.beforeRequest`: expected an array of functions, got a function/,
  ],
  ["null", null, /`hooks`: expected object, got null/],
])("hooks that would never run are refused: %s", (_title, hooks, message) => {
  expect(() => scripted([], { hooks: hooks as unknown as RequestHooks })).toThrow(message); // why: plain JavaScript may pass anything
});
