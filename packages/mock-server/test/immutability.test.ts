// A service copies: changes of a value that it returned or received do not affect it.
import * as contract from "@landing-page-service/contract";
import * as dialects from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import * as mockServer from "../src/index.ts";
import { createMockService, type FaultRule, type MockService } from "../src/index.ts";
import { create, list, send, somePage, track } from "./client.ts";

const key = "test_observed";
const now = (): number => Date.UTC(2026, 1, 1);
const random = (): number => 0.5;

/** Overwrites every writable field of a value, at every level. */
function vandalise(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const name of Reflect.ownKeys(value)) {
    // Schemas belong to zod, which builds them when they are read.
    if (name === "_zod") return;
    if (name === "length") continue;
    const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value ?? Reflect.get(value, name);
    vandalise(member, seen);
    if (typeof member !== "function") Reflect.set(value, name, "vandalised");
  }
  Reflect.set(value, Array.isArray(value) ? value.length : "vandalised", "vandalised");
}

/** Everything that can be read from a service and its account, except for the requests that this function sends. */
async function observe(service: MockService): Promise<string> {
  const account = service.account(key);
  const texts = [];
  for (const path of ["/openapi.json", "/api/content"]) texts.push((await send(service, "GET", path, { key })).text);
  const evaluations = ["Tea rooms", "Running shoes", "Zebra", "vandalised"].map((title) =>
    service.evaluate({ ...somePage, title, content: title }, key),
  );
  return JSON.stringify([
    service.domains.domains,
    service.dialect,
    service.faults.list(),
    account.faults.list(),
    account.pages,
    account.events,
    account.requests({ method: "POST" }),
    account.unhandledRequests,
    account.snapshot(),
    account.rateLimit.limit,
    account.pages.map(({ id }) => service.assignment(id)),
    evaluations,
    texts,
  ]).replaceAll(/req_\w+|"remaining":\d+|"X-RateLimit-Remaining":"\d+"/g, "");
}

/** A service in which something has happened. */
async function createUsedService(): Promise<MockService> {
  const service = createMockService({ dialect: "rails-like", now, random });
  const account = service.account(key);
  account.domains.assign({ words: ["zebra"] }, [service.domains.domains[1]?.name ?? ""]);
  account.faults.add({ endpoint: "deletePage", status: 418, body: { a: [{ b: 1 }] }, headers: { "X-A": "1" } });
  service.faults.add({ endpoint: "deletePage", request: { body: { a: [1] } }, status: 500 });
  for (const title of ["Zebra", "Running shoes"]) await create(service, { title }, key);
  await track(account.clientOptions, account.pages[0]?.id, { properties: { a: "b" } });
  await send(service, "POST", "/nowhere", { key, body: {} });
  return service;
}

test.each<[string, (service: MockService) => unknown]>([
  ["the domains", (service) => service.domains],
  ["the dialect", (service) => service.dialect],
  ["the faults", (service) => [service.faults.list(), service.account(key).faults.list()]],
  ["a fault by its id", (service) => service.faults.list().map(({ id }) => service.faults.get(id))],
  ["the journal", (service) => [service.requests(), service.account(key).unhandledRequests]],
  ["the pages", (service) => service.account(key).pages],
  ["the events", (service) => service.account(key).events],
  ["the snapshots", (service) => [service.snapshot(), service.account(key).snapshot()]],
  ["the list of accounts", (service) => service.listAccounts()],
  ["the rate limit", (service) => service.account(key).rateLimit],
  ["the assignments", (service) => service.account(key).pages.map(({ id }) => service.assignment(id))],
  ["an evaluation", (service) => service.evaluate({ ...somePage, title: "Zebra shoes" }, key)],
  ["an account", (service) => ({ ...service.account(key) })],
])("a change of %s changes no service", async (_name, read) => {
  const service = await createUsedService();
  const before = await observe(service);

  vandalise(read(service));

  expect(await observe(service)).toBe(before);
});

test("what the packages export cannot be changed, and no new service is", async () => {
  const exported = [mockServer, contract, dialects].flatMap((exports): unknown[] => Object.values(exports));
  const tables = exported.filter((value) => typeof value === "object");
  const before = JSON.stringify(tables);

  vandalise([...tables]);

  expect(JSON.stringify(tables)).toBe(before);
  expect(await observe(createMockService())).not.toContain('"vandalised":"vandalised"');
});

test("a request can be changed after the service has handled it", async () => {
  const service = createMockService();
  const headers = new Headers({ Authorization: `Bearer ${key}`, "Content-Type": "application/json" });
  const body = Buffer.from(JSON.stringify(somePage));
  await service.handle({ method: "POST", path: "/api/content", query: "", headers, body });

  headers.set("Content-Type", "text/plain");
  body.fill(" ");

  expect(service.requests({ headers: { "content-type": "application/json" }, body: somePage })).toHaveLength(1);
});

test("options and arguments can be changed after they were passed, also before a reset", async () => {
  const coffee = { name: "two.example", topics: ["coffee"], keywords: [], catchAll: true };
  const options = {
    domains: [{ name: "one.example", topics: ["zebra"], keywords: ["tea"], pins: [{ slug: "pinned" }] }, coffee],
    dialect: { switches: { "list-order": "newest-first" as const }, answers: { error: { body: { e: ["{detail}"] } } } },
    plan: { limit: 1_000, windowMs: 60_000 },
    accounts: [{ id: "own", keys: ["live_own"], plan: { limit: 7, windowMs: 1_000 } }],
    seed: [{ account: key, page: { id: "pg_1", ...somePage, cta: { ...somePage.cta } } }],
  };
  const later = {
    rule: { endpoint: "listPages", query: { limit: "7" }, status: 418, headers: { "X-A": "1" }, body: { a: [1] } },
    plan: { limit: 500, windowMs: 60_000 },
    dialect: { answers: { error: { body: { f: ["{detail}"] } } } },
    match: { words: ["zebra"] },
    names: ["two.example"],
    domains: [coffee, { ...coffee, name: "third.example", topics: ["tea"] }],
    filter: { body: { title: "Expected" }, headers: { "content-type": "application/json" } },
  };
  const start = () => {
    const [passed, arguments_] = [structuredClone(options), structuredClone(later)];
    const service = createMockService({ ...passed, now, random });
    const account = service.account(key);
    account.domains.assign(arguments_.match, arguments_.names);
    account.faults.add(arguments_.rule as FaultRule); // why: the type of the literal above has any string for an endpoint
    account.setPlan(arguments_.plan);
    service.setDialect(arguments_.dialect);
    service.setDomains(arguments_.domains);
    const events: string[] = [];
    service.onRequest(({ path }) => events.push(path), arguments_.filter);
    return { service, passed: [passed, arguments_], events };
  };
  const [one, twin] = [start(), start()];

  vandalise(one.passed);
  for (const { service } of [one, twin]) {
    await create(service, { title: "Expected" }, key);
    await list(service, "?limit=7", { key });
  }

  expect(one.events).toEqual(["/api/content"]);
  expect(await observe(one.service)).toBe(await observe(twin.service));
  expect(one.service.account("own").rateLimit).toEqual(twin.service.account("own").rateLimit);
  for (const { service } of [one, twin]) service.reset();
  expect(await observe(one.service)).toBe(await observe(twin.service));
});
