// Accounts that any test_ key opens, and how many of them a service keeps.
import { expect, test } from "vitest";
import { type AccountSummary, createMockService } from "../src/index.ts";
import { create, list } from "./client.ts";

test("the least recently used sandbox is evicted, reported once, and its key opens an empty one in a new window", async () => {
  const evicted: AccountSummary[] = [];
  const onSandboxEvicted = (summary: AccountSummary) => evicted.push(summary);
  const service = createMockService({ plan: "free", maxSandboxes: 2, onSandboxEvicted });
  await create(service, {}, "test_first");
  await create(service, {}, "test_second");
  const handle = service.account("test_second");

  for (const key of ["test_first", "test_third"]) await list(service, "", { key });
  const { body, headers } = await list(service, "", { key: "test_second" });
  const page = await create(service, { slug: "again" }, "test_second");

  expect(evicted).toMatchObject([
    { account: "test_second", pages: 1, events: 0, rateLimit: { remaining: 59 } },
    { account: "test_first", pages: 1, events: 0 },
  ]);
  expect(body.data).toEqual([]);
  expect(headers.get("X-RateLimit-Remaining")).toBe("59");
  expect([handle.pages, handle.requests().length, service.requests().length]).toEqual([[page], 2, 3]);
});

test("accounts with keys of their own, and those that a seed or a restore names, are never evicted", async () => {
  const service = createMockService({
    maxSandboxes: 1,
    accounts: [{ id: "shop", keys: ["shop-key"] }],
    seed: ["test_a", "test_b"].map((account) => ({ account, plan: "free" as const })),
  });
  for (const key of ["shop-key", "test_a", "test_b", "test_restored"]) await create(service, {}, key);
  service.restore(service.snapshot());

  for (let index = 0; index < 20; index += 1) await create(service, {}, `test_${index}`);

  expect(service.listAccounts().map(({ account, pages }) => [account, pages])).toEqual(
    ["shop", "test_a", "test_b", "test_restored", "test_19"].map((account) => [account, 1]),
  );
});
