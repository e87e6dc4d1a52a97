// What tests of a suite do, as programs: each test sees what it would see alone, whatever the others do before it or beside it.
import { createControl } from "../src/control/control.ts";
import type { RecordedRequest, StateRecord } from "../src/index.ts";
import { createFixture, enterTest, type Fixture, type OpenAccount } from "../src/service/fixture.ts";
import type { TestAccount } from "../src/assert.ts";
import { somePage } from "./client.ts";

/** One thing that a test does; `n` makes it another one. */
export interface Step {
  readonly kind: string;
  readonly n: number;
}

const catalogue = [
  { name: "shoes.example", topics: ["shoes"], keywords: ["running"], capacity: 2 },
  { name: "rest.example", topics: [], keywords: [], catchAll: true },
];
/** A delay that only the end of the account cuts: what is under way then does not hang on how long others take. */
const endlessMs = 1_000;
const slugs = ["tea", "red-shoes", "garden"];
const statuses = [429, 500, 503, 404];

/** A service for tests, the same each time. */
export function openSuite(): Fixture {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  return createFixture({
    plan: { limit: 6, windowMs: 60_000 },
    accounts: [{ id: "acme", keys: ["live_acme"] }],
    seed: [
      { account: "acme", page: { ...somePage, slug: "seeded" } },
      { account: "test_seeded", page: somePage },
    ],
    domains: catalogue,
    now: () => 1_700_000_000_000,
    random,
    sleep: (delayMs, signal) =>
      new Promise((resolve) => {
        if (delayMs < endlessMs) setImmediate(resolve);
        else signal.addEventListener("abort", () => resolve());
      }),
  });
}

/** A test that runs, and all that it sees. */
export class Actor {
  readonly seen: unknown[] = [];
  readonly mock: TestAccount;
  readonly #open: OpenAccount;
  readonly #late: Promise<unknown>[] = [];
  readonly #isAlone: boolean;
  #snapshot: StateRecord[] = [];
  #wholeSnapshot: StateRecord[] = [];

  /** @param isAlone - whether no other test runs beside it, so that it may look at all that is shared. */
  constructor(fixture: Fixture, name: string, isAlone: boolean) {
    this.#isAlone = isAlone;
    this.#open = enterTest(fixture, { skip, test: name, name });
    this.mock = this.#open.account;
  }

  async act({ kind, n }: Step): Promise<void> {
    const action = own[kind] ?? (this.#isAlone ? shared[kind] : undefined);
    try {
      this.#see(kind, await action?.(this, n));
    } catch (error) {
      this.#see(kind, String(error));
    }
    if (action !== undefined) this.#glance();
  }

  async finish(hasFailed: boolean): Promise<void> {
    this.#see("snapshot", this.mock.snapshot());
    if (this.#isAlone) this.#see("all", this.mock.service.snapshot());
    try {
      await this.#open.close(hasFailed);
    } catch (error) {
      this.#see("ended with", String(error));
    }
  }

  /** All that it has seen, when nothing of it goes on. */
  async sight(): Promise<unknown[]> {
    return [...this.seen, await Promise.all(this.#late)];
  }

  /** Something whose end is not waited for before the test's. */
  later(promise: Promise<unknown>): void {
    this.#late.push(promise.then(write, String));
  }

  keepSnapshot(): void {
    this.#snapshot = this.mock.snapshot();
    if (this.#isAlone) this.#wholeSnapshot = this.mock.service.snapshot();
  }

  get snapshot(): StateRecord[] {
    return this.#snapshot;
  }

  get wholeSnapshot(): StateRecord[] {
    return this.#wholeSnapshot;
  }

  readonly note = (what: string) => (value: RecordedRequest) => this.#see(what, value.id);

  /** Sends a request by one of the doors. */
  async send(door: Door, n: number): Promise<readonly [status: number, headers: unknown, body: string]> {
    const { apiKey, service, clientOptions } = this.mock;
    const doors: Record<Door, [typeof fetch, string | undefined]> = {
      own: [clientOptions.fetch, apiKey],
      service: [service.fetch, apiKey],
      global: [fetch, apiKey],
      environment: [fetch, process.env["LANDING_PAGES_API_KEY"]],
      wrong: [clientOptions.fetch, "live_wrong"],
      keyless: [clientOptions.fetch, undefined],
      strangers: [service.fetch, undefined],
      acme: [service.fetch, "live_acme"],
      sandbox: [service.fetch, "test_fixed"],
    };
    const [sendBy, key] = doors[door];
    const page = this.mock.pages.at(n % 3)?.id ?? "pg_none";
    const slug = slugs[n % 3] ?? "tea";
    const [method, path, body] = [
      ["POST", "/api/content", { ...somePage, slug }],
      ["GET", `/api/content?limit=${n}&slug=${slug}`, undefined],
      ["PUT", `/api/content/${page}`, { title: `Title ${n}` }],
      ["DELETE", `/api/content/${page}`, undefined],
      ["POST", "/api/analytics/view", { pageId: page, timestamp: "2026-01-01T00:00:00Z" }],
      ["POST", "/api/content", { slug }],
      ["POST", "/api/content", { ...somePage, slug }],
    ][n % 7] as [string, string, object | undefined]; // why: n % 7 is within
    const headers = {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(n % 2 === 0 && { "Idempotency-Key": `once ${n % 4}` }),
    };
    const answer = await sendBy(service.baseUrl + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return [answer.status, [...answer.headers], await answer.text()];
  }

  async control(method: string, path: string, body?: object): Promise<unknown> {
    const { service, apiKey } = this.mock;
    const [pathname = "", query = ""] = path.split("?");
    const answer = createControl(service, { isOpen: true })({
      method,
      path: `/__mock/${pathname}`,
      query: query.replace("KEY", apiKey),
      headers: new Headers({ "Content-Type": "application/json" }),
      body: body && new TextEncoder().encode(JSON.stringify(body)),
    });
    const { status, body: text = "" } = await answer;
    return [status, text.replace(/ctl_[\w-]+/, "ctl")];
  }

  #see(what: string, value: unknown): void {
    this.seen.push([what, write(value)]);
  }

  #glance(): void {
    const { pages, events, rateLimit, faults, clock, unhandledRequests, forgottenRequests, service, apiKey } =
      this.mock;
    const fired = faults.list().map(({ id, fired }) => [id, fired]);
    const requests = this.mock.requests();
    this.#see("account", [
      apiKey,
      pages,
      events,
      rateLimit,
      fired,
      clock.now(),
      unhandledRequests,
      forgottenRequests,
      requests,
    ]);
    if (!this.#isAlone) return;
    const { domains, dialect } = service;
    const listed = service.faults.list().map(({ id, fired }) => [id, fired]);
    this.#see("service", [dialect.switches, domains.domains.map(({ name }) => name), listed, service.clock.now()]);
    this.#see("all", [service.listAccounts(), service.requests(), service.forgottenRequests]);
    this.#see("process", [process.env["LANDING_PAGES_BASE_URL"], process.env["LANDING_PAGES_API_KEY"]]);
  }
}

function skip(reason: string): never {
  throw new Error(reason);
}

/** A text that tells all, whatever it is. */
function write(value: unknown): string {
  return JSON.stringify([value]) ?? "";
}

type Door = "own" | "service" | "global" | "environment" | "wrong" | "keyless" | "strangers" | "acme" | "sandbox";
type Action = (actor: Actor, n: number) => unknown;

const rule = (n: number) => ({
  ...(n % 5 === 4 ? { delayMs: 1 + n } : n % 5 === 3 ? { wire: "reset" as const } : { status: statuses[n % 4] ?? 500 }),
  ...(n % 3 === 0 && { endpoint: "createPage" as const }),
  ...(n % 4 === 1 && { times: 1 + (n % 3) }),
  ...(n % 6 === 2 && { skip: 1 }),
  ...(n % 7 === 3 && { probability: 0.5 }),
  ...(n % 8 !== 5 && { optional: true }),
});

/** What a test may do while others run beside it. */
export const own: Readonly<Record<string, Action>> = {
  call: (actor, n) => actor.send("own", n),
  callByService: (actor, n) => actor.send("service", n),
  callByGlobalFetch: (actor, n) => actor.send("global", n),
  callWithWrongKey: (actor, n) => actor.send("wrong", n),
  callWithoutKey: (actor, n) => actor.send("keyless", n),
  slow(actor, n) {
    actor.mock.faults.clear();
    actor.mock.faults.add({ delayMs: endlessMs, times: 1 });
    // What is answered after the end has the moment of then.
    actor.later(actor.send("own", n).then(([status]) => status));
  },
  fault: ({ mock }, n) => mock.faults.add(rule(n)).id,
  faultByService: ({ mock }, n) => mock.service.faults.add({ ...rule(n), key: mock.apiKey }).id,
  faultByControl: (actor, n) => actor.control("POST", "faults", { ...rule(n), key: actor.mock.apiKey }),
  clear: ({ mock }) => mock.faults.clear(),
  remove: ({ mock }, n) => mock.faults.list()[n % 3]?.remove(),
  advance: ({ mock }, n) => mock.clock.advance(n * 1_000),
  set: ({ mock }, n) => mock.clock.set(1_600_000_000_000 + n * 1e9),
  advanceByControl: (actor, n) => actor.control("POST", "clock/advance?key=KEY", { ms: n * 1_000 }),
  plan: ({ mock }, n) => mock.setPlan(n % 2 === 0 ? "free" : { limit: 1 + n, windowMs: 1_000 }),
  place: ({ mock }, n) => mock.domains.assign({ slug: slugs[n % 3] ?? "" }, ["rest.example"]),
  reset: ({ mock }) => mock.reset(),
  resetByControl: (actor) => actor.control("POST", "reset?key=KEY"),
  snapshot: (actor) => actor.keepSnapshot(),
  restore: ({ mock, snapshot }) => mock.restore(snapshot),
  wait: (actor, n) => actor.later(actor.mock.waitForRequest(n % 2 === 0 ? {} : { endpoint: "listPages" })),
  waitForMany: (actor, n) => actor.later(actor.mock.waitForRequest({ times: 1 + (n % 3) })),
  waitByService: (actor) => actor.later(actor.mock.service.waitForRequest({ key: actor.mock.apiKey })),
  hear: ({ mock, note }) => void mock.service.onRequest(note("heard"), { key: mock.apiKey }),
  evaluate: ({ mock }) => mock.service.evaluate({ ...somePage, locale: "en" }, mock.apiKey),
  assignment: ({ mock }) => mock.service.assignment(mock.pages[0]?.id ?? "pg_none", mock.apiKey),
  requests: ({ mock }) => mock.service.requests({ key: mock.apiKey }),
  snapshotByControl: (actor) => actor.control("GET", "snapshot?key=KEY"),
};

/** What changes or shows what all tests of a service share: it is for those that run one after the other. */
export const shared: Readonly<Record<string, Action>> = {
  callByEnvironment: (actor, n) => actor.send("environment", n),
  callOfStranger: (actor, n) => actor.send("strangers", n),
  callOfNamed: (actor, n) => actor.send("acme", n),
  callOfSandbox: (actor, n) => actor.send("sandbox", n),
  named: ({ mock }) => [mock.service.account("live_acme").pages, mock.service.account("test_seeded").pages],
  faultOfNamed: ({ mock }, n) => mock.service.account("live_acme").faults.add({ ...rule(n), optional: true }).id,
  clockOfNamed: ({ mock }, n) => mock.service.account("live_acme").clock.advance(n * 1_000),
  planOfNamed: ({ mock }) => mock.service.account("live_acme").setPlan("free"),
  placeOfNamed: ({ mock }) => mock.service.account("live_acme").domains.assign({ slug: "tea" }, ["rest.example"]),
  sandbox: ({ mock }) => mock.service.account("test_fixed").pages,
  faultOfAll: ({ mock }, n) => mock.service.faults.add(rule(n)).id,
  clearAll: ({ mock }) => mock.service.faults.clear(),
  clock: ({ mock }, n) => mock.service.clock.advance(n * 1_000),
  setClock: ({ mock }, n) => mock.service.clock.set(1_500_000_000_000 + n * 1e9),
  dialect: ({ mock }, n) => mock.service.setDialect(n % 2 === 0 ? "mongo-like" : "reference"),
  domains: ({ mock }, n) => mock.service.setDomains(catalogue.slice(n % 2)),
  resetAll: ({ mock }) => mock.service.reset(),
  restoreAll: ({ mock, wholeSnapshot }) => mock.service.restore(wholeSnapshot),
  importAll: ({ mock, wholeSnapshot }) =>
    mock.service.importLines(wholeSnapshot.map((record) => JSON.stringify(record)).join("\n")),
  waitForAny: (actor) => actor.later(actor.mock.service.waitForRequest({ times: 2 })),
  hearAll: ({ mock, note }) => void mock.service.onRequest(note("heard of all")),
  breakAll: ({ mock }) =>
    void mock.service.onRequest(() => {
      throw new Error("a listener broke");
    }),
  environment: (_, n) => void (process.env["LANDING_PAGES_BASE_URL"] = `https://test-${n}.example`),
  key: (_, n) => void (process.env["LANDING_PAGES_API_KEY"] = `test_${n}`),
  globalFetch: (_, n) => {
    const before = globalThis.fetch;
    globalThis.fetch = n % 2 === 0 ? before : async () => Response.error();
  },
  refuse: ({ mock }) => mock.service.refuse(431, "too large"),
};
