import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  AbortedError,
  CallError,
  type ClientEvent,
  LandingPages,
  LandingPagesError,
  type QueuedEvent,
} from "../src/index.ts";
import { createBadWeek, createRandom, runThrough, sleep } from "./bad-week.ts";
import { type Action, type Program, programs } from "./bad-week-programs.ts";
import { somePage } from "./setup.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** What became of one call, or of one input of many. */
interface Outcome {
  readonly action: string;
  readonly error?: unknown;
  /** Whether the signal of a call had aborted by the time it failed. */
  readonly isAborted?: boolean;
}

// More of them on demand: BAD_WEEKS=6000 PROPERTY_SEED=random.
const runs = Number(process.env["BAD_WEEKS"] ?? 60);

test("no week is so bad that a law is broken", { timeout: 60_000 + runs * 1_000 }, () =>
  fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const week = live(program);
      await runThrough(week.done, 6 * 3_600_000);
      await runThrough(sleep(100, undefined), 1_000);

      expect(vi.getTimerCount()).toBe(0);
      week.expectQuiet();
      week.expectHonestOutcomes();
      week.expectNothingAfterTheEnd();
      week.expectPatience();
      week.expectOneKeyAndBodyForEachCall();
      week.expectNoSecret();
    }),
    { numRuns: runs },
  ),
);

/** Runs a program; the laws are asked for when it is over. */
function live(program: Program) {
  vi.setSystemTime(Date.UTC(2026, 0, 1));
  const startMs = Date.now();
  const secrets = [1, 2].map((number) => `test_${secretOf(program.seed + number)}`);
  const rotated = (lagMs: number) =>
    program.rotateAtMs !== undefined && Date.now() - startMs >= program.rotateAtMs + lagMs ? 1 : 0;
  const keyAt = (index: number) => secrets[index] ?? "";
  const service = createBadWeek({ ...program, accepts: (key) => key === keyAt(rotated(0)) });
  const events: { lane: "single" | "bulk"; atMs: number; event: ClientEvent }[] = [];
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const listen = (lane: "single" | "bulk") => (event: ClientEvent) =>
    void events.push({ lane, atMs: Date.now(), event });
  const single = new LandingPages({
    apiKey: program.rotateAtMs === undefined ? keyAt(0) : () => keyAt(rotated(program.rotationLagMs)),
    baseUrl: "https://service.example",
    fetch: service.fetch,
    sleep,
    random: createRandom(program.seed),
    maxInFlight: program.maxInFlight,
    logger: { debug: write, info: write, warn: write },
    logLevel: "debug",
    onEvent: listen("single"),
  });
  const clients = { single, bulk: single.withOptions({ onEvent: listen("bulk") }) };
  const outcomes: Outcome[] = [];
  const endings = new Map<string, number>();
  const signals: AbortSignal[] = [];

  const begin = async (action: Action, name: string): Promise<void> => {
    await sleep(action.atMs, undefined);
    const aborter = new AbortController();
    signals.push(aborter.signal);
    const stop = () => {
      endings.set(name, Date.now());
      aborter.abort(new Error("enough"));
    };
    const timer = action.abortAfterMs === undefined ? undefined : setTimeout(stop, action.abortAfterMs);
    const common = { signal: aborter.signal, headers: { "X-Action": name }, ...action.options };
    try {
      await perform(clients, action, name, common, outcomes, endings);
    } catch (error) {
      if (!LandingPagesError.is(error)) throw error;
      outcomes.push({ action: name, error, isAborted: aborter.signal.aborted });
    } finally {
      clearTimeout(timer);
    }
  };
  const done = Promise.all(program.actions.map((action, index) => begin(action, `${action.kind}-${index}`)));
  const { requests } = service;

  return {
    done,
    expectQuiet: () => {
      for (const signal of signals) expect(getEventListeners(signal, "abort")).toEqual([]);
      // Every call has one end, the last of its events.
      const ended = new Set<string>();
      for (const { event } of events) {
        if (!("route" in event)) continue;
        expect(ended.has(event.callId)).toBe(false);
        if (event.type === "end") ended.add(event.callId);
      }
    },
    /** What is said not to have been applied was not. */
    expectHonestOutcomes: () => {
      expect(outcomes.filter(({ isAborted, error }) => isAborted === true && !AbortedError.is(error))).toEqual([]);
      for (const { action, error } of outcomes) {
        if (!CallError.is(error) || error.mayHaveBeenApplied || error.method === "GET") continue;
        const isOfCall = (seen: { action: string; idempotencyKey: string }) =>
          error.idempotencyKey === undefined
            ? seen.action === action && !action.startsWith("createMany")
            : seen.idempotencyKey === error.idempotencyKey;
        expect(requests.filter((seen) => isOfCall(seen) && seen.isApplied)).toEqual([]);
      }
    },
    expectNothingAfterTheEnd: () => {
      for (const [name, endMs] of endings)
        expect(requests.filter(({ action, atMs }) => action === name && atMs > endMs)).toEqual([]);
    },
    expectPatience: () => {
      for (const refusal of requests) {
        const { status, notBeforeMs = 0, answeredAtMs = Infinity, weather } = refusal;
        if (status !== 429 || !("spelling" in weather) || notBeforeMs - answeredAtMs > 60_000) continue;
        const isExact = weather.spelling === "seconds" || weather.spelling === "decimal";
        const untilMs = notBeforeMs - (isExact ? 0 : 1000);
        // After a minute and five seconds behind a closed gate, one may ask whether it still is.
        const early = requests.filter(({ atMs }) => atMs > answeredAtMs && atMs < untilMs && !isLongClosed(atMs));
        expect(early).toEqual([]);
      }
      for (const { event } of events)
        expect(
          "delayMs" in event && event.type !== "queue" && event.type !== "gate" ? (event.delayMs ?? 0) : 0,
        ).toBeLessThanOrEqual(63_000);
      expectSinglesFirst();
    },
    expectOneKeyAndBodyForEachCall: () => {
      for (const [idempotencyKey, sent] of Map.groupBy(requests, (seen) => seen.idempotencyKey)) {
        if (idempotencyKey === "") continue;
        expect(new Set(sent.map(({ body, method, path }) => `${method} ${path} ${body}`)).size).toBe(1);
      }
      const keyed = requests.filter(({ action }) => /^(?:create|track)-/.test(action));
      for (const sent of Map.groupBy(keyed, (seen) => seen.action).values())
        expect(new Set(sent.map((seen) => seen.idempotencyKey)).size).toBe(1);
    },
    expectNoSecret: () => {
      const errors = outcomes.flatMap(({ error }) => (error instanceof Error ? [error, error.stack] : []));
      const shown = [...errors, ...errors.map((error) => JSON.stringify(error)), ...lines, ...events]
        .map((each) => inspect(each, { depth: 9 }))
        .join("\n");
      for (const secret of secrets)
        for (let from = 5; from + 8 <= secret.length; from += 1)
          expect(shown).not.toContain(secret.slice(from, from + 8));
    },
  };

  function isLongClosed(atMs: number): boolean {
    return requests.some(
      ({ status, answeredAtMs = Infinity }) =>
        status === 429 && answeredAtMs <= atMs - 65_000 && answeredAtMs > atMs - 600_000,
    );
  }

  /** While a single call waits at the gate, the background goes only when it is its turn: after eight single calls. */
  function expectSinglesFirst(): void {
    for (const [index, { lane, atMs, event }] of events.entries()) {
      if (lane !== "single" || event.type !== "wait" || event.reason !== "gate") continue;
      const after = events.slice(index + 1);
      const until = after.findIndex(
        (later) => "callId" in later.event && later.event.callId === event.callId && later.event.type !== "gate",
      );
      const requestsBetween = after.slice(0, Math.max(0, until)).filter((later) => later.event.type === "request");
      // Those of the same moment had their turn before it came.
      const bulk = requestsBetween.filter((later) => later.lane === "bulk" && later.atMs > atMs).length;
      expect(bulk).toBeLessThanOrEqual(3 + (requestsBetween.length - bulk) / 8);
    }
  }
}

type Common = { signal: AbortSignal; headers: Record<string, string> } & Action["options"];

async function perform(
  { single, bulk }: { single: LandingPages; bulk: LandingPages },
  action: Action,
  name: string,
  common: Common,
  outcomes: Outcome[],
  endings: Map<string, number>,
): Promise<void> {
  const startMs = Date.now();
  const took = () => expect(Date.now() - startMs).toBeLessThanOrEqual((common.totalTimeoutMs ?? 120_000) + 1);
  const calls = {
    list: () => single.pages.list({}, common),
    create: () => single.pages.create({ ...somePage, slug: name }, common),
    update: () => single.pages.update("old_1", { title: name }, common),
    delete: () => single.pages.delete("old_2", common),
    track: () => single.analytics.track({ pageId: name }, common),
  };
  if (action.kind === "createMany") {
    const inputs = Array.from({ length: action.count }, (_, index) => ({ ...somePage, slug: `${name}-${index}` }));
    const seen = new Set<number>();
    for await (const { index, input, error } of bulk.pages.createMany(inputs, {
      ...common,
      concurrency: action.concurrency,
    })) {
      expect([seen.has(index), input === inputs[index]]).toEqual([false, true]);
      seen.add(index);
      outcomes.push({ action: name, error });
      if (seen.size === action.breakAfter) break;
    }
    expect(seen.size).toBe(Math.min(inputs.length, action.breakAfter ?? Infinity));
    endings.set(name, Date.now());
  } else if (action.kind === "iterate") {
    const ids: string[] = [];
    for await (const { id } of single.pages.iterate({ ...common, batchSize: 20 }))
      if (ids.push(id) === action.breakAfter) break;
    expect(ids).toEqual(Array.from({ length: Math.min(45, action.breakAfter ?? 45) }, (_, index) => `old_${index}`));
    endings.set(name, Date.now());
  } else if (action.kind === "queue") await performQueue(bulk, action, name, common, endings);
  else {
    try {
      await calls[action.kind]();
    } finally {
      took();
    }
    endings.set(name, Date.now());
  }
}

/** Every event is in one place at every moment, and in the right one at the end. */
async function performQueue(
  client: LandingPages,
  action: Action & { kind: "queue" },
  name: string,
  common: Common,
  endings: Map<string, number>,
): Promise<void> {
  const lost: { event: QueuedEvent; kind: string; error?: unknown }[] = [];
  const { capacity, concurrency } = action;
  const queue = client.analytics.queue({
    ...common,
    capacity,
    concurrency,
    onLost: (event, reason) => void lost.push({ event, ...reason }),
  });
  const expectBalance = () => {
    const { accepted, delivered, failed, dropped, pending } = queue.counts;
    expect(delivered + failed + dropped + pending).toBe(accepted);
    expect(pending).toBeLessThanOrEqual(capacity);
  };
  let pushed = 0;
  for (const { count, thenMs } of action.pushes) {
    for (let each = 0; each < count; each += 1) queue.push({ pageId: `${name}-${(pushed += 1)}` });
    expectBalance();
    await sleep(thenMs, undefined);
    expectBalance();
  }
  const back = action.ending === "drain" ? await queue.drain({ timeoutMs: action.endMs }) : [];
  if (action.ending === "close") await queue.close({ timeoutMs: action.endMs });
  if (action.ending === "abort") await queue.flush().then(() => queue.close());
  endings.set(name, Math.min(endings.get(name) ?? Infinity, Date.now()));
  expectBalance();
  const { accepted, delivered, failed, dropped, pending } = queue.counts;
  expect([accepted, pending]).toEqual([pushed, 0]);
  expect([failed, dropped]).toEqual([
    lost.filter(({ kind }) => kind === "failed").length,
    lost.length - failed + back.length,
  ]);
  expect(new Set([...lost.map(({ event }) => event.pageId), ...back.map(({ pageId }) => pageId)]).size).toBe(
    pushed - delivered,
  );
  // Never sent is never failed.
  for (const { kind, error } of lost)
    expect(kind === "failed" && CallError.is(error) && error.attempts.every(({ isSent }) => !isSent)).toBe(false);
}

function secretOf(seed: number): string {
  const random = createRandom(seed * 7919);
  return Array.from(
    { length: 36 },
    () => "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789/+-"[Math.floor(random() * 62)],
  ).join("");
}
