import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  ApiError,
  BadRequestError,
  CallError,
  InvalidInputError,
  LandingPages,
  LandingPagesError,
  TimeoutError,
} from "../src/index.ts";
import { fail, failureOf, html, json, scripted, somePage, status, wrong } from "./setup.ts";

const failure = { method: "GET", path: "/api/content", attempts: [], mayHaveBeenApplied: false };
const refused = { status: 400, problem: { detail: "", errors: [] }, headers: new Headers({ "x-request-id": "r1" }) };
const facts = { ...failure, ...refused };

test("is() recognises an error by its class and by its base classes, also from another copy of the package", async () => {
  const copyUrl = new URL("../src/report/errors.ts?copy", import.meta.url).href;
  const copy = (await import(copyUrl)) as { BadRequestError: typeof BadRequestError }; // why: the query makes a second module
  class OwnError extends ApiError {}
  const classes = [BadRequestError, ApiError, CallError, LandingPagesError, TimeoutError, OwnError];
  const recognised = (error: unknown) => classes.filter((errorClass) => errorClass.is(error));
  const own = new BadRequestError("refused", facts);
  const foreign = new copy.BadRequestError("refused", facts);

  expect(foreign).not.toBeInstanceOf(BadRequestError);
  expect(recognised(foreign)).toEqual([BadRequestError, ApiError, CallError, LandingPagesError]);
  expect(recognised(own)).toEqual(recognised(foreign));
  expect(recognised(new OwnError("own", facts))).toEqual([ApiError, CallError, LandingPagesError, OwnError]);
  for (const other of [new Error("other"), null]) expect(recognised(other)).toEqual([]);
});

test("toJSON gives every field as plain data", () => {
  const reset = errorWith("reset", { code: "ECONNRESET" });
  const error = new BadRequestError("refused", facts, { cause: new TypeError("fetch failed", { cause: reset }) });

  const cause = { name: "Error", message: "reset", code: "ECONNRESET" };
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "BadRequestError",
    message: "refused",
    ...facts,
    headers: { "x-request-id": "r1" },
    cause: { name: "TypeError", message: "fetch failed", cause },
  });
});

test("errors of an input and of a refusal have the field errors by name, for a form", async () => {
  const errors = [
    { pointer: "#/cta/url", detail: "must be an absolute URL" },
    { pointer: "#/title", detail: "too long" },
    { pointer: "#/title", detail: "too loud" },
    { pointer: "#/a~1b", detail: "unknown" },
  ];
  const { client } = scripted([json({ errors }, 400)]);

  const refusal = await failureOf(client.pages.create(somePage));
  const input = await failureOf(client.pages.create(wrong({ ...somePage, title: 5, slug: undefined })));

  const fieldErrors = { "cta.url": "must be an absolute URL", title: "too long", "a/b": "unknown" };
  expect(refusal).toHaveProperty("fieldErrors", fieldErrors);
  expect(new InvalidInputError("Create page", errors).message).toBe(
    "Create page was not sent: cta.url: must be an absolute URL, title: too long, title: too loud, a/b: unknown",
  );
  expect(input).toMatchObject({ fieldErrors: { title: "expected string, got 5", slug: "is required" } });
});

test.each([
  [400, "BadRequestError"],
  [401, "AuthenticationError"],
  [404, "NotFoundError"],
  [429, "RateLimitError"],
  [599, "ServerError"],
  [403, "ApiError"],
])("status %i is a %s, whatever the body says", async (code, name) => {
  const body = { status: 200, title: "OK", error: { type: "not_found" } };
  const { client } = scripted([json(body, code)], { retry: false });

  await expect(client.pages.list()).rejects.toMatchObject({ name, status: code });
});

const errorWith = (message: string, parts: object = {}) => Object.assign(new Error(message), parts);
const [refusedError, resetError] = ["ECONNREFUSED", "ECONNRESET"].map((code) => errorWith("failed", { code }));
const parserError = errorWith("Response does not match the HTTP/1.1 protocol", { name: "HTTPParserError" });
const foreign = `Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) })`;
/** The error of a create whose `fetch` rejects. */
const createRejected = (thrown: unknown) =>
  failureOf(scripted([() => Promise.reject(thrown)], { retry: false }).client.pages.create(somePage)); // why: anything may be thrown

describe("a connection that fails", () => {
  test.each<[string, unknown, string]>([
    ["a string", "the tunnel is down, test_sdk", "the tunnel is down, [API key]"],
    ["undefined", undefined, "undefined was thrown"],
    ["a number", 7, "a number was thrown"],
    ["an object without a message", { reason: "none" }, "an object was thrown"],
    ["an object with a message", { message: "no route", code: "EHOSTUNREACH" }, "no route"],
    ["an error whose cause is a string", new Error("failed", { cause: "no route" }), "no route"],
  ])("with %s is a ConnectionError that repeats the message", async (_title, thrown, message) => {
    const result = await createRejected(thrown);

    expect(result).toMatchObject({ name: "ConnectionError", mayHaveBeenApplied: true });
    expect(String(result)).toBe(
      `ConnectionError: Create page failed: the connection broke (${message}); the service may have carried it out`,
    );
  });

  test("with Response.error() is a ConnectionError", async () => {
    const { client } = scripted([() => Response.error()]);

    await expect(client.pages.create(somePage)).rejects.toThrow("a Response that represents a network error");
  });

  test.each<[string, unknown, string, boolean]>([
    ["a refused connection", { message: "refused", code: "ECONNREFUSED" }, "ECONNREFUSED", false],
    ["a slow connection", { code: "UND_ERR_CONNECT_TIMEOUT" }, "UND_ERR_CONNECT_TIMEOUT", false],
    ["no connection", errorWith("slow", { code: "ETIMEDOUT", syscall: "connect" }), "ETIMEDOUT", false],
    ["a proxy that does not connect", { message: "refused", code: "UND_ERR_PRX_CONN" }, "UND_ERR_PRX_CONN", false],
    ["an untrusted certificate", errorWith("expired", { code: "CERT_HAS_EXPIRED" }), "CERT_HAS_EXPIRED", false],
    ["an error of another realm", runInNewContext(foreign), "ECONNREFUSED", false],
    ["addresses that all refuse", new AggregateError([refusedError, refusedError]), "AggregateError", false],
    ["addresses of which one breaks", new AggregateError([refusedError, resetError]), "AggregateError", true],
    ["a port that fetch refuses", new Error("bad port"), "UNKNOWN", false],
    ["a late TLS alert", errorWith("alert", { code: "ERR_SSL_ALERT" }), "ERR_SSL_ALERT", true],
    ["a name in place of a code", parserError, "HTTPParserError", true],
  ])("because of %s has its code, and says whether it may have been sent", async (_title, thrown, code, sent) => {
    const result = await createRejected(new TypeError("fetch failed", { cause: thrown }));

    expect(result).toMatchObject({ name: "ConnectionError", code, mayHaveBeenApplied: sent });
  });

  const names = ["name", "message", "code", "syscall", "stack", "cause", "errors"];

  test.each<[string, PropertyDescriptor]>([
    ["are symbols", { value: Symbol("part") }],
    ["are objects without a prototype", { value: Object.create(null) as unknown }],
    ["are integers without a JSON form", { value: 7n }],
    ["throw when they are read", { get: fail }],
  ])("with an error whose fields %s is a ConnectionError", async (_title, field) => {
    for (const name of names)
      for (const thrown of [new AggregateError([]), new Error("plain")])
        expect(await createRejected(Object.defineProperty(thrown, name, field))).toMatchObject({
          name: "ConnectionError",
          code: expect.any(String),
          mayHaveBeenApplied: true,
        });
  });
});

test.each([
  ["https://www.service.example/api/content", "redirect to https://www.service.example/api/content, which"],
  ["//me:secret@www.service.example/in?token=secret#secret", "redirect to https://www.service.example/in, which"],
  ["/login?next=secret", "redirect to https://service.example/login, which"],
  ["javascript:secret", "redirect, which"],
  ["http://[secret", "redirect, which"],
  [undefined, "redirect, which"],
])("a redirect to %j says where it leads, without parts that may be secret", async (location, expected) => {
  const { client } = scripted([status(302, location === undefined ? {} : { Location: location })]);

  const message = String(await failureOf(client.pages.list()));

  expect(message).toContain(`302 ${expected} is never followed`);
  expect(message).not.toContain("secret");
});

test("a 304 is not a redirect", async () => {
  await expect(scripted([status(304)]).client.pages.list()).rejects.toThrow(/failed: 304 Not Modified$/);
});

test("the error of an HTML page asks whether the base URL is the service's, except for statuses that gateways send", async () => {
  const asking: number[] = [];
  for (const code of [400, 401, 403, 404, 405, 407, 410, 413, 422, 429, 451, 500, 502, 503, 511]) {
    const { client } = scripted([html("<!doctype html><h1>Please sign in</h1>", code)], { retry: false });
    const message = String(await failureOf(client.pages.list()));
    if (message.includes("; the response is a web page: is https://service.example the service?")) asking.push(code);
  }

  expect(asking).toEqual([401, 403, 404, 405, 407, 410, 422, 451, 511]);
});

test("control characters in messages of the service are escaped", async () => {
  const { client } = scripted([json({ message: "no \u001b[2J\u202eentry\u0007" }, 400)]);

  expect(String(await failureOf(client.pages.list()))).toContain("no \\u001b[2J\\u202eentry\\u0007");
});

test("a strict client refuses an empty success of an update, and does not retry it", async () => {
  const { client, requests } = scripted([status(204)], { strict: true });

  await expect(client.pages.update("pg_1", { title: "x" })).rejects.toThrow(
    "Update page got 204, but not the whole pages that `strict` requires (title: is required",
  );
  expect(requests).toHaveLength(1);
});

describe("the stack", () => {
  const calls: Record<string, (client: LandingPages) => Promise<unknown>> = {
    create: async (client) => await client.pages.create(somePage),
    "a list with a wrong limit": async (client) => await client.pages.list({ limit: -1 }),
    "a list that was aborted": async (client) => await client.pages.list({}, { signal: AbortSignal.abort() }),
    "a list with its response": async (client) => await client.pages.list().withResponse(),
    find: async (client) => await client.pages.find({ id: "pg_1" }),
    track: async (client) => await client.analytics.track({ pageId: "pg_1" }),
    iterate: async (client) => await client.pages.iterate()[Symbol.asyncIterator]().next(),
    "iterate as an array": async (client) => await client.pages.iterate().toArray({ limit: 9 }),
    "createMany that was aborted": async (client) =>
      await client.pages.createMany([somePage], { signal: AbortSignal.abort() }).next(),
    "a client with a wrong option": async () => new LandingPages(wrong({ apikey: "k" })),
    withOptions: async (client) => client.withOptions({ timeoutMs: -1 }),
    "a push of something that is no event": async (client) => client.analytics.queue().push(wrong({})),
  };

  test.each(Object.entries(calls))("names the function that awaits %s", async (_title, call) => {
    const error = (await failureOf(call(scripted([status(400)]).client))) as LandingPagesError; // why: each of them fails with one

    const [head, ...frames] = error.stack?.split("\n") ?? [];
    expect(head).toBe(`${error.name}: ${error.message}`.split("\n")[0]);
    expect(frames.find((frame) => frame.includes("errors.test.ts"))).toBeDefined();
  });

  test("is the message alone where the engine records no frames", async () => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    const error = await failureOf(scripted([]).client.pages.delete(""));
    Error.stackTraceLimit = limit;

    expect(error).toHaveProperty("stack", expect.stringContaining("was not sent"));
  });
});
