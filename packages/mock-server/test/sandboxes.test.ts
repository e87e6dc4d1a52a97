import type { PageRecordList } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type AccountSummary, createMockService } from "../src/index.ts";
import { create, send } from "./client.ts";

const key = fc.integer({ min: 0, max: 7 }).map((number) => `test_${number}`);
const step = fc.record({ kind: fc.constantFrom("create", "create", "read", "restore"), key });

test("whatever is done, the sandbox unused for longest makes room, and never one named by a restore", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { minLength: 5, maxLength: 60 }),
      async (maxSandboxes, steps) => {
        const evicted: string[] = [];
        const service = createMockService({ maxSandboxes, onSandboxEvicted: ({ account }) => evicted.push(account) });
        /** Pages by key, the one used last at the end. */
        const model = new Map<string, number>();
        const gone: string[] = [];
        let kept: string[] = [];

        for (const [index, { kind, key }] of steps.entries()) {
          if (kind === "restore") {
            kept = [...model.keys()].filter((known) => (model.get(known) ?? 0) > 0);
            service.restore(service.snapshot());
            continue;
          }
          const counted = [...model.keys()].filter((known) => !kept.includes(known));
          const room = model.has(key) ? 0 : Math.max(counted.length + 1 - maxSandboxes, 0);
          for (const oldest of counted.slice(0, room)) {
            model.delete(oldest);
            gone.push(oldest);
          }
          const pages = (model.get(key) ?? 0) + (kind === "create" ? 1 : 0);
          model.delete(key);
          model.set(key, pages);
          if (kind === "create") await create(service, { slug: `page-${index}` }, key);
          expect(service.account(key).pages).toHaveLength(pages);
        }

        expect(evicted).toEqual(gone);
      },
    ),
    { numRuns: 50 },
  );
});

test("an evicted sandbox is reported once with its state, and its key opens an empty one with a new window", async () => {
  const evicted: AccountSummary[] = [];
  const service = createMockService({
    plan: "free",
    maxSandboxes: 2,
    onSandboxEvicted: (summary) => evicted.push(summary),
  });
  await create(service, {}, "test_first");

  for (const key of ["test_second", "test_third", "test_third"]) await send(service, "GET", "/api/content", { key });
  const { body, headers } = await send<PageRecordList>(service, "GET", "/api/content", { key: "test_first" });

  expect(evicted).toMatchObject([
    { account: "test_first", pages: 1, events: 0, rateLimit: { remaining: 59 } },
    { account: "test_second", pages: 0, events: 0 },
  ]);
  expect(body.data).toEqual([]);
  expect(headers.get("X-RateLimit-Remaining")).toBe("59");
});

test("accounts with keys of their own, and those that a seed names, are there however many sandboxes come", async () => {
  const service = createMockService({
    maxSandboxes: 1,
    accounts: [{ id: "shop", keys: ["shop-key"] }],
    seed: ["test_a", "test_b", "test_c"].map((account) => ({ account, plan: "free" as const })),
  });
  for (const key of ["shop-key", "test_a", "test_b", "test_c"]) await create(service, {}, key);

  for (let index = 0; index < 20; index += 1) await create(service, {}, `test_${index}`);

  expect(service.listAccounts().map(({ account, pages }) => [account, pages])).toEqual([
    ["shop", 1],
    ["test_a", 1],
    ["test_b", 1],
    ["test_c", 1],
    ["test_19", 1],
  ]);
});

test("the handle of an evicted sandbox shows the one that its key opens next", async () => {
  const service = createMockService({ maxSandboxes: 10 });
  const held = service.account("test_held");
  await create(service, {}, "test_held");
  for (let index = 0; index < 20; index += 1) await create(service, {}, `test_${index}`);

  const again = await create(service, { slug: "second" }, "test_held");

  expect(held.pages).toEqual([again]);
  expect(held.requests()).toHaveLength(1);
});

test.each([0, -1, 1.5, Number.NaN, "10"])("maxSandboxes: %j is refused", (maxSandboxes) => {
  // why: what a program without types may pass
  expect(() => createMockService({ maxSandboxes: maxSandboxes as number })).toThrow(
    /maxSandboxes: expected an integer/,
  );
});
