import { referenceSwitches, switchIds, type Switches } from "@landing-page-service/contract";
import { dialectPresets } from "@landing-page-service/contract/dialect";
import { resolveDialect } from "@landing-page-service/mock-server";
import { expect, test } from "vitest";
import {
  type ApiError,
  AuthenticationError,
  BadRequestError,
  type LandingPages,
  NotFoundError,
  type Page,
  RateLimitError,
  ServerError,
} from "../src/index.ts";
import { allPairs, pairwiseDialects } from "./covering-array.ts";
import { failureOf, setUp, somePage } from "./setup.ts";

type Bench = ReturnType<typeof setUp> & { dialect: Switches };

const presets = Object.values(dialectPresets).map(({ switches = {} }) => switches);
const pairwise = pairwiseDialects();
const dialects = new Map(
  [...presets, ...pairwise]
    .map((switches) => resolveDialect({ switches }).switches)
    .map((dialect) => [describeDialect(dialect), dialect]),
);

test("every two readings that can occur together do so in one of the dialects tried", () => {
  const readings = [...dialects.values()].map((dialect) => new Set(Object.entries(dialect).map(String)));

  const missing = allPairs().filter(
    ([one, other]) => !readings.some((row) => row.has(String(one)) && row.has(String(other))),
  );

  expect(missing).toEqual([]);
});

/** What a user does with the client; each must work in every dialect, with the same code and no configuration. */
const behaviours: Record<string, (bench: Bench) => Promise<void>> = {
  "a created page comes back whole, with a string for an id": async ({ client, account, dialect }) => {
    const { data: page, response } = await client.pages.create(somePage).withResponse();
    const { meta_description: _, ...short } = somePage;
    const plain = await client.pages.create({ ...short, slug: "plain" });

    expect(page).toMatchObject({ ...somePage, id: account.pages[0]?.id });
    expect(plain).toMatchObject({ ...short, slug: "plain", meta_description: null });
    expect(plain.id).not.toBe(page.id);
    expect(page.domains).toEqual(shownDomains(account.pages[0]?.domains ?? [], dialect));
    expect(response.status).toBe(dialect["create-status"] === "201-page" ? 201 : 200);
  },

  "fields that nobody announced are kept": async ({ client, dialect }) => {
    const page = await client.pages.create(somePage);

    const isShown = dialect["create-body"] === "page";
    expect(page.created_at !== undefined).toBe(isShown && dialect["page-record"] !== "minimal");
    expect("status" in page).toBe(isShown && dialect["page-states"] === "status");
    expect("tags" in page).toBe(isShown && dialect["page-record"] === "extended");
  },

  "a list gives the pages asked for, and the total where there is one": async ({ client, dialect }) => {
    const pages = await createPages(client, 5);

    const list = await client.pages.list({ limit: 2, offset: 1 });
    const rest = await client.pages.list({ offset: 3 });

    const inOrder = dialect["list-order"] === "newest-first" ? pages.toReversed() : pages;
    expect(list).toMatchObject({
      data: inOrder.slice(1, 3).map((page) => shownInList(page, dialect)),
      limit: 2,
      offset: 1,
    });
    expect(rest).toMatchObject({
      data: inOrder.slice(3).map((page) => shownInList(page, dialect)),
      limit: 20,
      offset: 3,
    });
    expect(list.total).toBe(dialect["list-total"] === "none" ? undefined : 5);
  },

  "iterating gives every page exactly once, in the service's order": async ({ client, dialect }) => {
    const pages = await createPages(client, 25);

    const walked = await client.pages.iterate().toArray({ limit: 1000 });

    const inOrder = dialect["list-order"] === "newest-first" ? pages.toReversed() : pages;
    expect(walked).toMatchObject(inOrder.map((page) => shownInList(page, dialect)));
    expect(walked).toHaveLength(25);
    expect(await client.pages.iterate({ batchSize: 7, limit: 15, offset: 3 }).toArray({ limit: 1000 })).toEqual(
      walked.slice(3, 18),
    );
  },

  "an update changes what is sent and nothing else": async ({ client, account, dialect }) => {
    const { id } = await client.pages.create(somePage);
    const cta = { ...somePage.cta, label: "Order" };

    const renamed = await client.pages.update(id, { title: "Blue shoes" });
    const changed = await client.pages.update(id, { cta, meta_description: "Blue." });

    const unsent = dialect["update-body"] === "page" ? somePage : {};
    expect(renamed).toMatchObject({ ...unsent, id, title: "Blue shoes" });
    expect(changed).toMatchObject({
      ...unsent,
      id,
      cta,
      meta_description: "Blue.",
      ...(dialect["update-body"] === "page" && { title: "Blue shoes" }),
    });
    expect(account.pages[0]).toMatchObject({ title: "Blue shoes", cta, slug: somePage.slug });
  },

  "a deleted page is gone": async ({ client, account }) => {
    const { id } = await client.pages.create(somePage);

    await client.pages.delete(id);

    expect(account.pages).toEqual([]);
    expect(await failureOf(client.pages.update(id, { title: "x" }))).toBeInstanceOf(NotFoundError);
    expect(await failureOf(client.pages.delete(id))).toBeInstanceOf(NotFoundError);
  },

  "an event is taken, and one for an unknown page is answered as the service reads it": async ({
    client,
    account,
    dialect,
  }) => {
    const { id } = await client.pages.create(somePage);

    await client.analytics.track({ pageId: id, timestamp: "2026-01-31T12:00:00Z" });
    const unknown = client.analytics.track({ pageId: "999999" });

    if (dialect["event-page"] === "accepted") await unknown;
    else
      expect(await failureOf(unknown)).toBeInstanceOf(
        dialect["event-page"] === "refused-404" ? NotFoundError : BadRequestError,
      );
    expect(account.events[0]).toMatchObject({ pageId: id, timestamp: "2026-01-31T12:00:00Z" });
  },

  "the status picks the error, and its message is found": async ({ client, service, dialect }) => {
    const stranger = client.withOptions({ apiKey: "wrong", retry: false });
    const refusals: [unknown, typeof ApiError, string][] = [
      [await failureOf(stranger.pages.list()), AuthenticationError, keyRefused],
      [
        await failureOf(client.pages.create({ ...somePage, title: "x".repeat(301) })),
        BadRequestError,
        "expected string to have <=300 characters",
      ],
      [
        await failureOf(client.pages.update("999999", { title: "x" })),
        NotFoundError,
        'The account has no page "999999".',
      ],
    ];
    service.faults.add({ status: 500, times: 3 });
    refusals.push([await failureOf(client.pages.list()), ServerError, "A planned fault."]);

    for (const [error, errorClass, sentence] of refusals) {
      expect(error).toBeInstanceOf(errorClass);
      const { detail } = (error as ApiError).problem; // why: the line above has told
      // Where fields have no place of their own in the body, the detail names them.
      if (dialect["error-body"] === "empty") expect(detail).toBe("");
      else expect(detail.replace(/^#\/title: |, got ".*$/g, "")).toBe(sentence);
    }
  },

  "a 429 is waited out until the reset, whatever its unit, and named when there is no retry": async ({
    client,
    service,
    time,
  }) => {
    service.faults.add({ status: 429, times: 2, headers: { "Retry-After": "later" } });
    const startMs = time.now();

    const error = await failureOf(client.pages.list({}, { retry: false }));
    await time.sleep(65_000, undefined);
    const waitedMs = time.now();
    await client.pages.list();

    expect(error).toBeInstanceOf(RateLimitError);
    expect(client.rateLimit?.resetAtMs).toBeGreaterThan(startMs);
    expect(time.now() - waitedMs).toBeGreaterThan(0);
    expect(time.now() - waitedMs).toBeLessThanOrEqual(62_000);
  },
};

const cases = Object.entries(behaviours).flatMap(([behaviour, expectBehaviour]) =>
  [...dialects].map(([name, dialect]) => [`${behaviour}, in ${name}`, expectBehaviour, dialect] as const),
);

test.for(cases)("%s", async ([, expectBehaviour, dialect]) => {
  await expectBehaviour({ ...setUp({ dialect: { switches: dialect } }), dialect });
});

/** Values of the reset header that no reading names; a service may still send them. */
const strangeResets = [
  "Sun, 01 Mar 2026 12:00:30 GMT",
  "soon",
  "-30",
  "",
  "1e9",
  "30.5",
  "4102444800",
  "4102444800000",
  "999999999",
  "9".repeat(40),
];

test.for(strangeResets)(
  "a reset of %j delays no success, and a 429 with it is retried soon or fails at once",
  async (reset) => {
    const { client, time, service } = setUp(
      {},
      { fetch: (...request) => service.fetch(...request).then((response) => withReset(response, reset)) },
    );
    const startMs = time.now();
    await client.pages.create(somePage);
    expect(await client.pages.iterate().toArray({ limit: 10 })).toHaveLength(1);
    expect(time.now()).toBe(startMs);
    service.faults.add({ status: 429, times: 1 });

    const error = await client.pages.list().then(
      () => undefined,
      (reason: unknown) => reason,
    );

    expect(error === undefined || error instanceof RateLimitError).toBe(true);
    expect(time.now() - startMs).toBeLessThanOrEqual(62_000);
  },
);

async function createPages(client: LandingPages, count: number): Promise<Page[]> {
  const pages: Page[] = [];
  for (let number = 1; number <= count; number += 1)
    pages.push(await client.pages.create({ ...somePage, slug: `shoes-${number}` }));
  return pages;
}

/** What a list shows of a page that was created: a summary has no more than identifier, title and slug. */
function shownInList({ id, title, content, slug, cta }: Page, dialect: Switches): Partial<Page> {
  return dialect["list-record"] === "summary" ? { id, title, slug } : { id, title, content, slug, cta };
}

/** The domains of a stored page, as far as the answer to a create shows them. */
function shownDomains(domains: readonly { name: string; url: string }[], dialect: Switches): object[] {
  if (dialect["page-record"] === "minimal" || dialect["create-body"] !== "page") return [];
  if (dialect["domain-form"] === "names") return domains.map(({ name }) => ({ name }));
  return dialect["domain-form"] === "one" ? domains.slice(0, 1) : [...domains];
}

function describeDialect(dialect: Switches): string {
  const others = switchIds.filter((id) => dialect[id] !== referenceSwitches[id]);
  return others.map((id) => `${id}: ${dialect[id]}`).join(", ") || "reference";
}

function withReset(response: Response, reset: string): Response {
  response.headers.set("X-RateLimit-Reset", reset);
  response.headers.delete("Retry-After");
  return response;
}

const keyRefused =
  "The API key is missing or invalid: expected Authorization: Bearer <API_KEY>. In this mock, any key that begins with test_ opens an account of its own.";
