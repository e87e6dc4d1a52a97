// Checks of services whose answers name pages otherwise than their paths want it.
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
/** What stands before the last segment of an identifier: `projects/x/pages/`, `urn:lp:page:`, `pages#`. */
const lead = fc
  .array(fc.tuple(segment, fc.constantFrom("/", ":", "//", "#", "|")), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flat().join(""));

/** How a service names its pages, how it finds them, and whether that can be known from what it tells. */
interface Naming {
  readonly told: (page: Named) => string;
  readonly address: (page: Named) => string;
  readonly isKnowable: boolean;
}

const naming: fc.Arbitrary<Naming> = fc
  .record({ lead, kind: fc.constantFrom("whole", "last", "slug", "hidden", "another's") })
  .map(({ lead, kind }): Naming => {
    const names: Record<typeof kind, Naming> = {
      whole: { told: ({ id }) => lead + id, address: ({ id }) => lead + id, isKnowable: true },
      last: { told: ({ id }) => lead + id, address: ({ id }) => id, isKnowable: true },
      slug: { told: ({ slug }) => lead + slug, address: ({ slug }) => slug, isKnowable: true },
      hidden: { told: ({ id }) => lead + id, address: ({ id }) => `at-${id}`, isKnowable: false },
      "another's": {
        told: ({ slug }) => (slug === "own" ? "own-page" : `${lead}own-page`),
        address: ({ id, slug }) => (slug === "own" ? "own-page" : `at-${id}`),
        isKnowable: false,
      },
    };
    return names[kind];
  });

/** What a service answers for an identifier that it does not know, to an update, and to a create. */
interface Manners {
  readonly unknown: number;
  readonly update: number | undefined;
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
      return Response.json({ detail: "Not today." }, { status: update });
    const response = await fetch(request);
    if (isOfPage && response.status === 404)
      return new Response(await response.text(), { status: unknown, headers: response.headers });
    return isSilent && response.status === 201 ? new Response(null, { status: 201 }) : response;
  };
}

test("whatever names pages and whatever addresses them, a check deletes what can be and makes no more of what cannot", async () => {
  await fc.assert(
    fc.asyncProperty(naming, manners, async ({ told, address, isKnowable }, manners) => {
      const service = createMockService({ dialect: { switches: { "slug-unique": "refused-409" } } });
      await create(service, { slug: "own" }, "test_check");
      const [own] = service.account("test_check").pages;

      const report = await check(behave(renamePages(service, told, address), manners));

      const [first, ...left] = service.account("test_check").pages;
      expect(first).toEqual(own);
      expect(left.length).toBe(isKnowable ? 0 : 2);
      expect(report.leftovers.length).toBe(left.length);
    }),
    { numRuns: runs(10) },
  );
});

test("a report says that a service is addressed by the last segment of the identifier that it returns", async () => {
  const named = renamePages(
    createMockService(),
    ({ id }) => `projects/x/pages/${id}`,
    ({ id }) => id,
  );

  const { statements, leftovers } = await check(named);

  const broken = statements.filter(({ verdict }) => verdict === "broken").map(({ id, note }) => [id, note]);
  const note = /^projects\/x\/pages\/(pg_\w+), from the answer to a create, does not address the page; \1 does$/;
  expect(broken).toEqual([["page-identifier", expect.stringMatching(note)]]);
  expect(leftovers).toEqual([]);
});

test("where a create tells no more than a link, a page is called as the listing calls it", async () => {
  const body = { self: "{origin}/api/content/{id:url}.json" };
  const service = createMockService({ dialect: { answers: { createPage: { status: 201, body } } } });

  const { statements, dialect, leftovers } = await check(service.fetch);

  expect(statements.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(dialect.answers).toEqual({ createPage: { status: 201, body } });
  expect(leftovers).toEqual([]);
});
