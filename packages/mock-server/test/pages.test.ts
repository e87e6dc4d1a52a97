import type { PageRecordList } from "@landing-page-service/contract";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";

test("a created page comes back whole, with its place in the network", async () => {
  const service = createMockService({ now: () => Date.UTC(2026, 0, 2) });

  const { status, headers, body } = await send(service, "POST", "/api/content", { body: somePage });

  expect(status).toBe(201);
  expect(headers.get("Location")).toBe(`/api/content/${body.id}`);
  expect(body).toEqual({
    id: expect.stringMatching(/^pg_[0-9A-HJKMNP-TV-Z]{26}$/),
    ...somePage,
    domains: [{ name: "stridehouse.example", url: "https://stridehouse.example/red-shoes" }],
    created_at: "2026-01-02T00:00:00.000Z",
    updated_at: "2026-01-02T00:00:00.000Z",
  });
});

test("an update changes only the fields that are sent", async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const service = createMockService({ now: () => nowMs });
  const page = await create(service);
  nowMs += 1000;

  const { status, body } = await send(service, "PUT", `/api/content/${page.id}`, {
    body: { title: "Blue shoes", cta: { url: "https://shop.example/blue" } },
  });

  expect(status).toBe(200);
  expect(body).toEqual({
    ...page,
    title: "Blue shoes",
    cta: { ...page.cta, url: "https://shop.example/blue" },
    updated_at: "2026-01-01T00:00:01.000Z",
  });
});

test("an update without fields changes nothing, not even the timestamp of the last change", async () => {
  const service = createMockService();
  const page = await create(service);
  service.clock.advance(5000);

  const { status, body } = await send(service, "PUT", `/api/content/${page.id}`, { body: {} });

  expect(status).toBe(200);
  expect(body).toEqual(page);
});

test("URLs follow a changed slug while the domains stay", async () => {
  const service = createMockService();
  await create(service, { slug: "blue-shoes" });
  const page = await create(service);

  const { body } = await send(service, "PUT", `/api/content/${page.id}`, {
    body: { slug: "blue-shoes", title: "Insurance" },
  });
  const freed = await create(service);

  expect(body.domains).toEqual([{ name: "stridehouse.example", url: "https://stridehouse.example/blue-shoes-2" }]);
  expect(freed.domains).toEqual([{ name: "stridehouse.example", url: "https://stridehouse.example/red-shoes" }]);
});

test("a deleted page is gone for good", async () => {
  const service = createMockService();
  const { id } = await create(service);

  const deleted = await send(service, "DELETE", `/api/content/${id}`);

  expect([deleted.status, deleted.text]).toEqual([204, ""]);
  expect((await send(service, "DELETE", `/api/content/${id}`)).status).toBe(404);
  expect((await send(service, "PUT", `/api/content/${id}`, { body: { title: "Back" } })).status).toBe(404);
  expect((await send<PageRecordList>(service, "GET", "/api/content")).body.total).toBe(0);
});

test("a list has 20 pages by default, oldest first, and the total", async () => {
  const service = createMockService();
  for (let index = 0; index < 25; index += 1) await create(service, { slug: `page-${index}` });

  const first = await send<PageRecordList>(service, "GET", "/api/content");
  const rest = await send<PageRecordList>(service, "GET", "/api/content?limit=3&offset=23");

  expect(first.body).toMatchObject({ total: 25, limit: 20, offset: 0 });
  expect(first.body.data.map(({ slug }) => slug)).toEqual(Array.from({ length: 20 }, (_, index) => `page-${index}`));
  expect(rest.body.data.map(({ slug }) => slug)).toEqual(["page-23", "page-24"]);
});

test.each([
  ["slug=green-tea", ["green-tea"]],
  ["slug=nothing", []],
  ["domain=slowroastclub.example", ["green-tea", "espresso"]],
  ["q=leaves", ["green-tea"]],
  ["q=FRESH+coffee", ["espresso"]],
  ["q=fresh&domain=slowroastclub.example&offset=1", ["espresso"]],
  ["q=eaves", []],
  [`q=${encodeURIComponent("靴")}`, ["akai-kutsu"]],
  [`q=${encodeURIComponent("cafe\u0301")}`, ["espresso"]],
  ["q=CAFE", ["espresso"]],
  ["slug=espresso&domain=stridehouse.example", []],
])("a list takes the filter %s", async (query, slugs) => {
  const service = createMockService();
  await create(service);
  await create(service, { slug: "green-tea", title: "Green tea", content: "Fresh leaves for the teapot" });
  await create(service, {
    slug: "espresso",
    title: "Espresso",
    content: "Fresh coffee beans from the roaster, for your café",
  });
  await create(service, { slug: "akai-kutsu", title: "赤い靴です", content: "赤い靴です" });

  const { body } = await send<PageRecordList>(service, "GET", `/api/content?${query}`);

  expect(body.data.map(({ slug }) => slug)).toEqual(slugs);
});

test("no account sees, changes or deletes another's pages, and a foreign id looks like an unknown one", async () => {
  const service = createMockService();
  const { id } = await create(service, {}, "test_one");
  const unknownId = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  const texts = await Promise.all(
    [id, unknownId].map(async (wanted) => {
      const { status, text } = await send(service, "DELETE", `/api/content/${wanted}`, { key: "test_two" });
      return `${status} ${text.replaceAll(wanted, "ID").replace(/"req_[^"]*"/, "REQUEST")}`;
    }),
  );
  const seen = await send<PageRecordList>(service, "GET", "/api/content", { key: "test_two" });
  const update = await send(service, "PUT", `/api/content/${id}`, { key: "test_two", body: { title: "Mine" } });

  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toMatch(/^404 /);
  expect(seen.body.total).toBe(0);
  expect(update.status).toBe(404);
  expect(service.account("test_one").pages).toHaveLength(1);
});
