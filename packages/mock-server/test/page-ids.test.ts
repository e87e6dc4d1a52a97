import { isObject } from "@landing-page-service/contract";
import { escapeTemplate, type Json } from "@landing-page-service/contract/dialect";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService, type DialectChoice, type MockService } from "../src/index.ts";
import { send, somePage } from "./client.ts";

const timestamp = "2026-03-01T12:00:00Z";
const key = "test_ids";

/** Creates some pages, and then names each by what stands in one member of the answer. */
async function makePages(service: MockService, member = "name"): Promise<string[]> {
  const written: string[] = [];
  for (const slug of ["tea", "tea-2", "tea-2-3"]) {
    const { body } = await send(service, "POST", "/api/content", { key, body: { ...somePage, slug } });
    written.push(isObject(body) ? String(body[member]) : "");
  }
  return written;
}

/** Tracks, updates and deletes the pages that were made, each by its written name. */
async function expectUsable(service: MockService, written: readonly string[]): Promise<void> {
  const account = service.account(key);
  const titles = account.pages.map(({ id }) => `Page ${id}`);
  for (const [index, name] of written.entries()) {
    const path = `/api/content/${encodeURIComponent(name)}`;
    const event = await send(service, "POST", "/api/analytics/view", { key, body: { pageId: name, timestamp } });
    const update = await send(service, "PUT", path, { key, body: { title: titles[index] } });
    expect([name, event.status, update.status]).toEqual([name, 202, 200]);
    expect(service.assignment(name, key)).toBeDefined();
  }
  expect(account.pages.map(({ title }) => title)).toEqual(titles);
  expect(account.events.map(({ pageId }) => pageId)).toEqual(written);
  for (const name of written) {
    const { status } = await send(service, "DELETE", `/api/content/${encodeURIComponent(name)}`, { key });
    expect([name, status]).toEqual([name, 204]);
  }
  expect(account.pages).toEqual([]);
}

const idTypes = fc.constantFrom("string" as const, "integer" as const);
const constant = fc.oneof(
  fc.constantFrom("", "urn:", "page-", "1", "0", "p/", "a b", "?id=", "%2F", "tea", "{", "é", "$&"),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);
const placeholder = fc.constantFrom("{id}", "{id:text}", "{id:url}", "{id:json}", "{id:html}", "{id:text:url}");

test("an identifier inside a longer string is found again", async () => {
  await fc.assert(
    fc.asyncProperty(constant, placeholder, constant, idTypes, async (before, id, after, idType) => {
      const name = `${escapeTemplate(before)}${id}${escapeTemplate(after)}`;
      const answers = { page: { name, slug: "{slug}" } };
      const service = createMockService({ dialect: { switches: { "page-id-type": idType }, answers } });

      await expectUsable(service, await makePages(service));
    }),
    { numRuns: 40, examples: [["1", "{id}", "", "integer"]] },
  );
});

test.each<[string, { [name: string]: Json }, (answer: { [name: string]: unknown }) => unknown]>([
  ["the end of a link", { self: "/v2/pages/page-{id}" }, ({ self }) => String(self).split("/").at(-1)],
  ["the key of a map", { "p:{id}": { slug: "{slug}" } }, (answer) => Object.keys(answer)[0]],
  ["a member below", { meta: { ids: ["x", "n-{id}"] } }, ({ meta }) => (meta as { ids: string[] }).ids[1]],
])("an identifier can be %s", async (_where, page, read) => {
  const service = createMockService({ dialect: { answers: { page } } });
  const { body } = await send<{ [name: string]: unknown }>(service, "POST", "/api/content", { key, body: somePage });

  await expectUsable(service, [String(read(body))]);
});

test("the journal and faults know a page by the mock's own identifier, however its callers write it", async () => {
  const dialect: DialectChoice = { answers: { page: { id: "urn:page:{id}", slug: "{slug}" } } };
  const service = createMockService({ dialect });
  const mock = service.account(key);
  const [written = ""] = await makePages(service, "id");
  const pageId = mock.pages[0]?.id ?? "";
  mock.faults.add({ pageId, endpoint: "deletePage", status: 503, times: 1 });
  const remove = () => send(service, "DELETE", `/api/content/${encodeURIComponent(written)}`, { key });

  const statuses = [(await remove()).status, (await remove()).status];

  expect(written).toBe(`urn:page:${pageId}`);
  expect(statuses).toEqual([503, 204]);
  expect(mock.requests({ pageId }).map(({ endpoint }) => endpoint)).toEqual(["createPage", "deletePage", "deletePage"]);
});

test("what names no page is as unknown as it was", async () => {
  const service = createMockService({ dialect: { answers: { page: { id: "urn:{id}:x" } } } });
  await makePages(service, "id");
  const names = ["urn::x", "urn:pg_1:x", "urn:", ":x", "urn:x", "x".repeat(10_000), "%"];

  const statuses = await Promise.all(
    names.map((name) => send(service, "DELETE", `/api/content/${encodeURIComponent(name)}`, { key })),
  );

  expect(statuses.map(({ status }) => status)).toEqual(names.map(() => 404));
});
