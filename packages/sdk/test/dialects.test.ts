import type { Switches } from "@landing-page-service/contract";
import { type DialectFile, dialectPresets } from "@landing-page-service/contract/dialect";
import { resolveDialect } from "@landing-page-service/mock-server";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { atLeast } from "../../../.ci/properties.ts";
import type { ApiError, Page } from "../src/index.ts";
import { anySwitches, collect, failureOf, interpretations, setUp, somePage } from "./setup.ts";

type Bench = ReturnType<typeof setUp> & { dialect: Switches };

/** Uses of the client that must work in every dialect, with the same code and no configuration. */
const behaviours: Record<string, (bench: Bench) => Promise<void>> = {
  "a created page comes back whole, with its unknown fields": async ({ client, account, dialect }) => {
    const { data: page, response } = await client.pages.create(somePage).withResponse();
    const { meta_description: _, ...short } = somePage;
    const plain = await client.pages.create({ ...short, slug: "plain" });

    expect(page).toMatchObject({ ...somePage, id: account.pages[0]?.id });
    expect(plain).toMatchObject({ ...short, slug: "plain", meta_description: null });
    expect(plain.id).not.toBe(page.id);
    expect(page.domains).toEqual(shownDomains(account.pages[0]?.domains ?? [], dialect));
    expect(response.status).toBe(dialect["create-status"] === "201-page" ? 201 : 200);
    const isShown = dialect["create-body"] === "page";
    expect(page.created_at !== undefined).toBe(isShown && dialect["page-record"] !== "minimal");
    expect("status" in page).toBe(isShown && dialect["page-states"] === "status");
    expect("tags" in page).toBe(isShown && dialect["page-record"] === "extended");
  },

  "a list and an iteration give every page once, in the service's order": async ({ client, dialect }) => {
    const inputs = Array.from({ length: 12 }, (_, index) => ({ ...somePage, slug: `shoes-${index}` }));
    const results = await collect(client.pages.createMany(inputs, { concurrency: 1 }));
    const pages = results.flatMap(({ page = [] }) => page);
    const inOrder = dialect["list-order"] === "newest-first" ? pages.toReversed() : pages;
    const expected = inOrder.map((page) => shownInList(page, dialect));

    const list = await client.pages.list({ limit: 2, offset: 1 });
    const all = await client.pages.iterate({ batchSize: 5 }).toArray({ limit: 1000 });
    const some = await client.pages.iterate({ batchSize: 4, limit: 7, offset: 3 }).toArray({ limit: 1000 });

    expect(list).toMatchObject({ data: expected.slice(1, 3), limit: 2, offset: 1 });
    expect(list.total).toBe(dialect["list-total"] === "none" ? undefined : 12);
    expect(all).toMatchObject(expected);
    expect(all).toHaveLength(12);
    expect(some).toEqual(all.slice(3, 10));
  },

  "an update changes what is sent and nothing else": async ({ client, account, dialect }) => {
    const { id } = await client.pages.create(somePage);
    const cta = { ...somePage.cta, label: "Order" };

    const renamed = await client.pages.update(id, { title: "Blue shoes" });
    const changed = await client.pages.update(id, { cta, meta_description: "Blue." });

    const isShown = dialect["update-body"] === "page";
    const changes = { cta, meta_description: "Blue." };
    expect(renamed).toMatchObject({ ...(isShown && somePage), id, title: "Blue shoes" });
    expect(changed).toMatchObject({ ...(isShown && { ...somePage, title: "Blue shoes" }), id, ...changes });
    expect(account.pages[0]).toMatchObject({ title: "Blue shoes", cta, slug: somePage.slug });
  },

  "a deleted page is gone": async ({ client, account }) => {
    const { id } = await client.pages.create(somePage);

    await client.pages.delete(id);

    expect(account.pages).toEqual([]);
    for (const call of [client.pages.update(id, { title: "x" }), client.pages.delete(id)])
      expect(await failureOf(call)).toMatchObject({ name: "NotFoundError" });
  },

  "an event is accepted, or refused if its page is unknown": async ({ client, account, dialect }) => {
    const { id } = await client.pages.create(somePage);

    await client.analytics.track({ pageId: id, timestamp: "2026-01-31T12:00:00Z" });
    const unknown = client.analytics.track({ pageId: "999999" });

    const outcome = await unknown.catch((error: ApiError) => `refused-${error.status}`);
    expect(outcome ?? "accepted").toBe(dialect["event-page"]);
    expect(account.events[0]).toMatchObject({ pageId: id, timestamp: "2026-01-31T12:00:00Z" });
  },

  "the status decides the class of an error, and its message is found": async ({ client, account, dialect }) => {
    const unauthorized = client.withOptions({ apiKey: "wrong", retry: false });
    const tooLong = { ...somePage, title: "x".repeat(301) };
    const refusals: [string, RegExp, () => Promise<unknown>][] = [
      ["AuthenticationError", /^The API key is missing or invalid: /, () => unauthorized.pages.list()],
      // If the body has no place for fields, its detail names them.
      ["BadRequestError", /^(#\/title: )?expected at most 300 characters/, () => client.pages.create(tooLong)],
      ["NotFoundError", /^The account has no page "999999"\.$/, () => client.pages.delete("999999")],
      ["ServerError", /^A planned fault\.$/, () => client.pages.list()],
    ];
    account.faults.add({ endpoint: "listPages", status: 500, times: 3 });

    for (const [name, sentence, call] of refusals) {
      const detail = dialect["error-body"] === "empty" ? "" : (expect.stringMatching(sentence) as string);
      expect(await failureOf(call())).toMatchObject({ name, problem: { detail } });
    }
  },

  "after a 429 the client waits until the reset, whatever its unit": async ({ client, service, time }) => {
    service.faults.add({ status: 429, times: 2, headers: { "Retry-After": "later" } });

    const error = await failureOf(client.pages.list({}, { retry: false }));
    await time.sleep(65_000, undefined);
    await client.pages.list();

    expect(error).toMatchObject({ name: "RateLimitError" });
    expect(client.rateLimit?.resetAtMs).toBeGreaterThan(Date.UTC(2026, 0, 1));
    expect(time.elapsedMs()).toBeGreaterThan(65_000);
    expect(time.elapsedMs()).toBeLessThanOrEqual(65_000 + 62_000);
  },
};

const presets = Object.values<DialectFile>(dialectPresets).map(({ switches = {} }) => switches);
/** Together, these contain every interpretation. */
const rows = Array.from({ length: Math.max(...interpretations.map(([, names]) => names.length)) }, (_, row) =>
  Object.fromEntries(interpretations.map(([id, names]) => [id, names[row % names.length]])),
);
const examples = [...presets, ...rows].map((switches): [Partial<Switches>] => [switches]);

test.each(Object.entries(behaviours))("%s, in every dialect", async (_title, expectBehaviour) => {
  await fc.assert(
    fc.asyncProperty(anySwitches, async (switches) => {
      const dialect = resolveDialect({ switches }).switches;
      await expectBehaviour({ ...setUp({ dialect: { switches: dialect } }), dialect });
    }),
    { examples, ...atLeast(examples.length + 20) },
  );
});

/** The part of a page that a list shows: a summary has only id, title and slug. */
function shownInList({ id, title, content, slug, cta }: Page, dialect: Switches): Partial<Page> {
  return dialect["list-record"] === "summary" ? { id, title, slug } : { id, title, content, slug, cta };
}

/** The domains of a stored page, as far as the response to a create shows them. */
function shownDomains(domains: readonly { name: string; url: string }[], dialect: Switches): object[] {
  if (dialect["page-record"] === "minimal" || dialect["create-body"] !== "page") return [];
  if (dialect["domain-form"] === "names") return domains.map(({ name }) => ({ name }));
  return dialect["domain-form"] === "one" ? domains.slice(0, 1) : [...domains];
}
