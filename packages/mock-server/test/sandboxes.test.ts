import type { PageRecordList } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { type AccountSummary, createMockService } from "../src/index.ts";
import { create, send } from "./client.ts";

const key = fc.integer({ min: 0, max: 7 }).map((number) => `test_${number}`);
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom("create", "list", "control"), key }),
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("hold", "release", "wait"), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore"), key }) },
);

test("whatever is done, the sandbox unused for longest makes room, and never one in use or named by a restore", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { minLength: 5, maxLength: 60 }),
      async (max, steps) => {
        const evicted: string[] = [];
        const held = new Map<string, { answer: Promise<unknown>; release: () => void }>();
        const releases: (() => void)[] = [];
        const service = createMockService({
          maxSandboxes: max,
          onSandboxEvicted: ({ account }) => evicted.push(account),
          sleep: () => new Promise((resolve) => releases.push(resolve)),
        });
        const waits = new Map<string, AbortController>();
        /** Pages by key, the one used for longest last. */
        const model = new Map<string, number>();
        const kept = new Set<string>();
        const gone: string[] = [];
        /** Keys with the pages they listed, and with those of the model. */
        const listed: [string, number, number | undefined][] = [];
        /** What a test once looked at lives until it is collected, so nobody can say whether it is empty. */
        const lookedAt = new Set<string>();
        const use = (key: string, more = 0): void => {
          const isNew = !model.has(key);
          const pages = (model.get(key) ?? 0) + more;
          model.delete(key);
          for (let room = isNew ? model.size + 1 - kept.size - max : 0; room > 0; room -= 1) {
            const oldest = [...model.keys()].find((other) => !held.has(other) && !waits.has(other) && !kept.has(other));
            if (oldest === undefined) break;
            model.delete(oldest);
            gone.push(oldest);
          }
          model.set(key, pages);
        };

        for (const [index, { kind, key }] of steps.entries()) {
          if (kind === "create") {
            use(key, 1);
            await create(service, { slug: `page-${index}` }, key);
          } else if (kind === "list") {
            use(key);
            const { body } = await send<PageRecordList>(service, "GET", "/api/content?limit=100", { key });
            if (!lookedAt.has(key)) listed.push([key, body.data.length, model.get(key)]);
          } else if (kind === "control") {
            use(key);
            service.requests({ key });
            lookedAt.add(key);
          } else if (kind === "hold" && !held.has(key)) {
            use(key);
            service.faults.add({ delayMs: 1, times: 1 });
            const answer = send(service, "GET", "/api/content", { key });
            await vi.waitUntil(() => releases.length === 1, { interval: 1 });
            held.set(key, { answer, release: releases.pop() ?? (() => {}) });
          } else if (kind === "release") {
            const { answer, release } = held.get(key) ?? {};
            release?.();
            await answer;
            held.delete(key);
          } else if (kind === "wait" && held.size === 0 && !waits.has(key)) {
            use(key);
            const abort = new AbortController();
            void service.waitForRequest({ key, path: "/never" }, { signal: abort.signal }).catch(() => {});
            waits.set(key, abort);
            lookedAt.add(key);
          } else if (kind === "restore" && held.size === 0) {
            // The state of now, in which the sandboxes that there are are named from here on.
            const records = service.snapshot();
            for (const wait of waits.values()) wait.abort();
            waits.clear();
            service.restore(records);
            const named = new Set(records.flatMap((record) => ("account" in record ? [record.account] : [])));
            kept.clear();
            for (const name of named) kept.add(name);
            for (const name of named) use(name);
          }
        }
        for (const { release } of held.values()) release();
        for (const wait of waits.values()) wait.abort();
        await Promise.all(Array.from(held.values(), ({ answer }) => answer));

        expect(evicted).toEqual(gone);
        expect(listed.filter(([, seen, known]) => seen !== known)).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

test("an evicted sandbox is told once, as it was, and its key opens an empty one in a fresh window", async () => {
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
