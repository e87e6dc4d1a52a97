import type { PageRecord } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type AccountRecord, createMockService, type Domain, type StateRecord } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";

const event = { pageId: "", timestamp: "2026-01-02T03:04:05Z" };

const move = fc.record({
  kind: fc.constantFrom("create", "create", "once", "update", "delete", "event", "plan", "clock", "clocks"),
  key: fc.constantFrom("test_demo", "test_other", "test_third"),
  slug: fc.constantFrom("one", "two", "two-2"),
  title: fc.constantFrom("Espresso beans", "Straße 靴 👟 \u2028", '"quoted" \\n', "Car insurance"),
  place: fc.nat({ max: 5 }),
});
const garden: Domain = { name: "garden.example", topics: ["garden"], keywords: [] };

test("a snapshot brings back pages, events, idempotency keys and plans, and placements as they were decided", async () => {
  const service = createMockService();
  service.account("test_demo").setPlan("pro");
  const headers = { "Idempotency-Key": "once" };
  const { body: page } = await send(service, "POST", "/api/content", { body: somePage, headers });
  const view = { body: { ...event, pageId: page.id }, headers };
  const { text: receipt } = await send(service, "POST", "/api/analytics/view", view);
  await send(service, "PUT", `/api/content/${page.id}`, { body: { title: "Cheap insurance", slug: "cover" } });
  const placement = service.assignment(page.id);
  expect(placement?.explanation).toBeTruthy();
  const before = service.account("test_demo");
  const [pages, events] = [before.pages, before.events];

  // why: a snapshot must survive the way through a file
  const snapshot = JSON.parse(JSON.stringify(service.snapshot())) as StateRecord[];
  const other = createMockService({ domains: [garden] });
  const counts = other.restore(snapshot);

  const account = other.account("test_demo");
  const replayed = await send(other, "POST", "/api/content", { body: somePage, headers });
  const viewed = await send(other, "POST", "/api/analytics/view", view);
  const twin = await create(other, { slug: "cover" });
  expect(counts).toEqual({ accounts: 1, pages: 1, events: 1 });
  expect(account.pages.slice(0, 1)).toEqual(pages);
  expect(account.events).toEqual(events);
  expect(replayed.body).toEqual(page);
  expect(viewed.text).toBe(receipt);
  expect(other.assignment(page.id)).toEqual(placement);
  expect(placement?.domains[0]?.terms.map(({ term }) => term)).toContain("shoes");
  expect(twin.domains).toEqual([{ name: "garden.example", url: "https://garden.example/cover" }]);
  expect(account.rateLimit.limit).toBe(6000);
});

test("an export in pieces of any size is read back line by line", async () => {
  const service = createMockService();
  for (let index = 0; index < 60; index += 1) await create(service, { slug: `page-${index}`, title: "Straße 靴 👟" });
  await create(service, {}, "test_other");
  const bytes = new TextEncoder().encode(Array.from(service.exportLines()).join(""));
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1001) }, (_, index) =>
    bytes.subarray(index * 1001, (index + 1) * 1001),
  );

  const other = createMockService();
  const counts = await other.importLines(pieces);

  expect(counts).toEqual({ accounts: 2, pages: 61, events: 0 });
  expect(other.account("test_demo").pages).toEqual(service.account("test_demo").pages);
  expect(Array.from(other.exportLines()).join("")).toBe(Array.from(service.exportLines()).join(""));
});

const aPlan = `{"account":"test_a","plan":"free"}`;

test.each([
  ["nothing", "", /line 1: expected a record, got nothing/],
  ["blank lines", "\n \r\n\n", /line 1: expected a record, got nothing/],
  ["another file", `{"name":"x"}\n`, /line 1:\s+account: is required.*name: unknown field/s],
  ["a JSON list", `[{"account":"test_a"}]`, /line 1: expected a record such as {"account": "test_shop", "page": {…}}/],
  ["an export of old", `{"version":1}\n`, /line 1: version: expected 3; another release wrote this, got 1/],
  ["half a line", `{"version":3}\n{"account"`, /line 2: expected a record as JSON on one line/],
  ["JSON over several lines", `{\n"account":"test_a"}`, /line 1: expected a record as JSON on one line, got "{"/],
  ["half the lines", `{"version":3,"records":2}\n${aPlan}\n`, /expected 2 records after the first.*got 1/],
  ["more than all lines", `{"version":3,"records":0}\n${aPlan}\n`, /expected 0 records after the first.*got 1/],
  ["two exports", `{"version":3}\n${aPlan}\n{"version":3}\n`, /line 3:.*version: unknown field/s],
  ["a plan that is none", `{"account":"test_a","plan":"gold"}`, /line 1: plan: expected "free", "starter"/],
  ["a misspelt field", `{"account":"test_a","pag":{}}`, /line 1:\s+pag: unknown field; did you mean "page"\?/],
  ["an account that is none", `{"account":7,"page":{}}`, /line 1: account: .*string/],
  ["nothing about an account", `{"account":"test_a"}`, /line 1: must have a page, an event or a plan/],
  [
    "a page without a title",
    `{"account":"test_a","page":{"id":"p","domains":[]}}`,
    /line 1: page:\s+title: is required/,
  ],
  ["a page without anything", `{"account":"test_a","page":{}}`, /line 1: page: wrong fields\n {2}#\/title/],
  ["a page with a wrong id", `{"account":"test_a","page":{"id":"a/b"}}`, /page.id: no page can have the id "a\/b"/],
  ["a page with another kind of id", `{"account":"test_a","page":{"id":{}}}`, /page.id: no page can have the id {}/],
  ["reasons that are none", `{"account":"test_a","page":{},"assignment":[]}`, /line 1: assignment/],
  [
    "an event for no page",
    `{"account":"test_a","event":{"pageId":"gone","timestamp":"2026-01-02T03:04:05Z"}}`,
    /line 1: event: .*no page "gone"/s,
  ],
  ["an unknown account", `{"account":"acme","plan":"free"}`, /no account with the id "acme"/],
  [
    "a remembered create without a page",
    `{"account":"test_a","remembered":{"endpoint":"createPage","key":"k","fingerprint":"","expiresAtMs":0}}`,
    /line 1: remembered: must have the page/,
  ],
  [
    "a key that no request can send",
    `{"account":"test_a","remembered":{"endpoint":"createPage","key":"a b","fingerprint":"","expiresAtMs":0}}`,
    /line 1:\s+remembered.key: expected an Idempotency-Key/,
  ],
])("an import of %s says what is wrong and changes nothing", async (_, text, message) => {
  const service = createMockService();
  const page = await create(service);

  await expect(service.importLines([text])).rejects.toThrow(message);
  await expect(service.importLines([Buffer.from(text)])).rejects.toThrow(message);

  expect(service.account("test_demo").pages).toEqual([page]);
});

test("an import of bytes that are not UTF-8 names the line", async () => {
  const service = createMockService();

  const importing = service.importLines([Buffer.from(`{"version":3}\n{"account":`), Buffer.from([0xff, 0x0a])]);

  await expect(importing).rejects.toThrow("line 2: expected UTF-8");
});

test("an import refuses the same page and the same URL twice", async () => {
  const service = createMockService();
  await create(service);
  const lines = Array.from(service.exportLines()).join("").split("\n");
  const line = lines.find((text) => text.includes('"page":')) ?? "";
  const text = `{"version":3}\n${line}\n`;

  await expect(service.importLines([text, line])).rejects.toThrow(/line 3: page.id: another page has the id pg_/);
  await expect(service.importLines([text, line.replace(/"id":"pg_/, '"id":"pg_X')])).rejects.toThrow(
    /line 3: page: another page has the URL https:\/\/stridehouse.example\/red-shoes/,
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

  const counts = await service.importLines([lines.join("\n")]);

  expect(counts).toEqual({ accounts: 2500, pages: 0, events: 2500 });
  expect(service.snapshot().slice(1)).toEqual(lines.map((line): unknown => JSON.parse(line)));
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
  expect(() => account.restore(service.snapshot())).toThrow(/records of one account, got those of 2/);
});

test("accounts begin with their seed, and a reset brings it back", async () => {
  const service = createMockService({
    accounts: [{ id: "acme", keys: ["live"] }],
    seed: [
      { account: "test_demo", page: { ...somePage, id: "shoes" } },
      { account: "test_demo", event: { ...event, pageId: "shoes" } },
      { account: "acme", page: somePage },
      { account: "acme", plan: "free" },
    ],
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
  const account = "test_demo";
  const page = { ...somePage, slug: "No Slug", cta: { ...somePage.cta, url: "nowhere" } };

  expect(() =>
    createMockService({
      seed: [
        { account, page: somePage },
        { account, page },
      ],
    }),
  ).toThrow(
    'seed[1]: page: wrong fields\n  #/slug: expected lower-case letters and digits in words joined by single hyphens, got "No Slug"\n  #/cta/url: expected an absolute http or https URL, got "nowhere"',
  );
  expect(() => createMockService({ seed: [{ account: "demo", page: somePage }] })).toThrow(
    /no account with the id "demo"/,
  );
  expect(() => createMockService({ seed: [{ account, event: { ...event, pageId: "gone" } }] })).toThrow(
    'seed[0]: event: wrong fields\n  #/pageId: the account has no page "gone"',
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

test("an export is of one point in time, whatever changes while it is written", async () => {
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

test("integer ids go on counting after a restore", async () => {
  const service = createMockService({ dialect: { switches: { "page-id-type": "integer" } } });
  await create(service);
  await create(service, { slug: "second" });
  const other = createMockService({ dialect: { switches: { "page-id-type": "integer" } } });

  other.restore(service.snapshot());
  const { id } = await create(other, { slug: "third" });

  expect(id).toBe(3);
});

test("a reset restores the seed, ids and timestamps included", async () => {
  let nowMs = 0;
  const service = createMockService({
    now: () => (nowMs += 1000),
    seed: [
      { account: "test_demo", page: somePage },
      { account: "test_demo", plan: "free" },
    ],
  });
  const account = service.account("test_demo");
  const [pages, placement] = [account.pages, service.assignment(account.pages[0]?.id ?? "")];
  await send(service, "PUT", `/api/content/${pages[0]?.id}`, { body: { title: "Another" } });
  account.setPlan("unlimited");

  account.reset();
  const afterOne = [account.pages, account.rateLimit.limit, service.assignment(pages[0]?.id ?? "")];
  await send(service, "DELETE", `/api/content/${pages[0]?.id}`);
  service.reset();

  expect(afterOne).toEqual([pages, 60, placement]);
  expect(account.pages).toEqual(pages);
});

test("after an import, a reset goes back to what was imported", async () => {
  const first = createMockService();
  const page = await create(first, {}, "test_kept");
  const lines = Array.from(first.exportLines());
  const service = createMockService({ seed: [{ account: "test_seeded", page: somePage }] });
  await service.importLines(lines);
  await send(service, "DELETE", `/api/content/${page.id}`, { key: "test_kept" });
  await create(service, {}, "test_later");

  service.reset();

  expect(Array.from(service.exportLines())).toEqual(lines);
  service.account("test_kept").reset();
  service.account("test_seeded").reset();
  expect(Array.from(service.exportLines())).toEqual(lines);
});

test("an import that fails leaves alone what a reset goes back to", async () => {
  const service = createMockService({ seed: [{ account: "test_demo", page: somePage }] });
  const before = service.snapshot();

  await expect(service.importLines([`{"version":3,"records":5}`])).rejects.toThrow(/got 0/);
  service.reset();

  expect(service.snapshot()).toEqual(before);
});

test("whatever was done to it, a service and what is made from its export hold the same, and so after a reset", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
      const service = createMockService();
      for (const { kind, key, slug, title, place } of moves) {
        const account = service.account(key);
        const id = account.pages[place % Math.max(account.pages.length, 1)]?.id ?? "none";
        if (kind === "create") await create(service, { slug, title }, key);
        else if (kind === "once") {
          const headers = { "Idempotency-Key": `key-${place}` };
          await send(service, "POST", "/api/content", { key, headers, body: { ...somePage, title } });
        } else if (kind === "update") await send(service, "PUT", `/api/content/${id}`, { key, body: { slug, title } });
        else if (kind === "delete") await send(service, "DELETE", `/api/content/${id}`, { key });
        else if (kind === "event") {
          const headers = { "Idempotency-Key": `key-${place}` };
          const body = { ...event, pageId: id };
          await send(service, "POST", "/api/analytics/view", { key, body, ...(slug === "one" && { headers }) });
        } else if (kind === "clock") account.clock.advance(place * 1000);
        else if (kind === "clocks") service.clock.advance(place * 1000);
        else account.setPlan(place % 2 === 0 ? "free" : { limit: place + 100, windowMs: 1000 });
      }
      const [lines, records] = [Array.from(service.exportLines()), service.snapshot()];

      const [imported, restored] = [createMockService(), createMockService()];
      await imported.importLines(lines);
      restored.restore(records);
      const seeded = createMockService({ seed: records });

      for (const other of [imported, restored, seeded]) {
        const texts = Array.from(other.exportLines()).join("").split("\n");
        expect(texts.toSorted()).toEqual(lines.join("").split("\n").toSorted());
      }
      for (const other of [imported, seeded]) {
        const before = other.snapshot();
        for (const { slug, key } of moves) await create(other, { slug }, key);
        other.reset();
        expect(other.snapshot()).toEqual(before);
      }
    }),
    { numRuns: 25 },
  );
});

test("a file that is no list of lines is given up long before its end", async () => {
  let pieces = 0;
  function* endless() {
    for (;;) {
      pieces += 1;
      yield "x".repeat(1024 * 1024);
    }
  }

  await expect(createMockService().importLines(endless())).rejects.toThrow(/line 1: expected a record, got more than/);

  expect(pieces).toBeLessThan(20);
});

test("requests under way while a state is restored get a 503, and write nothing", async () => {
  const hold = Promise.withResolvers<void>();
  const service = createMockService({ latencyMs: 1, sleep: () => hold.promise });
  const snapshot = service.snapshot();
  const creating = send(service, "POST", "/api/content", { body: somePage });

  service.restore(snapshot);
  hold.resolve();

  expect((await creating).status).toBe(503);
  expect(service.snapshot()).toEqual(snapshot);
});

test("a page that came with its domains but without reasons keeps the domains, and has no reasons", async () => {
  const placed = (await exportOfOne()).find((record) => "page" in record);
  const { assignment: _, ...bare } = placed as AccountRecord & { page: PageRecord }; // why: pages of a service are placed
  const service = createMockService({ domains: [garden], seed: [bare] });

  expect(service.account("test_demo").pages).toEqual([bare.page]);
  expect(service.assignment(bare.page.id)).toBeUndefined();
});

async function exportOfOne(): Promise<StateRecord[]> {
  const service = createMockService();
  await create(service);
  return service.snapshot();
}

test("clocks are part of a state: a reset, a restore and an import put them back", async () => {
  const service = createMockService({ now: () => 0 });
  const account = service.account("test_demo");
  service.clock.advance(60_000);
  account.clock.advance(1000);
  const [snapshot, lines] = [service.snapshot(), Array.from(service.exportLines())];
  service.clock.advance(5000);
  account.clock.set(7);

  service.restore(snapshot);
  const restored = [service.clock.now(), account.clock.now()];
  service.reset();
  const atStart = [service.clock.now(), account.clock.now()];
  await service.importLines(lines);
  service.clock.advance(5000);
  account.clock.set(7);
  account.reset();
  const afterOne = account.clock.now();
  service.reset();

  expect(restored).toEqual([60_000, 61_000]);
  expect(atStart).toEqual([0, 0]);
  expect(afterOne).toBe(66_000);
  expect([service.clock.now(), account.clock.now()]).toEqual([60_000, 61_000]);
});

test.each([{}, { switches: { "page-id-type": "integer" as const } }])(
  "an id of a page that is gone is not given again after an export (%o)",
  async (dialect) => {
    const options = { now: () => 0, random: () => 0.5, dialect };
    const service = createMockService(options);
    const first = await create(service);
    const gone = await create(service, { slug: "gone" });
    await send(service, "DELETE", `/api/content/${gone.id}`);
    const other = createMockService(options);
    await other.importLines(service.exportLines());

    const next = await create(other);
    other.reset();
    const again = await create(other);

    expect(new Set([first.id, gone.id, next.id]).size).toBe(3);
    expect(again.id).toBe(next.id);
  },
);
