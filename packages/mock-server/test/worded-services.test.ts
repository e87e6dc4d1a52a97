// Services with unusual field names and shapes. The dialect that a check learns reads every page.
import type { PageRecord, PageRecordList } from "@landing-page-service/contract";
import { readAnswers, resolveDialect } from "@landing-page-service/contract/dialect";
import { readPageFacts, readResponse } from "@landing-page-service/contract/internal";
import { expect, test } from "vitest";
import { createMockService, type MockService } from "../src/index.ts";
import { create, list, post, somePage } from "./client.ts";
import { checkFetch, type Fetch } from "./renamed-pages.ts";

/** How a service writes a page, a list, and the response to a create if it is not a page. */
interface Wording {
  readonly page: (page: PageRecord) => object;
  readonly list: (pages: object[], about: PageRecordList & { hasMore: boolean }) => object;
  readonly created?: (page: PageRecord) => { location: string } | { body: unknown };
}

/** Rewrites the successful responses of the mock. */
function word(
  service: MockService,
  { page, list, created = (one) => ({ body: page(one) }) }: Wording,
): MockService["fetch"] {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await service.fetch(request);
    const text = await response.text();
    const { status } = response;
    const headers = Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("x-ratelimit-")));
    if (status >= 300 || text === "" || request.url.endsWith("/view"))
      return new Response(text === "" ? null : text, { status, headers });
    const body = JSON.parse(text) as PageRecord | PageRecordList; // why: our service responds with one of them
    if ("data" in body) {
      const hasMore = body.offset + body.data.length < body.total;
      return Response.json(list(body.data.map(page), { ...body, hasMore }), { headers });
    }
    if (request.method !== "POST") return Response.json(page(body), { status, headers });
    const made = created(body);
    return "location" in made
      ? new Response(null, { status, headers: { ...headers, Location: made.location } })
      : Response.json(made.body, { status, headers });
  };
}

const text = (value: string) => ({ value, format: "plain" });

const wordings: [string, Wording][] = [
  [
    "with numbers before the identifier, and with a list beside a null",
    {
      page: ({ id, title, slug, content, domains }) => ({
        owner: { id: 7, name: "Ada" },
        length: content.length,
        sys: { key: id },
        heading: title,
        handle: slug,
        text: content,
        sites: domains,
      }),
      list: (projects) => ({ projects, next: null, warnings: [] }),
    },
  ],
  [
    "with fields as objects, and with pages as edges",
    {
      page: ({ id, title, slug }) => ({ ref: id, title: text(title), slug: text(slug) }),
      list: (pages, { total, offset, hasMore }) => {
        const edges = pages.map((node) => ({ node, kind: "edge" }));
        return { result: { edges, info: { count: total, isLast: !hasMore, isFirst: offset === 0 } } };
      },
    },
  ],
  [
    "to a create with only a link that has a query",
    {
      page: ({ id, title, slug }) => ({ no: id, label: title, path: `/${slug}`, slug }),
      list: (rows, { hasMore, offset, limit }) => ({ rows, nextPage: hasMore ? Math.floor(offset / limit) + 2 : null }),
      created: ({ id }) => ({ location: `https://service.example/items/${id}?lang=en` }),
    },
  ],
  [
    "to a create with only a string, and with a bare array to a list",
    {
      page: ({ id, title, slug }) => ({ PageID: id, Title: title, Slug: slug, ParentID: "p-1" }),
      list: (pages) => pages,
      created: ({ id }) => ({ body: id }),
    },
  ],
];

test.for(wordings)("a check learns a service that responds %s, and reads its pages", async ([, wording]) => {
  const report = await checkFetch(word(createMockService(), wording));

  const { endpoints } = readAnswers(resolveDialect(report.dialect).answers);
  const service = createMockService();
  const worded = { baseUrl: service.baseUrl, fetch: word(service, wording) };
  const created = readPageFacts(readResponse(endpoints.createPage, await post(worded)));
  await post(worded, { body: { ...somePage, slug: "another", title: "Another" } });
  const listed = readResponse(endpoints.listPages, await list(worded));
  const stored = service.account("test_demo").pages.map(({ id, title, slug }) => ({ id, title, slug }));

  expect(report.leftovers).toEqual([]);
  expect(created.id).toBe(stored[0]?.id);
  expect(listed.repeated.page?.map(readPageFacts)).toMatchObject(stored);
});

test("a check leaves no page at a service that refuses a wrong key with a 200", async () => {
  const refused = { status: 200, body: { outcome: "REFUSED", explanation: "{detail}" } };
  const service = createMockService({ dialect: { answers: { errors: { 401: refused, 404: refused } } } });

  const report = await checkFetch(service.fetch);

  expect(report.leftovers).toEqual([]);
  expect(service.account("test_check").pages).toEqual([]);
});

test("a failure in a 200 is seen, even if a success has another status and no fields", async () => {
  const trackEvent = { status: 202, body: {} };
  const unknown = { status: 200, body: { ok: false, code: 404, message: "{detail}" } };

  const { gaps } = await checkFetch(
    createMockService({ dialect: { answers: { trackEvent, errors: { 404: unknown } } } }).fetch,
  );

  expect(gaps.find(({ id }) => id === "event-page")?.interpretation).toBe("refused-404");
});

test("the pages of others are not taken for an empty account, whatever the name of their list", async () => {
  const service = createMockService({
    dialect: { answers: { listPages: { body: { microsites: ["{listedPage}"] } } } },
  });
  await create(service, {}, "test_check");

  const { dialect, unseen } = await checkFetch(service.fetch, { yes: true });
  const { drift } = await checkFetch(service.fetch, { yes: true, compare: dialect });

  expect(unseen).toContain("emptyAccount");
  expect(drift).toEqual([]);
});

test("a value that changes another page is no identifier", async () => {
  const service = createMockService();
  const pages = () => service.account("test_check").pages;
  const served: Fetch = async (request) => {
    const [, number] = /\/x-(\d+)$/.exec(new URL(request.url).pathname) ?? [];
    // `x-0` leads to the page after the first, and so on.
    const target = number === undefined ? undefined : pages()[Number(number) === 0 ? 1 : 0];
    const url = target === undefined ? request.url : request.url.replace(/x-\d+$/, target.id);
    const response = await service.fetch(new Request(url, request));
    const text = await response.text();
    const write = (_: string, id: string) => `"number":"x-${pages().findIndex((page) => page.id === id)}","id":"${id}"`;
    return new Response(text === "" ? null : text.replaceAll(/"id":"(pg_\w+)"/g, write), response);
  };

  const report = await checkFetch(served);

  expect(report.statements.find(({ id }) => id === "page-identifier")?.note).toMatch(/^pg_\w+ addresses the page$/);
  expect(report.dialect.answers?.page).toMatchObject({ id: "{id}" });
  const { line = 0 } = report.unexplained.find(({ place }) => place === "page/number") ?? {};
  const file = JSON.stringify({ $schema: "", ...report.dialect }, undefined, 2);
  expect(file.split("\n")[line - 1]).toMatch(/"number": "x-/);
  expect(report.leftovers).toEqual([]);
});
