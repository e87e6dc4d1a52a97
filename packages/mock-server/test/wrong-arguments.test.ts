// What a test author may pass by mistake, to every function of a service and of an account.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type AccountHandle, createMockService, type MockService, type MockServiceOptions } from "../src/index.ts";
import { mswHandlers, type MswOptions } from "../src/msw.ts";
import { listen, type ListenOptions } from "../src/node.ts";
import { create, somePage } from "./client.ts";
import { internal, mistake, nearlyRight } from "./fixtures/mistakes.ts";

/** A function of the tools, whatever it takes. */
type Tool = (...given: readonly unknown[]) => unknown;

const nearly = nearlyRight(
  "endpoint method path pageId query headers body status times skip probability optional key delayMs wire when request limit windowMs slug words account page event plan title content cta locale switches answers",
);
const given = fc.array(fc.oneof(mistake, nearly, fc.array(nearly, { maxLength: 2 })), { maxLength: 2 });

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
    { numRuns: 60 },
  );
});

const service = createMockService();
const wrongService = fc.oneof(mistake, fc.constant(service));
const options = nearlyRight(
  "accounts plan domains seed dialect latencyMs now random sleep maxSandboxes onSandboxEvicted id keys baseUrl host port control inspector allowedHosts timeouts",
);
const accounts = fc.array(nearlyRight("id keys plan"), { maxLength: 2 }).map((accounts) => ({ accounts }));

test.each<[string, Tool]>([
  ["createMockService", (given) => createMockService(given as MockServiceOptions)],
  ["mswHandlers", (given, options) => mswHandlers(given as MockService, options as MswOptions)],
  ["listen", async (given, options) => (await listen(given as MockService, options as ListenOptions)).close()],
])("%s takes what it is given, or says what is wrong with it", async (_, tool) => {
  const given = fc.tuple(fc.oneof(wrongService, options, accounts), fc.oneof(options, fc.constant(undefined)));
  await fc.assert(
    fc.asyncProperty(given, async ([first, second]) => {
      const problem = await Promise.resolve()
        .then(() => tool(first, second))
        .catch((error: unknown) => error);

      expect(problem instanceof Error ? problem.message : "").not.toMatch(internal);
    }),
    { numRuns: 300 },
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
  ["an account without keys", () => createMockService({ accounts: [{ id: "a" } as never] }), /^accounts\[0\]\.keys/],
  ["a seed that is no list", () => createMockService({ seed: { pages: [] } as never }), /^seed: expected an array/],
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
    /^port: expected an integer from 0 to 65535, got 80000/,
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
  ["a status that is none", () => service.faults.add({ status: 150 }), /status: expected 200 to 599, got 150/],
  [
    "a seed for nobody",
    () => createMockService({ seed: [{ account: "demo", page: somePage }] }),
    /no account with the id "demo": it neither begins with test_ nor is it the id of one/,
  ],
  [
    "a number in a header",
    () => service.faults.add({ status: 429, headers: { "Retry-After": 5 as never } }),
    /Retry-After: expected a name and a text that HTTP can carry, got 5/,
  ],
  [
    "a body to match, which is one to answer",
    () => service.faults.add({ body: { slug: "tea" }, delayMs: 1 }),
    /request: \{ headers, body \}/,
  ],
])("%s is answered with a sentence", async (_, slip, sentence) => {
  await expect(Promise.resolve().then(slip)).rejects.toThrow(sentence);
});
