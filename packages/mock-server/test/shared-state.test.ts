import * as contract from "@landing-page-service/contract";
import * as dialects from "@landing-page-service/contract/dialect";
import { describe, expect, test } from "vitest";
import * as sweeping from "../src/sweep.ts";
import * as checking from "../src/check.ts";
import * as door from "../src/index.ts";
import { createMockService, type FaultRule, type MockService } from "../src/index.ts";
import { somePage } from "./client.ts";

/** Tries to change whatever can be reached from a value by its members: as a careless test might, one member after the other. */
function vandalise(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const name of Reflect.ownKeys(value)) {
    // Schemas are zod's, and build themselves as they are read.
    if (name === "_zod") return;
    if (name === "length") continue;
    const found = Object.getOwnPropertyDescriptor(value, name);
    const member: unknown = found?.value ?? Reflect.get(value, name);
    vandalise(member, seen);
    // Strict mode would throw here for what is frozen; whoever catches that must not have changed anything either.
    if (typeof member !== "function") Reflect.set(value, name, "vandalised");
  }
  if (Array.isArray(value)) Reflect.set(value, value.length, "vandalised");
  else Reflect.set(value, "vandalised", "vandalised");
}

/** All that a service tells of itself and of an account, as text. */
async function tell(service: MockService): Promise<string> {
  const account = service.account("test_told");
  const { fetch, baseUrl } = account.clientOptions;
  const answers = [await fetch(`${baseUrl}/openapi.json`), await fetch(`${baseUrl}/api/content`)];
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  const placed = ["Tea rooms", "Running shoes", "Zebra", "vandalised"].map((title) =>
    service.evaluate({ ...somePage, title, content: title }, "test_told"),
  );
  return JSON.stringify([
    service.domains.domains,
    service.dialect,
    service.faults.list(),
    account.faults.list(),
    account.faults.list().map(({ fired, rule }) => [fired, rule]),
    account.pages,
    account.events,
    account.requests({ method: "POST" }),
    account.unhandledRequests,
    account.snapshot().filter((record) => !("account" in record && Object.keys(record).length === 2)),
    account.rateLimit.limit,
    account.pages.map(({ id }) => service.assignment(id)),
    placed,
    texts.map((text) => text.replaceAll(/req_\w+/g, "req")),
  ]).replaceAll(/"remaining":\d+|"X-RateLimit-Remaining":"\d+"/g, "");
}

const now = (): number => Date.UTC(2026, 1, 1);
const random = (): number => 0.5;

/** A service in which something has happened. */
async function fill(service: MockService): Promise<void> {
  const account = service.account("test_told");
  const { fetch, baseUrl, apiKey } = account.clientOptions;
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  const send = (path: string, body: object) =>
    fetch(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  account.domains.assign({ words: ["zebra"] }, [service.domains.domains[1]?.name ?? ""]);
  account.faults.add({ endpoint: "deletePage", status: 418, body: { a: [{ b: 1 }] }, headers: { "X-A": "1" } });
  service.faults.add({ endpoint: "deletePage", request: { body: { a: [1] } }, status: 500 });
  for (const title of ["Zebra", "Running shoes"]) await send("/api/content", { ...somePage, title });
  const [pageId] = account.pages.map(({ id }) => id);
  await send("/api/analytics/view", { pageId, timestamp: "2026-02-01T00:00:00Z", properties: { a: "b" } });
  await send("/nowhere", {});
}

/** Whatever a test can be handed by a service, by name. */
const handed: Record<string, (service: MockService) => unknown> = {
  "the domains": (service) => service.domains,
  "the dialect": (service) => service.dialect,
  "the faults": (service) => [service.faults.list(), service.account("test_told").faults.list()],
  "a fault by its id": (service) => service.faults.list().map(({ id }) => service.faults.get(id)),
  "the requests": (service) => [service.requests(), service.account("test_told").requests()],
  "the requests that nobody handled": (service) => service.account("test_told").unhandledRequests,
  "the headers of an answer": (service) => service.requests().map(({ answer, headers }) => [answer.headers, headers]),
  "the pages": (service) => service.account("test_told").pages,
  "the events": (service) => service.account("test_told").events,
  "the snapshots": (service) => [service.snapshot(), service.account("test_told").snapshot()],
  "the list of accounts": (service) => service.listAccounts(),
  "the rate limit": (service) => service.account("test_told").rateLimit,
  "the assignments": (service) => service.account("test_told").pages.map(({ id }) => service.assignment(id)),
  "a dry run": (service) => service.evaluate({ ...somePage, title: "Zebra shoes" }, "test_told"),
  "what refuse answers": (service) => service.refuse(400, "no"),
  "a handle": (service) => ({ ...service.account("test_told") }),
};

describe.each(["rails-like"] as const)("in the dialect %s", (dialect) => {
  test.for(Object.entries(handed))("whoever changes %s changes no service", async ([, hand]) => {
    const [service, twin] = [createMockService({ dialect, now, random }), createMockService({ dialect, now, random })];
    await Promise.all([fill(service), fill(twin)]);

    vandalise(hand(service));

    expect(await tell(service)).toBe(await tell(twin));
    expect(await tell(createMockService({ dialect, now, random }))).not.toContain('"vandalised":"vandalised"');
  });
});

test.for([
  ["the mock server", door],
  ["the sweep", sweeping],
  ["the check", checking],
  ["the contract", contract],
  ["the dialects", dialects],
] as [string, Record<string, unknown>][])("what %s exports cannot be changed", ([, exports]) => {
  const tables = Object.entries(exports).filter(([, value]) => typeof value === "object");
  const before = JSON.stringify(tables);

  vandalise(Object.fromEntries(tables));

  expect(JSON.stringify(Object.entries(exports).filter(([, value]) => typeof value === "object"))).toBe(before);
});

test("exported values are frozen, so that a change throws in strict mode", () => {
  const { defaultCatalogue } = door;
  expect(() => (defaultCatalogue as unknown[]).push({})).toThrow(TypeError); // why: as a person who writes JavaScript
  expect(() => Object.assign(dialects.referenceDialect.switches, { "list-order": "x" })).toThrow(TypeError);
  expect(() => Object.assign(createMockService().domains, { domains: [] })).toThrow(TypeError);
});

test("what a service was made with, and is given later, may change without it", async () => {
  const given = {
    domains: [{ name: "one.example", topics: ["zebra"], keywords: ["tea"], pins: [{ slug: "pinned" }] }, second()],
    dialect: { switches: { "list-order": "newest-first" as const }, answers: { error: { body: { e: ["{detail}"] } } } },
    plan: { limit: 1_000, windowMs: 60_000 },
    accounts: [{ id: "own", keys: ["live_own"], plan: { limit: 7, windowMs: 1_000 } }],
    seed: [{ account: "test_told", page: { id: "pg_1", ...somePage, cta: { ...somePage.cta } } }],
  };
  const later = {
    rule: {
      endpoint: "listPages",
      query: { limit: "7" },
      status: 418,
      headers: { "X-A": "1" },
      body: { a: [{ b: 1 }] },
    },
    plan: { limit: 500, windowMs: 60_000 },
    dialect: { answers: { error: { body: { f: ["{detail}"] } } } },
    place: { words: ["zebra"] },
    names: ["two.example"],
    domains: [
      { ...second(), topics: ["tea"] },
      { ...second(), name: "third.example" },
    ],
    match: { body: { title: "Heard" }, headers: { "content-type": "application/json" } },
  };
  const use = (service: MockService, { rule, plan, dialect, place, names, domains, match }: typeof later) => {
    const account = service.account("test_told");
    account.domains.assign(place, names);
    account.faults.add(rule as FaultRule); // why: of the literal above, whose endpoint is some text
    account.setPlan(plan);
    service.setDialect(dialect);
    service.setDomains(domains);
    const heard: string[] = [];
    service.onRequest(({ path }) => heard.push(path), match);
    return heard;
  };
  const make = () => {
    const copy = structuredClone(given);
    const service = createMockService({ ...copy, now, random });
    const extra = structuredClone(later);
    return { service, copy, extra, heard: use(service, extra) };
  };
  const [one, twin] = [make(), make()];

  vandalise([one.copy, one.extra]);
  for (const { service } of [one, twin]) {
    const account = service.account("test_told");
    const { fetch, baseUrl, apiKey } = account.clientOptions;
    const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
    await fetch(`${baseUrl}/api/content`, {
      method: "POST",
      headers,
      body: JSON.stringify({ ...somePage, title: "Heard" }),
    });
    await fetch(`${baseUrl}/api/content?limit=7`, { headers });
  }

  expect(one.heard).toEqual(["/api/content"]);
  expect(await tell(one.service)).toBe(await tell(twin.service));
  expect(one.service.account("own").rateLimit).toEqual(twin.service.account("own").rateLimit);
  expect(one.service.account("test_new").rateLimit).toEqual(twin.service.account("test_new").rateLimit);
  for (const { service } of [one, twin]) service.reset();
  expect(await tell(one.service)).toBe(await tell(twin.service));
});

function second(): { name: string; topics: string[]; keywords: string[]; catchAll: boolean } {
  return { name: "two.example", topics: ["coffee"], keywords: [], catchAll: true };
}
