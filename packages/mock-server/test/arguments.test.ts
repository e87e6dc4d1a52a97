// What a test author may pass by mistake, to every function of the package.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assertReceived, assertSurvives, useMockService } from "../src/assert.ts";
import { checkService, renderReport } from "../src/check.ts";
import { type AccountHandle, createMockService, type MockService, parseCatalogue } from "../src/index.ts";
import { mswHandlers } from "../src/msw.ts";
import { listen } from "../src/node.ts";
import { sweep } from "../src/sweep.ts";
import { create, somePage } from "./client.ts";
import { internal, mistake } from "./fixtures/mistakes.ts";

const service = createMockService();
const mock = service.account("test_names");
const hooks = { beforeEach: (hook: () => unknown) => hook(), afterEach: () => {} };
const domain = { name: "tea.example", topics: ["tea"], keywords: [] };

/** Every function and level at which a person names something: a slip, the name that was meant, and what takes it. */
test.each<[string, string, string, (given: never) => unknown]>([
  ["createMockService", "latencyMS", "latencyMs", createMockService],
  ["a plan", "limt", "limit", (given) => createMockService({ plan: given })],
  ["an account", "key", "keys", (given) => createMockService({ accounts: [given] })],
  [
    "its plan",
    "window",
    "windowMs",
    (given) => createMockService({ accounts: [{ id: "a", keys: ["k"], plan: given }] }),
  ],
  ["a domain", "topcis", "topics", (given) => parseCatalogue([{ ...domain, ...(given as object) }])],
  ["setDomains", "catchall", "catchAll", (given) => service.setDomains([{ ...domain, ...(given as object) }])],
  ["a pin", "word", "words", (given) => parseCatalogue([{ ...domain, pins: [given] }])],
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
  ["assertSurvives", "hang", "hangs", (given) => assertSurvives({ findings: [] } as never, given)], // why: the report is not looked at
  ["useMockService", "safetynet", "safetyNet", (given) => useMockService(given, hooks)],
  ["a safety net", "unusedFault", "unusedFaults", (given) => useMockService({ safetyNet: given }, hooks)],
  ["mswHandlers", "baseURL", "baseUrl", (given) => mswHandlers(service, given)],
  ["listen", "prot", "port", (given) => listen(service, given)],
  ["listen's timeouts", "closeGrace", "closeGraceMs", (given) => listen(service, { timeouts: given })],
  ["listen's control", "tokn", "token", (given) => listen(service, { control: given })],
  ["sweep", "maxRun", "maxRuns", (given) => sweep(() => {}, given)],
  ["a sweep's mockOptions", "sead", "seed", (given) => sweep(() => {}, { mockOptions: given })],
  ["checkService", "apikey", "apiKey", checkService],
  ["renderReport", "color", "colour", (given) => renderReport({} as never, given)], // why: the report is not looked at
])("%s refuses %s, and asks whether %s was meant", async (_door, slip, meant, enter) => {
  const refusal: unknown = await Promise.resolve()
    // why: options come from JavaScript too, where no compiler looks at them
    .then(() => enter({ [slip]: undefined } as never))
    .catch((error: unknown) => error);

  expect(refusal).toBeInstanceOf(TypeError);
  expect(String(refusal)).toContain(slip);
  expect(String(refusal)).toContain(`did you mean "${meant}"?`);
});

/** A function of the tools, whatever it takes. */
type Tool = (...given: readonly unknown[]) => unknown;

const given = fc.array(fc.oneof(mistake, fc.array(mistake, { maxLength: 2 })), { maxLength: 2 });

/** Every function of an object and of the objects in it, but those that answer requests, which have tests of their own. */
function listTools(name: string, holder: object): readonly (readonly [string, Tool])[] {
  const apart = new Set(["fetch", "handle", "refuse", "onRequest", "constructor"]);
  return Object.keys(holder).flatMap((member): readonly (readonly [string, Tool])[] => {
    const value: unknown = holder[member as keyof typeof holder]; // why: it is one of its names
    const path = `${name}.${member}`;
    if (apart.has(member)) return [];
    if (typeof value === "function") return [[path, value.bind(holder) as Tool]]; // why: a bound function is any
    return ["faults", "clock", "domains"].includes(member) ? listTools(path, value as object) : []; // why: those are objects
  });
}

const names = [...toolsOf(createMockService()).keys()];

function toolsOf(service: MockService): Map<string, Tool> {
  const account: AccountHandle = service.account("test_junk");
  return new Map([...listTools("service", service), ...listTools("account", account)]);
}

test.each(names)("%s takes what it is given, or says what is wrong with it, and the service goes on", async (name) => {
  await fc.assert(
    fc.asyncProperty(given, async (given) => {
      const service = createMockService();
      let result: unknown;
      try {
        result = toolsOf(service).get(name)?.(...given);
      } catch (error) {
        result = error;
      }
      // Ends the waits whose match is right.
      service.reset();
      const problem = await Promise.resolve(result).catch((error: unknown) => error);

      expect(problem instanceof Error ? problem.message : "").not.toMatch(internal);
      await expect(create(service, {}, "test_after")).resolves.toMatchObject({ title: somePage.title });
    }),
    { numRuns: 15 },
  );
});

test.each<[string, () => unknown, RegExp]>([
  [
    "a service that is forgotten",
    () => mswHandlers(undefined as never),
    /^mswHandlers: expected a service, as createMockService\(\) makes it, got undefined/,
  ],
  ["a port for one", () => listen({ port: 0 } as never), /^listen: expected a service/],
  [
    "a host for a base URL",
    () => mswHandlers(service, { baseUrl: "service.example" }),
    /baseUrl: expected an absolute URL/,
  ],
  [
    "a path for a URL",
    () => service.fetch("/api/content"),
    /^fetch: expected an absolute URL, .* got "\/api\/content"/,
  ],
  [
    "an account without keys",
    () => createMockService({ accounts: [{ id: "a" } as never] }),
    /^createMockService: accounts\[0\]\.keys: is required/,
  ],
  ["no options", () => createMockService(null as never), /^createMockService: expected object, got null/],
  ["a number for a clock", () => createMockService({ now: 5 as never }), /now: expected a function, got 5/],
  ["a number for a method", () => service.requests({ method: 5 as never }), /^requests: method: expected/],
  ["a negative number of times", () => service.requests({ times: -1 }), /times: expected an integer of 0 or more/],
  ["a string for headers", () => service.requests({ headers: "x" as never }), /headers: expected an object/],
  [
    "a seed that is no list",
    () => createMockService({ seed: { pages: [] } as never }),
    /^createMockService: seed: expected an array of records, got an object/,
  ],
  [
    "the client's name for an endpoint",
    () => service.faults.add({ endpoint: "pages.create" as never, status: 500 }),
    /did you mean "createPage"/,
  ],
  [
    "an endpoint that is no text",
    () => service.requests({ endpoint: Object.create(null) as never }),
    /endpoint: expected one of/,
  ],
  [
    "method and path for one",
    () => service.requests({ endpoint: "POST /api/analytics/view" as never }),
    /did you mean "trackEvent"/,
  ],
  ["a promise of a service", () => listen(Promise.resolve(service) as never), /got a promise: await it/],
  [
    "a port that is none",
    () => listen(service, { port: 80_000 }),
    /^listen: port: expected an integer from 0 to 65535, got 80000/,
  ],
  [
    "a host elsewhere",
    () => listen(service, { host: "192.0.2.1" }),
    /^192\.0\.2\.1 is no address of this machine; leave `host`/,
  ],
  [
    "a path that no request can have",
    () => service.faults.add({ path: "api/content", status: 500 }),
    /path: expected a pattern, or a whole path such as "\/api\/content", got "api\/content"/,
  ],
  [
    "a status that is none",
    () => service.faults.add({ status: 150 }),
    /status: expected an integer from 200 to 599, got 150/,
  ],
  [
    "a seed for nobody",
    () => createMockService({ seed: [{ account: "demo", page: somePage }] }),
    /no account with the id "demo": it neither begins with test_ nor is it the id of one/,
  ],
  [
    "a number in a header",
    () => service.faults.add({ status: 429, headers: { "Retry-After": 5 as never } }),
    /Retry-After: expected a name and a string that HTTP can carry, got 5/,
  ],
  [
    "a body to match, which is one of the response",
    () => service.faults.add({ body: { slug: "tea" }, delayMs: 1 }),
    /request: \{ headers, body \}/,
  ],
])("%s is refused with a sentence", async (_, slip, sentence) => {
  await expect(Promise.resolve().then(slip)).rejects.toThrow(sentence);
});
