import * as fc from "fast-check";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import type { ApiError, ClientOptions } from "../src/index.ts";
import { failureOf, html, json, scripted, setUp, somePage, status, untilIdle, watchProcess } from "./setup.ts";

const record = { id: "pg_1", ...somePage, domains: [] };

test("the service's refusals are errors: an unknown page, a wrong field, a wrong key", async () => {
  const { client } = setUp();
  const page = await client.withOptions({ apiKey: "test_other" }).pages.create(somePage);

  const unknown = await failureOf(client.pages.update(page.id, { title: "Mine" }));
  const wrong = await failureOf(client.pages.create({ ...somePage, slug: "Not A Slug" }));
  const unauthorized = await failureOf(client.withOptions({ apiKey: "wrong" }).pages.list());

  const facts = { method: "PUT", path: `/api/content/${page.id}`, mayHaveBeenApplied: false };
  expect(unknown).toMatchObject({ name: "NotFoundError", status: 404, ...facts, attempts: [{ status: 404 }] });
  expect(String(wrong)).toMatch(/^BadRequestError: Create page failed: 400 Bad Request \(slug: expected lower-case/);
  const requestId = expect.stringMatching(/^req_/) as string;
  expect(wrong).toMatchObject({ problem: { errors: [{ pointer: "#/slug" }] }, requestId, rateLimit: {} });
  expect(unauthorized).toMatchObject({ name: "AuthenticationError" });
});

test("a page that was read can be written back: its documented fields are sent", async () => {
  const { client, requests } = scripted([json(record)]);
  const read = { ...record, created_at: "x", status: "live", meta_description: null };
  const summary = { id: "pg_1", title: "New", meta_description: undefined, status: "live" };

  await client.pages.create(read);
  for (const each of [read, summary]) await client.pages.update("pg_1", each);

  const { meta_description: _, ...sent } = somePage;
  const bodies = requests.map(({ body }) => JSON.parse(body) as unknown);
  expect(bodies).toEqual([sent, { ...sent, meta_description: "" }, { title: "New" }]);
});

test("an id is sent as one encoded path segment", async () => {
  const { client, requests } = scripted([status(204)]);

  for (const id of ["a/b", "../x", "%2e%2e", "a?b#c", "ü $&", "__proto__"]) await client.pages.delete(id);

  const segments = ["a%2Fb", "..%2Fx", "%252e%252e", "a%3Fb%23c", "%C3%BC%20%24%26", "__proto__"];
  expect(requests.map(({ path }) => path)).toEqual(segments.map((segment) => `/api/content/${segment}`));
});

test("limit, offset and filters are the query, also of filters that the spec does not name", async () => {
  const { client, requests } = scripted([json([])]);
  const filters = { q: "red shoes & more", state: "draft", version: 7, live: true, slug: undefined };

  await client.pages.list({ limit: 5, filters });
  await client.pages.list({ limit: 1, offset: 0 });
  await client.pages.iterate({ filters: { state: "draft" } }).toArray({ limit: 5 });

  expect(requests.map(({ path }) => path)).toEqual([
    "/api/content?limit=5&q=red%20shoes%20%26%20more&state=draft&version=7&live=true",
    "/api/content?limit=1&offset=0",
    "/api/content?limit=5&offset=0&state=draft",
  ]);
});

test("a filter arrives unchanged, whether the service decodes a plus as a space or as a plus", async () => {
  const anyUnits = fc.array(fc.nat(0xffff), { maxLength: 10 }).map((units) => String.fromCharCode(...units));
  const text = fc.oneof(fc.string(), anyUnits, fc.constantFrom("a b+c", "\ud800", "%2B&=#?/"));
  await fc.assert(
    fc.asyncProperty(text, text, async (name, value) => {
      const { client, requests } = scripted([json([])]);

      await client.pages.list({ filters: { [`named ${name}`]: value } });

      const [, query = ""] = requests[0]?.path.split("?") ?? [];
      const expected = [`named ${name}`.toWellFormed(), value.toWellFormed()];
      expect([...new URLSearchParams(query)]).toEqual([expected]);
      expect(query.split("=").map(decodeURIComponent)).toEqual(expected);
    }),
  );
});

test("a request has the documented headers, and headers about a body only with a body", async () => {
  const { client, requests } = scripted([json(record)]);

  await client.pages.update("pg_1", { title: "x" });
  await failureOf(client.pages.list());

  expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
    authorization: "Bearer test_sdk",
    "content-type": "application/json",
    accept: "application/json",
    "user-agent": `landing-page-service-sdk/${manifest.version}`,
  });
  expect(requests[1]?.headers.has("content-type")).toBe(false);
  expect(requests[1]?.headers.has("idempotency-key")).toBe(false);
});

test.each<[string, ClientOptions["headers"]]>([
  ["a Headers", new Headers({ "X-Team": "growth" })],
  ["pairs", [["X-Team", "growth"]]],
  ["an object", { "X-Team": "growth", "X-None": undefined }],
])("further headers can be %s, and a call leaves one out with null", async (_title, headers) => {
  const { client, requests } = scripted([json([])], { headers });

  await client.pages.list();
  await client.pages.list({}, { headers: { "x-team": null, "User-Agent": null } });

  expect(requests.map((request) => request.headers.get("X-Team"))).toEqual(["growth", null]);
  expect(requests[1]?.headers.has("User-Agent")).toBe(false);
});

test("a response of exactly maxAnswerBytes is read, without its byte order mark of three bytes", async () => {
  const { client } = scripted([new Response("\uFEFF[]".padEnd(62))], { maxAnswerBytes: 64 });

  expect((await client.pages.list()).data).toEqual([]);
});

test("options of a call apply to every request of an iteration, of createMany and of a queue", async () => {
  const { client, requests } = scripted([json([])]);
  const headers = { "X-Team": "growth" };
  const queue = client.analytics.queue({ headers });

  await client.pages.iterate({ headers, retry: false, timeoutMs: 900, totalTimeoutMs: 900 }).toArray({ limit: 5 });
  await client.pages.createMany([somePage], { headers, retry: false }).next();
  queue.push({ pageId: "pg_1" });
  await queue.flush();

  expect(requests.map((request) => request.headers.get("X-Team"))).toEqual(["growth", "growth", "growth"]);
});

test("find returns the page with a slug, an id or both, or undefined", async () => {
  const { client } = setUp();
  for (let index = 0; index < 25; index += 1) await client.pages.create({ ...somePage, slug: `shoes-${index}` });
  const page = await client.pages.find({ slug: "shoes-3" });
  const id = page?.id ?? "";

  expect(page?.slug).toBe("shoes-3");
  expect(await client.pages.find({ id })).toMatchObject({ slug: "shoes-3" });
  expect(await client.pages.find({ slug: "shoes-3", id })).toEqual(page);
  for (const none of [{ slug: "shoes-4", id }, { slug: "hats" }]) expect(await client.pages.find(none)).toBeUndefined();
});

test("find by a slug fails if it finds nothing and the list has pages without slugs", async () => {
  const pages = [[{ id: "pg_1", title: "Dentist" }], []];
  const { client } = scripted([...pages, ...pages].map((data) => json({ data, total: 1 })));

  expect(await failureOf(client.pages.find({ slug: "dentist" }))).toMatchObject({ reason: "noSlug" });
  expect(await client.pages.find({ id: "pg_2" })).toBeUndefined();
});

test.each([
  ["refuses", [status(400)]],
  ["ignores", []],
])("find pages through the list where the service %s the filter", async (_title, first) => {
  const { client } = scripted([...first, json([{ ...record, id: "pg_0", slug: "hats" }, record]), json([])]);

  expect(await client.pages.find({ slug: somePage.slug })).toMatchObject({ id: "pg_1" });
});

const refusal = { message: "no" };

test.each([
  ["ends the iteration: 400", [json([record]), json(refusal, 400)], [record]],
  ["ends the iteration: 404", [json([record]), json(refusal, 404)], [record]],
  ["ends the iteration: 416", [json([record]), json(refusal, 416)], [record]],
  ["by another server is an error: 416", [json([record]), html("<h1>No such range</h1>", 416)], 416],
  ["with another status is an error: 403", [json([record]), json(refusal, 403)], 403],
  ["by another server is an error: 404", [json([record]), html("<h1>Not found</h1>", 404)], 404],
  ["at the start is an error: 400", [json(refusal, 400)], 400],
])("a refusal of an offset behind the last page %s", async (_title, responses, expected) => {
  const pages = scripted(responses).client.pages.iterate().toArray({ limit: 5 });

  const outcome = await pages.catch((error: ApiError) => error.status);

  expect(outcome).toEqual(expected);
});

test("withResponse returns the response of the value, as plain data, without another request", async () => {
  const limits = { "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "59", "X-RateLimit-Reset": "30" };
  const body = { data: [{ id: "pg_1", domains: [] }], next: null };
  const { client, requests, time } = scripted([status(503), json(body, 200, { ...limits, "X-Request-Id": "req_9" })]);

  const call = client.pages.list();
  const result = await call.withResponse();

  expect(await call.withResponse()).toBe(result);
  expect(await call).toBe(result.data);
  expect(result.body).not.toBe(result.data);
  expect(requests).toHaveLength(2);
  const rateLimit = { limit: 60, remaining: 59, resetAtMs: time.now() + 30_000, observedAtMs: time.now() };
  expect(client.rateLimit).toEqual(rateLimit);
  const attempts = [{ status: 503, waitMs: 250 }, { status: 200 }];
  expect(result).toMatchObject({ response: { status: 200 }, attempts, rateLimit, requestId: "req_9" });
  expect(JSON.parse(JSON.stringify(result))).toMatchObject({ body, attempts });
});

test.each([
  ["req_1", "req_1"],
  ["x".repeat(201), undefined],
])("the response of an event has its body, and a request id of at most 200 characters: %s", async (id, expected) => {
  const { client } = scripted([json({ id: "ev_1" }, 202, { "Request-Id": id })]);

  const event = await client.analytics.track({ pageId: "pg_1" }).withResponse();

  expect(event).toMatchObject({ data: undefined, body: { id: "ev_1" }, requestId: expected });
});

test("a failed call is one unhandled rejection if nothing handles it, and none if anything does", async () => {
  const problems = watchProcess();
  const { client } = scripted([status(400)]);
  const countRejections = async () => {
    for (let round = 0; round < 3; round += 1) await untilIdle();
    return problems.splice(0).length;
  };

  const both = client.pages.list();
  const handled = [both, both.withResponse(), client.pages.list().withResponse(), both.finally(() => undefined)];
  await Promise.allSettled(handled);
  const whenHandled = await countRejections();
  void client.pages.list();
  const whenIgnored = await countRejections();

  expect([whenHandled, whenIgnored]).toEqual([0, 1]);
});
