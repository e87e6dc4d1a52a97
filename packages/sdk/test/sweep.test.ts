import { type Flow, sweep, type SweptAccount, type SweepReport } from "@landing-page-service/mock-server/sweep";
import { describe, expect, test } from "vitest";
import { type ClientOptions, LandingPages } from "../src/index.ts";

const cta = { type: "button", label: "Book", url: "https://tea.example/" };
const tea = (slug: string) => ({ title: "Tea", content: "An afternoon.", slug, cta });

type Use = (client: LandingPages, mock: SweptAccount) => unknown;

/** Every method of the client, in the smallest flows that use it. */
const flows: Record<string, Use> = {
  "create, update and delete": async ({ pages }) => {
    const { id } = await pages.create(tea("old"));
    await pages.create(tea("kept"));
    await pages.update(id, { title: "New" });
    await pages.delete(id);
  },
  "list and find": async ({ pages }) => {
    await pages.create(tea("tea"));
    await pages.list({ limit: 1 });
    await pages.find({ slug: "tea" });
  },
  iterate: async ({ pages }) => {
    for (const slug of ["one", "two"]) await pages.create(tea(slug));
    for await (const page of pages.iterate({ batchSize: 1 })) await pages.update(page.id, { title: "Listed" });
  },
  createMany: async ({ pages }) => {
    const results: unknown[] = [];
    const inputs = ["one", "two", "three"].map(tea);
    for await (const result of pages.createMany(inputs, { concurrency: 2 })) results.push(result);
    return results;
  },
  track: async ({ pages, analytics }) => {
    const { id } = await pages.create(tea("tea"));
    await analytics.track({ pageId: id });
    await analytics.track({ pageId: id, type: "interaction" });
  },
  queue: async ({ pages, analytics }, mock) => {
    const { id } = await pages.create(tea("tea"));
    const queue = analytics.queue({ onLost: (_event, reason) => mock.report(reason) });
    for (const place of ["top", "middle", "end"]) queue.push({ pageId: id, properties: { place } });
    await queue.close();
  },
};

const ignoringKeys = { dialect: { switches: { idempotency: "ignored" } } } as const;

/**
 * Findings by flow, as docs/errors-and-retries.md lists them in "What a sweep of the client still finds". The client retries
 * a create or an event after a 500, as the documentation asks. Where the service ignores keys, it then stores the page or
 * the event twice. Flows with a write that no other flow has also run with `retry.writes: "safe"`.
 */
const documented: Record<string, { ignored: readonly string[]; safe?: readonly string[] }> = {
  // The flow deletes one of the two pages; it does not know the other.
  "create, update and delete": {
    ignored: [...twice("createPage", 2), "changed createPage #1 lost: 500 once it was done"],
    safe: [],
  },
  "list and find": { ignored: twice("createPage", 1) },
  iterate: { ignored: twice("createPage", 1, 2) },
  createMany: { ignored: twice("createPage", 1, 2, 3) },
  track: { ignored: [...twice("createPage", 1), ...twice("trackEvent", 1, 2)], safe: [] },
  queue: { ignored: [...twice("createPage", 1), ...twice("trackEvent", 1, 2, 3)], safe: [] },
};

function twice(endpoint: string, ...numbers: readonly number[]): string[] {
  return numbers.map((number) => `twice ${endpoint} #${number} lost: 500 once it was done`);
}

const flowOf =
  (use: Use, options: Partial<ClientOptions> = {}): Flow =>
  (mock) =>
    use(new LandingPages({ ...mock.clientOptions, ...options }), mock);

function describeFindings({ findings }: SweepReport): string[] {
  return findings.map(
    ({ kind, call, fault }) =>
      `${kind} ${call === undefined ? "every call" : `${call.endpoint} #${call.skip + 1}`} ${fault}`,
  );
}

describe.each(Object.entries(flows))("%s, while each of its calls fails in each way", (name, use) => {
  const { ignored = [] } = documented[name] ?? {};

  test("stores nothing twice, loses nothing silently and never hangs", async () => {
    expect(describeFindings(await sweep(flowOf(use)))).toEqual([]);
  });

  test("stores twice what is documented, and nothing else, where the service ignores keys", async () => {
    const report = await sweep(flowOf(use), { dialects: [], mockOptions: ignoringKeys });

    expect(describeFindings(report)).toEqual(ignored);
  });
});

test.each(Object.entries(documented).flatMap(([name, { safe }]) => (safe === undefined ? [] : [{ name, safe }])))(
  '$name with retry.writes "safe" stores nothing twice, even where the service ignores keys',
  async ({ name, safe }) => {
    const flow = flowOf(flows[name] ?? (() => {}), { retry: { writes: "safe" } });

    expect(describeFindings(await sweep(flow, { dialects: [], mockOptions: ignoringKeys }))).toEqual(safe);
  },
);
