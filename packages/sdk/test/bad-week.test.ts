// Random programs use every method of the client while the service fails in changing ways. Laws hold in every run.
import { getEventListeners } from "node:events";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  AbortedError,
  CallError,
  type ClientEvent,
  type ClientOptions,
  LandingPages,
  LandingPagesError,
} from "../src/index.ts";
import { sleep as sleepOnTimer } from "../src/call/timers.ts";
import { connectionRefused, connectionReset, createRandom, somePage } from "./setup.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

const working = ["fine", "limited", "hung", "late", "cut"] as const;
const broken = ["refusing", "failing", "unreachable", "reset", "portal", "locked"] as const;

/** A request as the service received it, and its outcome. */
interface SeenRequest {
  readonly atMs: number;
  readonly body: string;
  readonly idempotencyKey: string;
  isApplied: boolean;
  /** When the service refused it, and the end of the wait that it asked for. */
  refusal?: { readonly atMs: number; readonly untilMs: number };
}

/** How the service handles a request. `late` ignores the signal and applies the request after a while. */
const condition = fc.record({
  kind: fc.constantFrom(...working, ...broken),
  /** Requests per window of a rate limit. */
  limit: fc.integer({ min: 1, max: 20 }),
  /** The length of a window, or the wait that a refusal asks for. */
  waitMs: fc.integer({ min: 1, max: 60_000 }),
  status: fc.constantFrom(400, 403, 404, 408, 500, 502, 503, 504),
  /** Whether the service applies the request although it fails. */
  isApplied: fc.boolean(),
  /** Where the response names a wait. */
  waitHeader: fc.constantFrom("Retry-After", "X-RateLimit-Reset", "nothing"),
});
const phases = fc.array(
  fc.record({
    forMs: fc.integer({ min: 100, max: 60_000 }),
    conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
    latencyMs: fc.constantFrom(0, 50, 3_000, 20_000),
  }),
  { maxLength: 8 },
);
/** A step of a program that uses the client. */
const action = fc.record({
  kind: fc.constantFrom("list", "create", "update", "delete", "track", "createMany", "iterate", "queue"),
  atMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 120_000 })),
  /** Time from its start to the abort of its signal. */
  abortAfterMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined, freq: 2 }),
  options: fc.record(
    { timeoutMs: fc.integer({ min: 1, max: 20_000 }), totalTimeoutMs: fc.integer({ min: 1, max: 300_000 }) },
    { requiredKeys: [] },
  ),
  count: fc.integer({ min: 1, max: 40 }),
  ending: fc.constantFrom("close", "drain"),
});
const programs = fc.record({
  seed: fc.nat(1_000_000),
  maxInFlight: fc.constantFrom(1, 4, 64),
  phases,
  actions: fc
    .array(fc.tuple(action, fc.constantFrom(1, 1, 1, 12)), { minLength: 1, maxLength: 10 })
    .map((bursts) => bursts.flatMap(([each, times]) => Array.from({ length: times }, () => each))),
});
type Drawn<Of> = Of extends fc.Arbitrary<infer One> ? One : never;
type Condition = Drawn<typeof condition>;
type Action = Drawn<typeof action>;
type Program = Drawn<typeof programs>;

const sleep = (delayMs: number, signal?: AbortSignal) => sleepOnTimer(delayMs, signal);

/** Moves the clock from timer to timer until the work is done. */
async function runThrough(work: Promise<unknown>, mostMs: number): Promise<void> {
  const state = { isDone: false };
  const end = () => void (state.isDone = true);
  void work.then(end).catch(end);
  const endMs = Date.now() + mostMs;
  for (let idleRounds = 0; !state.isDone && idleRounds < 200;) {
    for (let round = 0; round < 4 && !state.isDone; round += 1) await new Promise((resolve) => setImmediate(resolve));
    idleRounds = vi.getTimerCount() === 0 ? idleRounds + 1 : 0;
    if (Date.now() > endMs) throw new Error(`not over after ${mostMs} ms: ${vi.getTimerCount()} timers left`);
    if (!state.isDone && idleRounds === 0) vi.advanceTimersToNextTimer();
  }
  if (!state.isDone) throw new Error("nothing is left to happen, and the work is not done");
  await work;
}

/** A service with 45 pages. Each request gets one of the conditions of the current phase. */
function createService({ phases, seed }: Program) {
  const requests: SeenRequest[] = [];
  const random = createRandom(seed);
  const startMs = Date.now();
  let [windowEndsMs, used, made] = [0, 0, 0];

  const carryOut = (seen: SeenRequest, method: string, url: URL): Response => {
    seen.isApplied = true;
    const id = url.pathname.split("/")[3] ?? `new_${(made += 1)}`;
    if (method === "DELETE" || url.pathname.includes("analytics")) return new Response(null, { status: 204 });
    if (method !== "GET") return Response.json({ ...(JSON.parse(seen.body) as object), id, domains: [] });
    const [offset, limit] = [url.searchParams.get("offset") ?? 0, url.searchParams.get("limit") ?? 20].map(Number);
    const data = Array.from({ length: 45 }, (_, index) => ({ id: `old_${index}`, domains: [] }));
    return Response.json({ data: data.slice(offset, Number(offset) + Number(limit)), total: 45 });
  };
  const refuse = (seen: SeenRequest, status: number, waitMs: number, waitHeader: Condition["waitHeader"]): Response => {
    const headers = waitHeader === "nothing" ? {} : { [waitHeader]: String(Math.ceil(waitMs / 1000)) };
    if (waitHeader !== "nothing" && status === 429) seen.refusal = { atMs: Date.now(), untilMs: Date.now() + waitMs };
    return Response.json({ message: "no" }, { status, headers });
  };

  const fetch: NonNullable<ClientOptions["fetch"]> = async (href, { method, headers, body = "", signal }) => {
    let endMs = startMs;
    const phase = phases.find(({ forMs }) => Date.now() < (endMs += forMs));
    const { kind, limit, waitMs, status, isApplied, waitHeader } =
      phase?.conditions[Math.floor(random() * phase.conditions.length)] ?? fine;
    const { "idempotency-key": idempotencyKey = "" } = headers;
    const seen: SeenRequest = { atMs: Date.now(), body, idempotencyKey, isApplied: false };
    requests.push(seen);
    const apply = () => carryOut(seen, method, new URL(href));
    if (kind === "unreachable") throw connectionRefused;
    if (kind === "late") await sleep(25_000);
    else await sleep(kind === "hung" ? 1e8 : 1 + random() * (phase?.latencyMs ?? 20), signal);
    if (kind === "reset" && isApplied) apply();
    if (kind === "reset") throw connectionReset;
    if (kind === "portal") return new Response("<!doctype html><title>Sign in</title>");
    if (kind === "locked") return refuse(seen, 401, 0, "nothing");
    if (kind === "refusing") return refuse(seen, 429, waitMs, waitHeader);
    // A refused request was not applied.
    if (kind === "failing" && isApplied && (status === 408 || status >= 500)) apply();
    if (kind === "failing") return refuse(seen, status, waitMs, waitHeader);
    if (kind === "limited" && Date.now() >= windowEndsMs) [windowEndsMs, used] = [Date.now() + waitMs, 0];
    if (kind === "limited" && (used += 1) > limit) return refuse(seen, 429, windowEndsMs - Date.now(), "Retry-After");
    const response = apply();
    return kind === "cut" ? new Response((await response.text()).slice(0, -1)) : response;
  };
  return { requests, fetch };
}
const fine = { kind: "fine", limit: 0, waitMs: 0, status: 0, isApplied: false, waitHeader: "nothing" } as const;

/** The outcome of one call, or of one input of `createMany`. */
interface Outcome {
  readonly name: string;
  readonly error: unknown;
  /** Whether its signal had aborted when the call ended. */
  readonly isAborted: boolean;
}

/** Carries out one action, and reports the outcome of each call to `note`. */
async function perform(
  { pages, analytics }: LandingPages,
  { kind, count, ending, options }: Action,
  name: string,
  signal: AbortSignal,
  note: (error: unknown) => void,
): Promise<void> {
  const common = { ...options, signal };
  if (kind === "createMany") {
    const inputs = Array.from({ length: count }, (_, index) => ({ ...somePage, slug: `${name}-${index}` }));
    for await (const { error } of pages.createMany(inputs, common)) note(error);
    return undefined;
  }
  if (kind === "iterate") {
    const ids: string[] = [];
    for await (const { id } of pages.iterate(common)) ids.push(id);
    return expect(ids).toEqual(Array.from({ length: 45 }, (_, index) => `old_${index}`));
  }
  if (kind === "queue") {
    const queue = analytics.queue(common);
    for (let each = 0; each < count; each += 1) queue.push({ pageId: `${name}-${each}` });
    await sleep(count * 1000);
    await queue[ending]({ timeoutMs: 30_000 });
    return expect(queue.counts).toMatchObject({ accepted: count, pending: 0 });
  }
  const calls = {
    list: () => pages.list({}, common),
    create: () => pages.create({ ...somePage, slug: name }, common),
    update: () => pages.update("old_1", { title: name }, common),
    delete: () => pages.delete("old_2", common),
    track: () => analytics.track({ pageId: name }, common),
  };
  const startMs = Date.now();
  await calls[kind]().finally(() => {
    expect(Date.now() - startMs).toBeLessThanOrEqual((options.totalTimeoutMs ?? 120_000) + 1);
  });
  return undefined;
}

/** Starts a program, and records everything that can be observed. */
function start(program: Program) {
  vi.setSystemTime(Date.UTC(2026, 0, 1));
  const service = createService(program);
  const events: ClientEvent[] = [];
  const client = new LandingPages({
    apiKey: "test_week",
    baseUrl: "https://service.example",
    fetch: service.fetch,
    now: Date.now,
    sleep,
    random: createRandom(program.seed * 7919),
    maxInFlight: program.maxInFlight,
    onEvent: (event) => events.push(event),
  });
  const outcomes: Outcome[] = [];
  const signals: AbortSignal[] = [];
  const begin = async (each: Action, name: string): Promise<void> => {
    await sleep(each.atMs);
    const aborter = new AbortController();
    const { signal } = aborter;
    signals.push(signal);
    const timer = each.abortAfterMs === undefined ? undefined : setTimeout(() => aborter.abort(), each.abortAfterMs);
    const note = (error: unknown) => void outcomes.push({ name, error, isAborted: signal.aborted });
    try {
      await perform(client, each, name, signal, note);
    } catch (error) {
      if (!LandingPagesError.is(error)) throw error;
      note(error);
    } finally {
      clearTimeout(timer);
    }
  };
  const done = Promise.all(program.actions.map((each, index) => begin(each, `${each.kind}-${index}`)));
  return { client, done, requests: service.requests, events, outcomes, signals };
}
type Week = ReturnType<typeof start>;

/** Every call has one end event, which is its last event, and no call leaves a listener behind. */
function expectQuiet({ signals, events }: Week): void {
  for (const signal of signals) expect(getEventListeners(signal, "abort")).toEqual([]);
  const ended = new Set<string>();
  for (const event of events.filter((event) => "route" in event)) {
    expect(ended.has(event.callId)).toBe(false);
    if (event.type === "end") ended.add(event.callId);
  }
}

/** An aborted call fails with an AbortedError, and a call whose error denies `mayHaveBeenApplied` was not applied. */
function expectHonestOutcomes({ outcomes, requests }: Week): void {
  const single = outcomes.filter(({ name }) => !/^(?:createMany|queue)/.test(name));
  expect(single.filter(({ isAborted, error }) => isAborted && !AbortedError.is(error))).toEqual([]);
  const denied = outcomes.map(({ error }) => error).filter((error) => CallError.is(error) && !error.mayHaveBeenApplied);
  const keys = new Set(denied.map((error) => Reflect.get(Object(error), "idempotencyKey")));
  expect(
    requests.filter((seen) => seen.isApplied && seen.idempotencyKey !== "" && keys.has(seen.idempotencyKey)),
  ).toEqual([]);
}

/**
 * No request arrives before the wait that a refusal asked for is over, to a whole second. A rate limiter that has been closed for
 * 65 s may send a request to try.
 */
function expectWaits({ requests }: Week): void {
  const refusals = requests.flatMap(({ refusal }) => refusal ?? []);
  const isLongClosed = (atMs: number) => refusals.some((refusal) => refusal.atMs <= atMs - 65_000);
  for (const { atMs, untilMs } of refusals) {
    const early = requests.filter((seen) => seen.atMs > atMs && seen.atMs < untilMs - 1000 && !isLongClosed(seen.atMs));
    expect(early).toEqual([]);
  }
}

function expectOneBodyForEachKey({ requests }: Week): void {
  const keyed = requests.filter(({ idempotencyKey }) => idempotencyKey !== "");
  for (const sent of Map.groupBy(keyed, ({ idempotencyKey }) => idempotencyKey).values())
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
}

/** Ten minutes after the last failure, calls succeed at once. */
async function expectRecovery({ client }: Week, { phases }: Program): Promise<void> {
  await sleep(phases.reduce((sumMs, { forMs }) => sumMs + forMs, 600_000));
  const beganMs = Date.now();
  expect((await client.pages.list()).data).toHaveLength(20);
  expect(Date.now() - beganMs).toBeLessThan(5_000);
}

test("whatever the service does for a week, the client never breaks a law", () =>
  fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const week = start(program);
      await runThrough(week.done, 6 * 3_600_000);
      // Lets late responses arrive.
      await runThrough(sleep(30_000), 60_000);

      expect(vi.getTimerCount()).toBe(0);
      expectQuiet(week);
      expectHonestOutcomes(week);
      expectWaits(week);
      expectOneBodyForEachKey(week);
      await runThrough(expectRecovery(week, program), 3_600_000);
    }),
  ));
