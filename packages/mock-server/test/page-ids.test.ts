// A dialect may write a page's id as part of a longer string; callers then use that string as the id.
import { escapeTemplate } from "@landing-page-service/contract/dialect";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService, type MockService } from "../src/index.ts";
import { post, remove, somePage, track, update } from "./client.ts";

const key = "test_ids";

/** Creates three pages and returns the ids in their responses: the field `name`, or what matches the pattern. */
async function createPages(service: MockService, pattern?: RegExp): Promise<string[]> {
  const ids: string[] = [];
  for (const slug of ["tea", "tea-2", "tea-2-3"]) {
    const { text } = await post(service, { key, body: { ...somePage, slug } });
    ids.push(pattern === undefined ? String(JSON.parse(text).name) : (pattern.exec(text)?.[0] ?? ""));
  }
  return ids;
}

/** Tracks, updates and deletes the pages by the ids that their responses showed. */
async function expectUsable(service: MockService, ids: readonly string[]): Promise<void> {
  const account = service.account(key);
  const titles = account.pages.map(({ id }) => `Page ${id}`);
  for (const [index, id] of ids.entries()) {
    const event = await track(account.clientOptions, id);
    const changed = await update(account.clientOptions, encodeURIComponent(id), { title: titles[index] });
    expect([id, event.status, changed.status]).toEqual([id, 202, 200]);
    expect(service.assignment(id, key)).toBeDefined();
  }
  expect(account.pages.map(({ title }) => title)).toEqual(titles);
  expect(account.events.map(({ pageId }) => pageId)).toEqual(ids);
  for (const id of ids) expect(await deletePage(service, id)).toBe(204);
  expect(account.pages).toEqual([]);
}

const deletePage = async (service: MockService, id: string): Promise<number> =>
  (await remove(service, encodeURIComponent(id), { key })).status;

const constant = fc.oneof(
  fc.constantFrom("", "urn:", "1", "p/", "a b", "?id=", "%2F", "{", "é", "$&"),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);
const placeholder = fc.constantFrom("{id}", "{id:text}", "{id:url}", "{id:json}", "{id:html}", "{id:text:url}");
const idTypes = fc.constantFrom("string" as const, "integer" as const);

test("an id inside a longer string is accepted in that form", async () => {
  await fc.assert(
    fc.asyncProperty(constant, placeholder, constant, idTypes, async (before, id, after, idType) => {
      const page = { name: `${escapeTemplate(before)}${id}${escapeTemplate(after)}`, slug: "{slug}" };
      const service = createMockService({ dialect: { switches: { "page-id-type": idType }, answers: { page } } });

      await expectUsable(service, await createPages(service));
    }),
    { examples: [["1", "{id}", "", "integer"]] },
  );
});

test.each([
  ["the end of a link", { self: "/v2/pages/page-{id}" }, /page-\w+/],
  ["a field's name", { "p:{id}": { slug: "{slug}" } }, /p:\w+/],
  ["nested, with the host", { meta: { ids: ["x", "{host}:{id}"] } }, /[\w.-]+\.test:\w+/],
])("an id can be %s", async (_where, page, pattern) => {
  const service = createMockService({ dialect: { answers: { page } } });

  await expectUsable(service, await createPages(service, pattern));
});

test.each<[string, (id: string) => string]>([
  ["{id}", (id) => id],
  ["urn:page:{id}", (id) => `urn:page:${id}`],
])("with the pageId %s, no other form of an id is accepted", async (pageId, write) => {
  const answers = { page: { name: "urn:page:{id}", link: "/pages/page-{id}", slug: "{slug}" } };
  const service = createMockService({ dialect: { pageId, answers } });
  await createPages(service);
  const ids = service.account(key).pages.map(({ id }) => id);

  const [id = ""] = ids;
  const others = [id, `urn:page:${id}`, `page-${id}`].filter((other) => other !== write(id));
  for (const other of others) expect(await deletePage(service, other)).toBe(404);
  await expectUsable(service, ids.map(write));
});

test("the journal and faults use the mock's own id, and an unknown id stays unknown", async () => {
  const service = createMockService({ dialect: { answers: { page: { name: "urn:page:{id}", slug: "{slug}" } } } });
  const mock = service.account(key);
  const [written = ""] = await createPages(service);
  const pageId = mock.pages[0]?.id ?? "";
  mock.faults.add({ pageId, endpoint: "deletePage", status: 503, times: 1 });
  const unknown = ["urn:page:", "urn:page:x", `urn:${pageId}`, "x".repeat(10_000), "%"];

  const statuses: number[] = [];
  for (const id of [written, written, ...unknown]) statuses.push(await deletePage(service, id));

  expect(written).toBe(`urn:page:${pageId}`);
  expect(statuses).toEqual([503, 204, ...unknown.map(() => 404)]);
  expect(mock.requests({ pageId }).map(({ endpoint }) => endpoint)).toEqual(["createPage", "deletePage", "deletePage"]);
});
