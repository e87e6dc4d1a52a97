import * as fc from "fast-check";
import { http, passthrough } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, test } from "vitest";
import { type AccountHandle, createMockService, type MockService, type StateRecord } from "../src/index.ts";
import { mswHandlers } from "../src/msw.ts";
import { listen } from "../src/node.ts";
import { somePage } from "./client.ts";

/** One thing that a test does in its account. */
type Step =
  | {
      kind: "call";
      method: string;
      path: string;
      body: object | undefined;
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
  .tuple(route, fc.boolean())
  .map(([route, once]): Step => Object.assign(route, { kind: "call" as const, once }));
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

/** How an account's requests reach the service, and how its test arranges things. */
interface Door {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** Sends a call of the control API, where the account's test works by that. */
  readonly control?: (method: string, path: string, body?: object) => Promise<unknown>;
}

/** Does an account's steps one by one, and keeps all that its test can see. */
class Actor {
  readonly seen: unknown[] = [];
  readonly #account: AccountHandle;
  readonly #door: Door;
  readonly #waits: Promise<unknown>[] = [];
  #snapshot: StateRecord[] = [];

  constructor(account: AccountHandle, door: Door) {
    this.#account = account;
    this.#door = door;
  }

  async act(step: Step): Promise<void> {
    // What is about to be lost is looked at as a whole.
    if (step.kind === "reset" || step.kind === "restore") this.#lookAround();
    if (step.kind === "call") await this.#call(step);
    else if (step.kind === "wait") this.#wait(step.times);
    else if (step.kind === "snapshot") this.#snapshot = this.#account.snapshot();
    else if (this.#door.control === undefined) this.#arrange(step);
    else await this.#arrangeFromAfar(step, this.#door.control);
    this.#glance();
  }

  async finish(): Promise<unknown[]> {
    this.#lookAround();
    this.#account.reset();
    this.seen.push(await Promise.all(this.#waits));
    return this.seen;
  }

  #arrange(step: Step): void {
    const account = this.#account;
    if (step.kind === "fault") this.seen.push(account.faults.add(step.rule).id);
    if (step.kind === "advance") account.clock.advance(step.ms);
    if (step.kind === "set") account.clock.set(step.ms);
    if (step.kind === "plan") account.setPlan({ limit: step.limit, windowMs: 60_000 });
    if (step.kind === "reset") account.reset();
    if (step.kind === "restore") account.restore(this.#snapshot);
    if (step.kind === "clear") account.faults.clear();
  }

  /** The same by the control API. */
  async #arrangeFromAfar(step: Step, control: NonNullable<Door["control"]>): Promise<void> {
    const { apiKey: key } = this.#account.clientOptions;
    if (step.kind === "fault") this.seen.push(await control("POST", "faults", { ...step.rule, key }));
    if (step.kind === "advance") await control("POST", `clock/advance?key=${key}`, { ms: step.ms });
    if (step.kind === "set") await control("PUT", `clock?key=${key}`, { at: step.ms });
    if (step.kind === "plan")
      await control("PUT", `plan?key=${key}`, { plan: { limit: step.limit, windowMs: 60_000 } });
    if (step.kind === "reset") await control("POST", `reset?key=${key}`);
    if (step.kind === "restore") await control("PUT", `snapshot?key=${key}`, this.#snapshot);
    if (step.kind === "clear") await control("DELETE", `faults?key=${key}`);
    this.seen.push(await control("GET", `rate-limit?key=${key}`), await control("GET", `clock?key=${key}`));
  }

  async #call({ method, path, body, once }: Step & { kind: "call" }): Promise<void> {
    const { apiKey } = this.#account.clientOptions;
    const page = /\/(\d)$/.exec(path)?.[1];
    const target = page === undefined ? path : `/api/content/${this.#account.pages[Number(page) - 1]?.id ?? page}`;
    const headers = new Headers({ "Content-Type": "application/json", ...(once && { "Idempotency-Key": "once" }) });
    headers.set("Authorization", `Bearer ${apiKey}`);
    const answer = await this.#door.fetch(target, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    this.seen.push([answer.status, [...answer.headers], await answer.text()]);
  }

  #wait(times: number | undefined): void {
    const { waitForRequest } = this.#account;
    const wait = times === undefined ? waitForRequest() : waitForRequest({ times });
    this.#waits.push(
      wait.then(
        (got) => write(got),
        (error: unknown) => String(error),
      ),
    );
  }

  /** What can change at every step. */
  #glance(): void {
    const { pages, events, rateLimit, faults, clock, clientOptions, forgottenRequests } = this.#account;
    const fired = faults.list().map((fault) => fault.fired);
    const requests = this.#account.requests();
    const counts = [pages.length, events.length, requests.length, forgottenRequests];
    this.seen.push([counts, fired, rateLimit, clock.now(), clientOptions.now(), write(requests.at(-1))]);
  }

  #lookAround(): void {
    const { pages, events, faults } = this.#account;
    const requests = this.#account.requests();
    this.seen.push(write([pages, events, faults.list(), this.#account.snapshot(), requests]));
  }
}

/** Without the port, which is another one each time. */
function write(value: unknown): string {
  return JSON.stringify([value]).replaceAll(/127\.0\.0\.1:\d+/g, "host");
}

/** What stands between the accounts and their service; each has a door. */
type Doors = (service: MockService, accounts: readonly AccountHandle[]) => Promise<readonly Door[]>;
type Turn = readonly [who: number, step: Step];

const keys = ["test_first_one", "live_acme_key", "test_third_one"];

/** What each account sees when the turns are taken on one service. */
async function play(turns: readonly Turn[], pageIds: "string" | "integer", openDoors: Doors): Promise<unknown[][]> {
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
  const accounts = keys.map((key) => service.account(key));
  const doors = await openDoors(service, accounts);
  const actors = accounts.flatMap((account, who) => (doors[who] === undefined ? [] : new Actor(account, doors[who])));
  for (const [who, step] of turns) await actors[who]?.act(step);
  return Promise.all(actors.map((actor) => actor.finish()));
}

/** Holds together with each account alone. */
async function expectApart(turns: readonly Turn[], pageIds: "string" | "integer", openDoors: Doors): Promise<void> {
  const together = await play(turns, pageIds, openDoors);
  for (const who of keys.keys()) {
    const own = turns.filter(([turn]) => turn === who);
    const alone = await play(own, pageIds, openDoors);
    expect(together[who]).toEqual(alone[who]);
  }
}

const turnsOf = (length: number) =>
  fc.array(fc.tuple(fc.nat(keys.length - 1), step), { minLength: length / 3, maxLength: length, size: "max" });

const inProcess: Doors = async (_service, accounts) =>
  accounts.map(({ clientOptions: { baseUrl, fetch } }) => ({
    fetch: (path, init) => fetch(baseUrl + path, init),
  }));

describe.each(["string", "integer"] as const)("with page ids of type %s", (pageIds) => {
  test("whatever accounts do by turns, each sees exactly what it sees alone", async () => {
    await fc.assert(
      fc.asyncProperty(turnsOf(60), (turns) => expectApart(turns, pageIds, inProcess)),
      { numRuns: 10 },
    );
  });
});

test("so it is where one comes over a socket and the control API, one by msw, and one by itself", async () => {
  const net = setupServer();
  const socket = http.all(
    ({ request }) => new URL(request.url).hostname === "127.0.0.1",
    () => passthrough(),
  );
  net.listen();
  const running: { close(): Promise<void> }[] = [];
  const openDoors: Doors = async (service, [, , third]) => {
    net.resetHandlers(socket, ...mswHandlers(service));
    const server = await listen(service, { control: true });
    running.push(server);
    const own = third?.clientOptions;
    return [
      { fetch: (path, init) => fetch(server.url + path, init), control: controlOf(server.url) },
      { fetch: (path, init) => fetch(service.baseUrl + path, init) },
      { fetch: (path, init) => (own?.fetch ?? fetch)(service.baseUrl + path, init) },
    ];
  };
  await fc.assert(
    fc.asyncProperty(turnsOf(24), (turns) => expectApart(turns, "string", openDoors)),
    { numRuns: 4 },
  );
  net.close();
  await Promise.all(running.map((server) => server.close()));
});

function controlOf(url: string): NonNullable<Door["control"]> {
  return async (method, path, body) => {
    const init = {
      method,
      ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    };
    const answer = await fetch(`${url}/__mock/${path}`, init);
    const text = await answer.text();
    expect(answer.status, text).toBeLessThan(300);
    return text;
  };
}
