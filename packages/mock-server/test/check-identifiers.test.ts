// Checks of services whose responses identify pages in another form than their paths accept.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type CheckReport, checkService } from "../src/check.ts";
import { createMockService } from "../src/index.ts";
import { create } from "./client.ts";
import { runs } from "./learning.ts";
import { type Fetch, type Named, renamePages } from "./renamed-pages.ts";

function check(fetch: Fetch): Promise<CheckReport> {
  return checkService({ baseUrl: "https://service.example", apiKey: "test_check", yes: true, fetch });
}

const segment = fc.stringMatching(/^[A-Za-z0-9()_.~-]{1,12}$/);
/** The part of an identifier before its last segment: `projects/x/pages/`, `urn:lp:page:`, `pages#`. */
const lead = fc
  .array(fc.tuple(segment, fc.constantFrom("/", ":", "//", "#", "|")), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flat().join(""));

/** How a service identifies its pages. */
interface Naming {
  /** The identifier in responses. */
  readonly shown: (page: Named) => string;
  /** The identifier that paths accept. */
  readonly address: (page: Named) => string;
  /** Whether the address can be found in the responses. */
  readonly isKnowable: boolean;
}

const naming: fc.Arbitrary<Naming> = fc
  .record({ lead, kind: fc.constantFrom("whole", "last", "slug", "hidden", "another's") })
  .map(({ lead, kind }): Naming => {
    const names: Record<typeof kind, Naming> = {
      whole: { shown: ({ id }) => lead + id, address: ({ id }) => lead + id, isKnowable: true },
      last: { shown: ({ id }) => lead + id, address: ({ id }) => id, isKnowable: true },
      slug: { shown: ({ slug }) => lead + slug, address: ({ slug }) => slug, isKnowable: true },
      hidden: { shown: ({ id }) => lead + id, address: ({ id }) => `at-${id}`, isKnowable: false },
      "another's": {
        shown: ({ slug }) => (slug === "own" ? "own-page" : `${lead}own-page`),
        address: ({ id, slug }) => (slug === "own" ? "own-page" : `at-${id}`),
        isKnowable: false,
      },
    };
    return names[kind];
  });

/** How a service differs in its responses. */
interface Manners {
  /** The status for an unknown identifier. */
  readonly unknown: number;
  /** The status of every update, if it is not the usual one. */
  readonly update: number | undefined;
  /** Whether the response to a create has no body. */
  readonly isSilent: boolean;
}

const manners: fc.Arbitrary<Manners> = fc.record({
  unknown: fc.constantFrom(404, 400, 410, 422, 500),
  update: fc.constantFrom(undefined, undefined, 404, 500),
  isSilent: fc.boolean(),
});

function behave(fetch: Fetch, { unknown, update, isSilent }: Manners): Fetch {
  return async (request) => {
    const isOfPage = /^\/api\/content\/./.test(new URL(request.url).pathname);
    if (request.method === "PUT" && update !== undefined)
      return Response.json({ detail: "Not allowed." }, { status: update });
    const response = await fetch(request);
    if (isOfPage && response.status === 404)
      return new Response(await response.text(), { status: unknown, headers: response.headers });
    return isSilent && response.status === 201 ? new Response(null, { status: 201 }) : response;
  };
}

test("a check deletes its pages if the responses show how to address them and an update works, and otherwise creates no more than two", async () => {
  await fc.assert(
    fc.asyncProperty(naming, manners, async ({ shown, address, isKnowable }, manners) => {
      const service = createMockService({ dialect: { switches: { "slug-unique": "refused-409" } } });
      await create(service, { slug: "own" }, "test_check");
      const [own] = service.account("test_check").pages;

      const report = await check(behave(renamePages(service, shown, address), manners));

      const [first, ...left] = service.account("test_check").pages;
      expect(first).toEqual(own);
      expect(left.length).toBe(isKnowable && manners.update === undefined ? 0 : 2);
      expect(report.leftovers.length).toBe(left.length);
    }),
    { numRuns: runs(10) },
  );
});

/** Writes the number of the page before in front of an identifier. */
const addNumber = (_: string, id: string) => `"number":${Number(id) - 1},"id":${id}`;

test.for([3, 250])("a check changes none of %i pages if a page shows the number of the page before", async (count) => {
  const switches = { "page-id-type": "integer", "list-total": "none" } as const;
  const service = createMockService({ plan: "unlimited", dialect: { switches } });
  for (let index = 0; index < count; index += 1) await create(service, { slug: `own-${index}` }, "test_check");
  const before = service.account("test_check").pages;
  const served: Fetch = async (request) => {
    const response = await service.fetch(request);
    const text = await response.text();
    return new Response(text === "" ? null : text.replaceAll(/"id":(\d+)/g, addNumber), response);
  };

  const { dialect, leftovers } = await check(served);

  expect(service.account("test_check").pages).toEqual(before);
  expect(dialect.answers?.page).toMatchObject({ id: "{id}" });
  expect(leftovers).toEqual([]);
});

test("a check finds identifiers although failures are reported in a 200, and lists do not show titles", async () => {
  const failure = { status: 200, body: { ok: false, message: "{detail}" } };
  const done = { status: 200, body: { ok: true } };
  const listedPage = { key: "{id}", slug: "{slug}" };
  const answers = { listedPage, updatePage: done, deletePage: done, errors: { 400: failure, 404: failure } };
  const service = createMockService({ dialect: { answers } });

  const { statements, leftovers } = await check(service.fetch);

  expect(statements.find(({ id }) => id === "page-identifier")?.note).toMatch(/^pg_\w+ addresses the page$/);
  expect(leftovers).toEqual([]);
  expect(service.account("test_check").pages).toEqual([]);
});

test("a report says that a service is addressed by the last segment of the identifier that it returns", async () => {
  const named = renamePages(
    createMockService(),
    ({ id }) => `projects/x/pages/${id}`,
    ({ id }) => id,
  );

  const { statements, leftovers } = await check(named);

  const broken = statements.filter(({ verdict }) => verdict === "broken").map(({ id, note }) => [id, note]);
  const note = /^projects\/x\/pages\/(pg_\w+), from the response to a create, does not address the page; \1 does$/;
  expect(broken).toEqual([["page-identifier", expect.stringMatching(note)]]);
  expect(leftovers).toEqual([]);
});

test.for<[string, (page: Named) => string, (page: Named) => string]>([
  ["the bare identifier", ({ id }) => `arn:x:page/${id}`, ({ id }) => id],
  ["the whole handle", ({ id }) => `arn:x:page/${id}`, ({ id }) => `arn:x:page/${id}`],
])(
  "if a service shows a handle and its paths take %s, the mock accepts only what the service takes",
  async ([, shown, address]) => {
    const { dialect } = await check(renamePages(createMockService(), shown, address));

    const service = createMockService({ dialect });
    const page = await create(service, {}, "test_check");
    const handle = `arn:x:page/${page.id.replace("arn:x:page/", "")}`;
    const [stored] = service.account("test_check").pages;
    const update = async (id: string) => {
      const headers = { Authorization: "Bearer test_check", "Content-Type": "application/json" };
      const init = { method: "PUT", headers, body: '{"title":"New"}' };
      return (await service.fetch(`${service.baseUrl}/api/content/${encodeURIComponent(id)}`, init)).status;
    };
    expect(await update(stored?.id ?? "")).toBe(200);
    expect(await update(handle)).toBe(404);
  },
);

test("if the response to a create has only a link, the check takes the identifier from the list", async () => {
  const body = { self: "{origin}/api/content/{id:url}.json" };
  const service = createMockService({ dialect: { answers: { createPage: { status: 201, body } } } });

  const { statements, dialect, leftovers } = await check(service.fetch);

  expect(statements.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(dialect.answers).toEqual({ createPage: { status: 201, body } });
  expect(leftovers).toEqual([]);
});
