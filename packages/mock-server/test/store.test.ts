import type { PageRecordList, Reading } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";

const slugs = ["one", "two", "three"];
const titles = ["Espresso beans", "Running shoes", "Car insurance"];
const move = fc.record({
  kind: fc.constantFrom("create", "create", "update", "delete", "list"),
  slug: fc.constantFrom(...slugs),
  title: fc.constantFrom(...titles),
  place: fc.nat({ max: 20 }),
});

test.each<Reading<"list-order">>(["oldest-first", "newest-first"])(
  "whatever comes in whatever order, the service holds what a plain list would hold: %s",
  async (order) => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 40 }), async (moves) => {
        const service = createMockService({ dialect: { switches: { "list-order": order } } });
        let model: { id: string; slug: string; title: string }[] = [];
        for (const { kind, slug, title, place } of moves) {
          const target = model[place % Math.max(model.length, 1)];
          if (kind === "create") {
            const { id } = await create(service, { slug, title });
            model.push({ id, slug, title });
          } else if (kind === "update" && target !== undefined) {
            await send(service, "PUT", `/api/content/${target.id}`, { body: { slug, title } });
            Object.assign(target, { slug, title });
          } else if (kind === "delete" && target !== undefined) {
            await send(service, "DELETE", `/api/content/${target.id}`);
            model = model.filter(({ id }) => id !== target.id);
          }
          const filter = kind === "list" ? `&slug=${slug}` : "";
          const { body } = await send<PageRecordList>(service, "GET", `/api/content?limit=5&offset=${place}${filter}`);
          const matching = model.filter((page) => filter === "" || page.slug === slug);
          const ordered = order === "newest-first" ? matching.toReversed() : matching;
          expect(body.total).toBe(matching.length);
          expect(body.data.map(({ id, slug, title }) => ({ id, slug, title }))).toEqual(
            ordered.slice(place, place + 5),
          );
        }
        const urls = service.account("test_demo").pages.flatMap(({ domains }) => domains.map(({ url }) => url));
        expect(new Set(urls).size).toBe(urls.length);
      }),
      { numRuns: 40 },
    );
  },
);

test("100 000 pages are listed from any offset", async () => {
  const page = { ...somePage, content: "Light shoes.", domains: [], created_at: "", updated_at: "" };
  const seed = Array.from({ length: 100_000 }, (_, index) => ({
    account: "test_demo",
    page: { ...page, id: `p${index}`, slug: `page-${index}` },
  }));
  const service = createMockService({ seed, domains: [] });

  for (const offset of [0, 50_000, 99_999]) {
    const { body } = await send<PageRecordList>(service, "GET", `/api/content?limit=1&offset=${offset}`);
    expect(body).toMatchObject({ data: [{ id: `p${offset}` }], total: 100_000 });
  }
});

test("pages of one slug have URLs of their own, and a URL is free again once its page is gone", async () => {
  const service = createMockService({ domains: [{ name: "a.example", topics: [], keywords: [], catchAll: true }] });
  const urlOf = async (slug: string) =>
    (await create(service, { slug })).domains[0]?.url.replace("https://a.example/", "");

  const urls = [await urlOf("shoes"), await urlOf("shoes-3"), await urlOf("shoes"), await urlOf("shoes")];
  const [first] = service.account("test_demo").pages;
  await send(service, "DELETE", `/api/content/${first?.id}`);

  expect(urls).toEqual(["shoes", "shoes-3", "shoes-2", "shoes-4"]);
  expect(await urlOf("shoes")).toBe("shoes");
});

test("a page deleted twice in the same list is deleted once", async () => {
  const service = createMockService();
  const { id } = await create(service, { slug: "same" });
  await create(service, { slug: "same", title: somePage.title });

  await send(service, "DELETE", `/api/content/${id}`);
  await send(service, "DELETE", `/api/content/${id}`);

  const { body } = await send<PageRecordList>(service, "GET", "/api/content?slug=same");
  expect(body.total).toBe(1);
});
