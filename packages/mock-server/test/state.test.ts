import { expect, test } from "vitest";
import { createMockService, type Snapshot } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";

const event = { pageId: "", timestamp: "2026-01-02T03:04:05Z" };

test("a snapshot brings back pages, events and idempotency keys, and placements are still explained", async () => {
  const service = createMockService();
  const headers = { "Idempotency-Key": "once" };
  const { body: page } = await send(service, "POST", "/api/content", { body: somePage, headers });
  await send(service, "POST", "/api/analytics/view", { body: { ...event, pageId: page.id } });
  await send(service, "PUT", `/api/content/${page.id}`, { body: { title: "Cheap insurance", slug: "cover" } });
  const placement = service.assignment(page.id);
  const before = service.account("test_demo");
  const [pages, events] = [before.pages, before.events];

  // why: a snapshot must survive the way through a file
  const snapshot = JSON.parse(JSON.stringify(service.snapshot())) as Snapshot;
  const other = createMockService();
  const counts = other.restore(snapshot);

  const account = other.account("test_demo");
  const replayed = await send(other, "POST", "/api/content", { body: somePage, headers });
  const twin = await create(other, { slug: "cover" });
  expect(counts).toEqual({ accounts: 1, pages: 1, events: 1 });
  expect(account.pages.slice(0, 1)).toEqual(pages);
  expect(account.events).toEqual(events);
  expect(replayed.body).toEqual(page);
  expect(other.assignment(page.id)).toEqual(placement);
  expect(placement?.domains[0]?.terms.map(({ term }) => term)).toContain("shoe");
  expect(twin.domains).not.toContainEqual(account.pages[0]?.domains[0]);
});

test("an export in pieces of any size is read back line by line", async () => {
  const service = createMockService();
  for (let index = 0; index < 600; index += 1) await create(service, { slug: `page-${index}`, title: "Straße 靴 👟" });
  await create(service, {}, "test_other");
  const bytes = new TextEncoder().encode(Array.from(service.exportLines()).join(""));
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1001) }, (_, index) =>
    bytes.subarray(index * 1001, (index + 1) * 1001),
  );

  const other = createMockService();
  const counts = await other.importLines(pieces);

  expect(counts).toEqual({ accounts: 2, pages: 601, events: 0 });
  expect(other.account("test_demo").pages).toEqual(service.account("test_demo").pages);
  expect(Array.from(other.exportLines()).join("")).toBe(Array.from(service.exportLines()).join(""));
});

test.each([
  ["nothing", "", /line 1: expected an export/],
  ["another file", `{"name":"x"}\n`, /version 1/],
  ["no JSON", `{"version":1}\n{"account"`, /line 2: expected JSON/],
  ["a page without a title", `{"version":1}\n{"account":"test_a","page":{"id":"p"}}\n`, /line 2: page.title/],
  [
    "an unknown account",
    `{"version":1}\n{"account":"acme","create":{"key":"k","fingerprint":"","expiresAtMs":0,"status":201,"headers":{},"body":""}}`,
    /no account "acme"/,
  ],
  ["something else", `{"version":1}\n{"account":"test_a"}`, /line 2: expected an account with a page/],
])("an import of %s says what is wrong and changes nothing", async (_, text, message) => {
  const service = createMockService();
  const page = await create(service);

  await expect(service.importLines([text])).rejects.toThrow(message);
  await expect(service.importLines([Buffer.from(text)])).rejects.toThrow(message);

  expect(service.account("test_demo").pages).toEqual([page]);
});

test("an import of bytes that are not UTF-8 names the line", async () => {
  const service = createMockService();

  const importing = service.importLines([Buffer.from(`{"version":1}\n{"account":`), Buffer.from([0xff, 0x0a])]);

  await expect(importing).rejects.toThrow("line 2: expected UTF-8");
});

test("an import refuses the same page and the same URL twice", async () => {
  const service = createMockService();
  await create(service);
  const text = Array.from(service.exportLines()).join("");
  const line = text.split("\n")[1] ?? "";

  await expect(service.importLines([text, line])).rejects.toThrow(/line 3: the page pg_\w+ comes twice/);
  await expect(service.importLines([text, line.replace(/"id":"pg_/, '"id":"pg_X')])).rejects.toThrow(
    /line 3: another page has the URL https:\/\/stridehouse.example\/red-shoes/,
  );
});

test("an import brings in more accounts than there may be empty ones", async () => {
  const lines = Array.from({ length: 2500 }, (_, index) =>
    JSON.stringify({
      account: `test_${index}`,
      event: { id: "ev_1", pageId: "p", timestamp: "2026-01-02T03:04:05Z", type: "view" },
    }),
  );
  const service = createMockService();

  const counts = await service.importLines([`{"version":1}\n${lines.join("\n")}`]);

  expect(counts).toEqual({ accounts: 2500, pages: 0, events: 2500 });
  expect(service.snapshot().records).toEqual(lines.map((line): unknown => JSON.parse(line)));
});

test("one account goes back to its snapshot while the others stay", async () => {
  const service = createMockService();
  const first = await create(service);
  const other = await create(service, {}, "test_other");
  const account = service.account("test_demo");
  const snapshot = account.snapshot();
  await create(service, { slug: "later" });

  account.restore(snapshot);

  expect(account.pages).toEqual([first]);
  expect(service.account("test_other").pages).toEqual([other]);
  expect(() => account.restore(service.snapshot())).toThrow(/snapshot of one account, got one of 2/);
});

test("accounts begin with their seed, and a reset brings it back", async () => {
  const service = createMockService({
    accounts: [{ id: "acme", keys: ["live"] }],
    seed: {
      test_demo: { pages: [{ ...somePage, id: "shoes" }], events: [{ ...event, pageId: "shoes" }] },
      live: { pages: [somePage] },
    },
  });
  const account = service.account("test_demo");
  await send(service, "DELETE", "/api/content/shoes");
  await send(service, "DELETE", `/api/content/${service.account("live").pages[0]?.id}`, { key: "live" });

  account.reset();
  const [seeded, untouched] = [account.pages, service.account("live").pages];
  service.reset();

  expect([seeded.length, untouched.length, service.account("live").pages.length]).toEqual([1, 0, 1]);
  expect(account.pages).toMatchObject([{ id: "shoes", title: somePage.title }]);
  expect(account.events).toMatchObject([{ pageId: "shoes", type: "view" }]);
});

test("a wrong seed is refused with every wrong field", () => {
  const page = { ...somePage, slug: "No Slug", cta: { ...somePage.cta, url: "nowhere" } };

  expect(() => createMockService({ seed: { test_demo: { pages: [somePage, page] } } })).toThrow(
    "seed: pages[1]: wrong fields\n  #/slug: expected lower-case letters and digits in words joined by single hyphens\n  #/cta/url: expected an absolute http or https URL",
  );
  expect(() => createMockService({ seed: { demo: {} } })).toThrow(/opens no account/);
  expect(() => createMockService({ seed: { test_demo: { events: [{ ...event, pageId: "gone" }] } } })).toThrow(
    'seed: events[0]: wrong fields\n  #/pageId: the account has no page "gone"',
  );
});

test("a service with the same clock and randomness as one it was restored from gives no id twice", async () => {
  const options = { now: () => 0, random: () => 0.5 };
  const service = createMockService(options);
  const first = await create(service);
  const other = createMockService(options);
  other.restore(service.snapshot());

  const second = await create(other);

  expect(second.id).not.toBe(first.id);
  expect(other.account("test_demo").pages).toEqual([first, second]);
});

test("an export holds one moment, whatever comes and goes while it is written", async () => {
  const service = createMockService();
  const page = await create(service);
  for (let index = 0; index < 100; index += 1) await create(service, { slug: `page-${index}` });
  const before = service.account("test_demo").pages;

  const pieces = service.exportLines()[Symbol.iterator]();
  const lines = [pieces.next().value, pieces.next().value];
  await send(service, "DELETE", `/api/content/${page.id}`);
  await create(service);
  for (let piece = pieces.next(); piece.done !== true; piece = pieces.next()) lines.push(piece.value);
  const other = createMockService();
  await other.importLines(lines.map(String));

  expect(other.account("test_demo").pages).toEqual(before);
});

const create201 = { key: "k", fingerprint: "", expiresAtMs: 0, status: 201, headers: {}, body: "" };

test.each([
  ["headers HTTP cannot carry", { ...create201, headers: { Location: "/a\r\nX: b" } }],
  ["a status that no create has", { ...create201, status: 204 }],
  ["a key that no request can send", { ...create201, key: "a b" }],
])("a snapshot with %s is refused", (_, remembered) => {
  const service = createMockService();

  // why: what a file holds may be anything
  const snapshot = { version: 1, records: [{ account: "test_a", create: remembered }] } as Snapshot;

  expect(() => service.restore(snapshot)).toThrow(/records\[0\]: create/);
});

test("integer ids go on counting after a restore", async () => {
  const service = createMockService({ dialect: { switches: { "page-id-type": "integer" } } });
  await create(service);
  await create(service, { slug: "second" });
  const other = createMockService({ dialect: { switches: { "page-id-type": "integer" } } });

  other.restore(service.snapshot());
  const { id } = await create(other, { slug: "third" });

  expect(id).toBe(3);
});
