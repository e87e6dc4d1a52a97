// Wrong arguments: every function of the package names the mistake.
import { expect, test } from "vitest";
import { assertReceived, assertSurvives, useMockService } from "../src/assert.ts";
import { checkService, renderReport } from "../src/check.ts";
import { createMockService, parseCatalogue } from "../src/index.ts";
import { mswHandlers } from "../src/msw.ts";
import { listen } from "../src/node.ts";
import { sweep } from "../src/sweep.ts";
import { somePage } from "./client.ts";

const service = createMockService({ domains: [{ name: "tide.example", topics: [], keywords: [] }] });
const mock = service.account("test_names");
const hooks = { beforeEach: (hook: () => unknown) => hook(), afterEach: () => {} };
const one = { id: "a", keys: ["k"] };
const circular: { self?: object } = {};
circular.self = circular;

/** Each place where a caller writes a name: the place, a misspelt name, the correct one, and the function. */
test.each<[string, string, string, (given: never) => unknown]>([
  ["createMockService", "latencyMS", "latencyMs", createMockService],
  ["a plan", "limt", "limit", (given) => createMockService({ plan: given })],
  ["an account", "key", "keys", (given) => createMockService({ accounts: [given] })],
  ["its plan", "window", "windowMs", (given) => createMockService({ accounts: [{ ...one, plan: given }] })],
  ["a domain", "topcis", "topics", (given) => parseCatalogue([given])],
  ["setDomains", "catchall", "catchAll", (given) => service.setDomains([given])],
  ["a pin", "word", "words", (given) => parseCatalogue([{ pins: [given] }])],
  ["setDialect", "swiches", "switches", (given) => service.setDialect(given)],
  ["service.requests", "endpiont", "endpoint", (given) => service.requests(given)],
  ["service.onRequest", "keey", "key", (given) => service.onRequest(() => {}, given)],
  ["service.waitForRequest", "pageID", "pageId", (given) => service.waitForRequest(given)],
  ["waitForRequest's options", "timeout", "timeoutMs", (given) => service.waitForRequest({}, given)],
  ["service.faults.add", "staus", "status", (given) => service.faults.add(given)],
  ["a fault's request", "bdy", "body", (given) => service.faults.add({ status: 500, request: given })],
  ["mock.requests", "header", "headers", (given) => mock.requests(given)],
  ["mock.faults.add", "tims", "times", (given) => mock.faults.add(given)],
  ["mock.setPlan", "limits", "limit", (given) => mock.setPlan(given)],
  ["mock.domains.assign", "slugg", "slug", (given) => mock.domains.assign(given, ["tea.example"])],
  ["assertReceived", "metod", "method", (given) => assertReceived(mock, given)],
  ["assertSurvives", "hang", "hangs", (given) => assertSurvives({ findings: [] } as never, given)], // why: the options are read first
  ["useMockService", "safetynet", "safetyNet", (given) => useMockService(given, hooks)],
  ["a safety net", "unusedFault", "unusedFaults", (given) => useMockService({ safetyNet: given }, hooks)],
  ["mswHandlers", "baseURL", "baseUrl", (given) => mswHandlers(service, given)],
  ["listen", "prot", "port", (given) => listen(service, given)],
  ["listen's timeouts", "closeGrace", "closeGraceMs", (given) => listen(service, { timeouts: given })],
  ["listen's control", "tokn", "token", (given) => listen(service, { control: given })],
  ["sweep", "maxRun", "maxRuns", (given) => sweep(() => {}, given)],
  ["a sweep's mockOptions", "sead", "seed", (given) => sweep(() => {}, { mockOptions: given })],
  ["checkService", "apikey", "apiKey", checkService],
  ["renderReport", "color", "colour", (given) => renderReport({} as never, given)], // why: the options are read first
])("%s refuses %s and suggests %s", async (_place, misspelt, correct, call) => {
  const refusal: unknown = await Promise.resolve()
    // why: JavaScript programs have no types
    .then(() => call({ [misspelt]: undefined } as never))
    .catch((error: unknown) => error);

  expect(refusal).toBeInstanceOf(TypeError);
  expect(String(refusal)).toContain(misspelt);
  expect(String(refusal)).toContain(`did you mean "${correct}"?`);
});

const seed = [{ account: "test_demo", page: { ...somePage, slug: "No Slug", cta: { ...somePage.cta, url: "no" } } }];
// why: timestamps also come from JavaScript and JSON, where no compiler checks them
const plan = (rule: object) => () => mock.faults.add(rule);
const assignTo =
  (...domains: string[]) =>
  () =>
    mock.domains.assign({ slug: "a" }, domains);
const setClock = (at: unknown) => () => service.clock.set(at as number);
const noTime = /clock.set: expected a time from 1970 to the year 9999, as a Date or in milliseconds/;

test.each<[string, () => unknown, RegExp]>([
  ["no service", () => mswHandlers(undefined as never), /^mswHandlers: expected a service, as createMockService\(\)/],
  ["a promise of a service", () => listen(Promise.resolve(service) as never), /got a promise: await it/],
  ["a host for a base URL", () => mswHandlers(service, { baseUrl: "a.example" }), /baseUrl: expected an absolute URL/],
  ["a path for a URL", () => service.fetch("/api"), /^fetch: expected an absolute URL, .* got "\/api"/],
  ["no keys", () => createMockService({ accounts: [{ id: "a" } as never] }), /accounts\[0\]\.keys: is required/],
  ["a wrong key", () => createMockService({ accounts: [{ id: "a", keys: ["secret\n"] }] }), /visible ASCII/],
  ["a key twice", () => createMockService({ accounts: [one, { ...one, id: "b" }] }), /key of "b" is given twice/],
  ["a key as an id", () => createMockService({ accounts: [{ ...one, id: "test_a" }] }), /"test_a" is taken/],
  ["an object for a seed", () => createMockService({ seed: {} as never }), /seed: expected an array of records, got/],
  [
    "a string for headers",
    () => service.requests({ headers: "x" as never }),
    /headers: expected a plain object of headers, got "x"/,
  ],
  ["the client's endpoint name", () => mock.requests({ endpoint: "pages.create" as never }), /mean "createPage"/],
  [
    "a path with a query",
    () => service.requests({ path: "/api?limit=5" }),
    /path such as "\/api\/content" without query/,
  ],
  [
    "an object in a query",
    plan({ status: 500, query: { limit: {} } }),
    /query.limit: expected a string, a number, a pat/,
  ],
  ["a list for a header", () => mock.requests({ headers: { a: ["1"] } }), /headers.a: expected a string, a number, a/],
  ["headers of a class", () => mock.requests({ headers: new Headers() as never }), /headers: expected a plain object/],
  [
    "a date in a body",
    () => mock.requests({ body: { a: [1, { at: new Date(0) }] } }),
    /^requests: body.a\[1\].at: expected a JS/,
  ],
  [
    "a body without end",
    () => mock.waitForRequest({ body: circular }),
    /^waitForRequest: body.self.self.*: expected a JSON/,
  ],
  [
    "another method",
    plan({ endpoint: "createPage", method: "GET", status: 500 }),
    /^faults.add: method: .* is POST \/api\/c/,
  ],
  [
    "a path elsewhere",
    () => assertReceived(mock, { endpoint: "updatePage", path: "/api/content" }),
    /path: no request fits/,
  ],
  ["no port", () => listen(service, { port: 80_000 }), /^listen: port: expected an integer from 0 to 65535/],
  ["a host elsewhere", () => listen(service, { host: "192.0.2.1" }), /^192\.0\.2\.1 is not an address of this machine/],
  ["a function for an account", () => assertReceived((() => mock) as never), /got a function: call it, as in mock\(\)/],
  ["a promise of an account", () => assertReceived(Promise.resolve(mock) as never), /got a promise: await it/],
  ["a circular object", () => assertReceived(circular as never), /got \{ self: … \}/],
  ["an object for a report", () => assertSurvives({} as never), /expected the report of a sweep, got/],
  [
    "a URL for a host",
    () => listen(service, { allowedHosts: ["http://x"] }),
    /\[0\]: expected a name .*, got "http:\/\/x"/,
  ],
  [
    "a seed of nobody",
    () => createMockService({ seed: [{ account: "acme", plan: "free" }] }),
    /^seed\[0\]: there is no account "acme"/,
  ],
  ["a wrong seed", () => createMockService({ seed }), /^seed\[0\]: page: wrong fields\n  #\/slug: .*\n  #\/cta\/url: /],
  ["a fault with nothing to do", plan({ times: 1 }), /needs status, delayMs or wire/],
  ["a page before its create", plan({ endpoint: "createPage", pageId: "a", status: 500 }), /none before it is created/],
  ["the page of a list", () => mock.requests({ endpoint: "listPages", pageId: "a" }), /pageId: no request fits this/],
  ["a fault's odds and status", plan({ status: 600, probability: 0 }), /expected above 0 and at most 1.*200 to 599/s],
  ["a fault of an unknown endpoint", plan({ endpoint: "pages" }), /endpoint: expected one of listPages, createPage/],
  ["a body without a status", plan({ body: "x", delayMs: 1 }), /need a status; to match a request, use request: {/],
  ["a fault's status and wire", plan({ status: 500, wire: "reset" }), /exclude each other/],
  ["a cut before there is a response", plan({ wire: "truncate", when: "before" }), /cannot fire before/],
  ["a fault's body where there is none", plan({ status: 204, body: "x" }), /status 204 has no body/],
  ["a wrong header", plan({ status: 500, headers: { "X Y": "1" } }), /headers\.X.*: expected a name and a string that/],
  ["an object of a class", plan({ status: 500, headers: new Headers() }), /expected a plain object of headers, got an/],
  ["a length of its own", plan({ status: 500, headers: { "content-length": "5" } }), /content-length: is set by/],
  ["a body that JSON cannot hold", plan({ status: 500, body: Symbol("x") }), /body: must be a string/],
  ["a key that opens no account", () => service.faults.add({ status: 500, key: "live" }), /opens no account/],
  ["a time before 1970", setClock(-1), noTime],
  ["a step back", () => service.clock.advance(-1), /advance: expected 0 or more milliseconds, got -1/],
  ["a step beyond the year 9999", () => service.clock.advance(3e14), /advance: expected a time up to the year 9999/],
  ["a misspelt domain", assignTo("tidel.example"), /\[0\]: expected the name of a domain .*mean "tide.example"\?/],
  ["a rule for any page", () => mock.domains.assign({}, ["tide.example"]), /match: must name a slug, words or both/],
  ["no language", () => service.evaluate({ ...somePage, locale: "xx-??" }), /^evaluate: locale: expected a BCP 47/],
  [
    "no language for a network",
    () => service.domains.assign({ ...somePage, locale: "?" }, () => 0),
    /^locale: expected/,
  ],
  ["a pageId without id", () => service.setDialect({ pageId: "page" }), /^pageId: expected a template with {id}/],
])("%s is refused with a sentence", async (_, call, sentence) => {
  await expect(Promise.resolve().then(call)).rejects.toThrow(sentence);
});
