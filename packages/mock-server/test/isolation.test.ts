// Accounts see nothing of each other.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService, type FaultRule } from "../src/index.ts";
import { type Step, step, stepWith } from "./steps.ts";

const fault = fc.constantFrom<FaultRule>(
  { status: 429, times: 2 },
  { status: 500, endpoint: "createPage", skip: 1 },
  { status: 503, probability: 0.3 },
);
const anyStep = fc.oneof(
  { weight: 10, arbitrary: step },
  { weight: 2, arbitrary: stepWith(fault, ({ faults }, rule) => faults.add(rule).id) },
  stepWith(fc.integer({ min: 1, max: 3 }), ({ waitForRequest }, times) => {
    return { later: waitForRequest({ times }).catch(String) };
  }),
  fc.constant<Step>(({ faults }) => faults.clear()),
);

const keys = ["test_first_one", "live_acme_key", "test_third_one"];

/** Runs the steps on one service and returns what each account sees after each of its steps. */
async function play(turns: readonly (readonly [number, Step])[], pageIds: "string" | "integer"): Promise<string[]> {
  const service = createMockService({
    plan: { limit: 5, windowMs: 60_000 },
    dialect: { switches: { "page-id-type": pageIds } },
    accounts: [{ id: "acme", keys: ["live_acme_key"] }],
    now: () => 1_700_000_000_000,
    random: () => 0.5,
    domains: [
      { name: "shoes.example", topics: ["shoes"], keywords: ["running"], capacity: 2 },
      { name: "rest.example", topics: [], keywords: [], catchAll: true },
    ],
  });
  const actors = keys.map((key) => {
    return { account: service.account(key), memory: { snapshot: [] }, seen: [] as unknown[] };
  });
  for (const [turn, step] of turns) {
    const { account, memory, seen } = actors[turn] ?? actors[0]!;
    seen.push(await step(account, memory));
    const { pages, events, rateLimit, faults, clock, forgottenRequests } = account;
    seen.push([pages, events, rateLimit, faults.list(), clock.now(), forgottenRequests, account.requests().at(-1)]);
  }
  return Promise.all(
    actors.map(async ({ account, seen }) => {
      seen.push(account.requests(), account.snapshot());
      account.reset();
      return JSON.stringify(await Promise.all(seen.map(async (one) => (one as { later?: unknown })?.later ?? one)));
    }),
  );
}

test.each(["string", "integer"] as const)("accounts that take turns see the same as alone: %s ids", async (pageIds) => {
  const turns = fc.array(fc.tuple(fc.nat(2), anyStep), { minLength: 20, maxLength: 60, size: "max" });
  await fc.assert(
    fc.asyncProperty(turns, async (turns) => {
      const together = await play(turns, pageIds);
      for (const index of keys.keys()) {
        const own = turns.filter(([turn]) => turn === index);
        expect(together[index]).toBe((await play(own, pageIds))[index]);
      }
    }),
    { numRuns: 10 },
  );
});
