import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { type AccountHandle, createMockService, type MockService, type StateRecord } from "../src/index.ts";
import { somePage } from "./client.ts";

// A hundred runs take their time where many others run.
vi.setConfig({ testTimeout: 60_000 });

/** One thing that a test does in its account. */
type Step =
  | {
      kind: "call";
      method: string;
      path: string;
      body: object | undefined;
      key: "own" | "wrong" | "none";
      once: boolean;
    }
  | { kind: "fault"; rule: Parameters<AccountHandle["faults"]["add"]>[0] }
  | { kind: "advance" | "set"; ms: number }
  | { kind: "wait"; times: number | undefined }
  | { kind: "plan"; limit: number }
  | { kind: "reset" | "snapshot" | "restore" | "clear" };

const slug = fc.constantFrom("tea", "red-shoes", "garden");
const page = slug.map((slug) => ({ ...somePage, slug }));
const id = fc.constantFrom("1", "2", "3", "nothing");
const route = fc.oneof(
  fc.record({ method: fc.constant("POST"), path: fc.constant("/api/content"), body: page }),
  fc.record({ method: fc.constant("GET"), path: fc.constant("/api/content"), body: fc.constant(undefined) }),
  fc.record({ method: fc.constant("PUT"), path: id.map((id) => `/api/content/${id}`), body: fc.record({ slug }) }),
  fc.record({
    method: fc.constant("DELETE"),
    path: id.map((id) => `/api/content/${id}`),
    body: fc.constant(undefined),
  }),
  fc.record({
    method: fc.constant("POST"),
    path: fc.constant("/api/analytics/view"),
    body: id.map((pageId) => ({ pageId, timestamp: "2026-01-01T00:00:00Z" })),
  }),
);
const call = fc
  .tuple(route, fc.constantFrom<"own" | "wrong" | "none">("own", "own", "own", "wrong", "none"), fc.boolean())
  .map(([route, key, once]): Step => Object.assign(route, { kind: "call" as const, key, once }));
const rule = fc.record(
  {
    status: fc.constantFrom(429, 500, 503),
    endpoint: fc.constantFrom("createPage", "listPages"),
    times: fc.integer({ min: 1, max: 3 }),
    skip: fc.integer({ min: 0, max: 2 }),
    probability: fc.constantFrom(0.3, 0.7),
    when: fc.constantFrom("before", "after"),
  },
  { requiredKeys: ["status"] },
) as fc.Arbitrary<Parameters<AccountHandle["faults"]["add"]>[0]>; // the record's optional members are left out, never undefined
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: call },
  { weight: 2, arbitrary: rule.map((rule): Step => ({ kind: "fault", rule })) },
  fc.integer({ min: 0, max: 90_000 }).map((ms): Step => ({ kind: "advance", ms })),
  fc.integer({ min: 0, max: 2e12 }).map((ms): Step => ({ kind: "set", ms })),
  fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }).map((times): Step => ({ kind: "wait", times })),
  fc.integer({ min: 1, max: 4 }).map((limit): Step => ({ kind: "plan", limit })),
  fc.constantFrom("reset", "snapshot", "restore", "clear").map((kind): Step => ({ kind })),
);

/** Does an account's steps one by one, and keeps all that its test can see. */
class Actor {
  readonly seen: unknown[] = [];
  readonly #account: AccountHandle;
  readonly #waits: Promise<unknown>[] = [];
  #snapshot: StateRecord[] = [];

  constructor(service: MockService, key: string) {
    this.#account = service.account(key);
  }

  async act(step: Step): Promise<void> {
    const account = this.#account;
    if (step.kind === "call") await this.#call(step);
    if (step.kind === "fault") this.seen.push(account.faults.add(step.rule).id);
    if (step.kind === "advance") account.clock.advance(step.ms);
    if (step.kind === "set") account.clock.set(step.ms);
    if (step.kind === "wait") this.#wait(step.times);
    if (step.kind === "plan") account.setPlan({ limit: step.limit, windowMs: 60_000 });
    if (step.kind === "reset") account.reset();
    if (step.kind === "snapshot") this.#snapshot = account.snapshot();
    if (step.kind === "restore") account.restore(this.#snapshot);
    if (step.kind === "clear") account.faults.clear();
    this.#look();
  }

  async finish(): Promise<unknown[]> {
    this.#account.reset();
    this.seen.push(await Promise.all(this.#waits));
    return this.seen;
  }

  async #call({ method, path, body, key, once }: Step & { kind: "call" }): Promise<void> {
    const { apiKey, baseUrl, fetch } = this.#account.clientOptions;
    const page = /\/(\d)$/.exec(path)?.[1];
    const target = page === undefined ? path : `/api/content/${this.#account.pages[Number(page) - 1]?.id ?? page}`;
    const headers = new Headers({ "Content-Type": "application/json", ...(once && { "Idempotency-Key": "once" }) });
    if (key !== "none") headers.set("Authorization", `Bearer ${key === "own" ? apiKey : "wrong_key"}`);
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(baseUrl + target, init);
    this.seen.push([answer.status, [...answer.headers], await answer.text()]);
  }

  #wait(times: number | undefined): void {
    const { waitForRequest } = this.#account;
    const wait = times === undefined ? waitForRequest() : waitForRequest({ times });
    this.#waits.push(
      wait.then(
        (got) => JSON.stringify(got),
        (error: unknown) => String(error),
      ),
    );
  }

  #look(): void {
    const { pages, events, rateLimit, faults, clock, clientOptions, forgottenRequests } = this.#account;
    const planned = faults.list();
    const requests = JSON.stringify(this.#account.requests());
    const state = JSON.stringify([pages, events, rateLimit, planned, forgottenRequests, this.#account.snapshot()]);
    this.seen.push([state, requests, clock.now(), clientOptions.now()]);
  }
}

/** Randomness that is the same in every service. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

type Turn = readonly [who: 0 | 1, step: Step];

/** What each account sees when the turns are taken on one service. */
async function play(turns: readonly Turn[], pageIds: "string" | "integer"): Promise<unknown[][]> {
  const service = createMockService({
    plan: { limit: 5, windowMs: 60_000 },
    dialect: { switches: { "page-id-type": pageIds } },
    accounts: [{ id: "acme", keys: ["live_acme_key"] }],
    now: () => 1_700_000_000_000,
    random: seeded(),
    domains: [
      { name: "shoes.example", topics: ["shoes"], keywords: ["running"], capacity: 2 },
      { name: "rest.example", topics: [], keywords: [], catchAll: true },
    ],
  });
  const actors = [new Actor(service, "test_first_one"), new Actor(service, "live_acme_key")];
  for (const [who, step] of turns) await actors[who]?.act(step);
  return Promise.all(actors.map((actor) => actor.finish()));
}

describe.each(["string", "integer"] as const)("with page ids of type %s", (pageIds) => {
  test("whatever two accounts do by turns, each sees exactly what it sees alone", { timeout: 60_000 }, async () => {
    const turns = fc.array(fc.tuple(fc.constantFrom<0 | 1>(0, 1), step), { minLength: 20, maxLength: 60, size: "max" });
    await fc.assert(
      fc.asyncProperty(turns, async (turns) => {
        const [first, second] = await play(turns, pageIds);
        const [firstAlone] = await play(
          turns.filter(([who]) => who === 0),
          pageIds,
        );
        const [, secondAlone] = await play(
          turns.filter(([who]) => who === 1),
          pageIds,
        );

        expect(first).toEqual(firstAlone);
        expect(second).toEqual(secondAlone);
      }),
      { numRuns: 100, seed: 11 },
    );
  });
});
