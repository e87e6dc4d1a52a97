// What a program does with the client in a bad week, and what must hold of each thing it does.
import { expect } from "vitest";
import { CallError, type LandingPages, type QueuedEvent } from "../src/index.ts";
import type { Action } from "./bad-week-programs.ts";
import { sleep } from "./bad-week-time.ts";
import { somePage } from "./setup.ts";

/** What became of one call, or of one input of many. */
export interface Outcome {
  readonly action: string;
  readonly error?: unknown;
  /** Whether the signal of a call had aborted by the time it failed. */
  readonly isAborted?: boolean;
}

export type Common = { signal: AbortSignal; headers: Record<string, string> } & Action["options"];

/** Does one thing with the client; notes the outcome of each input of many, and when it ended. */
export async function perform(
  { single, bulk }: { single: LandingPages; bulk: LandingPages },
  action: Action,
  name: string,
  common: Common,
  outcomes: Outcome[],
  endings: Map<string, number>,
): Promise<void> {
  const startMs = Date.now();
  const { totalTimeoutMs = 120_000 } = common;
  const took = () => expect(Date.now() - startMs).toBeLessThanOrEqual(totalTimeoutMs + 1);
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
