// Random calls while the service fails in changing ways. Laws hold in every run.
import { getEventListeners } from "node:events";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AbortedError, CallError, type CallOptions, type ClientEvent, type LandingPages } from "../src/index.ts";
import { connectionRefused, connectionReset, html, json, scripted, type SentRequest, somePage } from "./setup.ts";

/** How the service handles a request. */
const condition = fc.record({
  kind: fc.constantFrom("fine", "cut", "portal", "failing", "failing", "refusing", "reset", "unreachable"),
  latencyMs: fc.constantFrom(0, 50, 3_000, 20_000),
  code: fc.constantFrom(408, 500, 502, 503, 504),
  /** Whether the service applies a request that fails. */
  isApplied: fc.boolean(),
  refusal: fc.constantFrom(400, 401, 403, 404, 429, 429),
  waitHeader: fc.constantFrom("Retry-After", "X-RateLimit-Reset", "X-None"),
  waitSeconds: fc.integer({ min: 0, max: 60 }),
});
type Condition = typeof condition extends fc.Arbitrary<infer One> ? One : never;

const phases = fc.array(
  fc.record({
    forMs: fc.integer({ min: 100, max: 60_000 }),
    conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
  }),
  { maxLength: 8 },
);
type Phases = typeof phases extends fc.Arbitrary<infer One> ? One : never;

/** Calls, each with the errors that it ends with. */
const calls = {
  list: ({ pages }, options) => errorsOf(pages.list({}, options)),
  create: ({ pages }, options) => errorsOf(pages.create(somePage, options)),
  update: ({ pages }, options) => errorsOf(pages.update("pg_1", { title: "New" }, options)),
  delete: ({ pages }, options) => errorsOf(pages.delete("pg_1", options)),
  track: ({ analytics }, options) => errorsOf(analytics.track({ pageId: "pg_1" }, options)),
  createMany: async ({ pages }, options) => {
    const errors: unknown[] = [];
    const inputs = Array.from({ length: 8 }, () => somePage);
    const loop = async () => {
      for await (const { error } of pages.createMany(inputs, options)) errors.push(error);
    };
    return errors.concat(await errorsOf(loop()));
  },
} satisfies Record<string, (client: LandingPages, options: CallOptions) => Promise<unknown[]>>;

const errorsOf = (call: Promise<unknown>) =>
  call.then(
    () => [],
    (error: unknown) => [error],
  );

const actions = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(calls) as (keyof typeof calls)[])), // why: its own keys
    times: fc.constantFrom(1, 1, 1, 8),
    atMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 120_000 })),
    abortAfterMs: fc.oneof(fc.constant(3_600_000), fc.integer({ min: 0, max: 60_000 })),
    totalTimeoutMs: fc.oneof(fc.constant(120_000), fc.integer({ min: 1, max: 300_000 })),
  }),
  { minLength: 1, maxLength: 8 },
);

/** A request as the service received it. */
interface SeenRequest {
  readonly atMs: number;
  readonly key: string;
  readonly body: string;
  isApplied: boolean;
  /** When the service refused the request, and the end of the wait that it asked for. */
  refusedAtMs: number;
  refusedUntilMs: number;
}

/** A client of a service whose phases give each request one of their conditions. */
function setUp(phases: Phases, maxInFlight: number) {
  const seen: SeenRequest[] = [];
  const chooseCondition = (atMs: number): Partial<Condition> => {
    let endMs = 0;
    const phase = phases.find(({ forMs }) => atMs < (endMs += forMs));
    return phase?.conditions[seen.length % phase.conditions.length] ?? {};
  };
  const respond = async ({ method, headers, body, signal }: SentRequest): Promise<Response> => {
    const atMs = bench.time.elapsedMs();
    const { kind = "fine", latencyMs = 20, code, isApplied = false, ...refusal } = chooseCondition(atMs);
    const key = headers.get("Idempotency-Key") ?? "";
    const request: SeenRequest = { atMs, key, body, isApplied: false, refusedAtMs: 0, refusedUntilMs: 0 };
    seen.push(request);
    if (kind === "unreachable") throw connectionRefused;
    await bench.time.sleep(latencyMs, signal);
    if (kind === "refusing") return refuse(request, refusal);
    request.isApplied = kind === "fine" || kind === "cut" || isApplied;
    if (kind === "reset") throw connectionReset;
    if (kind === "portal") return html("<!doctype html><title>Sign in</title>");
    if (kind === "failing") return json({ message: "no" }, code);
    const page = { ...somePage, id: "pg_1" };
    const text = JSON.stringify(method === "GET" ? [page] : page);
    return new Response(kind === "cut" ? text.slice(0, -1) : text);
  };
  const refuse = (
    request: SeenRequest,
    { refusal = 400, waitHeader = "X-None", waitSeconds = 0 }: Partial<Condition>,
  ) => {
    const isAsked = refusal === 429 && waitHeader !== "X-None";
    request.refusedAtMs = bench.time.elapsedMs();
    request.refusedUntilMs = isAsked ? request.refusedAtMs + waitSeconds * 1000 : 0;
    return json({ message: "no" }, refusal, { [waitHeader]: String(waitSeconds) });
  };
  const bench = scripted([respond], { maxInFlight });
  return { ...bench, seen };
}

/** Every call has one end event, which is its last event. */
function expectOneEnd(events: readonly ClientEvent[]): void {
  const ended = new Set<string>();
  for (const event of events.filter((event) => "route" in event)) {
    expect(ended.has(event.callId)).toBe(false);
    if (event.type === "end") ended.add(event.callId);
  }
}

/** A call whose error denies `mayHaveBeenApplied` was not applied, and every attempt of a call has the same body. */
function expectHonesty(errors: readonly unknown[], seen: readonly SeenRequest[]): void {
  const denied = errors.filter((error) => CallError.is(error) && !error.mayHaveBeenApplied) as CallError[]; // why: just checked
  const keys = new Set(denied.map(({ idempotencyKey }) => idempotencyKey));
  const writes = seen.filter(({ key }) => key !== "");
  expect(writes.filter(({ key, isApplied }) => isApplied && keys.has(key))).toEqual([]);
  expect(new Set(writes.map(({ key, body }) => key + body)).size).toBe(new Set(writes.map(({ key }) => key)).size);
}

/** No request arrives before the wait that a refusal asked for is over. A rate limiter that has been closed for 65 s may send one to try. */
function expectWaits(seen: readonly SeenRequest[]): void {
  const refusals = seen.filter(({ refusedUntilMs }) => refusedUntilMs > 0);
  const isLongClosed = (atMs: number) => refusals.some((refusal) => refusal.refusedAtMs <= atMs - 65_000);
  for (const refusal of refusals) {
    const isEarly = (atMs: number) => atMs > refusal.refusedAtMs && atMs < refusal.refusedUntilMs - 1000;
    expect(seen.filter(({ atMs }) => isEarly(atMs) && !isLongClosed(atMs))).toEqual([]);
  }
}

test("whatever the service does for a week, the client never breaks a law", () =>
  fc.assert(
    fc.asyncProperty(phases, actions, fc.constantFrom(1, 4, 64), async (phases, actions, maxInFlight) => {
      const { client, time, events, seen } = setUp(phases, maxInFlight);
      const perform = async ({ kind, atMs, abortAfterMs, totalTimeoutMs }: (typeof actions)[number]) => {
        await time.sleep(atMs, undefined);
        const aborter = new AbortController();
        const { signal } = aborter;
        void time.sleep(abortAfterMs, undefined).then(() => aborter.abort());
        const errors = await calls[kind](client, { signal, totalTimeoutMs });
        expect(time.elapsedMs() - atMs).toBeLessThanOrEqual(kind === "createMany" ? Infinity : totalTimeoutMs + 20_000);
        expect(getEventListeners(signal, "abort")).toEqual([]);
        const late = signal.aborted && kind !== "createMany" ? errors : [];
        expect(late.filter((error) => !AbortedError.is(error))).toEqual([]);
        return errors;
      };

      const repeated = actions.flatMap((action) => Array.from({ length: action.times }, () => action));
      const errors = await Promise.all(repeated.map(perform));

      expectOneEnd(events);
      expectHonesty(errors.flat(), seen);
      expectWaits(seen);
      // Ten minutes after the last failure, calls succeed at once.
      await time.sleep(
        phases.reduce((sumMs, { forMs }) => sumMs + forMs, 600_000),
        undefined,
      );
      const beganMs = time.elapsedMs();
      expect((await client.pages.list()).data).toHaveLength(1);
      expect(time.elapsedMs() - beganMs).toBeLessThan(5_000);
    }),
  ));
