import type { Interpretation } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect } from "vitest";
import { createMockService } from "../src/index.ts";
import { create, list, remove, send, test, update } from "./client.ts";

test("an update changes only the fields that are sent, and an update without fields does not even change the timestamp", async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const service = createMockService({ now: () => nowMs });
  const page = await create(service);
  nowMs += 1000;
  const changes = { title: "Blue shoes", cta: { url: "https://shop.example/blue" } };

  const { status, body } = await update(service, page.id, changes);

  expect(status).toBe(200);
  expect(body).toEqual({
    ...page,
    title: "Blue shoes",
    cta: { ...page.cta, url: "https://shop.example/blue" },
    updated_at: "2026-01-01T00:00:01.000Z",
  });
  nowMs += 1000;
  expect((await update(service, page.id, {})).body).toEqual(body);
});

test("URLs are unique, follow a changed slug while the domains stay, and are free again after a delete", async () => {
  const service = createMockService({ domains: [{ name: "a.example", topics: [], keywords: [], catchAll: true }] });
  const pages = [];
  for (const slug of ["tea", "tea-3", "tea", "tea"]) pages.push(await create(service, { slug }));

  const moved = await update(service, pages[2]?.id, { slug: "tea-3" });
  await remove(service, pages[0]?.id);
  const kept = await update(service, pages[3]?.id, { slug: "tea-4" });
  const freed = [await create(service, { slug: "tea" }), await create(service, { slug: "tea-2" })];

  const urls = [...pages, moved.body, kept.body, ...freed].map((page) => page.domains[0]?.url);
  const paths = ["tea", "tea-3", "tea-2", "tea-4", "tea-3-2", "tea-4", "tea", "tea-2"];
  expect(urls).toEqual(paths.map((path) => `https://a.example/${path}`));
});

test("a list has 20 pages by default, oldest first, and the total", async ({ service }) => {
  for (let index = 0; index < 25; index += 1) await create(service, { slug: `page-${index}` });

  const { body } = await list(service);

  expect(body).toMatchObject({ total: 25, limit: 20, offset: 0 });
  expect(body.data.map(({ slug }) => slug)).toEqual(Array.from({ length: 20 }, (_, index) => `page-${index}`));
});

const action = fc.record({
  kind: fc.constantFrom("create", "create", "update", "delete", "list"),
  slug: fc.constantFrom("one", "two", "three"),
  title: fc.constantFrom("Espresso beans", "Running shoes"),
  place: fc.nat({ max: 20 }),
});

test.for<Interpretation<"list-order">>(["oldest-first", "newest-first"])(
  "after any creates, updates and deletes, every list equals that of a plain array: %s",
  async (order) => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const service = createMockService({ dialect: { switches: { "list-order": order } } });
        let model: { id: string; slug: string; title: string }[] = [];
        for (const { kind, slug, title, place } of actions) {
          const target = model[place % Math.max(model.length, 1)];
          if (kind === "create") model.push({ id: (await create(service, { slug, title })).id, slug, title });
          else if (kind === "update" && target !== undefined) {
            await update(service, target.id, { slug, title });
            Object.assign(target, { slug, title });
          } else if (kind === "delete" && target !== undefined) {
            await remove(service, target.id);
            model = model.filter(({ id }) => id !== target.id);
          }
          const filter = kind === "list" ? `&slug=${slug}` : "";
          const { body } = await list(service, `?limit=5&offset=${place}${filter}`);
          const matching = model.filter((page) => filter === "" || page.slug === slug);
          const ordered = order === "newest-first" ? matching.toReversed() : matching;
          expect(body.total).toBe(matching.length);
          expect(body.data).toMatchObject(ordered.slice(place, place + 5));
        }
        const urls = service.account("test_demo").pages.flatMap(({ domains }) => domains.map(({ url }) => url));
        expect(new Set(urls).size).toBe(urls.length);
      }),
    );
  },
);

test.for<[string, string[]]>([
  ["slug=green-tea", ["green-tea"]],
  ["slug=nothing", []],
  ["domain=slowroastclub.example", ["green-tea", "espresso"]],
  ["q=leaves", ["green-tea"]],
  ["q=FRESH+coffee", ["espresso"]],
  ["q=fresh&domain=slowroastclub.example&offset=1", ["espresso"]],
  [`q=${encodeURIComponent("靴")}`, ["akai-kutsu"]],
  [`q=${encodeURIComponent("cafe\u0301")}`, ["espresso"]],
  ["slug=espresso&domain=stridehouse.example", []],
])("a list takes the filter %s", async ([query, slugs], { service }) => {
  await create(service);
  await create(service, { slug: "green-tea", title: "Green tea", content: "Fresh leaves for the teapot" });
  await create(service, { slug: "espresso", title: "Espresso", content: "Fresh coffee beans, roasted for your café" });
  await create(service, { slug: "akai-kutsu", title: "赤い靴です", content: "赤い靴です" });

  const { body } = await list(service, `?${query}`);

  expect(body.data.map(({ slug }) => slug)).toEqual(slugs);
});

test("no account sees or changes another's pages, and a foreign id looks like an unknown one", async ({ service }) => {
  const { id } = await create(service, {}, "test_one");
  const unknown = id.replace(/.$/, "_");
  const call = async (method: string, id: string, body?: object) => {
    const { status, text } = await send(service, method, `/api/content/${id}`, { key: "test_two", body });
    return `${status} ${text.replaceAll(id, "ID").replace(/"req_[^"]*"/, "REQUEST")}`;
  };

  const foreign = [await call("DELETE", id), await call("PUT", id, { title: "Mine" })];

  expect(foreign).toEqual([await call("DELETE", unknown), await call("PUT", unknown, { title: "Mine" })]);
  expect(foreign).toEqual([expect.stringMatching(/^404 /), expect.stringMatching(/^404 /)]);
  expect((await list(service, "", { key: "test_two" })).body.total).toBe(0);
  expect(service.account("test_one").pages).toHaveLength(1);
});
