// What holds of a client in every week, however bad.
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { expect } from "vitest";
import { AbortedError, CallError, type ClientEvent } from "../src/index.ts";
import type { Seen } from "./bad-week.ts";
import { cutSpellings, datedSpellings, exactSpellings } from "./bad-week-headers.ts";
import { slowHookMs } from "./bad-week-hooks.ts";
import type { Outcome } from "./bad-week-perform.ts";
import type { Program } from "./bad-week-programs.ts";

/** All that was seen of a week. */
export interface Week {
  readonly program: Program;
  readonly requests: readonly Seen[];
  readonly events: readonly { readonly lane: "single" | "bulk"; readonly atMs: number; readonly event: ClientEvent }[];
  readonly lines: readonly unknown[];
  readonly outcomes: readonly Outcome[];
  /** When a thing that the program did was over. */
  readonly endings: ReadonlyMap<string, number>;
  readonly signals: readonly AbortSignal[];
  readonly secrets: readonly string[];
}

/** Every call has one end, the last of its events, and leaves no listener behind. */
export function expectQuiet({ signals, events }: Week): void {
  for (const signal of signals) expect(getEventListeners(signal, "abort")).toEqual([]);
  const ended = new Set<string>();
  for (const { event } of events) {
    if (!("route" in event)) continue;
    expect(ended.has(event.callId)).toBe(false);
    if (event.type === "end") ended.add(event.callId);
  }
}

/** What was aborted says so, and what is said not to have been applied was not. */
export function expectHonestOutcomes({ outcomes, requests }: Week): void {
  expect(outcomes.filter(({ isAborted, error }) => isAborted === true && !AbortedError.is(error))).toEqual([]);
  for (const { action, error } of outcomes) {
    if (!CallError.is(error) || error.mayHaveBeenApplied || error.method === "GET") continue;
    const isOfCall = (seen: Seen) =>
      error.idempotencyKey === undefined
        ? seen.action === action && !action.startsWith("createMany")
        : seen.idempotencyKey === error.idempotencyKey;
    expect(requests.filter((seen) => isOfCall(seen) && seen.isApplied)).toEqual([]);
  }
}

export function expectNothingAfterTheEnd({ endings, requests }: Week): void {
  for (const [name, endMs] of endings)
    expect(requests.filter(({ action, atMs }) => action === name && atMs > endMs)).toEqual([]);
}

/** Nobody asks before the time, and nobody is made to wait for longer than a minute. */
export function expectPatience({ program, requests, events }: Week): void {
  // A clock that is wrong beside a service without one tells no time.
  const isMisread = (seen: Seen) =>
    !program.hasDate && "spelling" in seen.weather && datedSpellings.includes(seen.weather.spelling);
  // A slow hook runs after the gate let the request out.
  const lagMs = program.hooks.includes("slow") ? slowHookMs : 0;
  for (const refusal of requests) {
    const { status, notBeforeMs = 0, answeredAtMs = Infinity, weather } = refusal;
    if (status !== 429 || !("spelling" in weather) || notBeforeMs - answeredAtMs > 60_000 || isMisread(refusal))
      continue;
    const cutMs = cutSpellings.includes(weather.spelling) ? 1000 : 0;
    const untilMs = notBeforeMs - (exactSpellings.includes(weather.spelling) ? 0 : 1000 + cutMs);
    // After a minute and five seconds behind a closed gate, one may ask whether it still is.
    const early = requests.filter(
      ({ atMs }) => atMs - lagMs > answeredAtMs && atMs < untilMs && !isLongClosed(requests, atMs),
    );
    expect(early).toEqual([]);
  }
  for (const { event } of events)
    expect(
      "delayMs" in event && event.type !== "queue" && event.type !== "rate-limit" ? (event.delayMs ?? 0) : 0,
    ).toBeLessThanOrEqual(63_000);
}

function isLongClosed(requests: readonly Seen[], atMs: number): boolean {
  return requests.some(
    ({ status, answeredAtMs = Infinity }) =>
      status === 429 && answeredAtMs <= atMs - 65_000 && answeredAtMs > atMs - 600_000,
  );
}

/** While a single call waits at the gate, the background goes only when it is its turn: after eight single calls. */
export function expectSinglesFirst({ events }: Week): void {
  for (const [index, { lane, atMs, event }] of events.entries()) {
    if (lane !== "single" || event.type !== "wait" || event.reason !== "rate-limit") continue;
    const after = events.slice(index + 1);
    const until = after.findIndex(
      (later) => "callId" in later.event && later.event.callId === event.callId && later.event.type !== "rate-limit",
    );
    const requestsBetween = after.slice(0, Math.max(0, until)).filter((later) => later.event.type === "request");
    // Those of the same moment had their turn before it came, or after it was aborted.
    const isAborted = after[until]?.event.type === "end";
    const untilMs = isAborted ? (after[until]?.atMs ?? 0) : Infinity;
    const bulk = requestsBetween.filter(
      (later) => later.lane === "bulk" && later.atMs > atMs && later.atMs < untilMs,
    ).length;
    expect(bulk).toBeLessThanOrEqual(3 + (requestsBetween.length - bulk) / 8);
  }
}

export function expectOneKeyAndBodyForEachCall({ requests }: Week): void {
  for (const [idempotencyKey, sent] of Map.groupBy(requests, (seen) => seen.idempotencyKey)) {
    if (idempotencyKey === "") continue;
    expect(new Set(sent.map(({ body, method, path }) => `${method} ${path} ${body}`)).size).toBe(1);
  }
  const keyed = requests.filter(({ action }) => /^(?:create|track)-/.test(action));
  for (const sent of Map.groupBy(keyed, (seen) => seen.action).values())
    expect(new Set(sent.map((seen) => seen.idempotencyKey)).size).toBe(1);
}

export function expectNoSecret({ outcomes, lines, events, secrets }: Week): void {
  const errors = outcomes.flatMap(({ error }) => (error instanceof Error ? [error, error.stack] : []));
  const shown = [...errors, ...errors.map((error) => JSON.stringify(error)), ...lines, ...events]
    .map((each) => inspect(each, { depth: 9, showHidden: each instanceof Error }))
    .join("\n");
  for (const secret of secrets)
    for (let from = 5; from + 8 <= secret.length; from += 1) expect(shown).not.toContain(secret.slice(from, from + 8));
}
