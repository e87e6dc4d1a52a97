import { expect, test } from "vitest";
import {
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  InvalidInputError,
  NotFoundError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
} from "../src/index.ts";
import { failureOf, json, scripted, setUp, somePage, status } from "./setup.ts";

const broken = Object.assign(new TypeError("fetch failed"), {
  cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" }),
});
const unsent = Object.assign(new TypeError("fetch failed"), {
  cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" }),
});
/** What plain JavaScript may pass. */
const wrong = (value: unknown) => value as never; // why: the types forbid it, which is what is tested
const record = { id: "pg_1", ...somePage, domains: [] };

test("a page is created, listed, changed field by field, and deleted for good", async () => {
  const { client, account } = setUp();

  const page = await client.pages.create(somePage);
  const changed = await client.pages.update(page.id, { title: "Blue running shoes" });
  const list = await client.pages.list();
  await client.pages.delete(page.id);

  expect(page).toMatchObject(somePage);
  expect(page.domains[0]?.url).toContain("/red-shoes");
  expect(changed).toEqual({ ...page, title: "Blue running shoes", updated_at: changed.updated_at });
  expect(list).toEqual({ data: [changed], total: 1, limit: 20, offset: 0 });
  expect(account.pages).toEqual([]);
});

test("a page that does not exist or belongs to another account is a NotFoundError", async () => {
  const { client } = setUp();
  const page = await client.withOptions({ apiKey: "test_other" }).pages.create(somePage);

  const error = await failureOf(client.pages.update(page.id, { title: "Mine" }));

  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toMatchObject({
    status: 404,
    method: "PUT",
    path: `/api/content/${page.id}`,
    mayHaveBeenApplied: false,
    attempts: [{ status: 404 }],
  });
});

test("what the service refuses is a BadRequestError that names the field", async () => {
  const { client } = setUp();

  const error = await failureOf(client.pages.create({ ...somePage, slug: "Not A Slug" }));

  expect(error).toBeInstanceOf(BadRequestError);
  expect(String(error)).toMatch(
    /^BadRequestError: Create page failed: 400 Bad Request \(slug: expected lower-case letters/,
  );
  expect(error).toMatchObject({
    problem: { errors: [{ pointer: "#/slug" }] },
    requestId: expect.stringMatching(/^req_/),
  });
});

test("a wrong key is an AuthenticationError", async () => {
  const { client } = setUp({}, { apiKey: "wrong" });

  await expect(client.pages.list()).rejects.toBeInstanceOf(AuthenticationError);
});

test("an event defaults to now and is sent without fractions of a second", async () => {
  const { client, account, time } = setUp();
  const page = await client.pages.create(somePage);
  time.advance(1234);

  await client.analytics.track({ pageId: page.id });
  await client.analytics.track({
    pageId: page.id,
    timestamp: new Date("2026-03-04T05:06:07.999Z"),
    type: "interaction",
  });
  await client.analytics.track({ pageId: page.id, timestamp: "2026-03-04T05:06:07Z" });

  expect(
    account
      .requests({ method: "POST" })
      .slice(1)
      .map(({ body }) => JSON.parse(body)),
  ).toEqual([
    { pageId: page.id, timestamp: "2026-01-01T00:00:01Z" },
    { pageId: page.id, timestamp: "2026-03-04T05:06:07Z", type: "interaction" },
    { pageId: page.id, timestamp: "2026-03-04T05:06:07Z" },
  ]);
});

test("what a call gives is taken by `await` and `then` as any other promise", async () => {
  const { client } = setUp();

  const call = client.pages.list();

  expect(Promise.resolve(call)).toBe(call);
  expect(call.then(String).constructor).toBe(Promise);
  expect("withResponse" in call.catch(String)).toBe(false);
  await call;
});

test.each([{ timeoutMs: 10 }, { signal: new AbortController().signal }, { retry: false }])(
  "options that stand in the query of a list are refused: %o",
  async (misplaced) => {
    const { client, requests } = scripted([json([])]);

    const error = await failureOf(client.pages.list(wrong(misplaced)));

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain(`\`${Object.keys(misplaced)[0]}\` is an option of the call: options come second`);
    expect(requests).toEqual([]);
  },
);

test.each<[string, (client: ReturnType<typeof setUp>["client"]) => PromiseLike<unknown>, string]>([
  ["a list with limit 0", (client) => client.pages.list({ limit: 0 }), "limit: expected number to be >=1"],
  ["a list with limit NaN", (client) => client.pages.list({ limit: Number.NaN }), "limit: expected number, got NaN"],
  [
    "a list with a nested filter",
    (client) => client.pages.list({ filters: { tag: { a: 1 } } }),
    "filters.tag: expected a string",
  ],
  ["a create without a title", (client) => client.pages.create(wrong({ slug: "x" })), "title: is required"],
  [
    "a create with a relative cta.url",
    (client) => client.pages.create({ ...somePage, cta: { ...somePage.cta, url: "/buy" } }),
    "cta.url: expected an absolute URL",
  ],
  [
    "a create that JSON cannot write",
    (client) => client.pages.create(wrong({ ...somePage, extra: 1n })),
    "cannot be written as JSON",
  ],
  ["an update of no id", (client) => client.pages.update("", { title: "x" }), "id: expected the id of a page"],
  ["a delete of .", (client) => client.pages.delete("."), "id: "],
  ["a delete of an id with a line break", (client) => client.pages.delete("pg_1\r\nX: y"), "id: "],
  ["a delete of half a character", (client) => client.pages.delete("\ud800"), "id: "],
  ["a delete of undefined", (client) => client.pages.delete(wrong(undefined)), "id: "],
  ["an event without a page", (client) => client.analytics.track({ pageId: "" }), "pageId: "],
  [
    "an event at no real moment",
    (client) => client.analytics.track({ pageId: "1", timestamp: new Date(Number.NaN) }),
    "timestamp: expected a Date, or an ISO 8601 string",
  ],
  [
    "an update whose id is in the changes",
    (client) => client.pages.update(wrong({ id: "pg_1", title: "x" }), {}),
    "id: expected the id of a page as a string, got an object",
  ],
  [
    "a create with a field under another name",
    (client) => client.pages.create(wrong({ ...somePage, title: undefined, Titel: "Shoes" })),
    "title: is required; is it what is passed as `Titel`?",
  ],
  ["an event that is null", (client) => client.analytics.track(wrong(null)), "expected object, got null"],
])("%s is refused and nothing is sent", async (_title, call, message) => {
  const { client, requests } = scripted([json([])]);

  const error = await failureOf(call(client));

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(String(error)).toContain(message);
  expect(requests).toEqual([]);
});

test("an id travels as one encoded segment, whatever is in it", async () => {
  const { client, requests } = scripted([status(204)]);

  for (const id of ["a/b", "../x", "%2e%2e", "a?b#c", "ü $&", "__proto__"]) await client.pages.delete(id);

  expect(requests.map(({ path }) => path)).toEqual(
    ["a%2Fb", "..%2Fx", "%252e%252e", "a%3Fb%23c", "%C3%BC%20%24%26", "__proto__"].map(
      (segment) => `/api/content/${segment}`,
    ),
  );
});

test("filters the spec does not name are passed through", async () => {
  const { client, requests } = scripted([json([])]);
  const query = { limit: 5, filters: { q: "red shoes & more", state: "draft", slug: undefined } };

  await client.pages.list(query);

  expect(requests[0]?.path).toBe("/api/content?limit=5&q=red%20shoes%20%26%20more&state=draft");
});

test("every attempt of a create sends the same bytes and the same Idempotency-Key, another call another key", async () => {
  const { client, requests } = scripted([status(500), status(429), json(record, 201)]);

  await client.pages.create(somePage);
  await client.pages.create(somePage);

  expect(requests).toHaveLength(4);
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  const keys = requests.map(({ headers }) => headers.get("Idempotency-Key"));
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
  expect(keys[3]).not.toBe(keys[0]);
});

test("a caller's own Idempotency-Key is used, and the error gives it back", async () => {
  const { client, requests } = scripted([broken]);

  const error = await failureOf(client.pages.create(somePage, { idempotencyKey: "order-7" }));

  expect(requests[0]?.headers.get("Idempotency-Key")).toBe("order-7");
  expect(error).toMatchObject({ idempotencyKey: "order-7", mayHaveBeenApplied: true });
});

test("a request carries the documented headers and nothing of a body where there is none", async () => {
  const { client, requests } = scripted([json(record)]);

  await client.pages.update("pg_1", { title: "x" });
  await failureOf(client.pages.list());

  expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
    authorization: "Bearer test_sdk",
    "content-type": "application/json",
    accept: "application/json",
  });
  expect(requests[1]?.headers.has("content-type")).toBe(false);
  expect(requests[1]?.headers.has("idempotency-key")).toBe(false);
});

test("a delete that was retried and then finds nothing has succeeded", async () => {
  const { client, requests } = scripted([broken, status(404)]);

  await expect(client.pages.delete("pg_1")).resolves.toBeUndefined();
  expect(requests).toHaveLength(2);
});

test("a delete that certainly did not go through before is not found when it is not found", async () => {
  const { client } = scripted([unsent, status(429), status(404)]);

  await expect(client.pages.delete("pg_1")).rejects.toBeInstanceOf(NotFoundError);
});

test("mayHaveBeenApplied remembers an earlier attempt of the same call", async () => {
  const { client } = scripted([status(500), status(400)]);

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({
    status: 400,
    mayHaveBeenApplied: true,
    attempts: [{ status: 500, waitMs: 250 }, { status: 400 }],
  });
});

test("200 calls against a service that always responds with 500 make at most 250 requests", async () => {
  const { client, requests } = scripted([status(500)]);

  const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => client.pages.list()));

  expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
  expect(requests.length).toBeLessThanOrEqual(250);
});

test("success fills the retry budget again, one token a call", async () => {
  let code = 500;
  const { client, requests } = scripted([() => (code === 200 ? json([]) : status(code))]);
  const callsUntilNoRetry = async () => {
    for (let calls = 0; ; calls += 1) {
      const before = requests.length;
      await failureOf(client.pages.list());
      if (requests.length - before === 1) return calls;
    }
  };
  await callsUntilNoRetry();

  code = 200;
  for (let call = 0; call < 28; call += 1) await client.pages.list();
  code = 500;

  expect(await callsUntilNoRetry()).toBeGreaterThan(0);
});

test("many 429s with a short wait do not end a call that has time left", async () => {
  const refusal = status(429, { "Retry-After": "1" });
  const { client, requests } = scripted([refusal, refusal, refusal, refusal, refusal, json(record, 201)]);

  const { attempts, mayHaveBeenApplied } = await client.pages.create(somePage).withResponse();

  expect(requests).toHaveLength(6);
  expect(attempts).toHaveLength(6);
  expect(mayHaveBeenApplied).toBe(false);
});

test("a service that refuses for ever is asked until totalTimeoutMs is over, and then the error says when to come back", async () => {
  const { client, requests, time } = scripted([status(429, { "Retry-After": "5" })], { totalTimeoutMs: 60_000 });
  const startMs = time.now();

  await expect(client.pages.create(somePage)).rejects.toMatchObject({ name: "RateLimitError", retryAfterMs: 5000 });

  expect(requests.length).toBeGreaterThanOrEqual(10);
  expect(time.now() - startMs).toBeLessThanOrEqual(60_000);
});

test("failing events leave pages their retries", async () => {
  const { client, requests } = scripted([() => status(requests.at(-1)?.path === "/api/analytics/view" ? 500 : 503)]);
  await Promise.allSettled(Array.from({ length: 60 }, () => client.analytics.track({ pageId: "1" })));
  const before = requests.length;

  await failureOf(client.pages.list());

  expect(requests.length - before).toBe(3);
});

test("a hundred 429s at once take no call its retry", async () => {
  let isOver = false;
  const { client } = scripted([() => (isOver ? json(record, 201) : status(429, { "Retry-After": "2" }))]);
  const creates = Array.from({ length: 300 }, () => client.pages.create(somePage));
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
  isOver = true;

  await expect(Promise.all(creates)).resolves.toHaveLength(300);
});

test.each([
  ["a 500", () => scripted([status(500), json(record, 201)]), true],
  ["a 503 that says when to come back", () => scripted([status(503, { "Retry-After": "1" }), json(record, 201)]), true],
  ["a 429", () => scripted([status(429), json(record, 201)]), false],
  ["a refused connection", () => scripted([unsent, json(record, 201)]), false],
])(
  "a create that succeeds after %s says whether that one may have been carried out too",
  async (_title, make, expected) => {
    const { client } = make();

    expect(await client.pages.create(somePage).withResponse()).toMatchObject({ mayHaveBeenApplied: expected });
  },
);

test("withResponse tells how the value came, without another request", async () => {
  const { client, requests, time } = scripted([
    status(503),
    json([], 200, {
      "X-RateLimit-Limit": "60",
      "X-RateLimit-Remaining": "59",
      "X-RateLimit-Reset": "30",
      "X-Request-Id": "req_9",
    }),
  ]);

  const call = client.pages.list();
  const { data, response, attempts, rateLimit, requestId } = await call.withResponse();

  expect(await call).toBe(data);
  expect(response.status).toBe(200);
  expect(attempts).toMatchObject([
    { number: 1, status: 503, waitMs: 250 },
    { number: 2, status: 200 },
  ]);
  expect(rateLimit).toEqual({ limit: 60, remaining: 59, resetAtMs: time.now() + 30_000, observedAtMs: time.now() });
  expect(client.rateLimit).toEqual(rateLimit);
  expect(requestId).toBe("req_9");
  expect(requests).toHaveLength(2);
});

test("withResponse shows what the service answered to a call that gives nothing", async () => {
  const { client } = scripted([json({ id: "ev_1", status: "queued" }, 202)]);

  const { data, body } = await client.analytics.track({ pageId: "pg_1" }).withResponse();

  expect(data).toBeUndefined();
  expect(body).toEqual({ id: "ev_1", status: "queued" });
});

test("a result is plain data: a spread, JSON and a second look hold the body too", async () => {
  const { client } = scripted([json({ data: [{ id: "pg_1", domains: [] }], next: null })]);
  const call = client.pages.list();

  const result = await call.withResponse();

  const body = { data: [{ id: "pg_1", domains: [] }], next: null };
  expect({ ...result }.body).toEqual(body);
  expect(JSON.parse(JSON.stringify(result))).toMatchObject({ body, attempts: [{ number: 1, isSent: true }] });
  expect(await call.withResponse()).toBe(result);
  expect(result.body).not.toBe(result.data);
});

test.each([
  [400, "BadRequestError"],
  [401, "AuthenticationError"],
  [404, "NotFoundError"],
  [429, "RateLimitError"],
  [500, "ServerError"],
  [503, "ServerError"],
  [599, "ServerError"],
  [403, "ApiError"],
  [409, "ApiError"],
  [418, "ApiError"],
])("status %i is a %s, whatever the body says", async (code, name) => {
  const { client } = scripted([json({ status: 200, title: "OK", error: { type: "not_found" } }, code)], {
    retry: false,
  });

  await expect(client.pages.list()).rejects.toMatchObject({ name, status: code });
});

test("a 429 that outlasts the call says how long to stay away", async () => {
  const { client } = scripted([status(429, { "Retry-After": "2" })], { totalTimeoutMs: 8000 });

  const error = await failureOf(client.pages.list());

  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ retryAfterMs: 2000, attempts: [{}, {}, {}, {}] });
  expect(String(error)).toBe(
    "RateLimitError: List pages failed: 429 Too Many Requests, after 4 attempts; come back in 2 s",
  );
});

test("retry: false tries once", async () => {
  const { client, requests } = scripted([status(500)], { retry: false });

  await expect(client.pages.list()).rejects.toBeInstanceOf(ServerError);
  await expect(client.pages.list({}, { retry: { maxAttempts: 2 } })).rejects.toBeInstanceOf(ServerError);
  expect(requests).toHaveLength(3);
});

test("a success without the page that was asked for is a ResponseValidationError where the client is strict, not retried", async () => {
  const { client, requests } = scripted([status(204)], { strict: true });

  const error = await failureOf(client.pages.update("pg_1", { title: "x" }));

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(String(error)).toContain(
    "Update page answered 204, but not with the whole records that `strict` is for (title: is required, content: is required",
  );
  expect(requests).toHaveLength(1);
});

test("a key function that fails before a second try does not make the first one forgotten", async () => {
  let isVaultOpen = true;
  const { client } = scripted([() => ((isVaultOpen = false), status(500))], {
    apiKey: () => {
      if (isVaultOpen) return "test_sdk";
      throw new Error("vault sealed");
    },
  });

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({
    name: "ServerError",
    mayHaveBeenApplied: true,
    attempts: [{ status: 500 }],
    cause: { name: "ConfigurationError", cause: { message: "vault sealed" } },
  });
});

test("a certificate that is not trusted ends the connection before anything is sent", async () => {
  const untrusted = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  const { client } = scripted([new TypeError("fetch failed", { cause: untrusted })]);

  await expect(client.pages.create(somePage)).rejects.toMatchObject({
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    mayHaveBeenApplied: false,
  });
});

test("a failed call is unhandled once when nobody asks for it, and never when it is heard in any way", async () => {
  const troubles: unknown[] = [];
  const note = (trouble: unknown) => troubles.push(trouble);
  process.on("unhandledRejection", note);
  const { client } = scripted([status(400)]);
  const settle = async () => {
    for (let round = 0; round < 30; round += 1) await new Promise((resolve) => setImmediate(resolve));
    return troubles.splice(0).length;
  };

  const both = client.pages.list();
  await Promise.allSettled([
    both,
    both.withResponse(),
    client.pages.list().withResponse(),
    both.finally(() => undefined),
  ]);
  const heard = await settle();
  void client.pages.list();
  const unheard = await settle();

  process.off("unhandledRejection", note);
  expect([heard, unheard]).toEqual([0, 1]);
});

test("a key function is asked once more after a 401, and a new key is tried", async () => {
  const keys = ["test_old", "test_new"];
  const { client, requests } = scripted([status(401), json([])], { apiKey: () => Promise.resolve(keys.shift() ?? "") });

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
  expect(requests.map(({ headers }) => headers.get("Authorization"))).toEqual(["Bearer test_old", "Bearer test_new"]);
});

test.each([
  ["a key function that has no other key", () => "test_same", 1, 2],
  ["a key function whose keys are all refused", () => `test_${(made += 1)}`, 2, 2],
  ["a key that is a text", "test_same", 1, 0],
])("a 401 stands with %s", async (_title, apiKey, sent, asked) => {
  let calls = 0;
  const { client, requests } = scripted([status(401)], {
    apiKey: typeof apiKey === "string" ? apiKey : () => ((calls += 1), apiKey()),
  });

  await expect(client.pages.list()).rejects.toMatchObject({ name: "AuthenticationError", status: 401 });
  expect(requests).toHaveLength(sent);
  expect(calls).toBe(asked);
});
let made = 0;
