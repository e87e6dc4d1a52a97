import { createMockService } from "@landing-page-service/mock-server";
import { type Flow, sweep, type SweepOptions, type SweptAccount } from "@landing-page-service/mock-server/sweep";
import { expect, test } from "vitest";
import { LandingPages } from "../src/index.ts";

const cta = { type: "button", label: "Book", url: "https://tea.example/" };
const tea = (slug: string) => ({ title: "Tea", content: "An afternoon.", slug, cta });

const seeded = createMockService().account("test_seed");
const { id } = await new LandingPages(seeded.clientOptions).pages.create(tea("tea"));
/** Gives the account of a run a page, without a call. */
const addPage = (mock: SweptAccount) => mock.restore(seeded.snapshot());

type Use = (client: LandingPages, mock: SweptAccount) => unknown;

const createAndTrack: Use = async ({ pages, analytics }) => {
  const page = await pages.create(tea("new"));
  await analytics.track({ pageId: page.id });
};

/** Every kind of call, in the smallest flows that use it. */
const flows: Record<string, Use> = {
  "create and track": createAndTrack,
  "find, update and delete": async ({ pages }, mock) => {
    addPage(mock);
    await pages.find({ slug: "tea" });
    await pages.update(id, { title: "New" });
    await pages.delete(id);
  },
  iterate: async ({ pages }, mock) => {
    addPage(mock);
    for await (const page of pages.iterate()) await pages.update(page.id, { title: "Listed" });
  },
  createMany: async ({ pages }) => {
    const results: unknown[] = [];
    for await (const result of pages.createMany(["one", "two"].map(tea))) results.push(result);
    return results;
  },
  queue: async ({ analytics }, mock) => {
    addPage(mock);
    const queue = analytics.queue({ onLost: (_event, reason) => mock.report(reason) });
    for (let count = 0; count < 6; count += 1) queue.push({ pageId: id });
    await queue.close({ timeoutMs: 120_000 });
  },
};

/** Sweeps a flow, and describes the findings. Other tests run the client in every dialect. */
async function find(use: Use, options: object = {}, mockOptions: SweepOptions["mockOptions"] = {}) {
  const flow: Flow = (mock) => use(new LandingPages({ ...mock.clientOptions, ...options }), mock);
  const { findings } = await sweep(flow, { dialects: [], mockOptions });
  return findings.map(
    ({ kind, call, fault }) =>
      `${kind} ${call === undefined ? "every call" : `${call.endpoint} #${call.skip + 1}`} ${fault}`,
  );
}

test.each(Object.entries(flows))(
  "whichever call of %s fails, nothing is stored twice, lost silently, or hung",
  async (_name, use) => {
    expect(await find(use)).toEqual([]);
  },
);

// The client retries a create or an event after a 500, as the specification says: docs/errors-and-retries.md#idempotency
test.each([
  ["documented", ["twice createPage #1 lost: 500 after the work", "twice trackEvent #1 lost: 500 after the work"]],
  ["safe", []],
])("with `writes` %j, a service that ignores keys stores twice: %j", async (writes, findings) => {
  const ignoringKeys = { dialect: { switches: { idempotency: "ignored" } } } as const;

  expect(await find(createAndTrack, { retry: { writes } }, ignoringKeys)).toEqual(findings);
});
