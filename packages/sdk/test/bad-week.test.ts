import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ClientEvent, LandingPages, LandingPagesError } from "../src/index.ts";
import { createBadWeek } from "./bad-week.ts";
import { createHooks } from "./bad-week-hooks.ts";
import * as laws from "./bad-week-laws.ts";
import { type Outcome, perform } from "./bad-week-perform.ts";
import { type Action, type Program, programs } from "./bad-week-programs.ts";
import { createRandom, runThrough, sleep } from "./bad-week-time.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

// More of them on demand: BAD_WEEKS=6000 PROPERTY_SEED=random.
const runs = Number(process.env["BAD_WEEKS"] ?? 60);

test("no week is so bad that a law is broken", { timeout: 3_600_000 }, () =>
  fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const { client, done, ...week } = live(program);
      await runThrough(done, 6 * 3_600_000);
      // What answers late, and hooks, take their time without the client.
      await runThrough(sleep(30_000, undefined), 60_000);

      expect(vi.getTimerCount()).toBe(0);
      laws.expectQuiet(week);
      laws.expectHonestOutcomes(week);
      laws.expectNothingAfterTheEnd(week);
      laws.expectPatience(week);
      laws.expectSinglesFirst(week);
      laws.expectOneKeyAndBodyForEachCall(week);
      laws.expectNoSecret(week);
      await runThrough(expectRecovery(client, program), 3_600_000);
    }),
    { numRuns: runs },
  ),
);

/** Runs a program, and notes all that is seen of it. */
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
  const client = new LandingPages({
    apiKey: program.rotateAtMs === undefined ? keyAt(0) : () => keyAt(rotated(program.rotationLagMs)),
    baseUrl: "https://service.example",
    fetch: service.fetch,
    hooks: createHooks(program.hooks),
    now: Date.now,
    sleep,
    random: createRandom(program.seed),
    maxInFlight: program.maxInFlight,
    logger: { debug: write, info: write, warn: write },
    logLevel: "debug",
    onEvent: listen("single"),
  });
  const clients = { single: client, bulk: client.withOptions({ onEvent: listen("bulk") }) };
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
  return { program, client, done, requests: service.requests, events, lines, outcomes, endings, signals, secrets };
}

/** Ten minutes after the last trouble nothing is left of it, and nobody waits for longer than a wrong clock can make believe: a minute. */
async function expectRecovery(
  client: LandingPages,
  { phases, hooks, hasDate, skewMs, rotateAtMs = 0, rotationLagMs }: Program,
): Promise<void> {
  if (hooks.some((kind) => kind.startsWith("throws") || kind === "answers")) return;
  await sleep(phases.reduce((sumMs, { forMs }) => sumMs + forMs, rotateAtMs + rotationLagMs) + 600_000, undefined);
  const beganMs = Date.now();
  const { data } = await client.pages.list();
  expect(data).toHaveLength(20);
  expect(Date.now() - beganMs).toBeLessThan(hasDate || skewMs === 0 ? 5_000 : 65_000);
}

function secretOf(seed: number): string {
  const random = createRandom(seed * 7919);
  return Array.from(
    { length: 36 },
    () => "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789/+-"[Math.floor(random() * 62)],
  ).join("");
}
