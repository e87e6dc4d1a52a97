import type { PageRecordList, Reading } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { OrderedPages } from "../src/state/ordered-pages.ts";
import type { StoredPage } from "../src/state/stored-page.ts";
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

test("pages in blocks give the same ranks as a plain array, however many come and go", () => {
  const pages = new OrderedPages();
  let model: StoredPage[] = [];
  let seed = 7;
  const draw = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const add = (sequence: number) => {
    const page = { id: String(sequence), sequence, slug: "", domains: [], text: "", bytes: 0, assignment: undefined };
    pages.add(page);
    model.push(page);
    model.sort((one, other) => one.sequence - other.sequence);
  };
  const remove = (keep: (page: StoredPage) => boolean) => {
    const kept = new Set(model.filter(keep));
    for (const page of model) if (!kept.has(page)) pages.delete(page);
    model = [...kept];
  };

  for (let sequence = 0; sequence < 12_000; sequence += 2) add(sequence);
  for (const share of [2, 40, 3]) {
    remove(({ sequence }) => sequence % 1000 < 10 || draw(share) === 0);
    for (let count = 0; count < 500; count += 1) {
      const sequence = draw(13_000);
      if (!model.some((page) => page.sequence === sequence)) add(sequence);
    }
    for (const offset of [0, 1, 99, draw(model.length), model.length - 3, model.length, model.length + 5]) {
      expect(pages.slice(offset, 20)).toEqual(model.slice(offset, offset + 20));
      expect(pages.sliceFromEnd(offset, 20)).toEqual(model.toReversed().slice(offset, offset + 20));
    }
    expect([pages.size, Array.from(pages)]).toEqual([model.length, model]);
  }
  remove(() => false);
  expect([pages.size, pages.slice(0, 5)]).toEqual([0, []]);
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
