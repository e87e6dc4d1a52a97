import { Readable } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { type ClientOptions, InvalidInputError, LandingPages, ResponseValidationError } from "../src/index.ts";
import { failureOf, json, scripted, setUp, somePage, status } from "./setup.ts";

const wrong = (value: unknown) => value as never; // why: what plain JavaScript may pass
const safe = { apiKey: "test_sdk", baseUrl: "https://service.example" };

test("an iteration sends its filters, also those that the spec does not name", async () => {
  const { client, requests } = scripted([json([])]);

  await client.pages.iterate({ filters: { status: "live" }, batchSize: 50 }).toArray({ limit: 5 });

  expect(requests[0]?.path).toContain("status=live");
});

test("a filter arrives as it was given, whether the service reads a plus as a space or as a plus", async () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("a b+c", "\ud800", "%2B&=#?/"));
  await fc.assert(
    fc.asyncProperty(text, text, async (name, value) => {
      const { client, requests } = scripted([json([])]);

      await client.pages.list({ filters: { [`named ${name}`]: value } });

      const [, query = ""] = requests[0]?.path.split("?") ?? [];
      const given = [`named ${name}`.toWellFormed(), value.toWellFormed()];
      expect([...new URLSearchParams(query)]).toEqual([given]);
      expect(query.split("=").map(decodeURIComponent)).toEqual(given);
    }),
    { numRuns: 200 },
  );
});

test("options of a call hold for every request of an iteration and of createMany", async () => {
  const { client, requests } = scripted([json([])]);
  const headers = { "X-Team": "growth" };

  await client.pages.iterate({ headers, retry: false, timeoutMs: 900, totalTimeoutMs: 900 }).toArray({ limit: 5 });
  for await (const { error } of client.pages.createMany([somePage], { headers, retry: false }))
    expect(error).toBeDefined();

  expect(requests.map((request) => request.headers.get("X-Team"))).toEqual(["growth", "growth"]);
  expect(() => client.pages.iterate({ timeoutMs: -1 })).toThrow("`timeoutMs`: expected");
  expect(() => client.pages.createMany([], { totalTimeoutMs: -1 })).toThrow("`totalTimeoutMs`: expected");
});

test.each<[string, ClientOptions["headers"]]>([
  ["a Headers", new Headers({ "X-Team": "growth" })],
  ["pairs", [["X-Team", "growth"]]],
  ["an object", { "X-Team": "growth", "X-None": undefined }],
])("headers can be %s", async (_title, headers) => {
  const { client, requests } = scripted([json([])], { headers });

  await client.pages.list();

  expect(requests[0]?.headers.get("X-Team")).toBe("growth");
});

test("a header of the client is left out of a call that sets it to null", async () => {
  const { client, requests } = scripted([json([])], { headers: { "X-Team": "growth" } });

  await client.pages.list({}, { headers: { "x-team": null, "User-Agent": null } });

  expect(requests[0]?.headers.has("X-Team")).toBe(false);
  expect(requests[0]?.headers.has("User-Agent")).toBe(false);
});

test("the service gets the version of the package", async () => {
  const { client, requests } = scripted([json([])]);

  await client.pages.list();

  expect(requests[0]?.headers.get("User-Agent")).toBe(`landing-page-service-sdk/${manifest.version}`);
});

test("http beyond this machine has to be allowed", () => {
  const options = { apiKey: "test_sdk", baseUrl: "http://service.internal" };

  expect(() => new LandingPages(options)).toThrow("allowInsecure: true");
  expect(() => new LandingPages({ ...options, allowInsecure: true })).not.toThrow();
});

test.each(["/api", "/v1/api/", "/API", "/api/content", "/v1/api/content/", "/api/analytics/view"])(
  "a base URL that ends in /api, or in a path below it, is told so: %s",
  (path) => {
    const baseUrl = `https://service.example${path}`;

    expect(() => new LandingPages({ ...safe, baseUrl })).toThrow("`baseUrl` must end before /api");
  },
);

test("a page that was read can be written back", async () => {
  const { client, account } = setUp();
  const page = await client.pages.create(somePage);

  const changed = { ...page, title: "Blue running shoes", meta_description: null };
  await client.pages.update(page.id, changed);
  const copy = await client.pages.create({ ...changed, slug: "blue-shoes" });

  expect(account.pages.map(({ title }) => title)).toEqual(["Blue running shoes", "Blue running shoes"]);
  expect(copy.id).not.toBe(page.id);
});

test("of a page that was read the documented fields are sent; no description is left out or emptied", async () => {
  const { client, requests } = scripted([json({ id: "pg_1", ...somePage })]);
  const read = { ...somePage, id: "pg_1", domains: [], created_at: "x", status: "live", meta_description: null };

  await client.pages.create(read);
  await client.pages.update("pg_1", read);
  await client.pages.update("pg_1", { title: "New", meta_description: undefined });

  const { title, content, slug, cta } = somePage;
  expect(requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { title, content, slug, cta },
    { title, content, slug, cta, meta_description: "" },
    { title: "New" },
  ]);
});

test("find gives the page with a slug or an id, or undefined", async () => {
  const { client } = setUp();
  for (let index = 0; index < 45; index += 1) await client.pages.create({ ...somePage, slug: `shoes-${index}` });
  const page = await client.pages.find({ slug: "shoes-30" });

  expect(page?.slug).toBe("shoes-30");
  expect(await client.pages.find({ id: page?.id ?? "" })).toMatchObject({ slug: "shoes-30" });
  expect(await client.pages.find({ slug: "hats" })).toBeUndefined();
  expect(await failureOf(client.pages.find(wrong({})))).toBeInstanceOf(InvalidInputError);
});

test("find takes a slug and an id together: both must fit", async () => {
  const { client } = scripted([
    json([
      { id: "1", slug: "a" },
      { id: "2", slug: "b" },
    ]),
    json([]),
  ]);

  expect(await client.pages.find({ slug: "a", id: "1" })).toMatchObject({ id: "1" });
  expect(await client.pages.find({ slug: "a", id: "2" })).toBeUndefined();
  expect(await failureOf(client.pages.find({ slug: "a", id: "" }))).toBeInstanceOf(InvalidInputError);
});

test("find pages through the list where the service refuses or ignores the filter", async () => {
  const pages = [
    { ...somePage, id: "1", slug: "a" },
    { ...somePage, id: "2", slug: "b" },
  ];
  const refusing = scripted([status(400), json(pages), json([])]);
  const ignoring = scripted([json(pages), json([])]);

  expect(await refusing.client.pages.find({ slug: "b" })).toMatchObject({ id: "2" });
  expect(await ignoring.client.pages.find({ slug: "b" })).toMatchObject({ id: "2" });
});

const answer =
  (body: string, code = 200) =>
  () => {
    const response = new Response(body, { status: code });
    return Object.defineProperty(response, "body", { value: Readable.from([body]) });
  };

test("a fetch whose responses have no web stream is as good", async () => {
  const { client } = scripted(
    [answer(JSON.stringify([{ id: "1", ...somePage }])), answer('{"message":"no"}', 400), answer("[".repeat(99))],
    {
      maxAnswerBytes: 500,
    },
  );

  expect((await client.pages.list()).data).toMatchObject([{ id: "1" }]);
  expect(await failureOf(client.pages.list())).toMatchObject({ problem: { detail: "no" } });
  expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
});

test("a fetch whose responses have no web stream goes with hooks, too", async () => {
  const seen: unknown[] = [];
  const { client } = scripted([answer(JSON.stringify({ id: "1", ...somePage })), answer("no", 404)], {
    hooks: { afterResponse: [async ({ response }) => void seen.push(await response.text())] },
  });

  expect(await client.pages.create(somePage)).toMatchObject({ id: "1" });
  expect(await failureOf(client.pages.delete("1"))).toMatchObject({ status: 404, problem: { detail: "no" } });
  expect(seen).toEqual([JSON.stringify({ id: "1", ...somePage }), "no"]);
});

const breaking = () =>
  Object.defineProperties(new Response(null, { status: 400 }), {
    body: { value: Readable.from([]) },
    arrayBuffer: { value: () => Promise.reject(new Error("Premature close")) },
  });

test("an error response without a web stream whose body breaks is still that error", async () => {
  expect(await failureOf(scripted([breaking]).client.pages.list())).toMatchObject({ status: 400 });
});

test("a TLS alert that may come after the request was sent leaves open whether it arrived", async () => {
  const alert = Object.assign(new Error("alert"), { code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED" });
  const { client } = scripted([alert]);

  expect(await failureOf(client.pages.create(somePage))).toMatchObject({ mayHaveBeenApplied: true });
});

test("an error with a name instead of a code is described by its name", async () => {
  const cause = Object.assign(new Error("Response does not match the HTTP/1.1 protocol"), { name: "HTTPParserError" });
  const { client } = scripted([new TypeError("fetch failed", { cause })]);

  expect(await failureOf(client.pages.create(somePage))).toMatchObject({ code: "HTTPParserError" });
});

test("an error whose parts are no texts is a broken connection like any other", async () => {
  const value = fc.oneof(fc.constant(Symbol("part")), fc.anything({ withNullPrototype: true, withBigInt: true }));
  const part = fc.record({ value, throws: fc.boolean() });
  const parts = fc.record({
    name: part,
    message: part,
    code: part,
    syscall: part,
    stack: part,
    cause: part,
    errors: part,
  });
  await fc.assert(
    fc.asyncProperty(parts, fc.boolean(), async (odd, isAggregate) => {
      const thrown = isAggregate ? new AggregateError([]) : new Error("plain");
      for (const [name, { value, throws }] of Object.entries(odd)) {
        const get = () => {
          if (throws) throw new Error("not to be read");
          return value;
        };
        Object.defineProperty(thrown, name, { get });
      }
      const { client } = scripted([thrown], { retry: false });

      expect(await failureOf(client.pages.create(somePage))).toMatchObject({
        name: "ConnectionError",
        code: expect.any(String) as unknown,
        mayHaveBeenApplied: true,
      });
    }),
  );
});

/** What a create fails with whose `fetch` throws something. */
const failWith = (thrown: unknown) =>
  failureOf(scripted([() => Promise.reject(thrown as Error)], { retry: false }).client.pages.create(somePage)); // why: anything may be thrown

test("a thrown value is described, also if it is a string or an error of another realm", async () => {
  const foreign = (await import("node:vm")).runInNewContext(
    `Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) })`,
  ) as Error; // why: the line above has made one

  expect(await failWith("no network")).toMatchObject({ message: expect.stringContaining("no network") as unknown });
  expect(await failWith(foreign)).toMatchObject({ code: "ECONNREFUSED", mayHaveBeenApplied: false });
});

test.each([
  ["https://www.service.example/api/content", "redirect to https://www.service.example/api/content, which"],
  ["//me:secret@www.service.example/in?token=secret#secret", "redirect to https://www.service.example/in, which"],
  ["/login?next=secret", "redirect to https://service.example/login, which"],
  ["javascript:secret", "redirect, which"],
  ["http://[secret", "redirect, which"],
  ["", "redirect to https://service.example/api/content, which"],
])("a redirect to %j says where it leads, without what may be secret there", async (location, told) => {
  const { client } = scripted([status(302, { Location: location })]);

  const { message } = (await failureOf(client.pages.list())) as Error; // why: the line above has said so

  expect(message).toContain(`302 ${told} is never followed`);
  expect(message).not.toContain("secret");
});

test("a redirect without a location is described as a redirect", async () => {
  const { client } = scripted([status(307)]);

  expect(String(await failureOf(client.pages.list()))).toContain("307 redirect, which is never followed");
});

test.each([404, 405, 410])("a web page with a %i asks whether the base URL is the service's", async (code) => {
  const page = new Response("<html><h1>nginx</h1></html>", { status: code, headers: { "Content-Type": "text/html" } });
  const { client } = scripted([page]);

  const error = await failureOf(client.pages.list());

  expect(String(error)).toContain("; a web page came: is https://service.example the service?");
});

test.each<[unknown, string]>([
  [undefined, "is required; expected the id of a page as a string"],
  [null, "expected the id of a page as a string, got null"],
  [5, "expected the id of a page as a string, got 5"],
  [["pg_1"], "expected the id of a page as a string, got an array"],
  [Promise.resolve("pg_1"), "expected the id of a page as a string, got a promise: await it"],
])("%o in place of an id is described as what it is, and nothing is sent", async (given, told) => {
  const { client, requests } = scripted([]);
  const { pages } = client;

  for (const error of [await failureOf(pages.delete(wrong(given))), await failureOf(pages.update(wrong(given), {}))])
    expect(String(error)).toContain(`was not sent: id: ${told}`);
  expect(requests).toEqual([]);
});
