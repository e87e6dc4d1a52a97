import { type Flow, sweep, type SweptAccount, type SweepReport } from "@landing-page-service/mock-server/sweep";
import { describe, expect, test } from "vitest";
import { type ClientOptions, LandingPages } from "../src/index.ts";

const cta = { type: "button", label: "Book", url: "https://tea.example/" };
const tea = (slug: string) => ({ title: "Tea", content: "An afternoon.", slug, cta });

type Use = (client: LandingPages, mock: SweptAccount) => unknown;

/** Every method of the client, in flows as small as they can be. */
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
    for (const slug of ["one", "two", "three"]) await pages.create(tea(slug));
    for await (const page of pages.iterate({ batchSize: 2 })) await pages.update(page.id, { title: "Walked" });
  },
  createMany: async ({ pages }) => {
    const results: unknown[] = [];
    const inputs = ["one", "two", "three", "four", "five", "six", "seven"].map(tea);
    for await (const result of pages.createMany(inputs)) results.push(result);
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
 * What remains, by flow: each has its line in docs/errors-and-retries.md, "What a sweep of the client still finds". A create
 * or an event is retried after a 500, as the documentation asks, and is there twice where keys are ignored. `safe` stands
 * where the flow has a write that no other has.
 */
const remains: Record<string, { ignored: readonly string[]; safe?: readonly string[] }> = {
  // Of the page that is there twice, the one that the flow knows of is deleted, and the other is left.
  "create, update and delete": {
    ignored: [...twice("createPage", 2), "changed createPage #1 lost: 500 once it was done"],
    safe: [],
  },
  "list and find": { ignored: twice("createPage", 1) },
  iterate: { ignored: twice("createPage", 1, 2, 3) },
  createMany: { ignored: twice("createPage", 1, 2, 3, 4, 5, 6, 7) },
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

function tell({ findings }: SweepReport): string[] {
  return findings.map(
    ({ kind, call, fault }) =>
      `${kind} ${call === undefined ? "every call" : `${call.endpoint} #${call.skip + 1}`} ${fault}`,
  );
}

describe.each(Object.entries(flows))("%s, through everything that can happen", (name, use) => {
  const { ignored = [] } = remains[name] ?? {};

  test("stores nothing twice, loses nothing silently and never hangs", async () => {
    expect(tell(await sweep(flowOf(use)))).toEqual([]);
  });

  test("so it is where keys are ignored, but for what is documented", async () => {
    const report = await sweep(flowOf(use), { dialects: [], mockOptions: ignoringKeys });

    expect(tell(report)).toEqual(ignored);
  });
});

test.each(Object.entries(remains).flatMap(([name, { safe }]) => (safe === undefined ? [] : [{ name, safe }])))(
  '$name with retry.writes "safe", where keys are ignored: nothing is there twice',
  async ({ name, safe }) => {
    const flow = flowOf(flows[name] ?? (() => {}), { retry: { writes: "safe" } });

    expect(tell(await sweep(flow, { dialects: [], mockOptions: ignoringKeys }))).toEqual(safe);
  },
);
