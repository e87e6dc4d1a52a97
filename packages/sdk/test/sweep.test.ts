import { type Flow, sweep, type SweptAccount, type SweepReport } from "@landing-page-service/mock-server/sweep";
import { expect, test } from "vitest";
import { type ClientOptions, LandingPages } from "../src/index.ts";

const cta = { type: "button", label: "Book", url: "https://tea.example/" };
const tea = (slug: string) => ({ title: "Tea", content: "An afternoon.", slug, cta });

type Use = (client: LandingPages, mock: SweptAccount) => unknown;

/** Every method of the client, in the smallest flows that use it. */
const flows = {
  "create, update and delete": async ({ pages }) => {
    const { id } = await pages.create(tea("old"));
    await pages.update(id, { title: "New" });
    await pages.delete(id);
  },
  "list and find": async ({ pages }) => {
    await pages.list({ limit: 1 });
    await pages.find({ slug: "tea" });
  },
  iterate: async ({ pages }) => {
    await pages.create(tea("tea"));
    for await (const page of pages.iterate()) await pages.update(page.id, { title: "Listed" });
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
  },
  queue: async ({ pages, analytics }, mock) => {
    const { id } = await pages.create(tea("tea"));
    const queue = analytics.queue({ onLost: (_event, reason) => mock.report(reason) });
    for (const place of ["top", "end"]) queue.push({ pageId: id, properties: { place } });
    await queue.close();
  },
} satisfies Record<string, Use>;

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

test.each(Object.entries(flows))(
  "%s, while each of its calls fails in each way, stores nothing twice, loses nothing silently and never hangs",
  async (_name, use) => {
    expect(describeFindings(await sweep(flowOf(use)))).toEqual([]);
  },
);

// The client retries a create or an event after a 500, as the specification says: docs/errors-and-retries.md#idempotency
test("where the service ignores keys, it stores twice what it stored before a 500; with `safe` it stores nothing twice", async () => {
  const ignoringKeys = { dialects: [], mockOptions: { dialect: { switches: { idempotency: "ignored" } } } } as const;
  const safe = flowOf(flows.track, { retry: { writes: "safe" } });

  expect(describeFindings(await sweep(flowOf(flows.track), ignoringKeys))).toEqual([
    "twice createPage #1 lost: 500 after the work",
    "twice trackEvent #1 lost: 500 after the work",
  ]);
  expect(describeFindings(await sweep(safe, ignoringKeys))).toEqual([]);
});
