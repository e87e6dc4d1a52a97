// Services with unusual field names and shapes. The dialect that a check learns reads every page.
import { readAnswers, resolveDialect, type Json } from "@landing-page-service/contract/dialect";
import { readPageFacts, readResponse } from "@landing-page-service/contract/internal";
import { expect, test } from "vitest";
import { checkService } from "../src/check.ts";
import { createMockService, type MockService } from "../src/index.ts";
import { somePage } from "./client.ts";
import type { Fetch } from "./renamed-pages.ts";

type Body = { [name: string]: Json };

/** How a service writes a page, a list, and the response to a create. */
interface Wording {
  readonly page: (page: Body) => Json;
  readonly list: (pages: Json[], about: { total: number; offset: number; limit: number; hasMore: boolean }) => Json;
  /** The response to a create, if it is not a page. */
  readonly created?: (page: Body) => { headers?: Record<string, string>; body?: Json };
}

function word(service: MockService, { page, list, created }: Wording): Fetch {
  return async (request) => {
    const response = await service.fetch(request);
    const text = await response.text();
    const headers = new Headers(response.headers);
    headers.delete("Location");
    if (response.status >= 300 || text === "" || new URL(request.url).pathname.endsWith("/view"))
      return new Response(text === "" ? null : text, { status: response.status, headers });
    const body = JSON.parse(text) as Body; // why: our service responds with an object
    if (Array.isArray(body["data"])) {
      const [total, offset, limit] = [body["total"], body["offset"], body["limit"]].map(Number) as [
        number,
        number,
        number,
      ]; // why: three
      const about = { total, offset, limit, hasMore: offset + body["data"].length < total };
      return Response.json(
        list(
          body["data"].map((one) => page(one as Body)),
          about,
        ),
        { headers },
      ); // why: pages are objects
    }
    if (request.method !== "POST" || created === undefined)
      return Response.json(page(body), { status: response.status, headers });
    const { headers: own = {}, body: json } = created(body);
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    return new Response(json === undefined ? null : JSON.stringify(json), { status: 201, headers });
  };
}

const asText = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const text = (value: Json | undefined): Json => ({ value: value ?? null, format: "plain" });

const wordings: [string, Wording][] = [
  [
    "with numbers before the identifier, and with a list beside a null",
    {
      page: ({ id, title, slug, content, domains }) => ({
        owner: { id: 7, name: "Ada" },
        length: asText(content).length,
        sys: { key: id ?? null },
        heading: title ?? null,
        handle: slug ?? null,
        text: content ?? null,
        sites: domains ?? null,
      }),
      list: (projects) => ({ projects, next: null, warnings: [] }),
    },
  ],
  [
    "with fields as objects, and with pages as edges",
    {
      page: ({ id, title, slug, meta_description }) => ({
        ref: id ?? null,
        title: text(title),
        slug: text(slug),
        about: text(meta_description),
      }),
      list: (pages, { total, offset, hasMore }) => ({
        result: {
          edges: pages.map((node) => ({ node, kind: "edge" })),
          info: { count: total, isLast: !hasMore, isFirst: offset === 0 },
        },
      }),
    },
  ],
  [
    "to a create with only a link that has a query",
    {
      page: ({ id, title, slug }) => ({
        no: id ?? null,
        label: title ?? null,
        path: `/${asText(slug)}`,
        slug: slug ?? null,
      }),
      list: (rows, { hasMore, offset, limit }) => ({ rows, nextPage: hasMore ? Math.floor(offset / limit) + 2 : null }),
      created: ({ id }) => ({ headers: { Location: `https://service.example/items/${asText(id)}?lang=en` } }),
    },
  ],
  [
    "to a create with only a string, and with a bare array to a list",
    {
      page: ({ id, title, slug }) => ({
        PageID: id ?? null,
        Title: title ?? null,
        Slug: slug ?? null,
        ParentID: "p-1",
      }),
      list: (pages) => pages,
      created: ({ id }) => ({ body: id ?? null }),
    },
  ],
];

test.for(wordings)(
  "a check learns a service that responds %s, and the learned dialect reads its pages",
  async ([, wording]) => {
    const fetch = word(createMockService(), wording);
    const options = { baseUrl: "https://service.example", apiKey: "test_check" };
    const report = await checkService({ ...options, fetch, sleep: () => Promise.resolve() });

    const { endpoints } = readAnswers(resolveDialect(report.dialect).answers);
    const service = createMockService();
    const send = async (method: string, body?: unknown) => {
      const headers = { Authorization: "Bearer test_demo", "Content-Type": "application/json" };
      const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await word(service, wording)(new Request(`${service.baseUrl}/api/content`, request));
      return { headers: response.headers, text: await response.text() };
    };
    const created = readPageFacts(readResponse(endpoints.createPage, await send("POST", somePage)));
    await send("POST", { ...somePage, slug: "another", title: "Another" });
    const listed = readResponse(endpoints.listPages, await send("GET"));
    const { pages } = service.account("test_demo");

    expect(report.leftovers).toEqual([]);
    expect(created.id).toBe(pages[0]?.id);
    expect(listed.repeated.page?.map(readPageFacts)).toMatchObject(
      pages.map(({ id, title, slug }) => ({ id, title, slug })),
    );
  },
);

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

  const report = await checkService({ baseUrl: "https://service.example", apiKey: "test_check", fetch: served });

  expect(report.statements.find(({ id }) => id === "page-identifier")?.note).toMatch(/^pg_\w+ addresses the page$/);
  expect(report.dialect.answers?.page).toMatchObject({ id: "{id}" });
  const { line = 0 } = report.unexplained.find(({ place }) => place === "page/number") ?? {};
  const file = JSON.stringify({ $schema: "", ...report.dialect }, undefined, 2);
  expect(file.split("\n")[line - 1]).toMatch(/"number": "x-/);
  expect(report.leftovers).toEqual([]);
});
